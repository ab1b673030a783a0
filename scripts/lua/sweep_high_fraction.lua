-- SPDX-License-Identifier: GPL-2.0-only
-- Shows the manual knob: vm.percpu_pagelist_high_fraction from 0 (the kernel decides) over 8 (most) upwards, and what
-- each value costs in refills and keeps in pagesets. Writes sweep_high_fraction.csv.
-- Options: --opt depth=4000 (pages of a burst), --opt rounds=5

local csv = sim.csv("sweep_high_fraction")
csv:row("fraction", "high", "refills", "bulk_frees", "pages_in_pagesets_max")
local rows = {}
for _, fraction in ipairs{0, 8, 16, 32, 64, 128, 256} do
  local m = sim.machine{cpus = 4, memory = "1GiB", patches = arg.patches and tostring(arg.patches) or "none"}
  m:sysctl("percpu_pagelist_high_fraction", fraction)
  for _ = 1, arg.rounds or 5 do m:free(m:alloc{count = arg.depth or 4000}) end
  local s = m:stats()
  local row = {fraction = fraction, high = m.cpu[0].high, refills = s.refills, bulk_frees = s.bulk_frees,
               pages_in_pagesets_max = s.pages_in_pagesets_max}
  rows[#rows + 1] = row
  csv:row(row.fraction, row.high, row.refills, row.bulk_frees, row.pages_in_pagesets_max)
  m:close()
end
print(sim.table(rows, {"fraction", "high", "refills", "bulk_frees", "pages_in_pagesets_max"}))
print(csv:close())

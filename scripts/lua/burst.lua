-- SPDX-License-Identifier: GPL-2.0-only
-- Shows what a burst of order-0 allocations and frees does to one CPU's pageset: refills and bulk frees double while
-- the burst lasts (patches 4 and 5), and high follows (patch 7).
-- Options: --opt pages=4000 (blocks of a burst), --opt cpu=0, --opt rounds=1, --opt plot=true (writes burst.svg)

local m = sim.current or sim.machine{cpus = 4, memory = "1GiB"}
local cpu, pages, rounds = arg.cpu or 0, arg.pages or 4000, arg.rounds or 1
local samples = {}

local function sample()
  local p = m.cpu[cpu].zone[0]
  samples[#samples + 1] = {op = m.stats.ops, count = p.count, high = p.high}
end

m:on("refill", function(e) print(e.text) end)
m:on("bulk", function(e) print(e.text) end)
for _ = 1, rounds do
  local held = {}
  for i = 1, pages do
    held[i] = assert(m:alloc{cpu = cpu})
    if i % 50 == 0 then sample() end
  end
  for i = pages, 1, -1 do
    m:free(held[i], {cpu = cpu})
    if i % 50 == 0 then sample() end
  end
end
print("refills", m.stats.refills, "bulk frees", m.stats.bulk_frees, "count", m.cpu[cpu].zone[0].count)
if arg.plot then
  print(sim.plot{name = "burst", title = "A burst of " .. pages .. " pages", x = "op", y = {"count", "high"},
                 ylabel = "pages", rows = samples})
end

-- SPDX-License-Identifier: GPL-2.0-only
-- Shows huge pages in the pageset: blocks of order 9 have a list of their own (number 12), and one of them counts 512
-- pages, so that it alone may pass the limit.
-- Options: --opt blocks=8

local m = sim.machine{cpus = 1, memory = "1GiB"}
local rows = {}
local function note(what)
  rows[#rows + 1] = {what = what, count = m.cpu[0].count, high = m.cpu[0].high, thp = m.cpu[0].lists[12].n,
                     free = m.zone[0].free}
end
note("fresh")
local pages = m:alloc{order = 9, count = arg.blocks or 8}
note("allocated")
for i, page in ipairs(pages) do
  m:free(page)
  note("freed " .. i)
end
print(sim.table(rows, {"what", "count", "high", "thp", "free"}))

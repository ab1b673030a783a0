-- SPDX-License-Identifier: GPL-2.0-only
-- Shows slab pages (orders 1 and 3, reclaimable and unmovable) that come and go between order-0 pages of the page cache:
-- which lists of the pageset fill, and how fragmented the zone becomes.
-- Options: --opt ops=20000, --opt seed=1

sim.seed(arg.seed or 1)
local m = sim.machine{cpus = 2, memory = "256MiB"}
local kinds = {
  {order = 0, type = "movable"}, {order = 0, type = "movable"}, {order = 0, type = "unmovable"},
  {order = 1, type = "unmovable"}, {order = 3, type = "reclaimable"},
}
local held = {}
for _ = 1, arg.ops or 20000 do
  local cpu = sim.rand(2) - 1
  if #held > 0 and sim.rand(100) <= (#held > 3000 and 70 or 45) then
    local at = sim.rand(#held)
    m:free(held[at], {cpu = cpu})
    held[at] = held[#held]
    held[#held] = nil
  else
    local kind = kinds[sim.rand(#kinds)]
    held[#held + 1] = m:alloc{cpu = cpu, order = kind.order, type = kind.type}
  end
end
local rows = {}
for list = 0, 12 do
  rows[#rows + 1] = {list = list, cpu0 = m.cpu[0].lists[list].n, cpu1 = m.cpu[1].lists[list].n}
end
print(sim.table(rows, {"list", "cpu0", "cpu1"}))
print("fallbacks", m.stats.fallbacks, "claims", m.stats.claims, "splits", m.stats.splits, "merges", m.stats.merges)

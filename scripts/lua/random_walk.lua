-- SPDX-License-Identifier: GPL-2.0-only
-- A property test: a seeded walk of random operations, with patches switched on the way, on which the books must always
-- balance: every managed page is free in the buddy, in a pageset, or allocated.
-- Options: --opt ops=3000, --opt seed=1, --opt cpus=3

sim.seed(arg.seed or 1)
local cpus = arg.cpus or 3
local m = sim.machine{cpus = cpus, memory = "64MiB", data_cache = "1MiB"}
local held = {}

local function balanced()
  local cached = 0
  for cpu = 0, cpus - 1 do cached = cached + m.cpu[cpu].count end
  sim.expect.eq(cached, m.stats.pages_in_pagesets, "the sum of the counts")
  sim.expect.eq(m.zone[0].free + cached + m.stats.live_pages, m.zone[0].managed, "the sum of the pages")
end

local moves = {
  function(cpu) held[#held + 1] = m:alloc{cpu = cpu, order = ({0, 0, 0, 1, 2, 3, 9})[sim.rand(7)],
                                          type = ({"U", "M", "R"})[sim.rand(3)]} end,
  function(cpu) for _, page in ipairs(m:alloc{cpu = cpu, count = sim.rand(300)}) do held[#held + 1] = page end end,
  function(cpu) if #held > 0 then m:free(table.remove(held, sim.rand(#held)), {cpu = cpu}) end end,
  function(cpu) m:free(held, {cpu = cpu, order = "shuffled", count = sim.rand(200)}) end,
  function(cpu) m:tick(cpu) end,
  function(cpu) if sim.rand(10) == 1 then m:drain(cpu) end end,
  function() if sim.rand(10) == 1 then m:patch(sim.rand(10), sim.rand(2) == 1) end end,
  function() if sim.rand(10) == 1 then m:reclaim(sim.rand(2) == 1) end end,
}
for _ = 1, arg.ops or 3000 do
  moves[sim.rand(#moves)](sim.rand(cpus) - 1)
  balanced()
end
m:free(held)
m:drain()
balanced()
sim.expect.eq(m.stats.live_pages, 0)
print("balanced after " .. m.stats.ops .. " operations", m:digest())

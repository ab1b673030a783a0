-- SPDX-License-Identifier: GPL-2.0-only
-- Shows the life of short tasks, as in a kernel build: fork takes a stack and a PGD (order 1), the task faults pages in,
-- exit frees all of it in lists of 32 and then the PGD. Until patch 1 that last free empties the pageset of the next task.
-- Options: --opt tasks=20, --opt pages=500 (mean of a task), --opt pgd=1 (order of the PGD), --opt stack=2 (order)

local tasks, pages = arg.tasks or 20, arg.pages or 500
local pgd_order, stack_order = arg.pgd or 1, arg.stack or 2

local function life(t, n)
  local stack = assert(t:alloc{order = stack_order, type = "unmovable"})
  local pgd = assert(t:alloc{order = pgd_order, type = "unmovable"})
  local heap = {}
  for i = 1, n do heap[i] = assert(t:alloc{}) end
  sim.shuffle(heap)
  while #heap > 0 do t:free_list(heap, {count = 32}) end
  t:free(pgd)
  for _ = 1, 8 do t:free(assert(t:alloc{})) end -- the next task begins
  t:free(stack)
end

local function workload(m)
  m:spawn(0, function(t)
    for _ = 1, tasks do life(t, sim.rand(pages // 2, pages + pages // 2)) end
  end)
end

local result = sim.compare{machine = {cpus = 4, memory = "1GiB", data_cache = "1MiB"}, workload = workload}
print(result)
sim.expect.lt(result[2].free_high, result[1].free_high, "patch 1 avoids drains")

-- SPDX-License-Identifier: GPL-2.0-only
-- Lesson 14, exercise 2: CPU 0 allocates blocks of order 3, CPU 1 frees them.
local function drains(set)
  local m = sim.machine{cpus = 2, memory = "1GiB", data_cache = "1MiB", patches = set}
  for _ = 1, 800 do m:free(m:alloc{cpu = 0, order = 3, type = "unmovable"}, {cpu = 1}) end
  return m:stats().free_high
end
sim.expect.eq(drains("none"), 719)
sim.expect.eq(drains("all"), 99)

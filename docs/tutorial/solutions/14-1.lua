-- SPDX-License-Identifier: GPL-2.0-only
-- Lesson 14, exercise 1: each page is freed at once.
for _, set in ipairs{"none", "all"} do
  local m = sim.machine{cpus = 4, memory = "1GiB", patches = set}
  for _ = 1, 5000 do m:free(m:alloc{cpu = 0}) end
  sim.expect.eq(m:stats().refills, 1)
end

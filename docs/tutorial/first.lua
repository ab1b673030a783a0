-- SPDX-License-Identifier: GPL-2.0-only
-- How many refills do 5000 page faults take, without the series and with all of it?
for _, set in ipairs{"none", "all"} do
  local m = sim.machine{cpus = 4, memory = "1GiB", patches = set}
  for _ = 1, 5000 do m:alloc{cpu = 0} end
  print(set, m:stats().refills)
end

-- SPDX-License-Identifier: GPL-2.0-only
-- Shows memory pressure: the zone is filled until it is near its marks, and a CPU goes on allocating and freeing. Patch 8
-- lowers high once free pages are below the high mark, so that pagesets give their pages back.
-- Options: --opt rounds=40, --opt burst=600

local function workload(m)
  local zone = m.zone[0]
  local ballast = m:alloc{cpu = 1, count = zone.free - zone.high - 500}
  m:drain(1)
  for _ = 1, arg.rounds or 40 do
    local pages = m:alloc{cpu = 0, count = arg.burst or 600}
    m:free(pages, {cpu = 0})
  end
  print(m:patches(), "high", m.cpu[0].high, "count", m.cpu[0].count, "free", zone.free, "high mark", zone.high)
  m:free(ballast, {cpu = 1})
end

print(sim.compare{levels = {"base", 7, 8, 10}, machine = {cpus = 2, memory = "256MiB"}, workload = workload})

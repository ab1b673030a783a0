-- SPDX-License-Identifier: GPL-2.0-only
-- A policy of one number: high is the same for all CPUs and never changes. Compared with the built-in tuning on bursts of
-- growing size: a constant is either too small for the large bursts or holds memory for nothing after the small ones.
-- Options: --opt high=1000

local high = arg.high or 1000

local function workload(m)
  for burst = 200, 3000, 200 do m:free(m:alloc{count = burst}) end
  for _ = 1, 30 do m:tick(0) end
end

local rows = {}
local function run(name, setup)
  local m = sim.machine{cpus = 1, memory = "1GiB", patches = "all"}
  setup(m)
  workload(m)
  local s = m:stats()
  rows[#rows + 1] = {policy = name, refills = s.refills, bulk_frees = s.bulk_frees, max = s.pages_in_pagesets_max,
                     ["after idling"] = s.pages_in_pagesets}
end
run("built-in", function() end)
run("constant " .. high, function(m)
  m:policy{
    nr_pcp_high = function(pcp, zone, free_high)
      pcp.high = high
      return free_high and 0 or high
    end,
    decay_pcp_high = function(pcp) return high end,
  }
end)
print(sim.table(rows, {"policy", "refills", "bulk_frees", "max", "after idling"}))

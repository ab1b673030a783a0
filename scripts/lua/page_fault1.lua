-- SPDX-License-Identifier: GPL-2.0-only
-- Shows the workload page_fault1 of will-it-scale: a CPU touches a large area page by page, then gives all of it back in
-- lists of at most 512 pages. With tuning (patch 7) the pages stay in the pageset and the zone lock is left alone.
-- Options: --opt depth=8000 (pages), --opt rounds=3, --opt cpus=2

local depth, rounds = arg.depth or 8000, arg.rounds or 3

local function workload(m)
  for cpu = 0, m:cpus() - 1 do
    m:spawn(cpu, function(t)
      for _ = 1, rounds do
        local held = {}
        for i = 1, depth do held[i] = assert(t:alloc{}) end
        while #held > 0 do t:free_list(held, {count = 512}) end
      end
    end)
  end
end

print(sim.compare{machine = {cpus = arg.cpus or 2, memory = "1GiB"}, workload = workload})

-- SPDX-License-Identifier: GPL-2.0-only
-- The alternative that the text of patch 7 rejects: raise high when pages are drained instead of when a list is refilled.
-- With one CPU that only frees (the pages come from another) high then grows although nothing there ever takes a page
-- again: memory sits in the pageset for nothing. The built-in policy raises high where pages are wanted.
-- Options: --opt pages=20000

local function raise_on_drain(m)
  m:policy{
    nr_pcp_alloc = function(pcp, zone, order) -- as the kernel's, but high stays
      local high = pcp.high
      local n = pcp:nr_pcp_alloc(order)
      pcp.high = math.max(high, pcp.high_min)
      return n
    end,
    nr_pcp_free = function(pcp, zone, high, free_high)
      local n = pcp:nr_pcp_free(high, free_high)
      if not free_high then pcp.high = math.min(pcp.high + n, pcp.high_max) end
      return n
    end,
  }
end

local rows = {}
local function run(name, setup)
  local m = sim.machine{cpus = 2, memory = "1GiB", patches = "all"}
  setup(m)
  local left = arg.pages or 20000
  while left > 0 do
    local pages = m:alloc{cpu = 0, count = math.min(left, 64)}
    left = left - #pages
    m:free(pages, {cpu = 1})
  end
  rows[#rows + 1] = {policy = name, ["producer's high"] = m.cpu[0].high, ["consumer's high"] = m.cpu[1].high,
                     ["consumer's count"] = m.cpu[1].count, refills = m.stats.refills, bulk_frees = m.stats.bulk_frees}
end
run("built-in", function() end)
run("raise on drain", raise_on_drain)
print(sim.table(rows, {"policy", "producer's high", "consumer's high", "consumer's count", "refills", "bulk_frees"}))

-- SPDX-License-Identifier: GPL-2.0-only
-- Shows what each patch does by its absence: every patch of the series is switched off by itself (with those that need
-- it) and workloads run with and without. A number is what changed in a counter, in per cent; = says nothing did.
-- Options: --opt series=v2 (or v3)

local series = arg.series or "v2"
local machine = {cpus = 2, memory = "256MiB", data_cache = "4MiB"}

local function refill_run(m) -- allocating only, then freeing only
  for _ = 1, 3 do m:free(m:alloc{count = 6000}) end
end
local function exits(m) -- bursts of order 0 with an order-1 free behind them
  for _ = 1, 20 do
    local pgd = m:alloc{order = 1, type = "unmovable"}
    local heap = m:alloc{count = 500}
    while #heap > 0 do m:free_list(heap, {count = 32}) end
    m:free(pgd)
  end
end
local function handover(m) -- order 3 from one CPU to the other
  for _ = 1, 60 do m:free(m:alloc{cpu = 0, order = 3, count = 40}, {cpu = 1}) end
end
local function scattered(m) -- a few high-order frees between allocations
  for _ = 1, 200 do
    m:free(m:alloc{order = 3, count = 6})
    m:free(m:alloc{count = 20})
    m:alloc{count = 20}
  end
end
local function idle(m) -- a peak, then ticks with a little use
  m:free(m:alloc{count = 5000})
  for _ = 1, 12 do
    m:tick(0)
    m:free(m:alloc{count = 900})
  end
end
local function pressed(m) -- near the high mark
  local ballast = m:alloc{cpu = 1, count = m.zone[0].free - m.zone[0].high - 500}
  m:drain(1)
  for _ = 1, 20 do m:free(m:alloc{count = 600}) end
  m:free(ballast, {cpu = 1})
end
local function fixed(m) -- limits set by hand: a large fixed high
  m:sysctl("percpu_pagelist_high_fraction", 8)
  for _ = 1, 3 do m:free(m:alloc{count = 12000}) end
end

local workloads = {{"refill_run", refill_run}, {"exits", exits}, {"handover", handover}, {"scattered", scattered},
                   {"idle", idle}, {"pressed", pressed}, {"fixed", fixed}}
local counters = {"free_high", "refills", "bulk_frees", "hold_pages_max", "pages_in_pagesets_mean"}

local function measure(set)
  local out = {}
  for _, w in ipairs(workloads) do
    local m = sim.machine{cpus = machine.cpus, memory = machine.memory, data_cache = machine.data_cache,
                          series = series, patches = set}
    w[2](m)
    out[w[1]] = m:stats()
    -- patch 6 shows in which limits there are, not in what pagesets do
    out[w[1]].limits = m.cpu[0].high_min or 0
    m:close()
  end
  return out
end

local all = measure("all")
local rows = {}
local nr = series == "v3" and 9 or 10
for n = 1, nr do
  local probe = sim.machine{series = series}
  local set = probe:patch(n, false)
  probe:close()
  local off, row, effect = measure(set), {patch = n, off = set}, false
  for _, w in ipairs(workloads) do
    local best, text = 0, "="
    for _, c in ipairs(counters) do
      local a, b = off[w[1]][c], all[w[1]][c]
      local change = a == b and 0 or 100 * (b - a) / math.max(a, 1)
      if math.abs(change) > math.abs(best) then
        best, text = change, string.format("%s %+d%%", c:gsub("pages_in_pagesets_mean", "cached"):gsub("_pages_max", ""),
                                           math.floor(change + 0.5))
      end
    end
    if text == "=" and off[w[1]].limits ~= all[w[1]].limits then text = "limits" end
    row[w[1]] = text
    effect = effect or text ~= "="
  end
  row.effect = effect and "yes" or "no"
  rows[n] = row
end
print(sim.table(rows, {"patch", "off", "refill_run", "exits", "handover", "scattered", "idle", "pressed", "fixed", "effect"}))
for n = 1, nr do sim.expect.eq(rows[n].effect, "yes", "patch " .. n) end

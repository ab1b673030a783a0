-- SPDX-License-Identifier: GPL-2.0-only
-- A policy that does nothing new: the kernel's four functions with all patches of v2 on, written in Lua. A second machine
-- runs the built-in ones, and after every operation the whole states must be equal. Begin here for a patch of your own.
-- Options: --opt ops=2000, --opt seed=1

sim.seed(arg.seed or 1)

local function clamp(v, lo, hi) return v >= hi and hi or v <= lo and lo or v end
local RECLAIM_ACTIVE, BELOW_HIGH = 2, 4

local noop = {}

function noop.nr_pcp_high(pcp, zone, free_high)
  local batch, high_min, high_max = pcp.batch, pcp.high_min, pcp.high_max
  local high = clamp(pcp.high, high_min, high_max)
  pcp.high = high
  if high == 0 then return 0 end
  if free_high then
    pcp.high = math.max(high - (batch << pcp.scale_max), high_min)
    return 0
  end
  if zone.flags & RECLAIM_ACTIVE ~= 0 then
    pcp.high = math.max(high - pcp.free_count, high_min)
    return math.min(batch << 2, pcp.high)
  end
  if high_min == high_max then return high end
  if zone.flags & BELOW_HIGH ~= 0 then
    pcp.high = math.max(high - pcp.free_count, high_min)
    return math.max(pcp.count, high_min)
  end
  if pcp.count >= high then
    local need_high = pcp.free_count + batch
    if pcp.high < need_high then pcp.high = clamp(need_high, high_min, high_max) end
  end
  return high
end

function noop.nr_pcp_free(pcp, zone, high, free_high)
  local batch = pcp.batch
  if free_high then return math.min(pcp.count, batch << pcp.scale_max) end
  if high < batch then return 1 end
  return clamp(pcp.free_count, batch, high - batch)
end

function noop.nr_pcp_alloc(pcp, zone, order)
  local base_batch, high_min, high_max = pcp.batch, pcp.high_min, pcp.high_max
  local high = clamp(pcp.high, high_min, high_max)
  pcp.high = high
  if high < base_batch then return 1 end
  local batch = order == 0 and base_batch << pcp.alloc_factor or base_batch
  if high_min ~= high_max and zone.flags & BELOW_HIGH == 0 then
    high = math.min(high + batch, high_max)
    pcp.high = high
  end
  if order == 0 then
    local max_nr = math.max(high - pcp.count - base_batch, base_batch)
    if batch <= max_nr and pcp.alloc_factor < pcp.scale_max then pcp.alloc_factor = pcp.alloc_factor + 1 end
    batch = math.min(batch, max_nr)
  end
  if batch > 1 then batch = math.max(batch >> order, 2) end
  return batch
end

function noop.decay_pcp_high(pcp, zone)
  local decrease = math.min(pcp.count_min, pcp.high // 5)
  return math.max(pcp.count - (pcp.batch << pcp.scale_max), pcp.high - decrease, pcp.high_min)
end

local keys = {cpus = 2, memory = "64MiB", data_cache = "1MiB", patches = "all"}
local a, b = sim.machine(keys), sim.machine(keys)
b:policy(noop)
local held_a, held_b = {}, {}
for op = 1, arg.ops or 2000 do
  local cpu, dice = sim.rand(2) - 1, sim.rand(100)
  if dice <= 40 then
    local want = {cpu = cpu, order = ({0, 0, 0, 1, 3, 9})[sim.rand(6)]}
    held_a[#held_a + 1], held_b[#held_b + 1] = a:alloc(want), b:alloc(want)
  elseif dice <= 50 then
    local n = sim.rand(400)
    for _, p in ipairs(a:alloc{cpu = cpu, count = n}) do held_a[#held_a + 1] = p end
    for _, p in ipairs(b:alloc{cpu = cpu, count = n}) do held_b[#held_b + 1] = p end
  elseif dice <= 90 then
    local n = sim.rand(200)
    a:free(held_a, {cpu = cpu, count = n})
    b:free(held_b, {cpu = cpu, count = n})
  elseif dice <= 97 then
    a:tick(cpu)
    b:tick(cpu)
  else
    local on = sim.rand(2) == 1
    a:reclaim(on)
    b:reclaim(on)
  end
  sim.expect.eq(b:digest(), a:digest(), "operation " .. op)
end
print("the same after " .. a.stats.ops .. " operations", a:digest())

-- SPDX-License-Identifier: GPL-2.0-only
-- Shows where two patch sets part: the same random operations run on two machines, and the first operation after which a
-- field differs that both have is printed.
-- Options: --opt a=none, --opt b=1, --opt ops=5000, --opt seed=1

sim.seed(arg.seed or 1)
local a = sim.machine{cpus = 2, memory = "64MiB", data_cache = "1MiB", patches = tostring(arg.a or "none")}
local b = sim.machine{cpus = 2, memory = "64MiB", data_cache = "1MiB", patches = tostring(arg.b or "1")}
local fields = {"cpu[0].count", "cpu[1].count", "zone[0].free", "stats.free_high", "stats.refills", "stats.bulk_frees"}
local held = {}
for op = 1, arg.ops or 5000 do
  local what, cpu = nil, sim.rand(2) - 1
  if #held > 0 and sim.rand(100) <= 55 then
    local pair = table.remove(held, sim.rand(#held))
    a:free(pair[1], {cpu = cpu})
    b:free(pair[2], {cpu = cpu})
    what = "a free on CPU " .. cpu
  else
    local order = ({0, 0, 0, 1, 1, 3})[sim.rand(6)]
    local pa, pb = a:alloc{cpu = cpu, order = order}, b:alloc{cpu = cpu, order = order}
    if pa and pb then held[#held + 1] = {pa, pb} end
    what = "an allocation of order " .. order .. " on CPU " .. cpu
  end
  for _, field in ipairs(fields) do
    if a:get(field) ~= b:get(field) then
      print(string.format("operation %d, %s: %s is %d with patches %s and %d with %s", op, what, field, a:get(field),
                          a:patches(), b:get(field), b:patches()))
      return
    end
  end
end
print("no difference")

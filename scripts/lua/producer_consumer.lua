-- SPDX-License-Identifier: GPL-2.0-only
-- Shows pages that are allocated on one CPU and freed on another, as network buffers are: the producer's pageset always
-- runs empty, the consumer's always overflows, so every page passes the zone lock. Blocks of order 3 make free_high drain
-- the consumer again and again until patches 1 and 3.
-- Options: --opt messages=5000, --opt order=3, --opt window=48, --opt levels=v2 (or v3)

local messages, order, window = arg.messages or 5000, arg.order or 3, arg.window or 48

local function workload(m)
  m:spawn(0, function(t)
    for i = 1, messages do
      if i > window then t:recv() end -- a free place in the window
      t:send(1, assert(t:alloc{order = order, type = "unmovable"}))
    end
  end)
  m:spawn(1, function(t)
    for _ = 1, messages do
      t:free(t:recv())
      t:send(0, true)
    end
  end)
end

print(sim.compare{series = arg.levels or "v2", machine = {cpus = 2, memory = "1GiB", data_cache = "1MiB"},
                  workload = workload})

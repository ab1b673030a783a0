-- SPDX-License-Identifier: GPL-2.0-only
local m = sim.machine{cpus = 1}
m:free(m:alloc{count = 100})
print("held", m:held(0))

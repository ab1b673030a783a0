/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The size of the data cache that a CPU can call its own (patch 2), and the
 * flag that follows from it (patch 3). Mirrors drivers/base/cacheinfo.c and
 * mm/page_alloc.c with the series. Called by sim.c.
 */
#ifndef PAGESET_CORE_CACHEINFO_H
#define PAGESET_CORE_CACHEINFO_H

#include "arena.h"

/*
 * update_per_cpu_data_slice_size(): compute the figure of all online CPUs but
 * @leaving (a CPU about to go, else -1). Only on machines described by caches.
 */
void update_per_cpu_data_slice_size(struct sim *sim, int leaving);
/* setup_pcp_cacheinfo(), patch 3: may CPUs keep a batch of high-order pages? */
void setup_pcp_cacheinfo(struct sim *sim);

#endif

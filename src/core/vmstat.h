/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The zones' free-page counter with its per-CPU parts, and the tick. Mirrors
 * mm/vmstat.c of 6.6 and the series.
 */
#ifndef PAGESET_CORE_VMSTAT_H
#define PAGESET_CORE_VMSTAT_H

#include "arena.h"

/* __mod_zone_page_state(NR_FREE_PAGES) on the executing CPU; per-CPU counters. */
__cold void mod_zone_page_state_percpu(struct sim *sim, struct zone *zone, s32 delta);

static inline void mod_zone_freepage_state(struct sim *sim, struct zone *zone, s32 delta)
{
	if (likely(sim->stat_exact))
		zone->free_pages += delta;
	else
		mod_zone_page_state_percpu(sim, zone, delta);
}

/* The executing CPU allocated or freed in the zone of its pageset @pcp. */
static inline void zone_used(struct per_cpu_pages *pcp)
{
	pcp->used = true;
}

/*
 * Another counter of the zone changed on the CPU of @pcp. With per-CPU counters
 * the vectors show that this is forgotten when the CPU uses the zone afterwards;
 * with exact ones use is what the next tick looks for anyway.
 */
static inline void zone_touched(struct sim *sim, struct per_cpu_pages *pcp)
{
	pcp->touched = true;
	if (!sim->stat_exact)
		pcp->used = false;
}

/* zone_page_state(NR_FREE_PAGES): the global part, not below 0. */
static inline s64 zone_free_pages(const struct zone *zone)
{
	return zone->free_pages < 0 ? 0 : zone->free_pages;
}

/* refresh_zone_stat_thresholds() */
void refresh_zone_stat_thresholds(struct sim *sim);
/* cpu_vm_stats_fold(): a dead CPU's parts go to the global counters. */
void cpu_vm_stats_fold(struct sim *sim, u32 cpu);
/* refresh_cpu_vm_stats(true): the vmstat tick of a CPU. Returns true if there is more to do. */
bool refresh_cpu_vm_stats(struct sim *sim, u32 cpu);

#endif

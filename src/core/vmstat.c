/* SPDX-License-Identifier: GPL-2.0-only */
#include "vmstat.h"

#include "pcp.h"

static void zone_page_state_add(struct zone *zone, s64 x)
{
	zone->free_pages += x;
}

void mod_zone_page_state_percpu(struct sim *sim, struct zone *zone, s32 delta)
{
	struct per_cpu_pages *pcp = this_cpu_pageset(sim, zone);
	s32 x = pcp->stat_diff + delta;

	if (x > zone->stat_threshold || -x > zone->stat_threshold) {
		zone_page_state_add(zone, x);
		STEP(sim, STEP_STAT_FOLDED, x, zone->stat_threshold, zone->free_pages, sim->cpu,
		     zone->id);
		x = 0;
	}
	pcp->stat_diff = x;
}

/* fls(): number of the highest bit, counting from 1; 0 for 0. */
static int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static int calculate_normal_threshold(const struct sim *sim, const struct zone *zone)
{
	/* Memory in units of 128 MiB. */
	u64 mem = (u64)zone->managed_pages >> (27 - PAGE_SHIFT);
	int threshold = 2 * fls64(sim->state->nr_online) * (1 + fls64(mem));

	return min_int(125, threshold);
}

void refresh_zone_stat_thresholds(struct sim *sim)
{
	for (u32 i = 0; i < sim->nr_zones; i++)
		sim->zones[i].stat_threshold = calculate_normal_threshold(sim, &sim->zones[i]);
}

void cpu_vm_stats_fold(struct sim *sim, u32 cpu)
{
	for (u32 i = 0; i < sim->nr_zones; i++) {
		struct per_cpu_pages *pcp = per_cpu_pageset(sim, &sim->zones[i], cpu);

		zone_page_state_add(&sim->zones[i], pcp->stat_diff);
		pcp->stat_diff = 0;
		pcp->used = pcp->touched = false;
	}
}

/*
 * Fold this CPU's parts of the zone's counters. Whoever had something to fold
 * used the zone, so its time until a remote drain starts anew.
 */
static bool fold_zone_diff(struct sim *sim, struct zone *zone, struct per_cpu_pages *pcp)
{
	bool changed;

	if (sim->stat_exact) {
		changed = pcp->used || pcp->touched;
	} else {
		changed = pcp->stat_diff || (pcp->touched && !pcp->used);
		zone_page_state_add(zone, pcp->stat_diff);
		pcp->stat_diff = 0;
	}
	pcp->used = pcp->touched = false;
	if (changed) {
		pcp->expire = 3;
		STEP(sim, STEP_EXPIRE_ARMED, pcp->cpu, zone->id);
	}
	return changed;
}

/* Drain the pageset of a zone of another node when its time has run out. */
static bool expire_remote(struct sim *sim, struct zone *zone, struct per_cpu_pages *pcp)
{
	bool local = sim->machine.cpu_node[pcp->cpu] == zone->node;

	if (!pcp->expire || !pcp->count)
		return false;
	STEP(sim, STEP_ZONE_LOCAL, local, pcp->cpu, zone->id);
	if (local) {
		pcp->expire = 0;
		return false;
	}
	pcp->expire--;
	STEP(sim, STEP_EXPIRE_DOWN, pcp->expire, pcp->cpu, zone->id);
	if (pcp->expire)
		return true;
	drain_zone_pages(sim, zone, pcp);
	return true;
}

bool refresh_cpu_vm_stats(struct sim *sim, u32 cpu)
{
	bool changes = false;

	STEP(sim, STEP_TICK, cpu);
	for (u32 i = 0; i < sim->nr_zones; i++) {
		struct zone *zone = &sim->zones[i];
		struct per_cpu_pages *pcp = per_cpu_pageset(sim, zone, cpu);

		changes |= fold_zone_diff(sim, zone, pcp);
		if (patched(sim, P_TUNE_HIGH)) {
			changes |= decay_pcp_high(sim, zone, pcp);
		} else {
			STEP(sim, STEP_NA_DECAY, cpu, zone->id);
		}
		changes |= expire_remote(sim, zone, pcp);
	}
	return changes;
}

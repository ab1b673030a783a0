/* SPDX-License-Identifier: GPL-2.0-only */
#include "cacheinfo.h"

#include "pcp.h"

/* Online CPUs that share a leaf with @cpu; itself included, @leaving not. */
static u32 nr_sharers(const struct sim *sim, const struct machine_cache *leaf, u32 cpu, int leaving)
{
	u32 first = cpu / leaf->shared_by * leaf->shared_by, nr = 0;

	for (u32 other = first; other < first + leaf->shared_by && other < sim->nr_cpus; other++)
		nr += sim->online[other] && (int)other != leaving;
	return nr ? nr : 1;
}

static bool holds_data(const struct machine_cache *leaf)
{
	return leaf->type == CACHE_DATA || leaf->type == CACHE_UNIFIED;
}

/* V2: the CPU's share of every data leaf, added up; V3: of the last leaf alone. */
static u64 data_slice(struct sim *sim, u32 cpu, int leaving)
{
	const struct machine *m = &sim->machine;
	u64 size = 0;

	if (patched(sim, P_SERIES_V3)) {
		const struct machine_cache *last = &m->caches[m->nr_caches - 1];

		if (!holds_data(last))
			return sim->cache_bytes[cpu];
		return last->size / nr_sharers(sim, last, cpu, leaving);
	}
	for (u32 i = 0; i < m->nr_caches; i++) {
		if (holds_data(&m->caches[i]))
			size += m->caches[i].size / nr_sharers(sim, &m->caches[i], cpu, leaving);
	}
	return size;
}

void update_per_cpu_data_slice_size(struct sim *sim, int leaving)
{
	if (!patched(sim, P_CACHE_INFO) || !sim->machine.nr_caches) {
		return;
	}
	for (u32 cpu = 0; cpu < sim->nr_cpus; cpu++) {
		if (!sim->online[cpu] || (int)cpu == leaving)
			continue;
		sim->cache_bytes[cpu] = data_slice(sim, cpu, leaving);
		STEP(sim, STEP_CACHE_SIZE, sim->cache_bytes[cpu], cpu);
	}
}

static void zone_pcp_update_cacheinfo(struct sim *sim, struct zone *zone, u32 cpu)
{
	struct per_cpu_pages *pcp = per_cpu_pageset(sim, zone, cpu);
	u64 pages = sim->cache_bytes[cpu] >> PAGE_SHIFT, factor = 4;
	bool keep;

	/* V3 counts the last level only, so it asks for less. */
	if (patched(sim, P_SERIES_V3)) {
		factor = 3;
	}
	keep = pages > factor * (u64)pcp->batch;
	if (keep)
		pcp->flags |= PCPF_FREE_HIGH_BATCH;
	else
		pcp->flags &= (u8)~PCPF_FREE_HIGH_BATCH;
	STEP(sim, STEP_KEEP_FLAG, keep, pages, factor, pcp->batch, cpu, zone->id);
}

void setup_pcp_cacheinfo(struct sim *sim)
{
	if (!patched(sim, P_KEEP_BATCH)) {
		STEP(sim, STEP_NA_CACHE_FLAG, 0);
		return;
	}
	for (u32 cpu = 0; cpu < sim->nr_cpus; cpu++) {
		for (u32 i = 0; sim->online[cpu] && i < sim->nr_zones; i++)
			zone_pcp_update_cacheinfo(sim, &sim->zones[i], cpu);
	}
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pagesets of a recorded machine at the level of counts: core's own policy functions (how high, how many to free,
 * how many to take) applied to one struct per_cpu_pages per zone and CPU, without pages.  What surrounds them in the
 * mirror's alloc and free paths stands here in the same order, so that the model that a recording judges is the model
 * that the simulator runs.  Used by replay.c and replay_free.c.
 */
#ifndef KERNEL_PCPMODEL_H
#define KERNEL_PCPMODEL_H

#include "../core/arena.h"
#include "../core/pcp.h"
#include "snaps.h"
#include "trace.h"

/* the most that any kernel has: 12 for orders 0..3 and two for order 9 (6.10 and later, 6.1 stable) */
#define PCPMODEL_LISTS 14

/* deliberate faults, for the test that the comparison notices them; bits */
enum pcpmodel_break {
	PCPMODEL_BREAK_FREE_COUNT =
		1,		 /* an allocation does not halve free_count (or free_factor) */
	PCPMODEL_BREAK_HIGH = 2, /* high never grows */
	PCPMODEL_BREAK_ALLOC_FACTOR = 4, /* a free does not halve alloc_factor */
};

/* where a zone lies; the numbers that change are in struct zone */
struct pcpmodel_zone {
	unsigned int node;
	char name[KERN_NAME_MAX];
	uint64_t start, end; /* pfn: start <= pfn < end */
	int64_t limit_boost; /* of the marks at the time at which the kernel computed its limits, as far as known */
};

/* what all models of one recording share */
struct pcpmodel_machine {
	struct pcpmodel_zone *zones;
	struct zone *initial; /* marks, reserves and sizes as at the start */
	uint32_t nr_zones;
	uint32_t nr_cpus; /* CPU numbers are below this */
	uint32_t nr_online;
	uint32_t nr_nodes;
	uint32_t *node_cpus; /* CPUs that a node's limits are computed for, [node] */
	bool known;	     /* false: no zoneinfo; x86 zones and unknown limits are assumed */
	int64_t fraction; /* percpu_pagelist_high_fraction recognised from the snapshots, 0: none */
};

struct pcpmodel {
	struct sim sim; /* only what the policy functions read is filled */
	struct sim_state state;
	const struct pcpmodel_machine *machine;
	struct zone *zones;
	struct per_cpu_pages *psets; /* [zone * nr_cpus + cpu] */
	uint32_t *node_online;
	unsigned int breaks;
};

/* dump: NULL where there is no zoneinfo; then cpus says how many CPUs there may be */
bool pcpmodel_machine_init(struct pcpmodel_machine *machine, const struct kern_dump *dump,
			   uint32_t cpus);
void pcpmodel_machine_free(struct pcpmodel_machine *machine);

/* the list of that zone and CPU in a snapshot, NULL: none */
const struct kern_cpu *pcpmodel_snap_cpu(const struct pcpmodel_zone *zone, uint32_t cpu,
					 const struct snap *snap);

/* the high fraction that explains every high of the snapshots, 0 if there is none; *lists: how many speak for it */
int64_t pcpmodel_find_fraction(const struct pcpmodel_machine *machine, const struct snaps *snaps,
			       uint32_t *lists);

/*
 * Whether limits were computed with the boost that the first dump's marks have: they were, unless a list took pages in
 * under a lower high.  Before pcpmodel_init().
 */
void pcpmodel_find_boost(struct pcpmodel_machine *machine, const struct snaps *snaps);

/* number of the zone that holds the page, UINT32_MAX: none */
uint32_t pcpmodel_zone_of(const struct pcpmodel_machine *machine, uint64_t pfn);

/* number of the zone of that node and name, UINT32_MAX: none */
uint32_t pcpmodel_zone_find(const struct pcpmodel_machine *machine, unsigned int node,
			    const char *name);

bool pcpmodel_init(struct pcpmodel *model, const struct pcpmodel_machine *machine, uint32_t patches,
		   unsigned int breaks);
void pcpmodel_free(struct pcpmodel *model);

/* sets limits, and with counts also count, high and the zones' free pages, from a dump */
void pcpmodel_take(struct pcpmodel *model, const struct kern_dump *dump, bool counts);

static inline uint32_t pcpmodel_pindex(uint32_t order, uint32_t type)
{
	if (order > PAGE_ALLOC_COSTLY_ORDER) {
		return NR_LOWORDER_PCP_LISTS + (type == MIGRATE_MOVABLE);
	}
	return MIGRATE_PCPTYPES * order + type;
}

static inline uint32_t pcpmodel_pindex_order(uint32_t pindex)
{
	return pindex < NR_LOWORDER_PCP_LISTS ? pindex / MIGRATE_PCPTYPES : PAGEBLOCK_ORDER;
}

/*
 * The zone walk before an allocation from zone number zi: is it below its high mark, and those of its node that come
 * before it in the walk? (patch 8)
 */
void pcpmodel_zone_walk(struct pcpmodel *model, uint32_t zi);

/* kswapd works on the zones of this one's node, up to it */
void pcpmodel_reclaim(struct pcpmodel *model, uint32_t zi);

/* an allocation from the list begins: later bulk frees get smaller */
void pcpmodel_alloc(struct pcpmodel *model, struct per_cpu_pages *pcp);

/* the list is empty: how many blocks to take; raises high and alloc_factor; count is the caller's to change */
int pcpmodel_refill(struct pcpmodel *model, struct per_cpu_pages *pcp, struct zone *zone,
		    uint32_t order);

/*
 * A block was freed to the list: adds it to count and returns how many pages the policy gives back (0: none); taking
 * them off count is the caller's.  *limit is the mark that count was compared with, *free_high whether patch 1's rule
 * emptied the list.
 */
int pcpmodel_free_block(struct pcpmodel *model, struct per_cpu_pages *pcp, struct zone *zone,
			uint32_t order, int *limit, bool *free_high);

/* pages went back in bulk after a free: may clear the below-high flag */
void pcpmodel_bulk_done(struct pcpmodel *model, struct zone *zone);

/* a tick lowers high; returns how many pages are above it (to be given back) */
int pcpmodel_tick(struct pcpmodel *model, struct per_cpu_pages *pcp);

bool pcpmodel_tuned(const struct pcpmodel *model);

#endif

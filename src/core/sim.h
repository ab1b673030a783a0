/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One simulated machine, seen from outside core: create it, do operations
 * (op.h), look at it. struct sim is opaque. Looking never changes anything.
 * Field access by name is in field.h, going back in time in timeline.h.
 */
#ifndef PAGESET_CORE_SIM_H
#define PAGESET_CORE_SIM_H

#include "err.h"
#include "machine.h"
#include "mm_types.h"
#include "op.h"
#include "patch.h"
#include "step.h"

struct policy;

/*
 * Build and boot a machine. @machine must have passed machine_finish(); it is
 * copied. @patches must be closed. ERR_NOMEM, ERR_PATCH, ERR_MACHINE.
 */
enum sim_err sim_create(const struct machine *machine, u32 patches, struct sim **sim,
			struct sim_error *err);
void sim_destroy(struct sim *sim);
/* An independent copy, state and all; observer and policy are not copied. */
enum sim_err sim_clone(const struct sim *from, struct sim **sim, struct sim_error *err);

/* One observer; NULL takes it away. See step.h. */
void sim_set_observer(struct sim *sim, step_observer observer, void *ctx);
/* Replace policy functions; NULL gives the kernel's back. The struct must live on. */
void sim_set_policy(struct sim *sim, const struct policy *policy);
/* Check invariants at each step and whole after ops (default in debug builds). */
void sim_set_checking(struct sim *sim, bool on);

const struct machine *sim_machine(const struct sim *sim);
u32 sim_patches(const struct sim *sim);
u32 sim_nr_cpus(const struct sim *sim);
u32 sim_nr_nodes(const struct sim *sim);
u32 sim_nr_zones(const struct sim *sim);
bool sim_cpu_online(const struct sim *sim, u32 cpu);
u32 sim_cpu_node(const struct sim *sim, u32 cpu);
/* The lowest online CPU: it acts where an operation names none. */
u32 sim_first_online(const struct sim *sim);
/* Bytes of data cache that count for the CPU. */
u64 sim_cpu_cache(const struct sim *sim, u32 cpu);
const struct zone *sim_zone(const struct sim *sim, u32 zone);
const struct per_cpu_pages *sim_pageset(const struct sim *sim, u32 zone, u32 cpu);
const struct sim_state *sim_state(const struct sim *sim);
/* "Normal", or with several nodes "node 1 Normal". @buf of 32 bytes. */
char *sim_zone_name(const struct sim *sim, u32 zone, char *buf);
/* The zone a pfn is in, -1 if none. */
int sim_zone_of_pfn(const struct sim *sim, u64 pfn);
/* Is any zone lock held? Only in the middle of an operation. */
bool sim_zone_locked(const struct sim *sim);
/* Is the CPU's pageset of any zone locked? */
bool sim_pageset_locked(const struct sim *sim, u32 cpu);
/* The zonelist of a node: ids of zones in the order they are tried. Returns their number. */
u32 sim_zonelist(const struct sim *sim, u32 node, u16 *zones, u32 max);

/* Which fields this patch set has. */
bool sim_has_flags(u32 patches);

/*
 * Walk a list: entries from head to tail as pfns. Begin with *at = 0, stop when
 * false comes back.
 */
bool sim_pcp_list_next(const struct sim *sim, u32 zone, u32 cpu, u32 pindex, u32 *at, u64 *pfn);
bool sim_free_list_next(const struct sim *sim, u32 zone, u32 order, u32 type, u32 *at, u64 *pfn);
/* The same from the tail. */
bool sim_pcp_list_prev(const struct sim *sim, u32 zone, u32 cpu, u32 pindex, u32 *at, u64 *pfn);
u32 sim_pcp_list_length(const struct sim *sim, u32 zone, u32 cpu, u32 pindex);
u32 sim_free_list_length(const struct sim *sim, u32 zone, u32 order, u32 type);
/* The migratetype of the pageblock of a pfn that lies in a zone. */
u32 sim_pageblock_type(const struct sim *sim, u64 pfn);

/* What a page belongs to. */
struct page_info {
	enum page_state state; /* PG_NONE: between lists, in the middle of an operation */
	u64 pfn;	       /* the first page of the block */
	u32 order, type, zone;
	u32 cpu, pindex; /* PG_PCP: whose list */
	u32 slot;	 /* PG_LIVE */
	bool movable;
};

/* False if the pfn lies in no zone. */
bool sim_page_info(const struct sim *sim, u64 pfn, struct page_info *info);

/* What a slot names: false if it is free or was never given out. */
struct slot_info {
	bool live; /* false: empty, its allocation failed */
	u64 pfn;
	u32 order, generation;
};
bool sim_slot_info(const struct sim *sim, u32 slot, struct slot_info *info);

/* Sum of a counter over the zones, by its name in stats.def. */
struct zone_stats sim_stats(const struct sim *sim);

/* Digest of lists and pageblock types, as FORMAT.md section 7 defines it. */
u64 sim_digest(const struct sim *sim);
/* Digest of the whole state, for "the same state": scalars, slots and all. */
u64 sim_state_digest(const struct sim *sim);

/* Full walk: panics with the values if an invariant is broken. */
void sim_check(struct sim *sim);

/* Bytes of address space and of touched memory that the machine takes. */
size_t sim_bytes_touched(const struct sim *sim);

#endif

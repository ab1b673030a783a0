/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One simulated machine inside core: where its state lies. Private to core;
 * everyone else knows struct sim by name only (sim.h).
 *
 * The arena is one anonymous mapping:
 *   hot   sim_state, zones, pagesets, online masks, cache sizes, list heads:
 *         small, compared whole at a checkpoint
 *   cold  nodes behind the heads, pageblock types, slots: large and sparse; each
 *         write marks its 4-KiB chunk in the map of dirty chunks
 * All zero bytes are a valid, empty state of the cold part.
 */
#ifndef PAGESET_CORE_ARENA_H
#define PAGESET_CORE_ARENA_H

#include <setjmp.h>

#include "machine.h"
#include "mm_types.h"
#include "op.h"
#include "step.h"

enum { CHUNK_SHIFT = 12, CHUNK_SIZE = 1 << CHUNK_SHIFT };

/* In the map of chunks. CHUNK_DIRTY goes at a checkpoint, CHUNK_USED never. */
enum { CHUNK_DIRTY = 1, CHUNK_USED = 2, CHUNK_WRITTEN = CHUNK_DIRTY | CHUNK_USED };

/* The slots begin so many slots behind the begin of a chunk: see lay_out(). */
enum { SLOTS_FROM = 48 };

/* A type of its own: a mark is no other field, so marking makes nothing be read anew. */
struct chunk_mark {
	u16 bits;
};

/* In sim.unusual. With a loud one the mirror's quiet twin does not serve: quiet.h. */
enum {
	UNUSUAL_WATCHED = 1,	/* loud: an observer or the invariants look on */
	UNUSUAL_POLICY = 2,	/* loud: sim.policy is set */
	UNUSUAL_BUSY = 4,	/* loud: the running op finds every pageset lock taken */
	UNUSUAL_NOFRAGMENT = 8, /* first attempts avoid fragmentation */
};

/* What an operation wants of the CPU that executes it. */
struct cpu_view {
	struct per_cpu_pages *pagesets; /* by zone id */
	struct zone *const *zonelist[2]; /* its node's: not movable, movable; see sim_zonelist_of() */
	u64 *clock_ps;
};

struct sim {
	/* First what every operation reads. */
	u8 unusual; /* UNUSUAL_*: what keeps operations from the shortest way */
	bool stat_exact;
	u32 patches;   /* copy of state->patches */
	u32 scale_max; /* copy of state->scale_max */
	u16 cpu;       /* the CPU that executes: sim_set_cpu() */
	u16 nr_cpus, nr_zones, nr_nodes;
	u8 batch_scale;			  /* drains and decay move batch << batch_scale pages */
	u32 live_flags[MIGRATE_PCPTYPES]; /* of a live page of a type, without order and zone */
	struct cpu_view this_cpu;	  /* the executing CPU's, a copy: sim_set_cpu() */
	struct zone *zone_guess;	  /* see page_zone() */
	struct sim_state *state;
	struct zone *zones;
	struct page *nodes;		/* begins with the list heads */
	struct chunk_mark *nodes_dirty; /* dirty map, moved to where the nodes begin */
	struct chunk_mark *slots_dirty; /* the same for the slots */
	u8 *pageblocks;			/* migratetype of each pageblock, from base_pfn */
	u8 *node_types; /* the same by node id >> PAGEBLOCK_ORDER, for pages alone */
	struct slot *slots;
	u32 page_shift;	 /* node id of pfn p: p + page_shift (mod 2^32) */
	u32 first_block; /* node id of the first order-10 block */
	u32 first_page;	 /* node id of the first page */
	u32 slot_limit;	 /* slots from here to slot_end are those apart: OP_F_APART */
	u32 slot_end;
	u64 base_pfn, end_pfn;		/* of all zones, base aligned to order 10 */
	struct per_cpu_pages *pagesets; /* [cpu * nr_zones + zone] */

	step_observer observer;
	void *observer_ctx;
	const struct policy *policy; /* functions that replace the kernel's, or NULL */

	u8 *online;	  /* per CPU; in the hot part */
	u64 *cache_bytes; /* per CPU: size of the data cache slice; hot */
	u32 *node_online; /* per node: online CPUs; hot */
	u64 *clock_ps;	  /* per CPU; hot */

	struct machine machine;	 /* as it was configured; owns its arrays */
	struct zone **zonelists; /* [node][movable][..], NULL ends a list */
	struct cpu_view *views;	 /* per CPU */

	void *block; /* what malloc gave for this struct */
	u8 *arena;
	size_t arena_bytes, hot_bytes;
	struct chunk_mark *dirty; /* one entry per chunk of the arena */
	size_t nr_chunks;

	/* What the running op reports. */
	bool kswapd_woken;
	u16 depth;    /* 1 while an injected op runs */
	u32 hold_now; /* pages moved in the current zone-lock hold */
	u32 *scratch; /* SIM_OP_LIST_MAX node ids, for lists and bulk */
	u32 *scratch_base;
	bool check_invariants;
	jmp_buf *lock_met; /* a trial: where to go if an operation wants a held zone lock */
	u32 lock_met_zone;
};

/* Take over what is copied from the state, after the state was replaced. */
void sim_reload(struct sim *sim);
/*
 * Forget a running operation: after the machine was left in the middle of one and
 * its state replaced.
 */
void sim_reset(struct sim *sim);
/*
 * sim_exec() without its checks, for operations that a log has had checked. A slot
 * that is not taken counts as empty.
 */
void sim_run(struct sim *sim, const struct op *op, u32 *slots, struct op_result *result);
/* sim_alloc() and sim_free() on the CPU that executes, of whatever kind. */
u32 sim_alloc_any(struct sim *sim, u32 order, u32 type);
void sim_free_any(struct sim *sim, u32 slot);
/*
 * Would the operation, begun here in the middle of another, want a zone lock that is held?
 * It is tried on a copy; false, or true and which zone's. @slots as for sim_run().
 */
bool sim_would_wait(const struct sim *sim, const struct op *op, u32 *slots, u32 *zone);
/* A held zone lock is wanted: ends a trial, else a bug. */
void sim_lock_met(struct sim *sim, const struct zone *zone) __attribute__((noreturn));
/* Recompute whether steps must be reported at all. */
void sim_update_watched(struct sim *sim);

static inline void sim_set_unusual(struct sim *sim, u8 what, bool on)
{
	sim->unusual = (u8)(on ? sim->unusual | what : sim->unusual & ~what);
}

static inline bool sim_is_loud(const struct sim *sim)
{
	return sim->unusual & (UNUSUAL_WATCHED | UNUSUAL_POLICY | UNUSUAL_BUSY);
}

/* Does the running op find every pageset lock taken? */
static inline bool sim_busy(const struct sim *sim)
{
	return !MIRROR_IS_QUIET && sim->unusual & UNUSUAL_BUSY;
}

/* Is there a policy with the function @name? */
#define sim_has_policy(sim, name) (!MIRROR_IS_QUIET && (sim)->policy && (sim)->policy->name)

#define patched(sim, id) ((bool)(((sim)->patches >> (id)) & 1u))

static inline struct per_cpu_pages *per_cpu_pageset(struct sim *sim, const struct zone *zone,
						    u32 cpu)
{
	return &sim->pagesets[cpu * sim->nr_zones + zone->id];
}

/* The same of the executing CPU. */
static inline struct per_cpu_pages *this_cpu_pageset(struct sim *sim, const struct zone *zone)
{
	return &sim->this_cpu.pagesets[zone->id];
}

/*
 * The zones that a request may use, in the order they are tried, as they are
 * seen from a node: two lists, since only movable requests may use ZONE_MOVABLE.
 */
static inline struct zone **sim_zonelist_of(const struct sim *sim, u32 node_nr, bool movable)
{
	return sim->zonelists + ((size_t)node_nr * 2 + movable) * (sim->nr_zones + 1u);
}

static inline struct zone *const *this_zonelist(const struct sim *sim, bool movable)
{
	return sim->this_cpu.zonelist[movable];
}

/* From here on @cpu executes. */
static inline void sim_set_cpu(struct sim *sim, u32 cpu)
{
	sim->cpu = (u16)cpu;
	sim->this_cpu = sim->views[cpu];
}

/* Slots that were never given out, and number 0, have generation 0. */
static inline bool slot_taken(const struct sim *sim, u32 id)
{
	return id < sim->slot_end && (slot_generation(sim->slots[id]) & 1);
}

/* Most are marked already, and to look costs the host less than to store. */
static inline void mark_written(struct chunk_mark *mark)
{
	if (unlikely(mark->bits != CHUNK_WRITTEN))
		mark->bits = CHUNK_WRITTEN;
}

static inline void slot_set(struct sim *sim, u32 id, u64 word)
{
	sim->slots[id].word = word;
	mark_written(&sim->slots_dirty[(id + SLOTS_FROM) / (CHUNK_SIZE / sizeof(struct slot))]);
}

static inline void sim_dirty(struct sim *sim, const void *p)
{
	mark_written(&sim->dirty[(size_t)((const u8 *)p - sim->arena) >> CHUNK_SHIFT]);
}

#endif

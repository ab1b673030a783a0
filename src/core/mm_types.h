/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of the simulated machine, as structs. Everything that an operation
 * can change lives in one arena (see arena.h) and holds no pointers, so that a
 * checkpoint is a copy of chunks. Only the mirror (pcp.c, buddy.c, zone.c,
 * vmstat.c, cacheinfo.c) writes here; others read through sim.h and field.h.
 *
 * Glossary
 *   page      one node of 16 bytes for each base page (4096 bytes)
 *   node id   index of a struct page in the arena's node array. The array holds,
 *             in this order, list heads, one node per block of order 10, and
 *             the pages. Lists link by node id.
 *   order     a block of order o is 2^o pages, naturally aligned; 0..10
 *   pageblock 512 pages (order 9), the unit that has a migratetype
 *   pageset   struct per_cpu_pages: a CPU's lists of free pages of one zone
 *   pindex    number of a pageset's list: 3*order + migratetype for orders 0..3,
 *             12 for order 9
 *   pfn       page frame number, in pages
 *   slot      name of an allocation in the log of operations
 *
 * Invariants (invariant.c checks them)
 *   pageset:  count = sum over lists of (length << order); count >= 0
 *             batch >= 1; high >= 0 (high_min may exceed high_max: large marks)
 *   zone:     free blocks of the lists, in pages = free_pages + sum of the CPUs'
 *             stat_diff
 *             managed = free + pages in pagesets + pages of live blocks
 *   buddy:    a free block is aligned to its order, lies inside its zone, does
 *             not overlap another one; its buddy is not free at the same order,
 *             but where one of two whole pageblocks is of the reserve
 */
#ifndef PAGESET_CORE_MM_TYPES_H
#define PAGESET_CORE_MM_TYPES_H

#include "types.h"

enum {
	PAGE_SHIFT = 12,
	PAGE_SIZE = 1 << PAGE_SHIFT,
	MAX_ORDER = 10, /* highest order, as in 6.6 */
	NR_PAGE_ORDERS = MAX_ORDER + 1,
	PAGEBLOCK_ORDER = 9,
	PAGEBLOCK_NR_PAGES = 1 << PAGEBLOCK_ORDER,
	PAGE_ALLOC_COSTLY_ORDER = 3,
	PCP_BATCH_SCALE_MAX = 5, /* the default of scale_max */
	MIN_PERCPU_PAGELIST_HIGH_FRACTION = 8,
	SWAP_CLUSTER_MAX = 32,
	SCALE_NONE = 31, /* scale_max: none */
};

enum migratetype {
	MIGRATE_UNMOVABLE,
	MIGRATE_MOVABLE,
	MIGRATE_RECLAIMABLE,
	MIGRATE_PCPTYPES,
	MIGRATE_HIGHATOMIC = MIGRATE_PCPTYPES,
	MIGRATE_TYPES,
};

enum zone_type { ZONE_DMA, ZONE_DMA32, ZONE_NORMAL, ZONE_MOVABLE, MAX_NR_ZONES };

enum zone_watermarks { WMARK_MIN, WMARK_LOW, WMARK_HIGH, WMARK_PROMO, NR_WMARK };

enum zone_flags {
	ZONE_BOOSTED_WATERMARK, /* a fallback raised the boost; kswapd to be woken */
	ZONE_RECLAIM_ACTIVE,	/* kswapd is at work on the zone */
	ZONE_BELOW_HIGH,	/* patch 8: free pages are below the high mark */
};

enum {
	NR_LOWORDER_PCP_LISTS = MIGRATE_PCPTYPES * (PAGE_ALLOC_COSTLY_ORDER + 1),
	NR_PCP_LISTS = NR_LOWORDER_PCP_LISTS + 1,
};

/* per_cpu_pages.flags */
enum {
	PCPF_PREV_FREE_HIGH_ORDER = 1, /* patch 1: the previous free was of order 1..3 */
	PCPF_FREE_HIGH_BATCH = 2,      /* patch 3: may keep a batch of high-order pages */
};

/* What a page is at the moment; kept at the first page of a block. */
enum page_state {
	PG_NONE,  /* not the first page of anything */
	PG_BUDDY, /* free block on a free list of its zone */
	PG_PCP,	  /* free block on a pageset's list */
	PG_LIVE,  /* allocated block */
};

/*
 * A page. flags: order in bits 0..3, page_state in 4..5, migratetype in 6..7 (of
 * the free list, of the pageset entry as saved when it was freed, or of the
 * request), movable (counts as movable when a pageblock is claimed) in 8, zone
 * id in 16..31. private: the slot of a live block, the head's node id of a block
 * on a pageset's list. A list head uses flags for the length of its list.
 */
struct page {
	u32 next, prev; /* node ids */
	u32 flags;
	u32 private;
};

/* The pageset of one CPU for one zone. The order of fields is the kernel's. */
struct per_cpu_pages {
	bool lock;	  /* held; with one op at a time only an injected op can meet it */
	bool used;	  /* exact counters: CPU used the zone since its last tick */
	bool touched;	  /* another counter of the zone changed since the last tick */
	s32 count;	  /* pages in the lists */
	s32 count_min;	  /* patch 9: pages; smallest count since the last tick */
	s32 high;	  /* pages; high watermark, emptying needed */
	s32 high_min;	  /* patch 6: pages */
	s32 high_max;	  /* patch 6: pages */
	s32 batch;	  /* pages; chunk for refill and bulk free */
	u8 flags;	  /* patch 1, 3: PCPF_* */
	u16 alloc_factor; /* patch 5: shift applied to batch when refilling */
	u8 expire;	  /* ticks until a remote pageset is drained */
	u16 free_factor;  /* until patch 10: shift applied to batch when freeing */
	s16 free_count;	  /* patch 10: pages freed since the last allocations */
	s32 stat_diff;	  /* per-CPU part of the zone's free-page counter, pages */
	u32 lists;	  /* node id of the head of list 0 */
	u16 cpu, zone;
} __attribute__((aligned(64)));

/* Counters of one zone since boot; stats.def says what each counts. */
struct zone_stats {
#define COUNTER(name, unit, help) u64 name;
#include "stats.def"
#undef COUNTER
};

struct zone {
	/* First what every allocation reads. */
	u16 id, node;
	u8 type;		    /* enum zone_type */
	bool lock;		    /* held */
	bool pcp_disabled;	    /* between zone_pcp_disable and _enable */
	u32 flags;		    /* 1 << enum zone_flags */
	s32 stat_threshold;	    /* fold a CPU's part above this */
	s64 free_pages;		    /* the global part of the free-page counter */
	s64 nr_reserved_highatomic; /* pages */
	s64 watermark_boost;	    /* pages */
	s64 _watermark[NR_WMARK];   /* pages, without the boost */
	s64 lowmem_reserve[MAX_NR_ZONES];
	u32 free_area;		     /* node id of the head of order 0, type 0 */
	u32 nr_free[NR_PAGE_ORDERS]; /* blocks */
	struct zone_stats stats;
	u64 start_pfn, spanned_pages; /* all managed, no holes */
	s64 managed_pages;
	s32 pageset_high_min, pageset_high_max;
	s32 pageset_batch;
} __attribute__((aligned(64)));

/*
 * Where an allocation stands: see op.h. In one word, which is read and written
 * whole: node id of the live block (0: empty; in a free slot the next free one) in
 * bits 0..31, order in 32..35, generation in 36..63. An odd generation: taken.
 */
struct slot {
	u64 word;
};

static inline u32 slot_page(struct slot slot)
{
	return (u32)slot.word;
}

static inline u32 slot_order(struct slot slot)
{
	return (u32)(slot.word >> 32) & 15;
}

static inline u32 slot_generation(struct slot slot)
{
	return (u32)(slot.word >> 36);
}

/* What of the machine changes and is neither zone, pageset, page nor slot. */
struct sim_state {
	u32 patches;   /* patch.h */
	u32 scale_max; /* cap of the factors: 0..6 or SCALE_NONE */
	s64 min_free_kbytes, user_min_free_kbytes;
	s64 watermark_scale_factor;
	s64 percpu_pagelist_high_fraction;
	bool pcp_batch_high_locked; /* a zone's pagesets are disabled */
	u32 nr_online;
	u64 ops, steps;		  /* executed so far */
	u32 slot_free, slot_bump; /* head of the free slots (0: none); first never used */
	u64 empty_frees;	  /* frees of an empty slot: no-ops */
	u64 pcp_pages, pcp_pages_max, pcp_pages_sum; /* in all pagesets: now, max, sum over ops */
	u64 live_pages;
	u64 hold_pages_max; /* most pages moved in one zone-lock hold */
};

/* Which orders pagesets hold, and on which list. */
static inline bool pcp_allowed_order(u32 order)
{
	return order <= PAGE_ALLOC_COSTLY_ORDER || order == PAGEBLOCK_ORDER;
}

static inline u32 order_to_pindex(u32 migratetype, u32 order)
{
	if (order > PAGE_ALLOC_COSTLY_ORDER)
		return NR_LOWORDER_PCP_LISTS;
	return MIGRATE_PCPTYPES * order + migratetype;
}

static inline u32 pindex_to_order(u32 pindex)
{
	return pindex < NR_LOWORDER_PCP_LISTS ? pindex / MIGRATE_PCPTYPES : PAGEBLOCK_ORDER;
}

#endif

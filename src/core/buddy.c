/* SPDX-License-Identifier: GPL-2.0-only */
#include "buddy.h"

#include "pcp.h"
#include "vmstat.h"
#include "zone.h"

void zone_lock(struct sim *sim, struct zone *zone)
{
	/* Only an operation that is injected, and tried on a copy, can meet it held. */
	if (unlikely(zone->lock))
		sim_lock_met(sim, zone);
	zone->lock = true;
	sim->hold_now = 0;
	zone->stats.zone_lock_holds++;
}

void zone_unlock(struct sim *sim, struct zone *zone)
{
	zone->lock = false;
	zone->stats.hold_pages += sim->hold_now;
	if (sim->hold_now > sim->state->hold_pages_max)
		sim->state->hold_pages_max = sim->hold_now;
}

/*
 * Free lists. A free block of the highest order is kept in a node of its own,
 * so that a large machine has few links; the list functions translate.
 */

static __always_inline struct page *buddy_node(struct sim *sim, struct page *page, u32 order)
{
	return order == MAX_ORDER ? max_order_node(sim, page_to_pfn(sim, page)) : page;
}

static __always_inline void set_free(struct sim *sim, struct page *entry, struct zone *zone,
				     u32 order, u32 migratetype)
{
	page_set(sim, entry, page_flags(PG_BUDDY, order, migratetype, zone->id));
	zone->nr_free[order]++;
}

static __always_inline void add_to_free_list(struct sim *sim, struct page *page, struct zone *zone,
					     u32 order, u32 migratetype)
{
	struct page *entry = buddy_node(sim, page, order);

	set_free(sim, entry, zone, order, migratetype);
	list_add(sim, entry, free_list(sim, zone, order, migratetype));
}

static __always_inline void add_to_free_list_tail(struct sim *sim, struct page *page,
						  struct zone *zone, u32 order, u32 migratetype)
{
	struct page *entry = buddy_node(sim, page, order);

	set_free(sim, entry, zone, order, migratetype);
	list_add_tail(sim, entry, free_list(sim, zone, order, migratetype));
}

/* Take a block off its list, whichever type that is. */
static __always_inline void del_page_from_free_list(struct sim *sim, struct page *entry,
						    struct zone *zone, u32 order)
{
	list_del(sim, entry, free_list(sim, zone, order, page_type(entry)));
	page_set(sim, entry, 0);
	zone->nr_free[order]--;
}

/* The same of the first block of a list. Returns its page, whose flags the caller sets. */
static struct page *take_first_block(struct sim *sim, struct page *list, struct zone *zone,
				     u32 order)
{
	struct page *entry = list_first_entry(sim, list);

	list_del_first(sim, entry, list);
	zone->nr_free[order]--;
	if (likely(order < MAX_ORDER))
		return entry;
	page_set(sim, entry, 0);
	return pfn_to_page(sim, page_to_pfn(sim, entry));
}

/* @entry: a list entry. To the tail of the same order's list of another type. */
static void move_to_free_list(struct sim *sim, struct page *entry, struct zone *zone, u32 order,
			      u32 migratetype)
{
	list_del(sim, entry, free_list(sim, zone, order, page_type(entry)));
	page_set(sim, entry, page_flags(PG_BUDDY, order, migratetype, zone->id));
	list_add_tail(sim, entry, free_list(sim, zone, order, migratetype));
	STEP(sim, STEP_MOVE_FREE, page_to_pfn(sim, entry), order, migratetype);
}

/*
 * Freeing
 */

static bool zone_spans_pfn(const struct zone *zone, u64 pfn)
{
	return zone->start_pfn <= pfn && pfn < zone->start_pfn + zone->spanned_pages;
}

/* The free buddy of a block of @order, or NULL. Never asked for the highest order. */
static struct page *find_buddy_page_pfn(struct sim *sim, const struct zone *zone, u64 pfn,
					u32 order, u64 *buddy_pfn)
{
	struct page *buddy;

	/* Base and end of all pages are aligned to the highest order: it is among them. */
	*buddy_pfn = pfn ^ (1ull << order);
	buddy = pfn_to_page(sim, *buddy_pfn);
	if (page_is_free_block(buddy, order, zone->id))
		return buddy;
	return NULL;
}

static bool migratetype_is_mergeable(u32 migratetype)
{
	return migratetype < MIGRATE_PCPTYPES;
}

/*
 * A block whose parent's buddy is free will probably merge soon: at the tail it
 * is less likely to be taken before that.
 */
static bool buddy_merge_likely(struct sim *sim, const struct zone *zone, u64 pfn, u64 buddy_pfn,
			       u32 order)
{
	u64 ignored;

	if (order >= MAX_ORDER - 1)
		return false;
	if (!find_buddy_page_pfn(sim, zone, buddy_pfn & pfn, order + 1, &ignored))
		return false;
	/* The parent may begin before the zone: its page is then another zone's. */
	return zone_spans_pfn(zone, buddy_pfn & pfn);
}

void __free_one_page(struct sim *sim, struct page *page, u64 pfn, struct zone *zone, u32 order,
		     u32 migratetype, bool to_tail)
{
	u64 buddy_pfn = 0;

	mod_zone_freepage_state(sim, zone, 1 << order);
	while (order < MAX_ORDER) {
		struct page *buddy = find_buddy_page_pfn(sim, zone, pfn, order, &buddy_pfn);

		if (!buddy) {
			STEP(sim, STEP_NO_BUDDY, pfn, order, buddy_pfn);
			break;
		}
		if (unlikely(order >= PAGEBLOCK_ORDER)) {
			u32 buddy_mt = get_pfnblock_migratetype(sim, buddy_pfn);

			if (migratetype != buddy_mt && (!migratetype_is_mergeable(migratetype) ||
							!migratetype_is_mergeable(buddy_mt))) {
				STEP(sim, STEP_NOT_MERGEABLE, pfn, migratetype, buddy_mt);
				break;
			}
		}
		del_page_from_free_list(sim, buddy, zone, order);
		pfn &= buddy_pfn;
		page = pfn_to_page(sim, pfn);
		order++;
		zone->stats.merges++;
		STEP(sim, STEP_MERGED, pfn, order, buddy_pfn);
	}

	if (!to_tail)
		to_tail = buddy_merge_likely(sim, zone, pfn, buddy_pfn, order);
	if (to_tail)
		add_to_free_list_tail(sim, page, zone, order, migratetype);
	else
		add_to_free_list(sim, page, zone, order, migratetype);
	STEP(sim, STEP_TO_FREE_LIST, pfn, order, migratetype, to_tail, zone->id);
}

__noinline void free_one_page(struct sim *sim, struct zone *zone, struct page *page, u32 order,
			      u32 migratetype)
{
	u64 pfn = page_to_pfn(sim, page);

	STEP(sim, STEP_FREE_DIRECT, pfn, order, migratetype, zone->id);
	zone_lock(sim, zone);
	sim->hold_now += 1u << order;
	zone->stats.direct_frees++;
	zone_used(this_cpu_pageset(sim, zone));
	page_set(sim, page, 0);
	__free_one_page(sim, page, pfn, zone, order, migratetype, false);
	zone_unlock(sim, zone);
}

/*
 * Allocating
 */

/* Cut a block from @high down to @low; the upper halves go to the heads of the lists. */
static void expand(struct sim *sim, struct zone *zone, struct page *page, u32 low, u32 high,
		   u32 migratetype)
{
	while (high > low) {
		high--;
		add_to_free_list(sim, page + (1u << high), zone, high, migratetype);
		zone->stats.splits++;
		STEP(sim, STEP_SPLIT, page_to_pfn(sim, page), high,
		     page_to_pfn(sim, page) + (1u << high), migratetype);
	}
}

struct page *__rmqueue_smallest(struct sim *sim, struct zone *zone, u32 order, u32 migratetype)
{
	for (u32 current_order = order; current_order < NR_PAGE_ORDERS; current_order++) {
		struct page *list = free_list(sim, zone, current_order, migratetype);
		struct page *page;

		if (list_empty(list))
			continue;
		page = take_first_block(sim, list, zone, current_order);
		STEP(sim, STEP_SMALLEST, page_to_pfn(sim, page), current_order, order, migratetype);
		expand(sim, zone, page, order, current_order, migratetype);
		/* The requested type is what the page carries from here on. */
		page_set(sim, page, page_flags(PG_NONE, order, migratetype, zone->id));
		return page;
	}
	STEP(sim, STEP_SMALLEST_NONE, order, migratetype, zone->id);
	return NULL;
}

/* Where to look next when the list of a type is empty. */
static const u8 fallbacks[MIGRATE_PCPTYPES][MIGRATE_PCPTYPES - 1] = {
	[MIGRATE_UNMOVABLE] = { MIGRATE_RECLAIMABLE, MIGRATE_MOVABLE },
	[MIGRATE_MOVABLE] = { MIGRATE_RECLAIMABLE, MIGRATE_UNMOVABLE },
	[MIGRATE_RECLAIMABLE] = { MIGRATE_UNMOVABLE, MIGRATE_MOVABLE },
};

/* Large blocks, and any block for unmovable and reclaimable requests. */
static bool can_steal_fallback(u32 order, u32 start_mt)
{
	return order >= PAGEBLOCK_ORDER / 2 || start_mt == MIGRATE_RECLAIMABLE ||
	       start_mt == MIGRATE_UNMOVABLE;
}

/* The first type with a free block of @order, -1 if there is none. */
static int find_suitable_fallback(struct sim *sim, struct zone *zone, u32 order, u32 migratetype,
				  bool *can_steal)
{
	if (zone->nr_free[order] == 0)
		return -1;
	*can_steal = false;
	for (u32 i = 0; i < MIGRATE_PCPTYPES - 1; i++) {
		u32 fallback_mt = fallbacks[migratetype][i];

		if (free_area_empty(sim, zone, order, fallback_mt))
			continue;
		*can_steal = can_steal_fallback(order, migratetype);
		return (int)fallback_mt;
	}
	return -1;
}

/* Raise the watermarks for a while, so that kswapd frees whole blocks. */
static bool boost_watermark(struct sim *sim, struct zone *zone)
{
	s64 factor = sim->machine.boost, mark = zone->_watermark[WMARK_HIGH], max_boost;

	if (!factor)
		return false;
	if (PAGEBLOCK_NR_PAGES * 4 > zone->managed_pages)
		return false;
	max_boost = mark / 10000 * factor + mark % 10000 * factor / 10000;
	if (!max_boost)
		return false;
	max_boost = max_s64(PAGEBLOCK_NR_PAGES, max_boost);
	zone->watermark_boost = min_s64(zone->watermark_boost + PAGEBLOCK_NR_PAGES, max_boost);
	STEP(sim, STEP_BOOSTED, zone->watermark_boost, max_boost, zone->id);
	return true;
}

/*
 * Move the free blocks of a pageblock to the lists of @migratetype. Returns the
 * pages moved; *num_movable counts allocated pages that can be migrated.
 */
static u32 move_freepages(struct sim *sim, struct zone *zone, u64 start_pfn, u64 end_pfn,
			  u32 migratetype, u32 *num_movable)
{
	u32 pages_moved = 0;

	for (u64 pfn = start_pfn; pfn <= end_pfn;) {
		struct page *page = pfn_to_page(sim, pfn);
		u32 nr_pages = 1u << page_order(page);

		switch (page_state(page)) {
		case PG_BUDDY:
			move_to_free_list(sim, page, zone, page_order(page), migratetype);
			pages_moved += nr_pages;
			break;
		case PG_LIVE:
			if (num_movable && page_movable(page))
				*num_movable += (u32)min_s64(nr_pages, (s64)(end_pfn - pfn) + 1);
			break;
		case PG_PCP:
			break;
		case PG_NONE:
			nr_pages = 1;
			break;
		}
		pfn += nr_pages;
	}
	return pages_moved;
}

static u32 move_freepages_block(struct sim *sim, struct zone *zone, u64 pfn, u32 migratetype,
				u32 *num_movable)
{
	u64 start_pfn = pfn & ~(u64)(PAGEBLOCK_NR_PAGES - 1);
	u64 end_pfn = start_pfn + PAGEBLOCK_NR_PAGES - 1;

	if (num_movable)
		*num_movable = 0;
	/* A block that crosses the zone's border: from the page on, or not at all. */
	if (!zone_spans_pfn(zone, start_pfn))
		start_pfn = pfn;
	if (!zone_spans_pfn(zone, end_pfn))
		return 0;
	return move_freepages(sim, zone, start_pfn, end_pfn, migratetype, num_movable);
}

/* Take over the whole pageblock of a free block, if enough of it suits the request. */
static bool claim_pageblock(struct sim *sim, struct zone *zone, u64 pfn, u32 start_type,
			    u32 old_block_type)
{
	u32 movable_pages, alike_pages;
	u32 free_pages = move_freepages_block(sim, zone, pfn, start_type, &movable_pages);

	if (!free_pages) {
		STEP(sim, STEP_CLAIM_BORDER, pfn);
		return false;
	}
	if (start_type == MIGRATE_MOVABLE) {
		alike_pages = movable_pages;
	} else if (old_block_type == MIGRATE_MOVABLE) {
		/* What is neither free nor movable is taken for unmovable. */
		alike_pages = PAGEBLOCK_NR_PAGES - (free_pages + movable_pages);
	} else {
		alike_pages = 0;
	}
	STEP(sim, STEP_CLAIM_ASK, free_pages + alike_pages >= 1u << (PAGEBLOCK_ORDER - 1),
	     free_pages, alike_pages, 1u << (PAGEBLOCK_ORDER - 1));
	if (free_pages + alike_pages >= 1u << (PAGEBLOCK_ORDER - 1)) {
		set_pageblock_migratetype(sim, pfn, start_type);
		zone->stats.claims++;
		STEP(sim, STEP_CLAIMED, pfn, old_block_type, start_type);
	}
	return true;
}

static void steal_suitable_fallback(struct sim *sim, struct zone *zone, struct page *entry,
				    u32 alloc_flags, u32 start_type, bool whole_block)
{
	u32 current_order = page_order(entry);
	u64 pfn = page_to_pfn(sim, entry);
	u32 old_block_type = get_pfnblock_migratetype(sim, pfn);

	zone->stats.fallbacks++;
	if (old_block_type == MIGRATE_HIGHATOMIC)
		goto single_page;
	if (current_order >= PAGEBLOCK_ORDER) {
		for (u64 p = pfn; p < pfn + (1u << current_order); p += PAGEBLOCK_NR_PAGES) {
			set_pageblock_migratetype(sim, p, start_type);
			zone->stats.claims++;
			STEP(sim, STEP_CLAIMED, p, old_block_type, start_type);
		}
		goto single_page;
	}
	if (boost_watermark(sim, zone) && (alloc_flags & ALLOC_KSWAPD)) {
		zone->flags |= 1u << ZONE_BOOSTED_WATERMARK;
		STEP(sim, STEP_BOOST_FLAG_SET, 1, zone->id);
	}
	if (whole_block && claim_pageblock(sim, zone, pfn, start_type, old_block_type))
		return;
single_page:
	move_to_free_list(sim, entry, zone, current_order, start_type);
}

static __noinline bool __rmqueue_fallback(struct sim *sim, struct zone *zone, u32 order,
					  u32 start_migratetype, u32 alloc_flags)
{
	int current_order, min_order = (int)order, fallback_mt = -1;
	bool can_steal = false;
	struct page *entry;

	/* Without fragmentation: whole pageblocks or nothing. */
	if (order < PAGEBLOCK_ORDER && (alloc_flags & ALLOC_NOFRAGMENT))
		min_order = PAGEBLOCK_ORDER;
	STEP(sim, STEP_FALLBACK_BEGIN, order, start_migratetype, min_order, zone->id);

	/* The largest block of another type stands for the emptiest pageblock. */
	for (current_order = MAX_ORDER; current_order >= min_order; current_order--) {
		fallback_mt = find_suitable_fallback(sim, zone, (u32)current_order,
						     start_migratetype, &can_steal);
		if (fallback_mt != -1)
			break;
	}
	if (fallback_mt == -1) {
		STEP(sim, STEP_FALLBACK_NONE, order, start_migratetype, zone->id);
		return false;
	}
	/* A movable request that may not claim takes the smallest block that will do. */
	if (!can_steal && start_migratetype == MIGRATE_MOVABLE && current_order > (int)order) {
		for (current_order = (int)order; current_order < NR_PAGE_ORDERS; current_order++) {
			fallback_mt = find_suitable_fallback(sim, zone, (u32)current_order,
							     start_migratetype, &can_steal);
			if (fallback_mt != -1)
				break;
		}
	}
	entry = list_first_entry(sim, free_list(sim, zone, (u32)current_order, (u32)fallback_mt));
	STEP(sim, STEP_FALLBACK, page_to_pfn(sim, entry), current_order, fallback_mt,
	     start_migratetype, can_steal, zone->id);
	steal_suitable_fallback(sim, zone, entry, alloc_flags, start_migratetype, can_steal);
	return true;
}

struct page *__rmqueue(struct sim *sim, struct zone *zone, u32 order, u32 migratetype,
		       u32 alloc_flags)
{
	struct page *page;

	do {
		page = __rmqueue_smallest(sim, zone, order, migratetype);
	} while (unlikely(!page) && __rmqueue_fallback(sim, zone, order, migratetype, alloc_flags));
	return page;
}

__noinline __flatten u32 rmqueue_bulk(struct sim *sim, struct zone *zone, u32 order, u32 count,
				      struct page *list, u32 migratetype, u32 alloc_flags)
{
	u32 i;

	STEP(sim, STEP_REFILL_BEGIN, count, order, migratetype, zone->id);
	zone_lock(sim, zone);
	for (i = 0; i < count; i++) {
		struct page *page = __rmqueue(sim, zone, order, migratetype, alloc_flags);

		if (unlikely(!page))
			break;
		/* At the tail, so that the list is in the order of the split blocks. */
		page->flags |= (u32)PG_PCP << 4;
		page->private = node_id(sim, list);
		list_add_tail(sim, page, list);
		if (!MIRROR_IS_QUIET)
			sim->hold_now += 1u << order;
		STEP(sim, STEP_REFILL_PAGE, page_to_pfn(sim, page), order, i + 1, count);
	}
	if (MIRROR_IS_QUIET)
		sim->hold_now += i << order;
	mod_zone_freepage_state(sim, zone, -(s32)(i << order));
	zone_unlock(sim, zone);
	zone->stats.refills++;
	zone->stats.refill_pages += i << order;
	zone->stats.alloc_zone += i << order;
	return i;
}

__noinline struct page *rmqueue_buddy(struct sim *sim, struct zone *zone, u32 order,
				      u32 alloc_flags, u32 migratetype)
{
	struct page *page = NULL;

	STEP(sim, STEP_DIRECT_BEGIN, order, migratetype, zone->id);
	zone_lock(sim, zone);
	if (alloc_flags & ALLOC_HIGHATOMIC)
		page = __rmqueue_smallest(sim, zone, order, MIGRATE_HIGHATOMIC);
	if (!page)
		page = __rmqueue(sim, zone, order, migratetype, alloc_flags);
	if (!page) {
		zone_unlock(sim, zone);
		return NULL;
	}
	mod_zone_freepage_state(sim, zone, -(1 << order));
	sim->hold_now += 1u << order;
	zone_unlock(sim, zone);
	zone_used(this_cpu_pageset(sim, zone));
	zone->stats.direct_allocs++;
	zone->stats.alloc_zone += 1u << order;
	STEP(sim, STEP_DIRECT_GOT, page_to_pfn(sim, page), order, zone->id);
	return page;
}

__cold void reserve_highatomic_pageblock(struct sim *sim, struct page *page, struct zone *zone)
{
	s64 max_managed = zone->managed_pages / 100 + PAGEBLOCK_NR_PAGES;
	u64 pfn = page_to_pfn(sim, page);
	u32 mt;

	if (zone->nr_reserved_highatomic >= max_managed)
		return;
	zone_lock(sim, zone);
	mt = get_pfnblock_migratetype(sim, pfn);
	if (migratetype_is_mergeable(mt)) {
		zone->nr_reserved_highatomic += PAGEBLOCK_NR_PAGES;
		set_pageblock_migratetype(sim, pfn, MIGRATE_HIGHATOMIC);
		move_freepages_block(sim, zone, pfn, MIGRATE_HIGHATOMIC, NULL);
		STEP(sim, STEP_RESERVED, pfn, mt, zone->nr_reserved_highatomic, max_managed,
		     zone->id);
	}
	zone_unlock(sim, zone);
}

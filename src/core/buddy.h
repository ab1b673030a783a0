/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The buddy allocator of a zone. Mirrors mm/page_alloc.c of 6.6. The caller
 * holds the zone lock. Called by pcp.c and zone.c.
 */
#ifndef PAGESET_CORE_BUDDY_H
#define PAGESET_CORE_BUDDY_H

#include "arena.h"
#include "page.h"

/* Take and release the zone lock; a hold is counted with the pages it moved. */
void zone_lock(struct sim *sim, struct zone *zone);
void zone_unlock(struct sim *sim, struct zone *zone);

static inline struct page *free_list(struct sim *sim, const struct zone *zone, u32 order,
				     u32 migratetype)
{
	return node(sim, zone->free_area + order * MIGRATE_TYPES + migratetype);
}

static inline bool free_area_empty(struct sim *sim, const struct zone *zone, u32 order,
				   u32 migratetype)
{
	return list_empty(free_list(sim, zone, order, migratetype));
}

/* __free_one_page(): free a block and merge it. @to_tail forces the tail (boot). */
void __free_one_page(struct sim *sim, struct page *page, u64 pfn, struct zone *zone, u32 order,
		     u32 migratetype, bool to_tail);
/* __rmqueue_smallest(): the smallest block of the type that is large enough, split. */
struct page *__rmqueue_smallest(struct sim *sim, struct zone *zone, u32 order, u32 migratetype);
/* __rmqueue(): the same with fallback to other migratetypes. */
struct page *__rmqueue(struct sim *sim, struct zone *zone, u32 order, u32 migratetype,
		       u32 alloc_flags);
/* rmqueue_bulk(): @count blocks to the tail of @list. Returns how many. */
u32 rmqueue_bulk(struct sim *sim, struct zone *zone, u32 order, u32 count, struct page *list,
		 u32 migratetype, u32 alloc_flags);
/* rmqueue_buddy(): one block past the pageset. */
struct page *rmqueue_buddy(struct sim *sim, struct zone *zone, u32 order, u32 alloc_flags,
			   u32 migratetype);
/* free_one_page(), __free_pages_ok(): one block past the pageset. */
void free_one_page(struct sim *sim, struct zone *zone, struct page *page, u32 order,
		   u32 migratetype);
/* reserve_highatomic_pageblock(): after a high-order atomic allocation. */
void reserve_highatomic_pageblock(struct sim *sim, struct page *page, struct zone *zone);

#endif

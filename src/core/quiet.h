/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mirror's functions that operations use most, from its quiet twin: without
 * STEP points (quiet_names.h), policies and pageset locks that an op finds taken. Only
 * for a machine that is not loud, see sim_is_loud(); test_quiet.c holds the two against
 * each other. Private to core.
 */
#ifndef PAGESET_CORE_QUIET_H
#define PAGESET_CORE_QUIET_H

#include "zone.h"

struct alloc_result quiet_alloc_pages(struct sim *sim, u32 order, u32 migratetype, bool atomic);
u32 quiet_alloc_pages_bulk(struct sim *sim, u32 migratetype, u32 nr_pages, bool atomic, u32 *pages,
			   u8 *attempt);
void quiet_free_pages(struct sim *sim, struct page *page, u32 order);
void quiet_free_unref_page_list(struct sim *sim, const u32 *pages, u32 nr_pages);

/* The straight way of straight.c, which has no twin. */
/*
 * alloc_pages() of order 0 if it has to take a page off the pageset's list and nothing
 * else; NULL: nothing has happened.
 */
struct page *quiet_alloc_page_straight(struct sim *sim, u32 migratetype);
/* The page's zone if the pageset has room for it, and nothing else is to be done; else NULL. */
struct zone *quiet_zone_with_room(struct sim *sim, const struct page *page);
/* free_pages() of order 0 into that pageset. */
void quiet_free_page_straight(struct sim *sim, struct zone *zone, struct page *page);

#endif

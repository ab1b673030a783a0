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

/*
 * The straight way of straight.c, with no twin: alloc_pages() of order 0 where it takes
 * a page off the pageset's list, free_pages() where it puts the page on the list, and
 * nothing else is to be done. They look first; NULL or false: nothing has happened.
 */
struct page *quiet_alloc_page_straight(struct sim *sim, u32 migratetype);
bool quiet_free_page_straight(struct sim *sim, struct page *page);

#endif

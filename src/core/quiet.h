/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mirror's functions that operations use most, from its quiet twin: without
 * STEP points (quiet_names.h). Only for a machine that nobody watches; test_quiet.c
 * holds the two against each other. Private to core.
 */
#ifndef PAGESET_CORE_QUIET_H
#define PAGESET_CORE_QUIET_H

#include "zone.h"

struct alloc_result quiet_alloc_pages(struct sim *sim, u32 order, u32 migratetype, bool atomic);
u32 quiet_alloc_pages_bulk(struct sim *sim, u32 migratetype, u32 nr_pages, bool atomic, u32 *pages,
			   u8 *attempt);
void quiet_free_pages(struct sim *sim, struct page *page, u32 order);
void quiet_free_unref_page_list(struct sim *sim, const u32 *pages, u32 nr_pages);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Zones: watermarks, the walk over the zonelist, the allocation entry points,
 * sysctls. Mirrors mm/page_alloc.c of 6.6. Called by sim.c.
 */
#ifndef PAGESET_CORE_ZONE_H
#define PAGESET_CORE_ZONE_H

#include "arena.h"

/* alloc_flags: the kernel's names; WMARK_* stand in the lowest two bits. */
enum {
	ALLOC_WMARK_MIN = WMARK_MIN,
	ALLOC_WMARK_LOW = WMARK_LOW,
	ALLOC_WMARK_HIGH = WMARK_HIGH,
	ALLOC_WMARK_MASK = 3,
	ALLOC_NON_BLOCK = 0x10,
	ALLOC_MIN_RESERVE = 0x20,
	ALLOC_NOFRAGMENT = 0x100,
	ALLOC_HIGHATOMIC = 0x200,
	ALLOC_KSWAPD = 0x800,
	ALLOC_RESERVES = ALLOC_NON_BLOCK | ALLOC_MIN_RESERVE | ALLOC_HIGHATOMIC,
};

static inline s64 wmark_pages(const struct zone *zone, u32 i)
{
	return zone->_watermark[i] + zone->watermark_boost;
}

/* How an allocation went. */
struct alloc_result {
	struct page *page;
	u8 attempt; /* 1 or 2 */
};

/* __alloc_pages(): one block. @atomic: GFP_ATOMIC, else GFP_KERNEL's rights. */
struct alloc_result alloc_pages(struct sim *sim, u32 order, u32 migratetype, bool atomic);
/*
 * __alloc_pages_bulk() into an empty array of @nr_pages (at least 1) node ids.
 * Returns how many it got; *attempt is that of the single page if it came to it.
 */
u32 alloc_pages_bulk(struct sim *sim, u32 migratetype, u32 nr_pages, bool atomic, u32 *pages,
		     u8 *attempt);
/* __free_pages(): one block. */
void free_pages(struct sim *sim, struct page *page, u32 order);

/* zone_watermark_ok(): would the free pages pass @mark? */
bool zone_watermark_ok(struct sim *sim, struct zone *zone, u32 order, s64 mark, u32 highest_zoneidx,
		       u32 alloc_flags);

void setup_per_zone_wmarks(struct sim *sim);
void setup_per_zone_lowmem_reserve(struct sim *sim);
void calculate_min_free_kbytes(struct sim *sim);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#include "zone.h"

#include "buddy.h"
#include "pcp.h"
#include "quiet.h"
#include "vmstat.h"

/*
 * Watermarks
 */

/* Free pages that this request may not count on. */
static s64 __zone_watermark_unusable_free(const struct zone *z, u32 order, u32 alloc_flags)
{
	s64 unusable_free = (1 << order) - 1;

	if (likely(!(alloc_flags & ALLOC_RESERVES)))
		unusable_free += z->nr_reserved_highatomic;
	return unusable_free;
}

/* Free pages that an order-0 request may count on. */
static s64 usable_free(const struct zone *z, u32 alloc_flags)
{
	s64 free_pages = zone_free_pages(z);

	return free_pages - min_s64(free_pages, __zone_watermark_unusable_free(z, 0, alloc_flags));
}

/* Is a block of at least @order free that this request may have? */
static bool suitable_block(struct sim *sim, struct zone *z, u32 order, u32 alloc_flags)
{
	for (u32 o = order; o < NR_PAGE_ORDERS; o++) {
		if (!z->nr_free[o])
			continue;
		for (u32 mt = 0; mt < MIGRATE_PCPTYPES; mt++) {
			if (!free_area_empty(sim, z, o, mt))
				return true;
		}
		if ((alloc_flags & ALLOC_HIGHATOMIC) &&
		    !free_area_empty(sim, z, o, MIGRATE_HIGHATOMIC))
			return true;
	}
	return false;
}

static __noinline bool __zone_watermark_ok(struct sim *sim, struct zone *z, u32 order, s64 mark,
					   u32 highest_zoneidx, u32 alloc_flags, s64 free_pages)
{
	s64 min = mark;
	bool ok;

	free_pages -= __zone_watermark_unusable_free(z, order, alloc_flags);
	if (unlikely(alloc_flags & ALLOC_RESERVES)) {
		if (alloc_flags & ALLOC_MIN_RESERVE) {
			min -= min / 2;
			if (alloc_flags & ALLOC_NON_BLOCK)
				min -= min / 4;
		}
	}
	min += z->lowmem_reserve[highest_zoneidx];
	ok = free_pages > min;
	STEP(sim, STEP_WMARK_TEST, ok, free_pages, min, mark, z->id);
	if (!ok)
		return false;
	if (!order)
		return true;
	ok = suitable_block(sim, z, order, alloc_flags);
	STEP(sim, STEP_WMARK_BLOCK, ok, order, z->id);
	return ok;
}

bool zone_watermark_ok(struct sim *sim, struct zone *zone, u32 order, s64 mark, u32 highest_zoneidx,
		       u32 alloc_flags)
{
	return __zone_watermark_ok(sim, zone, order, mark, highest_zoneidx, alloc_flags,
				   zone_free_pages(zone));
}

static bool zone_watermark_fast(struct sim *sim, struct zone *z, u32 order, s64 mark,
				u32 highest_zoneidx, u32 alloc_flags)
{
	s64 free_pages = zone_free_pages(z);

	/* Order 0 first by the shortest way. */
	if (!order && usable_free(z, alloc_flags) > mark + z->lowmem_reserve[highest_zoneidx]) {
		STEP(sim, STEP_WMARK_FAST, 1, usable_free(z, alloc_flags),
		     mark + z->lowmem_reserve[highest_zoneidx], z->id);
		return true;
	}
	if (__zone_watermark_ok(sim, z, order, mark, highest_zoneidx, alloc_flags, free_pages))
		return true;

	/* The boost does not hold back urgent requests at the min mark. */
	if (unlikely(!order && (alloc_flags & ALLOC_MIN_RESERVE) && z->watermark_boost &&
		     (alloc_flags & ALLOC_WMARK_MASK) == WMARK_MIN)) {
		STEP(sim, STEP_WMARK_NO_BOOST, z->_watermark[WMARK_MIN], z->watermark_boost);
		return __zone_watermark_ok(sim, z, order, z->_watermark[WMARK_MIN], highest_zoneidx,
					   alloc_flags, free_pages);
	}
	return false;
}

/*
 * Allocation
 */

static __cold void wakeup_kswapd(struct sim *sim, struct zone *zone)
{
	sim->kswapd_woken = true;
	zone->stats.kswapd_wakes++;
	STEP(sim, STEP_KSWAPD, zone->id);
}

static struct page *rmqueue(struct sim *sim, struct zone *zone, u32 order, u32 alloc_flags,
			    u32 migratetype)
{
	struct page *page = NULL;

	if (likely(pcp_allowed_order(order)))
		page = rmqueue_pcplist(sim, zone, order, migratetype, alloc_flags);
	if (!page)
		page = rmqueue_buddy(sim, zone, order, alloc_flags, migratetype);

	if ((alloc_flags & ALLOC_KSWAPD) && unlikely(zone->flags & 1u << ZONE_BOOSTED_WATERMARK)) {
		zone->flags &= ~(1u << ZONE_BOOSTED_WATERMARK);
		STEP(sim, STEP_BOOST_FLAG, 0, zone->id);
		wakeup_kswapd(sim, zone);
	}
	return page;
}

/* The page is allocated from here on; what it counts as is fixed now. */
static void prep_new_page(struct sim *sim, struct zone *zone, struct page *page, u32 order,
			  u32 migratetype)
{
	page_set(sim, page, sim->live_flags[migratetype] | order | (u32)zone->id << 16);
	zone->stats.allocs++;
	sim->state->live_pages += 1u << order;
}

/* Patch 8: below the high mark pagesets are to shrink; the walk finds out. */
static bool above_high_mark(struct sim *sim, struct zone *zone, u32 order, u32 highest_zoneidx,
			    u32 alloc_flags)
{
	/* V3 asks only while the flag is clear; the outcome is the same. */
	if (patched(sim, P_SERIES_V3)) {
		if (zone->flags & 1u << ZONE_BELOW_HIGH) {
			STEP(sim, STEP_BELOW_HIGH_KNOWN, zone->id);
			return false;
		}
	}
	if (zone_watermark_fast(sim, zone, order, wmark_pages(zone, WMARK_HIGH), highest_zoneidx,
				alloc_flags))
		return true;
	if (!(zone->flags & 1u << ZONE_BELOW_HIGH)) {
		zone->flags |= 1u << ZONE_BELOW_HIGH;
		STEP(sim, STEP_BELOW_HIGH_SET, zone->id, zone_free_pages(zone),
		     wmark_pages(zone, WMARK_HIGH));
	}
	return false;
}

/* What of a request the zone walk reads over and over. */
struct alloc_context {
	struct zone *const *zonelist; /* the zones it may use; the first is the preferred one */
	u32 highest_zoneidx;
	u32 migratetype;
};

static struct alloc_context prepare_alloc_pages(const struct sim *sim, u32 migratetype)
{
	bool movable = migratetype == MIGRATE_MOVABLE;

	return (struct alloc_context){
		.zonelist = this_zonelist(sim, movable),
		.highest_zoneidx = movable ? ZONE_MOVABLE : ZONE_NORMAL,
		.migratetype = migratetype,
	};
}

static struct page *get_page_from_freelist(struct sim *sim, u32 order, u32 alloc_flags,
					   const struct alloc_context *ac)
{
	const struct zone *preferred = *ac->zonelist;
	bool no_fallback;

retry:
	no_fallback = alloc_flags & ALLOC_NOFRAGMENT;
	for (struct zone *const *z = ac->zonelist; *z; z++) {
		struct zone *zone = *z;
		struct page *page;
		s64 mark;

		/* To stay on the node matters more than fragmentation. */
		if (unlikely(no_fallback) && sim->nr_nodes > 1 && zone->node != preferred->node) {
			alloc_flags &= ~(u32)ALLOC_NOFRAGMENT;
			STEP(sim, STEP_NOFRAGMENT_DROPPED, preferred->node, zone->node);
			goto retry;
		}
		STEP(sim, STEP_WALK_ZONE, zone->id, order, alloc_flags & ALLOC_WMARK_MASK);
		if (patched(sim, P_BELOW_HIGH)) {
			if (above_high_mark(sim, zone, order, ac->highest_zoneidx, alloc_flags))
				goto try_this_zone;
		} else {
			STEP(sim, STEP_NA_HIGH_MARK, zone->id);
		}
		mark = wmark_pages(zone, alloc_flags & ALLOC_WMARK_MASK);
		if (unlikely(!zone_watermark_fast(sim, zone, order, mark, ac->highest_zoneidx,
						  alloc_flags))) {
			STEP(sim, STEP_ZONE_SKIPPED, zone->id, mark);
			continue;
		}
try_this_zone:
		page = rmqueue(sim, zone, order, alloc_flags, ac->migratetype);
		if (likely(page)) {
			prep_new_page(sim, zone, page, order, ac->migratetype);
			if (unlikely(alloc_flags & ALLOC_HIGHATOMIC))
				reserve_highatomic_pageblock(sim, page, zone);
			return page;
		}
	}
	if (no_fallback) {
		alloc_flags &= ~(u32)ALLOC_NOFRAGMENT;
		STEP(sim, STEP_NOFRAGMENT_RETRY, order, ac->migratetype);
		goto retry;
	}
	return NULL;
}

/*
 * First attempts avoid fragmentation where the kernel would: if the preferred
 * zone is Normal and, with several nodes, has a DMA32 zone below it.
 */
static u32 alloc_flags_nofragment(struct sim *sim, const struct zone *zone)
{
	if (!zone || zone->type != ZONE_NORMAL)
		return 0;
	if (sim->nr_nodes > 1) {
		bool dma32 = false;

		for (u32 i = 0; i < sim->nr_zones; i++)
			dma32 |= sim->zones[i].node == zone->node &&
				 sim->zones[i].type == ZONE_DMA32;
		if (!dma32)
			return 0;
	}
	return ALLOC_NOFRAGMENT;
}

static __noinline struct page *get_page_nofragment(struct sim *sim, u32 order, u32 migratetype)
{
	struct alloc_context ac = prepare_alloc_pages(sim, migratetype);
	u32 alloc_flags = ALLOC_WMARK_LOW | ALLOC_KSWAPD;

	alloc_flags |= alloc_flags_nofragment(sim, *ac.zonelist);
	return get_page_from_freelist(sim, order, alloc_flags, &ac);
}

/* Second attempt: kswapd is awake, the min mark counts, atomic requests may dig deeper. */
static __cold struct page *__alloc_pages_slowpath(struct sim *sim, u32 order, u32 migratetype,
						  bool atomic)
{
	struct alloc_context ac = prepare_alloc_pages(sim, migratetype);
	u32 alloc_flags = ALLOC_WMARK_MIN | ALLOC_KSWAPD;

	STEP(sim, STEP_SLOWPATH, order, migratetype, atomic);
	for (struct zone *const *z = ac.zonelist; *z; z++)
		wakeup_kswapd(sim, *z);
	if (atomic) {
		alloc_flags |= ALLOC_MIN_RESERVE | ALLOC_NON_BLOCK;
		if (order && sim->machine.highatomic)
			alloc_flags |= ALLOC_HIGHATOMIC;
	}
	return get_page_from_freelist(sim, order, alloc_flags, &ac);
}

static struct alloc_result __alloc_pages(struct sim *sim, u32 order, u32 migratetype, bool atomic)
{
	struct alloc_context ac = prepare_alloc_pages(sim, migratetype);
	struct alloc_result result = { .attempt = 1 };

	STEP(sim, STEP_ALLOC_BEGIN, order, migratetype, sim->cpu, atomic);
	if (likely(!(sim->unusual & UNUSUAL_NOFRAGMENT)))
		result.page =
			get_page_from_freelist(sim, order, ALLOC_WMARK_LOW | ALLOC_KSWAPD, &ac);
	else
		result.page = get_page_nofragment(sim, order, migratetype);
	if (unlikely(!result.page)) {
		result.attempt = 2;
		result.page = __alloc_pages_slowpath(sim, order, migratetype, atomic);
	}
	if (unlikely(!result.page))
		STEP(sim, STEP_ALLOC_FAILED, order, migratetype, sim->cpu);
	else
		STEP(sim, STEP_ALLOC_DONE, page_to_pfn(sim, result.page), order, result.attempt,
		     sim->cpu);
	return result;
}

/* Thrice the same, so that the frequent requests have code of their own. */
struct alloc_result alloc_pages(struct sim *sim, u32 order, u32 migratetype, bool atomic)
{
	if (likely(order == 0 && migratetype == MIGRATE_MOVABLE))
		return __alloc_pages(sim, 0, MIGRATE_MOVABLE, atomic);
	if (order == 0)
		return __alloc_pages(sim, 0, migratetype, atomic);
	return __alloc_pages(sim, order, migratetype, atomic);
}

/* Not the kernel's: where nobody looks on, what the above comes to for most requests. */
#ifdef MIRROR_QUIET
struct page *quiet_alloc_page_straight(struct sim *sim, u32 migratetype)
{
	struct alloc_context ac = prepare_alloc_pages(sim, migratetype);
	u32 alloc_flags = ALLOC_WMARK_LOW | ALLOC_KSWAPD;
	u32 mark = patched(sim, P_BELOW_HIGH) ? WMARK_HIGH : WMARK_LOW;
	struct zone *zone = *ac.zonelist;
	const struct per_cpu_pages *pcp;
	struct page *page;

	if (unlikely(!zone || zone->flags))
		return NULL;
	pcp = this_cpu_pageset(sim, zone);
	if (unlikely(pcp->lock || list_empty(node(sim, pcp->lists + migratetype))))
		return NULL;
	if (unlikely(usable_free(zone, alloc_flags) <=
		     wmark_pages(zone, mark) + zone->lowmem_reserve[ac.highest_zoneidx]))
		return NULL;
	page = rmqueue_pcplist(sim, zone, 0, migratetype, alloc_flags);
	prep_new_page(sim, zone, page, 0, migratetype);
	return page;
}
#endif

/* The zone of the preferred node that a bulk request of @nr_pages may use, or NULL. */
static struct zone *bulk_zone(struct sim *sim, u32 migratetype, u32 nr_pages)
{
	struct alloc_context ac = prepare_alloc_pages(sim, migratetype);
	const struct zone *preferred = *ac.zonelist;

	for (struct zone *const *z = ac.zonelist; *z; z++) {
		struct zone *zone = *z;

		if (zone->node != preferred->node)
			break;
		if (zone_watermark_fast(sim, zone, 0, wmark_pages(zone, WMARK_LOW) + nr_pages,
					preferred->type, ALLOC_WMARK_LOW)) {
			STEP(sim, STEP_BULK_ZONE, 1, zone->id, nr_pages);
			return zone;
		}
	}
	STEP(sim, STEP_BULK_ZONE, 0, -1, nr_pages);
	return NULL;
}

/* The part under the pageset's lock. Returns the number of pages. */
static u32 bulk_from_pcplist(struct sim *sim, u32 migratetype, u32 nr_pages, u32 *pages)
{
	struct zone *zone = bulk_zone(sim, migratetype, nr_pages);
	struct per_cpu_pages *pcp;
	struct page *pcp_list;
	u32 got = 0;

	if (!zone)
		return 0;
	pcp = per_cpu_pageset(sim, zone, sim->cpu);
	if (!pcp_spin_trylock(sim, pcp))
		return 0;
	pcp_list = node(sim, pcp->lists + order_to_pindex(migratetype, 0));
	while (got < nr_pages) {
		struct page *page = __rmqueue_pcplist(sim, zone, 0, migratetype, ALLOC_WMARK_LOW,
						      pcp, pcp_list);

		if (unlikely(!page))
			break;
		prep_new_page(sim, zone, page, 0, migratetype);
		pages[got++] = node_id(sim, page);
	}
	if (got)
		zone_used(pcp);
	pcp_spin_unlock(pcp);
	return got;
}

u32 alloc_pages_bulk(struct sim *sim, u32 migratetype, u32 nr_pages, bool atomic, u32 *pages,
		     u8 *attempt)
{
	struct alloc_result single;
	u32 got = 0;

	STEP(sim, STEP_BULK_ALLOC, nr_pages, migratetype, sim->cpu);
	*attempt = 1;
	if (nr_pages > 1)
		got = bulk_from_pcplist(sim, migratetype, nr_pages, pages);
	if (got)
		return got;
	single = alloc_pages(sim, 0, migratetype, atomic);
	if (!single.page)
		return 0;
	*attempt = single.attempt;
	pages[0] = node_id(sim, single.page);
	return 1;
}

static void free_account(struct sim *sim, struct zone *zone, u32 order)
{
	zone->stats.frees++;
	sim->state->live_pages -= 1u << order;
}

static void free_the_page(struct sim *sim, struct page *page, u32 order)
{
	struct zone *zone = page_zone(sim, page);

	free_account(sim, zone, order);
	if (likely(pcp_allowed_order(order)))
		free_unref_page(sim, zone, page, order);
	else
		free_one_page(sim, zone, page, order, get_pageblock_migratetype(sim, page));
}

void free_pages(struct sim *sim, struct page *page, u32 order)
{
	if (likely(order == 0))
		free_the_page(sim, page, 0);
	else
		free_the_page(sim, page, order);
}

/* Not the kernel's either: the same for most frees. */
#ifdef MIRROR_QUIET
struct zone *quiet_zone_with_room(struct sim *sim, const struct page *page)
{
	struct zone *zone = page_zone(sim, page);
	const struct per_cpu_pages *pcp = this_cpu_pageset(sim, zone);
	int high = pcp->high;

	if (patched(sim, P_TUNE_HIGH)) {
		high = clamp_int(high, pcp->high_min, pcp->high_max);
	} else if (patched(sim, P_HIGH_LIMITS)) {
		high = pcp->high_min;
	}
	if (unlikely(pcp->lock || zone->flags || pcp->count + 1 >= high))
		return NULL;
	return zone;
}

void quiet_free_page_straight(struct sim *sim, struct zone *zone, struct page *page)
{
	free_account(sim, zone, 0);
	free_unref_page(sim, zone, page, 0);
}
#endif

/*
 * Watermarks and reserves of the whole machine
 */

static u64 int_sqrt(u64 x)
{
	u64 root = 0;

	for (u64 bit = 1ull << 31; bit; bit >>= 1) {
		if ((root | bit) * (root | bit) <= x)
			root |= bit;
	}
	return root;
}

void calculate_min_free_kbytes(struct sim *sim)
{
	s64 lowmem_pages = 0, new_min_free_kbytes;

	for (u32 i = 0; i < sim->nr_zones; i++) {
		const struct zone *zone = &sim->zones[i];
		s64 high = wmark_pages(zone, WMARK_HIGH);

		if (zone->type <= ZONE_NORMAL && zone->managed_pages > high)
			lowmem_pages += zone->managed_pages - high;
	}
	new_min_free_kbytes = (s64)int_sqrt((u64)lowmem_pages * (PAGE_SIZE / 1024) * 16);
	if (new_min_free_kbytes > sim->state->user_min_free_kbytes)
		sim->state->min_free_kbytes = min_s64(max_s64(new_min_free_kbytes, 128), 262144);
}

static s64 lowmem_managed(const struct sim *sim)
{
	s64 pages = 0;

	for (u32 i = 0; i < sim->nr_zones; i++) {
		if (sim->zones[i].type != ZONE_MOVABLE)
			pages += sim->zones[i].managed_pages;
	}
	return pages;
}

static void __setup_per_zone_wmarks(struct sim *sim)
{
	s64 pages_min = sim->state->min_free_kbytes >> (PAGE_SHIFT - 10);
	s64 factor = sim->state->watermark_scale_factor, lowmem_pages = lowmem_managed(sim);

	for (u32 i = 0; i < sim->nr_zones; i++) {
		struct zone *zone = &sim->zones[i];
		s64 managed = zone->managed_pages;
		s64 tmp = (s64)((unsigned __int128)pages_min * (u64)managed / (u64)lowmem_pages);

		if (zone->type == ZONE_MOVABLE)
			zone->_watermark[WMARK_MIN] =
				min_s64(max_s64(managed / 1024, SWAP_CLUSTER_MAX), 128);
		else
			zone->_watermark[WMARK_MIN] = tmp;
		tmp = max_s64(tmp >> 2,
			      managed / 10000 * factor + managed % 10000 * factor / 10000);
		zone->watermark_boost = 0;
		zone->_watermark[WMARK_LOW] = zone->_watermark[WMARK_MIN] + tmp;
		zone->_watermark[WMARK_HIGH] = zone->_watermark[WMARK_LOW] + tmp;
		zone->_watermark[WMARK_PROMO] = zone->_watermark[WMARK_HIGH] + tmp;
		STEP(sim, STEP_WMARKS, zone->_watermark[WMARK_MIN], zone->_watermark[WMARK_LOW],
		     zone->_watermark[WMARK_HIGH], zone->id);
	}
}

void setup_per_zone_wmarks(struct sim *sim)
{
	__setup_per_zone_wmarks(sim);
	for (u32 i = 0; i < sim->nr_zones; i++)
		zone_pcp_update(sim, &sim->zones[i], 0);
}

void setup_per_zone_lowmem_reserve(struct sim *sim)
{
	/* vm.lowmem_reserve_ratio for DMA, DMA32, Normal, Movable; 0 reserves nothing. */
	static const s64 ratios[MAX_NR_ZONES] = { 256, 256, 32, 0 };

	for (u32 i = 0; i < sim->nr_zones; i++) {
		struct zone *zone = &sim->zones[i];
		s64 managed_pages = 0;

		for (u32 type = zone->type + 1u; type < MAX_NR_ZONES; type++) {
			for (u32 j = i + 1; j < sim->nr_zones; j++) {
				if (sim->zones[j].node == zone->node && sim->zones[j].type == type)
					managed_pages += sim->zones[j].managed_pages;
			}
			zone->lowmem_reserve[type] =
				ratios[zone->type] ? managed_pages / ratios[zone->type] : 0;
		}
	}
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "pcp.h"

#include "buddy.h"
#include "page.h"
#include "vmstat.h"
#include "zone.h"

/*
 * The cap of the scale factors, PCP_BATCH_SCALE_MAX. Where patch 4's cap is
 * taken away (scale_max: none) only the growth of factors is free; drains and
 * decay keep the constant.
 */
static int batch_scaled(const struct sim *sim, int batch)
{
	return batch << sim->batch_scale;
}

static bool factor_may_grow(const struct sim *sim, u32 factor)
{
	return factor < sim->scale_max;
}

bool pcp_spin_trylock(struct sim *sim, struct per_cpu_pages *pcp)
{
	if (unlikely(sim_busy(sim) || pcp->lock)) {
		STEP(sim, STEP_PCP_LOCK_BUSY, pcp->cpu, pcp->zone);
		return false;
	}
	pcp->lock = true;
	return true;
}

static void count_sub(struct sim *sim, struct per_cpu_pages *pcp, int nr_pages)
{
	pcp->count -= nr_pages;
	sim->state->pcp_pages -= (u64)nr_pages;
}

static void count_add(struct sim *sim, struct per_cpu_pages *pcp, int nr_pages)
{
	pcp->count += nr_pages;
	sim->state->pcp_pages += (u64)nr_pages;
}

/*
 * Giving pages back
 */

__noinline __flatten void free_pcppages_bulk(struct sim *sim, struct zone *zone, int count,
					     struct per_cpu_pages *pcp, u32 pindex)
{
	int wanted = count, given;

	given = count = min_int(pcp->count, count);
	STEP(sim, STEP_BULK_BEGIN, wanted, count, pcp->count, pindex, pcp->cpu, zone->id);
	zone->stats.bulk_frees++;
	zone_lock(sim, zone);
	pindex--;
	while (count > 0) {
		struct page *list;
		u32 order;

		do {
			if (++pindex > NR_PCP_LISTS - 1)
				pindex = 0;
			list = node(sim, pcp->lists + pindex);
		} while (list_empty(list));
		STEP(sim, STEP_BULK_LIST, pindex, list_length(list), count);

		order = pindex_to_order(pindex);
		do {
			struct page *page = list_last_entry(sim, list);
			u64 pfn = page_own_pfn(sim, page);
			u32 mt = page_type(page);

			list_prefetch_prev(sim, page);
			list_del_last(sim, page, list);
			count -= 1 << order;
			if (!MIRROR_IS_QUIET) {
				count_sub(sim, pcp, 1 << order);
				sim->hold_now += 1u << order;
			}
			STEP(sim, STEP_BULK_PAGE, pfn, order, mt, pindex, count, pcp->count);
			page_set(sim, page, 0);
			__free_one_page(sim, page, pfn, zone, order, mt, false);
		} while (count > 0 && !list_empty(list));
	}
	/* Nobody looked on: what was counted page by page, in one. */
	if (MIRROR_IS_QUIET) {
		count_sub(sim, pcp, given - count);
		sim->hold_now += (u32)(given - count);
	}
	zone_unlock(sim, zone);
	zone->stats.bulk_pages += sim->hold_now;
	STEP(sim, STEP_BULK_DONE, sim->hold_now, pcp->count, pcp->cpu, zone->id);
}

__noinline int nr_pcp_free(struct sim *sim, struct per_cpu_pages *pcp, int high, bool free_high)
{
	int batch = pcp->batch, min_nr_free, max_nr_free, nr, fits;

	if (unlikely(sim_has_policy(sim, nr_pcp_free)))
		return sim->policy->nr_pcp_free(sim->policy->ctx, sim, pcp, high, free_high);

	if (unlikely(free_high)) {
		if (patched(sim, P_TUNE_HIGH)) {
			nr = min_int(pcp->count, batch_scaled(sim, batch));
			STEP(sim, STEP_FREE_HIGH_CAPPED, nr, pcp->count, batch_scaled(sim, batch));
			return nr;
		}
		STEP(sim, STEP_FREE_HIGH_ALL, pcp->count);
		return pcp->count;
	}
	if (unlikely(high < batch)) {
		STEP(sim, STEP_FREE_ONE, high, batch);
		return 1;
	}

	min_nr_free = batch;
	max_nr_free = high - batch;
	if (patched(sim, P_FREE_COUNT)) {
		nr = clamp_int(pcp->free_count, min_nr_free, max_nr_free);
		STEP(sim, STEP_FREE_BY_COUNT, nr, pcp->free_count, min_nr_free, max_nr_free);
		return nr;
	}

	nr = batch << pcp->free_factor;
	if (patched(sim, P_TUNE_HIGH)) {
		fits = nr <= max_nr_free;
	} else {
		fits = nr < max_nr_free;
	}
	if (patched(sim, P_SCALE_CAP)) {
		fits = fits && factor_may_grow(sim, pcp->free_factor);
	} else {
		STEP(sim, STEP_NA_SCALE_CAP, pcp->free_factor);
	}
	if (fits) {
		pcp->free_factor++;
		STEP(sim, STEP_FREE_FACTOR_UP, pcp->free_factor, nr, max_nr_free);
	}
	nr = clamp_int(nr, min_nr_free, max_nr_free);
	STEP(sim, STEP_FREE_BY_FACTOR, nr, batch, min_nr_free, max_nr_free);
	return nr;
}

/* The step by which high shrinks under pressure: what was freed lately. */
static int high_shrink_step(struct sim *sim, struct per_cpu_pages *pcp)
{
	if (patched(sim, P_FREE_COUNT)) {
		if (patched(sim, P_SERIES_V3)) {
			return max_int(pcp->free_count, pcp->batch);
		}
		return pcp->free_count;
	}
	return pcp->batch << pcp->free_factor;
}

/* nr_pcp_high() before patch 7: the limit is fixed. */
static int nr_pcp_high_fixed(struct sim *sim, struct per_cpu_pages *pcp, struct zone *zone,
			     bool free_high)
{
	int high = pcp->high;

	if (patched(sim, P_HIGH_LIMITS)) {
		high = pcp->high_min;
	}
	STEP(sim, STEP_NA_TUNE_HIGH, high);
	if (unlikely(!high || free_high)) {
		STEP(sim, STEP_LIMIT_ZERO, high, free_high);
		return 0;
	}
	if (!(zone->flags & 1u << ZONE_RECLAIM_ACTIVE)) {
		STEP(sim, STEP_LIMIT_HIGH, high);
		return high;
	}
	STEP(sim, STEP_LIMIT_RECLAIM, min_int(pcp->batch << 2, high), pcp->batch, high);
	return min_int(pcp->batch << 2, high);
}

static int nr_pcp_high_tuned(struct sim *sim, struct per_cpu_pages *pcp, struct zone *zone,
			     bool free_high)
{
	int batch = pcp->batch, high_min = pcp->high_min, high_max = pcp->high_max;
	int high = clamp_int(pcp->high, high_min, high_max);

	pcp->high = high;
	STEP(sim, STEP_HIGH_CLAMPED, high, high_min, high_max);
	if (unlikely(!high)) {
		STEP(sim, STEP_LIMIT_ZERO, high, free_high);
		return 0;
	}
	if (unlikely(free_high)) {
		pcp->high = max_int(high - batch_scaled(sim, batch), high_min);
		STEP(sim, STEP_LIMIT_FREE_HIGH, pcp->high, high, batch_scaled(sim, batch),
		     high_min);
		return 0;
	}
	if (unlikely(zone->flags & 1u << ZONE_RECLAIM_ACTIVE)) {
		int step = high_shrink_step(sim, pcp);

		pcp->high = max_int(high - step, high_min);
		STEP(sim, STEP_HIGH_SHRUNK, pcp->high, high, step, high_min);
		high = min_int(batch << 2, pcp->high);
		STEP(sim, STEP_LIMIT_RECLAIM, high, batch, pcp->high);
		return high;
	}
	if (high_min == high_max) {
		STEP(sim, STEP_LIMIT_MANUAL, high);
		return high;
	}
	if (patched(sim, P_BELOW_HIGH)) {
		if (unlikely(zone->flags & 1u << ZONE_BELOW_HIGH)) {
			int step = high_shrink_step(sim, pcp);

			pcp->high = max_int(high - step, high_min);
			STEP(sim, STEP_HIGH_SHRUNK, pcp->high, high, step, high_min);
			high = max_int(pcp->count, high_min);
			STEP(sim, STEP_LIMIT_BELOW_HIGH, high, pcp->count, high_min);
			return high;
		}
	} else {
		STEP(sim, STEP_NA_BELOW_HIGH, zone->id);
	}
	STEP(sim, STEP_LIMIT_HIGH, high);
	if (pcp->count >= high) {
		int need_high = batch;

		if (patched(sim, P_FREE_COUNT)) {
			need_high += pcp->free_count;
		} else {
			need_high += batch << pcp->free_factor;
		}
		/* What was raised counts from the next free on. */
		if (pcp->high < need_high) {
			pcp->high = clamp_int(need_high, high_min, high_max);
			STEP(sim, STEP_HIGH_NEEDED, pcp->high, high, need_high);
		}
	}
	return high;
}

int nr_pcp_high(struct sim *sim, struct per_cpu_pages *pcp, struct zone *zone, bool free_high)
{
	if (unlikely(sim_has_policy(sim, nr_pcp_high)))
		return sim->policy->nr_pcp_high(sim->policy->ctx, sim, pcp, zone, free_high);
	if (patched(sim, P_TUNE_HIGH)) {
		return nr_pcp_high_tuned(sim, pcp, zone, free_high);
	}
	return nr_pcp_high_fixed(sim, pcp, zone, free_high);
}

/* The freeing pressure that free_high asks for: patch 10 counts pages. */
static bool pcp_freeing(struct sim *sim, struct per_cpu_pages *pcp)
{
	int threshold = pcp->batch;
	bool freeing;

	if (patched(sim, P_FREE_COUNT)) {
		if (patched(sim, P_NIKHIL)) {
			threshold += pcp->high_min / 2;
		}
		freeing = pcp->free_count >= threshold;
		STEP(sim, STEP_FREE_COUNT_ENOUGH, freeing, pcp->free_count, threshold);
		return freeing;
	}
	freeing = pcp->free_factor > 0;
	STEP(sim, STEP_FREE_FACTOR_SET, freeing, pcp->free_factor);
	return freeing;
}

bool pcp_free_high(struct sim *sim, struct per_cpu_pages *pcp, u32 order)
{
	bool free_high = false;

	if (order && order <= PAGE_ALLOC_COSTLY_ORDER) {
		STEP(sim, STEP_ORDER_HIGH, 1, order);
		free_high = pcp_freeing(sim, pcp);
		if (patched(sim, P_AVOID_DRAIN)) {
			bool previous = pcp->flags & PCPF_PREV_FREE_HIGH_ORDER;

			STEP(sim, STEP_PREV_HIGH, previous);
			free_high = free_high && previous;
			if (!previous) {
				pcp->flags |= PCPF_PREV_FREE_HIGH_ORDER;
				STEP(sim, STEP_PREV_FLAG, 1);
			}
		} else {
			STEP(sim, STEP_NA_AVOID_DRAIN, order);
		}
		if (patched(sim, P_KEEP_BATCH)) {
			bool keep = pcp->flags & PCPF_FREE_HIGH_BATCH;

			STEP(sim, STEP_KEEP_BATCH, !keep || pcp->count >= pcp->batch, keep,
			     pcp->count, pcp->batch);
			free_high = free_high && (!keep || pcp->count >= pcp->batch);
		} else {
			STEP(sim, STEP_NA_KEEP_BATCH, pcp->count, pcp->batch);
		}
	} else if (patched(sim, P_AVOID_DRAIN)) {
		if (pcp->flags & PCPF_PREV_FREE_HIGH_ORDER) {
			pcp->flags &= (u8)~PCPF_PREV_FREE_HIGH_ORDER;
			STEP(sim, STEP_PREV_FLAG, 0);
		}
	}
	return free_high;
}

static void free_unref_page_commit(struct sim *sim, struct zone *zone, struct per_cpu_pages *pcp,
				   struct page *page, u32 migratetype, u32 order)
{
	u32 pindex = order_to_pindex(migratetype, order);
	bool free_high;
	int high;

	zone_used(pcp);
	/* Reduces the number of pages that the next refills take. */
	if (patched(sim, P_ALLOC_SCALE)) {
		pcp->alloc_factor >>= 1;
		STEP(sim, STEP_ALLOC_FACTOR_DOWN, pcp->alloc_factor);
	}
	page->private = pcp->lists + pindex;
	list_add(sim, page, node(sim, pcp->lists + pindex));
	count_add(sim, pcp, 1 << order);
	STEP(sim, STEP_PCP_PUSH, page_to_pfn(sim, page), order, pindex, pcp->count, pcp->cpu,
	     zone->id);

	free_high = pcp_free_high(sim, pcp, order);
	if (patched(sim, P_FREE_COUNT)) {
		/* The test precedes the sum: one large block may overshoot. */
		if (pcp->free_count < batch_scaled(sim, pcp->batch)) {
			pcp->free_count = (s16)(pcp->free_count + (1 << order));
			STEP(sim, STEP_FREE_COUNT_UP, pcp->free_count, 1 << order);
		}
	}
	if (unlikely(free_high)) {
		zone->stats.free_high++;
		STEP(sim, STEP_FREE_HIGH, pcp->count, pcp->cpu, zone->id, order);
	}

	high = nr_pcp_high(sim, pcp, zone, free_high);
	STEP(sim, STEP_PCP_ABOVE_HIGH, pcp->count >= high, pcp->count, high);
	if (pcp->count >= high) {
		free_pcppages_bulk(sim, zone, nr_pcp_free(sim, pcp, high, free_high), pcp, pindex);
		if (patched(sim, P_BELOW_HIGH)) {
			if ((zone->flags & 1u << ZONE_BELOW_HIGH) &&
			    zone_watermark_ok(sim, zone, 0, wmark_pages(zone, WMARK_HIGH),
					      ZONE_MOVABLE, 0)) {
				zone->flags &= ~(1u << ZONE_BELOW_HIGH);
				STEP(sim, STEP_BELOW_HIGH_CLEARED, zone->id, zone_free_pages(zone));
			}
		}
	}
}

/*
 * free_unref_page_prepare(): the block's type now is what the page carries into
 * the list; a bulk free later goes by it, even if the block changes.
 */
static u32 free_unref_page_prepare(struct sim *sim, struct page *page, u32 order)
{
	u32 migratetype = get_pageblock_migratetype(sim, page);

	page_set(sim, page, page_flags(PG_PCP, order, migratetype, page_zone_id(page)));
	return migratetype;
}

void free_unref_page(struct sim *sim, struct zone *zone, struct page *page, u32 order)
{
	struct per_cpu_pages *pcp = this_cpu_pageset(sim, zone);
	u32 migratetype, pcpmigratetype;

	STEP(sim, STEP_FREE_BEGIN, page_to_pfn(sim, page), order, sim->cpu, zone->id);
	migratetype = pcpmigratetype = free_unref_page_prepare(sim, page, order);
	/* A page of the reserve waits in the movable list, but goes back to the reserve. */
	if (unlikely(migratetype >= MIGRATE_PCPTYPES)) {
		pcpmigratetype = MIGRATE_MOVABLE;
		STEP(sim, STEP_RESERVE_TO_MOVABLE, migratetype);
	}
	if (pcp_spin_trylock(sim, pcp)) {
		free_unref_page_commit(sim, zone, pcp, page, pcpmigratetype, order);
		pcp_spin_unlock(pcp);
	} else {
		free_one_page(sim, zone, page, order, migratetype);
	}
}

void free_unref_page_list(struct sim *sim, const u32 *pages, u32 nr_pages)
{
	struct per_cpu_pages *pcp = NULL;
	struct zone *locked_zone = NULL;
	u32 batch_count = 0;

	for (u32 i = 0; i < nr_pages; i++)
		free_unref_page_prepare(sim, node(sim, pages[i]), 0);
	STEP(sim, STEP_FREE_LIST_BEGIN, nr_pages, sim->cpu);

	for (u32 i = 0; i < nr_pages; i++) {
		struct page *page = node(sim, pages[i]);
		struct zone *zone = page_zone(sim, page);
		u32 migratetype = page_type(page);

		/* Another zone, or held long enough: let the lock go. */
		if (zone != locked_zone || batch_count == SWAP_CLUSTER_MAX) {
			if (pcp)
				pcp_spin_unlock(pcp);
			batch_count = 0;
			pcp = this_cpu_pageset(sim, zone);
			if (unlikely(!pcp_spin_trylock(sim, pcp))) {
				free_one_page(sim, zone, page, 0, migratetype);
				pcp = NULL;
				locked_zone = NULL;
				continue;
			}
			locked_zone = zone;
		}
		if (unlikely(migratetype >= MIGRATE_PCPTYPES))
			migratetype = MIGRATE_MOVABLE;
		free_unref_page_commit(sim, zone, pcp, page, migratetype, 0);
		batch_count++;
	}
	if (pcp)
		pcp_spin_unlock(pcp);
}

/*
 * Taking pages
 */

/* Without patch 5 a refill is a batch; patch 7 may still raise high by it. */
static int nr_pcp_alloc_plain(struct sim *sim, struct per_cpu_pages *pcp, bool may_raise)
{
	int batch = pcp->batch;

	STEP(sim, STEP_NA_ALLOC_SCALE, batch);
	if (patched(sim, P_TUNE_HIGH)) {
		int high = clamp_int(pcp->high, pcp->high_min, pcp->high_max);

		pcp->high = high;
		if (unlikely(high < batch)) {
			STEP(sim, STEP_ALLOC_ONE, high, batch);
			return 1;
		}
		if (may_raise) {
			pcp->high = min_int(high + batch, pcp->high_max);
			STEP(sim, STEP_HIGH_RAISED, pcp->high, high, batch, pcp->high_max);
		}
	}
	return batch;
}

/* May a refill raise high? Not with fixed limits, nor under pressure. */
static bool refill_may_raise_high(struct sim *sim, const struct per_cpu_pages *pcp,
				  const struct zone *zone)
{
	bool pressure;

	if (pcp->high_min == pcp->high_max)
		return false;
	if (patched(sim, P_BELOW_HIGH)) {
		pressure = zone->flags & 1u << ZONE_BELOW_HIGH;
	} else {
		pressure = zone->flags & 1u << ZONE_RECLAIM_ACTIVE;
	}
	STEP(sim, STEP_REFILL_PRESSURE, pressure, zone->id);
	return !pressure;
}

/* Patch 5: an order-0 refill doubles while nothing is freed. Pages. */
static int nr_pcp_alloc_scaled(struct sim *sim, struct per_cpu_pages *pcp, struct zone *zone,
			       u32 order)
{
	int base_batch = pcp->batch, high = pcp->high, batch, max_nr_alloc;

	if (patched(sim, P_HIGH_LIMITS)) {
		high = pcp->high_min;
	}
	if (patched(sim, P_TUNE_HIGH)) {
		high = clamp_int(pcp->high, pcp->high_min, pcp->high_max);
		pcp->high = high;
		STEP(sim, STEP_REFILL_HIGH_CLAMPED, high, pcp->high_min, pcp->high_max);
	}
	/* The boot pageset, or pagesets that are disabled. */
	if (unlikely(high < base_batch)) {
		STEP(sim, STEP_ALLOC_ONE, high, base_batch);
		return 1;
	}

	batch = order ? base_batch : base_batch << pcp->alloc_factor;
	if (patched(sim, P_TUNE_HIGH)) {
		if (refill_may_raise_high(sim, pcp, zone)) {
			int old = high;

			high = min_int(high + batch, pcp->high_max);
			pcp->high = high;
			STEP(sim, STEP_HIGH_RAISED, high, old, batch, pcp->high_max);
		}
	}
	if (order)
		return batch;
	max_nr_alloc = max_int(high - pcp->count - base_batch, base_batch);
	if (batch <= max_nr_alloc && factor_may_grow(sim, pcp->alloc_factor)) {
		pcp->alloc_factor++;
		STEP(sim, STEP_ALLOC_FACTOR_UP, pcp->alloc_factor);
	}
	STEP(sim, STEP_ALLOC_SCALED, min_int(batch, max_nr_alloc), batch, max_nr_alloc);
	return min_int(batch, max_nr_alloc);
}

__noinline int nr_pcp_alloc(struct sim *sim, struct per_cpu_pages *pcp, struct zone *zone,
			    u32 order)
{
	int batch;

	if (unlikely(sim_has_policy(sim, nr_pcp_alloc)))
		return sim->policy->nr_pcp_alloc(sim->policy->ctx, sim, pcp, zone, order);

	if (patched(sim, P_ALLOC_SCALE)) {
		batch = nr_pcp_alloc_scaled(sim, pcp, zone, order);
	} else {
		bool may_raise = false;

		if (patched(sim, P_TUNE_HIGH)) {
			may_raise = refill_may_raise_high(sim, pcp, zone);
		}
		batch = nr_pcp_alloc_plain(sim, pcp, may_raise);
	}
	/* Fewer blocks of a higher order; a batch of 1 stores nothing. */
	if (batch > 1)
		batch = max_int(batch >> order, 2);
	STEP(sim, STEP_REFILL_BLOCKS, batch, order);
	return batch;
}

struct page *__rmqueue_pcplist(struct sim *sim, struct zone *zone, u32 order, u32 migratetype,
			       u32 alloc_flags, struct per_cpu_pages *pcp, struct page *list)
{
	struct page *page;

	if (unlikely(list_empty(list))) {
		int batch;
		u32 alloced;

		STEP(sim, STEP_LIST_EMPTY, 1, order_to_pindex(migratetype, order), pcp->cpu,
		     zone->id);
		batch = nr_pcp_alloc(sim, pcp, zone, order);
		alloced =
			rmqueue_bulk(sim, zone, order, (u32)batch, list, migratetype, alloc_flags);
		count_add(sim, pcp, (int)(alloced << order));
		STEP(sim, STEP_REFILL, alloced << order, alloced, batch,
		     order_to_pindex(migratetype, order), pcp->cpu, zone->id);
		if (unlikely(list_empty(list)))
			return NULL;
	}
	page = list_first_entry(sim, list);
	list_del_first(sim, page, list);
	count_sub(sim, pcp, 1 << order);
	STEP(sim, STEP_PCP_POP, page_to_pfn(sim, page), order, order_to_pindex(migratetype, order),
	     pcp->count, pcp->cpu, zone->id);
	if (patched(sim, P_COUNT_MIN)) {
		if (pcp->count < pcp->count_min) {
			pcp->count_min = pcp->count;
			STEP(sim, STEP_COUNT_MIN_DOWN, pcp->count_min);
		}
	}
	return page;
}

struct page *rmqueue_pcplist(struct sim *sim, struct zone *zone, u32 order, u32 migratetype,
			     u32 alloc_flags)
{
	struct per_cpu_pages *pcp = this_cpu_pageset(sim, zone);
	struct page *page, *list;

	if (!pcp_spin_trylock(sim, pcp))
		return NULL;

	/* Allocations make later bulk frees smaller. */
	if (patched(sim, P_FREE_COUNT)) {
		pcp->free_count >>= 1;
		STEP(sim, STEP_FREE_COUNT_DOWN, pcp->free_count);
	} else {
		pcp->free_factor >>= 1;
		STEP(sim, STEP_FREE_FACTOR_DOWN, pcp->free_factor);
	}
	list = node(sim, pcp->lists + order_to_pindex(migratetype, order));
	page = __rmqueue_pcplist(sim, zone, order, migratetype, alloc_flags, pcp, list);
	if (likely(page))
		zone_used(pcp);
	pcp_spin_unlock(pcp);
	return page;
}

/*
 * Ticks and drains
 */

/* How far a tick lowers high: a fifth (V2), at most count_min with patch 9, or an eighth (V3). */
static int decayed_high(struct sim *sim, const struct per_cpu_pages *pcp)
{
	if (patched(sim, P_SERIES_V3)) {
		return pcp->high - (pcp->high >> 3);
	}
	if (patched(sim, P_COUNT_MIN)) {
		return pcp->high - min_int(pcp->count_min, pcp->high / 5);
	}
	return pcp->high * 4 / 5;
}

int pcp_decayed_high(struct sim *sim, const struct per_cpu_pages *pcp)
{
	int floor = pcp->count - batch_scaled(sim, pcp->batch);

	return max_int(max_int(floor, decayed_high(sim, pcp)), pcp->high_min);
}

bool decay_pcp_high(struct sim *sim, struct zone *zone, struct per_cpu_pages *pcp)
{
	int high_min = pcp->high_min, to_drain;
	bool todo = false;

	STEP(sim, STEP_DECAY_ASK, pcp->high > high_min, pcp->high, high_min, pcp->cpu, zone->id);
	if (pcp->high > high_min) {
		int old = pcp->high, floor = pcp->count - batch_scaled(sim, pcp->batch);

		if (unlikely(sim_has_policy(sim, decay_pcp_high)))
			pcp->high = sim->policy->decay_pcp_high(sim->policy->ctx, sim, zone, pcp);
		else
			pcp->high = pcp_decayed_high(sim, pcp);
		zone->stats.decays += pcp->high < old;
		STEP(sim, STEP_DECAYED, pcp->high, old, floor, high_min);
		todo |= pcp->high > high_min;
	}

	to_drain = pcp->count - pcp->high;
	if (to_drain > 0) {
		STEP(sim, STEP_DECAY_DRAIN, to_drain, pcp->count, pcp->high, pcp->cpu, zone->id);
		pcp->lock = true;
		free_pcppages_bulk(sim, zone, to_drain, pcp, 0);
		pcp_spin_unlock(pcp);
		todo = true;
	}
	if (patched(sim, P_COUNT_MIN)) {
		pcp->count_min = pcp->count;
		STEP(sim, STEP_COUNT_MIN_RESET, pcp->count_min);
	}
	return todo;
}

void drain_zone_pages(struct sim *sim, struct zone *zone, struct per_cpu_pages *pcp)
{
	int to_drain = min_int(pcp->count, pcp->batch);

	if (to_drain > 0) {
		STEP(sim, STEP_REMOTE_DRAIN, to_drain, pcp->count, pcp->batch, pcp->cpu, zone->id);
		zone->stats.remote_drains++;
		pcp->lock = true;
		free_pcppages_bulk(sim, zone, to_drain, pcp, 0);
		pcp_spin_unlock(pcp);
	}
}

void drain_pages_zone(struct sim *sim, u32 cpu, struct zone *zone)
{
	struct per_cpu_pages *pcp = per_cpu_pageset(sim, zone, cpu);

	if (pcp->count) {
		STEP(sim, STEP_DRAIN, pcp->count, cpu, zone->id);
		pcp->lock = true;
		free_pcppages_bulk(sim, zone, pcp->count, pcp, 0);
		pcp_spin_unlock(pcp);
	}
}

/*
 * Sizing
 */

int zone_batchsize(struct sim *sim, struct zone *zone)
{
	s64 batch = min_s64(zone->managed_pages >> 10, (1 << 20) / PAGE_SIZE);
	int power = 1;

	if (sim->machine.batch > 0)
		return (int)sim->machine.batch;
	batch = max_s64(batch / 4, 1);
	batch += batch / 2;
	while (power * 2 <= batch)
		power *= 2;
	STEP(sim, STEP_BATCHSIZE, power - 1, zone->managed_pages, zone->id);
	return power - 1;
}

int zone_highsize(struct sim *sim, struct zone *zone, int batch, int cpu_online, s64 high_fraction)
{
	s64 total_pages, nr_split_cpus, high;

	if (!high_fraction)
		total_pages = wmark_pages(zone, WMARK_LOW);
	else
		total_pages = zone->managed_pages / high_fraction;

	/* While a CPU comes up it is in no mask yet, so it is added here. */
	nr_split_cpus = (s64)sim->node_online[zone->node] + cpu_online;
	if (!nr_split_cpus)
		nr_split_cpus = sim->state->nr_online;
	high = max_s64(total_pages / nr_split_cpus, (s64)batch << 2);
	STEP(sim, STEP_HIGHSIZE, high, total_pages, nr_split_cpus, batch, zone->id);
	return (int)high;
}

void pageset_update_all(struct sim *sim, struct zone *zone, int high_min, int high_max, int batch)
{
	for (u32 cpu = 0; cpu < sim->nr_cpus; cpu++) {
		struct per_cpu_pages *pcp = per_cpu_pageset(sim, zone, cpu);

		pcp->batch = batch;
		if (patched(sim, P_HIGH_LIMITS)) {
			pcp->high_min = high_min;
			pcp->high_max = high_max;
		} else {
			pcp->high = high_min;
		}
	}
	STEP(sim, STEP_PAGESET_UPDATE, high_min, high_max, batch, zone->id);
}

void zone_set_pageset_high_and_batch(struct sim *sim, struct zone *zone, int cpu_online)
{
	s64 fraction = sim->state->percpu_pagelist_high_fraction;
	int new_batch = max_int(1, zone_batchsize(sim, zone));
	int new_high_min = zone_highsize(sim, zone, new_batch, cpu_online, fraction);
	int new_high_max = new_high_min;

	if (patched(sim, P_HIGH_LIMITS)) {
		/* A fraction by hand fixes both limits: no tuning. */
		if (!fraction)
			new_high_max = zone_highsize(sim, zone, new_batch, cpu_online,
						     MIN_PERCPU_PAGELIST_HIGH_FRACTION);
	}
	if (sim->machine.high_min >= 0)
		new_high_min = (int)sim->machine.high_min;
	if (sim->machine.high_max >= 0)
		new_high_max = (int)sim->machine.high_max;

	if (zone->pageset_high_min == new_high_min && zone->pageset_high_max == new_high_max &&
	    zone->pageset_batch == new_batch) {
		STEP(sim, STEP_SIZES_SAME, new_high_min, new_high_max, new_batch, zone->id);
		return;
	}
	zone->pageset_high_min = new_high_min;
	zone->pageset_high_max = new_high_max;
	zone->pageset_batch = new_batch;
	pageset_update_all(sim, zone, new_high_min, new_high_max, new_batch);
}

void zone_pcp_update(struct sim *sim, struct zone *zone, int cpu_online)
{
	STEP(sim, STEP_PCP_UPDATE, zone->id, cpu_online);
	zone_set_pageset_high_and_batch(sim, zone, cpu_online);
}

void zone_pcp_disable(struct sim *sim, struct zone *zone)
{
	sim->state->pcp_batch_high_locked = true;
	zone->pcp_disabled = true;
	STEP(sim, STEP_PCP_DISABLE, zone->id);
	pageset_update_all(sim, zone, 0, 0, 1);
	for (u32 cpu = 0; cpu < sim->nr_cpus; cpu++)
		drain_pages_zone(sim, cpu, zone);
}

void zone_pcp_enable(struct sim *sim, struct zone *zone)
{
	STEP(sim, STEP_PCP_ENABLE, zone->id);
	pageset_update_all(sim, zone, zone->pageset_high_min, zone->pageset_high_max,
			   zone->pageset_batch);
	zone->pcp_disabled = false;
	sim->state->pcp_batch_high_locked = false;
}

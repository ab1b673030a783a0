/* SPDX-License-Identifier: GPL-2.0-only */
#include "invariant.h"

#include "buddy.h"
#include "page.h"
#include "pcp.h"
#include "sim.h"

/* On machines up to this size every op ends in a full walk, else every 64th. */
enum { FULL_WALK_PAGES = (64 << 20) / PAGE_SIZE };

static void check_pageset(const struct per_cpu_pages *pcp)
{
	SIM_ASSERT(pcp->count >= 0, "cpu %u zone %u: count %d", pcp->cpu, pcp->zone, pcp->count);
	SIM_ASSERT(pcp->batch >= 1, "cpu %u zone %u: batch %d", pcp->cpu, pcp->zone, pcp->batch);
	SIM_ASSERT(pcp->high >= 0, "cpu %u zone %u: high %d", pcp->cpu, pcp->zone, pcp->high);
	SIM_ASSERT(pcp->free_count >= 0, "cpu %u zone %u: free_count %d", pcp->cpu, pcp->zone,
		   pcp->free_count);
}

void inv_step(struct sim *sim)
{
	for (u32 z = 0; z < sim->nr_zones; z++) {
		const struct zone *zone = &sim->zones[z];

		check_pageset(this_cpu_pageset(sim, zone));
		/* In the middle of a refill the counter still holds what has left. */
		SIM_ASSERT(zone->free_pages <=
				   zone->managed_pages + (s64)zone->stat_threshold * sim->nr_cpus,
			   "zone %u: free %lld of %lld", z, (long long)zone->free_pages,
			   (long long)zone->managed_pages);
		SIM_ASSERT(zone->nr_reserved_highatomic >= 0, "zone %u: reserved %lld", z,
			   (long long)zone->nr_reserved_highatomic);
	}
}

static bool is_reserve(const struct sim *sim, const struct page *page, u64 pfn)
{
	return page_type(page) == MIGRATE_HIGHATOMIC ||
	       get_pfnblock_migratetype(sim, pfn) == MIGRATE_HIGHATOMIC;
}

/* Two free buddies would be one block; only whole pageblocks of the reserve stay apart. */
static void check_buddy(const struct sim *sim, const struct page *page, u64 pfn, u32 order,
			u32 zone_id)
{
	u64 buddy_pfn = pfn ^ (1ull << order);
	const struct page *buddy;

	if (order >= MAX_ORDER)
		return;
	buddy = pfn_to_page(sim, buddy_pfn);
	SIM_ASSERT(!page_is_free_block(buddy, order, zone_id) ||
			   (order >= PAGEBLOCK_ORDER &&
			    (is_reserve(sim, page, pfn) || is_reserve(sim, buddy, buddy_pfn))),
		   "pfn %llu: both it and its buddy are free at order %u", (unsigned long long)pfn,
		   order);
}

/* Walk one list both ways; returns its pages. */
static s64 check_list(struct sim *sim, u32 head, enum page_state state, u32 order, u32 zone_id)
{
	u32 n = 0, prev = head;

	for (u32 id = node(sim, head)->next; id != head; id = node(sim, id)->next) {
		const struct page *page = node(sim, id);
		u64 pfn = page_to_pfn(sim, page);

		SIM_ASSERT(page->prev == prev, "pfn %llu: prev %u, expected %u",
			   (unsigned long long)pfn, page->prev, prev);
		SIM_ASSERT(page_state(page) == state && page_order(page) == order &&
				   page_zone_id(page) == zone_id,
			   "pfn %llu: flags %#x on list %u of order %u zone %u",
			   (unsigned long long)pfn, page->flags, head, order, zone_id);
		SIM_ASSERT((pfn & ((1ull << order) - 1)) == 0, "pfn %llu at order %u",
			   (unsigned long long)pfn, order);
		if (state == PG_BUDDY)
			check_buddy(sim, page, pfn, order, zone_id);
		prev = id;
		n++;
	}
	SIM_ASSERT(node(sim, head)->prev == prev && list_length(node(sim, head)) == n,
		   "list %u: last %u, length %u; walked to %u, %u entries", head,
		   node(sim, head)->prev, list_length(node(sim, head)), prev, n);
	return (s64)n << order;
}

/*
 * Walk the pages of a zone block by block. Each page belongs to exactly one
 * block, which is free, in a pageset, or live. Returns pages by state.
 */
static void check_pages(struct sim *sim, const struct zone *zone, s64 pages[4])
{
	u64 end = zone->start_pfn + zone->spanned_pages;

	for (u64 pfn = zone->start_pfn; pfn < end;) {
		const struct page *page = pfn_to_page(sim, pfn);
		const struct page *max = max_order_node(sim, pfn);
		u64 nr;

		if (page_state(page) == PG_NONE && (pfn & ((1u << MAX_ORDER) - 1)) == 0 &&
		    page_state(max) == PG_BUDDY)
			page = max;
		SIM_ASSERT(page_state(page) != PG_NONE, "pfn %llu of zone %u belongs to no block",
			   (unsigned long long)pfn, zone->id);
		nr = 1ull << page_order(page);
		SIM_ASSERT(pfn + nr <= end && (pfn & (nr - 1)) == 0, "pfn %llu order %u",
			   (unsigned long long)pfn, page_order(page));
		if (page_state(page) == PG_LIVE)
			SIM_ASSERT(slot_page(sim->slots[page->private]) == node_id(sim, page),
				   "pfn %llu: slot %u names %u", (unsigned long long)pfn,
				   page->private, slot_page(sim->slots[page->private]));
		pages[page_state(page)] += (s64)nr;
		pfn += nr;
	}
}

static s64 check_zone_lists(struct sim *sim, const struct zone *zone)
{
	s64 free = 0;

	for (u32 order = 0; order < NR_PAGE_ORDERS; order++) {
		u32 blocks = 0;

		for (u32 mt = 0; mt < MIGRATE_TYPES; mt++) {
			u32 head = zone->free_area + order * MIGRATE_TYPES + mt;

			free += check_list(sim, head, PG_BUDDY, order, zone->id);
			blocks += list_length(node(sim, head));
		}
		SIM_ASSERT(blocks == zone->nr_free[order],
			   "zone %u order %u: %u blocks, nr_free %u", zone->id, order, blocks,
			   zone->nr_free[order]);
	}
	return free;
}

static s64 check_zone_pagesets(struct sim *sim, struct zone *zone, s64 *stat_diff)
{
	s64 in_pagesets = 0;

	for (u32 cpu = 0; cpu < sim->nr_cpus; cpu++) {
		struct per_cpu_pages *pcp = per_cpu_pageset(sim, zone, cpu);
		s64 count = 0;

		check_pageset(pcp);
		for (u32 pindex = 0; pindex < NR_PCP_LISTS; pindex++)
			count += check_list(sim, pcp->lists + pindex, PG_PCP,
					    pindex_to_order(pindex), zone->id);
		SIM_ASSERT(count == pcp->count, "cpu %u zone %u: lists hold %lld, count %d", cpu,
			   zone->id, (long long)count, pcp->count);
		in_pagesets += count;
		*stat_diff += pcp->stat_diff;
	}
	return in_pagesets;
}

void sim_check(struct sim *sim)
{
	s64 in_pagesets = 0, live = 0;

	for (u32 z = 0; z < sim->nr_zones; z++) {
		struct zone *zone = &sim->zones[z];
		s64 pages[4] = { 0 }, stat_diff = 0;
		s64 free = check_zone_lists(sim, zone);
		s64 pcp = check_zone_pagesets(sim, zone, &stat_diff);

		check_pages(sim, zone, pages);
		SIM_ASSERT(free == pages[PG_BUDDY] && pcp == pages[PG_PCP],
			   "zone %u: lists %lld and %lld pages, walked %lld and %lld", z,
			   (long long)free, (long long)pcp, (long long)pages[PG_BUDDY],
			   (long long)pages[PG_PCP]);
		SIM_ASSERT(free == zone->free_pages + stat_diff,
			   "zone %u: %lld pages free, counter %lld + %lld", z, (long long)free,
			   (long long)zone->free_pages, (long long)stat_diff);
		in_pagesets += pcp;
		live += pages[PG_LIVE];
	}
	SIM_ASSERT((u64)in_pagesets == sim->state->pcp_pages,
		   "%lld pages in pagesets, counter %llu", (long long)in_pagesets,
		   (unsigned long long)sim->state->pcp_pages);
	SIM_ASSERT((u64)live == sim->state->live_pages, "%lld pages live, counter %llu",
		   (long long)live, (unsigned long long)sim->state->live_pages);
}

void sim_check_after_op(struct sim *sim)
{
	u64 pages = sim->end_pfn - sim->base_pfn;

	if (pages <= FULL_WALK_PAGES || sim->state->ops % 64 == 0)
		sim_check(sim);
}

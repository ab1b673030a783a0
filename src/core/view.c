/* SPDX-License-Identifier: GPL-2.0-only */
/* The looking part of sim.h. */
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "buddy.h"
#include "page.h"
#include "pcp.h"
#include "sim.h"

const struct machine *sim_machine(const struct sim *sim)
{
	return &sim->machine;
}

u32 sim_patches(const struct sim *sim)
{
	return sim->patches;
}

u32 sim_nr_cpus(const struct sim *sim)
{
	return sim->nr_cpus;
}

u32 sim_nr_nodes(const struct sim *sim)
{
	return sim->nr_nodes;
}

u32 sim_nr_zones(const struct sim *sim)
{
	return sim->nr_zones;
}

bool sim_cpu_online(const struct sim *sim, u32 cpu)
{
	return sim->online[cpu];
}

u32 sim_cpu_node(const struct sim *sim, u32 cpu)
{
	return sim->machine.cpu_node[cpu];
}

u32 sim_first_online(const struct sim *sim)
{
	u32 cpu = 0;

	while (!sim->online[cpu])
		cpu++;
	return cpu;
}

u64 sim_cpu_cache(const struct sim *sim, u32 cpu)
{
	return sim->cache_bytes[cpu];
}

const struct zone *sim_zone(const struct sim *sim, u32 zone)
{
	return &sim->zones[zone];
}

const struct per_cpu_pages *sim_pageset(const struct sim *sim, u32 zone, u32 cpu)
{
	return &sim->pagesets[cpu * sim->nr_zones + zone];
}

const struct sim_state *sim_state(const struct sim *sim)
{
	return sim->state;
}

char *sim_zone_name(const struct sim *sim, u32 zone, char *buf)
{
	const struct zone *z = &sim->zones[zone];

	if (sim->nr_nodes > 1)
		snprintf(buf, 32, "node %u %s", z->node, zone_type_names[z->type]);
	else
		snprintf(buf, 32, "%s", zone_type_names[z->type]);
	return buf;
}

int sim_zone_of_pfn(const struct sim *sim, u64 pfn)
{
	for (u32 z = 0; z < sim->nr_zones; z++) {
		if (pfn - sim->zones[z].start_pfn < sim->zones[z].spanned_pages)
			return (int)z;
	}
	return -1;
}

bool sim_zone_locked(const struct sim *sim)
{
	for (u32 z = 0; z < sim->nr_zones; z++) {
		if (sim->zones[z].lock)
			return true;
	}
	return false;
}

bool sim_pageset_locked(const struct sim *sim, u32 cpu)
{
	for (u32 z = 0; z < sim->nr_zones; z++) {
		if (sim_pageset(sim, z, cpu)->lock)
			return true;
	}
	return false;
}

u32 sim_zonelist(const struct sim *sim, u32 mem_node, u16 *zones, u32 max)
{
	struct zone *const *z = sim_zonelist_of(sim, mem_node, true);
	u32 n = 0;

	for (; *z && n < max; z++)
		zones[n++] = (*z)->id;
	return n;
}

bool sim_has_flags(u32 patches)
{
	return patches & (PATCH_BIT(P_AVOID_DRAIN) | PATCH_BIT(P_KEEP_BATCH));
}

/* One entry on in a list, by next or prev; *at is the node id of the last one. */
static bool list_step(const struct sim *sim, u32 head, bool forward, u32 *at, u64 *pfn)
{
	const struct page *from = &sim->nodes[*at ? *at : head];
	u32 id = forward ? from->next : from->prev;

	if (id == head)
		return false;
	*at = id;
	*pfn = page_to_pfn(sim, &sim->nodes[id]);
	return true;
}

bool sim_pcp_list_next(const struct sim *sim, u32 zone, u32 cpu, u32 pindex, u32 *at, u64 *pfn)
{
	return list_step(sim, sim_pageset(sim, zone, cpu)->lists + pindex, true, at, pfn);
}

bool sim_pcp_list_prev(const struct sim *sim, u32 zone, u32 cpu, u32 pindex, u32 *at, u64 *pfn)
{
	return list_step(sim, sim_pageset(sim, zone, cpu)->lists + pindex, false, at, pfn);
}

bool sim_free_list_next(const struct sim *sim, u32 zone, u32 order, u32 type, u32 *at, u64 *pfn)
{
	return list_step(sim, sim->zones[zone].free_area + order * MIGRATE_TYPES + type, true, at,
			 pfn);
}

u32 sim_pcp_list_length(const struct sim *sim, u32 zone, u32 cpu, u32 pindex)
{
	return list_length(&sim->nodes[sim_pageset(sim, zone, cpu)->lists + pindex]);
}

u32 sim_free_list_length(const struct sim *sim, u32 zone, u32 order, u32 type)
{
	return list_length(&sim->nodes[sim->zones[zone].free_area + order * MIGRATE_TYPES + type]);
}

u32 sim_pageblock_type(const struct sim *sim, u64 pfn)
{
	return get_pfnblock_migratetype(sim, pfn);
}

static const struct page *block_node(const struct sim *sim, u64 pfn, u32 order)
{
	if (order == MAX_ORDER)
		return &sim->nodes[sim->first_block + (u32)((pfn - sim->base_pfn) >> MAX_ORDER)];
	return pfn_to_page(sim, pfn);
}

bool sim_page_info(const struct sim *sim, u64 pfn, struct page_info *info)
{
	int zone = sim_zone_of_pfn(sim, pfn);

	memset(info, 0, sizeof(*info));
	info->pfn = pfn;
	if (zone < 0)
		return false;
	info->zone = (u32)zone;
	/* The first page of its block: the nearest one below that reaches this far. */
	for (u32 order = 0; order < NR_PAGE_ORDERS; order++) {
		u64 first = pfn & ~((1ull << order) - 1);
		const struct page *page = block_node(sim, first, order);

		/* An order-10 block that is live has its state in its page. */
		if (order == MAX_ORDER && page_state(page) == PG_NONE)
			page = pfn_to_page(sim, first);
		if (first < sim->base_pfn || page_state(page) == PG_NONE ||
		    page_order(page) != order)
			continue;
		info->state = page_state(page);
		info->pfn = first;
		info->order = order;
		info->type = page_type(page);
		info->movable = page_movable(page);
		if (info->state == PG_LIVE)
			info->slot = page->private;
		if (info->state == PG_PCP) {
			const struct zone *z = &sim->zones[zone];
			u32 n = page->private - z->free_area - NR_PAGE_ORDERS * MIGRATE_TYPES;

			info->cpu = n / NR_PCP_LISTS;
			info->pindex = n % NR_PCP_LISTS;
		}
		return true;
	}
	return true;
}

bool sim_slot_info(const struct sim *sim, u32 slot, struct slot_info *info)
{
	struct slot s;

	memset(info, 0, sizeof(*info));
	if (!slot_taken(sim, slot))
		return false;
	s = sim->slots[slot];
	info->order = slot_order(s);
	info->generation = slot_generation(s);
	info->live = slot_page(s) != 0;
	if (info->live)
		info->pfn = page_to_pfn(sim, &sim->nodes[slot_page(s)]);
	return true;
}

struct zone_stats sim_stats(const struct sim *sim)
{
	struct zone_stats sum = { 0 };

	for (u32 z = 0; z < sim->nr_zones; z++) {
#define COUNTER(name, unit, help) sum.name += sim->zones[z].stats.name;
#include "stats.def"
#undef COUNTER
	}
	return sum;
}

size_t sim_bytes_touched(const struct sim *sim)
{
	size_t bytes = sim->hot_bytes;

	for (size_t i = sim->hot_bytes >> CHUNK_SHIFT; i < sim->nr_chunks; i++)
		bytes += sim->dirty[i].bits ? CHUNK_SIZE : 0;
	return bytes;
}

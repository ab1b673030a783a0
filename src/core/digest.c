/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "arena.h"
#include "buddy.h"
#include "page.h"
#include "sim.h"

/* 64-bit FNV-1a over 32-bit words, least significant byte first. */
#define FNV_BASIS 0xcbf29ce484222325ull
#define FNV_PRIME 0x100000001b3ull

static u64 fnv_word(u64 h, u32 w)
{
	h = (h ^ (w & 0xff)) * FNV_PRIME;
	h = (h ^ (w >> 8 & 0xff)) * FNV_PRIME;
	h = (h ^ (w >> 16 & 0xff)) * FNV_PRIME;
	return (h ^ (w >> 24)) * FNV_PRIME;
}

static u64 digest_list(u64 h, const struct sim *sim, u32 head, u32 tag)
{
	const struct page *nodes = sim->nodes;

	if (list_empty(&nodes[head]))
		return h;
	h = fnv_word(h, tag);
	for (u32 id = nodes[head].next; id != head; id = nodes[id].next)
		h = fnv_word(h, (u32)page_to_pfn(sim, &nodes[id]));
	return h;
}

static u64 digest_pageblocks(u64 h, const struct sim *sim, const struct zone *zone)
{
	u64 first = (zone->start_pfn - sim->base_pfn) >> PAGEBLOCK_ORDER;
	u64 last = (zone->start_pfn + zone->spanned_pages - 1 - sim->base_pfn) >> PAGEBLOCK_ORDER;

	for (u64 i = first; i <= last;) {
		u64 run = i;

		while (run <= last && sim->pageblocks[run] == sim->pageblocks[i])
			run++;
		h = fnv_word(h, sim->pageblocks[i]);
		h = fnv_word(h, (u32)(run - i));
		i = run;
	}
	return h;
}

u64 sim_digest(const struct sim *sim)
{
	u64 h = FNV_BASIS;

	for (u32 z = 0; z < sim->nr_zones; z++) {
		const struct zone *zone = &sim->zones[z];

		h = fnv_word(h, 0xA0000000u + z);
		for (u32 cpu = 0; cpu < sim->nr_cpus; cpu++) {
			u32 lists = sim_pageset(sim, z, cpu)->lists;

			for (u32 pindex = 0; pindex < NR_PCP_LISTS; pindex++)
				h = digest_list(h, sim, lists + pindex,
						0xB0000000u + 256 * cpu + pindex);
		}
		for (u32 i = 0; i < NR_PAGE_ORDERS * MIGRATE_TYPES; i++)
			h = digest_list(h, sim, zone->free_area + i,
					0xC0000000u + 256 * (i / MIGRATE_TYPES) +
						i % MIGRATE_TYPES);
		h = fnv_word(h, 0xD0000000u);
		h = digest_pageblocks(h, sim, zone);
	}
	return h;
}

static u64 fnv_bytes(u64 h, const u8 *p, size_t n)
{
	for (size_t i = 0; i + 8 <= n; i += 8) {
		u64 w;

		memcpy(&w, p + i, 8);
		h = (h ^ w) * FNV_PRIME;
		h ^= h >> 29;
	}
	return h;
}

u64 sim_state_digest(const struct sim *sim)
{
	static const u8 zero[CHUNK_SIZE];
	u64 h = fnv_bytes(FNV_BASIS, sim->arena, sim->hot_bytes);

	for (size_t i = sim->hot_bytes >> CHUNK_SHIFT; i < sim->nr_chunks; i++) {
		const u8 *chunk = sim->arena + (i << CHUNK_SHIFT);

		/* A chunk that was used and is empty again counts as never used. */
		if (!sim->dirty[i].bits || memcmp(chunk, zero, CHUNK_SIZE) == 0)
			continue;
		h = (h ^ i) * FNV_PRIME;
		h = fnv_bytes(h, chunk, CHUNK_SIZE);
	}
	return h;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim.h"

#include <stdio.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "arena.h"
#include "buddy.h"
#include "cacheinfo.h"
#include "clock.h"
#include "invariant.h"
#include "page.h"
#include "pcp.h"
#include "quiet.h"
#include "slot.h"
#include "vmstat.h"
#include "zone.h"

/*
 * Creation
 */

/*
 * Where the parts of the arena begin, in bytes; each cold part on a chunk of its
 * own. The nodes come first of them, so that the list heads, with which the
 * nodes begin, end the hot part.
 */
struct layout {
	size_t state, zones, pagesets, online, cache, clock, node_online, hot_end;
	size_t nodes, pageblocks, slots, end;
	u64 heads, blocks, pages, slots_nr;
};

static size_t align_up(size_t x, size_t to)
{
	return (x + to - 1) / to * to;
}

static size_t place(size_t *at, size_t bytes, size_t align)
{
	size_t here = align_up(*at, align);

	*at = here + bytes;
	return here;
}

static void lay_out(const struct sim *sim, struct layout *l)
{
	u64 span = sim->end_pfn - sim->base_pfn;
	u64 heads = (u64)sim->nr_zones *
		    (NR_PAGE_ORDERS * MIGRATE_TYPES + (u64)sim->nr_cpus * NR_PCP_LISTS);
	u64 per_chunk = CHUNK_SIZE / sizeof(struct page), managed = 0;
	/*
	 * Host CPUs take equal offsets in two pages for the same place, and wait. So
	 * what most operations use lies apart: the first pages from 0 on, the first
	 * slots behind SLOTS_FROM, this behind the first KiB, struct sim behind the
	 * third.
	 */
	size_t at = 1024;

	for (u32 i = 0; i < sim->nr_zones; i++)
		managed += sim->machine.zones[i].pages;
	/* Node 0 is nobody's, so that 0 can mean none. */
	l->heads = align_up(heads + 1, per_chunk);
	/* Pages begin at a multiple of a pageblock: see get_pageblock_migratetype(). */
	l->blocks =
		align_up((size_t)(l->heads + (span >> MAX_ORDER)), PAGEBLOCK_NR_PAGES) - l->heads;
	l->pages = span;
	l->slots_nr = managed + ((u64)1 << 20);

	l->state = place(&at, sizeof(struct sim_state), 64);
	l->zones = place(&at, sim->nr_zones * sizeof(struct zone), 64);
	l->pagesets =
		place(&at, (size_t)sim->nr_zones * sim->nr_cpus * sizeof(struct per_cpu_pages), 64);
	l->online = place(&at, sim->nr_cpus, 64);
	l->cache = place(&at, sim->nr_cpus * sizeof(u64), 64);
	l->clock = place(&at, sim->nr_cpus * sizeof(u64), 64);
	l->node_online = place(&at, sim->nr_nodes * sizeof(u32), 64);
	l->nodes = place(&at, (l->heads + l->blocks + l->pages) * sizeof(struct page), CHUNK_SIZE);
	l->hot_end = l->nodes + l->heads * sizeof(struct page);
	l->pageblocks = place(&at, (size_t)(span >> PAGEBLOCK_ORDER), CHUNK_SIZE);
	l->slots = place(&at, (l->slots_nr + SLOTS_FROM) * sizeof(struct slot), CHUNK_SIZE) +
		   SLOTS_FROM * sizeof(struct slot);
	l->end = align_up(at, CHUNK_SIZE);
}

static void *map_zero(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	/* The arena is sparse; huge pages would fill it with zeroes. */
	madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

static void point_into_arena(struct sim *sim, const struct layout *l)
{
	u8 *a = sim->arena;

	sim->state = (struct sim_state *)(void *)(a + l->state);
	sim->zones = (struct zone *)(void *)(a + l->zones);
	sim->pagesets = (struct per_cpu_pages *)(void *)(a + l->pagesets);
	sim->online = a + l->online;
	sim->cache_bytes = (u64 *)(void *)(a + l->cache);
	sim->clock_ps = (u64 *)(void *)(a + l->clock);
	sim->node_online = (u32 *)(void *)(a + l->node_online);
	sim->pageblocks = a + l->pageblocks;
	sim->slots = (struct slot *)(void *)(a + l->slots);
	sim->nodes = (struct page *)(void *)(a + l->nodes);
	sim->nodes_dirty = sim->dirty + (l->nodes >> CHUNK_SHIFT);
	sim->slots_dirty = sim->dirty + (l->slots >> CHUNK_SHIFT);
	sim->hot_bytes = l->hot_end;
	sim->first_block = (u32)l->heads;
	sim->first_page = (u32)(l->heads + l->blocks);
	sim->node_types = sim->pageblocks - (sim->first_page >> PAGEBLOCK_ORDER);
	sim->page_shift = sim->first_page - (u32)sim->base_pfn;
	sim->slot_end = (u32)min_s64((s64)l->slots_nr, UINT32_MAX - 1);
	sim->slot_limit = sim->slot_end;
}

static enum sim_err map_arena(struct sim *sim, struct sim_error *err)
{
	struct layout l;

	lay_out(sim, &l);
	if (l.heads + l.blocks + l.pages >= UINT32_MAX)
		return sim_fail(err, ERR_MACHINE,
				"the machine has more pages and lists than fit: %llu",
				(unsigned long long)(l.heads + l.blocks + l.pages));
	sim->arena_bytes = l.end;
	sim->nr_chunks = l.end >> CHUNK_SHIFT;
	sim->arena = map_zero(l.end);
	sim->dirty = map_zero(sim->nr_chunks * sizeof(*sim->dirty));
	/* Twice: an injected operation must not write over the list of the outer one. */
	sim->scratch_base = malloc(2 * SIM_OP_LIST_MAX * sizeof(*sim->scratch));
	sim->scratch = sim->scratch_base;
	if (!sim->arena || !sim->dirty || !sim->scratch)
		return sim_fail(err, ERR_NOMEM,
				"this host has no room for the machine's %llu MiB of page links",
				(unsigned long long)(l.end >> 20));
	point_into_arena(sim, &l);
	return SIM_OK;
}

/* Own node first, then the others by rising number, wrapping; highest type first. */
static void build_zonelist(struct sim *sim, u32 first_node, bool movable)
{
	struct zone **to = sim_zonelist_of(sim, first_node, movable);

	for (u32 n = 0; n < sim->nr_nodes; n++) {
		u32 which = (first_node + n) % sim->nr_nodes;

		for (u32 i = sim->nr_zones; i-- > 0;) {
			const struct machine_zone *zone = &sim->machine.zones[i];

			if (zone->node == which && (movable || zone->type != ZONE_MOVABLE))
				*to++ = &sim->zones[i];
		}
	}
	*to = NULL;
}

static enum sim_err build_zonelists(struct sim *sim, struct sim_error *err)
{
	sim->zonelists =
		malloc((size_t)sim->nr_nodes * 2 * (sim->nr_zones + 1u) * sizeof(*sim->zonelists));
	if (!sim->zonelists)
		return sim_fail(err, ERR_NOMEM, "no memory for zonelists");
	for (u32 n = 0; n < sim->nr_nodes; n++) {
		build_zonelist(sim, n, false);
		build_zonelist(sim, n, true);
	}
	sim->zone_guess = sim->zones;
	return SIM_OK;
}

static enum sim_err build_views(struct sim *sim, struct sim_error *err)
{
	sim->views = malloc(sim->nr_cpus * sizeof(*sim->views));
	if (!sim->views)
		return sim_fail(err, ERR_NOMEM, "no memory for CPUs");
	for (u32 cpu = 0; cpu < sim->nr_cpus; cpu++) {
		u32 its_node = sim->machine.cpu_node[cpu];

		sim->views[cpu] = (struct cpu_view){
			.pagesets = sim->pagesets + cpu * sim->nr_zones,
			.zonelist = { sim_zonelist_of(sim, its_node, false),
				      sim_zonelist_of(sim, its_node, true) },
			.clock_ps = &sim->clock_ps[cpu],
		};
	}
	sim_set_cpu(sim, 0);
	return SIM_OK;
}

static void init_zones(struct sim *sim)
{
	u32 head = 1;

	for (u32 i = 0; i < sim->nr_zones; i++) {
		const struct machine_zone *from = &sim->machine.zones[i];
		struct zone *zone = &sim->zones[i];

		zone->id = (u16)i;
		zone->node = from->node;
		zone->type = from->type;
		zone->start_pfn = from->start_pfn;
		zone->spanned_pages = from->pages;
		zone->managed_pages = (s64)from->pages;
		zone->pageset_batch = 1;
		zone->free_area = head;
		head += NR_PAGE_ORDERS * MIGRATE_TYPES;
		for (u32 cpu = 0; cpu < sim->nr_cpus; cpu++) {
			struct per_cpu_pages *pcp = per_cpu_pageset(sim, zone, cpu);

			pcp->cpu = (u16)cpu;
			pcp->zone = (u16)i;
			pcp->batch = 1;
			pcp->lists = head;
			head += NR_PCP_LISTS;
		}
	}
	for (u32 id = 0; id < head; id++)
		list_init(sim, id);
}

/* All memory enters the buddy in ascending blocks, each at the tail of its list. */
static void free_memory_to_buddy(struct sim *sim, struct zone *zone)
{
	u64 pfn = zone->start_pfn, end = pfn + zone->spanned_pages;

	for (u64 p = pfn >> PAGEBLOCK_ORDER; p <= (end - 1) >> PAGEBLOCK_ORDER; p++)
		set_pageblock_migratetype(sim, p << PAGEBLOCK_ORDER, MIGRATE_MOVABLE);
	while (pfn < end) {
		u32 order = pfn ? (u32)__builtin_ctzll(pfn) : MAX_ORDER;

		if (order > MAX_ORDER)
			order = MAX_ORDER;
		while (pfn + (1ull << order) > end)
			order--;
		__free_one_page(sim, pfn_to_page(sim, pfn), pfn, zone, order, MIGRATE_MOVABLE,
				true);
		pfn += 1ull << order;
	}
	memset(&zone->stats, 0, sizeof(zone->stats));
}

static void cpu_joins(struct sim *sim, u32 cpu)
{
	sim->online[cpu] = 1;
	sim->state->nr_online++;
	sim->node_online[sim->machine.cpu_node[cpu]]++;
}

static void zones_pcp_update(struct sim *sim, int cpu_online)
{
	for (u32 i = 0; i < sim->nr_zones; i++)
		zone_pcp_update(sim, &sim->zones[i], cpu_online);
}

/* The kernel's order: sizes before watermarks exist, then CPUs, then watermarks. */
static void boot(struct sim *sim)
{
	const struct machine *m = &sim->machine;
	struct sim_state *st = sim->state;

	st->min_free_kbytes = 1024;
	st->user_min_free_kbytes = -1;
	st->watermark_scale_factor = 10;
	st->slot_bump = 1;
	for (u32 i = 0; i < sim->nr_zones; i++)
		free_memory_to_buddy(sim, &sim->zones[i]);
	cpu_joins(sim, 0);
	zones_pcp_update(sim, 0);
	for (u32 cpu = 1; cpu < sim->nr_cpus; cpu++) {
		zones_pcp_update(sim, 1);
		cpu_joins(sim, cpu);
	}
	calculate_min_free_kbytes(sim);
	setup_per_zone_wmarks(sim);
	refresh_zone_stat_thresholds(sim);
	setup_per_zone_lowmem_reserve(sim);

	for (u32 cpu = 0; cpu < sim->nr_cpus; cpu++)
		sim->cache_bytes[cpu] = (u64)m->data_cache;
	update_per_cpu_data_slice_size(sim, -1);
	setup_pcp_cacheinfo(sim);
	if (m->watermark_scale_factor != 10) {
		st->watermark_scale_factor = m->watermark_scale_factor;
		setup_per_zone_wmarks(sim);
	}
	if (m->min_free_kbytes) {
		st->min_free_kbytes = st->user_min_free_kbytes = m->min_free_kbytes;
		setup_per_zone_wmarks(sim);
	}
	if (m->percpu_pagelist_high_fraction) {
		st->percpu_pagelist_high_fraction = m->percpu_pagelist_high_fraction;
		for (u32 i = 0; i < sim->nr_zones; i++)
			zone_set_pageset_high_and_batch(sim, &sim->zones[i], 0);
	}
	for (u32 i = 0; i < sim->nr_zones; i++) {
		const s64 *wmark = m->zones[i].wmark;

		if (wmark[0] < 0)
			continue;
		memcpy(sim->zones[i]._watermark, wmark, 3 * sizeof(*wmark));
		zone_pcp_update(sim, &sim->zones[i], 0);
	}
}

void sim_reload(struct sim *sim)
{
	sim->patches = sim->state->patches;
	sim->scale_max = sim->state->scale_max;
	sim->batch_scale =
		(u8)(sim->scale_max == SCALE_NONE ? PCP_BATCH_SCALE_MAX : sim->scale_max);
}

void sim_reset(struct sim *sim)
{
	sim_set_unusual(sim, UNUSUAL_BUSY, false);
	sim->kswapd_woken = false;
	sim->depth = 0;
	sim->hold_now = 0;
	sim->scratch = sim->scratch_base;
	sim_reload(sim);
}

void sim_update_watched(struct sim *sim)
{
	sim_set_unusual(sim, UNUSUAL_WATCHED, sim->observer || sim->check_invariants);
}

/* In the last quarter of a page: see lay_out(). */
static struct sim *sim_alloc_struct(void)
{
	u8 *block = calloc(1, sizeof(struct sim) + 2 * CHUNK_SIZE);
	struct sim *sim;

	if (!block)
		return NULL;
	sim = (struct sim *)(void *)(block + (-(uintptr_t)block & (CHUNK_SIZE - 1)) +
				     CHUNK_SIZE / 4 * 3);
	sim->block = block;
	return sim;
}

static struct sim *sim_new(const struct machine *machine, struct sim_error *err)
{
	struct sim *sim = sim_alloc_struct();
	u64 base = UINT64_MAX, end = 0;

	if (!sim) {
		sim_fail(err, ERR_NOMEM, "no memory for a machine");
		return NULL;
	}
	if (machine_copy(&sim->machine, machine, err)) {
		free(sim->block);
		return NULL;
	}
	for (u32 i = 0; i < machine->nr_zones; i++) {
		const struct machine_zone *z = &machine->zones[i];

		base = z->start_pfn < base ? z->start_pfn : base;
		end = z->start_pfn + z->pages > end ? z->start_pfn + z->pages : end;
	}
	sim->base_pfn = base >> MAX_ORDER << MAX_ORDER;
	sim->end_pfn = align_up(end, 1u << MAX_ORDER);
	sim->nr_cpus = (u16)machine->nr_cpu_nodes;
	sim->nr_zones = (u16)machine->nr_zones;
	sim->nr_nodes = (u16)machine->nodes;
	for (u32 type = 0; type < MIGRATE_PCPTYPES; type++)
		sim->live_flags[type] =
			page_flags(PG_LIVE, 0, type, 0) |
			(machine->lru && type == MIGRATE_MOVABLE ? PAGE_FLAG_MOVABLE : 0);
	sim_set_unusual(sim, UNUSUAL_NOFRAGMENT, machine->nofragment != NOFRAG_OFF);
	if (map_arena(sim, err) || build_zonelists(sim, err) || build_views(sim, err)) {
		sim_destroy(sim);
		return NULL;
	}
	return sim;
}

enum sim_err sim_create(const struct machine *machine, u32 patches, struct sim **out,
			struct sim_error *err)
{
	struct sim *sim;

	*out = NULL;
	if (!patch_set_is_closed(patches))
		return sim_fail(err, ERR_PATCH,
				"the patch set lacks a patch that another one needs");
	if (machine->scale_max != PCP_BATCH_SCALE_MAX && machine->scale_max != SCALE_NONE &&
	    patch_series(patches) == SERIES_V2)
		return sim_fail(err, ERR_MACHINE,
				"scale_max is fixed at 5 in series v2 (or none); v3 has 0..6");
	if (machine->nr_zones == 0 || machine->nr_cpu_nodes == 0)
		return sim_fail(err, ERR_MACHINE, "the machine has no zones or no CPUs");
	sim = sim_new(machine, err);
	if (!sim)
		return err ? err->code : ERR_NOMEM;
	sim->stat_exact = true;
	sim->state->patches = patches;
	sim->state->scale_max = (u32)machine->scale_max;
	sim_reload(sim);
	init_zones(sim);
	boot(sim);
	sim->stat_exact = machine->counters == COUNTERS_EXACT;
#ifdef PAGESET_CHECKS
	sim_set_checking(sim, true);
#endif
	*out = sim;
	return SIM_OK;
}

void sim_destroy(struct sim *sim)
{
	if (!sim)
		return;
	if (sim->arena)
		munmap(sim->arena, sim->arena_bytes);
	if (sim->dirty)
		munmap(sim->dirty, sim->nr_chunks * sizeof(*sim->dirty));
	free(sim->scratch_base);
	free(sim->zonelists);
	free(sim->views);
	machine_free(&sim->machine);
	free(sim->block);
}

enum sim_err sim_clone(const struct sim *from, struct sim **out, struct sim_error *err)
{
	struct sim *sim = sim_new(&from->machine, err);

	*out = sim;
	if (!sim)
		return err ? err->code : ERR_NOMEM;
	memcpy(sim->arena, from->arena, from->hot_bytes);
	for (size_t i = from->hot_bytes >> CHUNK_SHIFT; i < from->nr_chunks; i++) {
		if (!from->dirty[i].bits)
			continue;
		memcpy(sim->arena + (i << CHUNK_SHIFT), from->arena + (i << CHUNK_SHIFT),
		       CHUNK_SIZE);
		sim->dirty[i].bits = CHUNK_WRITTEN;
	}
	sim->stat_exact = from->stat_exact;
	sim->check_invariants = from->check_invariants;
	sim_reload(sim);
	sim_update_watched(sim);
	return SIM_OK;
}

void sim_set_observer(struct sim *sim, step_observer observer, void *ctx)
{
	sim->observer = observer;
	sim->observer_ctx = ctx;
	sim_update_watched(sim);
}

void sim_set_policy(struct sim *sim, const struct policy *policy)
{
	sim->policy = policy;
	sim_set_unusual(sim, UNUSUAL_POLICY, policy);
}

void sim_set_checking(struct sim *sim, bool on)
{
	sim->check_invariants = on;
	sim_update_watched(sim);
}

/*
 * Slots
 */

/* The slot of the i-th block of an allocation. */
static u32 op_take_slot(struct sim *sim, const struct op *op, u32 i, u32 order)
{
	if (likely(!(op->flags & OP_F_APART)))
		return take_slot(sim, order, 0);
	slot_set(sim, op->slot + i, slot_word_taken(sim->slots[op->slot + i], order, 0));
	return op->slot + i;
}

/* Slots apart are never given out twice. */
static void empty_slot(struct sim *sim, u32 id, bool stays_taken)
{
	struct slot slot = sim->slots[id];

	slot_set(sim, id, stays_taken ? slot.word >> 32 << 32 : slot_word_free(slot, 0));
}

static void fill_slot(struct sim *sim, u32 id, struct page *page)
{
	slot_set(sim, id, sim->slots[id].word | node_id(sim, page));
	page->private = id;
}

/*
 * Operations
 */

/* While somebody looks on, or policies act: the mirror with its steps. */
static __noinline struct alloc_result alloc_pages_loud(struct sim *sim, u32 order, u32 type,
						       bool atomic)
{
	return alloc_pages(sim, order, type, atomic);
}

static __noinline void free_pages_loud(struct sim *sim, struct page *page, u32 order)
{
	free_pages(sim, page, order);
}

static inline struct alloc_result op_alloc_pages(struct sim *sim, u32 order, u32 type, bool atomic)
{
	if (unlikely(sim_is_loud(sim)))
		return alloc_pages_loud(sim, order, type, atomic);
	return quiet_alloc_pages(sim, order, type, atomic);
}

static inline void op_free_pages(struct sim *sim, struct page *page, u32 order)
{
	if (unlikely(sim_is_loud(sim)))
		free_pages_loud(sim, page, order);
	else
		quiet_free_pages(sim, page, order);
}

static void op_allocate(struct sim *sim, const struct op *op, u32 *slots, struct op_result *result)
{
	bool failed = false;

	result->attempt = 1;
	for (u32 i = 0; i < op->count; i++) {
		u32 id = op_take_slot(sim, op, i, op->order);

		if (slots)
			slots[i] = id;
		if (!failed) {
			struct alloc_result got =
				op_alloc_pages(sim, op->order, op->type, op->flags & OP_F_ATOMIC);

			failed = !got.page;
			if (got.page) {
				if (got.attempt == 2)
					result->attempt = 2;
				fill_slot(sim, id, got.page);
				result->got++;
			}
		}
	}
	result->status = failed ? OP_FAILED : OP_DONE;
}

static void op_bulk(struct sim *sim, const struct op *op, u32 *slots, struct op_result *result)
{
	u32 *pages = sim->scratch;

	result->got = (sim_is_loud(sim) ? alloc_pages_bulk : quiet_alloc_pages_bulk)(
		sim, op->type, op->count, op->flags & OP_F_ATOMIC, pages, &result->attempt);
	for (u32 i = 0; i < op->count; i++) {
		u32 id = op_take_slot(sim, op, i, 0);

		if (slots)
			slots[i] = id;
		if (i < result->got)
			fill_slot(sim, id, node(sim, pages[i]));
	}
	result->status = result->got == op->count ? OP_DONE : OP_FAILED;
}

/*
 * The live page of a slot, or NULL for an empty one. The slot is given back; but
 * an operation apart leaves it taken and empty, so that the names which later
 * operations get are as if it had not been.
 */
static struct page *release_slot(struct sim *sim, u32 id, bool apart)
{
	u32 page_id = 0;

	/* The same slot twice in a list: the second is like an empty one. */
	if (likely(slot_taken(sim, id))) {
		page_id = slot_page(sim->slots[id]);
		if (unlikely(apart || id >= sim->slot_limit))
			empty_slot(sim, id, apart);
		else
			give_slot(sim, id);
	}
	if (unlikely(!page_id)) {
		sim->state->empty_frees++;
		STEP(sim, STEP_EMPTY_FREE, id);
		return NULL;
	}
	return node(sim, page_id);
}

static void op_free(struct sim *sim, const struct op *op, const u32 *slots,
		    struct op_result *result)
{
	for (u32 i = 0; i < op->count; i++) {
		struct page *page =
			release_slot(sim, slots ? slots[i] : op->slot, op->flags & OP_F_APART);

		if (!page)
			continue;
		op_free_pages(sim, page, page_order(page));
		result->got++;
	}
}

static void op_free_list(struct sim *sim, const struct op *op, const u32 *slots,
			 struct op_result *result)
{
	u32 nr = 0;

	for (u32 i = 0; i < op->count; i++) {
		struct page *page =
			release_slot(sim, slots ? slots[i] : op->slot, op->flags & OP_F_APART);
		struct zone *zone;

		if (!page)
			continue;
		zone = page_zone(sim, page);
		zone->stats.frees++;
		sim->state->live_pages--;
		sim->scratch[nr++] = node_id(sim, page);
	}
	(sim_is_loud(sim) ? free_unref_page_list : quiet_free_unref_page_list)(sim, sim->scratch,
									       nr);
	result->got = nr;
}

static void drain_pages(struct sim *sim, u32 cpu)
{
	for (u32 i = 0; i < sim->nr_zones; i++)
		drain_pages_zone(sim, cpu, &sim->zones[i]);
}

static void cpu_offline(struct sim *sim, u32 cpu)
{
	update_per_cpu_data_slice_size(sim, (int)cpu);
	setup_pcp_cacheinfo(sim);
	sim->online[cpu] = 0;
	sim->state->nr_online--;
	sim->node_online[sim->machine.cpu_node[cpu]]--;
	sim_set_cpu(sim, sim_first_online(sim));
	STEP(sim, STEP_CPU_OFFLINE, cpu, sim->cpu);
	drain_pages(sim, cpu);
	cpu_vm_stats_fold(sim, cpu);
	zones_pcp_update(sim, 0);
	refresh_zone_stat_thresholds(sim);
}

static void cpu_online(struct sim *sim, u32 cpu)
{
	STEP(sim, STEP_CPU_ONLINE, cpu);
	zones_pcp_update(sim, 1);
	cpu_joins(sim, cpu);
	refresh_zone_stat_thresholds(sim);
	update_per_cpu_data_slice_size(sim, -1);
	setup_pcp_cacheinfo(sim);
}

static void set_watermarks(struct sim *sim, const struct op *op)
{
	struct zone *zone = &sim->zones[op->zone];

	zone->_watermark[WMARK_MIN] = op->value;
	zone->_watermark[WMARK_LOW] = op->low;
	zone->_watermark[WMARK_HIGH] = op->high;
	zone->watermark_boost = 0;
	STEP(sim, STEP_WMARK_SET, op->value, op->low, op->high, zone->id);
	zone_pcp_update(sim, zone, 0);
}

static void sysctl(struct sim *sim, const struct op *op)
{
	struct sim_state *st = sim->state;

	STEP(sim, STEP_SYSCTL, op->value);
	switch (op->kind) {
	case OP_FRACTION:
		if (op->value == st->percpu_pagelist_high_fraction)
			return;
		st->percpu_pagelist_high_fraction = op->value;
		for (u32 i = 0; i < sim->nr_zones; i++)
			zone_set_pageset_high_and_batch(sim, &sim->zones[i], 0);
		return;
	case OP_MINFREE:
		st->min_free_kbytes = st->user_min_free_kbytes = op->value;
		break;
	default:
		st->watermark_scale_factor = op->value;
	}
	setup_per_zone_wmarks(sim);
}

/*
 * Mid-run change of the patch set. New fields begin at their initial value and
 * gone ones are cleared, so that a set toggled twice carries nothing over.
 */
static void change_patches(struct sim *sim, u32 set)
{
	u32 changed = sim->patches ^ set;
	u32 keep_inputs = PATCH_BIT(P_CACHE_INFO) | PATCH_BIT(P_KEEP_BATCH) |
			  PATCH_BIT(P_SERIES_V3);

	sim->state->patches = set;
	sim_reload(sim);
	STEP(sim, STEP_PATCHES, set);
	for (u32 i = 0; i < (u32)sim->nr_zones * sim->nr_cpus; i++) {
		struct per_cpu_pages *pcp = &sim->pagesets[i];

		if (!(set & PATCH_BIT(P_AVOID_DRAIN)))
			pcp->flags &= (u8)~PCPF_PREV_FREE_HIGH_ORDER;
		if (!(set & PATCH_BIT(P_KEEP_BATCH)))
			pcp->flags &= (u8)~PCPF_FREE_HIGH_BATCH;
		if (changed & PATCH_BIT(P_ALLOC_SCALE))
			pcp->alloc_factor = 0;
		if (changed & PATCH_BIT(P_COUNT_MIN))
			pcp->count_min = 0;
		if (changed & PATCH_BIT(P_FREE_COUNT))
			pcp->free_factor = 0, pcp->free_count = 0;
		if (changed & PATCH_BIT(P_HIGH_LIMITS))
			pcp->high_min = pcp->high_max = 0;
	}
	for (u32 i = 0; i < sim->nr_zones; i++) {
		struct zone *zone = &sim->zones[i];

		if (!(set & PATCH_BIT(P_BELOW_HIGH)))
			zone->flags &= ~(1u << ZONE_BELOW_HIGH);
		if (!(changed & PATCH_BIT(P_HIGH_LIMITS)))
			continue;
		zone->pageset_batch = 0; /* differs from any batch: write the sizes anew */
		zone_set_pageset_high_and_batch(sim, zone, 0);
		if (zone->pcp_disabled)
			pageset_update_all(sim, zone, 0, 0, 1);
	}
	if (changed & (PATCH_BIT(P_CACHE_INFO) | PATCH_BIT(P_SERIES_V3)))
		update_per_cpu_data_slice_size(sim, -1);
	if (changed & keep_inputs)
		setup_pcp_cacheinfo(sim);
}

/* What the kernel answers with an error or would wait for: nothing happens. */
static bool op_refused(const struct sim *sim, const struct op *op)
{
	const struct sim_state *st = sim->state;

	switch (op->kind) {
	case OP_FRACTION:
		return st->pcp_batch_high_locked ||
		       (op->value > 0 && op->value < MIN_PERCPU_PAGELIST_HIGH_FRACTION);
	case OP_MINFREE:
	case OP_WSF:
	case OP_WMARK:
	case OP_PCP_DISABLE:
		return st->pcp_batch_high_locked;
	case OP_PCP_ENABLE:
		return !sim->zones[op->zone].pcp_disabled;
	case OP_CPU_OFFLINE:
		return st->pcp_batch_high_locked || !sim->online[op->cpu] || st->nr_online == 1;
	case OP_CPU_ONLINE:
		return st->pcp_batch_high_locked || sim->online[op->cpu];
	default:
		return false;
	}
}

static void op_control(struct sim *sim, const struct op *op)
{
	struct zone *zone = &sim->zones[op->zone];

	switch (op->kind) {
	case OP_TICK:
		refresh_cpu_vm_stats(sim, op->cpu);
		break;
	case OP_DRAIN:
		drain_pages(sim, op->cpu);
		break;
	case OP_DRAIN_ALL:
		for (u32 cpu = 0; cpu < sim->nr_cpus; cpu++)
			drain_pages(sim, cpu);
		break;
	case OP_DRAIN_ZONE:
		for (u32 cpu = 0; cpu < sim->nr_cpus; cpu++)
			drain_pages_zone(sim, cpu, zone);
		break;
	case OP_RECLAIM:
		zone->flags &= ~(1u << ZONE_RECLAIM_ACTIVE);
		zone->flags |= (u32) !!(op->flags & OP_F_ON) << ZONE_RECLAIM_ACTIVE;
		STEP(sim, STEP_RECLAIM_FLAG, !!(op->flags & OP_F_ON), zone->id);
		break;
	case OP_FRACTION:
	case OP_MINFREE:
	case OP_WSF:
		sysctl(sim, op);
		break;
	case OP_WMARK:
		set_watermarks(sim, op);
		break;
	case OP_BOOST_CLEAR:
		zone->watermark_boost = 0;
		STEP(sim, STEP_BOOST_CLEARED, zone->id);
		break;
	case OP_PCP_DISABLE:
		zone_pcp_disable(sim, zone);
		break;
	case OP_PCP_ENABLE:
		zone_pcp_enable(sim, zone);
		break;
	case OP_CACHE:
		sim->cache_bytes[op->cpu] = (u64)op->value;
		STEP(sim, STEP_CACHE_SIZE, op->value, op->cpu);
		setup_pcp_cacheinfo(sim);
		break;
	case OP_CPU_OFFLINE:
		cpu_offline(sim, op->cpu);
		break;
	case OP_CPU_ONLINE:
		cpu_online(sim, op->cpu);
		break;
	case OP_TOUCH:
		zone_touched(sim, per_cpu_pageset(sim, zone, op->cpu));
		STEP(sim, STEP_TOUCHED, op->cpu, zone->id);
		break;
	case OP_PATCHES:
		if (op->flags & OP_F_CHANGE)
			change_patches(sim, patch_set_change(sim->patches, (u32)op->low,
							     (u32)op->value));
		else
			change_patches(sim, (u32)op->value);
		break;
	default:
		SIM_ASSERT(false, "kind %d", op->kind);
	}
}

static void op_run(struct sim *sim, const struct op *op, u32 *slots, struct op_result *result)
{
	switch (op->kind) {
	case OP_ALLOC:
	case OP_ALLOCN:
		op_allocate(sim, op, slots, result);
		break;
	case OP_BULK:
		op_bulk(sim, op, slots, result);
		break;
	case OP_FREE:
	case OP_FREEN:
		op_free(sim, op, slots, result);
		break;
	case OP_FREELIST:
		op_free_list(sim, op, slots, result);
		break;
	default:
		if (op_refused(sim, op)) {
			result->status = OP_REFUSED;
			STEP(sim, STEP_REFUSED, op->kind);
			break;
		}
		op_control(sim, op);
	}
}

enum sim_err sim_exec(struct sim *sim, const struct op *op, u32 *slots, struct op_result *result,
		      struct sim_error *err)
{
	enum sim_err ret = op_check(sim, op, slots, err);

	if (!ret && sim->depth > 1)
		ret = sim_fail(err, ERR_OP, "nothing can be injected into an injected operation");
	if (ret)
		return ret;
	sim_run(sim, op, slots, result);
	return SIM_OK;
}

void sim_run(struct sim *sim, const struct op *op, u32 *slots, struct op_result *result)
{
	struct op_result unseen;
	bool outer_busy = sim_busy(sim), outer_kswapd = sim->kswapd_woken;
	u32 outer_hold = sim->hold_now;
	u16 outer_cpu = sim->cpu;

	if (!result)
		result = &unseen;
	memset(result, 0, sizeof(*result));
	sim_set_cpu(sim, op_infos[op->kind].args & 1u << OPARG_cpu && op->kind != OP_CPU_ONLINE &&
					 op->kind != OP_CPU_OFFLINE ?
				 op->cpu :
				 sim_first_online(sim));
	sim_set_unusual(sim, UNUSUAL_BUSY, op->flags & OP_F_BUSY);
	sim->kswapd_woken = false;
	sim->scratch = sim->scratch_base + (sim->depth ? SIM_OP_LIST_MAX : 0);
	sim->depth++;
	op_run(sim, op, slots, result);
	sim->depth--;
	sim->scratch = sim->scratch_base;
	result->kswapd = sim->kswapd_woken;
	if (sim->depth) {
		/* Injected into another operation: that one goes on as it was. */
		sim_set_unusual(sim, UNUSUAL_BUSY, outer_busy);
		sim->kswapd_woken = outer_kswapd;
		sim->hold_now = outer_hold;
		sim_set_cpu(sim, outer_cpu);
	} else {
		sim_set_unusual(sim, UNUSUAL_BUSY, false);
		op_account(sim);
		if (unlikely(sim->check_invariants))
			sim_check_after_op(sim);
	}
}

__cold void sim_lock_met(struct sim *sim, const struct zone *zone)
{
	SIM_ASSERT(sim->lock_met, "zone %u is locked already", zone->id);
	sim->lock_met_zone = zone->id;
	longjmp(*sim->lock_met, 1);
}

/* setjmp() stands alone here, so that nothing lives across it that it could spoil. */
static bool runs_through(struct sim *trial, const struct op *op, u32 *slots)
{
	jmp_buf met;

	if (setjmp(met))
		return false;
	trial->lock_met = &met;
	sim_run(trial, op, slots, NULL);
	return true;
}

bool sim_would_wait(const struct sim *sim, const struct op *op, u32 *slots, u32 *zone)
{
	struct sim *trial;
	bool waits;

	if (sim_clone(sim, &trial, NULL)) {
		/* No memory for a trial: as if every lock were wanted. */
		*zone = 0;
		while (!sim->zones[*zone].lock)
			++*zone;
		return true;
	}
	sim_set_checking(trial, false);
	sim_set_policy(trial, sim->policy);
	trial->slot_limit = sim->slot_limit;
	trial->depth = 1;
	waits = !runs_through(trial, op, slots);
	*zone = trial->lock_met_zone;
	sim_destroy(trial);
	return waits;
}

__noinline __flatten u32 sim_alloc_any(struct sim *sim, u32 order, u32 type)
{
	struct page *page = op_alloc_pages(sim, order, type, false).page;
	u32 id;

	if (likely(page)) {
		id = take_slot(sim, order, node_id(sim, page));
		page->private = id;
	} else {
		id = take_slot(sim, order, 0);
	}
	op_account(sim);
	return id;
}

__noinline __flatten void sim_free_any(struct sim *sim, u32 slot)
{
	struct page *page;

	SIM_ASSERT(slot_taken(sim, slot), "slot %u", slot);
	page = release_slot(sim, slot, false);
	if (page)
		op_free_pages(sim, page, page_order(page));
	op_account(sim);
}

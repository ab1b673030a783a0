/* SPDX-License-Identifier: GPL-2.0-only */
/* links: core */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "core/timeline.h"

/* Two nodes, 4 CPUs, 64 MiB; a data cache so that all flags move. */
static void make_machine(struct machine *m, u32 nodes)
{
	struct sim_error err;

	machine_init(m);
	m->cpus = 4;
	m->nodes = nodes;
	m->memory = 64 << 20;
	m->data_cache = 1 << 20;
	m->highatomic = 1;
	m->boost = 15000;
	cr_assert_eq(machine_finish(m, &err), SIM_OK, "%s", err.message);
}

static struct timeline *make_timeline(u32 nodes, u32 patches, size_t bound)
{
	struct timeline *tl;
	struct sim_error err;
	struct machine m;

	make_machine(&m, nodes);
	cr_assert_eq(tl_create(&m, patches, bound, true, &tl, &err), SIM_OK, "%s", err.message);
	machine_free(&m);
	return tl;
}

/* A random workload: knows which slots are taken, as a log's writer does. */
struct load {
	u64 rng;
	bool toggles;
	u32 nr_live;
	struct {
		u32 slot;
		u8 order;
	} live[20000];
	u32 slots[SIM_OP_LIST_MAX];
};

static u64 next_random(u64 *state)
{
	u64 z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static u32 below(struct load *load, u32 n)
{
	return (u32)(next_random(&load->rng) % n);
}

static struct load *new_load(u64 seed, bool toggles)
{
	struct load *load = calloc(1, sizeof(*load));

	cr_assert(load);
	load->rng = seed;
	load->toggles = toggles;
	return load;
}

static u32 random_cpu(struct load *load, const struct sim *sim)
{
	u32 cpu;

	do
		cpu = below(load, sim_nr_cpus(sim));
	while (!sim_cpu_online(sim, cpu));
	return cpu;
}

/* Pick slots to free: a stretch in order, a stretch backwards, or here and there. */
static void pick_slots(struct load *load, struct op *op, u32 count)
{
	u32 from = below(load, load->nr_live), form = below(load, 3);

	op->count = 0;
	while (op->count < count && load->nr_live) {
		u32 i = form == 2 ? below(load, load->nr_live) : from;

		if (i >= load->nr_live)
			break;
		if (op->kind == OP_FREELIST && load->live[i].order) {
			if (form == 2)
				break;
			from++;
			continue;
		}
		load->slots[op->count++] = load->live[i].slot;
		if (form == 0)
			memmove(&load->live[i], &load->live[i + 1],
				(load->nr_live - i - 1) * sizeof(load->live[0]));
		else
			load->live[i] = load->live[load->nr_live - 1];
		load->nr_live--;
	}
	op->slot = load->slots[0];
}

static void random_control(struct load *load, const struct sim *sim, struct op *op)
{
	static const u8 kinds[] = { OP_TICK,	   OP_TICK,	  OP_DRAIN,	  OP_DRAIN_ALL,
				    OP_DRAIN_ZONE, OP_RECLAIM,	  OP_FRACTION,	  OP_MINFREE,
				    OP_WSF,	   OP_WMARK,	  OP_BOOST_CLEAR, OP_PCP_DISABLE,
				    OP_PCP_ENABLE, OP_PCP_ENABLE, OP_CACHE,	  OP_CPU_OFFLINE,
				    OP_CPU_ONLINE, OP_CPU_ONLINE, OP_TOUCH,	  OP_PATCHES };
	static const s64 values[] = { 0, 8, 100, 1500, 3000 };

	op->kind = kinds[below(load, ARRAY_SIZE(kinds) - !load->toggles)];
	op->zone = (u16)below(load, sim_nr_zones(sim));
	op->flags = below(load, 2) ? OP_F_ON : 0;
	op->value = values[below(load, 5)];
	op->count = 1;
	if (op->kind == OP_WSF && op->value == 0)
		op->value = 10;
	if (op->kind == OP_WMARK) {
		op->low = op->value + 50;
		op->high = op->low + 50;
	}
	if (op->kind == OP_CPU_ONLINE || op->kind == OP_CPU_OFFLINE)
		op->cpu = (u16)below(load, sim_nr_cpus(sim));
	if (op->kind == OP_CACHE)
		op->value <<= 12;
	if (op->kind == OP_PATCHES)
		op->value = patch_switch(sim_patches(sim), (enum patch_id)below(load, 10),
					 below(load, 2))
				    .set;
	if (op->kind == OP_PATCHES && patch_series(sim_patches(sim)) == SERIES_V3)
		op->value = sim_patches(sim) & ~PATCH_BIT(P_FREE_COUNT) & ~PATCH_BIT(P_NIKHIL);
}

static void random_op(struct load *load, const struct sim *sim, struct op *op)
{
	u32 what = below(load, 100);

	memset(op, 0, sizeof(*op));
	op->count = 1;
	op->cpu = (u16)random_cpu(load, sim);
	if (what < 8) {
		random_control(load, sim, op);
	} else if ((what < 55 && load->nr_live < 15000) || !load->nr_live) {
		op->kind = what < 30 ? OP_ALLOC : what < 45 ? OP_ALLOCN : OP_BULK;
		op->order = (u8)(below(load, 4) ? 0 : below(load, 30) ? below(load, 4) : 9);
		op->type = (u8)(below(load, 3) ? MIGRATE_MOVABLE : below(load, 3));
		if (op->kind == OP_BULK)
			op->order = 0;
		if (op->kind != OP_ALLOC)
			op->count = 1 + below(load, 60);
		if (below(load, 6) == 0)
			op->flags = OP_F_ATOMIC;
		if (below(load, 10) == 0 && op->kind != OP_ALLOCN)
			op->flags |= OP_F_BUSY;
	} else {
		op->kind = what < 75 ? OP_FREE : what < 88 ? OP_FREEN : OP_FREELIST;
		pick_slots(load, op, op->kind == OP_FREE ? 1 : 1 + below(load, 80));
		if (op->count == 0)
			*op = (struct op){ .kind = OP_TICK, .cpu = op->cpu, .count = 1 };
	}
}

static void took(struct load *load, const struct op *op)
{
	if (op->kind > OP_BULK)
		return;
	for (u32 i = 0; i < op->count && load->nr_live < ARRAY_SIZE(load->live); i++) {
		load->live[load->nr_live].slot = load->slots[i];
		load->live[load->nr_live++].order = op->order;
	}
}

static bool with_slots(const struct op *op)
{
	return op->kind <= OP_FREELIST;
}

static void append_random(struct timeline *tl, struct load *load)
{
	struct sim_error err;
	struct op op;

	random_op(load, tl_view(tl), &op);
	cr_assert_eq(tl_append(tl, &op, with_slots(&op) ? load->slots : NULL, NULL, &err), SIM_OK,
		     "%s", err.message);
	took(load, &op);
}

static void seek(struct timeline *tl, u64 op, u32 step)
{
	struct sim_error err;

	cr_assert_eq(tl_seek(tl, op, step, &err), SIM_OK, "%s", err.message);
	cr_assert_eq(tl_position(tl).op, op);
	cr_assert_eq(tl_position(tl).step, step);
}

static u64 digest(const struct timeline *tl)
{
	return sim_state_digest(tl_view(tl));
}

/* A plain machine under the log, without a timeline: what the timeline must show. */
struct plain {
	u64 want_op, at_op;
	u32 want_step, seen;
	u64 digest;
	bool found;
};

static void on_plain_step(void *ctx, struct sim *sim, const struct step *step)
{
	struct plain *plain = ctx;

	(void)step;
	if (plain->at_op == plain->want_op && ++plain->seen == plain->want_step) {
		plain->digest = sim_state_digest(sim);
		plain->found = true;
	}
}

/* The state digest at (op, step) of a log without injections. */
static u64 plain_digest(struct timeline *tl, u32 nodes, u32 patches, u64 op_at, u32 step)
{
	struct plain plain = { .want_op = op_at, .want_step = step };
	struct sim_error err;
	struct machine m;
	struct sim *sim;
	u64 last;

	make_machine(&m, nodes);
	cr_assert_eq(sim_create(&m, patches, &sim, &err), SIM_OK, "%s", err.message);
	machine_free(&m);
	sim_set_checking(sim, false);
	sim_set_observer(sim, on_plain_step, &plain);
	for (u64 i = 0; i < op_at + (step > 0); i++) {
		const u32 *slots;
		struct op op;

		cr_assert_eq(tl_op(tl, i, &op, &slots, &err), SIM_OK, "%s", err.message);
		plain.at_op = i;
		cr_assert_eq(sim_exec(sim, &op, (u32 *)(uintptr_t)slots, NULL, &err), SIM_OK, "%s",
			     err.message);
	}
	last = step ? plain.digest : sim_state_digest(sim);
	cr_assert(!step || plain.found);
	sim_destroy(sim);
	return last;
}

enum { NR_OPS_RANDOM = 120 };

static void check_level(u32 patches, u64 seed, size_t bound)
{
	struct timeline *tl = make_timeline(2, patches, bound);
	struct load *load = new_load(seed, true);
	u64 digests[NR_OPS_RANDOM + 1];
	struct sim_error err;

	digests[0] = digest(tl);
	for (u32 i = 0; i < NR_OPS_RANDOM; i++) {
		append_random(tl, load);
		digests[i + 1] = digest(tl);
		cr_assert_leq(tl_bytes(tl), bound);
	}
	for (u32 i = NR_OPS_RANDOM + 1; i-- > 0;) {
		seek(tl, i, 0);
		cr_assert_eq(digest(tl), digests[i], "op %u back", i);
	}
	for (u32 i = 0; i < 60; i++) {
		u32 op = below(load, NR_OPS_RANDOM), nr, k;
		const struct step *steps;
		u64 middle;

		cr_assert_eq(tl_steps(tl, op, &steps, &nr, NULL, &err), SIM_OK, "%s", err.message);
		if (nr == 0)
			continue;
		k = 1 + below(load, nr);
		seek(tl, op, k);
		middle = digest(tl);
		if (i < 6)
			cr_assert_eq(middle, plain_digest(tl, 2, patches, op, k), "(%u, %u)", op,
				     k);
		seek(tl, below(load, NR_OPS_RANDOM + 1), 0);
		cr_assert_eq(digest(tl), digests[tl_position(tl).op]);
		seek(tl, op, k);
		cr_assert_eq(digest(tl), middle, "(%u, %u) again", op, k);
		cr_assert(tl_step_prev(tl));
		cr_assert(tl_step_next(tl));
		cr_assert_eq(digest(tl), middle, "(%u, %u) after back and forth", op, k);
	}
	cr_assert_eq(plain_digest(tl, 2, patches, NR_OPS_RANDOM, 0), digests[NR_OPS_RANDOM]);
	free(load);
	tl_destroy(tl);
}

Test(timeline, forward_and_back_agree_at_every_level_of_v2)
{
	for (int level = 0; level <= 10; level++)
		check_level(patch_level(SERIES_V2, level), 100 + (u64)level, TL_BOUND_DEFAULT);
}

Test(timeline, forward_and_back_agree_at_every_level_of_v3)
{
	for (int level = 0; level <= 9; level++)
		check_level(patch_level(SERIES_V3, level), 200 + (u64)level, TL_BOUND_DEFAULT);
}

Test(timeline, a_small_bound_changes_nothing_but_time)
{
	for (int level = 0; level <= 10; level += 5)
		check_level(patch_level(SERIES_V2, level), 300 + (u64)level, (size_t)5 << 19);
}

Test(timeline, walking_by_steps_passes_every_boundary)
{
	struct timeline *tl = make_timeline(1, patch_level(SERIES_V2, 10), TL_BOUND_DEFAULT);
	struct load *load = new_load(5, true);
	u64 digests[41], forward[20000], n = 0;

	digests[0] = digest(tl);
	for (u32 i = 0; i < 40; i++) {
		append_random(tl, load);
		digests[i + 1] = digest(tl);
	}
	cr_expect(!tl_step_next(tl));
	seek(tl, 0, 0);
	cr_expect(!tl_step_prev(tl));
	do {
		struct tl_pos pos = tl_position(tl);

		cr_assert_lt(n, ARRAY_SIZE(forward));
		forward[n++] = digest(tl);
		if (pos.step == 0)
			cr_assert_eq(digest(tl), digests[pos.op]);
	} while (tl_step_next(tl));
	cr_assert_eq(tl_position(tl).op, 40);
	do
		cr_assert_eq(digest(tl), forward[--n], "at %llu",
			     (unsigned long long)tl_position(tl).op);
	while (tl_step_prev(tl));
	cr_expect_eq(n, 0);
	free(load);
	tl_destroy(tl);
}

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

Test(timeline, steps_that_are_not_there_change_nothing)
{
	struct timeline *tl = make_timeline(1, 0, TL_BOUND_DEFAULT);
	struct load *load = new_load(6, false);
	const struct step *steps;
	struct sim_error err;
	struct op op;
	u64 before;
	u32 nr;

	for (u32 i = 0; i < 10; i++)
		append_random(tl, load);
	cr_assert_eq(tl_steps(tl, 4, &steps, &nr, NULL, &err), SIM_OK);
	cr_assert_gt(nr, 0);
	cr_expect_eq(tl_position(tl).op, 10);
	seek(tl, 7, 1);
	before = digest(tl);
	cr_expect_eq(tl_seek(tl, 11, 0, &err), ERR_POSITION);
	cr_expect_eq(tl_seek(tl, 10, 1, &err), ERR_POSITION);
	cr_expect_eq(tl_seek(tl, 4, nr + 1, &err), ERR_POSITION);
	cr_expect_eq(tl_steps(tl, 10, &steps, &nr, NULL, &err), ERR_POSITION);
	cr_expect_eq(tl_op(tl, 10, &op, NULL, &err), ERR_POSITION);
	op = (struct op){ .kind = OP_TICK, .count = 1 };
	cr_expect_eq(tl_append(tl, &op, NULL, NULL, &err), ERR_POSITION);
	cr_expect_eq(tl_insert(tl, &op, &err), ERR_POSITION);
	cr_expect(tl_position(tl).op == 7 && tl_position(tl).step == 1);
	cr_expect_eq(digest(tl), before);
	seek(tl, 10, 0);
	op.cpu = 99;
	cr_expect_eq(tl_append(tl, &op, NULL, NULL, &err), ERR_RANGE);
	cr_expect_eq(tl_length(tl), 10);
	free(load);
	tl_destroy(tl);
}

Test(timeline, the_log_reads_back_what_was_appended)
{
	struct timeline *tl = make_timeline(2, 0, TL_BOUND_DEFAULT);
	struct load *load = new_load(7, true), *again = new_load(7, true);
	struct sim_error err;

	for (u32 i = 0; i < 600; i++) {
		const u32 *slots;
		struct op want, got;

		random_op(load, tl_view(tl), &want);
		random_op(again, tl_view(tl), &want);
		cr_assert_eq(tl_append(tl, &want, with_slots(&want) ? load->slots : NULL, NULL,
				       &err),
			     SIM_OK, "%s", err.message);
		took(load, &want);
		memcpy(again->slots, load->slots, sizeof(load->slots));
		took(again, &want);
		cr_assert_eq(tl_op(tl, i, &got, &slots, &err), SIM_OK);
		cr_assert(got.kind == want.kind && got.count == want.count, "%u", i);
		if (op_infos[got.kind].args & 1u << OPARG_cpu)
			cr_assert_eq(got.cpu, want.cpu);
		if (got.kind <= OP_BULK)
			cr_assert(got.order == want.order && got.type == want.type &&
				  got.flags == want.flags && !slots);
		else if (got.kind <= OP_FREELIST)
			cr_assert_eq(memcmp(slots, load->slots, got.count * sizeof(u32)), 0, "%u",
				     i);
		else
			cr_assert(got.value == want.value || got.kind < OP_FRACTION ||
				  got.kind == OP_BOOST_CLEAR || got.kind == OP_PCP_DISABLE ||
				  got.kind == OP_PCP_ENABLE || got.kind == OP_CPU_OFFLINE ||
				  got.kind == OP_CPU_ONLINE || got.kind == OP_TOUCH);
	}
	free(load);
	free(again);
	tl_destroy(tl);
}

Test(timeline, single_operations_cost_at_most_16_bytes)
{
	struct timeline *tl = make_timeline(1, patch_level(SERIES_V2, 10), TL_BOUND_DEFAULT);
	struct op op = { .kind = OP_ALLOC, .count = 1, .type = MIGRATE_MOVABLE };
	u32 slots[1000];
	size_t before = tl_bytes(tl), checkpoints;

	for (u32 i = 0; i < 40000; i++) {
		op.kind = i / 1000 % 2 ? OP_FREE : OP_ALLOC;
		op.slot = slots[i % 1000];
		cr_assert_eq(tl_append(tl, &op, op.kind == OP_ALLOC ? &slots[i % 1000] : NULL, NULL,
				       NULL),
			     SIM_OK);
	}
	/* Going back to the start and cutting all off leaves what the log did not take. */
	checkpoints = tl_bytes(tl);
	seek(tl, 0, 0);
	cr_assert_eq(tl_truncate(tl, NULL), SIM_OK);
	cr_expect_eq(tl_length(tl), 0);
	cr_expect_leq(checkpoints - before, 40000u * 16 + (4u << 20));
	tl_destroy(tl);
}

Test(timeline, events_say_what_happened)
{
	struct timeline *tl = make_timeline(1, 0, TL_BOUND_DEFAULT);
	struct op op = { .kind = OP_ALLOC, .count = 1, .type = MIGRATE_MOVABLE };
	u32 slot;

	/* 0: an empty list is refilled; 1: it is not empty; 2: tick; 3: drain; 4: no memory. */
	tl_append(tl, &op, &slot, NULL, NULL);
	tl_append(tl, &op, &slot, NULL, NULL);
	op.kind = OP_TICK;
	tl_append(tl, &op, NULL, NULL, NULL);
	op.kind = OP_DRAIN;
	tl_append(tl, &op, NULL, NULL, NULL);
	op = (struct op){ .kind = OP_ALLOCN, .order = 10, .count = 17, .type = MIGRATE_MOVABLE };
	tl_append(tl, &op, NULL, NULL, NULL);
	op = (struct op){ .kind = OP_PATCHES, .count = 1, .value = 1 };
	tl_append(tl, &op, NULL, NULL, NULL);
	cr_expect_eq(tl_events(tl, 0), TL_REFILL);
	cr_expect_eq(tl_events(tl, 1), 0);
	cr_expect_eq(tl_events(tl, 2), TL_TICK);
	cr_expect_eq(tl_events(tl, 3), TL_BULK | TL_DRAIN);
	cr_expect(tl_events(tl, 4) & TL_FAIL);
	cr_expect_eq(tl_events(tl, 5), TL_PATCH);
	cr_expect_eq(tl_find_event(tl, 0, true, TL_BULK | TL_TICK), 2);
	cr_expect_eq(tl_find_event(tl, 2, true, TL_REFILL), -1);
	cr_expect_eq(tl_find_event(tl, 3, false, TL_REFILL), 0);
	cr_expect_eq(tl_find_event(tl, 0, false, 255), -1);
	/* After an edit they are told anew. */
	seek(tl, 1, 0);
	op = (struct op){ .kind = OP_DRAIN, .count = 1 };
	cr_assert_eq(tl_insert(tl, &op, NULL), SIM_OK);
	cr_expect_eq(tl_find_event(tl, 1, true, TL_REFILL), 2);
	cr_expect_eq(tl_events(tl, 1), TL_BULK | TL_DRAIN);
	tl_destroy(tl);
}

Test(timeline, a_fork_is_independent)
{
	struct timeline *tl = make_timeline(2, patch_level(SERIES_V2, 7), TL_BOUND_DEFAULT), *other;
	struct load *load = new_load(8, true), *copy;
	u64 digests[201];
	struct sim_error err;

	digests[0] = digest(tl);
	for (u32 i = 0; i < 100; i++) {
		append_random(tl, load);
		digests[i + 1] = digest(tl);
	}
	cr_assert_eq(tl_fork(tl, &other, &err), SIM_OK, "%s", err.message);
	cr_expect_eq(digest(other), digests[100]);
	copy = malloc(sizeof(*copy));
	memcpy(copy, load, sizeof(*copy));
	/* The origin goes one way, the fork another, back and forth in turn. */
	copy->rng = 99;
	for (u32 i = 100; i < 200; i++) {
		append_random(tl, load);
		digests[i + 1] = digest(tl);
		append_random(other, copy);
		if (i % 10 == 0) {
			seek(other, below(copy, 101), 0);
			cr_assert_eq(digest(other), digests[tl_position(other).op]);
			seek(other, tl_length(other), 0);
		}
	}
	seek(other, 50, 0);
	cr_assert_eq(tl_truncate(other, &err), SIM_OK);
	cr_expect_eq(tl_length(other), 50);
	tl_destroy(other);
	for (u32 i = 201; i-- > 0;) {
		seek(tl, i, 0);
		cr_assert_eq(digest(tl), digests[i], "op %u", i);
	}
	/* From the middle of an operation, too; it outlives its origin. */
	seek(tl, 0, 1);
	digests[1] = digest(tl);
	cr_assert_eq(tl_fork(tl, &other, &err), SIM_OK);
	tl_destroy(tl);
	cr_expect_eq(digest(other), digests[1]);
	seek(other, 150, 0);
	cr_expect_eq(digest(other), digests[150]);
	free(load);
	free(copy);
	tl_destroy(other);
}

Test(timeline, the_bound_holds_and_a_full_one_changes_nothing)
{
	size_t bound = (size_t)5 << 19;
	struct timeline *tl = make_timeline(1, patch_level(SERIES_V2, 10), bound);
	struct load *load = new_load(9, false);
	enum sim_err ret = SIM_OK;
	struct sim_error err;
	struct op op;
	u64 n = 0, full, first, *digests = calloc(200000, sizeof(*digests));

	sim_set_checking(tl_sim(tl), false);
	for (; n < 190000; n++) {
		full = digest(tl);
		digests[n] = full;
		random_op(load, tl_view(tl), &op);
		ret = tl_append(tl, &op, with_slots(&op) ? load->slots : NULL, NULL, &err);
		if (ret)
			break;
		took(load, &op);
		cr_assert_leq(tl_bytes(tl), bound);
	}
	cr_assert_eq(ret, ERR_FULL, "%d after %llu", ret, (unsigned long long)n);
	cr_expect_eq(tl_length(tl), n);
	cr_expect_eq(digest(tl), full);
	cr_expect(strstr(err.message, "full"), "%s", err.message);
	seek(tl, n / 3, 0);
	cr_expect_eq(digest(tl), digests[n / 3]);
	cr_expect_leq(tl_bytes(tl), bound);
	seek(tl, n, 0);
	/* Dropping the oldest makes room; what stays is as it was. */
	cr_assert_eq(tl_drop_oldest(tl, &err), SIM_OK, "%s", err.message);
	first = tl_first(tl);
	cr_expect_gt(first, 0);
	cr_expect_eq(tl_position(tl).op, n);
	cr_expect_eq(digest(tl), full);
	cr_expect_eq(tl_seek(tl, first - 1, 0, &err), ERR_POSITION);
	cr_expect_eq(tl_set_base_patches(tl, 0, &err), ERR_POSITION);
	for (u32 i = 0; i < 20; i++) {
		u64 to = first + below(load, (u32)(n - first + 1));

		seek(tl, to, 0);
		cr_assert_eq(digest(tl), digests[to], "op %llu", (unsigned long long)to);
		cr_assert_leq(tl_bytes(tl), bound);
	}
	seek(tl, first, 0);
	cr_expect_not(tl_step_prev(tl));
	seek(tl, n, 0);
	op = (struct op){ .kind = OP_TICK, .count = 1 };
	op.cpu = (u16)sim_first_online(tl_view(tl));
	cr_expect_eq(tl_append(tl, &op, NULL, NULL, &err), SIM_OK, "%s", err.message);
	/* Again and again, down to nothing. */
	while (tl_first(tl) < tl_length(tl))
		cr_assert_eq(tl_drop_oldest(tl, &err), SIM_OK, "%s", err.message);
	cr_expect_eq(tl_drop_oldest(tl, &err), ERR_POSITION);
	cr_expect_eq(tl_append(tl, &op, NULL, NULL, &err), SIM_OK);
	cr_expect(tl_step_prev(tl));
	free(digests);
	free(load);
	tl_destroy(tl);
}

Test(timeline, a_bound_without_room_for_the_machine_is_refused)
{
	struct timeline *tl = (void *)1;
	struct sim_error err;
	struct machine m;

	make_machine(&m, 1);
	cr_expect_eq(tl_create(&m, 0, 4096, true, &tl, &err), ERR_FULL);
	cr_expect_null(tl);
	machine_free(&m);
}

Test(timeline, without_a_log_only_appending_works)
{
	struct load *load = new_load(10, false);
	struct timeline *tl;
	struct sim_error err;
	struct machine m;
	size_t bytes;

	make_machine(&m, 1);
	cr_assert_eq(tl_create(&m, 0, 0, false, &tl, &err), SIM_OK, "%s", err.message);
	machine_free(&m);
	bytes = tl_bytes(tl);
	for (u32 i = 0; i < 200; i++)
		append_random(tl, load);
	cr_expect_eq(tl_bytes(tl), bytes);
	cr_expect_eq(tl_length(tl), 200);
	cr_expect_eq(tl_position(tl).op, 200);
	cr_expect_eq(tl_seek(tl, 100, 0, &err), ERR_POSITION);
	cr_expect_eq(tl_op(tl, 0, &(struct op){ 0 }, NULL, &err), ERR_POSITION);
	cr_expect_not(tl_step_prev(tl));
	cr_expect_eq(tl_find_event(tl, 0, true, 255), -1);
	free(load);
	tl_destroy(tl);
}

/* Put operations in here and there, compare, take them out in another order. */
Test(timeline, what_was_put_in_and_taken_out_leaves_no_trace)
{
	struct timeline *tl = make_timeline(2, patch_level(SERIES_V2, 10), TL_BOUND_DEFAULT);
	struct load *load = new_load(11, true);
	u64 digests[121];
	struct sim_error err;

	digests[0] = digest(tl);
	for (u32 i = 0; i < 120; i++) {
		append_random(tl, load);
		digests[i + 1] = digest(tl);
	}
	for (u32 round = 0; round < 30; round++) {
		u64 at[3], end;
		u32 n = 0;

		while (n < 3) {
			struct op op = { .count = 1, .type = MIGRATE_MOVABLE };
			u64 place = below(load, 120);
			struct slot_info info;

			op.kind = (u8)(n == 0 ? OP_ALLOC : n == 1 ? OP_FREE : OP_PATCHES);
			seek(tl, place, 0);
			op.cpu = (u16)random_cpu(load, tl_view(tl));
			op.value = patch_level(SERIES_V2, (int)below(load, 11));
			for (op.slot = 1; op.kind == OP_FREE && op.slot < 3000; op.slot++) {
				if (sim_slot_info(tl_view(tl), op.slot, &info) && info.live)
					break;
			}
			if (op.kind == OP_FREE && op.slot == 3000)
				continue;
			cr_assert_eq(tl_insert(tl, &op, &err), SIM_OK, "%s", err.message);
			cr_assert_eq(tl_position(tl).op, place + 1);
			for (u32 k = 0; k < n; k++)
				at[k] += at[k] >= place;
			at[n++] = place;
		}
		cr_assert_eq(tl_length(tl), 123);
		seek(tl, 123, 0);
		end = digest(tl);
		seek(tl, below(load, 124), 0);
		seek(tl, 123, 0);
		cr_assert_eq(digest(tl), end);
		for (u32 k = 0; k < 3; k++) {
			seek(tl, below(load, (u32)tl_length(tl) + 1), 0);
			cr_assert_eq(tl_remove(tl, at[k], &err), SIM_OK, "%s", err.message);
			for (u32 j = k + 1; j < 3; j++)
				at[j] -= at[j] > at[k];
		}
		for (u32 k = 0; k < 10; k++) {
			seek(tl, below(load, 121), 0);
			cr_assert_eq(digest(tl), digests[tl_position(tl).op], "round %u", round);
		}
	}
	free(load);
	tl_destroy(tl);
}

Test(timeline, an_edit_that_later_operations_cannot_bear_is_refused)
{
	struct timeline *tl = make_timeline(1, 0, TL_BOUND_DEFAULT);
	struct op alloc = { .kind = OP_ALLOC, .cpu = 3, .count = 1, .type = MIGRATE_MOVABLE };
	struct op offline = { .kind = OP_CPU_OFFLINE, .cpu = 3, .count = 1 };
	struct op online = { .kind = OP_CPU_ONLINE, .cpu = 3, .count = 1 };
	struct op disable = { .kind = OP_PCP_DISABLE, .count = 1 };
	struct sim_error err;
	u64 before;
	u32 slot;

	tl_append(tl, &alloc, &slot, NULL, NULL);
	tl_append(tl, &offline, NULL, NULL, NULL);
	tl_append(tl, &online, NULL, NULL, NULL);
	tl_append(tl, &alloc, &slot, NULL, NULL);
	before = digest(tl);
	seek(tl, 0, 0);
	cr_expect_eq(tl_insert(tl, &offline, &err), ERR_OP);
	cr_expect(strstr(err.message, "operation 1 runs on cpu 3"), "%s", err.message);
	/* Its pagesets disabled, the CPU could not come back. */
	seek(tl, 2, 0);
	cr_expect_eq(tl_insert(tl, &disable, &err), ERR_OP);
	cr_expect_eq(tl_remove(tl, 2, &err), ERR_OP);
	/* An allocation of the log names later ones. */
	cr_expect_eq(tl_remove(tl, 0, &err), ERR_OP);
	cr_expect_eq(tl_length(tl), 4);
	seek(tl, 4, 0);
	cr_expect_eq(digest(tl), before);
	/* The last one may go, whatever it is. */
	cr_expect_eq(tl_remove(tl, 3, &err), SIM_OK);
	cr_expect_eq(tl_position(tl).op, 3);
	seek(tl, 1, 0);
	cr_expect_eq(tl_remove(tl, 2, &err), SIM_OK, "%s", err.message);
	cr_expect_eq(tl_length(tl), 2);
	tl_destroy(tl);
}

Test(timeline, the_same_log_under_another_set_is_as_if_it_had_begun_so)
{
	struct timeline *tl = make_timeline(2, 0, TL_BOUND_DEFAULT);
	struct load *load = new_load(12, false);
	struct sim *shown = tl_sim(tl);
	struct sim_error err;
	u64 first;

	for (u32 i = 0; i < 100; i++)
		append_random(tl, load);
	first = digest(tl);
	for (int level = 1; level <= 10; level++) {
		u32 set = patch_level(SERIES_V2, level);

		cr_assert_eq(tl_set_base_patches(tl, set, &err), SIM_OK, "%s", err.message);
		cr_expect_eq(tl_position(tl).op, 100);
		cr_expect_eq(tl_base_patches(tl), set);
		cr_expect_eq(tl_sim(tl), shown);
		cr_assert_eq(digest(tl), plain_digest(tl, 2, set, 100, 0), "level %d", level);
	}
	cr_expect_eq(tl_set_base_patches(tl, PATCH_BIT(P_TUNE_HIGH), &err), ERR_PATCH);
	seek(tl, 40, 1);
	cr_assert_eq(tl_set_base_patches(tl, 0, &err), SIM_OK);
	cr_expect(tl_position(tl).op == 40 && tl_position(tl).step == 0);
	seek(tl, 100, 0);
	cr_expect_eq(digest(tl), first);
	free(load);
	tl_destroy(tl);
}

/* One CPU's pageset with a batch in it, and a live block; then a free of order 0. */
static struct timeline *free_in_progress(u32 patches, u32 *slots)
{
	struct timeline *tl = make_timeline(1, patches, TL_BOUND_DEFAULT);
	struct op op = { .kind = OP_ALLOC, .count = 1, .type = MIGRATE_MOVABLE };

	cr_assert_eq(tl_append(tl, &op, &slots[0], NULL, NULL), SIM_OK);
	cr_assert_eq(tl_append(tl, &op, &slots[1], NULL, NULL), SIM_OK);
	op.kind = OP_FREE;
	op.slot = slots[0];
	cr_assert_eq(tl_append(tl, &op, NULL, NULL, NULL), SIM_OK);
	return tl;
}

/* Go to the n-th step of a kind in an operation. */
static void seek_step(struct timeline *tl, u64 op, enum step_id id)
{
	const struct step *steps;
	struct sim_error err;
	u32 nr;

	cr_assert_eq(tl_steps(tl, op, &steps, &nr, NULL, &err), SIM_OK, "%s", err.message);
	for (u32 k = 0; k < nr; k++) {
		if (steps[k].id == id && steps[k].depth == 0) {
			seek(tl, op, k + 1);
			return;
		}
	}
	cr_assert_fail("no step %s in operation %llu", step_infos[id].name, (unsigned long long)op);
}

Test(timeline_inject, an_allocation_that_meets_the_lock_goes_to_the_buddy)
{
	u32 slots[2], slot = 0;
	struct timeline *tl = free_in_progress(0, slots);
	struct op op = { .kind = OP_ALLOC, .count = 1, .type = MIGRATE_MOVABLE };
	struct op_result result;
	struct slot_info info;
	struct sim_error err;
	bool put_off = true;
	u64 middle, refills = sim_stats(tl_view(tl)).refills;

	/* The page is on the list and the pageset still locked. */
	seek_step(tl, 2, STEP_PCP_PUSH);
	middle = digest(tl);
	cr_assert(sim_pageset_locked(tl_view(tl), 0) && !sim_zone_locked(tl_view(tl)));
	cr_assert_eq(tl_inject(tl, &op, &slot, &result, &put_off, &err), SIM_OK, "%s", err.message);
	cr_expect_eq(result.got, 1);
	cr_expect_not(put_off);
	cr_expect_eq(digest(tl), middle);
	/* The next step is the injected operation's. */
	cr_assert(tl_step_next(tl));
	cr_expect_neq(digest(tl), middle);
	seek(tl, 3, 0);
	cr_expect_eq(sim_stats(tl_view(tl)).direct_allocs, 1);
	cr_expect_eq(sim_stats(tl_view(tl)).refills, refills);
	cr_assert(sim_slot_info(tl_view(tl), slot, &info));
	cr_expect(info.live);
	/* What it got can be freed like any other, and once only. */
	op = (struct op){ .kind = OP_FREE, .count = 1, .slot = slot };
	cr_assert_eq(tl_append(tl, &op, NULL, NULL, &err), SIM_OK, "%s", err.message);
	cr_expect_eq(tl_append(tl, &op, NULL, NULL, &err), ERR_SLOT);
	/* Names given later are as without it. */
	op = (struct op){ .kind = OP_ALLOC, .count = 1, .type = MIGRATE_MOVABLE };
	cr_assert_eq(tl_append(tl, &op, &slot, NULL, &err), SIM_OK);
	cr_expect_eq(slot, slots[0]);
	tl_destroy(tl);
}

Test(timeline_inject, what_needs_a_held_lock_waits_for_its_release)
{
	u32 slots[305], slot;
	struct timeline *tl = make_timeline(1, 0, TL_BOUND_DEFAULT);
	struct op op = { .kind = OP_ALLOCN, .count = 305, .type = MIGRATE_MOVABLE };
	struct tl_injection inj;
	struct sim_error err;
	bool put_off = false;

	tl_append(tl, &op, slots, NULL, NULL);
	op = (struct op){ .kind = OP_DRAIN, .count = 1 };
	tl_append(tl, &op, NULL, NULL, NULL);
	seek_step(tl, 1, STEP_BULK_PAGE);
	cr_assert(sim_zone_locked(tl_view(tl)));
	op = (struct op){ .kind = OP_ALLOC, .count = 1, .type = MIGRATE_MOVABLE };
	cr_assert_eq(tl_inject(tl, &op, &slot, NULL, &put_off, &err), SIM_OK, "%s", err.message);
	cr_expect(put_off);
	/* A tick waits for the pageset. */
	op = (struct op){ .kind = OP_TICK, .count = 1 };
	put_off = false;
	cr_assert_eq(tl_inject(tl, &op, NULL, NULL, &put_off, &err), SIM_OK, "%s", err.message);
	cr_expect(put_off);
	/* Another flag of the zone waits for nothing. */
	op = (struct op){ .kind = OP_RECLAIM, .count = 1, .flags = OP_F_ON };
	cr_assert_eq(tl_inject(tl, &op, NULL, NULL, &put_off, &err), SIM_OK, "%s", err.message);
	cr_expect_not(put_off);
	cr_expect_eq(tl_nr_injections(tl, 1), 3);
	cr_expect_eq(tl_injection(tl, 1, 1, &inj, &err), SIM_OK);
	cr_expect(inj.op.kind == OP_TICK && inj.step == STEP_BULK_PAGE && inj.nth == 1);
	cr_expect(inj.put_off && !inj.displaced);
	cr_expect_eq(tl_injection(tl, 1, 3, &inj, &err), ERR_POSITION);
	cr_expect_eq(tl_displaced(tl), 0);
	seek(tl, 2, 0);
	cr_expect_eq(sim_zone(tl_view(tl), 0)->flags, 1u << ZONE_RECLAIM_ACTIVE);
	tl_destroy(tl);
}

/* While cpu 0 gives pages back under the zone lock, cpu 1 takes from its own list, which needs no lock; 40 pages do. */
Test(timeline_inject, only_what_wants_the_held_zone_lock_waits)
{
	u32 slots[305], own[2], slot;
	struct timeline *tl = make_timeline(1, 0, TL_BOUND_DEFAULT);
	struct op op = { .kind = OP_ALLOCN, .count = 305, .type = MIGRATE_MOVABLE };
	struct tl_injection inj;
	const struct step *steps;
	struct sim_error err;
	bool put_off = true;
	int count;
	u32 nr, k, many[400];

	tl_append(tl, &op, slots, NULL, NULL);
	op = (struct op){ .kind = OP_ALLOCN, .count = 1, .cpu = 1, .type = MIGRATE_MOVABLE };
	cr_assert_eq(tl_append(tl, &op, own, NULL, &err), SIM_OK);
	op = (struct op){ .kind = OP_DRAIN, .count = 1 };
	tl_append(tl, &op, NULL, NULL, NULL);
	seek_step(tl, 2, STEP_BULK_PAGE);
	cr_assert(sim_zone_locked(tl_view(tl)));
	count = sim_pageset(tl_view(tl), 0, 1)->count;
	cr_assert_gt(count, 1);
	op = (struct op){ .kind = OP_ALLOC, .count = 1, .cpu = 1, .type = MIGRATE_MOVABLE };
	cr_assert_eq(tl_inject(tl, &op, &slot, NULL, &put_off, &err), SIM_OK, "%s", err.message);
	cr_expect_not(put_off);
	/* It begins with the next step, under the lock. */
	cr_assert(tl_step_next(tl));
	cr_assert_eq(tl_steps(tl, 2, &steps, &nr, NULL, &err), SIM_OK);
	cr_expect_eq(steps[tl_position(tl).step - 1].depth, 1);
	cr_expect(sim_zone_locked(tl_view(tl)));
	for (k = tl_position(tl).step; k < nr && steps[k].depth; k++)
		cr_assert(tl_step_next(tl));
	cr_expect_eq(sim_pageset(tl_view(tl), 0, 1)->count, count - 1);
	cr_expect(sim_zone_locked(tl_view(tl)));
	/* A free is the same; more pages than the list has want a refill, and wait. */
	seek_step(tl, 2, STEP_BULK_PAGE);
	op = (struct op){ .kind = OP_FREE, .count = 1, .cpu = 1, .slot = own[0] };
	cr_assert_eq(tl_inject(tl, &op, NULL, NULL, &put_off, &err), SIM_OK, "%s", err.message);
	cr_expect_not(put_off);
	op = (struct op){ .kind = OP_ALLOCN, .count = 400, .cpu = 1, .type = MIGRATE_MOVABLE };
	cr_assert_eq(tl_inject(tl, &op, many, NULL, &put_off, &err), SIM_OK, "%s", err.message);
	cr_expect(put_off);
	/* So does one on the CPU whose pageset is held: it goes to the buddy, which wants the lock. */
	op = (struct op){ .kind = OP_ALLOC, .count = 1, .type = MIGRATE_MOVABLE };
	cr_assert_eq(tl_inject(tl, &op, &slot, NULL, &put_off, &err), SIM_OK, "%s", err.message);
	cr_expect(put_off);
	for (k = 0; k < 4; k++) {
		cr_assert_eq(tl_injection(tl, 2, k, &inj, &err), SIM_OK);
		cr_expect_eq(inj.put_off, k >= 2);
		cr_expect_not(inj.displaced);
	}
	/* The waiting ones begin with the first step after the release. */
	cr_assert_eq(tl_steps(tl, 2, &steps, &nr, NULL, &err), SIM_OK);
	for (k = 0; k < nr && !(steps[k].depth && steps[k].id == STEP_REFILL_BEGIN); k++)
		;
	cr_assert_lt(k, nr);
	while (k > 0 && steps[k - 1].depth)
		k--;
	seek(tl, 2, k);
	cr_expect_not(sim_zone_locked(tl_view(tl)));
	seek(tl, 2, k - 1);
	cr_expect(sim_zone_locked(tl_view(tl)));
	seek(tl, 3, 0);
	sim_check(tl_sim(tl));
	tl_destroy(tl);
}

Test(timeline_inject, a_place_that_another_set_lacks_is_counted)
{
	u32 slots[2];
	struct timeline *tl = free_in_progress(patch_level(SERIES_V2, 10), slots);
	struct op op = { .kind = OP_DRAIN, .count = 1 };
	struct sim_error err;
	u64 with;

	seek_step(tl, 2, STEP_FREE_COUNT_UP);
	cr_assert_eq(tl_inject(tl, &op, NULL, NULL, NULL, &err), SIM_OK, "%s", err.message);
	seek(tl, 3, 0);
	with = digest(tl);
	cr_expect_eq(tl_displaced(tl), 0);
	cr_assert_eq(tl_set_base_patches(tl, 0, &err), SIM_OK);
	cr_expect_eq(tl_displaced(tl), 1);
	/* It ran after the operation all the same. */
	cr_expect_eq(sim_pageset(tl_view(tl), 0, 0)->count, 0);
	cr_assert_eq(tl_set_base_patches(tl, patch_level(SERIES_V2, 10), &err), SIM_OK);
	cr_expect_eq(tl_displaced(tl), 0);
	cr_expect_eq(digest(tl), with);
	tl_destroy(tl);
}

Test(timeline_inject, what_cannot_be_is_refused)
{
	u32 slots[2];
	struct timeline *tl = free_in_progress(0, slots);
	struct op op = { .kind = OP_ALLOC, .count = 1, .type = MIGRATE_MOVABLE };
	struct sim_error err;
	u64 end = digest(tl), middle;

	seek(tl, 2, 0);
	cr_expect_eq(tl_inject(tl, &op, NULL, NULL, NULL, &err), ERR_POSITION);
	seek_step(tl, 2, STEP_PCP_PUSH);
	middle = digest(tl);
	op.kind = OP_MINFREE;
	cr_expect_eq(tl_inject(tl, &op, NULL, NULL, NULL, &err), ERR_OP);
	op = (struct op){ .kind = OP_FREE, .count = 1, .slot = slots[0] };
	cr_expect_eq(tl_inject(tl, &op, NULL, NULL, NULL, &err), ERR_SLOT);
	cr_expect_eq(digest(tl), middle);
	cr_expect_eq(tl_nr_injections(tl, 2), 0);
	for (u32 i = 0; i < TL_INJECT_MAX; i++) {
		op = (struct op){ .kind = OP_TOUCH, .count = 1 };
		cr_assert_eq(tl_inject(tl, &op, NULL, NULL, NULL, &err), SIM_OK);
	}
	cr_expect_eq(tl_inject(tl, &op, NULL, NULL, NULL, &err), ERR_OP);
	/* Nothing comes into what has come in. */
	cr_assert(tl_step_next(tl));
	cr_expect_eq(tl_inject(tl, &op, NULL, NULL, NULL, &err), ERR_OP);
	cr_expect(strstr(err.message, "injected"), "%s", err.message);
	for (u32 i = 0; i < TL_INJECT_MAX; i++)
		cr_assert_eq(tl_uninject(tl, 2, 0, &err), SIM_OK);
	seek(tl, 3, 0);
	cr_expect_eq(digest(tl), end);
	tl_destroy(tl);
}

static void inject_random(struct timeline *tl, struct load *load)
{
	static const u8 kinds[] = { OP_ALLOC,	   OP_ALLOCN, OP_BULK,	     OP_FREE,
				    OP_FREELIST,   OP_TICK,   OP_DRAIN,	     OP_DRAIN_ALL,
				    OP_DRAIN_ZONE, OP_TOUCH,  OP_BOOST_CLEAR };
	struct op op = { .kind = kinds[below(load, ARRAY_SIZE(kinds))], .count = 1 };
	u64 at = below(load, (u32)tl_length(tl));
	const struct step *steps;
	struct sim_error err;
	struct slot_info info;
	enum sim_err ret;
	u32 nr, k;

	cr_assert_eq(tl_steps(tl, at, &steps, &nr, NULL, &err), SIM_OK);
	k = nr ? below(load, nr) : 0;
	if (!nr || steps[k].depth)
		return;
	seek(tl, at, k + 1);
	op.cpu = (u16)random_cpu(load, tl_view(tl));
	op.type = (u8)below(load, 3);
	if (op.kind == OP_BULK || op.kind == OP_ALLOCN)
		op.count = 1 + below(load, 90);
	if (op.kind == OP_FREE || op.kind == OP_FREELIST) {
		op.count = 0;
		for (u32 s = 1; s < 400 && op.count < 20; s++) {
			if (sim_slot_info(tl_view(tl), s, &info) && info.live && !info.order)
				load->slots[op.count++] = s;
		}
		if (!op.count)
			return;
		op.count = op.kind == OP_FREE ? 1 : op.count;
	}
	ret = tl_inject(tl, &op, with_slots(&op) ? load->slots : NULL, NULL, NULL, &err);
	/* A patch change takes none, and an operation only so many. */
	cr_assert(!ret || ret == ERR_OP, "%s", err.message);
	cr_assert_eq(tl_position(tl).op, at);
	cr_assert_eq(tl_position(tl).step, k + 1);
}

Test(timeline_inject, forward_and_back_agree_with_injections)
{
	for (u32 round = 0; round < 8; round++) {
		u32 set = patch_level(round & 1 ? SERIES_V3 : SERIES_V2, (int)round);
		struct timeline *tl = make_timeline(2, set, TL_BOUND_DEFAULT), *fork;
		struct load *load = new_load(400 + round, true);
		u64 plain[61], with[61], injected = 0;
		struct sim_error err;

		plain[0] = digest(tl);
		for (u32 i = 0; i < 60; i++) {
			append_random(tl, load);
			plain[i + 1] = digest(tl);
		}
		for (u32 i = 0; i < 40; i++)
			inject_random(tl, load);
		for (u32 i = 0; i <= 60; i++) {
			seek(tl, i, 0);
			with[i] = digest(tl);
			/* No page is lost or twice there. */
			sim_check(tl_sim(tl));
			injected += i < 60 ? tl_nr_injections(tl, i) : 0;
		}
		cr_assert_gt(injected, 10);
		cr_assert_neq(with[60], plain[60]);
		cr_assert_eq(tl_fork(tl, &fork, &err), SIM_OK);
		for (u32 i = 0; i < 60; i++) {
			u64 op = below(load, 60), middle;
			const struct step *steps;
			u32 nr, k;

			cr_assert_eq(tl_steps(tl, op, &steps, &nr, NULL, &err), SIM_OK);
			k = nr ? 1 + below(load, nr) : 0;
			seek(tl, op, k);
			middle = digest(tl);
			seek(tl, below(load, 61), 0);
			cr_assert_eq(digest(tl), with[tl_position(tl).op]);
			seek(fork, op, k);
			cr_assert_eq(digest(fork), middle);
		}
		/* Under another set and back, from the first operation. */
		cr_assert_eq(tl_set_base_patches(tl, patch_level(SERIES_V2, 3), &err), SIM_OK);
		cr_assert_eq(tl_set_base_patches(tl, set, &err), SIM_OK);
		seek(tl, 60, 0);
		cr_assert_eq(digest(tl), with[60]);
		for (u32 i = 0; i < 60; i++) {
			while (tl_nr_injections(tl, i))
				cr_assert_eq(tl_uninject(tl, i,
							 below(load, tl_nr_injections(tl, i)),
							 &err),
					     SIM_OK);
		}
		for (u32 i = 61; i-- > 0;) {
			seek(tl, i, 0);
			cr_assert_eq(digest(tl), plain[i], "round %u op %u", round, i);
		}
		free(load);
		tl_destroy(fork);
		tl_destroy(tl);
	}
}

/* A burst of frees of order 0 and one of order 1, as a process exit does. */
static struct timeline *exit_drain(u32 patches)
{
	struct timeline *tl = make_timeline(1, patches, TL_BOUND_DEFAULT);
	struct op op = { .kind = OP_ALLOCN, .count = 500, .type = MIGRATE_MOVABLE };
	u32 slots[500], pgd;
	struct sim_error err;

	cr_assert_eq(tl_append(tl, &op, slots, NULL, &err), SIM_OK);
	op = (struct op){ .kind = OP_ALLOC, .count = 1, .order = 1 };
	cr_assert_eq(tl_append(tl, &op, &pgd, NULL, &err), SIM_OK);
	op = (struct op){ .kind = OP_FREELIST, .count = 500 };
	cr_assert_eq(tl_append(tl, &op, slots, NULL, &err), SIM_OK);
	op = (struct op){ .kind = OP_FREE, .count = 1, .slot = pgd };
	cr_assert_eq(tl_append(tl, &op, NULL, NULL, &err), SIM_OK);
	return tl;
}

Test(timeline_diverge, exit_drain_parts_at_the_free_of_the_pgd)
{
	struct timeline *a = exit_drain(0), *b = exit_drain(patch_level(SERIES_V2, 1));
	struct tl_divergence d;
	const struct step *steps;
	struct sim_error err;
	u64 digest_a = digest(a);
	u32 nr;

	cr_assert_eq(tl_diverge(a, b, NULL, NULL, &d, &err), SIM_OK, "%s", err.message);
	cr_assert(d.differs);
	cr_expect_eq(d.op, 3);
	cr_expect_str_eq(d.field, "stats.free_high");
	cr_expect(d.side[0].value == 1 && d.side[1].value == 0);
	/* The step that decided: the second asked for the previous free. */
	cr_assert_eq(tl_steps(b, 3, &steps, &nr, NULL, &err), SIM_OK);
	cr_expect_eq(steps[d.side[1].step - 1].id, STEP_PREV_HIGH);
	cr_expect_eq(tl_position(a).op, 4);
	cr_expect_eq(digest(a), digest_a);
	tl_destroy(a);
	tl_destroy(b);
}

Test(timeline_diverge, a_set_does_not_differ_from_itself)
{
	struct timeline *a = exit_drain(0), *b = exit_drain(0);
	struct tl_divergence d;

	cr_assert_eq(tl_diverge(a, b, NULL, NULL, &d, NULL), SIM_OK);
	cr_expect_not(d.differs);
	/* Patch 2 alone changes no field that both have. */
	cr_assert_eq(tl_set_base_patches(b, PATCH_BIT(P_CACHE_INFO), NULL), SIM_OK);
	cr_assert_eq(tl_diverge(a, b, NULL, NULL, &d, NULL), SIM_OK);
	cr_expect_not(d.differs, "%s at %llu", d.field, (unsigned long long)d.op);
	tl_destroy(a);
	tl_destroy(b);
}

/* Whatever the logs: before the divergence no common field differs, behind it one does. */
Test(timeline_diverge, names_the_first_operation_and_a_field_that_differs)
{
	for (int level = 1; level <= 10; level++) {
		struct timeline *a = make_timeline(1, patch_level(SERIES_V2, level - 1),
						   TL_BOUND_DEFAULT),
				*b;
		struct load *load = new_load(500 + (u64)level, false);
		struct tl_divergence d;
		struct sim_error err;

		for (u32 i = 0; i < 150; i++)
			append_random(a, load);
		cr_assert_eq(tl_fork(a, &b, &err), SIM_OK);
		cr_assert_eq(tl_set_base_patches(b, patch_level(SERIES_V2, level), &err), SIM_OK);
		cr_assert_eq(tl_diverge(a, b, NULL, NULL, &d, &err), SIM_OK);
		cr_expect_eq(tl_position(a).op, 150);
		if (d.differs) {
			cr_expect_neq(d.side[0].value, d.side[1].value, "level %d: %s", level,
				      d.field);
			cr_expect_eq(tl_seek(b, d.op, d.side[1].step, &err), SIM_OK, "%s",
				     err.message);
			seek(a, d.op, 0);
			seek(b, d.op, 0);
			cr_expect_eq(sim_digest(tl_view(a)), sim_digest(tl_view(b)), "level %d",
				     level);
		}
		free(load);
		tl_destroy(a);
		tl_destroy(b);
	}
}

/* Patch 1 goes on after operation 2: under another base it does so too, and what else is on stays on. */
Test(timeline_diverge, a_toggle_in_the_log_stays_the_change_that_it_was)
{
	u32 one = PATCH_BIT(P_AVOID_DRAIN), seven = patch_level(SERIES_V2, 7);
	struct timeline *tl = exit_drain(0);
	struct op op = { .kind = OP_PATCHES, .count = 1, .value = one };
	struct tl_divergence d;
	struct sim_error err;
	struct timeline *b;

	seek(tl, 2, 0);
	cr_assert_eq(tl_insert(tl, &op, &err), SIM_OK, "%s", err.message);
	seek(tl, 5, 0);
	cr_expect_eq(sim_patches(tl_view(tl)), one);
	cr_assert_eq(tl_fork(tl, &b, &err), SIM_OK);
	cr_assert_eq(tl_set_base_patches(b, seven & ~one, &err), SIM_OK, "%s", err.message);
	seek(b, 2, 0);
	cr_expect_eq(sim_patches(tl_view(b)), seven & ~one);
	seek(b, 3, 0);
	cr_expect_eq(sim_patches(tl_view(b)), seven);
	/* Under a base that has it already it changes nothing, and going back gives what was. */
	cr_assert_eq(tl_set_base_patches(b, one, &err), SIM_OK);
	seek(b, 5, 0);
	cr_expect_eq(sim_patches(tl_view(b)), one);
	cr_assert_eq(tl_set_base_patches(b, 0, &err), SIM_OK);
	seek(b, 5, 0);
	cr_expect_eq(digest(b), digest(tl));
	cr_assert_eq(tl_diverge(tl, b, NULL, NULL, &d, &err), SIM_OK);
	cr_expect_not(d.differs);
	tl_destroy(tl);
	tl_destroy(b);
}

Test(timeline_diverge, another_operation_is_told_apart_from_another_value)
{
	struct timeline *a = exit_drain(0), *b;
	struct op tick = { .kind = OP_TICK, .count = 1, .cpu = 1 };
	struct tl_divergence d;
	struct sim_error err;

	/* b has one more at its end, then the same in the middle. */
	cr_assert_eq(tl_fork(a, &b, &err), SIM_OK);
	cr_assert_eq(tl_append(b, &tick, NULL, NULL, &err), SIM_OK);
	cr_assert_eq(tl_diverge(a, b, NULL, NULL, &d, &err), SIM_OK);
	cr_expect(d.differs && d.other_op && d.op == 4);
	seek(b, 2, 0);
	cr_assert_eq(tl_insert(b, &tick, &err), SIM_OK);
	cr_assert_eq(tl_diverge(a, b, NULL, NULL, &d, &err), SIM_OK);
	cr_expect(d.differs && d.other_op && d.op == 2);
	tl_destroy(b);
	/* An injection makes an operation another one. */
	cr_assert_eq(tl_fork(a, &b, &err), SIM_OK);
	seek(b, 1, 2);
	cr_assert_eq(tl_inject(b, &tick, NULL, NULL, NULL, &err), SIM_OK, "%s", err.message);
	cr_assert_eq(tl_diverge(a, b, NULL, NULL, &d, &err), SIM_OK);
	cr_expect(d.differs && d.other_op && d.op == 1);
	tl_destroy(a);
	tl_destroy(b);
}

/* Patch 6 starts high at high_min in another way: what differs from boot on is no operation's doing. */
Test(timeline_diverge, fields_that_differ_from_boot_on_are_told_apart)
{
	struct timeline *a = exit_drain(patch_level(SERIES_V2, 5)),
			*b = exit_drain(patch_level(SERIES_V2, 7));
	struct tl_divergence d;
	struct sim_error err;

	cr_assert_eq(tl_diverge(a, b, NULL, NULL, &d, &err), SIM_OK);
	cr_expect_gt(d.boot_fields, 0);
	cr_expect_neq(d.boot_values[0], d.boot_values[1]);
	cr_expect(!d.differs || strcmp(d.field, d.boot_field) != 0);
	tl_destroy(a);
	tl_destroy(b);
}

static bool until_the_third(void *ctx, u64 op)
{
	++*(int *)ctx;
	return op < 2;
}

Test(timeline_diverge, can_be_stopped)
{
	struct timeline *a = exit_drain(0), *b = exit_drain(0);
	struct tl_divergence d;
	struct sim_error err;
	int asked = 0;

	cr_assert_eq(tl_diverge(a, b, until_the_third, &asked, &d, &err), ERR_STOPPED);
	cr_expect_eq(asked, 3);
	cr_expect_eq(tl_position(a).op, 4);
	tl_destroy(a);
	tl_destroy(b);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* links: core */
/* Patches switched in the middle of a run: what DESIGN calls toggling, on a machine that has been used. */
#include <criterion/criterion.h>

#include "core/sim.h"

static struct sim *machine(u32 patches)
{
	struct machine m;
	struct sim_error err;
	struct sim *sim;

	machine_init(&m);
	m.cpus = 2;
	m.memory = 48 << 20;
	m.data_cache = 1 << 20;
	cr_assert_eq(machine_finish(&m, &err), SIM_OK, "%s", err.message);
	cr_assert_eq(sim_create(&m, patches, &sim, &err), SIM_OK, "%s", err.message);
	machine_free(&m);
	sim_set_checking(sim, true);
	return sim;
}

static void exec(struct sim *sim, struct op op, u32 *slots)
{
	struct sim_error err;

	if (!op.count)
		op.count = 1;
	cr_assert_eq(sim_exec(sim, &op, slots, NULL, &err), SIM_OK, "%s", err.message);
}

static void set_patches(struct sim *sim, u32 set)
{
	exec(sim, (struct op){ .kind = OP_PATCHES, .value = set }, NULL);
}

/* Allocations and frees of all kinds on both CPUs, ticks, and reclaim; leaves lists and factors filled. */
static void use(struct sim *sim)
{
	static u32 slots[4000], skb[40];
	u32 *half = slots + 1000;

	exec(sim,
	     (struct op){ .kind = OP_ALLOCN, .cpu = 0, .type = MIGRATE_MOVABLE, .count = 2000 },
	     slots);
	exec(sim,
	     (struct op){ .kind = OP_ALLOCN,
			  .cpu = 1,
			  .order = 3,
			  .type = MIGRATE_UNMOVABLE,
			  .count = 40 },
	     skb);
	exec(sim, (struct op){ .kind = OP_FREEN, .cpu = 0, .count = 1000 }, half);
	exec(sim, (struct op){ .kind = OP_FREEN, .cpu = 0, .count = 40 }, skb);
	exec(sim, (struct op){ .kind = OP_TICK, .cpu = 0 }, NULL);
	exec(sim, (struct op){ .kind = OP_FREELIST, .cpu = 1, .count = 1000 }, slots);
	exec(sim,
	     (struct op){ .kind = OP_ALLOCN, .cpu = 1, .type = MIGRATE_RECLAIMABLE, .count = 3 },
	     slots);
	exec(sim, (struct op){ .kind = OP_FREEN, .cpu = 1, .count = 3 }, slots);
}

static s64 pages(const struct sim *sim)
{
	const struct sim_state *st = sim_state(sim);

	return sim_zone(sim, 0)->free_pages + (s64)st->pcp_pages + (s64)st->live_pages;
}

/* Each single switch from each closed set of V2: invariants hold at every step (checking is on) and no page is lost. */
Test(toggle, every_switch_keeps_every_page)
{
	for (u32 set = 0; set < PATCH_BIT(10); set++) {
		if (!patch_set_is_closed(set) || (set % 7 && set % 5))
			continue;
		for (int n = 1; n <= 10; n += 1 + (int)(set % 3)) {
			enum patch_id id = patch_by_number(SERIES_V2, n);
			struct sim *sim = machine(set);
			s64 managed = sim_zone(sim, 0)->managed_pages;

			use(sim);
			set_patches(sim, patch_switch(set, id, !(set & PATCH_BIT(id))).set);
			use(sim);
			set_patches(sim, set);
			use(sim);
			sim_check(sim);
			cr_assert_eq(pages(sim), managed, "set %#x, patch %d", set, n);
			sim_destroy(sim);
		}
	}
}

Test(toggle, limits_on_keep_high_and_bring_both_limits)
{
	struct sim *sim = machine(0);
	const struct per_cpu_pages *pcp = sim_pageset(sim, 0, 0);
	s32 high = pcp->high;

	use(sim);
	set_patches(sim, PATCH_BIT(P_HIGH_LIMITS));
	cr_expect_eq(pcp->high, high);
	cr_expect_eq(pcp->high_min, high);
	/* 12288 pages / 8 / 2 CPUs */
	cr_expect_eq(pcp->high_max, 768);
	sim_destroy(sim);
}

Test(toggle, limits_off_set_high_as_before_the_series)
{
	struct sim *base = machine(0), *sim = machine(patch_level(SERIES_V2, 7));
	const struct per_cpu_pages *pcp = sim_pageset(sim, 0, 0);

	use(sim);
	set_patches(sim, patch_level(SERIES_V2, 5));
	cr_expect_eq(pcp->high, sim_pageset(base, 0, 0)->high);
	cr_expect_eq(pcp->high_min, 0);
	cr_expect_eq(pcp->high_max, 0);
	sim_destroy(sim);
	sim_destroy(base);
}

Test(toggle, disabled_pagesets_stay_disabled)
{
	struct sim *sim = machine(patch_level(SERIES_V2, 5));
	const struct per_cpu_pages *pcp = sim_pageset(sim, 0, 1);

	exec(sim, (struct op){ .kind = OP_PCP_DISABLE }, NULL);
	set_patches(sim, patch_level(SERIES_V2, 6));
	cr_expect_eq(pcp->batch, 1);
	cr_expect_eq(pcp->high_min, 0);
	set_patches(sim, patch_level(SERIES_V2, 5));
	cr_expect_eq(pcp->batch, 1);
	cr_expect_eq(pcp->high, 0);
	exec(sim, (struct op){ .kind = OP_PCP_ENABLE }, NULL);
	cr_expect_gt(pcp->high, 0);
	sim_destroy(sim);
}

Test(toggle, the_keep_flag_is_evaluated_at_once)
{
	struct sim *sim = machine(patch_level(SERIES_V2, 2));
	const struct per_cpu_pages *pcp = sim_pageset(sim, 0, 0);

	cr_expect_eq(pcp->flags, 0);
	/* 1 MiB is 256 pages; batch 3 (48 MiB: 12 / 4 = 3, 4 - 1): 256 > 12. */
	set_patches(sim, patch_level(SERIES_V2, 3));
	cr_expect_eq(pcp->flags & PCPF_FREE_HIGH_BATCH, PCPF_FREE_HIGH_BATCH);
	set_patches(sim, patch_level(SERIES_V2, 2));
	cr_expect_eq(pcp->flags & PCPF_FREE_HIGH_BATCH, 0);
	sim_destroy(sim);
}

Test(toggle, the_previous_free_flag_goes_with_patch_1)
{
	struct sim *sim = machine(patch_level(SERIES_V2, 1));
	const struct per_cpu_pages *pcp = sim_pageset(sim, 0, 0);
	u32 slot;

	exec(sim, (struct op){ .kind = OP_ALLOC, .order = 1 }, &slot);
	exec(sim, (struct op){ .kind = OP_FREE, .slot = slot }, NULL);
	cr_expect_eq(pcp->flags, PCPF_PREV_FREE_HIGH_ORDER);
	set_patches(sim, 0);
	cr_expect_eq(pcp->flags, 0);
	set_patches(sim, patch_level(SERIES_V2, 1));
	cr_expect_eq(pcp->flags, 0);
	sim_destroy(sim);
}

Test(toggle, factor_and_count_do_not_inherit)
{
	struct sim *sim = machine(patch_level(SERIES_V2, 9));
	const struct per_cpu_pages *pcp = sim_pageset(sim, 0, 1);

	use(sim);
	set_patches(sim, patch_level(SERIES_V2, 10));
	cr_expect_eq(pcp->free_factor, 0);
	cr_expect_eq(pcp->free_count, 0);
	use(sim);
	cr_expect_gt(pcp->free_count, 0);
	set_patches(sim, patch_level(SERIES_V2, 9));
	cr_expect_eq(pcp->free_count, 0);
	cr_expect_eq(pcp->free_factor, 0);
	sim_destroy(sim);
}

Test(toggle, new_fields_begin_anew)
{
	struct sim *sim = machine(patch_level(SERIES_V2, 9));
	const struct per_cpu_pages *pcp = sim_pageset(sim, 0, 1);
	u32 slots[100];

	exec(sim, (struct op){ .kind = OP_ALLOCN, .cpu = 1, .type = MIGRATE_MOVABLE, .count = 100 },
	     slots);
	exec(sim, (struct op){ .kind = OP_TICK, .cpu = 1 }, NULL);
	cr_assert_gt(pcp->alloc_factor, 0);
	set_patches(sim, patch_level(SERIES_V2, 4));
	set_patches(sim, patch_level(SERIES_V2, 9));
	cr_expect_eq(pcp->alloc_factor, 0);
	cr_expect_eq(pcp->count_min, 0);
	sim_destroy(sim);
}

Test(toggle, below_high_goes_with_patch_8)
{
	struct sim *sim = machine(patch_level(SERIES_V2, 8));
	static u32 slots[12000];

	exec(sim, (struct op){ .kind = OP_ALLOCN, .type = MIGRATE_MOVABLE, .count = 12000 }, slots);
	cr_assert(sim_zone(sim, 0)->flags & 1u << ZONE_BELOW_HIGH);
	set_patches(sim, patch_level(SERIES_V2, 7));
	cr_expect_eq(sim_zone(sim, 0)->flags & 1u << ZONE_BELOW_HIGH, 0);
	sim_destroy(sim);
}

Test(toggle, an_unclosed_set_is_refused_and_changes_nothing)
{
	struct sim *sim = machine(0);
	struct sim_error err;
	struct op op = { .kind = OP_PATCHES, .count = 1, .value = PATCH_BIT(P_TUNE_HIGH) };
	u64 before = sim_state_digest(sim);

	cr_expect_eq(sim_exec(sim, &op, NULL, NULL, &err), ERR_PATCH);
	cr_expect_eq(sim_state_digest(sim), before);
	sim_destroy(sim);
}

/* The same operations, the same state, to the last byte; and the log alone gives the slots. */
Test(toggle, runs_are_deterministic_and_slots_follow_from_the_log)
{
	struct sim *a = machine(0), *b = machine(0), *c = machine(patch_level(SERIES_V2, 10));

	use(a);
	use(b);
	use(c);
	cr_expect_eq(sim_state_digest(a), sim_state_digest(b));
	cr_expect_eq(sim_state(a)->slot_bump, sim_state(c)->slot_bump);
	cr_expect_eq(sim_state(a)->slot_free, sim_state(c)->slot_free);
	sim_destroy(a);
	sim_destroy(b);
	sim_destroy(c);
}

/* A failed allocation leaves its slot empty; freeing that is counted and does nothing else. */
Test(toggle, empty_slots_are_counted_no_ops)
{
	struct sim *sim = machine(0);
	u32 slots[20];

	/* 48 MiB are 12 blocks of order 10; the watermark keeps some of them. */
	exec(sim,
	     (struct op){ .kind = OP_ALLOCN, .order = 10, .type = MIGRATE_MOVABLE, .count = 20 },
	     slots);
	exec(sim, (struct op){ .kind = OP_FREEN, .count = 20 }, slots);
	cr_expect_gt(sim_state(sim)->empty_frees, 7);
	cr_expect_eq(sim_state(sim)->live_pages, 0);
	cr_expect_eq(sim_zone(sim, 0)->free_pages, 12288);
	sim_destroy(sim);
}

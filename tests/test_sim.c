/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine as a whole: determinism, slots, copies, toggles in the middle of a run. */
#include "core_kit.h"

static u32 slots[8192];

/* 128 MiB: large enough for all orders, small enough for full walks. */
static struct sim *small(u32 set)
{
	return kit_with(set, "memory", 128 << 20);
}

Test(sim, the_same_operations_give_the_same_state)
{
	u64 digest[2];

	for (int i = 0; i < 2; i++) {
		struct sim *sim = small(V2(10));
		u32 nr = 0;

		kit_churn(sim, 42, 1500, slots, &nr);
		digest[i] = sim_state_digest(sim);
		sim_destroy(sim);
	}
	cr_assert_eq(digest[0], digest[1]);
}

Test(sim, an_observer_changes_nothing)
{
	struct sim *plain = small(V2(10)), *watched = small(V2(10));
	u32 nr = 0;

	sim_set_checking(plain, false);
	kit_churn(plain, 7, 1500, slots, &nr);
	nr = 0;
	kit_churn(watched, 7, 1500, slots, &nr);
	cr_assert_eq(sim_state_digest(plain), sim_state_digest(watched));
	sim_destroy(plain);
	sim_destroy(watched);
}

Test(sim, the_short_forms_do_what_the_operations_do)
{
	struct sim *a = small(V2(10)), *b = small(V2(10));
	u64 seed = 3;
	u32 nr = 0;

	for (int i = 0; i < 2000; i++) {
		u32 cpu = kit_random(&seed, 4), order = kit_random(&seed, 12),
		    type = kit_random(&seed, 3);

		order = order > 10 ? 0 : order;
		if (nr < 300 && (kit_random(&seed, 2) || !nr)) {
			u32 slot = kit_alloc(a, cpu, order, type);

			cr_assert_eq(sim_alloc(b, cpu, order, type), slot);
			slots[nr++] = slot;
		} else {
			u32 k = kit_random(&seed, nr);

			kit_free(a, cpu, slots[k]);
			sim_free(b, cpu, slots[k]);
			slots[k] = slots[--nr];
		}
	}
	cr_assert_eq(sim_state_digest(a), sim_state_digest(b));
	sim_destroy(a);
	sim_destroy(b);
}

/* Slots apart have orders, too, and a free of one gives back just its block. */
Test(sim, the_short_free_takes_slots_apart)
{
	struct sim *sim = small(V2(10));
	u64 live = sim_state(sim)->live_pages;
	struct op op = { .kind = OP_ALLOC,
			 .order = 3,
			 .type = MIGRATE_UNMOVABLE,
			 .flags = OP_F_APART,
			 .count = 1 };

	sim->slot_limit--;
	op.slot = sim->slot_limit;
	sim_run(sim, &op, NULL, NULL);
	cr_assert_eq(sim_state(sim)->live_pages, live + 8);
	sim_free(sim, 0, op.slot);
	cr_assert_eq(sim_state(sim)->live_pages, live);
	sim_check(sim);
	sim_destroy(sim);
}

Test(sim, a_copy_is_equal_and_independent)
{
	struct sim *sim = small(V3(9)), *copy;
	struct sim_error err;
	u32 nr = 0;
	u64 before;

	kit_churn(sim, 5, 800, slots, &nr);
	before = sim_state_digest(sim);
	cr_assert_eq(sim_clone(sim, &copy, &err), SIM_OK);
	cr_assert_eq(sim_state_digest(copy), before);
	kit_alloc(copy, 0, 0, MIGRATE_MOVABLE);
	cr_assert_eq(sim_state_digest(sim), before);
	kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	cr_assert_eq(sim_state_digest(copy), sim_state_digest(sim));
	sim_destroy(sim);
	sim_check(copy);
	sim_destroy(copy);
}

/* 128 MiB hold 63 blocks of 2 MiB at most; the failed ones take slots all the same. */
Test(sim, a_failed_allocation_leaves_an_empty_slot)
{
	struct sim *sim = small(0);
	struct op_result result = kit_do(
		sim,
		(struct op){ .kind = OP_ALLOCN, .order = 10, .type = MIGRATE_MOVABLE, .count = 40 },
		slots);
	struct slot_info info;

	cr_assert_eq(result.status, OP_FAILED);
	cr_assert_lt(result.got, 33u);
	cr_assert(sim_slot_info(sim, slots[39], &info));
	cr_assert(!info.live);
	kit_free(sim, 0, slots[39]);
	cr_assert_eq(sim_state(sim)->empty_frees, 1u);
	cr_assert(!sim_slot_info(sim, slots[39], &info));
	sim_destroy(sim);
}

Test(sim, one_log_takes_the_same_slots_under_any_patch_set)
{
	static u32 other[8192];
	struct sim *a = kit_with(V2(0), "memory", 32 << 20),
		   *b = kit_with(V2(10), "memory", 32 << 20);
	u32 nr = 0, nr_other = 0;

	/* Enough to fail now and then. */
	kit_churn(a, 99, 3000, slots, &nr);
	kit_churn(b, 99, 3000, other, &nr_other);
	cr_assert_eq(nr, nr_other);
	cr_assert_arr_eq(slots, other, nr * sizeof(*slots));
	cr_assert_neq(sim_digest(a), sim_digest(b));
	sim_destroy(a);
	sim_destroy(b);
}

Test(sim, freeing_a_slot_twice_is_refused)
{
	struct sim *sim = small(0);
	struct op op = { .kind = OP_FREE, .count = 1 };
	struct sim_error err;

	op.slot = kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	kit_free(sim, 0, op.slot);
	cr_assert_eq(sim_exec(sim, &op, NULL, NULL, &err), ERR_SLOT);
	cr_assert(strstr(err.message, "freed already"), "%s", err.message);
	sim_destroy(sim);
}

static s64 managed(const struct sim *sim)
{
	return sim->zones[0].free_pages + (s64)sim->state->pcp_pages + (s64)sim->state->live_pages;
}

/* Each patch, on and off, from each level, in the middle of a run: nothing gets lost, DESIGN.md's rules hold. */
Test(sim_toggle, every_patch_at_every_level_in_the_middle_of_a_run)
{
	for (int level = 0; level <= 10; level++) {
		for (int id = 0; id < P_NIKHIL; id++) {
			struct sim *sim = kit_with(V2(level), "memory", 64 << 20);
			bool on = !(V2(level) & PATCH_BIT(id));
			struct patch_change c = patch_switch(V2(level), (enum patch_id)id, on);
			s64 pages = managed(sim);
			u32 nr = 0;

			kit_churn(sim, (u64)level * 16 + (u64)id, 120, slots, &nr);
			kit_value(sim, OP_PATCHES, c.set);
			cr_assert_eq(sim_patches(sim), c.set);
			sim_check(sim);
			cr_assert_eq(managed(sim), pages);
			kit_churn(sim, 1000 + (u64)level, 120, slots, &nr);
			sim_check(sim);
			cr_assert_eq(managed(sim), pages);
			sim_destroy(sim);
		}
	}
}

Test(sim_toggle, patch_6_writes_the_limits_anew_and_off_gives_high_back)
{
	struct sim *sim = kit_sim(V2(5));

	kit_value(sim, OP_PATCHES, V2(6));
	cr_assert_eq(kit_pcp(sim, 0)->high_min, 321);
	cr_assert_eq(kit_pcp(sim, 0)->high_max, 8192);
	kit_pcp(sim, 0)->high = 5000;
	kit_value(sim, OP_PATCHES, V2(5));
	cr_assert_eq(kit_pcp(sim, 0)->high, 321);
	cr_assert_eq(kit_pcp(sim, 0)->high_min, 0);
	sim_destroy(sim);
}

/* 63 * 4 = 252 and 63 * 3 = 189 pages: 200 pages keep a batch in V3 alone. */
Test(sim_toggle, patches_2_and_3_and_the_series_evaluate_the_keep_flag_at_once)
{
	struct sim *sim = kit_with(V2(1), "data_cache", 200 * 4096);

	kit_value(sim, OP_PATCHES, V2(3));
	cr_assert_eq(kit_pcp(sim, 2)->flags, 0);
	kit_value(sim, OP_PATCHES, V3(3));
	cr_assert_eq(kit_pcp(sim, 2)->flags, PCPF_FREE_HIGH_BATCH);
	kit_value(sim, OP_PATCHES, V3(2));
	cr_assert_eq(kit_pcp(sim, 2)->flags, 0);
	sim_destroy(sim);
}

Test(sim_toggle, flags_of_a_patch_that_goes_are_cleared)
{
	struct sim *sim = kit_sim(V2(10));

	kit_free(sim, 0, kit_alloc(sim, 0, 1, MIGRATE_UNMOVABLE));
	sim->zones[0].flags |= 1u << ZONE_BELOW_HIGH;
	cr_assert(kit_pcp(sim, 0)->flags & PCPF_PREV_FREE_HIGH_ORDER);
	kit_value(sim, OP_PATCHES, V2(10) & ~(PATCH_BIT(P_AVOID_DRAIN) | PATCH_BIT(P_BELOW_HIGH)));
	cr_assert_eq(kit_pcp(sim, 0)->flags, 0);
	cr_assert_eq(sim->zones[0].flags & 1u << ZONE_BELOW_HIGH, 0u);
	sim_destroy(sim);
}

Test(sim_toggle, free_factor_and_free_count_do_not_inherit)
{
	struct sim *sim = kit_sim(V2(9));

	kit_pcp(sim, 0)->free_factor = 4;
	kit_value(sim, OP_PATCHES, V2(10));
	cr_assert_eq(kit_pcp(sim, 0)->free_count, 0);
	kit_pcp(sim, 0)->free_count = 700;
	kit_value(sim, OP_PATCHES, V2(9));
	cr_assert_eq(kit_pcp(sim, 0)->free_factor, 0);
	cr_assert_eq(kit_pcp(sim, 0)->free_count, 0);
	sim_destroy(sim);
}

/* All else keeps its value: 7 and 8 touch nothing of the pageset. */
Test(sim_toggle, what_no_rule_names_keeps_its_value)
{
	struct sim *sim = kit_sim(V2(6));
	struct per_cpu_pages before;

	kit_free(sim, 0, kit_alloc(sim, 0, 0, MIGRATE_MOVABLE));
	kit_pcp(sim, 0)->free_factor = 2;
	kit_pcp(sim, 0)->alloc_factor = 3;
	before = *kit_pcp(sim, 0);
	kit_value(sim, OP_PATCHES, V2(8));
	cr_assert_eq(memcmp(&before, kit_pcp(sim, 0), sizeof(before)), 0);
	sim_destroy(sim);
}

Test(sim, sets_that_are_not_closed_are_refused)
{
	struct op op = { .kind = OP_PATCHES, .value = PATCH_BIT(P_TUNE_HIGH) };
	struct sim *sim = small(0);
	struct sim_error err;

	cr_assert_eq(sim_exec(sim, &op, NULL, NULL, &err), ERR_PATCH);
	cr_assert_eq(sim_patches(sim), 0u);
	sim_destroy(sim);
}

/* 1024 CPUs and 4 TiB: DESIGN.md 8. */
Test(sim, the_largest_machine_works)
{
	struct sim_error err;
	struct machine m;
	struct sim *sim;
	u32 slot;

	machine_init(&m);
	m.memory = (s64)4 << 40;
	m.cpus = 1024;
	m.nodes = 8;
	cr_assert_eq(machine_finish(&m, &err), SIM_OK, "%s", err.message);
	sim = kit_create(&m, V2(10));
	machine_free(&m);
	sim_set_checking(sim, false);
	slot = kit_alloc(sim, 1023, 9, MIGRATE_MOVABLE);
	cr_assert_eq(sim_zone_of_pfn(sim, kit_pfn(sim, slot)), 7);
	kit_free(sim, 1023, slot);
	for (int i = 0; i < 5000; i++)
		kit_alloc(sim, (u32)i % 1024, 0, MIGRATE_MOVABLE);
	cr_assert_lt(sim_bytes_touched(sim), (size_t)64 << 20);
	sim_destroy(sim);
}

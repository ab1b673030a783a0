/* SPDX-License-Identifier: GPL-2.0-only */
/* The policy in numbers: series.md 5.5, and the pitfalls that pagesets have. */
#include "core_kit.h"

static void set_limits(struct per_cpu_pages *pcp, int high, int high_min, int high_max)
{
	pcp->high = high;
	pcp->high_min = high_min;
	pcp->high_max = high_max;
	pcp->batch = 63;
}

/* nr_pcp_free() again and again at a fixed limit. */
static void expect_frees(u32 set, int high, const int *want, int nr)
{
	struct sim *sim = kit_sim(set);
	struct per_cpu_pages *pcp = kit_pcp(sim, 0);

	set_limits(pcp, high, high, high);
	for (int i = 0; i < nr; i++) {
		int got = nr_pcp_free(sim, pcp, high, false);

		cr_assert_eq(got, want[i], "set %#x, drain %d: %d, want %d", set, i, got, want[i]);
	}
	sim_destroy(sim);
}

/* The factor stops at 3: 504 is not below 361 - 63 = 298. */
Test(pcp_free, drains_double_up_to_limit_minus_batch)
{
	static const int want[] = { 63, 126, 252, 298, 298 };

	for (int level = 0; level <= 6; level++)
		expect_frees(V2(level), 361, want, 5);
}

Test(pcp_free, without_patch_4_the_factor_has_no_cap)
{
	static const int base[] = { 63, 126, 252, 504, 1008, 2016, 4032, 8064, 8129 };
	static const int capped[] = { 63, 126, 252, 504, 1008, 2016, 2016, 2016, 2016 };

	expect_frees(V2(0), 8192, base, 9);
	expect_frees(V2(4), 8192, capped, 9);
}

/* 2016 < 2102 - 63 = 2039, so base goes on once more; patch 4 stops at shift 5. */
Test(pcp_free, patch_4_shows_from_high_2080_on)
{
	static const int base[] = { 63, 126, 252, 504, 1008, 2016, 2039, 2039 };
	static const int capped[] = { 63, 126, 252, 504, 1008, 2016, 2016, 2016 };

	expect_frees(V2(0), 2102, base, 8);
	expect_frees(V2(4), 2102, capped, 8);
}

/* Pitfall 11: at 2 * batch the factor grows with <= and not with <. max = 189 - 63 = 126. */
Test(pcp_free, growth_test_is_less_before_patch_7_and_less_or_equal_from_it_on)
{
	struct sim *sim = kit_sim(V2(6));
	struct per_cpu_pages *pcp = kit_pcp(sim, 0);

	set_limits(pcp, 189, 189, 189);
	pcp->free_factor = 1;
	nr_pcp_free(sim, pcp, 189, false);
	cr_assert_eq(pcp->free_factor, 1);
	sim_destroy(sim);
	sim = kit_sim(V2(7));
	pcp = kit_pcp(sim, 0);
	set_limits(pcp, 189, 189, 189);
	pcp->free_factor = 1;
	nr_pcp_free(sim, pcp, 189, false);
	cr_assert_eq(pcp->free_factor, 2);
	sim_destroy(sim);
}

/* The need_high rule raises high at the 4th drain: 63,126,252,298,504,504,1008,1008. */
Test(pcp_free, frees_that_run_ahead_raise_high)
{
	static const int want[] = { 63, 126, 252, 298, 504, 504, 1008, 1008 };

	for (int level = 7; level <= 9; level++) {
		struct sim *sim = kit_sim(V2(level));
		struct per_cpu_pages *pcp = kit_pcp(sim, 0);

		set_limits(pcp, 361, 361, 37449);
		for (int i = 0; i < 8; i++) {
			int high, got;

			/* Just full. */
			pcp->count = pcp->high;
			high = nr_pcp_high(sim, pcp, &sim->zones[0], false);
			got = nr_pcp_free(sim, pcp, high, false);
			cr_assert_eq(got, want[i], "level %d, drain %d: %d, want %d", level, i, got,
				     want[i]);
		}
		pcp->count = 0;
		sim_destroy(sim);
	}
}

/* Pitfall 13: everything before patch 7, min(count, batch << 5 = 2016) from it on; high falls, not below high_min. */
Test(pcp_free, free_high_gives_all_before_patch_7_and_2016_from_it_on)
{
	struct sim *sim = kit_sim(V2(6));
	struct per_cpu_pages *pcp = kit_pcp(sim, 0);

	pcp->count = 5000;
	cr_assert_eq(nr_pcp_free(sim, pcp, 0, true), 5000);
	pcp->count = 0;
	sim_destroy(sim);
	sim = kit_sim(V2(7));
	pcp = kit_pcp(sim, 0);
	set_limits(pcp, 5000, 361, 37449);
	pcp->count = 5000;
	cr_assert_eq(nr_pcp_high(sim, pcp, &sim->zones[0], true), 0);
	cr_assert_eq(pcp->high, 5000 - 2016);
	cr_assert_eq(nr_pcp_free(sim, pcp, 0, true), 2016);
	nr_pcp_high(sim, pcp, &sim->zones[0], true);
	cr_assert_eq(pcp->high, 968);
	nr_pcp_high(sim, pcp, &sim->zones[0], true);
	cr_assert_eq(pcp->high, 361);
	pcp->count = 0;
	sim_destroy(sim);
}

/* clamp(1036, 63, 1036 - 63) = 973. */
Test(pcp_free, patch_10_gives_back_what_was_freed)
{
	struct sim *sim = kit_sim(V2(10));
	struct per_cpu_pages *pcp = kit_pcp(sim, 0);

	pcp->free_count = 1036;
	cr_assert_eq(nr_pcp_free(sim, pcp, 1036, false), 973);
	pcp->free_count = 5;
	cr_assert_eq(nr_pcp_free(sim, pcp, 1036, false), 63);
	sim_destroy(sim);
}

/* Pitfall 15, series.md: high 9000 and free_count 1 under BELOW_HIGH: 8999 in V2, 8937 in V3. */
Test(pcp_free, below_high_shrinks_by_free_count_in_v2_and_at_least_batch_in_v3)
{
	for (int v3 = 0; v3 < 2; v3++) {
		struct sim *sim = kit_sim(v3 ? V3(9) : V2(10));
		struct per_cpu_pages *pcp = kit_pcp(sim, 0);

		set_limits(pcp, 9000, 361, 37449);
		pcp->free_count = 1;
		sim->zones[0].flags |= 1u << ZONE_BELOW_HIGH;
		cr_assert_eq(nr_pcp_high(sim, pcp, &sim->zones[0], false), 361);
		cr_assert_eq(pcp->high, v3 ? 8937 : 8999);
		sim_destroy(sim);
	}
}

/* min(4 * 63, high) at every level. */
Test(pcp_free, reclaim_limits_to_four_batches)
{
	static const int levels[] = { 0, 6, 7, 10 };

	for (int i = 0; i < 4; i++) {
		struct sim *sim = kit_sim(V2(levels[i]));
		struct per_cpu_pages *pcp = kit_pcp(sim, 0);

		set_limits(pcp, 1036, 1036, 65536);
		sim->zones[0].flags |= 1u << ZONE_RECLAIM_ACTIVE;
		cr_assert_eq(nr_pcp_high(sim, pcp, &sim->zones[0], false), 252, "level %d",
			     levels[i]);
		sim_destroy(sim);
	}
}

/* Refills of an empty list. */
static void expect_refills(u32 set, int high, const int *want, int nr)
{
	struct sim *sim = kit_sim(set);
	struct per_cpu_pages *pcp = kit_pcp(sim, 0);

	set_limits(pcp, high, high, high);
	for (int i = 0; i < nr; i++) {
		int got = nr_pcp_alloc(sim, pcp, &sim->zones[0], 0);

		cr_assert_eq(got, want[i], "set %#x, refill %d: %d, want %d", set, i, got, want[i]);
	}
	sim_destroy(sim);
}

Test(pcp_alloc, refills_double_with_patch_5_within_high)
{
	static const int plain[] = { 63, 63, 63, 63, 63 };
	static const int scaled[] = { 63, 126, 252, 298, 298 };
	static const int small[] = { 63, 126, 189, 189 };

	expect_refills(V2(4), 361, plain, 5);
	expect_refills(V2(5), 361, scaled, 5);
	expect_refills(V2(6), 361, scaled, 5);
	expect_refills(V2(5), 252, small, 4);
}

/* (63,2684)(126,2810)(252,3062)(504,3566)(1008,4574)(2016,6590)(2016,8606) */
Test(pcp_alloc, refills_raise_high_with_patch_7)
{
	static const int size[] = { 63, 126, 252, 504, 1008, 2016, 2016 };
	static const int high[] = { 2684, 2810, 3062, 3566, 4574, 6590, 8606 };
	struct sim *sim = kit_sim(V2(7));
	struct per_cpu_pages *pcp = kit_pcp(sim, 0);

	set_limits(pcp, 2621, 2621, 65536);
	for (int i = 0; i < 7; i++) {
		cr_assert_eq(nr_pcp_alloc(sim, pcp, &sim->zones[0], 0), size[i], "refill %d", i);
		cr_assert_eq(pcp->high, high[i], "refill %d: high %d", i, pcp->high);
	}
	sim_destroy(sim);
}

/* 1036 + 63 + 126 + 252 + 504 + 1008 + 5 * 2016 = 13069 */
Test(pcp_alloc, ten_refills_of_the_16_gib_machine)
{
	struct sim *sim = kit_sim(V2(7));
	struct per_cpu_pages *pcp = kit_pcp(sim, 0);

	set_limits(pcp, 1036, 1036, 65536);
	for (int i = 0; i < 10; i++)
		nr_pcp_alloc(sim, pcp, &sim->zones[0], 0);
	cr_assert_eq(pcp->high, 13069);
	sim_destroy(sim);
}

Test(pcp_alloc, blocks_of_higher_orders_are_fewer_but_two)
{
	static const u32 orders[] = { 0, 1, 2, 3, 9 };
	static const int want[] = { 63, 31, 15, 7, 2 };
	struct sim *sim = kit_sim(V2(0));

	for (int i = 0; i < 5; i++)
		cr_assert_eq(nr_pcp_alloc(sim, kit_pcp(sim, 0), &sim->zones[0], orders[i]),
			     want[i]);
	sim_destroy(sim);
}

/* Pitfall 12: RECLAIM_ACTIVE holds high back in level 7 alone, BELOW_HIGH from level 8 on. */
Test(pcp_alloc, what_holds_high_back_changes_with_patch_8)
{
	for (int level = 7; level <= 8; level++) {
		for (int flag = ZONE_RECLAIM_ACTIVE; flag <= ZONE_BELOW_HIGH; flag++) {
			struct sim *sim = kit_sim(V2(level));
			struct per_cpu_pages *pcp = kit_pcp(sim, 0);
			bool held = level == 7 ? flag == ZONE_RECLAIM_ACTIVE :
						 flag == ZONE_BELOW_HIGH;

			set_limits(pcp, 1036, 1036, 65536);
			sim->zones[0].flags |= 1u << flag;
			nr_pcp_alloc(sim, pcp, &sim->zones[0], 0);
			cr_assert_eq(pcp->high, held ? 1036 : 1099, "level %d flag %d", level,
				     flag);
			sim_destroy(sim);
		}
	}
}

/* Pitfall 5: ff halves at every attempt on a list, hit or miss; af at every free. */
Test(pcp, factors_halve_at_every_operation_of_the_other_kind)
{
	struct sim *sim = kit_sim(V2(9));
	struct per_cpu_pages *pcp = kit_pcp(sim, 0);
	u32 slot;

	pcp->free_factor = 5;
	slot = kit_alloc(sim, 0, 3, MIGRATE_UNMOVABLE);
	cr_assert_eq(pcp->free_factor, 2);
	pcp->alloc_factor = 4;
	kit_free(sim, 0, slot);
	cr_assert_eq(pcp->alloc_factor, 2);
	sim_destroy(sim);
}

/* free_count 2016 after k allocations: 1008, 504, 252, 126, 63, 31; six kill free_high. */
Test(pcp, six_allocations_end_the_freeing_state)
{
	static const int want[] = { 1008, 504, 252, 126, 63, 31 };
	struct sim *sim = kit_sim(V2(10));
	struct per_cpu_pages *pcp = kit_pcp(sim, 0);

	pcp->free_count = 2016;
	for (int i = 0; i < 6; i++) {
		kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
		cr_assert_eq(pcp->free_count, want[i], "alloc %d: %d", i, pcp->free_count);
	}
	sim_destroy(sim);
}

/* Pitfall 1: with patch 6 alone high is never used and stays 0; from 7 on its first use clamps it to high_min. */
Test(pcp, high_starts_at_0_from_patch_6_on)
{
	struct sim *sim = kit_sim(V2(5));

	cr_assert_eq(kit_pcp(sim, 0)->high, 321);
	sim_destroy(sim);
	sim = kit_sim(V2(6));
	kit_free(sim, 0, kit_alloc(sim, 0, 0, MIGRATE_MOVABLE));
	cr_assert_eq(kit_pcp(sim, 0)->high, 0);
	cr_assert_eq(kit_pcp(sim, 0)->high_min, 321);
	sim_destroy(sim);
	sim = kit_sim(V2(7));
	cr_assert_eq(kit_pcp(sim, 0)->high, 0);
	kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	/* the refill raised it by a batch: 321 + 63 */
	cr_assert_eq(kit_pcp(sim, 0)->high, 384);
	sim_destroy(sim);
}

/* Pitfall 6: free_count stops growing at batch << 5, tested before the sum: one order-9 free overshoots by 511. */
Test(pcp, free_count_may_overshoot_by_one_block)
{
	struct sim *sim = kit_sim(V2(10));
	u32 slot = kit_alloc(sim, 0, 9, MIGRATE_MOVABLE);

	kit_pcp(sim, 0)->free_count = 2015;
	kit_free(sim, 0, slot);
	cr_assert_eq(kit_pcp(sim, 0)->free_count, 2015 + 512);
	slot = kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	kit_pcp(sim, 0)->free_count = 2016;
	kit_free(sim, 0, slot);
	cr_assert_eq(kit_pcp(sim, 0)->free_count, 2016);
	sim_destroy(sim);
}

/* Pitfall 7: the flag is set by orders 1..3, cleared by orders 0 and 9, left alone by all else. */
Test(pcp, previous_free_flag_is_cleared_by_frees_of_order_0_and_9_alone)
{
	struct sim *sim = kit_sim(V2(1));
	struct per_cpu_pages *pcp = kit_pcp(sim, 0);
	u32 s0 = kit_alloc(sim, 0, 0, MIGRATE_MOVABLE), s2 = kit_alloc(sim, 0, 2, MIGRATE_MOVABLE);
	u32 s3 = kit_alloc(sim, 0, 3, MIGRATE_MOVABLE), s4 = kit_alloc(sim, 0, 4, MIGRATE_MOVABLE);
	u32 s9 = kit_alloc(sim, 0, 9, MIGRATE_MOVABLE);

	kit_free(sim, 0, s2);
	cr_assert(pcp->flags & PCPF_PREV_FREE_HIGH_ORDER);
	kit_free(sim, 0, s4);
	kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	kit_do(sim, (struct op){ .kind = OP_DRAIN, .cpu = 0 }, NULL);
	cr_assert(pcp->flags & PCPF_PREV_FREE_HIGH_ORDER);
	kit_free(sim, 0, s0);
	cr_assert(!(pcp->flags & PCPF_PREV_FREE_HIGH_ORDER));
	kit_free(sim, 0, s3);
	cr_assert(pcp->flags & PCPF_PREV_FREE_HIGH_ORDER);
	kit_free(sim, 0, s9);
	cr_assert(!(pcp->flags & PCPF_PREV_FREE_HIGH_ORDER));
	sim_destroy(sim);
}

/* Pitfall 13: at base one free of order 1..3 with ff > 0 empties the pageset; patch 1 wants the one before it too. */
Test(pcp, free_high_needs_two_in_a_row_once_patch_1_is_there)
{
	for (int level = 0; level <= 1; level++) {
		struct sim *sim = kit_sim(V2(level));
		u32 a = kit_alloc(sim, 0, 1, MIGRATE_UNMOVABLE),
		    b = kit_alloc(sim, 0, 1, MIGRATE_UNMOVABLE);

		kit_pcp(sim, 0)->free_factor = 1;
		kit_free(sim, 0, a);
		cr_assert_eq(sim_stats(sim).free_high, level ? 0u : 1u);
		kit_pcp(sim, 0)->free_factor = 1;
		kit_free(sim, 0, b);
		cr_assert_eq(sim_stats(sim).free_high, level ? 1u : 2u);
		cr_assert_eq(kit_pcp(sim, 0)->count, 0);
		sim_destroy(sim);
	}
}

/* Pitfall 10: refill at the tail, free at the head, allocation from the head. */
Test(pcp, lists_are_first_in_last_out_and_refills_go_behind)
{
	struct sim *sim = kit_sim(0);
	u32 a = kit_alloc(sim, 0, 0, MIGRATE_MOVABLE), b = kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	u64 first = kit_pfn(sim, a);

	cr_assert_eq(kit_pfn(sim, b), first + 1);
	kit_free(sim, 0, a);
	cr_assert_eq(kit_pfn(sim, kit_alloc(sim, 0, 0, MIGRATE_MOVABLE)), first);
	sim_destroy(sim);
}

/*
 * Pitfall 9: a bulk free begins with the list just freed to and empties it from the tail. 2 * 64 KiB of order 1 and 63
 * pages of order 0 wait; draining from list 0 takes the order-0 unmovable list first.
 */
Test(pcp, bulk_free_empties_the_list_just_freed_to_first)
{
	struct sim *sim = kit_sim(0);
	struct per_cpu_pages *pcp;

	kit_free(sim, 0, kit_alloc(sim, 0, 0, MIGRATE_MOVABLE));
	kit_free(sim, 0, kit_alloc(sim, 0, 1, MIGRATE_UNMOVABLE));
	pcp = kit_pcp(sim, 0);
	cr_assert_eq(sim_pcp_list_length(sim, 0, 0, 1), 63u);
	cr_assert_eq(sim_pcp_list_length(sim, 0, 0, 3), 31u);
	/* 63 pages wanted from list 3 on: 31 blocks are 62 pages, one more from list 1 (2, 4.. are empty) */
	free_pcppages_bulk(sim, &sim->zones[0], 63, pcp, 3);
	cr_assert_eq(sim_pcp_list_length(sim, 0, 0, 3), 0u);
	cr_assert_eq(sim_pcp_list_length(sim, 0, 0, 1), 62u);
	sim_destroy(sim);
}

/* Pitfall 21: one list of order 9 for all types: a reclaimable request gets what an unmovable refill left. */
Test(pcp, order_9_shares_one_list_among_types)
{
	struct sim *sim = kit_sim(0);
	u32 a = kit_alloc(sim, 0, 9, MIGRATE_UNMOVABLE);
	u64 refills = sim_stats(sim).refills;
	u32 b = kit_alloc(sim, 0, 9, MIGRATE_RECLAIMABLE);

	cr_assert(kit_pfn(sim, a) != kit_pfn(sim, b));
	cr_assert_eq(sim_stats(sim).refills, refills);
	sim_destroy(sim);
}

/* Idle decay of 65536 to 2621 with count 0: V2 patch 7 in 15 ticks, V3 in 25; with count_min 0 never. */
static int ticks_to_min(u32 set, int count)
{
	struct sim *sim = kit_sim(set);
	struct per_cpu_pages *pcp = kit_pcp(sim, 0);
	int ticks = 0;

	sim_set_checking(sim, false);
	set_limits(pcp, 65536, 2621, 65536);
	pcp->count_min = count;
	while (pcp->high > 2621 && ticks < 100) {
		/* What lies above high goes in the same tick. */
		int floor = count - 2016;

		if (count) {
			pcp->count = 0;
			pcp->high = pcp->high > count ? count : pcp->high;
			count = floor;
		}
		decay_pcp_high(sim, &sim->zones[0], pcp);
		ticks++;
	}
	sim_destroy(sim);
	return ticks;
}

Test(pcp_decay, idle_ticks_until_high_min)
{
	cr_assert_eq(ticks_to_min(V2(7), 0), 15, "%d", ticks_to_min(V2(7), 0));
	cr_assert_eq(ticks_to_min(V3(7), 0), 25, "%d", ticks_to_min(V3(7), 0));
	cr_assert_eq(ticks_to_min(V2(9), 0), 100);
}

/* Pitfall 16: count_min is lowered by allocations and set at each tick. */
Test(pcp_decay, count_min_follows_allocations_and_ticks)
{
	struct sim *sim = kit_sim(V2(9));
	struct per_cpu_pages *pcp = kit_pcp(sim, 0);

	kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	cr_assert_eq(pcp->count_min, 0);
	kit_tick(sim, 0);
	cr_assert_eq(pcp->count_min, 62);
	kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	cr_assert_eq(pcp->count_min, 61);
	sim_destroy(sim);
}

/* Pitfall 4: the mark is tested before the pageset, so that pages on the list do not help. */
Test(pcp, an_allocation_can_fail_with_pages_on_its_own_list)
{
	struct sim *sim = kit_sim(0);
	u32 slot = kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	struct op_result result;

	kit_free(sim, 0, slot);
	kit_do(sim, (struct op){ .kind = OP_WMARK, .value = 262144, .low = 262144, .high = 262144 },
	       NULL);
	result = kit_do(sim, (struct op){ .kind = OP_ALLOC, .type = MIGRATE_MOVABLE }, NULL);
	cr_assert_eq(result.status, OP_FAILED);
	cr_assert(result.kswapd);
	cr_assert_gt(kit_pcp(sim, 0)->count, 60);
	sim_destroy(sim);
}

/* Pitfall 3: while pagesets are disabled a CPU that uses them loses its high, the others keep theirs. */
Test(pcp, disabled_pagesets_cost_the_learned_high_where_they_are_used)
{
	struct sim *sim = kit_sim(V2(10));

	kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	kit_alloc(sim, 1, 0, MIGRATE_MOVABLE);
	cr_assert_eq(kit_pcp(sim, 0)->high, 384);
	kit_do(sim, (struct op){ .kind = OP_PCP_DISABLE }, NULL);
	kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	cr_assert_eq(kit_pcp(sim, 0)->high, 0);
	cr_assert_eq(kit_pcp(sim, 1)->high, 384);
	kit_do(sim, (struct op){ .kind = OP_PCP_ENABLE }, NULL);
	cr_assert_eq(kit_pcp(sim, 0)->high, 0);
	cr_assert_eq(kit_pcp(sim, 0)->high_min, 321);
	sim_destroy(sim);
}

/* busy: every trylock fails, the block goes past the pageset and is counted. */
Test(pcp, a_held_lock_sends_the_page_to_the_buddy)
{
	struct sim *sim = kit_sim(V2(10));
	u32 slot = 0;

	kit_do(sim, (struct op){ .kind = OP_ALLOC, .type = MIGRATE_MOVABLE, .flags = OP_F_BUSY },
	       &slot);
	cr_assert_eq(sim_stats(sim).direct_allocs, 1u);
	kit_do(sim, (struct op){ .kind = OP_FREE, .slot = slot, .flags = OP_F_BUSY }, NULL);
	cr_assert_eq(sim_stats(sim).direct_frees, 1u);
	cr_assert_eq(kit_pcp(sim, 0)->count, 0);
	cr_assert_eq(sim_zone(sim, 0)->free_pages, 262144);
	sim_destroy(sim);
}

/* Sizes of series.md 5.2: batch, high_min, high_max; memory in MiB. */
Test(pcp_size, batch_and_high_of_the_reference_machines)
{
	static const struct {
		int mib, cpus, batch, high_min, high_max;
	} rows[] = { { 256, 2, 15, 320, 4096 },
		     { 1024, 4, 63, 321, 8192 },
		     { 4096, 4, 63, 774, 32768 },
		     { 16384, 8, 63, 1036, 65536 },
		     { 65536, 16, 63, 1560, 131072 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sim_error err;
		struct machine m;
		struct sim *sim;

		machine_init(&m);
		m.memory = (s64)rows[i].mib << 20;
		m.cpus = rows[i].cpus;
		cr_assert_eq(machine_finish(&m, &err), SIM_OK);
		sim = kit_create(&m, V2(10));
		sim_set_checking(sim, false);
		cr_assert_eq(kit_pcp(sim, 0)->batch, rows[i].batch, "%d MiB", rows[i].mib);
		cr_assert_eq(kit_pcp(sim, 0)->high_min, rows[i].high_min, "%d MiB", rows[i].mib);
		cr_assert_eq(kit_pcp(sim, 0)->high_max, rows[i].high_max, "%d MiB", rows[i].mib);
		sim_destroy(sim);
		machine_free(&m);
	}
}

/* Pitfall 2: a new fraction changes the limits of all CPUs at once; the count is not trimmed. */
Test(pcp_size, a_fraction_fixes_both_limits_and_trims_nothing)
{
	struct sim *sim = kit_sim(V2(10));

	kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	cr_assert_eq(kit_value(sim, OP_FRACTION, 7).status, OP_REFUSED);
	kit_value(sim, OP_FRACTION, 16);
	/* 262144 / 16 / 4 CPUs = 4096 */
	for (u32 cpu = 0; cpu < 4; cpu++) {
		cr_assert_eq(kit_pcp(sim, cpu)->high_min, 4096);
		cr_assert_eq(kit_pcp(sim, cpu)->high_max, 4096);
	}
	cr_assert_eq(kit_pcp(sim, 0)->high, 384);
	kit_free(sim, 0, kit_alloc(sim, 0, 0, MIGRATE_MOVABLE));
	cr_assert_eq(kit_pcp(sim, 0)->high, 4096);
	sim_destroy(sim);
}

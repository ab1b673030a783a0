/* SPDX-License-Identifier: GPL-2.0-only */
#include "core_kit.h"
#include "core/zone.h"

/* series.md 5.2: 1 GiB: min 1024, low 1286, high 1548 */
Test(zone, watermarks_of_1_gib)
{
	struct sim *sim = kit_sim(0);
	const s64 *mark = sim_zone(sim, 0)->_watermark;

	cr_assert_eq(mark[WMARK_MIN], 1024);
	cr_assert_eq(mark[WMARK_LOW], 1286);
	cr_assert_eq(mark[WMARK_HIGH], 1548);
	sim_destroy(sim);
}

Test(zone, the_second_attempt_goes_to_the_min_mark)
{
	struct sim *sim = kit_sim(0);
	struct op_result result;

	kit_do(sim, (struct op){ .kind = OP_WMARK, .value = 1000, .low = 262144, .high = 262144 },
	       NULL);
	result = kit_do(sim, (struct op){ .kind = OP_ALLOC, .type = MIGRATE_MOVABLE }, NULL);
	cr_assert_eq(result.status, OP_DONE);
	cr_assert_eq(result.attempt, 2);
	cr_assert(result.kswapd);
	sim_destroy(sim);
}

/* GFP_ATOMIC: half of min, then a quarter of the rest off: 262144 - 131072 - 32768 = 98304 < 200000. */
Test(zone, atomic_requests_dig_deeper)
{
	struct sim *sim = kit_sim(0);
	struct op op = { .kind = OP_ALLOC, .type = MIGRATE_MOVABLE };

	kit_do(sim, (struct op){ .kind = OP_WMARK, .value = 262144, .low = 262144, .high = 262144 },
	       NULL);
	cr_assert_eq(kit_do(sim, op, NULL).status, OP_FAILED);
	op.flags = OP_F_ATOMIC;
	cr_assert_eq(kit_do(sim, op, NULL).status, OP_DONE);
	sim_destroy(sim);
}

/* Pitfall 14: a high-order request that finds no block sets BELOW_HIGH with plenty of memory free. */
Test(zone, below_high_is_set_by_a_request_that_finds_no_block)
{
	struct sim *sim = kit_with(V2(8), "memory", 64 << 20);
	u32 slots[16];

	kit_do(sim, (struct op){ .kind = OP_WMARK, .value = 0, .low = 0, .high = 0 }, NULL);
	kit_do(sim,
	       (struct op){ .kind = OP_ALLOCN, .order = 10, .type = MIGRATE_MOVABLE, .count = 16 },
	       slots);
	kit_free(sim, 0, slots[3]);
	kit_alloc(sim, 0, 4, MIGRATE_MOVABLE);
	cr_assert_eq(sim_zone(sim, 0)->flags & 1u << ZONE_BELOW_HIGH, 0u);
	/* 1008 pages free, no block of order 10 */
	kit_alloc(sim, 0, 10, MIGRATE_MOVABLE);
	cr_assert_neq(sim_zone(sim, 0)->flags & 1u << ZONE_BELOW_HIGH, 0u);
	sim_destroy(sim);
}

/* Pitfall 26: one test against low + N; a full list does not help; then one ordinary allocation. */
Test(zone, bulk_falls_back_to_one_page)
{
	struct sim *sim = kit_sim(0);
	static u32 slots[2000];
	struct op_result result;

	kit_pcp(sim, 0)->free_factor = 4;
	result = kit_do(sim, (struct op){ .kind = OP_BULK, .type = MIGRATE_MOVABLE, .count = 1000 },
			slots);
	cr_assert_eq(result.got, 1000u);
	cr_assert_eq(kit_pcp(sim, 0)->free_factor, 4);
	kit_do(sim, (struct op){ .kind = OP_WMARK, .value = 0, .low = 261000, .high = 261000 },
	       NULL);
	result = kit_do(sim, (struct op){ .kind = OP_BULK, .type = MIGRATE_MOVABLE, .count = 200 },
			slots);
	cr_assert_eq(result.got, 1u);
	cr_assert_eq(result.status, OP_FAILED);
	sim_destroy(sim);
}

/* Pitfall 19: cpu_online counts one CPU more until the next recompute: 1286 / 5 = 257, again 1286 / 4 = 321 after. */
Test(zone, a_cpu_that_comes_up_is_counted_once_more)
{
	struct sim *sim = kit_sim(V2(10));

	kit_do(sim, (struct op){ .kind = OP_CPU_OFFLINE, .cpu = 3 }, NULL);
	/* 1286 / 3 = 428 */
	cr_assert_eq(kit_pcp(sim, 0)->high_min, 428);
	kit_do(sim, (struct op){ .kind = OP_CPU_ONLINE, .cpu = 3 }, NULL);
	cr_assert_eq(kit_pcp(sim, 0)->high_min, 321);
	sim_destroy(sim);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "core_kit.h"

static struct sim *two_nodes(u32 set, bool percpu)
{
	struct sim_error err;
	struct machine m;
	struct sim *sim;

	machine_init(&m);
	m.nodes = 2;
	m.memory = (s64)256 << 20;
	m.counters = percpu ? COUNTERS_PERCPU : COUNTERS_EXACT;
	cr_assert_eq(machine_finish(&m, &err), SIM_OK, "%s", err.message);
	sim = kit_create(&m, set);
	machine_free(&m);
	return sim;
}

/* Pitfall 17: the arming tick counts down at once, so that expire shows 2; two more ticks drain a batch. */
Test(vmstat, a_remote_pageset_is_drained_after_three_ticks)
{
	struct sim *sim = two_nodes(0, false);
	struct per_cpu_pages *pcp;
	u32 slot, cpu = 0;

	while (sim_cpu_node(sim, cpu) != 0)
		cpu++;
	/* node 0 cannot serve: its marks are beyond its size */
	kit_do(sim,
	       (struct op){ .kind = OP_WMARK, .value = 1 << 20, .low = 1 << 20, .high = 1 << 20 },
	       NULL);
	slot = kit_alloc(sim, cpu, 0, MIGRATE_MOVABLE);
	cr_assert_eq(sim_zone_of_pfn(sim, kit_pfn(sim, slot)), 1);
	pcp = per_cpu_pageset(sim, &sim->zones[1], cpu);
	kit_tick(sim, cpu);
	cr_assert_eq(pcp->expire, 2);
	kit_tick(sim, cpu);
	cr_assert_eq(pcp->expire, 1);
	cr_assert_eq(sim_stats(sim).remote_drains, 0u);
	kit_tick(sim, cpu);
	cr_assert_eq(pcp->expire, 0);
	cr_assert_eq(sim_stats(sim).remote_drains, 1u);
	sim_destroy(sim);
}

Test(vmstat, the_own_node_never_expires)
{
	struct sim *sim = kit_sim(0);

	kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	kit_tick(sim, 0);
	cr_assert_eq(kit_pcp(sim, 0)->expire, 0);
	cr_assert_eq(kit_pcp(sim, 0)->count, 62);
	sim_destroy(sim);
}

/*
 * Pitfall 24: a refill is one booking of 63 pages. Threshold 2 * fls(4) * (1 + fls(1 GiB / 128 MiB = 8)) = 2 * 3 * 5 = 30,
 * so it folds at once; a refill of order 3, 7 blocks = 56 pages, too.
 */
Test(vmstat, a_refill_is_one_booking)
{
	struct sim *sim = kit_with(0, "counters", COUNTERS_PERCPU);

	cr_assert_eq(sim_zone(sim, 0)->stat_threshold, 30);
	kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	cr_assert_eq(sim_zone(sim, 0)->free_pages, 262144 - 63);
	cr_assert_eq(kit_pcp(sim, 0)->stat_diff, 0);
	sim_destroy(sim);
}

/* 16 pages of order 4 stay below 30; the tick folds them. */
Test(vmstat, a_tick_folds_what_is_left)
{
	struct sim *sim = kit_with(0, "counters", COUNTERS_PERCPU);

	kit_alloc(sim, 0, 4, MIGRATE_MOVABLE);
	cr_assert_eq(kit_pcp(sim, 0)->stat_diff, -16);
	cr_assert_eq(sim_zone(sim, 0)->free_pages, 262144);
	kit_tick(sim, 0);
	cr_assert_eq(kit_pcp(sim, 0)->stat_diff, 0);
	cr_assert_eq(sim_zone(sim, 0)->free_pages, 262144 - 16);
	sim_destroy(sim);
}

/* Pitfall 18: what a drain frees is booked on the CPU that does it. */
Test(vmstat, a_drain_books_on_the_cpu_that_executes)
{
	struct sim *sim = kit_with(0, "counters", COUNTERS_PERCPU);
	s32 before;

	kit_alloc(sim, 2, 0, MIGRATE_MOVABLE);
	before = kit_pcp(sim, 2)->stat_diff;
	kit_do(sim, (struct op){ .kind = OP_DRAIN_ALL }, NULL);
	cr_assert_eq(kit_pcp(sim, 2)->stat_diff, before);
	/* 62 single pages: folded at 31, twice */
	cr_assert_eq(kit_pcp(sim, 0)->stat_diff, 0);
	cr_assert_eq(sim_zone(sim, 0)->free_pages, 262144 - 1);
	sim_destroy(sim);
}

static int expire_after(bool percpu, bool use_after_touch)
{
	struct sim *sim = two_nodes(0, percpu);
	struct per_cpu_pages *pcp = per_cpu_pageset(sim, &sim->zones[1], 0);
	int expire;

	/* something to drain, and a clean slate */
	kit_do(sim,
	       (struct op){ .kind = OP_WMARK, .value = 1 << 20, .low = 1 << 20, .high = 1 << 20 },
	       NULL);
	kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	kit_tick(sim, 0);
	kit_tick(sim, 0);
	cr_assert_eq(pcp->expire, 1);
	kit_do(sim, (struct op){ .kind = OP_TOUCH, .cpu = 0, .zone = 1 }, NULL);
	/* a hit on the list: nothing is booked */
	if (use_after_touch)
		kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	kit_tick(sim, 0);
	expire = pcp->expire;
	sim_destroy(sim);
	return expire;
}

/* As the vectors have it: with per-CPU counters the touch is lost when the CPU uses the zone afterwards. */
Test(vmstat, a_touch_is_forgotten_after_use_with_percpu_counters_alone)
{
	cr_assert_eq(expire_after(false, false), 2);
	cr_assert_eq(expire_after(false, true), 2);
	cr_assert_eq(expire_after(true, false), 2);
	cr_assert_eq(expire_after(true, true), 0);
}

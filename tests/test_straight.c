/* SPDX-License-Identifier: GPL-2.0-only */
/* The straight way of sim_alloc() and sim_free(): it leads where the operations lead. */
#include "core_kit.h"

enum { LIVE_MAX = 3000 };

/* The same to both: what changes limits, flags of the zone, sizes. */
static void disturb(struct sim *sim, u64 *seed, u32 zones)
{
	u16 zone = (u16)kit_random(seed, zones);
	u16 cpu = (u16)kit_random(seed, 4);

	switch (kit_random(seed, 9)) {
	case 0:
	case 1:
	case 2:
		kit_tick(sim, cpu);
		break;
	case 3:
		kit_do(sim,
		       (struct op){ .kind = OP_RECLAIM,
				    .zone = zone,
				    .flags = kit_random(seed, 2) ? OP_F_ON : 0 },
		       NULL);
		break;
	case 4:
		kit_do(sim, (struct op){ .kind = OP_DRAIN, .cpu = cpu }, NULL);
		break;
	case 5:
		kit_do(sim, (struct op){ .kind = OP_PCP_DISABLE, .zone = zone }, NULL);
		break;
	case 6:
		kit_do(sim, (struct op){ .kind = OP_PCP_ENABLE, .zone = zone }, NULL);
		break;
	case 7:
		kit_value(sim, OP_FRACTION, kit_random(seed, 2) ? 100 : 0);
		break;
	default:
		/* Marks that the free pages cross on their way: patch 8's flag. */
		kit_value(sim, OP_MINFREE, 512 + kit_random(seed, 4) * 1024);
	}
}

static u32 take(struct sim *sim, bool by_op, u32 cpu, u32 order, u32 type)
{
	return by_op ? kit_alloc(sim, cpu, order, type) : sim_alloc(sim, cpu, order, type);
}

static void give(struct sim *sim, bool by_op, u32 cpu, u32 slot)
{
	if (by_op)
		kit_free(sim, cpu, slot);
	else
		sim_free(sim, cpu, slot);
}

/*
 * Mostly single movable pages, in runs that empty and fill the lists. The live ones
 * rise to LIVE_MAX, which is more than the smallest machine has, and fall again.
 */
static void run(struct sim *sim, bool by_op, u64 seed, u32 *live, u32 *nr)
{
	u32 zones = sim_nr_zones(sim);
	bool rises = true;

	for (int i = 0; i < 120; i++) {
		u32 cpu = kit_random(&seed, 4), len = kit_random(&seed, 120);

		for (u32 k = 0; k < len; k++) {
			bool odd = kit_random(&seed, 60) == 0;
			bool up = rises == (kit_random(&seed, 4) != 0);
			u32 order = odd ? kit_random(&seed, 5) : 0;
			u32 type = odd ? kit_random(&seed, 3) : MIGRATE_MOVABLE;

			if (up && *nr < LIVE_MAX) {
				live[(*nr)++] = take(sim, by_op, cpu, order, type);
			} else if (!up && *nr) {
				u32 which = kit_random(&seed, *nr);

				give(sim, by_op, cpu, live[which]);
				live[which] = live[--*nr];
			}
		}
		rises = *nr == LIVE_MAX ? false : *nr < 100 ? true : rises;
		disturb(sim, &seed, zones);
	}
}

static void compare(u32 set, const struct machine *m)
{
	static u32 live[2][LIVE_MAX];
	struct sim *sims[2] = { kit_create(m, set), kit_create(m, set) };
	u32 nr[2] = { 0, 0 };

	for (int i = 0; i < 2; i++)
		sim_set_checking(sims[i], false);
	for (u64 part = 1; part <= 4; part++) {
		for (int by_op = 0; by_op < 2; by_op++)
			run(sims[by_op], by_op, part, live[by_op], &nr[by_op]);
		cr_assert_eq(nr[0], nr[1]);
		cr_assert(memcmp(live[0], live[1], nr[0] * sizeof(u32)) == 0, "set %x", set);
		cr_assert_eq(sim_state_digest(sims[0]), sim_state_digest(sims[1]),
			     "set %x, part %d", set, (int)part);
	}
	for (int i = 0; i < 2; i++) {
		sim_check(sims[i]);
		sim_destroy(sims[i]);
	}
}

/* Each level of both series, so the sets that straight.c knows and others. */
static void compare_sets(const char *key, s64 value, const char *key2, s64 value2)
{
	struct sim_error err;
	struct machine m;

	kit_machine(&m, key, value);
	if (key2)
		cr_assert_eq(machine_set(&m, machine_key_find(key2), value2, &err), SIM_OK);
	cr_assert_eq(machine_finish(&m, &err), SIM_OK, "%s", err.message);
	for (int level = 0; level <= 10; level++)
		compare(V2(level), &m);
	for (int level = 1; level <= 9; level++)
		compare(V3(level), &m);
	compare(V3(9) | PATCH_BIT(P_NIKHIL), &m);
	machine_free(&m);
}

Test(straight, the_known_sets_are_the_whole_series)
{
	cr_assert_eq(PATCH_SET_V2, V2(10));
	cr_assert_eq(PATCH_SET_V3, V3(9));
}

Test(straight, enough_memory)
{
	compare_sets("memory", 256 << 20, NULL, 0);
}

Test(straight, a_machine_that_runs_full)
{
	compare_sets("memory", 12 << 20, NULL, 0);
}

Test(straight, two_nodes)
{
	compare_sets("memory", 48 << 20, "nodes", 2);
}

Test(straight, counters_by_cpu)
{
	compare_sets("memory", 64 << 20, "counters", COUNTERS_PERCPU);
}

Test(straight, first_attempts_against_fragmentation)
{
	compare_sets("memory", 64 << 20, "nofragment", NOFRAG_AUTO);
}

/* Patch 8: an allocation that a pageset could serve still sets the flag. */
Test(straight, below_the_high_mark)
{
	struct sim *sim = kit_sim(V2(10));
	struct zone *zone = &sim->zones[0];

	sim_set_checking(sim, false);
	/* The straight way takes a slot that came back. */
	sim_free(sim, 0, sim_alloc(sim, 0, 0, MIGRATE_MOVABLE));
	cr_assert_gt(kit_pcp(sim, 0)->count, 1);
	kit_do(sim,
	       (struct op){
		       .kind = OP_WMARK, .value = 16, .low = 32, .high = zone->free_pages + 1 },
	       NULL);
	cr_assert_eq(zone->flags, 0);
	sim_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	cr_assert_eq(zone->flags, 1u << ZONE_BELOW_HIGH);
	sim_destroy(sim);
}

/* A step observer or a policy that comes in the middle is asked from the next operation on. */
static int calls;

static int no_limit(void *ctx, struct sim *sim, struct per_cpu_pages *pcp, struct zone *zone,
		    bool free_high)
{
	(void)ctx, (void)sim, (void)pcp, (void)zone, (void)free_high;
	calls++;
	return 100000;
}

static void count_step(void *ctx, struct sim *sim, const struct step *step)
{
	(void)ctx, (void)sim, (void)step;
	calls++;
}

Test(straight, whoever_comes_later_is_asked)
{
	static const struct policy policy = { .nr_pcp_high = no_limit };
	struct sim *sim = kit_sim(V2(10));
	u32 slot;

	sim_set_checking(sim, false);
	sim_free(sim, 0, sim_alloc(sim, 0, 0, MIGRATE_MOVABLE));
	slot = sim_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	sim_set_policy(sim, &policy);
	calls = 0;
	sim_free(sim, 0, slot);
	cr_assert_eq(calls, 1);
	sim_set_policy(sim, NULL);
	sim_free(sim, 0, sim_alloc(sim, 0, 0, MIGRATE_MOVABLE));
	cr_assert_eq(calls, 1);
	sim_set_observer(sim, count_step, NULL);
	sim_free(sim, 0, sim_alloc(sim, 0, 0, MIGRATE_MOVABLE));
	cr_assert_gt(calls, 10);
	sim_destroy(sim);
}

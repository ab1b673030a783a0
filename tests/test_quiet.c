/* SPDX-License-Identifier: GPL-2.0-only */
/* links: core */
/* The mirror's quiet twin: whoever looks on or not, the machine goes the same way. */
#include "core_kit.h"

static u32 slots[2][8192];

static u64 steps_seen;

static void count_step(void *ctx, struct sim *sim, const struct step *step)
{
	(void)ctx;
	(void)sim;
	(void)step;
	steps_seen++;
}

/* What kit_churn() has not: bulk, lists, operations that find the pageset's lock taken. */
static void lists_and_locks(struct sim *sim)
{
	u32 list[80];

	kit_do(sim, (struct op){ .kind = OP_BULK, .cpu = 1, .type = MIGRATE_MOVABLE, .count = 80 },
	       list);
	kit_do(sim, (struct op){ .kind = OP_FREELIST, .cpu = 2, .count = 70 }, list);
	for (int i = 70; i < 80; i++)
		kit_do(sim,
		       (struct op){ .kind = OP_FREE,
				    .cpu = 1,
				    .slot = list[i],
				    .flags = i & 1 ? OP_F_BUSY : 0 },
		       NULL);
	kit_do(sim,
	       (struct op){ .kind = OP_ALLOCN,
			    .type = MIGRATE_UNMOVABLE,
			    .order = 1,
			    .count = 8,
			    .flags = OP_F_ATOMIC },
	       list);
	kit_do(sim, (struct op){ .kind = OP_FREEN, .count = 8 }, list);
}

/* The same operations watched and unwatched, compared again and again. */
static void compare(u32 set, const struct machine *m)
{
	struct sim *plain = kit_create(m, set), *watched = kit_create(m, set);
	u32 nr[2] = { 0, 0 };

	sim_set_checking(plain, false);
	sim_set_checking(watched, false);
	sim_set_observer(watched, count_step, NULL);
	cr_assert(!sim_is_loud(plain) && sim_is_loud(watched));
	steps_seen = 0;
	for (u64 part = 1; part <= 8; part++) {
		kit_churn(plain, part, 250, slots[0], &nr[0]);
		lists_and_locks(plain);
		kit_churn(watched, part, 250, slots[1], &nr[1]);
		lists_and_locks(watched);
		cr_assert_eq(sim_state_digest(plain), sim_state_digest(watched), "set %x, part %d",
			     set, (int)part);
	}
	cr_assert(steps_seen > 2000);
	sim_destroy(plain);
	sim_destroy(watched);
}

/* Of @memory bytes, in @nodes nodes, so that the zones run full now and then. */
static void compare_all_levels(s64 nodes, s64 memory, const char *key, s64 value)
{
	struct sim_error err;
	struct machine m;

	kit_machine(&m, "memory", memory);
	cr_assert_eq(machine_set(&m, machine_key_find("nodes"), nodes, &err), SIM_OK);
	if (key)
		cr_assert_eq(machine_set(&m, machine_key_find(key), value, &err), SIM_OK);
	cr_assert_eq(machine_finish(&m, &err), SIM_OK, "%s", err.message);
	for (int level = 0; level <= 10; level++)
		compare(V2(level), &m);
	for (int level = 1; level <= 9; level++)
		compare(V3(level), &m);
	machine_free(&m);
}

Test(quiet, one_node)
{
	compare_all_levels(1, 128 << 20, NULL, 0);
}

Test(quiet, a_machine_that_runs_full)
{
	compare_all_levels(1, 16 << 20, NULL, 0);
}

Test(quiet, two_nodes)
{
	compare_all_levels(2, 64 << 20, NULL, 0);
}

Test(quiet, counters_by_cpu)
{
	compare_all_levels(1, 64 << 20, "counters", COUNTERS_PERCPU);
}

Test(quiet, first_attempts_against_fragmentation)
{
	compare_all_levels(1, 64 << 20, "nofragment", NOFRAG_AUTO);
}

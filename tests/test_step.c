/* SPDX-License-Identifier: GPL-2.0-only */
/* Steps: each can be reached, its function's callers are right, its sentence takes its operands. */
#include <stdio.h>

#include "core_kit.h"

struct seen {
	bool id[NR_STEPS];
	struct step_stack stack;
	u32 orphans; /* steps whose function stands at the bottom of the stack but needs a caller */
	char orphan[64];
};

static void see(void *ctx, struct sim *sim, const struct step *step)
{
	struct seen *seen = ctx;
	const struct step_info *info = &step_infos[step->id];
	char text[STEP_TEXT_MAX];

	seen->id[step->id] = true;
	step_stack_update(&seen->stack, step);
	if (seen->stack.depth == 1 && step_funcs[info->func].callers &&
	    !(step_funcs[info->func].callers & 1ull << FN_sim_exec)) {
		static const u8 roots[] = { FN_alloc_pages, FN_drain_pages_zone, FN_zone_pcp_update,
					    FN_free_one_page };
		bool root = false;

		for (size_t i = 0; i < sizeof(roots); i++)
			root |= info->func == roots[i];
		if (!root) {
			seen->orphans++;
			snprintf(seen->orphan, sizeof(seen->orphan), "%s", info->name);
		}
	}
	step_format(sim, step, text);
	cr_assert(!strchr(text, '{'), "%s: %s", info->name, text);
	cr_assert(step->line > 0 && step->nr_args >= 1);
	cr_assert(strstr(step->file, step_funcs[info->func].file) || info->func == FN_sim_exec ||
			  strstr(step->file, ".c"),
		  "%s in %s", info->name, step->file);
}

static struct seen seen;

static void run(struct sim *sim, struct op op, u32 *slots)
{
	seen.stack.depth = 0;
	kit_do(sim, op, slots);
}

/* Something of everything on one machine. */
static void scenario(struct sim *sim)
{
	static u32 slots[70000];
	u32 nr = 0, s;

	sim_set_checking(sim, false);
	sim_set_observer(sim, see, &seen);
	for (int round = 0; round < 2; round++) {
		run(sim, (struct op){ .kind = OP_BULK, .type = 1, .count = 500 }, slots);
		run(sim, (struct op){ .kind = OP_FREELIST, .count = 500 }, slots);
		for (u32 order = 0; order <= 10; order++) {
			s = 0;
			run(sim,
			    (struct op){
				    .kind = OP_ALLOC, .order = (u8)order, .type = (u8)(order % 3) },
			    &s);
			run(sim, (struct op){ .kind = OP_FREE, .slot = s }, NULL);
		}
		run(sim, (struct op){ .kind = OP_ALLOCN, .order = 1, .type = 0, .count = 200 },
		    slots);
		for (u32 i = 0; i < 200; i++)
			run(sim, (struct op){ .kind = OP_FREE, .slot = slots[i] }, NULL);
		run(sim, (struct op){ .kind = OP_ALLOC, .type = 1, .flags = OP_F_BUSY }, &s);
		run(sim, (struct op){ .kind = OP_FREE, .slot = s, .flags = OP_F_BUSY }, NULL);
		/* high-order atomic with the reserve */
		run(sim,
		    (struct op){ .kind = OP_ALLOC, .order = 2, .type = 0, .flags = OP_F_ATOMIC },
		    &s);
		for (int i = 0; i < 4; i++)
			kit_tick(sim, 0), kit_tick(sim, sim_nr_cpus(sim) - 1);
		kit_churn(sim, 4711 + (u64)round, 600, slots, &nr);
		while (nr)
			kit_free(sim, 0, slots[--nr]);
		run(sim, (struct op){ .kind = OP_TOUCH, .cpu = 0 }, NULL);
		run(sim, (struct op){ .kind = OP_DRAIN, .cpu = 0 }, NULL);
		run(sim, (struct op){ .kind = OP_RECLAIM, .flags = OP_F_ON }, NULL);
		kit_churn(sim, 815 + (u64)round, 300, slots, &nr);
		while (nr)
			kit_free(sim, 1, slots[--nr]);
		run(sim, (struct op){ .kind = OP_RECLAIM }, NULL);
		run(sim, (struct op){ .kind = OP_BOOST_CLEAR }, NULL);
		run(sim, (struct op){ .kind = OP_PCP_DISABLE }, NULL);
		run(sim, (struct op){ .kind = OP_FRACTION, .value = 9 }, NULL);
		kit_free(sim, 0, kit_alloc(sim, 0, 0, 1));
		run(sim, (struct op){ .kind = OP_PCP_ENABLE }, NULL);
		run(sim, (struct op){ .kind = OP_FRACTION, .value = 8 }, NULL);
		kit_free(sim, 0, kit_alloc(sim, 0, 0, 1));
		run(sim, (struct op){ .kind = OP_FRACTION, .value = 0 }, NULL);
		run(sim, (struct op){ .kind = OP_MINFREE, .value = 4096 }, NULL);
		run(sim, (struct op){ .kind = OP_CACHE, .value = 4 << 20 }, NULL);
		run(sim, (struct op){ .kind = OP_CPU_OFFLINE, .cpu = 1 }, NULL);
		run(sim, (struct op){ .kind = OP_CPU_ONLINE, .cpu = 1 }, NULL);
		/* all there is, three types mixed, so that it falls back and fails; then atomic at the bottom */
		for (u32 i = 0; i < 60000; i++) {
			struct op_result result;

			seen.stack.depth = 0;
			result = kit_do(sim,
					(struct op){ .kind = OP_ALLOC,
						     .order = (u8)(i % 7 == 0 ? 3 : 0),
						     .type = (u8)(i / 50 % 3) },
					&slots[nr]);
			nr++;
			if (result.status == OP_FAILED && i % 7 != 0)
				break;
		}
		for (u32 i = 0; i < 20; i++)
			run(sim, (struct op){ .kind = OP_ALLOC, .type = 1, .flags = OP_F_ATOMIC },
			    &slots[nr++]);
		while (nr) {
			nr--;
			kit_free(sim, nr & 1, slots[nr]);
		}
		run(sim,
		    (struct op){ .kind = OP_WMARK, .value = 10, .low = 200000, .high = 200000 },
		    NULL);
		for (u32 i = 0; i < 4; i++)
			run(sim,
			    (struct op){
				    .kind = OP_ALLOC, .order = 2, .type = 0, .flags = OP_F_ATOMIC },
			    &slots[i]);
		for (u32 i = 0; i < 4; i++)
			run(sim, (struct op){ .kind = OP_FREE, .slot = slots[i] }, NULL);
		run(sim, (struct op){ .kind = OP_DRAIN_ALL }, NULL);
		run(sim, (struct op){ .kind = OP_WMARK, .value = 100, .low = 200, .high = 300 },
		    NULL);
	}
	sim_set_observer(sim, NULL, NULL);
}

static void on_machine(u32 set, s64 nofragment, s64 start, u32 nodes, s64 counters)
{
	struct sim_error err;
	struct machine m;
	struct sim *sim;

	machine_init(&m);
	m.boost = 15000;
	m.highatomic = 1;
	m.nofragment = nofragment;
	m.counters = counters;
	for (u32 n = 0; n < nodes; n++) {
		u64 first = n ? MACHINE_PFN_AUTO : (u64)start;

		if (nodes > 1 && n == 0) {
			machine_add_zone(&m, n, ZONE_DMA32, first, 4096, &err);
			first = MACHINE_PFN_AUTO;
		}
		/* An odd end, too, so that a pageblock crosses it. */
		machine_add_zone(&m, n, ZONE_NORMAL, first, 8192 - (u64)(start & 511) / 2, &err);
	}
	m.nodes = nodes;
	for (u32 cpu = 0; cpu < 4; cpu++)
		machine_add_cpu(&m, cpu % nodes, &err);
	cr_assert_eq(machine_finish(&m, &err), SIM_OK, "%s", err.message);
	sim = kit_create(&m, set);
	machine_free(&m);
	scenario(sim);
	sim_destroy(sim);
}

/* 8 MiB and 100 pages: nothing but the tail, whose pageblock crosses the border, is left for an unmovable request. */
static void border(void)
{
	struct sim_error err;
	struct machine m;
	struct sim *sim;
	u32 slot;

	machine_init(&m);
	machine_add_zone(&m, 0, ZONE_NORMAL, 4096, 2048 + 100, &err);
	cr_assert_eq(machine_finish(&m, &err), SIM_OK, "%s", err.message);
	sim = kit_create(&m, V2(10));
	machine_free(&m);
	sim_set_observer(sim, see, &seen);
	run(sim, (struct op){ .kind = OP_WMARK }, NULL);
	for (int i = 0; i < 2; i++)
		run(sim, (struct op){ .kind = OP_ALLOC, .order = 10, .type = MIGRATE_MOVABLE },
		    &slot);
	run(sim, (struct op){ .kind = OP_ALLOC, .type = MIGRATE_UNMOVABLE }, &slot);
	sim_destroy(sim);
}

/* A pageblock of the reserve and its free buddy stay apart. */
static void reserve(void)
{
	struct sim *sim = kit_with(V2(0), "highatomic", 1);
	u32 slot;

	sim_set_observer(sim, see, &seen);
	run(sim, (struct op){ .kind = OP_WMARK, .value = 10, .low = 262144, .high = 262144 }, NULL);
	run(sim,
	    (struct op){
		    .kind = OP_ALLOC, .order = 2, .type = MIGRATE_MOVABLE, .flags = OP_F_ATOMIC },
	    &slot);
	cr_assert(seen.id[STEP_RESERVED]);
	run(sim, (struct op){ .kind = OP_FREE, .slot = slot }, NULL);
	run(sim, (struct op){ .kind = OP_DRAIN_ALL }, NULL);
	cr_assert_eq(sim_free_list_length(sim, 0, 9, MIGRATE_HIGHATOMIC), 1u);
	sim_destroy(sim);
}

/* high grew with the refills; two idle ticks let it fall below the count. */
static void decay(void)
{
	static u32 slots[20000];
	struct sim *sim = kit_sim(V2(7));

	sim_set_checking(sim, false);
	sim_set_observer(sim, see, &seen);
	run(sim, (struct op){ .kind = OP_ALLOCN, .type = MIGRATE_MOVABLE, .count = 20000 }, slots);
	run(sim, (struct op){ .kind = OP_FREELIST, .count = 20000 }, slots);
	for (int i = 0; i < 4; i++)
		run(sim, (struct op){ .kind = OP_TICK }, NULL);
	sim_destroy(sim);
}

Test(step, every_step_can_be_reached, .timeout = 300)
{
	static const int levels[] = { 0, 3, 6, 7, 9, 10 };
	int missing = 0;
	char names[600] = "";

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		on_machine(V2(levels[i]), (s64)i & 1, i & 1 ? 4096 + 130 : 4096, 1 + (u32)(i & 1),
			   (s64)i & 1);
	on_machine(V3(9), 1, 4096, 2, 0);
	on_machine(V3(8), 0, 4096, 1, 1);
	on_machine(V2(10), 1, 4096, 1, 0);
	on_machine(V2(5), 0, 4096 + 130, 1, 0);
	border();
	reserve();
	decay();
	for (int id = 0; id < NR_STEPS; id++) {
		if (seen.id[id] || id == STEP_PATCHES)
			continue;
		missing++;
		snprintf(names + strlen(names), sizeof(names) - strlen(names), " %s",
			 step_infos[id].name);
	}
	cr_assert_eq(missing, 0, "never seen:%s", names);
}

Test(step, conditions_of_patches_that_are_off_are_told_as_not_asked)
{
	struct sim *sim = kit_sim(V2(0));
	u32 a, b;

	sim_set_observer(sim, see, &seen);
	a = kit_alloc(sim, 0, 1, 0);
	b = kit_alloc(sim, 0, 1, 0);
	kit_free(sim, 0, a);
	kit_free(sim, 0, b);
	kit_tick(sim, 0);
	cr_assert(seen.id[STEP_NA_AVOID_DRAIN] && seen.id[STEP_NA_KEEP_BATCH] &&
		  seen.id[STEP_NA_TUNE_HIGH] && seen.id[STEP_NA_HIGH_MARK] &&
		  seen.id[STEP_NA_DECAY] && seen.id[STEP_NA_ALLOC_SCALE]);
	sim_destroy(sim);
	memset(&seen, 0, sizeof(seen));
	sim = kit_sim(V2(10));
	sim_set_observer(sim, see, &seen);
	kit_free(sim, 0, kit_alloc(sim, 0, 1, 0));
	kit_tick(sim, 0);
	for (int id = 0; id < NR_STEPS; id++)
		cr_assert(!seen.id[id] || step_infos[id].kind != SK_NOT_ASKED, "%s",
			  step_infos[id].name);
	sim_destroy(sim);
}

Test(step, the_callers_lead_down_to_an_operation)
{
	struct sim *sim = kit_sim(V2(10));
	u32 slot = 0;

	sim_set_observer(sim, see, &seen);
	run(sim, (struct op){ .kind = OP_ALLOC, .type = 1 }, &slot);
	run(sim, (struct op){ .kind = OP_FREE, .slot = slot }, NULL);
	run(sim, (struct op){ .kind = OP_ALLOC, .order = 5, .type = 0 }, &slot);
	run(sim, (struct op){ .kind = OP_FREE, .slot = slot }, NULL);
	run(sim, (struct op){ .kind = OP_TICK }, NULL);
	run(sim, (struct op){ .kind = OP_ALLOC, .type = 1, .flags = OP_F_BUSY }, &slot);
	run(sim, (struct op){ .kind = OP_FREE, .slot = slot, .flags = OP_F_BUSY }, NULL);
	run(sim, (struct op){ .kind = OP_BULK, .type = 1, .count = 1 }, &slot);
	run(sim, (struct op){ .kind = OP_FREELIST, .count = 1 }, &slot);
	run(sim, (struct op){ .kind = OP_FRACTION, .value = 8 }, NULL);
	run(sim, (struct op){ .kind = OP_MINFREE, .value = 5000 }, NULL);
	run(sim, (struct op){ .kind = OP_PCP_DISABLE }, NULL);
	run(sim, (struct op){ .kind = OP_PCP_ENABLE }, NULL);
	run(sim, (struct op){ .kind = OP_CPU_OFFLINE, .cpu = 1 }, NULL);
	run(sim, (struct op){ .kind = OP_CPU_ONLINE, .cpu = 1 }, NULL);
	run(sim, (struct op){ .kind = OP_DRAIN }, NULL);
	cr_assert_eq(seen.orphans, 0u, "%s", seen.orphan);
	sim_destroy(sim);
}

static u32 deepest;
static u8 deepest_func;

static void measure_depth(void *ctx, struct sim *sim, const struct step *step)
{
	struct step_stack *stack = ctx;

	(void)sim;
	step_stack_update(stack, step);
	if (step->id == STEP_SPLIT && stack->depth > deepest) {
		deepest = stack->depth;
		deepest_func = stack->funcs[0];
	}
}

/* alloc_pages > get_page_from_freelist > rmqueue_pcplist > __rmqueue_pcplist > rmqueue_bulk > __rmqueue_smallest > expand. */
Test(step, a_split_in_a_refill_stands_seven_deep)
{
	struct step_stack stack = { 0 };
	struct sim *sim = kit_sim(V2(10));

	sim_set_observer(sim, measure_depth, &stack);
	kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	cr_assert_eq(deepest, 7u, "%u", deepest);
	cr_assert_eq(deepest_func, FN_alloc_pages);
	sim_destroy(sim);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "core_kit.h"

static enum sim_err check(struct op op, const char *word)
{
	struct sim *sim = kit_sim(V2(10));
	struct sim_error err = { 0 };
	u64 before = sim_state_digest(sim);
	enum sim_err ret;

	ret = sim_exec(sim, &op, NULL, NULL, &err);
	cr_assert_neq(ret, SIM_OK);
	cr_assert(strstr(err.message, word), "%s", err.message);
	cr_assert_eq(sim_state_digest(sim), before, "a refused operation changed something");
	sim_destroy(sim);
	return ret;
}

Test(op, what_cannot_be_done_is_refused_with_its_value)
{
	cr_assert_eq(check((struct op){ .kind = OP_ALLOC, .cpu = 4, .count = 1 }, "CPUs 0..3"),
		     ERR_RANGE);
	cr_assert_eq(check((struct op){ .kind = OP_ALLOC, .order = 11, .count = 1 }, "order 11"),
		     ERR_RANGE);
	cr_assert_eq(check((struct op){ .kind = OP_ALLOC, .type = 3, .count = 1 }, "migratetype 3"),
		     ERR_RANGE);
	cr_assert_eq(check((struct op){ .kind = OP_BULK, .count = 65536 }, "1..65535"), ERR_RANGE);
	cr_assert_eq(check((struct op){ .kind = OP_FREE, .slot = 1, .count = 1 }, "slot 1"),
		     ERR_SLOT);
	cr_assert_eq(check((struct op){ .kind = OP_RECLAIM, .zone = 1 }, "zones 0..0"), ERR_RANGE);
	cr_assert_eq(check((struct op){ .kind = OP_WMARK, .value = 5, .low = 4, .high = 9 },
			   "min <= low"),
		     ERR_RANGE);
	cr_assert_eq(check((struct op){ .kind = OP_WSF, .value = 3001 }, "1..3000"), ERR_RANGE);
	cr_assert_eq(check((struct op){ .kind = NR_OPS }, "does not exist"), ERR_OP);
}

Test(op, an_offline_cpu_does_nothing)
{
	struct op op = { .kind = OP_ALLOC, .cpu = 2, .count = 1 };
	struct sim *sim = kit_sim(0);
	struct sim_error err;

	kit_do(sim, (struct op){ .kind = OP_CPU_OFFLINE, .cpu = 2 }, NULL);
	cr_assert_eq(sim_exec(sim, &op, NULL, NULL, &err), ERR_OP);
	cr_assert(strstr(err.message, "cpu 2 is offline"), "%s", err.message);
	sim_destroy(sim);
}

/* FORMAT.md section 3: refused, and nothing happens. */
Test(op, what_would_wait_or_makes_no_sense_is_refused)
{
	struct sim *sim = kit_sim(0);

	cr_assert_eq(kit_do(sim, (struct op){ .kind = OP_PCP_ENABLE }, NULL).status, OP_REFUSED);
	cr_assert_eq(kit_do(sim, (struct op){ .kind = OP_CPU_ONLINE, .cpu = 1 }, NULL).status,
		     OP_REFUSED);
	cr_assert_eq(kit_value(sim, OP_FRACTION, 7).status, OP_REFUSED);
	kit_do(sim, (struct op){ .kind = OP_PCP_DISABLE }, NULL);
	cr_assert_eq(kit_value(sim, OP_MINFREE, 5000).status, OP_REFUSED);
	cr_assert_eq(kit_do(sim, (struct op){ .kind = OP_PCP_DISABLE }, NULL).status, OP_REFUSED);
	cr_assert_eq(kit_do(sim, (struct op){ .kind = OP_CPU_OFFLINE, .cpu = 1 }, NULL).status,
		     OP_REFUSED);
	kit_do(sim, (struct op){ .kind = OP_PCP_ENABLE }, NULL);
	for (u16 cpu = 0; cpu < 3; cpu++)
		kit_do(sim, (struct op){ .kind = OP_CPU_OFFLINE, .cpu = cpu }, NULL);
	cr_assert_eq(kit_do(sim, (struct op){ .kind = OP_CPU_OFFLINE, .cpu = 3 }, NULL).status,
		     OP_REFUSED);
	sim_destroy(sim);
}

Test(op, kinds_are_found_by_both_names)
{
	for (int kind = 0; kind < NR_OPS; kind++) {
		cr_assert_eq(op_kind_find(op_infos[kind].name), (enum op_kind)kind);
		if (op_infos[kind].short_name[0])
			cr_assert_eq(op_kind_find(op_infos[kind].short_name), (enum op_kind)kind);
	}
	cr_assert_eq(op_kind_find("nonsense"), NR_OPS);
	cr_assert_eq(op_kind_find(""), NR_OPS);
}

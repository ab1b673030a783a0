/* SPDX-License-Identifier: GPL-2.0-only */
#include "core_kit.h"

/* FORMAT.md section 7. */
Test(digest, the_empty_machine_has_the_published_digest)
{
	struct sim *sim = kit_sim(V2(10));

	cr_assert_eq(sim_digest(sim), 0x95c50e5a5cf9d759ull, "%llx",
		     (unsigned long long)sim_digest(sim));
	sim_destroy(sim);
}

Test(digest, lists_count_and_scalars_do_not)
{
	struct sim *sim = kit_sim(0);
	u64 lists = sim_digest(sim), state = sim_state_digest(sim);

	kit_do(sim, (struct op){ .kind = OP_RECLAIM, .flags = OP_F_ON }, NULL);
	cr_assert_eq(sim_digest(sim), lists);
	cr_assert_neq(sim_state_digest(sim), state);
	kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	cr_assert_neq(sim_digest(sim), lists);
	sim_destroy(sim);
}

Test(digest, the_order_in_a_list_counts)
{
	u64 digests[2];

	for (int i = 0; i < 2; i++) {
		struct sim *sim = kit_sim(0);
		u32 a = kit_alloc(sim, 0, 0, MIGRATE_MOVABLE),
		    b = kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);

		kit_free(sim, 0, i ? a : b);
		kit_free(sim, 0, i ? b : a);
		digests[i] = sim_digest(sim);
		sim_destroy(sim);
	}
	cr_assert_neq(digests[0], digests[1]);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "core_kit.h"

Test(machine, defaults_are_those_of_the_vectors)
{
	struct sim *sim = kit_sim(0);

	cr_assert_eq(sim_nr_cpus(sim), 4u);
	cr_assert_eq(sim_nr_zones(sim), 1u);
	cr_assert_eq(sim_zone(sim, 0)->start_pfn, 4096u);
	cr_assert_eq(sim_zone(sim, 0)->managed_pages, 262144);
	sim_destroy(sim);
}

Test(machine, keys_keep_their_ranges)
{
	for (const struct machine_key *key = machine_keys; key->name; key++) {
		struct sim_error err;
		struct machine m;

		machine_init(&m);
		cr_assert_eq(machine_key_find(key->name), key);
		cr_assert_eq(machine_get(&m, key), key->def, "%s", key->name);
		cr_assert_eq(machine_set(&m, key, key->max, &err), SIM_OK, "%s", key->name);
		cr_assert_eq(machine_set(&m, key, key->max + 1, &err), ERR_RANGE, "%s", key->name);
		cr_assert(strstr(err.message, key->name), "%s", err.message);
		cr_assert_eq(machine_get(&m, key), key->max, "%s", key->name);
		machine_free(&m);
	}
	cr_assert_null(machine_key_find("memroy"));
}

/* More than two nodes: the own one, then by rising number, wrapping. */
Test(machine, zonelists_begin_at_home_and_wrap)
{
	struct sim_error err;
	struct machine m;
	struct sim *sim;
	u16 zones[4];

	machine_init(&m);
	m.nodes = 4;
	cr_assert_eq(machine_finish(&m, &err), SIM_OK, "%s", err.message);
	sim = kit_create(&m, 0);
	machine_free(&m);
	cr_assert_eq(sim_zonelist(sim, 2, zones, 4), 4u);
	cr_assert(zones[0] == 2 && zones[1] == 3 && zones[2] == 0 && zones[3] == 1);
	sim_destroy(sim);
}

Test(machine, a_machine_that_cannot_be_is_refused)
{
	struct sim_error err;
	struct machine m;
	struct sim *sim;

	machine_init(&m);
	m.cpus = 2;
	m.nodes = 1;
	cr_assert_eq(machine_finish(&m, &err), SIM_OK);
	cr_assert_eq(sim_create(&m, PATCH_BIT(P_TUNE_HIGH), &sim, &err), ERR_PATCH);
	cr_assert_null(sim);
	m.scale_max = 3;
	cr_assert_eq(sim_create(&m, V2(4), &sim, &err), ERR_MACHINE);
	cr_assert_eq(sim_create(&m, V3(4), &sim, &err), SIM_OK);
	sim_destroy(sim);
	machine_free(&m);
}

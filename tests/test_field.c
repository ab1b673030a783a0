/* SPDX-License-Identifier: GPL-2.0-only */
#include <criterion/criterion.h>

#include <string.h>

#include "core/field.h"
#include "core/sim.h"

static struct sim *machine_of(u32 nodes, bool dma, u32 patches)
{
	struct machine m;
	struct sim *sim;
	struct sim_error err;

	machine_init(&m);
	m.cpus = 2;
	m.nodes = nodes;
	for (u32 n = 0; n < nodes; n++) {
		if (dma && n == 0)
			machine_add_zone(&m, n, ZONE_DMA32, MACHINE_PFN_AUTO, 4096, NULL);
		machine_add_zone(&m, n, ZONE_NORMAL, MACHINE_PFN_AUTO, 16384, NULL);
	}
	cr_assert_eq(machine_finish(&m, &err), SIM_OK, "%s", err.message);
	cr_assert_eq(sim_create(&m, patches, &sim, &err), SIM_OK, "%s", err.message);
	machine_free(&m);
	return sim;
}

static s64 value_of(const struct sim *sim, const char *path)
{
	struct field_ref ref;
	struct sim_error err;
	s64 value;

	cr_assert_eq(field_parse(sim, path, FIELD_NO_ZONE, &ref, NULL, &err), SIM_OK, "%s: %s",
		     path, err.message);
	cr_assert(field_get(sim, &ref, &value), "%s", path);
	return value;
}

static void refused(const struct sim *sim, const char *path, size_t at, const char *words)
{
	struct field_ref ref;
	struct sim_error err = { 0 };
	size_t error_at = 99;

	cr_expect_eq(field_parse(sim, path, FIELD_NO_ZONE, &ref, &error_at, &err), ERR_FIELD, "%s",
		     path);
	cr_expect_eq(error_at, at, "%s: at %zu", path, error_at);
	cr_expect(strstr(err.message, words), "%s: %s", path, err.message);
}

Test(field, every_field_has_a_path_that_leads_back)
{
	struct sim *sim = machine_of(2, true, patch_level(SERIES_V2, 10));
	struct field_ref ref, back;
	bool started = false;
	u32 n = 0;
	char path[FIELD_NAME_MAX];

	while (field_next(sim, &ref, &started)) {
		field_path(&ref, path);
		cr_assert_eq(field_parse(sim, path, FIELD_NO_ZONE, &back, NULL, NULL), SIM_OK, "%s",
			     path);
		cr_assert(back.id == ref.id && back.index == ref.index && back.cpu == ref.cpu &&
				  back.zone == ref.zone,
			  "%s", path);
		n++;
	}
	/* 2 CPUs x 3 zones x (11 + 13 lists), 3 zones x (8 + 11 orders), the counters. */
	u32 counters = 0;
	while (counter_infos[counters].name)
		counters++;
	cr_expect_eq(n, 2 * 3 * 24 + 3 * 19 + counters);
	sim_destroy(sim);
}

Test(field, values_are_the_machine_s)
{
	struct sim *sim = machine_of(1, false, patch_level(SERIES_V2, 10));

	sim_alloc(sim, 1, 0, MIGRATE_MOVABLE);
	cr_expect_eq(value_of(sim, "cpu[1].count"), sim_pageset(sim, 0, 1)->count);
	cr_expect_gt(value_of(sim, "cpu[1].count"), 0);
	cr_expect_eq(value_of(sim, "cpu[1].zone[0].lists[1].n"), sim_pcp_list_length(sim, 0, 1, 1));
	cr_expect_eq(value_of(sim, "cpu[1].zone.Normal.batch"), sim_pageset(sim, 0, 1)->batch);
	cr_expect_eq(value_of(sim, "cpu[1].node[0].Normal.high_max"),
		     sim_pageset(sim, 0, 1)->high_max);
	cr_expect_eq(value_of(sim, "zone[0].free"), sim_zone(sim, 0)->free_pages);
	cr_expect_eq(value_of(sim, "zone.Normal.high"), sim_zone(sim, 0)->_watermark[WMARK_HIGH]);
	cr_expect_eq(value_of(sim, "zone[0].free_blocks[10]"), sim_zone(sim, 0)->nr_free[10]);
	cr_expect_eq(value_of(sim, "stats.refills"), 1);
	cr_expect_eq(value_of(sim, "stats.live_pages"), 1);
	cr_expect_eq(value_of(sim, "stats.ops"), 1);
	sim_destroy(sim);
}

Test(field, what_a_patch_set_lacks_does_not_exist)
{
	struct sim *none = machine_of(1, false, 0);
	struct sim *all = machine_of(1, false, patch_level(SERIES_V2, 10));
	static const struct {
		const char path[24];
		bool in_none, in_all;
		enum patch_id patch;
	} rows[] = {
		{ "cpu[0].high", true, true, P_NONE },
		{ "cpu[0].high_min", false, true, P_HIGH_LIMITS },
		{ "cpu[0].flags", false, true, P_AVOID_DRAIN },
		{ "cpu[0].alloc_factor", false, true, P_ALLOC_SCALE },
		{ "cpu[0].free_factor", true, false, P_FREE_COUNT },
		{ "cpu[0].free_count", false, true, P_FREE_COUNT },
		{ "cpu[0].count_min", false, true, P_COUNT_MIN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct field_ref ref;
		s64 value = 5;

		cr_assert_eq(field_parse(none, rows[i].path, FIELD_NO_ZONE, &ref, NULL, NULL),
			     SIM_OK);
		cr_expect_eq(field_get(none, &ref, &value), rows[i].in_none, "%s", rows[i].path);
		cr_expect(rows[i].in_none || value == 0);
		cr_expect_eq(field_get(all, &ref, &value), rows[i].in_all, "%s", rows[i].path);
		cr_expect_eq(field_patch(&ref), rows[i].patch, "%s", rows[i].path);
	}
	sim_destroy(none);
	sim_destroy(all);
}

Test(field, wrong_paths_say_what_and_where)
{
	struct sim *one = machine_of(1, false, 0), *many = machine_of(2, true, 0);
	struct field_ref ref;

	refused(one, "", 0, "begins with");
	refused(one, "foo", 0, "begins with");
	refused(one, "cpu", 3, "cpu[0..1]");
	refused(one, "cpu[2].count", 4, "cpu[0..1]");
	refused(one, "cpu[x].count", 4, "plain number");
	refused(one, "cpu[-1].count", 4, "plain number");
	refused(one, "cpu[99999999999999999999].count", 4, "cpu[0..1]");
	refused(one, "cpu[0]", 6, "a dot");
	refused(one, "cpu[0].hihg", 7, "did you mean high?");
	refused(one, "cpu[0].high.x", 11, "nothing may follow");
	refused(one, "cpu[0].lists[13].n", 13, "lists[0..12]");
	refused(one, "cpu[0].lists[1]", 15, "lists[].n");
	refused(one, "cpu[0].zone[1].high", 12, "zone[0..0]");
	refused(one, "stats", 5, "a dot");
	refused(one, "stats.free_hihg", 6, "did you mean free_high?");
	refused(one, "stats.qqqqqqqq", 6, "no field");
	refused(one, "zone[0].", 8, "missing");
	refused(one, "zone.DMA.free", 5, "zone[0] (Normal)");
	refused(many, "cpu[0].high", 7, "zone[0] (node 0 DMA32)");
	refused(many, "zone.Normal.free", 5, "not unique");
	refused(many, "node[2].Normal.free", 5, "node[0..1]");
	refused(many, "node[1].DMA32.free", 8, "no such zone");
	cr_expect_eq(value_of(many, "zone.DMA32.managed"), 4096);
	cr_expect_eq(value_of(many, "node[1].Normal.managed"), 16384);
	cr_expect_eq(field_parse(many, "cpu[1].count", 2, &ref, NULL, NULL), SIM_OK);
	cr_expect(ref.cpu == 1 && ref.zone == 2);
	sim_destroy(one);
	sim_destroy(many);
}

Test(field, pageblocks_held_are_those_that_only_pagesets_break_up)
{
	struct sim *sim = machine_of(1, false, 0);
	struct sim_error err;
	struct op op = { .kind = OP_FREE, .count = 1 };
	u32 slot = sim_alloc(sim, 0, 0, MIGRATE_MOVABLE);

	/* One page is live, so its pageblock would not be whole. */
	cr_expect_eq(value_of(sim, "stats.pageblocks_held"), 0);
	op.slot = slot;
	cr_assert_eq(sim_exec(sim, &op, NULL, NULL, &err), SIM_OK, "%s", err.message);
	/* All of the first batch lies in one pageblock and in the pageset. */
	cr_expect_eq(value_of(sim, "stats.pageblocks_held"), 1);
	op = (struct op){ .kind = OP_DRAIN };
	cr_assert_eq(sim_exec(sim, &op, NULL, NULL, &err), SIM_OK, "%s", err.message);
	cr_expect_eq(value_of(sim, "stats.pageblocks_held"), 0);
	sim_destroy(sim);
}

Test(field, counters_have_the_names_of_compare)
{
	static const char names[][24] = { "alloc_zone",	       "free_high",
					  "refills",	       "bulk_frees",
					  "zone_lock_holds",   "pages_per_hold",
					  "pages_in_pagesets", "pages_in_pagesets_max",
					  "pageblocks_held" };
	struct sim *sim = machine_of(1, false, 0);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t k = 0;
		char path[64] = "stats.";

		while (counter_infos[k].name && strcmp(counter_infos[k].name, names[i]) != 0)
			k++;
		cr_assert(counter_infos[k].name, "%s", names[i]);
		sim_alloc(sim, 0, 0, MIGRATE_MOVABLE);
		strcat(path, names[i]);
		cr_expect_eq(counter_get(sim, k), value_of(sim, path), "%s", path);
	}
	sim_destroy(sim);
}

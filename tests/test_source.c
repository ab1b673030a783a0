/* SPDX-License-Identifier: GPL-2.0-only */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "core/sim.h"
#include "core/source.h"

static bool has(const struct source_line *line, const char *text)
{
	return memmem(line->text, line->len, text, strlen(text));
}

/* The one visible line of a file that holds a text. */
static const struct source_line *line_with(const char *file, const char *text)
{
	const struct source_line *lines, *found = NULL;
	size_t nr = source_lines(file, &lines);

	for (size_t i = 0; i < nr; i++) {
		if (!has(&lines[i], text))
			continue;
		cr_assert_null(found, "%s twice", text);
		found = &lines[i];
	}
	cr_assert(found, "%s", text);
	return found;
}

static void belongs(const char *file, const char *text, enum patch_id patch, bool otherwise)
{
	const struct source_line *line = line_with(file, text);

	cr_expect_eq(line->patch, patch, "%s: %u", text, line->patch);
	cr_expect_eq(line->otherwise, otherwise, "%s", text);
}

Test(source, is_the_text_of_the_files_without_steps)
{
	for (size_t f = 0; source_files[f]; f++) {
		char path[64], text[512];
		const struct source_line *lines;
		size_t nr = source_lines(source_files[f], &lines), at = 0;
		u32 number = 0, hidden = 0;
		FILE *file;

		snprintf(path, sizeof(path), "src/core/%s", source_files[f]);
		file = fopen(path, "r");
		cr_assert(file, "%s", path);
		while (fgets(text, sizeof(text), file)) {
			number++;
			if (at == nr || lines[at].number != number) {
				hidden++;
				continue;
			}
			text[strcspn(text, "\n")] = '\0';
			cr_assert(strlen(text) == lines[at].len &&
					  memcmp(text, lines[at].text, lines[at].len) == 0,
				  "%s:%u", path, number);
			cr_assert_not(has(&lines[at], "STEP("), "%s:%u", path, number);
			at++;
		}
		fclose(file);
		cr_expect_eq(at, nr, "%s", path);
		cr_expect_gt(hidden, 0u, "%s", path);
	}
}

Test(source, a_line_belongs_to_the_patch_of_its_condition)
{
	belongs("pcp.c", "bool previous = pcp->flags", P_AVOID_DRAIN, false);
	belongs("pcp.c", "bool keep = pcp->flags", P_KEEP_BATCH, false);
	belongs("pcp.c", "need_high += pcp->free_count", P_FREE_COUNT, false);
	belongs("pcp.c", "need_high += batch << pcp->free_factor", P_FREE_COUNT, true);
	belongs("pcp.c", "return nr_pcp_high_tuned", P_TUNE_HIGH, false);
	belongs("pcp.c", "pressure = zone->flags & 1u << ZONE_RECLAIM_ACTIVE", P_BELOW_HIGH, true);
	belongs("pcp.c", "threshold += pcp->high_min / 2", P_NIKHIL, false);
	/* After a condition inside of it the outer patch has its lines again. */
	belongs("pcp.c", "freeing = pcp->free_count >= threshold", P_FREE_COUNT, false);
	/* An else if is not the else of what stands before it. */
	belongs("pcp.c", "} else if (patched(sim, P_AVOID_DRAIN)) {", P_AVOID_DRAIN, false);
	belongs("pcp.c", "int nr_pcp_free(struct sim", P_NONE, false);
	belongs("pcp.c", "min_nr_free = batch;", P_NONE, false);
}

Test(source, behind_a_branch_that_returned_the_rest_is_its_else)
{
	belongs("pcp.c", "nr = batch << pcp->free_factor", P_FREE_COUNT, true);
	belongs("cacheinfo.c", "if (!patched(sim, P_KEEP_BATCH)) {", P_KEEP_BATCH, true);
	belongs("cacheinfo.c", "zone_pcp_update_cacheinfo(sim, &sim->zones", P_KEEP_BATCH, false);
	/* One of two reasons to return: both must be false for the rest. */
	belongs("cacheinfo.c", "if (!patched(sim, P_CACHE_INFO) ||", P_NONE, false);
	belongs("cacheinfo.c", "sim->cache_bytes[cpu] = data_slice(", P_CACHE_INFO, false);
	/* V2's line inside patch 10 is patch 10's. */
	belongs("pcp.c", "return max_int(pcp->free_count, pcp->batch)", P_SERIES_V3, false);
	belongs("pcp.c", "\t\treturn pcp->free_count;", P_FREE_COUNT, false);
}

Test(source, an_if_that_had_only_steps_is_hidden_with_them)
{
	const struct source_line *lines;
	size_t nr = source_lines("zone.c", &lines);

	for (size_t i = 0; i + 1 < nr; i++) {
		if (has(&lines[i], "\telse") && lines[i].len < 8)
			cr_expect_eq(lines[i + 1].number, lines[i].number + 1, "line %u",
				     lines[i].number);
	}
}

Test(source, there_is_no_other_file)
{
	const struct source_line *lines;

	cr_expect_eq(source_lines("source.c", &lines), 0u);
	cr_expect_null(lines);
	cr_expect_gt(source_lines("src/core/pcp.c", &lines), 100u);
}

static void on_step(void *ctx, struct sim *sim, const struct step *step)
{
	const struct source_line *lines;
	size_t nr = source_lines(step->file, &lines), at;

	(void)sim;
	++*(u32 *)ctx;
	cr_assert_gt(nr, 0u, "%s", step->file);
	at = source_line_at(lines, nr, step->line);
	cr_assert(lines[at].number <= step->line && step->line - lines[at].number < 8, "%s:%u",
		  step->file, step->line);
	cr_assert(at + 1 == nr || lines[at + 1].number > step->line);
	cr_assert_str_eq(step_funcs[step_infos[step->id].func].file, strrchr(step->file, '/') + 1);
}

Test(source, every_step_has_a_visible_line_near_above)
{
	struct sim_error err;
	struct machine m;
	struct sim *sim;
	u32 slots[300], steps = 0;
	struct op op = { .kind = OP_ALLOCN, .count = 300, .type = MIGRATE_MOVABLE };

	machine_init(&m);
	machine_finish(&m, NULL);
	cr_assert_eq(sim_create(&m, patch_level(SERIES_V2, 10), &sim, &err), SIM_OK);
	machine_free(&m);
	sim_set_observer(sim, on_step, &steps);
	cr_assert_eq(sim_exec(sim, &op, slots, NULL, &err), SIM_OK);
	op.kind = OP_FREEN;
	cr_assert_eq(sim_exec(sim, &op, slots, NULL, &err), SIM_OK);
	op = (struct op){ .kind = OP_TICK, .count = 1 };
	cr_assert_eq(sim_exec(sim, &op, NULL, NULL, &err), SIM_OK);
	op = (struct op){ .kind = OP_DRAIN, .count = 1 };
	cr_assert_eq(sim_exec(sim, &op, NULL, NULL, &err), SIM_OK);
	cr_expect_gt(steps, 1000u);
	sim_destroy(sim);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset list: the scenarios of a folder, easy ones first. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "scn_files.h"
#include "verb.h"

static int by_level(const void *a, const void *b)
{
	const struct scn_info *x = scn_info(*(struct scenario *const *)a);
	const struct scn_info *y = scn_info(*(struct scenario *const *)b);

	return x->level != y->level ? (int)x->level - (int)y->level : strcmp(x->name, y->name);
}

static void print_text(struct scenario *const *all, size_t nr)
{
	int width = 4;
	int last = -1;

	for (size_t i = 0; i < nr; i++) {
		int n = (int)strlen(scn_info(all[i])->name);

		width = n > width ? n : width;
	}
	for (size_t i = 0; i < nr; i++) {
		const struct scn_info *info = scn_info(all[i]);

		if ((int)info->level != last)
			printf("%s%s\n", i ? "\n" : "", scn_level_names[info->level]);
		last = (int)info->level;
		printf("  %-*s  %s\n", width, info->name, info->title);
	}
}

static void print_json(struct scenario *const *all, size_t nr)
{
	struct base_json j;

	base_json_to_file(&j, stdout, true);
	base_json_array(&j);
	for (size_t i = 0; i < nr; i++) {
		const struct scn_info *info = scn_info(all[i]);

		base_json_object(&j);
		base_json_kv_string(&j, "name", info->name);
		base_json_kv_string(&j, "level", scn_level_names[info->level]);
		base_json_kv_string(&j, "title", info->title);
		base_json_kv_string(&j, "summary", info->summary);
		base_json_kv_string(&j, "path", info->path);
		base_json_kv_uint(&j, "predictions", info->nr_predicts);
		base_json_kv_uint(&j, "points", info->points);
		base_json_kv_uint(&j, "expectations", info->nr_expects);
		base_json_close(&j);
	}
	base_json_close(&j);
	base_json_end(&j);
}

/* What was named, or the shipped ones. Returns the exit status so far. */
static int collect(const struct call *call, struct scn_files *files)
{
	int status = 0;
	struct diag d;

	for (int i = 0; i < call->args.nr; i++)
		if (scn_files_add(files, call->args.items[i], 1u << FILE_SCENARIO, &d))
			status = call_fail(call, &d);
	if (call->args.nr == 0) {
		char *shipped = scn_files_shipped();

		if (!shipped)
			return call_usage(call, "name a folder or files: pageset list DIR",
					  "the shipped scenarios are not found");
		if (scn_files_add(files, shipped, 1u << FILE_SCENARIO, &d))
			status = call_fail(call, &d);
		free(shipped);
	}
	return status;
}

static int run(const struct call *call)
{
	struct scn_files files = { 0 };
	int status = collect(call, &files);
	struct scenario **all = base_alloc(files.nr + 1, sizeof(struct scenario *));
	size_t nr = 0;

	for (size_t i = 0; i < files.nr; i++) {
		struct scn_options o;
		struct diags ds;

		base_diags_init(&ds, 20);
		setup_scenario(call, &o);
		if (scn_load(files.paths[i], &o, &all[nr], &ds) == BASE_ERR_OK)
			nr++;
		else
			status = call_fail_all(call, &ds);
		base_diags_free(&ds);
	}
	qsort(all, nr, sizeof(struct scenario *), by_level);
	if (call->common->json)
		print_json(all, nr);
	else
		print_text(all, nr);
	for (size_t i = 0; i < nr; i++)
		scn_free(all[i]);
	free(all);
	scn_files_free(&files);
	return status;
}

const struct verb verb_list = {
	.name = "list",
	.args = "[FILE|DIR]...",
	.help = "list scenarios by level",
	.about = "Without an argument the shipped ones.",
	.common = COMMON_BIT(JSON) | COMMON_BIT(COLOR),
	.args_min = 0,
	.args_max = VERB_ARGS_ANY,
	.run = run,
};

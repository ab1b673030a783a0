/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset lint: finds the faults of scenarios, machine files and answer files without running them. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "core/machine.h"
#include "scn_files.h"
#include "verb.h"

struct lint_opts {
	bool schema, keys;
};

static const struct lint_opts lint_defaults = { 0 };

static const struct opt lint_options[] = {
	{ .name = "schema",
	  .type = OPT_FLAG,
	  .offset = offsetof(struct lint_opts, schema),
	  .help = "write the JSON Schema of scenarios, for editors" },
	{ .name = "keys",
	  .type = OPT_FLAG,
	  .offset = offsetof(struct lint_opts, keys),
	  .help = "list the keys of scenarios, machine files and answer files" },
	{ .name = NULL },
};

static void lint_scenario(const struct call *call, const char *path, struct diags *ds)
{
	struct scn_options o;
	struct scenario *scn;

	setup_scenario(call, &o);
	scn_load(path, &o, &scn, ds);
	scn_free(scn);
}

static void lint_machine(const char *path, struct diags *ds)
{
	struct machine m;

	machine_init(&m);
	scn_machine_load(path, &m, ds);
	machine_free(&m);
}

static void lint_answers(const char *path, struct diags *ds)
{
	struct scn_answers a;

	scn_answers_load(path, &a, ds);
	scn_answers_free(&a);
}

static void lint_file(const struct call *call, const char *path, struct diags *ds)
{
	switch (strcmp(path, "-") == 0 ? FILE_SCENARIO : scn_file_kind(path)) {
	case FILE_MACHINE:
		lint_machine(path, ds);
		break;
	case FILE_ANSWERS:
		lint_answers(path, ds);
		break;
	default:
		lint_scenario(call, path, ds);
	}
}

static void print_json(const struct diags *all, size_t files)
{
	struct base_json j;

	base_json_to_file(&j, stdout, true);
	base_json_object(&j);
	base_json_kv_uint(&j, "files", files);
	base_json_key(&j, "faults");
	base_json_array(&j);
	for (size_t i = 0; i < all->nr; i++) {
		const struct diag *d = &all->items[i];

		base_json_object(&j);
		base_json_kv_string(&j, "file", d->file);
		base_json_kv_uint(&j, "line", d->line);
		base_json_kv_uint(&j, "column", d->column);
		base_json_kv_string(&j, "message", d->message);
		base_json_kv_string(&j, "hint", d->hint);
		base_json_close(&j);
	}
	base_json_close(&j);
	base_json_close(&j);
	base_json_end(&j);
}

static int write_schema(void)
{
	struct base_json j;

	base_json_to_file(&j, stdout, true);
	scn_schema_write(&j);
	return base_err_status(base_json_end(&j));
}

static int run(const struct call *call)
{
	const struct lint_opts *o = call->opts;
	struct scn_files files = { 0 };
	struct diags all;
	struct diag d;
	int status = 0;

	if (o->schema)
		return write_schema();
	if (o->keys) {
		scn_keys_write(stdout);
		return 0;
	}
	if (call->args.nr == 0)
		return call_usage(call, "expected pageset lint FILE|DIR..., --schema or --keys",
				  "an argument is missing");
	base_diags_init(&all, 1000);
	for (int i = 0; i < call->args.nr; i++)
		if (scn_files_add(&files, call->args.items[i],
				  1u << FILE_SCENARIO | 1u << FILE_MACHINE | 1u << FILE_ANSWERS,
				  &d))
			base_diags_push(&all, &d);
	for (size_t i = 0; i < files.nr; i++) {
		struct diags ds;

		/* the bound is for each file: one bad file does not hide the others' faults */
		base_diags_init(&ds, 100);
		lint_file(call, files.paths[i], &ds);
		if (ds.nr && !call->common->json)
			status = call_fail_all(call, &ds);
		for (size_t k = 0; k < ds.nr; k++)
			base_diags_push(&all, &ds.items[k]);
		base_diags_free(&ds);
	}
	if (base_diags_status(&all) > status)
		status = call->common->json ? base_diags_status(&all) : call_fail_all(call, &all);
	if (call->common->json)
		print_json(&all, files.nr);
	else if (!all.nr)
		printf("%zu file%s, no faults\n", files.nr, files.nr == 1 ? "" : "s");
	base_diags_free(&all);
	scn_files_free(&files);
	return status;
}

const struct verb verb_lint = {
	.name = "lint",
	.args = "FILE|DIR...",
	.help = "find the faults of scenarios and machine files",
	.about =
		"Everything that can be wrong is found before anything runs: syntax, keys, values, the\n"
		"machine, groups, expressions. All faults of a file are told at once. Exit status 2 if\n"
		"there are any.",
	.options = lint_options,
	.defaults = &lint_defaults,
	.opts_size = sizeof(lint_defaults),
	.common = SETUP_MACHINE | COMMON_BIT(JSON),
	.args_min = 0,
	.args_max = VERB_ARGS_ANY,
	.run = run,
};

/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset hunt: the shortest sequence of operations at which two patch sets differ, or at which a claim fails. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/progress.h"
#include "base/save.h"
#include "script/hunt.h"
#include "setup.h"
#include "verb.h"

struct hunt_opts {
	const char *under;
	const char *output;
	uint64_t tries;
	uint64_t ops;
};

static const struct hunt_opts hunt_defaults = {
	.under = "none,all",
	.tries = SCRIPT_HUNT_TRIES,
	.ops = SCRIPT_HUNT_OPS_MAX,
};

static const struct opt hunt_options[] = {
	{ .name = "under",
	  .letter = 'u',
	  .type = OPT_STRING,
	  .offset = offsetof(struct hunt_opts, under),
	  .value = "LEVEL[,LEVEL]",
	  .help = "two levels that are to differ, or one under which EXPR is to fail" },
	{ .name = "output",
	  .letter = 'o',
	  .type = OPT_STRING,
	  .offset = offsetof(struct hunt_opts, output),
	  .value = "FILE",
	  .help = "where the scenario goes; standard output if not given" },
	{ .name = "tries",
	  .type = OPT_UINT,
	  .offset = offsetof(struct hunt_opts, tries),
	  .value = "N",
	  .help = "sequences to try",
	  .min = 1,
	  .max = 100000000 },
	{ .name = "ops",
	  .type = OPT_UINT,
	  .offset = offsetof(struct hunt_opts, ops),
	  .value = "N",
	  .help = "most operations of a sequence",
	  .min = 1,
	  .max = 200 },
	{ .name = NULL },
};

/* A comma outside brackets separates: "none,[1-7,10]". */
static char *split(char *list)
{
	int depth = 0;

	for (; *list; list++) {
		depth += *list == '[' ? 1 : *list == ']' ? -1 : 0;
		if (*list == ',' && depth == 0) {
			*list = '\0';
			return list + 1;
		}
	}
	return NULL;
}

static int parse_level(const struct call *call, const char *text, enum series series, u32 *set)
{
	if (strncmp(text, "v2:", 3) == 0 || strncmp(text, "v3:", 3) == 0)
		return setup_parse_level(call, text + 3, text[1] == '3' ? SERIES_V3 : SERIES_V2,
					 set);
	return setup_parse_level(call, text, series, set);
}

static int parse_under(const struct call *call, struct script_hunt *hunt)
{
	const struct hunt_opts *o = call->opts;
	enum series series = setup_series(call, SERIES_V2);
	char *text = base_strdup(o->under), *next = text;
	int status = 0;

	while (next && !status) {
		char *level = next;

		next = split(level);
		if (hunt->nr_sets == 2)
			status = call_usage(call,
					    "one level or two were expected, as in --under none,1",
					    "--under %s names more than two levels", o->under);
		else
			status = parse_level(call, level, series, &hunt->sets[hunt->nr_sets++]);
	}
	free(text);
	return status;
}

struct hunting {
	struct base_progress progress;
	struct setup_bounds bounds;
	bool late;
};

static bool hunt_progress(void *ctx, u64 tried, u64 tries)
{
	struct hunting *h = ctx;

	base_progress_update(&h->progress, tried, tries);
	h->late = setup_is_late(&h->bounds);
	return h->late;
}

static void print_json(const struct script_hunt *hunt, const struct script_hunt_result *r)
{
	struct base_json j;

	base_json_to_file(&j, stdout, true);
	base_json_object(&j);
	base_json_key(&j, "found");
	base_json_bool(&j, r->found);
	base_json_kv_uint(&j, "tried", r->tried);
	if (r->found) {
		base_json_kv_uint(&j, "ops", r->nr_ops);
		base_json_key(&j, "values");
		base_json_array(&j);
		for (u32 i = 0; i < hunt->nr_sets; i++)
			base_json_string(&j, r->values[i]);
		base_json_close(&j);
		base_json_kv_string(&j, "scenario", r->yaml);
	}
	base_json_close(&j);
	base_json_end(&j);
}

static int report(const struct call *call, const struct script_hunt *hunt,
		  const struct script_hunt_result *r)
{
	const struct hunt_opts *o = call->opts;
	struct diag d;

	if (r->found && o->output && base_save_bytes(o->output, r->yaml, strlen(r->yaml), &d))
		return call_fail(call, &d);
	if (call->common->json) {
		print_json(hunt, r);
	} else if (!r->found) {
		printf("nothing found in %llu sequences\n", (unsigned long long)r->tried);
	} else {
		if (!o->output)
			fputs(r->yaml, stdout);
		if (hunt->nr_sets == 2)
			fprintf(stderr, "%u operations: %s is %s and %s\n", r->nr_ops, hunt->expr,
				r->values[0], r->values[1]);
		else
			fprintf(stderr, "%u operations: %s is %s\n", r->nr_ops, hunt->expr,
				r->values[0]);
	}
	return r->found ? 0 : 1;
}

/* An expression that is wrong is shown with its place. */
static int fail_expr(const struct call *call, const char *expr, const struct script_fault *fault)
{
	struct diag d;

	base_diag_set(&d, BASE_ERR_SYNTAX, "EXPR", 1, fault->offset + 1, "%s", fault->message);
	if (*fault->hint)
		base_diag_hint(&d, "%s", fault->hint);
	base_diag_excerpt(&d, expr, strlen(expr));
	return call_fail(call, &d);
}

static int run(const struct call *call)
{
	const struct hunt_opts *o = call->opts;
	struct script_hunt hunt = { .expr = call->args.items[0],
				    .seed = call->common->seed,
				    .tries = o->tries,
				    .ops_max = (u32)o->ops };
	struct hunting hunting = { .late = false };
	struct script_hunt_result result;
	struct script_fault fault;
	struct machine m;
	u32 set = SETUP_PATCHES_ALL;
	int status;
	bool ok;

	script_hunt_machine(&m);
	status = parse_under(call, &hunt);
	if (!status)
		status = setup_machine(call, &m, &set);
	if (status) {
		machine_free(&m);
		return status;
	}
	hunt.machine = &m;
	hunt.progress = hunt_progress;
	hunt.ctx = &hunting;
	setup_bounds_begin(call, &hunting.bounds);
	base_progress_begin(&hunting.progress, "hunt");
	ok = script_hunt_run(&hunt, &result, &fault);
	base_progress_end(&hunting.progress);
	status = ok ? report(call, &hunt, &result) : fail_expr(call, hunt.expr, &fault);
	free(result.yaml);
	machine_free(&m);
	return status;
}

const struct verb verb_hunt = {
	.name = "hunt",
	.args = "EXPR",
	.help = "find the shortest way to a difference",
	.about =
		"Writes a scenario that shows the difference in EXPR under the second level, for check and the screen.\n"
		"A level is base, a number n for the patches 1..n, [1-7,10] or all; v2: or v3: before it names the series.\n"
		"The same seed hunts the same sequences. Exit status 1 if nothing is found.",
	.options = hunt_options,
	.defaults = &hunt_defaults,
	.opts_size = sizeof(hunt_defaults),
	.common = COMMON_BIT(MACHINE) | COMMON_BIT(SET) | COMMON_BIT(SERIES) | COMMON_BIT(SEED) |
		  COMMON_BIT(TIMEOUT) | COMMON_BIT(COLOR) | COMMON_BIT(JSON),
	.args_min = 1,
	.args_max = 1,
	.run = run,
};

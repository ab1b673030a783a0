/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset check: runs scenarios to their ends and holds their expectations and given answers against what happens. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/progress.h"
#include "scn_files.h"
#include "verb.h"

struct check_opts {
	bool junit;
};

static const struct check_opts check_defaults = { 0 };

static const struct opt check_options[] = {
	{ .name = "junit",
	  .type = OPT_FLAG,
	  .offset = offsetof(struct check_opts, junit),
	  .help = "write JUnit XML instead of TAP" },
	{ .name = NULL },
};

/* What came of one file. */
struct outcome {
	const char *path;
	uint64_t checks, failed;
	struct diags faults; /* of checks, and why it did not load or stopped */
	int status;	     /* 0, 1 or 2 */
};

struct watching {
	struct outcome *out;
	const struct scenario *scn;
};

static void see(void *ctx, const struct scn_event *ev)
{
	struct watching *w = ctx;
	struct diag d;

	if (ev->kind != SCN_EV_EXPECT && ev->kind != SCN_EV_RESOLVE)
		return;
	w->out->checks++;
	if (ev->ok)
		return;
	w->out->failed++;
	w->out->status = 1;
	scn_event_diag(w->scn, ev, &d);
	base_diags_push(&w->out->faults, &d);
}

static void check_file(const struct call *call, const struct setup_bounds *bounds,
		       struct outcome *out)
{
	struct watching w = { .out = out };
	struct scn_options o;
	struct scenario *scn;
	struct diag d;

	setup_scenario(call, &o);
	if (scn_load(out->path, &o, &scn, &out->faults)) {
		out->status = 2;
		return;
	}
	w.scn = scn;
	if (scn_info(scn)->nr_expects + scn_info(scn)->nr_predicts == 0) {
		base_diag_hint(base_diags_add(&out->faults, BASE_ERR_FAILED, out->path, 0, 0,
					      "the scenario checks nothing"),
			       "add an expect step");
		out->status = 1;
	}
	if (scn_play_all(
		    &(struct scn_play){
			    .call = call, .scn = scn, .bounds = bounds, .see = see, .ctx = &w },
		    &d)) {
		base_diags_push(&out->faults, &d);
		out->status = base_err_status(d.code);
	}
	scn_free(scn);
}

/* ---- TAP ------------------------------------------------------------------------------------------------------------- */

/* Text in a TAP line: no line ends, and '#' would begin a directive. */
static void put_tap(const char *s)
{
	for (; *s; s++)
		if (*s == '#' || *s == '\\')
			printf("\\%c", *s);
		else
			putchar((unsigned char)*s < 0x20 ? ' ' : *s);
}

/* ":LINE:COLUMN", as far as there is one */
static void put_place(const struct diag *d)
{
	if (d->line)
		printf(":%llu", (unsigned long long)d->line);
	if (d->line && d->column)
		printf(":%llu", (unsigned long long)d->column);
}

static void print_tap(const struct outcome *out, size_t nr)
{
	printf("TAP version 13\n1..%zu\n", nr);
	for (size_t i = 0; i < nr; i++) {
		printf("%sok %zu - ", out[i].status ? "not " : "", i + 1);
		put_tap(out[i].path);
		printf(": %llu check%s", (unsigned long long)out[i].checks,
		       out[i].checks == 1 ? "" : "s");
		if (out[i].failed)
			printf(", %llu failed", (unsigned long long)out[i].failed);
		putchar('\n');
		for (size_t k = 0; k < out[i].faults.nr; k++) {
			const struct diag *d = &out[i].faults.items[k];

			printf("# %s", d->file);
			put_place(d);
			printf(": %s\n", d->message);
			if (d->hint[0])
				printf("#   %s\n", d->hint);
		}
	}
}

/* ---- JUnit ----------------------------------------------------------------------------------------------------------- */

static void put_xml(const char *s)
{
	while (*s) {
		uint32_t code;
		size_t n = base_utf8_len(s, strlen(s), &code);

		if (code == '<')
			fputs("&lt;", stdout);
		else if (code == '>')
			fputs("&gt;", stdout);
		else if (code == '&')
			fputs("&amp;", stdout);
		else if (code == '"')
			fputs("&quot;", stdout);
		else if (code == UINT32_MAX || (code < 0x20 && code != '\t' && code != '\n'))
			putchar('?');
		else
			fwrite(s, 1, n, stdout);
		s += n;
	}
}

static void print_junit(const struct outcome *out, size_t nr)
{
	size_t failed = 0, errors = 0;

	for (size_t i = 0; i < nr; i++) {
		failed += out[i].status == 1;
		errors += out[i].status > 1;
	}
	printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	       "<testsuite name=\"pageset\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
	       nr, failed, errors);
	for (size_t i = 0; i < nr; i++) {
		const char *kind = out[i].status > 1 ? "error" : "failure";

		printf("  <testcase classname=\"pageset.check\" name=\"");
		put_xml(out[i].path);
		printf(out[i].status ? "\">\n" : "\"/>\n");
		if (!out[i].status)
			continue;
		/* one element, as readers of the format take but one */
		printf("    <%s message=\"", kind);
		put_xml(out[i].faults.nr ? out[i].faults.items[0].message : "");
		printf("\">");
		for (size_t k = 0; k < out[i].faults.nr; k++) {
			const struct diag *d = &out[i].faults.items[k];

			put_xml(d->file);
			put_place(d);
			printf(": ");
			put_xml(d->message);
			putchar('\n');
		}
		printf("</%s>\n  </testcase>\n", kind);
	}
	printf("</testsuite>\n");
}

/* ---- JSON ------------------------------------------------------------------------------------------------------------ */

static void print_json(const struct outcome *out, size_t nr)
{
	struct base_json j;

	base_json_to_file(&j, stdout, true);
	base_json_array(&j);
	for (size_t i = 0; i < nr; i++) {
		base_json_object(&j);
		base_json_kv_string(&j, "scenario", out[i].path);
		base_json_kv_bool(&j, "ok", out[i].status == 0);
		base_json_kv_uint(&j, "checks", out[i].checks);
		base_json_kv_uint(&j, "failed", out[i].failed);
		base_json_key(&j, "faults");
		base_json_array(&j);
		for (size_t k = 0; k < out[i].faults.nr; k++) {
			const struct diag *d = &out[i].faults.items[k];

			base_json_object(&j);
			base_json_kv_uint(&j, "line", d->line);
			base_json_kv_uint(&j, "column", d->column);
			base_json_kv_string(&j, "message", d->message);
			base_json_close(&j);
		}
		base_json_close(&j);
		base_json_close(&j);
	}
	base_json_close(&j);
	base_json_end(&j);
}

/* ---- the command ----------------------------------------------------------------------------------------------------- */

static void print_all(const struct call *call, struct outcome *out, size_t nr)
{
	const struct check_opts *o = call->opts;

	if (call->common->json)
		print_json(out, nr);
	else if (o->junit)
		print_junit(out, nr);
	else
		print_tap(out, nr);
	/* bad input is told as everywhere, with its line and caret */
	for (size_t i = 0; i < nr; i++)
		if (out[i].status > 1)
			call_fail_all(call, &out[i].faults);
}

static int run(const struct call *call)
{
	const struct check_opts *o = call->opts;
	struct scn_files files = { 0 };
	struct setup_bounds bounds;
	struct base_progress progress;
	struct outcome *out;
	struct diag d;
	int status = 0;

	if (o->junit && call->common->json)
		return call_usage(call, "choose one", "--junit and --json exclude each other");
	for (int i = 0; i < call->args.nr; i++)
		if (scn_files_add(&files, call->args.items[i], 1u << FILE_SCENARIO, &d))
			status = call_fail(call, &d);
	out = base_alloc(files.nr + 1, sizeof(*out));
	setup_bounds_begin(call, &bounds);
	base_progress_begin(&progress, "check");
	for (size_t i = 0; i < files.nr; i++) {
		out[i].path = files.paths[i];
		base_diags_init(&out[i].faults, 50);
		check_file(call, &bounds, &out[i]);
		status = out[i].status > status ? out[i].status : status;
		base_progress_update(&progress, i + 1, files.nr);
	}
	base_progress_end(&progress);
	if (files.nr)
		print_all(call, out, files.nr);
	for (size_t i = 0; i < files.nr; i++)
		base_diags_free(&out[i].faults);
	free(out);
	scn_files_free(&files);
	return status;
}

const struct verb verb_check = {
	.name = "check",
	.args = "FILE|DIR...",
	.help = "run scenarios for their expectations and answers",
	.about =
		"Writes TAP, one line for each scenario. A scenario that checks nothing fails. Exit status 1\n"
		"if anything failed, 2 if a file is no scenario.",
	.options = check_options,
	.defaults = &check_defaults,
	.opts_size = sizeof(check_defaults),
	.common = SETUP_COMMON,
	.args_min = 1,
	.args_max = VERB_ARGS_ANY,
	.run = run,
};

/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset run: a scenario or a file of operations without a screen. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "core/field.h"
#include "show.h"
#include "work.h"

struct run_opts {
	bool csv, trace, summary;
};

static const struct run_opts run_defaults = { 0 };

static const struct opt run_options[] = {
	{ .name = "csv",
	  .type = OPT_FLAG,
	  .offset = offsetof(struct run_opts, csv),
	  .help = "a row for each operation: what it was, its CPU's pagesets, zones and counters" },
	{ .name = "trace",
	  .type = OPT_FLAG,
	  .offset = offsetof(struct run_opts, trace),
	  .help = "below each operation its steps, indented by the function that they belong to" },
	{ .name = "summary",
	  .type = OPT_FLAG,
	  .offset = offsetof(struct run_opts, summary),
	  .help = "only what failed, and the counters at the end" },
	{ .name = NULL },
};

/* What a check or a question of the scenario came to, for JSON. */
struct finding {
	enum scn_event_kind kind;
	u64 line;
	const char *text;
	bool ok;
	char value[256];
};

struct runner {
	const struct call *call;
	const struct run_opts *opts;
	const struct work *w;
	struct timeline *tl;
	struct zone_stats before;
	struct setup_bounds bounds;
	u64 rows; /* operations shown so far */
	u64 expects, failed;
	struct finding *findings;
	size_t nr_findings, cap_findings;
	FILE *steps; /* with --trace: of the operation that runs */
	char *step_text;
	size_t step_len;
	struct show_trace trace;
	struct field_ref *columns; /* with --csv */
	size_t nr_columns;
};

static bool is_table(const struct runner *r)
{
	return !r->call->common->json && !r->opts->csv;
}

/*
 * Tables
 */

static void print_head(const struct runner *r)
{
	char set[SHOW_TEXT_MAX];

	printf("%s%s%s\n", r->w->name, r->w->title[0] ? ": " : "", r->w->title);
	show_machine(stdout, tl_view(r->tl));
	printf("%s, seed %llu\n\n", show_set(r->w->patches, set), (unsigned long long)r->w->seed);
	if (!r->opts->summary)
		printf("%5s  %-47s %7s %7s  %s\n", "op", "what", "count", "high", "events");
}

/* A figure of the CPU's pageset in each zone: "62" or "12/0/50". */
static void pagesets_text(const struct sim *sim, u32 cpu, bool high, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (u32 z = 0; z < sim_nr_zones(sim) && used < size; z++) {
		const struct per_cpu_pages *pcp = sim_pageset(sim, z, cpu);
		int n = snprintf(buf + used, size - used, "%s%d", z ? "/" : "",
				 high ? pcp->high : pcp->count);

		used += n > 0 ? (size_t)n : 0;
	}
}

static void print_row(struct runner *r, const struct scn_event *ev, const struct op *op,
		      const struct zone_stats *after)
{
	const struct sim *sim = tl_view(r->tl);
	char what[SHOW_TEXT_MAX], events[SHOW_TEXT_MAX], result[SHOW_TEXT_MAX];
	char count[64], high[64];
	u32 cpu = show_acting_cpu(sim, op);

	pagesets_text(sim, cpu, false, count, sizeof(count));
	pagesets_text(sim, cpu, true, high, sizeof(high));
	show_events(&r->before, after, events);
	show_result(op, &ev->result, result);
	if (ev->result.status == OP_DONE && ev->result.attempt < 2)
		result[0] = '\0';
	printf("%5llu  %-47s %7s %7s%s%s%s%s\n", (unsigned long long)ev->op + 1,
	       show_op(sim, op, what), count, high, events[0] || result[0] ? "  " : "", events,
	       events[0] && result[0] ? ", " : "", result);
}

static void on_step(void *ctx, struct sim *sim, const struct step *step)
{
	struct runner *r = ctx;

	show_step(r->steps, &r->trace, sim, step);
}

/* The steps of the operation were gathered while it ran; they stand below its row. */
static void print_steps(struct runner *r)
{
	fflush(r->steps);
	fwrite(r->step_text, 1, r->step_len, stdout);
	rewind(r->steps);
	memset(&r->trace, 0, sizeof(r->trace));
}

/*
 * CSV
 */

/* The fields of CPU 0, the zones and the counters, as a template; what walks over memory is left out. */
static void choose_columns(struct runner *r)
{
	const struct sim *sim = tl_view(r->tl);
	struct field_ref ref;
	bool started = false;
	size_t cap = 0;

	while (field_next(sim, &ref, &started))
		cap += field_infos[ref.id].scope != FIELD_PCP || ref.cpu == 0;
	r->columns = base_alloc(cap, sizeof(*r->columns));
	started = false;
	while (field_next(sim, &ref, &started)) {
		if (field_infos[ref.id].scope == FIELD_PCP && ref.cpu != 0)
			continue;
		if (strcmp(field_infos[ref.id].name, "pageblocks_held") != 0)
			r->columns[r->nr_columns++] = ref;
	}
}

static void print_csv_head(struct runner *r)
{
	char path[FIELD_NAME_MAX];

	printf("op,line,kind,cpu,order,type,blocks,status,got,attempt,kswapd");
	for (size_t i = 0; i < r->nr_columns; i++) {
		field_path(&r->columns[i], path);
		/* cpu[0].zone[0].high becomes cpu.zone[0].high: the column is the acting CPU's */
		if (strncmp(path, "cpu[0]", 6) == 0)
			printf(",cpu%s", path + 6);
		else
			printf(",%s", path);
	}
	putchar('\n');
}

static void print_csv_row(struct runner *r, const struct scn_event *ev, const struct op *op)
{
	static const char *const states[] = { "done", "failed", "refused" };
	const struct sim *sim = tl_view(r->tl);
	u32 args = op_infos[op->kind].args, cpu = show_acting_cpu(sim, op);

	printf("%llu,%llu,%s,%u,", (unsigned long long)ev->op + 1, (unsigned long long)ev->line,
	       op_infos[op->kind].name, cpu);
	if (args & 1u << OPARG_order)
		printf("%u", op->order);
	printf(",%.*s,", args & 1u << OPARG_type ? 1 : 0, &"UMR"[op->type < 3 ? op->type : 0]);
	if (args & (1u << OPARG_count | 1u << OPARG_pages) || op->kind == OP_ALLOC)
		printf("%u", op->count);
	printf(",%s,%u,%u,%u", states[ev->result.status], ev->result.got, ev->result.attempt,
	       ev->result.kswapd);
	for (size_t i = 0; i < r->nr_columns; i++) {
		struct field_ref ref = r->columns[i];
		s64 value;

		if (field_infos[ref.id].scope == FIELD_PCP)
			ref.cpu = cpu;
		if (field_get(sim, &ref, &value))
			printf(",%lld", (long long)value);
		else
			putchar(',');
	}
	putchar('\n');
}

/*
 * Events
 */

static void keep_finding(struct runner *r, const struct scn_event *ev, const char *text,
			 const char *value)
{
	struct finding *f;

	if (r->nr_findings == r->cap_findings) {
		struct finding *more = base_alloc(r->cap_findings * 2 + 64, sizeof(*more));

		if (r->nr_findings)
			memcpy(more, r->findings, r->nr_findings * sizeof(*more));
		free(r->findings);
		r->findings = more;
		r->cap_findings = r->cap_findings * 2 + 64;
	}
	f = &r->findings[r->nr_findings++];
	*f = (struct finding){ .kind = ev->kind, .line = ev->line, .text = text, .ok = ev->ok };
	snprintf(f->value, sizeof(f->value), "%s", value);
}

static void take_op(struct runner *r, const struct scn_event *ev)
{
	struct zone_stats after = sim_stats(tl_view(r->tl));
	struct sim_error err;
	const u32 *slots;
	struct op op;

	r->rows++;
	if (tl_op(r->tl, ev->op, &op, &slots, &err))
		return;
	if (r->opts->csv)
		print_csv_row(r, ev, &op);
	else if (is_table(r) && !r->opts->summary)
		print_row(r, ev, &op, &after);
	if (r->steps)
		print_steps(r);
	r->before = after;
}

static void take_expect(struct runner *r, const struct scn_event *ev)
{
	r->expects++;
	r->failed += !ev->ok;
	if (r->call->common->json)
		keep_finding(r, ev, ev->text, ev->message);
	if (!is_table(r) || (ev->ok && r->opts->summary))
		return;
	show_wrapped(stdout, 7, ev->ok ? "ok: " : "FAIL: ", ev->text);
	if (!ev->ok && ev->message[0])
		show_wrapped(stdout, 13, "", ev->message);
}

static void take_predict(struct runner *r, const struct scn_event *ev)
{
	char text[SCN_VALUE_MAX];

	if (ev->kind == SCN_EV_RESOLVE) {
		scn_value_text(&ev->value, text);
		if (r->call->common->json)
			keep_finding(r, ev, ev->predict->id, text);
		if (is_table(r) && !r->opts->summary) {
			printf("%7sanswer: %s\n", "", text);
			if (ev->predict->why[0])
				show_wrapped(stdout, 9, "", ev->predict->why);
		}
	} else if (is_table(r) && !r->opts->summary) {
		show_wrapped(stdout, 7, "question: ", ev->predict->ask);
	}
}

static void take_event(struct runner *r, const struct scn_event *ev)
{
	switch (ev->kind) {
	case SCN_EV_OP:
		take_op(r, ev);
		break;
	case SCN_EV_SAY:
		if (is_table(r) && !r->opts->summary)
			show_wrapped(stdout, 7, "", ev->text);
		break;
	case SCN_EV_PREDICT:
	case SCN_EV_RESOLVE:
		take_predict(r, ev);
		break;
	case SCN_EV_EXPECT:
		take_expect(r, ev);
		break;
	case SCN_EV_DONE:
		if (is_table(r) && !r->opts->summary)
			printf("%7s%s: %llu operations\n", "", ev->step,
			       (unsigned long long)(tl_length(r->tl) - ev->op));
		r->before = sim_stats(tl_view(r->tl));
		break;
	default:
		break;
	}
}

/*
 * The end
 */

static void print_counters(const struct runner *r)
{
	const struct sim *sim = tl_view(r->tl);

	printf("%sAfter %llu operation%s:\n", r->opts->summary ? "" : "\n",
	       (unsigned long long)tl_length(r->tl), tl_length(r->tl) == 1 ? "" : "s");
	for (size_t i = 0; counter_infos[i].name; i++)
		printf("  %-24s %12lld %s\n", counter_infos[i].name, (long long)counter_get(sim, i),
		       counter_infos[i].unit);
	if (r->expects)
		printf("%llu expectation%s, %llu failed\n", (unsigned long long)r->expects,
		       r->expects == 1 ? "" : "s", (unsigned long long)r->failed);
}

static void json_findings(struct base_json *j, const struct runner *r, enum scn_event_kind kind)
{
	bool expects = kind == SCN_EV_EXPECT;

	base_json_key(j, expects ? "expects" : "predicts");
	base_json_array(j);
	for (size_t i = 0; i < r->nr_findings; i++) {
		const struct finding *f = &r->findings[i];

		if (f->kind != kind)
			continue;
		base_json_object(j);
		base_json_kv_uint(j, "line", f->line);
		base_json_kv_string(j, expects ? "expr" : "id", f->text);
		if (!expects || f->value[0])
			base_json_kv_string(j, expects ? "values" : "value", f->value);
		base_json_kv_bool(j, "ok", f->ok);
		base_json_close(j);
	}
	base_json_close(j);
}

static void print_json(const struct runner *r)
{
	const struct sim *sim = tl_view(r->tl);
	char text[PATCH_TEXT_MAX];
	struct field_ref ref;
	bool started = false;
	struct base_json j;

	base_json_to_file(&j, stdout, true);
	base_json_object(&j);
	base_json_kv_string(&j, "scenario", r->w->name);
	base_json_kv_string(&j, "title", r->w->title);
	base_json_kv_string(&j, "series", r->w->series == SERIES_V3 ? "v3" : "v2");
	base_json_kv_string(&j, "patches", patch_set_format(r->w->patches, text));
	base_json_kv_bool(&j, "constructed", patch_set_is_constructed(r->w->patches));
	base_json_kv_uint(&j, "seed", r->w->seed);
	base_json_kv_uint(&j, "ops", tl_length(r->tl));
	json_findings(&j, r, SCN_EV_EXPECT);
	json_findings(&j, r, SCN_EV_RESOLVE);
	base_json_key(&j, "counters");
	base_json_object(&j);
	for (size_t i = 0; counter_infos[i].name; i++)
		base_json_kv_int(&j, counter_infos[i].name, counter_get(sim, i));
	base_json_close(&j);
	base_json_key(&j, "state");
	base_json_object(&j);
	while (field_next(sim, &ref, &started)) {
		char path[FIELD_NAME_MAX];
		s64 value;

		if (field_infos[ref.id].scope == FIELD_STATS)
			break;
		base_json_key(&j, field_path(&ref, path));
		if (field_get(sim, &ref, &value))
			base_json_int(&j, value);
		else
			base_json_null(&j);
	}
	base_json_close(&j);
	base_json_close(&j);
	base_json_end(&j);
}

static int play(struct runner *r)
{
	struct work_player player;
	struct scn_event ev = { .kind = SCN_EV_END };
	int status = 0;

	work_player_begin(&player, r->w, r->tl);
	while (work_next(&player, &ev)) {
		take_event(r, &ev);
		if (ferror(stdout))
			break;
		if (r->bounds.max_ops && tl_length(r->tl) >= r->bounds.max_ops) {
			fflush(stdout);
			fprintf(stderr, "note: stopped after %llu operations by --max-ops\n",
				(unsigned long long)tl_length(r->tl));
			break;
		}
		if (setup_is_late(&r->bounds)) {
			status = call_usage(r->call, NULL, "not done within --timeout");
			break;
		}
	}
	if (ev.kind == SCN_EV_ERROR)
		status = work_fail(r->call, r->w, &ev);
	work_player_end(&player);
	return status;
}

static int begin(struct runner *r)
{
	struct sim_error err;
	struct diag d;

	/* the bound is for those who go back; here the log is all that grows */
	if (tl_create(r->w->machine, r->w->patches, SIZE_MAX / 4, true, &r->tl, &err)) {
		base_diag_set(&d, BASE_ERR_NO_MEMORY, r->w->path, 0, 0, "%s", err.message);
		return call_fail(r->call, &d);
	}
	r->before = sim_stats(tl_view(r->tl));
	if (r->opts->trace) {
		r->steps = open_memstream(&r->step_text, &r->step_len);
		BASE_CHECK(r->steps != NULL, "a stream in memory");
		tl_set_observer(r->tl, on_step, r);
	}
	if (r->opts->csv) {
		choose_columns(r);
		print_csv_head(r);
	}
	return 0;
}

static int run(const struct call *call)
{
	struct runner r = { .call = call, .opts = call->opts };
	struct work w;
	int status;

	if (call->common->json + r.opts->csv + r.opts->trace > 1)
		return call_usage(call, NULL, "give one of --json, --csv and --trace");
	if (r.opts->summary && (r.opts->csv || r.opts->trace))
		return call_usage(call, NULL, "--summary leaves out the rows of --csv and --trace");
	setup_bounds_begin(call, &r.bounds);
	status = work_load(call, call->args.items[0], &w);
	r.w = &w;
	if (!status)
		status = begin(&r);
	if (!status && is_table(&r))
		print_head(&r);
	if (!status)
		status = play(&r);
	if (!status && is_table(&r))
		print_counters(&r);
	else if (!status && call->common->json)
		print_json(&r);
	if (!status && r.failed) {
		fflush(stdout);
		fprintf(stderr, "%s: %llu of %llu expectations failed\n", w.path,
			(unsigned long long)r.failed, (unsigned long long)r.expects);
		status = base_err_status(BASE_ERR_FAILED);
	}
	if (r.steps)
		fclose(r.steps);
	free(r.step_text);
	free(r.findings);
	free(r.columns);
	tl_destroy(r.tl);
	work_free(&w);
	return status;
}

const struct verb verb_run = {
	.name = "run",
	.args = "FILE",
	.help = "run a scenario or operations without a screen",
	.about =
		"Prints a row for each operation: the CPU's count and high after it, and what happened in it.\n"
		"With several zones count and high are those of zone 0, 1, ... with a slash between.\n"
		"FILE is a scenario (YAML) or a file of operations in the format of the vectors, plain or\n"
		"compressed; - is standard input. Exit status 1 if an expectation of the scenario failed.",
	.options = run_options,
	.defaults = &run_defaults,
	.opts_size = sizeof(run_defaults),
	.common = SETUP_COMMON,
	.args_min = 1,
	.args_max = 1,
	.run = run,
};

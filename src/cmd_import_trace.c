/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset import trace: kmem events become an op log. Part of the verb import (cmd_import.c). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/save.h"
#include "kernel/trace_ops.h"
#include "recorded.h"
#include "verb.h"

struct import_trace_opts {
	const char *output;
	const char *snapshots;
	const char *zoneinfo;
};

static const struct import_trace_opts import_trace_defaults = { 0 };

static const struct opt import_trace_options[] = {
	{ .name = "output",
	  .letter = 'o',
	  .type = OPT_STRING,
	  .offset = offsetof(struct import_trace_opts, output),
	  .value = "FILE",
	  .help = "write a file of operations, for run, compare and diff; - is standard output" },
	{ .name = "snapshots",
	  .type = OPT_STRING,
	  .offset = offsetof(struct import_trace_opts, snapshots),
	  .value = "FILE",
	  .help = "snapshots of /proc/zoneinfo taken at the trace's marks; TRACE.snaps if that is there" },
	{ .name = "zoneinfo",
	  .type = OPT_STRING,
	  .offset = offsetof(struct import_trace_opts, zoneinfo),
	  .value = "FILE",
	  .help = "/proc/zoneinfo of the machine, for its zones and limits" },
	{ .name = NULL },
};

struct writer {
	FILE *out; /* NULL: only counted */
	const char *source;
	struct machine machine;
	struct trace_ops_report *report;
	struct trace_ops_writer *writer;
	struct diag diag;
	bool failed;
};

static bool write_op(void *ctx, const struct op *op, uint64_t line, int outcome)
{
	struct writer *w = ctx;

	(void)line;
	(void)outcome;
	if (!w->out)
		return true;
	if (!w->writer) {
		/* from the first operation on the report knows the kernel's patch set */
		w->writer = trace_ops_writer_new(w->out, w->source, &w->machine,
						 w->report->replay.patches, &w->diag);
		w->failed = !w->writer;
		if (w->failed)
			return false;
	}
	return trace_ops_write(w->writer, op);
}

static enum base_err print_json(const struct trace_ops_report *report)
{
	struct base_json j;
	int i;

	base_json_to_file(&j, stdout, true);
	base_json_object(&j);
	base_json_kv_uint(&j, "events", report->replay.events);
	base_json_kv_uint(&j, "ops",
			  report->allocs + report->frees + report->ticks + report->drains);
	base_json_key(&j, "events_by_kind");
	base_json_object(&j);
	for (i = 0; i < TRACE_KIND_N; i++)
		base_json_kv_uint(&j, trace_kind_name((enum trace_kind)i),
				  report->replay.trace.events[i]);
	base_json_close(&j);
	base_json_key(&j, "skipped");
	replay_skipped_json(&report->replay, &j);
	base_json_kv_string(&j, "format", trace_tool_name(report->replay.trace.tool));
	base_json_kv_uint(&j, "cpus", report->cpus);
	base_json_kv_uint(&j, "allocations", report->allocs);
	base_json_kv_uint(&j, "frees", report->frees);
	base_json_kv_uint(&j, "ticks", report->ticks);
	base_json_kv_uint(&j, "drains", report->drains);
	base_json_kv_uint(&j, "allocated_before", report->before);
	base_json_kv_uint(&j, "allocated_twice", report->doubled);
	base_json_kv_uint(&j, "slots", report->slots);
	base_json_close(&j);
	return base_json_end(&j);
}

static void print_text(const struct trace_ops_report *report)
{
	int i;

	printf("%" PRIu64 " events (%s text) on CPUs below %" PRIu32 "\n", report->replay.events,
	       trace_tool_name(report->replay.trace.tool), report->cpus);
	for (i = 0; i < TRACE_KIND_N; i++)
		if (report->replay.trace.events[i])
			printf("  %-28s %9" PRIu64 "\n", trace_kind_name((enum trace_kind)i),
			       report->replay.trace.events[i]);
	printf("operations: %" PRIu64 " allocations, %" PRIu64 " frees, %" PRIu64 " ticks, %" PRIu64
	       " drains\n",
	       report->allocs, report->frees, report->ticks, report->drains);
	printf("  %" PRIu64
	       " of the allocations stand before the trace: their pages are only freed in it\n",
	       report->before);
	if (report->doubled)
		printf("  %" PRIu64
		       " of the frees are not in the trace: their pages are allocated again in it\n",
		       report->doubled);
	replay_write_skipped(&report->replay, stdout);
}

static enum base_err read_and_write(const struct trace_ops_source *source, const char *path,
				    struct writer *w, struct trace_ops_report *report,
				    struct diag *d)
{
	struct base_save *save = NULL;
	enum base_err err;

	if (!path)
		return trace_ops_run(source, write_op, w, report, d);
	err = trace_ops_machine(source, 4, &w->machine, d);
	if (err)
		return err;
	err = base_save_begin(&save, path, &w->out, d);
	if (!err) {
		err = trace_ops_run(source, write_op, w, report, d);
		if (!err && w->failed) {
			*d = w->diag;
			err = d->code;
		}
		if (w->writer)
			trace_ops_writer_free(w->writer);
		if (err)
			base_save_abort(save);
		else
			err = base_save_commit(save, d);
	}
	machine_free(&w->machine);
	return err;
}

static int run_trace(const struct call *call)
{
	const struct import_trace_opts *o = call->opts;
	struct trace_ops_source source = { .trace = call->args.items[0],
					   .snapshots = o->snapshots,
					   .zoneinfo = o->zoneinfo };
	char *beside = NULL;
	int status = 0;
	bool to_stdout = o->output && strcmp(o->output, "-") == 0;
	struct trace_ops_report report;
	struct writer writer = { .source = source.trace, .report = &report };
	enum base_err err;
	struct diag d;

	if (call->common->json && to_stdout)
		return call_usage(call, "give -o a file",
				  "--json and -o - both want standard output");
	if (!recorded_patches(call, &source.patches, &source.patches_given, &status))
		return status;
	if (!source.snapshots)
		source.snapshots = beside = trace_snaps_beside(source.trace);
	err = read_and_write(&source, o->output, &writer, &report, &d);
	free(beside);
	if (err)
		return call_fail(call, &d);
	recorded_tell_unsure(source.trace, &report.replay);
	if (call->common->json) {
		err = print_json(&report);
	} else if (!to_stdout) {
		print_text(&report);
		err = fflush(stdout) ? BASE_ERR_WRITE : BASE_ERR_OK;
	}
	if (err) {
		base_diag_set(&d, err, "<stdout>", 0, 0, "not everything could be written");
		return call_fail(call, &d);
	}
	return 0;
}

const struct verb verb_import_trace = {
	.name = "import trace",
	.args = "FILE|-",
	.help = "a recorded kmem trace as a log of operations",
	.about =
		"Reads kmem events as text of tracefs (trace, trace_pipe), `trace-cmd report` or `perf script`, plain or\n"
		"compressed, and makes of them what the CPUs asked for: allocations, frees, ticks, drains. Refills and\n"
		"drains by frees are left out, as they are the page lists' own doing; `pageset replay` compares them. With\n"
		"-o the operations go to a file in the vectors' format that runs on a machine like the one of --zoneinfo.",
	.options = import_trace_options,
	.defaults = &import_trace_defaults,
	.opts_size = sizeof(import_trace_defaults),
	.common = COMMON_BIT(JSON) | COMMON_BIT(SERIES) | COMMON_BIT(PATCHES) | COMMON_BIT(COLOR),
	.args_min = 1,
	.args_max = 1,
	.run = run_trace,
};

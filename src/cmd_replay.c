/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset replay: what the model predicts for a recorded trace against what the kernel did. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/progress.h"
#include "kernel/trace_ops.h"
#include "recorded.h"
#include "verb.h"

struct replay_opts {
	const char *snapshots;
	const char *zoneinfo;
};

static const struct replay_opts replay_defaults = { 0 };

static const struct opt replay_verb_options[] = {
	{ .name = "snapshots",
	  .type = OPT_STRING,
	  .offset = offsetof(struct replay_opts, snapshots),
	  .value = "FILE",
	  .help = "snapshots of /proc/zoneinfo taken at the trace's marks; TRACE.snaps if that is there" },
	{ .name = "zoneinfo",
	  .type = OPT_STRING,
	  .offset = offsetof(struct replay_opts, zoneinfo),
	  .value = "FILE",
	  .help = "/proc/zoneinfo of the machine, for its zones and limits" },
	{ .name = NULL },
};

static void show_progress(void *ctx, uint64_t done, uint64_t total)
{
	base_progress_update(ctx, done, total);
}

static int run(const struct call *call)
{
	const struct replay_opts *o = call->opts;
	struct replay_options opt = { .trace = call->args.items[0],
				      .snapshots = o->snapshots,
				      .zoneinfo = o->zoneinfo,
				      .progress = show_progress };
	struct replay_report report;
	struct base_progress progress;
	char *beside = NULL;
	enum base_err err;
	struct diag d;
	int status = 0;

	if (!recorded_patches(call, &opt.patches, &opt.patches_given, &status)) {
		return status;
	}
	if (!opt.snapshots) {
		opt.snapshots = beside = trace_snaps_beside(opt.trace);
	}
	base_progress_begin(&progress, "replay");
	opt.progress_ctx = &progress;
	err = replay_run(&opt, &report, &d);
	base_progress_end(&progress);
	free(beside);
	if (err != BASE_ERR_OK) {
		return call_fail(call, &d);
	}
	if (call->common->json) {
		struct base_json json;

		base_json_to_file(&json, stdout, true);
		replay_write_json(&report, &json);
		err = base_json_end(&json);
	} else {
		replay_write_text(&report, stdout);
		err = fflush(stdout) ? BASE_ERR_WRITE : BASE_ERR_OK;
	}
	if (err != BASE_ERR_OK) {
		base_diag_set(&d, err, "<stdout>", 0, 0, "not everything could be written");
		return call_fail(call, &d);
	}
	return 0;
}

const struct verb verb_replay = {
	.name = "replay",
	.args = "TRACE|-",
	.help = "a recorded trace against the model's predictions",
	.about =
		"Reads kmem events as text of tracefs (trace, trace_pipe), `trace-cmd report` or `perf script`, plain or\n"
		"compressed. One step ahead, the model says at each allocation and free whether a list is refilled or\n"
		"drained and by how much, and is put right after each difference. Running free, it is left alone\n"
		"from one snapshot mark to the next, where counts and highs are compared. Without --series and\n"
		"--patches the patch set is found out from the recording. `pageset watch --record` makes recordings.",
	.options = replay_verb_options,
	.defaults = &replay_defaults,
	.opts_size = sizeof(replay_defaults),
	.common = COMMON_BIT(JSON) | COMMON_BIT(SERIES) | COMMON_BIT(PATCHES) | COMMON_BIT(COLOR),
	.args_min = 1,
	.args_max = 1,
	.run = run,
};

/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset replay: what the model predicts for a recorded trace against what the kernel did. */
#include <inttypes.h>
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
	uint64_t differences;
};

/* what --differences lists, collected while the replay runs */
struct listing {
	uint64_t most;
	struct replay_difference *items;
	struct replay_unequal *marks;
	uint64_t nr, nr_marks;
	bool no_memory;
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
	{ .name = "differences",
	  .type = OPT_UINT,
	  .offset = offsetof(struct replay_opts, differences),
	  .value = "N",
	  .help = "list the first N differences one step ahead, and of the lists at marks" },
	{ .name = NULL },
};

static void show_progress(void *ctx, uint64_t done, uint64_t total)
{
	base_progress_update(ctx, done, total);
}

static bool make_room(void **items, uint64_t nr, size_t size)
{
	/* a power of two: time to double */
	if ((nr & (nr - 1)) == 0) {
		void *p = realloc(*items, (nr ? nr * 2 : 1) * size);

		if (!p) {
			return false;
		}
		*items = p;
	}
	return true;
}

static void list_difference(void *ctx, const struct replay_difference *difference)
{
	struct listing *l = ctx;

	if (l->nr == l->most) {
		return;
	}
	if (!make_room((void **)&l->items, l->nr, sizeof(*l->items))) {
		l->no_memory = true;
		return;
	}
	l->items[l->nr++] = *difference;
}

static void list_unequal(void *ctx, const struct replay_unequal *unequal)
{
	struct listing *l = ctx;

	if (l->nr_marks == l->most) {
		return;
	}
	if (!make_room((void **)&l->marks, l->nr_marks, sizeof(*l->marks))) {
		l->no_memory = true;
		return;
	}
	l->marks[l->nr_marks++] = *unequal;
}

static void print_listing(const struct listing *l)
{
	uint64_t i;

	printf("\nthe first differences one step ahead: %" PRIu64 "\n", l->nr);
	for (i = 0; i < l->nr; i++) {
		replay_write_difference(&l->items[i], stdout);
	}
	printf("the first lists that differ at a mark: %" PRIu64 "\n", l->nr_marks);
	for (i = 0; i < l->nr_marks; i++) {
		replay_write_unequal(&l->marks[i], stdout);
	}
}

static void json_listing(const struct listing *l, struct base_json *json)
{
	uint64_t i;

	base_json_key(json, "differences");
	base_json_array(json);
	for (i = 0; i < l->nr; i++) {
		replay_difference_json(&l->items[i], json);
	}
	base_json_close(json);
	base_json_key(json, "unequal_at_marks");
	base_json_array(json);
	for (i = 0; i < l->nr_marks; i++) {
		replay_unequal_json(&l->marks[i], json);
	}
	base_json_close(json);
}

static enum base_err print_report(const struct call *call, const struct replay_report *report,
				  const struct listing *l)
{
	struct base_json json;

	if (!call->common->json) {
		replay_write_text(report, stdout);
		if (l->most) {
			print_listing(l);
		}
		return fflush(stdout) ? BASE_ERR_WRITE : BASE_ERR_OK;
	}
	base_json_to_file(&json, stdout, true);
	base_json_object(&json);
	replay_write_json(report, &json);
	if (l->most) {
		json_listing(l, &json);
	}
	base_json_close(&json);
	return base_json_end(&json);
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
	struct listing listing = { .most = o->differences };
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
	if (listing.most) {
		opt.differ = list_difference;
		opt.unequal = list_unequal;
		opt.differ_ctx = &listing;
	}
	err = replay_run(&opt, &report, &d);
	base_progress_end(&progress);
	free(beside);
	if (err == BASE_ERR_OK && listing.no_memory) {
		err = base_diag_set(&d, BASE_ERR_NO_MEMORY, opt.trace, 0, 0,
				    "not enough memory for the list of differences");
	}
	if (err != BASE_ERR_OK) {
		return call_fail(call, &d);
	}
	recorded_tell_unsure(opt.trace, &report);
	err = print_report(call, &report, &listing);
	free(listing.items);
	free(listing.marks);
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

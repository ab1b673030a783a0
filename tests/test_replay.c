/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replay against recordings of three kernels: how well the model agrees, that a broken policy is noticed, and what
 * damage to a recording does.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "core/patch.h"
#include "kernel/pcpmodel.h"
#include "kernel/replay.h"

struct recording {
	const char *set, *name;
	bool fault; /* a recording of faults: bounds on the marks */
	/* what stands in the file, by counting runs of its events by hand or by the tables of real/analysis */
	uint64_t events;
	int64_t fraction; /* vm.percpu_pagelist_high_fraction while it was made */
};

static const struct recording recordings[] = {
	{ "guest-6.1", "a-fault", true, 60030, 0 },
	{ "guest-6.1", "a-fault4", true, 25664, 0 },
	{ "guest-6.1", "a-fault64", true, 157162, 0 },
	{ "guest-6.1", "b-migrate", false, 37773, 0 },
	{ "guest-6.1", "b-pipe", false, 6087, 0 },
	{ "guest-6.1", "b-unix", false, 1664, 0 },
	{ "guest-6.1", "c-fork", false, 6393, 0 },
	{ "guest-6.1", "d-decay", false, 45810, 0 },
	{ "guest-6.1", "e-fault-fraction100", true, 38194, 0 },
	{ "guest-6.1", "g-thp", false, 4665, 0 },
	{ "guest-6.12", "a-fault", true, 56880, 0 },
	{ "guest-6.12", "a-fault4", true, 25680, 0 },
	{ "guest-6.12", "a-fault64", true, 129757, 0 },
	{ "guest-6.12", "b-unix", false, 3245, 0 },
	{ "guest-6.12", "c-fork", false, 6704, 0 },
	{ "guest-6.12", "d-decay", false, 44160, 0 },
	{ "guest-6.12", "g-thp", false, 106, 0 },
	{ "host-6.18", "b-unix", false, 4643, 0 },
	{ "host-6.18", "e-fault-fraction100", true, 94009, 100 },
	{ "host-6.18", "g-thp", false, 17589, 0 },
	{ "host-6.18", "a-fault", true, 38262, 0 },
	{ "host-6.18", "a-fault-warm", true, 26571, 0 },
	{ "host-6.18", "a-fault-1", true, 85164, 0 },
	{ "host-6.18", "a-fault-2", true, 57261, 0 },
	{ "host-6.18", "a-fault-3", true, 55307, 0 },
	{ "host-6.18", "a-fault-4", true, 53291, 0 },
	{ "host-6.18", "b-migrate", false, 41919, 0 },
	{ "host-6.18", "b-pipe", false, 9738, 0 },
	{ "host-6.18", "c-fork", false, 18971, 0 },
	{ "host-6.18", "g-thp-tick", false, 5751, 0 },
	{ "guest-6.1-small", "e-fault-fraction100", true, 20356, 0 },
	{ "guest-6.1-small", "f-pressure", false, 45897, 0 },
	{ "guest-6.1-2node", "b-migrate-remote", false, 10166, 0 },
	{ "guest-6.1-2node", "b-pipe", false, 4160, 0 },
	{ "guest-6.1-2node", "b-unix", false, 3278, 0 },
	{ "guest-6.1-2node", "g-thp", false, 375, 0 },
	{ "guest-6.12-small", "e-fault-fraction100", true, 20532, 100 },
	{ "guest-6.12-small", "f-pressure", false, 58516, 0 },
	{ "guest-6.12-small", "h-reclaim", false, 66081, 0 },
	{ "guest-6.12-2node", "b-migrate-remote", false, 11325, 0 },
	{ "guest-6.12-2node", "b-pipe", false, 5105, 0 },
	{ "guest-6.12-2node", "b-unix", false, 4664, 0 },
	{ "guest-6.12-2node", "g-thp", false, 428, 0 },
};
#define NR_RECORDINGS (sizeof(recordings) / sizeof(recordings[0]))

/* is a set of recordings, such as guest-6.1-small, of that kernel (guest-6.1)? */
static bool is_of(const char *set, const char *kernel)
{
	size_t len = strlen(kernel);

	return strncmp(set, kernel, len) == 0 && (!set[len] || set[len] == '-');
}

static uint32_t patches_of(const char *set)
{
	const char *text = is_of(set, "guest-6.1")  ? "4" :
			   is_of(set, "guest-6.12") ? "all" :
						      "all,nikhil";
	struct patch_change change;
	char error[200];

	cr_assert(patch_set_parse(text, SERIES_V3, &change, error, sizeof(error)), "%s", error);
	return change.set;
}

static void replay_with(const struct recording *rec, unsigned int breaks, bool patches_given,
			struct replay_report *report)
{
	char trace[200], snaps[200];
	struct replay_options opt = { .trace = trace,
				      .snapshots = snaps,
				      .patches = patches_of(rec->set),
				      .patches_given = patches_given,
				      .breaks = breaks };
	struct diag d;

	snprintf(trace, sizeof(trace), "tests/real/%s/%s.trace.txt.gz", rec->set, rec->name);
	snprintf(snaps, sizeof(snaps), "tests/real/%s/%s.snaps.txt.gz", rec->set, rec->name);
	cr_assert_eq(replay_run(&opt, report, &d), BASE_ERR_OK, "%s: %s", trace, d.message);
}

static void replay(const struct recording *rec, unsigned int breaks, struct replay_report *report)
{
	replay_with(rec, breaks, true, report);
}

struct pool {
	struct replay_tally refills, drains;
	struct replay_marks fault_marks, fault_active, fault_traced, fault_moved;
	double worst; /* of a recording with 20 judged events or more */
};

static void tally_add(struct replay_tally *to, const struct replay_tally *t)
{
	to->recorded += t->recorded;
	to->same_event += t->same_event;
	to->same_size += t->same_size;
	to->model_only += t->model_only;
}

static void marks_add(struct replay_marks *to, const struct replay_marks *m)
{
	to->compared += m->compared;
	to->equal += m->equal;
	to->high_equal += m->high_equal;
}

/* @exactly: of this set alone, not of the others of its kernel */
static struct pool pooled_of(const char *set, unsigned int breaks, bool exactly)
{
	struct pool pool = { .worst = 1 };
	size_t i;

	for (i = 0; i < NR_RECORDINGS; i++) {
		struct replay_report report;
		uint64_t judged;

		if (!is_of(recordings[i].set, set) ||
		    (exactly && strcmp(recordings[i].set, set) != 0))
			continue;
		replay(&recordings[i], breaks, &report);
		tally_add(&pool.refills, &report.refills);
		tally_add(&pool.drains, &report.drains);
		if (recordings[i].fault) {
			marks_add(&pool.fault_marks, &report.marks);
			marks_add(&pool.fault_active, &report.marks_active);
			marks_add(&pool.fault_traced, &report.marks_traced);
			marks_add(&pool.fault_moved, &report.marks_traced_active);
		}
		judged = report.refills.recorded + report.drains.recorded;
		if (judged >= 20) {
			double share =
				(double)(report.refills.same_size + report.drains.same_size) /
				(double)judged;

			pool.worst = share < pool.worst ? share : pool.worst;
		}
	}
	return pool;
}

static struct pool pooled(const char *set, unsigned int breaks)
{
	return pooled_of(set, breaks, false);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 100.0;
}

/* the bounds that a kernel's recordings are held to; how many of them do not hold */
/* the marks by events alone, without what the snapshots themselves explain */
static void traced_marks_agree(const struct pool *p, double counts)
{
	cr_expect_geq(percent(p->fault_traced.equal, p->fault_traced.compared), counts);
	cr_expect_geq(percent(p->fault_traced.high_equal, p->fault_traced.compared), 90);
	cr_expect_geq(percent(p->fault_moved.equal, p->fault_moved.compared), counts);
	cr_expect_geq(percent(p->fault_moved.high_equal, p->fault_moved.compared), 90);
}

static int below_bounds(const struct pool *p, double all)
{
	uint64_t recorded = p->refills.recorded + p->drains.recorded;
	int below = 0;

	below += percent(p->refills.same_size + p->drains.same_size, recorded) < all;
	below += percent(p->drains.same_size, p->drains.recorded) < 90;
	below += percent(p->refills.model_only + p->drains.model_only, recorded) > 2;
	below += p->worst < 0.85;
	below += percent(p->fault_marks.equal, p->fault_marks.compared) < 95;
	below += percent(p->fault_marks.high_equal, p->fault_marks.compared) < 90;
	/* of lists at rest nothing can differ: the same bounds for the others alone */
	below += percent(p->fault_active.equal, p->fault_active.compared) < 95;
	below += percent(p->fault_active.high_equal, p->fault_active.compared) < 90;
	return below;
}

Test(replay, kernel_6_1_agrees)
{
	struct pool p = pooled("guest-6.1", 0);

	/* there is something to agree on */
	cr_expect_geq(p.refills.recorded, 1000);
	cr_expect_geq(p.drains.recorded, 70);
	cr_expect_geq(p.fault_marks.compared, 140);
	cr_expect_eq(below_bounds(&p, 98), 0);
	traced_marks_agree(&p, 95);
}

Test(replay, kernel_6_12_agrees)
{
	struct pool p = pooled("guest-6.12", 0);

	cr_expect_geq(p.refills.recorded, 50);
	cr_expect_geq(p.drains.recorded, 25);
	cr_expect_geq(p.fault_marks.compared, 120);
	cr_expect_eq(below_bounds(&p, 98), 0);
	traced_marks_agree(&p, 95);
}

/* A host on which other work ran, and at times a task whose own events no trace has. */
Test(replay, kernel_6_18_agrees)
{
	struct pool p = pooled("host-6.18", 0);

	cr_expect_geq(p.refills.recorded + p.drains.recorded, 500);
	cr_expect_geq(p.fault_marks.compared, 118);
	cr_expect_eq(below_bounds(&p, 95), 0);
	traced_marks_agree(&p, 95);
}

/* what the snapshots tell of things without an event is told apart from what events alone give */
Test(replay, allocations_without_an_event_are_inferred)
{
	struct replay_report report;
	size_t i;

	for (i = 0; i < NR_RECORDINGS; i++) {
		if (strcmp(recordings[i].name, "c-fork") != 0 ||
		    strcmp(recordings[i].set, "guest-6.12") != 0)
			continue;
		replay(&recordings[i], 0, &report);
		/* by counts-from-events.tsv: four pages of a kernel stack from the bulk allocator, in one list at one mark */
		cr_expect_eq(report.silent_inferred, 4);
		cr_expect_eq(report.marks.compared, 8);
		cr_expect_eq(report.marks.equal, 8);
		cr_expect_eq(report.marks_traced.equal, 7);
	}
}

/* 6.12 gives back a batch every three seconds from a remote node's idle list */
Test(replay, a_recorded_remote_list_goes_by_batches)
{
	struct replay_report report;
	size_t i;

	for (i = 0; i < NR_RECORDINGS; i++) {
		if (strcmp(recordings[i].name, "b-migrate-remote") != 0 ||
		    strcmp(recordings[i].set, "guest-6.12-2node") != 0)
			continue;
		replay(&recordings[i], 0, &report);
		cr_expect_eq(report.remote.recorded, 7);
		cr_expect_eq(report.remote.same_size, 7);
		cr_expect_geq(report.marks.compared, 140);
	}
}

/* without --series: of every recording with snapshots the kernel is found; of 6.1's cap there may be no sign */
Test(replay, the_kernel_is_found_out_from_the_snapshots)
{
	size_t i;

	for (i = 0; i < NR_RECORDINGS; i++) {
		const struct recording *rec = &recordings[i];
		struct replay_report report;

		replay_with(rec, 0, false, &report);
		cr_expect_eq(report.patches, patches_of(rec->set), "%s/%s: %s", rec->set, rec->name,
			     report.patches_by);
		cr_expect_eq(report.fraction, rec->fraction, "%s/%s: fraction %lld", rec->set,
			     rec->name, (long long)report.fraction);
		if (is_of(rec->set, "guest-6.12"))
			cr_expect_not(report.patches_unsure, "%s/%s", rec->set, rec->name);
	}
}

/* a snapshot is no help where the ring lost all that was before it: what is left is read, and not judged blindly */
Test(replay, a_ring_that_lost_its_oldest_events)
{
	const struct recording rec = { "guest-6.1-small", "f-pressure-lossy", false, 0, 0 };
	struct replay_report report;

	replay(&rec, 0, &report);
	cr_expect_eq(report.lost_events, 190654);
	cr_expect_gt(report.skipped[REPLAY_SKIP_START_STATE], 300);
	cr_expect_eq(report.refills.model_only + report.drains.model_only, 0);
}

/* the comparison has teeth: each fault in the policy takes some figure of some kernel below its bound */
Test(replay, free_count_never_halved_is_noticed)
{
	struct pool p61 = pooled("guest-6.1", PCPMODEL_BREAK_FREE_COUNT);
	struct pool p618 = pooled("host-6.18", PCPMODEL_BREAK_FREE_COUNT);
	struct pool one_node = pooled_of("guest-6.1", PCPMODEL_BREAK_FREE_COUNT, true);

	cr_expect_lt(percent(p618.drains.same_size, p618.drains.recorded), 90);
	cr_expect_lt(percent(one_node.drains.same_size, one_node.drains.recorded), 90);
	cr_expect_gt(below_bounds(&p61, 98), 0);
}

Test(replay, high_never_growing_is_noticed)
{
	struct pool p = pooled("guest-6.12", PCPMODEL_BREAK_HIGH);

	cr_expect_lt(percent(p.fault_active.high_equal, p.fault_active.compared), 90);
	cr_expect_gt(percent(p.drains.model_only, p.refills.recorded + p.drains.recorded), 2);
	cr_expect_gt(below_bounds(&p, 98), 0);
}

Test(replay, alloc_factor_never_halved_is_noticed)
{
	struct pool p = pooled("host-6.18", PCPMODEL_BREAK_ALLOC_FACTOR);

	cr_expect_lt(percent(p.refills.same_size + p.drains.same_size,
			     p.refills.recorded + p.drains.recorded),
		     95);
}

Test(replay, every_recording_has_its_events)
{
	size_t i;

	for (i = 0; i < NR_RECORDINGS; i++) {
		struct replay_report report;
		const struct recording *rec = &recordings[i];

		replay(rec, 0, &report);
		if (rec->events)
			cr_expect_eq(report.events, rec->events, "%s/%s: %llu events", rec->set,
				     rec->name, (unsigned long long)report.events);
		cr_expect_eq(report.fraction, rec->fraction, "%s/%s: fraction %lld", rec->set,
			     rec->name, (long long)report.fraction);
		cr_expect_eq(report.lost_events, 0);
		/* every operation has an event, or a page that left silently; every event has its place */
		cr_expect_leq(report.ops, report.events);
		cr_expect_eq(report.skipped[REPLAY_SKIP_NO_ZONE], 0, "%s/%s", rec->set, rec->name);
		cr_expect_eq(report.skipped[REPLAY_SKIP_UNKNOWN_CPU], 0);
	}
}

/* by real/analysis: 6.12 lowers high tick by tick to high_min, and drains what is above it */
Test(replay, decay_has_the_kernels_sequence)
{
	struct replay_report report;
	size_t i;

	for (i = 0; i < NR_RECORDINGS; i++)
		if (strcmp(recordings[i].set, "guest-6.12") == 0 &&
		    strcmp(recordings[i].name, "d-decay") == 0)
			break;
	cr_assert_lt(i, NR_RECORDINGS);
	replay(&recordings[i], 0, &report);
	/* 62 snapshots of 4 lists after the first; every high of them is what ticks make of the one before */
	cr_expect_eq(report.marks.compared, 248);
	cr_expect_eq(report.marks.high_equal, 248);
	cr_expect_eq(report.marks.equal, 248);
	/* 9478 to 3493 on CPU 0 in 8 steps, of which 5 drained; others on other CPUs */
	cr_expect_geq(report.ticks_inferred, 3);
	cr_expect_eq(report.ticks.recorded, 5);
	cr_expect_eq(report.ticks.same_size, 5);
}

Test(replay, without_snapshots_the_kernel_is_found_out)
{
	struct replay_options opt = { .trace = "tests/real/guest-6.12/b-unix.trace.txt.gz" };
	struct replay_report report;
	struct diag d;

	cr_assert_eq(replay_run(&opt, &report, &d), BASE_ERR_OK);
	cr_expect_eq(report.patches, patches_of("guest-6.12"));
	cr_expect_not(report.patches_unsure);
	cr_expect_not(report.machine_known);
	cr_expect_eq(report.refills.same_size, report.refills.recorded);
	opt.trace = "tests/real/guest-6.1/b-unix.trace.txt.gz";
	cr_assert_eq(replay_run(&opt, &report, &d), BASE_ERR_OK);
	cr_expect_eq(report.patches, patches_of("guest-6.1"));
	/* two refills at once leave it open */
	cr_expect(report.patches_unsure);
	opt.trace = "tests/real/host-6.18/b-unix.trace.txt.gz";
	opt.zoneinfo = "tests/real/host-6.18/b-unix.snaps.txt.gz";
	cr_assert_eq(replay_run(&opt, &report, &d), BASE_ERR_OK);
	cr_expect_eq(report.patches, patches_of("host-6.18"));
	cr_expect(report.machine_known);
	cr_expect_eq(report.snapshots, 0);
}

/* a recording of 6.18 without the lines high_min and high_max, as 6.12 would print it */
Test(replay, a_fixed_high_is_recognised_from_the_snapshots)
{
	char snaps[] = "/tmp/pageset-snaps-XXXXXX", line[4096];
	struct replay_options opt = {
		.trace = "tests/real/host-6.18/e-fault-fraction100.trace.txt.gz",
		.snapshots = snaps,
		.patches = patches_of("host-6.18"),
		.patches_given = true
	};
	struct replay_report report;
	struct diag d;
	int fd = mkstemp(snaps);
	FILE *out = fdopen(fd, "w");
	gzFile in = gzopen("tests/real/host-6.18/e-fault-fraction100.snaps.txt.gz", "rb");

	cr_assert(in && out);
	while (gzgets(in, line, sizeof(line)))
		if (!strstr(line, "high_min") && !strstr(line, "high_max"))
			fputs(line, out);
	gzclose(in);
	fclose(out);
	cr_assert_eq(replay_run(&opt, &report, &d), BASE_ERR_OK, "%s", d.message);
	cr_expect_eq(report.fraction, 100);
	cr_expect_geq(report.refills.same_size + 2, report.refills.recorded);
	remove(snaps);
}

/* writes a copy of a recording without the lines from `from` to `to` (of 0: none) and with `put` in their place */
static void damaged_copy(char *path, uint64_t from, uint64_t to, const char *put)
{
	gzFile in = gzopen("tests/real/guest-6.12/a-fault.trace.txt.gz", "rb");
	FILE *out = fdopen(mkstemp(path), "w");
	char line[4096];
	uint64_t n = 0;

	cr_assert(in && out);
	while (gzgets(in, line, sizeof(line))) {
		n++;
		if (n == from && put)
			fputs(put, out);
		if (n < from || n > to)
			fputs(line, out);
	}
	gzclose(in);
	fclose(out);
}

Test(replay, lost_events_are_told_and_lived_with)
{
	char path[] = "/tmp/pageset-lossy-XXXXXX";
	struct replay_options opt = { .trace = path,
				      .snapshots = "tests/real/guest-6.12/a-fault.snaps.txt.gz",
				      .patches = patches_of("guest-6.12"),
				      .patches_given = true };
	struct replay_report report;
	struct diag d;

	damaged_copy(path, 5000, 6000, "CPU:0 [LOST 1001 EVENTS]\n");
	cr_assert_eq(replay_run(&opt, &report, &d), BASE_ERR_OK);
	cr_expect_eq(report.lost_events, 1001);
	cr_expect_gt(report.skipped[REPLAY_SKIP_LOST], 0);
	/* after the loss it finds its feet again: 4 marks of 4 CPUs and more are equal */
	cr_expect_geq(report.marks.equal, 16);
	remove(path);
}

Test(replay, a_trace_that_ends_in_the_middle_of_a_line)
{
	char path[] = "/tmp/pageset-cut-XXXXXX";
	struct replay_options opt = { .trace = path,
				      .snapshots = "tests/real/guest-6.12/a-fault.snaps.txt.gz" };
	struct replay_report report;
	struct diag d;

	damaged_copy(path, 9000, UINT64_MAX, "         pcpwork-208     [000] d..4.     6.0101");
	cr_assert_eq(replay_run(&opt, &report, &d), BASE_ERR_OK);
	cr_expect_eq(report.trace.skipped[TRACE_SKIP_BAD_HEAD], 1);
	cr_expect_eq(report.trace.first_bad_line, 9000);
	remove(path);
}

Test(replay, what_is_no_trace_is_refused)
{
	static const char *const files[] = { "tests/real/guest-6.12/a-fault.snaps.txt.gz",
					     "/dev/null" };
	struct replay_report report;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct replay_options opt = { .trace = files[i] };
		struct diag d;

		cr_expect_eq(replay_run(&opt, &report, &d), BASE_ERR_SYNTAX);
		cr_expect(strstr(d.message, "no kmem event"), "%s", d.message);
		cr_expect(*d.hint);
	}
}

Test(replay, snapshots_that_are_none_are_refused)
{
	struct replay_options opt = { .trace = "tests/real/guest-6.12/b-unix.trace.txt.gz",
				      .snapshots = "tests/real/guest-6.12/b-unix.trace.txt.gz" };
	struct replay_report report;
	struct diag d;

	cr_expect_neq(replay_run(&opt, &report, &d), BASE_ERR_OK);
	cr_expect(*d.message);
}

Test(replay, is_the_same_on_every_run)
{
	struct replay_report a, b;

	replay(&recordings[6], 0, &a);
	replay(&recordings[6], 0, &b);
	cr_expect_eq(memcmp(&a, &b, sizeof(a)), 0);
}

Test(replay, all_formats_replay)
{
	static const char *const files[] = {
		"6.1/whole-perf-script.txt.gz",	      "6.1/whole-trace-cmd-report.txt.gz",
		"6.1/whole-tracefs-default.txt.gz",   "6.12/whole-perf-script.txt.gz",
		"6.12/whole-trace-cmd-report.txt.gz", "6.12/whole-tracefs-default.txt.gz",
		"6.12/tracefs-fields.txt.gz",	      "6.1/tracefs-latency-format.txt.gz",
		"6.1/tracefs-lost-trace_pipe.txt.gz", "6.18/perf-script-ns-tid.txt.gz",
	};
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char path[200];
		struct replay_options opt = { .trace = path };
		struct replay_report report;
		struct diag d;

		snprintf(path, sizeof(path), "tests/real/formats/%s", files[i]);
		cr_expect_eq(replay_run(&opt, &report, &d), BASE_ERR_OK, "%s: %s", path, d.message);
		cr_expect_gt(report.ops, 0, "%s", path);
		if (strstr(path, "whole"))
			cr_expect_eq(report.refills.same_event, report.refills.recorded, "%s",
				     path);
	}
}

/*
 * Two nodes: CPU 1 is of node 1 and holds 200 pages of node 0. Its ticks give a batch of them back every three seconds,
 * and nothing else: high is far above.
 */
#define NODE_ZONE                                                                                            \
	"Node %d, zone   Normal\n  pages free     200000\n        min      1000\n        low      4000\n"    \
	"        high     7000\n        spanned  262144\n        present  262144\n        managed  262144\n" \
	"        protection: (0, 0, 0, 0)\n  pagesets\n    cpu: 0\n              count: 0\n"                 \
	"              high:  2000\n              batch: 63\n    cpu: 1\n              count: %d\n"          \
	"              high:  2000\n              batch: 63\n  start_pfn:           %d\n"

Test(replay, a_remote_nodes_list_goes_by_batches)
{
	char trace[] = "/tmp/pageset-trace-XXXXXX", snaps[] = "/tmp/pageset-snaps-XXXXXX";
	struct replay_options opt = { .trace = trace,
				      .snapshots = snaps,
				      .patches = patches_of("guest-6.12"),
				      .patches_given = true };
	FILE *t = fdopen(mkstemp(trace), "w"), *s = fdopen(mkstemp(snaps), "w");
	static const int left[] = { 200, 137, 74, 11, 0 };
	struct replay_report report;
	struct diag d;
	int n, i, page = 0;

	cr_assert(t && s);
	for (n = 0; n < 5; n++) {
		fprintf(s, "### snap=%d label=x file=zoneinfo mono=%d\n", n, 3 * n);
		fprintf(s, NODE_ZONE NODE_ZONE, 0, left[n], 262144, 1, 0, 524288);
		/* what goes before this snapshot: a batch, at last what is left */
		for (i = n ? left[n - 1] - left[n] : 0; i > 0; i--, page++)
			fprintf(t,
				" kworker/1:0-9 [001] d..2. %d.5%05d: mm_page_pcpu_drain: page=0 pfn=0x%x order=0 migratetype=1\n",
				3 * n - 1, page, 262144 + page);
		fprintf(t, " x-1 [000] ..... %d.0: tracing_mark_write: x: snap-begin %d x\n", 3 * n,
			n);
		fprintf(t, " x-1 [000] ..... %d.1: tracing_mark_write: x: snap-end %d x\n", 3 * n,
			n);
	}
	fclose(t);
	fclose(s);
	cr_assert_eq(replay_run(&opt, &report, &d), BASE_ERR_OK, "%s", d.message);
	cr_expect_eq(report.remote.recorded, 4);
	cr_expect_eq(report.remote.same_size, 4);
	cr_expect_eq(report.ticks.recorded, 0);
	cr_expect_eq(report.requests.recorded, 0);
	/* node 0's zone alone has traffic: two lists at four marks */
	cr_expect_eq(report.marks.compared, 8);
	cr_expect_eq(report.marks.equal, 8);
	remove(trace);
	remove(snaps);
}

/* A task on CPU 1 frees a page and then drains all lists: those of CPU 0 first, then its own. */
Test(replay, a_drain_of_all_cpus_is_of_each_ones_list)
{
	char trace[] = "/tmp/pageset-trace-XXXXXX", snaps[] = "/tmp/pageset-snaps-XXXXXX";
	struct replay_options opt = { .trace = trace,
				      .snapshots = snaps,
				      .patches = patches_of("guest-6.1"),
				      .patches_given = true };
	FILE *t = fdopen(mkstemp(trace), "w"), *s = fdopen(mkstemp(snaps), "w");
	struct replay_report report;
	struct diag d;
	int n, i;

	cr_assert(t && s);
	for (n = 0; n < 2; n++) {
		fprintf(s, "### snap=%d label=x file=zoneinfo mono=%d\n", n, n);
		fprintf(s, NODE_ZONE, 0, 0, 262144);
	}
	fputs(" x-1 [000] ..... 1.0: tracing_mark_write: x: snap-begin 0 x\n"
	      " x-1 [000] ..... 1.1: tracing_mark_write: x: snap-end 0 x\n",
	      t);
	for (i = 0; i < 8; i++)
		fprintf(t, " y-2 [00%d] ..... 2.%d: mm_page_free: page=0 pfn=0x%x order=0\n",
			i >= 5, i, 262144 + i);
	for (i = 0; i < 8; i++)
		fprintf(t,
			" y-2 [001] d..1. 2.7%d: mm_page_pcpu_drain: page=0 pfn=0x%x order=0 migratetype=1\n",
			i, 262144 + (i < 5 ? i : 12 - i));
	fputs(" x-1 [000] ..... 3.0: tracing_mark_write: x: snap-begin 1 x\n"
	      " x-1 [000] ..... 3.1: tracing_mark_write: x: snap-end 1 x\n",
	      t);
	fclose(t);
	fclose(s);
	cr_assert_eq(replay_run(&opt, &report, &d), BASE_ERR_OK, "%s", d.message);
	cr_expect_eq(report.requests.recorded, 2);
	cr_expect_eq(report.requests.same_size, 2);
	cr_expect_eq(report.drains.recorded + report.skipped[REPLAY_SKIP_START_STATE], 0);
	cr_expect_eq(report.drains.model_only, 0);
	cr_expect_eq(report.marks.compared, 2);
	cr_expect_eq(report.marks.equal, 2);
	remove(trace);
	remove(snaps);
}

/* one zone, one CPU: what the trace is to be, between two snapshots with these counts */
static void replay_small(const char *patches, int free_pages, int first, int second,
			 const char *events, struct replay_report *report)
{
	char trace[] = "/tmp/pageset-trace-XXXXXX", snaps[] = "/tmp/pageset-snaps-XXXXXX";
	FILE *t = fdopen(mkstemp(trace), "w"), *s = fdopen(mkstemp(snaps), "w");
	struct replay_options opt = { .trace = trace,
				      .snapshots = snaps,
				      .patches = patches_of(patches),
				      .patches_given = true };
	struct diag d;
	int n;

	cr_assert(t && s);
	for (n = 0; n < 2; n++) {
		fprintf(s,
			"### snap=%d label=x file=zoneinfo mono=%d\nNode 0, zone    DMA32\n"
			"  pages free     200000\n        min      1000\n        low      4000\n"
			"        high     7000\n        spanned  262144\n        present  262144\n"
			"        managed  262144\n        protection: (0, 0, 0, 0)\n  pagesets\n    cpu: 0\n"
			"              count: %d\n              high:  2000\n              batch: 63\n"
			"  start_pfn:           0\n",
			n, n, 2 - 2 * n);
		fprintf(s,
			"Node 0, zone   Normal\n  pages free     %d\n        min      1000\n"
			"        low      4000\n        high     7000\n        spanned  262144\n"
			"        present  262144\n        managed  262144\n        protection: (0, 0, 0, 0)\n"
			"  pagesets\n    cpu: 0\n              count: %d\n              high:  4500\n"
			"              batch: 63\n  start_pfn:           262144\n",
			free_pages, n ? second : first);
	}
	fprintf(t,
		" x-1 [000] ..... 1.0: tracing_mark_write: x: snap-begin 0 x\n"
		" x-1 [000] ..... 1.1: tracing_mark_write: x: snap-end 0 x\n%s"
		" x-1 [000] ..... 9.0: tracing_mark_write: x: snap-begin 1 x\n"
		" x-1 [000] ..... 9.1: tracing_mark_write: x: snap-end 1 x\n",
		events);
	fclose(t);
	fclose(s);
	cr_assert_eq(replay_run(&opt, report, &d), BASE_ERR_OK, "%s", d.message);
	remove(trace);
	remove(snaps);
}

/* An interrupt comes while a task holds the pageset's lock after a refill: what it frees goes to the zone. */
Test(replay, a_free_that_interrupts_the_locks_holder_goes_to_the_zone)
{
	char events[16384];
	struct replay_report report;
	size_t len = 0;
	int i;

	for (i = 0; i < 63; i++)
		len += (size_t)snprintf(
			events + len, sizeof(events) - len,
			" y-2 [000] d..3. 2.000%03d: mm_page_alloc_zone_locked: page=0 pfn=0x%x order=0 migratetype=1 percpu_refill=1\n",
			i, 262144 + i);
	for (i = 0; i < 5; i++)
		len += (size_t)snprintf(
			events + len, sizeof(events) - len,
			" y-2 [000] ..s3. 2.0001%02d: mm_page_free: page=0 pfn=0x%x order=0\n", i,
			270000 + i);
	len += (size_t)snprintf(
		events + len, sizeof(events) - len,
		" y-2 [000] ..... 2.000200: mm_page_alloc: page=0 pfn=0x%x order=0 migratetype=1 gfp_flags=0\n",
		262144);
	/* the same interrupt a little later finds the lock free */
	len += (size_t)snprintf(
		events + len, sizeof(events) - len,
		" y-2 [000] ..s.. 2.000300: mm_page_free: page=0 pfn=0x%x order=0\n", 270010);
	replay_small("guest-6.12", 200000, 0, 63, events, &report);
	cr_expect_eq(report.skipped[REPLAY_SKIP_DIRECT], 5);
	cr_expect_eq(report.marks_traced.compared, 1);
	cr_expect_eq(report.marks_traced.equal, 1);
}

/*
 * Normal is below its high mark, so allocations come from DMA32; the walk that leads there finds Normal below, and the
 * next free to Normal gives back a batch.
 */
Test(replay, a_walk_to_a_lower_zone_finds_the_upper_one_below_its_mark)
{
	char events[32768];
	struct replay_report report;
	size_t len = 0;
	int i, n;

	for (i = 0; i < 2; i++) {
		len += (size_t)snprintf(
			events + len, sizeof(events) - len,
			" y-2 [000] ..... %d.0: mm_page_alloc: page=0 pfn=0x%x order=0 migratetype=1 gfp_flags=0\n"
			" y-2 [000] ..... %d.1: mm_page_free: page=0 pfn=0x%x order=0\n",
			2 + i, 1000 + i, 2 + i, 270000 + i);
		/* max(count, high_min) is count: the drain is of a batch, as so little was freed */
		for (n = 0; n < 63; n++)
			len += (size_t)snprintf(
				events + len, sizeof(events) - len,
				" y-2 [000] d..3. %d.11: mm_page_pcpu_drain: page=0 pfn=0x%x order=0 migratetype=1\n",
				2 + i, 262144 + 63 * i + n);
	}
	replay_small("guest-6.12", 5000, 4200, 4200 + 2 - 126, events, &report);
	/* the first drain of a CPU is not judged, the second is foretold */
	cr_expect_eq(report.drains.recorded, 1);
	cr_expect_eq(report.drains.same_size, 1);
	cr_expect_eq(report.marks_traced.compared, 2);
	cr_expect_eq(report.marks_traced.equal, 2);
}

/* a trace with snapshots of two CPUs, of which the second holds so many pages at each */
static void replay_two(const int *counts, int nr, const char *events, struct replay_report *report)
{
	char trace[] = "/tmp/pageset-trace-XXXXXX", snaps[] = "/tmp/pageset-snaps-XXXXXX";
	FILE *t = fdopen(mkstemp(trace), "w"), *s = fdopen(mkstemp(snaps), "w");
	struct replay_options opt = { .trace = trace,
				      .snapshots = snaps,
				      .patches = patches_of("guest-6.12"),
				      .patches_given = true };
	struct diag d;
	int n;

	cr_assert(t && s);
	for (n = 0; n < nr; n++) {
		fprintf(s, "### snap=%d label=x file=zoneinfo mono=%d\n", n, n);
		fprintf(s, NODE_ZONE, 0, counts[n], 262144);
	}
	fputs(events, t);
	fclose(t);
	fclose(s);
	cr_assert_eq(replay_run(&opt, report, &d), BASE_ERR_OK, "%s", d.message);
	remove(trace);
	remove(snaps);
}

#define MARK(time, what) " x-1 [000] ..... " time ": tracing_mark_write: x: snap-" what " x\n"
#define FREE(time, pfn, order) \
	" y-2 [001] ..... " time ": mm_page_free: page=0 pfn=" pfn " order=" order "\n"
#define ALLOC(time, pfn)                                            \
	" y-2 [001] ..... " time ": mm_page_alloc: page=0 pfn=" pfn \
	" order=0 migratetype=0 gfp_flags=0\n"

/* The reader is preempted for 4 ms after it has read, while the other CPU frees: the next mark has all that it freed. */
Test(replay, a_snapshot_is_as_of_its_reading)
{
	static const int counts[] = { 200, 203 };
	struct replay_report report;

	replay_two(counts, 2,
		   MARK("1.000000", "begin 0") FREE("1.001000", "0x41000", "0")
			   FREE("1.001001", "0x41001", "0") FREE("1.001002", "0x41002", "0")
				   MARK("1.004000", "end 0") MARK("2.000000", "begin 1")
					   MARK("2.000050", "end 1"),
		   &report);
	cr_expect_eq(report.marks_traced.compared, 2);
	cr_expect_eq(report.marks_traced.equal, 2);
}

/* While a snapshot is taken a list goes from 200 to 208 pages: it had either count, and none between them. */
Test(replay, a_count_of_no_moment_is_not_equal)
{
	static const int had[] = { 200, 200 }, between[] = { 200, 204 };
	static const char events[] = MARK("1.000000", "begin 0") MARK("1.000050", "end 0")
		MARK("2.000000", "begin 1") FREE("2.000020", "0x41000", "3")
			MARK("2.000050", "end 1");
	struct replay_report report;

	replay_two(had, 2, events, &report);
	cr_expect_eq(report.marks_traced.compared, 2);
	cr_expect_eq(report.marks_traced.equal, 2);
	replay_two(between, 2, events, &report);
	cr_expect_eq(report.marks_traced.compared, 2);
	cr_expect_eq(report.marks_traced.equal, 1);
}

/* An allocation's event comes a little after its page has left the list; long after, the page was there still. */
Test(replay, an_allocation_in_flight_may_have_left_already)
{
	static const int counts[] = { 200, 200 };
	struct replay_report report;

	replay_two(counts, 2,
		   MARK("1.000000", "begin 0") MARK("1.000050", "end 0")
			   FREE("1.500000", "0x41000", "0") MARK("2.000000", "begin 1")
				   MARK("2.000050", "end 1") ALLOC("2.000070", "0x41000"),
		   &report);
	cr_expect_eq(report.marks_traced.compared, 2);
	cr_expect_eq(report.marks_traced.equal, 2);
	replay_two(counts, 2,
		   MARK("1.000000", "begin 0") MARK("1.000050", "end 0")
			   FREE("1.500000", "0x41000", "0") MARK("2.000000", "begin 1")
				   MARK("2.000050", "end 1") ALLOC("2.000370", "0x41000"),
		   &report);
	cr_expect_eq(report.marks_traced.compared, 2);
	cr_expect_eq(report.marks_traced.equal, 1);
}

/* A mark's count lacks three pages; two that were freed behind it and left without an event are others. */
Test(replay, what_came_after_a_mark_left_after_it)
{
	static const int counts[] = { 200, 197, 197 };
	struct replay_report report;

	replay_two(counts, 3,
		   MARK("1.000000", "begin 0") MARK("1.000050", "end 0") FREE(
			   "1.500000", "0x41100", "0") FREE("1.500001", "0x41101",
							    "0") ALLOC("1.600000", "0x41101")
			   ALLOC("1.600001", "0x41100") MARK("2.000000", "begin 1") MARK(
				   "2.000050", "end 1") FREE("2.500000", "0x41000", "0")
				   FREE("2.500001", "0x41001", "0") FREE("2.500002", "0x41002", "0")
					   ALLOC("2.600000", "0x41000") MARK("3.000000", "begin 2")
						   MARK("3.000050", "end 2"),
		   &report);
	cr_expect_eq(report.marks_traced.compared, 4);
	cr_expect_eq(report.marks_traced.equal, 3);
}

/* A list was refilled without an event, as pages that nobody put there come out of it: at a mark it holds the rest. */
Test(replay, a_refill_without_an_event_lasts_over_a_mark)
{
	static const int counts[] = { 0, 125, 123 };
	struct replay_report report;
	char events[32768];
	size_t len = 0;
	int i;

	len += (size_t)snprintf(events, sizeof(events), "%s",
				MARK("1.000000", "begin 0") MARK("1.000050", "end 0"));
	for (i = 0; i < 63; i++)
		len += (size_t)snprintf(
			events + len, sizeof(events) - len,
			" y-2 [001] d..3. 1.1000%02d: mm_page_alloc_zone_locked: page=0 pfn=0x%x order=0 migratetype=0 percpu_refill=1\n",
			i, 262144 + i);
	for (i = 0; i < 63; i++)
		len += (size_t)snprintf(
			events + len, sizeof(events) - len,
			" y-2 [001] ..... 1.2000%02d: mm_page_alloc: page=0 pfn=0x%x order=0 migratetype=0 gfp_flags=0\n",
			i, 262144 + i);
	snprintf(events + len, sizeof(events) - len, "%s",
		 ALLOC("1.300000", "0x41000") MARK("2.000000", "begin 1") MARK("2.000050", "end 1")
			 ALLOC("2.500000", "0x41001") ALLOC("2.500001", "0x41002")
				 MARK("3.000000", "begin 2") MARK("3.000050", "end 2"));
	replay_two(counts, 3, events, &report);
	cr_expect_eq(report.marks_traced.compared, 4);
	cr_expect_eq(report.marks_traced.equal, 4);
}

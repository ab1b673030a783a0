/* SPDX-License-Identifier: GPL-2.0-only */
/* Measurements of recorded traces: events a second of a replay (both of its runs), and of an import. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "bench.h"
#include "core/patch.h"
#include "kernel/trace_ops.h"

enum { PAGES = 4096, ROUNDS = 24, BATCH = 63, FOLIOS = 15, FIRST_PFN = 0x10000 };
enum { REPLAY, IMPORT };

/* A trace and a zoneinfo in files without names. */
struct traces {
	FILE *trace, *zoneinfo;
	char trace_path[64], zoneinfo_path[64];
	uint64_t events;
};

static struct traces shared;
static int users;

static const char zoneinfo_text[] =
	"Node 0, zone   Normal\n  pages free     200000\n        min      1000\n"
	"        low      40000\n        high     50000\n        spanned  524288\n"
	"        present  524288\n        managed  524288\n        protection: (0, 0, 0, 0)\n"
	"  pagesets\n    cpu: 0\n              count: 0\n              high:  9000\n"
	"              batch: 63\n  start_pfn:           65536\n";

static void event(struct traces *t, const char *flags, const char *name, int page, const char *rest)
{
	fprintf(t->trace,
		"         pcpwork-208     [000] %s  %4llu.%06llu: %s: page=00000000de7825cb pfn=0x%x order=0%s\n",
		flags, (unsigned long long)(t->events / 1000000),
		(unsigned long long)(t->events % 1000000), name, FIRST_PFN + page, rest);
	t->events++;
}

/* Faults and unmaps 16 MiB again and again, as a 6.1 kernel prints it: refills of a batch, folio batches. */
static void write_trace(struct traces *t)
{
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < PAGES; i++) {
			if (round == 0 && i % BATCH == 0) {
				for (int k = i; k < i + BATCH; k++)
					event(t, "d..3.", "mm_page_alloc_zone_locked", k,
					      " migratetype=1 percpu_refill=1");
			}
			event(t, ".....", "mm_page_alloc", round == 0 ? i : PAGES - 1 - i,
			      " migratetype=1 gfp_flags=GFP_HIGHUSER_MOVABLE|__GFP_COMP|__GFP_ZERO");
		}
		/* the page that was freed last is the next one given out */
		for (int i = 0; i < PAGES; i += FOLIOS) {
			for (int k = i; k < i + FOLIOS && k < PAGES; k++)
				event(t, ".....", "mm_page_free", k, "");
			for (int k = i; k < i + FOLIOS && k < PAGES; k++)
				event(t, "...1.", "mm_page_free_batched", k, "");
		}
	}
}

static bool open_traces(struct traces *t)
{
	t->trace = tmpfile();
	t->zoneinfo = tmpfile();
	if (!t->trace || !t->zoneinfo)
		return false;
	write_trace(t);
	fputs(zoneinfo_text, t->zoneinfo);
	if (fflush(t->trace) || fflush(t->zoneinfo))
		return false;
	snprintf(t->trace_path, sizeof(t->trace_path), "/proc/self/fd/%d", fileno(t->trace));
	snprintf(t->zoneinfo_path, sizeof(t->zoneinfo_path), "/proc/self/fd/%d",
		 fileno(t->zoneinfo));
	return true;
}

static bool pass(void *ctx, const struct op *op, uint64_t line, int outcome)
{
	uint64_t *n = ctx;

	(void)op;
	(void)line;
	(void)outcome;
	(*n)++;
	return true;
}

static double run_traces(const struct bench *b, void **state)
{
	u32 patches = PATCH_BIT(P_SCALE_CAP) | PATCH_BIT(P_SERIES_V3);
	struct replay_options opt = { .trace = shared.trace_path,
				      .zoneinfo = shared.zoneinfo_path,
				      .patches = patches,
				      .patches_given = true };
	struct trace_ops_source source = { .trace = shared.trace_path,
					   .zoneinfo = shared.zoneinfo_path,
					   .patches = patches,
					   .patches_given = true };
	struct trace_ops_report ops;
	struct replay_report report;
	enum base_err err;
	uint64_t n = 0;
	struct diag d;
	double t;

	if (!*state) {
		if (users++ == 0 && !open_traces(&shared))
			return -1;
		*state = &shared;
	}
	if (!shared.events)
		return -1;
	t = bench_now_ns();
	if (b->arg == REPLAY)
		err = replay_run(&opt, &report, &d);
	else
		err = trace_ops_run(&source, pass, &n, &ops, &d);
	t = bench_now_ns() - t;
	return err ? -1 : t / (double)shared.events;
}

static void end_traces(void *state)
{
	(void)state;
	if (--users > 0)
		return;
	if (shared.trace)
		fclose(shared.trace);
	if (shared.zoneinfo)
		fclose(shared.zoneinfo);
	shared = (struct traces){ 0 };
}

const struct bench bench_replay[] = {
	{ .key = "replay_mevents",
	  .help = "replay: events of a trace, one step ahead and free",
	  .unit = BENCH_MOPS,
	  .limit = 1,
	  .arg = REPLAY,
	  .run = run_traces,
	  .end = end_traces },
	{ .key = "import_mevents",
	  .help = "import trace: events, read twice for the operations",
	  .unit = BENCH_MOPS,
	  .limit = 1,
	  .arg = IMPORT,
	  .run = run_traces,
	  .end = end_traces },
	{ .key = NULL },
};

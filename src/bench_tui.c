/* SPDX-License-Identifier: GPL-2.0-only */
/* Measurements of the screen: a key to its finished frame, and the first frame. */
#include <stdlib.h>

#include "bench.h"
#include "core/machine.h"
#include "tui/ui.h"

enum { FRAMES = 120, CPUS = 224, COLS = 200, ROWS = 60 };

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Both figures of one run at 224 CPUs on two nodes, 200x60, with the what-if strip at work. */
static bool measure(double *median_ms, double *first_ms)
{
	u64 ns[FRAMES], first;
	struct machine m;
	struct sim_error err;
	bool ok;

	machine_init(&m);
	m.cpus = CPUS;
	m.nodes = 2;
	m.memory = (s64)64 << 30;
	ok = machine_finish(&m, &err) == SIM_OK && ui_bench(&m, 0, COLS, ROWS, FRAMES, ns, &first);
	machine_free(&m);
	if (!ok)
		return false;
	qsort(ns, FRAMES, sizeof(ns[0]), by_value);
	*median_ms = (double)ns[FRAMES / 2] / 1e6;
	*first_ms = (double)first / 1e6;
	return true;
}

static double run(const struct bench *b, void **state)
{
	double median, first;

	(void)state;
	if (!measure(&median, &first))
		return -1;
	return b->arg ? first : median;
}

const struct bench bench_tui[] = {
	{ .key = "frame_ms_median",
	  .help = "a key to its finished frame: 224 CPUs, 200x60, what-if strip on",
	  .unit = BENCH_MS,
	  .limit = 16,
	  .run = run,
	  .rounds_max = 3 },
	{ .key = "first_frame_ms",
	  .help = "opening the same machine to its first frame",
	  .unit = BENCH_MS,
	  .limit = 100,
	  .arg = 1,
	  .run = run,
	  .rounds_max = 3 },
	{ .key = NULL },
};

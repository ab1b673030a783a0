/* SPDX-License-Identifier: GPL-2.0-only */
/* Measurements of the timeline: 10 million mixed operations on 8 GiB with 8 CPUs, then seeks in them. */
#include <stdint.h>
#include <stdlib.h>

#include "base/diag.h"
#include "bench.h"
#include "core/timeline.h"

enum { HISTORY_OPS = 10000000, LIVE_MAX = 60000, TRIES = 1000 };
enum { APPEND_NS, STEP_BACK_MEDIAN, STEP_BACK_WORST, GOTO_MEDIAN, TIMELINE_MB };

/* One history for all rows. */
struct history {
	struct timeline *tl;
	int users;
	u64 rng;
	double append_ns, goto_ms[TRIES], back_ms[TRIES];
	bool sought;
};

static struct history *shared;

/* splitmix64 */
static u64 next_random(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* The loop "mixed" of cmd_bench's other table, through the log. */
static void fill(struct history *h)
{
	u32 *live = base_alloc(LIVE_MAX, sizeof(*live)), nr = 0;
	double t = bench_now_ns();
	struct sim_error err;

	h->rng = 7;
	for (u64 i = 0; tl_length(h->tl) < HISTORY_OPS; i++) {
		u64 x = next_random(&h->rng);
		u32 r = (u32)(x >> 1) & 31;
		struct op op = { .cpu = (u16)(i & 7), .count = 1 };
		enum sim_err ret = SIM_OK;

		if ((x & 1) ? nr < LIVE_MAX : nr < 8) {
			op.kind = OP_ALLOC;
			op.order = r < 26	? 0 :
				   r < 28	? 1 :
				   r < 30	? 2 :
				   r == 30	? 3 :
				   (x >> 6 & 1) ? 0 :
						  9;
			op.type = (x >> 8 & 7) < 6 ? MIGRATE_MOVABLE : MIGRATE_UNMOVABLE;
			ret = tl_append(h->tl, &op, &live[nr++], NULL, &err);
		} else if (nr) {
			u32 k = (u32)((x >> 16) % nr);

			op.kind = OP_FREE;
			op.slot = live[k];
			live[k] = live[--nr];
			ret = tl_append(h->tl, &op, NULL, NULL, &err);
		}
		BASE_CHECK(ret == SIM_OK, "%s", err.message);
	}
	h->append_ns = (bench_now_ns() - t) / HISTORY_OPS;
	free(live);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* To a place at random, and from there one step back. */
static void seek_around(struct history *h)
{
	struct sim_error err;

	for (int i = 0; i < TRIES; i++) {
		u64 op = 1 + next_random(&h->rng) % HISTORY_OPS;
		double t = bench_now_ns();
		enum sim_err ret = tl_seek(h->tl, op, 0, &err);

		BASE_CHECK(ret == SIM_OK, "%s", err.message);
		h->goto_ms[i] = (bench_now_ns() - t) / 1e6;
		t = bench_now_ns();
		tl_step_prev(h->tl);
		h->back_ms[i] = (bench_now_ns() - t) / 1e6;
	}
	qsort(h->goto_ms, TRIES, sizeof(double), by_value);
	qsort(h->back_ms, TRIES, sizeof(double), by_value);
	h->sought = true;
}

static struct history *history(void)
{
	struct sim_error err;
	struct machine m;
	enum sim_err ret;

	if (shared)
		return shared;
	shared = base_alloc(1, sizeof(*shared));
	machine_init(&m);
	m.cpus = 8;
	m.memory = 8ll << 30;
	m.first_pfn = 262144;
	m.data_cache = 1 << 20;
	ret = machine_finish(&m, &err);
	if (!ret)
		ret = tl_create(&m, patch_level(SERIES_V2, 10), TL_BOUND_DEFAULT, true, &shared->tl,
				&err);
	BASE_CHECK(ret == SIM_OK, "%s", err.message);
	machine_free(&m);
	sim_set_checking(tl_sim(shared->tl), false);
	fill(shared);
	return shared;
}

static double run_timeline(const struct bench *b, void **state)
{
	struct history *h = history();

	if (!*state) {
		*state = h;
		h->users++;
	}
	if (b->arg != APPEND_NS && !h->sought)
		seek_around(h);
	switch (b->arg) {
	case APPEND_NS:
		return h->append_ns;
	case STEP_BACK_MEDIAN:
		return h->back_ms[TRIES / 2];
	case STEP_BACK_WORST:
		return h->back_ms[TRIES - 1];
	case GOTO_MEDIAN:
		return h->goto_ms[TRIES / 2];
	default:
		return (double)tl_bytes(h->tl) / (1 << 20);
	}
}

static void end_timeline(void *state)
{
	struct history *h = state;

	if (--h->users)
		return;
	tl_destroy(h->tl);
	free(h);
	shared = NULL;
}

const struct bench bench_timeline[] = {
	{ "append_ns", "an operation of the mixed loop, kept in the history", BENCH_NS, 0,
	  APPEND_NS, run_timeline, end_timeline, 1 },
	{ "step_back_ms_median", "one step back, 10 M operations on 8 GiB", BENCH_MS, 8,
	  STEP_BACK_MEDIAN, run_timeline, end_timeline, 1 },
	{ "step_back_ms_worst", "the worst of 1000", BENCH_MS, 50, STEP_BACK_WORST, run_timeline,
	  end_timeline, 1 },
	{ "goto_ms_median", "to any operation", BENCH_MS, 30, GOTO_MEDIAN, run_timeline,
	  end_timeline, 1 },
	{ "timeline_mb", "what the history takes then", BENCH_MB, 256, TIMELINE_MB, run_timeline,
	  end_timeline, 1 },
	{ NULL, NULL, 0, 0, 0, NULL, NULL, 0 },
};

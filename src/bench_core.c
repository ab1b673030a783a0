/* SPDX-License-Identifier: GPL-2.0-only */
/* Measurements of the allocator state machine: the loops that the kernel's own code was measured with, creation. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "bench.h"
#include "core/sim.h"

enum { LEVEL_0, LEVEL_10, LEVEL_V3L9 };
enum {
	FAULT_PAGES = 32768,
	PAIRS = 5000,
	MIXED_OPS = 4000000,
	MIXED_PARTS = 200,
	LIVE_MAX = 60000
};

static struct sim *create(const struct machine *m, int level)
{
	u32 set = level == LEVEL_V3L9 ? patch_level(SERIES_V3, 9) :
					patch_level(SERIES_V2, level == LEVEL_10 ? 10 : 0);
	struct sim_error err;
	struct sim *sim;
	enum sim_err ret = sim_create(m, set, &sim, &err);

	BASE_CHECK(ret == SIM_OK, "%s", err.message);
	sim_set_checking(sim, false);
	return sim;
}

/* @nodes nodes with @pages and @cpus each. */
static void make_machine(struct machine *m, u32 nodes, u64 pages, u32 cpus)
{
	struct sim_error err;
	enum sim_err ret = SIM_OK;

	machine_init(m);
	for (u32 n = 0; n < nodes; n++)
		ret |= machine_add_zone(m, n, ZONE_NORMAL, n ? MACHINE_PFN_AUTO : 262144, pages,
					&err);
	for (u32 cpu = 0; cpu < nodes * cpus; cpu++)
		ret |= machine_add_cpu(m, cpu / cpus, &err);
	m->nodes = nodes;
	m->data_cache = 1 << 20;
	ret |= machine_finish(m, &err);
	BASE_CHECK(ret == SIM_OK, "%s", err.message);
}

/* The machine of bench/README.md: 8 GiB, 8 CPUs. */
static struct sim *loop_machine(int level)
{
	struct machine m;
	struct sim *sim;

	make_machine(&m, 1, 2097152, 8);
	sim = create(&m, level);
	machine_free(&m);
	return sim;
}

static void end_sim(void *state)
{
	sim_destroy(state);
}

static double run_pair(const struct bench *b, void **state)
{
	struct sim *sim = *state = *state ? *state : loop_machine(b->arg);
	double best = -1;

	/* Short runs, the best of them: an interruption costs one. */
	for (int part = 0; part < 40; part++) {
		double t = bench_now_ns(), ns;

		for (int i = 0; i < PAIRS; i++)
			sim_free(sim, 0, sim_alloc(sim, 0, 0, MIGRATE_MOVABLE));
		ns = (bench_now_ns() - t) / PAIRS;
		best = best < 0 || ns < best ? ns : best;
	}
	return best;
}

/* All pages faulted in, then freed one by one in the same order. */
static double fault_lap(struct sim *sim)
{
	static u32 slots[FAULT_PAGES];
	double t = bench_now_ns();

	for (int i = 0; i < FAULT_PAGES; i++)
		slots[i] = sim_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	for (int i = 0; i < FAULT_PAGES; i++)
		sim_free(sim, 0, slots[i]);
	return (bench_now_ns() - t) / (2 * FAULT_PAGES);
}

static double run_fault(const struct bench *b, void **state)
{
	struct sim *sim = *state = *state ? *state : loop_machine(b->arg);
	double best = -1;

	for (int lap = 0; lap < 10; lap++) {
		double ns = fault_lap(sim);

		best = best < 0 || ns < best ? ns : best;
	}
	return best;
}

/* splitmix64 */
static u64 next_random(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static u32 mixed_order(u64 x)
{
	u32 r = (u32)(x >> 1) & 31;

	if (r < 26 || (r == 31 && (x >> 6 & 1)))
		return 0;
	return r < 28 ? 1 : r < 30 ? 2 : r == 30 ? 3 : PAGEBLOCK_ORDER;
}

struct mixed {
	struct sim *sim;
	double part_ns[MIXED_PARTS]; /* the best of each part of the loop over the rounds */
	u32 live[LIVE_MAX];
};

/* Iterations @from to @to; ns an executed operation. */
static double mixed_part(struct mixed *mixed, u64 *rng, u32 *nr_live, int from, int to)
{
	struct sim *sim = mixed->sim;
	u32 *live = mixed->live, nr = *nr_live;
	double t = bench_now_ns();
	int ops = 0;

	for (int i = from; i < to; i++) {
		u64 x = next_random(rng);
		u32 cpu = (u32)i & 7;

		if (x & 1 ? nr < LIVE_MAX : nr < 8) {
			u32 type = (x >> 8 & 7) < 6 ? MIGRATE_MOVABLE : MIGRATE_UNMOVABLE;

			live[nr++] = sim_alloc(sim, cpu, mixed_order(x), type);
			ops++;
		} else if (nr) {
			u32 k = (u32)((x >> 16) % nr);

			sim_free(sim, cpu, live[k]);
			live[k] = live[--nr];
			ops++;
		}
	}
	*nr_live = nr;
	return (bench_now_ns() - t) / ops;
}

static double run_mixed(const struct bench *b, void **state)
{
	struct mixed *mixed = *state;
	u32 nr_live = 0;
	u64 rng = 7;
	double sum = 0;

	if (!mixed) {
		mixed = *state = base_alloc(1, sizeof(*mixed));
		mixed->sim = loop_machine(b->arg);
	}
	for (int part = 0; part < MIXED_PARTS; part++) {
		int from = MIXED_OPS / MIXED_PARTS * part;
		double ns = mixed_part(mixed, &rng, &nr_live, from, from + MIXED_OPS / MIXED_PARTS);
		double *best = &mixed->part_ns[part];

		*best = *best > 0 && *best < ns ? *best : ns;
		sum += *best;
	}
	while (nr_live)
		sim_free(mixed->sim, 0, mixed->live[--nr_live]);
	return sum / MIXED_PARTS;
}

static void end_mixed(void *state)
{
	struct mixed *mixed = state;

	sim_destroy(mixed->sim);
	free(mixed);
}

/* A log of steps: a word with number and operand count, then the operands. */
struct step_log {
	struct sim *sim;
	u64 words[1 << 20];
	size_t at;
};

static void store_step(void *ctx, struct sim *sim, const struct step *step)
{
	struct step_log *log = ctx;
	u64 *to;

	(void)sim;
	if (log->at + 1 + STEP_ARGS_MAX > ARRAY_SIZE(log->words))
		log->at = 0;
	to = &log->words[log->at];
	*to++ = step->id | (u64)step->nr_args << 16 | (u64)step->line << 32;
	for (u32 i = 0; i < step->nr_args; i++)
		*to++ = (u64)step->args[i];
	log->at += 1 + step->nr_args;
}

static double run_step_log(const struct bench *b, void **state)
{
	struct step_log *log = *state;
	double best = -1;

	if (!log) {
		log = *state = base_alloc(1, sizeof(*log));
		log->sim = loop_machine(b->arg);
		sim_set_observer(log->sim, store_step, log);
	}
	for (int lap = 0; lap < 4; lap++) {
		double ns = fault_lap(log->sim);

		best = best < 0 || ns < best ? ns : best;
	}
	return best;
}

static void end_step_log(void *state)
{
	struct step_log *log = state;

	sim_destroy(log->sim);
	free(log);
}

/* Resident memory in bytes; negative if /proc does not say. */
static double resident_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = -1;

	if (f && fscanf(f, "%*s %ld", &pages) != 1)
		pages = -1;
	if (f)
		fclose(f);
	return pages < 0 ? -1 : (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static double run_create(const struct bench *b, void **state)
{
	double before, bytes, t, ms;
	struct machine m;
	struct sim *sim;

	(void)state;
	if (b->arg > 0)
		make_machine(&m, 2, (u64)256 << 18, 112);
	else
		make_machine(&m, 1, (u64)8 << 18, 8);
	before = resident_bytes();
	t = bench_now_ns();
	sim = create(&m, LEVEL_10);
	ms = (bench_now_ns() - t) / 1e6;
	bytes = resident_bytes();
	sim_destroy(sim);
	machine_free(&m);
	if (b->unit == BENCH_MS)
		return ms;
	return before < 0 || bytes < 0 ? -1 : (bytes - before) / 1e6;
}

const struct bench bench_core[] = {
	{ "pair_l0_y1", "order-0 alloc + free pair, level 0", BENCH_Y1, 2.6, LEVEL_0, run_pair,
	  end_sim, 0 },
	{ "pair_l10_y1", "the same, level 10", BENCH_Y1, 3.0, LEVEL_10, run_pair, end_sim, 0 },
	{ "pair_v3l9_y1", "the same, V3 level 9", BENCH_Y1, 3.0, LEVEL_V3L9, run_pair, end_sim, 0 },
	{ "fault_l0_y1", "32768 allocs, then 32768 frees, level 0", BENCH_Y1, 2.7, LEVEL_0,
	  run_fault, end_sim, 0 },
	{ "fault_l10_y1", "the same, level 10", BENCH_Y1, 1.7, LEVEL_10, run_fault, end_sim, 0 },
	{ "fault_v3l9_y1", "the same, V3 level 9", BENCH_Y1, 1.7, LEVEL_V3L9, run_fault, end_sim,
	  0 },
	{ "mixed_l0_y1", "mixed orders and CPUs, level 0", BENCH_Y1, 8.8, LEVEL_0, run_mixed,
	  end_mixed, 8 },
	{ "mixed_l10_y1", "the same, level 10", BENCH_Y1, 4.9, LEVEL_10, run_mixed, end_mixed, 8 },
	{ "mixed_v3l9_y1", "the same, V3 level 9", BENCH_Y1, 4.9, LEVEL_V3L9, run_mixed, end_mixed,
	  8 },
	{ "step_log_mops", "the fault loop, level 10, all steps stored", BENCH_MOPS, 10, LEVEL_10,
	  run_step_log, end_step_log, 0 },
	{ "create_big_ms", "create 2 nodes x 256 GiB, 224 CPUs", BENCH_MS, 1000, 1, run_create,
	  NULL, 3 },
	{ "create_big_mb", "its memory", BENCH_MB, 700, 1, run_create, NULL, 1 },
	{ "create_small_ms", "create 8 GiB, 8 CPUs", BENCH_MS, 50, 0, run_create, NULL, 3 },
	{ "create_small_mb", "its memory", BENCH_MB, 80, 0, run_create, NULL, 1 },
	{ NULL, NULL, 0, 0, 0, NULL, NULL, 0 },
};

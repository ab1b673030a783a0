/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset bench: how fast, in ratios to a yardstick of the same run. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/progress.h"
#include "bench.h"
#include "verb.h"

static const struct bench *const bench_tables[] = { bench_core, bench_timeline, bench_lua,
						    bench_tui,	bench_replay,	NULL };

enum { BENCH_MAX = 128, Y_PAIRS = 20000, Y_NODES = 32768 };

struct bench_opts {
	uint64_t rounds;
	const char *only;
};

static const struct bench_opts bench_defaults = { .rounds = 12 };

static const struct opt bench_options[] = {
	{ .name = "rounds",
	  .letter = 'n',
	  .type = OPT_UINT,
	  .offset = offsetof(struct bench_opts, rounds),
	  .value = "N",
	  .help = "rounds over all measurements; the best of each counts",
	  .min = 1,
	  .max = 1000 },
	{ .name = "only",
	  .type = OPT_STRING,
	  .offset = offsetof(struct bench_opts, only),
	  .value = "PREFIX",
	  .help = "only the measurements whose key begins so" },
	{ .name = NULL },
};

struct node {
	struct node *next, *prev;
	char pad[48];
};

struct results {
	double y1_ns, y2_ns;
	const struct bench *rows[BENCH_MAX];
	void *states[BENCH_MAX];
	double best[BENCH_MAX]; /* as run returned it; negative: none */
	size_t nr;
	struct node *nodes;
};

double bench_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void keep_best(double *best, double value)
{
	if (value >= 0 && (*best < 0 || value < *best))
		*best = value;
}

static void insert(struct node *head, struct node *n)
{
	n->next = head->next;
	n->prev = head;
	head->next->prev = n;
	head->next = n;
}

static struct node *take(struct node *head)
{
	struct node *n = head->next;

	head->next = n->next;
	n->next->prev = head;
	return n;
}

/* Y1: one malloc(64) and one free. Y2: 64-byte nodes from list to list and back. */
static void yardstick(struct results *r)
{
	struct node a, b;
	double t;

	for (int part = 0; part < 10; part++) {
		t = bench_now_ns();
		for (int i = 0; i < Y_PAIRS; i++) {
			void *volatile p = malloc(64);

			free(p);
		}
		keep_best(&r->y1_ns, (bench_now_ns() - t) / Y_PAIRS);
	}
	a.next = a.prev = &a;
	b.next = b.prev = &b;
	for (int i = 0; i < Y_NODES; i++)
		insert(&a, &r->nodes[i]);
	t = bench_now_ns();
	for (int i = 0; i < Y_NODES; i++)
		insert(&b, take(&a));
	for (int i = 0; i < Y_NODES; i++)
		insert(&a, take(&b));
	keep_best(&r->y2_ns, (bench_now_ns() - t) / (2 * Y_NODES));
}

static void select_rows(struct results *r, const char *only)
{
	for (size_t t = 0; bench_tables[t]; t++) {
		for (const struct bench *b = bench_tables[t]; b->key; b++) {
			if (only && strncmp(b->key, only, strlen(only)) != 0)
				continue;
			BASE_CHECK(r->nr < BENCH_MAX, "%zu measurements", r->nr);
			r->best[r->nr] = -1;
			r->rows[r->nr++] = b;
		}
	}
}

static void measure(struct results *r, uint64_t rounds)
{
	struct base_progress progress;

	base_progress_begin(&progress, "bench");
	for (uint64_t round = 0; round < rounds; round++) {
		for (size_t i = 0; i < r->nr; i++) {
			const struct bench *b = r->rows[i];

			if (b->rounds_max && round >= (uint64_t)b->rounds_max)
				continue;
			yardstick(r);
			keep_best(&r->best[i], b->run(b, &r->states[i]));
		}
		base_progress_update(&progress, round + 1, rounds);
	}
	base_progress_end(&progress);
	for (size_t i = 0; i < r->nr; i++) {
		if (r->rows[i]->end && r->states[i])
			r->rows[i]->end(r->states[i]);
	}
}

/* The value as it is shown; negative: could not be measured. */
static double shown(const struct results *r, size_t i)
{
	double best = r->best[i];

	if (best < 0)
		return -1;
	switch (r->rows[i]->unit) {
	case BENCH_Y1:
		return best / r->y1_ns;
	case BENCH_MOPS:
		return 1e3 / best;
	case BENCH_K:
		return 1e6 / best;
	default:
		return best;
	}
}

static double rounded(double v)
{
	return (double)(int64_t)(v * 1000 + 0.5) / 1000;
}

static int print_json(const struct results *r)
{
	struct base_json j;

	base_json_to_file(&j, stdout, true);
	base_json_object(&j);
	base_json_kv_double(&j, "y1_ns", rounded(r->y1_ns));
	base_json_kv_double(&j, "y2_ns", rounded(r->y2_ns));
	for (size_t i = 0; i < r->nr; i++) {
		double v = shown(r, i);

		base_json_key(&j, r->rows[i]->key);
		if (v < 0)
			base_json_null(&j);
		else
			base_json_double(&j, rounded(v));
	}
	base_json_close(&j);
	return base_json_end(&j) == BASE_ERR_OK ? 0 : 2;
}

static void print_table(const struct results *r)
{
	static const char *const units[] = {
		[BENCH_NS] = "ns", [BENCH_Y1] = "Y1", [BENCH_MOPS] = "M/s",
		[BENCH_K] = "k/s", [BENCH_MS] = "ms", [BENCH_MB] = "MB"
	};

	printf("%-20s %9.2f ns            malloc(64) + free\n", "y1_ns", r->y1_ns);
	printf("%-20s %9.2f ns            list move of 64-byte nodes\n", "y2_ns", r->y2_ns);
	for (size_t i = 0; i < r->nr; i++) {
		const struct bench *b = r->rows[i];
		char limit[32] = "";
		double v = shown(r, i);

		if (b->limit > 0)
			snprintf(limit, sizeof(limit), "%s %g",
				 b->unit == BENCH_MOPS || b->unit == BENCH_K ? ">=" : "<=",
				 b->limit);
		if (v < 0)
			printf("%-20s %9s %-4s%-10s%s\n", b->key, "-", units[b->unit], limit,
			       b->help);
		else
			printf("%-20s %9.2f %-4s%-10s%s\n", b->key, v, units[b->unit], limit,
			       b->help);
	}
}

static int run(const struct call *call)
{
	const struct bench_opts *o = call->opts;
	struct results *r = base_alloc(1, sizeof(*r));
	int status = 0;

	r->y1_ns = r->y2_ns = -1;
	select_rows(r, o->only);
	if (r->nr == 0) {
		free(r);
		return call_usage(call, "pageset bench lists all keys",
				  "no measurement's key begins with '%s'", o->only);
	}
	r->nodes = base_alloc(Y_NODES, sizeof(*r->nodes));
	measure(r, o->rounds);
	if (call->common->json)
		status = print_json(r);
	else
		print_table(r);
	free(r->nodes);
	free(r);
	return status;
}

const struct verb verb_bench = {
	.name = "bench",
	.args = "",
	.help = "how fast the model is, beside a yardstick",
	.about =
		"Y1 is one malloc(64) and one free, measured in the same run between all the others.\n"
		"Figures in Y1 travel from machine to machine better than times do.\n",
	.options = bench_options,
	.defaults = &bench_defaults,
	.opts_size = sizeof(bench_defaults),
	.common = COMMON_BIT(JSON),
	.run = run,
};

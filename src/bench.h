/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measurements of `pageset bench`: each is a row of a table that makes a line of the output and a key of the JSON
 * object. cmd_bench.c runs all rows in turn, round after round with the yardstick in between, and keeps the best of
 * each, so that a busy machine harms all alike. To add some: write a table in a file of your own, declare it here, and
 * name it in bench_tables of cmd_bench.c.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>

enum bench_unit {
	BENCH_NS,   /* run returns ns an operation; less is better */
	BENCH_Y1,   /* run returns ns an operation; shown as a ratio to Y1 */
	BENCH_MOPS, /* run returns ns an operation; shown as million operations a second */
	BENCH_K,    /* run returns ns; shown as thousands a second */
	BENCH_MS,   /* run returns ms; less is better */
	BENCH_MB,   /* run returns MB of resident memory; less is better */
};

struct bench {
	const char *key;  /* in the JSON object; never renamed */
	const char *help; /* for the table */
	enum bench_unit unit;
	double limit; /* of the issue or DESIGN.md 8, 0: none; shown, never judged */
	int arg;      /* for run */
	/* One round. *state: NULL at first, what run keeps from round to round. Negative: it cannot be measured here. */
	double (*run)(const struct bench *b, void **state);
	void (*end)(void *state); /* frees the state; NULL: nothing to free */
	int rounds_max;		  /* 0: as many as asked for */
};

/* A table ends with a NULL key. */
extern const struct bench bench_replay[];
extern const struct bench bench_core[], bench_tui[];
extern const struct bench bench_timeline[];
extern const struct bench bench_lua[];

double bench_now_ns(void);

#endif

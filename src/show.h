/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences and tables that several headless commands print. */
#ifndef SHOW_H
#define SHOW_H

#include <stdio.h>

#include "core/sim.h"

enum { SHOW_TEXT_MAX = 160 };

/* "cpu0 allocates 500 blocks of order 0, movable". Returns buf of SHOW_TEXT_MAX bytes. */
char *show_op(const struct sim *sim, const struct op *op, char *buf);
/* "got 500 of 500", "failed", "refused", "done". The same buffer size. */
char *show_result(const struct op *op, const struct op_result *result, char *buf);

/* The CPU that acts in an operation: the one it names, or the lowest online one. */
u32 show_acting_cpu(const struct sim *sim, const struct op *op);

/* "v2 patches 1-7,10" with "(constructed)" where no kernel ever had the set. */
char *show_set(u32 set, char *buf);

/* One line about the machine: CPUs, zones, memory. */
void show_machine(FILE *out, const struct sim *sim);

/* What happened between two readings of the counters: "2 refills (126 pages), free_high". "" if nothing. */
char *show_events(const struct zone_stats *before, const struct zone_stats *after, char *buf);

/* Words of a text between two columns, each line begun by `indent` spaces; the first begins with `lead`. */
void show_wrapped(FILE *out, int indent, const char *lead, const char *text);

/* Steps of an operation, indented by the function that they belong to. Clear before each operation. */
struct show_trace {
	struct step_stack stack;
	u64 steps;
};
void show_step(FILE *out, struct show_trace *t, const struct sim *sim, const struct step *step);

#endif

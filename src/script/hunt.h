/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hunting: the shortest sequence of operations at which two patch sets differ in an
 * expression, or at which a claim fails. Random sequences, short ones first; what is
 * found is made smaller until nothing can be left out. Deterministic for a seed.
 */
#ifndef PAGESET_SCRIPT_HUNT_H
#define PAGESET_SCRIPT_HUNT_H

#include "core/machine.h"
#include "expr.h"

struct script_hunt {
	const struct machine *machine; /* finished */
	const char *expr;
	u32 sets[2];
	u32 nr_sets; /* 2: they differ; 1: the claim fails */
	u64 seed;
	u64 tries;	  /* sequences to try in all; 0: the default */
	u32 ops_max;	  /* of a sequence; 0: the default, 40 */
	const char *name; /* of the scenario; NULL: smallest-difference */
	/* Called now and then; true stops the hunt. May be NULL. */
	bool (*progress)(void *ctx, u64 tried, u64 tries);
	void *ctx;
};

struct script_hunt_result {
	bool found;
	u32 nr_ops;
	u64 tried;
	char values[2][SCRIPT_VALUE_TEXT];
	char *yaml; /* malloc'ed: the scenario; NULL if nothing was found */
};

enum { SCRIPT_HUNT_TRIES = 10000, SCRIPT_HUNT_OPS_MAX = 40 };

/* False with @fault for an expression that cannot be evaluated under the sets, or no memory. */
bool script_hunt_run(const struct script_hunt *hunt, struct script_hunt_result *result,
		     struct script_fault *fault);

/* The machine that hunts use where nothing is said: small, so that sequences are short. */
void script_hunt_machine(struct machine *m);

#endif

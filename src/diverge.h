/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs one workload under several patch sets side by side, and finds where each begins to differ from the one before.
 *
 * Two runs differ at the first operation after which a field that both have has two values. Fields that one side lacks,
 * and steps that were not asked, do not count. A field that differs from boot on (high, where patch 6 starts it at 0) says
 * nothing about the operations: it is told apart, and does not count after that. Inside the operation the step is where the
 * two runs part, on each side.
 */
#ifndef DIVERGE_H
#define DIVERGE_H

#include "core/field.h"
#include "core/sim.h"
#include "work.h"

/* One run. Name and set are the caller's; the rest is filled. */
struct diverge_run {
	const char *name;
	u32 patches;
	const struct work_log *log;
	struct sim *sim; /* at the end; freed by diverge_free() */
	s64 *counters;	 /* as counter_infos */
	u64 failed;	 /* operations that got less than they asked for */
};

struct diverge_side {
	u32 step; /* number of the step among all of the operation, from 1; 0: none */
	char text[STEP_TEXT_MAX];
	const char *func;
	s64 value;
};

struct diverge_place {
	bool differs;
	bool other_op; /* the logs differ: the operations themselves */
	u64 op;	       /* from 1; 0: at boot */
	char field[FIELD_NAME_MAX];
	struct diverge_side side[2]; /* the run before, this run */
	/* Fields that differ from boot on: their number, and the first. */
	u32 boot_fields;
	char boot_field[FIELD_NAME_MAX];
	s64 boot_values[2];
};

/*
 * Runs all, then places[i] says where run i + 1 differs from run i (nr - 1 places). Checks the time after each operation.
 * Returns 0, or the exit status with the fault printed. Call diverge_free() in both cases.
 */
int diverge_all(const struct call *call, const struct work *w, const struct setup_bounds *bounds,
		struct diverge_run *runs, size_t nr, struct diverge_place *places);
void diverge_free(struct diverge_run *runs, size_t nr);

#endif

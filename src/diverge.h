/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs one workload under several patch sets, and asks tl_diverge() where each begins to differ from the one before.
 */
#ifndef DIVERGE_H
#define DIVERGE_H

#include "core/field.h"
#include "core/timeline.h"
#include "work.h"

/* One run. Name, set and timeline are the caller's to give; diverge_free() frees the timeline. */
struct diverge_run {
	const char *name;
	u32 patches;
	struct timeline *tl; /* at its end afterwards */
	s64 *counters;	     /* as counter_infos */
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

/* The log of runs[0] under the set of another run: makes that run's timeline. 0 or the exit status, the fault printed. */
int diverge_same_log(const struct call *call, const struct diverge_run *first,
		     struct diverge_run *run);
/*
 * Where two runs part. bounds may be NULL. Returns 0, or the exit status with the fault printed.
 */
int diverge_pair(const struct call *call, const struct setup_bounds *bounds,
		 struct diverge_run runs[2], struct diverge_place *place);
/*
 * places[i] says where run i + 1 differs from run i (nr - 1 places); then all runs go to their ends and are counted. Checks
 * the time after each operation. Returns 0, or the exit status with the fault printed.
 */
int diverge_all(const struct call *call, const struct setup_bounds *bounds,
		struct diverge_run *runs, size_t nr, struct diverge_place *places);
void diverge_free(struct diverge_run *runs, size_t nr);

/* "cpu0 frees 1 block", the operation of a place in a run; what to say if the run has ended before. */
const char *diverge_op(const struct diverge_run *run, const struct diverge_place *place,
		       const char *ended, char *buf);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the headless commands work on: a scenario or a file of operations, as one thing that plays event by event on a
 * timeline, and its log, which runs under any patch set.
 */
#ifndef WORK_H
#define WORK_H

#include "kernel/ops.h"
#include "scenario/scenario.h"
#include "setup.h"

/* Operations with slots, as the timeline's log has them. */
struct work_log {
	size_t nr, cap;
	struct op *ops;
	size_t *slot_at; /* index of the first of the op's slots, for frees */
	u64 *lines;	 /* of the file, 0 if not known */
	u32 *slots;
	size_t nr_slots, cap_slots;
	u32 patches; /* under which it was recorded */
};

struct work {
	const char *path;
	struct scenario *scn; /* NULL: operations */
	struct kern_ops ops;
	struct machine own; /* of operations; a scenario holds its own */
	/* as the file and the options say */
	const char *name, *title;
	const struct machine *machine; /* finished */
	u32 patches;		       /* closed */
	enum series series;
	u64 seed;
	int default_zone;
	bool reruns; /* another patch set runs it again instead of its log */
};

/* Loads a file by the common options; "-" is standard input. Returns 0 or the exit status, all faults printed. */
int work_load(const struct call *call, const char *path, struct work *w);
void work_free(struct work *w);

/* Plays a work on a fresh timeline. */
struct work_player {
	const struct work *work;
	struct timeline *tl;
	struct scn_player *scn;
	size_t at; /* next operation of an operation file */
};

void work_player_begin(struct work_player *p, const struct work *w, struct timeline *tl);
/* As scn_play_next(), for both kinds. */
bool work_next(struct work_player *p, struct scn_event *ev);
void work_player_end(struct work_player *p);

/* Prints an SCN_EV_ERROR with its place. Returns the exit status. */
int work_fail(const struct call *call, const struct work *w, const struct scn_event *ev);

/*
 * The log of a work under a patch set, at most bounds->max_ops operations. Returns 0 or the exit status, faults printed.
 * *cut: it would have gone on.
 */
int work_record(const struct call *call, const struct work *w, u32 patches,
		const struct setup_bounds *bounds, struct work_log *log, bool *cut);
void work_log_init(struct work_log *log, u32 patches);
void work_log_free(struct work_log *log);
/* What the timeline has beyond the log. */
enum sim_err work_log_take(struct work_log *log, struct timeline *tl, struct sim_error *err);

/* The slots of operation @i for sim_exec(): those of a free, else NULL. */
u32 *work_log_slots(const struct work_log *log, size_t i);
/*
 * Does operation @i. A change of the patch set is done as the change that it was in the log's own run: patches that it
 * switched on or off there go on or off here. @set: the log's patch set so far, begun with log->patches.
 */
enum sim_err work_log_exec(const struct work_log *log, size_t i, struct sim *sim, u32 *set,
			   struct op_result *result, struct sim_error *err);

#endif

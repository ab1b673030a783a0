/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the headless commands work on: a scenario or a file of operations, as one thing that plays event by event on a
 * timeline, and its log, which runs under any patch set.
 */
#ifndef WORK_H
#define WORK_H

#include "core/session.h"
#include "kernel/ops.h"
#include "scenario/scenario.h"
#include "setup.h"

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
	/* Saved from the screen: its scenario stands above, and its shown line is what work_record() gives. */
	struct session *session;
	const char *session_path;
};

/*
 * Loads a file by the common options; "-" is standard input. Returns 0 or the exit status, all faults printed. A saved
 * session is refused: it cannot be played event by event.
 */
int work_load(const struct call *call, const char *path, struct work *w);
/* The same, for who only wants its log: saved sessions too. */
int work_load_any(const struct call *call, const char *path, struct work *w);
void work_free(struct work *w);

/* Plays a work on a fresh timeline. */
struct work_player {
	const struct work *work;
	struct timeline *tl;
	struct scn_player *scn;
	size_t at; /* next operation of an operation file */
	u64 max_ops;
};

void work_player_begin(struct work_player *p, const struct work *w, struct timeline *tl);
/* Ends after so many operations; 0: no bound. */
void work_player_limit(struct work_player *p, u64 max_ops);
/* As scn_play_next(), for both kinds. */
bool work_next(struct work_player *p, struct scn_event *ev);
void work_player_end(struct work_player *p);

/* Prints an SCN_EV_ERROR with its place. Returns the exit status. */
int work_fail(const struct call *call, const struct work *w, const struct scn_event *ev);

/*
 * A work under a patch set (of a session: with its edits), on a timeline of its own that stands at its end: at most bounds->max_ops operations. Returns 0
 * or the exit status, faults printed. *cut: it would have gone on.
 */
int work_record(const struct call *call, const struct work *w, u32 patches,
		const struct setup_bounds *bounds, struct timeline **tl, bool *cut);

#endif

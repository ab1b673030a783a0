/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside the timeline: what timeline.c (positions, running, events), edit.c
 * (changes of the log) and diverge.c (comparing two timelines) share.
 */
#ifndef PAGESET_CORE_TIMELINE_IMPL_H
#define PAGESET_CORE_TIMELINE_IMPL_H

#include <setjmp.h>

#include "checkpoint.h"
#include "log.h"
#include "timeline.h"

#define TL_NOWHERE UINT64_MAX

/* An operation that runs in the middle of another one. */
struct injection {
	u64 op;	 /* in which operation */
	u32 nth; /* occurrence of the step in it, from 1 */
	u16 step_id;
	bool displaced; /* when the operation last ran whole, its place did not occur */
	bool put_off;	/* then, it had to wait for a lock */
	/* At its place a zone lock was held: did it want that one, and which? Known until an edit. */
	bool trial_known, trial_waits;
	u16 trial_zone;
	u32 bytes;
	u8 *code; /* as in the log */
};

/* What the events are told from: as it was before the operation. */
struct seen_zone {
	u64 refills, bulk_frees, free_high;
	u32 flags;
};

enum run_state { RUN_WAITING, RUN_DUE, RUN_DONE };

/* One operation that runs under the timeline's own observer. */
struct run {
	jmp_buf stopped;
	u32 stop; /* leave after this many steps; 0: run to the end */
	u32 seen; /* steps so far */
	bool collect, out_of_memory;
	step_observer watch; /* also told of each step; may be NULL */
	void *watch_ctx;
	struct injection *inj; /* of this operation */
	u32 nr_inj;
	u32 occurred[TL_INJECT_MAX];
	u8 state[TL_INJECT_MAX]; /* enum run_state */
	bool put_off[TL_INJECT_MAX], displaced[TL_INJECT_MAX];
	bool tried[TL_INJECT_MAX]; /* it waits for the zone lock wanted[] */
	u16 wanted[TL_INJECT_MAX];
	struct op_result results[TL_INJECT_MAX];
};

struct timeline {
	struct sim *sim;
	struct ckpts ck;
	struct oplog log;
	struct tl_pos pos;
	size_t bound;
	bool keep_log;
	u32 base_patches;
	u32 bump_max; /* no slot from here to the slots apart was ever given out */
	step_observer live;
	void *live_ctx;

	struct injection *inj; /* by op, then in the order they run */
	size_t nr_inj, cap_inj;

	struct log_cursor cursor; /* stands at operation cursor_op */
	u64 cursor_op;
	u32 *slots, *inj_slots, *read_slots; /* SIM_OP_LIST_MAX each */

	u64 events_to; /* operations before this have their events */
	struct seen_zone *seen_zones;
	u8 *seen_flags; /* of each pageset */
	bool seen_valid;

	u64 here;	     /* the checkpoint made to look into an operation, TL_NOWHERE */
	u64 work, work_next; /* blocks since the last checkpoint; when to look again */
	u64 work_all;	     /* blocks of all appended operations */

	struct step *steps; /* of operation steps_op */
	u32 nr_steps, cap_steps;
	u64 steps_op;
	struct op_result steps_result;

	struct run run;
};

/* Thin checkpoints until @bytes more fit under the bound. */
bool tl_make_room(struct timeline *tl, size_t bytes);
enum sim_err tl_full(const struct timeline *tl, struct sim_error *err);
enum sim_err tl_need_log(const struct timeline *tl, struct sim_error *err);
/* A change of the patch set is kept as the change that it is here. */
void tl_as_change(const struct timeline *tl, struct op *op);
/* Go to the boundary before operation @op, which exists. */
void tl_to_boundary(struct timeline *tl, u64 op);
/*
 * From the boundary @pos: run the next operation, up to its @stop-th step (0: to its
 * end). True if it came to its end; the position follows.
 */
bool tl_run_next(struct timeline *tl, u32 stop, bool collect, struct op_result *result);
/* The injections of operation @op: the first, and how many. */
struct injection *tl_injections_of(const struct timeline *tl, u64 op, u32 *nr);
/* Something changed at operation @op: what is known of it and all later ones is void. */
void tl_forget_from(struct timeline *tl, u64 op);
/* The bytes that an injection takes beside its code. */
size_t tl_injection_bytes(const struct injection *inj);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine with its history: the log of operations, checkpoints, and one shown
 * machine that can stand at any operation and at any step inside it. Seeking
 * restores the nearest checkpoint and runs again; it is exact.
 *
 * Positions: (op, step). op operations are done; step > 0 is in the middle of the
 * next one, with step of its steps reported (the last one reported is what the
 * screen speaks of). (n, 0) is a boundary. The last boundary is (tl_length(), 0).
 * People count operations from 1, everywhere: "8" is the end of operation 8, "8.40"
 * its step 40, "8.0" its beginning, "0" the beginning of all. Messages here do so too.
 *
 * Memory: log, checkpoints and their chunks stay within the bound given at
 * creation. When it is full ERR_FULL comes back and nothing changed; the caller may
 * then drop the oldest (tl_drop_oldest()).
 */
#ifndef PAGESET_CORE_TIMELINE_H
#define PAGESET_CORE_TIMELINE_H

#include "op.h"
#include "sim.h"

struct timeline;

#define TL_BOUND_DEFAULT ((size_t)256 << 20)

struct tl_pos {
	u64 op;
	u32 step;
};

enum { TL_POS_TEXT_MAX = 32 };
/* A position as people write it; false, and *pos as it was, if the text is none. */
bool tl_pos_parse(const char *text, struct tl_pos *pos);
/* Into @buf of TL_POS_TEXT_MAX, which is returned. */
char *tl_pos_format(struct tl_pos pos, char *buf);

/*
 * A timeline of a fresh machine (as sim_create()). @keep_log false: headless runs
 * that never go back; then only appending works and memory does not grow.
 */
enum sim_err tl_create(const struct machine *machine, u32 patches, size_t bound_bytes,
		       bool keep_log, struct timeline **tl, struct sim_error *err);
void tl_destroy(struct timeline *tl);
/* Another bound for what it takes; less than it has now keeps what is there. */
void tl_set_bound(struct timeline *tl, size_t bound_bytes);

/* The shown machine. Owned by the timeline; valid until it is destroyed, whatever is sought. */
struct sim *tl_sim(struct timeline *tl);
const struct sim *tl_view(const struct timeline *tl);
struct tl_pos tl_position(const struct timeline *tl);
/* Operations in the log, the first that can still be reached, bytes in use. */
u64 tl_length(const struct timeline *tl);
u64 tl_first(const struct timeline *tl);
size_t tl_bytes(const struct timeline *tl);

/*
 * Append and do an operation; only at the end of the log. Errors as
 * sim_exec(), ERR_FULL, ERR_POSITION if the position is not the end.
 */
enum sim_err tl_append(struct timeline *tl, const struct op *op, u32 *slots,
		       struct op_result *result, struct sim_error *err);
/* An observer for tl_append() alone: live events; never called on a seek. NULL takes it away. */
void tl_set_observer(struct timeline *tl, step_observer observer, void *ctx);

/* Go to a position. ERR_POSITION outside the log or beyond the op's last step. */
enum sim_err tl_seek(struct timeline *tl, u64 op, u32 step, struct sim_error *err);
/* One step on or back, across boundaries; false at the end or the beginning. */
bool tl_step_next(struct timeline *tl);
bool tl_step_prev(struct timeline *tl);

/* Read the log: operation @i (0-based). *slots points to op->count slots of a free, else NULL; valid until the next call. */
enum sim_err tl_op(struct timeline *tl, u64 i, struct op *op, const u32 **slots,
		   struct sim_error *err);
/*
 * All steps of operation @i in order, and its result. The list is cached for the
 * last operation asked for; valid until the next call or seek. Does not move the position.
 */
enum sim_err tl_steps(struct timeline *tl, u64 i, const struct step **steps, u32 *nr_steps,
		      struct op_result *result, struct sim_error *err);

/* What happened in an operation, kept for each: a mask for event strips and "next event". */
enum {
	TL_REFILL = 1,
	TL_BULK = 2,
	TL_DRAIN = 4,
	TL_FREE_HIGH = 8,
	TL_FLAG = 16,
	TL_TICK = 32,
	TL_PATCH = 64,
	TL_FAIL = 128
};
u8 tl_events(const struct timeline *tl, u64 i);
/* The next (or previous) operation after (before) @from with an event of @mask; -1 if none. */
s64 tl_find_event(const struct timeline *tl, u64 from, bool forward, u8 mask);

/*
 * Edit. The slots that later operations use were given out by the log. So an
 * allocation that is put into the middle takes slots of its own, and a free there
 * leaves its slot taken and empty: later operations keep their names, and a later free
 * of the same block is a counted no-op.
 *
 * tl_insert() puts an operation in at the current boundary, does it, and stands
 * behind it; what follows is kept and runs again when it is reached. At the end it is
 * tl_append(). A free is of one block, op->slot. ERR_OP if a later operation
 * could not run any more (its CPU would be offline).
 * tl_remove() takes operation @i out again: the last one, one without slots, or one
 * that was put in. The position stays in the same place of the log.
 * tl_truncate() forgets what lies behind the current boundary; in the middle of an
 * operation that one too.
 */
enum sim_err tl_insert(struct timeline *tl, const struct op *op, struct sim_error *err);
enum sim_err tl_remove(struct timeline *tl, u64 i, struct sim_error *err);
enum sim_err tl_truncate(struct timeline *tl, struct sim_error *err);
/*
 * The same log from the start under another patch set; the operation of the
 * position stays, its step becomes 0. ERR_POSITION if the beginning was dropped.
 * A change of the set in the log stays the change that it was: what it switched on or
 * off goes on or off, whatever the set is then.
 */
enum sim_err tl_set_base_patches(struct timeline *tl, u32 patches, struct sim_error *err);
u32 tl_base_patches(const struct timeline *tl);

/*
 * Inject an operation at the current step (an interrupt): an alloc or free on the
 * same CPU meets a locked pageset and goes to the buddy; what wants a zone lock that is
 * held, and a tick or drain of a held pageset, is put off to the first step after the
 * release. Its place is (op, step id, n-th occurrence);
 * where that does not occur under another patch set it runs after the operation.
 * At most TL_INJECT_MAX in one operation. Only what an interrupt could do: allocations,
 * frees, ticks, drains, reclaim, touch, boost_clear. Slots as in tl_insert(); @slots as
 * for sim_exec(). The position stays: the injected operation begins with the next step.
 */
enum { TL_INJECT_MAX = 16 };
enum sim_err tl_inject(struct timeline *tl, const struct op *op, u32 *slots,
		       struct op_result *result, bool *put_off, struct sim_error *err);
/* The same by place, as a saved session has it: @nth counts from 1. */
enum sim_err tl_inject_at(struct timeline *tl, u64 i, enum step_id step, u32 nth,
			  const struct op *op, u32 *slots, struct op_result *result, bool *put_off,
			  struct sim_error *err);
/* Injections that found no place of their own and ran after their operation. */
u64 tl_displaced(const struct timeline *tl);
/* What is injected into operation @i, in the order it was asked for. */
struct tl_injection {
	struct op op;
	const u32 *slots; /* of a free: op.count slots, valid until the next call; else NULL */
	enum step_id step;
	u32 nth;
	bool put_off, displaced; /* when it last ran */
};
u32 tl_nr_injections(const struct timeline *tl, u64 i);
enum sim_err tl_injection(struct timeline *tl, u64 i, u32 k, struct tl_injection *out,
			  struct sim_error *err);
/* Take injection @k of operation @i out again. */
enum sim_err tl_uninject(struct timeline *tl, u64 i, u32 k, struct sim_error *err);

/*
 * An independent copy at the same position. It shares memory with its origin, safely also
 * when the two are used by different threads. The live observer is not copied, a policy is.
 */
enum sim_err tl_fork(const struct timeline *tl, struct timeline **other, struct sim_error *err);
/* Forget the oldest part to make room; tl_first() grows. */
enum sim_err tl_drop_oldest(struct timeline *tl, struct sim_error *err);

/*
 * Where two timelines part: the first operation after which a field that both patch sets
 * have has two values. Fields that one lacks and steps that were not asked do not count, nor
 * do fields that differ from the beginning on (high, where patch 6 starts it at 0): those are
 * told apart. Inside the operation it is the field whose history splits first, and on each
 * side the step at which the two part. If the logs themselves differ, it is the first other
 * operation. The positions stay.
 *
 * @go_on, if not NULL, is asked before each operation; false ends it with ERR_STOPPED.
 */
struct tl_divergence {
	bool differs;
	bool other_op; /* the operations differ, or only one side has this one */
	u64 op;	       /* from 0 */
	char field[64];
	struct {
		u32 step; /* among all of the operation, from 1; 0: it has none */
		s64 value;
	} side[2];
	/* Fields that differ from the beginning on: their number, and the first. */
	u32 boot_fields;
	char boot_field[64];
	s64 boot_values[2];
};
typedef bool tl_go_on(void *ctx, u64 op);
enum sim_err tl_diverge(struct timeline *a, struct timeline *b, tl_go_on *go_on, void *ctx,
			struct tl_divergence *out, struct sim_error *err);

#endif

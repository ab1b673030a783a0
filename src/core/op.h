/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations: everything that can be done to a machine. Allocations are named
 * by slots. A slot is given out by the log alone: an allocation of n blocks
 * always takes n slots, whether it succeeds or not, so that the same operations
 * run under any patch set. A failed part leaves its slots empty; freeing an
 * empty slot does nothing but be counted, and gives the slot back.
 */
#ifndef PAGESET_CORE_OP_H
#define PAGESET_CORE_OP_H

#include "err.h"
#include "types.h"

struct sim;

enum op_kind {
#define OP(id, name, short_name, args, help) OP_##id,
#include "op.def"
#undef OP
	NR_OPS
};

enum op_arg {
#define OPARG(name, type, min, max, help) OPARG_##name,
#include "op.def"
#undef OPARG
	NR_OP_ARGS
};

enum op_arg_type {
	OPA_CPU,
	OPA_INT,
	OPA_MIGRATETYPE,
	OPA_SLOTS,
	OPA_BOOL,
	OPA_ZONE,
	OPA_SIZE,
	OPA_PATCHES
};

struct op_arg_info {
	const char *name;
	enum op_arg_type type;
	s64 min, max;
	const char *help;
};

struct op_info {
	const char *name, *short_name;
	u32 args; /* mask of enum op_arg */
	const char *help;
};

extern const struct op_info op_infos[NR_OPS];
extern const struct op_arg_info op_args[NR_OP_ARGS];

/* Most blocks of one free or free list; bulk takes one less. */
enum { SIM_OP_LIST_MAX = 65536 };

/*
 * OP_F_APART is the timeline's: an operation put into the middle of a log takes
 * the slots from op->slot on, which nobody else gets, and gives none back.
 * OP_F_CHANGE too: a change of the patch set from op->low to op->value, done as that
 * change to whatever set there is.
 */
enum { OP_F_ATOMIC = 1, OP_F_BUSY = 2, OP_F_ON = 4, OP_F_APART = 8, OP_F_CHANGE = 16 };

/* The first 16 bytes say all of the frequent kinds. */
struct op {
	u8 kind; /* enum op_kind */
	u8 order;
	u8 type;  /* enum migratetype */
	u8 flags; /* OP_F_* */
	u16 cpu, zone;
	u32 count;	      /* blocks; 1 for alloc and free */
	u32 slot;	      /* free of one block without a list: which */
	s64 value, low, high; /* value: also min, bytes, patch set */
};

enum op_status { OP_DONE, OP_FAILED, OP_REFUSED };

struct op_result {
	u8 status;   /* enum op_status; OP_FAILED: not all blocks were got */
	u8 attempt;  /* allocations: 1 or 2; 2 if any block needed it */
	bool kswapd; /* kswapd would have been woken */
	u32 got;     /* blocks allocated, or freed without the empty ones */
};

/* The kind by long or short name, NR_OPS if there is none. */
enum op_kind op_kind_find(const char *name);

/*
 * Can this be done to the machine as it is? Checks ranges, that the CPU is
 * online, and that the slots are taken. @slots as for sim_exec(). SIM_OK, or
 * ERR_OP, ERR_RANGE or ERR_SLOT with a sentence.
 */
enum sim_err op_check(const struct sim *sim, const struct op *op, const u32 *slots,
		      struct sim_error *err);

/*
 * Do an operation. Checks as op_check() first; on an error nothing changed.
 * @slots: allocations write op->count slot numbers there (may be NULL); frees
 * read op->count there (NULL: the one in op->slot). @result may be NULL.
 * May be called from an observer to inject an operation: then it runs inside the
 * current one; the caller sees to it that no zone lock that it needs is held
 * (sim_zone_locked()).
 */
enum sim_err sim_exec(struct sim *sim, const struct op *op, u32 *slots, struct op_result *result,
		      struct sim_error *err);

/*
 * One-block forms of the same for callers in a hurry: no checks beyond
 * assertions. The allocation returns its slot always (it may be empty).
 */
u32 sim_alloc(struct sim *sim, u32 cpu, u32 order, u32 type);
void sim_free(struct sim *sim, u32 cpu, u32 slot);

#endif

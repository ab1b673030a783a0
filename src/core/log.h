/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The log of operations: a few bytes each, in blocks of up to 512, with an event
 * mask for each. Blocks are shared by forks and copied when one writes. Private to
 * the timeline.
 *
 * An operation is: a byte kind, a byte flags only if not 0 (told by bit 7 of the
 * kind), then the arguments that op.def gives the kind. Numbers are 7 bits a byte, low
 * part first; a list of slots is runs: length and form, then the distance from
 * the slot before.
 */
#ifndef PAGESET_CORE_LOG_H
#define PAGESET_CORE_LOG_H

#include "op.h"

struct log_block;

struct oplog {
	struct log_block **blocks;
	u64 *first; /* of each block: number of its first operation */
	size_t nr, cap;
	u64 start, length; /* operations start..length-1 can be read */
	size_t bytes;
};

/* Where the next operation is read. Valid until the log is written. */
struct log_cursor {
	size_t block;
	u32 at, offset; /* operation in the block, byte of its code */
};

/* Most bytes that an operation takes, with what the block around it may cost. */
size_t log_cost(const struct op *op);
/* Most bytes that an insertion takes: a block may be cut in three. */
size_t log_insert_cost(const struct op *op);

void log_free(struct oplog *log);
bool log_fork(struct oplog *to, const struct oplog *from);
/* False: no memory, nothing changed. @slots as for sim_exec(), for frees only. */
bool log_append(struct oplog *log, const struct op *op, const u32 *slots);
bool log_insert(struct oplog *log, u64 at, const struct op *op, const u32 *slots);
bool log_remove(struct oplog *log, u64 at);
bool log_truncate(struct oplog *log, u64 length);
/* Forget what comes before @op. */
bool log_drop(struct oplog *log, u64 op);

void log_seek(const struct oplog *log, struct log_cursor *cursor, u64 op);
/*
 * Read an operation and go on. @slots NULL: the list is passed over. The slots of a free of several blocks go to @slots
 * (SIM_OP_LIST_MAX of them); of a single one to op->slot. True if @slots is used.
 */
bool log_read(const struct oplog *log, struct log_cursor *cursor, struct op *op, u32 *slots);

u8 log_events(const struct oplog *log, u64 op);
/* The next (previous) operation after (before) @from with an event of @mask; -1: none. */
s64 log_find_event(const struct oplog *log, u64 from, bool forward, u8 mask);
bool log_set_events(struct oplog *log, u64 op, u8 events);

/* One operation as bytes of its own; NULL: no memory. */
u8 *log_encode(const struct op *op, const u32 *slots, size_t *bytes);
bool log_decode(const u8 *code, struct op *op, u32 *slots);

#endif

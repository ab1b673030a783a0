/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checkpoints of one machine: its state at boundaries of operations, as tables of
 * 4-KiB chunks. A checkpoint shares the chunks that did not change with its
 * neighbours, and tables with copies of the whole (forks). Private to the timeline.
 *
 *   checkpoint -> leaves of 64 chunks -> chunks
 *
 * The live machine equals the current checkpoint in all chunks but the dirty
 * ones; so going to a checkpoint copies only what differs.
 *
 * Invariant: a chunk or leaf that several checkpoints have in common is common to all
 * between them, so neighbours tell what a checkpoint alone holds.
 */
#ifndef PAGESET_CORE_CHECKPOINT_H
#define PAGESET_CORE_CHECKPOINT_H

#include "arena.h"

struct checkpoint;
struct chunk;

struct ckpts {
	struct checkpoint **list; /* by rising op */
	size_t nr, cap;
	size_t nr_chunks, nr_leaves;
	size_t bytes;	     /* of all that these checkpoints hold */
	size_t cur;	     /* index of the current one; nr if there is none */
	struct chunk *spare; /* chunks to use again */
	size_t nr_spare;
};

void ckpt_init(struct ckpts *c, const struct sim *sim);
void ckpt_free(struct ckpts *c);
/* The same checkpoints for another machine with the same state. False: no memory. */
bool ckpt_copy(struct ckpts *to, const struct ckpts *from);

u64 ckpt_op(const struct ckpts *c, size_t i);
/* The last checkpoint at or before an operation; nr if there is none. */
size_t ckpt_find(const struct ckpts *c, u64 op);
/* Bytes that a capture would take at most; counts the dirty chunks. */
size_t ckpt_cost(const struct ckpts *c, const struct sim *sim);
size_t ckpt_dirty(const struct ckpts *c, const struct sim *sim);
/*
 * Keep the live state as that of the boundary @op, directly behind the current
 * checkpoint. It becomes the current one. False: no memory, nothing changed.
 */
bool ckpt_capture(struct ckpts *c, struct sim *sim, u64 op);
/* Bring the machine to checkpoint @i. */
void ckpt_restore(struct ckpts *c, struct sim *sim, size_t i);
/* The live machine has come to checkpoint @i by running: say so. */
void ckpt_reached(struct ckpts *c, struct sim *sim, size_t i);
/* Forget one. If it is the current one and not the first, the one before becomes current. */
void ckpt_remove(struct ckpts *c, struct sim *sim, size_t i);
/* Chunks that were let go are kept to be used again; these are their bytes. */
size_t ckpt_spare_bytes(const struct ckpts *c);
/* Give spare chunks back until they take at most @bytes. */
void ckpt_trim(struct ckpts *c, size_t bytes);
#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of operations in the vectors' format, read without comparing: the machine,
 * the patch set that the file names, and its operations with slots in place of
 * pfns, so that they run under any patch set. Expected output in the file is
 * passed over. Prefix kern_ops_.
 */
#ifndef PAGESET_KERNEL_OPS_H
#define PAGESET_KERNEL_OPS_H

#include "base/diag.h"
#include "core/machine.h"
#include "core/op.h"

struct base_text;

struct kern_ops {
	struct machine machine; /* finished */
	u32 patches;		/* of the file's variant */
	size_t nr;		/* operations */
	struct op *ops;
	u64 *lines;	 /* where each stands in the file */
	size_t *slot_at; /* index of its first slot in slots; op.count of them, for frees */
	u32 *slots;
	size_t cap, nr_slots, cap_slots;
	/* of a recorded trace: blocks of the refill that an allocation made, pages that a free drained, 0: none; else NULL */
	s32 *outcomes;
};

/*
 * Reads the text of a file. Frees name blocks by pfn, so the operations run once
 * on a machine of their own with the file's patch set. On failure *ops is empty.
 */
enum base_err kern_ops_read(struct kern_ops *ops, const struct base_text *text, struct diag *d);
void kern_ops_free(struct kern_ops *ops);

/* Appends an operation from elsewhere; slots: op->count of them for a free. The machine is the caller's to fill in. */
void kern_ops_add(struct kern_ops *ops, const struct op *op, const u32 *slots, u64 line);

/* The slots that operation @i frees, NULL if it frees none. */
const u32 *kern_ops_slots(const struct kern_ops *ops, size_t i);

#endif

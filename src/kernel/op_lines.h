/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The input lines of the vectors' format: configuration, then operations. Each
 * line is parsed against a machine that runs beside it, since blocks are named by
 * pfn or by age. For vectors.c, which also compares, and ops.c, which only reads.
 */
#ifndef PAGESET_KERNEL_OP_LINES_H
#define PAGESET_KERNEL_OP_LINES_H

#include "base/diag.h"
#include "core/sim.h"

/* Longest line of a file. */
enum { KERN_OP_LINE_MAX = 16 << 20 };

struct kern_op_lines {
	const char *name; /* of the file, for messages */
	u64 line;
	struct diag *diag; /* filled where a function returns false */
	bool malformed;
	struct machine machine;
	u32 patches;
	bool variant_given, unsupported; /* unsupported: of a kernel that the model does not run */
	struct sim *sim;		 /* NULL until boot */
	u32 *slots;			 /* of the operation parsed last */
	u32 slots_cap;
	u32 *live; /* slots in the order of allocation, dead ones among them */
	size_t nr_live, cap_live;
};

/* Words of a line, cut in place. */
struct kern_words {
	char *at;
};

char *kern_next_word(struct kern_words *w);

void kern_op_lines_init(struct kern_op_lines *r, const char *name, struct diag *d);
void kern_op_lines_free(struct kern_op_lines *r);

/* A line before boot, and boot itself: then r->sim is there. @name: its first word. */
bool kern_op_configure(struct kern_op_lines *r, const char *name, struct kern_words *w);
/* An operation; the slots of a free stand in r->slots. */
bool kern_op_parse(struct kern_op_lines *r, const char *name, struct kern_words *w, struct op *op);
/* Does it, and remembers what is live. */
bool kern_op_exec(struct kern_op_lines *r, const struct op *op, struct op_result *result);
bool kern_op_is_alloc(const struct op *op);

#endif

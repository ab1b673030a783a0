/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conformance vectors: files of operations with the state that the kernel's own
 * functions had after each. Replays a file on the model and compares what the
 * model says, byte for byte. Prefix kern_vec_.
 */
#ifndef PAGESET_KERNEL_VECTORS_H
#define PAGESET_KERNEL_VECTORS_H

#include "base/diag.h"

#include "core/types.h"

enum kern_vec_status {
	KERN_VEC_PASSED,
	KERN_VEC_FAILED,
	KERN_VEC_MALFORMED,   /* diag says where and why */
	KERN_VEC_UNSUPPORTED, /* of a kernel that the model does not run: variant 6.12 */
};

/* The first difference of a file. Texts are malloc'ed. */
struct kern_vec_failure {
	u64 line;
	char *op, *what, *expected, *got;
	char *explain; /* the steps of the operation, and lists that differ; NULL if not asked for */
};

struct kern_vec_result {
	enum kern_vec_status status;
	u64 operations;
	struct kern_vec_failure failure;
	struct diag diag;
};

/*
 * Replay one file. @explain: on a failure also gather the operation's steps.
 * @invariants: with the steps reported and the invariants walked all the time.
 */
void kern_vec_verify(const char *path, bool explain, bool invariants,
		     struct kern_vec_result *result);
void kern_vec_result_free(struct kern_vec_result *result);
/* Does the file begin as a vector does? Files that do not are passed over in folders. */
bool kern_vec_is_vector(const char *path);

/*
 * The patch set of a variant's name (L0..L10, V3L1..V3L9, S...). False if there
 * is no such variant.
 */
bool kern_vec_variant(const char *name, u32 *patches);

#endif

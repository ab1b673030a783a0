/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mirror's own source text, embedded at build: what a student reads is what
 * runs. STEP lines are hidden; for each visible line the patch it belongs to is
 * known from the braced conditions. Behind a branch of a patch that ends in a return
 * the rest of the block counts as its else.
 */
#ifndef PAGESET_CORE_SOURCE_H
#define PAGESET_CORE_SOURCE_H

#include "patch.h"
#include "types.h"

struct source_line {
	const char *text; /* not NUL-terminated */
	u32 len;
	u32 number;	/* in the file, counting from 1 */
	u8 patch;	/* enum patch_id of the innermost condition, P_SERIES_V3, P_NONE */
	bool otherwise; /* in its else branch: runs while the patch (v3) is off */
};

/*
 * The visible lines of a file of the mirror ("pcp.c", or with a path as a step has it); 0
 * if there is no such file. The first call for a file reads it: not from two threads at once.
 */
size_t source_lines(const char *file, const struct source_line **lines);
/* The index of the visible line at or above line @number. */
size_t source_line_at(const struct source_line *lines, size_t nr, u32 number);
/* Names of the embedded files; ends with NULL. */
extern const char *const source_files[];

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lua's patterns with the work counted: backtracking is charged step by step, so
 * that a pattern with many repetitions meets the cap instead of running for ever.
 * Inside src/script only.
 */
#ifndef PAGESET_SCRIPT_PATTERN_H
#define PAGESET_SCRIPT_PATTERN_H

#include "box.h"

enum { PATTERN_CAPTURES_MAX = 32, PATTERN_DEPTH_MAX = 200 };
/* Lengths of captures that are not texts. */
enum { CAPTURE_OPEN = -1, CAPTURE_PLACE = -2 };

struct pattern_match {
	lua_State *L;
	const char *begin, *end; /* the subject */
	const char *pattern_end;
	int depth;
	u64 work; /* not yet charged */
	int nr_captures;
	struct {
		const char *start;
		ptrdiff_t len;
	} captures[PATTERN_CAPTURES_MAX];
};

/* Begin with a subject and a pattern (without its leading ^). */
void script_pattern_init(struct pattern_match *m, lua_State *L, const char *subject, size_t len,
			 const char *pattern_end);
/* Match at @at: the end of the match, or NULL. Raises on a malformed pattern and at the caps. */
const char *script_pattern_at(struct pattern_match *m, const char *at, const char *pattern);
/* Push capture @i, or the whole match if there are none and @i is 0. */
void script_pattern_push(struct pattern_match *m, int i, const char *start, const char *end);
/* Push all captures; the whole match if there are none and @start is given. Returns how many. */
int script_pattern_push_all(struct pattern_match *m, const char *start, const char *end);

#endif

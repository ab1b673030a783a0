/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Expressions: one Lua expression over the fields of a machine, as scenarios,
 * breakpoints, watches and the command line have it:
 *
 *	cpu[0].count == 0 and stats.free_high == 1
 *
 * A name is a field (core/field.h), a function of the few below, or a value that
 * the caller supplies. A fault says at which byte of the text it lies, so that a
 * place in a file can be computed. Evaluation never changes the machine, and it is
 * capped: an expression cannot hang.
 */
#ifndef PAGESET_SCRIPT_EXPR_H
#define PAGESET_SCRIPT_EXPR_H

#include "core/field.h"
#include "core/sim.h"

struct script_exprs; /* a Lua state that many expressions share */
struct script_expr;  /* one compiled expression */

enum script_value_type { SCRIPT_BOOLEAN, SCRIPT_INTEGER, SCRIPT_NUMBER };

struct script_value {
	enum script_value_type type;
	bool boolean;
	s64 integer;
	double number;
};

/* Values beside the fields, such as a scenario's own. Both may be NULL. */
struct script_names {
	void *ctx;
	/* False if there is no such name. Asked at compilation and at each evaluation. */
	bool (*get)(void *ctx, const char *name, struct script_value *value);
	/* Name number @i for "did you mean", NULL after the last. */
	const char *(*name_at)(void *ctx, size_t i);
};

struct script_fault {
	size_t offset, length; /* bytes of the text */
	char message[300];
	char hint[160]; /* "" for none */
};

/* NULL without memory. */
struct script_exprs *script_exprs_new(void);
void script_exprs_free(struct script_exprs *exprs);

/*
 * Compile @text for machines of the shape of @sim. @default_zone as in
 * field_parse(). False with @fault filled: syntax, unknown names, places that the
 * machine does not have. Fields that the patch set lacks are found at evaluation
 * only, since the set may change before.
 */
bool script_expr_compile(struct script_exprs *exprs, const struct sim *sim, int default_zone,
			 const struct script_names *names, const char *text, size_t len,
			 struct script_expr **expr, struct script_fault *fault);
void script_expr_free(struct script_expr *expr);

/* The value; false with @fault filled. */
bool script_expr_eval(struct script_expr *expr, const struct sim *sim, struct script_value *value,
		      struct script_fault *fault);
/* What a condition says: neither false nor 0 is true; for expectations. */
bool script_value_true(const struct script_value *value);
/* The value as text: true, 63, 0.5. @buf of SCRIPT_VALUE_TEXT bytes. */
enum { SCRIPT_VALUE_TEXT = 40 };
char *script_value_format(const struct script_value *value, char *buf);

/* The first field the expression names, for "what is it about": false if none. */
bool script_expr_field(const struct script_expr *expr, size_t i, struct field_ref *ref);

#endif

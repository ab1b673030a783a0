/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lua scripts that drive simulated machines: a sandboxed Lua 5.4 with the `sim`
 * module. Main runs files and lines through here; what the module offers is in
 * api.def. Expressions over the fields of a machine are in expr.h.
 */
#ifndef PAGESET_SCRIPT_SCRIPT_H
#define PAGESET_SCRIPT_SCRIPT_H

#include <stdio.h>

#include "base/diag.h"
#include "core/sim.h"

struct script;

/* 0 in a member: the default below. timeout_ns 0: none. */
struct script_limits {
	uint64_t instructions;
	size_t memory; /* bytes */
	uint64_t timeout_ns;
	bool fixed; /* no options set them: messages name none */
};

#define SCRIPT_INSTRUCTIONS_DEFAULT 1000000000ull
#define SCRIPT_MEMORY_DEFAULT ((size_t)512 << 20)

/*
 * A machine that somebody else owns and a script drives: a scenario's, or the
 * one on the screen. exec appends to its log; view is the machine to look at.
 */
struct script_drive {
	void *ctx;
	enum sim_err (*exec)(void *ctx, const struct op *op, u32 *slots, struct op_result *result,
			     struct sim_error *err);
	struct sim *(*sim)(void *ctx);
	/* Live events only; NULL takes the observer away. */
	void (*observe)(void *ctx, step_observer observer, void *observer_ctx);
	/* The script lives as long as the machine can be shown, so it may set a policy. */
	bool lasting;
};

/* Where print goes; NULL: stdout. */
struct script_hooks {
	void *ctx;
	void (*print)(void *ctx, const char *text, size_t len);
};

struct script_options {
	struct script_limits limits;
	struct script_hooks hooks;
	uint64_t seed;
	const char *out_dir; /* files go below it; NULL: "out" */
	enum series series;  /* machines' where the script says nothing */
	const char *patches; /* likewise, NULL: all */
};

/* NULL without memory. */
struct script *script_new(const struct script_options *options);
void script_free(struct script *s);

/*
 * An entry of `arg`: "key=value" text gets the type it looks like (integer,
 * number, true, false, else a string); without a key it is the next of arg[1..].
 */
enum base_err script_arg(struct script *s, const char *key, const char *value, struct diag *d);
/* The same without a type: a text whatever it looks like. */
void script_arg_text(struct script *s, const char *key, const char *value);

/* The machine that `sim.current` names; it must outlive the script or be taken away with NULL. */
void script_set_current(struct script *s, const struct script_drive *drive);

/* Runs a file, whole. On failure *d has file, line and message, and *trace (malloc'ed, may be NULL) the traceback. */
enum base_err script_run_file(struct script *s, const char *path, struct diag *d, char **trace);
/* The same with text in memory; @folder (may be NULL) is where require looks. */
enum base_err script_run_text(struct script *s, const char *name, const char *text, size_t len,
			      const char *folder, struct diag *d, char **trace);

/* Does the text compile? */
enum base_err script_check_text(struct script *s, const char *name, const char *text, size_t len,
				struct diag *d);

/*
 * Tasks on the machine of script_set_current(): the text is the body of a task, which
 * sees itself as `t` and its arguments as `arg`. script_spawn() begins one;
 * script_spawn_arg() gives the task begun last an argument (@typed: as
 * script_arg(), else a text); script_run_tasks() runs all of them.
 */
enum base_err script_spawn(struct script *s, u32 cpu, const char *name, const char *text,
			   size_t len, const char *folder, struct diag *d);
void script_spawn_arg(struct script *s, const char *key, const char *value, bool typed);
/* 0: no bound of that kind. */
enum base_err script_run_tasks(struct script *s, u64 for_ns, u64 ops, struct diag *d, char **trace);

/*
 * One input of an interactive session: an expression (its values are printed) or
 * statements; a leading '=' is allowed. SCRIPT_MORE: not finished, give more lines.
 */
enum script_line { SCRIPT_DONE, SCRIPT_MORE, SCRIPT_FAILED };
enum script_line script_run_line(struct script *s, const char *text, size_t len, char **message);
/*
 * Names that may follow @text, which ends at the cursor: calls @add for each with
 * the whole word. Returns the offset in @text at which the word begins.
 */
size_t script_complete(struct script *s, const char *text, size_t len,
		       void (*add)(void *ctx, const char *word), void *ctx);

/* The page docs/lua-api.md, from the registration table. */
void script_print_api(FILE *out);
/* The registration table: names and examples; false after the last. */
bool script_api_entry(size_t i, const char **name, const char **example);

#endif

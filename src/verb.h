/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands: what one is (struct verb), how it is called (struct call), and the list of all. A command lives in
 * cmd_<name>.c, defines `const struct verb verb_<name>`, and is registered by one line in verb.def; help, version and
 * errors then come by themselves:
 *
 *	struct paint_opts { uint64_t coats; };
 *	static const struct paint_opts paint_defaults = { .coats = 2 };
 *	static const struct opt paint_options[] = {
 *		{ .name = "coats", .letter = 'c', .type = OPT_UINT, .offset = offsetof(struct paint_opts, coats),
 *		  .value = "N", .help = "how many coats", .min = 1, .max = 9 },
 *		{ .name = NULL },
 *	};
 *	static int run(const struct call *call) { const struct paint_opts *o = call->opts; ... return 0; }
 *	const struct verb verb_paint = {
 *		.name = "paint", .args = "WALL...", .help = "paint walls", .options = paint_options,
 *		.defaults = &paint_defaults, .opts_size = sizeof(paint_defaults), .common = COMMON_BIT(JSON),
 *		.args_min = 1, .args_max = VERB_ARGS_ANY, .run = run,
 *	};
 */
#ifndef VERB_H
#define VERB_H

#include "base/diag.h"
#include "opt.h"

/* The values of the common options. */
struct common {
#define COMMON(id, ctype, field, name, type, value, help, min, max, values) ctype field;
#include "common.def"
#undef COMMON
};

enum common_id {
#define COMMON(id, ctype, field, name, type, value, help, min, max, values) COMMON_##id,
#include "common.def"
#undef COMMON
	COMMON_NR,
};

#define COMMON_BIT(id) (1ull << COMMON_##id)

enum common_series_index { COMMON_SERIES_V2, COMMON_SERIES_V3 };

extern const struct opt common_options[];
extern const struct common common_defaults;

#define VERB_ARGS_ANY (-1)

struct call;

struct verb {
	const char *name;	   /* for a sub-command both words: "import zoneinfo" */
	const char *args;	   /* of the usage line: "FILE|DIR...", "" for none */
	const char *help;	   /* one line, begins small, no full stop */
	const char *about;	   /* paragraphs below the usage line, or NULL */
	const struct opt *options; /* NULL: only common ones */
	const void *defaults;	   /* of the options; opts_size bytes */
	size_t opts_size;
	uint64_t common; /* COMMON_BIT()s that it takes */
	int args_min;
	int args_max; /* VERB_ARGS_ANY: no bound */
	const struct verb *const
		*subs; /* NULL-ended; the first argument chooses one, run is not used */
	int (*run)(const struct call *call); /* returns the exit status */
};

/* One call of a command: everything parsed. Valid until run returns. */
struct call {
	const struct verb *verb;
	const void *opts; /* the verb's own struct */
	const struct common *common;
	const struct opt_set *opts_set; /* for opt_is_given(); the table is never NULL */
	const struct opt_set *common_set;
	struct opt_args args;
};

/* All commands, in the order of help; NULL after the last. */
const struct verb *verb_get(size_t i);
const struct verb *verb_find(const char *name);

/* Runs the command line; returns the exit status. argv[argc] is NULL. */
int verb_main(int argc, char **argv);

/* Help of one command, and of all. */
void verb_print_help(FILE *out, const struct verb *verb);
void verb_print_overview(FILE *out);

/* Was this common option given? */
bool call_common_given(const struct call *call, enum common_id id);

/* Prints one fault, or all of a list, on stderr as --color says; returns the exit status. */
int call_fail(const struct call *call, const struct diag *d);
int call_fail_all(const struct call *call, struct diags *ds);

/* A wrong use that only the command can see: "pageset NAME: message", the hint if not NULL; returns 2. */
int call_usage(const struct call *call, const char *hint, const char *fmt, ...) BASE_PRINTF(3, 4);

#endif

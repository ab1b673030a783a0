/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Option tables and the parser that runs on them. A table is the one source of what a command accepts, of its help, and
 * of every listing made from it. Long options are --name, --name=value or --name value; an option may have a letter
 * (-j2, -j 2). Options and arguments may be mixed; "--" ends the options; "-" is an argument.
 */
#ifndef OPT_H
#define OPT_H

#include "base/diag.h"

enum opt_type {
	OPT_FLAG,     /* bool */
	OPT_INT,      /* int64_t, min..max */
	OPT_UINT,     /* uint64_t, min..max */
	OPT_SIZE,     /* uint64_t bytes, min..max */
	OPT_DURATION, /* uint64_t ns, min..max */
	OPT_STRING,   /* const char *, into argv; never empty */
	OPT_ENUM,     /* int: index into values */
	OPT_LIST,     /* struct opt_list: may be given again and again */
};

struct opt {
	const char *name; /* without the dashes; NULL ends a table */
	char letter;	  /* 0: none */
	enum opt_type type;
	size_t offset; /* of the value in the struct that is filled */
	const char *
		value; /* how help calls the value; NULL for a flag, and for an enum, which lists its words */
	const char *help; /* one line without a full stop */
	int64_t min;	  /* for the numbers; max 0 means: no bound above */
	int64_t max;
	const char *const *values; /* OPT_ENUM: its words, NULL after the last */
};

struct opt_list {
	const char **items;
	size_t nr;
};

/* A table and the struct that it fills. allowed and given: a bit for each row, in order. */
struct opt_set {
	const struct opt *table;
	void *target;
	uint64_t allowed;
	uint64_t given;
};

#define OPT_ALL UINT64_MAX

/* What is left: the arguments, in order; nr_before of them stood before "--" (all, if there was none). */
struct opt_args {
	char **items;
	int nr;
	int nr_before;
};

/*
 * Parses argv[0..argc) (the words after the command). args->items has room for argc entries. On failure *d names the
 * option, and what was expected; who is the beginning of its message ("pageset verify"). --help and -h set *help and end the parsing.
 */
enum base_err opt_parse(struct opt_set *sets, size_t nr_sets, const char *who, int argc,
			char **argv, struct opt_args *args, bool *help, struct diag *d);

/* Prints the lines of a table for help: names, what it does, range and default (read from the set's target). */
void opt_print_help(FILE *out, const struct opt_set *set);

/*
 * What help says of one option: its text with range and default (read from target), and what stands behind the = ("" for a
 * flag).
 */
void opt_describe(const struct opt *o, const void *target, char *text, size_t size, char *value,
		  size_t value_size);

/* The index of an option in a table, for given and allowed; the option must be there. */
unsigned int opt_index(const struct opt *table, const char *name);
bool opt_is_given(const struct opt_set *set, const char *name);

/* Gives back what OPT_LIST options hold. */
void opt_free(struct opt_set *set);

#endif

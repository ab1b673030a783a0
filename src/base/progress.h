/* SPDX-License-Identifier: GPL-2.0-only */
/* What depends on the terminal: progress of long work on stderr, and whether to use colour. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum base_colour { BASE_COLOUR_AUTO, BASE_COLOUR_ALWAYS, BASE_COLOUR_NEVER };

/* auto: a terminal that is not TERM=dumb, and NO_COLOR is unset or empty. */
bool base_colour_on(enum base_colour wish, FILE *out);

/* A terminal that can rewrite a line. */
bool base_is_terminal(FILE *out);

struct base_progress {
	FILE *out; /* NULL: stderr is no terminal, all calls do nothing */
	char label[64];
	uint64_t next_ns; /* no redraw before this moment */
	bool drawn;
};

void base_progress_begin(struct base_progress *p, const char *label);

/* total 0: not known, done is shown alone. Cheap enough for every thousandth step of the work: draws ten times a second. */
void base_progress_update(struct base_progress *p, uint64_t done, uint64_t total);

/* Takes the line away; before anything else is printed. */
void base_progress_end(struct base_progress *p);

#endif

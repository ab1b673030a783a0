/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which of several dumps in a file is wanted, kept while a parser reads on; and what to say when there is none. For the
 * parsers of this folder alone.
 */
#ifndef KERNEL_SNAPSHOTS_H
#define KERNEL_SNAPSHOTS_H

#include "dump.h"
#include "lines.h"

struct kern_snapshots {
	const struct kern_read_options *opt;
	struct kern_dump *current; /* being read; NULL between dumps */
	struct kern_dump *kept;
	unsigned int nr;
	int64_t label;	     /* number on the last "### snap=N" line, -1 if none */
	int64_t first, last; /* numbers of the dumps seen */
};

/* What a text without a dump may be. */
enum kern_foreign {
	KERN_FOREIGN_ZONEINFO = 1,
	KERN_FOREIGN_MEMINFO = 2, /* a Mem-Info report */
	KERN_FOREIGN_PROC_MEMINFO = 4,
	KERN_FOREIGN_BUDDYINFO = 8, /* or pagetypeinfo */
};

/* The kinds of text that this line speaks for: enum kern_foreign bits. */
unsigned int kern_foreign(struct kern_word line);

void kern_snapshots_begin(struct kern_snapshots *s, const struct kern_read_options *opt);
void kern_snapshots_free(struct kern_snapshots *s);

/* "### snap=N label=...": ends the dump before it. False for any other line. */
bool kern_snapshots_label(struct kern_snapshots *s, struct kern_word line);

/* The dump being read, begun if there is none. */
struct kern_dump *kern_snapshots_current(struct kern_snapshots *s, enum kern_format format);

/* Ends the current dump: kept if it is the wanted one. Heads without any figure are no dump. */
void kern_snapshots_end(struct kern_snapshots *s);

/* The wanted dump, now the caller's; else an error that says what the file is. */
enum base_err kern_snapshots_take(struct kern_snapshots *s, enum kern_format format,
				  unsigned int foreign, struct kern_dump **out, struct diag *d);

#endif

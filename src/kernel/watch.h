/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is shown of a running kernel: the newest /proc/zoneinfo, rates against the one before, and a short history of
 * each list.  Does no input of its own; cmd_watch.c feeds it.
 */
#ifndef KERNEL_WATCH_H
#define KERNEL_WATCH_H

#include <stdio.h>

#include "dump.h"

#define WATCH_HISTORY 64      /* samples */
#define WATCH_HISTORY_TEXT 16 /* of them in the text */

struct watch;

struct watch_view {
	unsigned int rows; /* of the terminal; 0: no bound */
	bool ascii;
};

struct watch *watch_new(void);
void watch_free(struct watch *watch);

/* takes over the dump; vmstat: text of /proc/vmstat for the rates of allocations and frees, NULL: none */
void watch_add(struct watch *watch, struct kern_dump *dump, const char *vmstat, uint64_t time_ns);

/* the newest look and the one before (NULL: none), and the seconds between them */
const struct kern_dump *watch_now(const struct watch *watch);
const struct kern_dump *watch_before(const struct watch *watch);
double watch_seconds(const struct watch *watch);
/* pages a second; false: not known yet, or /proc/vmstat was not there */
bool watch_rates(const struct watch *watch, double *allocs, double *frees);
/* counts of one list, oldest first; valid until the next watch_add() */
const int64_t *watch_history(const struct watch *watch, const struct kern_zone *zone,
			     unsigned int cpu, unsigned int *nr);

/* one screenful; head: what stands in its first line before the rates */
void watch_print(const struct watch *watch, const char *head, const struct watch_view *view,
		 FILE *out);

#endif

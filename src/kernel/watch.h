/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is shown of a running kernel: the newest /proc/zoneinfo, rates against the one before, and a short history of
 * each list.  Does no input of its own; cmd_watch.c feeds it.
 */
#ifndef KERNEL_WATCH_H
#define KERNEL_WATCH_H

#include <stdio.h>

#include "dump.h"

#define WATCH_HISTORY 16 /* samples */

struct watch;

struct watch_view {
	unsigned int rows; /* of the terminal; 0: no bound */
	bool ascii;
};

struct watch *watch_new(void);
void watch_free(struct watch *watch);

/* takes over the dump; vmstat: text of /proc/vmstat for the rates of allocations and frees, NULL: none */
void watch_add(struct watch *watch, struct kern_dump *dump, const char *vmstat, uint64_t time_ns);

/* one screenful; head: what stands in its first line before the rates */
void watch_print(const struct watch *watch, const char *head, const struct watch_view *view,
		 FILE *out);

#endif

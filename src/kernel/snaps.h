/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The snapshots taken while a trace was recorded: texts after lines "### snap=N label=L file=zoneinfo mono=S".  A plain
 * zoneinfo without such lines is one snapshot, number 0.  Used by replay.c and the verbs.
 */
#ifndef KERNEL_SNAPS_H
#define KERNEL_SNAPS_H

#include "dump.h"

#define SNAPS_BYTES_MAX (256u << 20)
#define SNAPS_LABEL_MAX 32

struct snap {
	uint32_t number;
	char label[SNAPS_LABEL_MAX];
	double mono; /* seconds; below 0: not told */
	struct kern_dump *dump;
};

struct snaps {
	struct snap *items; /* by rising number */
	size_t nr;
	size_t others; /* texts that are no zoneinfo (buddyinfo, pagetypeinfo) */
};

/* path: plain, gzip or "-"; on failure *snaps is empty and *d says why */
enum base_err snaps_read(struct snaps *snaps, const char *path, struct diag *d);
void snaps_free(struct snaps *snaps);

/* NULL: there is none of that number */
const struct snap *snaps_find(const struct snaps *snaps, uint32_t number);

#endif

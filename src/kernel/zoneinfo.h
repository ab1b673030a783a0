/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /proc/zoneinfo of any kernel as a struct kern_dump: text alone, with prose around it, quoted in mail, out of a log, or
 * several snapshots in one file (the recordings' snaps.txt). The verbs and watch.c call it.
 */
#ifndef KERNEL_ZONEINFO_H
#define KERNEL_ZONEINFO_H

#include "dump.h"

/*
 * Reads the dump that opt->snapshot names: the number of a "### snap=N" line where the file has these, else counted from
 * 0. On failure *out is NULL, *d (which may be NULL) says why. *out is the caller's to kern_dump_free().
 */
enum base_err kern_zoneinfo_read(const char *text, size_t len, const struct kern_read_options *opt,
				 struct kern_dump **out, struct diag *d);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A Mem-Info report (out of memory, page allocation failure, sysrq-m) out of a kernel log as a struct kern_dump, kB turned
 * into pages. The report is read word by word: how mail broke its lines does not matter. The verbs call it.
 */
#ifndef KERNEL_MEMINFO_H
#define KERNEL_MEMINFO_H

#include "dump.h"

/* As kern_zoneinfo_read(). A log has several reports: opt->snapshot counts them from 0. */
enum base_err kern_meminfo_read(const char *text, size_t len, const struct kern_read_options *opt,
				struct kern_dump **out, struct diag *d);

#endif

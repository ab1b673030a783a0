/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recording the running kernel: kmem events through a tracefs instance of its own, with snapshots of /proc/zoneinfo
 * between marks in the trace.  Whatever is changed (the instance; a mount of tracefs where there was none) is taken back
 * by a guard process that outlives a killed recorder.  Called by cmd_watch.c.
 */
#ifndef KERNEL_RECORD_H
#define KERNEL_RECORD_H

#include <signal.h>

#include "../base/diag.h"

struct record_options {
	const char *path; /* of the trace; the snapshots go to path.snaps */
	uint64_t for_ns;
	uint64_t every_ns;	     /* between snapshots */
	uint64_t buffer_bytes;	     /* of each CPU's ring */
	volatile sig_atomic_t *stop; /* not 0: end now and keep what there is; NULL: never */
};

struct record_report {
	uint64_t ns; /* how long it recorded */
	uint64_t snapshots;
	uint64_t lines; /* of the trace */
	uint64_t lost;	/* events that the rings had no room for */
	bool stopped;
};

enum base_err record_run(const struct record_options *opt, struct record_report *report,
			 struct diag *d);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recorded trace as operations of core (op.h): what the recorded CPUs asked for, in order, for running under any patch
 * set.  Pages that are freed without having been allocated in the trace are allocated before everything else; pages that
 * left a list without an event count as allocated.  CPUs keep the trace's numbers.  Used by import trace, and by
 * whatever runs a trace on a machine (compare, diff, the screen).
 */
#ifndef KERNEL_TRACE_OPS_H
#define KERNEL_TRACE_OPS_H

#include <stdio.h>

#include "../core/machine.h"
#include "../core/op.h"
#include "ops.h"
#include "replay.h"

struct trace_ops_source {
	const char *trace;     /* path, "-": standard input */
	const char *snapshots; /* NULL: none; they help to tell the zones */
	const char *zoneinfo;  /* NULL: none */
	uint32_t patches;      /* of the kernel that made it */
	bool patches_given;    /* false: found out from the recording */
};

struct trace_ops_report {
	struct replay_report replay; /* of reading; nothing in it is judged */
	uint64_t allocs, frees, ticks, drains;
	uint64_t before;  /* allocations put before the trace */
	uint64_t doubled; /* pages allocated again without a free between, which is then put in */
	uint32_t cpus;	  /* CPU numbers are below this */
	uint32_t slots;	  /* most slots in use at once */
};

/*
 * line: of the trace, 0: put in before it; outcome: blocks of the refill that the recorded allocation made, pages that
 * the recorded free, tick or drain gave back.  False ends the run early.
 */
typedef bool trace_ops_fn(void *ctx, const struct op *op, uint64_t line, int outcome);

/*
 * Reads the trace twice and hands over each operation.  Slots in frees are those that sim_exec() gives on a fresh
 * machine that runs these operations and no others.
 */
enum base_err trace_ops_run(const struct trace_ops_source *source, trace_ops_fn *fn, void *ctx,
			    struct trace_ops_report *report, struct diag *d);

/*
 * The machine that the trace was recorded on, as far as the model can run it: out of the zoneinfo or the first snapshot,
 * without either one of so many CPUs and 2 GiB.  The caller machine_free()s it.
 */
enum base_err trace_ops_machine(const struct trace_ops_source *source, uint32_t cpus,
				struct machine *machine, struct diag *d);

/* Is this text a trace?  One of its first lines is an event. */
bool trace_ops_is_trace(const char *text, size_t len);

/*
 * The whole trace in memory, like a file of operations: with the machine and the patch set of the kernel that made it.
 * Lines are those of the trace; CPUs that the zoneinfo does not have are folded into those that it has.
 */
enum base_err trace_ops_load(const struct trace_ops_source *source, struct kern_ops *ops,
			     struct diag *d);

/* "TRACE.snaps", where `watch --record` puts the snapshots, if that file is there; the caller's to free(), else NULL */
char *trace_snaps_beside(const char *trace);

/*
 * Writes operations as a file in the vectors' format, which names blocks by pfn: so they run on a machine beside it.
 */
struct trace_ops_writer;

/* patches: of the machine beside it, a set that the format has a name for; NULL and *d on failure */
struct trace_ops_writer *trace_ops_writer_new(FILE *out, const char *source,
					      const struct machine *machine, uint32_t patches,
					      struct diag *d);
bool trace_ops_write(struct trace_ops_writer *writer, const struct op *op);
/* frees of blocks that the machine beside it had no memory for are left out; how many */
uint64_t trace_ops_writer_free(struct trace_ops_writer *writer);

#endif

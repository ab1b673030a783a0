/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of a trace with a look ahead: a window of the last FLOW_WINDOW events, each linked to the next one of its
 * CPU.  A mm_page_free that a mm_page_free_batched of the same page follows is taken out and its order given to the
 * latter, because only there the page reaches its list.  Used by replay.c.
 */
#ifndef KERNEL_FLOW_H
#define KERNEL_FLOW_H

#include "trace.h"
#include "../base/diag.h"

#define FLOW_WINDOW (1u << 17)
#define FLOW_NONE UINT64_MAX

struct flow_event {
	struct trace_event ev;
	uint64_t line;	/* of the file, from 1 */
	uint64_t next;	/* number of the next event of the same CPU, FLOW_NONE: not read */
	uint64_t chain; /* internal: number of the earlier mm_page_free in the same bucket and 1 */
	bool taken;	/* already dealt with, together with an earlier one */
};

struct flow;

/* path: plain text, gzip, or "-" */
enum base_err flow_open(struct flow **flow, const char *path, struct diag *d);
void flow_close(struct flow *flow);

/*
 * The number of the oldest event that is still in the window, after filling the window from the file; FLOW_NONE at the
 * end or on a failure, which is then in *d with flow_failed() true.  Events are numbered from 0.
 */
uint64_t flow_first(struct flow *flow, struct diag *d);
bool flow_failed(const struct flow *flow);
const char *flow_name(const struct flow *flow); /* what faults call the file */

/* how many events are in the window */
uint64_t flow_count(const struct flow *flow);

/* an event in the window */
struct flow_event *flow_event(struct flow *flow, uint64_t number);

/* drops the oldest event */
void flow_drop(struct flow *flow);

const struct trace_stats *flow_stats(const struct flow *flow);

/* bytes of the file read so far and in all, for progress */
void flow_progress(const struct flow *flow, uint64_t *done, uint64_t *total);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kmem events out of trace text: the tracefs files trace and trace_pipe, `trace-cmd report` and `perf script`,
 * with the options that change a line's head.  One line in, one event out: nothing here allocates or keeps a line,
 * so a file of any length needs no memory.  Used by replay.c and by the verbs import, replay and watch.
 */
#ifndef KERNEL_TRACE_H
#define KERNEL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* enumerator, name in reports */
#define TRACE_KINDS(X)                                    \
	X(TRACE_ALLOC, "mm_page_alloc")                   \
	X(TRACE_FREE, "mm_page_free")                     \
	X(TRACE_FREE_BATCHED, "mm_page_free_batched")     \
	X(TRACE_ZONE_LOCKED, "mm_page_alloc_zone_locked") \
	X(TRACE_DRAIN, "mm_page_pcpu_drain")              \
	X(TRACE_EXTFRAG, "mm_page_alloc_extfrag")         \
	X(TRACE_MARK, "mark")                             \
	X(TRACE_LOST, "lost")

enum trace_kind {
#define X(id, name) id,
	TRACE_KINDS(X)
#undef X
		TRACE_KIND_N
};

/* why a line gave no event; enumerator, name in reports */
#define TRACE_SKIPS(X)                             \
	X(TRACE_SKIP_BLANK, "blank")               \
	X(TRACE_SKIP_COMMENT, "comment")           \
	X(TRACE_SKIP_HEADER, "header")             \
	X(TRACE_SKIP_CUT, "cut")                   \
	X(TRACE_SKIP_OTHER_EVENT, "other_event")   \
	X(TRACE_SKIP_UNKNOWN_TYPE, "unknown_type") \
	X(TRACE_SKIP_FAILED_ALLOC, "failed_alloc") \
	X(TRACE_SKIP_BAD_HEAD, "bad_head")         \
	X(TRACE_SKIP_BAD_FIELD, "bad_field")       \
	X(TRACE_SKIP_TOO_LONG, "too_long")         \
	X(TRACE_SKIP_NOT_TEXT, "not_text")

enum trace_skip {
#define X(id, name) id,
	TRACE_SKIPS(X)
#undef X
		TRACE_SKIP_N
};

enum trace_tool { TRACE_TOOL_UNKNOWN, TRACE_TOOL_TRACEFS, TRACE_TOOL_TRACE_CMD, TRACE_TOOL_PERF };

enum trace_mark { TRACE_MARK_OTHER, TRACE_MARK_SNAP_BEGIN, TRACE_MARK_SNAP_END };

#define TRACE_LINE_MAX 4096	   /* bytes; a longer line is skipped as too_long */
#define TRACE_CPU_MAX 8192	   /* CPU numbers are below this */
#define TRACE_PFN_MAX (1ULL << 40) /* page frame numbers are below this */

struct trace_event {
	uint64_t pfn;
	uint64_t time_ns;    /* nanoseconds, or the raw number where the clock has no unit */
	uint64_t lost;	     /* TRACE_LOST: number of events; 0: not told */
	int32_t cpu;	     /* -1: not told (a LOST line of some tools) */
	int32_t pid;	     /* -1: not told */
	uint8_t kind;	     /* enum trace_kind */
	uint8_t order;	     /* of the request; extfrag: alloc_order */
	uint8_t migratetype; /* of the request; extfrag: alloc_migratetype */
	uint8_t fallback_order;
	uint8_t fallback_migratetype;
	bool percpu_refill;
	bool change_ownership;
	bool kworker;	      /* the task is a kernel worker */
	bool kswapd;	      /* the task reclaims pages in the background */
	bool time_is_seconds; /* the clock has a unit */
	int8_t in_irq;	/* hard or soft interrupt: 1, 0, or -1 where the flags are not printed */
	int8_t preempt; /* preempt depth, -1 where the flags are not printed */
	uint8_t mark;	/* TRACE_MARK: enum trace_mark */
	uint32_t snap;	/* number of a snap-begin or snap-end mark */
};

/* counts over a file, and what its lines tell about the file itself */
struct trace_stats {
	uint64_t lines;
	uint64_t events[TRACE_KIND_N];
	uint64_t skipped[TRACE_SKIP_N];
	uint64_t lost_events; /* sum over LOST lines */
	uint64_t buffer_entries; /* "entries-in-buffer/entries-written", 0 where the file has no such line */
	uint64_t buffer_written;
	uint64_t first_bad_line; /* of bad_head, bad_field, too_long, not_text; 0: none */
	enum trace_skip first_bad;
	enum trace_tool tool;
};

/*
 * Reads one line (without its newline; it need not end in NUL).  True: *ev is filled.  False: the line was counted in
 * stats->skipped.
 */
bool trace_line(const char *line, size_t len, struct trace_event *ev, struct trace_stats *stats);

/* counts a line that the reader gave up on (too long, or with NUL bytes) */
void trace_line_skipped(struct trace_stats *stats, enum trace_skip why);

/* all events of a file, marks and losses excepted */
uint64_t trace_stats_events(const struct trace_stats *stats);

const char *trace_kind_name(enum trace_kind kind);
const char *trace_skip_name(enum trace_skip why);
const char *trace_tool_name(enum trace_tool tool);

#endif

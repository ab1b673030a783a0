/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replay of a recorded trace: what the model of the pagesets predicts against what the kernel did.
 *
 * One step ahead, the model is told each allocation and free and says whether it refills or drains a list and by how
 * much; after a difference it is put right from the recording, and the likely cause is counted.  Running free, it gets
 * the same operations and is never put right; its counts and highs are compared at the snapshots' marks.
 *
 * Called by cmd_replay.c and by tests.
 */
#ifndef KERNEL_REPLAY_H
#define KERNEL_REPLAY_H

#include <stdio.h>

#include "../base/diag.h"
#include "../base/json.h"
#include "trace.h"

/* why an event or an outcome is not judged; enumerator, name in reports */
#define REPLAY_SKIPS(X)                                     \
	X(REPLAY_SKIP_START_STATE, "start_state")           \
	X(REPLAY_SKIP_LOST, "after_loss")                   \
	X(REPLAY_SKIP_NO_ZONE, "no_zone")                   \
	X(REPLAY_SKIP_UNKNOWN_CPU, "unknown_cpu")           \
	X(REPLAY_SKIP_BYPASS_ORDER, "order_bypasses_lists") \
	X(REPLAY_SKIP_BYPASS_TYPE, "type_bypasses_lists")   \
	X(REPLAY_SKIP_DIRECT, "lock_not_taken")             \
	X(REPLAY_SKIP_BATCHED_TWICE, "free_told_again_in_batch")

enum replay_skip {
#define X(id, name) id,
	REPLAY_SKIPS(X)
#undef X
		REPLAY_SKIP_N
};

/* what explains a difference; enumerator, name in reports, sentence */
#define REPLAY_CAUSES(X)                                                                             \
	X(REPLAY_CAUSE_SILENT_LEAVE, "pages_left_without_event",                                     \
	  "pages had left the list without an event (bulk allocator)")                               \
	X(REPLAY_CAUSE_UNKNOWN_PAGE, "page_came_without_event",                                      \
	  "the list was empty for the model, yet a page came out of it (a refill without an event)") \
	X(REPLAY_CAUSE_ALLOC_FACTOR, "alloc_factor", "alloc_factor was another")                     \
	X(REPLAY_CAUSE_REFILL_CAP, "high_or_count_at_refill", "the room below high was another")     \
	X(REPLAY_CAUSE_ZONE_SHORT, "zone_had_fewer",                                                 \
	  "the zone gave fewer blocks than were asked for")                                          \
	X(REPLAY_CAUSE_FREE_COUNT, "free_count", "free_count was another")                           \
	X(REPLAY_CAUSE_COUNT_LOW, "count_low", "count was higher than the model's")                  \
	X(REPLAY_CAUSE_COUNT_HIGH, "count_high", "count was lower than the model's")                 \
	X(REPLAY_CAUSE_HIGH, "high", "high was another")                                             \
	X(REPLAY_CAUSE_TICK, "tick", "a tick that printed nothing had lowered high")                 \
	X(REPLAY_CAUSE_BELOW_HIGH, "below_high_flag", "the zone's below-high flag was another")      \
	X(REPLAY_CAUSE_RECLAIM, "reclaim_active", "kswapd was at work, or no longer")                \
	X(REPLAY_CAUSE_KEEP_BATCH, "keep_batch_flag", "the keep-a-batch flag was another")           \
	X(REPLAY_CAUSE_FREE_HIGH, "free_high",                                                       \
	  "whether an order 1..3 free empties the list was judged otherwise")                        \
	X(REPLAY_CAUSE_BLOCK_COUNT, "last_block", "the drain ended at another block of the list")

enum replay_cause {
#define X(id, name, text) id,
	REPLAY_CAUSES(X)
#undef X
		REPLAY_CAUSE_N
};

struct replay_tally {
	uint64_t recorded, same_event, same_size, model_only;
};

/* outcomes whose moment the recording gives, so that only their size is predicted */
struct replay_sizes {
	uint64_t recorded, same_size;
};

struct replay_marks {
	uint64_t compared, equal, high_equal;
};

struct replay_difference {
	bool there;
	uint64_t line; /* of the trace */
	bool refill;   /* else a drain */
	int32_t cpu;
	char zone[32];
	uint32_t node;
	uint32_t order;
	uint64_t recorded, model; /* blocks of a refill, pages of a drain; 0: none */
	enum replay_cause cause;
};

/* a list whose count or high at a snapshot's mark is not what the free run has; -1 where a snapshot tells neither */
struct replay_unequal {
	uint32_t snap;
	int32_t cpu;
	uint32_t node;
	char zone[32];
	int64_t count, high;
	int32_t model_count, model_high;
};

/* what the one-step run makes of the events: what the free run and `import trace` get */
enum replay_op_kind {
	REPLAY_OP_ALLOC,   /* n: blocks of the recorded refill, 0: none */
	REPLAY_OP_BULK,	   /* a refill by the bulk allocator; n: its blocks */
	REPLAY_OP_FREE,	   /* n: pages of the recorded drain, 0: none */
	REPLAY_OP_SILENT,  /* n blocks left the list without an event */
	REPLAY_OP_TICK,	   /* n: pages drained */
	REPLAY_OP_REMOTE,  /* a tick drained a remote node's list; n: pages */
	REPLAY_OP_REQUEST, /* a drain that somebody asked for; n: pages */
	REPLAY_OP_ZONE, /* the zone's free pages changed by n past the lists; pset: the zone's number */
	REPLAY_OP_ALLOCS, /* n allocations by events in a zone since the last mark; pset: the zone's number */
	REPLAY_OP_IN_FLIGHT, /* n pages whose allocation is told right behind the snapshot may have left before it */
	REPLAY_OP_LENGTH, /* a list holds n blocks at the mark that follows; order: its pindex */
	REPLAY_OP_SNAP_BEGIN, /* n: number of the snapshot */
	REPLAY_OP_SNAP_READ,  /* about now it was read */
	REPLAY_OP_SNAP_END,
	REPLAY_OP_LOST, /* events of that CPU were lost; pset: CPU or UINT32_MAX for all */
	REPLAY_OP_TIME, /* of the next operation; pset and n: high and low half of nanoseconds */
	REPLAY_OP_PAST, /* an allocation (n: 1) or a free (n: -1) that goes past the lists */
};

enum {
	REPLAY_OP_JUDGED = 1,	  /* the recorded outcome counts */
	REPLAY_OP_DECAY = 2,	  /* n ticks that drained nothing and only lowered high */
	REPLAY_OP_SINCE_MARK = 4, /* what left silently left after the last mark */
};

struct replay_op {
	uint64_t line;	  /* of the trace */
	uint64_t time_ns; /* 0: the clock has no unit */
	int32_t n;
	uint32_t cpu, zone; /* zone: number among the populated ones of the zoneinfo */
	uint8_t kind, order, type, flags;
};

struct replay_options {
	const char *trace;     /* path, "-": standard input */
	const char *snapshots; /* NULL: none */
	const char *zoneinfo;  /* NULL: none */
	uint32_t patches;      /* of core/patch.h */
	bool patches_given;    /* false: found out from the recording */
	unsigned int breaks;   /* enum pcpmodel_break: for tests */
	int64_t fraction;      /* percpu_pagelist_high_fraction, 0: found out, -1: none */
	uint64_t events_max;   /* end after so many; 0: never */
	bool ops_only;	       /* no second run, only the operations */
	/* called with each operation; note: a word of memory for each page, 0 at first, NULL where no page is meant */
	void (*sink)(void *ctx, const struct replay_op *op, uint32_t *note);
	void *sink_ctx;
	void (*progress)(void *ctx, uint64_t done, uint64_t total); /* NULL: none */
	void *progress_ctx;
	/* called with each difference one step ahead, and then with each unequal list at a mark; NULL: not wanted */
	void (*differ)(void *ctx, const struct replay_difference *difference);
	void (*unequal)(void *ctx, const struct replay_unequal *unequal);
	void *differ_ctx;
};

struct replay_report {
	struct trace_stats trace;
	uint64_t events, ops;
	uint64_t skipped[REPLAY_SKIP_N];
	struct replay_tally refills, drains;	       /* one step ahead */
	struct replay_tally free_refills, free_drains; /* running free from mark to mark */
	struct replay_tally whole_refills,
		whole_drains; /* running free from one end to the other */
	struct replay_sizes ticks, remote, requests, bulk; /* one step ahead */
	struct replay_marks
		marks; /* all lists of zones with traffic, as far as silence explains them */
	struct replay_marks whole_marks;  /* of the run that no mark puts right */
	struct replay_marks marks_active; /* of them those with an operation since the mark before */
	/*
	 * By events alone: what was predicted.  A count or high is equal that the model had at any moment between the
	 * marks of the snapshot, or without the page whose allocation a CPU other than the reader's tells right behind.
	 */
	struct replay_marks marks_traced;
	struct replay_marks
		marks_traced_active; /* of them those with an operation since the mark before */
	uint64_t silent_inferred; /* allocations without an event, told by a snapshot's numa_hit */
	uint64_t ticks_inferred;  /* ticks that drained nothing, told by a snapshot's high */
	uint64_t causes[REPLAY_CAUSE_N];
	struct replay_difference first;
	uint32_t patches;
	const char *patches_by; /* how the patch set was found */
	bool patches_unsure;	/* the recording leaves others that predict as well */
	bool machine_known;
	int64_t fraction;
	uint64_t keep_off; /* pagesets whose keep-a-batch flag turned out to be off */
	uint64_t psets_used;
	uint64_t snapshots;
	uint64_t lost_events; /* told by LOST lines or by the buffer's figures */
	uint64_t cuts;
};

enum base_err replay_run(const struct replay_options *opt, struct replay_report *report,
			 struct diag *d);

/* into an open object */
void replay_write_json(const struct replay_report *report, struct base_json *json);
void replay_write_text(const struct replay_report *report, FILE *out);

/* one of either list: an object, a line */
void replay_difference_json(const struct replay_difference *difference, struct base_json *json);
void replay_unequal_json(const struct replay_unequal *unequal, struct base_json *json);
void replay_write_difference(const struct replay_difference *difference, FILE *out);
void replay_write_unequal(const struct replay_unequal *unequal, FILE *out);

/* of them what was skipped: an object for an open key; lines */
void replay_skipped_json(const struct replay_report *report, struct base_json *json);
void replay_write_skipped(const struct replay_report *report, FILE *out);

const char *replay_cause_name(enum replay_cause cause);
const char *replay_skip_name(enum replay_skip skip);

#endif

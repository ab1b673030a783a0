/* SPDX-License-Identifier: GPL-2.0-only */
/* What replay.c, replay_fix.c and replay_free.c share; nobody else includes it. */
#ifndef KERNEL_REPLAY_INT_H
#define KERNEL_REPLAY_INT_H

#include "pcpmodel.h"
#include "replay.h"

/* an operation in the temporary file that the free run reads */
struct replay_record {
	int32_t n;
	uint32_t pset;
	uint8_t kind, order, type, flags;
};

/* start of a list, told by what the one-step run saw */
struct replay_start {
	int32_t blocks;
	int8_t alloc_factor; /* of the pageset at the list's first refill, -1: not told */
};

/* what the one-step run tells the free run besides the operations */
struct replay_given {
	struct replay_start *starts; /* [pageset * PCPMODEL_LISTS + pindex] */
	uint8_t *keep_off;	     /* [pageset]: its keep-a-batch flag turned out to be off */
	uint8_t *zone_used;	     /* [zone] */
};

/*
 * The second run, over the operations in ops (rewound by it).  whole: from one end to the other; else from mark to mark,
 * where it takes counts, highs and lists as recorded.
 */
enum base_err replay_free_run(const struct pcpmodel_machine *machine, const struct snaps *snaps,
			      const struct replay_options *opt, const struct replay_given *given,
			      FILE *ops, bool whole, struct replay_report *report, struct diag *d);

enum replay_growth { REPLAY_REFILLS_UNKNOWN, REPLAY_REFILLS_GROW, REPLAY_REFILLS_STEADY };

/*
 * Fills patches, patches_by and patches_unsure of the report.  The beginning of the trace is read again for each set
 * that is tried.
 */
void replay_guess(const struct replay_options *opt, const struct snaps *snaps,
		  const struct kern_dump *zoneinfo, enum replay_growth growth,
		  struct replay_report *report);

/* does a fixed high of this fraction predict the beginning of the trace at least as well as a tuned one? */
bool replay_fraction_predicts(const struct replay_options *opt, uint32_t patches, int64_t fraction);

/* one prediction against the recording, after which the model is put right */
struct replay_fix {
	struct pcpmodel *model;
	struct per_cpu_pages *pcp; /* as it was before the operation */
	struct zone *zone;
	uint32_t order;
	int recorded, predicted;
	int last_order; /* of the recorded drain's last block */
	int limit;
	bool free_high;
	bool kswapd;	     /* it is kswapd itself that frees, so it is at work */
	uint8_t *raises;     /* how often in a row high was raised */
	bool below_possible; /* an allocation may have set the below-high flag since the free before */
	uint32_t ticks_most; /* how many ticks can have passed since high was known */
	uint32_t ticks;	     /* out: how many of them, without a trace, explain the drain */
};

/* the least shift, up to the cap, with which a batch reaches n blocks or pages */
int replay_shift_of(int n, int batch);

enum replay_cause replay_fix_refill(struct replay_fix *fix, const struct per_cpu_pages *before);
enum replay_cause replay_fix_drain(struct replay_fix *fix, const struct per_cpu_pages *before);

#endif

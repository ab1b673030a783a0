/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which patch set a recorded kernel had, where nobody says it: what the snapshots and the lengths of refills show, and
 * among the sets that they leave, the one whose predictions over the trace's first part differ least.
 */
#include <string.h>

#include "replay_int.h"

/* events of the trace's beginning that the sets are tried on */
#define GUESS_EVENTS 250000

#define GUESS_SETS_MAX 4

/* a set that may be the kernel's, the likelier first, and what is said of it when it is chosen */
struct candidate {
	uint32_t patches;
	const char *by, *unsure;
};

/*
 * High of a list is the same on all CPUs, and never 0, until the series lets each list have its own: the lists of a zone
 * with several CPUs tell.  *highs: the lists that had a say.
 */
static bool tuned_by_highs(const struct snaps *snaps, const struct kern_dump *zoneinfo,
			   size_t *highs)
{
	size_t i, zi, c;

	for (i = 0; i < snaps->nr + (zoneinfo != NULL); i++) {
		const struct kern_dump *d = i < snaps->nr ? snaps->items[i].dump : zoneinfo;

		for (zi = 0; zi < d->nr_zones; zi++) {
			const struct kern_zone *kz = &d->zones[zi];

			for (c = 0; c < kz->nr_cpus; c++) {
				int64_t high = kz->cpus[c].v[KERN_CF_high];

				if (kern_zone_pages(kz) <= 0 || high == KERN_NONE) {
					continue;
				}
				++*highs;
				if (!high || high != kz->cpus[0].v[KERN_CF_high]) {
					return true;
				}
			}
		}
	}
	return false;
}

/* how badly the set predicts the first events; UINT64_MAX: it could not be tried */
static uint64_t badness(const struct replay_options *opt, uint32_t patches, int64_t fraction)
{
	struct replay_options trial = *opt;
	struct replay_report report;
	struct diag d;

	trial.patches = patches;
	trial.patches_given = true;
	trial.fraction = fraction;
	trial.ops_only = true;
	trial.events_max = GUESS_EVENTS;
	trial.sink = NULL;
	trial.differ = NULL;
	trial.unequal = NULL;
	trial.progress = NULL;
	if (replay_run(&trial, &report, &d) != BASE_ERR_OK) {
		return UINT64_MAX;
	}
	return report.refills.recorded - report.refills.same_size + report.refills.model_only +
	       report.drains.recorded - report.drains.same_size + report.drains.model_only;
}

/* the best of these; known: which of them it is follows from the figures, if these do not tie */
static void choose(const struct replay_options *opt, const struct candidate *c, size_t nr,
		   bool known, struct replay_report *report)
{
	uint64_t bad[GUESS_SETS_MAX];
	bool tried = nr > 1 && strcmp(opt->trace, "-") != 0, unsure = nr > 1 && !(tried && known);
	size_t i, best = 0;

	for (i = 0; tried && i < nr; i++) {
		bad[i] = badness(opt, c[i].patches, opt->fraction);
		best = bad[i] < bad[best] ? i : best;
	}
	for (i = 0; tried && i < nr; i++) {
		unsure = unsure || (i != best && bad[i] == bad[best]);
	}
	report->patches = c[best].patches;
	report->patches_by = unsure ? c[best].unsure : c[best].by;
	report->patches_unsure = unsure;
}

void replay_guess(const struct replay_options *opt, const struct snaps *snaps,
		  const struct kern_dump *zoneinfo, enum replay_growth growth,
		  struct replay_report *report)
{
	const uint32_t v3 = patch_level(SERIES_V3, patch_count(SERIES_V3)),
		       nikhil = v3 | PATCH_BIT(P_NIKHIL),
		       capped = PATCH_BIT(P_SCALE_CAP) | PATCH_BIT(P_SERIES_V3),
		       base = PATCH_BIT(P_SERIES_V3);
	const struct candidate limits[] = {
		{ nikhil,
		  "zoneinfo has high_min, and the threshold of 6.16 for free_high predicts best",
		  "zoneinfo has high_min: 6.14 or later; taken for 6.16 or later" },
		{ v3,
		  "zoneinfo has high_min, and the threshold before 6.16 for free_high predicts best",
		  "zoneinfo has high_min: 6.14 or later; taken for before 6.16" },
	};
	const struct candidate tuned[] = {
		{ v3, "high is tuned list by list, and zoneinfo has no high_min: 6.7 to 6.13",
		  NULL },
	};
	const struct candidate grown[] = {
		{ v3,
		  "refills grow: 6.7 or later; the threshold before 6.16 for free_high predicts best",
		  "refills grow: 6.7 or later; taken for before 6.16" },
		{ nikhil,
		  "refills grow: 6.7 or later; the threshold of 6.16 for free_high predicts best",
		  "refills grow: 6.7 or later; taken for 6.16 or later" },
	};
	const struct candidate old[] = {
		{ capped,
		  "high is not tuned and refills do not grow: before 6.7; drains have patch 4's cap",
		  "high is not tuned and refills do not grow: before 6.7; taken with patch 4's cap, as in 6.1 stable" },
		{ base, "high is not tuned and refills do not grow: before 6.7; drains have no cap",
		  "high is not tuned and refills do not grow: before 6.7; taken without a cap" },
	};
	const struct candidate any[] = {
		{ v3, NULL, "no snapshot, and too few refills to tell; taken for 6.7 or later" },
		{ capped, NULL, "no snapshot, and too few refills to tell; taken for before 6.7" },
		{ base, NULL, "no snapshot, and too few refills to tell; taken for before 6.7" },
	};
	const struct kern_dump *dump = zoneinfo	 ? zoneinfo :
				       snaps->nr ? snaps->items[0].dump :
						   NULL;
	size_t highs = 0;
	bool tuned_highs = dump && tuned_by_highs(snaps, zoneinfo, &highs);

	if (dump && (dump->cpu_fields & 1u << KERN_CF_high_min)) {
		choose(opt, limits, 2, true, report);
	} else if (tuned_highs || (dump && growth == REPLAY_REFILLS_GROW)) {
		choose(opt, tuned, 1, true, report);
	} else if (growth == REPLAY_REFILLS_GROW) {
		choose(opt, grown, 2, true, report);
	} else if (growth == REPLAY_REFILLS_STEADY || highs > 1) {
		choose(opt, old, 2, true, report);
	} else {
		/* without limits a set of more freedom predicts better, right or wrong */
		choose(opt, any, 3, false, report);
	}
}

bool replay_fraction_predicts(const struct replay_options *opt, uint32_t patches, int64_t fraction)
{
	return strcmp(opt->trace, "-") == 0 ||
	       badness(opt, patches, fraction) <= badness(opt, patches, -1);
}

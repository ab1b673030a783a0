/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the common options make of a command's machine: --machine, --set, --series, --patches and --seed, in this order
 * over what the scenario, the operation file or the import gave; and the bounds --max-ops and --timeout. Every command
 * that creates machines goes through here, so that the options mean the same everywhere. A command takes the options by
 * `.common = SETUP_COMMON | ...` in its table. A series or a set from the config file is no more than a default: it never
 * overrides what a scenario says.
 */
#ifndef SETUP_H
#define SETUP_H

#include "core/machine.h"
#include "core/patch.h"
#include "scenario/scenario.h"
#include "verb.h"

/* What makes the machine, and the bounds of a run. A command takes only what it heeds: tests/check_options.sh. */
#define SETUP_MACHINE                                                                        \
	(COMMON_BIT(MACHINE) | COMMON_BIT(PATCHES) | COMMON_BIT(SERIES) | COMMON_BIT(SEED) | \
	 COMMON_BIT(SET) | COMMON_BIT(COLOR))
#define SETUP_COMMON (SETUP_MACHINE | COMMON_BIT(MAX_OPS) | COMMON_BIT(TIMEOUT) | COMMON_BIT(JSON))

/* The options of scn_load() as the command line has them, with expressions wired in. *o is filled whole. */
void setup_scenario(const struct call *call, struct scn_options *o);

/*
 * The same for a machine that is there already (machine_init() for the default one): changes and finishes *m, and
 * *patches, a closed set or SETUP_PATCHES_ALL for all of the series. Returns 0, or the exit status with all faults
 * printed; then *m is still to be freed.
 */
#define SETUP_PATCHES_ALL UINT32_MAX
int setup_machine(const struct call *call, struct machine *m, u32 *patches);

/* The same by options that are not, or not all, the command line's. */
int setup_machine_of(const struct call *call, const struct scn_options *o, struct machine *m,
		     u32 *patches);
/* And without a word: all faults in @ds; *also_on: what the set needed beside what was named. */
enum base_err setup_machine_by(const struct scn_options *o, struct machine *m, u32 *patches,
			       u32 *also_on, struct diags *ds);

/* --series, or what stands in its place. */
enum series setup_series(const struct call *call, enum series otherwise);

/* A set as --patches takes it. Returns 0, or the exit status with the fault printed; `what` is how messages call it. */
int setup_parse_set(const struct call *call, const char *what, const char *text, enum series series,
		    u32 *set);
/* One entry of --levels. */
int setup_parse_level(const struct call *call, const char *text, enum series series, u32 *set);

/* Tells on stderr what a set needed beside what was named. `also_on`: a mask of patches. */
void setup_tell_also_on(enum series series, u32 also_on);

/* --max-ops and --timeout; both 0 if not given. */
struct setup_bounds {
	u64 max_ops;
	u64 deadline_ns;
};

void setup_bounds_begin(const struct call *call, struct setup_bounds *b);
/* Is the time over? Asks the clock each time. */
bool setup_is_late(const struct setup_bounds *b);

#endif

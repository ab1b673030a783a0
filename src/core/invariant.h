/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The invariants of mm_types.h, checked: cheap ones at each step, all of them
 * in a walk over the whole machine. A broken one is a bug of ours and panics
 * with the values. Private to core; sim_check() is in sim.h.
 */
#ifndef PAGESET_CORE_INVARIANT_H
#define PAGESET_CORE_INVARIANT_H

#include "arena.h"

/* O(1): what the acting CPU's pagesets and the zones' scalars must obey at any step. */
void inv_step(struct sim *sim);
/* After an op: the full walk on small machines, else every 64 ops. */
void sim_check_after_op(struct sim *sim);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is counted once an operation. Simulated time: a clock for each CPU in
 * picoseconds; every operation costs the CPU that executes it a fixed time. Figures
 * that are sampled over operations. Private to core.
 */
#ifndef PAGESET_CORE_CLOCK_H
#define PAGESET_CORE_CLOCK_H

#include "arena.h"

/* What an operation costs, whatever it does. */
enum { CLOCK_OP_PS = 60000 };

/* The executing CPU has done an operation. */
static inline void clock_charge(struct sim *sim)
{
	*sim->this_cpu.clock_ps += CLOCK_OP_PS;
}

/* After an operation: the figures that are sampled over operations, the time. */
static inline void op_account(struct sim *sim)
{
	struct sim_state *st = sim->state;

	st->ops++;
	st->pcp_pages_sum += st->pcp_pages;
	if (st->pcp_pages > st->pcp_pages_max)
		st->pcp_pages_max = st->pcp_pages;
	clock_charge(sim);
}

#endif

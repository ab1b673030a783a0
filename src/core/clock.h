/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulated time: a clock for each CPU in picoseconds. Every operation costs
 * the CPU that executes it a fixed time.
 */
#ifndef PAGESET_CORE_CLOCK_H
#define PAGESET_CORE_CLOCK_H

#include "arena.h"

/* What an operation costs, whatever it does. */
enum { CLOCK_OP_PS = 60000 };

static inline void clock_charge(struct sim *sim, u32 cpu)
{
	sim->clock_ps[cpu] += CLOCK_OP_PS;
}

#endif

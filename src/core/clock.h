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

/* The executing CPU has done an operation. */
static inline void clock_charge(struct sim *sim)
{
	*sim->this_cpu.clock_ps += CLOCK_OP_PS;
}

#endif

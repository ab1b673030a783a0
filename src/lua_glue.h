/* SPDX-License-Identifier: GPL-2.0-only */
/* Lua and tasks steps of scenarios, done by src/script on the scenario's timeline. */
#ifndef LUA_GLUE_H
#define LUA_GLUE_H

#include "scenario/scenario.h"
#include "script/script.h"

/* How long steps may take: the ctx of the hooks. */
struct lua_glue_time {
	u64 deadline_ns; /* on CLOCK_MONOTONIC, for all steps together; 0: none */
	u64 step_ns;	 /* for one step, where there is no deadline; 0: no bound */
};

extern const struct scn_hooks lua_glue;

/* The machine of a timeline as a script drives it. */
struct script_drive lua_glue_drive(struct timeline *tl);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* What script.c needs of the sim module. Inside src/script only. */
#ifndef PAGESET_SCRIPT_MODULE_H
#define PAGESET_SCRIPT_MODULE_H

#include <lua.h>

/* Registry key of the table behind the frozen sim. */
#define SIM_TABLE "pageset.sim"
#define TASK_META "pageset.task"
#define CSV_META "pageset.csv"

/* Open the module in a box's state. */
void script_open_sim(lua_State *L);
void script_open_compare(lua_State *L);
/* Methods of a machine, a task ('t') or a CSV file ('c'), for completion. */
void script_api_methods(char kind, void (*add)(void *ctx, const char *word), void *ctx);

#endif

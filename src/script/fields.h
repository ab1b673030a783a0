/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * m.cpu[0].high: fields of a machine as Lua sees them. A part of a path is a small
 * userdata; the last name gives the value, nil if the patch set lacks the field.
 * Inside src/script only.
 */
#ifndef PAGESET_SCRIPT_FIELDS_H
#define PAGESET_SCRIPT_FIELDS_H

#include "box.h"
#include "core/field.h"

/* How a path finds its machine: raises if it is gone. */
typedef const struct sim *(*script_sim_of)(lua_State *L, void *owner, int *default_zone);

/* Create the metatable; once for a state. */
void script_fields_open(lua_State *L);
/* Does a path begin with this name (cpu, zone, node, stats)? */
bool script_fields_root(const char *name);
/*
 * Push the part that begins with the root @name. @owner_idx: the value that owns
 * the machine, kept alive (0: none).
 */
void script_fields_push(lua_State *L, script_sim_of sim_of, void *owner, int owner_idx,
			const char *name);
/* All counters of a machine as a table: pushes it. */
void script_push_stats(lua_State *L, const struct sim *sim);
/* The names that may follow a part of a path, such as "cpu[0]." */
void script_fields_complete(const char *path, void (*add)(void *ctx, const char *word), void *ctx);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* The Lua-callable functions of api.def, one declaration each. Inside src/script only. */
#ifndef PAGESET_SCRIPT_API_H
#define PAGESET_SCRIPT_API_H

#include <lua.h>

#define API(group, name, function, args, result, help, example) int function(lua_State *L);
#include "api.def"
#undef API

/* Metamethods of the userdata. */
int l_machine_gc(lua_State *L);
int l_machine_index(lua_State *L);
int l_machine_newindex(lua_State *L);
int l_machine_tostring(lua_State *L);
int l_task_tostring(lua_State *L);
int l_csv_gc(lua_State *L);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* sim.hunt */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "hunt.h"
#include "machines.h"

/* Sets of the list under: at the top of the stack. */
static void hunt_sets(lua_State *L, struct script_hunt *hunt, enum series series)
{
	lua_Integer n;

	if (!lua_istable(L, -1) || (n = luaL_len(L, -1)) < 1 || n > 2) {
		luaL_error(L, "hunt: under is a list of one or two levels, such as {\"none\", 1}");
		return;
	}
	hunt->nr_sets = (u32)n;
	for (lua_Integer i = 1; i <= n; i++) {
		enum series own = series;

		lua_geti(L, -1, i);
		/* "v3:all" is of another series. */
		if (lua_type(L, -1) == LUA_TSTRING) {
			const char *s = lua_tostring(L, -1);

			if (strncmp(s, "v2:", 3) == 0 || strncmp(s, "v3:", 3) == 0) {
				own = s[1] == '3' ? SERIES_V3 : SERIES_V2;
				lua_pushstring(L, s + 3);
				lua_remove(L, -2);
			}
		}
		hunt->sets[i - 1] = script_check_level(L, -1, own);
		lua_pop(L, 1);
	}
}

static void hunt_args(lua_State *L, struct script_hunt *hunt)
{
	static const char *const known[] = { "expr", "under", "machine", "series",
					     "seed", "tries", NULL };
	enum series series = script_box_of(L)->series;

	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 1);
	lua_pushnil(L);
	while (lua_next(L, 1)) {
		bool ok = false;

		for (int i = 0; known[i]; i++)
			ok |= lua_type(L, -2) == LUA_TSTRING &&
			      strcmp(known[i], lua_tostring(L, -2)) == 0;
		if (!ok)
			script_unknown_key(L, "hunt", script_tostring(L, -2, NULL), known);
		lua_pop(L, 1);
	}
	if (lua_getfield(L, 1, "series") != LUA_TNIL)
		series = script_check_series(L, -1);
	if (lua_getfield(L, 1, "seed") != LUA_TNIL)
		hunt->seed = (u64)luaL_checkinteger(L, -1);
	if (lua_getfield(L, 1, "tries") != LUA_TNIL)
		hunt->tries = (u64)script_check_range(L, -1, "tries", 1, 10000000);
	if (lua_getfield(L, 1, "under") == LUA_TNIL)
		luaL_error(L, "hunt: under is missing, as in under = {\"none\", 1}");
	hunt_sets(L, hunt, series);
	if (lua_getfield(L, 1, "expr") != LUA_TSTRING)
		luaL_error(L, "hunt: expr is missing, as in expr = \"stats.free_high\"");
	hunt->expr = lua_tostring(L, -1); /* stays on the stack */
}

/* The machine that a table describes, built once to read its description off; at the top. */
static const struct machine *push_description(lua_State *L)
{
	struct script_machine *m;

	if (lua_getfield(L, 1, "machine") == LUA_TNIL) {
		lua_createtable(L, 0, 3);
		lua_pushinteger(L, 2);
		lua_setfield(L, -2, "cpus");
		lua_pushliteral(L, "64MiB");
		lua_setfield(L, -2, "memory");
		lua_pushliteral(L, "1MiB");
		lua_setfield(L, -2, "data_cache");
	}
	luaL_checktype(L, -1, LUA_TTABLE);
	m = script_push_machine(L);
	script_machine_build(L, lua_gettop(L) - 1, m);
	return sim_machine(m->sim);
}

int l_sim_hunt(lua_State *L)
{
	struct script_hunt hunt = { .seed = script_box_of(L)->seed };
	struct script_hunt_result result;
	struct script_fault fault;

	hunt_args(L, &hunt);
	hunt.machine = push_description(L);
	script_charge(L, (hunt.tries ? hunt.tries : SCRIPT_HUNT_TRIES) * 1000);
	if (!script_hunt_run(&hunt, &result, &fault))
		return luaL_error(L, "hunt: %s", fault.message);
	if (!result.found) {
		lua_pushnil(L);
		lua_pushfstring(L, "no difference in %I sequences", (lua_Integer)result.tried);
		return 2;
	}
	lua_createtable(L, 0, 4);
	lua_pushinteger(L, result.nr_ops);
	lua_setfield(L, -2, "ops");
	lua_pushinteger(L, (lua_Integer)result.tried);
	lua_setfield(L, -2, "tried");
	lua_pushstring(L, result.yaml);
	lua_setfield(L, -2, "yaml");
	free(result.yaml);
	lua_newtable(L);
	for (u32 s = 0; s < hunt.nr_sets; s++) {
		lua_pushstring(L, result.values[s]);
		lua_rawseti(L, -2, (lua_Integer)s + 1);
	}
	lua_setfield(L, -2, "values");
	return 1;
}

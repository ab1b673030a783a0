/* SPDX-License-Identifier: GPL-2.0-only */
/* sim.compare(): one workload under several patch sets. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "fields.h"
#include "machines.h"
#include "module.h"

#define RESULT_META "pageset.comparison"

struct compare_args {
	enum series series;
	lua_Integer seed;
	struct script_ops base; /* of the first level */
	s64 differs_at;		/* first operation that differs, -1 none */
	int differs_row;
};

static int l_compare_args_gc(lua_State *L)
{
	struct compare_args *a = lua_touserdata(L, 1);

	free(a->base.ops);
	a->base.ops = NULL;
	return 0;
}

static struct compare_args *push_args(lua_State *L)
{
	struct compare_args *a = lua_newuserdatauv(L, sizeof(*a), 0);

	memset(a, 0, sizeof(*a));
	a->differs_at = -1;
	lua_newtable(L);
	lua_pushcfunction(L, l_compare_args_gc);
	lua_setfield(L, -2, "__gc");
	lua_setmetatable(L, -2);
	return a;
}

/* Check the keys; the list of levels is left at the top. Stack: 1 the options. */
static void compare_options(lua_State *L, struct compare_args *a)
{
	static const char *const known[] = {
		"levels", "workload", "machine", "series", "seed", NULL
	};
	static const int v2[] = { 0, 1, 3, 5, 7, 9, 10 }, v3[] = { 0, 1, 3, 5, 7, 8, 9 };

	lua_pushnil(L);
	while (lua_next(L, 1)) {
		bool ok = false;

		for (int i = 0; known[i]; i++)
			ok |= lua_type(L, -2) == LUA_TSTRING &&
			      strcmp(known[i], lua_tostring(L, -2)) == 0;
		if (!ok)
			script_unknown_key(L, "compare", script_tostring(L, -2, NULL), known);
		lua_pop(L, 1);
	}
	if (lua_getfield(L, 1, "workload") != LUA_TFUNCTION)
		luaL_error(L, "compare: workload is missing, as in workload = function(m) ... end");
	if (lua_getfield(L, 1, "machine") != LUA_TNIL && !lua_istable(L, -1))
		luaL_error(L, "compare: machine is a table, as sim.machine takes it");
	a->series = script_box_of(L)->series;
	if (lua_getfield(L, 1, "series") != LUA_TNIL)
		a->series = script_check_series(L, -1);
	a->seed = (lua_Integer)script_box_of(L)->seed;
	if (lua_getfield(L, 1, "seed") != LUA_TNIL)
		a->seed = luaL_checkinteger(L, -1);
	lua_pop(L, 4);
	if (lua_getfield(L, 1, "levels") == LUA_TNIL) {
		lua_pop(L, 1);
		lua_newtable(L);
		for (size_t i = 0; i < ARRAY_SIZE(v2); i++) {
			lua_pushinteger(L, a->series == SERIES_V3 ? v3[i] : v2[i]);
			lua_rawseti(L, -2, (lua_Integer)i + 1);
		}
	} else if (!lua_istable(L, -1)) {
		luaL_error(L, "compare: levels is a list, such as {\"base\", 1, 3, \"[1-7,10]\"}");
	}
}

/* A machine as the options have it, with the patch set of the level; at the top. */
static struct script_machine *push_compared(lua_State *L, u32 set)
{
	struct script_machine *m;
	char text[PATCH_TEXT_MAX];
	int options;

	lua_newtable(L);
	options = lua_gettop(L);
	if (lua_getfield(L, 1, "machine") == LUA_TTABLE) {
		lua_pushnil(L);
		while (lua_next(L, -2)) {
			lua_pushvalue(L, -2);
			lua_insert(L, -2);
			lua_settable(L, options);
		}
	}
	lua_settop(L, options);
	lua_pushstring(L, patch_series(set) == SERIES_V3 ? "v3" : "v2");
	lua_setfield(L, options, "series");
	lua_pushstring(L, patch_set_format(set, text));
	lua_setfield(L, options, "patches");
	m = script_push_machine(L);
	script_machine_build(L, options, m);
	lua_remove(L, options);
	return m;
}

/* The row of a finished run: level, set, counters. Stack: ... level machine -> row */
static void push_row(lua_State *L, struct script_machine *m)
{
	char text[PATCH_TEXT_MAX];

	script_push_stats(L, m->sim);
	luaL_tolstring(L, -3, NULL);
	/* Level 0 is the base. */
	if (strcmp(lua_tostring(L, -1), "0") == 0) {
		lua_pop(L, 1);
		lua_pushliteral(L, "base");
	}
	lua_setfield(L, -2, "level");
	lua_pushstring(L, patch_set_format(sim_patches(m->sim), text));
	lua_setfield(L, -2, "patches");
	lua_pushboolean(L, patch_set_is_constructed(sim_patches(m->sim)));
	lua_setfield(L, -2, "constructed");
}

/* Run the workload on the machine at the top, then the tasks that it left. */
static void run_workload(lua_State *L, struct script_machine *m, struct compare_args *a,
			 lua_Integer row)
{
	struct script_ops record = { .against = row > 1 ? &a->base : NULL, .differs_at = -1 };

	script_rand_seed(script_box_of(L), (u64)a->seed);
	m->record = row > 1 ? &record : &a->base;
	lua_getfield(L, 1, "workload");
	lua_pushvalue(L, -2);
	lua_pushvalue(L, -4);
	if (lua_pcall(L, 2, 0, 0)) {
		m->record = NULL;
		lua_error(L);
	}
	if (m->nr_tasks) {
		lua_pushcfunction(L, l_machine_run);
		lua_pushvalue(L, -2);
		if (lua_pcall(L, 1, 0, 0)) {
			m->record = NULL;
			lua_error(L);
		}
	}
	m->record = NULL;
	if (row > 1 && record.differs_at < 0 && record.nr != a->base.nr)
		record.differs_at = (s64)(record.nr < a->base.nr ? record.nr : a->base.nr);
	if (record.differs_at >= 0 && a->differs_at < 0) {
		a->differs_at = record.differs_at;
		a->differs_row = (int)row;
	}
}

static void finish_result(lua_State *L, int result, const struct compare_args *a)
{
	lua_pushstring(L, a->differs_at < 0 ? "same" : "re-run");
	lua_setfield(L, result, "ops");
	if (a->differs_at >= 0) {
		lua_newtable(L);
		lua_pushinteger(L, a->differs_at);
		lua_setfield(L, -2, "op");
		lua_geti(L, result, a->differs_row);
		lua_getfield(L, -1, "level");
		lua_setfield(L, -3, "level");
		lua_pop(L, 1);
		lua_setfield(L, result, "first_difference");
	}
	luaL_setmetatable(L, RESULT_META);
}

int l_sim_compare(lua_State *L)
{
	struct compare_args *a;
	lua_Integer n;
	int levels, result;

	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 1);
	a = push_args(L);
	compare_options(L, a);
	levels = lua_gettop(L);
	n = luaL_len(L, levels);
	if (n < 1 || n > 200)
		return luaL_error(L, "compare: 1 to 200 levels were expected");
	lua_newtable(L);
	result = lua_gettop(L);
	for (lua_Integer i = 1; i <= n; i++) {
		struct script_machine *m;
		u32 set;

		lua_geti(L, levels, i);
		/* 0 is the base, as in the default list. */
		if (lua_isinteger(L, -1) && lua_tointeger(L, -1) == 0)
			set = patch_level(a->series, 0);
		else
			set = script_check_level(L, -1, a->series);
		m = push_compared(L, set);
		run_workload(L, m, a, i);
		push_row(L, m);
		lua_rawseti(L, result, i);
		script_machine_close(m);
		lua_settop(L, result);
	}
	finish_result(L, result, a);
	return 1;
}

static int l_result_tostring(lua_State *L)
{
	static const char *const columns[] = { "level",		 "alloc_zone",
					       "refills",	 "bulk_frees",
					       "free_high",	 "zone_lock_holds",
					       "hold_pages_max", "pages_in_pagesets_max" };

	lua_settop(L, 1);
	lua_pushcfunction(L, l_sim_table);
	lua_pushvalue(L, 1);
	lua_newtable(L);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		lua_pushstring(L, columns[i]);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	lua_call(L, 2, 1);
	lua_pushliteral(L, "ops: ");
	lua_getfield(L, 1, "ops");
	if (lua_getfield(L, 1, "first_difference") == LUA_TTABLE) {
		lua_getfield(L, -1, "op");
		lua_getfield(L, -2, "level");
		lua_pushfstring(L, " (first difference: operation %I at level %s)",
				lua_tointeger(L, -2), lua_tostring(L, -1));
		lua_replace(L, -4);
		lua_pop(L, 2);
	} else {
		lua_pop(L, 1);
		lua_pushliteral(L, "");
	}
	lua_concat(L, 4);
	return 1;
}

void script_open_compare(lua_State *L)
{
	luaL_newmetatable(L, RESULT_META);
	lua_pushcfunction(L, l_result_tostring);
	lua_setfield(L, -2, "__tostring");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_pop(L, 1);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* sim.expect.*, and small helpers of sim. */
#include <math.h>
#include <string.h>

#include "api.h"
#include "machines.h"

/* Raise "expected ...: got, wanted" with the script's own message in front. */
static int fail_expectation(lua_State *L, int message, const char *relation)
{
	const char *a = script_tostring(L, 1, NULL), *b = script_tostring(L, 2, NULL);

	if (lua_type(L, message) == LUA_TSTRING)
		return luaL_error(L, "%s: expected %s %s %s", lua_tostring(L, message), a, relation,
				  b);
	return luaL_error(L, "expected %s %s %s", a, relation, b);
}

int l_expect_eq(lua_State *L)
{
	luaL_checkany(L, 2);
	return lua_compare(L, 1, 2, LUA_OPEQ) ? 0 : fail_expectation(L, 3, "==");
}

int l_expect_ne(lua_State *L)
{
	luaL_checkany(L, 2);
	return lua_compare(L, 1, 2, LUA_OPEQ) ? fail_expectation(L, 3, "~=") : 0;
}

int l_expect_lt(lua_State *L)
{
	luaL_checkany(L, 2);
	return lua_compare(L, 1, 2, LUA_OPLT) ? 0 : fail_expectation(L, 3, "<");
}

int l_expect_le(lua_State *L)
{
	luaL_checkany(L, 2);
	return lua_compare(L, 1, 2, LUA_OPLE) ? 0 : fail_expectation(L, 3, "<=");
}

int l_expect_gt(lua_State *L)
{
	luaL_checkany(L, 2);
	return lua_compare(L, 2, 1, LUA_OPLT) ? 0 : fail_expectation(L, 3, ">");
}

int l_expect_ge(lua_State *L)
{
	luaL_checkany(L, 2);
	return lua_compare(L, 2, 1, LUA_OPLE) ? 0 : fail_expectation(L, 3, ">=");
}

int l_expect_near(lua_State *L)
{
	lua_Number a = luaL_checknumber(L, 1), b = luaL_checknumber(L, 2);
	lua_Number within = luaL_checknumber(L, 3);

	return fabs(a - b) <= within ? 0 : fail_expectation(L, 4, "near");
}

int l_expect_ok(lua_State *L)
{
	luaL_checkany(L, 1);
	if (lua_toboolean(L, 1))
		return 0;
	return luaL_error(L, "expected %s", luaL_optstring(L, 2, "a true value"));
}

int l_expect_error(lua_State *L)
{
	const char *wanted = luaL_optstring(L, 2, "");

	luaL_checktype(L, 1, LUA_TFUNCTION);
	lua_settop(L, 2);
	lua_pushvalue(L, 1);
	if (lua_pcall(L, 0, 0, 0) == LUA_OK)
		return luaL_error(L, "expected an error, but there was none");
	script_reraise(L);
	script_tostring(L, -1, NULL);
	if (!strstr(lua_tostring(L, -1), wanted))
		return luaL_error(L, "expected an error with \"%s\", got: %s", wanted,
				  lua_tostring(L, -1));
	return 1;
}

int l_sim_rand(lua_State *L)
{
	int n = lua_gettop(L);

	script_push_builtins(L);
	lua_getfield(L, -1, "math");
	lua_getfield(L, -1, "random");
	lua_insert(L, 1);
	lua_settop(L, n + 1);
	lua_call(L, n, 1);
	return 1;
}

int l_sim_seed(lua_State *L)
{
	script_rand_seed(script_box_of(L), (u64)luaL_checkinteger(L, 1));
	return 0;
}

int l_sim_shuffle(lua_State *L)
{
	lua_Integer n;

	luaL_checktype(L, 1, LUA_TTABLE);
	n = luaL_len(L, 1);
	for (lua_Integer i = n; i > 1; i--) {
		lua_Integer k = 1 + (lua_Integer)script_rand_below(script_box_of(L), (u64)i);

		script_charge(L, 8);
		lua_geti(L, 1, i);
		lua_geti(L, 1, k);
		lua_seti(L, 1, i);
		lua_seti(L, 1, k);
	}
	lua_settop(L, 1);
	return 1;
}

/* The keys of a table in order. */
int l_sim_sorted(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	script_sorted_keys(L, 1);
	return 1;
}

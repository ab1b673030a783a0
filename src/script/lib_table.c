/* SPDX-License-Identifier: GPL-2.0-only */
/* The table library: the manual's functions, each loop charged as it goes. */
#include "box.h"

#include <limits.h>

enum { ELEMENT_WORK = 4 };

static lua_Integer check_list(lua_State *L)
{
	if (script_frozen(L, 1))
		luaL_error(L, "this table is read-only");
	luaL_checktype(L, 1, LUA_TTABLE);
	return luaL_len(L, 1);
}

static int l_insert(lua_State *L)
{
	lua_Integer n = check_list(L), at = (lua_Integer)((lua_Unsigned)n + 1);

	switch (lua_gettop(L)) {
	case 2:
		break;
	case 3:
		n = at;
		at = luaL_checkinteger(L, 2);
		luaL_argcheck(L, (lua_Unsigned)at - 1u < (lua_Unsigned)n, 2,
			      "position out of bounds");
		for (lua_Integer i = n; i > at; i--) {
			script_charge(L, ELEMENT_WORK);
			lua_geti(L, 1, i - 1);
			lua_seti(L, 1, i);
		}
		break;
	default:
		return luaL_error(L,
				  "insert: a table, perhaps a position, and a value were expected");
	}
	lua_seti(L, 1, at);
	return 0;
}

static int l_remove(lua_State *L)
{
	lua_Integer n = check_list(L), at = luaL_optinteger(L, 2, n);

	if (lua_gettop(L) > 1)
		luaL_argcheck(L, at == n || (lua_Unsigned)at - 1u <= (lua_Unsigned)n, 2,
			      "position out of bounds");
	lua_geti(L, 1, at);
	for (; at < n; at++) {
		script_charge(L, ELEMENT_WORK);
		lua_geti(L, 1, at + 1);
		lua_seti(L, 1, at);
	}
	lua_pushnil(L);
	lua_seti(L, 1, at);
	return 1;
}

static int l_move(lua_State *L)
{
	lua_Integer from = luaL_checkinteger(L, 2), end = luaL_checkinteger(L, 3);
	lua_Integer to = luaL_checkinteger(L, 4);
	int target = lua_isnoneornil(L, 5) ? 1 : 5;

	luaL_checktype(L, 1, LUA_TTABLE);
	luaL_checktype(L, target, LUA_TTABLE);
	if (script_frozen(L, target))
		return luaL_error(L, "move: this table is read-only");
	if (end >= from) {
		lua_Integer n;

		luaL_argcheck(L, from > 0 || end < LUA_MAXINTEGER + from, 3, "too many elements");
		n = end - from + 1;
		luaL_argcheck(L, to <= LUA_MAXINTEGER - n + 1, 4, "destination out of range");
		if (to > end || to <= from || (target != 1 && !lua_rawequal(L, 1, target))) {
			for (lua_Integer i = 0; i < n; i++) {
				script_charge(L, ELEMENT_WORK);
				lua_geti(L, 1, from + i);
				lua_seti(L, target, to + i);
			}
		} else {
			for (lua_Integer i = n - 1; i >= 0; i--) {
				script_charge(L, ELEMENT_WORK);
				lua_geti(L, 1, from + i);
				lua_seti(L, target, to + i);
			}
		}
	}
	lua_pushvalue(L, target);
	return 1;
}

static int l_concat(lua_State *L)
{
	lua_Integer n, i, last;
	size_t sep_len, len;
	const char *sep = luaL_optlstring(L, 2, "", &sep_len);
	luaL_Buffer b;

	luaL_checktype(L, 1, LUA_TTABLE);
	n = luaL_len(L, 1);
	i = luaL_optinteger(L, 3, 1);
	last = luaL_optinteger(L, 4, n);
	lua_settop(L, 2);
	luaL_buffinit(L, &b);
	for (; i <= last; i++) {
		lua_geti(L, 1, i);
		if (!lua_isstring(L, -1))
			return luaL_error(L, "concat: value %I of the list is a %s, not a string",
					  i, luaL_typename(L, -1));
		lua_tolstring(L, -1, &len);
		script_charge(L, ELEMENT_WORK + (len + sep_len) / 16);
		luaL_addvalue(&b);
		if (i == last)
			break;
		luaL_addlstring(&b, sep, sep_len);
	}
	luaL_pushresult(&b);
	return 1;
}

static int l_pack(lua_State *L)
{
	int n = lua_gettop(L);

	script_charge(L, (u64)n);
	lua_createtable(L, n, 1);
	lua_insert(L, 1);
	for (int i = n; i >= 1; i--)
		lua_seti(L, 1, i);
	lua_pushinteger(L, n);
	lua_setfield(L, 1, "n");
	return 1;
}

static int l_unpack(lua_State *L)
{
	lua_Integer i = luaL_optinteger(L, 2, 1), last;
	lua_Unsigned n;

	last = lua_isnoneornil(L, 3) ? luaL_len(L, 1) : luaL_checkinteger(L, 3);
	if (i > last)
		return 0;
	n = (lua_Unsigned)last - (lua_Unsigned)i;
	if (n >= INT_MAX || !lua_checkstack(L, (int)++n))
		return luaL_error(L, "unpack: too many results");
	script_charge(L, n * ELEMENT_WORK);
	for (; i < last; i++)
		lua_geti(L, 1, i);
	lua_geti(L, 1, last);
	return (int)n;
}

/*
 * Sorting: a merge sort over a copy, so it is stable and takes n log n steps whatever
 * the comparison says. Stack: 1 the list, 2 the comparison or nil, 3 and 4 the runs.
 */

/* Is element @k of the run at @from before element @i? (Else the earlier goes first.) */
static bool later_is_less(lua_State *L, int from, lua_Integer i, lua_Integer k)
{
	bool less;

	script_charge(L, 2 * ELEMENT_WORK);
	if (lua_isnil(L, 2)) {
		lua_rawgeti(L, from, k);
		lua_rawgeti(L, from, i);
		less = lua_compare(L, -2, -1, LUA_OPLT);
		lua_pop(L, 2);
		return less;
	}
	lua_pushvalue(L, 2);
	lua_rawgeti(L, from, k);
	lua_rawgeti(L, from, i);
	lua_call(L, 2, 1);
	less = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return less;
}

static void merge(lua_State *L, int from, int to, lua_Integer lo, lua_Integer mid, lua_Integer hi)
{
	lua_Integer i = lo, k = mid;

	for (lua_Integer at = lo; at < hi; at++) {
		bool later = i >= mid || (k < hi && later_is_less(L, from, i, k));

		lua_rawgeti(L, from, later ? k++ : i++);
		lua_rawseti(L, to, at);
		script_charge(L, ELEMENT_WORK);
	}
}

static int l_sort(lua_State *L)
{
	lua_Integer n = check_list(L);
	int from = 3, to = 4;

	if (!lua_isnoneornil(L, 2))
		luaL_checktype(L, 2, LUA_TFUNCTION);
	lua_settop(L, 2);
	lua_newtable(L);
	lua_newtable(L);
	for (lua_Integer i = 1; i <= n; i++) {
		script_charge(L, ELEMENT_WORK);
		lua_geti(L, 1, i);
		lua_rawseti(L, from, i);
	}
	for (lua_Integer width = 1; width < n; width *= 2) {
		for (lua_Integer lo = 1; lo <= n; lo += 2 * width) {
			lua_Integer mid = lo + width < n + 1 ? lo + width : n + 1;
			lua_Integer hi = lo + 2 * width < n + 1 ? lo + 2 * width : n + 1;

			merge(L, from, to, lo, mid, hi);
		}
		from = to;
		to = 7 - from;
	}
	for (lua_Integer i = 1; i <= n; i++) {
		script_charge(L, ELEMENT_WORK);
		lua_rawgeti(L, from, i);
		lua_seti(L, 1, i);
	}
	return 0;
}

static const luaL_Reg table_functions[] = {
	{ "insert", l_insert }, { "remove", l_remove }, { "move", l_move }, { "concat", l_concat },
	{ "pack", l_pack },	{ "unpack", l_unpack }, { "sort", l_sort }, { NULL, NULL },
};

void script_open_table(lua_State *L)
{
	lua_newtable(L);
	luaL_setfuncs(L, table_functions, 0);
	script_freeze(L, "table");
	lua_setfield(L, -2, "table");
}

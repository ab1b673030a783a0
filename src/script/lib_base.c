/* SPDX-License-Identifier: GPL-2.0-only */
/* The basic functions, coroutines and math of the sandbox. */
#include "box.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/*
 * Printing
 */

static int l_tostring(lua_State *L)
{
	luaL_checkany(L, 1);
	script_tostring(L, 1, NULL);
	return 1;
}

static int l_print(lua_State *L)
{
	struct script_box *box = script_box_of(L);
	int n = lua_gettop(L);
	luaL_Buffer b;
	const char *text;
	size_t len;

	luaL_buffinit(L, &b);
	for (int i = 1; i <= n; i++) {
		if (i > 1)
			luaL_addchar(&b, '\t');
		script_tostring(L, i, NULL);
		luaL_addvalue(&b);
	}
	luaL_addchar(&b, '\n');
	luaL_pushresult(&b);
	text = lua_tolstring(L, -1, &len);
	script_charge(L, 20 + len / 16);
	if (box->hooks.print)
		box->hooks.print(box->hooks.ctx, text, len);
	else
		fwrite(text, 1, len, stdout);
	return 0;
}

/*
 * Tables: order, and frozen ones
 */

/* The iterator of pairs: upvalues are the sorted keys and how many were given. */
static int l_pairs_next(lua_State *L)
{
	lua_Integer i = lua_tointeger(L, lua_upvalueindex(2));

	/* Keys that were removed in the loop are passed over, as with next. */
	for (;;) {
		script_charge(L, 1);
		if (lua_rawgeti(L, lua_upvalueindex(1), ++i) == LUA_TNIL)
			return 1;
		lua_pushvalue(L, -1);
		if (lua_rawget(L, 1) != LUA_TNIL)
			break;
		lua_pop(L, 2);
	}
	lua_pushinteger(L, i);
	lua_replace(L, lua_upvalueindex(2));
	return 2;
}

static int l_pairs(lua_State *L)
{
	luaL_checkany(L, 1);
	if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
		lua_pushvalue(L, 1);
		lua_call(L, 1, 3);
		return 3;
	}
	if (script_frozen(L, 1))
		lua_replace(L, 1);
	luaL_checktype(L, 1, LUA_TTABLE);
	script_sorted_keys(L, 1);
	lua_pushinteger(L, 0);
	lua_pushcclosure(L, l_pairs_next, 2);
	lua_pushvalue(L, 1);
	lua_pushnil(L);
	return 3;
}

static int push_pair(lua_State *L, lua_Integer i)
{
	for (;; i++) {
		script_charge(L, 1);
		if (lua_rawgeti(L, lua_upvalueindex(2), i) == LUA_TNIL)
			return 1;
		lua_pushvalue(L, -1);
		if (lua_rawget(L, 1) != LUA_TNIL)
			break;
		lua_pop(L, 2);
	}
	script_box_of(L)->last_at = i;
	return 2;
}

/*
 * next(): the keys of the table asked last are kept sorted (upvalue 2, of table
 * upvalue 1), so that a walk costs what a walk should.
 */
static int l_next(lua_State *L)
{
	struct script_box *box = script_box_of(L);
	lua_Integer n;

	if (script_frozen(L, 1))
		lua_replace(L, 1);
	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 2);
	if (lua_isnil(L, 2)) {
		lua_pushnil(L);
		if (!lua_next(L, 1)) {
			lua_pushnil(L);
			return 1;
		}
		lua_settop(L, 2);
		script_sorted_keys(L, 1);
		lua_replace(L, lua_upvalueindex(2));
		lua_pushvalue(L, 1);
		lua_replace(L, lua_upvalueindex(1));
		return push_pair(L, 1);
	}
	if (lua_rawequal(L, 1, lua_upvalueindex(1))) {
		lua_rawgeti(L, lua_upvalueindex(2), box->last_at);
		if (lua_rawequal(L, 2, -1)) {
			lua_settop(L, 2);
			return push_pair(L, box->last_at + 1);
		}
		lua_settop(L, 2);
	}
	n = script_sorted_keys(L, 1);
	lua_replace(L, lua_upvalueindex(2));
	lua_pushvalue(L, 1);
	lua_replace(L, lua_upvalueindex(1));
	for (lua_Integer i = 1; i <= n; i++) {
		script_charge(L, 1);
		lua_rawgeti(L, lua_upvalueindex(2), i);
		if (lua_rawequal(L, 2, -1)) {
			lua_settop(L, 2);
			return push_pair(L, i + 1);
		}
		lua_settop(L, 2);
	}
	return luaL_error(L, "next: the key is not in the table");
}

static int l_rawget(lua_State *L)
{
	luaL_checkany(L, 2);
	if (script_frozen(L, 1))
		lua_replace(L, 1);
	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 2);
	lua_rawget(L, 1);
	return 1;
}

static int l_rawset(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	luaL_checkany(L, 3);
	if (script_frozen(L, 1))
		return luaL_error(L, "rawset: this table is read-only");
	script_push_env(L);
	if (lua_rawequal(L, -1, 1)) {
		script_push_builtins(L);
		lua_pushvalue(L, 2);
		if (lua_rawget(L, -2) != LUA_TNIL)
			return luaL_error(L, "rawset: the global is read-only");
	}
	lua_settop(L, 3);
	lua_rawset(L, 1);
	return 1;
}

static int l_setmetatable(lua_State *L)
{
	int type = lua_type(L, 2);

	luaL_checktype(L, 1, LUA_TTABLE);
	luaL_argexpected(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
	if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
		return luaL_error(L, "cannot change a protected metatable");
	if (type == LUA_TTABLE) {
		lua_pushliteral(L, "__gc");
		if (lua_rawget(L, 2) != LUA_TNIL)
			return luaL_error(L, "setmetatable: __gc is not allowed here; "
					     "use a to-be-closed variable (local x <close>)");
	}
	lua_settop(L, 2);
	lua_setmetatable(L, 1);
	return 1;
}

/*
 * Protected calls, which do not protect from the caps
 */

static int pcall_done(lua_State *L, int status, lua_KContext first)
{
	if (status != LUA_OK && status != LUA_YIELD) {
		script_reraise(L);
		lua_pushboolean(L, 0);
		lua_insert(L, -2);
		return 2;
	}
	return lua_gettop(L) - (int)first;
}

static int l_pcall(lua_State *L)
{
	luaL_checkany(L, 1);
	lua_pushboolean(L, 1);
	lua_insert(L, 1);
	return pcall_done(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, pcall_done), 0);
}

static int l_xpcall(lua_State *L)
{
	int n = lua_gettop(L);

	luaL_checktype(L, 2, LUA_TFUNCTION);
	lua_pushboolean(L, 1);
	lua_pushvalue(L, 1);
	lua_rotate(L, 3, 2); /* f, handler, true, f, arguments */
	return pcall_done(L, lua_pcallk(L, n - 2, LUA_MULTRET, 2, 2, pcall_done), 2);
}

/*
 * Code: text only
 */

static int l_load(lua_State *L)
{
	size_t len;
	const char *text, *name;

	if (lua_type(L, 1) != LUA_TSTRING)
		return luaL_error(L, "load: a string was expected, not a %s", luaL_typename(L, 1));
	text = lua_tolstring(L, 1, &len);
	name = luaL_optstring(L, 2, "=(load)");
	script_charge(L, len);
	if (luaL_loadbufferx(L, text, len, name, "t") != LUA_OK) {
		lua_pushnil(L);
		lua_insert(L, -2);
		return 2;
	}
	if (lua_isnoneornil(L, 4))
		script_push_env(L);
	else
		lua_pushvalue(L, 4);
	lua_setupvalue(L, -2, 1);
	return 1;
}

static bool module_name_is_good(const char *name)
{
	if (!*name || *name == '.' || strstr(name, ".."))
		return false;
	return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") ==
	       strlen(name);
}

/* The real path of a module below the script's folder; malloc'ed, NULL if it is not there. */
static char *module_path(struct script_box *box, const char *name)
{
	char path[4096], *real;
	size_t n = strlen(box->folder), used = n + 1;

	if (n + strlen(name) + 6 > sizeof(path))
		return NULL;
	memcpy(path, box->folder, n);
	path[n] = '/';
	for (const char *c = name; *c; c++)
		path[used++] = *c == '.' ? '/' : *c;
	memcpy(path + used, ".lua", 5);
	real = realpath(path, NULL);
	/* A symbolic link may lead out. */
	if (real && (strncmp(real, box->folder, n) != 0 || (real[n] != '/' && n > 1))) {
		free(real);
		return NULL;
	}
	return real;
}

static void load_module(lua_State *L, const char *name)
{
	struct script_box *box = script_box_of(L);
	struct base_text text;
	struct diag d;
	char *path = module_path(box, name);
	enum base_err ret;
	int status;

	if (!path)
		luaL_error(L, "require: there is no %s below the script's folder", name);
	ret = base_text_read(&text, path, 16 << 20, &d);
	free(path);
	if (ret)
		luaL_error(L, "require: %s: %s", name, d.message);
	lua_pushfstring(L, "@%s.lua", name);
	status = luaL_loadbufferx(L, text.data, text.len, lua_tostring(L, -1), "t");
	base_text_free(&text);
	lua_remove(L, -2);
	if (status)
		lua_error(L);
	script_push_env(L);
	lua_setupvalue(L, -2, 1);
}

static int l_require(lua_State *L)
{
	const char *name = luaL_checkstring(L, 1);

	lua_settop(L, 1);
	if (!script_box_of(L)->folder)
		return luaL_error(L, "require: this code has no folder to look in");
	if (!module_name_is_good(name))
		return luaL_error(L,
				  "require: \"%s\" is no module name; it is letters, digits, _ "
				  "and -, with dots between folders",
				  name);
	lua_pushvalue(L, 1);
	if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) {
		if (lua_islightuserdata(L, -1))
			return luaL_error(L, "require: %s requires itself", name);
		return 1;
	}
	lua_pop(L, 1);
	load_module(L, name);
	lua_pushvalue(L, 1);
	lua_pushlightuserdata(L, script_box_of(L));
	lua_rawset(L, lua_upvalueindex(1));
	lua_pushvalue(L, 1);
	lua_call(L, 1, 1);
	if (lua_isnil(L, -1)) {
		lua_pop(L, 1);
		lua_pushboolean(L, 1);
	}
	lua_pushvalue(L, 1);
	lua_pushvalue(L, -2);
	lua_rawset(L, lua_upvalueindex(1));
	return 1;
}

/*
 * Coroutines: the standard ones, charged, and none that catches the caps
 */

enum { COROUTINE_WORK = BOX_HOOK_STEP / 4 };

/* A coroutine's first instructions are not seen by the hook, so its creation is charged. */
static int l_co_make(lua_State *L)
{
	script_charge(L, COROUTINE_WORK);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
	return lua_gettop(L);
}

static int l_co_call(lua_State *L)
{
	script_charge(L, 10);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
	if (lua_isboolean(L, 1) && !lua_toboolean(L, 1))
		script_reraise(L);
	return lua_gettop(L);
}

static int l_co_wrap_call(lua_State *L)
{
	script_charge(L, 10);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
	return lua_gettop(L);
}

static int l_co_wrap(lua_State *L)
{
	l_co_make(L);
	lua_pushcclosure(L, l_co_wrap_call, 1);
	return 1;
}

/* Take @name of the standard table at the top as an upvalue of @fn, into the table below. */
static void wrap_field(lua_State *L, const char *name, lua_CFunction fn)
{
	lua_getfield(L, -1, name);
	if (fn)
		lua_pushcclosure(L, fn, 1);
	lua_setfield(L, -3, name);
}

static void open_coroutine(lua_State *L)
{
	lua_newtable(L);
	luaL_requiref(L, "coroutine", luaopen_coroutine, 0);
	wrap_field(L, "create", l_co_make);
	wrap_field(L, "wrap", l_co_wrap);
	wrap_field(L, "resume", l_co_call);
	wrap_field(L, "close", l_co_call);
	wrap_field(L, "yield", NULL);
	wrap_field(L, "status", NULL);
	wrap_field(L, "running", NULL);
	wrap_field(L, "isyieldable", NULL);
	lua_pop(L, 1);
	script_freeze(L, "coroutine");
	lua_setfield(L, -2, "coroutine");
}

/*
 * Opening
 */

static int l_charged(lua_State *L)
{
	int n = lua_gettop(L);
	u64 work = 4;

	for (int i = 1; i <= n; i++) {
		size_t len = 0;

		if (lua_type(L, i) == LUA_TSTRING)
			lua_tolstring(L, i, &len);
		work += len;
	}
	script_charge(L, work);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, n, LUA_MULTRET);
	return lua_gettop(L);
}

void script_charged(lua_State *L)
{
	lua_pushcclosure(L, l_charged, 1);
}

static void copy_std(lua_State *L, const char *const *names, bool charged)
{
	for (; *names; names++) {
		lua_getfield(L, -1, *names);
		if (charged)
			script_charged(L);
		lua_setfield(L, -3, *names);
	}
}

static const luaL_Reg base_functions[] = {
	{ "tostring", l_tostring }, { "print", l_print },
	{ "pairs", l_pairs },	    { "rawget", l_rawget },
	{ "rawset", l_rawset },	    { "setmetatable", l_setmetatable },
	{ "pcall", l_pcall },	    { "xpcall", l_xpcall },
	{ "load", l_load },	    { NULL, NULL },
};

void script_open_base(lua_State *L)
{
	static const char *const plain[] = { "assert", "error",	   "getmetatable",
					     "ipairs", "rawequal", "rawlen",
					     "select", "type",	   NULL };
	static const char *const charged[] = { "tonumber", NULL };

	luaL_requiref(L, "_G", luaopen_base, 0);
	copy_std(L, plain, false);
	copy_std(L, charged, true);
	lua_pop(L, 1);
	/* What luaopen_base() filled is nobody's environment. */
	lua_newtable(L);
	lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
	luaL_setfuncs(L, base_functions, 0);
	lua_newtable(L);
	lua_newtable(L);
	lua_pushcclosure(L, l_next, 2);
	lua_setfield(L, -2, "next");
	lua_newtable(L);
	lua_pushcclosure(L, l_require, 1);
	lua_setfield(L, -2, "require");
	lua_pushliteral(L, LUA_VERSION);
	lua_setfield(L, -2, "_VERSION");
	open_coroutine(L);
}

/* math.random as in the manual, out of the seeded generator. */
static int l_random(lua_State *L)
{
	struct script_box *box = script_box_of(L);
	lua_Integer lo = 1, hi;

	switch (lua_gettop(L)) {
	case 0:
		lua_pushnumber(L, (lua_Number)(script_rand_below(box, 0) >> 11) * 0x1p-53);
		return 1;
	case 1:
		hi = luaL_checkinteger(L, 1);
		break;
	case 2:
		lo = luaL_checkinteger(L, 1);
		hi = luaL_checkinteger(L, 2);
		break;
	default:
		return luaL_error(L, "rand: none, one or two numbers were expected");
	}
	if (lo > hi)
		return luaL_error(L, "rand: there is no number from %I to %I", lo, hi);
	lua_pushinteger(L, (lua_Integer)((u64)lo + script_rand_below(box, (u64)hi - (u64)lo + 1)));
	return 1;
}

void script_open_math(lua_State *L)
{
	static const char *const plain[] = {
		"abs", "ceil",	     "cos",  "deg",	   "exp",  "floor", "fmod", "huge", "log",
		"max", "maxinteger", "min",  "mininteger", "modf", "pi",    "rad",  "sin",  "sqrt",
		"tan", "tointeger",  "type", "ult",	   "acos", "asin",  "atan", NULL
	};

	lua_newtable(L);
	luaL_requiref(L, "math", luaopen_math, 0);
	copy_std(L, plain, false);
	lua_pop(L, 1);
	lua_pushcfunction(L, l_random);
	lua_setfield(L, -2, "random");
	script_freeze(L, "math");
	lua_setfield(L, -2, "math");
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The string and utf8 libraries of the sandbox. */
#include "pattern.h"

#include <string.h>

static size_t place_from(lua_Integer at, size_t len)
{
	if (at > 0)
		return (size_t)at;
	if (at == 0 || (lua_Unsigned)-at > len)
		return 1;
	return len + 1 - (size_t)-at;
}

static int l_rep(lua_State *L)
{
	size_t len, sep_len;
	const char *s = luaL_checklstring(L, 1, &len);
	lua_Integer n = luaL_checkinteger(L, 2);
	const char *sep = luaL_optlstring(L, 3, "", &sep_len);
	luaL_Buffer b;

	if (n <= 0 || len + sep_len == 0) {
		lua_pushliteral(L, "");
		return 1;
	}
	if ((lua_Unsigned)n > BOX_STRING_MAX / (len + sep_len))
		return luaL_error(L, "rep: the string would be longer than %d bytes",
				  BOX_STRING_MAX);
	script_charge(L, (u64)n + (u64)n * (len + sep_len) / 16);
	luaL_buffinit(L, &b);
	while (n-- > 1) {
		luaL_addlstring(&b, s, len);
		luaL_addlstring(&b, sep, sep_len);
	}
	luaL_addlstring(&b, s, len);
	luaL_pushresult(&b);
	return 1;
}

static bool is_plain(const char *pattern, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (strchr("^$*+?.([%-", pattern[i]) && pattern[i])
			return false;
	}
	return true;
}

/* find and match: the first match at or behind a place. */
static int find_or_match(lua_State *L, bool find)
{
	size_t len, p_len, init;
	const char *s = luaL_checklstring(L, 1, &len), *p = luaL_checklstring(L, 2, &p_len);
	struct pattern_match m;
	bool anchored;

	init = place_from(luaL_optinteger(L, 3, 1), len) - 1;
	if (init > len) {
		lua_pushnil(L);
		return 1;
	}
	if (find && (lua_toboolean(L, 4) || is_plain(p, p_len))) {
		const char *at;

		script_charge(L, 1 + (len - init) / 4);
		at = p_len ? memmem(s + init, len - init, p, p_len) : s + init;
		if (!at) {
			lua_pushnil(L);
			return 1;
		}
		lua_pushinteger(L, at - s + 1);
		lua_pushinteger(L, at - s + (lua_Integer)p_len);
		return 2;
	}
	anchored = p_len > 0 && *p == '^';
	script_pattern_init(&m, L, s, len, p + p_len);
	for (const char *at = s + init; at <= m.end; at++) {
		const char *e = script_pattern_at(&m, at, p + anchored);

		if (e && find) {
			lua_pushinteger(L, at - s + 1);
			lua_pushinteger(L, e - s);
			return script_pattern_push_all(&m, NULL, NULL) + 2;
		}
		if (e)
			return script_pattern_push_all(&m, at, e);
		if (anchored)
			break;
	}
	script_charge(L, m.work);
	lua_pushnil(L);
	return 1;
}

static int l_find(lua_State *L)
{
	return find_or_match(L, true);
}

static int l_match(lua_State *L)
{
	return find_or_match(L, false);
}

/* Upvalues: subject, pattern, offset to go on from, end of the last match. */
static int l_gmatch_next(lua_State *L)
{
	size_t len, p_len;
	const char *s = lua_tolstring(L, lua_upvalueindex(1), &len);
	const char *p = lua_tolstring(L, lua_upvalueindex(2), &p_len);
	const char *last = s + lua_tointeger(L, lua_upvalueindex(4));
	struct pattern_match m;

	script_pattern_init(&m, L, s, len, p + p_len);
	for (const char *at = s + lua_tointeger(L, lua_upvalueindex(3)); at <= m.end; at++) {
		const char *e = script_pattern_at(&m, at, p);

		/* An empty match right behind the last one is part of it. */
		if (!e || (e == last && e == at && lua_tointeger(L, lua_upvalueindex(4)) >= 0))
			continue;
		lua_pushinteger(L, e - s);
		lua_pushvalue(L, -1);
		lua_replace(L, lua_upvalueindex(3));
		lua_replace(L, lua_upvalueindex(4));
		return script_pattern_push_all(&m, at, e);
	}
	script_charge(L, m.work);
	return 0;
}

static int l_gmatch(lua_State *L)
{
	size_t len;
	lua_Integer init;

	luaL_checklstring(L, 1, &len);
	luaL_checkstring(L, 2);
	init = (lua_Integer)place_from(luaL_optinteger(L, 3, 1), len) - 1;
	lua_settop(L, 2);
	lua_pushinteger(L, init);
	lua_pushinteger(L, -1);
	lua_pushcclosure(L, l_gmatch_next, 4);
	return 1;
}

/* The replacement text with its %0 to %9. */
static void add_template(struct pattern_match *m, luaL_Buffer *b, const char *start,
			 const char *end)
{
	size_t len;
	const char *t = lua_tolstring(m->L, 3, &len);

	for (const char *stop = t + len; t < stop; t++) {
		script_charge(m->L, 1);
		if (*t != '%') {
			luaL_addchar(b, *t);
			continue;
		}
		t++;
		if (t < stop && *t == '%') {
			luaL_addchar(b, '%');
		} else if (t < stop && *t == '0') {
			luaL_addlstring(b, start, (size_t)(end - start));
		} else if (t < stop && *t >= '1' && *t <= '9') {
			script_pattern_push(m, *t - '1', start, end);
			luaL_tolstring(m->L, -1, NULL);
			lua_remove(m->L, -2);
			luaL_addvalue(b);
		} else {
			luaL_error(m->L, "invalid use of '%%' in replacement string");
		}
	}
}

static void add_replacement(struct pattern_match *m, luaL_Buffer *b, const char *start,
			    const char *end)
{
	lua_State *L = m->L;

	switch (lua_type(L, 3)) {
	case LUA_TFUNCTION:
		lua_pushvalue(L, 3);
		lua_call(L, script_pattern_push_all(m, start, end), 1);
		break;
	case LUA_TTABLE:
		script_pattern_push(m, 0, start, end);
		lua_gettable(L, 3);
		break;
	default:
		add_template(m, b, start, end);
		return;
	}
	if (!lua_toboolean(L, -1)) {
		lua_pop(L, 1);
		luaL_addlstring(b, start, (size_t)(end - start));
	} else if (!lua_isstring(L, -1)) {
		luaL_error(L, "gsub: the replacement is a %s, not a string", luaL_typename(L, -1));
	} else {
		luaL_addvalue(b);
	}
}

static int l_gsub(lua_State *L)
{
	size_t len, p_len;
	const char *s = luaL_checklstring(L, 1, &len), *p = luaL_checklstring(L, 2, &p_len);
	int type = lua_type(L, 3);
	lua_Integer max = luaL_optinteger(L, 4, (lua_Integer)len + 1), n = 0;
	bool anchored = p_len > 0 && *p == '^';
	const char *at = s, *last = NULL;
	struct pattern_match m;
	luaL_Buffer b;

	luaL_argexpected(L,
			 type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION ||
				 type == LUA_TTABLE,
			 3, "string/function/table");
	script_pattern_init(&m, L, s, len, p + p_len);
	luaL_buffinit(L, &b);
	while (n < max) {
		const char *e = script_pattern_at(&m, at, p + anchored);

		if (e && !(e == at && at == last)) {
			n++;
			add_replacement(&m, &b, at, e);
			at = last = e;
		} else if (at < m.end) {
			luaL_addchar(&b, *at++);
		} else {
			break;
		}
		if (anchored)
			break;
	}
	if (at < m.end)
		luaL_addlstring(&b, at, (size_t)(m.end - at));
	luaL_pushresult(&b);
	lua_pushinteger(L, n);
	script_charge(L, m.work + 1);
	return 2;
}

/* string.format: %s shows no addresses and %p is refused; the rest is the standard's. */
static int l_format(lua_State *L)
{
	size_t len;
	const char *f = luaL_checklstring(L, 1, &len), *end = f + len;
	int arg = 1, top;
	u64 work = len;

	while (f < end) {
		if (*f++ != '%')
			continue;
		if (f < end && *f == '%') {
			f++;
			continue;
		}
		arg++;
		while (f < end && strchr("-+ #0123456789.", *f) && *f)
			f++;
		if (f < end && *f == 'p')
			return luaL_error(L,
					  "format: %%p is not available, addresses differ from run "
					  "to run; %%s prints a serial number");
		if (f < end && *f == 's' && arg <= lua_gettop(L)) {
			size_t n;

			script_tostring(L, arg, &n);
			lua_replace(L, arg);
			work += n;
		}
	}
	script_charge(L, 4 + work / 4);
	top = lua_gettop(L);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, top, 1);
	return 1;
}

static const luaL_Reg string_functions[] = {
	{ "rep", l_rep },	{ "find", l_find }, { "match", l_match },
	{ "gmatch", l_gmatch }, { "gsub", l_gsub }, { NULL, NULL },
};

static void take(lua_State *L, const char *const *names)
{
	for (; *names; names++) {
		lua_getfield(L, -1, *names);
		script_charged(L);
		lua_setfield(L, -3, *names);
	}
}

/* Methods of strings: the frozen library. */
static void string_metatable(lua_State *L)
{
	lua_pushliteral(L, "");
	lua_newtable(L);
	lua_pushvalue(L, -3);
	lua_setfield(L, -2, "__index");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
	lua_pop(L, 1);
}

void script_open_string(lua_State *L)
{
	static const char *const charged[] = { "byte",	   "char",    "len", "lower",
					       "upper",	   "reverse", "sub", "pack",
					       "packsize", "unpack",  NULL };
	static const char *const of_utf8[] = { "char", "codepoint", "len", "offset", NULL };

	lua_newtable(L);
	luaL_requiref(L, "string", luaopen_string, 0);
	take(L, charged);
	lua_getfield(L, -1, "format");
	lua_pushcclosure(L, l_format, 1);
	lua_setfield(L, -3, "format");
	lua_pop(L, 1);
	luaL_setfuncs(L, string_functions, 0);
	script_freeze(L, "string");
	string_metatable(L);
	lua_setfield(L, -2, "string");

	lua_newtable(L);
	luaL_requiref(L, "utf8", luaopen_utf8, 0);
	take(L, of_utf8);
	lua_getfield(L, -1, "charpattern");
	lua_setfield(L, -3, "charpattern");
	lua_pop(L, 1);
	script_freeze(L, "utf8");
	lua_setfield(L, -2, "utf8");
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "box.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char env_key, builtins_key, serials_key, frozen_key;

/*
 * Memory
 */

/* Charges copying too, so that concatenating in a loop is not free. Returns NULL above a cap: Lua raises. */
static void *box_alloc(void *ud, void *ptr, size_t osize, size_t nsize)
{
	struct script_box *box = ud;
	size_t old = ptr ? osize : 0;
	void *p;

	if (nsize == 0) {
		box->memory -= old;
		free(ptr);
		return NULL;
	}
	if (nsize > old) {
		if (box->memory - old + nsize > box->limits.memory)
			return NULL;
		/* For a new object osize is its type. */
		if (!ptr && osize == LUA_TSTRING && nsize > BOX_STRING_MAX)
			return NULL;
		box->work += nsize / 64;
		/* The hook comes too late for a loop of long copies. */
		if (nsize > 65536 && box->work > box->limits.instructions) {
			box->spent = "instructions";
			return NULL;
		}
	}
	p = realloc(ptr, nsize);
	if (p)
		box->memory += nsize - old;
	return p;
}

/*
 * Work
 */

static u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000u + (u64)ts.tv_nsec;
}

void script_charge_slow(lua_State *L, struct script_box *box)
{
	if (!box->spent)
		box->spent = "instructions";
	if (strcmp(box->spent, "time") == 0)
		luaL_error(L, "stopped: the time limit is reached (see --timeout)");
	luaL_error(L,
		   "stopped: the script has done %I instructions of work, the most that is "
		   "allowed%s",
		   (lua_Integer)box->limits.instructions,
		   box->limits.fixed ? "" : " (see --max-instructions)");
}

static void box_hook(lua_State *L, lua_Debug *ar)
{
	struct script_box *box = script_box_of(L);

	(void)ar;
	if (box->deadline_ns && !box->spent && now_ns() > box->deadline_ns)
		box->spent = "time";
	script_charge(L, BOX_HOOK_STEP);
}

void script_reraise(lua_State *L)
{
	struct script_box *box = script_box_of(L);

	if (box->spent)
		script_charge_slow(L, box);
}

/*
 * Errors
 */

void script_where(lua_State *L, char *buf, size_t size)
{
	lua_Debug ar;

	buf[0] = '\0';
	for (int level = 0; lua_getstack(L, level, &ar); level++) {
		lua_getinfo(L, "Sl", &ar);
		if (ar.currentline > 0) {
			snprintf(buf, size, "%s:%d", ar.short_src, ar.currentline);
			return;
		}
	}
}

/* One frame of the script; frames of C are no place to look at. */
static bool add_frame(lua_State *L, lua_Debug *ar, luaL_Buffer *b)
{
	char line[LUA_IDSIZE + 200];

	lua_getinfo(L, "Sln", ar);
	if (ar->currentline <= 0)
		return false;
	if (*ar->what == 'm')
		snprintf(line, sizeof(line), "\n  %s:%d: in the main chunk", ar->short_src,
			 ar->currentline);
	else if (ar->name)
		snprintf(line, sizeof(line), "\n  %s:%d: in function %.100s", ar->short_src,
			 ar->currentline, ar->name);
	else
		snprintf(line, sizeof(line), "\n  %s:%d: in the function of line %d", ar->short_src,
			 ar->currentline, ar->linedefined);
	luaL_addstring(b, line);
	return true;
}

/* The frames of @of as text behind the message at the top of @L. */
static void append_frames(lua_State *L, lua_State *of)
{
	enum { FRAMES_MAX = 20 };
	lua_Debug ar;
	luaL_Buffer b;
	int frames = 0;

	luaL_buffinit(L, &b);
	luaL_addstring(&b, "\ntraceback:");
	for (int level = 0; frames < FRAMES_MAX && lua_getstack(of, level, &ar); level++)
		frames += add_frame(of, &ar, &b);
	luaL_pushresult(&b);
	if (frames)
		lua_concat(L, 2);
	else
		lua_pop(L, 1);
}

void script_push_traceback(lua_State *L, lua_State *thread)
{
	if (lua_type(thread, -1) == LUA_TSTRING) {
		lua_xmove(thread, L, 1);
	} else {
		script_tostring(thread, -1, NULL);
		lua_xmove(thread, L, 1);
		lua_pushfstring(L, "error value: %s", lua_tostring(L, -1));
		lua_remove(L, -2);
	}
	/* The innermost traceback of an error that passes several is enough. */
	if (!strstr(lua_tostring(L, -1), "\ntraceback:"))
		append_frames(L, thread);
}

int script_traceback(lua_State *L)
{
	lua_settop(L, 1);
	script_push_traceback(L, L);
	return 1;
}

int script_pcall(lua_State *L, int nargs, int nresults)
{
	int base = lua_gettop(L) - nargs, ret;

	lua_pushcfunction(L, script_traceback);
	lua_insert(L, base);
	ret = lua_pcall(L, nargs, nresults, base);
	lua_remove(L, base);
	return ret;
}

/*
 * Names of objects, order of keys
 */

u64 script_serial(lua_State *L, int idx)
{
	struct script_box *box = script_box_of(L);
	u64 serial;

	idx = lua_absindex(L, idx);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &serials_key);
	lua_pushvalue(L, idx);
	if (lua_rawget(L, -2) == LUA_TNUMBER) {
		serial = (u64)lua_tointeger(L, -1);
		lua_pop(L, 2);
		return serial;
	}
	lua_pop(L, 1);
	serial = box->next_serial++;
	lua_pushvalue(L, idx);
	lua_pushinteger(L, (lua_Integer)serial);
	lua_rawset(L, -3);
	lua_pop(L, 1);
	return serial;
}

const char *script_tostring(lua_State *L, int idx, size_t *len)
{
	idx = lua_absindex(L, idx);
	switch (lua_type(L, idx)) {
	case LUA_TNIL:
	case LUA_TBOOLEAN:
	case LUA_TNUMBER:
	case LUA_TSTRING:
		return luaL_tolstring(L, idx, len);
	default:
		break;
	}
	if (luaL_getmetafield(L, idx, "__tostring") != LUA_TNIL) {
		lua_pop(L, 1);
		return luaL_tolstring(L, idx, len);
	}
	if (luaL_getmetafield(L, idx, "__name") == LUA_TSTRING) {
		lua_pushfstring(L, "%s: %I", lua_tostring(L, -1),
				(lua_Integer)script_serial(L, idx));
		lua_remove(L, -2);
	} else {
		lua_pushfstring(L, "%s: %I", luaL_typename(L, idx),
				(lua_Integer)script_serial(L, idx));
	}
	return lua_tolstring(L, -1, len);
}

static int type_rank(int type)
{
	static const int ranks[LUA_NUMTYPES] = {
		[LUA_TNUMBER] = 0,	  [LUA_TSTRING] = 1, [LUA_TBOOLEAN] = 2,
		[LUA_TLIGHTUSERDATA] = 3, [LUA_TTABLE] = 4,  [LUA_TFUNCTION] = 4,
		[LUA_TUSERDATA] = 4,	  [LUA_TTHREAD] = 4,
	};

	return type < 0 ? 5 : ranks[type];
}

static bool string_less(lua_State *L, int a, int b)
{
	size_t la, lb;
	const char *sa = lua_tolstring(L, a, &la), *sb = lua_tolstring(L, b, &lb);
	int c = memcmp(sa, sb, la < lb ? la : lb);

	return c < 0 || (c == 0 && la < lb);
}

bool script_key_less(lua_State *L, int a, int b)
{
	int ra = type_rank(lua_type(L, a)), rb = type_rank(lua_type(L, b));

	if (ra != rb)
		return ra < rb;
	switch (ra) {
	case 0:
		return lua_compare(L, a, b, LUA_OPLT);
	case 1:
		return string_less(L, a, b);
	case 2:
		return lua_toboolean(L, a) < lua_toboolean(L, b);
	case 3:
		return (uintptr_t)lua_touserdata(L, a) < (uintptr_t)lua_touserdata(L, b);
	default:
		return script_serial(L, a) < script_serial(L, b);
	}
}

/* Is key @i of the array before key @k? */
static bool array_less(lua_State *L, int array, lua_Integer i, lua_Integer k)
{
	bool less;

	lua_rawgeti(L, array, i);
	lua_rawgeti(L, array, k);
	less = script_key_less(L, -2, -1);
	lua_pop(L, 2);
	return less;
}

static void array_swap(lua_State *L, int array, lua_Integer i, lua_Integer k)
{
	lua_rawgeti(L, array, i);
	lua_rawgeti(L, array, k);
	lua_rawseti(L, array, i);
	lua_rawseti(L, array, k);
}

static void sift_down(lua_State *L, int array, lua_Integer root, lua_Integer n)
{
	for (lua_Integer child; (child = 2 * root) <= n; root = child) {
		if (child < n && array_less(L, array, child, child + 1))
			child++;
		if (!array_less(L, array, root, child))
			return;
		array_swap(L, array, root, child);
		script_charge(L, 4);
	}
}

lua_Integer script_sorted_keys(lua_State *L, int idx)
{
	lua_Integer n = 0;
	bool in_order = true;
	int array;

	idx = lua_absindex(L, idx);
	luaL_checkstack(L, 8, "too many values");
	lua_newtable(L);
	array = lua_gettop(L);
	lua_pushnil(L);
	while (lua_next(L, idx)) {
		lua_pop(L, 1);
		lua_pushvalue(L, -1);
		lua_rawseti(L, array, ++n);
		if (n > 1 && in_order)
			in_order = array_less(L, array, n - 1, n);
		script_charge(L, 4);
	}
	if (in_order)
		return n;
	for (lua_Integer i = n / 2; i >= 1; i--)
		sift_down(L, array, i, n);
	for (lua_Integer i = n; i > 1; i--) {
		array_swap(L, array, 1, i);
		sift_down(L, array, 1, i - 1);
	}
	return n;
}

/*
 * Frozen tables: an empty table before the real one
 */

static int l_frozen_newindex(lua_State *L)
{
	return luaL_error(L, "%s is read-only: %s cannot be set",
			  lua_tostring(L, lua_upvalueindex(1)), script_tostring(L, 2, NULL));
}

void script_freeze(lua_State *L, const char *name)
{
	lua_newtable(L); /* the proxy */
	lua_newtable(L); /* its metatable */
	lua_pushvalue(L, -3);
	lua_setfield(L, -2, "__index");
	lua_pushstring(L, name);
	lua_pushcclosure(L, l_frozen_newindex, 1);
	lua_setfield(L, -2, "__newindex");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_pushvalue(L, -3);
	lua_rawsetp(L, -2, &frozen_key);
	lua_setmetatable(L, -2);
	lua_remove(L, -2);
}

bool script_frozen(lua_State *L, int idx)
{
	if (lua_type(L, idx) != LUA_TTABLE || !lua_getmetatable(L, idx))
		return false;
	if (lua_rawgetp(L, -1, &frozen_key) == LUA_TTABLE) {
		lua_remove(L, -2);
		return true;
	}
	lua_pop(L, 2);
	return false;
}

void script_push_env(lua_State *L)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, &env_key);
}

void script_push_builtins(lua_State *L)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, &builtins_key);
}

/* A script's own globals are its own; the names that it was given stay. */
static int l_env_newindex(lua_State *L)
{
	lua_pushvalue(L, 2);
	if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
		return luaL_error(L, "the global %s is read-only; use another name or a local",
				  script_tostring(L, 2, NULL));
	lua_settop(L, 3);
	lua_rawset(L, 1);
	return 0;
}

/* Stack: the builtins. */
static void make_env(lua_State *L)
{
	lua_pushvalue(L, -1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &builtins_key);
	lua_newtable(L); /* the environment */
	lua_newtable(L);
	lua_pushvalue(L, -3);
	lua_setfield(L, -2, "__index");
	lua_pushvalue(L, -3);
	lua_pushcclosure(L, l_env_newindex, 1);
	lua_setfield(L, -2, "__newindex");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
	lua_pushvalue(L, -1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &env_key);
	lua_pushvalue(L, -1);
	lua_setfield(L, -3, "_G");
	lua_pop(L, 2);
}

/*
 * Random numbers: xoshiro256** seeded by splitmix64
 */

static u64 rotate(u64 x, int by)
{
	return x << by | x >> (64 - by);
}

static u64 rand_next(struct script_box *box)
{
	u64 *s = box->rand, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

void script_rand_seed(struct script_box *box, u64 seed)
{
	for (int i = 0; i < 4; i++) {
		u64 z = seed += 0x9e3779b97f4a7c15u;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
		z = (z ^ z >> 27) * 0x94d049bb133111ebu;
		box->rand[i] = z ^ z >> 31;
	}
}

u64 script_rand_below(struct script_box *box, u64 n)
{
	u64 limit = n ? UINT64_MAX - UINT64_MAX % n : 0, x;

	do
		x = rand_next(box);
	while (n && x >= limit);
	return n ? x % n : x;
}

/*
 * Creation
 */

static int open_language(lua_State *L)
{
	lua_newtable(L);
	lua_newtable(L);
	lua_pushliteral(L, "k");
	lua_setfield(L, -2, "__mode");
	lua_setmetatable(L, -2);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &serials_key);

	lua_newtable(L); /* the builtins */
	script_open_base(L);
	script_open_string(L);
	script_open_table(L);
	script_open_math(L);
	make_env(L);
	return 0;
}

struct script_box *script_box_new(const struct script_limits *limits)
{
	struct script_box *box = calloc(1, sizeof(*box));
	lua_State *L;

	if (!box)
		return NULL;
	box->limits = *limits;
	if (!box->limits.instructions)
		box->limits.instructions = SCRIPT_INSTRUCTIONS_DEFAULT;
	if (!box->limits.memory)
		box->limits.memory = SCRIPT_MEMORY_DEFAULT;
	box->next_serial = 1;
	box->next_family = 1;
	script_rand_seed(box, 0);
	L = box->L = lua_newstate(box_alloc, box);
	if (!L) {
		free(box);
		return NULL;
	}
	memcpy(lua_getextraspace(L), &box, sizeof(box));
	lua_pushcfunction(L, open_language);
	if (lua_pcall(L, 0, 0, 0)) {
		script_box_free(box);
		return NULL;
	}
	if (box->limits.timeout_ns)
		box->deadline_ns = now_ns() + box->limits.timeout_ns;
	box->work = 0;
	lua_sethook(L, box_hook, LUA_MASKCOUNT, BOX_HOOK_STEP);
	return box;
}

void script_box_free(struct script_box *box)
{
	if (!box)
		return;
	lua_sethook(box->L, NULL, 0, 0);
	lua_close(box->L);
	free(box->folder);
	free(box);
}

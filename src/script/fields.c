/* SPDX-License-Identifier: GPL-2.0-only */
#include "fields.h"

#include <stdio.h>
#include <string.h>

#include "core/sim.h"

#define FIELDS_META "pageset.fields"

/* What may come next in a path. */
enum path_next {
	NEXT_CPU,	/* [C] */
	NEXT_ZONE,	/* [Z] or .Normal */
	NEXT_NODE,	/* [N] */
	NEXT_NODE_ZONE, /* .Normal */
	NEXT_LIST,	/* [P] */
	NEXT_FIELD,	/* of a pageset, a zone or stats */
};

struct fields_part {
	script_sim_of sim_of;
	void *owner;
	enum path_next next;
	char path[FIELD_NAME_MAX];
};

bool script_fields_root(const char *name)
{
	return strcmp(name, "cpu") == 0 || strcmp(name, "zone") == 0 || strcmp(name, "node") == 0 ||
	       strcmp(name, "stats") == 0;
}

static enum path_next next_of_root(const char *name)
{
	switch (*name) {
	case 'c':
		return NEXT_CPU;
	case 'z':
		return NEXT_ZONE;
	case 'n':
		return NEXT_NODE;
	default:
		return NEXT_FIELD;
	}
}

/* Owner at @owner_idx becomes the user value. */
static struct fields_part *push_part(lua_State *L, int owner_idx)
{
	struct fields_part *part;

	if (owner_idx)
		owner_idx = lua_absindex(L, owner_idx);
	part = lua_newuserdatauv(L, sizeof(*part), 1);
	if (owner_idx) {
		lua_pushvalue(L, owner_idx);
		lua_setiuservalue(L, -2, 1);
	}
	luaL_setmetatable(L, FIELDS_META);
	return part;
}

void script_fields_push(lua_State *L, script_sim_of sim_of, void *owner, int owner_idx,
			const char *name)
{
	struct fields_part *part = push_part(L, owner_idx);

	part->sim_of = sim_of;
	part->owner = owner;
	part->next = next_of_root(name);
	snprintf(part->path, sizeof(part->path), "%s", name);
}

static int push_longer(lua_State *L, const struct fields_part *from, enum path_next next,
		       const char *path)
{
	struct fields_part *part;

	lua_getiuservalue(L, 1, 1);
	part = push_part(L, lua_gettop(L));
	part->sim_of = from->sim_of;
	part->owner = from->owner;
	part->next = next;
	memcpy(part->path, path, sizeof(part->path));
	return 1;
}

void script_push_stats(lua_State *L, const struct sim *sim)
{
	lua_newtable(L);
	for (size_t i = 0; counter_infos[i].name; i++) {
		lua_pushinteger(L, counter_get(sim, i));
		lua_setfield(L, -2, counter_infos[i].name);
	}
}

static int push_value(lua_State *L, const struct fields_part *part, const char *path)
{
	struct field_ref ref;
	struct sim_error err;
	int zone = FIELD_NO_ZONE;
	const struct sim *sim = part->sim_of(L, part->owner, &zone);
	s64 value;

	if (field_parse(sim, path, zone, &ref, NULL, &err))
		return luaL_error(L, "%s", err.message);
	if (field_get(sim, &ref, &value))
		lua_pushinteger(L, value);
	else
		lua_pushnil(L);
	return 1;
}

/* The scope of the last name of a path. */
static enum field_scope scope_of(const char *path)
{
	if (strncmp(path, "cpu", 3) == 0)
		return FIELD_PCP;
	return strncmp(path, "stats", 5) == 0 ? FIELD_STATS : FIELD_ZONE;
}

/* The field "name[]" or "name[].n" of a scope, NULL if @name is no list. */
static const struct field_info *list_field(enum field_scope scope, const char *name)
{
	size_t n = strlen(name);

	for (const struct field_info *info = field_infos; info->name; info++) {
		if (info->scope == scope && strncmp(info->name, name, n) == 0 &&
		    info->name[n] == '[')
			return info;
	}
	return NULL;
}

static int wrong_index(lua_State *L, const struct fields_part *part)
{
	static const char *const wanted[] = {
		[NEXT_CPU] = "a CPU's number",	 [NEXT_ZONE] = "a zone's number or name",
		[NEXT_NODE] = "a node's number", [NEXT_NODE_ZONE] = "a zone's name",
		[NEXT_LIST] = "a list's number", [NEXT_FIELD] = "a field's name",
	};

	return luaL_error(L, "after %s %s was expected, not %s", part->path, wanted[part->next],
			  script_tostring(L, 2, NULL));
}

static int index_number(lua_State *L, const struct fields_part *part, lua_Integer i)
{
	char path[FIELD_NAME_MAX + 24];
	enum path_next next = NEXT_FIELD;

	if (part->next == NEXT_FIELD || part->next == NEXT_NODE_ZONE)
		return wrong_index(L, part);
	if (i < 0 || i > UINT32_MAX)
		return luaL_error(L, "%s[%I]: the number is out of range", part->path, i);
	snprintf(path, sizeof(path), "%s[%lld]", part->path, (long long)i);
	if (strlen(path) >= FIELD_NAME_MAX)
		return wrong_index(L, part);
	if (part->next == NEXT_NODE)
		next = NEXT_NODE_ZONE;
	if (part->next == NEXT_LIST) {
		const struct field_info *info =
			list_field(scope_of(path), strrchr(part->path, '.') + 1);

		if (info && strcmp(strchr(info->name, '['), "[]") == 0)
			return push_value(L, part, path);
	}
	return push_longer(L, part, next, path);
}

static int index_name(lua_State *L, const struct fields_part *part, const char *name)
{
	char path[FIELD_NAME_MAX * 2 + 2];
	bool pcp = strncmp(part->path, "cpu", 3) == 0;

	if (part->next == NEXT_CPU || part->next == NEXT_NODE || part->next == NEXT_LIST)
		return wrong_index(L, part);
	snprintf(path, sizeof(path), "%s.%.*s", part->path, FIELD_NAME_MAX, name);
	if (strlen(path) >= FIELD_NAME_MAX)
		return wrong_index(L, part);
	if (part->next == NEXT_ZONE || part->next == NEXT_NODE_ZONE)
		return push_longer(L, part, NEXT_FIELD, path);
	if (strlen(name) < 32 && list_field(scope_of(part->path), name))
		return push_longer(L, part, NEXT_LIST, path);
	if (pcp && strcmp(name, "zone") == 0 && strchr(part->path, '.') == NULL)
		return push_longer(L, part, NEXT_ZONE, path);
	if (pcp && strcmp(name, "node") == 0 && strchr(part->path, '.') == NULL)
		return push_longer(L, part, NEXT_NODE, path);
	return push_value(L, part, path);
}

static int l_fields_index(lua_State *L)
{
	struct fields_part *part = luaL_checkudata(L, 1, FIELDS_META);

	if (lua_isinteger(L, 2))
		return index_number(L, part, lua_tointeger(L, 2));
	if (lua_type(L, 2) == LUA_TNUMBER) {
		int whole;
		lua_Integer i = lua_tointegerx(L, 2, &whole);

		return whole ? index_number(L, part, i) : wrong_index(L, part);
	}
	if (lua_type(L, 2) != LUA_TSTRING)
		return wrong_index(L, part);
	return index_name(L, part, lua_tostring(L, 2));
}

static int l_fields_newindex(lua_State *L)
{
	struct fields_part *part = luaL_checkudata(L, 1, FIELDS_META);

	return luaL_error(L, "the fields of a machine are read-only: %s.%s cannot be set",
			  part->path, script_tostring(L, 2, NULL));
}

static int l_fields_tostring(lua_State *L)
{
	struct fields_part *part = luaL_checkudata(L, 1, FIELDS_META);

	lua_pushstring(L, part->path);
	return 1;
}

/* m:stats() is all counters as a table; m.stats.NAME is one. */
static int l_fields_call(lua_State *L)
{
	struct fields_part *part = luaL_checkudata(L, 1, FIELDS_META);
	int zone = FIELD_NO_ZONE;
	const struct sim *sim = part->sim_of(L, part->owner, &zone);

	if (strcmp(part->path, "stats") != 0)
		return luaL_error(L, "%s is no function", part->path);
	/* pageblocks_held walks the pagesets. */
	script_charge(L, 100 + (u64)sim_state(sim)->pcp_pages / 4);
	script_push_stats(L, sim);
	return 1;
}

static const luaL_Reg fields_meta[] = {
	{ "__call", l_fields_call },
	{ "__index", l_fields_index },
	{ "__newindex", l_fields_newindex },
	{ "__tostring", l_fields_tostring },
	{ NULL, NULL },
};

void script_fields_open(lua_State *L)
{
	luaL_newmetatable(L, FIELDS_META);
	luaL_setfuncs(L, fields_meta, 0);
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_pop(L, 1);
}

void script_fields_complete(const char *path, void (*add)(void *ctx, const char *word), void *ctx)
{
	enum field_scope scope = scope_of(path);

	for (const struct field_info *info = field_infos; info->name; info++) {
		char word[FIELD_NAME_MAX];

		snprintf(word, sizeof(word), "%.*s", (int)strcspn(info->name, "["), info->name);
		if (info->scope == scope)
			add(ctx, word);
	}
	if (scope == FIELD_PCP && !strstr(path, ".zone") && !strstr(path, ".node"))
		add(ctx, "zone");
}

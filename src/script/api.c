/* SPDX-License-Identifier: GPL-2.0-only */
/* Registration and documentation, both from api.def. */
#include "api.h"

#include <string.h>

#include "fields.h"
#include "machines.h"
#include "module.h"

enum api_group { GROUP_sim, GROUP_expect, GROUP_machine, GROUP_task, GROUP_csv, NR_GROUPS };

struct api_entry {
	enum api_group group;
	const char *name;
	lua_CFunction function;
	const char *args, *result, *help, *example;
};

static const struct api_entry entries[] = {
#define API(group, name, function, args, result, help, example) \
	{ GROUP_##group, #name, function, args, result, help, example },
#include "api.def"
#undef API
};

static const struct {
	const char *prefix, *title;
} groups[NR_GROUPS] = {
	[GROUP_sim] = { "sim.", "The module" }, [GROUP_expect] = { "sim.expect.", "Expectations" },
	[GROUP_machine] = { "m:", "Machines" }, [GROUP_task] = { "t:", "Tasks" },
	[GROUP_csv] = { "csv:", "CSV files" },
};

/* A table of a group's functions; pushed. */
static void push_group(lua_State *L, enum api_group group)
{
	lua_newtable(L);
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
		if (entries[i].group != group)
			continue;
		lua_pushcfunction(L, entries[i].function);
		lua_setfield(L, -2, entries[i].name);
	}
}

static void protect_metatable(lua_State *L)
{
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_pop(L, 1);
}

static void open_machine(lua_State *L)
{
	luaL_newmetatable(L, MACHINE_META);
	push_group(L, GROUP_machine);
	lua_pushcclosure(L, l_machine_index, 1);
	lua_setfield(L, -2, "__index");
	lua_pushcfunction(L, l_machine_newindex);
	lua_setfield(L, -2, "__newindex");
	lua_pushcfunction(L, l_machine_tostring);
	lua_setfield(L, -2, "__tostring");
	lua_pushcfunction(L, l_machine_gc);
	lua_setfield(L, -2, "__gc");
	protect_metatable(L);
}

/* A metatable whose methods are a group's. */
static void open_methods(lua_State *L, const char *meta, enum api_group group, const char *name)
{
	luaL_newmetatable(L, meta);
	push_group(L, group);
	script_freeze(L, name);
	lua_setfield(L, -2, "__index");
}

void script_open_sim(lua_State *L)
{
	script_fields_open(L);
	script_open_pages(L);
	script_open_policy(L);
	script_open_compare(L);
	open_machine(L);
	open_methods(L, TASK_META, GROUP_task, "task");
	lua_pushcfunction(L, l_task_tostring);
	lua_setfield(L, -2, "__tostring");
	protect_metatable(L);
	open_methods(L, CSV_META, GROUP_csv, "csv");
	lua_pushcfunction(L, l_csv_gc);
	lua_setfield(L, -2, "__gc");
	protect_metatable(L);

	script_push_builtins(L);
	push_group(L, GROUP_sim);
	push_group(L, GROUP_expect);
	script_freeze(L, "sim.expect");
	lua_setfield(L, -2, "expect");
	lua_pushvalue(L, -1);
	lua_setfield(L, LUA_REGISTRYINDEX, SIM_TABLE);
	script_freeze(L, "sim");
	lua_setfield(L, -2, "sim");
	lua_pop(L, 1);
}

bool script_api_entry(size_t i, const char **name, const char **example)
{
	static char full[80];

	if (i >= ARRAY_SIZE(entries))
		return false;
	snprintf(full, sizeof(full), "%s%s", groups[entries[i].group].prefix, entries[i].name);
	*name = full;
	*example = entries[i].example;
	return true;
}

void script_api_methods(char kind, void (*add)(void *ctx, const char *word), void *ctx)
{
	enum api_group group = kind == 't' ? GROUP_task : kind == 'c' ? GROUP_csv : GROUP_machine;

	for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
		if (entries[i].group == group)
			add(ctx, entries[i].name);
	}
}

static void print_entry(FILE *out, const struct api_entry *e)
{
	bool braces = *e->args == '{';

	fprintf(out, "### %s%s\n\n", groups[e->group].prefix, e->name);
	fprintf(out, "`%s%s%s%s%s`", groups[e->group].prefix, e->name, braces ? "" : "(", e->args,
		braces ? "" : ")");
	if (*e->result)
		fprintf(out, " returns %s", e->result);
	fprintf(out, "\n\n");
	/* One sentence a line. */
	for (const char *s = e->help; *s;) {
		const char *end = strstr(s, ". ");
		size_t len = end ? (size_t)(end - s) + 1 : strlen(s);

		fprintf(out, "%.*s\n", (int)len, s);
		s += len + (end ? 1 : 0);
	}
	fprintf(out, "\n```lua\n%s```\n\n", e->example);
}

void script_print_api(FILE *out)
{
	fputs(
#include "api_intro.def"
		, out);
	for (int group = 0; group < NR_GROUPS; group++) {
		fprintf(out, "## %s\n\n", groups[group].title);
		for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
			if ((int)entries[i].group == group)
				print_entry(out, &entries[i]);
		}
	}
}

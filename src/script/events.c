/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * m:on(): functions that are called at steps of an operation. They run in its middle,
 * so they only look; what they raise comes out when the operation is done.
 */
#include <string.h>

#include "api.h"
#include "machines.h"

/* "step", a kind (refill, drain ...), or a step by its name in step.def. */
static int find_step(const char *name)
{
	if (strcmp(name, "free_high") == 0)
		return STEP_FREE_HIGH;
	for (int i = 0; i < NR_STEPS; i++) {
		if (strcmp(step_infos[i].name, name) == 0)
			return i;
	}
	return -1;
}

static int find_kind(const char *name)
{
	for (int i = 0; i < NR_STEP_KINDS; i++) {
		if (strcmp(step_kind_names[i], name) == 0)
			return i;
	}
	return -1;
}

/* Stack: the table of the event. */
static void fill_event(lua_State *L, struct sim *sim, const struct step *step)
{
	const struct step_info *info = &step_infos[step->id];
	char text[STEP_TEXT_MAX];

	for (u32 i = 0; i < step->nr_args; i++) {
		lua_pushinteger(L, step->args[i]);
		lua_rawseti(L, -2, (lua_Integer)i);
	}
	lua_pushstring(L, info->name);
	lua_setfield(L, -2, "step");
	lua_pushstring(L, step_kind_names[info->kind]);
	lua_setfield(L, -2, "kind");
	lua_pushinteger(L, step->cpu);
	lua_setfield(L, -2, "cpu");
	lua_pushstring(L, step_funcs[info->func].name);
	lua_setfield(L, -2, "where");
	lua_pushinteger(L, step->line);
	lua_setfield(L, -2, "line");
	lua_pushstring(L, step_format(sim, step, text));
	lua_setfield(L, -2, "text");
	if (info->patch != P_NONE) {
		lua_pushstring(L, patch_name((enum patch_id)info->patch));
		lua_setfield(L, -2, "patch");
	}
}

/* Arguments: machine, name, step. Calls the functions of one name. */
static int l_dispatch(lua_State *L)
{
	struct script_machine *m = lua_touserdata(L, 1);
	const struct step *step = lua_touserdata(L, 3);
	lua_Integer n;

	lua_rawgeti(L, LUA_REGISTRYINDEX, m->handlers);
	if (lua_getfield(L, -1, lua_tostring(L, 2)) != LUA_TTABLE)
		return 0;
	n = luaL_len(L, -1);
	for (lua_Integer i = 1; i <= n; i++) {
		lua_rawgeti(L, -1, i);
		lua_createtable(L, (int)step->nr_args, 8);
		lua_pushvalue(L, 2);
		lua_setfield(L, -2, "event");
		fill_event(L, m->sim, step);
		lua_call(L, 1, 0);
	}
	return 0;
}

static void dispatch(struct script_machine *m, const char *name, const struct step *step)
{
	lua_State *L = m->running;
	struct step copy = *step;

	if (!L || m->failure != LUA_NOREF || m->box->spent)
		return;
	if (!lua_checkstack(L, 10))
		return;
	lua_pushcfunction(L, l_dispatch);
	lua_pushlightuserdata(L, m);
	lua_pushstring(L, name);
	lua_pushlightuserdata(L, &copy);
	if (script_pcall(L, 3, 0))
		script_keep_failure(L, m);
}

static void observe(void *ctx, struct sim *sim, const struct step *step)
{
	struct script_machine *m = ctx;
	const struct step_info *info = &step_infos[step->id];

	(void)sim;
	if (m->every_step)
		dispatch(m, "step", step);
	if (m->kinds & 1ull << info->kind)
		dispatch(m, step_kind_names[info->kind], step);
	if (m->by_name) {
		dispatch(m, info->name, step);
		if (step->id == STEP_FREE_HIGH)
			dispatch(m, "free_high", step);
	}
}

void script_events_update(struct script_machine *m)
{
	bool any = m->every_step || m->by_name || m->kinds;

	if (m->own)
		sim_set_observer(m->sim, any ? observe : NULL, m);
	else if (m->drive.observe)
		m->drive.observe(m->drive.ctx, any ? observe : NULL, m);
}

void script_events_close(struct script_machine *m)
{
	if (m->handlers == LUA_NOREF)
		return;
	m->every_step = m->by_name = false;
	m->kinds = 0;
	script_events_update(m);
	luaL_unref(m->box->L, LUA_REGISTRYINDEX, m->handlers);
	m->handlers = LUA_NOREF;
}

static int unknown_event(lua_State *L, const char *name)
{
	static const char *const names[] = { "step",  "free_high", "refill",	"bulk",
					     "drain", "flag",	   "tick",	"patch",
					     "fail",  "enter",	   "condition", "not_asked",
					     "set",   "move",	   "result",	NULL };

	return script_unknown_key(L, "on", name, names);
}

int l_machine_on(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	const char *name = luaL_checkstring(L, 2);
	int kind = find_kind(name);

	luaL_checktype(L, 3, LUA_TFUNCTION);
	script_may_change(L, m);
	if (strcmp(name, "step") == 0)
		m->every_step = true;
	else if (kind >= 0)
		m->kinds |= 1ull << kind;
	else if (find_step(name) >= 0)
		m->by_name = true;
	else
		return unknown_event(L, name);
	if (m->handlers == LUA_NOREF) {
		lua_newtable(L);
		m->handlers = luaL_ref(L, LUA_REGISTRYINDEX);
	}
	lua_rawgeti(L, LUA_REGISTRYINDEX, m->handlers);
	if (lua_getfield(L, -1, name) != LUA_TTABLE) {
		lua_pop(L, 1);
		lua_newtable(L);
		lua_pushvalue(L, -1);
		lua_setfield(L, -3, name);
	}
	lua_pushvalue(L, 3);
	lua_rawseti(L, -2, luaL_len(L, -2) + 1);
	script_events_update(m);
	return 0;
}

int l_machine_off(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);

	script_may_change(L, m);
	script_events_close(m);
	return 0;
}

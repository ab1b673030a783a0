/* SPDX-License-Identifier: GPL-2.0-only */
#include "script.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "base/text.h"
#include "box.h"
#include "fields.h"
#include "machines.h"
#include "module.h"

struct script {
	struct script_box *box;
	struct script_drive current;
	char *out_dir;
};

static const char arg_key, task_arg_key;

static int l_open(lua_State *L)
{
	script_open_sim(L);
	script_push_builtins(L);
	lua_newtable(L);
	lua_pushvalue(L, -1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &arg_key);
	lua_setfield(L, -2, "arg");
	return 0;
}

struct script *script_new(const struct script_options *o)
{
	struct script *s = calloc(1, sizeof(*s));
	struct patch_change change;
	struct script_box *box;

	if (!s)
		return NULL;
	box = s->box = script_box_new(&o->limits);
	s->out_dir = strdup(o->out_dir ? o->out_dir : "out");
	if (!box || !s->out_dir) {
		script_free(s);
		return NULL;
	}
	box->hooks = o->hooks;
	box->seed = o->seed;
	script_rand_seed(box, o->seed);
	box->out_dir = s->out_dir;
	box->series = o->series;
	if (o->patches && patch_set_parse(o->patches, o->series, &change, NULL, 0)) {
		box->patches = change.set;
		box->patches_given = true;
	}
	lua_pushcfunction(box->L, l_open);
	if (lua_pcall(box->L, 0, 0, 0)) {
		script_free(s);
		return NULL;
	}
	return s;
}

void script_free(struct script *s)
{
	if (!s)
		return;
	script_box_free(s->box);
	free(s->out_dir);
	free(s);
}

/*
 * Arguments
 */

static void push_typed(lua_State *L, const char *value)
{
	if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0) {
		lua_pushboolean(L, *value == 't');
	} else if (!*value || isspace((unsigned char)*value) ||
		   lua_stringtonumber(L, value) != strlen(value) + 1) {
		lua_pushstring(L, value);
	}
}

enum base_err script_arg(struct script *s, const char *key, const char *value, struct diag *d)
{
	lua_State *L = s->box->L;

	if (key && (!*key || isdigit((unsigned char)*key)))
		return base_diag_set(d, BASE_ERR_USAGE, NULL, 0, 0,
				     "\"%s\" is no name for an option; key=value was expected",
				     key);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &arg_key);
	push_typed(L, value);
	if (key)
		lua_setfield(L, -2, key);
	else
		lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
	lua_pop(L, 1);
	return BASE_ERR_OK;
}

void script_arg_text(struct script *s, const char *key, const char *value)
{
	lua_State *L = s->box->L;

	lua_rawgetp(L, LUA_REGISTRYINDEX, &arg_key);
	lua_pushstring(L, value);
	lua_setfield(L, -2, key);
	lua_pop(L, 1);
}

/*
 * The machine of others
 */

struct current_call {
	struct script *s;
	const struct script_drive *drive;
};

static int l_set_current(lua_State *L)
{
	struct current_call *c = lua_touserdata(L, 1);
	struct script_machine *m;

	lua_getfield(L, LUA_REGISTRYINDEX, SIM_TABLE);
	if (lua_getfield(L, -1, "current") != LUA_TNIL)
		script_machine_close(lua_touserdata(L, -1));
	lua_pop(L, 1);
	if (!c->drive) {
		lua_pushnil(L);
		lua_setfield(L, -2, "current");
		return 0;
	}
	m = script_push_machine(L);
	m->drive = *c->drive;
	script_machine_adopt(L, m, c->drive->sim(c->drive->ctx));
	m->own = false;
	lua_setfield(L, -2, "current");
	return 0;
}

void script_set_current(struct script *s, const struct script_drive *drive)
{
	struct current_call c = { s, drive };

	lua_pushcfunction(s->box->L, l_set_current);
	lua_pushlightuserdata(s->box->L, &c);
	if (lua_pcall(s->box->L, 1, 0, 0))
		lua_pop(s->box->L, 1);
}

/*
 * Running
 */

/* Raises what the caps say. */
static int l_stopped(lua_State *L)
{
	script_reraise(L);
	return 0;
}

/* "name:12: message" and what follows, into the diag's parts and the trace. */
static enum base_err take_error(lua_State *L, const char *name, struct diag *d, char **trace)
{
	const char *text = lua_tostring(L, -1), *message = text, *frames;
	size_t n = strlen(name);
	uint64_t line = 0;

	if (!text)
		text = message = "not enough memory";
	if (strcmp(text, "not enough memory") == 0 && script_box_of(L)->spent) {
		lua_pushcfunction(L, l_stopped);
		lua_pcall(L, 0, 0, 0);
		lua_remove(L, -2);
		text = message = lua_tostring(L, -1);
	} else if (strcmp(text, "not enough memory") == 0) {
		message = script_box_of(L)->limits.fixed ? "out of memory" :
							   "out of memory (see --max-memory)";
	}
	if (strncmp(text, name, n) == 0 && text[n] == ':' && isdigit((unsigned char)text[n + 1])) {
		char *end;

		line = strtoull(text + n + 1, &end, 10);
		message = *end == ':' ? end + 1 + (end[1] == ' ') : end;
	}
	frames = strstr(message, "\ntraceback:");
	base_diag_set(d, BASE_ERR_FAILED, name, line, 0, "%.*s",
		      frames ? (int)(frames - message) : (int)strlen(message), message);
	if (trace)
		*trace = frames ? strdup(frames + 1) : NULL;
	lua_pop(L, 1);
	return BASE_ERR_FAILED;
}

static enum base_err run_chunk(struct script *s, const char *name, const char *text, size_t len,
			       struct diag *d, char **trace)
{
	lua_State *L = s->box->L;
	char chunk_name[1000];

	if (trace)
		*trace = NULL;
	/* A first line for the shell is none of the script's. */
	if (len && *text == '#') {
		while (len && *text != '\n') {
			text++;
			len--;
		}
	}
	snprintf(chunk_name, sizeof(chunk_name), "@%s", name);
	lua_settop(L, 0);
	if (luaL_loadbufferx(L, text, len, chunk_name, "t"))
		return take_error(L, name, d, trace);
	script_push_env(L);
	lua_setupvalue(L, -2, 1);
	if (script_pcall(L, 0, 0))
		return take_error(L, name, d, trace);
	return BASE_ERR_OK;
}

static void set_folder(struct script_box *box, const char *folder)
{
	free(box->folder);
	box->folder = folder ? realpath(folder, NULL) : NULL;
}

/* Lua shortens long names in messages; the end of a path says most. */
static const char *short_name(const char *path)
{
	size_t n = strlen(path);

	return n < LUA_IDSIZE - 1 ? path : path + n - (LUA_IDSIZE - 2);
}

enum base_err script_run_text(struct script *s, const char *name, const char *text, size_t len,
			      const char *folder, struct diag *d, char **trace)
{
	set_folder(s->box, folder);
	return run_chunk(s, short_name(name), text, len, d, trace);
}

enum base_err script_run_file(struct script *s, const char *path, struct diag *d, char **trace)
{
	struct base_text text;
	enum base_err ret = base_text_read(&text, path, 16 << 20, d);
	const char *slash = strrchr(path, '/');
	char *folder;

	if (trace)
		*trace = NULL;
	if (ret)
		return ret;
	folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
	set_folder(s->box, folder);
	free(folder);
	ret = run_chunk(s, short_name(path), text.data, text.len, d, trace);
	if (ret && d->line)
		base_diag_excerpt_text(d, &text);
	base_text_free(&text);
	return ret;
}

enum base_err script_check_text(struct script *s, const char *name, const char *text, size_t len,
				struct diag *d)
{
	lua_State *L = s->box->L;
	char chunk_name[1000];

	name = short_name(name);
	snprintf(chunk_name, sizeof(chunk_name), "@%s", name);
	lua_settop(L, 0);
	if (luaL_loadbufferx(L, text, len, chunk_name, "t"))
		return take_error(L, name, d, NULL);
	lua_settop(L, 0);
	return BASE_ERR_OK;
}

/*
 * Tasks
 */

struct spawn_call {
	u32 cpu;
	const char *name, *text;
	size_t len;
};

/* A chunk in an environment of its own, with t and arg before the script's names. */
static int l_spawn(lua_State *L)
{
	struct spawn_call *c = lua_touserdata(L, 1);
	int env;

	lua_newtable(L);
	env = lua_gettop(L);
	lua_newtable(L);
	script_push_env(L);
	lua_setfield(L, -2, "__index");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, env);
	lua_newtable(L);
	lua_pushvalue(L, -1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &task_arg_key);
	lua_setfield(L, env, "arg");

	lua_pushcfunction(L, l_machine_spawn);
	lua_getfield(L, LUA_REGISTRYINDEX, SIM_TABLE);
	lua_getfield(L, -1, "current");
	lua_remove(L, -2);
	lua_pushinteger(L, c->cpu);
	if (luaL_loadbufferx(L, c->text, c->len, lua_pushfstring(L, "@%s", c->name), "t"))
		return lua_error(L);
	lua_remove(L, -2); /* its name */
	lua_pushvalue(L, env);
	lua_setupvalue(L, -2, 1);
	lua_call(L, 3, 1);
	lua_setfield(L, env, "t");
	return 0;
}

enum base_err script_spawn(struct script *s, u32 cpu, const char *name, const char *text,
			   size_t len, const char *folder, struct diag *d)
{
	lua_State *L = s->box->L;
	struct spawn_call c = { cpu, short_name(name), text, len };

	set_folder(s->box, folder);
	lua_settop(L, 0);
	lua_pushcfunction(L, l_spawn);
	lua_pushlightuserdata(L, &c);
	if (script_pcall(L, 1, 0))
		return take_error(L, c.name, d, NULL);
	return BASE_ERR_OK;
}

void script_spawn_arg(struct script *s, const char *key, const char *value, bool typed)
{
	lua_State *L = s->box->L;

	lua_rawgetp(L, LUA_REGISTRYINDEX, &task_arg_key);
	if (typed)
		push_typed(L, value);
	else
		lua_pushstring(L, value);
	lua_setfield(L, -2, key);
	lua_pop(L, 1);
}

struct run_call {
	u64 for_ns, ops;
};

static int l_run_tasks(lua_State *L)
{
	struct run_call *c = lua_touserdata(L, 1);

	lua_pushcfunction(L, l_machine_run);
	lua_getfield(L, LUA_REGISTRYINDEX, SIM_TABLE);
	lua_getfield(L, -1, "current");
	lua_remove(L, -2);
	lua_newtable(L);
	if (c->for_ns) {
		lua_pushinteger(L, (lua_Integer)c->for_ns);
		lua_setfield(L, -2, "for_ns");
	}
	if (c->ops) {
		lua_pushinteger(L, (lua_Integer)c->ops);
		lua_setfield(L, -2, "ops");
	}
	lua_call(L, 2, 0);
	return 0;
}

enum base_err script_run_tasks(struct script *s, u64 for_ns, u64 ops, struct diag *d, char **trace)
{
	lua_State *L = s->box->L;
	struct run_call c = { for_ns, ops };
	const char *text;
	char name[LUA_IDSIZE + 1];

	if (trace)
		*trace = NULL;
	lua_settop(L, 0);
	lua_pushcfunction(L, l_run_tasks);
	lua_pushlightuserdata(L, &c);
	if (!script_pcall(L, 1, 0))
		return BASE_ERR_OK;
	/* The message begins with the name of the program that raised it. */
	text = lua_tostring(L, -1);
	snprintf(name, sizeof(name), "%.*s", text ? (int)strcspn(text, ":") : 0, text ? text : "");
	return take_error(L, name, d, trace);
}

/*
 * Interactive use
 */

static int load_line(lua_State *L, const char *prefix, const char *text, size_t len)
{
	luaL_Buffer b;
	int ret;

	luaL_buffinit(L, &b);
	luaL_addstring(&b, prefix);
	luaL_addlstring(&b, text, len);
	luaL_pushresult(&b);
	ret = luaL_loadbufferx(L, lua_tostring(L, -1), lua_rawlen(L, -1), "=input", "t");
	lua_remove(L, -2);
	return ret;
}

static bool is_unfinished(lua_State *L)
{
	const char *message = lua_tostring(L, -1);
	size_t n = message ? strlen(message) : 0;

	return n >= 5 && strcmp(message + n - 5, "<eof>") == 0;
}

static int l_print_values(lua_State *L)
{
	int n = lua_gettop(L);

	script_push_builtins(L);
	lua_getfield(L, -1, "print");
	lua_insert(L, 1);
	lua_settop(L, n + 1);
	lua_call(L, n, 0);
	return 0;
}

static enum script_line failed(lua_State *L, char **message)
{
	const char *text = lua_tostring(L, -1);

	*message = strdup(text ? text : "out of memory");
	lua_settop(L, 0);
	return SCRIPT_FAILED;
}

enum script_line script_run_line(struct script *s, const char *text, size_t len, char **message)
{
	lua_State *L = s->box->L;

	*message = NULL;
	lua_settop(L, 0);
	/* The caps hold for each input by itself. */
	s->box->work = 0;
	s->box->spent = NULL;
	if (len && *text == '=') {
		text++;
		len--;
	}
	if (load_line(L, "return ", text, len)) {
		lua_pop(L, 1);
		if (load_line(L, "", text, len)) {
			if (is_unfinished(L)) {
				lua_settop(L, 0);
				return SCRIPT_MORE;
			}
			return failed(L, message);
		}
	}
	script_push_env(L);
	lua_setupvalue(L, -2, 1);
	if (script_pcall(L, 0, LUA_MULTRET))
		return failed(L, message);
	if (lua_gettop(L) > 0) {
		lua_pushcfunction(L, l_print_values);
		lua_insert(L, 1);
		if (lua_pcall(L, lua_gettop(L) - 1, 0, 0))
			return failed(L, message);
	}
	return SCRIPT_DONE;
}

/*
 * Completion
 */

struct completion {
	const char *word;
	size_t len;
	void (*add)(void *ctx, const char *word);
	void *ctx;
};

static void offer(void *ctx, const char *word)
{
	struct completion *c = ctx;

	if (strncmp(word, c->word, c->len) == 0)
		c->add(c->ctx, word);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Names of the table at the top. */
static void offer_keys(lua_State *L, struct completion *c)
{
	lua_Integer n;

	if (script_frozen(L, -1))
		lua_remove(L, -2);
	if (!lua_istable(L, -1))
		return;
	n = script_sorted_keys(L, -1);
	for (lua_Integer i = 1; i <= n; i++) {
		lua_rawgeti(L, -1, i);
		if (lua_type(L, -1) == LUA_TSTRING)
			offer(c, lua_tostring(L, -1));
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
}

struct complete_call {
	struct completion c;
	const char *text;
	size_t start; /* of the word */
};

/* Pushes the value of the names before the word, joined by dots; false if they are more than names. */
static bool push_owner(lua_State *L, const char *text, size_t start, size_t *path_at)
{
	size_t from = start;
	char name[64];

	while (from && (is_word(text[from - 1]) || strchr(".:[]", text[from - 1])))
		from--;
	script_push_env(L);
	while (from < start) {
		size_t n = 0;

		while (from + n < start && is_word(text[from + n]))
			n++;
		if (!n || n >= sizeof(name))
			return false;
		memcpy(name, text + from, n);
		name[n] = '\0';
		/* The fields of a machine are completed by their path. */
		if (lua_type(L, -1) == LUA_TUSERDATA) {
			*path_at = from;
			return true;
		}
		lua_getfield(L, -1, name);
		lua_remove(L, -2);
		from += n + 1;
	}
	return true;
}

static int l_complete(lua_State *L)
{
	struct complete_call *call = lua_touserdata(L, 1);
	static const char *const roots[] = { "cpu", "zone", "node", "stats" };
	size_t path_at = 0;

	if (!push_owner(L, call->text, call->start, &path_at))
		return 0;
	if (path_at) {
		script_fields_complete(call->text + path_at, offer, &call->c);
		return 0;
	}
	if (luaL_testudata(L, -1, MACHINE_META)) {
		script_api_methods('m', offer, &call->c);
		for (size_t i = 0; call->text[call->start - 1] == '.' && i < ARRAY_SIZE(roots); i++)
			offer(&call->c, roots[i]);
	} else if (luaL_testudata(L, -1, TASK_META)) {
		script_api_methods('t', offer, &call->c);
	} else if (luaL_testudata(L, -1, CSV_META)) {
		script_api_methods('c', offer, &call->c);
	} else {
		offer_keys(L, &call->c);
		script_push_env(L);
		if (lua_rawequal(L, -1, -2)) {
			script_push_builtins(L);
			offer_keys(L, &call->c);
		}
	}
	return 0;
}

size_t script_complete(struct script *s, const char *text, size_t len,
		       void (*add)(void *ctx, const char *word), void *ctx)
{
	lua_State *L = s->box->L;
	struct complete_call call = { .text = text, .start = len };

	while (call.start && is_word(text[call.start - 1]))
		call.start--;
	call.c = (struct completion){ text + call.start, len - call.start, add, ctx };
	lua_settop(L, 0);
	s->box->work = 0;
	s->box->spent = NULL;
	lua_pushcfunction(L, l_complete);
	lua_pushlightuserdata(L, &call);
	lua_pcall(L, 1, 0, 0);
	lua_settop(L, 0);
	return call.start;
}

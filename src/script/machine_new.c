/* SPDX-License-Identifier: GPL-2.0-only */
/* From a table of options to a simulated machine. */
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "base/number.h"
#include "machines.h"

static const char *const other_keys[] = { "zones", "caches", "series", "patches", "seed", NULL };
static const char *const zone_keys[] = { "name", "size", "pages", "node", "start_pfn",
					 "min",	 "low",	 "high",  NULL };
static const char *const node_keys[] = { "cpus", "zones", "memory", NULL };
static const char *const cache_keys[] = { "level", "type", "size", "shared_by", NULL };

/* What a build needs at hand; freed on every way out. */
struct building {
	lua_State *L;
	struct machine machine;
	enum series series;
	u32 patches;
};

int script_unknown_key(lua_State *L, const char *where, const char *key, const char *const *known)
{
	const char *near = base_near_list(key, known);

	if (near)
		return luaL_error(L, "%s: %s is not a key of it; did you mean %s?", where, key,
				  near);
	return luaL_error(L, "%s: %s is not a key of it", where, key);
}

lua_Integer script_check_range(lua_State *L, int idx, const char *what, lua_Integer min,
			       lua_Integer max)
{
	int whole;
	lua_Integer n = lua_tointegerx(L, idx, &whole);

	if (!whole || lua_type(L, idx) != LUA_TNUMBER)
		luaL_error(L, "%s: a whole number was expected, not %s", what,
			   script_tostring(L, idx, NULL));
	if (n < min || n > max)
		luaL_error(L, "%s is %I; it must be between %I and %I", what, n, min, max);
	return n;
}

/* Bytes: a number, or a text such as "1GiB". */
static s64 check_size(lua_State *L, int idx, const char *what)
{
	struct diag d;
	uint64_t bytes;
	size_t len;
	const char *text;

	if (lua_type(L, idx) == LUA_TNUMBER)
		return script_check_range(L, idx, what, 0, (lua_Integer)1 << 50);
	if (lua_type(L, idx) != LUA_TSTRING)
		luaL_error(L, "%s: a size was expected, such as \"1GiB\"", what);
	text = lua_tolstring(L, idx, &len);
	if (base_parse_size(text, len, 0, (uint64_t)1 << 50, &bytes, &d))
		luaL_error(L, "%s: %s", what, d.message);
	return (s64)bytes;
}

/* Pages from a size, which must be whole ones. */
static u64 check_pages(lua_State *L, int idx, const char *what)
{
	s64 bytes = check_size(L, idx, what);

	if (bytes % PAGE_SIZE)
		luaL_error(L, "%s: %I bytes are not a whole number of pages", what, bytes);
	return (u64)bytes / PAGE_SIZE;
}

static int find_word(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], word) == 0)
			return i;
	}
	return -1;
}

static int check_word(lua_State *L, int idx, const char *what, const char *const *words)
{
	const char *word = lua_type(L, idx) == LUA_TSTRING ? lua_tostring(L, idx) : NULL;
	int i = word ? find_word(words, word) : -1;
	luaL_Buffer b;

	if (i >= 0)
		return i;
	word = script_tostring(L, idx, NULL);
	luaL_buffinit(L, &b);
	for (int k = 0; words[k]; k++) {
		if (k)
			luaL_addstring(&b, ", ");
		luaL_addstring(&b, words[k]);
	}
	luaL_pushresult(&b);
	return luaL_error(L, "%s: %s is none of %s", what, word, lua_tostring(L, -1));
}

static void raise_sim(lua_State *L, const struct sim_error *err)
{
	luaL_error(L, "%s", err->message);
}

/* Key of machine.def with the value at the top of the stack. */
static void set_key(struct building *b, const struct machine_key *key)
{
	lua_State *L = b->L;
	struct sim_error err;
	s64 value;

	if (key->type == MKEY_SIZE)
		value = check_size(L, -1, key->name);
	else if (key->type == MKEY_BOOL && lua_isboolean(L, -1))
		value = lua_toboolean(L, -1);
	else if (key->type == MKEY_SCALE && lua_type(L, -1) == LUA_TSTRING &&
		 strcmp(lua_tostring(L, -1), "none") == 0)
		value = SCALE_NONE;
	else if (key->words && lua_type(L, -1) != LUA_TNUMBER)
		value = check_word(L, -1, key->name, key->words);
	else
		value = script_check_range(L, -1, key->name, key->min, key->max);
	if (machine_set(&b->machine, key, value, &err))
		raise_sim(L, &err);
}

/* For each entry of the list at the top: check its keys, then call @add with the entry at the top. */
static void each_entry(struct building *b, const char *what, const char *const *keys,
		       void (*add)(struct building *b, u32 i))
{
	lua_State *L = b->L;
	lua_Integer n;

	if (lua_type(L, -1) != LUA_TTABLE)
		luaL_error(L, "%s: a list of tables was expected", what);
	n = luaL_len(L, -1);
	luaL_checkstack(L, 10, NULL);
	for (lua_Integer i = 1; i <= n; i++) {
		script_charge(L, 10);
		if (lua_geti(L, -1, i) != LUA_TTABLE)
			luaL_error(L, "%s[%I]: a table was expected", what, i);
		lua_pushnil(L);
		while (lua_next(L, -2)) {
			lua_pop(L, 1);
			script_charge(L, 4);
			if (lua_type(L, -1) != LUA_TSTRING ||
			    find_word(keys, lua_tostring(L, -1)) < 0) {
				lua_pushvalue(L, -1);
				script_unknown_key(L, what, script_tostring(L, -1, NULL), keys);
			}
		}
		add(b, (u32)(i - 1));
		lua_pop(L, 1);
	}
}

static lua_Integer opt_field(lua_State *L, const char *name, lua_Integer def, lua_Integer min,
			     lua_Integer max)
{
	lua_Integer value = def;

	if (lua_getfield(L, -1, name) != LUA_TNIL)
		value = script_check_range(L, -1, name, min, max);
	lua_pop(L, 1);
	return value;
}

static void add_zone_of(struct building *b, u32 node)
{
	static const char *const marks[] = { "min", "low", "high" };
	lua_State *L = b->L;
	struct sim_error err;
	u64 pages, start;
	int type;

	lua_getfield(L, -1, "name");
	type = check_word(L, -1, "a zone's name", zone_type_names);
	lua_pop(L, 1);
	if (lua_getfield(L, -1, "size") != LUA_TNIL) {
		pages = check_pages(L, -1, "a zone's size");
		lua_pop(L, 1);
	} else {
		lua_pop(L, 1);
		pages = (u64)opt_field(L, "pages", 0, 1, MACHINE_PFN_MAX);
	}
	start = (u64)opt_field(L, "start_pfn", -1, 0, MACHINE_PFN_MAX);
	node = (u32)opt_field(L, "node", node, 0, MACHINE_NODES_MAX - 1);
	if (machine_add_zone(&b->machine, node, (enum zone_type)type, start, pages, &err))
		raise_sim(L, &err);
	for (int i = 0; i < 3; i++)
		b->machine.zones[b->machine.nr_zones - 1].wmark[i] =
			opt_field(L, marks[i], -1, 0, INT32_MAX);
}

static void add_zone(struct building *b, u32 i)
{
	(void)i;
	add_zone_of(b, 0);
}

static void add_cache(struct building *b, u32 i)
{
	lua_State *L = b->L;
	struct sim_error err;
	u32 level = (u32)opt_field(L, "level", 1, 1, 4);
	u32 shared_by = (u32)opt_field(L, "shared_by", 1, 1, MACHINE_CPUS_MAX);
	int type = CACHE_UNIFIED;
	s64 size;

	(void)i;
	if (lua_getfield(L, -1, "type") != LUA_TNIL)
		type = check_word(L, -1, "a cache's type", cache_type_names);
	lua_pop(L, 1);
	lua_getfield(L, -1, "size");
	size = check_size(L, -1, "a cache's size");
	lua_pop(L, 1);
	if (machine_add_cache(&b->machine, level, (enum cache_type)type, (u64)size, shared_by,
			      &err))
		raise_sim(L, &err);
}

/* CPUs of nodes are named by number; machine_add_cpu() wants them in order. */
static u16 *node_cpus(lua_State *L, u16 *cpu_node, u32 *nr, u32 node)
{
	if (lua_getfield(L, -1, "cpus") == LUA_TTABLE) {
		lua_Integer n = luaL_len(L, -1);

		for (lua_Integer i = 1; i <= n; i++) {
			u32 cpu;

			lua_geti(L, -1, i);
			cpu = (u32)script_check_range(L, -1, "a CPU's number", 0,
						      MACHINE_CPUS_MAX - 1);
			lua_pop(L, 1);
			if (cpu_node[cpu] != UINT16_MAX)
				luaL_error(L, "nodes: CPU %d is named twice", (int)cpu);
			cpu_node[cpu] = (u16)node;
			*nr = cpu + 1 > *nr ? cpu + 1 : *nr;
			script_charge(L, 4);
		}
	} else if (!lua_isnil(L, -1)) {
		luaL_error(L, "nodes: cpus is a list of numbers, such as {0, 1}");
	}
	lua_pop(L, 1);
	return cpu_node;
}

/* One node: its zones, or one Normal zone of its memory. */
static void add_node(struct building *b, u32 node)
{
	lua_State *L = b->L;
	struct sim_error err;

	if (lua_getfield(L, -1, "memory") != LUA_TNIL) {
		u64 pages = check_pages(L, -1, "a node's memory");

		if (machine_add_zone(&b->machine, node, ZONE_NORMAL, MACHINE_PFN_AUTO, pages, &err))
			raise_sim(L, &err);
	}
	lua_pop(L, 1);
	if (lua_getfield(L, -1, "zones") == LUA_TTABLE) {
		lua_Integer n = luaL_len(L, -1);

		for (lua_Integer i = 1; i <= n; i++) {
			if (lua_geti(L, -1, i) != LUA_TTABLE)
				luaL_error(L, "a node's zones: a list of tables was expected");
			add_zone_of(b, node);
			lua_pop(L, 1);
		}
	}
	lua_pop(L, 1);
}

/* nodes: a number, or a list of {cpus = {...}, zones = {...}}. */
static void set_nodes(struct building *b)
{
	lua_State *L = b->L;
	u16 *cpu_node;
	u32 nr = 0;
	struct sim_error err;
	lua_Integer n;

	if (lua_type(L, -1) != LUA_TTABLE) {
		set_key(b, machine_key_find("nodes"));
		return;
	}
	each_entry(b, "nodes", node_keys, add_node);
	cpu_node = lua_newuserdatauv(L, MACHINE_CPUS_MAX * sizeof(*cpu_node), 0);
	memset(cpu_node, 0xff, MACHINE_CPUS_MAX * sizeof(*cpu_node));
	lua_insert(L, -2);
	n = luaL_len(L, -1);
	for (lua_Integer i = 1; i <= n; i++) {
		lua_geti(L, -1, i);
		node_cpus(L, cpu_node, &nr, (u32)(i - 1));
		lua_pop(L, 1);
	}
	lua_remove(L, -2);
	for (u32 cpu = 0; cpu < nr; cpu++) {
		if (cpu_node[cpu] == UINT16_MAX)
			luaL_error(L, "nodes: no node has CPU %d", (int)cpu);
		if (machine_add_cpu(&b->machine, cpu_node[cpu], &err))
			raise_sim(L, &err);
	}
	if (n > b->machine.nodes)
		b->machine.nodes = n;
}

enum series script_check_series(lua_State *L, int idx)
{
	static const char *const words[] = { "v2", "v3", NULL };

	return check_word(L, idx, "series", words) ? SERIES_V3 : SERIES_V2;
}

static u32 check_set(lua_State *L, int idx, enum series series, bool level)
{
	struct patch_change change;
	char error[200];
	const char *text;
	bool ok;

	if (lua_type(L, idx) != LUA_TSTRING && lua_type(L, idx) != LUA_TNUMBER)
		luaL_error(L, "a patch set was expected, such as \"1-7,10\", \"none\" or \"all\"");
	text = luaL_tolstring(L, idx, NULL);
	ok = level ? patch_level_parse(text, series, &change, error, sizeof(error)) :
		     patch_set_parse(text, series, &change, error, sizeof(error));
	if (!ok)
		luaL_error(L, "%s", error);
	lua_pop(L, 1);
	return change.set;
}

u32 script_check_level(lua_State *L, int idx, enum series series)
{
	return check_set(L, idx, series, true);
}

u32 script_check_set(lua_State *L, int idx, enum series series)
{
	return check_set(L, idx, series, false);
}

static const char *key_name(const void *ctx, size_t i)
{
	(void)ctx;
	for (size_t k = 0; machine_keys[k].name; k++) {
		if (i-- == 0)
			return machine_keys[k].name;
	}
	return i < ARRAY_SIZE(other_keys) ? other_keys[i] : NULL;
}

/* Everything of the table but what the other keys depend on. */
static void take_options(struct building *b, int idx)
{
	lua_State *L = b->L;

	lua_Integer n = script_sorted_keys(L, idx);

	for (lua_Integer i = 1; i <= n; i++) {
		const struct machine_key *key;
		const char *name;

		lua_rawgeti(L, -1, i);
		name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "?";
		key = machine_key_find(name);
		lua_pushvalue(L, -1);
		lua_rawget(L, idx);
		if (strcmp(name, "nodes") == 0)
			set_nodes(b);
		else if (key)
			set_key(b, key);
		else if (strcmp(name, "zones") == 0)
			each_entry(b, "zones", zone_keys, add_zone);
		else if (strcmp(name, "caches") == 0)
			each_entry(b, "caches", cache_keys, add_cache);
		else if (find_word(other_keys, name) < 0) {
			const char *near = base_near(name, key_name, NULL);

			luaL_error(L,
				   near ? "machine: %s is not a key of it; did you mean %s?" :
					  "machine: %s is not a key of it (keys are texts, as in "
					  "machine{cpus = 4})",
				   name, near);
		}
		lua_pop(L, 2);
	}
	lua_pop(L, 1);
	if (lua_getfield(L, idx, "series") != LUA_TNIL) {
		b->series = script_check_series(L, -1);
		b->patches = patch_level(b->series, patch_count(b->series));
	}
	if (lua_getfield(L, idx, "patches") != LUA_TNIL)
		b->patches = script_check_set(L, -1, b->series);
	if (lua_getfield(L, idx, "seed") != LUA_TNIL)
		script_rand_seed(script_box_of(L), (u64)luaL_checkinteger(L, -1));
	lua_pop(L, 3);
}

static int l_building_gc(lua_State *L)
{
	struct building *b = lua_touserdata(L, 1);

	/* Empty already if the machine was made. */
	machine_free(&b->machine);
	return 0;
}

void script_machine_adopt(lua_State *L, struct script_machine *m, struct sim *sim)
{
	m->sim = sim;
	m->own = true;
	m->clock_ps = calloc(sim_nr_cpus(sim), sizeof(*m->clock_ps));
	if (!m->clock_ps)
		luaL_error(L, "no memory for a machine");
}

void script_machine_build(lua_State *L, int idx, struct script_machine *m)
{
	struct script_box *box = script_box_of(L);
	struct building *b;
	struct sim_error err;
	struct sim *sim;
	u64 pages = 0;

	luaL_checkstack(L, 20, NULL);
	b = lua_newuserdatauv(L, sizeof(*b), 0);
	machine_init(&b->machine);
	b->L = L;
	lua_newtable(L);
	lua_pushcfunction(L, l_building_gc);
	lua_setfield(L, -2, "__gc");
	lua_setmetatable(L, -2);
	b->series = box->series;
	b->patches = box->patches_given && patch_series(box->patches) == b->series ?
			     box->patches :
			     patch_level(b->series, patch_count(b->series));
	if (idx)
		take_options(b, idx);
	if (machine_finish(&b->machine, &err))
		raise_sim(L, &err);
	for (u32 i = 0; i < b->machine.nr_zones; i++)
		pages += b->machine.zones[i].pages;
	script_charge(L, 1000 + pages / 64);
	if (sim_create(&b->machine, b->patches, &sim, &err))
		raise_sim(L, &err);
	script_machine_adopt(L, m, sim);
	machine_free(&b->machine);
	lua_pop(L, 1);
}

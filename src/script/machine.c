/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine userdata: pages, operations, methods. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "core/field.h"
#include "fields.h"
#include "machines.h"

static const char *const type_names[] = { "unmovable", "movable", "reclaimable", NULL };

/*
 * Pages
 */

enum { PAGE_SLOT_BITS = 32, PAGE_GENERATION_BITS = 20, PAGE_FAMILY_MAX = 4095 };
#define PAGE_GENERATION_MASK ((1u << PAGE_GENERATION_BITS) - 1)

void script_push_page(lua_State *L, const struct script_machine *m, u32 slot)
{
	struct slot_info info = { .generation = 0 };
	u64 value;

	sim_slot_info(m->sim, slot, &info);
	value = (u64)m->family << (PAGE_SLOT_BITS + PAGE_GENERATION_BITS) |
		(u64)(info.generation & PAGE_GENERATION_MASK) << PAGE_SLOT_BITS | slot;
	lua_pushlightuserdata(L, (void *)(uintptr_t)value);
}

u32 script_check_page(lua_State *L, struct script_machine *m, int idx)
{
	u64 value = (uintptr_t)lua_touserdata(L, idx);
	u32 slot = (u32)value;
	u32 generation = (u32)(value >> PAGE_SLOT_BITS) & PAGE_GENERATION_MASK;
	struct slot_info info;

	if (lua_type(L, idx) != LUA_TLIGHTUSERDATA)
		luaL_error(L, "a page was expected, not %s", luaL_typename(L, idx));
	if (value >> (PAGE_SLOT_BITS + PAGE_GENERATION_BITS) != m->family)
		luaL_error(L, "page %d belongs to another machine", (int)slot);
	if (!sim_slot_info(m->sim, slot, &info) ||
	    (info.generation & PAGE_GENERATION_MASK) != generation)
		luaL_error(L, "page %d was freed already", (int)slot);
	return slot;
}

static int l_page_tostring(lua_State *L)
{
	lua_pushfstring(L, "page %d", (int)(u32)(uintptr_t)lua_touserdata(L, 1));
	return 1;
}

static int l_page_index(lua_State *L)
{
	return luaL_error(L, "a page is only a name; m:page(p) tells what is known of it");
}

void script_open_pages(lua_State *L)
{
	lua_pushlightuserdata(L, NULL);
	lua_newtable(L);
	lua_pushcfunction(L, l_page_tostring);
	lua_setfield(L, -2, "__tostring");
	lua_pushcfunction(L, l_page_index);
	lua_setfield(L, -2, "__index");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
	lua_pop(L, 1);
}

/*
 * The machine
 */

struct script_machine *script_check_machine(lua_State *L, int idx)
{
	struct script_machine *m = luaL_testudata(L, idx, MACHINE_META);

	if (!m)
		luaL_error(L,
			   "a machine was expected, not %s; methods are called with a colon, "
			   "m:alloc{...}",
			   luaL_typename(L, idx));
	if (!m->sim)
		luaL_error(L, "this machine is closed");
	return m;
}

struct script_machine *script_push_machine(lua_State *L)
{
	struct script_box *box = script_box_of(L);
	struct script_machine *m;

	/* Machines are large where Lua does not see it. */
	if (box->nr_machines >= 64 && box->nr_machines % 64 == 0)
		lua_gc(L, LUA_GCCOLLECT);
	if (box->nr_machines >= SCRIPT_MACHINES_MAX)
		luaL_error(L, "there are %d machines already; m:close() gives one back",
			   SCRIPT_MACHINES_MAX);
	m = lua_newuserdatauv(L, sizeof(*m), 0);
	memset(m, 0, sizeof(*m));
	m->box = box;
	m->failure = m->handlers = m->policy_pcp = LUA_NOREF;
	for (int i = 0; i < NR_POLICY_FUNCTIONS; i++)
		m->policy_fn[i] = LUA_NOREF;
	m->family = (u32)(box->next_family++ % PAGE_FAMILY_MAX + 1);
	m->next = box->machines;
	box->machines = m;
	box->nr_machines++;
	luaL_setmetatable(L, MACHINE_META);
	return m;
}

void script_machine_close(struct script_machine *m)
{
	if (!m->sim)
		return;
	script_tasks_close(m);
	script_events_close(m);
	script_policy_close(m);
	if (m->own)
		sim_destroy(m->sim);
	m->sim = NULL;
	free(m->clock_ps);
	m->clock_ps = NULL;
}

int l_machine_gc(lua_State *L)
{
	struct script_machine *m = lua_touserdata(L, 1), **at = &m->box->machines;

	script_machine_close(m);
	while (*at && *at != m)
		at = &(*at)->next;
	if (*at) {
		*at = m->next;
		m->box->nr_machines--;
	}
	return 0;
}

int l_machine_close(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);

	script_may_change(L, m);
	if (!m->own)
		return luaL_error(L, "this machine is not the script's to close");
	script_machine_close(m);
	return 0;
}

void script_may_change(lua_State *L, struct script_machine *m)
{
	if (m->running)
		luaL_error(L, "the machine cannot be changed in the middle of an operation; "
			      "a handler or policy may only look");
}

void script_keep_failure(lua_State *L, struct script_machine *m)
{
	if (m->failure == LUA_NOREF)
		m->failure = luaL_ref(L, LUA_REGISTRYINDEX);
	else
		lua_pop(L, 1);
}

/* What a handler or a policy function raised comes out where the operation was called. */
static void raise_failure(lua_State *L, struct script_machine *m)
{
	lua_rawgeti(L, LUA_REGISTRYINDEX, m->failure);
	luaL_unref(L, LUA_REGISTRYINDEX, m->failure);
	m->failure = LUA_NOREF;
	lua_error(L);
}

static bool same_op(const struct script_op *a, const struct script_op *b)
{
	return a->kind == b->kind && a->order == b->order && a->type == b->type &&
	       a->flags == b->flags && a->cpu == b->cpu && a->zone == b->zone &&
	       a->count == b->count && a->slot == b->slot && a->value == b->value;
}

/* Patch sets differ between compared runs, so what they are is not compared. */
static void record_op(struct script_ops *r, const struct op *op, const u32 *slots)
{
	struct script_op rec = {
		.kind = op->kind,
		.order = op->order,
		.type = op->type,
		.flags = op->flags,
		.cpu = op->cpu,
		.zone = op->zone,
		.count = op->count,
		.slot = op->slot,
		.value = op->kind == OP_PATCHES ? 0 : op->value,
	};

	if (slots && (op->kind == OP_FREEN || op->kind == OP_FREELIST)) {
		u32 hash = 2166136261u;

		for (u32 i = 0; i < op->count; i++)
			hash = (hash ^ slots[i]) * 16777619u;
		rec.slot = hash;
	}
	if (r->against && r->differs_at < 0 && r->nr < SCRIPT_OPS_KEPT &&
	    (r->nr >= r->against->nr || !same_op(&rec, &r->against->ops[r->nr])))
		r->differs_at = (s64)r->nr;
	if (!r->against && r->nr < SCRIPT_OPS_KEPT) {
		if (r->nr == r->cap) {
			size_t cap = r->cap * 2 + 1024;
			struct script_op *ops = realloc(r->ops, cap * sizeof(*ops));

			if (!ops)
				return;
			r->ops = ops;
			r->cap = cap;
		}
		r->ops[r->nr] = rec;
	}
	r->nr++;
}

void script_exec(lua_State *L, struct script_machine *m, const struct op *op, u32 *slots,
		 struct op_result *result)
{
	struct sim_error err;
	enum sim_err ret;

	script_charge(L, 20 + (u64)op->count * 8);
	script_may_change(L, m);
	m->running = L;
	ret = m->own ? sim_exec(m->sim, op, slots, result, &err) :
		       m->drive.exec(m->drive.ctx, op, slots, result, &err);
	m->running = NULL;
	if (ret) {
		luaL_error(L, "%s", err.message);
		return;
	}
	m->ops++;
	script_tasks_charge(m, op->cpu);
	if (m->record)
		record_op(m->record, op, slots);
	if (m->failure != LUA_NOREF)
		raise_failure(L, m);
}

u32 script_check_cpu(lua_State *L, const struct script_machine *m, int idx)
{
	return (u32)script_check_range(L, idx, "cpu", 0, sim_nr_cpus(m->sim) - 1);
}

/*
 * Allocating and freeing
 */

struct alloc_args {
	u32 cpu, order, type;
	lua_Integer count; /* 0: not given, one page is the result */
	u8 flags;
};

static u32 check_type(lua_State *L, int idx)
{
	const char *s = lua_type(L, idx) == LUA_TSTRING ? lua_tostring(L, idx) : "";

	for (u32 i = 0; type_names[i]; i++) {
		if (strcmp(s, type_names[i]) == 0 || (s[0] == "UMR"[i] && !s[1]))
			return i;
	}
	luaL_error(L, "type: %s is none of unmovable, movable, reclaimable (U, M, R)",
		   script_tostring(L, idx, NULL));
	return 0;
}

static bool check_flag(lua_State *L, int idx, const char *what)
{
	if (!lua_isboolean(L, idx))
		luaL_error(L, "%s: true or false was expected, not %s", what,
			   script_tostring(L, idx, NULL));
	return lua_toboolean(L, idx);
}

static void alloc_arg(lua_State *L, const struct script_machine *m, const char *key,
		      struct alloc_args *a)
{
	static const char *const known[] = {
		"cpu", "order", "type", "count", "atomic", "busy", NULL
	};

	if (strcmp(key, "cpu") == 0)
		a->cpu = script_check_cpu(L, m, -1);
	else if (strcmp(key, "order") == 0)
		a->order = (u32)script_check_range(L, -1, "order", 0, MAX_ORDER);
	else if (strcmp(key, "type") == 0)
		a->type = check_type(L, -1);
	else if (strcmp(key, "count") == 0)
		a->count = script_check_range(L, -1, "count", 1, INT32_MAX);
	else if (strcmp(key, "atomic") == 0)
		a->flags |= check_flag(L, -1, key) ? OP_F_ATOMIC : 0;
	else if (strcmp(key, "busy") == 0)
		a->flags |= check_flag(L, -1, key) ? OP_F_BUSY : 0;
	else
		script_unknown_key(L, "alloc", key, known);
}

static void alloc_args(lua_State *L, const struct script_machine *m, int arg, struct alloc_args *a)
{
	if (lua_isnoneornil(L, arg))
		return;
	if (lua_type(L, arg) != LUA_TTABLE)
		luaL_error(L, "alloc: a table was expected, such as {cpu = 0, order = 0}");
	lua_pushnil(L);
	while (lua_next(L, arg)) {
		if (lua_type(L, -2) != LUA_TSTRING)
			luaL_error(L, "alloc: the keys are names, such as {cpu = 0, order = 0}");
		alloc_arg(L, m, lua_tostring(L, -2), a);
		lua_pop(L, 1);
	}
}

/* One operation of up to SCRIPT_SPLIT blocks; its pages go to the list at @list. Returns how many it got. */
static u32 alloc_part(lua_State *L, struct script_machine *m, struct op *op, u32 *slots, int list,
		      lua_Integer *n)
{
	struct op_result result;

	script_exec(L, m, op, slots, &result);
	for (u32 i = 0; i < op->count; i++) {
		struct slot_info info;

		if (!sim_slot_info(m->sim, slots[i], &info) || !info.live)
			continue;
		script_push_page(L, m, slots[i]);
		lua_rawseti(L, list, ++*n);
	}
	return result.got;
}

static int alloc_many(lua_State *L, struct script_machine *m, struct op *op, lua_Integer count)
{
	lua_Integer n = 0;
	u32 split = op->kind == OP_BULK ? SIM_OP_LIST_MAX - 1 : SCRIPT_SPLIT;
	u32 *slots;
	int list;

	slots = lua_newuserdatauv(L, (size_t)(count < split ? count : split) * sizeof(*slots), 0);
	lua_newtable(L);
	list = lua_gettop(L);
	while (count > 0) {
		op->count = (u32)(count < split ? count : split);
		count -= op->count;
		if (alloc_part(L, m, op, slots, list, &n) < op->count) {
			/* In the list, so that m:free(m:alloc{count = n}) is right whatever n is. */
			lua_pushliteral(L, "no memory");
			lua_setfield(L, list, "failed");
			return 1;
		}
	}
	return 1;
}

int script_alloc(lua_State *L, struct script_machine *m, int arg, u32 cpu)
{
	struct alloc_args a = { .cpu = cpu, .type = MIGRATE_MOVABLE };
	struct op op = { .kind = OP_ALLOC, .count = 1 };
	struct op_result result;
	u32 slot;

	alloc_args(L, m, arg, &a);
	op.cpu = (u16)a.cpu;
	op.order = (u8)a.order;
	op.type = (u8)a.type;
	op.flags = a.flags;
	if (a.count > 0) {
		op.kind = OP_ALLOCN;
		return alloc_many(L, m, &op, a.count);
	}
	script_exec(L, m, &op, &slot, &result);
	if (result.got) {
		script_push_page(L, m, slot);
		return 1;
	}
	lua_pushnil(L);
	lua_pushliteral(L, "no memory");
	return 2;
}

int script_bulk(lua_State *L, struct script_machine *m, int arg, u32 cpu)
{
	struct alloc_args a = { .cpu = cpu, .type = MIGRATE_MOVABLE };
	struct op op = { .kind = OP_BULK };

	alloc_args(L, m, arg, &a);
	if (a.count == 0)
		return luaL_error(L, "bulk: count is missing, as in {cpu = 0, count = 32}");
	if (a.order)
		return luaL_error(L, "bulk: only order 0 can be asked for");
	if (a.count >= SIM_OP_LIST_MAX)
		return luaL_error(L, "bulk: count is %I; it must be between 1 and %d", a.count,
				  SIM_OP_LIST_MAX - 1);
	op.cpu = (u16)a.cpu;
	op.type = (u8)a.type;
	op.flags = a.flags;
	return alloc_many(L, m, &op, a.count);
}

struct free_args {
	u32 cpu;
	enum { OLDEST, NEWEST, SHUFFLED } order;
	lua_Integer count; /* -1: all */
	bool busy;
};

static void free_arg(lua_State *L, const struct script_machine *m, const char *key,
		     struct free_args *a)
{
	static const char *const known[] = { "cpu", "order", "count", "busy", NULL };
	static const char *const orders[] = { "oldest", "newest", "shuffled" };

	if (strcmp(key, "cpu") == 0) {
		a->cpu = script_check_cpu(L, m, -1);
	} else if (strcmp(key, "count") == 0) {
		a->count = script_check_range(L, -1, "count", 0, INT32_MAX);
	} else if (strcmp(key, "busy") == 0) {
		a->busy = check_flag(L, -1, key);
	} else if (strcmp(key, "order") == 0) {
		const char *s = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";

		for (a->order = OLDEST; strcmp(s, orders[a->order]) != 0; a->order++) {
			if (a->order == SHUFFLED)
				luaL_error(L, "order: %s is none of oldest, newest, shuffled",
					   script_tostring(L, -1, NULL));
		}
	} else {
		script_unknown_key(L, "free", key, known);
	}
}

static void free_args(lua_State *L, const struct script_machine *m, int arg, struct free_args *a)
{
	if (lua_isnoneornil(L, arg))
		return;
	if (lua_type(L, arg) != LUA_TTABLE)
		luaL_error(
			L,
			"free: the page and then a table were expected, as in free(p, {cpu = 1})");
	lua_pushnil(L);
	while (lua_next(L, arg)) {
		if (lua_type(L, -2) != LUA_TSTRING)
			luaL_error(L, "free: the keys are names, as in free(p, {cpu = 1})");
		free_arg(L, m, lua_tostring(L, -2), a);
		lua_pop(L, 1);
	}
}

static int by_slot(const void *a, const void *b)
{
	const u32 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void check_twice(lua_State *L, const u32 *slots, lua_Integer n)
{
	u32 *copy = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof(*copy), 0);

	memcpy(copy, slots, (size_t)n * sizeof(*copy));
	qsort(copy, (size_t)n, sizeof(*copy), by_slot);
	for (lua_Integer i = 1; i < n; i++) {
		if (copy[i] == copy[i - 1])
			luaL_error(L, "page %d stands in the list twice", (int)copy[i]);
	}
	lua_pop(L, 1);
}

/* Take the chosen @n of @all pages out of the list: the rest moves up. */
static void take_out(lua_State *L, int arg, bool from_end, lua_Integer n, lua_Integer all)
{
	for (lua_Integer i = from_end ? all - n + 1 : 1; i <= all; i++) {
		if (!from_end && i + n <= all)
			lua_geti(L, arg, i + n);
		else
			lua_pushnil(L);
		lua_seti(L, arg, i);
	}
}

/* Bring @n random ones of @all to the front of the list. */
static void shuffle_front(lua_State *L, int arg, lua_Integer n, lua_Integer all)
{
	for (lua_Integer i = 1; i <= n; i++) {
		lua_Integer at =
			i + (lua_Integer)script_rand_below(script_box_of(L), (u64)(all - i + 1));

		lua_geti(L, arg, at);
		lua_geti(L, arg, i);
		lua_seti(L, arg, at);
		lua_seti(L, arg, i);
	}
}

/* Free pages of the list at @arg and take them out of it. */
static int free_many(lua_State *L, struct script_machine *m, int arg, const struct free_args *a,
		     bool as_list)
{
	struct op op = { .kind = as_list ? OP_FREELIST : OP_FREEN, .cpu = (u16)a->cpu };
	lua_Integer all = luaL_len(L, arg), n = a->count < 0 || a->count > all ? all : a->count;
	u32 *slots;

	if (a->busy)
		return luaL_error(L, "free: busy is for a single page");
	script_may_change(L, m);
	script_charge(L, (u64)all * 2 + (u64)n * 8);
	slots = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof(*slots), 0);
	if (a->order == SHUFFLED)
		shuffle_front(L, arg, n, all);
	for (lua_Integer i = 0; i < n; i++) {
		lua_geti(L, arg, a->order == NEWEST ? all - i : i + 1);
		slots[i] = script_check_page(L, m, -1);
		lua_pop(L, 1);
	}
	check_twice(L, slots, n);
	for (lua_Integer i = 0; i < n; i += op.count) {
		op.count = (u32)(n - i < SCRIPT_SPLIT ? n - i : SCRIPT_SPLIT);
		op.slot = slots[i];
		script_exec(L, m, &op, slots + i, NULL);
	}
	take_out(L, arg, a->order == NEWEST, n, all);
	lua_pushinteger(L, n);
	return 1;
}

int script_free_pages(lua_State *L, struct script_machine *m, int arg, u32 cpu, bool as_list)
{
	struct free_args a = { .cpu = cpu, .count = -1 };
	struct op op = { .kind = OP_FREE, .count = 1 };

	if (lua_type(L, arg) == LUA_TNIL)
		return luaL_error(L, "free: a page or a list of pages was expected, not nil; "
				     "did the allocation fail?");
	free_args(L, m, arg + 1, &a);
	if (lua_type(L, arg) == LUA_TTABLE)
		return free_many(L, m, arg, &a, as_list);
	if (as_list)
		return luaL_error(L, "free_list: a list of pages was expected, not %s",
				  luaL_typename(L, arg));
	op.slot = script_check_page(L, m, arg);
	op.cpu = (u16)a.cpu;
	op.flags = a.busy ? OP_F_BUSY : 0;
	script_exec(L, m, &op, &op.slot, NULL);
	lua_pushinteger(L, 1);
	return 1;
}

int l_machine_alloc(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);

	return script_alloc(L, m, 2, sim_first_online(m->sim));
}

int l_machine_bulk(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);

	return script_bulk(L, m, 2, sim_first_online(m->sim));
}

int l_machine_free(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);

	return script_free_pages(L, m, 2, sim_first_online(m->sim), false);
}

int l_machine_free_list(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);

	return script_free_pages(L, m, 2, sim_first_online(m->sim), true);
}

/*
 * Other operations
 */

static u32 check_zone(lua_State *L, const struct script_machine *m, int idx)
{
	if (lua_isnoneornil(L, idx) && sim_nr_zones(m->sim) == 1)
		return 0;
	return (u32)script_check_range(L, idx, "zone", 0, sim_nr_zones(m->sim) - 1);
}

int l_machine_tick(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	struct op op = { .kind = OP_TICK, .count = 1 };
	lua_Integer times = 1;

	op.cpu = (u16)script_check_cpu(L, m, 2);
	if (!lua_isnoneornil(L, 3))
		times = script_check_range(L, 3, "times", 1, 1000000);
	while (times-- > 0)
		script_exec(L, m, &op, NULL, NULL);
	return 0;
}

int l_machine_drain(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	struct op op = { .kind = OP_DRAIN_ALL };

	if (!lua_isnoneornil(L, 2)) {
		op.kind = OP_DRAIN;
		op.cpu = (u16)script_check_cpu(L, m, 2);
	}
	script_exec(L, m, &op, NULL, NULL);
	return 0;
}

int l_machine_drain_zone(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	struct op op = { .kind = OP_DRAIN_ZONE, .zone = (u16)check_zone(L, m, 2) };

	script_exec(L, m, &op, NULL, NULL);
	return 0;
}

int l_machine_reclaim(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	struct op op = { .kind = OP_RECLAIM };

	op.flags = check_flag(L, 2, "reclaim") ? OP_F_ON : 0;
	op.zone = (u16)check_zone(L, m, 3);
	script_exec(L, m, &op, NULL, NULL);
	return 0;
}

int l_machine_pcp(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	struct op op = { .kind = check_flag(L, 2, "pcp") ? OP_PCP_ENABLE : OP_PCP_DISABLE };

	op.zone = (u16)check_zone(L, m, 3);
	script_exec(L, m, &op, NULL, NULL);
	return 0;
}

int l_machine_watermarks(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	struct op op = { .kind = OP_WMARK };

	op.value = script_check_range(L, 2, "min", 0, INT32_MAX);
	op.low = script_check_range(L, 3, "low", 0, INT32_MAX);
	op.high = script_check_range(L, 4, "high", 0, INT32_MAX);
	op.zone = (u16)check_zone(L, m, 5);
	script_exec(L, m, &op, NULL, NULL);
	return 0;
}

int l_machine_boost_clear(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	struct op op = { .kind = OP_BOOST_CLEAR, .zone = (u16)check_zone(L, m, 2) };

	script_exec(L, m, &op, NULL, NULL);
	return 0;
}

int l_machine_touch(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	struct op op = { .kind = OP_TOUCH };

	op.cpu = (u16)script_check_cpu(L, m, 2);
	op.zone = (u16)check_zone(L, m, 3);
	script_exec(L, m, &op, NULL, NULL);
	return 0;
}

int l_machine_cache(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	struct op op = { .kind = OP_CACHE };

	op.cpu = (u16)script_check_cpu(L, m, 2);
	op.value = script_check_range(L, 3, "bytes", 0, op_args[OPARG_bytes].max);
	script_exec(L, m, &op, NULL, NULL);
	return 0;
}

int l_machine_hotplug(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	struct op op = { .cpu = (u16)script_check_cpu(L, m, 2) };

	op.kind = check_flag(L, 3, "hotplug") ? OP_CPU_ONLINE : OP_CPU_OFFLINE;
	script_exec(L, m, &op, NULL, NULL);
	return 0;
}

int l_machine_sysctl(lua_State *L)
{
	static const char *const names[] = { "percpu_pagelist_high_fraction", "min_free_kbytes",
					     "watermark_scale_factor", NULL };
	static const u8 kinds[] = { OP_FRACTION, OP_MINFREE, OP_WSF };
	struct script_machine *m = script_check_machine(L, 1);
	const char *name = luaL_checkstring(L, 2);
	struct op op = { .value = script_check_range(L, 3, name, 0, INT32_MAX) };
	struct op_result result;

	if (strncmp(name, "vm.", 3) == 0)
		name += 3;
	for (int i = 0; names[i]; i++) {
		if (strcmp(names[i], name) != 0)
			continue;
		op.kind = kinds[i];
		script_exec(L, m, &op, NULL, &result);
		lua_pushboolean(L, result.status == OP_DONE);
		if (result.status == OP_DONE)
			return 1;
		lua_pushliteral(L, "refused, as the kernel does");
		return 2;
	}
	return script_unknown_key(L, "sysctl", name, names);
}

/*
 * Patches
 */

static void set_patches(lua_State *L, struct script_machine *m, u32 set)
{
	struct op op = { .kind = OP_PATCHES, .value = set };

	if (set != sim_patches(m->sim))
		script_exec(L, m, &op, NULL, NULL);
}

static int push_set(lua_State *L, const struct script_machine *m)
{
	char text[PATCH_TEXT_MAX];

	lua_pushstring(L, patch_set_format(sim_patches(m->sim), text));
	return 1;
}

/* A patch by number or name. */
static enum patch_id check_patch(lua_State *L, const struct script_machine *m, int idx)
{
	enum series series = patch_series(sim_patches(m->sim));
	enum patch_id id = P_NONE;

	if (lua_isinteger(L, idx)) {
		lua_Integer n = lua_tointeger(L, idx);

		id = n >= 1 && n <= 100 ? patch_by_number(series, (int)n) : P_NONE;
	} else if (lua_type(L, idx) == LUA_TSTRING) {
		for (int i = 0; i < NR_PATCHES; i++) {
			if (strcmp(patch_name((enum patch_id)i), lua_tostring(L, idx)) == 0)
				id = (enum patch_id)i;
		}
	}
	if (id == P_NONE)
		luaL_error(L, "patch %s: series v%d has patches 1 to %d",
			   script_tostring(L, idx, NULL), series == SERIES_V3 ? 3 : 2,
			   patch_count(series));
	return id;
}

int l_machine_patch(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	enum patch_id id = check_patch(L, m, 2);

	if (lua_isnoneornil(L, 3)) {
		lua_pushboolean(L, !!(sim_patches(m->sim) & PATCH_BIT(id)));
		return 1;
	}
	set_patches(L, m, patch_switch(sim_patches(m->sim), id, check_flag(L, 3, "patch")).set);
	return push_set(L, m);
}

int l_machine_patches(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);

	if (!lua_isnoneornil(L, 2))
		set_patches(L, m, script_check_set(L, 2, patch_series(sim_patches(m->sim))));
	return push_set(L, m);
}

int l_machine_series(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);

	if (!lua_isnoneornil(L, 2))
		set_patches(L, m,
			    patch_set_series(sim_patches(m->sim), script_check_series(L, 2)).set);
	lua_pushstring(L, patch_series(sim_patches(m->sim)) == SERIES_V3 ? "v3" : "v2");
	return 1;
}

int l_machine_constructed(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);

	lua_pushboolean(L, patch_set_is_constructed(sim_patches(m->sim)));
	return 1;
}

/*
 * Looking
 */

static const struct sim *machine_sim(lua_State *L, void *owner, int *default_zone)
{
	struct script_machine *m = owner;

	(void)default_zone;
	if (!m->sim)
		luaL_error(L, "this machine is closed");
	return m->sim;
}

/* m.stats is the fields; called, all of them. */
int l_machine_stats(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);

	script_charge(L, 100 + (u64)sim_state(m->sim)->pcp_pages / 4);
	script_push_stats(L, m->sim);
	return 1;
}

int l_machine_get(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	const char *path = luaL_checkstring(L, 2);
	struct field_ref ref;
	struct sim_error err;
	s64 value;

	if (field_parse(m->sim, path, FIELD_NO_ZONE, &ref, NULL, &err))
		return luaL_error(L, "%s", err.message);
	if (field_get(m->sim, &ref, &value))
		lua_pushinteger(L, value);
	else
		lua_pushnil(L);
	return 1;
}

int l_machine_page(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	u32 slot = script_check_page(L, m, 2);
	struct slot_info info;
	struct page_info page;

	sim_slot_info(m->sim, slot, &info);
	if (!sim_page_info(m->sim, info.pfn, &page))
		return luaL_error(L, "page %d lies in no zone", (int)slot);
	lua_createtable(L, 0, 5);
	lua_pushinteger(L, (lua_Integer)info.pfn);
	lua_setfield(L, -2, "pfn");
	lua_pushinteger(L, info.order);
	lua_setfield(L, -2, "order");
	lua_pushstring(L, page.type < MIGRATE_PCPTYPES ? type_names[page.type] : "highatomic");
	lua_setfield(L, -2, "type");
	lua_pushinteger(L, page.zone);
	lua_setfield(L, -2, "zone");
	lua_pushinteger(L, slot);
	lua_setfield(L, -2, "slot");
	return 1;
}

/* The blocks of a pageset's list from head to tail, as pfns. */
int l_machine_list(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	u32 cpu = script_check_cpu(L, m, 2), at = 0, zone;
	u32 pindex = (u32)script_check_range(L, 3, "list", 0, NR_PCP_LISTS - 1);
	lua_Integer n = 0;
	u64 pfn;

	zone = check_zone(L, m, 4);
	lua_newtable(L);
	while (sim_pcp_list_next(m->sim, zone, cpu, pindex, &at, &pfn)) {
		script_charge(L, 4);
		lua_pushinteger(L, (lua_Integer)pfn);
		lua_rawseti(L, -2, ++n);
	}
	return 1;
}

static int push_digest(lua_State *L, u64 digest)
{
	char text[20];

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)digest);
	lua_pushstring(L, text);
	return 1;
}

int l_machine_digest(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	u64 pages = 0;

	for (u32 z = 0; z < sim_nr_zones(m->sim); z++)
		pages += (u64)sim_zone(m->sim, z)->managed_pages;
	script_charge(L, 100 + pages / 8);
	return push_digest(L, sim_state_digest(m->sim));
}

int l_machine_fork(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1), *fork;
	struct sim_error err;
	struct sim *sim;

	script_may_change(L, m);
	script_charge(L, 1000 + sim_bytes_touched(m->sim) / 64);
	fork = script_push_machine(L);
	if (sim_clone(m->sim, &sim, &err))
		return luaL_error(L, "%s", err.message);
	script_machine_adopt(L, fork, sim);
	fork->family = m->family;
	for (u32 cpu = 0; cpu < sim_nr_cpus(sim); cpu++)
		fork->clock_ps[cpu] = m->clock_ps[cpu];
	return 1;
}

int l_machine_cpus(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);

	lua_pushinteger(L, sim_nr_cpus(m->sim));
	return 1;
}

int l_machine_zones(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	char name[32];

	lua_newtable(L);
	for (u32 z = 0; z < sim_nr_zones(m->sim); z++) {
		lua_pushstring(L, sim_zone_name(m->sim, z, name));
		lua_rawseti(L, -2, z);
	}
	return 1;
}

int l_machine_now(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	u64 latest = 0;

	if (!lua_isnoneornil(L, 2)) {
		lua_pushinteger(L, (lua_Integer)(m->clock_ps[script_check_cpu(L, m, 2)] / 1000));
		return 1;
	}
	for (u32 cpu = 0; cpu < sim_nr_cpus(m->sim); cpu++)
		latest = m->clock_ps[cpu] > latest ? m->clock_ps[cpu] : latest;
	lua_pushinteger(L, (lua_Integer)(latest / 1000));
	return 1;
}

/*
 * The userdata: methods, then fields. Upvalue 1 of index: the table of methods.
 */

int l_machine_index(lua_State *L)
{
	struct script_machine *m = lua_touserdata(L, 1);
	const char *name;

	lua_pushvalue(L, 2);
	if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL &&
	    lua_tocfunction(L, -1) != l_machine_stats)
		return 1;
	if (lua_type(L, 2) != LUA_TSTRING)
		return luaL_error(L, "a machine has no entry %s", script_tostring(L, 2, NULL));
	name = lua_tostring(L, 2);
	script_check_machine(L, 1);
	if (!script_fields_root(name))
		return luaL_error(L,
				  "a machine has no method or field %s; fields begin with cpu, "
				  "zone, node or stats",
				  name);
	script_fields_push(L, machine_sim, m, 1, name);
	return 1;
}

int l_machine_newindex(lua_State *L)
{
	return luaL_error(L, "a machine is read-only: %s cannot be set",
			  script_tostring(L, 2, NULL));
}

int l_machine_tostring(lua_State *L)
{
	struct script_machine *m = lua_touserdata(L, 1);
	char set[PATCH_TEXT_MAX];

	if (!m->sim)
		lua_pushliteral(L, "machine (closed)");
	else
		lua_pushfstring(L, "machine of %d CPUs, series %s, patches %s",
				(int)sim_nr_cpus(m->sim),
				patch_series(sim_patches(m->sim)) == SERIES_V3 ? "v3" : "v2",
				patch_set_format(sim_patches(m->sim), set));
	return 1;
}

int l_sim_machine(lua_State *L)
{
	struct script_machine *m;

	if (!lua_isnoneornil(L, 1) && lua_type(L, 1) != LUA_TTABLE)
		return luaL_error(
			L, "machine: a table was expected, such as {cpus = 4, memory = \"1GiB\"}");
	lua_settop(L, 1);
	m = script_push_machine(L);
	script_machine_build(L, lua_isnil(L, 1) ? 0 : 1, m);
	return 1;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * m:policy{}: functions of the script in place of the kernel's. They get the
 * pageset (with the members that the kernel's functions change writable), the zone,
 * and the kernel's other arguments; their results are checked before core sees them.
 */
#include <string.h>

#include "api.h"
#include "fields.h"
#include "machines.h"

#define PCP_META "pageset.pcp"

static const char *const policy_names[] = { "nr_pcp_high", "nr_pcp_free", "nr_pcp_alloc",
					    "decay_pcp_high", NULL };

/* The pageset that a policy function may see, only while it runs. */
struct policy_pcp {
	struct script_machine *m;
	struct per_cpu_pages *pcp;
	struct zone *zone;
};

static struct policy_pcp *check_pcp(lua_State *L)
{
	struct policy_pcp *p = luaL_checkudata(L, 1, PCP_META);

	if (!p->pcp)
		luaL_error(L, "this pageset can only be used while the policy function runs");
	return p;
}

/*
 * Members
 */

enum { MEMBER_READ_ONLY = -1 };

#define PCP_MEMBERS(M)                 \
	M(count, MEMBER_READ_ONLY)     \
	M(high, INT32_MAX / 2)         \
	M(high_min, MEMBER_READ_ONLY)  \
	M(high_max, MEMBER_READ_ONLY)  \
	M(batch, MEMBER_READ_ONLY)     \
	M(flags, MEMBER_READ_ONLY)     \
	M(alloc_factor, 16)            \
	M(free_factor, 16)             \
	M(free_count, INT16_MAX)       \
	M(count_min, MEMBER_READ_ONLY) \
	M(cpu, MEMBER_READ_ONLY)

static int l_pcp_index(lua_State *L)
{
	struct policy_pcp *p = check_pcp(L);
	const char *name = luaL_checkstring(L, 2);

	lua_pushvalue(L, 2);
	if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
		return 1;
#define M(member, limit)                            \
	if (strcmp(name, #member) == 0) {           \
		lua_pushinteger(L, p->pcp->member); \
		return 1;                           \
	}
	PCP_MEMBERS(M)
#undef M
	if (strcmp(name, "scale_max") == 0) {
		lua_pushinteger(L, sim_state(p->m->sim)->scale_max);
		return 1;
	}
	return luaL_error(L, "a pageset has no member %s", name);
}

static int l_pcp_newindex(lua_State *L)
{
	struct policy_pcp *p = check_pcp(L);
	const char *name = luaL_checkstring(L, 2);

#define M(member, limit)                                                                      \
	if (strcmp(name, #member) == 0) {                                                     \
		if ((limit) == MEMBER_READ_ONLY)                                              \
			return luaL_error(L, "pcp.%s is read-only", name);                    \
		p->pcp->member =                                                              \
			(__typeof__(p->pcp->member))script_check_range(L, 3, name, 0, limit); \
		return 0;                                                                     \
	}
	PCP_MEMBERS(M)
#undef M
	return luaL_error(L, "a pageset has no member %s", name);
}

/*
 * The kernel's own answers
 */

/* The kernel's functions: the policy is away while they run. */
static int kernel_high(struct script_machine *m, struct per_cpu_pages *pcp, struct zone *zone,
		       bool free_high)
{
	int answer;

	sim_set_policy(m->sim, NULL);
	answer = nr_pcp_high(m->sim, pcp, zone, free_high);
	sim_set_policy(m->sim, &m->policy);
	return answer;
}

static int kernel_free(struct script_machine *m, struct per_cpu_pages *pcp, int high,
		       bool free_high)
{
	int answer;

	sim_set_policy(m->sim, NULL);
	answer = nr_pcp_free(m->sim, pcp, high, free_high);
	sim_set_policy(m->sim, &m->policy);
	return answer;
}

static int kernel_alloc(struct script_machine *m, struct per_cpu_pages *pcp, struct zone *zone,
			u32 order)
{
	int answer;

	sim_set_policy(m->sim, NULL);
	answer = nr_pcp_alloc(m->sim, pcp, zone, order);
	sim_set_policy(m->sim, &m->policy);
	return answer;
}

static int l_pcp_nr_pcp_high(lua_State *L)
{
	struct policy_pcp *p = check_pcp(L);
	bool free_high = lua_toboolean(L, 2);

	lua_pushinteger(L, kernel_high(p->m, p->pcp, p->zone, free_high));
	return 1;
}

static int l_pcp_nr_pcp_free(lua_State *L)
{
	struct policy_pcp *p = check_pcp(L);
	int high = (int)script_check_range(L, 2, "high", 0, INT32_MAX / 2);
	bool free_high = lua_toboolean(L, 3);

	lua_pushinteger(L, kernel_free(p->m, p->pcp, high, free_high));
	return 1;
}

static int l_pcp_nr_pcp_alloc(lua_State *L)
{
	struct policy_pcp *p = check_pcp(L);
	u32 order = (u32)script_check_range(L, 2, "order", 0, PAGEBLOCK_ORDER);

	lua_pushinteger(L, kernel_alloc(p->m, p->pcp, p->zone, order));
	return 1;
}

static int l_pcp_decay_pcp_high(lua_State *L)
{
	struct policy_pcp *p = check_pcp(L);

	lua_pushinteger(L, pcp_decayed_high(p->m->sim, p->pcp));
	return 1;
}

static const luaL_Reg pcp_methods[] = {
	{ "nr_pcp_high", l_pcp_nr_pcp_high },
	{ "nr_pcp_free", l_pcp_nr_pcp_free },
	{ "nr_pcp_alloc", l_pcp_nr_pcp_alloc },
	{ "decay_pcp_high", l_pcp_decay_pcp_high },
	{ NULL, NULL },
};

/*
 * Calls out of core
 */

struct policy_call {
	struct script_machine *m;
	struct per_cpu_pages *pcp;
	struct zone *zone;
	int function;
	int nr_args;
	s64 args[2]; /* after pcp and zone; the last one is a boolean if bool_last */
	bool bool_last;
	s64 min, max, result;
};

static const struct sim *policy_sim(lua_State *L, void *owner, int *default_zone)
{
	struct script_machine *m = owner;

	(void)default_zone;
	if (!m->sim)
		luaL_error(L, "this machine is closed");
	return m->sim;
}

/* zone, as m.zone[Z] */
static void push_zone(lua_State *L, struct script_machine *m, u32 id)
{
	script_fields_push(L, policy_sim, m, 0, "zone");
	lua_pushinteger(L, id);
	lua_gettable(L, -2);
	lua_remove(L, -2);
}

static int l_policy_call(lua_State *L)
{
	struct policy_call *c = lua_touserdata(L, 1);
	int whole;

	lua_rawgeti(L, LUA_REGISTRYINDEX, c->m->policy_fn[c->function]);
	lua_rawgeti(L, LUA_REGISTRYINDEX, c->m->policy_pcp);
	push_zone(L, c->m, c->zone->id);
	for (int i = 0; i < c->nr_args; i++) {
		if (c->bool_last && i == c->nr_args - 1)
			lua_pushboolean(L, c->args[i] != 0);
		else
			lua_pushinteger(L, c->args[i]);
	}
	lua_call(L, 2 + c->nr_args, 1);
	c->result = lua_tointegerx(L, -1, &whole);
	if (!whole || c->result < c->min || c->result > c->max)
		return luaL_error(L, "policy %s gave %s; a whole number from %I to %I was expected",
				  policy_names[c->function], script_tostring(L, -1, NULL), c->min,
				  c->max);
	return 0;
}

/* False if the script's function failed: the kernel's answer is used, and the error comes out after the operation. */
static bool call_policy(struct policy_call *c)
{
	struct script_machine *m = c->m;
	lua_State *L = m->running ? m->running : m->box->L;
	struct policy_pcp *p, before;
	struct per_cpu_pages saved = *c->pcp;
	bool ok = false;

	if (m->failure != LUA_NOREF || m->box->spent || !lua_checkstack(L, 10))
		return false;
	lua_rawgeti(L, LUA_REGISTRYINDEX, m->policy_pcp);
	p = lua_touserdata(L, -1);
	lua_pop(L, 1);
	before = *p;
	p->pcp = c->pcp;
	p->zone = c->zone;
	lua_pushcfunction(L, l_policy_call);
	lua_pushlightuserdata(L, c);
	if (script_pcall(L, 1, 0)) {
		script_keep_failure(L, m);
		c->pcp->high = saved.high;
		c->pcp->alloc_factor = saved.alloc_factor;
		c->pcp->free_factor = saved.free_factor;
		c->pcp->free_count = saved.free_count;
	} else {
		ok = true;
	}
	p->pcp = before.pcp;
	p->zone = before.zone;
	return ok;
}

static int policy_high(void *ctx, struct sim *sim, struct per_cpu_pages *pcp, struct zone *zone,
		       bool free_high)
{
	struct script_machine *m = ctx;
	struct policy_call c = { .m = m,
				 .pcp = pcp,
				 .zone = zone,
				 .function = POLICY_HIGH,
				 .nr_args = 1,
				 .args = { free_high },
				 .bool_last = true,
				 .max = INT32_MAX / 2 };

	if (call_policy(&c))
		return (int)c.result;
	(void)sim; /* is m->sim */
	return kernel_high(m, pcp, zone, free_high);
}

static int policy_free(void *ctx, struct sim *sim, struct per_cpu_pages *pcp, int high,
		       bool free_high)
{
	struct script_machine *m = ctx;
	struct policy_call c = { .m = m,
				 .pcp = pcp,
				 .zone = (struct zone *)(uintptr_t)sim_zone(sim, pcp->zone),
				 .function = POLICY_FREE,
				 .nr_args = 2,
				 .args = { high, free_high },
				 .bool_last = true,
				 .max = INT32_MAX / 2 };

	if (call_policy(&c))
		return (int)c.result;
	return kernel_free(m, pcp, high, free_high);
}

static int policy_alloc(void *ctx, struct sim *sim, struct per_cpu_pages *pcp, struct zone *zone,
			u32 order)
{
	struct script_machine *m = ctx;
	struct policy_call c = { .m = m,
				 .pcp = pcp,
				 .zone = zone,
				 .function = POLICY_ALLOC,
				 .nr_args = 1,
				 .args = { order },
				 .min = 1,
				 .max = 65536 };

	if (call_policy(&c))
		return (int)c.result;
	(void)sim;
	return kernel_alloc(m, pcp, zone, order);
}

static int policy_decay(void *ctx, struct sim *sim, struct zone *zone, struct per_cpu_pages *pcp)
{
	struct script_machine *m = ctx;
	struct policy_call c = {
		.m = m, .pcp = pcp, .zone = zone, .function = POLICY_DECAY, .max = INT32_MAX / 2
	};

	if (call_policy(&c))
		return (int)c.result;
	return pcp_decayed_high(sim, pcp);
}

/*
 * Setting it
 */

static void set_functions(struct script_machine *m)
{
	const int *fn = m->policy_fn;
	bool any = false;

	for (int i = 0; i < NR_POLICY_FUNCTIONS; i++)
		any |= fn[i] != LUA_NOREF;
	m->policy = (struct policy){
		.ctx = m,
		.nr_pcp_high = fn[POLICY_HIGH] != LUA_NOREF ? policy_high : NULL,
		.nr_pcp_free = fn[POLICY_FREE] != LUA_NOREF ? policy_free : NULL,
		.nr_pcp_alloc = fn[POLICY_ALLOC] != LUA_NOREF ? policy_alloc : NULL,
		.decay_pcp_high = fn[POLICY_DECAY] != LUA_NOREF ? policy_decay : NULL,
	};
	sim_set_policy(m->sim, any ? &m->policy : NULL);
}

void script_policy_close(struct script_machine *m)
{
	lua_State *L = m->box->L;

	for (int i = 0; i < NR_POLICY_FUNCTIONS; i++) {
		luaL_unref(L, LUA_REGISTRYINDEX, m->policy_fn[i]);
		m->policy_fn[i] = LUA_NOREF;
	}
	luaL_unref(L, LUA_REGISTRYINDEX, m->policy_pcp);
	m->policy_pcp = LUA_NOREF;
	if (m->sim)
		sim_set_policy(m->sim, NULL);
}

static void push_policy_pcp(lua_State *L, struct script_machine *m)
{
	struct policy_pcp *p = lua_newuserdatauv(L, sizeof(*p), 0);

	*p = (struct policy_pcp){ .m = m };
	luaL_setmetatable(L, PCP_META);
}

int l_machine_policy(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	int refs[NR_POLICY_FUNCTIONS];

	script_may_change(L, m);
	if (!m->own && !m->drive.lasting)
		return luaL_error(L, "policy: this machine outlives the script, so it keeps the "
				     "kernel's policy; use a machine of sim.machine{}");
	if (lua_type(L, 2) != LUA_TTABLE)
		return luaL_error(L, "policy: a table was expected, such as "
				     "{nr_pcp_high = function(pcp, zone, free_high) ... end}");
	lua_pushnil(L);
	while (lua_next(L, 2)) {
		bool known = false;

		for (int i = 0; policy_names[i]; i++)
			known |= lua_type(L, -2) == LUA_TSTRING &&
				 strcmp(policy_names[i], lua_tostring(L, -2)) == 0;
		if (!known)
			return script_unknown_key(L, "policy", script_tostring(L, -2, NULL),
						  policy_names);
		if (lua_type(L, -1) != LUA_TFUNCTION)
			return luaL_error(L, "policy: %s is a %s, not a function",
					  lua_tostring(L, -2), luaL_typename(L, -1));
		lua_pop(L, 1);
	}
	for (int i = 0; i < NR_POLICY_FUNCTIONS; i++)
		refs[i] = lua_getfield(L, 2, policy_names[i]) == LUA_TNIL ?
				  (lua_pop(L, 1), LUA_NOREF) :
				  luaL_ref(L, LUA_REGISTRYINDEX);
	script_policy_close(m);
	memcpy(m->policy_fn, refs, sizeof(refs));
	push_policy_pcp(L, m);
	m->policy_pcp = luaL_ref(L, LUA_REGISTRYINDEX);
	set_functions(m);
	return 0;
}

void script_open_policy(lua_State *L)
{
	luaL_newmetatable(L, PCP_META);
	lua_newtable(L);
	luaL_setfuncs(L, pcp_methods, 0);
	lua_pushcclosure(L, l_pcp_index, 1);
	lua_setfield(L, -2, "__index");
	lua_pushcfunction(L, l_pcp_newindex);
	lua_setfield(L, -2, "__newindex");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_pop(L, 1);
}

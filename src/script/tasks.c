/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks: coroutines on the CPUs' simulated clocks. The one that is ready earliest
 * runs next; of several the one on the lowest CPU, then the one that has waited
 * longest. Every operation costs its CPU the same time and ends the task's turn,
 * unless no other could run before it.
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "core/clock.h"
#include "machines.h"
#include "module.h"

enum task_state { TASK_READY, TASK_WAITING, TASK_DONE };

struct script_task {
	struct script_machine *m;
	lua_State *thread;
	int self_ref;	/* the userdata, while it lives in the machine */
	int thread_ref; /* the coroutine */
	u32 cpu, number;
	enum task_state state;
	u64 ready_ps, turn;
	bool started, queued;		  /* queued: in the heap */
	struct script_task *next_waiting; /* for a message on its CPU */
};

/* Messages of a CPU: a ring of references, and tasks that wait for one. */
struct mailbox {
	struct message {
		int ref;
		u64 sent_ps;
	} * ring;
	u32 head, nr, cap;
	struct script_task *first, *last;
};

static void let_go(struct script_task *t);

static struct mailbox *mailboxes(struct script_machine *m)
{
	return m->mailboxes;
}

/*
 * The heap of ready tasks
 */

static bool task_before(const struct script_task *a, const struct script_task *b)
{
	if (a->ready_ps != b->ready_ps)
		return a->ready_ps < b->ready_ps;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu;
	return a->turn < b->turn;
}

static void heap_down(struct script_machine *m, u32 at)
{
	struct script_task *t = m->heap[at];

	for (;;) {
		u32 child = 2 * at + 1;

		if (child >= m->nr_heap)
			break;
		if (child + 1 < m->nr_heap && task_before(m->heap[child + 1], m->heap[child]))
			child++;
		if (!task_before(m->heap[child], t))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = t;
}

static void heap_push(lua_State *L, struct script_machine *m, struct script_task *t)
{
	u32 at;

	if (m->nr_heap == m->heap_cap) {
		u32 cap = m->heap_cap * 2 + 16;
		struct script_task **heap = realloc(m->heap, cap * sizeof(struct script_task *));

		if (!heap) {
			luaL_error(L, "no memory for tasks");
			return;
		}
		m->heap = heap;
		m->heap_cap = cap;
	}
	t->queued = true;
	for (at = m->nr_heap++; at > 0 && task_before(t, m->heap[(at - 1) / 2]); at = (at - 1) / 2)
		m->heap[at] = m->heap[(at - 1) / 2];
	m->heap[at] = t;
}

static struct script_task *heap_pop(struct script_machine *m)
{
	struct script_task *t = m->heap[0];

	m->heap[0] = m->heap[--m->nr_heap];
	if (m->nr_heap)
		heap_down(m, 0);
	t->queued = false;
	return t;
}

/* The first of the heap, with its time brought up to its CPU's clock; NULL if none is ready. */
static struct script_task *heap_first(struct script_machine *m)
{
	while (m->nr_heap) {
		struct script_task *t = m->heap[0];

		if (t->state != TASK_READY) {
			heap_pop(m);
			let_go(t);
		} else if (t->ready_ps < m->clock_ps[t->cpu]) {
			t->ready_ps = m->clock_ps[t->cpu];
			heap_down(m, 0);
		} else {
			return t;
		}
	}
	return NULL;
}

void script_tasks_charge(struct script_machine *m, u32 cpu)
{
	if (cpu < sim_nr_cpus(m->sim))
		m->clock_ps[cpu] += CLOCK_OP_PS;
	if (m->in_run && m->run_ops_left)
		m->run_ops_left--;
}

/*
 * Tasks
 */

/* The machine keeps the userdata no longer. */
static void let_go(struct script_task *t)
{
	luaL_unref(t->m->box->L, LUA_REGISTRYINDEX, t->self_ref);
	t->self_ref = LUA_NOREF;
}

static void end_task(struct script_task *t)
{
	lua_State *L = t->m->box->L;

	if (t->state == TASK_DONE)
		return;
	t->state = TASK_DONE;
	t->m->nr_tasks--;
	luaL_unref(L, LUA_REGISTRYINDEX, t->thread_ref);
	t->thread_ref = LUA_NOREF;
	t->thread = NULL;
	/* One that is still in the heap is let go when it comes out there. */
	if (!t->queued)
		let_go(t);
}

static void wait_for_message(struct script_task *t)
{
	struct mailbox *box = &mailboxes(t->m)[t->cpu];

	t->state = TASK_WAITING;
	t->next_waiting = NULL;
	if (box->last)
		box->last->next_waiting = t;
	else
		box->first = t;
	box->last = t;
}

/* Take the first live waiter of a CPU. */
static struct script_task *take_waiter(struct mailbox *box)
{
	while (box->first) {
		struct script_task *t = box->first;

		box->first = t->next_waiting;
		if (!box->first)
			box->last = NULL;
		t->next_waiting = NULL;
		if (t->state == TASK_WAITING)
			return t;
	}
	return NULL;
}

/* Take a cancelled waiter out of its CPU's queue. */
static void leave_mailbox(struct script_task *t)
{
	struct mailbox *box = &mailboxes(t->m)[t->cpu];
	struct script_task **at = &box->first, *before = NULL;

	while (*at && *at != t) {
		before = *at;
		at = &(*at)->next_waiting;
	}
	if (!*at)
		return;
	*at = t->next_waiting;
	if (box->last == t)
		box->last = before;
	t->next_waiting = NULL;
}

void script_tasks_close(struct script_machine *m)
{
	lua_State *L = m->box->L;
	u32 nr = m->mailboxes ? sim_nr_cpus(m->sim) : 0;

	for (u32 i = 0; i < m->nr_heap; i++) {
		m->heap[i]->queued = false;
		end_task(m->heap[i]);
	}
	for (u32 cpu = 0; cpu < nr; cpu++) {
		struct mailbox *box = &m->mailboxes[cpu];
		struct script_task *t;

		while ((t = take_waiter(box)) != NULL)
			end_task(t);
		for (u32 i = 0; i < box->nr; i++)
			luaL_unref(L, LUA_REGISTRYINDEX,
				   box->ring[(box->head + i) & (box->cap - 1)].ref);
		free(box->ring);
	}
	free(m->mailboxes);
	free(m->heap);
	m->mailboxes = NULL;
	m->heap = NULL;
	m->nr_heap = m->heap_cap = 0;
}

static struct script_task *check_task(lua_State *L)
{
	struct script_task *t = luaL_testudata(L, 1, TASK_META);

	if (!t)
		luaL_error(L, "a task was expected; methods are called with a colon, t:alloc{...}");
	return t;
}

/* The task must be the one that runs, and its own coroutine. */
static struct script_task *check_running(lua_State *L)
{
	struct script_task *t = check_task(L);

	if (t->state == TASK_DONE)
		luaL_error(L, "this task has ended");
	if (t->m->current != t)
		luaL_error(L, "this task is not running; only its own function may use it");
	return t;
}

int l_machine_spawn(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	u32 cpu = script_check_cpu(L, m, 2);
	int nargs = lua_gettop(L) - 3;
	struct script_task *t;

	luaL_checktype(L, 3, LUA_TFUNCTION);
	script_may_change(L, m);
	script_charge(L, BOX_HOOK_STEP / 4);
	if (!m->mailboxes) {
		m->mailboxes = calloc(sim_nr_cpus(m->sim), sizeof(*m->mailboxes));
		if (!m->mailboxes)
			return luaL_error(L, "no memory for tasks");
	}
	t = lua_newuserdatauv(L, sizeof(*t), 1);
	memset(t, 0, sizeof(*t));
	t->m = m;
	t->cpu = cpu;
	t->state = TASK_DONE; /* until it is whole */
	t->self_ref = t->thread_ref = LUA_NOREF;
	luaL_setmetatable(L, TASK_META);
	/* A task keeps its machine. */
	lua_pushvalue(L, 1);
	lua_setiuservalue(L, -2, 1);
	t->thread = lua_newthread(L);
	lua_insert(L, -2); /* thread, task */
	luaL_checkstack(t->thread, nargs + 4, NULL);
	lua_pushvalue(L, 3);
	lua_pushvalue(L, -2);
	for (int i = 0; i < nargs; i++)
		lua_pushvalue(L, 4 + i);
	lua_xmove(L, t->thread, nargs + 2);
	t->ready_ps = m->current ? m->clock_ps[m->current->cpu] : m->clock_ps[cpu];
	t->turn = m->next_turn++;
	t->number = ++m->next_task;
	heap_push(L, m, t);
	t->state = TASK_READY;
	m->nr_tasks++;
	lua_pushvalue(L, -1);
	t->self_ref = luaL_ref(L, LUA_REGISTRYINDEX);
	lua_pushvalue(L, -2);
	t->thread_ref = luaL_ref(L, LUA_REGISTRYINDEX);
	return 1;
}

/*
 * Turns
 */

/* Put the running task back in line at @at_ps; false if it may go on at once. */
static bool queue_again(lua_State *L, struct script_task *t, u64 at_ps)
{
	struct script_machine *m = t->m;
	struct script_task *first;

	t->ready_ps = at_ps;
	t->turn = m->next_turn++;
	if (L == t->thread && at_ps < m->run_until_ps && m->run_ops_left) {
		first = heap_first(m);
		if (!first || task_before(t, first)) {
			if (m->clock_ps[t->cpu] < at_ps)
				m->clock_ps[t->cpu] = at_ps;
			return false;
		}
	}
	heap_push(L, m, t);
	return true;
}

static int after_turn(lua_State *L, int status, lua_KContext nr_results)
{
	(void)L;
	(void)status;
	return (int)nr_results;
}

/* The end of an operation of a task with its results on the stack. */
static int end_turn(lua_State *L, struct script_task *t, int nr_results)
{
	/* From a coroutine inside the task there is no way to the scheduler: its turn goes on. */
	if (L != t->thread || !lua_isyieldable(L))
		return nr_results;
	if (!queue_again(L, t, t->m->clock_ps[t->cpu]))
		return nr_results;
	return lua_yieldk(L, 0, nr_results, after_turn);
}

static void check_can_wait(lua_State *L, const struct script_task *t, const char *what)
{
	if (L != t->thread || !lua_isyieldable(L))
		luaL_error(L,
			   "%s: a task can wait only in its own function, not in a coroutine, "
			   "comparison or handler inside it",
			   what);
}

int l_task_alloc(lua_State *L)
{
	struct script_task *t = check_running(L);

	return end_turn(L, t, script_alloc(L, t->m, 2, t->cpu));
}

int l_task_bulk(lua_State *L)
{
	struct script_task *t = check_running(L);

	return end_turn(L, t, script_bulk(L, t->m, 2, t->cpu));
}

int l_task_free(lua_State *L)
{
	struct script_task *t = check_running(L);

	return end_turn(L, t, script_free_pages(L, t->m, 2, t->cpu, false));
}

int l_task_free_list(lua_State *L)
{
	struct script_task *t = check_running(L);

	return end_turn(L, t, script_free_pages(L, t->m, 2, t->cpu, true));
}

int l_task_sleep(lua_State *L)
{
	struct script_task *t = check_running(L);
	u64 ns = (u64)script_check_range(L, 2, "sleep", 0, (lua_Integer)1 << 50);

	check_can_wait(L, t, "sleep");
	script_charge(L, 10);
	/* While it sleeps the CPU is free for others, so the clock does not move yet. */
	if (!queue_again(L, t, t->m->clock_ps[t->cpu] + ns * 1000))
		return 0;
	return lua_yieldk(L, 0, 0, after_turn);
}

static bool mailbox_grow(struct mailbox *box)
{
	u32 cap = box->cap ? box->cap * 2 : 16;
	struct message *ring = malloc(cap * sizeof(*ring));

	if (!ring)
		return false;
	for (u32 i = 0; i < box->nr; i++)
		ring[i] = box->ring[(box->head + i) & (box->cap - 1)];
	free(box->ring);
	box->ring = ring;
	box->cap = cap;
	box->head = 0;
	return true;
}

int l_task_send(lua_State *L)
{
	struct script_task *t = check_running(L), *waiter;
	struct script_machine *m = t->m;
	u32 to = script_check_cpu(L, m, 2);
	struct mailbox *box = &mailboxes(m)[to];

	luaL_checkany(L, 3);
	lua_settop(L, 3);
	script_charge(L, 20);
	if (box->nr == box->cap && (box->nr >= 1u << 20 || !mailbox_grow(box)))
		return luaL_error(L, "send: %d messages wait on CPU %d already", (int)box->nr,
				  (int)to);
	m->clock_ps[t->cpu] += CLOCK_OP_PS;
	box->ring[(box->head + box->nr) & (box->cap - 1)] = (struct message){
		.ref = luaL_ref(L, LUA_REGISTRYINDEX),
		.sent_ps = m->clock_ps[t->cpu],
	};
	box->nr++;
	waiter = take_waiter(box);
	if (waiter) {
		waiter->state = TASK_READY;
		waiter->ready_ps = m->clock_ps[t->cpu] > m->clock_ps[waiter->cpu] ?
					   m->clock_ps[t->cpu] :
					   m->clock_ps[waiter->cpu];
		waiter->turn = m->next_turn++;
		heap_push(L, m, waiter);
	}
	return end_turn(L, t, 0);
}

/* The first message, if it has arrived by now. */
static int receive(lua_State *L, struct script_task *t)
{
	struct mailbox *box = &mailboxes(t->m)[t->cpu];
	struct message message = box->ring[box->head];

	box->head = (box->head + 1) & (box->cap - 1);
	box->nr--;
	if (t->m->clock_ps[t->cpu] < message.sent_ps)
		t->m->clock_ps[t->cpu] = message.sent_ps;
	lua_rawgeti(L, LUA_REGISTRYINDEX, message.ref);
	luaL_unref(L, LUA_REGISTRYINDEX, message.ref);
	return 1;
}

static int recv_again(lua_State *L, int status, lua_KContext ctx)
{
	struct script_task *t = (struct script_task *)ctx;

	(void)status;
	/* Another task of this CPU may have been faster. */
	if (!mailboxes(t->m)[t->cpu].nr) {
		wait_for_message(t);
		return lua_yieldk(L, 0, ctx, recv_again);
	}
	return receive(L, t);
}

int l_task_recv(lua_State *L)
{
	struct script_task *t = check_running(L);

	script_charge(L, 20);
	if (mailboxes(t->m)[t->cpu].nr)
		return receive(L, t);
	check_can_wait(L, t, "recv");
	wait_for_message(t);
	return lua_yieldk(L, 0, (lua_KContext)t, recv_again);
}

int l_task_now(lua_State *L)
{
	struct script_task *t = check_task(L);

	if (!t->m->sim)
		return luaL_error(L, "this machine is closed");
	lua_pushinteger(L, (lua_Integer)(t->m->clock_ps[t->cpu] / 1000));
	return 1;
}

int l_task_cpu(lua_State *L)
{
	lua_pushinteger(L, check_task(L)->cpu);
	return 1;
}

int l_task_status(lua_State *L)
{
	struct script_task *t = check_task(L);

	if (t->state == TASK_DONE)
		lua_pushliteral(L, "ended");
	else if (t->m->current == t)
		lua_pushliteral(L, "running");
	else
		lua_pushstring(L, t->state == TASK_WAITING ? "waiting" : "ready");
	return 1;
}

int l_task_cancel(lua_State *L)
{
	struct script_task *t = check_task(L);
	int status;

	if (t->state == TASK_DONE)
		return 0;
	if (t->m->current == t)
		return luaL_error(L, "cancel: a task ends itself with return");
	if (t->state == TASK_WAITING)
		leave_mailbox(t);
	/* Its to-be-closed variables are closed; what they raise is the caller's. */
	status = t->started ? lua_resetthread(t->thread) : LUA_OK;
	if (status != LUA_OK) {
		lua_xmove(t->thread, L, 1);
		end_task(t);
		return lua_error(L);
	}
	end_task(t);
	return 0;
}

/*
 * Running
 */

/* Give @t its turn. Raises what it raised. */
static void run_task(lua_State *L, struct script_machine *m, struct script_task *t)
{
	lua_State *thread = t->thread;
	int nargs = t->started ? 0 : lua_gettop(thread) - 1, nresults, status;

	script_charge(L, 10);
	if (m->clock_ps[t->cpu] < t->ready_ps)
		m->clock_ps[t->cpu] = t->ready_ps;
	t->started = true;
	m->current = t;
	status = lua_resume(thread, L, nargs, &nresults);
	m->current = NULL;
	if (status == LUA_YIELD) {
		lua_pop(thread, nresults);
		/* coroutine.yield() in a task ends its turn, no more. */
		if (t->state == TASK_READY && !t->queued) {
			t->ready_ps = m->clock_ps[t->cpu];
			t->turn = m->next_turn++;
			heap_push(L, m, t);
		}
		return;
	}
	if (status != LUA_OK) {
		script_push_traceback(L, thread);
		lua_pushfstring(L, "\n  in task %d on CPU %d", (int)t->number, (int)t->cpu);
		lua_concat(L, 2);
		lua_resetthread(thread);
		end_task(t);
		lua_error(L);
	}
	end_task(t);
}

static int l_run_protected(lua_State *L)
{
	struct script_machine *m = lua_touserdata(L, 1);
	struct script_task *t;

	while (m->run_ops_left && (t = heap_first(m)) != NULL && t->ready_ps < m->run_until_ps) {
		heap_pop(m);
		run_task(L, m, t);
	}
	return 0;
}

static void run_args(lua_State *L, struct script_machine *m)
{
	static const char *const known[] = { "for_ns", "ops", NULL };

	m->run_until_ps = UINT64_MAX;
	m->run_ops_left = UINT64_MAX;
	if (lua_isnoneornil(L, 2))
		return;
	luaL_checktype(L, 2, LUA_TTABLE);
	lua_pushnil(L);
	while (lua_next(L, 2)) {
		const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";

		if (strcmp(key, "for_ns") == 0) {
			u64 now = UINT64_MAX;
			struct script_task *first = heap_first(m);

			if (first)
				now = first->ready_ps;
			m->run_until_ps =
				(now == UINT64_MAX ? 0 : now) +
				(u64)script_check_range(L, -1, key, 0, (lua_Integer)1 << 50) * 1000;
		} else if (strcmp(key, "ops") == 0) {
			m->run_ops_left = (u64)script_check_range(L, -1, key, 0, LUA_MAXINTEGER);
		} else {
			script_unknown_key(L, "run", key, known);
		}
		lua_pop(L, 1);
	}
}

int l_machine_run(lua_State *L)
{
	struct script_machine *m = script_check_machine(L, 1);
	u64 ops = m->ops;
	int status;

	script_may_change(L, m);
	if (m->in_run)
		return luaL_error(L, "run: the tasks of this machine are running already");
	run_args(L, m);
	lua_settop(L, 1);
	m->in_run = true;
	lua_pushcfunction(L, l_run_protected);
	lua_pushlightuserdata(L, m);
	status = lua_pcall(L, 1, 0, 0);
	m->in_run = false;
	if (status)
		return lua_error(L);
	lua_createtable(L, 0, 3);
	lua_pushinteger(L, (lua_Integer)(m->ops - ops));
	lua_setfield(L, -2, "ops");
	lua_pushinteger(L, m->nr_tasks);
	lua_setfield(L, -2, "tasks");
	lua_pushboolean(L, m->nr_tasks && !heap_first(m));
	lua_setfield(L, -2, "blocked");
	return 1;
}

int l_task_tostring(lua_State *L)
{
	struct script_task *t = check_task(L);

	lua_pushfstring(L, "task %d on CPU %d", (int)t->number, (int)t->cpu);
	return 1;
}

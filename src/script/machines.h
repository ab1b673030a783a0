/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Machines as Lua sees them. A machine is either the script's own, a simulated
 * machine without a log, or one that somebody else shows and logs (struct
 * script_drive). Everything that changes one goes through script_exec().
 *
 * Pages are light userdata, so that allocating makes no garbage: 12 bits of the
 * machine's family (a machine and its forks), 20 bits of the slot's generation, 32
 * bits of the slot. A stale one is noticed, so freeing twice is an error at its line.
 *
 * Inside src/script only.
 */
#ifndef PAGESET_SCRIPT_MACHINES_H
#define PAGESET_SCRIPT_MACHINES_H

#include "box.h"
#include "core/pcp.h"
#include "core/sim.h"

struct script_task;

enum { POLICY_HIGH, POLICY_FREE, POLICY_ALLOC, POLICY_DECAY, NR_POLICY_FUNCTIONS };

/* One operation as far as two runs are compared by it. */
struct script_op {
	u8 kind, order, type, flags;
	u16 cpu, zone;
	u32 count, slot;
	s64 value;
};

enum {
	SCRIPT_OPS_KEPT = 1 << 20, /* operations kept for the comparison of two runs */
	SCRIPT_MACHINES_MAX = 1024,
	SCRIPT_SPLIT = 4096, /* blocks of one operation: more are split */
};

/* The operations of one run, for comparing it with others. */
struct script_ops {
	struct script_op *ops;
	size_t nr, cap;
	/* While a run is compared: the first that differs, -1 none yet. */
	const struct script_ops *against;
	s64 differs_at;
};

struct script_machine {
	struct script_box *box;
	struct script_machine *next; /* of box->machines */
	struct sim *sim;	     /* NULL: closed */
	bool own;		     /* sim is to be destroyed */
	struct script_drive drive;   /* if not own */
	u32 family;
	u64 ops;
	struct script_ops *record;

	/* In the middle of an operation: the state on which handlers run. */
	lua_State *running;
	int failure; /* reference of the first error of a handler or policy, LUA_NOREF none */

	int handlers; /* reference of a table: event -> list of functions */
	u64 kinds;    /* mask of step kinds that have handlers, besides: */
	bool every_step, by_name;

	struct policy policy;
	int policy_fn[NR_POLICY_FUNCTIONS]; /* references, LUA_NOREF: the kernel's */
	int policy_pcp;			    /* reference of the userdata handed to them */

	/* Tasks: see tasks.c. */
	u64 *clock_ps;
	struct script_task **heap;
	struct mailbox *mailboxes;
	u32 nr_heap, heap_cap;
	u64 next_turn;
	u32 nr_tasks, next_task;
	struct script_task *current;
	bool in_run;
	u64 run_until_ps, run_ops_left;
};

#define MACHINE_META "pageset.machine"

/* The machine at @idx; raises if it is none or closed. */
struct script_machine *script_check_machine(lua_State *L, int idx);
/* Push a new machine; sim NULL as yet. */
struct script_machine *script_push_machine(lua_State *L);
/* Give the sim and everything of it back; the userdata stays, closed. */
void script_machine_close(struct script_machine *m);
/* Build what a table of options at @idx describes (0: defaults), into @m. Raises. */
void script_machine_build(lua_State *L, int idx, struct script_machine *m);
/* Make a machine of @sim, charged. */
void script_machine_adopt(lua_State *L, struct script_machine *m, struct sim *sim);

/* Do an operation; raises on errors and what handlers raised. */
void script_exec(lua_State *L, struct script_machine *m, const struct op *op, u32 *slots,
		 struct op_result *result);
/* Raise if the machine may not be changed now. */
void script_may_change(lua_State *L, struct script_machine *m);
/* Keep the error at the top of the stack (popped) until the operation is done. */
void script_keep_failure(lua_State *L, struct script_machine *m);

/* Allocation and free with the arguments at @arg, for machines and tasks. Return the number of results. */
int script_alloc(lua_State *L, struct script_machine *m, int arg, u32 cpu);
int script_bulk(lua_State *L, struct script_machine *m, int arg, u32 cpu);
int script_free_pages(lua_State *L, struct script_machine *m, int arg, u32 cpu, bool as_list);

void script_push_page(lua_State *L, const struct script_machine *m, u32 slot);
/* The slot of the page at @idx; raises if it is none of the machine's live ones. */
u32 script_check_page(lua_State *L, struct script_machine *m, int idx);
void script_open_pages(lua_State *L);

/* An integer option between two bounds; a CPU's number; a table's keys checked against a list. */
lua_Integer script_check_range(lua_State *L, int idx, const char *what, lua_Integer min,
			       lua_Integer max);
u32 script_check_cpu(lua_State *L, const struct script_machine *m, int idx);
/* Raise for key @key, with the nearest of @known. */
int script_unknown_key(lua_State *L, const char *where, const char *key, const char *const *known);
/* Text, number n (level) or "base" at @idx to a patch set; raises. */
u32 script_check_level(lua_State *L, int idx, enum series series);
u32 script_check_set(lua_State *L, int idx, enum series series);
/* Series from "v2" or "v3" at @idx. */
enum series script_check_series(lua_State *L, int idx);

/* Handlers and policy: events.c, policy.c. */
void script_events_update(struct script_machine *m);
void script_events_close(struct script_machine *m);
void script_open_policy(lua_State *L);
void script_policy_close(struct script_machine *m);

/* Tasks: tasks.c. */
void script_tasks_close(struct script_machine *m);
void script_tasks_charge(struct script_machine *m, u32 cpu);

#endif

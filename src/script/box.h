/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The box that a script runs in: one Lua state with a cap on memory and a sticky
 * cap on work. Work is counted in VM instructions; whatever can loop inside C (our
 * library functions, the allocator) charges its own, because the count hook does
 * not fire there. Once the cap is reached every protected call of the script
 * re-raises, so a script cannot swallow it.
 *
 * Inside src/script only; others use script.h and expr.h.
 */
#ifndef PAGESET_SCRIPT_BOX_H
#define PAGESET_SCRIPT_BOX_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "core/types.h"
#include "script.h"

enum {
	BOX_HOOK_STEP = 1000,	   /* VM instructions between two looks at the caps */
	BOX_STRING_MAX = 64 << 20, /* bytes of one string */
	BOX_ERROR_MAX = 2000,
};

struct script_box {
	lua_State *L;
	struct script_limits limits;
	u64 work;      /* done so far */
	size_t memory; /* bytes in use */
	u64 deadline_ns;
	const char *spent; /* why no more work is allowed; NULL while it is */
	u64 next_serial;   /* of tables and functions whose address would be printed */
	u64 next_family;   /* of machines: see machines.h */
	u64 rand[4];	   /* state of sim.rand */
	u64 seed;
	char *folder; /* real path of the script's folder, or NULL */
	struct script_hooks hooks;
	const char *out_dir;		 /* files go below it */
	struct script_machine *machines; /* all that live */
	s64 last_at;			 /* sorted next(): index of the key given last */
	u32 nr_machines;
	enum series series; /* of machines where the script says nothing */
	u32 patches;	    /* likewise, if given */
	bool patches_given;
};

static inline struct script_box *script_box_of(lua_State *L)
{
	struct script_box *box;

	/* Lua copies the main thread's extra space into each coroutine. */
	__builtin_memcpy(&box, lua_getextraspace(L), sizeof(box));
	return box;
}

/* A new state with the language's libraries (no sim); NULL without memory. */
struct script_box *script_box_new(const struct script_limits *limits);
void script_box_free(struct script_box *box);

/* Raises when the caps are reached. */
void script_charge_slow(lua_State *L, struct script_box *box);
static inline void script_charge(lua_State *L, u64 work)
{
	struct script_box *box = script_box_of(L);

	box->work += work;
	if (unlikely(box->work > box->limits.instructions || box->spent))
		script_charge_slow(L, box);
}
/* After a protected call failed: goes on raising if the caps are reached. */
void script_reraise(lua_State *L);

/* Message handler: adds a traceback of the script's own frames. */
int script_traceback(lua_State *L);
/* Takes the error value at the top of @thread, pushes it with the traceback of @thread on @L. */
void script_push_traceback(lua_State *L, lua_State *thread);
/* lua_pcall with it: 0, or the message on the stack. */
int script_pcall(lua_State *L, int nargs, int nresults);

/* The serial number under which a table, function, userdata or thread is printed. */
u64 script_serial(lua_State *L, int idx);
/* Like luaL_tolstring() without addresses; pushes and returns. */
const char *script_tostring(lua_State *L, int idx, size_t *len);
/* Pushes an array of the keys of the table at @idx, in order; returns their number. */
lua_Integer script_sorted_keys(lua_State *L, int idx);
/* Order of two values of any types: numbers, strings, booleans, then serial numbers. */
bool script_key_less(lua_State *L, int a, int b);

/* The table at the top becomes read-only for scripts: replaced by a proxy called @name. */
void script_freeze(lua_State *L, const char *name);
/* If @idx is such a proxy push what is behind it. */
bool script_frozen(lua_State *L, int idx);
/* The environment of scripts: pushes the table. */
void script_push_env(lua_State *L);
/* The table of builtin names behind the environment: pushes it. */
void script_push_builtins(lua_State *L);

/* A number below @n from the script's generator. */
u64 script_rand_below(struct script_box *box, u64 n);
void script_rand_seed(struct script_box *box, u64 seed);

/* The script's place, "file:line", of the innermost Lua function; "" if none. */
void script_where(lua_State *L, char *buf, size_t size);

/* Open the parts of the language into the table at the top of the stack. */
void script_open_base(lua_State *L);
void script_open_string(lua_State *L);
void script_open_table(lua_State *L);
void script_open_math(lua_State *L);

/* A function of the standard library that charges the lengths of its string arguments first; at the top. */
void script_charged(lua_State *L);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as calls of a timeline: operations, edits, injections, forks, seeks. Refused or
 * done; whoever comes to a boundary, from wherever, finds the same machine.
 */
#include <stdint.h>
#include <stdlib.h>

#include "core/timeline.h"

enum { SLOTS_MAX = 64, CALLS_MAX = 160 };

struct run {
	const uint8_t *data;
	size_t size;
	struct timeline *tl;
	u32 slots[SLOTS_MAX], nr_slots; /* that appended allocations got */
};

static u32 below(struct run *r, u64 n)
{
	u32 byte = 0;

	if (r->size) {
		byte = *r->data++;
		r->size--;
	}
	return n ? (u32)(byte % n) : 0;
}

static struct op some_op(struct run *r)
{
	static const u8 kinds[] = { OP_ALLOC,	    OP_ALLOC,	    OP_ALLOC,	   OP_FREE,
				    OP_FREE,	    OP_ALLOCN,	    OP_BULK,	   OP_TICK,
				    OP_DRAIN,	    OP_DRAIN_ALL,   OP_RECLAIM,	   OP_WMARK,
				    OP_PCP_DISABLE, OP_PCP_ENABLE,  OP_FRACTION,   OP_TOUCH,
				    OP_CACHE,	    OP_CPU_OFFLINE, OP_CPU_ONLINE, OP_PATCHES,
				    OP_MINFREE,	    OP_WSF,	    OP_DRAIN_ZONE, OP_BOOST_CLEAR,
				    OP_FREE };
	static const u8 orders[] = { 0, 0, 0, 1, 2, 3, 9, 10 };
	struct op op = { .kind = kinds[below(r, sizeof(kinds))], .count = 1 };

	op.cpu = (u16)below(r, 5);
	op.order = orders[below(r, sizeof(orders))];
	op.type = (u8)below(r, 3);
	op.flags = (u8)(below(r, 16) & (OP_F_ATOMIC | OP_F_BUSY | OP_F_ON));
	op.value = below(r, 256) * 8;
	if (op.kind == OP_PATCHES)
		op.value = patch_level(SERIES_V2, (int)below(r, 11));
	op.low = op.value + below(r, 64);
	op.high = op.low + below(r, 64);
	if (op.kind == OP_ALLOCN || op.kind == OP_BULK)
		op.count = below(r, 8) + 1;
	if (op.kind == OP_FREE)
		op.slot = r->nr_slots && below(r, 8) ? r->slots[below(r, r->nr_slots)] :
						       below(r, 9);
	return op;
}

static void append(struct run *r)
{
	struct op op = some_op(r);
	u32 slots[8];

	if (tl_seek(r->tl, tl_length(r->tl), 0, NULL) ||
	    tl_append(r->tl, &op, op.kind == OP_FREE ? NULL : slots, NULL, NULL))
		return;
	if (op.kind == OP_ALLOC || op.kind == OP_ALLOCN || op.kind == OP_BULK) {
		for (u32 i = 0; i < op.count && r->nr_slots < SLOTS_MAX; i++)
			r->slots[r->nr_slots++] = slots[i];
	}
}

static void seek(struct run *r)
{
	tl_seek(r->tl, below(r, tl_length(r->tl) + 2), below(r, 4) ? 0 : below(r, 40), NULL);
}

static void inject(struct run *r)
{
	struct op op = some_op(r);
	struct op_result result;
	bool put_off;
	u32 slots[8];

	tl_inject(r->tl, &op, op.kind == OP_FREE ? NULL : slots, &result, &put_off, NULL);
}

/* The log goes on in a copy; what becomes of the origin must not matter to it. */
static void fork_it(struct run *r)
{
	struct timeline *origin = r->tl, *other;

	if (tl_fork(origin, &other, NULL))
		return;
	r->tl = other;
	if (below(r, 2)) {
		append(r);
		r->tl = origin;
		tl_destroy(other);
	} else {
		tl_destroy(origin);
	}
}

static void call(struct run *r)
{
	struct op op;

	switch (below(r, 16)) {
	default:
		append(r);
		break;
	case 6:
		seek(r);
		break;
	case 7:
		tl_step_next(r->tl);
		break;
	case 8:
		tl_step_prev(r->tl);
		break;
	case 9:
		op = some_op(r);
		tl_insert(r->tl, &op, NULL);
		break;
	case 10:
		tl_remove(r->tl, below(r, tl_length(r->tl) + 1), NULL);
		break;
	case 11:
		if (below(r, 4) == 0)
			tl_truncate(r->tl, NULL);
		break;
	case 12:
		tl_set_base_patches(r->tl, patch_level(SERIES_V2, (int)below(r, 11)), NULL);
		break;
	case 13:
		inject(r);
		break;
	case 14:
		if (tl_length(r->tl))
			tl_uninject(r->tl, below(r, tl_length(r->tl)), below(r, 3), NULL);
		break;
	case 15:
		if (below(r, 8))
			fork_it(r);
		else
			tl_drop_oldest(r->tl, NULL);
	}
}

static u64 digest_at(struct timeline *tl, u64 op)
{
	if (tl_seek(tl, op, 0, NULL))
		abort();
	return sim_state_digest(tl_view(tl));
}

/* From the end back, and in a copy from the beginning on. */
static void compare_ways(struct run *r)
{
	u64 first = tl_first(r->tl), last = tl_length(r->tl);
	struct timeline *other;

	if (tl_fork(r->tl, &other, NULL))
		return;
	digest_at(r->tl, last);
	sim_check(tl_sim(r->tl));
	for (u64 op = last; op > first; op -= (op - first + 7) / 8) {
		u64 there = digest_at(r->tl, op);

		if (tl_seek(other, first, 0, NULL))
			abort();
		if (digest_at(other, op) != there)
			abort();
	}
	tl_destroy(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run r = { .data = data, .size = size };
	struct machine m;

	machine_init(&m);
	if (machine_set(&m, machine_key_find("memory"), 8 << 20, NULL) ||
	    machine_finish(&m, NULL) ||
	    tl_create(&m, patch_level(SERIES_V2, (int)below(&r, 11)), 4 << 20, true, &r.tl, NULL))
		abort();
	machine_free(&m);
	for (int i = 0; i < CALLS_MAX && r.size; i++)
		call(&r);
	compare_ways(&r);
	tl_destroy(r.tl);
	return 0;
}

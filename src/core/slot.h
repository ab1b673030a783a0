/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slots: the names of allocations (op.h), their words (struct slot) and how they are
 * given out: those that came back first, the last one of them before the others. Private
 * to core.
 */
#ifndef PAGESET_CORE_SLOT_H
#define PAGESET_CORE_SLOT_H

#include "arena.h"
#include "err.h"

/* What a slot becomes that is taken: the next generation, odd. */
static inline u64 slot_word_taken(struct slot slot, u32 order, u32 page_id)
{
	u64 below = ((u64)1 << 36) - 1;

	return ((slot.word | below) + 1) | (u64)order << 32 | page_id;
}

/* And one that is given back: the next generation, even. */
static inline u64 slot_word_free(struct slot slot, u32 next_free)
{
	return (slot.word >> 32 << 32) + ((u64)1 << 36) + next_free;
}

/* Does the slot name a live block of one page? */
static inline bool slot_has_page(struct slot slot)
{
	/* Order 0 and an odd generation. */
	return slot_page(slot) && ((slot.word >> 32) & 31) == 16;
}

static inline u32 take_slot(struct sim *sim, u32 order, u32 page_id)
{
	struct sim_state *st = sim->state;
	u32 id = st->slot_free;

	if (likely(id)) {
		st->slot_free = slot_page(sim->slots[id]);
	} else {
		SIM_ASSERT(st->slot_bump < sim->slot_limit, "%u slots", sim->slot_limit);
		id = st->slot_bump++;
	}
	slot_set(sim, id, slot_word_taken(sim->slots[id], order, page_id));
	return id;
}

static inline void give_slot(struct sim *sim, u32 id)
{
	slot_set(sim, id, slot_word_free(sim->slots[id], sim->state->slot_free));
	sim->state->slot_free = id;
}

#endif

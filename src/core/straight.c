/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim_alloc() and sim_free(). Most operations of a program that has no operation
 * records are of order 0 and end at the pageset's list: the straight way. It looks
 * first whether that is so, and for the patch sets that most machines have it is
 * compiled with the set known. All else goes the way of sim_alloc_any().
 */
#include "clock.h"
#include "page.h"
#include "quiet.h"
#include "slot.h"

/* DO(set) for each of these sets. */
#define KNOWN_SETS(DO)   \
	DO(0)            \
	DO(PATCH_SET_V2) \
	DO(PATCH_SET_V3) \
	DO(PATCH_SET_V3 | PATCH_BIT(P_NIKHIL))

/* Let the compiler know the set, so that it leaves out what the patches do not ask. */
static __always_inline void assume_patches(const struct sim *sim, u32 set)
{
	if (sim->patches != set)
		__builtin_unreachable();
}

static __always_inline u32 alloc_straight(struct sim *sim, u32 set)
{
	struct page *page;
	u32 id;

	assume_patches(sim, set);
	page = quiet_alloc_page_straight(sim, MIGRATE_MOVABLE);
	if (unlikely(!page))
		return sim_alloc_any(sim, 0, MIGRATE_MOVABLE);
	id = take_slot(sim, 0, node_id(sim, page));
	page->private = id;
	op_account(sim);
	return id;
}

__flatten u32 sim_alloc(struct sim *sim, u32 cpu, u32 order, u32 type)
{
	if (sim->cpu != cpu)
		sim_set_cpu(sim, cpu);
	if (likely(order == 0 && type == MIGRATE_MOVABLE && !sim->unusual &&
		   sim->state->slot_free)) {
#define CASE(set) \
	case set: \
		return alloc_straight(sim, set);
		switch (sim->patches) {
			KNOWN_SETS(CASE)
		}
#undef CASE
	}
	return sim_alloc_any(sim, order, type);
}

static __always_inline void free_straight(struct sim *sim, u32 id, u32 set)
{
	struct page *page = node(sim, slot_page(sim->slots[id]));
	struct zone *zone;

	assume_patches(sim, set);
	zone = quiet_zone_with_room(sim, page);
	if (unlikely(!zone)) {
		sim_free_any(sim, id);
		return;
	}
	give_slot(sim, id);
	quiet_free_page_straight(sim, zone, page);
	op_account(sim);
}

__flatten void sim_free(struct sim *sim, u32 cpu, u32 slot)
{
	if (sim->cpu != cpu)
		sim_set_cpu(sim, cpu);
	if (likely(slot < sim->slot_limit && !sim->unusual && slot_has_page(sim->slots[slot]))) {
#define CASE(set)                              \
	case set:                              \
		free_straight(sim, slot, set); \
		return;
		switch (sim->patches) {
			KNOWN_SETS(CASE)
		}
#undef CASE
	}
	sim_free_any(sim, slot);
}

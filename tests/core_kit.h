/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of core share: the machine of the directed vectors, short forms of operations. */
#ifndef CORE_KIT_H
#define CORE_KIT_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/page.h"
#include "core/pcp.h"
#include "core/sim.h"

#define V2(n) patch_level(SERIES_V2, n)
#define V3(n) patch_level(SERIES_V3, n)

/* 1 GiB in one Normal zone, 4 CPUs: batch 63, high 321, marks 1024, 1286, 1548 (series.md 5.2). */
static inline struct sim *kit_create(const struct machine *m, u32 set)
{
	struct sim_error err;
	struct sim *sim;

	cr_assert_eq(sim_create(m, set, &sim, &err), SIM_OK, "%s", err.message);
	return sim;
}

static inline void kit_machine(struct machine *m, const char *key, s64 value)
{
	struct sim_error err;

	machine_init(m);
	if (key)
		cr_assert_eq(machine_set(m, machine_key_find(key), value, &err), SIM_OK, "%s",
			     err.message);
}

static inline struct sim *kit_with(u32 set, const char *key, s64 value)
{
	struct sim_error err;
	struct machine m;
	struct sim *sim;

	kit_machine(&m, key, value);
	cr_assert_eq(machine_finish(&m, &err), SIM_OK, "%s", err.message);
	sim = kit_create(&m, set);
	machine_free(&m);
	return sim;
}

static inline struct sim *kit_sim(u32 set)
{
	return kit_with(set, NULL, 0);
}

static inline struct op_result kit_do(struct sim *sim, struct op op, u32 *slots)
{
	struct op_result result;
	struct sim_error err;

	if (op.count == 0)
		op.count = 1;
	cr_assert_eq(sim_exec(sim, &op, slots, &result, &err), SIM_OK, "%s", err.message);
	return result;
}

static inline u32 kit_alloc(struct sim *sim, u32 cpu, u32 order, u32 type)
{
	u32 slot = 0;

	kit_do(sim,
	       (struct op){
		       .kind = OP_ALLOC, .cpu = (u16)cpu, .order = (u8)order, .type = (u8)type },
	       &slot);
	return slot;
}

static inline void kit_free(struct sim *sim, u32 cpu, u32 slot)
{
	kit_do(sim, (struct op){ .kind = OP_FREE, .cpu = (u16)cpu, .slot = slot }, NULL);
}

static inline void kit_tick(struct sim *sim, u32 cpu)
{
	kit_do(sim, (struct op){ .kind = OP_TICK, .cpu = (u16)cpu }, NULL);
}

static inline struct op_result kit_value(struct sim *sim, enum op_kind kind, s64 value)
{
	return kit_do(sim, (struct op){ .kind = (u8)kind, .value = value }, NULL);
}

static inline struct per_cpu_pages *kit_pcp(struct sim *sim, u32 cpu)
{
	return per_cpu_pageset(sim, &sim->zones[0], cpu);
}

static inline u64 kit_pfn(const struct sim *sim, u32 slot)
{
	struct slot_info info;

	cr_assert(sim_slot_info(sim, slot, &info) && info.live, "slot %u", slot);
	return info.pfn;
}

/* A reproducible stream. */
static inline u32 kit_random(u64 *state, u32 below)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(*state >> 33) % below;
}

/* @ops random operations of all frequent kinds; the slots live in @slots. */
static inline void kit_churn(struct sim *sim, u64 seed, int ops, u32 *slots, u32 *nr)
{
	static const u8 orders[] = { 0, 0, 0, 0, 1, 2, 3, 4, 9 };

	for (int i = 0; i < ops; i++) {
		u32 cpu = kit_random(&seed, sim_nr_cpus(sim)), what = kit_random(&seed, 20);

		if (!sim_cpu_online(sim, cpu))
			cpu = sim_first_online(sim);
		if (what == 0) {
			kit_tick(sim, cpu);
		} else if ((what < 11 && *nr < 4000) || *nr == 0) {
			slots[(*nr)++] = kit_alloc(sim, cpu,
						   orders[kit_random(&seed, sizeof(orders))],
						   kit_random(&seed, 3));
		} else {
			u32 k = kit_random(&seed, *nr);

			kit_free(sim, cpu, slots[k]);
			slots[k] = slots[--*nr];
		}
	}
}

#endif

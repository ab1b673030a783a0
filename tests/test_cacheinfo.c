/* SPDX-License-Identifier: GPL-2.0-only */
/* Patch 2's figure and patch 3's flag: the table of series.md section 1. */
#include "core_kit.h"

struct model {
	u64 l1, l2, l3; /* bytes; L1 and L2 shared by 2 */
	u32 sharers;	/* of L3 */
	int v2_pages, v3_pages;
	bool v2_keeps, v3_keeps;
};

static const struct model models[] = {
	/* Ice Lake, Sapphire Rapids, Cascade Lake */
	{ 48 << 10, 1280 << 10, 48 << 20, 64, 358, 192, true, true },
	{ 48 << 10, 2048 << 10, 105 << 20, 112, 502, 240, true, true },
	{ 32 << 10, 1024 << 10, 39424 << 10, 56, 308, 176, true, false },
};

static void expect(const struct model *model, u32 set, int pages, bool keeps)
{
	struct sim_error err;
	struct machine m;
	struct sim *sim;

	machine_init(&m);
	m.cpus = model->sharers;
	m.memory = (s64)16 << 30;
	machine_add_cache(&m, 1, CACHE_DATA, model->l1, 2, &err);
	machine_add_cache(&m, 1, CACHE_INSTRUCTION, 32 << 10, 2, &err);
	machine_add_cache(&m, 2, CACHE_UNIFIED, model->l2, 2, &err);
	machine_add_cache(&m, 3, CACHE_UNIFIED, model->l3, model->sharers, &err);
	cr_assert_eq(machine_finish(&m, &err), SIM_OK, "%s", err.message);
	sim = kit_create(&m, set);
	machine_free(&m);
	sim_set_checking(sim, false);
	cr_assert_eq((int)(sim_cpu_cache(sim, 0) >> PAGE_SHIFT), pages, "%d pages, want %d",
		     (int)(sim_cpu_cache(sim, 0) >> PAGE_SHIFT), pages);
	cr_assert_eq((kit_pcp(sim, 0)->flags & PCPF_FREE_HIGH_BATCH) != 0, keeps);
	sim_destroy(sim);
}

Test(cacheinfo, v2_sums_all_levels_and_v3_takes_the_last)
{
	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		expect(&models[i], V2(3), models[i].v2_pages, models[i].v2_keeps);
		expect(&models[i], V3(3), models[i].v3_pages, models[i].v3_keeps);
	}
}

/* Pitfall 8: the flag is not recomputed when batch changes. */
Test(cacheinfo, a_new_batch_leaves_the_flag_alone)
{
	struct sim *sim = kit_with(V2(3), "data_cache", 100 * 4096);

	cr_assert_eq(kit_pcp(sim, 0)->flags, 0);
	kit_do(sim, (struct op){ .kind = OP_PCP_DISABLE }, NULL);
	cr_assert_eq(kit_pcp(sim, 0)->batch, 1);
	cr_assert_eq(kit_pcp(sim, 0)->flags, 0);
	/* Pitfall 3: a change of the cache in that time compares with 4 * 1 */
	kit_do(sim, (struct op){ .kind = OP_CACHE, .value = 5 * 4096 }, NULL);
	cr_assert_eq(kit_pcp(sim, 0)->flags, PCPF_FREE_HIGH_BATCH);
	kit_do(sim, (struct op){ .kind = OP_PCP_ENABLE }, NULL);
	cr_assert_eq(kit_pcp(sim, 0)->flags, PCPF_FREE_HIGH_BATCH);
	sim_destroy(sim);
}

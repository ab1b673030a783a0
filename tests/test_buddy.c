/* SPDX-License-Identifier: GPL-2.0-only */
#include "core_kit.h"

static struct sim *disabled(void)
{
	struct sim *sim = kit_sim(0);

	/* Pagesets out of the way: high 0, batch 1, so that each free gives a page back. */
	kit_do(sim, (struct op){ .kind = OP_PCP_DISABLE }, NULL);
	return sim;
}

/* Pitfall 22: the upper halves go to the heads; 4096 is cut from 10 down to 4. */
Test(buddy, a_split_leaves_one_block_of_each_order)
{
	struct sim *sim = kit_sim(0);
	u32 slot = kit_alloc(sim, 0, 4, MIGRATE_MOVABLE);

	cr_assert_eq(kit_pfn(sim, slot), 4096u);
	for (u32 order = 4; order < 10; order++) {
		u32 at = 0;
		u64 pfn;

		cr_assert_eq(sim_free_list_length(sim, 0, order, MIGRATE_MOVABLE), 1u);
		cr_assert(sim_free_list_next(sim, 0, order, MIGRATE_MOVABLE, &at, &pfn));
		cr_assert_eq(pfn, 4096u + (1u << order));
	}
	sim_destroy(sim);
}

Test(buddy, freeing_merges_all_the_way_back)
{
	struct sim *sim = kit_sim(0);

	kit_free(sim, 0, kit_alloc(sim, 0, 4, MIGRATE_MOVABLE));
	cr_assert_eq(sim_free_list_length(sim, 0, 10, MIGRATE_MOVABLE), 256u);
	cr_assert_eq(sim_stats(sim).splits, 6u);
	cr_assert_eq(sim_stats(sim).merges, 6u);
	sim_destroy(sim);
}

/* Pitfall 22: to the tail only if the next-higher buddy is free. */
Test(buddy, a_block_that_will_merge_soon_goes_to_the_tail)
{
	struct sim *sim = kit_sim(0);
	u32 slots[6], at = 0;
	u64 pfn;

	/* 4096, 4112 ... 4176 of order 4; of the order-10 block 4192 of order 5 and more stay free */
	for (int i = 0; i < 6; i++)
		slots[i] = kit_alloc(sim, 0, 4, MIGRATE_MOVABLE);
	/* the parent of 4128 is 4128 of order 5, its buddy 4096 of order 5 is not free: head */
	kit_free(sim, 0, slots[2]);
	/* the parent of 4160 is 4160 of order 5, its buddy 4192 of order 5 is free: tail */
	kit_free(sim, 0, slots[4]);
	cr_assert(sim_free_list_next(sim, 0, 4, MIGRATE_MOVABLE, &at, &pfn));
	cr_assert_eq(pfn, 4128u);
	cr_assert(sim_free_list_next(sim, 0, 4, MIGRATE_MOVABLE, &at, &pfn));
	cr_assert_eq(pfn, 4160u);
	sim_check(sim);
	sim_destroy(sim);
}

/* Pitfall 23: an unmovable request claims the pageblock of the largest movable block. */
Test(buddy, an_unmovable_request_claims_whole_blocks)
{
	struct sim *sim = disabled();
	u32 slot = kit_alloc(sim, 0, 0, MIGRATE_UNMOVABLE);

	cr_assert_eq(sim_pageblock_type(sim, kit_pfn(sim, slot)), (u32)MIGRATE_UNMOVABLE);
	/* a block of order 10 is two pageblocks */
	cr_assert_eq(sim_stats(sim).claims, 2u);
	cr_assert_eq(sim_stats(sim).fallbacks, 1u);
	sim_destroy(sim);
}

/* Pitfall 20: a bulk free goes by the type that the page had when it was freed to the list. */
Test(buddy, a_bulk_free_uses_the_type_kept_in_the_page)
{
	struct sim *sim = kit_sim(0);
	u32 slot = kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	u64 pfn = kit_pfn(sim, slot);

	kit_free(sim, 0, slot);
	set_pageblock_migratetype(sim, pfn, MIGRATE_RECLAIMABLE);
	free_pcppages_bulk(sim, &sim->zones[0], 1, kit_pcp(sim, 0), 1);
	/* the tail, 4158, merges with 4159, which the refill of 63 pages left over */
	cr_assert_eq(sim_free_list_length(sim, 0, 1, MIGRATE_RECLAIMABLE), 0u);
	cr_assert_eq(sim_free_list_length(sim, 0, 1, MIGRATE_MOVABLE), 1u);
	sim_destroy(sim);
}

Test(buddy, orders_without_lists_go_past_the_pagesets)
{
	struct sim *sim = kit_sim(0);

	for (u32 order = 4; order <= 8; order++)
		kit_free(sim, 0, kit_alloc(sim, 0, order, MIGRATE_MOVABLE));
	kit_free(sim, 0, kit_alloc(sim, 0, 10, MIGRATE_MOVABLE));
	cr_assert_eq(sim_stats(sim).direct_allocs, 6u);
	cr_assert_eq(sim_stats(sim).direct_frees, 6u);
	cr_assert_eq(kit_pcp(sim, 0)->count, 0);
	sim_destroy(sim);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Each kind of damage is found, and the panic hook gets its values. */
#include <setjmp.h>

#include "core/buddy.h"
#include "core_kit.h"

static jmp_buf back;
static char text[512];

static void hook(const char *what)
{
	strncpy(text, what, sizeof(text) - 1);
	longjmp(back, 1);
}

/* Runs the check on a machine that is damaged; the message must have @word. */
#define EXPECT_PANIC(sim, word)                            \
	do {                                               \
		text[0] = '\0';                            \
		sim_set_panic_hook(hook);                  \
		if (setjmp(back) == 0)                     \
			sim_check(sim);                    \
		sim_set_panic_hook(NULL);                  \
		cr_assert(strstr(text, word), "%s", text); \
	} while (0)

static struct sim *used(void)
{
	struct sim *sim = kit_with(V2(10), "memory", 64 << 20);

	kit_alloc(sim, 0, 0, MIGRATE_MOVABLE);
	kit_free(sim, 0, kit_alloc(sim, 0, 1, MIGRATE_UNMOVABLE));
	sim_check(sim);
	return sim;
}

Test(invariant, a_wrong_count_is_found)
{
	struct sim *sim = used();

	kit_pcp(sim, 0)->count++;
	EXPECT_PANIC(sim, "lists hold");
	sim_destroy(sim);
}

Test(invariant, a_wrong_free_counter_is_found)
{
	struct sim *sim = used();

	sim->zones[0].free_pages--;
	EXPECT_PANIC(sim, "pages free, counter");
	sim_destroy(sim);
}

Test(invariant, a_broken_link_is_found)
{
	struct sim *sim = used();
	struct page *head = node(sim, kit_pcp(sim, 0)->lists + 1);

	node(sim, head->next)->prev = 5;
	EXPECT_PANIC(sim, "prev");
	sim_destroy(sim);
}

Test(invariant, a_lost_page_is_found)
{
	struct sim *sim = used();

	sim->state->live_pages++;
	EXPECT_PANIC(sim, "pages live");
	sim_destroy(sim);
}

/* A block cut in two by hand. */
Test(invariant, two_free_buddies_are_found)
{
	struct sim *sim = used();
	struct zone *zone = &sim->zones[0];
	struct page *page;
	u64 pfn;

	page = node(sim, free_list(sim, zone, 8, MIGRATE_MOVABLE)->next);
	pfn = page_to_pfn(sim, page);
	cr_assert(page_is_free_block(page, 8, zone->id));
	list_del(sim, page, free_list(sim, zone, 8, MIGRATE_MOVABLE));
	for (u32 i = 0; i < 2; i++) {
		struct page *half = pfn_to_page(sim, pfn + i * 128);

		page_set(sim, half, page_flags(PG_BUDDY, 7, MIGRATE_MOVABLE, zone->id));
		list_add(sim, half, free_list(sim, zone, 7, MIGRATE_MOVABLE));
	}
	zone->nr_free[8]--;
	zone->nr_free[7] += 2;
	EXPECT_PANIC(sim, "both it and its buddy are free");
	sim_destroy(sim);
}

Test(invariant, a_zero_batch_is_found_at_the_next_step)
{
	struct sim *sim = used();

	kit_pcp(sim, 0)->batch = 0;
	EXPECT_PANIC(sim, "batch 0");
	sim_destroy(sim);
}

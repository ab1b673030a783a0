/* SPDX-License-Identifier: GPL-2.0-only */
/* Page identity of replay: lists in order, block types, and moves that keep the order of age. */
#include <criterion/criterion.h>

#include "kernel/pages.h"

static void expect_list(struct pages *p, uint32_t list, const uint64_t *pfns, uint32_t nr)
{
	uint32_t id = pages_list(p, list)->head, i, last = PAGES_NONE;

	cr_expect_eq(pages_list(p, list)->blocks, nr);
	for (i = 0; i < nr; i++) {
		cr_assert_neq(id, PAGES_NONE);
		cr_expect_eq(id, pages_id(p, pfns[i]), "place %u", i);
		cr_expect_eq(pages_node(p, id)->prev, last);
		cr_expect_eq(pages_node(p, id)->list, list);
		last = id;
		id = pages_node(p, id)->next;
	}
	cr_expect_eq(id, PAGES_NONE);
	cr_expect_eq(pages_list(p, list)->tail, last);
}

Test(pages, a_list_is_a_stack_behind_which_refills_go)
{
	struct pages *p = pages_new(2);

	pages_append(p, 0, pages_id(p, 100), 0);
	pages_append(p, 0, pages_id(p, 101), 0);
	pages_push(p, 0, pages_id(p, 7), 0);
	pages_push(p, 0, pages_id(p, 1 << 20), 0);
	expect_list(p, 0, (uint64_t[]){ 1 << 20, 7, 100, 101 }, 4);
	pages_remove(p, pages_id(p, 7));
	expect_list(p, 0, (uint64_t[]){ 1 << 20, 100, 101 }, 3);
	pages_remove(p, pages_id(p, 1 << 20));
	pages_remove(p, pages_id(p, 101));
	expect_list(p, 0, (uint64_t[]){ 100 }, 1);
	pages_remove(p, pages_id(p, 100));
	expect_list(p, 0, NULL, 0);
	cr_expect_eq(pages_node(p, pages_id(p, 100))->list, PAGES_NONE);
	pages_free(p);
}

Test(pages, many_blocks_keep_their_nodes)
{
	struct pages *p = pages_new(1);
	uint64_t pfn;

	for (pfn = 0; pfn < 512 * 5000; pfn += 512)
		pages_node(p, pages_id(p, pfn))->note = (uint32_t)(pfn / 512) + 1;
	for (pfn = 0; pfn < 512 * 5000; pfn += 512)
		cr_assert_eq(pages_node(p, pages_id(p, pfn))->note, pfn / 512 + 1);
	cr_expect_eq(pages_block_type(p, pages_id(p, 3)), PAGES_TYPE_NONE);
	pages_block_set_type(p, pages_id(p, 3), 2);
	cr_expect_eq(pages_block_type(p, pages_id(p, 511)), 2);
	cr_expect_eq(pages_block_type(p, pages_id(p, 512)), PAGES_TYPE_NONE);
	pages_free(p);
}

/* freed pages of one block were put on the wrong list; pages of other blocks and refilled ones stay */
Test(pages, a_block_moves_to_its_places_by_age)
{
	struct pages *p = pages_new(2);

	pages_append(p, 0, pages_id(p, 1), 0);
	pages_push(p, 0, pages_id(p, 2), 0); /* oldest free */
	pages_push(p, 1, pages_id(p, 1000), 0);
	pages_push(p, 0, pages_id(p, 3), 0);
	pages_push(p, 0, pages_id(p, 2000), 0); /* another block */
	pages_push(p, 1, pages_id(p, 1001), 0);
	cr_expect_eq(pages_move_block(p, pages_id(p, 300), 0, 1), 2);
	expect_list(p, 0, (uint64_t[]){ 2000, 1 }, 2);
	expect_list(p, 1, (uint64_t[]){ 1001, 3, 1000, 2 }, 4);
	pages_free(p);
}

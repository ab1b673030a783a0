/* SPDX-License-Identifier: GPL-2.0-only */
/* The log of operations against a plain array: append, insert, remove, fork, drop. */
#include "core_kit.h"

#include "core/log.h"

enum { OPS_MAX = 3000 };

static u32 zeros[4096];

/* Frees of one block, told apart by their slots. */
static struct op op_of(u32 slot)
{
	return (struct op){ .kind = OP_FREE, .cpu = (u16)(slot % 4), .slot = slot, .count = 1 };
}

static void expect_same(const struct oplog *log, const u32 *model, u32 nr)
{
	struct log_cursor cursor;

	cr_assert_leq(log->nr, log->cap);
	cr_assert_eq(log->length, nr);
	if (!nr)
		return;
	log_seek(log, &cursor, 0);
	for (u32 i = 0; i < nr; i++) {
		struct op op;

		log_read(log, &cursor, &op, zeros);
		cr_assert_eq(op.slot, model[i], "operation %u of %u", i, nr);
	}
}

static void insert(struct oplog *log, u32 *model, u32 *nr, u32 at, u32 slot)
{
	struct op op = op_of(slot);

	cr_assert(log_insert(log, at, &op, NULL));
	memmove(model + at + 1, model + at, (*nr - at) * sizeof(*model));
	model[at] = slot;
	++*nr;
}

/* A fork has room for the blocks that it holds and no more. */
Test(log, insert_into_a_fork_of_one_block)
{
	struct oplog log = { 0 }, fork = { 0 };
	u32 model[8], nr = 0;

	insert(&log, model, &nr, 0, 5);
	insert(&log, model, &nr, 1, 6);
	cr_assert(log_fork(&fork, &log));
	insert(&fork, model, &nr, 1, 7);
	expect_same(&fork, model, nr);
	log_free(&fork);
	log_free(&log);
}

Test(log, like_an_array)
{
	static u32 model[OPS_MAX + 1];
	struct oplog log = { 0 };
	u64 seed = 11;
	u32 nr = 0;

	for (u32 i = 0; i < 4000; i++) {
		switch (kit_random(&seed, 8)) {
		case 0:
			if (nr) {
				u32 at = kit_random(&seed, nr);

				cr_assert(log_remove(&log, at));
				nr--;
				memmove(model + at, model + at + 1, (nr - at) * sizeof(*model));
			}
			break;
		case 1:
			if (kit_random(&seed, 10) == 0) {
				struct oplog fork = { 0 };

				cr_assert(log_fork(&fork, &log));
				log_free(&log);
				log = fork;
			}
			break;
		case 2:
			if (nr && kit_random(&seed, 40) == 0) {
				nr -= kit_random(&seed, nr) / 4;
				cr_assert(log_truncate(&log, nr));
			}
			break;
		case 3:
		case 4:
			if (nr < OPS_MAX)
				insert(&log, model, &nr, kit_random(&seed, nr + 1), i);
			break;
		default:
			if (nr < OPS_MAX)
				insert(&log, model, &nr, nr, i);
		}
		if (i % 50 == 0)
			expect_same(&log, model, nr);
	}
	expect_same(&log, model, nr);
	cr_assert_gt(nr, 500);
	log_free(&log);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Positions as people write them: operations from 1, "8" its end, "8.40" a step inside it. */
#include <criterion/criterion.h>

#include "core/timeline.h"

Test(position, says_what_it_reads)
{
	static const struct {
		const char *text;
		u64 op;
		u32 step;
	} cases[] = {
		{ "0", 0, 0 },
		{ "8", 8, 0 },
		{ "8.40", 7, 40 },
		{ "1.1", 0, 1 },
		{ "4294967296.4294967295", 4294967295u, 4294967295u },
	};
	char text[TL_POS_TEXT_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_pos pos;

		cr_assert(tl_pos_parse(cases[i].text, &pos), "%s", cases[i].text);
		cr_expect_eq(pos.op, cases[i].op, "%s", cases[i].text);
		cr_expect_eq(pos.step, cases[i].step, "%s", cases[i].text);
		cr_expect_str_eq(tl_pos_format(pos, text), cases[i].text);
	}
}

/* Step 0 of an operation is its beginning, the end of the one before. */
Test(position, step_zero_is_the_beginning)
{
	struct tl_pos pos;

	cr_assert(tl_pos_parse("8.0", &pos));
	cr_expect_eq(pos.op, 7);
	cr_expect_eq(pos.step, 0);
}

Test(position, refuses_what_is_none)
{
	static const char *const bad[] = { "",
					   ".",
					   "8.",
					   ".4",
					   "-1",
					   "+1",
					   " 8",
					   "8 ",
					   "8.4.1",
					   "0.1",
					   "0.0",
					   "8,4",
					   "x",
					   "9223372036854775808",
					   "8.4294967296",
					   "99999999999999999999999" };
	struct tl_pos pos = { 3, 4 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect_not(tl_pos_parse(bad[i], &pos), "%s", bad[i]);
	cr_expect(pos.op == 3 && pos.step == 4);
}

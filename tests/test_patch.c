/* SPDX-License-Identifier: GPL-2.0-only */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "core/patch.h"

/* Every set that switches can reach from the empty one, by walking. */
static u32 reach(enum series series)
{
	static bool seen[1u << 16];
	static u32 queue[1u << 16];
	u32 nr = 0, start = series == SERIES_V3 ? PATCH_BIT(P_SERIES_V3) : 0;

	memset(seen, 0, sizeof(seen));
	queue[nr++] = start;
	seen[start] = true;
	for (u32 i = 0; i < nr; i++) {
		for (int n = 1; n <= patch_count(series); n++) {
			for (int on = 0; on < 2; on++) {
				struct patch_change c =
					patch_switch(queue[i], patch_by_number(series, n), on);

				cr_assert(patch_set_is_closed(c.set), "set %#x from %#x by %d",
					  c.set, queue[i], n);
				if (!seen[c.set]) {
					seen[c.set] = true;
					queue[nr++] = c.set;
				}
			}
		}
	}
	return nr;
}

/* {1}: 2 ways; 3 needs 2: 3 ways; 4..10 with 5:4 7:{4,6} 8:7 9:7 10:4: 26 ways. 2 * 3 * 26 = 156. */
Test(patch, v2_has_156_closed_sets_and_switches_reach_all)
{
	u32 closed = 0;

	for (u32 set = 0; set < PATCH_BIT(10); set++)
		closed += patch_set_is_closed(set);
	cr_expect_eq(closed, 156);
	cr_expect_eq(reach(SERIES_V2), 156);
}

/* Without count_min: 4 off: {6} free, 2; 4 on: 5 and 10 free, and {6,7,8} as -, 6, 67, 678: 4 * 4. 2 * 3 * 18 = 108. */
Test(patch, v3_has_108_closed_sets_and_switches_reach_all)
{
	cr_expect_eq(reach(SERIES_V3), 108);
}

Test(patch, on_brings_what_is_needed_and_says_so)
{
	struct patch_change c = patch_switch(0, P_BELOW_HIGH, true);

	cr_expect_eq(c.set, PATCH_BIT(P_SCALE_CAP) | PATCH_BIT(P_HIGH_LIMITS) |
				    PATCH_BIT(P_TUNE_HIGH) | PATCH_BIT(P_BELOW_HIGH));
	cr_expect_eq(c.also_on, c.set & ~PATCH_BIT(P_BELOW_HIGH));
	cr_expect_eq(c.also_off, 0);
}

Test(patch, off_takes_what_needs_it_and_says_so)
{
	u32 all = patch_level(SERIES_V2, 10);
	struct patch_change c = patch_switch(all, P_SCALE_CAP, false);

	/* 5, 7 and 10 need 4; 8 and 9 need 7. */
	cr_expect_eq(c.also_off, PATCH_BIT(P_ALLOC_SCALE) | PATCH_BIT(P_TUNE_HIGH) |
					 PATCH_BIT(P_BELOW_HIGH) | PATCH_BIT(P_COUNT_MIN) |
					 PATCH_BIT(P_FREE_COUNT));
	cr_expect_eq(c.set, all & ~c.also_off & ~PATCH_BIT(P_SCALE_CAP));
}

Test(patch, numbers_are_the_series_own)
{
	cr_expect_eq(patch_by_number(SERIES_V2, 10), P_FREE_COUNT);
	cr_expect_eq(patch_by_number(SERIES_V3, 9), P_FREE_COUNT);
	cr_expect_eq(patch_by_number(SERIES_V3, 10), P_NONE);
	cr_expect_eq(patch_number(SERIES_V3, P_COUNT_MIN), 0);
}

Test(patch, switching_the_series_keeps_the_content)
{
	struct patch_change c = patch_set_series(patch_level(SERIES_V2, 10), SERIES_V3);

	cr_expect_eq(c.set, patch_level(SERIES_V3, 9));
	cr_expect_eq(c.also_off, PATCH_BIT(P_COUNT_MIN));
	cr_expect_eq(patch_set_series(c.set, SERIES_V2).set,
		     patch_level(SERIES_V2, 10) & ~PATCH_BIT(P_COUNT_MIN));
}

Test(patch, constructed_is_what_no_kernel_text_had)
{
	cr_expect_not(patch_set_is_constructed(0));
	for (int n = 0; n <= 10; n++)
		cr_expect_not(patch_set_is_constructed(patch_level(SERIES_V2, n)), "level %d", n);
	for (int n = 0; n <= 9; n++)
		cr_expect_not(patch_set_is_constructed(patch_level(SERIES_V3, n)), "v3 level %d",
			      n);
	cr_expect(patch_set_is_constructed(patch_level(SERIES_V2, 10) & ~PATCH_BIT(P_ALLOC_SCALE)));
	cr_expect(patch_set_is_constructed(PATCH_BIT(P_SCALE_CAP)));
	cr_expect_not(patch_set_is_constructed(patch_level(SERIES_V3, 9) | PATCH_BIT(P_NIKHIL)));
}

static u32 parsed(const char *text, enum series series)
{
	struct patch_change c;
	char error[160];

	cr_assert(patch_set_parse(text, series, &c, error, sizeof(error)), "%s: %s", text, error);
	return c.set;
}

Test(patch, texts_read_back)
{
	char text[PATCH_TEXT_MAX];

	for (u32 set = 0; set < PATCH_BIT(10); set++) {
		if (!patch_set_is_closed(set))
			continue;
		cr_assert_eq(parsed(patch_set_format(set, text), SERIES_V2), set, "%#x as %s", set,
			     text);
	}
	cr_expect_str_eq(patch_set_format(parsed("1-7,10", SERIES_V2), text), "1-7,10");
	cr_expect_str_eq(patch_set_format(parsed("all,nikhil", SERIES_V3), text), "all,nikhil");
	cr_expect_str_eq(patch_set_format(0, text), "none");
}

Test(patch, bad_texts_are_errors_with_a_sentence)
{
	static const char *const bad[] = { "",	    "0",   "11", "7-3", "1-99",		 "x",
					   "1,,2",  "1 2", "-1", "1-",	"1-99999999999", "all,none",
					   "none,1" };
	struct patch_change c;
	char error[160];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		error[0] = '\0';
		cr_expect_not(patch_set_parse(bad[i], SERIES_V2, &c, error, sizeof(error)), "'%s'",
			      bad[i]);
		cr_expect_gt(strlen(error), 10, "'%s': %s", bad[i], error);
	}
	cr_expect_not(patch_set_parse("10", SERIES_V3, &c, error, sizeof(error)));
	cr_expect(strstr(error, "1..9") != NULL, "%s", error);
	cr_expect_not(patch_set_parse("nikhil", SERIES_V2, &c, error, sizeof(error)));
}

Test(patch, levels_and_sets_of_a_comparison)
{
	struct patch_change c;
	char error[160];

	cr_assert(patch_level_parse("7", SERIES_V2, &c, error, sizeof(error)));
	cr_expect_eq(c.set, patch_level(SERIES_V2, 7));
	cr_assert(patch_level_parse("base", SERIES_V3, &c, error, sizeof(error)));
	cr_expect_eq(c.set, patch_level(SERIES_V3, 0));
	cr_assert(patch_level_parse("[1-7,10]", SERIES_V2, &c, error, sizeof(error)));
	cr_expect_eq(c.set, patch_level(SERIES_V2, 7) | PATCH_BIT(P_FREE_COUNT));
	cr_expect_not(patch_level_parse("[1-7", SERIES_V2, &c, error, sizeof(error)));
	cr_expect_not(patch_level_parse("12", SERIES_V2, &c, error, sizeof(error)));
}

Test(patch, a_change_in_words)
{
	char text[PATCH_TEXT_MAX];
	u32 all2 = patch_level(SERIES_V2, 10), seven = patch_level(SERIES_V2, 7);

	cr_expect_str_eq(patch_change_format(0, 1u << P_AVOID_DRAIN, text), "1 on");
	cr_expect_str_eq(patch_change_format(seven, all2, text), "8,9,10 on");
	cr_expect_str_eq(patch_change_format(all2, seven, text), "8,9,10 off");
	cr_expect_str_eq(patch_change_format(seven, seven, text), "nothing");
	/* By content the sets are the same: only what V3 does not have goes. */
	cr_expect_str_eq(patch_change_format(all2, patch_set_series(all2, SERIES_V3).set, text),
			 "v3");
}

/* From every level to every other: done to the first it gives the second, whatever needs what. */
Test(patch, a_change_leads_where_it_led)
{
	for (int from = 0; from <= 10; from++) {
		for (int to = 0; to <= 10; to++) {
			u32 a = patch_level(SERIES_V2, from), b = patch_level(SERIES_V2, to);

			cr_expect_eq(patch_set_change(a, a, b), b, "%d to %d", from, to);
			cr_expect(patch_set_is_closed(patch_set_change(a, b, a)));
			if (from <= 9 && to <= 9)
				cr_expect_eq(patch_set_change(a, a, patch_level(SERIES_V3, to)),
					     patch_level(SERIES_V3, to), "%d to v3 %d", from, to);
		}
	}
}

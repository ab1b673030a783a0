/* SPDX-License-Identifier: GPL-2.0-only */
#include <criterion/criterion.h>
#include <string.h>

#include "base/near.h"

static const char *const names[] = { "movable", "unmovable", "reclaimable", "alloc",
				     "free",	"tick",	     "cpu",	    NULL };

Test(base_near, distances)
{
	/* two words, and the edits between them: each derived by hand */
	static const struct {
		const char *a, *b;
		size_t edits;
	} rows[] = {
		{ "abc", "abc", 0 },	    { "ABC", "abc", 0 },
		{ "abc", "abd", 1 },	    { "abc", "ab", 1 },
		{ "ab", "abc", 1 },	    { "abcd", "abdc", 1 }, /* neighbours swapped */
		{ "kitten", "sitting", 3 }, { "", "abc", 3 },
		{ "abc", "", 3 },	    { "", "", 0 },
		{ "ca", "abc", 3 }, /* the restricted form: the swapped pair is not edited again */
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_expect_eq(base_distance(rows[i].a, rows[i].b, 9), rows[i].edits, "row %zu: %zu",
			     i, base_distance(rows[i].a, rows[i].b, 9));
		cr_expect_eq(base_distance(rows[i].b, rows[i].a, 9), rows[i].edits,
			     "row %zu turned", i);
	}
	cr_expect_eq(base_distance("kitten", "sitting", 2), 3);
	cr_expect_eq(base_distance("kitten", "zzzzzzz", 2), 3);
}

Test(base_near, the_slip_is_found)
{
	cr_expect_str_eq(base_near_list("movble", names), "movable");
	cr_expect_str_eq(base_near_list("Movable", names), "movable");
	cr_expect_str_eq(base_near_list("unmoveable", names), "unmovable");
	cr_expect_str_eq(base_near_list("reclaimible", names), "reclaimable");
	cr_expect_str_eq(base_near_list("tikc", names), "tick");
	cr_expect_str_eq(base_near_list("cpus", names), "cpu");
	/* a name cut short */
	cr_expect_str_eq(base_near_list("reclaim", names), "reclaimable");
}

Test(base_near, no_guess_where_nothing_is_near)
{
	cr_expect_null(base_near_list("", names));
	cr_expect_null(base_near_list("x", names));
	cr_expect_null(base_near_list("zz", names));
	cr_expect_null(base_near_list("banana", names));
	cr_expect_null(base_near_list("movable", (const char *const[]){ NULL }));
	/* as many slips as letters explain every word */
	cr_expect_null(base_near_list("b", (const char *const[]){ "a", NULL }));
}

Test(base_near, a_short_beginning_that_fits_two_is_no_guess)
{
	static const char *const two[] = { "max-ops", "max-memory", NULL };

	cr_expect_null(base_near_list("max", two));
	cr_expect_str_eq(base_near_list("max-o", two), "max-ops");
}

Test(base_near, hostile_words)
{
	char big[100000];

	memset(big, 'a', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	cr_expect_null(base_near_list(big, names));
	cr_expect_null(base_near_list("\xff\xfe\x80", names));
	big[63] = '\0';
	cr_expect_eq(base_distance(big, big, 3), 0);
	cr_expect_eq(base_distance(big, "a", 100), 62);
}

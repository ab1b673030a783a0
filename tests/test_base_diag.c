/* SPDX-License-Identifier: GPL-2.0-only */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/text.h"

static char *printed(const struct diag *d, bool colour)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	base_diag_print(f, d, colour);
	fclose(f);
	return text;
}

static void expect_print(const struct diag *d, const char *want)
{
	char *got = printed(d, false);

	cr_expect_str_eq(got, want, "got:\n%s\nwant:\n%s", got, want);
	free(got);
}

/* The caret line of a diag about `line` at `column`. */
static void expect_caret(const char *line, uint64_t column, const char *want)
{
	struct diag d;
	char *got, *at;
	int i;

	base_diag_set(&d, BASE_ERR_SYNTAX, "f", 1, column, "m");
	base_diag_excerpt(&d, line, strlen(line));
	got = printed(&d, false);
	at = got;
	for (i = 0; i < 1; i++)
		at = strchr(at, '\n') + 1;
	cr_expect_str_eq(at, want, "got:\n%s\nwant:\n%s", at, want);
	free(got);
}

Test(base_diag, place_line_caret_and_hint)
{
	struct diag d;

	cr_assert_eq(base_diag_set(&d, BASE_ERR_SYNTAX, "a.yaml", 3, 9, "'%s' is no type",
				   "movble"),
		     BASE_ERR_SYNTAX);
	base_diag_excerpt(&d, "  type: movble", 14);
	base_diag_hint(&d, "did you mean %s?", "movable");
	expect_print(&d, "a.yaml:3:9: 'movble' is no type\n"
			 "      type: movble\n"
			 "            ^\n"
			 "  did you mean movable?\n");
}

Test(base_diag, what_is_not_known_is_left_out)
{
	struct diag d;

	base_diag_set(&d, BASE_ERR_OPEN, NULL, 0, 0, "no place");
	expect_print(&d, "no place\n");
	base_diag_set(&d, BASE_ERR_OPEN, "f", 0, 7, "no line, so no column");
	expect_print(&d, "f: no line, so no column\n");
	base_diag_set(&d, BASE_ERR_OPEN, "f", 7, 0, "no column");
	base_diag_excerpt(&d, "line", 4);
	expect_print(&d, "f:7: no column\n    line\n");
	base_diag_set(&d, BASE_ERR_CORRUPT, "f", 0, 0, "%s", "");
	expect_print(&d, "f: damaged\n");
}

Test(base_diag, null_diag_is_allowed)
{
	cr_expect_eq(base_diag_set(NULL, BASE_ERR_RANGE, "f", 1, 1, "m"), BASE_ERR_RANGE);
	base_diag_hint(NULL, "h");
	base_diag_at(NULL, "f", 1, 1);
	base_diag_excerpt(NULL, "x", 1);
}

Test(base_diag, caret_under_tabs_and_wide_characters)
{
	/* a tab reaches to column 8, so x is in screen column 8 */
	expect_caret("\tx", 2, "            x\n            ^\n");
	/* on the tab itself the caret is as wide as the tab: from column 2 to 8 */
	expect_caret("ab\tx", 3, "    ab      x\n      ^~~~~~\n");
	/* e-acute takes one column and two bytes */
	expect_caret("\xc3\xa9x", 2, "    \xc3\xa9x\n     ^\n");
	/* a CJK character takes two columns */
	expect_caret("\xe4\xb8\xadx", 2, "    \xe4\xb8\xadx\n      ^\n");
	expect_caret("\xe4\xb8\xadx", 1, "    \xe4\xb8\xadx\n    ^~\n");
	/* a combining accent takes none: the x behind it is in column 1 */
	expect_caret("e\xcc\x81x", 3, "    e\xcc\x81x\n     ^\n");
	/* behind the line's end */
	expect_caret("ab", 3, "    ab\n      ^\n");
	expect_caret("ab", 99, "    ab\n      ^\n");
}

Test(base_diag, hostile_bytes_do_not_reach_the_terminal)
{
	struct diag d;
	char *got;

	/* escape sequence, C1 control, bidi override, bytes that are not UTF-8, DEL */
	expect_caret("\033[31m", 2, "    ?[31m\n     ^\n");
	expect_caret("\xc2\x9b"
		     "1m",
		     2, "    ?1m\n     ^\n");
	expect_caret("\xe2\x80\xae"
		     "abc",
		     2, "    ?abc\n     ^\n");
	expect_caret("\xff\xfe\xc3"
		     "x\x7f",
		     4, "    ???x?\n       ^\n");
	base_diag_set(&d, BASE_ERR_UNKNOWN, "f\033[2J\n", 1, 0,
		      "bad \033]0;title\007 \xff name\nnext");
	base_diag_hint(&d, "\033[1mhint");
	got = printed(&d, false);
	cr_expect_null(strchr(got, '\033'));
	cr_expect_null(strchr(got, '\007'));
	cr_expect_str_eq(got, "f?[2J?:1: bad ?]0;title? ? name?next\n  ?[1mhint\n");
	free(got);
}

Test(base_diag, long_lines_are_windowed_around_the_caret)
{
	char line[3000], *got, *excerpt, *caret;
	struct diag d;
	uint64_t column;

	for (column = 1; column <= sizeof(line) + 1; column += 7) {
		memset(line, '.', sizeof(line));
		if (column <= sizeof(line))
			line[column - 1] = 'X';
		base_diag_set(&d, BASE_ERR_SYNTAX, "f", 1, column, "m");
		base_diag_excerpt(&d, line, sizeof(line));
		got = printed(&d, false);
		excerpt = strchr(got, '\n') + 1;
		caret = strchr(excerpt, '\n') + 1;
		cr_assert_leq((int)(caret - excerpt), 4 + 96 + 6 + 1);
		cr_assert_eq(excerpt[strchr(caret, '^') - caret],
			     column <= sizeof(line) ? 'X' : '\n', "column %d:\n%s", (int)column,
			     got);
		free(got);
	}
}

Test(base_diag, a_long_line_of_wide_characters_fits)
{
	char line[4 * 400];
	struct diag d;
	size_t i;

	for (i = 0; i < sizeof(line); i += 4)
		memcpy(line + i, "\xf0\x9f\x98\x80", 4);
	base_diag_set(&d, BASE_ERR_SYNTAX, "f", 1, 390, "m");
	base_diag_excerpt(&d, line, sizeof(line));
	cr_expect_lt(strlen(d.excerpt), sizeof(d.excerpt));
	/* and one of combining marks, which take bytes but no column */
	for (i = 0; i + 1 < sizeof(line); i += 2)
		memcpy(line + i, "\xcc\x81", 2);
	base_diag_excerpt(&d, line, sizeof(line));
	cr_expect_lt(strlen(d.excerpt), sizeof(d.excerpt));
}

Test(base_diag, colour_changes_no_text)
{
	struct diag d;
	char *plain, *colour;
	size_t i, n = 0;

	base_diag_set(&d, BASE_ERR_SYNTAX, "f", 1, 2, "m");
	base_diag_excerpt(&d, "abc", 3);
	base_diag_hint(&d, "h");
	plain = printed(&d, false);
	colour = printed(&d, true);
	cr_expect_not_null(strchr(colour, '\033'));
	cr_expect_null(strchr(plain, '\033'));
	for (i = 0; colour[i]; i++) {
		if (colour[i] == '\033')
			i += strcspn(colour + i, "m");
		else
			colour[n++] = colour[i];
	}
	colour[n] = '\0';
	cr_expect_str_eq(colour, plain);
	free(plain);
	free(colour);
}

Test(base_diag, too_long_texts_are_cut_whole)
{
	char text[5000];
	struct diag d;
	size_t i;
	uint32_t cp;

	/* two-byte characters at an odd offset: a cut anywhere would split one */
	text[0] = 'a';
	for (i = 1; i + 2 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa9", 2);
	text[i] = '\0';
	base_diag_set(&d, BASE_ERR_SYNTAX, text, 1, 1, "%s", text);
	cr_expect_eq(strlen(d.file), sizeof(d.file) - 1);
	cr_expect_eq(strncmp(d.file, "...", 3), 0);
	cr_expect_str_eq(d.message + strlen(d.message) - 3, "...");
	for (i = 0; d.message[i]; i += base_utf8_len(d.message + i, strlen(d.message + i), &cp))
		cr_assert_neq((base_utf8_len(d.message + i, strlen(d.message + i), &cp), cp),
			      UINT32_MAX);
	/* a diag's own file is allowed as the file */
	base_diag_at(&d, d.file, 2, 2);
	cr_expect_eq(strncmp(d.file, "...", 3), 0);
}

Test(base_diag, utf8_is_read_strictly)
{
	static const char *const bad[] = {
		"\x80",
		"\xc0\x80",
		"\xc1\xbf",
		"\xe0\x80\x80",
		"\xed\xa0\x80",
		"\xf0\x80\x80\x80",
		"\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80",
		"\xff",
		"\xc3",
		"\xe4\xb8",
		"\xf0\x9f\x98",
		"\xc3x",
	};
	size_t i;
	uint32_t cp;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cr_expect_eq(base_utf8_len(bad[i], strlen(bad[i]), &cp), 1, "row %zu", i);
		cr_expect_eq(cp, UINT32_MAX, "row %zu", i);
	}
	cr_expect_eq(base_utf8_len("\xf0\x9f\x98\x80", 4, &cp), 4);
	cr_expect_eq(cp, 0x1f600);
	/* the length counts, not the NUL behind */
	cr_expect_eq(base_utf8_len("\xc3\xa9", 1, &cp), 1);
	cr_expect_eq(cp, UINT32_MAX);
}

Test(base_diag, columns_count_characters)
{
	cr_expect_eq(base_column("abc", 3, 0), 1);
	cr_expect_eq(base_column("abc", 3, 2), 3);
	cr_expect_eq(base_column("abc", 3, 3), 4);
	cr_expect_eq(base_column("\xc3\xa9\tx", 4, 3), 3);
	/* in the middle of a character: its own column */
	cr_expect_eq(base_column("\xc3\xa9x", 3, 1), 1);
	cr_expect_eq(base_column("\xff\xff", 2, 1), 2);
	cr_expect_eq(base_column("", 0, 5), 1);
}

Test(base_diags, all_faults_in_the_order_of_their_places)
{
	struct diags ds;
	char *text;
	size_t len;
	FILE *f;

	base_diags_init(&ds, 3);
	cr_expect_eq(base_diags_status(&ds), 0);
	base_diags_add(&ds, BASE_ERR_FAILED, "f", 9, 1, "third");
	cr_expect_eq(base_diags_status(&ds), 1);
	base_diags_add(&ds, BASE_ERR_SYNTAX, "f", 2, 5, "second");
	base_diag_hint(base_diags_add(&ds, BASE_ERR_SYNTAX, "f", 2, 1, "first"), "hint");
	/* the list is full: these are counted, and what the caller does with them harms nothing */
	base_diag_hint(base_diags_add(&ds, BASE_ERR_SYNTAX, "f", 1, 1, "dropped"), "dropped");
	base_diags_push(&ds, &ds.items[0]);
	cr_expect_eq(base_diags_status(&ds), 2);
	cr_expect_eq(ds.nr, 3);
	f = open_memstream(&text, &len);
	base_diags_print(f, &ds, false);
	fclose(f);
	cr_expect_str_eq(
		text,
		"f:2:1: first\n  hint\nf:2:5: second\nf:9:1: third\nand 2 more faults that are not shown\n");
	free(text);
	base_diags_free(&ds);
}

Test(base_diags, files_keep_their_order)
{
	struct diags ds;

	base_diags_init(&ds, 8);
	base_diags_add(&ds, BASE_ERR_SYNTAX, "z", 9, 1, "a");
	base_diags_add(&ds, BASE_ERR_SYNTAX, "z", 1, 1, "b");
	base_diags_add(&ds, BASE_ERR_SYNTAX, "a", 5, 1, "c");
	base_diags_add(&ds, BASE_ERR_SYNTAX, "a", 5, 1, "d");
	base_diags_print(stderr, &ds, false);
	cr_expect_str_eq(ds.items[0].message, "b");
	cr_expect_str_eq(ds.items[1].message, "a");
	cr_expect_str_eq(ds.items[2].message, "c");
	cr_expect_str_eq(ds.items[3].message, "d");
	base_diags_free(&ds);
}

Test(base_diag, excerpt_of_a_text)
{
	struct base_text t;
	struct diag d;

	cr_assert_eq(base_text_from(&t, "f", "one\r\ntwo\n", 9, NULL), BASE_ERR_OK);
	base_diag_set(&d, BASE_ERR_SYNTAX, "f", 1, 2, "m");
	base_diag_excerpt_text(&d, &t);
	expect_print(&d, "f:1:2: m\n    one\n     ^\n");
	/* a line that is not there gives no excerpt */
	base_diag_set(&d, BASE_ERR_SYNTAX, "f", 3, 1, "m");
	base_diag_excerpt_text(&d, &t);
	expect_print(&d, "f:3:1: m\n");
	base_text_free(&t);
}

Test(base_diag, in_one_line)
{
	char line[64];
	struct diag d;

	base_diag_set(&d, BASE_ERR_SYNTAX, "f", 1, 2, "m");
	base_diag_line(&d, "p", line, sizeof(line));
	cr_expect_str_eq(line, "p: m");
	base_diag_hint(&d, "try %d", 5);
	base_diag_line(&d, "p", line, sizeof(line));
	cr_expect_str_eq(line, "p: m; try 5");
	base_diag_line(&d, "p", line, 6);
	cr_expect_str_eq(line, "p: m;");
}

static void exit_for_abort(int sig)
{
	(void)sig;
	_exit(34);
}

static void hook(void)
{
	fputs("hook\n", stderr);
	BASE_CHECK(false, "a hook that fails itself");
}

Test(base_diag, a_broken_promise_stops_the_program, .exit_code = 34)
{
	signal(SIGABRT, exit_for_abort);
	base_panic_hook(hook);
	BASE_CHECK(1 + 1 == 2, "holds");
	BASE_CHECK(1 + 1 == 3, "the values: %d", 5);
}

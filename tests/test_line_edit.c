/* SPDX-License-Identifier: GPL-2.0-only */
/* The line editor of pageset lua -i, key by key. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "line_edit.h"

static size_t complete(void *ctx, const char *text, size_t len,
		       void (*add)(void *add_ctx, const char *word), void *add_ctx)
{
	static const char *const words[] = { "free", "free_list", "fork" };
	size_t start = len;

	(void)ctx;
	while (start && text[start - 1] != ':')
		start--;
	for (size_t i = 0; i < 3; i++) {
		if (strncmp(words[i], text + start, len - start) == 0)
			add(add_ctx, words[i]);
	}
	return start;
}

/* The text after some keys, with | at the cursor; a line feed ends and remembers a line. */
static const char *after(struct line_edit *e, const char *keys)
{
	static char shown[300];
	size_t cursor;
	const char *text;

	for (; *keys; keys++) {
		if (line_edit_feed(e, (unsigned char)*keys) == LINE_READY) {
			line_edit_remember(e);
			line_edit_begin(e);
		}
	}
	text = line_edit_text(e, &cursor);
	snprintf(shown, sizeof(shown), "%.*s|%s", (int)cursor, text, text + cursor);
	return shown;
}

Test(line_edit, keys_edit)
{
	struct line_edit *e = line_edit_new(NULL, NULL);

	cr_expect_str_eq(after(e, "abc\033[D\033[DX"), "aX|bc");
	cr_expect_str_eq(after(e, "\001>\005<"), ">aXbc<|");
	cr_expect_str_eq(after(e, "\177\033[H\033[3~"), "|aXbc");
	cr_expect_str_eq(after(e, "\033[4~ def\027"), "aXbc |");
	cr_expect_str_eq(after(e, "\002\002\013"), "aXb|");
	cr_expect_str_eq(after(e, "\025\303\244\303\266\033[D\177"), "|\303\266");
	cr_expect_str_eq(after(e, "\033[99;99~\033x"), "|\303\266");
	cr_expect_eq(line_edit_feed(e, 3), LINE_CANCEL);
	line_edit_begin(e);
	cr_expect_eq(line_edit_feed(e, 4), LINE_END);
	line_edit_free(e);
}

Test(line_edit, history_goes_back_and_returns)
{
	struct line_edit *e = line_edit_new(NULL, NULL);

	cr_expect_str_eq(after(e, "one\ntwo\ntwo\nnow\033[A"), "two|");
	cr_expect_str_eq(after(e, "\033[A"), "one|");
	cr_expect_str_eq(after(e, "\033[A"), "one|");
	cr_expect_str_eq(after(e, "\033[B\033[B"), "now|");
	line_edit_free(e);
}

Test(line_edit, tab_completes_what_is_common)
{
	struct line_edit *e = line_edit_new(complete, NULL);

	cr_expect_str_eq(after(e, "m:fr\t"), "m:free|");
	cr_expect_eq(line_edit_feed(e, '\t'), LINE_LIST);
	cr_expect_str_eq(line_edit_word(e, 1), "free_list");
	cr_expect_null(line_edit_word(e, 2));
	cr_expect_str_eq(after(e, "_\t"), "m:free_list|");
	cr_expect_str_eq(after(e, "x\t"), "m:free_listx|");
	line_edit_free(e);
}

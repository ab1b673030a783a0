/* SPDX-License-Identifier: GPL-2.0-only */
/* What watch shows of a kernel: figures, rates, history, and what does not fit. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/watch.h"
#include "kernel/zoneinfo.h"

static struct kern_dump *dump_of(int free_pages, int count0, int count1)
{
	struct kern_read_options opt = { .name = "text", .snapshot = -1, .page_size = 4096 };
	struct kern_dump *dump;
	char text[2048];
	struct diag d;
	int len = snprintf(
		text, sizeof(text),
		"Node 0, zone   Normal\n  pages free     %d\n        min      10\n"
		"        low      12\n        high     14\n        spanned  4096\n"
		"        present  4096\n        managed  4000\n  pagesets\n    cpu: 0\n"
		"              count: %d\n              high:  100\n              batch: 1\n"
		"    cpu: 1\n              count: %d\n              high:  100\n"
		"              batch: 1\n  start_pfn:           4096\n",
		free_pages, count0, count1);

	cr_assert_eq(kern_zoneinfo_read(text, (size_t)len, &opt, &dump, &d), BASE_ERR_OK, "%s",
		     d.message);
	return dump;
}

static char *print(const struct watch *w, unsigned int rows, bool ascii)
{
	struct watch_view view = { .rows = rows, .ascii = ascii };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	watch_print(w, "head", &view, out);
	fclose(out);
	return text;
}

static void has(const char *text, const char *part)
{
	cr_expect_not_null(strstr(text, part), "\"%s\" is not in:\n%s", part, text);
}

Test(watch, rates_are_against_the_look_before)
{
	struct watch *w = watch_new();
	char *text;

	watch_add(w, dump_of(1000, 50, 0), "pgalloc_normal 100\npgalloc_dma 5\npgfree 70\n",
		  1000000000);
	text = print(w, 0, true);
	has(text, "node 0 zone Normal  free 1000  min 10  low 12  high 14  in lists 50\n");
	has(text, "    0      50/   100 [##########..........]");
	cr_expect_null(strstr(text, "/s"), "no rate of one look");
	free(text);
	/* two seconds later */
	watch_add(w, dump_of(900, 100, 10), "pgalloc_normal 300\npgalloc_dma 5\npgfree 80\n",
		  3000000000);
	text = print(w, 0, true);
	has(text, "head  allocated 100/s  freed 5/s\n");
	has(text, "free 900 (-50/s)");
	has(text, "in lists 110");
	has(text, "    0     100/   100 [####################]      +25/s -#\n");
	has(text, "    1      10/   100 [##..................]       +5/s _#\n");
	has(text, "this kernel does not show:");
	free(text);
	text = print(w, 0, false);
	has(text, "\u2588\n");
	free(text);
	watch_free(w);
}

Test(watch, a_small_terminal_says_what_it_leaves_out)
{
	struct watch *w = watch_new();
	char *text;

	watch_add(w, dump_of(1000, 50, 0), NULL, 1);
	text = print(w, 5, true); /* the cursor ends below the last line */
	has(text, "1 more lists do not fit this terminal\n");
	has(text, "    0      50/");
	free(text);
	watch_free(w);
}

Test(watch, the_history_is_bounded)
{
	struct watch *w = watch_new();
	const int64_t *counts;
	unsigned int nr;
	char *text;
	int i;

	for (i = 0; i < 3 * WATCH_HISTORY; i++)
		watch_add(w, dump_of(1000, i < 3 * WATCH_HISTORY - 8 ? 0 : 80, 1), NULL,
			  (uint64_t)i * 1000000000);
	/* of the text's 16 looks 8 have nothing, 8 are full */
	text = print(w, 0, true);
	has(text, "+0/s ________########\n");
	counts = watch_history(w, &watch_now(w)->zones[0], 0, &nr);
	cr_expect_eq(nr, WATCH_HISTORY);
	cr_expect_eq(counts[WATCH_HISTORY - 9], 0);
	cr_expect_eq(counts[WATCH_HISTORY - 8], 80);
	free(text);
	watch_free(w);
}

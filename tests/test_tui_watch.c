/* SPDX-License-Identifier: GPL-2.0-only */
/* The screen of a running kernel, on a null terminal: what one look gives is what stands there. */
#include <criterion/criterion.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "tui/key.h"
#include "tui/watch.h"

enum { CPUS = 40 };

/* Two zones; in the second CPU 0 gives back a batch from look to look. */
static struct kernel {
	int looks;
	bool broken;
	s64 history[3];
	struct ui_watch_list dma, lists[CPUS];
	struct ui_watch_zone zones[2];
} kernel;

static bool look(void *ctx, struct ui_watch_look *out, char *error, size_t size)
{
	static const s64 still[2] = { 7, 7 };
	struct kernel *k = ctx;
	s64 count = 500 - 63 * k->looks;

	if (k->broken) {
		snprintf(error, size, "no zoneinfo here");
		return false;
	}
	k->history[k->looks % 3] = count;
	k->dma = (struct ui_watch_list){ .high = 9,
					 .high_min = UI_WATCH_NONE,
					 .high_max = UI_WATCH_NONE,
					 .batch = 1,
					 .history = still,
					 .nr_history = 1 };
	for (u32 c = 0; c < CPUS; c++)
		k->lists[c] = (struct ui_watch_list){ .cpu = c,
						      .count = 7,
						      .high = 1000 + c,
						      .high_min = 300,
						      .high_max = 8000,
						      .batch = 63,
						      .history = still,
						      .nr_history = 2 };
	k->lists[0].count = count;
	k->lists[0].history = k->history;
	k->lists[0].nr_history = (u32)k->looks + 1;
	k->zones[0] = (struct ui_watch_zone){ .name = "DMA",
					      .free = 3840,
					      .free_before = UI_WATCH_NONE,
					      .min = 36,
					      .low = 45,
					      .high = 54,
					      .lists = &k->dma,
					      .nr_lists = 1 };
	k->zones[1] = (struct ui_watch_zone){ .node = 1,
					      .name = "Normal",
					      .free = 9000 + 63 * k->looks,
					      .free_before = 9000 + 63 * (k->looks - 1),
					      .min = 5000,
					      .low = 7000,
					      .high = 9100,
					      .lists = k->lists,
					      .nr_lists = CPUS };
	*out = (struct ui_watch_look){ .head = "Linux 9.9",
				       .lacks = "promo",
				       .seconds = k->looks ? 2 : 0,
				       .allocs = 120,
				       .frees = 250,
				       .zones = k->zones,
				       .nr_zones = 2 };
	k->looks++;
	return true;
}

static struct ui_options opt;
static struct ui_watch watch;

static struct ui_watcher *begin(int cols, int rows, int looks)
{
	struct ui_watcher *w;

	setlocale(LC_ALL, "C.UTF-8");
	memset(&kernel, 0, sizeof(kernel));
	opt = (struct ui_options){ .cols = cols, .rows = rows, .ascii = true };
	watch = (struct ui_watch){ .ctx = &kernel,
				   .look = look,
				   .interval_ns = 1000000000,
				   .interval_min_ns = 50000000,
				   .interval_max_ns = 3600000000000 };
	w = ui_watch_open(&opt, &watch);
	cr_assert(w, "%s", opt.error);
	while (looks--)
		cr_assert(ui_watch_look(w));
	return w;
}

static void has(struct ui_watcher *w, const char *text, bool there)
{
	char *all;

	ui_watch_draw(w);
	all = ui_watch_text(w);
	cr_expect_eq(strstr(all, text) != NULL, there, "'%s' is %son the screen:\n%s", text,
		     there ? "not " : "", all);
	free(all);
}

Test(tui_watch, figures_and_rates)
{
	struct ui_watcher *w = begin(120, 24, 2);

	has(w, " Linux 9.9  every 1s  allocated 120/s  freed 250/s", true);
	has(w, " 0 DMA     free 3840 lists 0 min 36 low 45 high 54", true);
	/* 63 pages in two seconds; 9063 of 9100 */
	has(w, ">1 Normal  free 9063 +32/s lists 710 min 5000 low 7000 high 9100 below high", true);
	has(w, "-cpu-count  high   min    max", true);
	/* 500 - 63 of 1000, changed, at -31.5 pages a second, against its history of 500 and 437 */
	has(w, " 0     437* 1000   300   8000  [####.", true);
	has(w, "]     -32 #*", true);
	has(w, "this kernel does not show: promo", true);
	ui_watch_close(w);
}

Test(tui_watch, columns_that_do_not_fit_or_are_not_told)
{
	struct ui_watcher *w = begin(80, 24, 1);

	has(w, "-cpu-count  high  [", true);
	has(w, "max", false);
	has(w, "allocated", false);
	ui_watch_key(w, 'k');
	has(w, ">0 DMA", true);
	has(w, " 0       0     9  [", true);
	ui_watch_close(w);
	/* room for all zones, and for batch; DMA has no limits */
	w = begin(160, 60, 1);
	has(w, "-cpu-count  high batch", true);
	has(w, "-cpu-count  high   min    max batch", true);
	has(w, " 39      7  1039   300   8000    63", true);
	ui_watch_close(w);
}

Test(tui_watch, keys)
{
	struct ui_watcher *w = begin(80, 24, 1);

	has(w, " 39 ", false);
	ui_watch_key(w, KEY_BASE + KEY_NPAGE);
	ui_watch_draw(w);
	ui_watch_key(w, KEY_BASE + KEY_NPAGE);
	has(w, " 39      7  1039", true);
	has(w, " 0     500", false);
	ui_watch_key(w, KEY_BASE + KEY_PPAGE);
	ui_watch_draw(w);
	ui_watch_key(w, KEY_BASE + KEY_PPAGE);
	has(w, " 0     500", true);
	ui_watch_key(w, '+');
	has(w, "every 2s", true);
	ui_watch_key(w, '-');
	ui_watch_key(w, '-');
	has(w, "every 500ms", true);
	for (int i = 0; i < 20; i++)
		ui_watch_key(w, '-');
	has(w, "every 50ms", true);
	for (int i = 0; i < 40; i++)
		ui_watch_key(w, '+');
	has(w, "every 1h", true);
	has(w, "PAUSED", false);
	ui_watch_key(w, 'p');
	has(w, "PAUSED", true);
	cr_expect(ui_watch_key(w, 'x'));
	cr_expect_not(ui_watch_key(w, 'q'));
	ui_watch_close(w);
}

Test(tui_watch, sizes_down_to_nothing)
{
	struct ui_watcher *w = begin(40, 6, 1);

	has(w, ">1 Normal", true);
	has(w, " 0     500*", false);
	ui_watch_close(w);
	w = begin(39, 24, 1);
	has(w, "the terminal is too small", true);
	ui_watch_close(w);
}

Test(tui_watch, a_failed_look_says_why)
{
	struct ui_watcher *w = begin(80, 24, 1);

	kernel.broken = true;
	cr_expect_not(ui_watch_look(w));
	cr_expect_str_eq(opt.error, "no zoneinfo here");
	ui_watch_close(w);
}

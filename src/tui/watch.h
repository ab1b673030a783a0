/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The screen of a running kernel: its zones, and the CPU pane with the pagesets of the zone that is chosen, looked at
 * again and again.  What is seen comes from the caller, which knows where kernels tell it.
 */
#ifndef PAGESET_TUI_WATCH_H
#define PAGESET_TUI_WATCH_H

#include "ui.h"

#define UI_WATCH_NONE INT64_MIN /* a figure that this kernel does not tell */

struct ui_watch_list {
	u32 cpu;
	s64 count, high, high_min, high_max, batch;
	const s64 *history; /* of count, oldest first; the last is count */
	u32 nr_history;
};

struct ui_watch_zone {
	u32 node;
	const char *name;
	s64 free, free_before; /* UI_WATCH_NONE: not told */
	s64 min, low, high;
	const struct ui_watch_list *lists;
	u32 nr_lists;
};

/* One look; what it points to lives until the next. */
struct ui_watch_look {
	const char *head;		   /* whose kernel it is */
	double seconds;			   /* since the look before, 0: this is the first */
	double allocs, frees;		   /* pages a second, below 0: not told */
	const char *lacks;		   /* names of the figures that are not told, "" if none */
	const struct ui_watch_zone *zones; /* with pages in them */
	u32 nr_zones;
};

struct ui_watch {
	void *ctx;
	/* False: @error filled. */
	bool (*look)(void *ctx, struct ui_watch_look *look, char *error, size_t size);
	u64 interval_ns, interval_min_ns, interval_max_ns;
	u64 count; /* end after so many looks, 0: never */
};

/* Runs until the person leaves. 0; -1: no screen can be had here; 2: a look failed. opt->error says why. */
int ui_watch_run(struct ui_options *opt, struct ui_watch *watch);

/* The same step by step, for tests. */
struct ui_watcher;
struct ui_watcher *ui_watch_open(struct ui_options *opt, struct ui_watch *watch);
void ui_watch_close(struct ui_watcher *w);
/* False: it failed, opt->error says why. */
bool ui_watch_look(struct ui_watcher *w);
/* One key, codes as in key.h; false: leave. */
bool ui_watch_key(struct ui_watcher *w, int key);
void ui_watch_draw(struct ui_watcher *w);
/* The screen as text, the caller's to free(). */
char *ui_watch_text(struct ui_watcher *w);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#include "watch.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/number.h"
#include "command.h"
#include "cpu_row.h"
#include "key.h"
#include "screen.h"
#include "term.h"
#include "whatif.h"

enum { ROWS_MIN = 6, RATE_WIDTH = 9 };

struct ui_watcher {
	struct ui *ui;
	struct ui_watch *watch;
	struct ui_watch_look look;
	u64 looks, next_ns;
	u32 zone; /* chosen */
	int top;  /* first CPU shown */
	int page; /* CPUs that fit */
	bool paused;
};

/* ---- drawing ---- */

static void draw_head(struct ui_watcher *w)
{
	struct ui *ui = w->ui;
	char interval[BASE_FORMAT_MAX], rates[96] = "";

	if (w->look.seconds > 0 && w->look.allocs >= 0)
		snprintf(rates, sizeof(rates), "  allocated %.0f/s  freed %.0f/s", w->look.allocs,
			 w->look.frees);
	draw_format(ui, ui->base, 0, 0, ui->cols, ST_HEAD, " %s  every %s%s%s%*s", w->look.head,
		    base_format_duration(interval, w->watch->interval_ns), rates,
		    w->paused ? "  PAUSED" : "", ui->cols, "");
}

static void put_figure(struct pane *p, const char *name, s64 v)
{
	pane_put(p, ST_DIM, " %s ", name);
	if (v == UI_WATCH_NONE)
		pane_put(p, ST_NORMAL, "-");
	else
		pane_put(p, ST_NORMAL, "%lld", (long long)v);
}

static s64 listed(const struct ui_watch_zone *z)
{
	s64 pages = 0;

	for (u32 l = 0; l < z->nr_lists; l++)
		pages += z->lists[l].count > 0 ? z->lists[l].count : 0;
	return pages;
}

static void draw_zone(struct ui_watcher *w, struct pane *p, u32 i)
{
	const struct ui_watch_zone *z = &w->look.zones[i];
	bool chosen = i == w->zone;

	pane_row(p, (int)i, 0);
	pane_put(p, chosen ? ST_HERE : ST_NORMAL, "%s%u %-7s", chosen ? ">" : " ", z->node,
		 z->name);
	put_figure(p, "free", z->free);
	if (w->look.seconds > 0 && z->free != UI_WATCH_NONE && z->free_before != UI_WATCH_NONE)
		pane_put(p, z->free != z->free_before ? ST_CHANGED : ST_DIM, " %+.0f/s",
			 (double)(z->free - z->free_before) / w->look.seconds);
	put_figure(p, "lists", listed(z));
	put_figure(p, "min", z->min);
	put_figure(p, "low", z->low);
	put_figure(p, "high", z->high);
	if (z->free != UI_WATCH_NONE && z->high != UI_WATCH_NONE && z->free <= z->high)
		pane_put(p, ST_EVENT, " below high");
}

static void draw_zones(struct ui_watcher *w, int y, int rows)
{
	struct ui *ui = w->ui;
	struct pane p = { .ui = ui, .win = ui->base, .at = { y, 0, rows, ui->cols } };
	u32 first = w->zone >= (u32)rows ? w->zone + 1 - (u32)rows : 0;

	p.top = (int)first;
	for (u32 i = first; i < w->look.nr_zones && pane_shows(&p, (int)i); i++)
		draw_zone(w, &p, i);
	pane_end(&p);
}

/* Each sample against the largest of them. */
static void draw_history(struct ui_watcher *w, struct pane *p, const struct ui_watch_list *l,
			 int width)
{
	static const char *const blocks[] = { "\u2581", "\u2582", "\u2583", "\u2584",
					      "\u2585", "\u2586", "\u2587", "\u2588" };
	static const char *const letters[] = { "_", ".", ":", "-", "=", "+", "*", "#" };
	u32 from = l->nr_history > (u32)width ? l->nr_history - (u32)width : 0;
	s64 most = 1;

	for (u32 i = from; i < l->nr_history; i++)
		most = max_s64(most, l->history[i]);
	for (u32 i = from; i < l->nr_history; i++) {
		s64 level = l->history[i] > 0 ? l->history[i] * 7 / most : 0;

		pane_text(p, ST_BAR, w->ui->utf8 ? blocks[level] : letters[level], 1);
	}
}

static s64 told(s64 v)
{
	return v == UI_WATCH_NONE ? 0 : v;
}

static void fill_cells(struct cpu_cells *cells, const struct ui_watch_list *l)
{
	*cells = (struct cpu_cells){ .v = { [CPU_COLUMN_COUNT] = told(l->count),
					    [CPU_COLUMN_HIGH] = told(l->high),
					    [CPU_COLUMN_HIGH_MIN] = told(l->high_min),
					    [CPU_COLUMN_HIGH_MAX] = told(l->high_max),
					    [CPU_COLUMN_BATCH] = told(l->batch) } };
}

/* The largest number of each column. */
static void widest(const struct ui_watch_zone *z, s64 most[NR_CPU_COLUMNS])
{
	struct cpu_cells cells;

	memset(most, 0, NR_CPU_COLUMNS * sizeof(*most));
	for (u32 l = 0; l < z->nr_lists; l++) {
		fill_cells(&cells, &z->lists[l]);
		for (int i = 0; i < NR_CPU_COLUMNS; i++)
			most[i] = max_s64(most[i], cells.v[i]);
	}
}

static u32 columns_told(const struct ui_watch_zone *z)
{
	const struct ui_watch_list *l = z->lists;
	u32 columns = 0;

	if (!z->nr_lists)
		return 0;
	columns |= l->count != UI_WATCH_NONE ? 1u << CPU_COLUMN_COUNT : 0;
	columns |= l->high != UI_WATCH_NONE ? 1u << CPU_COLUMN_HIGH : 0;
	columns |= l->high_min != UI_WATCH_NONE ? 1u << CPU_COLUMN_HIGH_MIN : 0;
	columns |= l->high_max != UI_WATCH_NONE ? 1u << CPU_COLUMN_HIGH_MAX : 0;
	columns |= l->batch != UI_WATCH_NONE ? 1u << CPU_COLUMN_BATCH : 0;
	return columns;
}

static void draw_list(struct ui_watcher *w, struct pane *p, const struct cpu_row_plan *plan,
		      const struct ui_watch_list *l, int row)
{
	struct cpu_cells cells;
	s64 moved = l->nr_history > 1 ? l->count - l->history[l->nr_history - 2] : 0;

	fill_cells(&cells, l);
	cells.changed[CPU_COLUMN_COUNT] = moved != 0;
	pane_row(p, row, 0);
	pane_put(p, ST_NORMAL, " %-4u", l->cpu);
	cpu_row_draw(w->ui, p, plan, &cells, 0, CPU_COLUMN_ALLOC_FACTOR);
	if (w->look.seconds > 0)
		pane_put(p, moved ? ST_CHANGED : ST_DIM, "%+*.0f ", RATE_WIDTH - 1,
			 (double)moved / w->look.seconds);
	else
		pane_put(p, ST_DIM, "%*s", RATE_WIDTH, "");
	draw_history(w, p, l, max_int(w->ui->cols - p->col, 0));
}

/* The pane of one zone: the heads of its columns in the line above y, its lists from y on. */
static void draw_lists(struct ui_watcher *w, u32 zone, int y, int rows, int top)
{
	struct ui *ui = w->ui;
	const struct ui_watch_zone *z = &w->look.zones[zone];
	struct pane p = { .ui = ui, .win = ui->base, .at = { y, 0, rows, ui->cols }, .top = top };
	struct pane head = { .ui = ui, .win = ui->base, .at = { y - 1, 0, 1, ui->cols } };
	struct cpu_row_plan plan;
	s64 most[NR_CPU_COLUMNS];

	widest(z, most);
	cpu_row_plan(&plan, columns_told(z), ui->cols, most);
	draw_title(ui, ui->base, y - 1, 0, ui->cols, false, "");
	pane_row(&head, 0, 0);
	pane_put(&head, ST_TITLE, "-cpu-");
	cpu_row_head(&head, &plan, ST_TITLE, 0, CPU_COLUMN_ALLOC_FACTOR);
	pane_put(&head, ST_TITLE, "%*s count of late ", RATE_WIDTH - 1, "pages/s");
	pane_put(&head, zone == w->zone ? ST_HERE : ST_TITLE, " %u %s ", z->node, z->name);
	for (int i = top; i < (int)z->nr_lists && pane_shows(&p, i); i++)
		draw_list(w, &p, &plan, &z->lists[i], i);
	pane_end(&p);
}

/* All zones if they fit below each other, else the one that is chosen. */
static void draw_cpus(struct ui_watcher *w, int y, int rows)
{
	int wanted = 0, lists = (int)w->look.zones[w->zone].nr_lists;

	for (u32 i = 0; i < w->look.nr_zones; i++)
		wanted += 1 + (int)w->look.zones[i].nr_lists;
	if (wanted <= rows) {
		for (u32 i = 0; i < w->look.nr_zones; i++) {
			int n = (int)w->look.zones[i].nr_lists;

			draw_lists(w, i, y + 1, n, 0);
			y += n + 1;
		}
		w->page = rows;
		return;
	}
	w->page = rows - 1;
	w->top = max_int(min_int(w->top, lists - w->page), 0);
	draw_lists(w, w->zone, y + 1, w->page, w->top);
}

static void draw_bottom(struct ui_watcher *w)
{
	static const struct {
		const char *key, *what;
	} keys[] = {
		{ "q", "leave" },      { "+ -", "interval" },	{ "p", "pause" },
		{ "Up Down", "zone" }, { "PgUp PgDn", "CPUs" },
	};
	struct ui *ui = w->ui;
	struct pane p = { .ui = ui, .win = ui->base, .at = { ui->rows - 1, 0, 1, ui->cols } };

	if (w->look.lacks[0])
		draw_format(ui, ui->base, ui->rows - 2, 0, ui->cols, ST_DIM,
			    " this kernel does not show: %s", w->look.lacks);
	pane_row(&p, 0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		pane_put(&p, ST_KEY, " %s", keys[i].key);
		pane_put(&p, ST_DIM, " %s ", keys[i].what);
	}
	pane_end(&p);
}

void ui_watch_draw(struct ui_watcher *w)
{
	struct ui *ui = w->ui;
	int rows = ui->rows - 1 - (w->look.lacks[0] ? 1 : 0), zones;

	werase(ui->base);
	if (ui->cols < UI_COLS_MIN || ui->rows < ROWS_MIN || !w->look.nr_zones) {
		draw_format(ui, ui->base, 0, 0, ui->cols, ST_BAD, "%s",
			    w->look.nr_zones ? "the terminal is too small" : "no zone is told");
	} else {
		draw_head(w);
		/* at least half of the screen for the CPUs */
		zones = min_int((int)w->look.nr_zones, max_int((rows - 3) / 2, 1));
		draw_title(ui, ui->base, 1, 0, ui->cols, false, "zones");
		draw_zones(w, 2, zones);
		draw_cpus(w, zones + 2, rows - zones - 2);
		draw_bottom(w);
	}
	update_panels();
	doupdate();
}

char *ui_watch_text(struct ui_watcher *w)
{
	return shot_text(w->ui);
}

/* ---- keys ---- */

static void change_interval(struct ui_watcher *w, bool longer)
{
	struct ui_watch *watch = w->watch;
	u64 old = watch->interval_ns;

	if (longer)
		watch->interval_ns = old > watch->interval_max_ns / 2 ? watch->interval_max_ns :
									old * 2;
	else
		watch->interval_ns = old / 2 < watch->interval_min_ns ? watch->interval_min_ns :
									old / 2;
	/* from the last look on */
	w->next_ns = w->next_ns - old + watch->interval_ns;
}

static void choose_zone(struct ui_watcher *w, bool next)
{
	if (next && w->zone + 1 < w->look.nr_zones)
		w->zone++;
	else if (!next && w->zone > 0)
		w->zone--;
	w->top = 0;
}

bool ui_watch_key(struct ui_watcher *w, int key)
{
	int rows, cols;

	switch (key) {
	case 'q':
	case 27:
		return false;
	case '+':
	case '=':
	case '-':
		change_interval(w, key != '-');
		break;
	case 'p':
	case ' ':
		w->paused = !w->paused;
		break;
	case 'j':
	case '\t':
	case KEY_BASE + KEY_DOWN:
		choose_zone(w, true);
		break;
	case 'k':
	case KEY_BASE + KEY_BTAB:
	case KEY_BASE + KEY_UP:
		choose_zone(w, false);
		break;
	case KEY_BASE + KEY_NPAGE:
		w->top += max_int(w->page - 1, 1);
		break;
	case KEY_BASE + KEY_PPAGE:
		w->top = max_int(w->top - max_int(w->page - 1, 1), 0);
		break;
	case KEY_BASE + KEY_RESIZE:
		getmaxyx(stdscr, rows, cols);
		term_resize(w->ui, rows, cols);
		break;
	default:
		break;
	}
	return true;
}

/* ---- the loop ---- */

struct ui_watcher *ui_watch_open(struct ui_options *opt, struct ui_watch *watch)
{
	struct ui_watcher *w = base_alloc(1, sizeof(*w));

	opt->error[0] = '\0';
	w->watch = watch;
	w->look = (struct ui_watch_look){ .head = "", .lacks = "" };
	w->ui = base_alloc(1, sizeof(*w->ui));
	w->ui->opt = opt;
	if (!term_start(w->ui)) {
		free(w->ui);
		free(w);
		return NULL;
	}
	w->next_ns = ui_now_ns();
	return w;
}

void ui_watch_close(struct ui_watcher *w)
{
	term_stop(w->ui);
	free(w->ui);
	free(w);
}

bool ui_watch_look(struct ui_watcher *w)
{
	struct ui_options *opt = w->ui->opt;
	u32 i, best = 0;

	if (!w->watch->look(w->watch->ctx, &w->look, opt->error, sizeof(opt->error)))
		return false;
	/* at first the zone with the most in its lists */
	for (i = 0; w->looks == 0 && i < w->look.nr_zones; i++)
		if (listed(&w->look.zones[i]) > listed(&w->look.zones[best]))
			best = i;
	w->zone = w->looks == 0 ? best : w->zone;
	if (w->zone >= w->look.nr_zones)
		w->zone = 0;
	w->looks++;
	return true;
}

/* False: the end, as counted or by a failure. */
static bool look_if_due(struct ui_watcher *w)
{
	u64 now = ui_now_ns();

	if (w->paused || now < w->next_ns)
		return true;
	if (!ui_watch_look(w))
		return false;
	/* what was slept through is not made up for */
	w->next_ns = w->next_ns + w->watch->interval_ns > now ? w->next_ns + w->watch->interval_ns :
								now + w->watch->interval_ns;
	return true;
}

static int wait_ms(const struct ui_watcher *w)
{
	u64 now = ui_now_ns();

	if (w->paused)
		return -1;
	return now >= w->next_ns ? 0 : (int)((w->next_ns - now) / 1000000) + 1;
}

int ui_watch_run(struct ui_options *opt, struct ui_watch *watch)
{
	struct ui_watcher *w = ui_watch_open(opt, watch);
	bool is_code;
	wint_t wide;
	int sig;

	if (!w)
		return -1;
	while (!term_signal() && look_if_due(w)) {
		ui_watch_draw(w);
		if (watch->count && w->looks >= watch->count)
			break;
		if (term_key(w->ui, wait_ms(w), &wide, &is_code) == OK &&
		    !ui_watch_key(w, is_code ? KEY_BASE + (int)wide : (int)wide))
			break;
	}
	sig = term_signal();
	ui_watch_close(w);
	if (sig)
		raise(sig);
	return opt->error[0] ? 2 : 0;
}

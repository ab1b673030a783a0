/* SPDX-License-Identifier: GPL-2.0-only */
#include "big_cpus.h"

#include <string.h>

#include "base/diag.h"

/*
 * Digits of three by five dots. Two dots stand one above the other in a cell, so that a
 * digit is three cells high; where there are only ASCII signs it is made of strokes.
 */
enum { DIGIT_ROWS = 3, DIGIT_COLS = 4, NUMBER_DIGITS = 5 };

static const u8 dots[10][5] = {
	{ 7, 5, 5, 5, 7 }, { 2, 6, 2, 2, 7 }, { 7, 1, 7, 4, 7 }, { 7, 1, 7, 1, 7 },
	{ 5, 5, 7, 1, 1 }, { 7, 4, 7, 1, 7 }, { 7, 4, 7, 5, 7 }, { 7, 1, 2, 2, 2 },
	{ 7, 5, 7, 5, 7 }, { 7, 5, 7, 1, 7 },
};

static const char *const strokes[10][DIGIT_ROWS] = {
	{ " _ ", "| |", "|_|" }, { "   ", "  |", "  |" }, { " _ ", " _|", "|_ " },
	{ " _ ", " _|", " _|" }, { "   ", "|_|", "  |" }, { " _ ", "|_ ", " _|" },
	{ " _ ", "|_ ", "|_|" }, { " _ ", "  |", "  |" }, { " _ ", "|_|", "|_|" },
	{ " _ ", "|_|", " _|" },
};

bool big_cpus(const struct ui *ui)
{
	return ui->projector && !ui->zoom && !ui->heat && ui->cols >= 80 && ui->rows >= 24;
}

int big_cpus_shown(const struct ui *ui)
{
	return max_int(ui->places[VIEW_CPUS].h - 1, 0) / BIG_CPU_ROWS;
}

static void draw_digit_row(const struct ui *ui, int digit, int row, char *buf, size_t size)
{
	static const char *const halves[] = { " ", "▀", "▄", "█" };
	size_t used = 0;

	buf[0] = '\0';
	if (!ui->utf8) {
		snprintf(buf, size, "%s ", strokes[digit][row]);
		return;
	}
	for (int x = 2; x >= 0 && used < size; x--) {
		int above = dots[digit][row * 2] >> x & 1;
		int below = row < 2 ? dots[digit][row * 2 + 1] >> x & 1 : 0;

		used += (size_t)snprintf(buf + used, size - used, "%s", halves[above + 2 * below]);
	}
	if (used < size)
		snprintf(buf + used, size - used, " ");
}

/* A number, right-aligned in @digits; what is longer stands small in the middle row. */
static void draw_number(struct ui *ui, struct pane *p, enum style style, int row, int col,
			int digits, s64 value)
{
	char text[24], line[64];
	int len = snprintf(text, sizeof(text), "%lld", (long long)max_s64(value, 0));

	for (int r = 0; r < DIGIT_ROWS; r++) {
		pane_row(p, row + r, col);
		if (len > digits) {
			if (r == 1)
				pane_put(p, style, "%*s", digits * DIGIT_COLS - 1, text);
			continue;
		}
		pane_col(p, col + (digits - len) * DIGIT_COLS);
		for (int i = 0; i < len; i++) {
			draw_digit_row(ui, text[i] - '0', r, line, sizeof(line));
			pane_put(p, style, "%s", line);
		}
	}
}

/* How full it is, three rows high. */
static void draw_bar(struct ui *ui, struct pane *p, int row, int col, s64 count, s64 high)
{
	int width = p->at.w - col - 1, full;

	if (width < 4)
		return;
	full = high > 0 ? (int)min_s64(count * width / high, width) : count > 0 ? width : 0;
	for (int r = 0; r < DIGIT_ROWS; r++) {
		pane_row(p, row + r, col);
		for (int i = 0; i < width; i++)
			pane_text(p, ST_BAR, theme_glyph(ui, i < full ? GL_BAR : GL_BAR_EMPTY), 1);
	}
}

/* The lists that hold something, and the flags, in one line with room between. */
static void draw_words(struct ui *ui, struct pane *p, int row, u32 cpu)
{
	const struct per_cpu_pages *now = pcp_now(ui, cpu);
	u32 base = ui->zone * sim_nr_cpus(nav_sim(ui)) + cpu, patches = sim_patches(nav_sim(ui));
	char name[4];
	bool any = false;

	pane_row(p, row, 2);
	pane_put(p, ST_DIM, "lists:");
	for (u32 l = 0; l < NR_PCP_LISTS; l++) {
		u32 n = ui->now.lists[base][l];
		bool changed = ui->before.valid && ui->before.lists[base][l] != n;

		if (!n && !changed)
			continue;
		pane_put(p, changed ? ST_CHANGED : ST_KEY, "  %s %u%s", list_name(l, name), n,
			 changed ? "*" : "");
		any = true;
	}
	if (!any)
		pane_put(p, ST_NORMAL, "  all empty");
	if (patches & PATCH_BIT(P_AVOID_DRAIN) && now->flags & PCPF_PREV_FREE_HIGH_ORDER)
		pane_put(p, ST_KEY, "   flag P");
	if (patches & PATCH_BIT(P_KEEP_BATCH) && now->flags & PCPF_FREE_HIGH_BATCH)
		pane_put(p, ST_KEY, "   flag B");
	if (patches & PATCH_BIT(P_FREE_COUNT))
		pane_put(p, ST_NORMAL, "   free_count %d", (int)now->free_count);
	else
		pane_put(p, ST_NORMAL, "   free_factor %d", (int)now->free_factor);
}

static void draw_box(struct ui *ui, struct pane *p, int row, u32 cpu)
{
	const struct per_cpu_pages *now = pcp_now(ui, cpu), *before = pcp_before(ui, cpu);
	u32 patches = sim_patches(nav_sim(ui));
	bool acts = nav_current(ui) && ui->cpu == cpu;
	s64 high = pcp_high_shown(now, patches);
	bool count_changed = before && before->count != now->count;
	bool high_changed = before && pcp_high_shown(before, patches) != high;
	int name = sim_nr_cpus(nav_sim(ui)) > 10 ? 3 : 1, col;

	for (int r = 0; acts && r < DIGIT_ROWS; r++) {
		pane_row(p, row + r, 0);
		pane_text(p, ST_HERE, ">", 1);
	}
	draw_number(ui, p, acts ? ST_HERE : ST_NORMAL, row, 2, name, cpu);
	col = 2 + name * DIGIT_COLS + 1;
	if (!sim_cpu_online(nav_sim(ui), cpu)) {
		pane_row(p, row + 1, col);
		pane_put(p, ST_DIM, "offline");
		return;
	}
	draw_number(ui, p, count_changed ? ST_NOW : ST_KEY, row, col, NUMBER_DIGITS, now->count);
	col += NUMBER_DIGITS * DIGIT_COLS;
	pane_row(p, row + 1, col);
	pane_put(p, count_changed ? ST_NOW : ST_NORMAL, "%s", count_changed ? "*" : "");
	pane_row(p, row + 1, col + 2);
	pane_put(p, ST_NORMAL, "of");
	col += 5;
	draw_number(ui, p, high_changed ? ST_NOW : ST_NORMAL, row, col, NUMBER_DIGITS, high);
	col += NUMBER_DIGITS * DIGIT_COLS;
	pane_row(p, row + 1, col);
	pane_put(p, ST_NOW, "%s", high_changed ? "*" : "");
	draw_bar(ui, p, row, col + 2, now->count, high);
	draw_words(ui, p, row + DIGIT_ROWS, cpu);
}

void big_cpus_draw(struct ui *ui, struct pane *p, const u32 *order)
{
	struct view_state *v = &ui->views[VIEW_CPUS];
	int cpus = (int)sim_nr_cpus(nav_sim(ui)), shown = max_int(big_cpus_shown(ui), 1);

	if (!p->focused) {
		int at = 0;

		while (at < cpus && order[at] != ui->cpu)
			at++;
		v->cursor = min_int(at, cpus - 1);
	}
	if (v->cursor < v->top)
		v->top = v->cursor;
	if (v->cursor >= v->top + shown)
		v->top = v->cursor - shown + 1;
	v->top = max_int(min_int(v->top, cpus - shown), 0);
	/* Boxes, not rows, are what the pane is scrolled by. */
	p->top = 0;
	for (int i = 0; i < shown && v->top + i < cpus; i++)
		draw_box(ui, p, i * BIG_CPU_ROWS, order[v->top + i]);
	pane_select(p, (v->cursor - v->top) * BIG_CPU_ROWS, 0, 1);
	p->rows = cpus;
}

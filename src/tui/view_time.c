/* SPDX-License-Identifier: GPL-2.0-only */
/* The event strip: what happened when, all operations in one line. */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "view.h"

enum { FINE_OPS_MAX = 200, FINE_MARKS_MAX = 4096 };

static void add_mark(struct event_cache *c, u64 op, u32 step, char letter)
{
	if (c->nr == c->max) {
		c->max = c->max ? c->max * 2 : 256;
		c->marks = realloc(c->marks, c->max * sizeof(*c->marks));
		BASE_CHECK(c->marks, "no memory for %u marks", c->max);
	}
	c->marks[c->nr].op = op;
	c->marks[c->nr].step = step;
	c->marks[c->nr++].c = letter;
}

static const char *const letters_by_weight = "!DPRbtf.";

static char letter_of_mask(u8 mask)
{
	if (mask & TL_FAIL)
		return '!';
	if (mask & (TL_FREE_HIGH | TL_DRAIN))
		return 'D';
	if (mask & TL_PATCH)
		return 'P';
	if (mask & TL_REFILL)
		return 'R';
	if (mask & TL_BULK)
		return 'b';
	if (mask & TL_TICK)
		return 't';
	return mask & TL_FLAG ? 'f' : '.';
}

/* Small logs: each event of each operation; an operation without any is a dot. */
static void rebuild(struct ui *ui)
{
	struct event_cache *c = &ui->events;
	u64 first = tl_first(ui->tl), n = tl_length(ui->tl);
	struct op_view view = { 0 };

	c->nr = 0;
	c->valid = true;
	c->serial = ui->serial;
	c->coarse = n - first > FINE_OPS_MAX;
	for (u64 i = first; i < n && !c->coarse; i++) {
		bool any = false;

		if (!op_view_load(&view, ui->tl, i))
			break;
		for (u32 k = 0; k < view.nr_steps; k++) {
			char letter = step_letter(&view.steps[k]);

			if (letter) {
				add_mark(c, i, k + 1, letter);
				any = true;
			}
		}
		if (!any)
			add_mark(c, i, view.nr_steps, '.');
		c->coarse = c->nr > FINE_MARKS_MAX;
	}
	op_view_free(&view);
}

/* Is the mark behind the position? */
static bool is_ahead(const struct tl_pos pos, const struct event_mark *m)
{
	return m->op > pos.op || (m->op == pos.op && (pos.step == 0 || m->step > pos.step));
}

static char heavier(char a, char b)
{
	const char *x = strchr(letters_by_weight, a), *y = strchr(letters_by_weight, b);

	return x && y && x < y ? a : b;
}

static void draw_fine(struct ui *ui, struct pane *p, char *cells, int width, int *you)
{
	struct event_cache *c = &ui->events;
	struct tl_pos pos = nav_pos(ui);
	u32 per = c->nr / (u32)width + 1;

	(void)p;
	*you = 0;
	for (u32 i = 0; i < c->nr; i++) {
		int at = (int)(i / per);

		cells[at] = cells[at] == ' ' ? c->marks[i].c : heavier(cells[at], c->marks[i].c);
		if (!is_ahead(pos, &c->marks[i]))
			*you = at + 1;
	}
}

static void draw_coarse(struct ui *ui, char *cells, int width, int *you)
{
	u64 first = tl_first(ui->tl), n = tl_length(ui->tl) - first;
	u64 per = n / (u64)width + 1, look = per > 64 ? per / 64 : 1;

	for (u64 i = 0; i < n; i += look) {
		int at = (int)(i / per);
		char letter = letter_of_mask(tl_events(ui->tl, first + i));

		cells[at] = cells[at] == ' ' ? letter : heavier(cells[at], letter);
	}
	*you = (int)((nav_pos(ui).op - first) / per);
}

static enum style mark_style(char c)
{
	return c == '.' || c == ' ' ? ST_DIM : c == 'D' || c == '!' ? ST_NO : ST_EVENT;
}

static void draw(struct ui *ui, struct pane *p)
{
	char cells[512];
	int width = min_int(p->at.w - 2, (int)sizeof(cells) - 2), you = 0;

	if (width < 4)
		return;
	if (!ui->events.valid || ui->events.serial != ui->serial)
		rebuild(ui);
	memset(cells, ' ', sizeof(cells));
	if (tl_length(ui->tl) == 0)
		you = 0;
	else if (ui->events.coarse)
		draw_coarse(ui, cells, width, &you);
	else
		draw_fine(ui, p, cells, width - 1, &you);
	pane_row(p, 0, 1);
	/* The position stands between what is done and what comes. */
	for (int i = 0; i < width; i++) {
		char text[2] = { cells[i], '\0' };

		if (i == you)
			pane_text(p, ST_HERE, "^", 1);
		pane_text(p, mark_style(cells[i]), text, 1);
	}
	pane_caret(p, 0, you + 1);
}

static void name_title(struct ui *ui, char *buf, size_t size)
{
	(void)ui;
	snprintf(buf, size,
		 "time: R refill b bulk free D drain f flag t tick P patch ! failure ^ you");
}

const struct view_ops view_ops_time = {
	.name = "time",
	.title = "time",
	.min_rows = 1,
	.draw = draw,
	.name_title = name_title,
};

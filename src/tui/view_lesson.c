/* SPDX-License-Identifier: GPL-2.0-only */
/* What the scenario says here, what it asks, and its text as far as it has come. */
#include <stdio.h>

#include "view.h"

/* The last thing said at or before the position. */
static const struct ui_cue *last_said(const struct ui *ui, u64 op)
{
	const struct ui_cue *cues, *last = NULL;
	size_t nr = ui->src.cues ? ui->src.cues(ui->src.ctx, &cues) : 0;

	for (size_t i = 0; i < nr; i++)
		if (cues[i].kind == UI_SAY && nav_cue_op(ui, cues[i].op) <= op)
			last = &cues[i];
	return last;
}

/* Rows that everything said and asked at @op takes. */
static int rows_at(struct ui *ui, u64 op, int width)
{
	const struct ui_cue *cues;
	size_t nr = ui->src.cues ? ui->src.cues(ui->src.ctx, &cues) : 0;
	struct pane probe = { .ui = ui, .at = { .w = width }, .top = 1 << 20, .line_row = -1 };
	int row = 0;

	for (size_t i = 0; i < nr; i++)
		if ((cues[i].kind == UI_SAY || cues[i].kind == UI_PREDICT) &&
		    nav_cue_op(ui, cues[i].op) == op)
			row = pane_wrap(&probe, row, 1, ST_NORMAL, cues[i].text);
	return row;
}

int lesson_rows_here(struct ui *ui, int width)
{
	struct tl_pos pos = nav_pos(ui);
	const struct ui_cue *asked = nav_prediction(ui);

	if (pos.step > 0)
		return 0;
	/* A question shares its row with the key that answers it. */
	return max_int(rows_at(ui, pos.op, width),
		       asked && text_columns(asked->text) > width - 15 ? 2 : 0);
}

int lesson_rows_most(struct ui *ui, int width)
{
	const struct ui_cue *cues;
	size_t nr = ui->src.cues ? ui->src.cues(ui->src.ctx, &cues) : 0;
	int most = 0;

	/* Cues come in order of their operation: each is looked at once. */
	for (size_t i = 0; i < nr; i++)
		if (i == 0 || cues[i].op != cues[i - 1].op)
			most = max_int(most, rows_at(ui, nav_cue_op(ui, cues[i].op), width));
	return most;
}

/* One row: the question that is due, or the newest word. */
static void draw_line(struct ui *ui, struct pane *p)
{
	const struct ui_cue *said = last_said(ui, nav_pos(ui).op);
	const struct ui_cue *asked = nav_prediction(ui);
	int room = p->at.w - (asked ? 14 : 1);

	pane_row(p, 0, 1);
	if (asked)
		pane_text(p, ST_SAY, asked->text, room - 1);
	else if (said)
		pane_text(p, ST_SAY, said->text, room - 1);
	else if (ui->src.title)
		pane_text(p, ST_DIM, ui->src.title, room - 1);
	if (asked) {
		pane_col(p, p->at.w - 12);
		pane_put(p, ST_ASK, "[p] predict");
	}
}

static void draw(struct ui *ui, struct pane *p)
{
	const struct ui_cue *cues;
	size_t nr = ui->src.cues ? ui->src.cues(ui->src.ctx, &cues) : 0;
	u64 here = nav_pos(ui).op;
	int row = 0;

	if (p->at.h < 2) {
		p->top = 0;
		draw_line(ui, p);
		return;
	}
	if (ui->src.title)
		row = pane_wrap(p, row, 1, ST_KEY, ui->src.title);
	if (ui->src.summary)
		row = pane_wrap(p, row, 1, ST_DIM, ui->src.summary);
	if (ui->src.lesson)
		row = pane_wrap(p, row, 1, ST_NORMAL, ui->src.lesson);
	for (size_t i = 0; i < nr; i++) {
		u64 op = nav_cue_op(ui, cues[i].op);

		if (op > here)
			break;
		if (cues[i].kind == UI_SAY)
			row = pane_wrap(p, row, 1, op == here ? ST_SAY : ST_NORMAL, cues[i].text);
		if (cues[i].kind == UI_PREDICT)
			row = pane_wrap(p, row, 1, op == here ? ST_ASK : ST_DIM, cues[i].text);
	}
	/* The newest is seen unless the person scrolls. */
	if (!p->focused && row > p->at.h && p->top != row - p->at.h) {
		p->top = row - p->at.h;
		ui->views[VIEW_LESSON].top = p->top;
		for (int y = 0; y < p->at.h; y++)
			mvwhline(p->win, p->at.y + y, p->at.x, ' ', p->at.w);
		p->focused = true;
		draw(ui, p);
		p->focused = false;
	}
}

static int wants(const struct ui *ui)
{
	(void)ui;
	return 6;
}

static void name_title(struct ui *ui, char *buf, size_t size)
{
	snprintf(buf, size, "lesson%s", nav_prediction(ui) ? ": p answers the question" : "");
}

const struct view_ops view_ops_lesson = {
	.name = "lesson",
	.title = "lesson",
	.min_rows = 1,
	.draw = draw,
	.name_title = name_title,
	.wants = wants,
};

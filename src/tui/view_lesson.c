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

/* One row: the newest word, and at its end what is asked. */
static void draw_line(struct ui *ui, struct pane *p)
{
	const struct ui_cue *said = last_said(ui, nav_pos(ui).op);
	const struct ui_cue *asked = nav_prediction(ui);
	int room = p->at.w - (asked ? 14 : 1);

	pane_row(p, 0, 1);
	if (asked && !said)
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

	if (p->at.h < 3) {
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

const struct view_ops view_ops_lesson = {
	.name = "lesson",
	.title = "lesson",
	.min_rows = 1,
	.draw = draw,
	.wants = wants,
};

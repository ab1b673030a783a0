/* SPDX-License-Identifier: GPL-2.0-only */
/* All steps of the operation shown; what a prediction asks for stays hidden by not being run yet. */
#include "view.h"

static void draw(struct ui *ui, struct pane *p)
{
	struct view_state *v = &ui->views[VIEW_STEPS];
	const struct op_view *view = &ui->view;
	char text[STEP_TEXT_MAX];

	if (!view->valid) {
		pane_row(p, 0, 1);
		pane_put(p, ST_DIM, "n runs the first operation");
		return;
	}
	if (!p->focused)
		v->cursor = (int)view->at - 1;
	if (!p->find && !p->focused)
		p->top =
			max_int(min_int(v->cursor - p->at.h / 2, (int)view->nr_steps - p->at.h), 0);
	v->top = p->top;
	p->rows = (int)view->nr_steps;
	for (int i = p->find ? 0 : p->top; i < (int)view->nr_steps && pane_shows(p, i); i++) {
		const struct step *step = &view->steps[i];
		bool here = i + 1 == (int)view->at && nav_pos(ui).step > 0;

		pane_row(p, i, 0);
		pane_put(p, here ? ST_HERE : ST_DIM, "%s%5d ", here ? ">" : " ", i + 1);
		pane_text(p, i < (int)view->at ? step_style(step) : ST_DIM,
			  step_format(nav_sim(ui), step, text), p->at.w);
		if (i == v->cursor)
			pane_select(p, i, 0, p->at.w);
	}
	pane_row(p, p->row, p->col);
}

static enum handled request(struct ui *ui, enum request req)
{
	if (req != REQ_ENTER || !ui->view.valid)
		return UI_IGNORED;
	nav_seek(ui, ui->view.index, (u32)ui->views[VIEW_STEPS].cursor + 1);
	return UI_REDRAW;
}

static void name_title(struct ui *ui, char *buf, size_t size)
{
	if (ui->view.valid)
		snprintf(buf, size, "steps of op %llu: %u, Enter goes there",
			 (unsigned long long)ui->view.index + 1, ui->view.nr_steps);
	else
		snprintf(buf, size, "steps");
}

static int wants(const struct ui *ui)
{
	(void)ui;
	return 14;
}

const struct view_ops view_ops_steps = {
	.name = "steps",
	.title = "steps",
	.min_rows = 4,
	.cursor = true,
	.draw = draw,
	.name_title = name_title,
	.request = request,
	.wants = wants,
};

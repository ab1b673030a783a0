/* SPDX-License-Identifier: GPL-2.0-only */
/* Why: the conditions of this piece of work up to the step shown, their values, and those not asked. */
#include <string.h>

#include "view.h"

/* Buddy work is seen in other panes; here it only matters while it is the step shown. */
static bool is_detail(const struct step *step)
{
	switch (step_infos[step->id].func) {
	case FN___free_one_page:
	case FN_expand:
	case FN___rmqueue_smallest:
		return true;
	default:
		return step->id == STEP_BULK_LIST || step->id == STEP_BULK_PAGE ||
		       step->id == STEP_REFILL_PAGE || step->id == STEP_REFILL_BEGIN;
	}
}

/* Conditions and answers come before things that merely happen where room is short. */
static int weight(const struct step *step)
{
	/* A fixed limit or size is the normal case; what decides is not. */
	if (step->id == STEP_NA_TUNE_HIGH || step->id == STEP_NA_HIGH_MARK ||
	    step->id == STEP_NA_SCALE_CAP || step->id == STEP_NA_ALLOC_SCALE ||
	    step->id == STEP_NA_BELOW_HIGH)
		return 1;
	switch (step_infos[step->id].kind) {
	case SK_COND:
	case SK_NOT_ASKED:
	case SK_RESULT:
	case SK_DRAIN:
	case SK_FAIL:
	case SK_FLAG:
		return 3;
	case SK_REFILL:
	case SK_BULK:
		return 2;
	case SK_SET:
	case SK_TICK:
	case SK_PATCH:
		return 1;
	default:
		return 0;
	}
}

static void draw_step(struct ui *ui, struct pane *p, int row, const struct step *step, bool here)
{
	char left[STEP_TEXT_MAX], right[STEP_TEXT_MAX];
	enum style style = step_style(step), answer = ST_NORMAL;
	int patch = patch_number(patch_series(sim_patches(nav_sim(ui))),
				 step_infos[step->id].patch < NR_PATCHES ?
					 (enum patch_id)step_infos[step->id].patch :
					 P_AVOID_DRAIN);
	int at = min_int(max_int(p->at.w - 27, 26), p->at.w - 12);

	step_parts(ui, step, left, right);
	pane_row(p, row, 0);
	pane_text(p, here ? ST_HERE : ST_NORMAL, here ? ">" : " ", 1);
	if (step_infos[step->id].kind == SK_RESULT || step_infos[step->id].kind == SK_DRAIN)
		pane_put(p, style, "=> ");
	if (!right[0]) {
		pane_text(p, here && style == ST_NORMAL ? ST_KEY : style, left, p->at.w - p->col);
	} else {
		pane_text(p, style, left, at - p->col - 1);
		if (p->col < at)
			pane_col(p, at);
		if (step_infos[step->id].kind == SK_COND)
			answer = strcmp(right, "yes") == 0 ? ST_YES : ST_NO;
		else
			answer = ST_NOT_ASKED;
		pane_text(p, answer, right, p->at.w - p->col);
	}
	if (step_infos[step->id].patch < NR_PATCHES && patch > 0 &&
	    step_infos[step->id].kind != SK_NOT_ASKED && p->col + 12 < p->at.w) {
		pane_col(p, p->at.w - 9);
		pane_put(p, ST_DIM, "patch %d", patch);
	}
}

enum { LINES_MAX = 64 };

/*
 * The steps worth a line, newest last: at most @max. Of too many the lightest go
 * first, oldest before newer, but never the step shown.
 */
static u32 choose(const struct op_view *view, u32 *chosen, u32 max)
{
	u32 all[LINES_MAX], n = 0, first = nav_unit(view, view->at), out = 0, drop;

	for (u32 i = first; i < view->at; i++) {
		bool here = i + 1 == view->at;

		if (!here && is_detail(&view->steps[i]))
			continue;
		if (n == LINES_MAX) {
			memmove(all, all + 1, (LINES_MAX - 1) * sizeof(all[0]));
			n--;
		}
		all[n++] = i;
	}
	drop = n > max ? n - max : 0;
	for (int w = 0; w < 4 && drop > 0; w++) {
		for (u32 i = 0; i < n && drop > 0; i++) {
			if (all[i] == UINT32_MAX || all[i] + 1 == view->at ||
			    weight(&view->steps[all[i]]) != w)
				continue;
			all[i] = UINT32_MAX;
			drop--;
		}
	}
	for (u32 i = 0; i < n && out < max; i++)
		if (all[i] != UINT32_MAX)
			chosen[out++] = all[i];
	return out;
}

/* At a boundary: what comes next, and the way on. Rows from @row; returns the next free one. */
static int draw_ahead(struct ui *ui, struct pane *p, int row)
{
	char words[UI_LINE_MAX], buf[UI_LINE_MAX + 64];
	struct tl_pos pos = nav_pos(ui);
	struct sim_error err;
	const u32 *slots;
	struct op op;

	if (pos.op >= tl_length(ui->tl)) {
		return pane_wrap(
			p, row, 1, ST_KEY,
			"the end: S N go back, T and a digit runs it again with a patch switched");
	}
	if (tl_op(ui->tl, pos.op, &op, &slots, &err) == SIM_OK) {
		snprintf(buf, sizeof(buf), "next, op %llu: %s (s steps into it)",
			 (unsigned long long)pos.op + 1, op_words(&op, words));
		row = pane_wrap(p, row, 1, ST_KEY, buf);
	}
	if (nav_prediction(ui) && ui->places[VIEW_LESSON].h >= 3) {
		row = pane_wrap(p, row, 1, ST_ASK, "asked first: p answers the question below");
	} else if (nav_prediction(ui)) {
		snprintf(buf, sizeof(buf), "asked first: %s (p answers)", nav_prediction(ui)->text);
		row = pane_wrap(p, row, 1, ST_ASK, buf);
	}
	return row;
}

/* Before the first operation: what the scenario is about. */
static void draw_begin(struct ui *ui, struct pane *p)
{
	struct tl_pos pos = nav_pos(ui);
	const struct ui_cue *cue;
	size_t from = 0;
	int row = 0;
	bool asked = nav_prediction(ui) && ui->places[VIEW_LESSON].h < 3;

	/* Where room is short the question comes first. */
	if (asked)
		row = draw_ahead(ui, p, row);
	row = pane_wrap(p, row, 1, ST_NORMAL, ui->src.title ? ui->src.title : "");
	if (ui->src.summary)
		row = pane_wrap(p, row, 1, ST_DIM, ui->src.summary);
	cue = nav_cue(ui, UI_SAY, pos.op, &from);
	if (cue && ui->places[VIEW_LESSON].h < 3 && text_columns(cue->text) > p->at.w - 30)
		row = pane_wrap(p, row, 1, ST_SAY, cue->text);
	if (!asked)
		draw_ahead(ui, p, row);
}

/* How many rows draw_ahead() takes: it is drawn outside the screen. */
static int rows_ahead(struct ui *ui, const struct pane *p)
{
	struct pane probe = *p;

	probe.top = 1 << 20;
	probe.rows = 0;
	return draw_ahead(ui, &probe, 0);
}

static void draw(struct ui *ui, struct pane *p)
{
	u32 chosen[LINES_MAX], n;
	bool boundary = nav_pos(ui).step == 0;
	int row = 0, room = p->focused || ui->zoom ? LINES_MAX : min_int(p->at.h, LINES_MAX);

	if (!ui->view.valid) {
		draw_begin(ui, p);
		return;
	}
	if (boundary)
		room = max_int(room - rows_ahead(ui, p), 0);
	n = choose(&ui->view, chosen, (u32)room);
	for (u32 i = 0; i < n; i++)
		draw_step(ui, p, row++, &ui->view.steps[chosen[i]],
			  !boundary && chosen[i] + 1 == ui->view.at);
	if (boundary) {
		draw_ahead(ui, p, row);
	} else if (ui->view.at < ui->view.nr_steps && row < p->at.h) {
		char text[STEP_TEXT_MAX];

		pane_row(p, row, 1);
		pane_put(p, ST_DIM, "next: %s",
			 step_format(nav_sim(ui), &ui->view.steps[ui->view.at], text));
	}
}

/* The functions that run, innermost last; of too many the outer ones are left out. */
static void name_title(struct ui *ui, char *buf, size_t size)
{
	struct step_stack stack;
	int room = ui->places[VIEW_WHY].w - 14, len = 0;
	size_t used;
	u32 first;

	used = (size_t)snprintf(buf, size, "why");
	if (nav_pos(ui).step == 0)
		return;
	nav_stack(&ui->view, ui->view.at, &stack);
	for (first = stack.depth; first > 0; first--) {
		len += (int)strlen(step_funcs[stack.funcs[first - 1]].name) + 3;
		if (len > room && first < stack.depth)
			break;
	}
	for (u32 i = first; i < stack.depth && used < size; i++) {
		int n = snprintf(buf + used, size - used, "%s%s",
				 i > first ? " > " :
				 first > 0 ? ": .. > " :
					     ": ",
				 step_funcs[stack.funcs[i]].name);

		used += n > 0 ? (size_t)n : 0;
	}
}

static int wants(const struct ui *ui)
{
	(void)ui;
	return 14;
}

const struct view_ops view_ops_why = {
	.name = "why",
	.title = "why",
	.min_rows = 5,
	.draw = draw,
	.name_title = name_title,
	.wants = wants,
};

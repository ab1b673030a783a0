/* SPDX-License-Identifier: GPL-2.0-only */
/* The pages that move in this operation, in the order in which they move. */
#include <string.h>

#include "base/diag.h"
#include "scan.h"
#include "view.h"

/* A bulk free or a refill: its steps from its begin to its end. */
struct move {
	u32 begin, end; /* indexes of steps; end is one behind */
	bool leaving;
};

/* The move that step @at is in, or the last before it, in the same piece of work; else false. */
static bool find_move(const struct op_view *view, struct move *move)
{
	u32 unit = nav_unit(view, view->at), i;

	for (i = view->at; i > unit; i--) {
		u16 id = view->steps[i - 1].id;

		if (id == STEP_BULK_BEGIN || id == STEP_REFILL_BEGIN)
			break;
	}
	if (i == unit)
		return false;
	move->begin = i - 1;
	move->leaving = view->steps[i - 1].id == STEP_BULK_BEGIN;
	for (i = move->begin + 1; i < view->nr_steps; i++) {
		u16 id = view->steps[i].id;

		if (id == (move->leaving ? STEP_BULK_DONE : STEP_REFILL))
			break;
	}
	move->end = i;
	return true;
}

/* What goes from one list: blocks, pages, how many are gone. */
struct part {
	u32 blocks, gone, pages;
};

static void count_parts(const struct op_view *view, const struct move *move, struct part *parts)
{
	for (u32 i = move->begin; i < move->end; i++) {
		const struct step *step = &view->steps[i];

		if (step->id != STEP_BULK_PAGE)
			continue;
		parts[step->args[3]].blocks++;
		parts[step->args[3]].pages += 1u << step->args[1];
		parts[step->args[3]].gone += i < view->at;
	}
}

static int draw_parts(struct pane *p, int row, const struct op_view *view, const struct move *move)
{
	struct part parts[NR_PCP_LISTS] = { 0 };
	char name[4];
	u32 first = (u32)view->steps[move->begin].args[3] % NR_PCP_LISTS;

	count_parts(view, move, parts);
	for (u32 k = 0; k < NR_PCP_LISTS; k++) {
		u32 l = (first + k) % NR_PCP_LISTS;
		const struct part *part = &parts[l];

		if (part->blocks == 0)
			continue;
		pane_row(p, row++, 1);
		pane_put(p, part->gone == part->blocks ? ST_GONE : ST_NORMAL,
			 "%s %4u block%s %4u p  ", list_name(l, name), part->blocks,
			 part->blocks == 1 ? " " : "s", part->pages);
		if (part->gone == part->blocks)
			pane_put(p, ST_GONE, "gone");
		else if (part->gone == 0)
			pane_put(p, ST_NORMAL, "next");
		else
			pane_put(p, ST_HERE, "%u gone, %u to go", part->gone,
				 part->blocks - part->gone);
	}
	return row;
}

/* The pfns in order; those done are marked, the next one stands out. */
static int draw_pfns(struct pane *p, int row, const struct op_view *view, const struct move *move)
{
	u16 id = move->leaving ? STEP_BULK_PAGE : STEP_REFILL_PAGE;
	u32 here = move->end, shown = 0, from = move->begin;
	int col = 1;

	for (u32 i = move->begin; i < move->end; i++)
		if (view->steps[i].id == id && i < view->at)
			here = i;
	/* Begin a little before the one that moves now. */
	if (here < move->end) {
		u32 back = 0;

		for (from = here; from > move->begin && back < 4; from--)
			back += view->steps[from].id == id;
	}
	pane_row(p, row, 0);
	for (u32 i = from; i < move->end && row < p->top + p->at.h; i++) {
		const struct step *step = &view->steps[i];
		enum style style = i < view->at ? ST_GONE : ST_NORMAL;
		char text[24];

		if (step->id != id)
			continue;
		snprintf(text, sizeof(text), "%s%llx ",
			 i == here    ? ">" :
			 i < view->at ? "x" :
					"",
			 (unsigned long long)step->args[0]);
		if (col + (int)strlen(text) > p->at.w) {
			row++;
			col = 1;
		}
		pane_row(p, row, col);
		pane_put(p, i == here ? ST_HERE : style, "%s", text);
		col += (int)strlen(text);
		shown++;
	}
	return shown ? row + 1 : row;
}

/* No bulk move: the single blocks that go in or out of a list. */
static int draw_singles(struct ui *ui, struct pane *p)
{
	const struct op_view *view = &ui->view;
	char text[STEP_TEXT_MAX];
	int row = 0;
	u32 from = view->at, n = 0;

	while (from > 0 && n < (u32)max_int(p->at.h - 1, 1)) {
		from--;
		n += step_infos[view->steps[from].id].kind == SK_MOVE;
	}
	for (u32 i = from; i < view->at; i++) {
		if (step_infos[view->steps[i].id].kind != SK_MOVE)
			continue;
		pane_row(p, row++, 1);
		pane_text(p, i + 1 == view->at ? ST_HERE : ST_NORMAL,
			  step_format(nav_sim(ui), &view->steps[i], text), p->at.w);
	}
	if (row == 0) {
		pane_row(p, row++, 1);
		pane_put(p, ST_DIM, "no page has moved yet");
	}
	return row;
}

static void draw(struct ui *ui, struct pane *p)
{
	struct move move;
	s64 before, now;
	int row = 0;

	if (!ui->view.valid) {
		pane_row(p, 0, 1);
		pane_put(p, ST_DIM, "pages are seen here as they move");
		return;
	}
	if (find_move(&ui->view, &move)) {
		if (move.leaving)
			row = draw_parts(p, row, &ui->view, &move);
		row = draw_pfns(p, row, &ui->view, &move);
	} else {
		row = draw_singles(ui, p);
	}
	now = sim_zone(nav_sim(ui), ui->zone)->free_pages;
	before = ui->before.valid ? ui->before.zones[ui->zone].free_pages : now;
	row = max_int(row, p->at.h - 1);
	pane_row(p, row, 1);
	if (before != now)
		pane_put(p, ST_CHANGED, "zone free %lld -> %lld (%+lld)", (long long)before,
			 (long long)now, (long long)(now - before));
	else
		pane_put(p, ST_DIM, "zone free %lld", (long long)now);
}

static void name_title(struct ui *ui, char *buf, size_t size)
{
	struct move move;

	if (ui->view.valid && find_move(&ui->view, &move))
		snprintf(buf, size, move.leaving ? "pages leaving, tail first" : "pages arriving");
	else
		snprintf(buf, size, "pages");
}

static enum handled request(struct ui *ui, enum request req)
{
	const struct step *step = nav_current(ui);

	if (req != REQ_WHO || !step)
		return UI_IGNORED;
	if (step_infos[step->id].kind != SK_MOVE) {
		ui_say(ui, "step to a page that moves, or choose one in the lists pane");
		return UI_REDRAW;
	}
	ui->dialog = (struct dialog){ .kind = DIALOG_TEXT, .title = "the life of a page" };
	ui->dialog.body = scan_page_life(ui, (u64)step->args[0]);
	return UI_REDRAW;
}

static int wants(const struct ui *ui)
{
	(void)ui;
	return 9;
}

const struct view_ops view_ops_pages = {
	.name = "pages",
	.title = "pages",
	.min_rows = 4,
	.draw = draw,
	.name_title = name_title,
	.request = request,
	.wants = wants,
};

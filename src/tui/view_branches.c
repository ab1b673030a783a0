/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of history, breakpoints and bookmarks; Enter goes to the one under the cursor. */
#include "scan.h"
#include "view.h"

static void draw_branch(struct ui *ui, struct pane *p, int row, u32 i)
{
	struct timeline *tl = ui->branches[i].tl;
	char set[PATCH_TEXT_MAX];

	pane_row(p, row, 0);
	pane_put(p, i == ui->branch ? ST_HERE : ST_NORMAL, "%s%-16s", i == ui->branch ? ">" : " ",
		 ui->branches[i].name);
	pane_put(p, ST_DIM, "  %llu ops  from the start with %s", (unsigned long long)tl_length(tl),
		 patch_set_format(tl_base_patches(tl), set));
	if (tl_displaced(tl) > 0)
		pane_put(p, ST_EVENT, "  %llu injections displaced",
			 (unsigned long long)tl_displaced(tl));
}

static void draw(struct ui *ui, struct pane *p)
{
	int row = 0, cursor = ui->views[VIEW_BRANCHES].cursor;
	char at[TL_POS_TEXT_MAX];

	for (u32 i = 0; i < ui->nr_branches; i++) {
		draw_branch(ui, p, row, i);
		if (row++ == cursor)
			pane_select(p, row - 1, 0, p->at.w);
	}
	for (u32 i = 0; i < ui->nr_breaks; i++) {
		const struct breakpoint *b = &ui->breaks[i];

		pane_row(p, row, 0);
		pane_put(p, ST_NORMAL, " break %u: ", i + 1);
		pane_text(p, ST_KEY, b->text, 60);
		if (b->ignore)
			pane_put(p, ST_DIM, "  ignores %u", b->ignore);
		pane_put(p, ST_DIM, "  stopped %llu times  (:delete %u)",
			 (unsigned long long)b->hits, i + 1);
		if (row++ == cursor)
			pane_select(p, row - 1, 0, p->at.w);
	}
	for (u32 i = 0; i < ui->nr_marks; i++) {
		pane_row(p, row, 0);
		pane_put(p, ST_NORMAL, " bookmark op %-8s ", tl_pos_format(ui->marks[i], at));
		pane_text(p, ST_SAY, ui->mark_names[i], 32);
		if (row++ == cursor)
			pane_select(p, row - 1, 0, p->at.w);
	}
}

static enum handled request(struct ui *ui, enum request req)
{
	int at = ui->views[VIEW_BRANCHES].cursor;

	if (req != REQ_ENTER)
		return UI_IGNORED;
	if (at < (int)ui->nr_branches) {
		nav_show_branch(ui, (u32)at);
		return UI_REDRAW;
	}
	at -= (int)(ui->nr_branches + ui->nr_breaks);
	if (at >= 0 && at < (int)ui->nr_marks)
		nav_seek(ui, ui->marks[at].op, ui->marks[at].step);
	return UI_REDRAW;
}

const struct view_ops view_ops_branches = {
	.name = "branches",
	.title = "branches, breakpoints, bookmarks  (:branch NAME makes one, d compares)",
	.min_rows = 3,
	.cursor = true,
	.draw = draw,
	.request = request,
};

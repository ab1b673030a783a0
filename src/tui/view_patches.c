/* SPDX-License-Identifier: GPL-2.0-only */
/* Which patches are on, what each is about and needs; Enter switches the one under the cursor. */
#include "request.h"
#include "view.h"

static enum patch_id patch_at(const struct ui *ui, int row)
{
	return patch_by_number(patch_series(sim_patches(nav_sim(ui))), row + 1);
}

static void draw_needs(struct pane *p, enum series series, u32 needs)
{
	bool first = true;

	for (int id = 0; id < NR_PATCHES; id++) {
		if (!(needs & PATCH_BIT(id)))
			continue;
		pane_put(p, ST_DIM, "%s%d", first ? "  needs " : " ",
			 patch_number(series, (enum patch_id)id));
		first = false;
	}
}

static void draw(struct ui *ui, struct pane *p)
{
	u32 set = sim_patches(nav_sim(ui));
	enum series series = patch_series(set);
	struct view_state *v = &ui->views[VIEW_PATCHES];
	int row;

	for (row = 0; row < patch_count(series); row++) {
		enum patch_id id = patch_at(ui, row);
		bool on = set & PATCH_BIT(id);

		pane_row(p, row, 0);
		pane_put(p, on ? ST_PATCH_ON : ST_DIM, " %2d [%s] ", row + 1, on ? "on " : "off");
		pane_text(p, on ? ST_NORMAL : ST_DIM, patch_title(id), p->at.w);
		draw_needs(p, series, patch_needs(id));
		if (row == v->cursor)
			pane_select(p, row, 0, p->at.w);
	}
	if (set & PATCH_BIT(P_NIKHIL)) {
		pane_row(p, row++, 1);
		pane_put(p, ST_PATCH_ON, "   [on ] %s", patch_title(P_NIKHIL));
	}
	if (patch_set_is_constructed(set)) {
		pane_row(p, row++, 1);
		pane_put(p, ST_EVENT, "constructed: no kernel text ever had this set");
	}
	if (ui->branches[ui->branch].nr_edits > 0) {
		const struct branch *b = &ui->branches[ui->branch];

		pane_row(p, row++, 1);
		pane_put(p, ST_DIM, "u takes back: %s", b->edits[b->nr_edits - 1].text);
	}
}

static void name_title(struct ui *ui, char *buf, size_t size)
{
	char text[PATCH_TEXT_MAX];
	u32 set = sim_patches(nav_sim(ui));

	snprintf(buf, size, "patches %s: %s%s  t from here, T from the start",
		 patch_series(set) == SERIES_V3 ? "v3" : "v2", patch_set_format(set, text),
		 patch_set_is_constructed(set) ? " (constructed)" : "");
}

static enum handled request(struct ui *ui, enum request req)
{
	if (req != REQ_ENTER)
		return UI_IGNORED;
	request_toggle(ui, ui->views[VIEW_PATCHES].cursor + 1, false);
	return UI_REDRAW;
}

static int wants(const struct ui *ui)
{
	(void)ui;
	return 12;
}

const struct view_ops view_ops_patches = {
	.name = "patches",
	.title = "patches",
	.min_rows = 5,
	.cursor = true,
	.draw = draw,
	.name_title = name_title,
	.request = request,
	.wants = wants,
};

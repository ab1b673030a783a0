/* SPDX-License-Identifier: GPL-2.0-only */
/* The pages in the lists of one CPU's pageset, head first: the head is taken next, the tail leaves first. */
#include "scan.h"
#include "view.h"

enum { PFNS_MAX = 4096 };

/* The CPU whose lists are shown: the one under the CPU pane's cursor, else the acting one. */
static u32 shown_cpu(const struct ui *ui)
{
	return ui->cpu;
}

static void draw(struct ui *ui, struct pane *p)
{
	const struct sim *sim = nav_sim(ui);
	u32 cpu = shown_cpu(ui), n = 0, base = ui->zone * sim_nr_cpus(sim) + cpu;
	struct view_state *v = &ui->views[VIEW_LISTS];
	int row = 0;
	char name[4];

	for (u32 l = 0; l < NR_PCP_LISTS; l++) {
		u32 at = 0, length = ui->now.lists[base][l];
		bool changed = ui->before.valid && ui->before.lists[base][l] != length;
		u64 pfn;
		int col = 10;

		if (length == 0 && !changed)
			continue;
		pane_row(p, row, 0);
		pane_put(p, changed ? ST_CHANGED : ST_KEY, "%s%4u%s", list_name(l, name), length,
			 changed ? "*" : " ");
		while (sim_pcp_list_next(sim, ui->zone, cpu, l, &at, &pfn) && n < PFNS_MAX) {
			if (col + 6 > p->at.w) {
				row++;
				col = 10;
			}
			pane_row(p, row, col);
			pane_put(p, ST_NORMAL, "%llx", (unsigned long long)pfn);
			if ((int)n == v->cursor)
				pane_select(p, row, col, p->col - col);
			col = p->col + 1;
			n++;
		}
		row++;
	}
	if (row == 0) {
		pane_row(p, 0, 1);
		pane_put(p, ST_DIM, "cpu%u's lists are empty", cpu);
	}
}

static void name_title(struct ui *ui, char *buf, size_t size)
{
	char zone[32];

	snprintf(buf, size, "lists of cpu%u, zone %s: head first, o on a page tells its life",
		 shown_cpu(ui), sim_zone_name(nav_sim(ui), ui->zone, zone));
}

static u32 page_total(const struct ui *ui)
{
	u32 base = ui->zone * sim_nr_cpus(nav_sim(ui)) + shown_cpu(ui), n = 0;

	for (u32 l = 0; l < NR_PCP_LISTS; l++)
		n += ui->now.lists[base][l];
	return n < PFNS_MAX ? n : PFNS_MAX;
}

static bool page_under_cursor(struct ui *ui, u64 *pfn)
{
	int n = ui->views[VIEW_LISTS].cursor;

	for (u32 l = 0; l < NR_PCP_LISTS; l++) {
		u32 at = 0;

		while (sim_pcp_list_next(nav_sim(ui), ui->zone, shown_cpu(ui), l, &at, pfn))
			if (n-- == 0)
				return true;
	}
	return false;
}

static enum handled request(struct ui *ui, enum request req)
{
	struct view_state *v = &ui->views[VIEW_LISTS];
	int most = max_int((int)page_total(ui) - 1, 0);
	u64 pfn;

	switch (req) {
	case REQ_LEFT:
	case REQ_UP:
		v->cursor = max_int(v->cursor - 1, 0);
		return UI_REDRAW;
	case REQ_RIGHT:
	case REQ_DOWN:
		v->cursor = min_int(v->cursor + 1, most);
		return UI_REDRAW;
	case REQ_WHO:
		if (!page_under_cursor(ui, &pfn)) {
			ui_say(ui, "there is no page in these lists");
			return UI_REDRAW;
		}
		ui->dialog = (struct dialog){ .kind = DIALOG_TEXT, .title = "the life of a page" };
		ui->dialog.body = scan_page_life(ui, pfn);
		return UI_REDRAW;
	default:
		return UI_IGNORED;
	}
}

static int wants(const struct ui *ui)
{
	(void)ui;
	return 12;
}

const struct view_ops view_ops_lists = {
	.name = "lists",
	.title = "lists",
	.min_rows = 5,
	.draw = draw,
	.name_title = name_title,
	.request = request,
	.wants = wants,
};

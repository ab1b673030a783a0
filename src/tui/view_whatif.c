/* SPDX-License-Identifier: GPL-2.0-only */
/* What would be different at this operation with one patch switched. */
#include <string.h>

#include "view.h"
#include "whatif.h"

static bool same_figures(const struct whatif *w, const struct lane *lane)
{
	return lane->freed == w->freed && lane->refilled == w->refilled &&
	       lane->count == w->count && lane->high == w->high;
}

static bool lanes_alike(const struct lane *a, const struct lane *b)
{
	return b->done && !b->failed && a->freed == b->freed && a->refilled == b->refilled &&
	       a->count == b->count && a->high == b->high;
}

/* The numbers of lanes with the same figures as lane @i, if it is the first of them. */
static bool group(const struct whatif *w, u32 i, char *buf, size_t size)
{
	size_t used = 0;

	for (u32 k = 0; k < w->nr; k++) {
		if (!lanes_alike(&w->lanes[i], &w->lanes[k]))
			continue;
		if (k < i)
			return false;
		used += (size_t)snprintf(buf + used, size - used, "%s%u", used ? " " : "", k + 1);
	}
	return true;
}

/* One line: those that differ with their figures, those that do not by number. */
static void draw_strip(struct ui *ui, struct pane *p)
{
	struct whatif *w = &ui->whatif;
	bool any = false, pending = false;
	char numbers[48], same[48] = "";

	pane_row(p, 0, 1);
	pane_put(p, ST_KEY, "now %llu/%lld", (unsigned long long)w->freed, (long long)w->count);
	for (u32 i = 0; i < w->nr; i++) {
		const struct lane *lane = &w->lanes[i];

		pending |= !lane->done;
		if (!lane->done || lane->failed || !group(w, i, numbers, sizeof(numbers)))
			continue;
		if (same_figures(w, lane)) {
			snprintf(same, sizeof(same), "%s", numbers);
			continue;
		}
		any = true;
		pane_put(p, ST_KEY, "  %s: ", numbers);
		pane_put(p, ST_EVENT, "%llu/%lld", (unsigned long long)lane->freed,
			 (long long)lane->count);
	}
	if (pending)
		pane_put(p, ST_DIM, "  (computing)");
	else if (!any)
		pane_put(p, ST_DIM,
			 "  no single patch makes a difference here (Enter in this pane: why)");
	else if (same[0])
		pane_put(p, ST_DIM, "  same: %s", same);
}

static void draw_table(struct ui *ui, struct pane *p)
{
	struct whatif *w = &ui->whatif;

	pane_row(p, 0, 1);
	pane_put(p, ST_DIM, "switched    back  take count  high  why");
	pane_row(p, 1, 1);
	pane_put(p, ST_KEY, "as it is  %6llu%6llu%6lld%6lld", (unsigned long long)w->freed,
		 (unsigned long long)w->refilled, (long long)w->count, (long long)w->high);
	for (u32 i = 0; i < w->nr; i++) {
		const struct lane *lane = &w->lanes[i];
		enum patch_id id = patch_by_number(patch_series(w->base), (int)i + 1);
		bool same = same_figures(w, lane);
		char also[24] = "";

		if (__builtin_popcount((lane->set ^ w->base) & PATCH_MASK) > 1)
			snprintf(also, sizeof(also), "+%d",
				 __builtin_popcount((lane->set ^ w->base) & PATCH_MASK) - 1);
		pane_row(p, (int)i + 2, 1);
		pane_put(p, same ? ST_DIM : ST_KEY, "%2u %-3s%-4s", i + 1,
			 w->base & PATCH_BIT(id) ? "off" : "on", also);
		if (!lane->done) {
			pane_put(p, ST_DIM, "  computing");
			continue;
		}
		if (lane->failed) {
			pane_put(p, ST_DIM, "   cannot be run from the start");
			continue;
		}
		if (same)
			pane_put(p, ST_DIM, "%6s%20s", "same", "");
		else
			pane_put(p, ST_EVENT, "%6llu%6llu%6lld%6lld  ",
				 (unsigned long long)lane->freed,
				 (unsigned long long)lane->refilled, (long long)lane->count,
				 (long long)lane->high);
		pane_text(p, same ? ST_DIM : ST_NORMAL, lane->reason, p->at.w - p->col);
	}
}

static void draw(struct ui *ui, struct pane *p)
{
	struct whatif *w = &ui->whatif;

	if (w->off) {
		pane_row(p, 0, 1);
		pane_put(
			p, ST_DIM,
			"the log is long: Enter here (Tab comes here) computes, w and a digit compares");
		return;
	}
	if (!w->op_valid) {
		pane_row(p, 0, 1);
		pane_put(p, ST_DIM,
			 "from the first operation on: what one patch more or less would change");
		return;
	}
	if (!w->lanes[0].done) {
		pane_row(p, 0, 1);
		pane_put(p, ST_DIM, "computing");
		return;
	}
	if (p->at.h >= 4)
		draw_table(ui, p);
	else
		draw_strip(ui, p);
}

static void name_title(struct ui *ui, char *buf, size_t size)
{
	snprintf(buf, size,
		 "what if one patch were switched: pages op %llu gives back/count after it",
		 (unsigned long long)ui->whatif.op + 1);
}

static enum handled request(struct ui *ui, enum request req)
{
	if (req != REQ_ENTER || !ui->whatif.off)
		return UI_IGNORED;
	ui->whatif.off = false;
	return UI_REDRAW;
}

static int wants(const struct ui *ui)
{
	return (int)ui->whatif.nr + 2;
}

const struct view_ops view_ops_whatif = {
	.name = "whatif",
	.title = "what if",
	.min_rows = 1,
	.draw = draw,
	.name_title = name_title,
	.request = request,
	.wants = wants,
};

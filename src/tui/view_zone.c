/* SPDX-License-Identifier: GPL-2.0-only */
/* The zone: free pages against the watermarks, flags, and the buddy's free lists by order and type. */
#include <string.h>

#include "view.h"

static void put_value(struct pane *p, const char *name, s64 now, s64 before, bool known)
{
	bool changed = known && now != before;

	pane_put(p, ST_DIM, "%s ", name);
	pane_put(p, changed ? ST_CHANGED : ST_NORMAL, "%lld%s", (long long)now, changed ? "*" : "");
	pane_put(p, ST_NORMAL, "  ");
}

/* Free pages on a line with the three marks. */
static void draw_marks(struct ui *ui, struct pane *p, int row, const struct zone *z)
{
	int width = max_int(p->at.w - 4, 8);
	s64 full = max_s64(z->managed_pages, 1), high = z->_watermark[WMARK_HIGH] * 4;
	s64 scale = z->free_pages > high ? full : max_s64(high, 1);

	pane_row(p, row, 1);
	for (int i = 0; i < width; i++) {
		s64 from = scale * i / width, to = scale * (i + 1) / width;
		const char *c = from < z->free_pages ? theme_glyph(ui, GL_BAR) :
						       theme_glyph(ui, GL_BAR_EMPTY);
		enum style style = from < z->free_pages ? ST_BAR : ST_DIM;

		for (int m = WMARK_MIN; m <= WMARK_HIGH; m++) {
			if (z->_watermark[m] >= from && z->_watermark[m] < to) {
				c = m == WMARK_MIN ? "m" : m == WMARK_LOW ? "l" : "h";
				style = ST_KEY;
			}
		}
		pane_text(p, style, c, 1);
	}
}

static void draw_flags(struct pane *p, const struct zone *z, u32 patches)
{
	pane_put(p, z->flags & 1u << ZONE_RECLAIM_ACTIVE ? ST_EVENT : ST_DIM, "reclaim %s  ",
		 z->flags & 1u << ZONE_RECLAIM_ACTIVE ? "ACTIVE" : "off");
	if (patches & PATCH_BIT(P_BELOW_HIGH))
		pane_put(p, z->flags & 1u << ZONE_BELOW_HIGH ? ST_EVENT : ST_DIM, "below high %s  ",
			 z->flags & 1u << ZONE_BELOW_HIGH ? "YES" : "no");
	if (z->lock)
		pane_put(p, ST_EVENT, "lock HELD  ");
	if (z->pcp_disabled)
		pane_put(p, ST_EVENT, "pagesets DISABLED  ");
	if (z->watermark_boost)
		pane_put(p, ST_EVENT, "boost %lld", (long long)z->watermark_boost);
}

static void draw(struct ui *ui, struct pane *p)
{
	const struct sim *sim = nav_sim(ui);
	const struct zone *z = sim_zone(sim, ui->zone);
	bool known = ui->before.valid;
	const struct zone *was = known ? &ui->before.zones[ui->zone] : z;
	int row = 0, w = p->at.w >= 60 ? 7 : 6;
	char pages[24];

	pane_row(p, row++, 1);
	put_value(p, "free", z->free_pages, was->free_pages, known);
	put_value(p, "of", z->managed_pages, was->managed_pages, false);
	put_value(p, "min", z->_watermark[WMARK_MIN], was->_watermark[WMARK_MIN], known);
	put_value(p, "low", z->_watermark[WMARK_LOW], was->_watermark[WMARK_LOW], known);
	put_value(p, "high", z->_watermark[WMARK_HIGH], was->_watermark[WMARK_HIGH], known);
	draw_marks(ui, p, row++, z);
	pane_row(p, row++, 1);
	draw_flags(p, z, sim_patches(sim));
	pane_row(p, row++, 1);
	pane_put(p, ST_DIM, "order");
	pane_put(p, ST_TYPE_U, "%*s", w, "U");
	pane_put(p, ST_TYPE_M, "%*s", w, "M");
	pane_put(p, ST_TYPE_R, "%*s", w, "R");
	pane_put(p, ST_DIM, "%*s%*s", w, "H", w + 1, "pages");
	for (u32 o = 0; o < NR_PAGE_ORDERS; o++) {
		bool changed = known && z->nr_free[o] != was->nr_free[o];

		pane_row(p, row++, 1);
		pane_put(p, ST_DIM, "%5u", o);
		for (u32 t = 0; t < MIGRATE_TYPES; t++) {
			u32 n = sim_free_list_length(sim, ui->zone, o, t);

			pane_put(p, n ? ST_NORMAL : ST_DIM, "%*u", w, n);
		}
		snprintf(pages, sizeof(pages), "%llu%s", (unsigned long long)z->nr_free[o] << o,
			 changed ? "*" : "");
		pane_put(p, ST_NORMAL, "%*s", max_int(w + 1 + changed - (int)strlen(pages), 1), "");
		pane_put(p, changed ? ST_CHANGED : ST_DIM, "%s", pages);
	}
	pane_row(p, row++, 1);
	pane_put(p, ST_DIM, "spanned pfn %llx..%llx  batch %d  pageset high %d..%d",
		 (unsigned long long)z->start_pfn,
		 (unsigned long long)(z->start_pfn + z->spanned_pages - 1), z->pageset_batch,
		 z->pageset_high_min, z->pageset_high_max);
}

static void name_title(struct ui *ui, char *buf, size_t size)
{
	char zone[32];

	snprintf(buf, size, "zone %s and its buddy%s", sim_zone_name(nav_sim(ui), ui->zone, zone),
		 sim_nr_zones(nav_sim(ui)) > 1 ? ", z for the next" : "");
}

static int wants(const struct ui *ui)
{
	(void)ui;
	return 16;
}

const struct view_ops view_ops_zone = {
	.name = "zone",
	.title = "zone and buddy",
	.min_rows = 6,
	.draw = draw,
	.name_title = name_title,
	.wants = wants,
};

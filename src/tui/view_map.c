/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory by pageblock: its type, whether it is free as a whole, and whether pagesets keep it from being so. */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "view.h"

enum { WALK_MAX = 200000 };

/* What of a pageblock is free, in pagesets, or live. */
struct block {
	u16 free, pcp;
};

/*
 * One character: '.' free as a whole, U M R H the type where something is live, a
 * small letter where half or more is free, '+' where only pages in pagesets keep
 * it from being whole.
 */
static char block_char(const struct block *b, u32 type)
{
	char letter = "UMRH"[type < 4 ? type : 0];

	if (b->free >= PAGEBLOCK_NR_PAGES)
		return '.';
	if (b->pcp > 0 && b->free + b->pcp >= PAGEBLOCK_NR_PAGES)
		return '+';
	return b->free * 2 >= PAGEBLOCK_NR_PAGES ? (char)(letter - 'A' + 'a') : letter;
}

static void add_pages(struct block *blocks, u64 nr, const struct zone *z, u64 pfn, u32 order,
		      bool pcp)
{
	u64 first = (pfn - z->start_pfn) >> PAGEBLOCK_ORDER;
	u64 span = order > PAGEBLOCK_ORDER ? 1ull << (order - PAGEBLOCK_ORDER) : 1;

	for (u64 i = first; i < first + span && i < nr; i++) {
		u16 pages = (u16)(order > PAGEBLOCK_ORDER ? PAGEBLOCK_NR_PAGES : 1u << order);

		if (pcp)
			blocks[i].pcp = (u16)(blocks[i].pcp + pages);
		else
			blocks[i].free = (u16)(blocks[i].free + pages);
	}
}

/* Walk the free lists and pagesets once. */
static void fill(const struct ui *ui, struct block *blocks, u64 nr)
{
	const struct sim *sim = nav_sim(ui);
	const struct zone *z = sim_zone(sim, ui->zone);
	u32 budget = WALK_MAX;
	u64 pfn;

	for (u32 o = 0; o < NR_PAGE_ORDERS; o++) {
		for (u32 t = 0; t < MIGRATE_TYPES; t++) {
			u32 at = 0;

			while (budget > 0 && sim_free_list_next(sim, ui->zone, o, t, &at, &pfn)) {
				add_pages(blocks, nr, z, pfn, o, false);
				budget--;
			}
		}
	}
	for (u32 c = 0; c < sim_nr_cpus(sim); c++) {
		for (u32 l = 0; l < NR_PCP_LISTS; l++) {
			u32 at = 0;

			while (budget > 0 && sim_pcp_list_next(sim, ui->zone, c, l, &at, &pfn)) {
				add_pages(blocks, nr, z, pfn, pindex_to_order(l), true);
				budget--;
			}
		}
	}
}

static enum style block_style(char c)
{
	switch (c) {
	case '.':
		return ST_DIM;
	case '+':
		return ST_EVENT;
	case 'U':
	case 'u':
		return ST_TYPE_U;
	case 'M':
	case 'm':
		return ST_TYPE_M;
	case 'R':
	case 'r':
		return ST_TYPE_R;
	default:
		return ST_NORMAL;
	}
}

static void draw(struct ui *ui, struct pane *p)
{
	const struct sim *sim = nav_sim(ui);
	const struct zone *z = sim_zone(sim, ui->zone);
	u64 nr = (z->spanned_pages + PAGEBLOCK_NR_PAGES - 1) >> PAGEBLOCK_ORDER;
	u64 per_row = (u64)max_int(p->at.w - 9, 8);
	struct block *blocks = base_alloc((size_t)nr, sizeof(*blocks));

	per_row -= per_row > 16 ? per_row % 16 : 0;
	fill(ui, blocks, nr);
	p->rows = (int)((nr + per_row - 1) / per_row) + 1;
	for (int row = p->find ? 0 : p->top; row + 1 < p->rows && pane_shows(p, row); row++) {
		u64 first = (u64)row * per_row;

		pane_row(p, row, 0);
		pane_put(p, ST_DIM, "%8llx ",
			 (unsigned long long)(z->start_pfn + (first << PAGEBLOCK_ORDER)));
		for (u64 i = first; i < first + per_row && i < nr; i++) {
			char text[2] = { block_char(&blocks[i],
						    sim_pageblock_type(
							    sim,
							    z->start_pfn + (i << PAGEBLOCK_ORDER))),
					 '\0' };

			pane_put(p, block_style(text[0]), "%s", text);
		}
	}
	free(blocks);
}

static void name_title(struct ui *ui, char *buf, size_t size)
{
	(void)ui;
	snprintf(
		buf, size,
		"memory map by pageblock: . free  UMR live  umr half free  + pagesets hold the rest");
}

static int wants(const struct ui *ui)
{
	(void)ui;
	return 14;
}

const struct view_ops view_ops_map = {
	.name = "map",
	.title = "memory map",
	.min_rows = 4,
	.draw = draw,
	.name_title = name_title,
	.wants = wants,
};

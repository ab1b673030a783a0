/* SPDX-License-Identifier: GPL-2.0-only */
#include "cpu_row.h"

#include <string.h>

/* In the order of the screen. */
const struct cpu_column_info cpu_columns[NR_CPU_COLUMNS] = {
	{ "count", "count", 6, 0, 0, 0 },
	{ "high", "high", 6, 0, 0, 0 },
	{ "min", "high_min", 6, PATCH_BIT(P_HIGH_LIMITS), 0, 110 },
	{ "max", "high_max", 7, PATCH_BIT(P_HIGH_LIMITS), 0, 110 },
	{ "batch", "batch", 6, 0, 0, 140 },
	{ "cmin", "count_min", 6, PATCH_BIT(P_COUNT_MIN), 0, 140 },
	{ "af", "alloc_factor", 4, PATCH_BIT(P_ALLOC_SCALE), 0, 0 },
	{ "ff", "free_factor", 4, 0, PATCH_BIT(P_FREE_COUNT), 0 },
	{ "fc", "free_count", 6, PATCH_BIT(P_FREE_COUNT), 0, 0 },
};

u32 cpu_columns_of(u32 patches)
{
	u32 columns = 0;

	for (int i = 0; i < NR_CPU_COLUMNS; i++) {
		const struct cpu_column_info *c = &cpu_columns[i];

		if ((!c->patch || (patches & c->patch)) && !(patches & c->gone_with))
			columns |= 1u << i;
	}
	return columns;
}

void cpu_row_plan(struct cpu_row_plan *plan, u32 columns, int width, const s64 most[NR_CPU_COLUMNS])
{
	memset(plan, 0, sizeof(*plan));
	plan->bar = width >= 140 ? 20 : width >= 88 ? 10 : width >= 80 ? 7 : 0;
	plan->width = plan->bar ? plan->bar + 4 : 0;
	for (int i = 0; i < NR_CPU_COLUMNS; i++) {
		s64 left = most[i];

		/* its digits, its star and a blank before it */
		plan->widths[i] = cpu_columns[i].width;
		for (int digits = 1; left > 0; digits++, left /= 10)
			plan->widths[i] = max_int(plan->widths[i], digits + 2);
		plan->shown[i] = (columns & 1u << i) && width >= cpu_columns[i].from_cols;
		if (plan->shown[i])
			plan->width += plan->widths[i];
	}
}

void cpu_number(struct pane *p, s64 value, bool changed, int width)
{
	pane_put(p, changed ? ST_CHANGED : ST_NORMAL, "%*lld", width - 1, (long long)value);
	pane_put(p, changed ? ST_CHANGED : ST_NORMAL, "%s", changed ? "*" : " ");
}

static void draw_bar(struct ui *ui, struct pane *p, s64 count, s64 high, int width)
{
	s64 full = max_s64(max_s64(count, high), 1);
	int fill = (int)(count * width / full), mark = (int)(high * width / full);

	if (count > 0 && fill == 0)
		fill = 1;
	pane_put(p, ST_DIM, " [");
	for (int i = 0; i < width; i++) {
		if (i == mark && mark < width)
			pane_text(p, ST_KEY, theme_glyph(ui, GL_V), 1);
		else if (i < fill)
			pane_text(p, ST_BAR, theme_glyph(ui, GL_BAR), 1);
		else
			pane_text(p, ST_DIM, theme_glyph(ui, GL_BAR_EMPTY), 1);
	}
	pane_text(p, ST_KEY, mark >= width ? theme_glyph(ui, GL_V) : " ", 1);
	pane_put(p, ST_DIM, "]");
}

void cpu_row_head(struct pane *p, const struct cpu_row_plan *plan, enum style style, int from,
		  int to)
{
	for (int i = from; i < to; i++)
		if (plan->shown[i])
			pane_put(p, style, "%*s ", plan->widths[i] - 1, cpu_columns[i].head);
	if (to == CPU_COLUMN_ALLOC_FACTOR && plan->bar)
		pane_put(p, style, " [%-*s]", plan->bar + 1,
			 plan->bar >= 20 ? "count against high |" : "");
}

void cpu_row_draw(struct ui *ui, struct pane *p, const struct cpu_row_plan *plan,
		  const struct cpu_cells *cells, int from, int to)
{
	for (int i = from; i < to; i++)
		if (plan->shown[i])
			cpu_number(p, cells->v[i], cells->changed[i], plan->widths[i]);
	if (to == CPU_COLUMN_ALLOC_FACTOR && plan->bar)
		draw_bar(ui, p, cells->v[CPU_COLUMN_COUNT], cells->v[CPU_COLUMN_HIGH], plan->bar);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Every CPU's pageset: count against high, flags, factors, lists. */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "big_cpus.h"
#include "cpu_row.h"
#include "scan.h"
#include "view.h"

static s64 column_value(const struct per_cpu_pages *pcp, int column, u32 patches)
{
	switch (column) {
	case 0:
		return pcp->count;
	case 1:
		return pcp_high_shown(pcp, patches);
	case 2:
		return pcp->high_min;
	case 3:
		return pcp->high_max;
	case 4:
		return pcp->batch;
	case 5:
		return pcp->count_min;
	case 6:
		return pcp->alloc_factor;
	case 7:
		return pcp->free_factor;
	default:
		return pcp->free_count;
	}
}

/* ---- order of CPUs ---- */

static u32 *sort_keys;

static int by_key(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	if (sort_keys[x] != sort_keys[y])
		return sort_keys[x] > sort_keys[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Operations of late by CPU. */
static void count_activity(const struct ui *ui, u32 *keys, u32 cpus)
{
	u64 to = nav_pos(ui).op, from = to > 256 ? to - 256 : 0;
	struct sim_error err;
	const u32 *slots;
	struct op op;

	for (u64 i = from; i < to; i++)
		if (tl_op(ui->tl, i, &op, &slots, &err) == SIM_OK && op.cpu < cpus)
			keys[op.cpu]++;
}

static const u32 *cpu_order(struct ui *ui)
{
	u32 cpus = sim_nr_cpus(nav_sim(ui));

	if (!ui->cpu_order)
		ui->cpu_order = base_alloc(cpus, sizeof(u32));
	for (u32 i = 0; i < cpus; i++)
		ui->cpu_order[i] = i;
	if (ui->sort == SORT_NUMBER)
		return ui->cpu_order;
	sort_keys = base_alloc(cpus, sizeof(u32));
	for (u32 i = 0; i < cpus; i++) {
		const struct per_cpu_pages *pcp = pcp_now(ui, i);
		s32 high = pcp_high_shown(pcp, sim_patches(nav_sim(ui)));

		if (ui->sort == SORT_COUNT)
			sort_keys[i] = (u32)max_int(pcp->count, 0);
		else if (ui->sort == SORT_HIGH)
			sort_keys[i] = (u32)max_int(high, 0);
	}
	if (ui->sort == SORT_ACTIVITY)
		count_activity(ui, sort_keys, cpus);
	qsort(ui->cpu_order, cpus, sizeof(u32), by_key);
	free(sort_keys);
	return ui->cpu_order;
}

/* ---- which lists fit ---- */

struct layout {
	struct cpu_row_plan row;
	bool lists[NR_PCP_LISTS];
	bool left_out;
	int list_width;
};

static void count_lists(const struct ui *ui, bool *used, bool *changed, u32 *most)
{
	u32 cpus = sim_nr_cpus(nav_sim(ui)), base = ui->zone * cpus;

	*most = 0;
	for (u32 c = 0; c < cpus; c++) {
		for (u32 l = 0; l < NR_PCP_LISTS; l++) {
			u32 n = ui->now.lists[base + c][l];

			used[l] |= n > 0;
			changed[l] |= ui->before.valid && ui->before.lists[base + c][l] != n;
			*most = n > *most ? n : *most;
		}
	}
}

static void plan(const struct ui *ui, const struct pane *p, struct layout *lay)
{
	bool used[NR_PCP_LISTS] = { false }, changed[NR_PCP_LISTS] = { false };
	int room, fit;
	u32 most, patches = sim_patches(nav_sim(ui));
	s64 widest[NR_CPU_COLUMNS] = { 0 };

	memset(lay, 0, sizeof(*lay));
	for (u32 c = 0; c < sim_nr_cpus(nav_sim(ui)); c++)
		for (int i = 0; i < NR_CPU_COLUMNS; i++)
			widest[i] = max_s64(widest[i], column_value(pcp_now(ui, c), i, patches));
	cpu_row_plan(&lay->row, cpu_columns_of(patches), p->at.w, widest);
	count_lists(ui, used, changed, &most);
	lay->list_width = most > 9999 ? 6 : most > 999 ? 5 : most > 99 ? 4 : 3;
	/* the CPU, its columns, the flags and the line behind them */
	room = p->at.w - 5 - lay->row.width - 4 - 1 - 2;
	fit = max_int(room / lay->list_width, 1);
	if (fit < NR_PCP_LISTS)
		fit = max_int((room - 3) / lay->list_width, 1);
	/* First what this step touches, then what is not empty, then the rest in order. */
	for (int pass = 0; pass < 3; pass++) {
		for (u32 l = 0; l < NR_PCP_LISTS; l++) {
			bool want = pass == 0 ? changed[l] : pass == 1 ? used[l] : true;

			if (!lay->lists[l] && want && fit > 0) {
				lay->lists[l] = true;
				fit--;
			}
		}
	}
	for (u32 l = 0; l < NR_PCP_LISTS; l++)
		lay->left_out |= !lay->lists[l];
}

/* ---- drawing ---- */

static void draw_flag(struct pane *p, u8 now, const u8 *before, u8 bit, bool exists, char letter)
{
	bool changed = before && (*before & bit) != (now & bit);
	char text[3] = { ' ', '-', '\0' };

	if (!exists)
		text[1] = ' ';
	else if (now & bit)
		text[1] = letter;
	pane_put(p, changed ? ST_CHANGED : ST_NORMAL, "%s", text);
}

static void draw_cpu(struct ui *ui, struct pane *p, const struct layout *lay, int row, u32 cpu)
{
	const struct per_cpu_pages *now = pcp_now(ui, cpu), *before = pcp_before(ui, cpu);
	u32 base = ui->zone * sim_nr_cpus(nav_sim(ui)) + cpu;
	bool acts = nav_current(ui) && ui->cpu == cpu;
	struct cpu_cells cells;
	u32 patches = sim_patches(nav_sim(ui));

	pane_row(p, row, 0);
	pane_text(p, acts ? ST_HERE : ST_NORMAL, acts ? ">" : " ", 1);
	pane_put(p, acts ? ST_HERE : ST_NORMAL, "%-4u", cpu);
	if (!sim_cpu_online(nav_sim(ui), cpu)) {
		pane_put(p, ST_DIM, " offline");
		return;
	}
	for (int i = 0; i < NR_CPU_COLUMNS; i++) {
		cells.v[i] = column_value(now, i, patches);
		cells.changed[i] = before && column_value(before, i, patches) != cells.v[i];
	}
	cpu_row_draw(ui, p, &lay->row, &cells, 0, CPU_COLUMN_ALLOC_FACTOR);
	draw_flag(p, now->flags, before ? &before->flags : NULL, PCPF_PREV_FREE_HIGH_ORDER,
		  patches & PATCH_BIT(P_AVOID_DRAIN), 'P');
	draw_flag(p, now->flags, before ? &before->flags : NULL, PCPF_FREE_HIGH_BATCH,
		  patches & PATCH_BIT(P_KEEP_BATCH), 'B');
	cpu_row_draw(ui, p, &lay->row, &cells, CPU_COLUMN_ALLOC_FACTOR, NR_CPU_COLUMNS);
	pane_text(p, ST_DIM, theme_glyph(ui, GL_V), 1);
	for (u32 l = 0; l < NR_PCP_LISTS; l++) {
		u32 n = ui->now.lists[base][l];

		if (l == NR_PCP_LISTS - 1 && lay->left_out && lay->lists[l])
			pane_text(p, ST_DIM, theme_glyph(ui, GL_DOTS), 2);
		if (lay->lists[l])
			cpu_number(p, n, ui->before.valid && ui->before.lists[base][l] != n,
				   lay->list_width);
	}
}

/* The heads of the columns stand in the title's line. */
static void draw_head(struct ui *ui, const struct pane *content, const struct layout *lay)
{
	struct pane head = *content, *p = &head;
	enum style style = content->focused ? ST_FOCUS : ST_TITLE;
	char name[4];

	if (content->find)
		return;
	head.at.y--;
	head.at.h = 1;
	head.top = 0;
	head.focused = false;
	pane_row(p, 0, 0);
	pane_put(p, style, "%s", ui->sort == SORT_NUMBER ? "-cpu-" : "-cpu^");
	cpu_row_head(p, &lay->row, style, 0, CPU_COLUMN_ALLOC_FACTOR);
	pane_put(p, style, " P B");
	cpu_row_head(p, &lay->row, style, CPU_COLUMN_ALLOC_FACTOR, NR_CPU_COLUMNS);
	pane_text(p, style, theme_glyph(ui, GL_V), 1);
	for (u32 l = 0; l < NR_PCP_LISTS; l++) {
		if (l == NR_PCP_LISTS - 1 && lay->left_out && lay->lists[l])
			pane_text(p, style, theme_glyph(ui, GL_DOTS), 2);
		if (lay->lists[l])
			pane_put(p, style, "%*s ", lay->list_width - 1, list_name(l, name));
	}
}

/* One cell a CPU: how full its pageset is, 0..9 tenths of high, and more. */
static void draw_heat(struct ui *ui, struct pane *p)
{
	u32 cpus = sim_nr_cpus(nav_sim(ui)), patches = sim_patches(nav_sim(ui));
	u32 per_row = (u32)max_int((p->at.w - 6) / 2, 1);
	char cell[3];

	per_row -= per_row > 10 ? per_row % 10 : 0;
	for (u32 c = 0; c < cpus; c++) {
		const struct per_cpu_pages *pcp = pcp_now(ui, c);
		s64 high = max_s64(pcp_high_shown(pcp, patches), 1);
		s64 tenth = pcp->count * 10 / high;

		if (c % per_row == 0) {
			pane_row(p, (int)(c / per_row), 0);
			pane_put(p, ST_DIM, "%5u ", c);
		}
		snprintf(cell, sizeof(cell), "%c",
			 pcp->count == 0 ? '.' :
			 tenth >= 10	 ? '#' :
					   (int)('0' + tenth));
		pane_put(p, tenth >= 8 ? ST_HEAT : tenth >= 4 ? ST_EVENT : ST_NORMAL, "%s", cell);
		pane_put(p, ST_HERE, "%s", c == ui->cpu ? "<" : " ");
	}
}

/* Scrolled so that the acting CPU is seen, unless the person scrolls. */
static void keep_acting(struct ui *ui, struct pane *p, const u32 *order)
{
	u32 cpus = sim_nr_cpus(nav_sim(ui)), at = 0;

	if (p->find)
		return;
	while (at < cpus && order[at] != ui->cpu)
		at++;
	if (!p->focused) {
		if ((int)at >= p->top + p->at.h)
			p->top = (int)at + 1 - p->at.h;
		if ((int)at < p->top)
			p->top = (int)at;
		ui->views[VIEW_CPUS].cursor = min_int((int)at, (int)cpus - 1);
	}
	p->top = max_int(min_int(p->top, (int)cpus - p->at.h), 0);
	ui->views[VIEW_CPUS].top = p->top;
}

/* Where a column begins, for the cursor; the width in @width. */
static int column_at(const struct layout *lay, int wanted, int *w)
{
	int x = 5, n = 0;

	for (int i = 0; i < NR_CPU_COLUMNS; i++) {
		if (i == CPU_COLUMN_ALLOC_FACTOR)
			x += (lay->row.bar ? lay->row.bar + 4 : 0) + 4;
		if (!lay->row.shown[i])
			continue;
		*w = lay->row.widths[i] - 1;
		if (n++ == wanted)
			return x;
		x += lay->row.widths[i];
	}
	x++;
	for (u32 l = 0; l < NR_PCP_LISTS; l++) {
		if (!lay->lists[l])
			continue;
		if (l == NR_PCP_LISTS - 1 && lay->left_out)
			x += 2;
		*w = lay->list_width - 1;
		if (n++ == wanted)
			return x;
		x += lay->list_width;
	}
	return -1;
}

/* The field in the cursor's column, by its name after "cpu[C].zone[Z]."; NULL beyond the last. */
static const char *column_field(const struct ui *ui, int width, int wanted, char *buf, size_t size)
{
	struct pane p = { .at = { .w = width } };
	struct layout lay;
	int n = 0;

	plan(ui, &p, &lay);
	for (int i = 0; i < NR_CPU_COLUMNS; i++) {
		u32 patches = sim_patches(nav_sim(ui));
		bool fixed = i == CPU_COLUMN_HIGH && (patches & PATCH_BIT(P_HIGH_LIMITS)) &&
			     !(patches & PATCH_BIT(P_TUNE_HIGH));

		if (lay.row.shown[i] && n++ == wanted) {
			snprintf(buf, size, "%s", fixed ? "high_min" : cpu_columns[i].field);
			return buf;
		}
	}
	for (u32 l = 0; l < NR_PCP_LISTS; l++) {
		if (lay.lists[l] && n++ == wanted) {
			snprintf(buf, size, "lists[%u].n", l);
			return buf;
		}
	}
	return NULL;
}

static void draw(struct ui *ui, struct pane *p)
{
	const u32 *order;
	struct layout lay;
	int x, w = 0;

	if (ui->heat) {
		draw_heat(ui, p);
		return;
	}
	order = cpu_order(ui);
	if (big_cpus(ui) && !p->find) {
		big_cpus_draw(ui, p, order);
		return;
	}
	keep_acting(ui, p, order);
	plan(ui, p, &lay);
	for (int i = p->find ? 0 : p->top; i < (int)sim_nr_cpus(nav_sim(ui)); i++) {
		if (!pane_shows(p, i))
			break;
		draw_cpu(ui, p, &lay, i, order[i]);
	}
	p->rows = (int)sim_nr_cpus(nav_sim(ui));
	x = column_at(&lay, ui->views[VIEW_CPUS].column, &w);
	if (x >= 0)
		pane_select(p, ui->views[VIEW_CPUS].cursor, x, w);
	draw_head(ui, p, &lay);
}

/* The heads of the columns are the title; see draw_head(). */
static void name_title(struct ui *ui, char *buf, size_t size)
{
	snprintf(buf, size, "%s",
		 ui->heat ? "cpu: tenths of high in each pageset, # full, < acts; X for the rows" :
		 big_cpus(ui) ? "cpu: pages in its pageset, of high; * changed; Z for all figures" :
				"");
}

static enum handled who(struct ui *ui)
{
	char field[32], path[FIELD_NAME_MAX];
	struct field_ref ref;
	struct sim_error err;
	const u32 *order = cpu_order(ui);
	struct view_state *v = &ui->views[VIEW_CPUS];

	if (!column_field(ui, ui->places[VIEW_CPUS].w, v->column, field, sizeof(field)))
		return UI_HANDLED;
	snprintf(path, sizeof(path), "cpu[%u].zone[%u].%s", order[v->cursor], ui->zone, field);
	if (field_parse(nav_sim(ui), path, (int)ui->zone, &ref, NULL, &err))
		ui_complain(ui, "%s", err.message);
	else
		scan_who_set(ui, &ref);
	return UI_REDRAW;
}

static enum handled request(struct ui *ui, enum request req)
{
	struct view_state *v = &ui->views[VIEW_CPUS];
	char field[32];

	switch (req) {
	case REQ_LEFT:
		v->column = max_int(v->column - 1, 0);
		return UI_REDRAW;
	case REQ_RIGHT:
		if (column_field(ui, ui->places[VIEW_CPUS].w, v->column + 1, field, sizeof(field)))
			v->column++;
		return UI_REDRAW;
	case REQ_WHO:
		return who(ui);
	default:
		return UI_IGNORED;
	}
}

static int wants(const struct ui *ui)
{
	return min_int((int)sim_nr_cpus(nav_sim(ui)), 24);
}

const struct view_ops view_ops_cpus = {
	.name = "cpus",
	.title = "cpu",
	.min_rows = 3,
	.cursor = true,
	.draw = draw,
	.name_title = name_title,
	.request = request,
	.wants = wants,
};

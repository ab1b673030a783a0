/* SPDX-License-Identifier: GPL-2.0-only */
/* Every CPU's pageset: count against high, flags, factors, lists. */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "scan.h"
#include "view.h"

/* Columns of numbers that a patch set has, in the order of the screen. */
struct column {
	const char *head, *field;
	int width;
	u32 patch, gone_with; /* masks, as in field_infos */
	int from_cols;	      /* on screens that wide */
};

static const struct column columns[] = {
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
enum { NR_COLUMNS = ARRAY_SIZE(columns) };

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

static bool column_shown(int column, u32 patches, int width)
{
	const struct column *c = &columns[column];

	return (!c->patch || (patches & c->patch)) && !(patches & c->gone_with) &&
	       width >= c->from_cols;
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
	bool lists[NR_PCP_LISTS];
	bool left_out;
	int list_width, bar;
	int widths[NR_COLUMNS];
	u32 patches;
};

/* Each column has room for its longest number, its star and a blank before it. */
static void plan_widths(const struct ui *ui, struct layout *lay)
{
	u32 cpus = sim_nr_cpus(nav_sim(ui));

	for (int i = 0; i < NR_COLUMNS; i++) {
		s64 most = 0;

		lay->widths[i] = columns[i].width;
		for (u32 c = 0; c < cpus; c++)
			most = max_s64(most, column_value(pcp_now(ui, c), i, lay->patches));
		for (int digits = 1; most > 0; digits++, most /= 10)
			lay->widths[i] = max_int(lay->widths[i], digits + 2);
	}
}

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
	int room, fixed = 5 + 4 + 1, fit;
	u32 most;

	memset(lay, 0, sizeof(*lay));
	lay->patches = sim_patches(nav_sim(ui));
	plan_widths(ui, lay);
	count_lists(ui, used, changed, &most);
	lay->list_width = most > 9999 ? 6 : most > 999 ? 5 : most > 99 ? 4 : 3;
	for (int i = 0; i < NR_COLUMNS; i++)
		if (column_shown(i, lay->patches, p->at.w))
			fixed += lay->widths[i];
	lay->bar = p->at.w >= 140 ? 20 : p->at.w >= 88 ? 10 : p->at.w >= 80 ? 7 : 0;
	room = p->at.w - fixed - (lay->bar ? lay->bar + 4 : 0) - 2;
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

static void draw_number(struct pane *p, s64 value, bool changed, int width)
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

	pane_row(p, row, 0);
	pane_text(p, acts ? ST_HERE : ST_NORMAL, acts ? ">" : " ", 1);
	pane_put(p, acts ? ST_HERE : ST_NORMAL, "%-4u", cpu);
	if (!sim_cpu_online(nav_sim(ui), cpu)) {
		pane_put(p, ST_DIM, " offline");
		return;
	}
	for (int i = 0; i < NR_COLUMNS; i++) {
		s64 value = column_value(now, i, lay->patches);

		if (i == 6 && lay->bar)
			draw_bar(ui, p, now->count, pcp_high_shown(now, lay->patches), lay->bar);
		if (i == 6) {
			draw_flag(p, now->flags, before ? &before->flags : NULL,
				  PCPF_PREV_FREE_HIGH_ORDER,
				  lay->patches & PATCH_BIT(P_AVOID_DRAIN), 'P');
			draw_flag(p, now->flags, before ? &before->flags : NULL,
				  PCPF_FREE_HIGH_BATCH, lay->patches & PATCH_BIT(P_KEEP_BATCH),
				  'B');
		}
		if (column_shown(i, lay->patches, p->at.w))
			draw_number(p, value,
				    before && column_value(before, i, lay->patches) != value,
				    lay->widths[i]);
	}
	pane_text(p, ST_DIM, theme_glyph(ui, GL_V), 1);
	for (u32 l = 0; l < NR_PCP_LISTS; l++) {
		u32 n = ui->now.lists[base][l];

		if (l == NR_PCP_LISTS - 1 && lay->left_out && lay->lists[l])
			pane_text(p, ST_DIM, theme_glyph(ui, GL_DOTS), 2);
		if (lay->lists[l])
			draw_number(p, n, ui->before.valid && ui->before.lists[base][l] != n,
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
	for (int i = 0; i < NR_COLUMNS; i++) {
		if (i == 6 && lay->bar)
			pane_put(p, style, " [%-*s]", lay->bar + 1,
				 lay->bar >= 20 ? "count against high |" : "");
		if (i == 6)
			pane_put(p, style, " P B");
		if (column_shown(i, lay->patches, p->at.w))
			pane_put(p, style, "%*s ", lay->widths[i] - 1, columns[i].head);
	}
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
static int column_at(const struct layout *lay, int width, int wanted, int *w)
{
	int x = 5, n = 0;

	for (int i = 0; i < NR_COLUMNS; i++) {
		if (i == 6)
			x += (lay->bar ? lay->bar + 4 : 0) + 4;
		if (!column_shown(i, lay->patches, width))
			continue;
		*w = lay->widths[i] - 1;
		if (n++ == wanted)
			return x;
		x += lay->widths[i];
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
	for (int i = 0; i < NR_COLUMNS; i++) {
		bool fixed = i == 1 && (lay.patches & PATCH_BIT(P_HIGH_LIMITS)) &&
			     !(lay.patches & PATCH_BIT(P_TUNE_HIGH));

		if (column_shown(i, lay.patches, width) && n++ == wanted) {
			snprintf(buf, size, "%s", fixed ? "high_min" : columns[i].field);
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
	keep_acting(ui, p, order);
	plan(ui, p, &lay);
	for (int i = p->find ? 0 : p->top; i < (int)sim_nr_cpus(nav_sim(ui)); i++) {
		if (!pane_shows(p, i))
			break;
		draw_cpu(ui, p, &lay, i, order[i]);
	}
	p->rows = (int)sim_nr_cpus(nav_sim(ui));
	x = column_at(&lay, p->at.w, ui->views[VIEW_CPUS].column, &w);
	if (x >= 0)
		pane_select(p, ui->views[VIEW_CPUS].cursor, x, w);
	draw_head(ui, p, &lay);
}

/* The heads of the columns are the title; see draw_head(). */
static void name_title(struct ui *ui, char *buf, size_t size)
{
	snprintf(buf, size, "%s",
		 ui->heat ? "cpu: tenths of high in each pageset, # full, < acts; X for the rows" :
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

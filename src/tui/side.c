/* SPDX-License-Identifier: GPL-2.0-only */
/* Two lines side by side at the same operation: values, steps in lockstep, the first difference and its code. */
#include <string.h>

#include "core/source.h"
#include "screen.h"
#include "whatif.h"

static bool asked(const struct step *step)
{
	return step_infos[step->id].kind != SK_NOT_ASKED;
}

/* As many steps of @b as have been done of @a, the ones not asked aside. */
static u32 same_place(const struct op_view *a, u32 at, const struct op_view *b)
{
	u32 n = 0, k = 0;

	for (u32 i = 0; i < at; i++)
		n += asked(&a->steps[i]);
	while (k < b->nr_steps && n > 0)
		n -= asked(&b->steps[k++]) ? 1 : 0;
	return k;
}

/* Bring the other line to the same place; returns its step. */
static u32 bring(struct ui *ui)
{
	struct compare *c = &ui->compare;
	struct tl_pos pos = nav_pos(ui);
	struct sim_error err;
	u32 at = c->view.valid ? same_place(&ui->view, ui->view.at, &c->view) : 0;
	u32 part, other_part;

	/* Where the left one parts the right one does. */
	if (c->view.valid && compare_parting(ui, &part, &other_part) && ui->view.at == part + 1 &&
	    other_part < c->view.nr_steps)
		at = other_part + 1;
	if (pos.step == 0)
		tl_seek(c->other, min_s64((s64)pos.op, (s64)tl_length(c->other)) & INT64_MAX, 0,
			&err);
	else
		tl_seek(c->other, pos.op, at, &err);
	return pos.step == 0 && c->view.valid ? c->view.nr_steps : at;
}

static void draw_values(struct ui *ui, struct pane *p, int col, const struct sim *sim,
			const struct sim *beside)
{
	u32 cpu = ui->cpu, set = sim_patches(sim);
	const struct per_cpu_pages *a = sim_pageset(sim, ui->zone, cpu);
	const struct per_cpu_pages *b = sim_pageset(beside, ui->zone, cpu);
	s64 free_a = sim_zone(sim, ui->zone)->free_pages;
	s64 free_b = sim_zone(beside, ui->zone)->free_pages;
	bool differs;

	pane_col(p, col);
	pane_put(p, ST_NORMAL, "cpu%u ", cpu);
	pane_put(p, a->count != b->count ? ST_CHANGED : ST_NORMAL, "count %d%s", a->count,
		 a->count != b->count ? "*" : "");
	differs = pcp_high_shown(a, set) != pcp_high_shown(b, sim_patches(beside));
	pane_put(p, differs ? ST_CHANGED : ST_NORMAL, " high %d%s", pcp_high_shown(a, set),
		 differs ? "*" : "");
	pane_put(p, ST_NORMAL, " %s %d", set & PATCH_BIT(P_FREE_COUNT) ? "fc" : "ff",
		 set & PATCH_BIT(P_FREE_COUNT) ? a->free_count : a->free_factor);
	pane_put(p, free_a != free_b ? ST_CHANGED : ST_DIM, " free %lld%s", (long long)free_a,
		 free_a != free_b ? "*" : "");
}

/* The code line of the step that made the difference. */
static int draw_code(struct ui *ui, struct pane *p, int row, const struct step *step)
{
	const char *file = strrchr(step->file, '/');
	const struct source_line *lines;
	size_t nr, at;
	char text[160];

	(void)ui;
	file = file ? file + 1 : step->file;
	nr = source_lines(file, &lines);
	if (nr == 0)
		return row;
	at = code_line_at(lines, nr, step->line);
	snprintf(text, sizeof(text), "%.*s", (int)min_s64(lines[at].len, 150), lines[at].text);
	pane_row(p, row++, 1);
	pane_put(p, ST_DIM, "%s:%u ", file, lines[at].number);
	pane_text(p, ST_HERE, text + strspn(text, "\t"), p->at.w);
	return row;
}

/* The patch in which the two sets differ, if it is one that stands out. */
static enum patch_id differing(u32 a, u32 b)
{
	u32 x = (a ^ b) & PATCH_MASK;

	for (int id = NR_PATCHES - 1; id >= 0; id--)
		if (x & PATCH_BIT(id))
			return (enum patch_id)id;
	return P_NONE;
}

/* Operation @i of a line in words. */
static const char *op_of(struct timeline *tl, u64 i, char *buf)
{
	const u32 *slots;
	struct op op;

	return tl_op(tl, i, &op, &slots, NULL) ? "no operation" : op_words(&op, buf);
}

/* The first other operation: one that is put in, a patch that goes on or off, an end. */
static void put_other_op(struct ui *ui, struct pane *p, u64 i)
{
	char here[UI_LINE_MAX], there[UI_LINE_MAX];
	const char *a = op_of(ui->tl, i, here), *b = op_of(ui->compare.other, i, there);

	if (strcmp(a, b) == 0)
		pane_put(
			p, ST_RESULT,
			"first difference: op %llu (%s) in its blocks, or what is injected   d goes there",
			(unsigned long long)i + 1, a);
	else
		pane_put(p, ST_RESULT,
			 "first difference: op %llu: %s here, %s there   d goes there",
			 (unsigned long long)i + 1, a, b);
}

/* The first difference of all, as tl_diverge() says it. */
static int draw_first(struct ui *ui, struct pane *p, int row)
{
	const struct compare *c = &ui->compare;
	const struct tl_divergence *d = &c->where;

	pane_row(p, row++, 1);
	if (!c->known)
		pane_put(p, ST_BAD, "the two cannot be compared as a whole");
	else if (!d->differs)
		pane_put(p, ST_RESULT, "no difference from the first to the last operation");
	else if (d->other_op)
		put_other_op(ui, p, d->op);
	else
		pane_put(
			p, ST_RESULT,
			"first difference: op %llu, step %u here, %u there: %s %lld here, %lld there   d goes there",
			(unsigned long long)d->op + 1, d->side[0].step, d->side[1].step, d->field,
			(long long)d->side[0].value, (long long)d->side[1].value);
	if (c->known && d->boot_fields) {
		pane_row(p, row++, 1);
		pane_put(p, ST_DIM, "from boot on: %u field%s, such as %s: %lld here, %lld there",
			 d->boot_fields, d->boot_fields == 1 ? "" : "s", d->boot_field,
			 (long long)d->boot_values[0], (long long)d->boot_values[1]);
	}
	return row;
}

static int draw_where(struct ui *ui, struct pane *p, int row)
{
	struct compare *c = &ui->compare;
	u32 i, k;
	char reason[STEP_TEXT_MAX];
	enum patch_id id;

	row = draw_first(ui, p, row);
	if (!ui->view.valid || !c->view.valid)
		return row;
	id = differing(tl_base_patches(ui->tl), c->set);
	if (id == P_NONE)
		id = P_AVOID_DRAIN;
	compare_reason(ui, &ui->view, &c->view, id, reason, sizeof(reason));
	pane_row(p, row++, 1);
	if (!compare_parting(ui, &i, &k)) {
		pane_put(p, ST_NORMAL, "no difference in op %llu, because ",
			 (unsigned long long)ui->view.index + 1);
		pane_text(p, ST_NORMAL, reason, p->at.w);
		return row;
	}
	pane_put(p, ST_NORMAL,
		 "in op %llu they part at step %u and %u: ", (unsigned long long)ui->view.index + 1,
		 i + 1, k + 1);
	pane_text(p, ST_NORMAL, reason, p->at.w);
	if (k < c->view.nr_steps)
		row = draw_code(ui, p, row, &c->view.steps[k]);
	return row;
}

static void draw_side_step(struct ui *ui, struct pane *p, int col, int width,
			   const struct op_view *view, u32 i, u32 at, u32 part)
{
	char text[STEP_TEXT_MAX];
	bool here = i + 1 == at;

	if (i >= view->nr_steps)
		return;
	pane_col(p, col);
	pane_text(p, here ? ST_HERE : ST_DIM, here ? ">" : i == part ? "!" : " ", 1);
	pane_text(p,
		  i == part ? ST_CHANGED :
		  i < at    ? step_style(&view->steps[i]) :
			      ST_DIM,
		  step_format(nav_sim(ui), &view->steps[i], text), width - 2);
}

/* Both lists of steps, row by row; where they part they go their own ways. */
static void draw_steps(struct ui *ui, struct pane *p, int row, u32 other_at)
{
	struct compare *c = &ui->compare;
	int half = p->at.w / 2, h = p->at.h - row;
	u32 part_a = UINT32_MAX, part_b = UINT32_MAX, i, k;

	if (!ui->view.valid || !c->view.valid || h < 1)
		return;
	if (!compare_parting(ui, &part_a, &part_b))
		part_a = part_b = UINT32_MAX;
	i = ui->view.at > (u32)h / 2 ? ui->view.at - (u32)h / 2 : 0;
	k = other_at > (u32)h / 2 ? other_at - (u32)h / 2 : 0;
	for (; row < p->at.h; row++, i++, k++) {
		pane_row(p, row, half);
		pane_text(p, ST_TITLE, theme_glyph(ui, GL_V), 1);
		draw_side_step(ui, p, 0, half - 1, &ui->view, i, ui->view.at, part_a);
		draw_side_step(ui, p, half + 1, half - 2, &c->view, k, other_at, part_b);
	}
}

void side_draw(struct ui *ui, int y, int h)
{
	struct compare *c = &ui->compare;
	struct pane p = { .ui = ui,
			  .win = ui->base,
			  .at = { .y = y + 1, .h = h - 1, .w = ui->cols },
			  .line_row = -1 };
	char set[PATCH_TEXT_MAX], other[PATCH_TEXT_MAX], title[UI_LINE_MAX];
	int row = 0, half = ui->cols / 2;
	u32 other_at = bring(ui);

	snprintf(title, sizeof(title), "left: %s (patches %s)   right: %s (patches %s)   Esc ends",
		 ui->branches[ui->branch].name, patch_set_format(sim_patches(nav_sim(ui)), set),
		 c->name, patch_set_format(sim_patches(tl_view(c->other)), other));
	draw_title(ui, ui->base, y, 0, ui->cols, true, title);
	pane_row(&p, row++, 1);
	p.at.w = half;
	draw_values(ui, &p, 1, nav_sim(ui), tl_view(c->other));
	p.at.w = ui->cols;
	pane_col(&p, half);
	pane_text(&p, ST_TITLE, theme_glyph(ui, GL_V), 1);
	draw_values(ui, &p, half + 2, tl_view(c->other), nav_sim(ui));
	row = draw_where(ui, &p, row);
	draw_steps(ui, &p, row, other_at);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Two lines side by side: where they part, and why or why not. */
#include <stdlib.h>
#include <string.h>

#include "nav.h"
#include "whatif.h"

static bool not_asked(const struct step *step)
{
	return step_infos[step->id].kind == SK_NOT_ASKED;
}

/* Steps that say the same: not asked ones are left out by the callers. */
static bool alike(const struct step *a, const struct step *b)
{
	return a->id == b->id && a->nr_args == b->nr_args &&
	       memcmp(a->args, b->args, a->nr_args * sizeof(a->args[0])) == 0;
}

static bool part(const struct op_view *a, const struct op_view *b, u32 *at_a, u32 *at_b)
{
	u32 i = 0, k = 0;

	for (;;) {
		while (i < a->nr_steps && not_asked(&a->steps[i]))
			i++;
		while (k < b->nr_steps && not_asked(&b->steps[k]))
			k++;
		if (i >= a->nr_steps && k >= b->nr_steps)
			return false;
		if (i >= a->nr_steps || k >= b->nr_steps || !alike(&a->steps[i], &b->steps[k]))
			break;
		i++;
		k++;
	}
	*at_a = i;
	*at_b = k;
	return true;
}

static u32 index_of(u32 step, const struct op_view *view)
{
	return step > 0 ? step - 1 : view->nr_steps;
}

bool compare_parting(const struct ui *ui, u32 *at_a, u32 *at_b)
{
	const struct compare *c = &ui->compare;
	const struct tl_divergence *d = &c->where;

	if (!c->known || !d->differs || d->other_op || d->op != ui->view.index)
		return part(&ui->view, &c->view, at_a, at_b);
	*at_a = index_of(d->side[0].step, &ui->view);
	*at_b = index_of(d->side[1].step, &c->view);
	return true;
}

/* The last step of a view that patch @id is responsible for. */
static const struct step *patch_step(const struct op_view *view, enum patch_id id)
{
	for (u32 i = view->nr_steps; i > 0; i--) {
		const struct step *step = &view->steps[i - 1];

		if (step_infos[step->id].patch == id && !not_asked(step))
			return step;
	}
	return NULL;
}

static void moved(const struct op_view *a, const struct op_view *b, bool *same)
{
	u64 freed[2], refilled[2];

	op_view_moved(a, a->nr_steps, &freed[0], &refilled[0]);
	op_view_moved(b, b->nr_steps, &freed[1], &refilled[1]);
	*same = freed[0] == freed[1] && refilled[0] == refilled[1];
}

void compare_reason(const struct ui *ui, const struct op_view *a, const struct op_view *b,
		    enum patch_id id, char *buf, size_t size)
{
	const struct step *step = patch_step(b, id) ? patch_step(b, id) : patch_step(a, id);
	int number = patch_number(patch_series(sim_patches(nav_sim(ui))), id);
	char text[STEP_TEXT_MAX];
	bool same;
	u32 i, k;

	moved(a, b, &same);
	if (!part(a, b, &i, &k)) {
		snprintf(buf, size, "no code of patch %d runs here", number);
	} else if (step) {
		step_format(nav_sim(ui), step, text);
		snprintf(buf, size, "%s%.200s", same ? "same pages; " : "", text);
	} else if (k < b->nr_steps) {
		step_format(nav_sim(ui), &b->steps[k], text);
		snprintf(buf, size, "%s%.200s", same ? "same pages; " : "from before: ", text);
	} else {
		snprintf(buf, size, "fewer steps: the operation ends earlier");
	}
}

void compare_end(struct ui *ui)
{
	struct compare *c = &ui->compare;

	if (c->owned && c->other)
		tl_destroy(c->other);
	op_view_free(&c->view);
	memset(c, 0, sizeof(*c));
}

static void begin(struct ui *ui, struct timeline *other, bool owned)
{
	struct compare *c = &ui->compare;
	struct tl_pos pos = nav_pos(ui);
	struct tl_pos at = tl_position(other);
	struct sim_error err;

	c->other = other;
	c->owned = owned;
	c->on = true;
	c->set = tl_base_patches(other);
	c->known = tl_diverge(ui->tl, other, NULL, NULL, &c->where, &err) == SIM_OK;
	if (!c->known)
		ui_complain(ui, "%s", err.message);
	tl_seek(ui->tl, pos.op, pos.step, &err);
	tl_seek(other, at.op, at.step, &err);
	nav_refresh(ui);
}

bool compare_with_set(struct ui *ui, u32 set, const char *name)
{
	struct timeline *other;
	struct sim_error err;

	compare_end(ui);
	if (tl_fork(ui->tl, &other, &err)) {
		ui_complain(ui, "%s", err.message);
		return false;
	}
	if (tl_set_base_patches(other, set, &err)) {
		ui_complain(ui, "%s", err.message);
		tl_destroy(other);
		return false;
	}
	snprintf(ui->compare.name, sizeof(ui->compare.name), "%s", name);
	begin(ui, other, true);
	return true;
}

bool compare_with_branch(struct ui *ui, u32 branch)
{
	if (branch >= ui->nr_branches || branch == ui->branch) {
		ui_complain(ui, "that is the line shown");
		return false;
	}
	compare_end(ui);
	snprintf(ui->compare.name, sizeof(ui->compare.name), "branch %s",
		 ui->branches[branch].name);
	begin(ui, ui->branches[branch].tl, false);
	return true;
}

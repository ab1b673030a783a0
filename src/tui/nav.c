/* SPDX-License-Identifier: GPL-2.0-only */
#include "nav.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "edits.h"
#include "scan.h"
#include "whatif.h"

enum { LOAD_OPS_MAX = 2000000 };

struct tl_pos nav_pos(const struct ui *ui)
{
	return tl_position(ui->tl);
}

const struct sim *nav_sim(const struct ui *ui)
{
	return tl_view(ui->tl);
}

const struct step *nav_current(const struct ui *ui)
{
	if (!ui->view.valid || ui->view.at == 0)
		return NULL;
	return &ui->view.steps[ui->view.at - 1];
}

void op_view_free(struct op_view *view)
{
	free(view->steps);
	free(view->slots);
	memset(view, 0, sizeof(*view));
}

bool op_view_load(struct op_view *view, struct timeline *tl, u64 i)
{
	struct sim_error err;
	const u32 *slots;
	const struct step *steps;
	u32 n;

	view->valid = false;
	free(view->slots);
	view->slots = NULL;
	if (tl_op(tl, i, &view->op, &slots, &err))
		return false;
	if (slots && view->op.count > 0) {
		view->slots = base_alloc(view->op.count, sizeof(u32));
		memcpy(view->slots, slots, view->op.count * sizeof(u32));
	}
	if (tl_steps(tl, i, &steps, &n, &view->result, &err))
		return false;
	if (n > view->steps_max) {
		free(view->steps);
		view->steps = base_alloc(n, sizeof(struct step));
		view->steps_max = n;
	}
	if (n > 0)
		memcpy(view->steps, steps, n * sizeof(struct step));
	view->nr_steps = n;
	view->index = i;
	view->at = n;
	view->valid = true;
	return true;
}

void op_view_moved(const struct op_view *view, u32 at, u64 *freed, u64 *refilled)
{
	*freed = *refilled = 0;
	for (u32 i = 0; i < at; i++) {
		const struct step *step = &view->steps[i];

		if (step->id == STEP_BULK_PAGE)
			*freed += 1ull << step->args[1];
		else if (step->id == STEP_REFILL_PAGE)
			*refilled += 1ull << step->args[1];
	}
}

void nav_stack(const struct op_view *view, u32 at, struct step_stack *stack)
{
	memset(stack, 0, sizeof(*stack));
	for (u32 i = 0; i < at; i++)
		step_stack_update(stack, &view->steps[i]);
}

/* Does a piece of work begin with this step? A list of pages is many of them. */
static bool begins_unit(const struct op_view *view, u32 i)
{
	u16 id = view->steps[i].id;

	if (id == STEP_PCP_PUSH || id == STEP_ALLOC_FACTOR_DOWN)
		return i == 0 || (view->steps[i - 1].id != STEP_FREE_BEGIN &&
				  view->steps[i - 1].id != STEP_RESERVE_TO_MOVABLE &&
				  view->steps[i - 1].id != STEP_ALLOC_FACTOR_DOWN);
	if (id == STEP_ALLOC_BEGIN)
		return true;
	if (id == STEP_LIST_EMPTY)
		return view->steps[0].id == STEP_BULK_ALLOC;
	return step_infos[id].kind == SK_ENTER && step_funcs[step_infos[id].func].callers == 0;
}

u32 nav_unit(const struct op_view *view, u32 at)
{
	u32 i = at > 0 ? at - 1 : 0;

	while (i > 0 && !begins_unit(view, i))
		i--;
	return i;
}

/* ---- snapshots ---- */

static void snapshot_take(struct snapshot *s, const struct sim *sim)
{
	u32 cpus = sim_nr_cpus(sim), zones = sim_nr_zones(sim);

	if (s->nr_pcp != cpus * zones) {
		free(s->pcp);
		free(s->lists);
		free(s->zones);
		s->nr_pcp = cpus * zones;
		s->nr_zones = zones;
		s->pcp = base_alloc(s->nr_pcp, sizeof(*s->pcp));
		s->lists = base_alloc(s->nr_pcp, sizeof(*s->lists));
		s->zones = base_alloc(zones, sizeof(*s->zones));
	}
	for (u32 z = 0; z < zones; z++) {
		s->zones[z] = *sim_zone(sim, z);
		for (u32 c = 0; c < cpus; c++) {
			u32 i = z * cpus + c;

			s->pcp[i] = *sim_pageset(sim, z, c);
			for (u32 l = 0; l < NR_PCP_LISTS; l++)
				s->lists[i][l] = sim_pcp_list_length(sim, z, c, l);
		}
	}
	s->valid = true;
}

static void snapshot_free(struct snapshot *s)
{
	free(s->pcp);
	free(s->lists);
	free(s->zones);
	memset(s, 0, sizeof(*s));
}

static void snapshot_swap(struct ui *ui)
{
	struct snapshot s = ui->before;

	ui->before = ui->now;
	ui->now = s;
}

/* ---- what is shown ---- */

/* The zone that a step is about, -1 if it names none. */
static int step_zone(const struct step *step)
{
	switch (step->id) {
	case STEP_FREE_BEGIN:
	case STEP_BULK_DONE:
	case STEP_REFILL_BEGIN:
		return (int)step->args[3];
	case STEP_PCP_PUSH:
	case STEP_PCP_POP:
	case STEP_REFILL:
	case STEP_BULK_BEGIN:
		return (int)step->args[5];
	case STEP_WALK_ZONE:
		return (int)step->args[0];
	default:
		return -1;
	}
}

/*
 * The zone of the latest step that names one, so that the CPU pane shows what
 * moves: inside an operation of this step alone, at its end of the whole.
 */
static void follow_zone(struct ui *ui)
{
	const struct op_view *v = &ui->view;

	if (sim_nr_zones(nav_sim(ui)) < 2)
		return;
	for (u32 i = v->at; i-- > 0;) {
		int zone = step_zone(&v->steps[i]);

		if (zone >= 0 && (u32)zone < sim_nr_zones(nav_sim(ui))) {
			ui->zone = (u32)zone;
			return;
		}
		if (v->at < v->nr_steps)
			return;
	}
}

static void load_view(struct ui *ui, struct tl_pos pos)
{
	u64 index = pos.step > 0 || pos.op == 0 ? pos.op : pos.op - 1;

	if (pos.op == 0 && pos.step == 0) {
		ui->view.valid = false;
		return;
	}
	if (!ui->view.valid || ui->view.index != index)
		op_view_load(&ui->view, ui->tl, index);
	if (ui->view.valid) {
		ui->view.at = pos.step > 0 ? (u32)min_s64(pos.step, ui->view.nr_steps) :
					     ui->view.nr_steps;
		ui->cpu = ui->view.nr_steps > 0 && ui->view.at > 0 ?
				  ui->view.steps[ui->view.at - 1].cpu :
				  ui->view.op.cpu;
		if (ui->cpu >= sim_nr_cpus(nav_sim(ui)))
			ui->cpu = 0;
		follow_zone(ui);
	}
}

/* The state before the last move of the position: a step, or a whole operation at a boundary. */
static void load_before(struct ui *ui, struct tl_pos pos)
{
	struct sim_error err;

	if (pos.op == tl_first(ui->tl) && pos.step == 0) {
		ui->before.valid = false;
		return;
	}
	if (tl_seek(ui->tl, pos.step > 0 ? pos.op : pos.op - 1, pos.step > 0 ? pos.step - 1 : 0,
		    &err) == SIM_OK)
		snapshot_take(&ui->before, nav_sim(ui));
	tl_seek(ui->tl, pos.op, pos.step, &err);
}

static void compare_follow(struct ui *ui)
{
	struct compare *c = &ui->compare;

	if (!c->on || !ui->view.valid)
		return;
	if (c->view.valid && c->view.index == ui->view.index)
		return;
	op_view_load(&c->view, c->other, ui->view.index);
}

void nav_refresh(struct ui *ui)
{
	struct tl_pos pos = nav_pos(ui);

	load_before(ui, pos);
	load_view(ui, pos);
	snapshot_take(&ui->now, nav_sim(ui));
	compare_follow(ui);
	whatif_moved(ui);
}

/* After one step forward the state before is the one shown last. */
static void refresh_after_step(struct ui *ui, struct tl_pos from)
{
	struct tl_pos pos = nav_pos(ui);

	if (pos.step == 0 || pos.op != from.op || pos.step != from.step + 1 || !ui->now.valid) {
		nav_refresh(ui);
		return;
	}
	snapshot_swap(ui);
	load_view(ui, pos);
	snapshot_take(&ui->now, nav_sim(ui));
	compare_follow(ui);
	whatif_moved(ui);
}

void nav_changed(struct ui *ui)
{
	ui->serial++;
	ui->view.valid = false;
	ui->compare.view.valid = false;
	ui->events.valid = false;
	nav_refresh(ui);
}

bool nav_seek(struct ui *ui, u64 op, u32 step)
{
	struct sim_error err;

	if (tl_seek(ui->tl, op, step, &err)) {
		ui_complain(ui, "%s", err.message);
		return false;
	}
	nav_refresh(ui);
	return true;
}

/* At the end of the log: what the scenario still has. True if there was more. */
static bool load_more(struct ui *ui)
{
	char error[UI_ERROR_MAX];
	u64 before = tl_length(ui->tl);

	while (!ui->src_ended && !ui->detached && ui->src.next && tl_length(ui->tl) == before) {
		enum ui_next next = ui->src.next(ui->src.ctx, ui->tl, error, sizeof(error));

		if (next == UI_FAILED)
			ui_complain(ui, "%s", error);
		if (next != UI_MORE)
			ui->src_ended = true;
	}
	return tl_length(ui->tl) > before;
}

static bool at_end(const struct ui *ui)
{
	struct tl_pos pos = nav_pos(ui);

	return pos.op >= tl_length(ui->tl) && pos.step == 0;
}

/* There is something ahead to go to, loaded if need be (the position stays). */
static bool has_ahead(struct ui *ui)
{
	struct tl_pos pos = nav_pos(ui);
	struct sim_error err;

	if (!at_end(ui))
		return true;
	if (!load_more(ui))
		return false;
	tl_seek(ui->tl, pos.op, 0, &err);
	ui->serial++;
	ui->events.valid = false;
	return true;
}

bool nav_step(struct ui *ui, bool forward)
{
	struct tl_pos from = nav_pos(ui);

	if (forward) {
		if (!has_ahead(ui) || !tl_step_next(ui->tl))
			return false;
		refresh_after_step(ui, from);
		return true;
	}
	if (!tl_step_prev(ui->tl))
		return false;
	nav_refresh(ui);
	return true;
}

bool nav_op(struct ui *ui, bool forward)
{
	struct tl_pos pos = nav_pos(ui);

	if (forward)
		return has_ahead(ui) && nav_seek(ui, pos.op + 1, 0);
	if (pos.step > 0)
		return nav_seek(ui, pos.op, 0);
	return pos.op > tl_first(ui->tl) && nav_seek(ui, pos.op - 1, 0);
}

bool nav_finish(struct ui *ui, bool forward)
{
	struct tl_pos pos = nav_pos(ui);
	struct step_stack stack, other;
	u32 at = pos.step, i;

	if (at == 0)
		return nav_op(ui, forward);
	nav_stack(&ui->view, at, &stack);
	if (stack.depth == 0)
		return nav_op(ui, forward);
	if (forward) {
		other = stack;
		for (i = at; i < ui->view.nr_steps; i++) {
			step_stack_update(&other, &ui->view.steps[i]);
			if (other.depth < stack.depth ||
			    other.funcs[stack.depth - 1] != stack.funcs[stack.depth - 1])
				return nav_seek(ui, pos.op, i + 1);
		}
		return nav_op(ui, true);
	}
	for (i = at - 1; i > 0; i--) {
		nav_stack(&ui->view, i, &other);
		if (other.depth < stack.depth)
			return nav_seek(ui, pos.op, i);
	}
	return nav_seek(ui, pos.op, 0);
}

static bool is_event(const struct step *step)
{
	return step_letter(step) != 0;
}

bool nav_event(struct ui *ui, bool forward)
{
	struct tl_pos pos = nav_pos(ui);
	struct op_view view = { 0 };
	s64 i;
	u32 at;

	/* In the operation at hand first. */
	if (pos.step > 0 && forward) {
		for (at = pos.step; at < ui->view.nr_steps; at++)
			if (is_event(&ui->view.steps[at]))
				return nav_seek(ui, pos.op, at + 1);
	} else if (pos.step > 1) {
		for (at = pos.step - 1; at > 0; at--)
			if (is_event(&ui->view.steps[at - 1]))
				return nav_seek(ui, pos.op, at);
	}
	if (forward && !has_ahead(ui))
		return false;
	/* A boundary lies before its operation: forward that one counts. */
	if (forward && pos.step == 0 && tl_events(ui->tl, pos.op))
		i = (s64)pos.op;
	else
		i = tl_find_event(ui->tl, pos.op, forward, 0xff);
	if (i < 0)
		return forward ? nav_end(ui) : nav_seek(ui, tl_first(ui->tl), 0);
	if (!op_view_load(&view, ui->tl, (u64)i))
		return false;
	at = 0;
	if (forward) {
		while (at < view.nr_steps && !is_event(&view.steps[at]))
			at++;
		at = (u32)min_s64(at + 1, view.nr_steps);
	} else {
		at = view.nr_steps;
		while (at > 1 && !is_event(&view.steps[at - 1]))
			at--;
	}
	op_view_free(&view);
	return nav_seek(ui, (u64)i, at);
}

void nav_load_to(struct ui *ui, u64 op)
{
	struct tl_pos pos = nav_pos(ui);
	struct sim_error err;

	while (tl_length(ui->tl) < op && tl_seek(ui->tl, tl_length(ui->tl), 0, &err) == SIM_OK &&
	       load_more(ui))
		;
	tl_seek(ui->tl, pos.op, pos.step, &err);
	ui->events.valid = false;
}

bool nav_end(struct ui *ui)
{
	struct sim_error err;

	tl_seek(ui->tl, tl_length(ui->tl), 0, &err);
	while (tl_length(ui->tl) < LOAD_OPS_MAX && load_more(ui))
		;
	ui->events.valid = false;
	return nav_seek(ui, tl_length(ui->tl), 0);
}

/* ---- opening ---- */

static void forget(struct ui *ui)
{
	compare_end(ui);
	whatif_free(ui);
	for (u32 i = 0; i < ui->nr_branches; i++) {
		edits_free(&ui->branches[i]);
		tl_destroy(ui->branches[i].tl);
	}
	ui->nr_branches = 0;
	ui->tl = NULL;
	breaks_clear(ui);
	op_view_free(&ui->view);
	op_view_free(&ui->compare.view);
	snapshot_free(&ui->before);
	snapshot_free(&ui->now);
	free(ui->events.marks);
	memset(&ui->events, 0, sizeof(ui->events));
	free(ui->cpu_order);
	ui->cpu_order = NULL;
	ui->nr_marks = ui->nr_answers = 0;
	memset(ui->views, 0, sizeof(ui->views));
	ui->playing = ui->searching = ui->zoom = ui->heat = false;
	ui->detached = ui->src_ended = ui->asked_first = false;
	ui->said = 0;
	ui->focus = VIEW_CPUS;
	ui->cpu = ui->zone = 0;
}

void nav_close(struct ui *ui)
{
	if (!ui->open)
		return;
	forget(ui);
	if (ui->src.close)
		ui->src.close(ui->src.ctx);
	memset(&ui->src, 0, sizeof(ui->src));
	ui->open = false;
}

/* Bookmarks of the scenario stand among the person's own. */
static void take_bookmarks(struct ui *ui)
{
	const struct ui_cue *cues;
	size_t nr = ui->src.cues ? ui->src.cues(ui->src.ctx, &cues) : 0;

	for (size_t i = 0; i < nr && ui->nr_marks < UI_MARKS_MAX; i++) {
		if (cues[i].kind != UI_BOOKMARK)
			continue;
		ui->marks[ui->nr_marks] = (struct tl_pos){ .op = cues[i].op };
		snprintf(ui->mark_names[ui->nr_marks++], sizeof(ui->mark_names[0]), "%s",
			 cues[i].text ? cues[i].text : "");
	}
}

bool nav_open_source(struct ui *ui, struct ui_source *source)
{
	u32 set = ui->opt->has_patches ? ui->opt->patches : source->patches;
	struct timeline *tl;
	struct sim_error err;

	if (tl_create(source->machine, set, TL_BOUND_DEFAULT, true, &tl, &err)) {
		ui_complain(ui, "%s: %s", source->name, err.message);
		return false;
	}
	nav_close(ui);
	ui->src = *source;
	ui->open = true;
	memset(&ui->branches[0], 0, sizeof(ui->branches[0]));
	ui->branches[0].tl = tl;
	snprintf(ui->branches[0].name, sizeof(ui->branches[0].name), "main line");
	ui->nr_branches = 1;
	ui->branch = 0;
	ui->tl = tl;
	ui->zone = source->zone > 0 ? (u32)source->zone : 0;
	ui->message[0] = '\0';
	while (tl_length(tl) < LOAD_OPS_MAX && load_more(ui))
		;
	take_bookmarks(ui);
	tl_seek(tl, 0, 0, &err);
	nav_changed(ui);
	return true;
}

bool nav_open(struct ui *ui, const char *path)
{
	struct ui_source source = { 0 };
	char error[UI_ERROR_MAX] = "";

	if (!ui->opt->library ||
	    !ui->opt->library->open(ui->opt->library->ctx, path, &source, error, sizeof(error))) {
		ui_complain(ui, "%s", error[0] ? error : "nothing can be opened here");
		return false;
	}
	if (nav_open_source(ui, &source))
		return true;
	if (source.close)
		source.close(source.ctx);
	return false;
}

void nav_show_branch(struct ui *ui, u32 branch)
{
	struct tl_pos pos = nav_pos(ui);
	struct sim_error err;

	if (branch >= ui->nr_branches)
		return;
	ui->branch = branch;
	ui->tl = ui->branches[branch].tl;
	pos.op = min_s64((s64)pos.op, (s64)tl_length(ui->tl)) & INT64_MAX;
	tl_seek(ui->tl, pos.op, 0, &err);
	nav_changed(ui);
}

bool nav_add_branch(struct ui *ui, struct timeline *tl, const char *name)
{
	if (ui->nr_branches == UI_BRANCHES_MAX) {
		ui_complain(ui, "there are %d branches already; :drop removes the one shown",
			    UI_BRANCHES_MAX);
		return false;
	}
	memset(&ui->branches[ui->nr_branches], 0, sizeof(ui->branches[0]));
	ui->branches[ui->nr_branches].tl = tl;
	edits_copy(&ui->branches[ui->nr_branches], &ui->branches[ui->branch]);
	snprintf(ui->branches[ui->nr_branches].name, sizeof(ui->branches[0].name), "%s", name);
	ui->nr_branches++;
	return true;
}

void nav_drop_branch(struct ui *ui)
{
	u32 i = ui->branch;

	if (i == 0)
		return;
	compare_end(ui);
	nav_show_branch(ui, 0);
	edits_free(&ui->branches[i]);
	tl_destroy(ui->branches[i].tl);
	memmove(&ui->branches[i], &ui->branches[i + 1],
		(ui->nr_branches - i - 1) * sizeof(ui->branches[0]));
	ui->nr_branches--;
}

/* ---- cues ---- */

u64 nav_cue_op(const struct ui *ui, u64 op)
{
	const struct branch *b = &ui->branches[ui->branch];

	for (u32 i = 0; i < b->nr_edits; i++)
		if (b->edits[i].kind == EDIT_INSERT && op >= b->edits[i].at.op)
			op++;
	return op;
}

const struct ui_cue *nav_cue(const struct ui *ui, enum ui_cue_kind kind, u64 op, size_t *from)
{
	const struct ui_cue *cues;
	size_t nr = ui->src.cues ? ui->src.cues(ui->src.ctx, &cues) : 0;

	for (; *from < nr; (*from)++)
		if (cues[*from].kind == kind && nav_cue_op(ui, cues[*from].op) == op)
			return &cues[(*from)++];
	return NULL;
}

struct answer *nav_answer(struct ui *ui, const char *id)
{
	for (u32 i = 0; i < ui->nr_answers; i++)
		if (strcmp(ui->answers[i].id, id) == 0)
			return &ui->answers[i];
	return NULL;
}

const struct ui_cue *nav_prediction(const struct ui *ui)
{
	const struct ui_cue *cues;
	size_t nr = ui->src.cues ? ui->src.cues(ui->src.ctx, &cues) : 0;
	struct tl_pos pos = nav_pos(ui);

	for (size_t i = 0; i < nr; i++) {
		bool answered = false;

		if (cues[i].kind != UI_PREDICT || nav_cue_op(ui, cues[i].op) != pos.op ||
		    pos.step > 0)
			continue;
		for (u32 k = 0; k < ui->nr_answers && !answered; k++)
			answered = strcmp(ui->answers[k].id, cues[i].id) == 0;
		if (!answered)
			return &cues[i];
	}
	return NULL;
}

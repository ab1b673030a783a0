/* SPDX-License-Identifier: GPL-2.0-only */
/* Saving and loading: all lines with their edits, answers, marks and breakpoints; the text is core/session.h's. */
#include "core/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/save.h"
#include "base/text.h"
#include "command.h"
#include "edits.h"
#include "nav.h"
#include "scan.h"
#include "whatif.h"

/* ---- saving ---- */

/* The set that a line began with, before any change by hand. */
static u32 first_base(const struct branch *b)
{
	for (u32 i = 0; i < b->nr_edits; i++)
		if (b->edits[i].kind == EDIT_BASE)
			return b->edits[i].set_before;
	return tl_base_patches(b->tl);
}

static void fill_branch(struct session_branch *to, const struct branch *from)
{
	static const enum session_edit_kind kinds[] = {
		[EDIT_INSERT] = SESSION_INSERT, [EDIT_BASE] = SESSION_BASE, [EDIT_INJECT] = SESSION_INJECT
	};
	struct tl_pos pos = tl_position(from->tl);
	u64 length = tl_length(from->tl);
	struct sim_error err;

	to->name = from->name;
	to->length = to->ops = length;
	to->nr_edits = from->nr_edits;
	to->edits = base_alloc(from->nr_edits + 1u, sizeof(*to->edits));
	for (u32 i = 0; i < from->nr_edits; i++) {
		const struct edit_rec *e = &from->edits[i];

		to->edits[i] = (struct session_edit){ .kind = kinds[e->kind],
						      .at = e->at,
						      .set = e->set,
						      .op = e->op,
						      .slots = e->slots,
						      .about = e->text };
		to->ops -= e->kind == EDIT_INSERT;
	}
	if (tl_seek(from->tl, length, 0, &err) == SIM_OK)
		to->digest = sim_state_digest(tl_view(from->tl));
	tl_seek(from->tl, pos.op, pos.step, &err);
}

static void fill(struct session *s, struct ui *ui)
{
	memset(s, 0, sizeof(*s));
	s->scenario = ui->src.path;
	for (; s->nr_options < ui->src.nr_options; s->nr_options++)
		s->options[s->nr_options] = ui->src.options[s->nr_options];
	s->patches = first_base(&ui->branches[0]);
	s->nr_branches = ui->nr_branches;
	for (u32 i = 0; i < ui->nr_branches; i++)
		fill_branch(&s->branches[i], &ui->branches[i]);
	s->shown = ui->branch;
	s->position = nav_pos(ui);
	s->said = ui->said;
	s->digest = sim_state_digest(nav_sim(ui));
	s->nr_marks = ui->nr_marks;
	for (u32 i = 0; i < ui->nr_marks; i++)
		s->marks[i] = (struct session_mark){ ui->marks[i], ui->mark_names[i] };
	s->nr_breaks = ui->nr_breaks;
	for (u32 i = 0; i < ui->nr_breaks; i++)
		s->breaks[i] = (struct session_break){ .ignore = ui->breaks[i].ignore,
						       .hits = ui->breaks[i].hits,
						       .text = ui->breaks[i].text };
	s->nr_answers = ui->nr_answers;
	for (u32 i = 0; i < ui->nr_answers; i++) {
		const struct answer *a = &ui->answers[i];

		s->answers[i] = (struct session_answer){ .id = a->id,
							 .text = a->text,
							 .right = a->right,
							 .correct = a->correct,
							 .revealed = a->revealed,
							 .hinted = a->hinted,
							 .points = a->points,
							 .of = a->of };
	}
}

static void put(void *ctx, const char *text)
{
	fputs(text, ctx);
}

bool session_save(struct ui *ui, const char *path, char *error, size_t size)
{
	struct session s;
	struct base_save *save;
	struct diag d;
	FILE *out;

	if (base_save_begin(&save, path, &out, &d)) {
		base_diag_line(&d, path, error, size);
		return false;
	}
	fill(&s, ui);
	session_write(&s, put, out);
	for (u32 i = 0; i < s.nr_branches; i++)
		free(s.branches[i].edits);
	if (base_save_commit(save, &d)) {
		base_diag_line(&d, path, error, size);
		return false;
	}
	return true;
}

/* ---- loading ---- */

struct loading {
	struct ui *ui;
	const struct session *s;
	char what[UI_ERROR_MAX];
	u32 line; /* of the file: where it stands */
};

static bool failed(struct loading *l, u32 line, const char *what)
{
	char copy[UI_ERROR_MAX];

	snprintf(copy, sizeof(copy), "%.400s", what);
	snprintf(l->what, sizeof(l->what), "%s", copy);
	l->line = line;
	return false;
}

static bool open_source(struct loading *l, const char *path)
{
	const struct ui_library *lib = l->ui->opt->library;
	struct ui_source source = { 0 };
	char error[UI_ERROR_MAX] = "nothing can be opened here";
	bool ok = false;

	if (lib && lib->reopen)
		ok = lib->reopen(lib->ctx, path, l->s->scenario, l->s->options, l->s->nr_options,
				 &source, error, sizeof(error));
	else if (lib)
		ok = lib->open(lib->ctx, l->s->scenario, &source, error, sizeof(error));
	if (!ok)
		return failed(l, 2, error);
	if (nav_open_source(l->ui, &source))
		return true;
	if (source.close)
		source.close(source.ctx);
	return failed(l, 2, l->ui->message);
}

/* The scenario's operations as far as a line had them, under the first set. */
static bool prepare(struct loading *l)
{
	struct ui *ui = l->ui;
	u64 most = 0;
	struct sim_error err;

	for (u32 i = 0; i < l->s->nr_branches; i++)
		if (l->s->branches[i].ops != UINT64_MAX && l->s->branches[i].ops > most)
			most = l->s->branches[i].ops;
	nav_load_to(ui, most);
	if (l->s->patches != tl_base_patches(ui->tl) &&
	    tl_set_base_patches(ui->tl, l->s->patches, &err))
		return failed(l, 3, err.message);
	return true;
}

static bool redo_edit(struct loading *l, const struct session_edit *e)
{
	struct ui *ui = l->ui;
	char error[UI_ERROR_MAX], words[UI_LINE_MAX];
	const char *about = e->about;
	struct sim_error err;

	if (!*about)
		about = e->kind == SESSION_BASE ? "patches from the start" :
						  op_words(&e->op, words);
	if (e->kind == SESSION_BASE)
		return edits_base(ui, e->set, about, error, sizeof(error)) ||
		       failed(l, e->line, error);
	if ((e->kind == SESSION_INSERT) != (e->at.step == 0))
		return failed(l, e->line,
			      "an operation is put in between two others, or injected at a step");
	if (tl_seek(ui->tl, e->at.op, e->at.step, &err))
		return failed(l, e->line, err.message);
	return edits_put_in(ui, &e->op, e->slots, about, error, sizeof(error)) ||
	       failed(l, e->line, error);
}

/* A line is done again edit by edit, so that each can be taken back. */
static bool redo_branch(struct loading *l, u32 i)
{
	const struct session_branch *b = &l->s->branches[i];
	struct ui *ui = l->ui;
	struct sim_error err;

	nav_show_branch(ui, i);
	if (session_begin(l->s, i, ui->tl, &err))
		return failed(l, b->line, err.message);
	nav_changed(ui);
	for (u32 k = 0; k < b->nr_edits; k++)
		if (!redo_edit(l, &b->edits[k]))
			return false;
	return session_check(l->s, i, ui->tl, &err) == SIM_OK || failed(l, b->line, err.message);
}

static bool redo_branches(struct loading *l)
{
	struct ui *ui = l->ui;
	struct timeline *tl;
	struct sim_error err;

	for (u32 i = 1; i < l->s->nr_branches; i++) {
		if (tl_fork(ui->branches[0].tl, &tl, &err))
			return failed(l, l->s->branches[i].line, err.message);
		if (!nav_add_branch(ui, tl, l->s->branches[i].name)) {
			tl_destroy(tl);
			return failed(l, l->s->branches[i].line, ui->message);
		}
	}
	for (u32 i = 0; i < l->s->nr_branches; i++)
		if (!redo_branch(l, i))
			return false;
	return true;
}

static bool take_answers(struct loading *l)
{
	struct ui *ui = l->ui;
	const struct ui_cue *cues;
	size_t nr = ui->src.cues ? ui->src.cues(ui->src.ctx, &cues) : 0;

	for (u32 i = 0; i < l->s->nr_answers; i++) {
		const struct session_answer *from = &l->s->answers[i];
		struct answer *a = &ui->answers[ui->nr_answers];
		size_t k = 0;

		while (k < nr && (cues[k].kind != UI_PREDICT || strcmp(cues[k].id, from->id) != 0))
			k++;
		if (k == nr)
			return failed(l, from->line, "the scenario does not ask that question");
		if (from->of != cues[k].points)
			return failed(l, from->line,
				      "the scenario gives other points for that question");
		*a = (struct answer){ .id = cues[k].id,
				      .correct = from->correct,
				      .revealed = from->revealed,
				      .hinted = from->hinted,
				      .points = from->points,
				      .of = from->of };
		snprintf(a->text, sizeof(a->text), "%s", from->text);
		snprintf(a->right, sizeof(a->right), "%s", from->right);
		ui->nr_answers++;
	}
	return true;
}

/* Version 1 adds its marks to the scenario's own. */
static void take_marks(struct loading *l)
{
	struct ui *ui = l->ui;

	if (l->s->version > 1)
		ui->nr_marks = 0;
	for (u32 i = 0; i < l->s->nr_marks; i++) {
		const struct session_mark *m = &l->s->marks[i];
		u32 k = 0;

		while (k < ui->nr_marks &&
		       (ui->marks[k].op != m->at.op || ui->marks[k].step != m->at.step))
			k++;
		if ((k < ui->nr_marks && l->s->version == 1) || ui->nr_marks == UI_MARKS_MAX)
			continue;
		ui->marks[ui->nr_marks] = m->at;
		snprintf(ui->mark_names[ui->nr_marks++], sizeof(ui->mark_names[0]), "%s", m->name);
	}
}

static bool take_breaks(struct loading *l)
{
	struct ui *ui = l->ui;

	for (u32 i = 0; i < l->s->nr_breaks; i++) {
		const struct session_break *b = &l->s->breaks[i];

		if (!breaks_add(ui, b->text))
			return failed(l, b->line, ui->message);
		ui->breaks[ui->nr_breaks - 1].ignore = b->ignore;
		ui->breaks[ui->nr_breaks - 1].hits = b->hits;
	}
	return true;
}

static bool stand_where_it_stood(struct loading *l)
{
	struct ui *ui = l->ui;

	nav_show_branch(ui, l->s->shown);
	ui->said = l->s->said;
	if (!nav_seek(ui, l->s->position.op, l->s->position.step))
		return failed(l, l->s->position_line, ui->message);
	if (l->s->has_digest && sim_state_digest(nav_sim(ui)) != l->s->digest)
		return failed(
			l, l->s->digest_line,
			"the machine is not the one that was saved: the scenario or the program changed");
	return true;
}

/* The running session out of the way, whole: a load that fails puts it back. */
static struct ui *set_aside(struct ui *ui)
{
	struct ui *old = base_alloc(1, sizeof(*old));

	*old = *ui;
	memset(&ui->src, 0, sizeof(ui->src));
	memset(ui->branches, 0, sizeof(ui->branches));
	memset(&ui->view, 0, sizeof(ui->view));
	memset(&ui->before, 0, sizeof(ui->before));
	memset(&ui->now, 0, sizeof(ui->now));
	memset(&ui->whatif, 0, sizeof(ui->whatif));
	memset(&ui->compare, 0, sizeof(ui->compare));
	memset(&ui->events, 0, sizeof(ui->events));
	memset(ui->views, 0, sizeof(ui->views));
	ui->tl = NULL;
	ui->cpu_order = NULL;
	ui->nr_branches = ui->branch = ui->nr_breaks = ui->nr_marks = ui->nr_answers = 0;
	ui->open = ui->src_ended = ui->detached = false;
	ui->playing = ui->searching = ui->zoom = ui->heat = false;
	ui->said = 0;
	ui->focus = VIEW_CPUS;
	ui->cpu = ui->zone = 0;
	return old;
}

static void put_back(struct ui *ui, struct ui *old)
{
	nav_close(ui);
	*ui = *old;
	free(old);
}

static void forget_old(struct ui *ui, struct ui *old)
{
	struct ui *new = base_alloc(1, sizeof(*new));

	*new = *ui;
	*ui = *old;
	nav_close(ui);
	*ui = *new;
	free(new);
	free(old);
}

/* A session that was read whole: done, or the running one is as it was. */
static bool load(struct loading *l, const char *path)
{
	struct ui *ui = l->ui, *old = set_aside(ui);

	if (!open_source(l, path) || !prepare(l) || !redo_branches(l) || !take_breaks(l) ||
	    !take_answers(l) || !stand_where_it_stood(l)) {
		put_back(ui, old);
		return false;
	}
	take_marks(l);
	forget_old(ui, old);
	nav_changed(ui);
	return true;
}

bool session_load(struct ui *ui, const char *path, char *error, size_t size)
{
	struct session s;
	struct loading l = { .ui = ui, .s = &s };
	struct base_text text;
	struct sim_error err;
	struct diag d;
	bool ok;

	if (base_text_read(&text, path, SESSION_BYTES_MAX, &d)) {
		base_diag_line(&d, path, error, size);
		return false;
	}
	ok = session_parse(text.data, text.len, &s, &l.line, &err) == SIM_OK;
	base_text_free(&text);
	if (!ok)
		snprintf(l.what, sizeof(l.what), "%s", err.message);
	else
		ok = load(&l, path);
	session_free(&s);
	if (ok)
		ui_say(ui, "the session is as it was saved");
	else
		snprintf(error, size, "%.200s:%u: %s", path, l.line, l.what);
	return ok;
}

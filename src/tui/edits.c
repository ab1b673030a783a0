/* SPDX-License-Identifier: GPL-2.0-only */
#include "edits.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "nav.h"
#include "whatif.h"

static struct branch *shown(struct ui *ui)
{
	return &ui->branches[ui->branch];
}

static bool has_room(struct ui *ui, char *error, size_t size)
{
	if (shown(ui)->nr_edits < UI_EDITS_MAX)
		return true;
	snprintf(error, size, "a line keeps at most %d edits; u takes the last back", UI_EDITS_MAX);
	return false;
}

static struct edit_rec *add(struct ui *ui, enum edit_kind kind, struct tl_pos at, const char *text)
{
	struct branch *b = shown(ui);
	struct edit_rec *e;

	if (!b->edits)
		b->edits = base_alloc(UI_EDITS_MAX, sizeof(*b->edits));
	e = &b->edits[b->nr_edits++];
	memset(e, 0, sizeof(*e));
	e->kind = kind;
	e->at = at;
	snprintf(e->text, sizeof(e->text), "%s", text);
	if (!ui->src_ended && !ui->detached) {
		ui->detached = true;
		ui_say(ui, "the script had more to do: it is detached from this line now");
	}
	return e;
}

static u32 *copy_slots(const struct op *op, const u32 *slots)
{
	u32 *copy = slots ? base_alloc(op->count, sizeof(u32)) : NULL;

	if (copy)
		memcpy(copy, slots, op->count * sizeof(u32));
	return copy;
}

/* Injections that lie behind a place move with an operation put in or taken out there. */
static void shift_injections(struct branch *b, u64 at, int by)
{
	for (u32 i = 0; i < b->nr_edits; i++)
		if (b->edits[i].kind == EDIT_INJECT && b->edits[i].op_now >= at)
			b->edits[i].op_now += (u64)(s64)by;
}

static bool inject(struct ui *ui, const struct op *op, u32 *slots, struct tl_pos at,
		   const char *text, char *error, size_t size)
{
	struct sim_error err;
	struct op_result result;
	struct timeline *saved;
	struct edit_rec *e;
	bool put_off = false;

	if (tl_fork(ui->tl, &saved, &err)) {
		snprintf(error, size, "%s", err.message);
		return false;
	}
	if (tl_inject(ui->tl, op, slots, &result, &put_off, &err)) {
		snprintf(error, size, "%s", err.message);
		tl_destroy(saved);
		return false;
	}
	e = add(ui, EDIT_INJECT, at, text);
	e->op = *op;
	e->slots = copy_slots(op, slots);
	e->saved = saved;
	e->op_now = at.op;
	ui_say(ui, put_off ? "put off to the first step after the lock is released" :
			     "injected at this step; u takes it back");
	return true;
}

bool edits_put_in(struct ui *ui, const struct op *op, const u32 *slots, const char *text,
		  char *error, size_t size)
{
	struct tl_pos at = nav_pos(ui);
	bool takes_slots = op->kind == OP_ALLOC || op->kind == OP_ALLOCN || op->kind == OP_BULK;
	u32 *own = copy_slots(op, slots);
	struct sim_error err;
	struct edit_rec *e;
	bool ok = true;

	if (takes_slots && !own)
		own = base_alloc(op->count, sizeof(u32));
	if (!has_room(ui, error, size)) {
		ok = false;
	} else if (at.step > 0) {
		ok = inject(ui, op, own, at, text, error, size);
	} else if (at.op < tl_length(ui->tl) ? tl_insert(ui->tl, op, &err) :
					       tl_append(ui->tl, op, own, NULL, &err)) {
		snprintf(error, size, "%s", err.message);
		ok = false;
	} else {
		shift_injections(shown(ui), at.op, 1);
		e = add(ui, EDIT_INSERT, at, text);
		e->op = *op;
		e->slots = copy_slots(op, slots);
		tl_seek(ui->tl, at.op + 1, 0, &err);
	}
	free(own);
	nav_changed(ui);
	return ok;
}

bool edits_base(struct ui *ui, u32 set, const char *text, char *error, size_t size)
{
	u32 before = tl_base_patches(ui->tl);
	struct tl_pos at = nav_pos(ui);
	struct sim_error err;
	struct edit_rec *e;

	if (!has_room(ui, error, size))
		return false;
	if (tl_set_base_patches(ui->tl, set, &err)) {
		snprintf(error, size, "%s", err.message);
		return false;
	}
	e = add(ui, EDIT_BASE, at, text);
	e->set = set;
	e->set_before = before;
	nav_changed(ui);
	return true;
}

static void drop(struct edit_rec *e)
{
	free(e->slots);
	if (e->saved)
		tl_destroy(e->saved);
}

bool edits_undo(struct ui *ui)
{
	struct branch *b = shown(ui);
	struct edit_rec e;
	struct sim_error err = { 0 };

	if (b->nr_edits == 0)
		return false;
	e = b->edits[b->nr_edits - 1];
	compare_end(ui);
	if (e.kind == EDIT_INJECT && !e.saved) {
		ui_complain(
			ui,
			"this injection came with the branch; the line it came from can undo it");
		return true;
	}
	if (e.kind == EDIT_INSERT) {
		if (tl_remove(ui->tl, e.at.op, &err)) {
			ui_complain(ui, "%s", err.message);
			return true;
		}
	} else if (e.kind == EDIT_BASE) {
		tl_set_base_patches(ui->tl, e.set_before, &err);
	} else {
		tl_destroy(b->tl);
		b->tl = ui->tl = e.saved;
		b->edits[b->nr_edits - 1].saved = NULL;
	}
	ui_say(ui, "taken back: %s", e.text);
	drop(&b->edits[--b->nr_edits]);
	if (e.kind == EDIT_INSERT)
		shift_injections(b, e.at.op + 1, -1);
	tl_seek(ui->tl, e.at.op, e.at.step, &err);
	nav_changed(ui);
	return true;
}

void edits_free(struct branch *b)
{
	for (u32 i = 0; i < b->nr_edits; i++)
		drop(&b->edits[i]);
	free(b->edits);
	b->edits = NULL;
	b->nr_edits = 0;
}

void edits_copy(struct branch *to, const struct branch *from)
{
	to->nr_edits = from->nr_edits;
	to->edits = from->edits ? base_alloc(UI_EDITS_MAX, sizeof(*to->edits)) : NULL;
	for (u32 i = 0; i < from->nr_edits; i++) {
		to->edits[i] = from->edits[i];
		to->edits[i].slots = copy_slots(&from->edits[i].op, from->edits[i].slots);
		to->edits[i].saved = NULL;
	}
}

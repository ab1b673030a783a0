/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: the scenario's path, what was changed by hand, in order, and where the
 * person stood. Replaying it gives the same machine, which the digest confirms.
 *
 *	pageset session 1
 *	scenario PATH
 *	patches 0xSET
 *	edit KIND OP STEP SET kind order type flags cpu zone count slot value low high [slots...]
 *	break TEXT | mark OP STEP NAME | position OP STEP | digest HEX
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/save.h"
#include "base/text.h"
#include "command.h"
#include "edits.h"
#include "nav.h"
#include "scan.h"

enum { SESSION_MAX = 16 << 20 };

static void save_edit(FILE *out, const struct edit_rec *e)
{
	const struct op *o = &e->op;

	fprintf(out,
		"edit %d %" PRIu64 " %u %u %u %u %u %u %u %u %u %u %" PRId64 " %" PRId64
		" %" PRId64,
		(int)e->kind, e->at.op, e->at.step, e->set, o->kind, o->order, o->type, o->flags,
		o->cpu, o->zone, o->count, o->slot, o->value, o->low, o->high);
	for (u32 i = 0; e->slots && i < o->count; i++)
		fprintf(out, " %u", e->slots[i]);
	fputc('\n', out);
}

/* The set that the line began with, before any change by hand. */
static u32 first_base(const struct ui *ui)
{
	const struct branch *b = &ui->branches[ui->branch];

	for (u32 i = 0; i < b->nr_edits; i++)
		if (b->edits[i].kind == EDIT_BASE)
			return b->edits[i].set_before;
	return tl_base_patches(ui->tl);
}

bool session_save(struct ui *ui, const char *path, char *error, size_t size)
{
	const struct branch *b = &ui->branches[ui->branch];
	struct tl_pos pos = nav_pos(ui);
	struct base_save *save;
	struct diag d;
	FILE *out;

	if (base_save_begin(&save, path, &out, &d)) {
		snprintf(error, size, "%.200s: %.200s", path, d.message);
		return false;
	}
	fprintf(out, "pageset session 1\nscenario %s\npatches %#x\n", ui->src.path, first_base(ui));
	for (u32 i = 0; i < b->nr_edits; i++)
		save_edit(out, &b->edits[i]);
	for (u32 i = 0; i < ui->nr_breaks; i++)
		fprintf(out, "break %s *%u\n", ui->breaks[i].text, ui->breaks[i].ignore);
	for (u32 i = 0; i < ui->nr_marks; i++)
		fprintf(out, "mark %" PRIu64 " %u %s\n", ui->marks[i].op, ui->marks[i].step,
			ui->mark_names[i]);
	fprintf(out, "position %" PRIu64 " %u\ndigest %016" PRIx64 "\n", pos.op, pos.step,
		sim_state_digest(nav_sim(ui)));
	if (base_save_commit(save, &d)) {
		snprintf(error, size, "%.200s: %.200s", path, d.message);
		return false;
	}
	return true;
}

/* ---- loading ---- */

static bool bad_line(char *error, size_t size, const char *path, size_t line, const char *what)
{
	snprintf(error, size, "%.200s:%zu: %s", path, line, what);
	return false;
}

/* Numbers apart by blanks; false if one is missing. */
static bool take(const char **at, s64 *value)
{
	char *end;

	*value = strtoll(*at, &end, 0);
	if (end == *at)
		return false;
	*at = end;
	return true;
}

static bool take_slots(const char *at, const struct op *op, u32 **slots)
{
	s64 v;

	*slots = NULL;
	if (!take(&at, &v))
		return true;
	*slots = base_alloc(op->count, sizeof(u32));
	for (u32 i = 0; i < op->count; i++) {
		(*slots)[i] = (u32)v;
		if (i + 1 < op->count && !take(&at, &v))
			return false;
	}
	return true;
}

static bool load_edit(struct ui *ui, const char *at, char *error, size_t size)
{
	s64 v[15];
	struct op op = { 0 };
	char words[UI_LINE_MAX];
	u32 *slots = NULL;
	struct sim_error err;
	bool ok;

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		if (!take(&at, &v[i]))
			return snprintf(error, size, "an edit needs 15 numbers"), false;
	if (v[0] == EDIT_BASE)
		return edits_base(ui, (u32)v[3], "patches from the start", error, size);
	op = (struct op){ .kind = (u8)v[4],
			  .order = (u8)v[5],
			  .type = (u8)v[6],
			  .flags = (u8)v[7],
			  .cpu = (u16)v[8],
			  .zone = (u16)v[9],
			  .count = (u32)v[10],
			  .slot = (u32)v[11],
			  .value = v[12],
			  .low = v[13],
			  .high = v[14] };
	if (op.kind >= NR_OPS || op.count < 1 || op.count > SIM_OP_LIST_MAX)
		return snprintf(error, size, "not an operation that can be"), false;
	if (tl_seek(ui->tl, (u64)v[1], (u32)v[2], &err))
		return snprintf(error, size, "%s", err.message), false;
	ok = take_slots(at, &op, &slots) || (snprintf(error, size, "too few slots"), false);
	ok = ok && edits_put_in(ui, &op, slots, op_words(&op, words), error, size);
	free(slots);
	return ok;
}

static void load_mark(struct ui *ui, const char *at)
{
	s64 op, step;

	if (ui->nr_marks == UI_MARKS_MAX || !take(&at, &op) || !take(&at, &step))
		return;
	for (u32 i = 0; i < ui->nr_marks; i++)
		if (ui->marks[i].op == (u64)op && ui->marks[i].step == (u32)step)
			return;
	ui->marks[ui->nr_marks] = (struct tl_pos){ .op = (u64)op, .step = (u32)step };
	snprintf(ui->mark_names[ui->nr_marks++], sizeof(ui->mark_names[0]), "%.31s",
		 at + strspn(at, " "));
}

static bool load_patches(struct ui *ui, const char *at, char *error, size_t size)
{
	struct sim_error err;
	s64 set;

	if (!take(&at, &set) || !patch_set_is_closed((u32)set))
		return snprintf(error, size, "not a patch set"), false;
	if ((u32)set != tl_base_patches(ui->tl) && tl_set_base_patches(ui->tl, (u32)set, &err))
		return snprintf(error, size, "%s", err.message), false;
	nav_changed(ui);
	return true;
}

static bool load_line(struct ui *ui, const char *line, char *error, size_t size)
{
	const char *arg = strchr(line, ' ');
	char digest[24];
	s64 op, step;

	arg = arg ? arg + 1 : "";
	if (strncmp(line, "edit ", 5) == 0)
		return load_edit(ui, arg, error, size);
	if (strncmp(line, "patches ", 8) == 0)
		return load_patches(ui, arg, error, size);
	if (strncmp(line, "break ", 6) == 0)
		return breaks_add(ui, arg) || (snprintf(error, size, "%s", ui->message), false);
	if (strncmp(line, "mark ", 5) == 0)
		return load_mark(ui, arg), true;
	if (strncmp(line, "position ", 9) == 0) {
		if (take(&arg, &op) && take(&arg, &step) && nav_seek(ui, (u64)op, (u32)step))
			return true;
		return snprintf(error, size, "not a position of this line"), false;
	}
	if (strncmp(line, "digest ", 7) == 0) {
		snprintf(digest, sizeof(digest), "%016" PRIx64, sim_state_digest(nav_sim(ui)));
		if (strcmp(digest, arg) == 0)
			return true;
		return snprintf(
			       error, size,
			       "the machine is not the one that was saved: the scenario or the program changed"),
		       false;
	}
	return line[0] == '\0' || (snprintf(error, size, "unknown line"), false);
}

bool session_load(struct ui *ui, const char *path, char *error, size_t size)
{
	struct base_text text;
	struct diag d;
	char what[UI_LINE_MAX], *line;
	bool ok = true;

	if (base_text_read(&text, path, SESSION_MAX, &d)) {
		snprintf(error, size, "%.200s: %.200s", path, d.message);
		return false;
	}
	for (size_t n = 1; ok && n <= text.nr_lines; n++) {
		const char *start;
		size_t len;

		if (!base_text_line(&text, n, &start, &len))
			break;
		line = base_alloc(len + 1, 1);
		memcpy(line, start, len);
		if (n == 1)
			ok = strcmp(line, "pageset session 1") == 0 ||
			     bad_line(error, size, path, n, "not a saved session");
		else if (n == 2)
			ok = (strncmp(line, "scenario ", 9) == 0 ||
			      bad_line(error, size, path, n, "expected: scenario PATH")) &&
			     (nav_open(ui, line + 9) ||
			      bad_line(error, size, path, n, ui->message));
		else
			ok = load_line(ui, line, what, sizeof(what)) ||
			     bad_line(error, size, path, n, what);
		free(line);
	}
	if (ok && text.nr_lines < 2)
		ok = bad_line(error, size, path, 1, "not a saved session");
	base_text_free(&text);
	if (ok)
		ui_say(ui, "the session is as it was saved");
	return ok;
}

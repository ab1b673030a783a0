/* SPDX-License-Identifier: GPL-2.0-only */
#include "scan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/near.h"
#include "base/number.h"
#include "nav.h"
#include "term.h"

enum { CHUNK_OPS = 512, CHUNK_OPS_MAX = 65536, LIFE_LINES_MAX = 400 };

/* Called behind each step, and with @step NULL behind each operation. True: this is it. */
typedef bool scan_test(void *ctx, struct ui *ui, const struct sim *sim, const struct step *step,
		       struct tl_pos pos);

struct scan {
	struct ui *ui;
	scan_test *test;
	void *ctx;
	struct tl_pos pos, hit;	     /* step counts from 1 */
	struct tl_pos after, before; /* hits lie strictly between */
	bool found, want_last;
	u32 *slots, slots_max; /* of the operation that runs */
};

static int pos_compare(struct tl_pos a, struct tl_pos b)
{
	if (a.op != b.op)
		return a.op < b.op ? -1 : 1;
	return a.step < b.step ? -1 : a.step > b.step;
}

static void scan_try(struct scan *scan, const struct sim *sim, const struct step *step)
{
	if (!scan->test(scan->ctx, scan->ui, sim, step, scan->pos))
		return;
	if ((scan->found && !scan->want_last) || pos_compare(scan->pos, scan->after) <= 0 ||
	    pos_compare(scan->pos, scan->before) >= 0)
		return;
	scan->found = true;
	scan->hit = scan->pos;
}

static void scan_observer(void *ctx, struct sim *sim, const struct step *step)
{
	struct scan *scan = ctx;

	scan->pos.step++;
	scan_try(scan, sim, step);
}

static bool has_injections(const struct ui *ui, u64 op)
{
	const struct branch *b = &ui->branches[ui->branch];

	for (u32 i = 0; i < b->nr_edits; i++)
		if (b->edits[i].kind == EDIT_INJECT && b->edits[i].op_now == op)
			return true;
	return false;
}

/* An operation that others were put into: only the timeline can run it. */
static void scan_injected(struct scan *scan, struct timeline *tl, u64 op)
{
	struct op_view view = { 0 };
	struct sim_error err;

	if (op_view_load(&view, tl, op)) {
		for (u32 k = 1; k <= view.nr_steps; k++) {
			scan->pos.step = k;
			if (tl_seek(tl, op, k, &err) == SIM_OK)
				scan_try(scan, tl_view(tl), &view.steps[k - 1]);
		}
	}
	op_view_free(&view);
}

/* sim_exec() takes slots that it may write to. */
static u32 *scan_slots(struct scan *scan, const u32 *slots, u32 count)
{
	if (!slots)
		return NULL;
	if (count > scan->slots_max) {
		free(scan->slots);
		scan->slots = base_alloc(count, sizeof(u32));
		scan->slots_max = count;
	}
	memcpy(scan->slots, slots, count * sizeof(u32));
	return scan->slots;
}

/* Run operations from..to-1. The shown timeline is used and put back. False if it was stopped. */
static bool scan_range(struct scan *scan, u64 from, u64 to)
{
	struct timeline *tl = scan->ui->tl;
	struct tl_pos back = tl_position(tl);
	struct sim *sim = NULL;
	struct sim_error err;
	bool stopped = false;

	for (u64 i = from; i < to && !stopped && (!scan->found || scan->want_last); i++) {
		const u32 *slots;
		struct op op;

		scan->pos = (struct tl_pos){ .op = i };
		if (has_injections(scan->ui, i)) {
			sim_destroy(sim);
			sim = NULL;
			scan_injected(scan, tl, i);
			tl_seek(tl, i + 1, 0, &err);
			scan->pos = (struct tl_pos){ .op = i + 1 };
			scan_try(scan, tl_view(tl), NULL);
			continue;
		}
		if (!sim) {
			if (tl_seek(tl, i, 0, &err) || sim_clone(tl_view(tl), &sim, &err))
				break;
			sim_set_checking(sim, false);
			sim_set_observer(sim, scan_observer, scan);
		}
		if (tl_op(tl, i, &op, &slots, &err))
			break;
		sim_exec(sim, &op, scan_slots(scan, slots, op.count), NULL, &err);
		scan->pos = (struct tl_pos){ .op = i + 1 };
		scan_try(scan, sim, NULL);
		stopped = (i & 63) == 63 && term_escape_pressed(scan->ui);
	}
	sim_destroy(sim);
	free(scan->slots);
	scan->slots = NULL;
	scan->slots_max = 0;
	tl_seek(tl, back.op, back.step, &err);
	return !stopped;
}

/* The last hit before the position, in growing chunks from there to the beginning. */
static bool scan_back(struct scan *scan)
{
	u64 first = tl_first(scan->ui->tl);
	u64 to = scan->before.op + (scan->before.step > 0), chunk = CHUNK_OPS;

	scan->want_last = true;
	while (to > first && !scan->found) {
		u64 from = to - first > chunk ? to - chunk : first;

		if (!scan_range(scan, from, to))
			return false;
		to = from;
		chunk = chunk * 4 > CHUNK_OPS_MAX ? CHUNK_OPS_MAX : chunk * 4;
	}
	return true;
}

/* ---- breakpoints ---- */

static const struct {
	const char *name;
	u8 letter;
} event_names[] = { { "refill", 'R' }, { "bulk", 'b' },	 { "drain", 'D' }, { "flag", 'f' },
		    { "tick", 't' },   { "patch", 'P' }, { "fail", '!' } };

static const char *event_name(const void *ctx, size_t i)
{
	(void)ctx;
	return i < ARRAY_SIZE(event_names) ? event_names[i].name : NULL;
}

void breaks_clear(struct ui *ui)
{
	for (u32 i = 0; i < ui->nr_breaks; i++)
		if (ui->breaks[i].expr)
			ui->opt->expr->release(ui->opt->expr->ctx, ui->breaks[i].expr);
	ui->nr_breaks = 0;
}

bool breaks_remove(struct ui *ui, u32 i)
{
	if (i >= ui->nr_breaks)
		return false;
	if (ui->breaks[i].expr)
		ui->opt->expr->release(ui->opt->expr->ctx, ui->breaks[i].expr);
	memmove(&ui->breaks[i], &ui->breaks[i + 1],
		(ui->nr_breaks - i - 1) * sizeof(ui->breaks[0]));
	ui->nr_breaks--;
	return true;
}

/* "EXPR *3": the count behind a star at the end. */
static u32 split_ignore(char *text)
{
	char *star = strrchr(text, '*');
	u64 n;

	if (!star || star == text || star[-1] != ' ' ||
	    base_parse_uint(star + 1, strlen(star + 1), 0, 1000000000, &n, NULL))
		return 0;
	while (star > text && star[-1] == ' ')
		star--;
	*star = '\0';
	return (u32)n;
}

bool breaks_add(struct ui *ui, const char *text)
{
	struct breakpoint b = { .op = -1 };
	char error[UI_ERROR_MAX];
	u64 n;

	if (ui->nr_breaks == UI_BREAKS_MAX) {
		ui_complain(ui, "there are %d breakpoints already; :delete N removes one",
			    UI_BREAKS_MAX);
		return false;
	}
	snprintf(b.text, sizeof(b.text), "%s", text);
	b.ignore = split_ignore(b.text);
	for (size_t i = 0; i < ARRAY_SIZE(event_names); i++)
		if (strcmp(b.text, event_names[i].name) == 0)
			b.kinds = event_names[i].letter;
	if (strncmp(b.text, "op ", 3) == 0 &&
	    base_parse_uint(b.text + 3, strlen(b.text + 3), 1, INT64_MAX, &n, NULL) == 0)
		b.op = (s64)n;
	if (!b.kinds && b.op < 0) {
		const char *near = base_near(b.text, event_name, NULL);

		if (!ui->opt->expr) {
			ui_complain(
				ui,
				"'%s' is no event (refill, bulk, drain, flag, tick, patch, fail) and no op N",
				b.text);
			return false;
		}
		b.expr = ui->opt->expr->compile(ui->opt->expr->ctx, nav_sim(ui), (int)ui->zone,
						b.text, error, sizeof(error));
		if (!b.expr) {
			ui_complain(ui, "%s%s%s", error, near ? "; or the event " : "",
				    near ? near : "");
			return false;
		}
	}
	ui->breaks[ui->nr_breaks++] = b;
	ui_say(ui, "breakpoint %u: %s%s", ui->nr_breaks, text,
	       ui->nr_breaks == 1 ? "   c goes on to it, C back to it" : "");
	return true;
}

struct hunt {
	bool was[UI_BREAKS_MAX]; /* expressions count when they become true */
	u32 hits[UI_BREAKS_MAX];
	u32 which[2];
	char error[UI_ERROR_MAX];
};

static bool is_true(const struct ui_value *value)
{
	return value->type == UI_VALUE_TEXT || value->number != 0;
}

static bool break_hit(struct ui *ui, struct hunt *hunt, u32 i, const struct sim *sim,
		      const struct step *step, struct tl_pos pos)
{
	struct breakpoint *b = &ui->breaks[i];
	struct ui_value value;
	bool now;

	if (b->kinds)
		return step && step_letter(step) == b->kinds;
	if (b->op >= 0)
		return !step && pos.step == 0 && pos.op == (u64)b->op;
	if (!ui->opt->expr->eval(ui->opt->expr->ctx, b->expr, sim, NULL, &value, hunt->error,
				 sizeof(hunt->error)))
		return false;
	now = is_true(&value) && !hunt->was[i];
	hunt->was[i] = is_true(&value);
	return now;
}

/* The scenario wants attention at this boundary. */
static bool pauses_at(struct ui *ui, u64 op)
{
	size_t from = 0;

	if (nav_cue(ui, UI_SAY, op, &from))
		return true;
	from = 0;
	return nav_cue(ui, UI_PREDICT, op, &from) != NULL;
}

static bool hunt_test(void *ctx, struct ui *ui, const struct sim *sim, const struct step *step,
		      struct tl_pos pos)
{
	struct hunt *hunt = ctx;
	bool stop = false;

	for (u32 i = 0; i < ui->nr_breaks; i++) {
		if (break_hit(ui, hunt, i, sim, step, pos) &&
		    ++hunt->hits[i] > ui->breaks[i].ignore) {
			hunt->which[0] = i + 1;
			stop = true;
		}
	}
	return stop || (!step && pauses_at(ui, pos.op));
}

/* What the expressions are at the position, so that only a change counts. */
static void hunt_begin(struct ui *ui, struct hunt *hunt, const struct sim *sim)
{
	struct ui_value value;

	for (u32 i = 0; i < ui->nr_breaks; i++) {
		if (!ui->breaks[i].expr)
			continue;
		hunt->was[i] = ui->opt->expr->eval(ui->opt->expr->ctx, ui->breaks[i].expr, sim,
						   NULL, &value, hunt->error,
						   sizeof(hunt->error)) &&
			       is_true(&value);
	}
}

static void tell_stop(struct ui *ui, const struct hunt *hunt)
{
	u32 i = hunt->which[0];

	if (i > 0 && i <= ui->nr_breaks) {
		ui->breaks[i - 1].hits++;
		ui_say(ui, "stopped at breakpoint %u: %s", i, ui->breaks[i - 1].text);
	} else if (hunt->error[0] && ui->nr_breaks > 0) {
		ui_complain(ui, "%s", hunt->error);
	}
}

bool scan_continue(struct ui *ui, bool forward)
{
	struct hunt hunt = { 0 };
	struct tl_pos pos = nav_pos(ui);
	struct scan scan = { .ui = ui, .test = hunt_test, .ctx = &hunt };
	struct sim_error err;

	if (forward) {
		scan.after = pos;
		scan.before = (struct tl_pos){ .op = UINT64_MAX };
		nav_end(ui);
		tl_seek(ui->tl, pos.op, pos.step, &err);
		hunt_begin(ui, &hunt, nav_sim(ui));
		if (!scan_range(&scan, pos.op, tl_length(ui->tl)))
			ui_say(ui, "stopped by Esc");
	} else {
		scan.before = pos;
		if (!scan_back(&scan))
			ui_say(ui, "stopped by Esc");
	}
	if (scan.found) {
		tell_stop(ui, &hunt);
		return nav_seek(ui, scan.hit.op, scan.hit.step);
	}
	if (hunt.error[0])
		ui_complain(ui, "%s", hunt.error);
	return forward ? nav_end(ui) : nav_seek(ui, tl_first(ui->tl), 0);
}

bool scan_stops_here(struct ui *ui)
{
	struct hunt hunt = { 0 };
	struct tl_pos pos = nav_pos(ui);

	if (pos.step == 0 && pauses_at(ui, pos.op))
		return true;
	if (hunt_test(&hunt, ui, nav_sim(ui), pos.step > 0 ? nav_current(ui) : NULL, pos)) {
		tell_stop(ui, &hunt);
		return true;
	}
	return false;
}

/* ---- who set it ---- */

struct who {
	struct field_ref ref;
	s64 value;
	bool known;
};

static bool who_test(void *ctx, struct ui *ui, const struct sim *sim, const struct step *step,
		     struct tl_pos pos)
{
	struct who *who = ctx;
	s64 value = 0;
	bool changed;

	(void)ui;
	(void)step;
	if (pos.step == 0)
		return false;
	field_get(sim, &who->ref, &value);
	changed = who->known && value != who->value;
	who->value = value;
	who->known = true;
	return changed;
}

bool scan_who_set(struct ui *ui, const struct field_ref *ref)
{
	struct who who = { .ref = *ref };
	struct tl_pos pos = nav_pos(ui);
	struct scan scan = { .ui = ui, .test = who_test, .ctx = &who };
	char path[FIELD_NAME_MAX];

	/* The step that stands here counts too. */
	scan.before = (struct tl_pos){ .op = pos.op, .step = pos.step + 1 };
	if (!scan_back(&scan))
		return false;
	field_path(ref, path);
	if (!scan.found) {
		ui_say(ui, "%s has not changed since the beginning", path);
		return false;
	}
	if (pos_compare(scan.hit, pos) == 0) {
		ui_say(ui, "%s was set by this very step", path);
		return true;
	}
	nav_seek(ui, scan.hit.op, scan.hit.step);
	ui_say(ui, "%s was set here, by op %llu step %u", path, (unsigned long long)scan.hit.op + 1,
	       scan.hit.step);
	return true;
}

/* ---- a page's life ---- */

struct life {
	u64 pfn;
	char *text;
	size_t used, size;
	u32 lines;
};

/* Does a step's sentence speak of the page? Its pfns are the operands written {n:x}. */
static bool speaks_of(const struct step *step, u64 pfn)
{
	const char *at = step_infos[step->id].text;

	while ((at = strchr(at, '{')) != NULL) {
		u32 n = (u32)(at[1] - '0');

		if (strncmp(at + 2, ":x}", 3) == 0 && n < step->nr_args &&
		    (u64)step->args[n] == pfn)
			return true;
		at++;
	}
	return false;
}

static bool life_test(void *ctx, struct ui *ui, const struct sim *sim, const struct step *step,
		      struct tl_pos pos)
{
	struct life *life = ctx;
	char text[STEP_TEXT_MAX];
	int n;

	(void)ui;
	if (!step || life->lines >= LIFE_LINES_MAX || !speaks_of(step, life->pfn))
		return false;
	n = snprintf(life->text + life->used, life->size - life->used, "op %llu step %u: %s\n",
		     (unsigned long long)pos.op + 1, pos.step, step_format(sim, step, text));
	if (n > 0 && (size_t)n < life->size - life->used)
		life->used += (size_t)n;
	life->lines++;
	return false;
}

char *scan_page_life(struct ui *ui, u64 pfn)
{
	static const char *const states[] = { "between lists", "free in the buddy", "in a pageset",
					      "allocated" };
	struct life life = { .pfn = pfn, .size = 128 + LIFE_LINES_MAX * (STEP_TEXT_MAX + 48) };
	struct scan scan = { .ui = ui, .test = life_test, .ctx = &life };
	struct tl_pos pos = nav_pos(ui);
	struct page_info info;

	life.text = base_alloc(1, life.size);
	if (sim_page_info(nav_sim(ui), pfn, &info))
		life.used = (size_t)snprintf(life.text, life.size,
					     "page %llx now: %s, order %u\n\n",
					     (unsigned long long)pfn, states[info.state & 3],
					     info.order);
	scan.before = (struct tl_pos){ .op = pos.op, .step = pos.step + 1 };
	scan_range(&scan, tl_first(ui->tl), pos.op + (pos.step > 0));
	if (life.lines == 0)
		snprintf(life.text + life.used, life.size - life.used,
			 "No operation so far has moved it by itself.\n");
	else if (life.lines >= LIFE_LINES_MAX)
		snprintf(life.text + life.used, life.size - life.used, "(the first %d are shown)\n",
			 LIFE_LINES_MAX);
	return life.text;
}

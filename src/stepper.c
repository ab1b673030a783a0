/* SPDX-License-Identifier: GPL-2.0-only */
#include "stepper.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "base/number.h"
#include "core/field.h"
#include "diverge.h"
#include "expr_glue.h"
#include "show.h"

enum { BREAKS_MAX = 32, MARKS_MAX = 64, UNDO_MAX = 64, LINE_MAX_BYTES = 4096, COUNT_MAX = 1000000 };

/* What a command handler says. */
enum outcome { DONE, FAULT, QUIT };

enum break_kind { BREAK_NONE, BREAK_EXPR, BREAK_OP, BREAK_EVENT };

struct breakpoint {
	enum break_kind kind;
	char text[128];
	void *expr;
	bool was_true; /* conditions stop when they become true */
	u64 op;
	u8 events;
	u64 left; /* hits until it stops */
};

struct bookmark {
	const char *name;
	u64 op;
};

/* A toggle that can be taken back: the operation that did it, or the set at the start before it. */
struct undo {
	bool from_start;
	u64 op;
	u32 before;
};

struct stepper {
	const struct call *call;
	const struct work *w;
	struct timeline *tl;
	struct work_player player;
	bool ended; /* the work has no more operations */
	FILE *out;
	const struct scn_predict *open; /* asked, not resolved */
	char answer[64];
	u64 points, points_max;
	struct breakpoint breaks[BREAKS_MAX];
	struct bookmark marks[MARKS_MAX];
	size_t nr_marks;
	struct undo undos[UNDO_MAX];
	size_t nr_undos;
};

static const struct {
	const char *name;
	u8 mask;
} events[] = {
	{ "refill", TL_REFILL },       { "bulk", TL_BULK }, { "drain", TL_DRAIN },
	{ "free_high", TL_FREE_HIGH }, { "flag", TL_FLAG }, { "tick", TL_TICK },
	{ "patch", TL_PATCH },	       { "fail", TL_FAIL },
};

static void say(struct stepper *st, const char *fmt, ...) BASE_PRINTF(2, 3);

static void say(struct stepper *st, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(st->out, fmt, ap);
	va_end(ap);
	putc('\n', st->out);
}

static enum outcome fault(struct stepper *st, const char *fmt, ...) BASE_PRINTF(2, 3);

static enum outcome fault(struct stepper *st, const char *fmt, ...)
{
	va_list ap;

	fflush(st->out);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return FAULT;
}

/*
 * Where we are
 */

static void add_events(char *buf, size_t size, u8 mask)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(events) && used < size; i++) {
		if (!(mask & events[i].mask))
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
					 events[i].name);
	}
}

/* "count 125, high 321" of the acting CPU, for each zone that has pages in it or the only one. */
static void say_counts(struct stepper *st, u32 cpu)
{
	const struct sim *sim = tl_view(st->tl);
	u32 zones = sim_nr_zones(sim);

	for (u32 z = 0; z < zones; z++) {
		const struct per_cpu_pages *pcp = sim_pageset(sim, z, cpu);
		char name[32];

		if (zones > 1 && !pcp->count && z + 1 < zones)
			continue;
		say(st, "cpu%u in zone %s: count %d, high %d.", cpu, sim_zone_name(sim, z, name),
		    pcp->count, pcp->high);
	}
}

static void say_boundary(struct stepper *st, u64 op)
{
	char what[SHOW_TEXT_MAX], result[SHOW_TEXT_MAX], happened[96];
	struct op_result res;
	const struct step *steps;
	const u32 *slots;
	struct op o;
	u32 nr;

	if (op == 0) {
		say(st, "At the start. %llu operations follow%s.",
		    (unsigned long long)tl_length(st->tl), st->ended ? "" : " so far");
		return;
	}
	if (tl_op(st->tl, op - 1, &o, &slots, NULL) ||
	    tl_steps(st->tl, op - 1, &steps, &nr, &res, NULL))
		return;
	show_op(tl_view(st->tl), &o, what);
	show_result(&o, &res, result);
	add_events(happened, sizeof(happened), tl_events(st->tl, op - 1));
	say(st, "Operation %llu is done: %s; %s.%s%s%s", (unsigned long long)op, what, result,
	    happened[0] ? " Events: " : "", happened, happened[0] ? "." : "");
	say_counts(st, show_acting_cpu(tl_view(st->tl), &o));
}

static void say_step(struct stepper *st, struct tl_pos pos)
{
	struct step_stack stack = { 0 };
	const struct step *steps;
	char text[STEP_TEXT_MAX];
	u32 nr;

	if (tl_steps(st->tl, pos.op, &steps, &nr, NULL, NULL) || pos.step > nr)
		return;
	for (u32 i = 0; i < pos.step; i++)
		step_stack_update(&stack, &steps[i]);
	say(st, "Operation %llu, step %u of %u, in %s: %s.", (unsigned long long)pos.op + 1,
	    pos.step, nr, step_funcs[step_infos[steps[pos.step - 1].id].func].name,
	    step_format(tl_view(st->tl), &steps[pos.step - 1], text));
}

static void say_place(struct stepper *st)
{
	struct tl_pos pos = tl_position(st->tl);

	if (pos.step)
		say_step(st, pos);
	else
		say_boundary(st, pos.op);
}

static enum outcome failed(struct stepper *st, const struct sim_error *err)
{
	return fault(st, "%s", err->message);
}

static enum outcome seek(struct stepper *st, u64 op, u32 step)
{
	struct sim_error err;

	return tl_seek(st->tl, op, step, &err) ? failed(st, &err) : DONE;
}

/*
 * Playing
 */

static void ask(struct stepper *st)
{
	const struct scn_predict *p = st->open;

	say(st, "Question %s: %s", p->id, p->ask);
	for (size_t i = 0; i < p->nr_choices; i++)
		fprintf(st->out, "%s%s", i ? ", " : "Choices: ", p->choices[i]);
	if (p->nr_choices)
		say(st, ".");
	if (p->hint[0])
		say(st, "Hint: %s", p->hint);
	say(st, "Answer with p and your answer, or go on.");
}

static void resolve(struct stepper *st, const struct scn_event *ev)
{
	const struct scn_predict *p = ev->predict;
	char value[SCN_VALUE_MAX];

	scn_value_text(&ev->value, value);
	say(st, "The answer to %s is %s.", p->id, value);
	st->points_max += p->points;
	if (p == st->open && st->answer[0]) {
		bool right = scn_answer_right(&ev->value, st->answer);

		st->points += right ? p->points : 0;
		say(st, "You said %s: %s. %llu of %llu points.", st->answer,
		    right ? "right" : "wrong", (unsigned long long)st->points,
		    (unsigned long long)st->points_max);
	}
	if (p->why[0])
		say(st, "%s", p->why);
	if (p == st->open)
		st->open = NULL;
	st->answer[0] = '\0';
}

static void mark(struct stepper *st, const char *name, u64 op)
{
	if (st->nr_marks < MARKS_MAX)
		st->marks[st->nr_marks++] = (struct bookmark){ .name = name, .op = op };
	say(st, "Bookmark %s.", name);
}

/* What one event says; true if there is something to read or answer. */
static bool tell(struct stepper *st, const struct scn_event *ev)
{
	switch (ev->kind) {
	case SCN_EV_SAY:
		say(st, "%s", ev->text);
		return true;
	case SCN_EV_PREDICT:
		st->open = ev->predict;
		st->answer[0] = '\0';
		ask(st);
		return true;
	case SCN_EV_RESOLVE:
		resolve(st, ev);
		return true;
	case SCN_EV_EXPECT:
		if (ev->ok)
			say(st, "As expected: %s.", ev->text);
		else
			say(st, "Not as expected: %s. %s", ev->text, ev->message);
		return !ev->ok;
	case SCN_EV_BOOKMARK:
		mark(st, ev->text, tl_length(st->tl));
		return false;
	default:
		return false;
	}
}

enum played { PLAYED_OP, PLAYED_TEXT, PLAYED_END, PLAYED_FAULT };

/*
 * Plays on, from the end of the log, until operations were added; before that until a question, or with stop_at_text until
 * anything to read. What follows an operation and only speaks of it is told at once.
 */
static enum played play(struct stepper *st, bool stop_at_text)
{
	u64 before = tl_length(st->tl);
	struct scn_event ev = { .kind = SCN_EV_END };

	if (st->ended)
		return PLAYED_END;
	if (seek(st, before, 0) == FAULT)
		return PLAYED_FAULT;
	while (work_next(&st->player, &ev)) {
		bool text = tell(st, &ev);

		if (tl_length(st->tl) > before)
			return PLAYED_OP;
		if (text && (stop_at_text || ev.kind == SCN_EV_PREDICT))
			return PLAYED_TEXT;
	}
	st->ended = true;
	if (ev.kind != SCN_EV_ERROR)
		return PLAYED_END;
	fflush(st->out);
	work_fail(st->call, st->w, &ev);
	return PLAYED_FAULT;
}

/* Expectations and answers that belong to the operation just done stand directly behind it. */
static void play_aftermath(struct stepper *st)
{
	struct scn_event ev;

	while (st->player.scn && !st->ended && !scn_play_op_next(st->player.scn)) {
		u64 before = tl_length(st->tl);
		struct tl_pos pos = tl_position(st->tl);

		if (pos.op != before || pos.step)
			return;
		if (!work_next(&st->player, &ev)) {
			st->ended = true;
			if (ev.kind == SCN_EV_ERROR)
				work_fail(st->call, st->w, &ev);
			return;
		}
		if (tell(st, &ev) && ev.kind != SCN_EV_RESOLVE)
			return;
		if (tl_length(st->tl) > before)
			return;
	}
}

static enum outcome say_end(struct stepper *st)
{
	say(st, "The end: %llu operations are done.", (unsigned long long)tl_length(st->tl));
	if (st->points_max)
		say(st, "%llu of %llu points.", (unsigned long long)st->points,
		    (unsigned long long)st->points_max);
	return DONE;
}

/*
 * Breakpoints
 */

static bool break_is_true(struct stepper *st, const struct breakpoint *b)
{
	struct scn_value value;
	char message[256];

	if (!expr_glue.eval(expr_glue.ctx, b->expr, tl_view(st->tl), NULL, 0, &value, message,
			    sizeof(message)))
		return false;
	return value.kind == SCN_BOOL ? value.b : value.kind == SCN_INT ? value.i != 0 : true;
}

/* Conditions are looked at after each operation: those that hold now do not stop before they have ceased to. */
static void arm_breaks(struct stepper *st)
{
	for (size_t i = 0; i < BREAKS_MAX; i++)
		if (st->breaks[i].kind == BREAK_EXPR)
			st->breaks[i].was_true = break_is_true(st, &st->breaks[i]);
}

/* At the end of operation `op` (from 1): the breakpoint that stops here, or NULL. */
static const struct breakpoint *find_break(struct stepper *st, u64 op)
{
	const struct breakpoint *found = NULL;

	for (size_t i = 0; i < BREAKS_MAX; i++) {
		struct breakpoint *b = &st->breaks[i];
		bool hit = false, now;

		switch (b->kind) {
		case BREAK_EXPR:
			now = break_is_true(st, b);
			hit = now && !b->was_true;
			b->was_true = now;
			break;
		case BREAK_OP:
			hit = b->op == op;
			break;
		case BREAK_EVENT:
			hit = op > 0 && tl_events(st->tl, op - 1) & b->events;
			break;
		case BREAK_NONE:
			break;
		}
		if (hit && b->left > 1)
			b->left--;
		else if (hit && !found)
			found = b;
	}
	return found;
}

/* The first step of the operation at which the condition holds. */
static void go_to_condition(struct stepper *st, const struct breakpoint *b, u64 op)
{
	if (b->kind != BREAK_EXPR || seek(st, op - 1, 0) == FAULT)
		return;
	while (tl_step_next(st->tl) && tl_position(st->tl).op == op - 1)
		if (break_is_true(st, b))
			return;
	seek(st, op, 0);
}

static enum outcome stop_at(struct stepper *st, const struct breakpoint *b, u64 op, bool inside)
{
	say(st, "Breakpoint %zu: %s.", (size_t)(b - st->breaks) + 1, b->text);
	if (inside)
		go_to_condition(st, b, op);
	say_place(st);
	return DONE;
}

static bool parse_event(struct stepper *st, const char *name, u8 *mask)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		if (strcmp(events[i].name, name) == 0) {
			*mask = events[i].mask;
			return true;
		}
	}
	fault(st,
	      "There is no event '%s'. There are refill, bulk, drain, free_high, flag, tick, patch "
	      "and fail.",
	      name);
	return false;
}

static void list_breaks(struct stepper *st)
{
	bool any = false;

	for (size_t i = 0; i < BREAKS_MAX; i++) {
		const struct breakpoint *b = &st->breaks[i];

		if (b->kind == BREAK_NONE)
			continue;
		any = true;
		if (b->left > 1)
			say(st, "Breakpoint %zu: %s, after %llu more hits.", i + 1, b->text,
			    (unsigned long long)b->left - 1);
		else
			say(st, "Breakpoint %zu: %s.", i + 1, b->text);
	}
	if (!any)
		say(st, "There are no breakpoints.");
}

static void break_clear(struct breakpoint *b)
{
	if (b->kind == BREAK_EXPR)
		expr_glue.free(expr_glue.ctx, b->expr);
	*b = (struct breakpoint){ 0 };
}

static enum outcome delete_break(struct stepper *st, const char *text)
{
	u64 n;

	if (base_parse_uint(text, strlen(text), 1, BREAKS_MAX, &n, NULL) ||
	    st->breaks[n - 1].kind == BREAK_NONE)
		return fault(st, "There is no breakpoint '%s'; b lists them.", text);
	break_clear(&st->breaks[n - 1]);
	say(st, "Breakpoint %llu is deleted.", (unsigned long long)n);
	return DONE;
}

static enum outcome set_condition(struct stepper *st, struct breakpoint *b, const char *text)
{
	char message[256], hint[256];
	size_t offset;

	if (!expr_glue.compile(expr_glue.ctx, tl_view(st->tl), st->w->default_zone, NULL, 0, text,
			       strlen(text), &b->expr, message, hint, sizeof(hint), &offset))
		return fault(st, "At character %zu: %s%s%s", offset + 1, message,
			     hint[0] ? ". " : "", hint);
	b->kind = BREAK_EXPR;
	b->was_true = break_is_true(st, b);
	return DONE;
}

static enum outcome breakpoint(struct stepper *st, u64 count, const char *arg)
{
	struct breakpoint *b = st->breaks;

	if (!*arg) {
		list_breaks(st);
		return DONE;
	}
	if (strncmp(arg, "delete ", 7) == 0)
		return delete_break(st, arg + 7);
	while (b < st->breaks + BREAKS_MAX && b->kind != BREAK_NONE)
		b++;
	if (b == st->breaks + BREAKS_MAX)
		return fault(st, "There are %d breakpoints already; b delete N makes room.",
			     BREAKS_MAX);
	if (strncmp(arg, "op ", 3) == 0) {
		if (base_parse_uint(arg + 3, strlen(arg + 3), 0, UINT32_MAX, &b->op, NULL))
			return fault(st, "'%s' is no number of an operation.", arg + 3);
		b->kind = BREAK_OP;
	} else if (strncmp(arg, "event ", 6) == 0) {
		if (!parse_event(st, arg + 6, &b->events))
			return FAULT;
		b->kind = BREAK_EVENT;
	} else if (set_condition(st, b, arg) == FAULT) {
		return FAULT;
	}
	snprintf(b->text, sizeof(b->text), "%s", arg);
	b->left = count;
	say(st, "Breakpoint %zu is set: %s.", (size_t)(b - st->breaks) + 1, b->text);
	return DONE;
}

/*
 * Moving
 */

/* One step on; false at the end or where a question stops us. */
static bool one_step(struct stepper *st, bool *told)
{
	struct tl_pos pos = tl_position(st->tl);
	enum played played;

	*told = false;
	if (pos.step || pos.op < tl_length(st->tl))
		return tl_step_next(st->tl);
	played = play(st, false);
	*told = played != PLAYED_OP;
	if (played == PLAYED_END)
		say_end(st);
	if (played != PLAYED_OP || seek(st, pos.op, 0) == FAULT)
		return false;
	return tl_step_next(st->tl);
}

static enum outcome step_on(struct stepper *st, u64 count, const char *arg)
{
	bool told = false;

	(void)arg;
	while (count-- > 0 && one_step(st, &told))
		;
	if (!told)
		say_place(st);
	return DONE;
}

static enum outcome step_back(struct stepper *st, u64 count, const char *arg)
{
	(void)arg;
	while (count-- > 0 && tl_step_prev(st->tl))
		;
	say_place(st);
	return DONE;
}

/* On to the next boundary; false at the end, at a question or after a fault. */
static bool one_op(struct stepper *st, bool *told)
{
	struct tl_pos pos = tl_position(st->tl);
	enum played played;

	*told = false;
	if (pos.op < tl_length(st->tl))
		return seek(st, pos.op + 1, 0) == DONE;
	played = play(st, false);
	*told = played != PLAYED_OP;
	if (played == PLAYED_END)
		say_end(st);
	return played == PLAYED_OP;
}

static enum outcome op_on(struct stepper *st, u64 count, const char *arg)
{
	bool told = false;

	(void)arg;
	while (count-- > 0 && one_op(st, &told))
		;
	if (!told) {
		say_place(st);
		play_aftermath(st);
	}
	return DONE;
}

static enum outcome op_back(struct stepper *st, u64 count, const char *arg)
{
	struct tl_pos pos = tl_position(st->tl);
	u64 op = pos.op + (pos.step ? 1 : 0);

	(void)arg;
	op = op > count + tl_first(st->tl) ? op - count : tl_first(st->tl);
	if (seek(st, op, 0) == FAULT)
		return FAULT;
	say_place(st);
	return DONE;
}

/* The depth of the call stack after each of the first n steps of an operation, in depths[0..n]; depths[0] is 0. */
static u8 *read_depths(struct stepper *st, u64 op, u32 *nr)
{
	struct step_stack stack = { 0 };
	const struct step *steps;
	u8 *depths;

	if (tl_steps(st->tl, op, &steps, nr, NULL, NULL))
		return NULL;
	depths = base_alloc(*nr + 1u, 1);
	for (u32 i = 0; i < *nr; i++) {
		step_stack_update(&stack, &steps[i]);
		depths[i + 1] = stack.depth;
	}
	return depths;
}

static enum outcome finish(struct stepper *st, u64 count, const char *arg)
{
	struct tl_pos pos = tl_position(st->tl);
	u32 nr, step = pos.step;
	u8 *depths;

	if (!pos.step)
		return op_on(st, count, arg);
	depths = read_depths(st, pos.op, &nr);
	if (!depths)
		return FAULT;
	for (; count > 0 && step <= nr; count--) {
		u8 depth = depths[step];

		while (step <= nr && depths[step] >= depth)
			step++;
	}
	free(depths);
	if (seek(st, step <= nr ? pos.op : pos.op + 1, step <= nr ? step : 0) == FAULT)
		return FAULT;
	say_place(st);
	return DONE;
}

static enum outcome unfinish(struct stepper *st, u64 count, const char *arg)
{
	struct tl_pos pos = tl_position(st->tl);
	u32 nr, step = pos.step;
	u8 *depths;

	if (!pos.step)
		return op_back(st, count, arg);
	depths = read_depths(st, pos.op, &nr);
	if (!depths)
		return FAULT;
	for (; count > 0 && step > 0; count--) {
		u8 depth = depths[step];

		while (step > 0 && depths[step] >= depth)
			step--;
	}
	free(depths);
	if (seek(st, pos.op, step) == FAULT)
		return FAULT;
	say_place(st);
	return DONE;
}

static enum outcome cont(struct stepper *st, u64 count, const char *arg)
{
	struct tl_pos pos = tl_position(st->tl);

	(void)count;
	(void)arg;
	if (pos.step && seek(st, pos.op + 1, 0) == FAULT)
		return FAULT;
	arm_breaks(st);
	for (;;) {
		const struct breakpoint *b;
		u64 op = tl_position(st->tl).op;

		if (op < tl_length(st->tl)) {
			if (seek(st, op + 1, 0) == FAULT)
				return FAULT;
		} else {
			switch (play(st, true)) {
			case PLAYED_END:
				return say_end(st);
			case PLAYED_TEXT:
				return DONE;
			case PLAYED_FAULT:
				return FAULT;
			case PLAYED_OP:
				break;
			}
		}
		op = tl_position(st->tl).op;
		b = find_break(st, op);
		if (b)
			return stop_at(st, b, op, true);
	}
}

static enum outcome cont_back(struct stepper *st, u64 count, const char *arg)
{
	(void)count;
	(void)arg;
	arm_breaks(st);
	for (;;) {
		struct tl_pos pos = tl_position(st->tl);
		u64 op = pos.step ? pos.op : pos.op - 1;
		const struct breakpoint *b;

		if (!pos.step && pos.op <= tl_first(st->tl)) {
			say_place(st);
			return DONE;
		}
		if (seek(st, op, 0) == FAULT)
			return FAULT;
		b = find_break(st, op);
		if (b)
			return stop_at(st, b, op, false);
	}
}

static enum outcome event_on(struct stepper *st, u64 count, const char *arg)
{
	struct tl_pos pos = tl_position(st->tl);
	u64 op = pos.op;

	(void)arg;
	if (pos.step)
		op++; /* the event of the operation that we are in lies behind us or before our eyes */
	while (count > 0) {
		bool told = false;

		while (op < tl_length(st->tl) && !tl_events(st->tl, op))
			op++;
		if (op < tl_length(st->tl)) {
			op++;
			count--;
			continue;
		}
		if (seek(st, tl_length(st->tl), 0) == FAULT)
			return FAULT;
		if (!one_op(st, &told))
			return DONE;
	}
	if (seek(st, op, 0) == FAULT)
		return FAULT;
	say_place(st);
	return DONE;
}

static enum outcome event_back(struct stepper *st, u64 count, const char *arg)
{
	struct tl_pos pos = tl_position(st->tl);
	u64 op = pos.step ? pos.op + 1 : pos.op;

	(void)arg;
	for (; count > 0; count--) {
		if (op > tl_first(st->tl))
			op--;
		while (op > tl_first(st->tl) && !tl_events(st->tl, op - 1))
			op--;
	}
	if (seek(st, op, 0) == FAULT)
		return FAULT;
	say_place(st);
	return DONE;
}

/* Plays until the log has so many operations; false if it ends before, or at a question. */
static bool play_to(struct stepper *st, u64 op)
{
	while (tl_length(st->tl) < op)
		if (play(st, false) != PLAYED_OP)
			return false;
	return true;
}

static enum outcome go_to_number(struct stepper *st, const char *arg)
{
	struct tl_pos pos;

	if (!tl_pos_parse(arg, &pos))
		return fault(st, "Go where? Expected g N, g N.STEP, g start, g end or g BOOKMARK.");
	if (!play_to(st, pos.op + (pos.step > 0))) {
		if (st->open)
			return DONE;
		return fault(st, "There are only %llu operations.",
			     (unsigned long long)tl_length(st->tl));
	}
	if (seek(st, pos.op, pos.step) == FAULT)
		return FAULT;
	say_place(st);
	return DONE;
}

static enum outcome go_to(struct stepper *st, u64 count, const char *arg)
{
	(void)count;
	for (size_t i = 0; i < st->nr_marks; i++) {
		if (strcmp(st->marks[i].name, arg) != 0)
			continue;
		if (seek(st, st->marks[i].op, 0) == FAULT)
			return FAULT;
		say_place(st);
		return DONE;
	}
	if (strcmp(arg, "end") == 0) {
		while (play(st, false) == PLAYED_OP)
			;
		if (!st->ended)
			return DONE; /* a question stands before the rest */
	} else if (strcmp(arg, "start") != 0) {
		return go_to_number(st, arg);
	}
	if (seek(st, strcmp(arg, "end") == 0 ? tl_length(st->tl) : tl_first(st->tl), 0) == FAULT)
		return FAULT;
	say_place(st);
	return DONE;
}

/*
 * Patches
 */

static void say_patches(struct stepper *st, u32 mask, const char *text)
{
	for (u32 id = 0; id < NR_PATCHES; id++) {
		if (mask & PATCH_BIT(id))
			say(st, text, patch_number(st->w->series, (enum patch_id)id),
			    patch_title((enum patch_id)id));
	}
}

static enum outcome parse_patch(struct stepper *st, const char *arg, enum patch_id *id)
{
	u64 n;

	*id = P_NONE;
	if (base_parse_uint(arg, strlen(arg), 0, 10, &n, NULL) == BASE_ERR_OK)
		*id = patch_by_number(st->w->series, n ? (int)n : 10);
	if (*id == P_NONE)
		return fault(st, "'%s' is no patch of series %s: it has 1 to %d.", arg,
			     st->w->series == SERIES_V3 ? "v3" : "v2", patch_count(st->w->series));
	return DONE;
}

static struct patch_change switch_patch(u32 set, enum patch_id id)
{
	return patch_switch(set, id, !(set & PATCH_BIT(id)));
}

static void say_change(struct stepper *st, u32 before, const struct patch_change *change)
{
	char text[SHOW_TEXT_MAX];

	say_patches(st, change->set & ~before, "Patch %d is on: %s.");
	say_patches(st, before & PATCH_MASK & ~change->set, "Patch %d is off: %s.");
	if (change->also_on || change->also_off)
		say(st, "Some of them were switched because others need them.");
	say(st, "Now %s.", show_set(change->set, text));
}

static void push_undo(struct stepper *st, struct undo u)
{
	if (st->nr_undos == UNDO_MAX) {
		memmove(st->undos, st->undos + 1, (UNDO_MAX - 1) * sizeof(*st->undos));
		st->nr_undos--;
	}
	st->undos[st->nr_undos++] = u;
}

static enum outcome toggle_here(struct stepper *st, u64 count, const char *arg)
{
	u32 before = sim_patches(tl_view(st->tl));
	struct tl_pos pos = tl_position(st->tl);
	struct patch_change change;
	struct sim_error err;
	enum patch_id id;
	struct op op = { .kind = OP_PATCHES, .count = 1 };
	bool at_end = pos.op == tl_length(st->tl);

	(void)count;
	if (pos.step)
		return fault(
			st, "A patch is toggled between two operations: n goes to the next place.");
	if (parse_patch(st, arg, &id) == FAULT)
		return FAULT;
	change = switch_patch(before, id);
	op.value = change.set;
	if (at_end ? tl_append(st->tl, &op, NULL, NULL, &err) : tl_insert(st->tl, &op, &err))
		return failed(st, &err);
	if (seek(st, pos.op + 1, 0) == FAULT)
		return FAULT;
	push_undo(st, (struct undo){ .op = pos.op });
	say_change(st, before, &change);
	return DONE;
}

static enum outcome toggle_start(struct stepper *st, u64 count, const char *arg)
{
	u32 before = tl_base_patches(st->tl);
	struct patch_change change;
	struct sim_error err;
	enum patch_id id;

	(void)count;
	if (parse_patch(st, arg, &id) == FAULT)
		return FAULT;
	change = switch_patch(before, id);
	if (tl_set_base_patches(st->tl, change.set, &err))
		return failed(st, &err);
	push_undo(st, (struct undo){ .from_start = true, .before = before });
	say_change(st, before, &change);
	say_place(st);
	return DONE;
}

static enum outcome undo(struct stepper *st, u64 count, const char *arg)
{
	char text[SHOW_TEXT_MAX];

	(void)arg;
	if (!st->nr_undos)
		return fault(st, "There is no toggle to undo.");
	for (; count > 0 && st->nr_undos > 0; count--) {
		struct undo u = st->undos[--st->nr_undos];
		struct sim_error err;

		if (u.from_start ? tl_set_base_patches(st->tl, u.before, &err) :
				   tl_remove(st->tl, u.op, &err))
			return failed(st, &err);
	}
	say(st, "Undone. At this place %s.", show_set(sim_patches(tl_view(st->tl)), text));
	say_place(st);
	return DONE;
}

/* What differs between two machines at the same place, at most a dozen fields. */
static void say_differences(struct stepper *st, const struct sim *here, const struct sim *there)
{
	struct field_ref ref;
	bool started = false;
	u64 nr = 0;

	while (field_next(here, &ref, &started)) {
		char path[FIELD_NAME_MAX];
		s64 a, b;

		if (!field_get(here, &ref, &a) || !field_get(there, &ref, &b) || a == b)
			continue;
		if (nr++ < 12)
			say(st, "%s would be %lld instead of %lld.", field_path(&ref, path),
			    (long long)b, (long long)a);
	}
	if (!nr)
		say(st, "Nothing would be different.");
	else if (nr > 12)
		say(st, "And %llu more fields would be different.", (unsigned long long)nr - 12);
}

static enum outcome what_if(struct stepper *st, u64 count, const char *arg)
{
	struct tl_pos pos = tl_position(st->tl);
	u64 op = pos.op + (pos.step ? 1 : 0);
	struct timeline *here = NULL, *there = NULL;
	struct patch_change change;
	char text[SHOW_TEXT_MAX];
	enum outcome outcome = DONE;
	struct sim_error err;
	enum patch_id id;

	(void)count;
	if (parse_patch(st, arg, &id) == FAULT)
		return FAULT;
	change = switch_patch(tl_base_patches(st->tl), id);
	if (tl_fork(st->tl, &here, &err) || tl_seek(here, op, 0, &err) ||
	    tl_fork(here, &there, &err) || tl_set_base_patches(there, change.set, &err) ||
	    tl_seek(there, op, 0, &err)) {
		outcome = failed(st, &err);
	} else {
		say(st,
		    "After the same %llu operations from the start, %s:", (unsigned long long)op,
		    show_set(change.set, text));
		say_differences(st, tl_view(here), tl_view(there));
	}
	tl_destroy(there);
	tl_destroy(here);
	return outcome;
}

static void say_place_of(struct stepper *st, const struct diverge_run runs[2],
			 const struct diverge_place *p)
{
	char text[SHOW_TEXT_MAX];

	if (p->differs) {
		say(st,
		    "The first difference is in operation %llu, %s: %s is %lld here and %lld there.",
		    (unsigned long long)p->op, diverge_op(&runs[1], p, "", text), p->field,
		    (long long)p->side[0].value, (long long)p->side[1].value);
		say(st, "Here, step %u, in %s: %s.", p->side[0].step, p->side[0].func,
		    p->side[0].text);
		say(st, "There, step %u, in %s: %s.", p->side[1].step, p->side[1].func,
		    p->side[1].text);
	} else {
		say(st, "No operation up to now differs.");
	}
	if (p->boot_fields)
		say(st, "From boot on %u fields differ, such as %s: %lld here and %lld there.",
		    p->boot_fields, p->boot_field, (long long)p->boot_values[0],
		    (long long)p->boot_values[1]);
}

static enum outcome differ(struct stepper *st, u64 count, const char *arg)
{
	struct diverge_run runs[2] = { { .name = "here", .tl = st->tl }, { .name = "there" } };
	struct diverge_place place = { 0 };
	struct patch_change change;
	char error[256];
	int status;

	(void)count;
	if (!*arg)
		return fault(
			st, "Which set? Expected d none, d all, or d with numbers such as 1-7,10.");
	if (!patch_set_parse(arg, st->w->series, &change, error, sizeof(error)))
		return fault(st, "%s.", error);
	runs[1].patches = change.set;
	status = diverge_same_log(st->call, &runs[0], &runs[1]);
	if (!status)
		status = diverge_pair(st->call, NULL, runs, &place);
	if (!status)
		say_place_of(st, runs, &place);
	diverge_free(&runs[1], 1);
	return status ? FAULT : DONE;
}

/*
 * Asking
 */

static enum outcome predict(struct stepper *st, u64 count, const char *arg)
{
	(void)count;
	if (!st->open)
		return fault(st, "No question is open.");
	if (!*arg) {
		ask(st);
		return DONE;
	}
	snprintf(st->answer, sizeof(st->answer), "%s", arg);
	say(st, "Your answer is %s. Go on to see.", st->answer);
	return DONE;
}

static enum outcome evaluate(struct stepper *st, u64 count, const char *arg)
{
	char message[256], hint[256], text[SCN_VALUE_MAX];
	struct scn_value value;
	void *expr;
	size_t offset;
	bool ok;

	(void)count;
	if (!*arg)
		return fault(st, "Which expression? An example: = cpu[0].zone[0].count");
	if (!expr_glue.compile(expr_glue.ctx, tl_view(st->tl), st->w->default_zone, NULL, 0, arg,
			       strlen(arg), &expr, message, hint, sizeof(hint), &offset))
		return fault(st, "At character %zu: %s%s%s", offset + 1, message,
			     hint[0] ? ". " : "", hint);
	ok = expr_glue.eval(expr_glue.ctx, expr, tl_view(st->tl), NULL, 0, &value, message,
			    sizeof(message));
	expr_glue.free(expr_glue.ctx, expr);
	if (!ok)
		return fault(st, "%s", message);
	say(st, "%s is %s.", arg, scn_value_text(&value, text));
	return DONE;
}

static void say_pageset(struct stepper *st, u32 zone, u32 cpu)
{
	static const char letters[] = "UMR";
	const struct sim *sim = tl_view(st->tl);
	char name[32];
	bool any = false;

	fprintf(st->out, "cpu%u in zone %s:", cpu, sim_zone_name(sim, zone, name));
	for (u16 id = 0; field_infos[id].name; id++) {
		struct field_ref ref = { .id = id, .cpu = cpu, .zone = zone };
		s64 value;

		if (field_infos[id].scope != FIELD_PCP || strchr(field_infos[id].name, '['))
			continue;
		if (field_get(sim, &ref, &value))
			fprintf(st->out, "%s %s %lld", any ? "," : "", field_infos[id].name,
				(long long)value);
		any = true;
	}
	say(st, ".");
	any = false;
	for (u32 p = 0; p < NR_PCP_LISTS; p++) {
		u32 n = sim_pcp_list_length(sim, zone, cpu, p);

		if (n && p == NR_LOWORDER_PCP_LISTS)
			fprintf(st->out, "%s order 9 %u", any ? "," : "Lists:", n);
		else if (n)
			fprintf(st->out, "%s %c%u %u", any ? "," : "Lists:", letters[p % 3], p / 3,
				n);
		any = any || n;
	}
	say(st, any ? " blocks." : "All lists are empty.");
}

static enum outcome show_state(struct stepper *st, u64 count, const char *arg)
{
	const struct sim *sim = tl_view(st->tl);
	struct tl_pos pos = tl_position(st->tl);
	u64 at = pos.step || pos.op == 0 ? pos.op : pos.op - 1;
	char set[SHOW_TEXT_MAX];
	const u32 *slots;
	struct op op;
	u32 cpu = sim_first_online(sim);

	(void)count;
	(void)arg;
	say_place(st);
	if (at < tl_length(st->tl) && !tl_op(st->tl, at, &op, &slots, NULL))
		cpu = show_acting_cpu(sim, &op);
	for (u32 z = 0; z < sim_nr_zones(sim); z++)
		say_pageset(st, z, cpu);
	for (u32 z = 0; z < sim_nr_zones(sim); z++) {
		char name[32];

		say(st, "Zone %s has %lld free pages.", sim_zone_name(sim, z, name),
		    (long long)sim_zone(sim, z)->free_pages);
	}
	say(st, "Here %s.", show_set(sim_patches(sim), set));
	return DONE;
}

static enum outcome print_help(struct stepper *st, u64 count, const char *arg)
{
	(void)count;
	(void)arg;
	stepper_print_commands(st->out);
	return DONE;
}

static enum outcome quit(struct stepper *st, u64 count, const char *arg)
{
	(void)st;
	(void)count;
	(void)arg;
	return QUIT;
}

/*
 * Commands
 */

static const struct {
	char key;
	enum outcome (*run)(struct stepper *st, u64 count, const char *arg);
	const char *args;
	bool counts;
	const char *help;
} commands[] = {
#define COMMAND(key, function, args, counts, help) { key, function, args, counts, help },
#include "stepper.def"
#undef COMMAND
};

void stepper_print_commands(FILE *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %c%s%s: %s\n", commands[i].key, commands[i].args[0] ? " " : "",
			commands[i].args, commands[i].help);
	fprintf(out, "A number before a command repeats it: 20n. Operations count from 1.\n");
}

/* "20n", "g 3.40", "= cpu[0].count", "t7": a count, a letter, and what follows it. */
static enum outcome command(struct stepper *st, char *line)
{
	size_t digits = strspn(line, "0123456789");
	u64 count = 1;
	char *arg;

	if (digits && base_parse_uint(line, digits, 1, COUNT_MAX, &count, NULL))
		return fault(st, "A count is 1 to %d.", COUNT_MAX);
	line += digits;
	line += strspn(line, " \t");
	if (!*line)
		return digits ? fault(st, "A command must follow the count; ? lists them.") : DONE;
	arg = line + 1 + strspn(line + 1, " \t");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (commands[i].key != line[0])
			continue;
		if (*arg && !commands[i].args[0])
			return fault(st, "%c takes nothing behind it; ? lists the commands.",
				     line[0]);
		if (digits && !commands[i].counts)
			return fault(st, "%c takes no count; ? lists the commands.", line[0]);
		return commands[i].run(st, count, arg);
	}
	return fault(st, "There is no command '%.20s'; ? lists them.", line);
}

static void greet(struct stepper *st)
{
	char set[SHOW_TEXT_MAX];

	say(st, "%s%s%s.", st->w->name, st->w->title[0] ? ": " : "", st->w->title);
	show_machine(st->out, tl_view(st->tl));
	say(st, "%s. ? lists the commands.", show_set(st->w->patches, set));
}

static void loop(struct stepper *st, FILE *in, bool prompt, u64 *faults)
{
	char line[LINE_MAX_BYTES];
	enum outcome outcome = DONE;

	while (outcome != QUIT && !ferror(st->out)) {
		size_t len;

		if (prompt)
			fputs("> ", st->out);
		fflush(st->out);
		if (!fgets(line, sizeof(line), in))
			break;
		len = strlen(line);
		if (len + 1 == sizeof(line) && line[len - 1] != '\n') {
			int c;

			while ((c = getc(in)) != EOF && c != '\n')
				;
			outcome = fault(st, "The line is too long.");
		} else {
			while (len > 0 && isspace((unsigned char)line[len - 1]))
				line[--len] = '\0';
			outcome = command(st, line + strspn(line, " \t"));
		}
		*faults += outcome == FAULT;
	}
}

int stepper_run(const struct call *call, const struct work *w, FILE *in, bool prompt, u64 *faults)
{
	struct stepper st = { .call = call, .w = w, .out = stdout };
	struct sim_error err;
	struct diag d;

	*faults = 0;
	if (tl_create(w->machine, w->patches, TL_BOUND_DEFAULT, true, &st.tl, &err)) {
		base_diag_set(&d, BASE_ERR_NO_MEMORY, w->path, 0, 0, "%s", err.message);
		return call_fail(call, &d);
	}
	work_player_begin(&st.player, w, st.tl);
	work_player_limit(&st.player, call->common->max_ops);
	greet(&st);
	loop(&st, in, prompt, faults);
	for (size_t i = 0; i < BREAKS_MAX; i++)
		break_clear(&st.breaks[i]);
	work_player_end(&st.player);
	tl_destroy(st.tl);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "big_cpus.h"
#include "command.h"
#include "dialog.h"
#include "edits.h"
#include "nav.h"
#include "scan.h"
#include "screen.h"
#include "term.h"
#include "whatif.h"

enum { COUNT_MAX = 1000000, SPEED_MAX = 1000 };

/* ---- patches ---- */

static void list_numbers(enum series series, u32 mask, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (int id = 0; id < NR_PATCHES && used + 8 < size; id++)
		if (mask & PATCH_BIT(id))
			used += (size_t)snprintf(buf + used, size - used, "%s%d", used ? ", " : "",
						 patch_number(series, (enum patch_id)id));
}

void request_set_patches(struct ui *ui, u32 set, u32 also_on, u32 also_off, bool from_start,
			 const char *text)
{
	struct op op = { .kind = OP_PATCHES, .count = 1, .value = set };
	char error[UI_LINE_MAX], on[64], off[64];
	enum series series = patch_series(set);
	bool ok;

	compare_end(ui);
	if (!from_start && nav_pos(ui).step > 0)
		nav_seek(ui, nav_pos(ui).op, 0);
	ok = from_start ? edits_base(ui, set, text, error, sizeof(error)) :
			  edits_put_in(ui, &op, NULL, text, error, sizeof(error));
	if (!ok) {
		ui_complain(ui, "%s", error);
		return;
	}
	list_numbers(series, also_on, on, sizeof(on));
	list_numbers(series, also_off, off, sizeof(off));
	ui_say(ui, "%s%s%s%s%s%s%s", text, also_on ? "; it needs " : "", also_on ? on : "",
	       also_off ? "; off with it: " : "", also_off ? off : "",
	       patch_set_is_constructed(set) ? "; a constructed set" : "", "; u takes it back");
}

void request_toggle(struct ui *ui, int n, bool from_start)
{
	u32 set = from_start ? tl_base_patches(ui->tl) : sim_patches(nav_sim(ui));
	enum series series = patch_series(set);
	enum patch_id id = patch_by_number(series, n);
	struct patch_change change;
	char text[96];
	bool on;

	if (id == P_NONE) {
		ui_complain(ui, "series %s has patches 1 to %d", series == SERIES_V3 ? "v3" : "v2",
			    patch_count(series));
		return;
	}
	on = !(set & PATCH_BIT(id));
	change = patch_switch(set, id, on);
	snprintf(text, sizeof(text), "patch %d %s %s", n, on ? "on" : "off",
		 from_start ? "from the start" : "from here on");
	request_set_patches(ui, change.set, change.also_on & ~PATCH_BIT(id),
			    change.also_off & ~PATCH_BIT(id), from_start, text);
}

static void whatif_begin(struct ui *ui, int n)
{
	u32 base = tl_base_patches(ui->tl);
	enum patch_id id = patch_by_number(patch_series(base), n);
	char name[64];
	bool on;

	if (id == P_NONE) {
		ui_complain(ui, "this series has patches 1 to %d", patch_count(patch_series(base)));
		return;
	}
	on = !(base & PATCH_BIT(id));
	snprintf(name, sizeof(name), "what if patch %d were %s", n, on ? "on" : "off");
	compare_with_set(ui, patch_switch(base, id, on).set, name);
}

bool request_put_in(struct ui *ui, const struct op *op, u32 *slots, char *error, size_t size)
{
	char words[UI_LINE_MAX], text[96];

	compare_end(ui);
	snprintf(text, sizeof(text), "%.95s", op_words(op, words));
	return edits_put_in(ui, op, slots, text, error, size);
}

/* ---- moving ---- */

typedef bool move_fn(struct ui *ui, bool forward);

/* Repeat a move; what stops it ends the repetition. Esc stops a long one. */
static enum handled repeat(struct ui *ui, move_fn *go, bool forward, u32 count)
{
	u32 n = count ? count : 1, done = 0;

	while (done < n && go(ui, forward)) {
		done++;
		if ((done & 15) == 0 && term_escape_pressed(ui))
			break;
	}
	if (done == 0 && !ui->message[0])
		ui_say(ui, forward ? "this is the end; S and N go back" :
				     "this is the beginning; s and n go on");
	return UI_REDRAW | UI_RELAYOUT;
}

void request_arrived(struct ui *ui)
{
	const struct ui_cue *cue;
	size_t from = 0;

	if (!ui->open || nav_pos(ui).step > 0)
		return;
	while ((cue = nav_cue(ui, UI_FOCUS, nav_pos(ui).op, &from)) != NULL) {
		enum view_id id = cue->text ? view_find(cue->text) : NR_VIEWS;

		if (id != NR_VIEWS)
			ui->focus = id;
		if (cue->cpu >= 0 && (u32)cue->cpu < sim_nr_cpus(nav_sim(ui)))
			ui->cpu = (u32)cue->cpu;
	}
}

static enum handled go_mark(struct ui *ui)
{
	struct tl_pos pos = nav_pos(ui);
	s64 best = -1, lowest = -1;

	for (u32 i = 0; i < ui->nr_marks; i++) {
		struct tl_pos m = ui->marks[i];
		bool after = m.op > pos.op || (m.op == pos.op && m.step > pos.step);

		if (after && (best < 0 || m.op < ui->marks[best].op ||
			      (m.op == ui->marks[best].op && m.step < ui->marks[best].step)))
			best = i;
		if (lowest < 0 || m.op < ui->marks[lowest].op ||
		    (m.op == ui->marks[lowest].op && m.step < ui->marks[lowest].step))
			lowest = i;
	}
	if (best < 0)
		best = lowest;
	if (best < 0) {
		ui_say(ui, "no bookmark yet: m sets one");
		return UI_REDRAW;
	}
	nav_seek(ui, ui->marks[best].op, ui->marks[best].step);
	if (ui->mark_names[best][0])
		ui_say(ui, "bookmark: %s", ui->mark_names[best]);
	return UI_REDRAW | UI_RELAYOUT;
}

static enum handled toggle_mark(struct ui *ui)
{
	struct tl_pos pos = nav_pos(ui);

	for (u32 i = 0; i < ui->nr_marks; i++) {
		if (ui->marks[i].op != pos.op || ui->marks[i].step != pos.step)
			continue;
		memmove(&ui->marks[i], &ui->marks[i + 1],
			(ui->nr_marks - i - 1) * sizeof(ui->marks[0]));
		memmove(&ui->mark_names[i], &ui->mark_names[i + 1],
			(ui->nr_marks - i - 1) * sizeof(ui->mark_names[0]));
		ui->nr_marks--;
		ui_say(ui, "the bookmark here is gone");
		return UI_REDRAW;
	}
	if (ui->nr_marks == UI_MARKS_MAX) {
		ui_complain(ui, "there are %d bookmarks already", UI_MARKS_MAX);
		return UI_REDRAW;
	}
	ui->mark_names[ui->nr_marks][0] = '\0';
	ui->marks[ui->nr_marks++] = pos;
	ui_say(ui, "bookmark set; ' goes from one to the next");
	return UI_REDRAW;
}

static enum handled go_to(struct ui *ui, const char *text)
{
	struct tl_pos pos;

	if (!tl_pos_parse(text, &pos)) {
		ui_complain(ui,
			    "expected 7 for the end of operation 7, or 7.40 for step 40 inside it");
		return UI_REDRAW;
	}
	if (pos.op + (pos.step > 0) > tl_length(ui->tl)) {
		ui_complain(ui, "the log has %llu operations",
			    (unsigned long long)tl_length(ui->tl));
		return UI_REDRAW;
	}
	nav_seek(ui, pos.op, pos.step);
	return UI_REDRAW | UI_RELAYOUT;
}

static bool is_move(enum request r)
{
	return r <= REQ_END || r == REQ_NEXT_MARK;
}

/*
 * A question before the first operation: nobody was stopped at it on the way, as at
 * all others, so that the first key that would run past it stops there.
 */
static bool asked_first(struct ui *ui, enum request r, u32 count)
{
	struct tl_pos pos = nav_pos(ui);

	if (ui->asked_first || count > 0 || pos.op != tl_first(ui->tl) || pos.step > 0 ||
	    (r != REQ_CONTINUE && r != REQ_OP && r != REQ_EVENT && r != REQ_PLAY) ||
	    !nav_prediction(ui))
		return false;
	ui->asked_first = true;
	ui_say(ui, "a question comes first: p answers it; the same key again goes on");
	return true;
}

static enum handled move_by(struct ui *ui, enum request r, u32 count)
{
	char text[24];

	switch (r) {
	case REQ_STEP:
	case REQ_STEP_BACK:
		return repeat(ui, nav_step, r == REQ_STEP, count);
	case REQ_OP:
	case REQ_OP_BACK:
		return repeat(ui, nav_op, r == REQ_OP, count);
	case REQ_FINISH:
	case REQ_FINISH_BACK:
		return repeat(ui, nav_finish, r == REQ_FINISH, count);
	case REQ_EVENT:
	case REQ_EVENT_BACK:
		return repeat(ui, nav_event, r == REQ_EVENT, count);
	case REQ_CONTINUE:
	case REQ_CONTINUE_BACK:
		return repeat(ui, scan_continue, r == REQ_CONTINUE, count);
	case REQ_GOTO:
		if (!count) {
			dialog_prompt(ui, PROMPT_GOTO, "");
			return UI_REDRAW;
		}
		snprintf(text, sizeof(text), "%u", count);
		return go_to(ui, text);
	case REQ_HOME:
		nav_seek(ui, tl_first(ui->tl), 0);
		return UI_REDRAW | UI_RELAYOUT;
	case REQ_END:
		nav_end(ui);
		return UI_REDRAW | UI_RELAYOUT;
	default:
		return go_mark(ui);
	}
}

enum handled request_play(struct ui *ui)
{
	if (!nav_step(ui, true)) {
		ui->playing = false;
		return UI_REDRAW;
	}
	request_arrived(ui);
	if (scan_stops_here(ui))
		ui->playing = false;
	return UI_REDRAW | UI_RELAYOUT;
}

/* ---- looking ---- */

static enum handled search_next(struct ui *ui, bool backward)
{
	struct view_state *v = &ui->views[ui->focus];
	bool cursor = view_get(ui->focus)->cursor;
	int from = cursor ? v->cursor : v->top;
	int row = screen_search(ui, ui->focus, ui->search, from, backward);

	if (row < 0)
		row = screen_search(ui, ui->focus, ui->search, backward ? 1 << 28 : -1, backward);
	if (row < 0) {
		ui_complain(ui, "'%s' is not in this pane", ui->search);
		return UI_REDRAW;
	}
	v->top = row;
	if (cursor)
		v->cursor = row;
	return UI_REDRAW;
}

static enum handled scroll_by(struct ui *ui, int by)
{
	struct view_state *v = &ui->views[ui->focus];
	int h = max_int(ui->places[ui->focus].h - 1, 1);
	int last = max_int(v->rows - 1, 0);

	if (view_get(ui->focus)->cursor) {
		v->cursor = max_int(min_int(v->cursor + by, last), 0);
		if (v->cursor < v->top)
			v->top = v->cursor;
		if (v->cursor >= v->top + h)
			v->top = v->cursor - h + 1;
	} else {
		v->top = max_int(min_int(v->top + by, v->rows - h), 0);
	}
	return UI_REDRAW;
}

static enum handled next_pane(struct ui *ui, int by)
{
	ui->focus = (enum view_id)(((int)ui->focus + NR_VIEWS + by) % NR_VIEWS);
	ui->searching = false;
	return UI_REDRAW | UI_RELAYOUT;
}

static enum handled click(struct ui *ui)
{
	enum view_id id = screen_view_at(ui, ui->click_y, ui->click_x);

	if (ui->click_y == ui->rows - 1) {
		enum request r = screen_key_at(ui, ui->click_x);

		return r == REQ_NONE ? UI_HANDLED : request_do(ui, r, 0);
	}
	if (id == NR_VIEWS)
		return UI_HANDLED;
	ui->focus = id;
	if (view_get(id)->cursor) {
		int row = ui->click_y - ui->places[id].y - 1;

		if (id == VIEW_CPUS && big_cpus(ui))
			row /= BIG_CPU_ROWS;
		row += ui->views[id].top;

		if (row >= 0 && row < ui->views[id].rows)
			ui->views[id].cursor = row;
		if (id == VIEW_PATCHES && row >= 0 &&
		    row < patch_count(patch_series(sim_patches(nav_sim(ui)))))
			request_toggle(ui, row + 1, false);
	}
	return UI_REDRAW | UI_RELAYOUT;
}

static enum handled escape(struct ui *ui)
{
	ui->count = 0;
	ui->pending = REQ_NONE;
	ui->playing = false;
	if (ui->compare.on) {
		compare_end(ui);
		ui_say(ui, "back on %s", ui->branches[ui->branch].name);
	} else if (ui->searching) {
		ui->searching = false;
	} else {
		ui->zoom = false;
	}
	return UI_REDRAW | UI_RELAYOUT;
}

static enum handled who(struct ui *ui)
{
	ui_say(ui,
	       "o asks about the value under the cursor: Tab to the cpu pane (h l j k move), or to lists for a page");
	ui->focus = VIEW_CPUS;
	return UI_REDRAW | UI_RELAYOUT;
}

static enum handled look(struct ui *ui, enum request r)
{
	int page = max_int(ui->places[ui->focus].h - 2, 1);

	switch (r) {
	case REQ_NEXT_PANE:
		return next_pane(ui, 1);
	case REQ_PREV_PANE:
		return next_pane(ui, -1);
	case REQ_UP:
		return scroll_by(ui, -1);
	case REQ_DOWN:
		return scroll_by(ui, 1);
	case REQ_PAGE_UP:
		return scroll_by(ui, -page);
	case REQ_PAGE_DOWN:
		return scroll_by(ui, page);
	case REQ_ENTER:
		ui->zoom = !ui->zoom;
		return UI_REDRAW | UI_RELAYOUT;
	case REQ_SEARCH:
		dialog_prompt(ui, PROMPT_SEARCH, "");
		return UI_REDRAW;
	case REQ_ZONE:
		ui->zone = (ui->zone + 1) % sim_nr_zones(nav_sim(ui));
		return UI_REDRAW;
	case REQ_SORT_CPUS:
		ui->sort = (enum cpu_sort)((ui->sort + 1) % NR_CPU_SORTS);
		ui->focus = VIEW_CPUS;
		ui_say(ui, "CPUs by %s",
		       (const char *[]){ "number", "count", "high", "activity" }[ui->sort]);
		return UI_REDRAW | UI_RELAYOUT;
	case REQ_HEAT:
		ui->heat = !ui->heat;
		return UI_REDRAW | UI_RELAYOUT;
	case REQ_PROJECTOR:
		ui->projector = !ui->projector;
		return UI_REDRAW | UI_RELAYOUT;
	case REQ_LEFT:
	case REQ_RIGHT:
		return UI_HANDLED;
	default:
		return UI_IGNORED;
	}
}

static enum handled ask(struct ui *ui, enum request r)
{
	char text[UI_LINE_MAX];

	switch (r) {
	case REQ_TOGGLE:
	case REQ_TOGGLE_START:
	case REQ_WHATIF:
		ui->pending = r;
		return UI_REDRAW;
	case REQ_UNDO:
		if (!edits_undo(ui))
			ui_say(ui, "nothing to take back");
		return UI_REDRAW | UI_RELAYOUT;
	case REQ_DIFF:
		if (ui->compare.on && ui->compare.known && ui->compare.where.differs) {
			nav_seek(ui, ui->compare.where.op, ui->compare.where.side[0].step);
			return UI_REDRAW;
		}
		dialog_prompt(ui, PROMPT_DIFF, "");
		return UI_REDRAW;
	case REQ_BREAK:
		dialog_prompt(ui, PROMPT_BREAK, "");
		return UI_REDRAW;
	case REQ_WHO:
		return who(ui);
	case REQ_INJECT:
		dialog_inject(ui);
		return UI_REDRAW;
	case REQ_PREDICT:
		if (!dialog_predict(ui))
			ui_say(ui, "nothing is asked here; c goes on to where something is");
		return UI_REDRAW;
	case REQ_MARK:
		return toggle_mark(ui);
	case REQ_PLAY:
		ui->playing = !ui->playing;
		snprintf(text, sizeof(text),
			 "playing %u steps a second; Space pauses, + and - change it", ui->speed);
		ui_say(ui, "%s", ui->playing ? text : "paused");
		return UI_REDRAW;
	case REQ_FASTER:
	case REQ_SLOWER:
		ui->speed = r == REQ_FASTER ? min_int((int)ui->speed * 2, SPEED_MAX) & 0xffff :
					      max_int((int)ui->speed / 2, 1) & 0xffff;
		ui_say(ui, "%u steps a second", ui->speed);
		return UI_REDRAW;
	default:
		return UI_IGNORED;
	}
}

/* What works on the start page as in a scenario. */
static enum handled common(struct ui *ui, enum request r)
{
	switch (r) {
	case REQ_COMMAND:
		dialog_prompt(ui, PROMPT_COMMAND, "");
		return UI_REDRAW;
	case REQ_HELP:
		dialog_help(ui);
		return UI_REDRAW;
	case REQ_REDRAW:
		return UI_REDRAW | UI_CLEAR;
	case REQ_SUSPEND:
		return UI_SUSPEND;
	case REQ_PALETTE:
		ui->palette = (enum ui_palette)((ui->palette + 1) % NR_UI_PALETTES);
		theme_start(ui);
		ui_say(ui, "palette %s", ui_palette_names[ui->palette]);
		return UI_REDRAW | UI_CLEAR;
	case REQ_MOUSE:
		term_mouse(ui, !ui->mouse);
		ui_say(ui,
		       ui->mouse ?
			       "mouse on: panes, CPUs, patches, key bar, wheel; M switches it off" :
			       "mouse off: the terminal's own selection works");
		return UI_REDRAW;
	default:
		return UI_IGNORED;
	}
}

static enum handled leave(struct ui *ui)
{
	if (ui->compare.on || ui->searching || ui->zoom)
		return escape(ui);
	return UI_LEAVE;
}

enum handled request_do(struct ui *ui, enum request r, u32 count)
{
	const struct view_ops *v = view_get(ui->focus);
	enum handled flags = common(ui, r);

	if (flags != UI_IGNORED)
		return flags;
	if (!ui->open)
		return start_request(ui, r);
	if (r == REQ_CLICK)
		return click(ui);
	if (ui->searching && (r == REQ_OP || r == REQ_OP_BACK))
		return search_next(ui, r == REQ_OP_BACK);
	if (v->request && !ui->compare.on)
		flags = v->request(ui, r);
	if (flags != UI_IGNORED) {
		request_arrived(ui);
		return flags | UI_RELAYOUT;
	}
	if (asked_first(ui, r, count))
		return UI_REDRAW;
	if (is_move(r) && r != REQ_NONE) {
		flags = move_by(ui, r, count);
		request_arrived(ui);
		return flags;
	}
	if (r == REQ_ESCAPE)
		return escape(ui);
	if (r == REQ_QUIT)
		return leave(ui);
	flags = ask(ui, r);
	return flags != UI_IGNORED ? flags : look(ui, r);
}

static enum handled pending_digit(struct ui *ui, int key)
{
	enum request r = ui->pending;
	int n = key == '0' ? 10 : key - '0';

	ui->pending = REQ_NONE;
	if (key < '0' || key > '9') {
		ui_say(ui, "a digit for a patch was expected: 1 to 9, 0 for 10");
		return UI_REDRAW;
	}
	if (r == REQ_WHATIF)
		whatif_begin(ui, n);
	else
		request_toggle(ui, n, r == REQ_TOGGLE_START);
	return UI_REDRAW | UI_RELAYOUT;
}

enum handled request_key(struct ui *ui, int key)
{
	enum request r = key_request(key);
	u32 count = ui->count;

	ui->message[0] = '\0';
	if (ui->pending != REQ_NONE && r != REQ_ESCAPE)
		return pending_digit(ui, key);
	if (ui->open && key >= '0' && key <= '9' && (key > '0' || count > 0)) {
		ui->count = min_int((int)count * 10 + key - '0', COUNT_MAX) & 0xfffffff;
		return UI_REDRAW;
	}
	ui->count = 0;
	if (r == REQ_NONE) {
		ui_say(ui, "no such key; ? lists them");
		return UI_REDRAW;
	}
	if (ui->playing && r != REQ_PLAY && r != REQ_FASTER && r != REQ_SLOWER)
		ui->playing = false;
	return request_do(ui, r, count);
}

static enum handled start_compare(struct ui *ui, const char *text)
{
	struct patch_change change;
	char error[UI_LINE_MAX], name[128];

	if (strncmp(text, "branch ", 7) == 0)
		text += 7;
	for (u32 i = 0; i < ui->nr_branches; i++) {
		if (strcmp(ui->branches[i].name, text) == 0) {
			compare_with_branch(ui, i);
			return UI_REDRAW;
		}
	}
	if (!patch_level_parse(text, patch_series(tl_base_patches(ui->tl)), &change, error,
			       sizeof(error)) &&
	    !patch_set_parse(text, patch_series(tl_base_patches(ui->tl)), &change, error,
			     sizeof(error))) {
		ui_complain(ui, "%s", error);
		return UI_REDRAW;
	}
	snprintf(name, sizeof(name), "the same with patches %.64s", text);
	compare_with_set(ui, change.set, name);
	return UI_REDRAW;
}

enum handled request_prompted(struct ui *ui, enum prompt_kind kind, const char *text)
{
	enum handled flags;

	switch (kind) {
	case PROMPT_COMMAND:
		return command_run(ui, text);
	case PROMPT_GOTO:
		flags = go_to(ui, text);
		request_arrived(ui);
		return flags;
	case PROMPT_BREAK:
		breaks_add(ui, text);
		return UI_REDRAW;
	case PROMPT_DIFF:
		return start_compare(ui, text);
	default:
		snprintf(ui->search, sizeof(ui->search), "%.63s", text);
		ui->searching = true;
		return search_next(ui, false);
	}
}

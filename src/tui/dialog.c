/* SPDX-License-Identifier: GPL-2.0-only */
#include "dialog.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "command.h"
#include "nav.h"
#include "request.h"
#include "screen.h"

void dialog_close(struct ui *ui)
{
	free(ui->dialog.body);
	memset(&ui->dialog, 0, sizeof(ui->dialog));
}

void dialog_help(struct ui *ui)
{
	dialog_close(ui);
	ui->dialog.kind = DIALOG_HELP;
}

void dialog_text(struct ui *ui, const char *title, char *body)
{
	dialog_close(ui);
	ui->dialog.kind = DIALOG_TEXT;
	ui->dialog.title = title;
	ui->dialog.body = body;
}

static void edit_set(struct edit *e, const char *text)
{
	snprintf(e->text, sizeof(e->text), "%s", text);
	e->len = e->at = (u32)strlen(e->text);
}

void dialog_prompt(struct ui *ui, enum prompt_kind kind, const char *text)
{
	dialog_close(ui);
	ui->dialog.kind = DIALOG_PROMPT;
	ui->dialog.prompt = kind;
	ui->dialog.history = ui->nr_history;
	edit_set(&ui->dialog.edit, text);
}

bool dialog_predict(struct ui *ui)
{
	const struct ui_cue *cue = nav_prediction(ui);

	if (!cue)
		return false;
	dialog_close(ui);
	ui->dialog.kind = DIALOG_PREDICT;
	ui->dialog.cue = cue;
	return true;
}

void dialog_inject(struct ui *ui)
{
	dialog_close(ui);
	ui->dialog.kind = DIALOG_INJECT;
	inject_begin(ui, &ui->dialog);
}

/* ---- drawing ---- */

/* A box in the middle for @rows rows of content; returns the pane inside it. */
static struct pane framed(struct ui *ui, int rows, int cols, const char *title)
{
	int h = min_int(rows + 2, ui->rows), w = min_int(cols + 2, ui->cols);
	struct pane p = { .ui = ui, .win = ui->above, .line_row = -1, .focused = true };

	wresize(ui->above, h, w);
	move_panel(ui->above_panel, (ui->rows - h) / 2, (ui->cols - w) / 2);
	werase(ui->above);
	for (int x = 1; x < w - 1; x++) {
		draw_text(ui, ui->above, 0, x, 1, ST_TITLE, theme_glyph(ui, GL_H));
		draw_text(ui, ui->above, h - 1, x, 1, ST_TITLE, theme_glyph(ui, GL_H));
	}
	for (int y = 1; y < h - 1; y++) {
		draw_text(ui, ui->above, y, 0, 1, ST_TITLE, theme_glyph(ui, GL_V));
		draw_text(ui, ui->above, y, w - 1, 1, ST_TITLE, theme_glyph(ui, GL_V));
	}
	draw_text(ui, ui->above, 0, 0, 1, ST_TITLE, theme_glyph(ui, GL_TL));
	draw_text(ui, ui->above, 0, w - 1, 1, ST_TITLE, theme_glyph(ui, GL_TR));
	draw_text(ui, ui->above, h - 1, 0, 1, ST_TITLE, theme_glyph(ui, GL_BL));
	draw_text(ui, ui->above, h - 1, w - 1, 1, ST_TITLE, theme_glyph(ui, GL_BR));
	draw_text(ui, ui->above, 0, 2, w - 4, ST_FOCUS, title);
	p.at = (struct rect){ .y = 1, .x = 1, .h = h - 2, .w = w - 2 };
	return p;
}

/* The hardware cursor in a box. */
static void box_caret(struct ui *ui, const struct pane *p, int row, int col)
{
	int y, x;

	getbegyx(p->win, y, x);
	ui->caret.set = true;
	ui->caret.y = y + p->at.y + row;
	ui->caret.x = x + p->at.x + min_int(col, p->at.w - 1);
}

static void box_more(struct ui *ui, struct pane *p)
{
	struct dialog *d = &ui->dialog;

	d->top = max_int(min_int(d->top, p->rows - p->at.h), 0);
	if (p->rows > p->at.h)
		draw_format(ui, p->win, p->at.h + 1, 2, p->at.w - 2, ST_TITLE,
			    " %d of %d: Down, PgDn for more, Esc closes ",
			    min_int(d->top + p->at.h, p->rows), p->rows);
	else
		draw_text(ui, p->win, p->at.h + 1, 2, p->at.w - 2, ST_TITLE, " Esc closes ");
	ui->caret.set = false;
	box_caret(ui, p, 0, 0);
}

static void key_names(const char *keys, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	while (*keys && used + 16 < size) {
		size_t len = strcspn(keys, " ");
		bool named = len > 2 && keys[0] == '<';

		used += (size_t)snprintf(buf + used, size - used, "%s%.*s", used ? " " : "",
					 (int)(len - 2 * named), keys + named);
		keys += len;
		keys += *keys == ' ';
	}
}

static void draw_help(struct ui *ui)
{
	struct pane p = framed(ui, ui->rows - 4, min_int(ui->cols - 4, 96),
			       "keys (a number before a move repeats it)");
	int row = 0;

	p.top = ui->dialog.top;
	for (int group = 0; group < NR_KEY_GROUPS; group++) {
		pane_row(&p, row++, 0);
		pane_put(&p, ST_TITLE, "%s", key_group_names[group]);
		for (int r = 0; r < (int)REQ_DIGIT; r++) {
			char names[48];

			if (key_infos[r].group != (enum key_group)group || !key_infos[r].keys)
				continue;
			key_names(key_infos[r].keys, names, sizeof(names));
			pane_row(&p, row, 1);
			pane_put(&p, ST_KEY, "%s", names);
			row = pane_wrap(&p, row, 11, ST_NORMAL, key_infos[r].help);
		}
	}
	pane_row(&p, row++, 0);
	pane_put(&p, ST_TITLE, "panes (Tab, or :pane NAME)");
	for (int id = 0; id < NR_VIEWS; id++) {
		static const char *const helps[NR_VIEWS] = {
#define VIEW(id, name, title, min_rows, help) [VIEW_##id] = help,
#include "view.def"
#undef VIEW
		};

		pane_row(&p, row, 1);
		pane_put(&p, ST_KEY, "%s", view_get((enum view_id)id)->name);
		row = pane_wrap(&p, row, 11, ST_NORMAL, helps[id]);
	}
	row = commands_help(&p, row);
	p.rows = row;
	box_more(ui, &p);
}

static void draw_body(struct ui *ui)
{
	struct pane p = framed(ui, ui->rows - 4, min_int(ui->cols - 4, 110), ui->dialog.title);

	p.top = ui->dialog.top;
	p.rows = pane_wrap(&p, 0, 1, ST_NORMAL, ui->dialog.body ? ui->dialog.body : "");
	box_more(ui, &p);
}

static const char *const prompt_words[] = {
	[PROMPT_COMMAND] = ":",
	[PROMPT_GOTO] = "go to op (7: its end, 7.40: a step in it): ",
	[PROMPT_BREAK] = "break at: ",
	[PROMPT_DIFF] = "compare with (none, 1-7, all, or a branch): ",
	[PROMPT_SEARCH] = "/",
};

static void draw_prompt(struct ui *ui)
{
	struct dialog *d = &ui->dialog;
	const char *word = prompt_words[d->prompt];
	int begin = text_columns(word), room, from = 0, caret;
	char before[UI_LINE_MAX];

	wresize(ui->above, d->message[0] ? 2 : 1, ui->cols);
	move_panel(ui->above_panel, ui->rows - (d->message[0] ? 2 : 1), 0);
	werase(ui->above);
	if (d->message[0])
		draw_text(ui, ui->above, 0, 1, ui->cols - 1, ST_SAY, d->message);
	snprintf(before, sizeof(before), "%.*s", (int)d->edit.at, d->edit.text);
	caret = text_columns(before);
	room = ui->cols - begin - 2;
	if (caret > room)
		from = caret - room;
	draw_text(ui, ui->above, d->message[0] ? 1 : 0, 0, ui->cols, ST_KEY, word);
	draw_text(ui, ui->above, d->message[0] ? 1 : 0, begin, ui->cols - begin, ST_NORMAL,
		  d->edit.text + min_int(from, (int)d->edit.len));
	ui->caret.set = true;
	ui->caret.y = ui->rows - 1;
	ui->caret.x = min_int(begin + caret - from, ui->cols - 1);
}

static void draw_predict(struct ui *ui)
{
	struct dialog *d = &ui->dialog;
	const struct ui_cue *cue = d->cue;
	int w = min_int(ui->cols - 4, 74);
	struct pane p =
		framed(ui,
		       min_int(ui->rows - 4, 7 + (int)cue->nr_choices + (d->hinted ? 2 : 0) +
						     (d->answered ? 4 : 0)),
		       w, "predict");
	const struct answer *a = d->answered ? nav_answer(ui, cue->id) : NULL;
	int row = pane_wrap(&p, 0, 1, ST_KEY, cue->text) + 1, caret;

	for (u32 i = 0; i < cue->nr_choices; i++) {
		pane_row(&p, row++, 2);
		pane_put(&p, ST_NORMAL, "%u  %s", i + 1, cue->choices[i]);
	}
	if (d->hinted && cue->hint)
		row = pane_wrap(&p, row, 1, ST_SAY, cue->hint);
	if (a) {
		pane_row(&p, row++, 1);
		if (a->revealed)
			pane_put(&p, ST_RESULT, "It is %s.", a->right);
		else if (a->correct)
			pane_put(&p, ST_YES, "Right: %s. %lld of %lld points.", a->right,
				 (long long)a->points, (long long)a->of);
		else
			pane_put(&p, ST_NO, "Wrong: you said %s, it is %s.", a->text, a->right);
		if (cue->why)
			row = pane_wrap(&p, row, 1, ST_NORMAL, cue->why);
		pane_row(&p, row, 1);
		pane_put(&p, ST_DIM, "Enter or Esc closes; n goes on and shows it");
		return;
	}
	pane_row(&p, row, 1);
	pane_put(&p, ST_KEY, "answer: ");
	caret = p.col;
	pane_text(&p, ST_NORMAL, d->edit.text, w);
	ui->caret.set = false;
	box_caret(ui, &p, row++, caret + (int)d->edit.at);
	if (d->message[0]) {
		pane_row(&p, row++, 1);
		pane_text(&p, ST_BAD, d->message, w);
	}
	pane_row(&p, row, 1);
	pane_put(&p, ST_DIM, "%sEnter answers%s  r reveals  Esc later",
		 cue->nr_choices ? "a number chooses  " : "type the value  ",
		 cue->hint && !d->hinted ? "  h hint" : "");
}

static void draw_inject(struct ui *ui)
{
	struct dialog *d = &ui->dialog;
	enum op_arg args[NR_OP_ARGS];
	int nr = inject_fields(d, args), w = min_int(ui->cols - 4, 74), row = 0;
	struct pane p = framed(ui, nr + 6, w,
			       nav_pos(ui).step > 0 ?
				       "inject: runs at this very step, as an interrupt would" :
				       "put an operation in here");

	pane_row(&p, row, 1);
	pane_put(&p, d->field == 0 ? ST_SELECTED : ST_NORMAL, "%-8s", "kind");
	pane_put(&p, ST_KEY, " < %s >", op_infos[d->form.kind].name);
	pane_put(&p, ST_DIM, "  %s", op_infos[d->form.kind].help);
	if (d->field == 0)
		box_caret(ui, &p, row, 10);
	row++;
	for (int i = 0; i < nr; i++, row++) {
		bool here = d->field == i + 1;

		pane_row(&p, row, 1);
		pane_put(&p, here ? ST_SELECTED : ST_NORMAL, "%-8s", op_args[args[i]].name);
		pane_put(&p, ST_KEY, " %s", d->values[args[i]]);
		if (here)
			box_caret(ui, &p, row, p.col);
		if (p.col < 26)
			pane_col(&p, 26);
		pane_put(&p, ST_DIM, " %s", op_args[args[i]].help);
	}
	pane_row(&p, ++row, 1);
	if (d->message[0])
		pane_wrap(&p, row, 1, ST_BAD, d->message);
	else
		pane_put(
			&p, ST_DIM,
			"Up Down field  Left Right kind  type a value  Enter does it  Esc cancels");
}

void dialog_draw(struct ui *ui)
{
	switch (ui->dialog.kind) {
	case DIALOG_HELP:
		draw_help(ui);
		break;
	case DIALOG_TEXT:
		draw_body(ui);
		break;
	case DIALOG_PROMPT:
		draw_prompt(ui);
		break;
	case DIALOG_PREDICT:
		draw_predict(ui);
		break;
	case DIALOG_INJECT:
		draw_inject(ui);
		break;
	default:
		break;
	}
}

/* ---- keys ---- */

static bool edit_key(struct edit *e, int key)
{
	wchar_t wide = (wchar_t)key;
	char bytes[MB_LEN_MAX + 1];
	int n;

	if (key == KEY_BASE + KEY_BACKSPACE || key == 127 || key == 8) {
		u32 from = e->at;

		while (from > 0 && ((unsigned char)e->text[--from] & 0xc0) == 0x80)
			;
		memmove(e->text + from, e->text + e->at, e->len - e->at + 1);
		e->len -= e->at - from;
		e->at = from;
		return true;
	}
	if (key == KEY_BASE + KEY_LEFT || key == KEY_BASE + KEY_RIGHT) {
		if (key == KEY_BASE + KEY_LEFT && e->at > 0)
			while (e->at > 0 && ((unsigned char)e->text[--e->at] & 0xc0) == 0x80)
				;
		else if (key == KEY_BASE + KEY_RIGHT && e->at < e->len)
			while (++e->at < e->len && ((unsigned char)e->text[e->at] & 0xc0) == 0x80)
				;
		return true;
	}
	if (key == KEY_BASE + KEY_HOME || key == KEY_BASE + KEY_END) {
		e->at = key == KEY_BASE + KEY_HOME ? 0 : e->len;
		return true;
	}
	if (key == ('u' & 31)) {
		memmove(e->text, e->text + e->at, e->len - e->at + 1);
		e->len -= e->at;
		e->at = 0;
		return true;
	}
	if (key < 32 || key >= KEY_BASE)
		return false;
	n = key < 128 ? 1 : wctomb(bytes, wide);
	if (key < 128)
		bytes[0] = (char)key;
	if (n < 1 || e->len + (u32)n >= sizeof(e->text))
		return true;
	memmove(e->text + e->at + n, e->text + e->at, e->len - e->at + 1);
	memcpy(e->text + e->at, bytes, (size_t)n);
	e->at += (u32)n;
	e->len += (u32)n;
	return true;
}

static enum handled scroll_key(struct ui *ui, int key)
{
	int page = max_int(ui->rows - 6, 1);

	switch (key) {
	case KEY_BASE + KEY_DOWN:
	case 'j':
		ui->dialog.top++;
		return UI_REDRAW;
	case KEY_BASE + KEY_UP:
	case 'k':
		ui->dialog.top = max_int(ui->dialog.top - 1, 0);
		return UI_REDRAW;
	case KEY_BASE + KEY_NPAGE:
	case ' ':
		ui->dialog.top += page;
		return UI_REDRAW;
	case KEY_BASE + KEY_PPAGE:
		ui->dialog.top = max_int(ui->dialog.top - page, 0);
		return UI_REDRAW;
	case KEY_BASE + KEY_HOME:
		ui->dialog.top = 0;
		return UI_REDRAW;
	case KEY_BASE + KEY_END:
		ui->dialog.top = 100000;
		return UI_REDRAW;
	default:
		dialog_close(ui);
		return UI_REDRAW;
	}
}

static void remember(struct ui *ui, const char *text)
{
	if (ui->nr_history > 0 && strcmp(ui->history[ui->nr_history - 1], text) == 0)
		return;
	if (ui->nr_history == UI_HISTORY_MAX) {
		memmove(ui->history[0], ui->history[1],
			(UI_HISTORY_MAX - 1) * sizeof(ui->history[0]));
		ui->nr_history--;
	}
	snprintf(ui->history[ui->nr_history++], sizeof(ui->history[0]), "%s", text);
}

static enum handled prompt_done(struct ui *ui)
{
	enum prompt_kind kind = ui->dialog.prompt;
	char text[UI_LINE_MAX];

	snprintf(text, sizeof(text), "%s", ui->dialog.edit.text);
	dialog_close(ui);
	if (!text[0])
		return UI_REDRAW;
	if (kind == PROMPT_COMMAND)
		remember(ui, text);
	return request_prompted(ui, kind, text);
}

static enum handled prompt_key(struct ui *ui, int key)
{
	struct dialog *d = &ui->dialog;

	if (key == '\r' || key == '\n' || key == KEY_BASE + KEY_ENTER)
		return prompt_done(ui);
	if (d->prompt == PROMPT_COMMAND && key == KEY_BASE + KEY_UP && d->history > 0) {
		edit_set(&d->edit, ui->history[--d->history]);
	} else if (d->prompt == PROMPT_COMMAND && key == KEY_BASE + KEY_DOWN &&
		   d->history < ui->nr_history) {
		d->history++;
		edit_set(&d->edit, d->history < ui->nr_history ? ui->history[d->history] : "");
	} else if (key == '\t') {
		char list[UI_LINE_MAX], line[UI_LINE_MAX];

		snprintf(line, sizeof(line), "%s", d->edit.text);
		command_complete(ui, d->prompt, line, sizeof(line), list, sizeof(list));
		edit_set(&d->edit, line);
		snprintf(d->message, sizeof(d->message), "%s", list);
		return UI_REDRAW;
	} else if ((key == KEY_BASE + KEY_BACKSPACE || key == 127 || key == 8) &&
		   d->edit.len == 0) {
		dialog_close(ui);
		return UI_REDRAW;
	} else {
		edit_key(&d->edit, key);
	}
	d->message[0] = '\0';
	return UI_REDRAW;
}

static enum handled predict_key(struct ui *ui, int key)
{
	struct dialog *d = &ui->dialog;
	const struct ui_cue *cue = d->cue;

	if (d->answered) {
		dialog_close(ui);
		return UI_REDRAW;
	}
	if (key == '\r' || key == '\n' || key == KEY_BASE + KEY_ENTER) {
		if (!d->edit.len) {
			snprintf(d->message, sizeof(d->message),
				 "an answer first, or r to reveal it");
			return UI_REDRAW;
		}
		predict_answer(ui, cue, d->edit.text, false, d->hinted);
		d->answered = true;
	} else if (cue->nr_choices && key >= '1' && key < '1' + (int)min_s64(cue->nr_choices, 9)) {
		edit_set(&d->edit, cue->choices[key - '1']);
	} else if (key == 'h' && cue->hint && !d->edit.len) {
		d->hinted = true;
	} else if (key == 'r' && !d->edit.len) {
		predict_answer(ui, cue, "", true, d->hinted);
		d->answered = true;
	} else if (!cue->nr_choices || key == KEY_BASE + KEY_BACKSPACE || key == 127) {
		edit_key(&d->edit, key);
	}
	d->message[0] = '\0';
	return UI_REDRAW;
}

static enum handled inject_key(struct ui *ui, int key)
{
	struct dialog *d = &ui->dialog;
	enum op_arg args[NR_OP_ARGS];
	int nr = inject_fields(d, args);
	size_t len;

	d->message[0] = '\0';
	if (key == '\r' || key == '\n' || key == KEY_BASE + KEY_ENTER) {
		if (inject_do(ui, d))
			dialog_close(ui);
		return UI_REDRAW | UI_RELAYOUT;
	}
	if (key == KEY_BASE + KEY_UP || key == KEY_BASE + KEY_BTAB)
		d->field = max_int(d->field - 1, 0);
	else if (key == KEY_BASE + KEY_DOWN || key == '\t')
		d->field = min_int(d->field + 1, nr);
	else if (d->field == 0 && (key == KEY_BASE + KEY_RIGHT || key == ' '))
		d->form.kind = (u8)((d->form.kind + 1) % NR_OPS);
	else if (d->field == 0 && key == KEY_BASE + KEY_LEFT)
		d->form.kind = (u8)((d->form.kind + NR_OPS - 1) % NR_OPS);
	if (d->field == 0 || d->field > nr)
		return UI_REDRAW;
	len = strlen(d->values[args[d->field - 1]]);
	if ((key == KEY_BASE + KEY_BACKSPACE || key == 127 || key == 8) && len > 0) {
		d->values[args[d->field - 1]][len - 1] = '\0';
	} else if (key > 32 && key < 127 && len + 1 < sizeof(d->values[0])) {
		d->values[args[d->field - 1]][len] = (char)key;
		d->values[args[d->field - 1]][len + 1] = '\0';
	}
	return UI_REDRAW;
}

enum handled dialog_key(struct ui *ui, int key, enum request request)
{
	if (key == 27 || request == REQ_ESCAPE) {
		dialog_close(ui);
		return UI_REDRAW;
	}
	if (request == REQ_REDRAW)
		return UI_REDRAW | UI_CLEAR;
	if (request == REQ_SUSPEND)
		return UI_SUSPEND;
	switch (ui->dialog.kind) {
	case DIALOG_HELP:
	case DIALOG_TEXT:
		return scroll_key(ui, key);
	case DIALOG_PROMPT:
		return prompt_key(ui, key);
	case DIALOG_PREDICT:
		return predict_key(ui, key);
	case DIALOG_INJECT:
		return inject_key(ui, key);
	default:
		return UI_IGNORED;
	}
}

bool dialog_paste(struct ui *ui, int key)
{
	struct dialog *d = &ui->dialog;
	bool typed = d->kind == DIALOG_PROMPT ||
		     (d->kind == DIALOG_PREDICT && !d->answered && !d->cue->nr_choices);

	if (key == '\r' || key == '\n' || key == '\t')
		key = ' ';
	if (typed && key >= 32 && key < KEY_BASE)
		edit_key(&d->edit, key);
	else if (d->kind == DIALOG_INJECT && key > 32 && key < 127)
		inject_key(ui, key);
	else
		return typed || d->kind == DIALOG_INJECT;
	return true;
}

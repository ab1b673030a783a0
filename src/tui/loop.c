/* SPDX-License-Identifier: GPL-2.0-only */
/* The one loop: draw, wait for a key, do what it asks; what is left of the time goes to the what-if strip. */
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/save.h"
#include "base/text.h"
#include "command.h"
#include "dialog.h"
#include "loop.h"
#include "nav.h"
#include "request.h"
#include "screen.h"
#include "term.h"
#include "whatif.h"

enum { IDLE_NS = 4000000, SCRIPT_MAX = 1 << 20, PASTE_MS = 500 };

void ui_say(struct ui *ui, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ui->message, sizeof(ui->message), fmt, ap);
	va_end(ap);
	ui->message_bad = false;
}

void ui_complain(struct ui *ui, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ui->message, sizeof(ui->message), fmt, ap);
	va_end(ap);
	ui->message_bad = true;
}

static enum handled mouse_event(struct ui *ui)
{
	MEVENT event;

	if (getmouse(&event) == ERR)
		return UI_HANDLED;
	ui->click_y = event.y;
	ui->click_x = event.x;
	if (ui->dialog.kind != DIALOG_NONE)
		return UI_HANDLED;
	if (event.bstate & (BUTTON4_PRESSED | BUTTON5_PRESSED)) {
		enum view_id id = screen_view_at(ui, event.y, event.x);

		if (id != NR_VIEWS)
			ui->focus = id;
		return request_do(ui, event.bstate & BUTTON4_PRESSED ? REQ_UP : REQ_DOWN, 0);
	}
	return request_do(ui, REQ_CLICK, 0);
}

/* Act on what a handler said. False: the end. */
static bool act(struct ui *ui, enum handled flags)
{
	if (flags & UI_QUIT)
		return false;
	if (flags & UI_LEAVE) {
		if (ui->opt->open)
			return false;
		nav_close(ui);
	}
	if (flags & UI_SUSPEND)
		term_suspend(ui);
	if (flags & UI_CLEAR)
		clearok(curscr, true);
	return true;
}

/* Pasted text is text, whatever keys it looks like: nobody means the q in it. */
static enum handled paste_key(struct ui *ui, int key)
{
	if (key == KEY_BASE + KEY_PASTE || key == KEY_BASE + KEY_PASTE_END)
		ui->pasting = key == KEY_BASE + KEY_PASTE;
	else if (!dialog_paste(ui, key))
		ui_complain(ui, "pasted text is taken where a line is typed, such as behind :");
	return UI_REDRAW;
}

bool ui_key(struct ui *ui, int key)
{
	enum handled flags;

	if (key == KEY_BASE + KEY_RESIZE) {
		int rows, cols;

		getmaxyx(stdscr, rows, cols);
		term_resize(ui, rows, cols);
		flags = UI_REDRAW | UI_RELAYOUT;
	} else if (ui->pasting || key == KEY_BASE + KEY_PASTE || key == KEY_BASE + KEY_PASTE_END) {
		flags = paste_key(ui, key);
	} else if (key == KEY_BASE + KEY_MOUSE) {
		flags = mouse_event(ui);
	} else if (ui->dialog.kind != DIALOG_NONE) {
		flags = dialog_key(ui, key, key_request(key));
	} else {
		flags = request_key(ui, key);
	}
	return act(ui, flags);
}

void ui_draw(struct ui *ui)
{
	screen_layout(ui);
	screen_draw(ui);
}

static struct ui *new_ui(struct ui_options *opt)
{
	struct ui *ui = base_alloc(1, sizeof(*ui));

	ui->opt = opt;
	ui->speed = 10;
	ui->pending = REQ_NONE;
	return ui;
}

struct ui *ui_open(struct ui_options *opt)
{
	struct ui *ui = new_ui(opt);

	opt->error[0] = '\0';
	if (!term_start(ui)) {
		free(ui);
		return NULL;
	}
	if (opt->open && !nav_open(ui, opt->open)) {
		snprintf(opt->error, sizeof(opt->error), "%s", ui->message);
		ui_close(ui);
		return NULL;
	}
	if (opt->session && !session_load(ui, opt->session, opt->error, sizeof(opt->error))) {
		ui_close(ui);
		return NULL;
	}
	request_arrived(ui);
	return ui;
}

void ui_close(struct ui *ui)
{
	dialog_close(ui);
	nav_close(ui);
	term_stop(ui);
	free(ui);
}

/* ---- key scripts ---- */

/* "<Resize 100x30>" and "<Shot FILE>" stand among the keys. Bytes taken, 0 if it is neither. */
static size_t script_word(struct ui *ui, const char *at)
{
	const char *end = strchr(at, '>');
	char path[UI_LINE_MAX], error[UI_ERROR_MAX];
	int cols, rows;

	if (at[0] != '<' || !end)
		return 0;
	if (sscanf(at, "<Resize %dx%d>", &cols, &rows) == 2) {
		if (cols >= 1 && rows >= 1 && cols <= 1000 && rows <= 1000)
			term_resize(ui, rows, cols);
		return (size_t)(end - at) + 1;
	}
	if (sscanf(at, "<Shot %250[^>]>", path) == 1) {
		ui_draw(ui);
		shot_save(ui, path, error, sizeof(error));
		return (size_t)(end - at) + 1;
	}
	return 0;
}

static void settle(struct ui *ui)
{
	while (whatif_idle(ui, IDLE_NS))
		;
	ui_draw(ui);
}

bool ui_feed(struct ui *ui, const char *text)
{
	while (*text) {
		size_t len = script_word(ui, text);
		int key;

		if (len == 0) {
			if (*text == '\n') {
				text++;
				continue;
			}
			len = key_parse(text, &key);
			if (len == 0) {
				ui_complain(ui, "no such key in the script: %.20s", text);
				return true;
			}
			if (!ui_key(ui, key))
				return false;
			screen_layout(ui);
		}
		text += len;
	}
	settle(ui);
	return true;
}

static int run_script(struct ui *ui)
{
	struct ui_options *opt = ui->opt;
	struct base_text text = { 0 };
	struct diag d;
	char *dump;
	int status = 0;

	ui_draw(ui);
	if (opt->keys) {
		if (base_text_read(&text, opt->keys, SCRIPT_MAX, &d)) {
			snprintf(opt->error, sizeof(opt->error), "%.200s: %.200s", opt->keys,
				 d.message);
			return 2;
		}
		ui_feed(ui, text.data);
		base_text_free(&text);
	}
	if (opt->dump) {
		settle(ui);
		dump = shot_text(ui);
		if (base_save_bytes(opt->dump, dump, strlen(dump), &d)) {
			snprintf(opt->error, sizeof(opt->error), "%.200s: %.200s", opt->dump,
				 d.message);
			status = 2;
		}
		free(dump);
	}
	return status;
}

/* ---- the loop ---- */

static void loop(struct ui *ui)
{
	bool is_code, more, dirty = true;
	wint_t wide;

	for (;;) {
		u64 now = ui_now_ns();
		int timeout;

		if (dirty && !ui->pasting)
			ui_draw(ui);
		dirty = dirty && ui->pasting;
		if (term_signal())
			return;
		more = !ui->pasting && whatif_idle(ui, IDLE_NS);
		if (ui->pasting)
			timeout = PASTE_MS;
		else
			timeout = more	      ? 0 :
				  ui->playing ? (int)(1000 / max_int((int)ui->speed, 1)) :
						-1;
		if (term_key(ui, timeout, &wide, &is_code) == OK) {
			if (!ui_key(ui, is_code ? KEY_BASE + (int)wide : (int)wide))
				return;
			dirty = true;
			continue;
		}
		/* the mark at its end got lost */
		if (ui->pasting) {
			ui->pasting = false;
			dirty = true;
		} else if (more) {
			/* The strip is drawn when it is whole, or now and then meanwhile. */
			dirty = !whatif_pending(ui) || now - ui->drawn_ns > 100000000u;
		} else if (ui->playing) {
			request_play(ui);
			dirty = true;
		}
		if (dirty)
			ui->drawn_ns = now;
	}
}

int ui_run(struct ui_options *opt)
{
	struct ui *ui = ui_open(opt);
	int status = 0, sig;

	if (!ui)
		return 2;
	if (ui->headless)
		status = run_script(ui);
	else
		loop(ui);
	sig = term_signal();
	ui_close(ui);
	if (sig)
		raise(sig);
	return status;
}

/* ---- figures ---- */

static enum ui_next bench_next(void *ctx, struct timeline *tl, char *error, size_t size)
{
	struct op op = { .kind = OP_ALLOCN, .type = MIGRATE_MOVABLE, .count = 40 };
	u32 *slots = ctx, cpus = sim_nr_cpus(tl_view(tl));
	u64 i = tl_length(tl);
	struct sim_error err;

	if (i >= 400)
		return UI_END;
	op.cpu = (u16)(i * 7 % cpus);
	if (i % 2) {
		op.kind = OP_FREEN;
		op.type = 0;
	}
	if (tl_append(tl, &op, slots, NULL, &err)) {
		snprintf(error, size, "%s", err.message);
		return UI_FAILED;
	}
	return UI_MORE;
}

bool ui_bench(const struct machine *machine, u32 patches, int cols, int rows, u32 n, u64 *ns,
	      u64 *first_ns)
{
	static const char keys[] = "snsssessssnsss<Tab>jjSSsN";
	u32 slots[64] = { 0 };
	struct ui_options opt = { .cols = cols, .rows = rows };
	struct ui_source src = { .ctx = slots,
				 .path = "bench",
				 .name = "bench",
				 .title = "bench",
				 .level = "beginner",
				 .machine = machine,
				 .patches = patches,
				 .zone = 0,
				 .next = bench_next };
	u64 begin = ui_now_ns();
	struct ui *ui = ui_open(&opt);
	const char *at = keys;

	if (!ui)
		return false;
	if (!nav_open_source(ui, &src)) {
		ui_close(ui);
		return false;
	}
	ui_draw(ui);
	*first_ns = ui_now_ns() - begin;
	nav_op(ui, true);
	for (u32 i = 0; i < n; i++) {
		int key;
		size_t len;

		whatif_idle(ui, IDLE_NS);
		begin = ui_now_ns();
		len = key_parse(at, &key);
		ui_key(ui, key);
		ui_draw(ui);
		ns[i] = ui_now_ns() - begin;
		at += len;
		if (!*at)
			at = keys;
	}
	ui_close(ui);
	return true;
}

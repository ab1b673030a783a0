/* SPDX-License-Identifier: GPL-2.0-only */
/* The start page: every scenario by level. */
#include <string.h>

#include "nav.h"
#include "request.h"
#include "screen.h"

static const char *const levels[] = { "beginner", "intermediate", "advanced" };

/* Entries in the order of the page: by level, others last. Fills @order, returns their number. */
static int ordered(const struct ui *ui, int *order, int max)
{
	const struct ui_library *lib = ui->opt->library;
	int n = 0;

	for (size_t level = 0; level <= ARRAY_SIZE(levels); level++) {
		for (size_t i = 0; lib && i < lib->nr && n < max; i++) {
			size_t own = 0;

			while (own < ARRAY_SIZE(levels) &&
			       strcmp(lib->entries[i].level, levels[own]) != 0)
				own++;
			if (own == level)
				order[n++] = (int)i;
		}
	}
	return n;
}

enum { ENTRIES_MAX = 512 };

static void draw_entry(struct ui *ui, int y, const struct ui_entry *e, bool chosen)
{
	int name = ui->cols >= 80 ? 24 : 16;

	draw_text(ui, ui->base, y, 1, 1, chosen ? ST_HERE : ST_NORMAL, chosen ? ">" : " ");
	draw_text(ui, ui->base, y, 3, name, chosen ? ST_SELECTED : ST_KEY, e->name);
	draw_text(ui, ui->base, y, 4 + name, ui->cols - name - 5, chosen ? ST_NOW : ST_NORMAL,
		  e->title);
	if (chosen) {
		ui->caret.set = true;
		ui->caret.y = y;
		ui->caret.x = 3;
	}
}

static void draw_summary(struct ui *ui, const struct ui_entry *e, int y)
{
	struct pane p = { .ui = ui,
			  .win = ui->base,
			  .at = { .y = y, .x = 0, .h = 2, .w = ui->cols },
			  .line_row = -1 };

	pane_wrap(&p, 0, 3, ST_SAY, e->summary);
}

void start_draw(struct ui *ui)
{
	const struct ui_library *lib = ui->opt->library;
	int order[ENTRIES_MAX], n = ordered(ui, order, ENTRIES_MAX), y = 3, rows = ui->rows - 7;
	const char *level = "";

	for (int x = 0; x < ui->cols; x++)
		draw_text(ui, ui->base, 0, x, 1, ST_HEAD, " ");
	draw_text(ui, ui->base, 0, 1, ui->cols - 2, ST_HEAD,
		  "pageset: a laboratory for the Linux kernel's per-CPU page lists");
	draw_text(ui, ui->base, 1, 1, ui->cols - 2, ST_NORMAL,
		  "Choose with Up and Down, Enter opens. Begin with the first.");
	ui->entry = max_int(min_int(ui->entry, n - 1), 0);
	if (ui->entry < ui->entry_top)
		ui->entry_top = ui->entry;
	/* Up to three rows go to the names of levels. */
	if (ui->entry >= ui->entry_top + rows - 3)
		ui->entry_top = ui->entry - rows + 4;
	ui->entry_top = max_int(ui->entry_top, 0);
	if (n == 0)
		draw_text(ui, ui->base, y, 1, ui->cols - 2, ST_BAD,
			  "no scenarios found; pageset FILE opens one, :open FILE too");
	for (int i = ui->entry_top; i < n && y < 3 + rows; i++) {
		const struct ui_entry *e = &lib->entries[order[i]];

		if (strcmp(level, e->level) != 0) {
			draw_title(ui, ui->base, y++, 0, ui->cols, false, e->level);
			level = e->level;
		}
		if (y < 3 + rows)
			draw_entry(ui, y++, e, i == ui->entry);
	}
	if (n > 0)
		draw_summary(ui, &lib->entries[order[ui->entry]], ui->rows - 4);
	if (ui->message[0])
		draw_text(ui, ui->base, ui->rows - 1, 1, ui->cols - 2,
			  ui->message_bad ? ST_BAD : ST_ASK, ui->message);
	else
		draw_text(ui, ui->base, ui->rows - 1, 1, ui->cols - 2, ST_DIM,
			  "Enter open  Up Down choose  ? keys  : command  P palette  q quit");
}

static enum handled open_chosen(struct ui *ui)
{
	int order[ENTRIES_MAX], n = ordered(ui, order, ENTRIES_MAX);

	/* Keys may have come in since it was last drawn, and put right. */
	ui->entry = max_int(min_int(ui->entry, n - 1), 0);
	if (ui->entry < n)
		nav_open(ui, ui->opt->library->entries[order[ui->entry]].path);
	return UI_REDRAW | UI_RELAYOUT;
}

enum handled start_request(struct ui *ui, enum request r)
{
	int page = max_int(ui->rows - 10, 1);

	switch (r) {
	case REQ_UP:
		ui->entry--;
		return UI_REDRAW;
	case REQ_DOWN:
	case REQ_NEXT_PANE:
		ui->entry++;
		return UI_REDRAW;
	case REQ_PAGE_UP:
		ui->entry -= page;
		return UI_REDRAW;
	case REQ_PAGE_DOWN:
		ui->entry += page;
		return UI_REDRAW;
	case REQ_HOME:
		ui->entry = 0;
		return UI_REDRAW;
	case REQ_END:
		ui->entry = ENTRIES_MAX;
		return UI_REDRAW;
	case REQ_CLICK:
	case REQ_ENTER:
		return open_chosen(ui);
	case REQ_QUIT:
		return UI_QUIT;
	case REQ_ESCAPE:
		return UI_REDRAW;
	default:
		ui_say(ui, "Enter opens the scenario that is chosen");
		return UI_REDRAW;
	}
}

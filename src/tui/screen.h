/* SPDX-License-Identifier: GPL-2.0-only */
/* The whole screen: which pane is where at which size, and one drawing of all of it. */
#ifndef PAGESET_TUI_SCREEN_H
#define PAGESET_TUI_SCREEN_H

#include "pane.h"
#include "view.h"

enum { UI_COLS_MIN = 40, UI_ROWS_MIN = 10 };

/* Fill ui->places for the size, the focus and the zoom. */
void screen_layout(struct ui *ui);
/* Draw everything; the terminal shows it when this returns. */
void screen_draw(struct ui *ui);
/* The pane for searching a view's rows: see pane.h. Row found or -1. */
int screen_search(struct ui *ui, enum view_id id, const char *text, int from, bool backward);
/* Which view is at a place of the screen; NR_VIEWS if none. */
enum view_id screen_view_at(const struct ui *ui, int y, int x);
/* The request of the key bar's word at a column, REQ_NONE if none. */
enum request screen_key_at(const struct ui *ui, int x);

/* Start page (start.c) and what lies above (dialog.c). */
void start_draw(struct ui *ui);
void dialog_draw(struct ui *ui);
/* Side by side (side.c), in the rows y..y+h-1. */
void side_draw(struct ui *ui, int y, int h);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pane while it is drawn: rows of text in a rectangle, scrolled and clipped.
 * Rows count from 0 at the top of the content, which may be longer than the
 * rectangle; what lies outside is not drawn. Each view draws through here only.
 */
#ifndef PAGESET_TUI_PANE_H
#define PAGESET_TUI_PANE_H

#include "theme.h"

struct pane {
	struct ui *ui;
	WINDOW *win;
	struct rect at; /* of the content, without the title */
	int top;	/* first row shown */
	int rows;	/* highest row written + 1 */
	int row, col;	/* where the next text goes */
	bool focused;
	/* searching: rows are compared instead of drawn */
	const char *find;
	int found, from;
	bool backward;
	char line[512];
	int line_row;
};

/* Is a row of the content on the screen (or wanted by a search)? For views with very many rows. */
bool pane_shows(const struct pane *p, int row);
/* Begin at a row; text goes on from there. */
void pane_row(struct pane *p, int row, int col);
void pane_col(struct pane *p, int col);
void pane_put(struct pane *p, enum style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same without a format: any text, made safe for the screen. */
void pane_text(struct pane *p, enum style style, const char *text, int width);
/* Text broken at blanks, from a row on. Returns the next free row. */
int pane_wrap(struct pane *p, int row, int col, enum style style, const char *text);
/* The rows of a row range get the look of a selection if the cursor is there. */
void pane_select(struct pane *p, int row, int col, int width);
void pane_end(struct pane *p);
/* The hardware cursor belongs here. */
void pane_caret(struct pane *p, int row, int col);

/* On a window itself. */
void draw_text(struct ui *ui, WINDOW *win, int y, int x, int width, enum style style,
	       const char *text);
void draw_format(struct ui *ui, WINDOW *win, int y, int x, int width, enum style style,
		 const char *fmt, ...) __attribute__((format(printf, 7, 8)));
/* A line across, with a title in it. */
void draw_title(struct ui *ui, WINDOW *win, int y, int x, int width, bool focused,
		const char *title);
/* Columns that a text takes. */
int text_columns(const char *text);

#endif

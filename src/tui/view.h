/* SPDX-License-Identifier: GPL-2.0-only */
/* A view is a table of operations; view.def lists them, view_NAME.c has each. */
#ifndef PAGESET_TUI_VIEW_H
#define PAGESET_TUI_VIEW_H

#include "nav.h"
#include "pane.h"

struct view_ops {
	const char *name, *title, *help;
	int min_rows;
	/* Rows can be chosen: Up and Down move a cursor instead of the text. */
	bool cursor;
	/* Draw the content; the pane counts the rows. */
	void (*draw)(struct ui *ui, struct pane *p);
	/* The title with what changes in it; NULL: the fixed one. */
	void (*name_title)(struct ui *ui, char *buf, size_t size);
	/* Requests for the focused view before anyone else; NULL: none. */
	enum handled (*request)(struct ui *ui, enum request request);
	/* Rows the view would like on a larger screen; NULL: min_rows. */
	int (*wants)(const struct ui *ui);
};

const struct view_ops *view_get(enum view_id id);
enum view_id view_find(const char *name); /* NR_VIEWS if there is none */

/* The value of high that a free compares with, by the patch set. */
s32 pcp_high_shown(const struct per_cpu_pages *pcp, u32 patches);
/* The list of a pageset: U0 .. R3, T9. @buf of 4 bytes. */
const char *list_name(u32 pindex, char *buf);
/* The pageset as shown, and as it was one step before (NULL if not known). */
const struct per_cpu_pages *pcp_now(const struct ui *ui, u32 cpu);
const struct per_cpu_pages *pcp_before(const struct ui *ui, u32 cpu);

/* A step's sentence in two parts: what is asked, and the answer ("" if it is a plain one). */
void step_parts(const struct ui *ui, const struct step *step, char *left, char *right);
struct source_line;
/* The visible line for a step at @number: the nearest above that is not blank. */
size_t code_line_at(const struct source_line *lines, size_t nr, u32 number);
/* What the NOW line says. */
void now_words(struct ui *ui, char *buf, size_t size);
enum style step_style(const struct step *step);

/* Rows that the lesson's words take at a width: here (0 inside an operation), and at most anywhere. */
int lesson_rows_here(struct ui *ui, int width);
int lesson_rows_most(struct ui *ui, int width);

#endif

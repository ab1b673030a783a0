/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a line at a terminal: editing, history, completion by Tab. Without a terminal it reads plain lines. Keys as
 * in a shell: arrows, Home, End, Ctrl-A E B F P N U K W L, Backspace, Delete, Ctrl-D at the end, Ctrl-C drops the line.
 */
#ifndef LINE_EDIT_H
#define LINE_EDIT_H

#include <stddef.h>

struct line_edit;

/* Offers words for the text up to the cursor; returns where the word begins. */
typedef size_t line_complete(void *ctx, const char *text, size_t len,
			     void (*add)(void *add_ctx, const char *word), void *add_ctx);

struct line_edit *line_edit_new(line_complete *complete, void *ctx);
void line_edit_free(struct line_edit *e);
/* The next line without its newline, to be freed; NULL at the end. "" after Ctrl-C. */
char *line_edit_read(struct line_edit *e, const char *prompt);

/*
 * The editor without its terminal, for tests: feed a byte; what became of it. The text and the cursor (bytes) can be
 * looked at after each.
 */
enum line_event { LINE_EDITING, LINE_READY, LINE_END, LINE_CANCEL, LINE_LIST };
enum line_event line_edit_feed(struct line_edit *e, unsigned char byte);
const char *line_edit_text(const struct line_edit *e, size_t *cursor);
/* Begin an empty line; put the text into the history. */
void line_edit_begin(struct line_edit *e);
void line_edit_remember(struct line_edit *e);
/* The words of the last completion that was not unique. */
const char *line_edit_word(const struct line_edit *e, size_t i);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* The `:` line: commands by the table of command.def, `=EXPR`, completion. */
#ifndef PAGESET_TUI_COMMAND_H
#define PAGESET_TUI_COMMAND_H

#include "pane.h"

enum handled command_run(struct ui *ui, const char *text);
/* Complete the last word of @line; @list gets the choices if there are several. */
void command_complete(struct ui *ui, enum prompt_kind kind, char *line, size_t size, char *list,
		      size_t list_size);
/* Lines for the help page; returns the next row. */
int commands_help(struct pane *p, int row);

/* session.c, shot.c: false and a message in @error. */
bool session_save(struct ui *ui, const char *path, char *error, size_t size);
bool session_load(struct ui *ui, const char *path, char *error, size_t size);
bool shot_save(struct ui *ui, const char *path, char *error, size_t size);
/* The screen as text, rows ended by newlines; malloc'ed. */
char *shot_text(struct ui *ui);

#endif

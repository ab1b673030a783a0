/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal: taken once, given back on every way out. */
#ifndef PAGESET_TUI_TERM_H
#define PAGESET_TUI_TERM_H

#include "state.h"

/* Take the terminal (or, with a size in the options, none). False and opt->error filled. */
bool term_start(struct ui *ui);
void term_stop(struct ui *ui);
/* The windows after a change of size. */
void term_resize(struct ui *ui, int rows, int cols);
void term_mouse(struct ui *ui, bool on);
void term_suspend(struct ui *ui);
/* Wait for a key at most @timeout_ms (-1: for ever); ERR if none came. */
int term_key(struct ui *ui, int timeout_ms, wint_t *wide, bool *is_code);
/* Long work asks whether Esc was pressed meanwhile. */
bool term_escape_pressed(struct ui *ui);
/* The signal that asked us to end, 0 if none. */
int term_signal(void);

#endif

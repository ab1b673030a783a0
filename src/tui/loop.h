/* SPDX-License-Identifier: GPL-2.0-only */
/* One screen in the hands of a program: what ui_run() does with a person, step by step. Tests use it. */
#ifndef PAGESET_TUI_LOOP_H
#define PAGESET_TUI_LOOP_H

#include "key.h"
#include "state.h"

/* NULL and opt->error filled on failure. */
struct ui *ui_open(struct ui_options *opt);
void ui_close(struct ui *ui);
/* One key; false: the person quit. */
bool ui_key(struct ui *ui, int key);
/* Keys as in a key script; the strip is computed and the screen drawn at the end. */
bool ui_feed(struct ui *ui, const char *text);
void ui_draw(struct ui *ui);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Searching in time: each step of a range of operations is tested on a copy of
 * the machine; the shown timeline only moves to what was found.
 */
#ifndef PAGESET_TUI_SCAN_H
#define PAGESET_TUI_SCAN_H

#include "state.h"

/* Set a breakpoint from its text; false and a message that says what was expected. */
bool breaks_add(struct ui *ui, const char *text);
bool breaks_remove(struct ui *ui, u32 i);
void breaks_clear(struct ui *ui);
/* Run on (or back) to the next breakpoint, pause of the scenario, or the end. */
bool scan_continue(struct ui *ui, bool forward);
/* After a step while playing: a breakpoint or cue here that stops. */
bool scan_stops_here(struct ui *ui);
/* Go to the step that gave a field its present value. */
bool scan_who_set(struct ui *ui, const struct field_ref *ref);
/* The life of a page as text, malloc'ed. */
char *scan_page_life(struct ui *ui, u64 pfn);

#endif

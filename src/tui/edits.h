/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes of a line by hand, kept in order: toggles, operations put in, injections. */
#ifndef PAGESET_TUI_EDITS_H
#define PAGESET_TUI_EDITS_H

#include "state.h"

/* Put an operation in here: appended, inserted, or injected in the middle of another. */
bool edits_put_in(struct ui *ui, const struct op *op, const u32 *slots, const char *text,
		  char *error, size_t size);
/* Run the same operations from the start under @set. */
bool edits_base(struct ui *ui, u32 set, const char *text, char *error, size_t size);
/* Take the last one back; false if there is none. */
bool edits_undo(struct ui *ui);
void edits_free(struct branch *branch);
void edits_copy(struct branch *to, const struct branch *from);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The what-if strip: the same operations from the start under each single
 * toggle, on timelines of their own, brought to the operation shown in small
 * portions while the loop has nothing else to do. And the comparison of two
 * lines side by side.
 */
#ifndef PAGESET_TUI_WHATIF_H
#define PAGESET_TUI_WHATIF_H

#include "state.h"

/* The shown position moved: the figures are of another operation now. */
void whatif_moved(struct ui *ui);
/* A portion of work, at most about @budget_ns. True while more is to be done. */
/* Are there figures still to come? */
bool whatif_pending(const struct ui *ui);
bool whatif_idle(struct ui *ui, u64 budget_ns);
void whatif_free(struct ui *ui);
/* The lane of a patch (switched against the shown set), or NULL. */
struct lane *whatif_lane(struct ui *ui, enum patch_id id);

/* Stand the shown line beside @set from the start. False and a message on failure. */
bool compare_with_set(struct ui *ui, u32 set, const char *name);
bool compare_with_branch(struct ui *ui, u32 branch);
void compare_end(struct ui *ui);
/* What in words keeps @a and @b alike in an operation, or what parts them, by the steps of patch @id. */
void compare_reason(const struct ui *ui, const struct op_view *a, const struct op_view *b,
		    enum patch_id id, char *buf, size_t size);
/*
 * The steps at which the two shown views of the same operation part: indexes; false if alike. In the operation of the first
 * difference it is what tl_diverge() says.
 */
bool compare_parting(const struct ui *ui, u32 *at_a, u32 *at_b);

u64 ui_now_ns(void);

#endif

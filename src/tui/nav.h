/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Moving in the timeline, and what is shown of the operation at hand. The only
 * part of the screen that seeks the shown timeline; after each of these calls
 * ui->view, ui->before and ui->now are right.
 */
#ifndef PAGESET_TUI_NAV_H
#define PAGESET_TUI_NAV_H

#include "state.h"

/* Open what @path names. On failure the screen stays as it was and complains. */
bool nav_open(struct ui *ui, const char *path);
void nav_close(struct ui *ui);
/* Take @source over, as nav_open() does after the library opened it. */
bool nav_open_source(struct ui *ui, struct ui_source *source);

/* Recompute what is shown: after the timeline moved or its log changed. */
void nav_refresh(struct ui *ui);
/* The log changed: caches are void. */
void nav_changed(struct ui *ui);
bool nav_seek(struct ui *ui, u64 op, u32 step);

bool nav_step(struct ui *ui, bool forward);
bool nav_op(struct ui *ui, bool forward);
bool nav_finish(struct ui *ui, bool forward);
bool nav_event(struct ui *ui, bool forward);
bool nav_end(struct ui *ui);
/* Load the scenario's operations until there are @op, or no more. The position stays. */
void nav_load_to(struct ui *ui, u64 op);
void nav_show_branch(struct ui *ui, u32 branch);
/* Add a line of history; owns @tl. False if there are too many. */
bool nav_add_branch(struct ui *ui, struct timeline *tl, const char *name);

/* Forget the branch shown (never the first) and show the first. */
void nav_drop_branch(struct ui *ui);

/* Position as the screen says it: operations done, and step of the next. */
struct tl_pos nav_pos(const struct ui *ui);
const struct sim *nav_sim(const struct ui *ui);
/* The step that the screen speaks of, NULL before the first. */
const struct step *nav_current(const struct ui *ui);
/* The stack of functions at step @at (1..nr_steps) of a view. */
void nav_stack(const struct op_view *view, u32 at, struct step_stack *stack);
/* The step with which the unit of work begins that step @at belongs to: an index. */
u32 nav_unit(const struct op_view *view, u32 at);
/* Fill @view with operation @i of @tl; false if it cannot be had. */
bool op_view_load(struct op_view *view, struct timeline *tl, u64 i);
void op_view_free(struct op_view *view);

/* Pages given back to the buddy and taken from it in an operation's first @at steps. */
void op_view_moved(const struct op_view *view, u32 at, u64 *freed, u64 *refilled);

/* An operation in words: "cpu0 frees 500 blocks". @buf of UI_LINE_MAX bytes. */
char *op_words(const struct op *op, char *buf);
/* The letter of a step in the event strip, 0 if it is no event. */
char step_letter(const struct step *step);

/* Cues: those due at @op; the index of the first, SIZE_MAX if none, from @from on. */
const struct ui_cue *nav_cue(const struct ui *ui, enum ui_cue_kind kind, u64 op, size_t *from);
/* Where a cue stands in the log as it is now, with operations that were put in. */
u64 nav_cue_op(const struct ui *ui, u64 op);
/* The prediction that is due here and unanswered, or NULL. */
const struct ui_cue *nav_prediction(const struct ui *ui);
struct answer *nav_answer(struct ui *ui, const char *id);

#endif

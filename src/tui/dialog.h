/* SPDX-License-Identifier: GPL-2.0-only */
/* What lies above the panes and takes keys first: help, prompts, the form, predictions, text. */
#ifndef PAGESET_TUI_DIALOG_H
#define PAGESET_TUI_DIALOG_H

#include "key.h"
#include "state.h"

void dialog_close(struct ui *ui);
void dialog_help(struct ui *ui);
void dialog_prompt(struct ui *ui, enum prompt_kind kind, const char *text);
bool dialog_predict(struct ui *ui);
void dialog_inject(struct ui *ui);
/* @body malloc'ed; owned from now on. */
void dialog_text(struct ui *ui, const char *title, char *body);
/* A key while a dialog is open; REQ of the table beside it. */
enum handled dialog_key(struct ui *ui, int key, enum request request);
/* A character of pasted text: typed where a line is typed, nothing elsewhere. It ends no line. False: it had no use. */
bool dialog_paste(struct ui *ui, int key);

/* The answer to a prediction (predict.c). */
void predict_answer(struct ui *ui, const struct ui_cue *cue, const char *text, bool revealed,
		    bool hinted);
/* An operation put in by hand (inject.c). False and d->message filled. */
bool inject_do(struct ui *ui, struct dialog *d);
void inject_begin(struct ui *ui, struct dialog *d);
/* Which arguments the form shows, in order. */
int inject_fields(const struct dialog *d, enum op_arg *args);

#endif

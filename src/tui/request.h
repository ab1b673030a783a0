/* SPDX-License-Identifier: GPL-2.0-only */
/* Request -> what happens. */
#ifndef PAGESET_TUI_REQUEST_H
#define PAGESET_TUI_REQUEST_H

#include "state.h"

/* A key, when no dialog is open: counts, pending digits, the table. */
enum handled request_key(struct ui *ui, int key);
enum handled request_do(struct ui *ui, enum request request, u32 count);
/* Text typed at a prompt is done. */
enum handled request_prompted(struct ui *ui, enum prompt_kind kind, const char *text);
/* Switch patch number @n, from here or from the start. */
void request_toggle(struct ui *ui, int n, bool from_start);
/* The whole set at once, as request_toggle() does. */
void request_set_patches(struct ui *ui, u32 set, u32 also_on, u32 also_off, bool from_start,
			 const char *text);
bool request_put_in(struct ui *ui, const struct op *op, u32 *slots, char *error, size_t size);
/* One step of playing. */
enum handled request_play(struct ui *ui);
/* The scenario's focus cues where the position stands now. */
void request_arrived(struct ui *ui);

/* The start page (start.c). */
enum handled start_request(struct ui *ui, enum request request);

#endif

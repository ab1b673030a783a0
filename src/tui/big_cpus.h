/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CPU pane for a hall: a box a CPU, its number, count and high in digits three rows
 * high, a thick bar, and the lists that hold something in words.
 */
#ifndef PAGESET_TUI_BIG_CPUS_H
#define PAGESET_TUI_BIG_CPUS_H

#include "view.h"

enum { BIG_CPU_ROWS = 4 };

/* Is it drawn so now? */
bool big_cpus(const struct ui *ui);
/* How many boxes are on the screen. */
int big_cpus_shown(const struct ui *ui);
void big_cpus_draw(struct ui *ui, struct pane *p, const u32 *order);

#endif

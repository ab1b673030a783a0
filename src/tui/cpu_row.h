/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers of one CPU's pageset in a row, count against high as a bar among them: of a simulated machine in the CPU
 * pane, of a running kernel in watch.c.
 */
#ifndef PAGESET_TUI_CPU_ROW_H
#define PAGESET_TUI_CPU_ROW_H

#include "pane.h"

enum cpu_column {
	CPU_COLUMN_COUNT,
	CPU_COLUMN_HIGH,
	CPU_COLUMN_HIGH_MIN,
	CPU_COLUMN_HIGH_MAX,
	CPU_COLUMN_BATCH,
	CPU_COLUMN_COUNT_MIN,
	CPU_COLUMN_ALLOC_FACTOR, /* the bar and the flags stand before it */
	CPU_COLUMN_FREE_FACTOR,
	CPU_COLUMN_FREE_COUNT,
	NR_CPU_COLUMNS
};

struct cpu_column_info {
	const char *head, *field;
	int width;
	u32 patch, gone_with; /* masks, as in field_infos */
	int from_cols;	      /* on screens that wide */
};
extern const struct cpu_column_info cpu_columns[NR_CPU_COLUMNS];

struct cpu_row_plan {
	bool shown[NR_CPU_COLUMNS];
	int widths[NR_CPU_COLUMNS];
	int bar;   /* columns of the bar, 0: none */
	int width; /* of the columns and the bar */
};

struct cpu_cells {
	s64 v[NR_CPU_COLUMNS];
	bool changed[NR_CPU_COLUMNS];
};

/* The columns that a patch set has: a bit each. */
u32 cpu_columns_of(u32 patches);
/* Which of these columns are shown on a screen so wide, with room for the largest number of each. */
void cpu_row_plan(struct cpu_row_plan *plan, u32 columns, int width,
		  const s64 most[NR_CPU_COLUMNS]);
/* Columns from..to-1; the bar comes behind those before CPU_COLUMN_ALLOC_FACTOR. */
void cpu_row_head(struct pane *p, const struct cpu_row_plan *plan, enum style style, int from,
		  int to);
void cpu_row_draw(struct ui *ui, struct pane *p, const struct cpu_row_plan *plan,
		  const struct cpu_cells *cells, int from, int to);
/* A number right-aligned before one more column, which has a star if it changed. */
void cpu_number(struct pane *p, s64 value, bool changed, int width);

#endif

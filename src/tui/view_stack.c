/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions that run, innermost first, what each is for, and the kernel's names. */
#include "view.h"

static void draw(struct ui *ui, struct pane *p)
{
	struct step_stack stack;
	int row = 0;

	if (!ui->view.valid || nav_pos(ui).step == 0) {
		pane_row(p, 0, 1);
		pane_put(p, ST_DIM, "between two operations nothing runs");
		return;
	}
	nav_stack(&ui->view, ui->view.at, &stack);
	for (u32 i = stack.depth; i > 0; i--) {
		const struct step_func_info *f = &step_funcs[stack.funcs[i - 1]];

		pane_row(p, row++, 0);
		pane_put(p, i == stack.depth ? ST_HERE : ST_NORMAL, "%s%s",
			 i == stack.depth ? ">" : " ", f->name);
		pane_put(p, ST_DIM, "  %s: %s()  %s", f->file, f->kernel, f->kernel_file);
		pane_row(p, row++, 4);
		pane_text(p, ST_SAY, f->summary, p->at.w);
	}
}

static int wants(const struct ui *ui)
{
	(void)ui;
	return 8;
}

const struct view_ops view_ops_stack = {
	.name = "stack",
	.title = "call stack",
	.min_rows = 3,
	.draw = draw,
	.wants = wants,
};

/* SPDX-License-Identifier: GPL-2.0-only */
/* Predictions answered, and the score. */
#include "view.h"

static void draw(struct ui *ui, struct pane *p)
{
	s64 points = 0, of = 0;
	int row = 0;

	for (u32 i = 0; i < ui->nr_answers; i++) {
		points += ui->answers[i].points;
		of += ui->answers[i].of;
	}
	pane_row(p, row++, 1);
	pane_put(p, ST_KEY, "score %lld of %lld", (long long)points, (long long)of);
	pane_put(p, ST_DIM, "   :answers FILE writes them for pageset grade");
	for (u32 i = 0; i < ui->nr_answers; i++) {
		const struct answer *a = &ui->answers[i];

		pane_row(p, row++, 1);
		pane_put(p, ST_NORMAL, "%-12s ", a->id);
		if (a->revealed)
			pane_put(p, ST_DIM, "revealed: %s", a->right);
		else
			pane_put(p, a->correct ? ST_YES : ST_NO, "%s: %s",
				 a->correct ? "right" : "wrong", a->text);
		if (!a->correct && !a->revealed)
			pane_put(p, ST_NORMAL, "  it is %s", a->right);
		pane_put(p, ST_DIM, "  %lld of %lld%s", (long long)a->points, (long long)a->of,
			 a->hinted ? ", with the hint" : "");
	}
}

const struct view_ops view_ops_answers = {
	.name = "answers",
	.title = "answers",
	.min_rows = 3,
	.draw = draw,
};

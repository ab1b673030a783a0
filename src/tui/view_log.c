/* SPDX-License-Identifier: GPL-2.0-only */
/* All operations of the line, what was said between them, and what they did. */
#include <string.h>

#include "view.h"

static void draw_events(struct pane *p, u8 mask)
{
	static const struct {
		u8 bit;
		char c;
	} letters[] = { { TL_FAIL, '!' },  { TL_FREE_HIGH | TL_DRAIN, 'D' },
			{ TL_PATCH, 'P' }, { TL_REFILL, 'R' },
			{ TL_BULK, 'b' },  { TL_FLAG, 'f' },
			{ TL_TICK, 't' } };
	char text[8] = "";
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
		if (mask & letters[i].bit)
			text[n++] = letters[i].c;
	text[n] = '\0';
	pane_put(p, ST_EVENT, "%-5s", text);
}

static void draw(struct ui *ui, struct pane *p)
{
	struct tl_pos pos = nav_pos(ui);
	u64 first = tl_first(ui->tl), n = tl_length(ui->tl) - first;
	u64 here = ui->view.valid ? ui->view.index : first;
	struct view_state *v = &ui->views[VIEW_LOG];
	char words[UI_LINE_MAX];

	/* Search looks at the first part only: a row costs a read of the log. */
	n = n > 1000000 ? 1000000 : n;
	if (!p->focused)
		v->cursor = (int)(here - first);
	if (!p->find && !p->focused)
		p->top = max_int(min_int(v->cursor - p->at.h / 2, (int)n - p->at.h), 0);
	v->top = p->top;
	p->rows = (int)n;
	for (int i = p->find ? 0 : p->top; i < (int)n && pane_shows(p, i); i++) {
		u64 op = first + (u64)i;
		bool current = ui->view.valid && op == here && (pos.step > 0 || op + 1 == pos.op);
		const char *note;
		struct sim_error err;
		const u32 *slots;
		struct op o;

		if (tl_op(ui->tl, op, &o, &slots, &err))
			break;
		pane_row(p, i, 0);
		pane_put(p, current ? ST_HERE : ST_DIM, "%s%4llu ", current ? ">" : " ",
			 (unsigned long long)op + 1);
		draw_events(p, op < pos.op || current ? tl_events(ui->tl, op) : 0);
		pane_text(p,
			  op < pos.op ? ST_NORMAL :
			  current     ? ST_KEY :
					ST_DIM,
			  op_words(&o, words), p->at.w);
		note = ui->src.op_note ? ui->src.op_note(ui->src.ctx, op) : NULL;
		if (note && *note) {
			pane_put(p, ST_DIM, "   ");
			pane_text(p, ST_SAY, note, p->at.w);
		}
		if (i == v->cursor)
			pane_select(p, i, 0, p->at.w);
	}
	pane_row(p, p->row, p->col);
}

static enum handled request(struct ui *ui, enum request req)
{
	if (req != REQ_ENTER)
		return UI_IGNORED;
	/* To the end of the chosen operation. */
	nav_seek(ui, tl_first(ui->tl) + (u64)ui->views[VIEW_LOG].cursor + 1, 0);
	return UI_REDRAW;
}

static void name_title(struct ui *ui, char *buf, size_t size)
{
	snprintf(buf, size, "log: %llu ops%s, Enter goes there",
		 (unsigned long long)tl_length(ui->tl),
		 tl_first(ui->tl) > 0 ? " (the oldest dropped)" : "");
}

static int wants(const struct ui *ui)
{
	return (int)min_s64((s64)tl_length(ui->tl), 16);
}

const struct view_ops view_ops_log = {
	.name = "log",
	.title = "log",
	.min_rows = 4,
	.cursor = true,
	.draw = draw,
	.name_title = name_title,
	.request = request,
	.wants = wants,
};

/* SPDX-License-Identifier: GPL-2.0-only */
#include "screen.h"

#include <stdlib.h>
#include <string.h>

#include "big_cpus.h"
#include "key.h"

static void place(struct ui *ui, enum view_id id, int y, int x, int h, int w)
{
	ui->places[id] = (struct rect){ .y = y, .x = x, .h = h, .w = w };
}

static int wanted(const struct ui *ui, enum view_id id)
{
	const struct view_ops *v = view_get(id);

	return v->wants ? max_int(v->wants(ui), v->min_rows) : v->min_rows;
}

/*
 * A column of panes: as many of @ids (up to NR_VIEWS) as fit with their least
 * height, then each grows by turns up to what it wants, the last takes the rest.
 */
static void fill_column(struct ui *ui, const enum view_id *ids, int y, int x, int h, int w)
{
	int heights[NR_VIEWS], nr = 0, used = 0, grown = 1;

	for (; ids[nr] != NR_VIEWS; nr++) {
		int needs = view_get(ids[nr])->min_rows + 1;

		if (used + needs > h)
			break;
		heights[nr] = needs;
		used += needs;
	}
	while (used < h && grown) {
		grown = 0;
		for (int i = 0; i < nr && used < h; i++) {
			if (heights[i] - 1 < wanted(ui, ids[i])) {
				heights[i]++;
				used++;
				grown++;
			}
		}
	}
	if (nr > 0)
		heights[nr - 1] += h - used;
	for (int i = 0; i < nr; i++) {
		place(ui, ids[i], y, x, heights[i], w);
		y += heights[i];
	}
}

static bool listed(const enum view_id *ids, enum view_id id)
{
	for (; *ids != NR_VIEWS; ids++)
		if (*ids == id)
			return true;
	return false;
}

/* The common rows above and below the body; returns the body. */
static struct rect frame(struct ui *ui, int cpu_rows, int lesson_rows)
{
	int cpus = min_int((int)sim_nr_cpus(nav_sim(ui)), cpu_rows);
	int bottom = ui->rows - 1;

	if (ui->heat)
		cpus = min_int(cpu_rows, (int)sim_nr_cpus(nav_sim(ui)) * 2 / ui->cols + 2);
	place(ui, VIEW_CPUS, 2, 0, cpus + 1, ui->cols);
	bottom -= lesson_rows;
	place(ui, VIEW_LESSON, bottom, 0, lesson_rows, ui->cols);
	bottom -= 2;
	place(ui, VIEW_TIME, bottom, 0, 2, ui->cols);
	return (struct rect){ .y = 3 + cpus, .x = 0, .h = bottom - 3 - cpus, .w = ui->cols };
}

/* A larger screen has the lesson's words in a pane of one size: the longest of them fit. */
static int lesson_pane_rows(struct ui *ui, int least)
{
	return max_int(least, min_int(lesson_rows_most(ui, ui->cols) + 1, ui->rows / 5));
}

/*
 * A small screen has one row for them. Where they need more they take the place of
 * the code and the pages, between two operations, where nothing runs. 0: not here.
 */
static int lesson_instead(struct ui *ui, int body_rows)
{
	int rows = lesson_rows_here(ui, ui->cols);

	if (rows < 2 || ui->focus == VIEW_CODE || ui->focus == VIEW_PAGES)
		return 0;
	return max_int(min_int(rows + 1, body_rows - 4), 3);
}

static void layout_full(struct ui *ui)
{
	int extra = ui->rows - 24, what = extra >= 14 ? 13 : 2;
	int line = extra >= 8 ? lesson_pane_rows(ui, 4) : 1;
	struct rect body = frame(ui, 4 + max_int(extra, 0) / 3, line);
	int why, half = body.w * 11 / 20, lesson = line > 1 ? 0 : lesson_instead(ui, body.h - what);

	body.h -= what;
	place(ui, VIEW_WHATIF, body.y + body.h, 0, what, ui->cols);
	if (!ui->places[ui->focus].h && ui->focus != VIEW_WHY && ui->focus != VIEW_CODE &&
	    ui->focus != VIEW_PAGES) {
		place(ui, ui->focus, body.y, 0, body.h - lesson, body.w);
		if (lesson > 0)
			place(ui, VIEW_LESSON, body.y + body.h - lesson, 0, lesson, body.w);
		return;
	}
	if (lesson > 0) {
		place(ui, VIEW_WHY, body.y, 0, body.h - lesson, body.w);
		place(ui, VIEW_LESSON, body.y + body.h - lesson, 0, lesson, body.w);
		return;
	}
	why = max_int(body.h - 5 - max_int(extra, 0) / 3, 4);
	place(ui, VIEW_WHY, body.y, 0, why, body.w);
	place(ui, VIEW_CODE, body.y + why, 0, body.h - why, half);
	place(ui, VIEW_PAGES, body.y + why, half + 1, body.h - why, body.w - half - 1);
}

static void layout_wide(struct ui *ui)
{
	static const enum view_id left[] = { VIEW_WHY, VIEW_CODE, NR_VIEWS };
	static const enum view_id other[] = { VIEW_PAGES, VIEW_LOG,    VIEW_ZONE,     VIEW_STACK,
					      VIEW_LISTS, VIEW_STEPS,  VIEW_MAP,      VIEW_PATCHES,
					      VIEW_STATS, VIEW_STRUCT, VIEW_BRANCHES, NR_VIEWS };
	struct rect body =
		frame(ui, max_int(ui->rows / 5, 4), ui->rows >= 36 ? lesson_pane_rows(ui, 4) : 1);
	enum view_id right[NR_VIEWS + 1];
	int n = 0, width = ui->cols * 3 / 5, what = body.h >= 26 ? 13 : 2;

	if (!ui->places[ui->focus].h && !listed(left, ui->focus) && ui->focus != VIEW_PAGES &&
	    ui->focus != VIEW_WHATIF && ui->focus != VIEW_LOG && ui->focus != VIEW_ZONE)
		right[n++] = ui->focus;
	for (int i = 0; other[i] != NR_VIEWS; i++)
		if (n == 0 || right[0] != other[i])
			right[n++] = other[i];
	right[n] = NR_VIEWS;
	fill_column(ui, left, body.y, 0, body.h - what, width);
	place(ui, VIEW_WHATIF, body.y + body.h - what, 0, what, width);
	fill_column(ui, right, body.y, width + 1, body.h, body.w - width - 1);
	if (!ui->places[ui->focus].h) {
		memset(&ui->places[VIEW_PAGES], 0, sizeof(struct rect));
		fill_column(ui, (const enum view_id[]){ ui->focus, NR_VIEWS }, body.y, width + 1,
			    body.h, body.w - width - 1);
	}
}

static void layout_huge(struct ui *ui)
{
	static const enum view_id columns[3][8] = {
		{ VIEW_WHY, VIEW_CODE, VIEW_WHATIF, NR_VIEWS },
		{ VIEW_PAGES, VIEW_STEPS, VIEW_LOG, VIEW_STACK, VIEW_BRANCHES, NR_VIEWS },
		{ VIEW_ZONE, VIEW_MAP, VIEW_LISTS, VIEW_PATCHES, NR_VIEWS },
	};
	enum view_id last[NR_VIEWS + 1];
	struct rect body = frame(ui, max_int(ui->rows / 4, 4), lesson_pane_rows(ui, 5));
	int left = body.w * 2 / 5, right = body.w * 3 / 10, n = 0;
	int middle = body.w - left - right - 2;

	if (!ui->places[ui->focus].h && !listed(columns[0], ui->focus) &&
	    !listed(columns[1], ui->focus) && !listed(columns[2], ui->focus))
		last[n++] = ui->focus;
	for (int i = 0; columns[2][i] != NR_VIEWS; i++)
		last[n++] = columns[2][i];
	last[n] = NR_VIEWS;
	fill_column(ui, columns[0], body.y, 0, body.h, left);
	fill_column(ui, columns[1], body.y, left + 1, body.h, middle);
	fill_column(ui, last, body.y, left + middle + 2, body.h, right);
}

static void layout_compact(struct ui *ui)
{
	int cpus = min_int((int)sim_nr_cpus(nav_sim(ui)), max_int((ui->rows - 7) / 3, 1));
	int y = 3 + cpus, h;
	enum view_id body = ui->focus == VIEW_CPUS ? VIEW_WHY : ui->focus;
	bool strip = ui->rows >= 15;

	place(ui, VIEW_CPUS, 2, 0, cpus + 1, ui->cols);
	h = ui->rows - 1 - y;
	if (strip && body != VIEW_TIME) {
		h -= 2;
		place(ui, VIEW_TIME, y + h, 0, 2, ui->cols);
	}
	if (strip && ui->rows >= 18 && body != VIEW_WHATIF) {
		h -= 2;
		place(ui, VIEW_WHATIF, y + h, 0, 2, ui->cols);
	}
	place(ui, body, y, 0, h, ui->cols);
}

/* For a hall: boxes of CPUs with large digits, what happens and why, what is said. */
static void layout_projector(struct ui *ui)
{
	int lesson = max_int(min_int(ui->rows / 5, 5),
			     min_int(lesson_rows_most(ui, ui->cols) + 1, ui->rows / 4));
	/* Head, NOW, title, time and key bar; six rows for why. */
	int boxes = max_int((ui->rows - 6 - lesson - 6) / BIG_CPU_ROWS, 1);
	int cpus = min_int((int)sim_nr_cpus(nav_sim(ui)), min_int(boxes, 6));
	struct rect body = frame(ui, 0, lesson);
	int h = cpus * BIG_CPU_ROWS;

	if (ui->heat)
		h = min_int(h, (int)sim_nr_cpus(nav_sim(ui)) * 2 / ui->cols + 2);
	place(ui, VIEW_CPUS, 2, 0, h + 1, ui->cols);
	body.y += h;
	body.h -= h;
	place(ui, ui->focus == VIEW_CPUS || ui->places[ui->focus].h ? VIEW_WHY : ui->focus, body.y,
	      0, body.h, body.w);
}

void screen_layout(struct ui *ui)
{
	memset(ui->places, 0, sizeof(ui->places));
	if (!ui->open || ui->cols < UI_COLS_MIN || ui->rows < UI_ROWS_MIN)
		return;
	if (ui->zoom)
		place(ui, ui->focus, 2, 0, ui->rows - 3, ui->cols);
	else if (ui->cols < 80 || ui->rows < 24)
		layout_compact(ui);
	else if (ui->projector)
		layout_projector(ui);
	else if (ui->cols >= 170 && ui->rows >= 48)
		layout_huge(ui);
	else if (ui->cols >= 110 && ui->rows >= 32)
		layout_wide(ui);
	else
		layout_full(ui);
}

enum view_id screen_view_at(const struct ui *ui, int y, int x)
{
	for (int id = 0; id < NR_VIEWS; id++) {
		const struct rect *r = &ui->places[id];

		if (r->h > 0 && y >= r->y && y < r->y + r->h && x >= r->x && x < r->x + r->w)
			return (enum view_id)id;
	}
	return NR_VIEWS;
}

/* ---- drawing ---- */

static struct pane pane_for(struct ui *ui, enum view_id id)
{
	const struct rect *r = &ui->places[id];
	bool bare = r->h == 1;

	return (struct pane){
		.ui = ui,
		.win = ui->base,
		.at = { .y = r->y + !bare, .x = r->x, .h = r->h - !bare, .w = r->w },
		.top = ui->views[id].top,
		.focused = ui->focus == id,
		.line_row = -1,
		.found = -1,
	};
}

static void draw_view(struct ui *ui, enum view_id id)
{
	const struct view_ops *ops = view_get(id);
	const struct rect *r = &ui->places[id];
	struct view_state *v = &ui->views[id];
	struct pane p = pane_for(ui, id);
	char title[UI_LINE_MAX];

	if (r->h > 1) {
		snprintf(title, sizeof(title), "%s", ops->title);
		if (ops->name_title)
			ops->name_title(ui, title, sizeof(title));
		draw_title(ui, ui->base, r->y, r->x, r->w, p.focused, title);
	}
	ops->draw(ui, &p);
	v->rows = p.rows;
	if (p.focused && !ui->caret.set) {
		ui->caret.set = true;
		ui->caret.y = r->y;
		ui->caret.x = r->x + 1;
	}
	/* A line between panes that stand side by side. */
	for (int y = r->y; r->x > 0 && y < r->y + r->h; y++)
		draw_text(ui, ui->base, y, r->x - 1, 1, ST_TITLE, theme_glyph(ui, GL_V));
	if (r->h > 2 && p.rows > p.at.h && r->w >= 40 && (p.focused || ui->zoom))
		draw_format(ui, ui->base, r->y, max_int(r->x + r->w - 10, r->x), 9, ST_TITLE,
			    " %d/%d ", min_int(v->top + p.at.h, p.rows), p.rows);
}

static void patch_dots(u32 set, char *buf)
{
	enum series series = patch_series(set);
	int n = patch_count(series);

	for (int i = 0; i < n; i++) {
		enum patch_id id = patch_by_number(series, i + 1);

		buf[i] = (char)(set & PATCH_BIT(id) ? '0' + (i + 1) % 10 : '.');
	}
	buf[n] = '\0';
}

static void draw_head(struct ui *ui)
{
	struct tl_pos pos = nav_pos(ui);
	u32 set = sim_patches(nav_sim(ui));
	char dots[32], left[UI_LINE_MAX], step[48] = "";

	patch_dots(set, dots);
	if (pos.step > 0)
		snprintf(step, sizeof(step), "  step %u/%u", ui->view.at, ui->view.nr_steps);
	else if (pos.op > 0)
		snprintf(step, sizeof(step), " done");
	snprintf(left, sizeof(left), " %.24s  op %llu/%llu%s  %s patches %s%s  %s%s%s",
		 ui->src.name, (unsigned long long)(pos.op + (pos.step > 0)),
		 (unsigned long long)tl_length(ui->tl), step,
		 patch_series(set) == SERIES_V3 ? "v3" : "v2", dots,
		 patch_set_is_constructed(set) ? " constructed" : "", ui->branches[ui->branch].name,
		 ui->detached ? "  script detached" : "", ui->playing ? "  playing" : "");
	for (int x = 0; x < ui->cols; x++)
		draw_text(ui, ui->base, 0, x, 1, ST_HEAD, " ");
	draw_text(ui, ui->base, 0, 0, ui->cols, ST_HEAD, left);
	if (ui->count)
		draw_format(ui, ui->base, 0, ui->cols - 12, 12, ST_ASK, "count %u", ui->count);
	else if (ui->pending != REQ_NONE)
		draw_text(ui, ui->base, 0, ui->cols - 14, 14, ST_ASK, "a patch digit?");
}

static void draw_now(struct ui *ui)
{
	char words[UI_LINE_MAX * 2];

	now_words(ui, words, sizeof(words));
	draw_text(ui, ui->base, 1, 1, 4, ST_KEY, "NOW");
	draw_text(ui, ui->base, 1, 6, ui->cols - 6, ST_NOW, words);
}

/* The words of the key bar from left to right; calls @fn for each that fits. */
static void each_bar_word(const struct ui *ui,
			  void (*fn)(void *ctx, enum request req, int x, const char *label),
			  void *ctx)
{
	static const enum request order[] = { REQ_STEP,	   REQ_OP,	  REQ_EVENT,	REQ_WHATIF,
					      REQ_TOGGLE,  REQ_NEXT_PANE, REQ_HELP,	REQ_QUIT,
					      REQ_COMMAND, REQ_PREDICT,	  REQ_CONTINUE, REQ_WHO,
					      REQ_DIFF,	   REQ_BREAK,	  REQ_INJECT,	REQ_UNDO,
					      REQ_PLAY,	   REQ_FINISH,	  REQ_ENTER };
	int x = 1;

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		char key[16], label[48];
		bool both = order[i] <= REQ_EVENT && order[i] != REQ_GOTO && order[i] % 2 == 0;
		int width;

		key_label(order[i], key, sizeof(key));
		if (both && key[1] == '\0')
			snprintf(label, sizeof(label), "%s/%c %s", key, key[0] - 'a' + 'A',
				 key_infos[order[i]].bar);
		else
			snprintf(label, sizeof(label), "%s %s", key, key_infos[order[i]].bar);
		width = text_columns(label);
		if (x + width > ui->cols - 1)
			break;
		fn(ctx, order[i], x, label);
		x += width + 2;
	}
}

static void draw_bar_word(void *ctx, enum request req, int x, const char *label)
{
	struct ui *ui = ctx;
	int key = (int)strcspn(label, " ");

	(void)req;
	draw_text(ui, ui->base, ui->rows - 1, x, ui->cols - x, ST_DIM, label);
	draw_text(ui, ui->base, ui->rows - 1, x, key, ST_KEY, label);
}

struct bar_find {
	int x;
	enum request found;
};

static void find_bar_word(void *ctx, enum request req, int x, const char *label)
{
	struct bar_find *find = ctx;

	if (find->x >= x && find->x < x + text_columns(label))
		find->found = req;
}

enum request screen_key_at(const struct ui *ui, int x)
{
	struct bar_find find = { .x = x, .found = REQ_NONE };

	each_bar_word(ui, find_bar_word, &find);
	return find.found;
}

static void draw_key_bar(struct ui *ui)
{
	if (ui->message[0]) {
		draw_text(ui, ui->base, ui->rows - 1, 1, ui->cols - 2,
			  ui->message_bad ? ST_BAD : ST_ASK, ui->message);
		return;
	}
	if (ui->searching) {
		draw_format(ui, ui->base, ui->rows - 1, 1, ui->cols - 2, ST_KEY,
			    "search %s: n next  N before  Esc ends", ui->search);
		return;
	}
	each_bar_word(ui, draw_bar_word, ui);
}

static void draw_too_small(struct ui *ui)
{
	draw_format(ui, ui->base, 0, 0, ui->cols, ST_NORMAL, "pageset needs %dx%d, this is %dx%d",
		    UI_COLS_MIN, UI_ROWS_MIN, ui->cols, ui->rows);
}

static void draw_lab(struct ui *ui)
{
	draw_head(ui);
	draw_now(ui);
	if (ui->compare.on) {
		side_draw(ui, 2, ui->rows - 3);
	} else {
		for (int id = 0; id < NR_VIEWS; id++)
			if (ui->places[id].h > 0)
				draw_view(ui, (enum view_id)id);
	}
	draw_key_bar(ui);
}

void screen_draw(struct ui *ui)
{
	werase(ui->base);
	ui->caret.set = false;
	if (ui->cols < UI_COLS_MIN || ui->rows < UI_ROWS_MIN)
		draw_too_small(ui);
	else if (ui->open)
		draw_lab(ui);
	else
		start_draw(ui);
	if (ui->dialog.kind != DIALOG_NONE && ui->cols >= UI_COLS_MIN && ui->rows >= UI_ROWS_MIN) {
		show_panel(ui->above_panel);
		dialog_draw(ui);
	} else {
		hide_panel(ui->above_panel);
	}
	update_panels();
	ui->caret.y = max_int(min_int(ui->caret.y, ui->rows - 1), 0);
	ui->caret.x = max_int(min_int(ui->caret.x, ui->cols - 1), 0);
	if (ui->caret.set)
		wmove(newscr, ui->caret.y, ui->caret.x);
	doupdate();
}

int screen_search(struct ui *ui, enum view_id id, const char *text, int from, bool backward)
{
	struct pane p = pane_for(ui, id);

	p.find = text;
	p.from = from;
	p.backward = backward;
	view_get(id)->draw(ui, &p);
	pane_end(&p);
	return p.found;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The source that runs: the very text of the mirror, the marker on the line, in the gutter the patch of a line. */
#include <string.h>

#include "core/source.h"
#include "view.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The line as text with tabs as four columns. */
static void expand(const struct source_line *line, u32 skip, char *buf, size_t size)
{
	size_t used = 0;

	for (u32 i = skip; i < line->len && used + 5 < size; i++) {
		if (line->text[i] == '\t') {
			memcpy(buf + used, "    ", 4);
			used += 4;
		} else {
			buf[used++] = line->text[i];
		}
	}
	buf[used] = '\0';
}

/* Tabs that all lines shown have in common, so that narrow panes show code and not margin. */
static u32 common_indent(const struct source_line *lines, int from, int to)
{
	u32 least = 8;

	for (int i = from; i < to; i++) {
		u32 tabs = 0;

		while (tabs < lines[i].len && lines[i].text[tabs] == '\t')
			tabs++;
		if (tabs < lines[i].len && tabs < least)
			least = tabs;
	}
	return least;
}

size_t code_line_at(const struct source_line *lines, size_t nr, u32 number)
{
	size_t at = source_line_at(lines, nr, number);

	while (at > 0 && lines[at].len == 0)
		at--;
	return at;
}

static void draw(struct ui *ui, struct pane *p)
{
	const struct step *step = nav_current(ui);
	const struct source_line *lines;
	u32 set = sim_patches(nav_sim(ui));
	size_t nr, at;
	u32 skip = 0;
	int first;

	if (!step) {
		pane_row(p, 0, 1);
		pane_put(p, ST_DIM, "s steps into the next operation");
		return;
	}
	nr = source_lines(base_name(step->file), &lines);
	if (nr == 0) {
		pane_row(p, 0, 1);
		pane_put(p, ST_DIM, "%s:%u is not among the sources", base_name(step->file),
			 step->line);
		return;
	}
	at = code_line_at(lines, nr, step->line);
	first = max_int(min_int((int)at - p->at.h / 2, (int)nr - p->at.h), 0);
	/* focused, it stays where it was scrolled to until another line is at hand */
	if (!p->find &&
	    (!p->focused || ui->code_file != step->file || ui->code_line != step->line)) {
		ui->views[VIEW_CODE].top = first;
		p->top = first;
		ui->code_file = step->file;
		ui->code_line = step->line;
	}
	p->rows = (int)nr;
	if (!p->find && p->at.w < 60)
		skip = common_indent(lines, p->top, min_int(p->top + p->at.h, (int)nr));
	for (int i = p->find ? 0 : p->top; i < (int)nr && pane_shows(p, i); i++) {
		bool has = lines[i].patch < NR_PATCHES, on, here = (size_t)i == at;
		char text[256], gutter[8] = "  ";

		on = !has || (((set >> lines[i].patch) & 1) != 0) != lines[i].otherwise;
		if (lines[i].patch == P_SERIES_V3)
			on = (patch_series(set) == SERIES_V3) != lines[i].otherwise;
		if (has)
			snprintf(gutter, sizeof(gutter), "%2d",
				 patch_number(patch_series(set), (enum patch_id)lines[i].patch));
		else if (lines[i].patch == P_SERIES_V3)
			snprintf(gutter, sizeof(gutter), "v3");
		expand(&lines[i], skip, text, sizeof(text));
		pane_row(p, i, 0);
		pane_put(p, has ? (on ? ST_PATCH_ON : ST_DIM) : ST_DIM, "%s", gutter);
		pane_put(p, here ? ST_HERE : ST_DIM, "%s", here ? ">" : has && !on ? "-" : " ");
		pane_text(p, here ? ST_HERE : on ? ST_CODE : ST_CODE_OFF, text, p->at.w - p->col);
		if (here)
			pane_caret(p, i, 2);
	}
}

static void name_title(struct ui *ui, char *buf, size_t size)
{
	const struct step *step = nav_current(ui);

	if (step)
		snprintf(buf, size, "code %s:%u %s()", base_name(step->file), step->line,
			 step_funcs[step_infos[step->id].func].name);
	else
		snprintf(buf, size, "code");
}

static int wants(const struct ui *ui)
{
	(void)ui;
	return 20;
}

const struct view_ops view_ops_code = {
	.name = "code",
	.title = "code",
	.min_rows = 4,
	.draw = draw,
	.name_title = name_title,
	.wants = wants,
};

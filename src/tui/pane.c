/* SPDX-License-Identifier: GPL-2.0-only */
#include "pane.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/diag.h"

/* One character of @text as the terminal may get it: never a control character. */
static size_t next_char(const struct ui *ui, const char *text, size_t len, wchar_t *wide)
{
	uint32_t code;
	size_t bytes = base_utf8_len(text, len, &code);

	*wide = (wchar_t)code;
	if (bytes == 1 && (unsigned char)text[0] >= 0x80)
		*wide = L'?';
	if (*wide < 32 || (*wide >= 127 && *wide < 160))
		*wide = *wide == L'\t' || *wide == L'\n' ? L' ' : L'?';
	if (*wide >= 128 && (!ui->utf8 || wcwidth(*wide) < 1))
		*wide = L'?';
	return bytes;
}

static int char_columns(wchar_t wide)
{
	int n = wide < 128 ? 1 : wcwidth(wide);

	return n < 1 ? 1 : n;
}

int text_columns(const char *text)
{
	int n = 0;
	size_t len = strlen(text);

	while (len > 0) {
		uint32_t code;
		size_t bytes = base_utf8_len(text, len, &code);

		n += char_columns((wchar_t)code);
		text += bytes;
		len -= bytes;
	}
	return n;
}

/* Returns the columns written. */
static int put_at(struct ui *ui, WINDOW *win, int y, int x, int width, enum style style,
		  const char *text, size_t len)
{
	wchar_t buf[512];
	size_t n = 0;
	int columns = 0;
	short pair;
	attr_t attr = theme_attr(ui, style, &pair);

	while (len > 0 && n < ARRAY_SIZE(buf) - 1) {
		wchar_t wide;
		size_t bytes = next_char(ui, text, len, &wide);
		int wants = char_columns(wide);

		if (columns + wants > width)
			break;
		buf[n++] = wide;
		columns += wants;
		text += bytes;
		len -= bytes;
	}
	if (n == 0)
		return 0;
	wattr_set(win, attr, pair, NULL);
	mvwaddnwstr(win, y, x, buf, (int)n);
	wattr_set(win, 0, 0, NULL);
	return columns;
}

void draw_text(struct ui *ui, WINDOW *win, int y, int x, int width, enum style style,
	       const char *text)
{
	if (y < 0 || y >= ui->rows || x < 0 || x >= ui->cols)
		return;
	put_at(ui, win, y, x, min_int(width, ui->cols - x), style, text, strlen(text));
}

void draw_format(struct ui *ui, WINDOW *win, int y, int x, int width, enum style style,
		 const char *fmt, ...)
{
	char buf[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	draw_text(ui, win, y, x, width, style, buf);
}

void draw_title(struct ui *ui, WINDOW *win, int y, int x, int width, bool focused,
		const char *title)
{
	for (int i = 0; i < width; i++)
		draw_text(ui, win, y, x + i, 1, ST_TITLE, theme_glyph(ui, GL_H));
	if (width > 4)
		draw_text(ui, win, y, x + 1, width - 2, focused ? ST_FOCUS : ST_TITLE, title);
}

bool pane_shows(const struct pane *p, int row)
{
	return p->find || (row >= p->top && row < p->top + p->at.h);
}

/* A row is complete: does it hold what is searched? */
static void search_line(struct pane *p)
{
	bool better;

	if (!p->find || p->line_row < 0 || !strcasestr(p->line, p->find))
		return;
	better = p->backward ? p->line_row < p->from : p->line_row > p->from && p->found < 0;
	if (better)
		p->found = p->line_row;
}

void pane_row(struct pane *p, int row, int col)
{
	if (row != p->line_row) {
		search_line(p);
		p->line[0] = '\0';
		p->line_row = row;
	}
	p->row = row;
	p->col = col;
	p->rows = max_int(p->rows, row + 1);
}

void pane_col(struct pane *p, int col)
{
	p->col = col;
}

void pane_text(struct pane *p, enum style style, const char *text, int width)
{
	int y = p->row - p->top;
	size_t used;

	width = min_int(width, p->at.w - p->col);
	if (p->find) {
		used = strlen(p->line);
		snprintf(p->line + used, sizeof(p->line) - used, "%s ", text);
		return;
	}
	if (y < 0 || y >= p->at.h || width <= 0) {
		p->col += text_columns(text);
		return;
	}
	p->col += put_at(p->ui, p->win, p->at.y + y, p->at.x + p->col, width, style, text,
			 strlen(text));
}

void pane_put(struct pane *p, enum style style, const char *fmt, ...)
{
	char buf[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	pane_text(p, style, buf, p->at.w);
}

int pane_wrap(struct pane *p, int row, int col, enum style style, const char *text)
{
	int width = max_int(p->at.w - col, 8);

	while (*text) {
		size_t len = strcspn(text, "\n"), take = 0, blank = 0;
		int columns = 0;
		char buf[512];

		while (take < len && take < sizeof(buf) - 8 && columns < width) {
			uint32_t code;
			size_t bytes = base_utf8_len(text + take, len - take, &code);

			if (text[take] == ' ')
				blank = take;
			columns += char_columns((wchar_t)code);
			if (columns <= width)
				take += bytes;
		}
		if (take < len && text[take] != ' ' && blank > 0)
			take = blank;
		memcpy(buf, text, take);
		buf[take] = '\0';
		pane_row(p, row++, col);
		pane_text(p, style, buf, width);
		text += take;
		if (*text == '\n')
			text++;
		else
			text += strspn(text, " ");
	}
	return row;
}

void pane_select(struct pane *p, int row, int col, int width)
{
	int y = row - p->top;
	short pair;
	attr_t attr = theme_attr(p->ui, ST_SELECTED, &pair);

	if (!p->focused || p->find || y < 0 || y >= p->at.h || col >= p->at.w)
		return;
	mvwchgat(p->win, p->at.y + y, p->at.x + col, min_int(width, p->at.w - col), attr, pair,
		 NULL);
	pane_caret(p, row, col);
}

void pane_caret(struct pane *p, int row, int col)
{
	int y = row - p->top;

	if (!p->focused || y < 0 || y >= p->at.h)
		return;
	p->ui->caret.set = true;
	p->ui->caret.y = p->at.y + y;
	p->ui->caret.x = p->at.x + min_int(col, p->at.w - 1);
}

void pane_end(struct pane *p)
{
	search_line(p);
	p->line_row = -1;
}

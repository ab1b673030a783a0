/* SPDX-License-Identifier: GPL-2.0-only */
/* The screen as text and as SVG, read back from curses. */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/save.h"
#include "command.h"
#include "theme.h"

enum { CELL_W = 9, CELL_H = 19, FONT = 15, BYTES_MAX = 8 };

/* One cell: its text in UTF-8, attributes and style (colour pairs are styles). */
struct cell {
	char text[BYTES_MAX];
	attr_t attr;
	int style; /* -1 without colours */
};

static void to_utf8(wchar_t c, char *buf)
{
	u32 code = (u32)c;
	size_t n = 0;

	if (code < 0x80) {
		buf[n++] = (char)code;
	} else if (code < 0x800) {
		buf[n++] = (char)(0xc0 | code >> 6);
		buf[n++] = (char)(0x80 | (code & 63));
	} else if (code < 0x10000) {
		buf[n++] = (char)(0xe0 | code >> 12);
		buf[n++] = (char)(0x80 | (code >> 6 & 63));
		buf[n++] = (char)(0x80 | (code & 63));
	} else {
		buf[n++] = (char)(0xf0 | code >> 18);
		buf[n++] = (char)(0x80 | (code >> 12 & 63));
		buf[n++] = (char)(0x80 | (code >> 6 & 63));
		buf[n++] = (char)(0x80 | (code & 63));
	}
	buf[n] = '\0';
}

static void read_cell(int y, int x, struct cell *cell)
{
	wchar_t wide[CCHARW_MAX + 1] = { 0 };
	cchar_t c;
	short pair = 0;

	memset(cell, 0, sizeof(*cell));
	cell->text[0] = ' ';
	cell->style = -1;
	if (mvwin_wch(newscr, y, x, &c) == ERR ||
	    getcchar(&c, wide, &cell->attr, &pair, NULL) == ERR)
		return;
	if (wide[0])
		to_utf8(wide[0], cell->text);
	cell->style = pair > 0 && pair <= NR_STYLES ? pair - 1 : -1;
}

char *shot_text(struct ui *ui)
{
	char *text = base_alloc((size_t)ui->rows * ((size_t)ui->cols * BYTES_MAX + 2) + 1, 1);
	size_t used = 0, kept;
	struct cell cell;

	for (int y = 0; y < ui->rows; y++) {
		kept = used;
		for (int x = 0; x < ui->cols; x++) {
			size_t len;

			read_cell(y, x, &cell);
			len = strlen(cell.text);
			memcpy(text + used, cell.text, len);
			used += len;
			if (strcmp(cell.text, " ") != 0)
				kept = used;
		}
		used = kept;
		text[used++] = '\n';
	}
	text[used] = '\0';
	return text;
}

static void svg_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '>')
			fputs("&gt;", out);
		else
			fputc(*text, out);
	}
}

static bool same_look(const struct cell *a, const struct cell *b)
{
	return a->style == b->style && a->attr == b->attr;
}

/* A run of cells that look alike. */
static void svg_run(struct ui *ui, FILE *out, int y, int x, const struct cell *cells, int n)
{
	enum ui_palette palette = ui->colours ? ui->palette : UI_PALETTE_MONO;
	const char *fg, *bg, *plain_fg, *plain_bg;
	bool blank = true;

	theme_svg(palette, cells[0].style < 0 ? ST_NORMAL : (enum style)cells[0].style, &fg, &bg);
	theme_svg(palette, ST_NORMAL, &plain_fg, &plain_bg);
	if (cells[0].style < 0 && (cells[0].attr & A_REVERSE)) {
		fg = plain_bg;
		bg = plain_fg;
	}
	if (strcmp(bg, plain_bg) != 0)
		fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n",
			x * CELL_W, y * CELL_H, n * CELL_W, CELL_H, bg);
	for (int i = 0; i < n; i++)
		blank &= strcmp(cells[i].text, " ") == 0;
	if (blank)
		return;
	fprintf(out,
		"<text x=\"%d\" y=\"%d\" fill=\"%s\"%s%s textLength=\"%d\" xml:space=\"preserve\">",
		x * CELL_W, y * CELL_H + CELL_H - 5, fg,
		cells[0].attr & A_BOLD ? " font-weight=\"bold\"" : "",
		cells[0].attr & A_UNDERLINE ? " text-decoration=\"underline\"" : "", n * CELL_W);
	for (int i = 0; i < n; i++)
		svg_escaped(out, cells[i].text);
	fputs("</text>\n", out);
}

static void svg(struct ui *ui, FILE *out)
{
	struct cell *row = base_alloc((size_t)ui->cols, sizeof(*row));
	const char *fg, *bg;

	theme_svg(ui->colours ? ui->palette : UI_PALETTE_MONO, ST_NORMAL, &fg, &bg);
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"DejaVu Sans Mono, monospace\" font-size=\"%d\">\n"
		"<rect width=\"%d\" height=\"%d\" fill=\"%s\"/>\n",
		ui->cols * CELL_W, ui->rows * CELL_H, FONT, ui->cols * CELL_W, ui->rows * CELL_H,
		bg);
	for (int y = 0; y < ui->rows; y++) {
		int from = 0;

		for (int x = 0; x < ui->cols; x++)
			read_cell(y, x, &row[x]);
		for (int x = 1; x <= ui->cols; x++) {
			if (x < ui->cols && same_look(&row[x], &row[from]))
				continue;
			svg_run(ui, out, y, from, &row[from], x - from);
			from = x;
		}
	}
	fputs("</svg>\n", out);
	free(row);
}

bool shot_save(struct ui *ui, const char *path, char *error, size_t size)
{
	const char *end = strrchr(path, '.');
	struct base_save *save;
	struct diag d;
	FILE *out;
	char *text;

	if (base_save_begin(&save, path, &out, &d)) {
		base_diag_line(&d, path, error, size);
		return false;
	}
	if (end && strcmp(end, ".svg") == 0) {
		svg(ui, out);
	} else {
		text = shot_text(ui);
		fputs(text, out);
		free(text);
	}
	if (base_save_commit(save, &d)) {
		base_diag_line(&d, path, error, size);
		return false;
	}
	return true;
}

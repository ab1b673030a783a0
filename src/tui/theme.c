/* SPDX-License-Identifier: GPL-2.0-only */
#include "theme.h"

#include <stdlib.h>
#include <string.h>

struct look {
	short fg, bg;
	attr_t attr;
};

#define C(fg, bg, attr)      \
	{                    \
		fg, bg, attr \
	}
static const struct look looks[NR_STYLES][NR_UI_PALETTES] = {
#define STYLE(id, ...) [ST_##id] = { __VA_ARGS__ },
#include "theme.def"
#undef STYLE
};
#undef C

const char *const ui_palette_names[] = { "default",	  "light", "colour-blind",
					 "high-contrast", "mono",  NULL };

/*
 * The sixteen colours of theme.def where the terminal has 256 of fixed look: then a palette
 * does not hang on what somebody made of the first sixteen. Each can be read on the
 * palette's ground (test_tui_screen.c measures it).
 */
static const u8 colours_256[NR_UI_PALETTES][16] = {
	[UI_PALETTE_DEFAULT] = { 16, 124, 71, 214, 25, 176, 80, 252, 246, 210, 114, 221, 111, 183,
				 123, 231 },
	[UI_PALETTE_LIGHT] = { 16, 124, 22, 172, 25, 90, 23, 238, 241, 124, 22, 94, 19, 90, 24,
			       231 },
	[UI_PALETTE_COLOURBLIND] = { 16, 124, 71, 208, 26, 176, 80, 252, 246, 210, 114, 221, 75,
				     183, 117, 231 },
	[UI_PALETTE_CONTRAST] = { 16, 160, 46, 226, 21, 201, 51, 231, 231, 196, 46, 226, 51, 201,
				  51, 231 },
	[UI_PALETTE_MONO] = { 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 231 },
};

short theme_colour(enum ui_palette palette, short colour, int colours)
{
	if (colour < 0 || colour > 15 || colours < 256)
		return colour;
	return colours_256[palette][colour];
}

void theme_pair(enum ui_palette palette, enum style style, short *fg, short *bg)
{
	*fg = looks[style][palette].fg;
	*bg = looks[style][palette].bg;
}

/* A colour as the terminal can show it: with 8 colours bright ones become bold, grey its own. */
static short colour_for(const struct ui *ui, short colour, attr_t *attr)
{
	if (colour < 8 || ui->colours >= 16)
		return theme_colour(ui->palette, colour, ui->colours);
	if (colour == 8) {
		*attr |= A_DIM;
		return -1;
	}
	*attr |= A_BOLD;
	return (short)(colour - 8);
}

void theme_start(struct ui *ui)
{
	ui->colours = 0;
	if (ui->opt->no_colour || getenv("NO_COLOR") || !has_colors())
		return;
	start_color();
	if (use_default_colors() == ERR)
		return;
	ui->colours = COLORS;
	for (int style = 0; style < NR_STYLES; style++) {
		const struct look *look = &looks[style][ui->palette];
		attr_t none = 0;

		init_pair((short)(style + 1), colour_for(ui, look->fg, &none),
			  (short)(look->bg >= 8 && ui->colours < 16 ?
					  look->bg - 8 :
					  theme_colour(ui->palette, look->bg, ui->colours)));
	}
}

attr_t theme_attr(const struct ui *ui, enum style style, short *pair)
{
	const struct look *look = &looks[style][ui->colours ? ui->palette : UI_PALETTE_MONO];
	attr_t attr = look->attr;

	*pair = ui->colours ? (short)(style + 1) : 0;
	if (ui->colours)
		colour_for(ui, look->fg, &attr);
	/* From the back of a hall thin letters cannot be read. */
	if (ui->projector)
		attr = (attr & ~(attr_t)A_DIM) | A_BOLD;
	return attr;
}

static const char *const svg_colours[] = { "#1d1f21", "#cc6666", "#8abd68", "#f0c674",
					   "#5f8fd0", "#b294bb", "#5fc0b7", "#d8d8d8",
					   "#808080", "#ff8080", "#b5e08f", "#ffe08a",
					   "#8fb8f0", "#d0b0e0", "#8fe0d8", "#ffffff" };

void theme_svg(enum ui_palette palette, enum style style, const char **fg, const char **bg)
{
	const struct look *look = &looks[style][palette];
	bool light = palette == UI_PALETTE_LIGHT;
	const char *own_fg = svg_colours[light ? 0 : 7], *own_bg = svg_colours[light ? 15 : 0];

	*fg = look->fg < 0 ? own_fg : svg_colours[look->fg];
	*bg = look->bg < 0 ? own_bg : svg_colours[look->bg];
	if (look->attr & A_REVERSE) {
		const char *swap = *fg;

		*fg = *bg;
		*bg = swap;
	}
}

static const char *const glyphs[2][NR_GLYPHS] = {
	{ "-", "|", "+", "+", "+", ">", "#", ".", "..", "+", "+", "+", "+" },
	{ "─", "│", "┬", "┴", "┼", ">", "█", "·", "‥", "┌", "┐", "└", "┘" },
};

const char *theme_glyph(const struct ui *ui, enum glyph glyph)
{
	return glyphs[ui->utf8][glyph];
}

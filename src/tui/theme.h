/* SPDX-License-Identifier: GPL-2.0-only */
/* Styles: what a piece of text means; a palette says how that looks. Never meaning by colour alone. */
#ifndef PAGESET_TUI_THEME_H
#define PAGESET_TUI_THEME_H

#include "state.h"

enum style {
#define STYLE(id, ...) ST_##id,
#include "theme.def"
#undef STYLE
	NR_STYLES
};

/* Set up colours for the terminal as it is and the palette of @ui. */
void theme_start(struct ui *ui);
attr_t theme_attr(const struct ui *ui, enum style style, short *pair);
/* A colour of theme.def as a terminal with so many shows it. */
short theme_colour(enum ui_palette palette, short colour, int colours);
/* The colours of a style as theme.def has them, -1 the terminal's own. */
void theme_pair(enum ui_palette palette, enum style style, short *fg, short *bg);
/* The colours of a style for SVG: "#rrggbb"; @bg NULL if none. */
void theme_svg(enum ui_palette palette, enum style style, const char **fg, const char **bg);

/* Characters for lines and marks, by the character set. */
enum glyph {
	GL_H,
	GL_V,
	GL_TEE_DOWN,
	GL_TEE_UP,
	GL_CROSS,
	GL_MARK,
	GL_BAR,
	GL_BAR_EMPTY,
	GL_DOTS,
	GL_TL,
	GL_TR,
	GL_BL,
	GL_BR,
	NR_GLYPHS
};
const char *theme_glyph(const struct ui *ui, enum glyph glyph);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#include "diag.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* Screen columns of an excerpt; a longer line is windowed around its caret. */
#define EXCERPT_COLUMNS 96
#define TAB_COLUMNS 8

static const struct {
	int status;
	const char *text;
} errs[] = {
#define ERR(name, status, text) { status, text },
#include "err.def"
#undef ERR
};

int base_err_status(enum base_err code)
{
	return errs[code].status;
}

const char *base_err_text(enum base_err code)
{
	return errs[code].text;
}

/* The end of a path tells more than its beginning. */
static void set_file(struct diag *d, const char *file)
{
	size_t len;

	if (file == d->file)
		return;
	d->file[0] = '\0';
	if (!file)
		return;
	len = strlen(file);
	if (len < sizeof(d->file))
		memcpy(d->file, file, len + 1);
	else
		snprintf(d->file, sizeof(d->file), "...%s", file + len - (sizeof(d->file) - 4));
}

/* A cut inside a UTF-8 character would show as garbage: take its first bytes away too. */
static void format_cut(char *buf, size_t size, const char *fmt, va_list ap)
{
	int n = vsnprintf(buf, size, fmt, ap);
	size_t len;

	if (n < 0)
		buf[0] = '\0';
	if (n < 0 || (size_t)n < size)
		return;
	len = size - 4;
	while (len > 0 && ((unsigned char)buf[len] & 0xc0) == 0x80)
		len--;
	memcpy(buf + len, "...", 4);
}

static void diag_vset(struct diag *d, enum base_err code, const char *fmt, va_list ap)
{
	d->code = code;
	d->caret = 0;
	d->caret_width = 0;
	d->hint[0] = '\0';
	d->excerpt[0] = '\0';
	format_cut(d->message, sizeof(d->message), fmt, ap);
}

enum base_err base_diag_set(struct diag *d, enum base_err code, const char *file, uint64_t line,
			    uint64_t column, const char *fmt, ...)
{
	va_list ap;

	if (!d)
		return code;
	base_diag_at(d, file, line, column);
	va_start(ap, fmt);
	diag_vset(d, code, fmt, ap);
	va_end(ap);
	return code;
}

void base_diag_hint(struct diag *d, const char *fmt, ...)
{
	va_list ap;

	if (!d)
		return;
	va_start(ap, fmt);
	format_cut(d->hint, sizeof(d->hint), fmt, ap);
	va_end(ap);
}

void base_diag_at(struct diag *d, const char *file, uint64_t line, uint64_t column)
{
	if (!d)
		return;
	set_file(d, file);
	d->line = line;
	d->column = column;
}

/* Rejects overlong forms, surrogates and what lies above U+10FFFF. */
size_t base_utf8_len(const char *s, size_t len, uint32_t *code_point)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char c = (unsigned char)s[0];
	size_t n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
	uint32_t cp;
	size_t i;

	*code_point = UINT32_MAX;
	if (n == 0 || n > len)
		return 1;
	if (n == 1) {
		*code_point = c;
		return 1;
	}
	cp = c & (0x7fu >> n);
	for (i = 1; i < n; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 1;
		cp = cp << 6 | ((unsigned char)s[i] & 0x3fu);
	}
	if (cp < least[n] || (cp >= 0xd800 && cp <= 0xdfff) || cp > 0x10ffff)
		return 1;
	*code_point = cp;
	return n;
}

uint64_t base_column(const char *line, size_t len, size_t byte)
{
	uint64_t column = 1;
	size_t at = 0;
	uint32_t cp;

	while (at < len && at < byte) {
		size_t n = base_utf8_len(line + at, len - at, &cp);

		if (at + n > byte)
			break;
		at += n;
		column++;
	}
	return column;
}

/* Control characters, also those that turn the writing direction, are not for a terminal. */
static bool is_printable(uint32_t cp)
{
	return cp != UINT32_MAX && cp >= 0x20 && !(cp >= 0x7f && cp < 0xa0) &&
	       !(cp >= 0x202a && cp <= 0x202e) && !(cp >= 0x2066 && cp <= 0x2069) && cp != 0x200e &&
	       cp != 0x200f && cp != 0x2028 && cp != 0x2029 && cp != 0xfeff;
}

/* Columns on a terminal, whatever the locale: combining marks take none, East Asian wide ones and pictographs two. */
static unsigned int screen_width(uint32_t cp)
{
	static const struct {
		uint32_t first, last;
		unsigned int width;
	} ranges[] = {
		{ 0x0300, 0x036f, 0 },	 { 0x0483, 0x0489, 0 },	  { 0x0591, 0x05bd, 0 },
		{ 0x0610, 0x061a, 0 },	 { 0x064b, 0x065f, 0 },	  { 0x1100, 0x115f, 2 },
		{ 0x1ab0, 0x1aff, 0 },	 { 0x1dc0, 0x1dff, 0 },	  { 0x200b, 0x200d, 0 },
		{ 0x20d0, 0x20ff, 0 },	 { 0x2e80, 0x303e, 2 },	  { 0x3041, 0xa4cf, 2 },
		{ 0xa960, 0xa97f, 2 },	 { 0xac00, 0xd7a3, 2 },	  { 0xf900, 0xfaff, 2 },
		{ 0xfe00, 0xfe0f, 0 },	 { 0xfe20, 0xfe2f, 0 },	  { 0xfe30, 0xfe6f, 2 },
		{ 0xff00, 0xff60, 2 },	 { 0xffe0, 0xffe6, 2 },	  { 0x1f300, 0x1f64f, 2 },
		{ 0x1f900, 0x1f9ff, 2 }, { 0x20000, 0x3fffd, 2 },
	};
	size_t i;

	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (cp >= ranges[i].first && cp <= ranges[i].last)
			return ranges[i].width;
	return 1;
}

/* How a character of the source shows: 1..4 bytes into out (a tab as spaces), and its columns. */
struct glyph {
	char bytes[TAB_COLUMNS + 1];
	size_t len;
	unsigned int width;
};

static size_t next_glyph(const char *s, size_t len, size_t column, struct glyph *g)
{
	uint32_t cp;
	size_t n = base_utf8_len(s, len, &cp);

	if (cp == '\t') {
		g->width = (unsigned int)(TAB_COLUMNS - column % TAB_COLUMNS);
		g->len = g->width;
		memset(g->bytes, ' ', g->len);
	} else if (is_printable(cp)) {
		g->width = screen_width(cp);
		g->len = n;
		memcpy(g->bytes, s, n);
	} else {
		g->width = 1;
		g->len = 1;
		g->bytes[0] = '?';
	}
	return n;
}

/* Screen column at which character number `column` begins (or the line's end), and its width. */
static size_t caret_column(const char *line, size_t len, uint64_t column, unsigned int *width)
{
	size_t at = 0, screen = 0;
	uint64_t c = 1;
	struct glyph g;

	*width = 1;
	while (at < len) {
		size_t n = next_glyph(line + at, len - at, screen, &g);

		if (c == column) {
			*width = g.width ? g.width : 1;
			break;
		}
		at += n;
		screen += g.width;
		c++;
	}
	return screen;
}

void base_diag_excerpt(struct diag *d, const char *line, size_t len)
{
	size_t at = 0, screen = 0, used = 0, first = 0, caret;
	unsigned int width;
	struct glyph g;
	bool begun = false;

	if (!d)
		return;
	d->excerpt[0] = '\0';
	caret = caret_column(line, len, d->column, &width);
	if (caret > EXCERPT_COLUMNS * 3 / 4)
		first = caret - EXCERPT_COLUMNS / 2;
	while (at < len) {
		size_t n = next_glyph(line + at, len - at, screen, &g);

		at += n;
		if (screen >= first) {
			if (!begun) {
				/* a wide glyph or a tab may lie across the window's edge */
				first = screen;
				used = first > 0 ? 3 : 0;
				memcpy(d->excerpt, "...", used);
				begun = true;
			}
			if (screen + g.width > first + EXCERPT_COLUMNS ||
			    used + g.len + 4 > sizeof(d->excerpt)) {
				memcpy(d->excerpt + used, "...", 3);
				used += 3;
				break;
			}
			memcpy(d->excerpt + used, g.bytes, g.len);
			used += g.len;
		}
		screen += g.width;
	}
	d->excerpt[used] = '\0';
	d->caret = (unsigned int)(caret - first + (first > 0 ? 3 : 0));
	d->caret_width = width;
}

void base_diag_excerpt_text(struct diag *d, const struct base_text *text)
{
	const char *line;
	size_t len;

	if (d && d->line && base_text_line(text, d->line, &line, &len))
		base_diag_excerpt(d, line, len);
}

static void print_clean(FILE *out, const char *s)
{
	size_t len = strlen(s);
	uint32_t cp;

	while (len > 0) {
		size_t n = base_utf8_len(s, len, &cp);

		if (cp == '\t')
			putc(' ', out);
		else if (is_printable(cp))
			fwrite(s, 1, n, out);
		else
			putc('?', out);
		s += n;
		len -= n;
	}
}

static void print_caret(FILE *out, const struct diag *d, bool colour)
{
	unsigned int i;

	fprintf(out, "    %s\n    %*s%s^", d->excerpt, (int)d->caret, "",
		colour ? "\033[1;32m" : "");
	for (i = 1; i < d->caret_width; i++)
		putc('~', out);
	fprintf(out, "%s\n", colour ? "\033[0m" : "");
}

void base_diag_line(const struct diag *d, const char *path, char *buf, size_t size)
{
	snprintf(buf, size, "%.200s: %.200s%s%.200s", path, d->message, d->hint[0] ? "; " : "",
		 d->hint);
}

void base_diag_print(FILE *out, const struct diag *d, bool colour)
{
	const char *bold = colour ? "\033[1m" : "", *off = colour ? "\033[0m" : "";

	if (d->file[0]) {
		fputs(bold, out);
		print_clean(out, d->file);
		if (d->line)
			fprintf(out, ":%llu", (unsigned long long)d->line);
		if (d->line && d->column)
			fprintf(out, ":%llu", (unsigned long long)d->column);
		fprintf(out, ":%s ", off);
	}
	print_clean(out, d->message[0] ? d->message : base_err_text(d->code));
	putc('\n', out);
	if (d->excerpt[0] && d->column)
		print_caret(out, d, colour);
	else if (d->excerpt[0])
		fprintf(out, "    %s\n", d->excerpt);
	if (d->hint[0]) {
		fputs("  ", out);
		print_clean(out, d->hint);
		putc('\n', out);
	}
}

void base_diags_init(struct diags *ds, size_t max)
{
	BASE_CHECK(max > 0, "max %zu", max);
	/* one more: the spare that takes what no longer fits */
	*ds = (struct diags){ .items = base_alloc(max + 1, sizeof(struct diag)), .max = max };
}

void base_diags_free(struct diags *ds)
{
	free(ds->items);
	*ds = (struct diags){ 0 };
}

static struct diag *diags_next(struct diags *ds)
{
	if (ds->nr < ds->max)
		return &ds->items[ds->nr++];
	ds->dropped++;
	return &ds->items[ds->max];
}

struct diag *base_diags_add(struct diags *ds, enum base_err code, const char *file, uint64_t line,
			    uint64_t column, const char *fmt, ...)
{
	struct diag *d = diags_next(ds);
	va_list ap;

	base_diag_at(d, file, line, column);
	va_start(ap, fmt);
	diag_vset(d, code, fmt, ap);
	va_end(ap);
	return d;
}

struct diag *base_diags_push(struct diags *ds, const struct diag *d)
{
	struct diag *copy = diags_next(ds);

	*copy = *d;
	return copy;
}

static bool comes_before(const struct diag *a, const struct diag *b)
{
	int files = strcmp(a->file, b->file);

	if (files)
		return false; /* the order in which the files were read stays */
	if (a->line != b->line)
		return a->line < b->line;
	return a->column < b->column;
}

/* Stable, and the list is short. */
static void sort_places(struct diags *ds)
{
	size_t i, j;

	for (i = 1; i < ds->nr; i++) {
		struct diag d = ds->items[i];

		for (j = i; j > 0 && comes_before(&d, &ds->items[j - 1]); j--)
			ds->items[j] = ds->items[j - 1];
		ds->items[j] = d;
	}
}

void base_diags_print(FILE *out, struct diags *ds, bool colour)
{
	size_t i;

	sort_places(ds);
	for (i = 0; i < ds->nr; i++)
		base_diag_print(out, &ds->items[i], colour);
	if (ds->dropped)
		fprintf(out, "and %zu more faults that are not shown\n", ds->dropped);
}

int base_diags_status(const struct diags *ds)
{
	int status = 0;
	size_t i;

	for (i = 0; i < ds->nr; i++)
		if (base_err_status(ds->items[i].code) > status)
			status = base_err_status(ds->items[i].code);
	return status;
}

static void (*panic_hook)(void);

void base_panic_hook(void (*hook)(void))
{
	panic_hook = hook;
}

void base_panic(const char *file, int line, const char *cond, const char *fmt, ...)
{
	void (*hook)(void) = panic_hook;
	va_list ap;

	/* a hook that fails itself must not come round again */
	panic_hook = NULL;
	if (hook)
		hook();
	fprintf(stderr, "pageset: internal fault at %s:%d: (%s) does not hold: ", file, line, cond);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}

void *base_alloc(size_t nr, size_t size)
{
	void *p = calloc(nr ? nr : 1, size ? size : 1);

	if (!p) {
		if (panic_hook)
			panic_hook();
		fprintf(stderr, "pageset: out of memory\n");
		exit(base_err_status(BASE_ERR_NO_MEMORY));
	}
	return p;
}

char *base_strdup(const char *s)
{
	size_t size = strlen(s) + 1;

	return memcpy(base_alloc(size, 1), s, size);
}

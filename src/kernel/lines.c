/* SPDX-License-Identifier: GPL-2.0-only */
#include "lines.h"

#include <stdlib.h>
#include <string.h>

/* A bracket longer than this before a line is not a time stamp; a syslog head is not longer either. */
#define BRACKET_MAX 40
#define SYSLOG_MAX 120

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* "=3D" stands in every quoted-printable text that has an equals sign, and in no kernel's text. */
char *kern_unquote(const char *text, size_t len, size_t *out_len)
{
	char *out;
	size_t at = 0, n = 0;

	if (!memmem(text, len, "=3D", 3))
		return NULL;
	out = malloc(len + 1);
	if (!out)
		return NULL;
	while (at < len) {
		size_t left = len - at;

		if (text[at] != '=') {
			out[n++] = text[at++];
		} else if (left >= 2 && text[at + 1] == '\n') {
			at += 2;
		} else if (left >= 3 && text[at + 1] == '\r' && text[at + 2] == '\n') {
			at += 3;
		} else if (left >= 3 && hex_value(text[at + 1]) >= 0 &&
			   hex_value(text[at + 2]) >= 0) {
			out[n++] = (char)(hex_value(text[at + 1]) * 16 + hex_value(text[at + 2]));
			at += 3;
		} else {
			out[n++] = text[at++];
		}
	}
	out[n] = '\0';
	*out_len = n;
	return out;
}

void kern_lines_begin(struct kern_lines *l, const char *text, size_t len)
{
	*l = (struct kern_lines){ .at = text, .end = text + len };
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		l->at += 3;
}

/* "ESC [ 1 ; 32 m": colour of dmesg. 0 if it is none. */
static size_t escape_len(const char *s, size_t len)
{
	size_t i = 2;

	if (len < 3 || s[0] != '\033' || s[1] != '[')
		return 0;
	while (i < len && ((s[i] >= '0' && s[i] <= '9') || s[i] == ';'))
		i++;
	return i < len ? i + 1 : 0;
}

/*
 * Bytes of one blank at s: also the no-break space of web pages, the control characters that consoles and mail put in
 * (a continued line may begin with DEL), and colour.
 */
static size_t blank_len(const char *s, size_t len)
{
	size_t n;

	if (len == 0)
		return 0;
	n = escape_len(s, len);
	if (n)
		return n;
	if ((unsigned char)*s <= ' ' || *s == '\177')
		return 1;
	return len >= 2 && s[0] == '\xc2' && s[1] == '\xa0' ? 2 : 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "[  104.03]", "[Fri Apr 17 19:55:54 2026]", "[    T1]": any short bracket with a digit in it. */
static size_t bracket_len(const char *s, size_t len)
{
	size_t i, max = len < BRACKET_MAX ? len : BRACKET_MAX;
	bool digit = false;

	if (len == 0 || s[0] != '[')
		return 0;
	for (i = 1; i < max; i++) {
		digit |= is_digit(s[i]);
		if (s[i] == ']')
			return digit ? i + 1 : 0;
	}
	return 0;
}

/* "<4>" */
static size_t level_len(const char *s, size_t len)
{
	size_t i = 1;

	if (len < 3 || s[0] != '<')
		return 0;
	while (i < len && i < 5 && is_digit(s[i]))
		i++;
	return i > 1 && i < len && s[i] == '>' ? i + 1 : 0;
}

static size_t quote_len(const char *s, size_t len)
{
	if (len >= 1 && (s[0] == '>' || s[0] == '|'))
		return 1;
	return len >= 4 && memcmp(s, "&gt;", 4) == 0 ? 4 : 0;
}

/* "2024-05-30T14:08:26.1+02:00" or "14:08:26" */
static bool is_date(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len && s[i] != ' '; i++)
		if (i > 0 && is_digit(s[0]) && (s[i] == '-' || s[i] == ':'))
			return true;
	return false;
}

/* "May 30 14:08:25 host kernel:" or a date in digits: a head is short, and begins with a date. */
static size_t syslog_len(const char *s, size_t len)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	const char *p;
	size_t i;

	if (len > SYSLOG_MAX)
		len = SYSLOG_MAX;
	if (len < 7)
		return 0;
	for (i = 0; i < sizeof(months) - 1; i += 3)
		if (memcmp(s, months + i, 3) == 0)
			break;
	if (i == sizeof(months) - 1 && !is_date(s, len) && memcmp(s, "kernel:", 7) != 0)
		return 0;
	p = memmem(s, len, "kernel:", 7);
	return p && (p == s || p[-1] == ' ' || p[-1] == '\t') ? (size_t)(p - s) + 7 : 0;
}

static void strip_heads(struct kern_word *w)
{
	bool syslog = true;
	size_t n;

	do {
		n = blank_len(w->s, w->len);
		if (!n)
			n = quote_len(w->s, w->len);
		if (!n)
			n = bracket_len(w->s, w->len);
		if (!n)
			n = level_len(w->s, w->len);
		if (!n && syslog) {
			n = syslog_len(w->s, w->len);
			syslog = false;
		}
		w->s += n;
		w->len -= n;
	} while (n);
}

bool kern_lines_next(struct kern_lines *l, struct kern_word *line)
{
	const char *nl;

	if (l->at >= l->end)
		return false;
	nl = memchr(l->at, '\n', (size_t)(l->end - l->at));
	line->s = l->at;
	line->len = (size_t)((nl ? nl : l->end) - l->at);
	l->at = nl ? nl + 1 : l->end;
	l->line++;
	strip_heads(line);
	return true;
}

bool kern_word_next(struct kern_word *line, struct kern_word *word)
{
	size_t n;

	while ((n = blank_len(line->s, line->len)) > 0) {
		line->s += n;
		line->len -= n;
	}
	if (line->len == 0)
		return false;
	word->s = line->s;
	while (line->len > 0 && !blank_len(line->s, line->len)) {
		line->s++;
		line->len--;
	}
	word->len = (size_t)(line->s - word->s);
	return true;
}

bool kern_word_is(const struct kern_word *word, const char *s)
{
	return word->len == strlen(s) && memcmp(word->s, s, word->len) == 0;
}

bool kern_word_begins(const struct kern_word *word, const char *s)
{
	size_t n = strlen(s);

	return word->len >= n && memcmp(word->s, s, n) == 0;
}

size_t kern_digits(const char *s, size_t len, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < len && is_digit(s[i]); i++) {
		unsigned int digit = (unsigned int)(s[i] - '0');

		if (v > (max - digit) / 10 || digit > max)
			return 0;
		v = v * 10 + digit;
	}
	if (i)
		*out = v;
	return i;
}

bool kern_word_number(const struct kern_word *word, int64_t max, int64_t *out)
{
	bool minus = word->len > 1 && word->s[0] == '-';
	uint64_t v;
	size_t n = kern_digits(word->s + minus, word->len - minus, (uint64_t)max, &v);

	if (n == 0 || n + minus != word->len)
		return false;
	*out = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

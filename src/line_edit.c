/* SPDX-License-Identifier: GPL-2.0-only */
#include "line_edit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/diag.h"

enum { HISTORY_MAX = 500, LINE_MAX_BYTES = 65536, WORDS_MAX = 200 };

struct line_edit {
	line_complete *complete;
	void *ctx;
	char *text; /* always ends in NUL */
	size_t len, cap, cursor;
	char *history[HISTORY_MAX];
	size_t nr_history, at_history;
	char *unsent;	/* what stood there before going back in history */
	char escape[8]; /* a key's bytes so far */
	size_t nr_escape;
	char *words[WORDS_MAX];
	size_t nr_words;
};

struct line_edit *line_edit_new(line_complete *complete, void *ctx)
{
	struct line_edit *e = base_alloc(1, sizeof(*e));

	memset(e, 0, sizeof(*e));
	e->complete = complete;
	e->ctx = ctx;
	line_edit_begin(e);
	return e;
}

static void forget_words(struct line_edit *e)
{
	while (e->nr_words)
		free(e->words[--e->nr_words]);
}

void line_edit_free(struct line_edit *e)
{
	forget_words(e);
	while (e->nr_history)
		free(e->history[--e->nr_history]);
	free(e->unsent);
	free(e->text);
	free(e);
}

static void reserve(struct line_edit *e, size_t len)
{
	if (len + 1 <= e->cap)
		return;
	e->cap = (len + 1) * 2 + 80;
	e->text = realloc(e->text, e->cap);
	BASE_CHECK(e->text != NULL, "%zu bytes", e->cap);
}

static void set_text(struct line_edit *e, const char *text)
{
	size_t len = strlen(text);

	reserve(e, len);
	memcpy(e->text, text, len + 1);
	e->len = e->cursor = len;
}

void line_edit_begin(struct line_edit *e)
{
	set_text(e, "");
	e->at_history = e->nr_history;
	e->nr_escape = 0;
	free(e->unsent);
	e->unsent = NULL;
}

void line_edit_remember(struct line_edit *e)
{
	if (!e->len || (e->nr_history && strcmp(e->history[e->nr_history - 1], e->text) == 0))
		return;
	if (e->nr_history == HISTORY_MAX) {
		free(e->history[0]);
		memmove(e->history, e->history + 1, (HISTORY_MAX - 1) * sizeof(*e->history));
		e->nr_history--;
	}
	e->history[e->nr_history++] = base_strdup(e->text);
}

const char *line_edit_text(const struct line_edit *e, size_t *cursor)
{
	if (cursor)
		*cursor = e->cursor;
	return e->text;
}

const char *line_edit_word(const struct line_edit *e, size_t i)
{
	return i < e->nr_words ? e->words[i] : NULL;
}

/*
 * Editing
 */

static void insert(struct line_edit *e, const char *s, size_t n)
{
	if (e->len + n > LINE_MAX_BYTES)
		return;
	reserve(e, e->len + n);
	memmove(e->text + e->cursor + n, e->text + e->cursor, e->len - e->cursor + 1);
	memcpy(e->text + e->cursor, s, n);
	e->len += n;
	e->cursor += n;
}

static void erase(struct line_edit *e, size_t from, size_t to)
{
	memmove(e->text + from, e->text + to, e->len - to + 1);
	e->len -= to - from;
	e->cursor = from;
}

/* A character of UTF-8 is one step: continuation bytes are passed over. */
static size_t before(const struct line_edit *e)
{
	size_t at = e->cursor;

	while (at && ((unsigned char)e->text[--at] & 0xc0) == 0x80)
		;
	return at;
}

static size_t behind(const struct line_edit *e)
{
	size_t at = e->cursor;

	if (at < e->len)
		at++;
	while (at < e->len && ((unsigned char)e->text[at] & 0xc0) == 0x80)
		at++;
	return at;
}

static void erase_word(struct line_edit *e)
{
	size_t from = e->cursor;

	while (from && e->text[from - 1] == ' ')
		from--;
	while (from && e->text[from - 1] != ' ')
		from--;
	erase(e, from, e->cursor);
}

static void go_history(struct line_edit *e, bool back)
{
	if (back ? e->at_history == 0 : e->at_history == e->nr_history)
		return;
	if (e->at_history == e->nr_history) {
		free(e->unsent);
		e->unsent = base_strdup(e->text);
	}
	e->at_history += back ? (size_t)-1 : 1;
	if (e->at_history < e->nr_history)
		set_text(e, e->history[e->at_history]);
	else
		set_text(e, e->unsent ? e->unsent : "");
}

static void add_word(void *ctx, const char *word)
{
	struct line_edit *e = ctx;

	if (e->nr_words < WORDS_MAX)
		e->words[e->nr_words++] = base_strdup(word);
}

/* Adds what all words have in common; true if there is more than one to choose from. */
static bool complete_word(struct line_edit *e)
{
	size_t start, common, typed;

	forget_words(e);
	if (!e->complete)
		return false;
	start = e->complete(e->ctx, e->text, e->cursor, add_word, e);
	if (!e->nr_words)
		return false;
	typed = e->cursor - start;
	common = strlen(e->words[0]);
	for (size_t i = 1; i < e->nr_words; i++) {
		size_t n = 0;

		while (n < common && e->words[i][n] == e->words[0][n])
			n++;
		common = n;
	}
	if (common > typed)
		insert(e, e->words[0] + typed, common - typed);
	return e->nr_words > 1 && common <= typed;
}

/* The bytes behind ESC, when they are a whole key. */
static void escape_key(struct line_edit *e)
{
	const char *k = e->escape;

	if (k[0] != '[' && k[0] != 'O')
		return;
	switch (k[1]) {
	case 'A':
		go_history(e, true);
		break;
	case 'B':
		go_history(e, false);
		break;
	case 'C':
		e->cursor = behind(e);
		break;
	case 'D':
		e->cursor = before(e);
		break;
	case 'H':
	case '1':
	case '7':
		e->cursor = 0;
		break;
	case 'F':
	case '4':
	case '8':
		e->cursor = e->len;
		break;
	case '3':
		erase(e, e->cursor, behind(e));
		break;
	default:
		break;
	}
}

/* A byte behind ESC. */
static void feed_escape(struct line_edit *e, unsigned char byte)
{
	bool first = e->nr_escape == 1;

	if (e->nr_escape < sizeof(e->escape) - 1)
		e->escape[e->nr_escape - 1] = (char)byte;
	e->nr_escape++;
	/* ESC [ digits ~ or ESC [ letter; anything else is no key of ours. */
	if (first && byte != '[' && byte != 'O') {
		e->nr_escape = 0;
	} else if (!first && byte >= '@') {
		escape_key(e);
		e->nr_escape = 0;
	} else if (e->nr_escape >= sizeof(e->escape)) {
		e->nr_escape = 0;
	}
}

enum line_event line_edit_feed(struct line_edit *e, unsigned char byte)
{
	char c = (char)byte;

	if (e->nr_escape) {
		feed_escape(e, byte);
		return LINE_EDITING;
	}
	switch (byte) {
	case 1: /* Ctrl-A */
		e->cursor = 0;
		break;
	case 2: /* Ctrl-B */
		e->cursor = before(e);
		break;
	case 3: /* Ctrl-C */
		return LINE_CANCEL;
	case 4: /* Ctrl-D */
		if (!e->len)
			return LINE_END;
		erase(e, e->cursor, behind(e));
		break;
	case 5: /* Ctrl-E */
		e->cursor = e->len;
		break;
	case 6: /* Ctrl-F */
		e->cursor = behind(e);
		break;
	case 8: /* Backspace */
	case 127:
		erase(e, before(e), e->cursor);
		break;
	case '\t':
		return complete_word(e) ? LINE_LIST : LINE_EDITING;
	case '\n':
	case '\r':
		return LINE_READY;
	case 11: /* Ctrl-K */
		erase(e, e->cursor, e->len);
		break;
	case 14: /* Ctrl-N */
		go_history(e, false);
		break;
	case 16: /* Ctrl-P */
		go_history(e, true);
		break;
	case 21: /* Ctrl-U */
		erase(e, 0, e->cursor);
		break;
	case 23: /* Ctrl-W */
		erase_word(e);
		break;
	case 27:
		e->nr_escape = 1;
		break;
	default:
		if (byte >= ' ')
			insert(e, &c, 1);
		break;
	}
	return LINE_EDITING;
}

/*
 * The terminal
 */

static size_t columns_of(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

/* The part around the cursor, when the line is wider than the screen. */
static void redraw(const struct line_edit *e, const char *prompt)
{
	struct winsize size;
	size_t width = 80, room, from = 0, to = e->len;

	if (ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 10)
		width = size.ws_col;
	room = width - strlen(prompt) - 1;
	while (columns_of(e->text + from, e->cursor - from) > room)
		from++;
	while (to > e->cursor && columns_of(e->text + from, to - from) > room)
		to--;
	printf("\r%s%.*s\033[K\r\033[%zuC", prompt, (int)(to - from), e->text + from,
	       strlen(prompt) + columns_of(e->text + from, e->cursor - from));
	fflush(stdout);
}

static void list_words(const struct line_edit *e)
{
	for (size_t i = 0; i < e->nr_words; i++)
		printf("%s%s", i ? "  " : "\r\n", e->words[i]);
	printf("\r\n");
}

/* Bytes from the terminal until the line is done. */
static enum line_event edit(struct line_edit *e, const char *prompt)
{
	enum line_event event = LINE_EDITING;
	unsigned char byte;

	redraw(e, prompt);
	while (event == LINE_EDITING || event == LINE_LIST) {
		if (read(0, &byte, 1) != 1)
			return LINE_END;
		event = line_edit_feed(e, byte);
		if (event == LINE_LIST)
			list_words(e);
		redraw(e, prompt);
	}
	return event;
}

static char *read_plain(void)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n = getline(&line, &cap, stdin);

	if (n < 0) {
		free(line);
		return NULL;
	}
	if (n && line[n - 1] == '\n')
		line[n - 1] = '\0';
	return line;
}

char *line_edit_read(struct line_edit *e, const char *prompt)
{
	struct termios old, raw;
	enum line_event event;

	if (!isatty(0) || !isatty(1) || tcgetattr(0, &old))
		return read_plain();
	raw = old;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
	raw.c_iflag &= ~(tcflag_t)(ICRNL | IXON);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	line_edit_begin(e);
	tcsetattr(0, TCSADRAIN, &raw);
	event = edit(e, prompt);
	tcsetattr(0, TCSADRAIN, &old);
	if (event == LINE_END)
		return NULL;
	putchar('\n');
	if (event == LINE_CANCEL)
		set_text(e, "");
	line_edit_remember(e);
	return base_strdup(e->text);
}

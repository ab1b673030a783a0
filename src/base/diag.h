/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Diagnostics: what is wrong, where, and the way out. Owns `enum base_err`, one fault (struct diag) and the list of all
 * faults of a file (struct diags). A diag holds copies of everything, also of the source line, so it outlives the text
 * that it speaks of. Anybody but core may call it.
 *
 * Lines and columns count from 1; 0 is "none". A column counts characters (a tab is one, a byte that is not UTF-8 is one).
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define BASE_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

enum base_err {
#define ERR(name, status, text) BASE_ERR_##name,
#include "err.def"
#undef ERR
	BASE_ERR_NR,
};

/* Above these lengths (bytes with the closing NUL) a diag cuts: the file at its front, the rest at the end. */
#define BASE_DIAG_FILE_MAX 1024
#define BASE_DIAG_TEXT_MAX 1024
#define BASE_DIAG_EXCERPT_MAX 512

struct diag {
	enum base_err code;
	uint64_t line;
	uint64_t column;
	/* screen columns before the caret in excerpt, and the caret's width */
	unsigned int caret;
	unsigned int caret_width;
	char file[BASE_DIAG_FILE_MAX];
	char message[BASE_DIAG_TEXT_MAX];
	/* what was expected, did you mean; "" for none */
	char hint[BASE_DIAG_TEXT_MAX];
	/* the part of the source line around the column, ready for a terminal; "" for none */
	char excerpt[BASE_DIAG_EXCERPT_MAX];
};

/* All faults of a file at once: the first `max` are kept, the others counted. */
struct diags {
	struct diag *items;
	size_t nr;
	size_t max;
	size_t dropped;
};

struct base_text;

/* Exit status for main, and a short text, of an error code. */
int base_err_status(enum base_err code);
const char *base_err_text(enum base_err code);

/* Fills *d (which may be NULL) and returns code, so that a function can end in `return base_diag_set(...)`. file may be NULL. */
enum base_err base_diag_set(struct diag *d, enum base_err code, const char *file, uint64_t line,
			    uint64_t column, const char *fmt, ...) BASE_PRINTF(6, 7);

/* Adds what was expected or what was meant; replaces an earlier hint. */
void base_diag_hint(struct diag *d, const char *fmt, ...) BASE_PRINTF(2, 3);

/* Puts a place on a diag that was made without one (a number parser does not know its line). */
void base_diag_at(struct diag *d, const char *file, uint64_t line, uint64_t column);

/* Copies the line that the diag speaks of, for the caret; line need not end in NUL and holds no newline. */
void base_diag_excerpt(struct diag *d, const char *line, size_t len);

/* The same from a whole text, at the diag's own line. */
void base_diag_excerpt_text(struct diag *d, const struct base_text *text);

/* file:line:column: message, the line with its caret, the hint. Control characters never reach the terminal. */
void base_diag_print(FILE *out, const struct diag *d, bool colour);

/* In one line for a screen, "path: message; hint", cut to @size. */
void base_diag_line(const struct diag *d, const char *path, char *buf, size_t size);

void base_diags_init(struct diags *ds, size_t max);
void base_diags_free(struct diags *ds);

/* A fresh, filled diag in the list for a hint or an excerpt; when the list is full a spare one that is not printed. Never NULL. */
struct diag *base_diags_add(struct diags *ds, enum base_err code, const char *file, uint64_t line,
			    uint64_t column, const char *fmt, ...) BASE_PRINTF(6, 7);
struct diag *base_diags_push(struct diags *ds, const struct diag *d);

/* Prints all, in the order of their places, and how many were left out. */
void base_diags_print(FILE *out, struct diags *ds, bool colour);

/* The greatest exit status among them; 0 for an empty list. */
int base_diags_status(const struct diags *ds);

/* The column of a byte of a line; and how many bytes the character at s takes (1 for a byte that is not UTF-8). */
uint64_t base_column(const char *line, size_t len, size_t byte);
size_t base_utf8_len(const char *s, size_t len, uint32_t *code_point);

/*
 * A broken promise inside the program, not bad input: prints the values and aborts, in release builds too. The hook
 * (NULL for none) runs first and puts the terminal right.
 */
#define BASE_CHECK(cond, ...)                                               \
	do {                                                                \
		if (__builtin_expect(!(cond), 0))                           \
			base_panic(__FILE__, __LINE__, #cond, __VA_ARGS__); \
	} while (0)
void base_panic(const char *file, int line, const char *cond, const char *fmt, ...)
	BASE_PRINTF(4, 5) __attribute__((noreturn, cold));
void base_panic_hook(void (*hook)(void));

/* Allocation that cannot fail: out of memory says so and exits with status 2. For small things of the program itself. */
void *base_alloc(size_t nr, size_t size);
char *base_strdup(const char *s);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines and words of kernel text that went through logs and mail: quote marks, printk levels, time stamps and syslog heads
 * before a line are taken off; quoted-printable is decoded. For the parsers of this folder alone.
 */
#ifndef KERNEL_LINES_H
#define KERNEL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kern_lines {
	const char *at;
	const char *end;
	unsigned int line; /* number of the line returned last, from 1 */
};

struct kern_word {
	const char *s;
	size_t len;
};

/* Decodes quoted-printable text ("=3D", "=20", a "=" before a newline); NULL if the text is not of that kind. */
char *kern_unquote(const char *text, size_t len, size_t *out_len);

void kern_lines_begin(struct kern_lines *l, const char *text, size_t len);

/* The next line without what logs and mail put before it; false at the end. */
bool kern_lines_next(struct kern_lines *l, struct kern_word *line);

/* Takes the next blank-separated word off the line; false when there is none. */
bool kern_word_next(struct kern_word *line, struct kern_word *word);

bool kern_word_is(const struct kern_word *word, const char *s);
bool kern_word_begins(const struct kern_word *word, const char *s);

/* Reads decimal digits at s; how many bytes they take, 0 if none or the number is above max. */
size_t kern_digits(const char *s, size_t len, uint64_t max, uint64_t *out);

/* Whether all of the word is one decimal number up to max, perhaps negative (old kernels print counts with %i). */
bool kern_word_number(const struct kern_word *word, int64_t max, int64_t *out);

#endif

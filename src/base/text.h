/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text in: whole files (struct base_text) and line by line (struct base_reader). Both read plain files, gzip (known by
 * its first bytes, whatever the name) and standard input for the path "-". Bounded in memory whatever the input is.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "diag.h"

struct base_text {
	char *name; /* for messages: the path, or "<stdin>" */
	char *data; /* len bytes and a closing NUL */
	size_t len;
	size_t *line_start; /* offsets of nr_lines lines */
	size_t nr_lines;
};

/* Reads a whole file of at most max bytes (uncompressed). On failure *t is empty, *d says why; base_text_free() is allowed. */
enum base_err base_text_read(struct base_text *t, const char *path, size_t max, struct diag *d);

/* The same from memory (copied). */
enum base_err base_text_from(struct base_text *t, const char *name, const char *data, size_t len,
			     struct diag *d);
void base_text_free(struct base_text *t);

/* Line n (from 1) without its newline; false if there is none. */
bool base_text_line(const struct base_text *t, uint64_t n, const char **start, size_t *len);

/* Line and column of a byte offset; a newline and the end of the text are places just behind their line. */
void base_text_place(const struct base_text *t, size_t offset, uint64_t *line, uint64_t *column);

struct base_reader;

/* line_max: longest line in bytes, without its newline; a longer one is an error with its number. */
enum base_err base_reader_open(struct base_reader **r, const char *path, size_t line_max,
			       struct diag *d);

/*
 * Next line: 1 and *line (NUL-terminated, the newline and a carriage return before it cut off; the caller may write into
 * it, valid until the next call), 0 at the end, -1 on failure with *d filled. A NUL inside a line is the caller's to
 * notice: strlen(*line) < *len.
 */
int base_reader_next(struct base_reader *r, char **line, size_t *len, struct diag *d);

uint64_t base_reader_line_nr(const struct base_reader *r); /* of the line returned last, from 1 */
const char *base_reader_name(const struct base_reader *r); /* the path, or "<stdin>" */

/* For progress: bytes of the file taken so far and in all (compressed bytes for gzip; total 0 if not known). */
void base_reader_progress(const struct base_reader *r, uint64_t *done, uint64_t *total);
void base_reader_close(struct base_reader *r);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Strict numbers out of text: the whole text is the number or it is an error (no "6abc", "3.7", "010", "+1", " 1"), and
 * it lies between min and max, both allowed. On failure *out is untouched and *d (which may be NULL) has message and
 * hint, but no place: the caller adds it with base_diag_at().
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include "diag.h"

enum base_err base_parse_uint(const char *s, size_t len, uint64_t min, uint64_t max, uint64_t *out,
			      struct diag *d);
enum base_err base_parse_int(const char *s, size_t len, int64_t min, int64_t max, int64_t *out,
			     struct diag *d);

/* Bytes: a whole number and B, KiB, MiB, GiB or TiB; without a unit it is bytes. */
enum base_err base_parse_size(const char *s, size_t len, uint64_t min, uint64_t max, uint64_t *out,
			      struct diag *d);

/* Nanoseconds: a whole number and ns, us, ms, s, min or h; only 0 may stand without a unit. */
enum base_err base_parse_duration(const char *s, size_t len, uint64_t min, uint64_t max,
				  uint64_t *out, struct diag *d);

/* The shortest exact text of a size or duration, as the parsers read it. Returns buf. */
#define BASE_FORMAT_MAX 32
char *base_format_size(char buf[BASE_FORMAT_MAX], uint64_t bytes);
char *base_format_duration(char buf[BASE_FORMAT_MAX], uint64_t ns);

#endif

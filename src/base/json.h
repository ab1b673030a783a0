/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A JSON writer. What comes out is valid JSON or the program stops: a key outside an object, a value without its key or
 * nesting above BASE_JSON_DEPTH_MAX is a broken promise of the caller (BASE_CHECK). Bytes that are not UTF-8 become
 * U+FFFD, numbers that JSON lacks (NaN, infinities) become null, and no locale changes a number.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "diag.h"

#define BASE_JSON_DEPTH_MAX 64

struct base_json {
	FILE *out; /* NULL: into buf */
	char *buf;
	size_t len;
	size_t cap;
	bool pretty;	/* a line for each member, two spaces a level */
	bool failed;	/* a write failed; told by base_json_end */
	bool value_due; /* a key was written */
	unsigned int depth;
	struct {
		char close;
		bool filled;
	} level[BASE_JSON_DEPTH_MAX + 1];
};

void base_json_to_file(struct base_json *j, FILE *out, bool pretty);
void base_json_to_memory(struct base_json *j, bool pretty);

/* Ends one document (of exactly one value) with a newline. BASE_ERR_WRITE if the file took not everything. */
enum base_err base_json_end(struct base_json *j);

/* The document in memory, NUL-terminated, the caller's to free(); only after base_json_end. */
char *base_json_take(struct base_json *j, size_t *len);

void base_json_object(struct base_json *j);
void base_json_array(struct base_json *j);
void base_json_close(struct base_json *j); /* of the innermost object or array */
void base_json_key(struct base_json *j, const char *key);

void base_json_string(struct base_json *j, const char *s); /* NULL: null */
void base_json_string_n(struct base_json *j, const char *s, size_t len);
void base_json_int(struct base_json *j, int64_t v);
void base_json_uint(struct base_json *j, uint64_t v);
void base_json_double(struct base_json *j, double v); /* the shortest text that reads back as v */
void base_json_bool(struct base_json *j, bool v);
void base_json_null(struct base_json *j);

/* A key and its value in one call. */
void base_json_kv_string(struct base_json *j, const char *key, const char *s);
void base_json_kv_int(struct base_json *j, const char *key, int64_t v);
void base_json_kv_uint(struct base_json *j, const char *key, uint64_t v);
void base_json_kv_double(struct base_json *j, const char *key, double v);
void base_json_kv_bool(struct base_json *j, const char *key, bool v);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#include "json.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put(struct base_json *j, const char *s, size_t len)
{
	if (j->out) {
		if (fwrite(s, 1, len, j->out) != len)
			j->failed = true;
		return;
	}
	if (j->len + len + 1 > j->cap) {
		size_t cap = j->cap ? j->cap * 2 : 256;
		char *buf;

		while (cap < j->len + len + 1)
			cap *= 2;
		buf = base_alloc(cap, 1);
		if (j->len)
			memcpy(buf, j->buf, j->len);
		free(j->buf);
		j->buf = buf;
		j->cap = cap;
	}
	memcpy(j->buf + j->len, s, len);
	j->len += len;
	j->buf[j->len] = '\0';
}

static void put_text(struct base_json *j, const char *s)
{
	put(j, s, strlen(s));
}

static void newline(struct base_json *j, unsigned int depth)
{
	unsigned int i;

	if (!j->pretty)
		return;
	put(j, "\n", 1);
	for (i = 0; i < depth; i++)
		put(j, "  ", 2);
}

void base_json_to_file(struct base_json *j, FILE *out, bool pretty)
{
	*j = (struct base_json){ .out = out, .pretty = pretty };
}

void base_json_to_memory(struct base_json *j, bool pretty)
{
	*j = (struct base_json){ .pretty = pretty };
}

/* What goes before a member of the innermost level. */
static void separate(struct base_json *j)
{
	if (j->level[j->depth].filled)
		put(j, ",", 1);
	j->level[j->depth].filled = true;
	newline(j, j->depth);
}

/* Before each value: in an object its key stands already, at the top there is one value only. */
static void begin_value(struct base_json *j)
{
	if (j->depth == 0) {
		BASE_CHECK(!j->level[0].filled, "a second value in one JSON document");
		j->level[0].filled = true;
	} else if (j->level[j->depth].close == '}') {
		BASE_CHECK(j->value_due, "a value without a key at depth %u", j->depth);
	} else {
		separate(j);
	}
	j->value_due = false;
}

static void open_level(struct base_json *j, char open, char close)
{
	begin_value(j);
	BASE_CHECK(j->depth < BASE_JSON_DEPTH_MAX, "depth %u", j->depth);
	j->depth++;
	j->level[j->depth].close = close;
	j->level[j->depth].filled = false;
	put(j, &open, 1);
}

void base_json_object(struct base_json *j)
{
	open_level(j, '{', '}');
}

void base_json_array(struct base_json *j)
{
	open_level(j, '[', ']');
}

void base_json_close(struct base_json *j)
{
	BASE_CHECK(j->depth > 0 && !j->value_due, "depth %u, a value is due: %d", j->depth,
		   j->value_due);
	if (j->level[j->depth].filled)
		newline(j, j->depth - 1);
	put(j, &j->level[j->depth].close, 1);
	j->depth--;
}

static void put_string(struct base_json *j, const char *s, size_t len)
{
	size_t plain = 0, at = 0;
	char escape[8];
	uint32_t cp;

	put(j, "\"", 1);
	while (at < len) {
		size_t n = base_utf8_len(s + at, len - at, &cp);

		if (cp != '"' && cp != '\\' && cp >= 0x20 && cp != 0x7f && cp != 0x2028 &&
		    cp != 0x2029 && cp != UINT32_MAX) {
			at += n;
			continue;
		}
		put(j, s + plain, at - plain);
		if (cp == '"' || cp == '\\')
			snprintf(escape, sizeof(escape), "\\%c", (char)cp);
		else if (cp == '\n' || cp == '\t')
			snprintf(escape, sizeof(escape), "\\%c", cp == '\n' ? 'n' : 't');
		else
			snprintf(escape, sizeof(escape), "\\u%04x",
				 cp == UINT32_MAX ? 0xfffdu : (unsigned int)cp & 0xffffu);
		put_text(j, escape);
		at += n;
		plain = at;
	}
	put(j, s + plain, at - plain);
	put(j, "\"", 1);
}

void base_json_key(struct base_json *j, const char *key)
{
	BASE_CHECK(j->depth > 0 && j->level[j->depth].close == '}' && !j->value_due,
		   "key %s at depth %u", key, j->depth);
	separate(j);
	put_string(j, key, strlen(key));
	put_text(j, j->pretty ? ": " : ":");
	j->value_due = true;
}

void base_json_string_n(struct base_json *j, const char *s, size_t len)
{
	begin_value(j);
	put_string(j, s, len);
}

void base_json_string(struct base_json *j, const char *s)
{
	if (s)
		base_json_string_n(j, s, strlen(s));
	else
		base_json_null(j);
}

void base_json_int(struct base_json *j, int64_t v)
{
	char text[24];

	begin_value(j);
	snprintf(text, sizeof(text), "%" PRId64, v);
	put_text(j, text);
}

void base_json_uint(struct base_json *j, uint64_t v)
{
	char text[24];

	begin_value(j);
	snprintf(text, sizeof(text), "%" PRIu64, v);
	put_text(j, text);
}

/* printf and strtod use the locale's decimal point, JSON does not. */
static void decimal_point(char *text)
{
	const char *point = localeconv()->decimal_point;
	char *at = strcmp(point, ".") != 0 && *point ? strstr(text, point) : NULL;
	size_t len = strlen(point);

	if (!at)
		return;
	*at = '.';
	memmove(at + 1, at + len, strlen(at + len) + 1);
}

void base_json_double(struct base_json *j, double v)
{
	char text[64];
	int digits;

	if (!isfinite(v)) {
		base_json_null(j);
		return;
	}
	begin_value(j);
	for (digits = 1; digits <= 17; digits++) {
		double back;

		snprintf(text, sizeof(text), "%.*g", digits, v);
		back = strtod(text, NULL);
		if (!(back < v) && !(back > v))
			break;
	}
	decimal_point(text);
	put_text(j, text);
}

void base_json_bool(struct base_json *j, bool v)
{
	begin_value(j);
	put_text(j, v ? "true" : "false");
}

void base_json_null(struct base_json *j)
{
	begin_value(j);
	put_text(j, "null");
}

enum base_err base_json_end(struct base_json *j)
{
	BASE_CHECK(j->depth == 0 && j->level[0].filled, "a JSON document ends at depth %u",
		   j->depth);
	put(j, "\n", 1);
	j->level[0].filled = false;
	if (j->out && (fflush(j->out) != 0 || ferror(j->out)))
		j->failed = true;
	return j->failed ? BASE_ERR_WRITE : BASE_ERR_OK;
}

char *base_json_take(struct base_json *j, size_t *len)
{
	char *buf = j->buf;

	BASE_CHECK(!j->out && j->depth == 0 && !j->level[0].filled,
		   "a JSON document is taken at depth %u", j->depth);
	if (len)
		*len = j->len;
	j->buf = NULL;
	j->len = 0;
	j->cap = 0;
	return buf;
}

void base_json_kv_string(struct base_json *j, const char *key, const char *s)
{
	base_json_key(j, key);
	base_json_string(j, s);
}

void base_json_kv_int(struct base_json *j, const char *key, int64_t v)
{
	base_json_key(j, key);
	base_json_int(j, v);
}

void base_json_kv_uint(struct base_json *j, const char *key, uint64_t v)
{
	base_json_key(j, key);
	base_json_uint(j, v);
}

void base_json_kv_double(struct base_json *j, const char *key, double v)
{
	base_json_key(j, key);
	base_json_double(j, v);
}

void base_json_kv_bool(struct base_json *j, const char *key, bool v)
{
	base_json_key(j, key);
	base_json_bool(j, v);
}

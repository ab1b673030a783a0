/* SPDX-License-Identifier: GPL-2.0-only */
#include <criterion/criterion.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"

static void expect_json(struct base_json *j, const char *want)
{
	char *got;
	size_t len;

	cr_assert_eq(base_json_end(j), BASE_ERR_OK);
	got = base_json_take(j, &len);
	cr_expect_str_eq(got, want, "got: %s want: %s", got, want);
	cr_expect_eq(strlen(got), len);
	free(got);
}

Test(base_json, all_kinds)
{
	struct base_json j;

	base_json_to_memory(&j, false);
	base_json_object(&j);
	base_json_kv_int(&j, "min", INT64_MIN);
	base_json_kv_uint(&j, "max", UINT64_MAX);
	base_json_kv_bool(&j, "t", true);
	base_json_kv_bool(&j, "f", false);
	base_json_kv_string(&j, "s", "x");
	base_json_kv_string(&j, "n", NULL);
	base_json_kv_double(&j, "d", 0.5);
	base_json_key(&j, "a");
	base_json_array(&j);
	base_json_int(&j, 1);
	base_json_array(&j);
	base_json_close(&j);
	base_json_object(&j);
	base_json_close(&j);
	base_json_null(&j);
	base_json_close(&j);
	base_json_close(&j);
	expect_json(
		&j,
		"{\"min\":-9223372036854775808,\"max\":18446744073709551615,\"t\":true,\"f\":false,\"s\":\"x\","
		"\"n\":null,\"d\":0.5,\"a\":[1,[],{},null]}\n");
}

Test(base_json, pretty)
{
	struct base_json j;

	base_json_to_memory(&j, true);
	base_json_object(&j);
	base_json_kv_int(&j, "a", 1);
	base_json_key(&j, "b");
	base_json_array(&j);
	base_json_int(&j, 2);
	base_json_int(&j, 3);
	base_json_close(&j);
	base_json_key(&j, "c");
	base_json_array(&j);
	base_json_close(&j);
	base_json_close(&j);
	expect_json(&j, "{\n  \"a\": 1,\n  \"b\": [\n    2,\n    3\n  ],\n  \"c\": []\n}\n");
}

Test(base_json, strings_are_escaped)
{
	struct base_json j;

	base_json_to_memory(&j, false);
	base_json_array(&j);
	base_json_string_n(&j, "\"\\/\n\t\r\b\f\0\x1f\x7f", 11);
	base_json_string(&j, "\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80");
	/* not UTF-8: overlong, surrogate, cut off, lone bytes; each bad byte becomes one replacement */
	base_json_string(&j, "a\xff"
			     "b\xc0\x80 \xed\xa0\x80 \xe4\xb8");
	base_json_string(&j, "\xe2\x80\xa8");
	base_json_string(&j, "");
	base_json_close(&j);
	expect_json(
		&j,
		"[\"\\\"\\\\/\\n\\t\\u000d\\u0008\\u000c\\u0000\\u001f\\u007f\","
		"\"\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80\","
		"\"a\\ufffdb\\ufffd\\ufffd \\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\",\"\\u2028\",\"\"]\n");
}

/* The writer's text of one double. */
static char *text_of(double v)
{
	struct base_json j;
	char *text;
	size_t len;

	base_json_to_memory(&j, false);
	base_json_double(&j, v);
	base_json_end(&j);
	text = base_json_take(&j, &len);
	text[len - 1] = '\0';
	return text;
}

Test(base_json, doubles_are_short_and_exact)
{
	static const struct {
		double v;
		const char *want;
	} rows[] = {
		{ 0.1, "0.1" },
		{ 1.0, "1" },
		{ -0.0, "-0" },
		{ 1e300, "1e+300" },
		{ 1.0 / 3, "0.3333333333333333" },
		{ 5e-324, "5e-324" },
		{ 123456789.25, "123456789.25" },
		{ DBL_MAX, "1.7976931348623157e+308" },
		{ NAN, "null" },
		{ INFINITY, "null" },
		{ -INFINITY, "null" },
	};
	uint64_t x = 88172645463325252ull;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = text_of(rows[i].v);

		cr_expect_str_eq(text, rows[i].want, "got %s want %s", text, rows[i].want);
		free(text);
	}
	for (i = 0; i < 2000; i++) {
		double v;
		char *text;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(&v, &x, sizeof(v));
		if (!isfinite(v))
			continue;
		text = text_of(v);
		cr_assert(strtod(text, NULL) >= v && strtod(text, NULL) <= v, "%s is not %a", text,
			  v);
		free(text);
	}
}

/* Only where such a locale is installed can this fail; elsewhere it is the C locale once more. */
Test(base_json, a_locale_with_a_comma_changes_nothing)
{
	char *text;

	if (!setlocale(LC_ALL, "de_DE.UTF-8"))
		setlocale(LC_ALL, "fr_FR.UTF-8");
	text = text_of(0.25);
	cr_expect_str_eq(text, "0.25");
	free(text);
}

Test(base_json, a_file_that_takes_nothing_is_an_error)
{
	FILE *full = fopen("/dev/full", "w");
	struct base_json j;
	int i;

	base_json_to_file(&j, full, false);
	base_json_array(&j);
	for (i = 0; i < 10000; i++)
		base_json_int(&j, i);
	base_json_close(&j);
	cr_expect_eq(base_json_end(&j), BASE_ERR_WRITE);
	fclose(full);
}

Test(base_json, one_document_a_line)
{
	struct base_json j;

	base_json_to_memory(&j, false);
	base_json_int(&j, 1);
	cr_assert_eq(base_json_end(&j), BASE_ERR_OK);
	base_json_int(&j, 2);
	expect_json(&j, "1\n2\n");
}

/* ---- a checker of its own: what comes out of any legal order of calls is JSON ---- */

static const char *json_value(const char *s);

static const char *json_string(const char *s)
{
	if (*s++ != '"')
		return NULL;
	while (*s != '"') {
		if ((unsigned char)*s < 0x20)
			return NULL;
		if (*s == '\\') {
			s++;
			if (*s == 'u' && strspn(s + 1, "0123456789abcdef") >= 4)
				s += 5;
			else if (*s && strchr("\"\\nt", *s))
				s++;
			else
				return NULL;
		} else {
			s++;
		}
	}
	return s + 1;
}

static const char *json_members(const char *s, char close, bool keys)
{
	if (*s == close)
		return s + 1;
	for (;;) {
		if (keys) {
			s = json_string(s);
			if (!s || *s++ != ':')
				return NULL;
		}
		s = json_value(s);
		if (!s)
			return NULL;
		if (*s == close)
			return s + 1;
		if (*s++ != ',')
			return NULL;
	}
}

static const char *json_value(const char *s)
{
	char *end;

	if (*s == '{')
		return json_members(s + 1, '}', true);
	if (*s == '[')
		return json_members(s + 1, ']', false);
	if (*s == '"')
		return json_string(s);
	if (strncmp(s, "true", 4) == 0 || strncmp(s, "null", 4) == 0)
		return s + 4;
	if (strncmp(s, "false", 5) == 0)
		return s + 5;
	strtod(s, &end);
	return end > s ? end : NULL;
}

static void random_value(struct base_json *j, uint64_t *x, int depth)
{
	char bytes[8];
	unsigned int i, n;

	*x = *x * 6364136223846793005ull + 1442695040888963407ull;
	n = (unsigned int)(*x >> 40) % 4;
	memcpy(bytes, x, sizeof(bytes));
	switch ((*x >> 33) % (depth > 0 ? 7 : 5)) {
	case 0:
		base_json_string_n(j, bytes, sizeof(bytes));
		return;
	case 1:
		base_json_int(j, (int64_t)*x);
		return;
	case 2:
		base_json_double(j, (double)(int64_t)*x / 1e30);
		return;
	case 3:
		base_json_bool(j, n & 1);
		return;
	case 4:
		base_json_null(j);
		return;
	case 5:
		base_json_array(j);
		for (i = 0; i < n; i++)
			random_value(j, x, depth - 1);
		break;
	default:
		base_json_object(j);
		for (i = 0; i < n; i++) {
			snprintf(bytes, sizeof(bytes), "%c\"\n", (char)(*x >> 20));
			base_json_key(j, bytes);
			random_value(j, x, depth - 1);
		}
		break;
	}
	base_json_close(j);
}

Test(base_json, any_legal_order_of_calls_gives_json)
{
	uint64_t x = 7;
	int i;

	for (i = 0; i < 3000; i++) {
		struct base_json j;
		const char *end;
		char *text;

		base_json_to_memory(&j, false);
		random_value(&j, &x, 6);
		cr_assert_eq(base_json_end(&j), BASE_ERR_OK);
		text = base_json_take(&j, NULL);
		end = json_value(text);
		cr_assert(end && strcmp(end, "\n") == 0, "round %d: %s", i, text);
		free(text);
	}
}

/* ---- broken promises: valid JSON or none ---- */

static void exit_for_abort(int sig)
{
	(void)sig;
	_exit(34);
}

static void begin(struct base_json *j)
{
	signal(SIGABRT, exit_for_abort);
	base_json_to_memory(j, false);
}

Test(base_json, a_value_without_a_key_stops, .exit_code = 34)
{
	struct base_json j;

	begin(&j);
	base_json_object(&j);
	base_json_int(&j, 1);
}

Test(base_json, a_key_in_an_array_stops, .exit_code = 34)
{
	struct base_json j;

	begin(&j);
	base_json_array(&j);
	base_json_key(&j, "k");
}

Test(base_json, a_key_without_a_value_stops, .exit_code = 34)
{
	struct base_json j;

	begin(&j);
	base_json_object(&j);
	base_json_key(&j, "k");
	base_json_close(&j);
}

Test(base_json, two_values_at_the_top_stop, .exit_code = 34)
{
	struct base_json j;

	begin(&j);
	base_json_int(&j, 1);
	base_json_int(&j, 2);
}

Test(base_json, an_open_end_stops, .exit_code = 34)
{
	struct base_json j;

	begin(&j);
	base_json_array(&j);
	base_json_end(&j);
}

Test(base_json, one_close_too_many_stops, .exit_code = 34)
{
	struct base_json j;

	begin(&j);
	base_json_int(&j, 1);
	base_json_close(&j);
}

Test(base_json, the_deepest_nesting_is_legal)
{
	struct base_json j;
	int i;

	base_json_to_memory(&j, false);
	for (i = 0; i < BASE_JSON_DEPTH_MAX; i++)
		base_json_array(&j);
	for (i = 0; i < BASE_JSON_DEPTH_MAX; i++)
		base_json_close(&j);
	cr_expect_eq(base_json_end(&j), BASE_ERR_OK);
	free(base_json_take(&j, NULL));
}

Test(base_json, one_level_more_stops, .exit_code = 34)
{
	struct base_json j;
	int i;

	begin(&j);
	for (i = 0; i <= BASE_JSON_DEPTH_MAX; i++)
		base_json_array(&j);
}

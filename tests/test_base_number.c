/* SPDX-License-Identifier: GPL-2.0-only */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "base/number.h"

/* What no parser of numbers takes. */
static const char *const never[] = {
	"",	" ",	    "-",   "+",	  "+1",	   " 1",    "1 ",    "1\n", "x",
	"0x10", "1e3",	    "3.7", "3,7", "1_000", "6abc",  "010",   "00",  "-0x1",
	"--1",	"\xd9\xa1", "NaN", "inf", "true",  "1KiB ", "1 KiB", "KiB", "1KiBx",
};

#define NEVER (sizeof(never) / sizeof(never[0]))

Test(base_number, what_is_no_number_is_refused)
{
	size_t i;

	for (i = 0; i < NEVER; i++) {
		uint64_t u = 77;
		int64_t s = 77;
		struct diag d;
		size_t len = strlen(never[i]);

		cr_expect_eq(base_parse_uint(never[i], len, 0, UINT64_MAX, &u, &d), BASE_ERR_SYNTAX,
			     "uint '%s'", never[i]);
		cr_expect(d.message[0] && d.hint[0]);
		cr_expect_eq(base_parse_int(never[i], len, INT64_MIN, INT64_MAX, &s, &d),
			     BASE_ERR_SYNTAX, "int '%s'", never[i]);
		cr_expect(d.message[0] && d.hint[0]);
		cr_expect_eq(base_parse_size(never[i], len, 0, UINT64_MAX, &u, &d), BASE_ERR_SYNTAX,
			     "size '%s'", never[i]);
		cr_expect(d.message[0] && d.hint[0]);
		cr_expect_eq(base_parse_duration(never[i], len, 0, UINT64_MAX, &u, &d),
			     BASE_ERR_SYNTAX, "time '%s'", never[i]);
		cr_expect(d.message[0] && d.hint[0]);
		cr_expect(u == 77 && s == 77, "'%s' changed the result", never[i]);
		cr_expect_eq(base_parse_uint(never[i], len, 0, 9, &u, NULL), BASE_ERR_SYNTAX);
	}
}

static bool uint_ok(const char *s, uint64_t min, uint64_t max, uint64_t want)
{
	uint64_t v = want + 1;

	return base_parse_uint(s, strlen(s), min, max, &v, NULL) == BASE_ERR_OK && v == want;
}

static bool uint_range(const char *s, uint64_t min, uint64_t max)
{
	uint64_t v;
	struct diag d;

	return base_parse_uint(s, strlen(s), min, max, &v, &d) == BASE_ERR_RANGE && d.hint[0];
}

Test(base_number, unsigned_ones_and_their_bounds)
{
	cr_expect(uint_ok("0", 0, 0, 0));
	cr_expect(uint_ok("31", 0, 31, 31));
	cr_expect(uint_range("32", 0, 31));
	cr_expect(uint_range("0", 1, 31));
	cr_expect(uint_ok("18446744073709551615", 0, UINT64_MAX, UINT64_MAX));
	cr_expect(uint_range("18446744073709551616", 0, UINT64_MAX));
	cr_expect(uint_range("99999999999999999999999999999999999999999999", 0, UINT64_MAX));
	cr_expect_eq(base_parse_uint("99999999999999999999999x", 24, 0, 9, &(uint64_t){ 0 }, NULL),
		     BASE_ERR_SYNTAX);
	/* only len bytes are looked at */
	cr_expect_eq(base_parse_uint("12345", 2, 12, 12, &(uint64_t){ 0 }, NULL), BASE_ERR_OK);
	cr_expect_eq(base_parse_uint("1\0002", 3, 0, 99, &(uint64_t){ 0 }, NULL), BASE_ERR_SYNTAX);
}

Test(base_number, the_message_says_what_was_expected)
{
	struct diag d;
	uint64_t v;

	base_parse_uint("6abc", 4, 1, 64, &v, &d);
	cr_expect_str_eq(d.message, "'6abc' is not a whole number");
	cr_expect_str_eq(d.hint, "expected a whole number from 1 to 64");
	base_parse_uint("010", 3, 1, 64, &v, &d);
	cr_expect_not_null(strstr(d.message, "octal"));
	base_parse_uint("65", 2, 1, 64, &v, &d);
	cr_expect_str_eq(d.message, "65 is out of range");
	base_parse_size("64KB", 4, 0, UINT64_MAX, &v, &d);
	cr_expect_str_eq(d.message, "'KB' is not a unit");
	cr_expect_str_eq(d.hint, "did you mean 64KiB?");
	base_parse_size("2g", 2, 0, UINT64_MAX, &v, &d);
	cr_expect_str_eq(d.hint, "did you mean 2GiB?");
	base_parse_size("1GiB", 4, 4096, 1 << 20, &v, &d);
	cr_expect_str_eq(d.hint, "expected a size such as 64KiB, 2MiB or 1GiB, from 4KiB to 1MiB");
	base_parse_duration("5", 1, 0, UINT64_MAX, &v, &d);
	cr_expect_str_eq(d.message, "'5' has no unit");
}

Test(base_number, a_huge_text_gives_a_short_message)
{
	static char big[1 << 20];
	struct diag d;
	uint64_t v;

	memset(big, '7', sizeof(big));
	cr_expect_eq(base_parse_uint(big, sizeof(big), 0, 9, &v, &d), BASE_ERR_RANGE);
	cr_expect_lt(strlen(d.message), 100);
	memset(big, 'x', sizeof(big));
	cr_expect_eq(base_parse_size(big, sizeof(big), 0, 9, &v, &d), BASE_ERR_SYNTAX);
	cr_expect_lt(strlen(d.message), 100);
}

static bool int_gives(const char *s, int64_t min, int64_t max, enum base_err err, int64_t want)
{
	int64_t v = 1234567;

	return base_parse_int(s, strlen(s), min, max, &v, NULL) == err &&
	       v == (err ? 1234567 : want);
}

Test(base_number, signed_ones_and_their_bounds)
{
	cr_expect(int_gives("-1", -1, 1, BASE_ERR_OK, -1));
	cr_expect(int_gives("-0", -1, 1, BASE_ERR_OK, 0));
	cr_expect(int_gives("-2", -1, 1, BASE_ERR_RANGE, 0));
	cr_expect(int_gives("-9223372036854775808", INT64_MIN, INT64_MAX, BASE_ERR_OK, INT64_MIN));
	cr_expect(int_gives("-9223372036854775809", INT64_MIN, INT64_MAX, BASE_ERR_RANGE, 0));
	cr_expect(int_gives("9223372036854775807", INT64_MIN, INT64_MAX, BASE_ERR_OK, INT64_MAX));
	cr_expect(int_gives("9223372036854775808", INT64_MIN, INT64_MAX, BASE_ERR_RANGE, 0));
	cr_expect(int_gives("-18446744073709551616", INT64_MIN, INT64_MAX, BASE_ERR_RANGE, 0));
}

static bool size_gives(const char *s, enum base_err err, uint64_t want)
{
	uint64_t v = 1234567;

	return base_parse_size(s, strlen(s), 0, UINT64_MAX, &v, NULL) == err &&
	       v == (err ? 1234567 : want);
}

Test(base_number, sizes)
{
	cr_expect(size_gives("0", BASE_ERR_OK, 0));
	cr_expect(size_gives("4096", BASE_ERR_OK, 4096));
	cr_expect(size_gives("4096B", BASE_ERR_OK, 4096));
	cr_expect(size_gives("64KiB", BASE_ERR_OK, 65536));
	cr_expect(size_gives("2MiB", BASE_ERR_OK, 2 << 20));
	cr_expect(size_gives("1GiB", BASE_ERR_OK, 1 << 30));
	cr_expect(size_gives("4TiB", BASE_ERR_OK, 4ull << 40));
	/* 2^24 TiB is 2^64: one too many */
	cr_expect(size_gives("16777215TiB", BASE_ERR_OK, 16777215ull << 40));
	cr_expect(size_gives("16777216TiB", BASE_ERR_RANGE, 0));
	cr_expect(size_gives("64kib", BASE_ERR_SYNTAX, 0));
	cr_expect(size_gives("64K", BASE_ERR_SYNTAX, 0));
	cr_expect(size_gives("1.5GiB", BASE_ERR_SYNTAX, 0));
	cr_expect(size_gives("-1KiB", BASE_ERR_SYNTAX, 0));
	cr_expect(size_gives("010KiB", BASE_ERR_SYNTAX, 0));
}

static bool duration_gives(const char *s, enum base_err err, uint64_t want)
{
	uint64_t v = 1234567;

	return base_parse_duration(s, strlen(s), 0, UINT64_MAX, &v, NULL) == err &&
	       v == (err ? 1234567 : want);
}

Test(base_number, durations)
{
	cr_expect(duration_gives("0", BASE_ERR_OK, 0));
	cr_expect(duration_gives("5s", BASE_ERR_OK, 5000000000ull));
	cr_expect(duration_gives("100ms", BASE_ERR_OK, 100000000));
	cr_expect(duration_gives("20us", BASE_ERR_OK, 20000));
	cr_expect(duration_gives("300ns", BASE_ERR_OK, 300));
	cr_expect(duration_gives("2min", BASE_ERR_OK, 120000000000ull));
	cr_expect(duration_gives("1h", BASE_ERR_OK, 3600000000000ull));
	cr_expect(duration_gives("5", BASE_ERR_SYNTAX, 0));
	cr_expect(duration_gives("5m", BASE_ERR_SYNTAX, 0));
	cr_expect(duration_gives("5 s", BASE_ERR_SYNTAX, 0));
	cr_expect(duration_gives("18446744074s", BASE_ERR_RANGE, 0));
}

/* What is printed reads back as the same. */
Test(base_number, formats_read_back)
{
	static const struct {
		uint64_t v;
		const char *size, *duration;
	} rows[] = {
		{ 0, "0B", "0ns" },
		{ 1, "1B", "1ns" },
		{ 1024, "1KiB", "1024ns" },
		{ 1000, "1000B", "1us" },
		{ 1536, "1536B", "1536ns" },
		{ 3ull << 30, "3GiB", "3221225472ns" },
		{ 90000000000ull, "87890625KiB", "90s" },
		{ UINT64_MAX, "18446744073709551615B", "18446744073709551615ns" },
	};
	char buf[BASE_FORMAT_MAX];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_expect_str_eq(base_format_size(buf, rows[i].v), rows[i].size);
		cr_expect(size_gives(buf, BASE_ERR_OK, rows[i].v));
		cr_expect_str_eq(base_format_duration(buf, rows[i].v), rows[i].duration);
		cr_expect(duration_gives(buf, BASE_ERR_OK, rows[i].v));
	}
}

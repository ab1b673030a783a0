/* SPDX-License-Identifier: GPL-2.0-only */
#include "number.h"

#include <inttypes.h>
#include <string.h>

/* How much of a bad text a message repeats. */
#define QUOTE_MAX 40
#define QUOTE(s, len) \
	(int)((len) < QUOTE_MAX ? (len) : QUOTE_MAX), (s), (len) > QUOTE_MAX ? "..." : ""

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit size_units[] = {
	{ "TiB", 1ull << 40 },
	{ "GiB", 1ull << 30 },
	{ "MiB", 1ull << 20 },
	{ "KiB", 1ull << 10 },
	{ "B", 1 },
	{ NULL, 0 },
};

static const struct unit duration_units[] = {
	{ "h", 3600000000000ull },
	{ "min", 60000000000ull },
	{ "s", 1000000000ull },
	{ "ms", 1000000ull },
	{ "us", 1000ull },
	{ "ns", 1ull },
	{ NULL, 0 },
};

enum digits { DIGITS_OK, DIGITS_NONE, DIGITS_ZERO_FIRST, DIGITS_TOO_MANY };

/* Decimal digits at the front of s: their value and how many. */
static enum digits read_digits(const char *s, size_t len, uint64_t *value, size_t *used)
{
	uint64_t v = 0;
	size_t i;

	*used = 0;
	for (i = 0; i < len && s[i] >= '0' && s[i] <= '9'; i++) {
		uint64_t digit = (uint64_t)(s[i] - '0');

		if (v > (UINT64_MAX - digit) / 10)
			return DIGITS_TOO_MANY;
		v = v * 10 + digit;
	}
	*used = i;
	*value = v;
	if (i == 0)
		return DIGITS_NONE;
	return i > 1 && s[0] == '0' ? DIGITS_ZERO_FIRST : DIGITS_OK;
}

static enum base_err not_whole(const char *s, size_t len, struct diag *d)
{
	if (len == 0)
		return base_diag_set(d, BASE_ERR_SYNTAX, NULL, 0, 0, "a number is missing");
	return base_diag_set(d, BASE_ERR_SYNTAX, NULL, 0, 0, "'%.*s%s' is not a whole number",
			     QUOTE(s, len));
}

static enum base_err zero_first(const char *s, size_t len, struct diag *d)
{
	return base_diag_set(d, BASE_ERR_SYNTAX, NULL, 0, 0,
			     "'%.*s%s' begins with 0, which could mean octal; write it without",
			     QUOTE(s, len));
}

static enum base_err out_of_range(const char *s, size_t len, struct diag *d)
{
	return base_diag_set(d, BASE_ERR_RANGE, NULL, 0, 0, "%.*s%s is out of range",
			     QUOTE(s, len));
}

static bool digits_only(const char *s, size_t len)
{
	while (len > 0 && s[len - 1] >= '0' && s[len - 1] <= '9')
		len--;
	return len == 0;
}

static enum base_err parse_whole(const char *s, size_t len, uint64_t *v, struct diag *d)
{
	size_t used;

	switch (read_digits(s, len, v, &used)) {
	case DIGITS_OK:
		return used == len ? BASE_ERR_OK : not_whole(s, len, d);
	case DIGITS_ZERO_FIRST:
		return used == len ? zero_first(s, len, d) : not_whole(s, len, d);
	case DIGITS_TOO_MANY:
		return digits_only(s, len) ? out_of_range(s, len, d) : not_whole(s, len, d);
	case DIGITS_NONE:
		break;
	}
	return not_whole(s, len, d);
}

enum base_err base_parse_uint(const char *s, size_t len, uint64_t min, uint64_t max, uint64_t *out,
			      struct diag *d)
{
	uint64_t v;
	enum base_err err = parse_whole(s, len, &v, d);

	if (!err && (v < min || v > max))
		err = out_of_range(s, len, d);
	if (!err)
		*out = v;
	else if (max == UINT64_MAX && min == 0)
		base_diag_hint(d, "expected a whole number");
	else if (max == UINT64_MAX)
		base_diag_hint(d, "expected a whole number of at least %" PRIu64, min);
	else
		base_diag_hint(d, "expected a whole number from %" PRIu64 " to %" PRIu64, min, max);
	return err;
}

enum base_err base_parse_int(const char *s, size_t len, int64_t min, int64_t max, int64_t *out,
			     struct diag *d)
{
	bool negative = len > 0 && s[0] == '-';
	uint64_t v = 0;
	int64_t value = 0;
	enum base_err err = negative && len == 1 ? not_whole(s, len, d) :
						   parse_whole(s + negative, len - negative, &v, d);

	if (!err && v > (uint64_t)INT64_MAX + negative)
		err = out_of_range(s, len, d);
	if (!err) {
		value = negative ? (int64_t)(0 - v) : (int64_t)v;
		if (value < min || value > max)
			err = out_of_range(s, len, d);
	}
	if (!err)
		*out = value;
	else if (min == INT64_MIN && max == INT64_MAX)
		base_diag_hint(d, "expected a whole number");
	else
		base_diag_hint(d, "expected a whole number from %" PRId64 " to %" PRId64, min, max);
	return err;
}

static const struct unit *find_unit(const struct unit *units, const char *s, size_t len)
{
	for (; units->name; units++)
		if (strlen(units->name) == len && memcmp(units->name, s, len) == 0)
			return units;
	return NULL;
}

/* 64K, 64kb and 64KB are what people write for 64KiB: refuse (they mean 64000 elsewhere), but say what to write. */
static const char *meant_size(const char *s, size_t len)
{
	static const char letters[] = "kKmMgGtT";
	static const char *const meant[] = { "KiB", "MiB", "GiB", "TiB" };
	const char *at = len > 0 && s[0] ? strchr(letters, s[0]) : NULL;

	return at && len <= 3 ? meant[(at - letters) / 2] : NULL;
}

/* Number and unit; 0 as *factor if there is no unit. Fills *d without a hint. */
static enum base_err parse_units(const char *s, size_t len, const struct unit *units, uint64_t *v,
				 uint64_t *factor, struct diag *d)
{
	const struct unit *unit;
	size_t used;

	switch (read_digits(s, len, v, &used)) {
	case DIGITS_NONE:
		return len == 0 ? base_diag_set(d, BASE_ERR_SYNTAX, NULL, 0, 0,
						"a number and its unit are missing") :
				  base_diag_set(d, BASE_ERR_SYNTAX, NULL, 0, 0,
						"'%.*s%s' does not begin with a whole number",
						QUOTE(s, len));
	case DIGITS_ZERO_FIRST:
		return zero_first(s, len, d);
	case DIGITS_TOO_MANY:
		return out_of_range(s, len, d);
	case DIGITS_OK:
		break;
	}
	*factor = 0;
	if (used == len)
		return BASE_ERR_OK;
	unit = find_unit(units, s + used, len - used);
	if (!unit)
		return base_diag_set(d, BASE_ERR_SYNTAX, NULL, 0, 0, "'%.*s%s' is not a unit",
				     QUOTE(s + used, len - used));
	*factor = unit->factor;
	if (*v > UINT64_MAX / unit->factor)
		return out_of_range(s, len, d);
	*v *= unit->factor;
	return BASE_ERR_OK;
}

static void hint_size(const char *s, size_t len, uint64_t min, uint64_t max, struct diag *d)
{
	char least[BASE_FORMAT_MAX], most[BASE_FORMAT_MAX];
	size_t digits = 0;
	const char *meant;

	while (digits < len && s[digits] >= '0' && s[digits] <= '9')
		digits++;
	meant = meant_size(s + digits, len - digits);
	if (digits && meant && d && d->code == BASE_ERR_SYNTAX)
		base_diag_hint(d, "did you mean %.*s%s?", (int)digits, s, meant);
	else if (max == UINT64_MAX)
		base_diag_hint(d, "expected a size such as 64KiB, 2MiB or 1GiB, at least %s",
			       base_format_size(least, min));
	else
		base_diag_hint(d, "expected a size such as 64KiB, 2MiB or 1GiB, from %s to %s",
			       base_format_size(least, min), base_format_size(most, max));
}

enum base_err base_parse_size(const char *s, size_t len, uint64_t min, uint64_t max, uint64_t *out,
			      struct diag *d)
{
	uint64_t v, factor;
	enum base_err err = parse_units(s, len, size_units, &v, &factor, d);

	if (!err && (v < min || v > max))
		err = out_of_range(s, len, d);
	if (!err)
		*out = v;
	else
		hint_size(s, len, min, max, d);
	return err;
}

enum base_err base_parse_duration(const char *s, size_t len, uint64_t min, uint64_t max,
				  uint64_t *out, struct diag *d)
{
	char least[BASE_FORMAT_MAX], most[BASE_FORMAT_MAX];
	uint64_t v, factor;
	enum base_err err = parse_units(s, len, duration_units, &v, &factor, d);

	if (!err && factor == 0 && v != 0)
		err = base_diag_set(d, BASE_ERR_SYNTAX, NULL, 0, 0, "'%.*s%s' has no unit",
				    QUOTE(s, len));
	if (!err && (v < min || v > max))
		err = out_of_range(s, len, d);
	if (!err)
		*out = v;
	else if (max == UINT64_MAX)
		base_diag_hint(d, "expected a time such as 5s, 100ms, 20us or 300ns");
	else
		base_diag_hint(d, "expected a time such as 5s, 100ms, 20us or 300ns, from %s to %s",
			       base_format_duration(least, min), base_format_duration(most, max));
	return err;
}

/* The largest unit that divides v; units run from large to small and end with 1. */
static char *format_units(char buf[BASE_FORMAT_MAX], uint64_t v, const struct unit *units)
{
	while (units->factor > 1 && (v == 0 || v % units->factor))
		units++;
	snprintf(buf, BASE_FORMAT_MAX, "%" PRIu64 "%s", v / units->factor, units->name);
	return buf;
}

char *base_format_size(char buf[BASE_FORMAT_MAX], uint64_t bytes)
{
	return format_units(buf, bytes, size_units);
}

char *base_format_duration(char buf[BASE_FORMAT_MAX], uint64_t ns)
{
	return format_units(buf, ns, duration_units);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "patch.h"

#include <stdio.h>
#include <string.h>

#define BIT_OF(id) PATCH_BIT(id)

static const struct {
	int number[2];
	const char *name, *title;
	u32 needs;
} patches[NR_PATCHES] = {
#define PATCH(id, v2, v3, name, title, needs) [id] = { { v2, v3 }, name, title, needs },
#include "patch.def"
#undef PATCH
};

enum series patch_series(u32 set)
{
	return set & PATCH_BIT(P_SERIES_V3) ? SERIES_V3 : SERIES_V2;
}

int patch_number(enum series series, enum patch_id id)
{
	return id < NR_PATCHES ? patches[id].number[series] : 0;
}

enum patch_id patch_by_number(enum series series, int n)
{
	for (int id = 0; n > 0 && id < NR_PATCHES; id++) {
		if (patches[id].number[series] == n)
			return (enum patch_id)id;
	}
	return P_NONE;
}

const char *patch_name(enum patch_id id)
{
	return id < NR_PATCHES ? patches[id].name : "base";
}

const char *patch_title(enum patch_id id)
{
	return id < NR_PATCHES ? patches[id].title : "Linux 6.6 without the series";
}

int patch_count(enum series series)
{
	return series == SERIES_V3 ? 9 : 10;
}

u32 patch_needs(enum patch_id id)
{
	return id < NR_PATCHES ? patches[id].needs : 0;
}

/* A change that came after the series: it has a name and no number. */
static bool is_later(int id)
{
	return !patches[id].number[SERIES_V2] && !patches[id].number[SERIES_V3];
}

static u32 later_changes(void)
{
	u32 mask = 0;

	for (int id = 0; id < NR_PATCHES; id++) {
		if (is_later(id))
			mask |= PATCH_BIT(id);
	}
	return mask;
}

/* A numbered patch that this series dropped cannot be on; later changes came after V3. */
static bool patch_exists(enum series series, int id)
{
	if (is_later(id))
		return series == SERIES_V3;
	return patches[id].number[series] != 0;
}

static u32 existing(enum series series)
{
	u32 mask = 0;

	for (int id = 0; id < NR_PATCHES; id++) {
		if (patch_exists(series, id))
			mask |= PATCH_BIT(id);
	}
	return mask;
}

static u32 close_up(u32 set)
{
	for (int round = 0; round < NR_PATCHES; round++) {
		for (int id = 0; id < NR_PATCHES; id++) {
			if (set & PATCH_BIT(id))
				set |= patches[id].needs;
		}
	}
	return set;
}

static u32 close_down(u32 set)
{
	for (int round = 0; round < NR_PATCHES; round++) {
		for (int id = 0; id < NR_PATCHES; id++) {
			if ((patches[id].needs & ~set) != 0)
				set &= ~PATCH_BIT(id);
		}
	}
	return set;
}

bool patch_set_is_closed(u32 set)
{
	return close_up(set) == set && (set & PATCH_MASK & ~existing(patch_series(set))) == 0;
}

struct patch_change patch_switch(u32 set, enum patch_id id, bool on)
{
	struct patch_change change = { .set = set };

	if (id >= NR_PATCHES || (on && !patch_exists(patch_series(set), (int)id)))
		return change;
	if (on) {
		change.set = close_up(set | PATCH_BIT(id));
		change.also_on = change.set & ~set & ~PATCH_BIT(id);
	} else {
		change.set = close_down(set & ~PATCH_BIT(id));
		change.also_off = set & ~change.set & ~PATCH_BIT(id);
	}
	return change;
}

struct patch_change patch_set_series(u32 set, enum series series)
{
	struct patch_change change = { 0 };
	u32 kept = close_down(set & PATCH_MASK & existing(series));

	change.set = kept | (series == SERIES_V3 ? PATCH_BIT(P_SERIES_V3) : 0);
	change.also_off = set & PATCH_MASK & ~kept;
	return change;
}

u32 patch_set_change(u32 set, u32 from, u32 to)
{
	if (patch_series(from) != patch_series(to))
		set = patch_set_series(set, patch_series(to)).set;
	for (u32 id = 0; id < NR_PATCHES; id++) {
		if ((from ^ to) & PATCH_BIT(id))
			set = patch_switch(set, (enum patch_id)id, to & PATCH_BIT(id)).set;
	}
	return set;
}

static int append_numbers(char *buf, int used, u32 mask, enum series series, const char *word)
{
	bool first = true;

	if (!mask)
		return used;
	used += snprintf(buf + used, (size_t)(PATCH_TEXT_MAX - used), "%s", used ? ", " : "");
	for (int n = 1; n <= patch_count(series); n++) {
		if (!(mask & PATCH_BIT(patch_by_number(series, n))))
			continue;
		used += snprintf(buf + used, (size_t)(PATCH_TEXT_MAX - used), "%s%d",
				 first ? "" : ",", n);
		first = false;
	}
	/* Later changes have names. */
	for (u32 id = 0; id < NR_PATCHES; id++) {
		if (!(mask & PATCH_BIT(id)) || patch_number(series, (enum patch_id)id))
			continue;
		used += snprintf(buf + used, (size_t)(PATCH_TEXT_MAX - used), "%s%.12s",
				 first ? "" : ",", patch_name((enum patch_id)id));
		first = false;
	}
	return used + snprintf(buf + used, (size_t)(PATCH_TEXT_MAX - used), " %s", word);
}

char *patch_change_format(u32 from, u32 to, char *buf)
{
	u32 on = to & ~from & PATCH_MASK;
	/* What the other series does not have goes without a word. */
	u32 off = from & ~to & existing(patch_series(to));
	int used = 0;

	buf[0] = '\0';
	if (patch_series(from) != patch_series(to))
		used = snprintf(buf, PATCH_TEXT_MAX, "%s",
				patch_series(to) == SERIES_V3 ? "v3" : "v2");
	used = append_numbers(buf, used, on, patch_series(to), "on");
	used = append_numbers(buf, used, off, patch_series(to), "off");
	if (!used)
		snprintf(buf, PATCH_TEXT_MAX, "nothing");
	return buf;
}

u32 patch_level(enum series series, int n)
{
	u32 set = series == SERIES_V3 ? PATCH_BIT(P_SERIES_V3) : 0;

	for (int i = 1; i <= n; i++)
		set |= PATCH_BIT(patch_by_number(series, i));
	return set;
}

bool patch_set_is_constructed(u32 set)
{
	enum series series = patch_series(set);
	u32 later = set & later_changes();

	/* The released kernels with nikhil have all of V3. */
	if (later)
		return later != PATCH_BIT(P_NIKHIL) ||
		       (set ^ later) != patch_level(SERIES_V3, patch_count(SERIES_V3));
	for (int n = 0; n <= patch_count(series); n++) {
		if (set == patch_level(series, n))
			return false;
	}
	return true;
}

static bool fail(char *error, size_t size, const char *message, const char *word, size_t len)
{
	snprintf(error, size, message, (int)len, word);
	return false;
}

/* One number of a set text; returns the patch or says what is wrong with it. */
static bool number_to_bit(long n, enum series series, u32 *set, char *error, size_t size)
{
	enum patch_id id = patch_by_number(series, n > 0 && n < 100 ? (int)n : 0);

	if (id == P_NONE) {
		if (series == SERIES_V3 && n == 10)
			snprintf(
				error, size,
				"series v3 has patches 1..9: its patch 9 is v2's patch 10, and v2's 9 (count_min) was dropped");
		else
			snprintf(error, size, "series v%d has patches 1..%d, not %ld",
				 series == SERIES_V3 ? 3 : 2, patch_count(series), n);
		return false;
	}
	*set |= PATCH_BIT(id);
	return true;
}

/* Up to four decimal digits at *at; -1 if there are none, or more. */
static long read_number(const char **at)
{
	long n = 0;
	int digits = 0;

	for (; **at >= '0' && **at <= '9'; (*at)++, digits++)
		n = digits < 4 ? n * 10 + (**at - '0') : n;
	return digits >= 1 && digits <= 4 ? n : -1;
}

static bool parse_range(const char *word, size_t len, enum series series, u32 *set, char *error,
			size_t size)
{
	const char *at = word;
	long first = read_number(&at), last = first;

	if (at < word + len && *at == '-') {
		at++;
		last = read_number(&at);
	}
	if (at != word + len || first < 0 || last < 0)
		return fail(error, size,
			    "'%.*s' is not a patch number, a range like 1-7, or a name", word, len);
	if (last < first)
		return fail(error, size, "the range '%.*s' runs backwards", word, len);
	/* Both ends are judged before the walk, so that a huge range ends at once. */
	if (!number_to_bit(last, series, set, error, size))
		return false;
	for (long n = first; n <= last; n++) {
		if (!number_to_bit(n, series, set, error, size))
			return false;
	}
	return true;
}

static bool parse_word(const char *word, size_t len, enum series series, u32 *set, char *error,
		       size_t size)
{
	if (len == 4 && strncmp(word, "none", len) == 0)
		return true;
	if (len == 3 && strncmp(word, "all", len) == 0) {
		*set |= patch_level(series, patch_count(series)) & PATCH_MASK;
		return true;
	}
	for (int id = 0; id < NR_PATCHES; id++) {
		if (strlen(patches[id].name) != len || strncmp(word, patches[id].name, len) != 0)
			continue;
		if (!patch_exists(series, id))
			return fail(error, size, "patch '%.*s' is not part of this series", word,
				    len);
		*set |= PATCH_BIT(id);
		return true;
	}
	return parse_range(word, len, series, set, error, size);
}

bool patch_set_parse(const char *text, enum series series, struct patch_change *change, char *error,
		     size_t size)
{
	u32 set = 0;
	const char *at = text;
	bool none = false;
	size_t nr_words = 1;

	memset(change, 0, sizeof(*change));
	for (;;) {
		size_t len;

		at += strspn(at, " ");
		len = strcspn(at, ", ");
		if (len == 0)
			return fail(error, size,
				    "a patch set is 'none', 'all' or numbers like 1-7,10%.*s", "",
				    0);
		if (!parse_word(at, len, series, &set, error, size))
			return false;
		none |= len == 4 && strncmp(at, "none", len) == 0;
		at += len;
		at += strspn(at, " ");
		if (*at == '\0')
			break;
		if (*at != ',')
			return fail(error, size, "expected a comma before '%.*s'", at, strlen(at));
		at++;
		nr_words++;
	}
	if (none && nr_words > 1)
		return fail(error, size, "'none' stands alone, not in a list%.*s", "", 0);
	change->set = close_up(set) | (series == SERIES_V3 ? PATCH_BIT(P_SERIES_V3) : 0);
	change->also_on = change->set & PATCH_MASK & ~set;
	return true;
}

bool patch_level_parse(const char *text, enum series series, struct patch_change *change,
		       char *error, size_t size)
{
	size_t len = strlen(text);
	char inner[64];
	const char *end = text;
	long n;

	if (strcmp(text, "base") == 0)
		return patch_set_parse("none", series, change, error, size);
	if (text[0] == '[') {
		if (text[len - 1] != ']' || len < 3 || len - 2 >= sizeof(inner))
			return fail(error, size, "'%.*s' is not a set like [1-7,10]", text, len);
		memcpy(inner, text + 1, len - 2);
		inner[len - 2] = '\0';
		return patch_set_parse(inner, series, change, error, size);
	}
	n = read_number(&end);
	if (n >= 0 && *end == '\0') {
		u32 set = 0;

		memset(change, 0, sizeof(*change));
		if (n != 0 && !number_to_bit(n, series, &set, error, size))
			return false;
		change->set = patch_level(series, (int)n);
		return true;
	}
	return patch_set_parse(text, series, change, error, size);
}

char *patch_set_format(u32 set, char *buf)
{
	enum series series = patch_series(set);
	size_t used = 0;

	buf[0] = '\0';
	for (int n = 1; n <= patch_count(series); n++) {
		int last = n;

		if (!(set & PATCH_BIT(patch_by_number(series, n))))
			continue;
		while (last < patch_count(series) &&
		       (set & PATCH_BIT(patch_by_number(series, last + 1))))
			last++;
		used += (size_t)snprintf(buf + used, PATCH_TEXT_MAX - used, "%s%d", used ? "," : "",
					 n);
		if (last > n)
			used += (size_t)snprintf(buf + used, PATCH_TEXT_MAX - used, "%c%d",
						 last == n + 1 ? ',' : '-', last);
		n = last;
	}
	if ((set & PATCH_MASK & ~later_changes()) ==
	    (patch_level(series, patch_count(series)) & PATCH_MASK))
		used = (size_t)snprintf(buf, PATCH_TEXT_MAX, "all");
	for (int id = 0; id < NR_PATCHES; id++) {
		if (is_later(id) && (set & PATCH_BIT(id)))
			used += (size_t)snprintf(buf + used, PATCH_TEXT_MAX - used, "%s%s",
						 used ? "," : "", patches[id].name);
	}
	if (used == 0)
		snprintf(buf, PATCH_TEXT_MAX, "none");
	return buf;
}

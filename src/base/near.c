/* SPDX-License-Identifier: GPL-2.0-only */
#include "near.h"

#include <ctype.h>
#include <string.h>

/* Longer words are no slips of names that we know. */
#define WORD_MAX 63

static int lower(char c)
{
	return tolower((unsigned char)c);
}

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/* The restricted form: no character is edited twice. Three rows of the table are enough. */
size_t base_distance(const char *a, const char *b, size_t limit)
{
	size_t rows[3][WORD_MAX + 1];
	size_t la = strnlen(a, WORD_MAX + 1), lb = strnlen(b, WORD_MAX + 1), i, k;

	if (la > WORD_MAX || lb > WORD_MAX || (la > lb ? la - lb : lb - la) > limit)
		return limit + 1;
	for (k = 0; k <= lb; k++)
		rows[0][k] = k;
	for (i = 1; i <= la; i++) {
		size_t *row = rows[i % 3], *above = rows[(i - 1) % 3];

		row[0] = i;
		for (k = 1; k <= lb; k++) {
			size_t cost = lower(a[i - 1]) != lower(b[k - 1]);

			row[k] = min3(above[k] + 1, row[k - 1] + 1, above[k - 1] + cost);
			if (i > 1 && k > 1 && lower(a[i - 1]) == lower(b[k - 2]) &&
			    lower(a[i - 2]) == lower(b[k - 1]) &&
			    rows[(i - 2) % 3][k - 2] + 1 < row[k])
				row[k] = rows[(i - 2) % 3][k - 2] + 1;
		}
	}
	return rows[la % 3][lb] <= limit ? rows[la % 3][lb] : limit + 1;
}

/* One slip in a short word, two in a middling one, three in a long one. */
static size_t slips_max(size_t len)
{
	return len < 4 ? 1 : len < 8 ? 2 : 3;
}

const char *base_near(const char *word, base_name_fn *name, const void *ctx)
{
	size_t len = strlen(word), limit = slips_max(len), i;
	const char *best = NULL, *candidate;

	if (len == 0)
		return NULL;
	for (i = 0; (candidate = name(ctx, i)); i++) {
		size_t distance = base_distance(word, candidate, limit);

		/* as many slips as letters explain every word */
		if (distance > limit || (distance > 0 && distance >= strlen(candidate)))
			continue;
		best = candidate;
		if (distance == 0)
			break;
		limit = distance - 1;
	}
	if (best)
		return best;
	/* a name cut short: what begins with it, if only one does */
	for (i = 0; len >= 2 && (candidate = name(ctx, i)); i++) {
		if (strncmp(word, candidate, len) != 0)
			continue;
		if (best)
			return NULL;
		best = candidate;
	}
	return best;
}

static const char *list_name(const void *ctx, size_t i)
{
	return ((const char *const *)ctx)[i];
}

const char *base_near_list(const char *word, const char *const *names)
{
	return base_near(word, list_name, names);
}

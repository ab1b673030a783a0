/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers from seeds, and ${rand low high name} in scalars: each student's own values, the same wherever the name stands. */
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "base/number.h"
#include "format.h"

/* One step of splitmix64. */
u64 draw_next(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

u64 draw_hash(u64 seed, const char *text, size_t len)
{
	u64 h = 0xcbf29ce484222325ull ^ seed;

	draw_next(&h);
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3ull;
	return draw_next(&h);
}

u64 draw_below(u64 *state, u64 n)
{
	u64 most = UINT64_MAX - UINT64_MAX % n, v;

	do
		v = draw_next(state);
	while (v >= most);
	return v % n;
}

/* ---- ${...} ---------------------------------------------------------------------------------------------------------- */

enum { DRAWN_MAX = 1000 };

struct drawn {
	char *name;
	s64 low, high, value;
	u32 line;
};

struct draw {
	struct node_doc *doc;
	struct diags *ds;
	u64 seed;
	struct drawn *items;
	size_t nr, cap;
	bool faulty;
	bool declare; /* first pass: ${rand} gives its name a value */
};

static const char *drawn_name(const void *ctx, size_t i)
{
	const struct draw *dr = ctx;

	return i < dr->nr ? dr->items[i].name : NULL;
}

static struct drawn *find(struct draw *dr, const char *name)
{
	for (size_t i = 0; i < dr->nr; i++)
		if (strcmp(dr->items[i].name, name) == 0)
			return &dr->items[i];
	return NULL;
}

static struct diag *fault(struct draw *dr, struct node *n, size_t byte, const char *message)
{
	struct diag *d;
	struct node plain = *n;
	u64 line, column;

	/* the text is still as it stands in the file */
	plain.drawn = false;
	node_byte_place(dr->doc, &plain, byte, &line, &column);
	d = base_diags_add(dr->ds, BASE_ERR_SYNTAX, dr->doc->text.name, line, column, "%s",
			   message);
	base_diag_excerpt_text(d, &dr->doc->text);
	dr->faulty = n->faulty = true;
	return d;
}

static bool is_name(const char *s)
{
	return *s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
			     strlen(s);
}

/* The inside of ${rand ...}: words[1..] are low, high, name. */
static struct drawn *declare(struct draw *dr, struct node *n, size_t byte, char *words[4])
{
	s64 low, high;
	struct drawn *old;
	struct diag d;
	char message[256];
	u64 state;

	if (base_parse_int(words[1], strlen(words[1]), -1000000000000, 1000000000000, &low, &d) ||
	    base_parse_int(words[2], strlen(words[2]), low, 1000000000000, &high, &d)) {
		snprintf(message, sizeof(message), "in ${rand}: %.200s", d.message);
		base_diag_hint(fault(dr, n, byte, message), "%s",
			       d.hint[0] ? d.hint : "expected ${rand LOW HIGH NAME}");
		return NULL;
	}
	old = find(dr, words[3]);
	if (old && (old->low != low || old->high != high)) {
		snprintf(message, sizeof(message),
			 "${rand} gives '%.60s' another range than in line %u", words[3],
			 old->line);
		base_diag_hint(fault(dr, n, byte, message),
			       "${%s} alone stands for the value once it is drawn", words[3]);
		return NULL;
	}
	if (old)
		return old;
	if (dr->nr == DRAWN_MAX) {
		fault(dr, n, byte, "more than 1000 names are drawn");
		return NULL;
	}
	if (dr->nr == dr->cap) {
		dr->cap = dr->cap * 2 + 16;
		dr->items = realloc(dr->items, dr->cap * sizeof(*dr->items));
		BASE_CHECK(dr->items != NULL, "%zu values", dr->cap);
	}
	old = &dr->items[dr->nr++];
	*old = (struct drawn){ .name = base_strdup(words[3]), .low = low, .high = high };
	old->line = n->line;
	state = draw_hash(dr->seed, words[3], strlen(words[3]));
	old->value = low + (s64)draw_below(&state, (u64)(high - low) + 1);
	return old;
}

/* One ${...} of a scalar: inside is NUL-terminated. NULL after a fault; in the first pass also for a mere name. */
static struct drawn *one(struct draw *dr, struct node *n, size_t byte, char *inside)
{
	char *words[5], *save = NULL, message[256];
	struct drawn *d;
	size_t nr = 0;
	const char *near;

	for (char *w = strtok_r(inside, " \t\n", &save); w && nr < 5;
	     w = strtok_r(NULL, " \t\n", &save))
		words[nr++] = w;
	if (nr == 4 && strcmp(words[0], "rand") == 0 && is_name(words[3]))
		return dr->declare ? declare(dr, n, byte, words) : find(dr, words[3]);
	if (nr != 1 || !is_name(words[0]) || strcmp(words[0], "rand") == 0) {
		if (dr->declare)
			base_diag_hint(
				fault(dr, n, byte, "${...} is not understood"),
				"expected ${rand LOW HIGH NAME}, or ${NAME} of one drawn so");
		return NULL;
	}
	if (dr->declare)
		return NULL;
	d = find(dr, words[0]);
	if (d)
		return d;
	near = base_near(words[0], drawn_name, dr);
	snprintf(message, sizeof(message), "nothing with the name '%.60s' is drawn", words[0]);
	if (near)
		base_diag_hint(fault(dr, n, byte, message), "did you mean ${%s}?", near);
	else
		base_diag_hint(fault(dr, n, byte, message),
			       "expected ${rand LOW HIGH %s} somewhere", words[0]);
	return NULL;
}

static void scalar(struct draw *dr, struct node *n)
{
	char *out = NULL, inside[128];
	size_t size = 0, at = 0;
	FILE *f;

	if (!strstr(n->text, "${"))
		return;
	f = open_memstream(&out, &size);
	BASE_CHECK(f != NULL, "%zu bytes", n->len);
	while (at < n->len) {
		struct drawn *d = NULL;
		const char *end;

		if (n->text[at] != '$' || n->text[at + 1] != '{') {
			putc(n->text[at++], f);
			continue;
		}
		end = strchr(n->text + at, '}');
		if (!end || (size_t)(end - n->text) - at - 2 >= sizeof(inside)) {
			if (dr->declare)
				base_diag_hint(fault(dr, n, at, "${ without its }"),
					       "expected ${rand LOW HIGH NAME}");
			break;
		}
		snprintf(inside, sizeof(inside), "%.*s", (int)(end - n->text - (long)at - 2),
			 n->text + at + 2);
		d = one(dr, n, at, inside);
		if (d)
			fprintf(f, "%lld", (long long)d->value);
		at = (size_t)(end - n->text) + 1;
	}
	fclose(f);
	if (!dr->declare && !n->faulty) {
		n->text = node_alloc(dr->doc, size + 1);
		memcpy(n->text, out, size);
		n->len = size;
		n->drawn = true;
	}
	free(out);
}

static void walk(struct draw *dr, struct node *n)
{
	if (n->visited == dr->declare)
		return;
	n->visited = dr->declare;
	if (n->kind == NODE_SCALAR)
		scalar(dr, n);
	for (u32 i = 0; i < n->nr; i++)
		walk(dr, n->items[i]);
}

enum base_err draw_values(struct node_doc *doc, u64 seed, struct diags *ds)
{
	struct draw dr = { .doc = doc, .ds = ds, .seed = seed, .declare = true };

	walk(&dr, doc->root);
	dr.declare = false;
	walk(&dr, doc->root);
	for (size_t i = 0; i < dr.nr; i++)
		free(dr.items[i].name);
	free(dr.items);
	return dr.faulty ? BASE_ERR_SYNTAX : BASE_ERR_OK;
}

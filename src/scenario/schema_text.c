/* SPDX-License-Identifier: GPL-2.0-only */
/* The keys of the formats as a text for people, from the tables. */
#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "schema.h"

static void put_words(char *buf, size_t size, const char *const *words)
{
	size_t at = 0;

	for (size_t i = 0; words[i] && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%s", i ? " | " : "", words[i]);
}

static void put_range(char *buf, size_t size, const char *what, s64 min, s64 max)
{
	if (min == max)
		snprintf(buf, size, "%s %" PRId64, what, min);
	else
		snprintf(buf, size, "%s %" PRId64 "..%" PRId64, what, min, max);
}

static void machine_kind(char *buf, size_t size, const struct machine_key *key)
{
	if (key->words)
		put_words(buf, size, key->words);
	else if (key->type == MKEY_SIZE)
		snprintf(buf, size, "size");
	else if (key->type == MKEY_SCALE)
		snprintf(buf, size, "0..6 | none");
	else
		put_range(buf, size, "number", mkey_min(key), key->max);
}

static void kind(char *buf, size_t size, const struct field_spec *f)
{
	switch (f->type) {
	case FT_INT:
		put_range(buf, size, "number", f->min, f->max);
		break;
	case FT_SIZE:
		snprintf(buf, size, "size");
		break;
	case FT_TIME:
		snprintf(buf, size, "time");
		break;
	case FT_BOOL:
		snprintf(buf, size, "true | false");
		break;
	case FT_WORD:
		put_words(buf, size, f->words);
		break;
	case FT_TEXT:
		snprintf(buf, size, "text");
		break;
	case FT_EXPR:
		snprintf(buf, size, "expression");
		break;
	case FT_NAME:
		snprintf(buf, size, "name");
		break;
	case FT_SCALARS:
		put_range(buf, size, "list of", f->min, f->max);
		break;
	case FT_ARGS:
		snprintf(buf, size, "names with values");
		break;
	case FT_MKEY:
		machine_kind(buf, size, machine_key_find(f->key));
		break;
	case FT_MAP:
		snprintf(buf, size, "-> %s", f->sub->name);
		break;
	case FT_LIST:
		snprintf(buf, size, "list of -> %s", f->sub->name);
		break;
	}
}

/* What stands for a key that is left out, "" if nothing worth telling. */
static void put_default(char *buf, size_t size, const struct field_spec *f)
{
	const struct machine_key *key = f->type == FT_MKEY ? machine_key_find(f->key) : NULL;

	buf[0] = '\0';
	if (f->required)
		snprintf(buf, size, "; required");
	else if (key && key->type == MKEY_SIZE && key->def > 0)
		base_format_size(buf + snprintf(buf, size, "; "), (u64)key->def);
	else if (key && key->words)
		snprintf(buf, size, "; %s", key->words[key->def]);
	else if (key && key->def >= 0)
		snprintf(buf, size, "; %" PRId64, key->def);
	else if (f->type == FT_INT && f->def >= f->min)
		snprintf(buf, size, "; %" PRId64, f->def);
	else if (f->type == FT_WORD && f->def >= 0)
		snprintf(buf, size, "; %s", f->words[f->def]);
}

static void write_map(FILE *out, const struct map_spec *m)
{
	fprintf(out, "%s: %s", m->name, m->help);
	if (m->plain == one_of)
		fprintf(out, "; exactly one of");
	else if (m->plain)
		fprintf(out, "; a plain value is its %s", m->plain);
	putc('\n', out);
	for (const struct field_spec *f = m->fields; f->key; f++) {
		char what[200], def[BASE_FORMAT_MAX + 16];

		kind(what, sizeof(what), f);
		put_default(def, sizeof(def), f);
		fprintf(out, "  %-14s %s [%s%s]\n", f->key, f->help ? f->help : f->sub->help, what,
			def);
	}
}

/* The tables stand parts first; a reader begins with the whole. Answer files come last. */
void scn_keys_write(FILE *out)
{
	size_t nr = 0;

	while (map_specs[nr])
		nr++;
	while (nr-- > 0) {
		if (map_specs[nr] == &spec_answers || strcmp(map_specs[nr]->name, "arg") == 0)
			continue;
		write_map(out, map_specs[nr]);
		putc('\n', out);
	}
	write_map(out, &spec_answers);
}

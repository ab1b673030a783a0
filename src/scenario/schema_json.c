/* SPDX-License-Identifier: GPL-2.0-only */
/* The JSON Schema (draft 2020-12) of a scenario file, for editors: one definition for each table. */
#include <string.h>

#include "base/json.h"
#include "schema.h"

/* ${rand low high name} may stand where a number or a word does. */
static void drawn_pattern(struct base_json *j)
{
	base_json_object(j);
	base_json_kv_string(j, "type", "string");
	base_json_kv_string(j, "pattern", "\\$\\{.+\\}");
	base_json_close(j);
}

static void integer(struct base_json *j, s64 min, s64 max)
{
	base_json_object(j);
	base_json_kv_string(j, "type", "integer");
	base_json_kv_int(j, "minimum", min);
	base_json_kv_int(j, "maximum", max);
	base_json_close(j);
}

static void words(struct base_json *j, const char *const *list)
{
	base_json_object(j);
	base_json_key(j, "enum");
	base_json_array(j);
	for (size_t i = 0; list[i]; i++)
		base_json_string(j, list[i]);
	base_json_close(j);
	base_json_close(j);
}

static void typed(struct base_json *j, const char *type, const char *pattern)
{
	base_json_object(j);
	base_json_kv_string(j, "type", type);
	if (pattern)
		base_json_kv_string(j, "pattern", pattern);
	base_json_close(j);
}

/* A plain value: an editor sees a number or a boolean where it looks like one. */
static void plain_types(struct base_json *j)
{
	base_json_key(j, "type");
	base_json_array(j);
	base_json_string(j, "string");
	base_json_string(j, "number");
	base_json_string(j, "boolean");
	base_json_close(j);
}

static void machine_key(struct base_json *j, const struct machine_key *key)
{
	if (key->type == MKEY_BOOL)
		typed(j, "boolean", NULL);
	else if (key->words)
		words(j, key->words);
	else
		integer(j, mkey_min(key), key->type == MKEY_SCALE ? 6 : key->max);
	if (key->type == MKEY_SIZE)
		typed(j, "string", "^[0-9]+(B|KiB|MiB|GiB|TiB)$");
	if (key->type == MKEY_SCALE)
		words(j, (const char *const[]){ "none", NULL });
}

/* The alternatives of a value. */
static void alternatives(struct base_json *j, const struct field_spec *f)
{
	switch (f->type) {
	case FT_SIZE:
		typed(j, "string", "^[0-9]+(B|KiB|MiB|GiB|TiB)$");
		integer(j, f->min, f->max);
		break;
	case FT_TIME:
		typed(j, "string", "^(0|[0-9]+(ns|us|ms|s|min|h))$");
		break;
	case FT_INT:
		integer(j, f->min, f->max);
		break;
	case FT_BOOL:
		typed(j, "boolean", NULL);
		break;
	case FT_WORD:
		words(j, f->words);
		break;
	case FT_MKEY:
		machine_key(j, machine_key_find(f->key));
		break;
	default:
		break;
	}
	drawn_pattern(j);
}

static void reference(struct base_json *j, const struct map_spec *spec)
{
	char ref[64];

	snprintf(ref, sizeof(ref), "#/$defs/%s", spec->name);
	base_json_kv_string(j, "$ref", ref);
}

/* The members of a value's schema. */
static void field_members(struct base_json *j, const struct field_spec *f)
{
	switch (f->type) {
	case FT_MAP:
		reference(j, f->sub);
		break;
	case FT_LIST:
		base_json_kv_string(j, "type", "array");
		base_json_kv_int(j, "minItems", 1);
		base_json_key(j, "items");
		base_json_object(j);
		reference(j, f->sub);
		base_json_close(j);
		break;
	case FT_SCALARS:
		base_json_kv_string(j, "type", "array");
		base_json_kv_int(j, "minItems", f->min);
		base_json_kv_int(j, "maxItems", f->max);
		base_json_key(j, "items");
		base_json_object(j);
		plain_types(j);
		base_json_close(j);
		break;
	case FT_ARGS:
		base_json_kv_string(j, "type", "object");
		break;
	case FT_NAME:
		base_json_kv_string(j, "type", "string");
		base_json_kv_string(j, "pattern", "^[A-Za-z0-9_-]{1,60}$");
		break;
	case FT_TEXT:
	case FT_EXPR:
		plain_types(j);
		break;
	default:
		base_json_key(j, "anyOf");
		base_json_array(j);
		alternatives(j, f);
		base_json_close(j);
	}
}

/* A key that two entries share takes either. */
static void field(struct base_json *j, const struct map_spec *spec, const struct field_spec *f)
{
	base_json_key(j, f->key);
	base_json_object(j);
	base_json_kv_string(j, "description", f->help ? f->help : f->sub->help);
	for (const struct field_spec *g = f + 1; g->key; g++) {
		if (strcmp(g->key, f->key) != 0)
			continue;
		base_json_key(j, "anyOf");
		base_json_array(j);
		base_json_object(j);
		field_members(j, f);
		base_json_close(j);
		base_json_object(j);
		field_members(j, g);
		base_json_close(j);
		base_json_close(j);
		base_json_close(j);
		return;
	}
	for (const struct field_spec *g = spec->fields; g != f; g++)
		BASE_CHECK(strcmp(g->key, f->key) != 0, "%s twice", f->key);
	field_members(j, f);
	base_json_close(j);
}

static bool seen_before(const struct map_spec *spec, const struct field_spec *f)
{
	for (const struct field_spec *g = spec->fields; g != f; g++)
		if (strcmp(g->key, f->key) == 0)
			return true;
	return false;
}

static void map_members(struct base_json *j, const struct map_spec *spec)
{
	base_json_kv_string(j, "type", "object");
	base_json_kv_bool(j, "additionalProperties", false);
	if (spec->plain == one_of) {
		base_json_kv_int(j, "minProperties", 1);
		base_json_kv_int(j, "maxProperties", 1);
	}
	base_json_key(j, "properties");
	base_json_object(j);
	for (const struct field_spec *f = spec->fields; f->key; f++)
		if (!seen_before(spec, f))
			field(j, spec, f);
	base_json_close(j);
	base_json_key(j, "required");
	base_json_array(j);
	for (const struct field_spec *f = spec->fields; f->key; f++)
		if (f->required)
			base_json_string(j, f->key);
	base_json_close(j);
}

static void definition(struct base_json *j, const struct map_spec *spec)
{
	base_json_key(j, spec->name);
	base_json_object(j);
	base_json_kv_string(j, "description", spec->help);
	if (spec->plain && spec->plain != one_of) {
		base_json_key(j, "anyOf");
		base_json_array(j);
		base_json_object(j);
		plain_types(j);
		base_json_close(j);
		base_json_object(j);
		map_members(j, spec);
		base_json_close(j);
		base_json_close(j);
	} else {
		map_members(j, spec);
	}
	base_json_close(j);
}

void scn_schema_write(struct base_json *j)
{
	base_json_object(j);
	base_json_kv_string(j, "$schema", "https://json-schema.org/draft/2020-12/schema");
	base_json_kv_string(j, "title", "pageset scenario");
	reference(j, &spec_scenario);
	base_json_key(j, "$defs");
	base_json_object(j);
	for (size_t i = 0; map_specs[i]; i++)
		if (map_specs[i] != &spec_answers && strcmp(map_specs[i]->name, "arg") != 0)
			definition(j, map_specs[i]);
	base_json_close(j);
	base_json_close(j);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of format.def as data: fields with their kinds and bounds. Only schema*.c call this. */
#ifndef SCENARIO_SCHEMA_H
#define SCENARIO_SCHEMA_H

#include <cyaml/cyaml.h>

#include "format.h"

enum field_type {
	FT_INT,
	FT_SIZE,
	FT_TIME,
	FT_BOOL,
	FT_WORD,
	FT_TEXT,
	FT_EXPR,
	FT_NAME,
	FT_SCALARS,
	FT_ARGS,
	FT_MKEY,
	FT_MAP,
	FT_LIST,
};

struct field_spec {
	const char *key;    /* in the file; NULL ends the table */
	const char *member; /* in the struct, and in what libcyaml is given */
	enum field_type type;
	bool required;
	s64 min, max, def;
	const char *const *words;
	const struct map_spec *sub;
	u32 offset, count_offset;
	const char *help;
};

struct map_spec {
	const char *name;
	const char *plain; /* the key that a plain value stands for; one_of: exactly one key */
	const char *help;
	const struct field_spec *fields;
	const cyaml_schema_value_t *cyaml;
};

extern const char one_of[];
/* All tables, for the JSON Schema; ends with NULL. */
extern const struct map_spec *const map_specs[];

/* Bounds of a machine key for a person: -1 as "not given" is nothing to write. */
s64 mkey_min(const struct machine_key *key);

#endif

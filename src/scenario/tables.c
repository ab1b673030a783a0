/* SPDX-License-Identifier: GPL-2.0-only */
/* format.def made into libcyaml's schemas and into the tables of schema.h. */
#include "schema.h"

const char *const scn_level_names[] = { "beginner", "intermediate", "advanced", NULL };
/* U, M and R are the short forms: the index modulo 3 is the migratetype */
const char *const scn_type_words[] = {
	"unmovable", "movable", "reclaimable", "U", "M", "R", NULL,
};
const char *const scn_must_words[] = { "succeed", "fail", NULL };
const char *const scn_order_words[] = { "oldest", "newest", "shuffled", NULL };
const char *const scn_series_words[] = { "v2", "v3", NULL };
const char *const scn_pane_words[] = {
	"cpu", "why",	"code", "leaving", "whatif", "events", "lists",	 "plot", "lanes",
	"log", "stack", "zone", "buddy",   "memory", "struct", "lesson", NULL,
};

const char one_of[] = "";
#define ONE_OF one_of

/* ---- libcyaml: names of members as keys, everything there, since the text was made complete before ---------------------- */

#define BEGIN(map, plain, help)                                \
	extern const cyaml_schema_field_t cy_##map##_fields[]; \
	extern const cyaml_schema_value_t cy_##map;
#include "format.def"

static const cyaml_schema_value_t cy_text = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED),
};

#define BEGIN(map, plain, help) const cyaml_schema_field_t cy_##map##_fields[] = {
#define NUMBER(map, member) CYAML_FIELD_INT(#member, CYAML_FLAG_DEFAULT, struct fmt_##map, member),
#define INT(map, member, key, flags, min, max, def, help) NUMBER(map, member)
#define SIZE(map, member, key, flags, min, max, def, help) NUMBER(map, member)
#define TIME(map, member, key, flags, min, max, def, help) NUMBER(map, member)
#define WORD(map, member, key, flags, words, def, help) NUMBER(map, member)
#define KEY_OF_MACHINE(map, member, help) NUMBER(map, member)
#define BOOL(map, member, key, flags, def, help) \
	CYAML_FIELD_BOOL(#member, CYAML_FLAG_DEFAULT, struct fmt_##map, member),
#define STRING(map, member)                                                              \
	CYAML_FIELD_STRING_PTR(#member, CYAML_FLAG_POINTER, struct fmt_##map, member, 0, \
			       CYAML_UNLIMITED),
#define TEXT(map, member, key, flags, help) STRING(map, member)
#define EXPR(map, member, key, flags, help) STRING(map, member)
#define NAME(map, member, key, flags, help) STRING(map, member)
#define SEQUENCE(map, member, entry)                                                           \
	CYAML_FIELD_SEQUENCE(#member, CYAML_FLAG_POINTER, struct fmt_##map, member, &entry, 0, \
			     CYAML_UNLIMITED),
#define SCALARS(map, member, key, flags, min, max, help) SEQUENCE(map, member, cy_text)
#define ARGS(map, member, key, flags, help) SEQUENCE(map, member, cy_arg)
#define LIST(map, member, key, flags, sub, help) SEQUENCE(map, member, cy_##sub)
#define MAP(map, member, key, flags, sub, help)                                    \
	CYAML_FIELD_MAPPING_PTR(#member, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, \
				struct fmt_##map, member, cy_##sub##_fields),
#define END(map)                                                                              \
	CYAML_FIELD_END                                                                       \
	}                                                                                     \
	;                                                                                     \
	const cyaml_schema_value_t cy_##map = {                                               \
		CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct fmt_##map, cy_##map##_fields), \
	};                                                                                    \
	static const cyaml_schema_value_t cy_##map##_root = {                                 \
		CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct fmt_##map, cy_##map##_fields), \
	};
#include "format.def"
#undef NUMBER
#undef STRING
#undef SEQUENCE

/* ---- the tables against which nodes are checked -------------------------------------------------------------------------- */

#define BEGIN(map, plain, help) extern const struct map_spec spec_##map;
#include "format.def"

#define REQ true
#define AT(map, member) .offset = offsetof(struct fmt_##map, member)
#define COUNT_AT(map, member) .count_offset = offsetof(struct fmt_##map, member##_count)

#define BEGIN(map, plain, help) static const struct field_spec fields_##map[] = {
#define NUMBER(type_, map, member_, key_, flags, min_, max_, def_, help_) \
	{ .key = key_,                                                    \
	  .member = #member_,                                             \
	  .type = type_,                                                  \
	  .required = flags,                                              \
	  .min = min_,                                                    \
	  .max = max_,                                                    \
	  .def = def_,                                                    \
	  .help = help_,                                                  \
	  AT(map, member_) },
#define INT(map, member, key, flags, min, max, def, help) \
	NUMBER(FT_INT, map, member, key, flags, min, max, def, help)
#define SIZE(map, member, key, flags, min, max, def, help) \
	NUMBER(FT_SIZE, map, member, key, flags, min, max, def, help)
#define TIME(map, member, key, flags, min, max, def, help) \
	NUMBER(FT_TIME, map, member, key, flags, min, max, def, help)
#define BOOL(map, member, key, flags, def, help) \
	NUMBER(FT_BOOL, map, member, key, flags, 0, 1, def, help)
#define KEY_OF_MACHINE(map, member, help) \
	NUMBER(FT_MKEY, map, member, #member, 0, 0, 0, KEY_ABSENT, help)
#define WORD(map, member_, key_, flags, words_, def_, help_) \
	{ .key = key_,                                       \
	  .member = #member_,                                \
	  .type = FT_WORD,                                   \
	  .required = flags,                                 \
	  .words = words_,                                   \
	  .def = def_,                                       \
	  .help = help_,                                     \
	  AT(map, member_) },
#define STRING(type_, map, member_, key_, flags, help_) \
	{ .key = key_,                                  \
	  .member = #member_,                           \
	  .type = type_,                                \
	  .required = flags,                            \
	  .help = help_,                                \
	  AT(map, member_) },
#define TEXT(map, member, key, flags, help) STRING(FT_TEXT, map, member, key, flags, help)
#define EXPR(map, member, key, flags, help) STRING(FT_EXPR, map, member, key, flags, help)
#define NAME(map, member, key, flags, help) STRING(FT_NAME, map, member, key, flags, help)
#define SCALARS(map, member_, key_, flags, min_, max_, help_) \
	{ .key = key_,                                        \
	  .member = #member_,                                 \
	  .type = FT_SCALARS,                                 \
	  .required = flags,                                  \
	  .min = min_,                                        \
	  .max = max_,                                        \
	  .help = help_,                                      \
	  AT(map, member_),                                   \
	  COUNT_AT(map, member_) },
#define ARGS(map, member_, key_, flags, help_) \
	{ .key = key_,                         \
	  .member = #member_,                  \
	  .type = FT_ARGS,                     \
	  .required = flags,                   \
	  .help = help_,                       \
	  .sub = &spec_arg,                    \
	  AT(map, member_),                    \
	  COUNT_AT(map, member_) },
#define MAP(map, member_, key_, flags, sub_, help_) \
	{ .key = key_,                              \
	  .member = #member_,                       \
	  .type = FT_MAP,                           \
	  .required = flags,                        \
	  .help = help_,                            \
	  .sub = &spec_##sub_,                      \
	  AT(map, member_) },
#define LIST(map, member_, key_, flags, sub_, help_) \
	{ .key = key_,                               \
	  .member = #member_,                        \
	  .type = FT_LIST,                           \
	  .required = flags,                         \
	  .help = help_,                             \
	  .sub = &spec_##sub_,                       \
	  AT(map, member_),                          \
	  COUNT_AT(map, member_) },
#define END(map)            \
	{                   \
		.key = NULL \
	}                   \
	}                   \
	;
#include "format.def"
#undef NUMBER
#undef STRING

#define BEGIN(map, plain_, help_)                                    \
	const struct map_spec spec_##map = { .name = #map,           \
					     .plain = plain_,        \
					     .help = help_,          \
					     .fields = fields_##map, \
					     .cyaml = &cy_##map##_root };
#include "format.def"

const struct map_spec *const map_specs[] = {
#define BEGIN(map, plain, help) &spec_##map,
#include "format.def"
	NULL,
};

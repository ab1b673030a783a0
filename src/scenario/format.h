/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The formats as C structs (struct fmt_alloc ...) and as tables (struct map_spec), both from format.def. schema.c checks a
 * tree of nodes against a table, has libcyaml load it, and writes the JSON Schema. Only the scenario part calls this.
 */
#ifndef SCENARIO_FORMAT_H
#define SCENARIO_FORMAT_H

#include "core/machine.h"
#include "node.h"
#include "scenario.h"

#define KEY_ABSENT INT64_MIN

extern const char *const scn_type_words[],
	*const scn_must_words[], *const scn_order_words[], *const scn_series_words[],
								   *const scn_pane_words[];

enum { ORDER_OLDEST, ORDER_NEWEST, ORDER_SHUFFLED };
enum { MUST_SUCCEED, MUST_FAIL };

/* Each begins with the node that it was loaded from. */
#define BEGIN(map, plain, help) struct fmt_##map;
#include "format.def"

#define BEGIN(map, plain, help) \
	struct fmt_##map {      \
		const struct node *node;
#define INT(map, member, key, flags, min, max, def, help) s64 member;
#define SIZE(map, member, key, flags, min, max, def, help) s64 member;
#define TIME(map, member, key, flags, min, max, def, help) s64 member;
#define BOOL(map, member, key, flags, def, help) bool member;
#define WORD(map, member, key, flags, words, def, help) s64 member;
#define TEXT(map, member, key, flags, help) char *member;
#define EXPR(map, member, key, flags, help) char *member;
#define NAME(map, member, key, flags, help) char *member;
#define SCALARS(map, member, key, flags, min, max, help) \
	char **member;                                   \
	u32 member##_count;
#define ARGS(map, member, key, flags, help) \
	struct fmt_arg *member;             \
	u32 member##_count;
#define KEY_OF_MACHINE(map, member, help) s64 member;
#define MAP(map, member, key, flags, sub, help) struct fmt_##sub *member;
#define LIST(map, member, key, flags, sub, help) \
	struct fmt_##sub *member;                \
	u32 member##_count;
#define END(map) \
	}        \
	;
#include "format.def"

struct map_spec;
extern const struct map_spec spec_scenario, spec_machine, spec_answers;

/*
 * Checks a document against a table and loads it through libcyaml: *data is a struct fmt_... with places, to be given back
 * by schema_free(). All faults go to @ds.
 */
/*
 * schema_load() of what is sound: entries of lists and keys of the whole that have a fault are told, taken out of @doc, and
 * the rest is loaded. *data is NULL if that makes nothing whole.
 */
enum base_err schema_load_sound(struct node_doc *doc, const struct map_spec *spec, void **data,
				struct diags *ds);
enum base_err schema_load(struct node_doc *doc, const struct map_spec *spec, void **data,
			  struct diags *ds);
void schema_free(const struct map_spec *spec, void *data);

/* The node of a key of what was loaded, or the whole if it is not there. */
const struct node *schema_node(const struct node *whole, const char *key);

/* Replaces ${rand low high name} and ${name} in all scalars. */
enum base_err draw_values(struct node_doc *doc, u64 seed, struct diags *ds);

/* A well-mixed number out of a seed and a text. */
u64 draw_hash(u64 seed, const char *text, size_t len);
u64 draw_next(u64 *state);
/* 0 <= result < n, without bias. */
u64 draw_below(u64 *state, u64 n);

#endif

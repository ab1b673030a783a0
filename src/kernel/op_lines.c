/* SPDX-License-Identifier: GPL-2.0-only */
#include "op_lines.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "vectors.h"

/*
 * Variants
 */

static const struct {
	const char *name, *set;
} subsets[] = {
	{ "S1", "1" },
	{ "S123", "1-3" },
	{ "S4", "4" },
	{ "S45", "4,5" },
	{ "S6", "6" },
	{ "S4567", "4-7" },
	{ "S45678", "4-8" },
	{ "S45679", "4-7,9" },
	{ "S456789", "4-9" },
	{ "S4to10", "4-10" },
	{ "S1to8p10", "1-8,10" },
	{ "S1to7p10", "1-7,10" },
	{ "S23", "2,3" },
	{ "S1236", "1-3,6" },
	{ "S467", "4,6,7" },
	{ "S4678", "4,6-8" },
	{ "S4679", "4,6,7,9" },
	{ "S410", "4,10" },
	{ "S1to5p10", "1-5,10" },
	{ "S1to6p10", "1-6,10" },
	{ "S2to10", "2-10" },
	{ "S1p4to10", "1,4-10" },
	{ "Sx5", "1-4,6-10" },
	{ "Sx8", "1-7,9,10" },
};

static bool level_number(const char *text, int max, int *n)
{
	u64 value;

	if (base_parse_uint(text, strlen(text), 0, (u64)max, &value, NULL))
		return false;
	*n = (int)value;
	return true;
}

bool kern_vec_variant(const char *name, u32 *patches)
{
	struct patch_change change;
	char error[120];
	int n;

	if (name[0] == 'L' && level_number(name + 1, 10, &n)) {
		*patches = patch_level(SERIES_V2, n);
		return true;
	}
	if (strncmp(name, "V3L", 3) == 0 && level_number(name + 3, 9, &n) && n > 0) {
		*patches = patch_level(SERIES_V3, n);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(subsets); i++) {
		if (strcmp(name, subsets[i].name) != 0)
			continue;
		if (!patch_set_parse(subsets[i].set, SERIES_V2, &change, error, sizeof(error)))
			return false;
		*patches = change.set;
		return true;
	}
	return false;
}

static bool malformed(struct kern_op_lines *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static bool malformed(struct kern_op_lines *r, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	r->malformed = true;
	base_diag_set(r->diag, BASE_ERR_SYNTAX, r->name, r->line, 0, "%s", text);
	return false;
}

char *kern_next_word(struct kern_words *w)
{
	char *word;

	w->at += strspn(w->at, " ");
	if (!*w->at)
		return NULL;
	word = w->at;
	w->at += strcspn(w->at, " ");
	if (*w->at)
		*w->at++ = '\0';
	return word;
}

static bool word_number(struct kern_op_lines *r, struct kern_words *w, const char *what, u64 max,
			u64 *out)
{
	const char *word = kern_next_word(w);
	struct diag d;

	if (!word)
		return malformed(r, "%s is missing", what);
	if (base_parse_uint(word, strlen(word), 0, max, out, &d))
		return malformed(r, "%s: %s", what, d.message);
	return true;
}

bool kern_op_is_alloc(const struct op *op)
{
	return op->kind == OP_ALLOC || op->kind == OP_ALLOCN || op->kind == OP_BULK;
}

/*
 * Operations
 */

static bool room_for_slots(struct kern_op_lines *r, u64 n)
{
	u32 *slots;

	if (n <= r->slots_cap)
		return true;
	slots = realloc(r->slots, n * sizeof(*slots));
	if (!slots)
		return malformed(r, "no memory for %llu blocks", (unsigned long long)n);
	r->slots = slots;
	r->slots_cap = (u32)n;
	return true;
}

static void remember_live(struct kern_op_lines *r, u32 slot)
{
	if (r->nr_live == r->cap_live) {
		u32 *live = base_alloc(r->cap_live * 2 + 1024, sizeof(*live));

		if (r->nr_live)
			memcpy(live, r->live, r->nr_live * sizeof(*live));
		free(r->live);
		r->live = live;
		r->cap_live = r->cap_live * 2 + 1024;
	}
	r->live[r->nr_live++] = slot;
}

/* Drop dead entries, so that index k is the k-th oldest live allocation. */
static void compact_live(struct kern_op_lines *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->nr_live; i++) {
		struct slot_info info;

		if (sim_slot_info(r->sim, r->live[i], &info) && info.live)
			r->live[kept++] = r->live[i];
	}
	r->nr_live = kept;
}

/* "@k" or "@k*n": n live allocations from the k-th oldest on; -1 is the newest. */
static bool add_by_age(struct kern_op_lines *r, char *word, u32 *n)
{
	char *star = strchr(word, '*');
	u64 many = 1;
	s64 k;

	if (star) {
		*star = '\0';
		if (base_parse_uint(star + 1, strlen(star + 1), 1, SIM_OP_LIST_MAX, &many, NULL))
			return malformed(r, "'%s' is no number of blocks", star + 1);
	}
	if (base_parse_int(word + 1, strlen(word + 1), INT32_MIN, INT32_MAX, &k, NULL))
		return malformed(r, "'%s' does not name an allocation by its age", word);
	compact_live(r);
	if (k < 0)
		k += (s64)r->nr_live;
	if (k < 0 || (u64)k + many > r->nr_live)
		return malformed(r, "'%s': only %zu allocations are live", word, r->nr_live);
	if (!room_for_slots(r, *n + many))
		return false;
	memcpy(r->slots + *n, r->live + k, many * sizeof(*r->live));
	*n += (u32)many;
	return true;
}

static bool add_pfn(struct kern_op_lines *r, u64 pfn, s64 order, u32 *n)
{
	struct page_info info;

	if (!sim_page_info(r->sim, pfn, &info) || info.state != PG_LIVE || info.pfn != pfn)
		return malformed(r, "pfn %llu is not the first page of a live block",
				 (unsigned long long)pfn);
	if (order >= 0 && info.order != (u64)order)
		return malformed(r, "the block at pfn %llu is of order %u, not %lld",
				 (unsigned long long)pfn, info.order, (long long)order);
	r->slots[(*n)++] = info.slot;
	return true;
}

/* One word of a list of blocks: a pfn, a run "a..b", or an age. @order -1: any. */
static bool add_blocks(struct kern_op_lines *r, char *word, s64 order, u32 *n)
{
	char *dots = strstr(word, "..");
	u64 first, last, size = order > 0 ? 1ull << order : 1, many;

	if (word[0] == '@')
		return add_by_age(r, word, n);
	if (dots)
		*dots = '\0';
	if (base_parse_uint(word, strlen(word), 0, MACHINE_PFN_MAX, &first, NULL) ||
	    (dots && base_parse_uint(dots + 2, strlen(dots + 2), 0, MACHINE_PFN_MAX, &last, NULL)))
		return malformed(r, "'%s' is no pfn", word);
	if (!dots)
		last = first;
	many = (first < last ? last - first : first - last) / size + 1;
	if (*n + many > SIM_OP_LIST_MAX)
		return malformed(r, "more than %d blocks in one operation", SIM_OP_LIST_MAX);
	if (!room_for_slots(r, *n + many))
		return false;
	for (u64 i = 0; i < many; i++) {
		if (!add_pfn(r, first < last ? first + i * size : first - i * size, order, n))
			return false;
	}
	return true;
}

static bool parse_type(struct kern_op_lines *r, struct kern_words *w, struct op *op)
{
	const char *word = kern_next_word(w);

	if (!word || !strchr("UMR", word[0]) || word[0] == '\0' || word[1])
		return malformed(r, "the migratetype must be U, M or R");
	op->type = word[0] == 'U' ? MIGRATE_UNMOVABLE :
		   word[0] == 'M' ? MIGRATE_MOVABLE :
				    MIGRATE_RECLAIMABLE;
	return true;
}

static bool parse_flags(struct kern_op_lines *r, struct kern_words *w, struct op *op)
{
	for (const char *word; (word = kern_next_word(w)) != NULL;) {
		if (strcmp(word, "!") == 0 && kern_op_is_alloc(op))
			op->flags |= OP_F_ATOMIC;
		else if (strcmp(word, "busy") == 0)
			op->flags |= OP_F_BUSY;
		else
			return malformed(r, "'%s' does not belong here", word);
	}
	return true;
}

static bool parse_alloc(struct kern_op_lines *r, struct kern_words *w, struct op *op)
{
	u64 order = 0, count = 1;

	if (op->kind != OP_BULK && !word_number(r, w, "order", MAX_ORDER, &order))
		return false;
	op->order = (u8)order;
	if (!parse_type(r, w, op))
		return false;
	if (op->kind != OP_ALLOC && !word_number(r, w, "number", INT32_MAX, &count))
		return false;
	if (count == 0)
		return malformed(r, "the number of blocks is 0");
	op->count = (u32)count;
	return parse_flags(r, w, op) && room_for_slots(r, count);
}

/* free C PFN O [busy]: the order stands behind the pfn. */
static bool parse_free_one(struct kern_op_lines *r, struct kern_words *w, struct op *op)
{
	char *pfn = kern_next_word(w);
	u64 order;
	u32 n = 0;

	if (!pfn)
		return malformed(r, "the pfn is missing");
	if (!word_number(r, w, "order", MAX_ORDER, &order) || !add_blocks(r, pfn, (s64)order, &n))
		return false;
	if (n != 1)
		return malformed(r, "free takes one block; freen takes many");
	op->count = 1;
	return parse_flags(r, w, op);
}

static bool parse_free_many(struct kern_op_lines *r, struct kern_words *w, struct op *op)
{
	u64 order = 0;
	u32 n = 0;

	if (op->kind == OP_FREEN && !word_number(r, w, "order", MAX_ORDER, &order))
		return false;
	for (char *word; (word = kern_next_word(w)) != NULL;) {
		if (!add_blocks(r, word, (s64)order, &n))
			return false;
	}
	if (n == 0)
		return malformed(r, "no blocks to free");
	op->count = n;
	return true;
}

/* Arguments behind the CPU of the other kinds. */
static bool parse_control(struct kern_op_lines *r, struct kern_words *w, struct op *op)
{
	u32 args = op_infos[op->kind].args;
	u64 a, b, c;

	if (args & 1u << OPARG_zone) {
		if (!word_number(r, w, "zone", sim_nr_zones(r->sim) - 1, &a))
			return false;
		op->zone = (u16)a;
	}
	if (args & 1u << OPARG_on) {
		const char *word = kern_next_word(w);

		if (!word || (strcmp(word, "on") != 0 && strcmp(word, "off") != 0))
			return malformed(r, "on or off is missing");
		op->flags |= word[1] == 'n' ? OP_F_ON : 0;
	}
	if (args & 1u << OPARG_low) {
		if (!word_number(r, w, "min", INT32_MAX, &a) ||
		    !word_number(r, w, "low", INT32_MAX, &b) ||
		    !word_number(r, w, "high", INT32_MAX, &c))
			return false;
		op->value = (s64)a, op->low = (s64)b, op->high = (s64)c;
	}
	if (args & (1u << OPARG_value | 1u << OPARG_bytes)) {
		if (!word_number(r, w, "value", (u64)1 << 40, &a))
			return false;
		op->value = (s64)a;
	}
	if (kern_next_word(w))
		return malformed(r, "too many words");
	return true;
}

/* "drain C", "drain all", "drain zone Z" are three kinds. */
static bool parse_drain(struct kern_op_lines *r, struct kern_words *w, struct op *op)
{
	char *word = w->at + strspn(w->at, " ");

	if (strncmp(word, "all", 3) == 0 && (word[3] == '\0' || word[3] == ' ')) {
		op->kind = OP_DRAIN_ALL;
		kern_next_word(w);
	} else if (strncmp(word, "zone ", 5) == 0) {
		op->kind = OP_DRAIN_ZONE;
		kern_next_word(w);
	}
	(void)r;
	return true;
}

bool kern_op_parse(struct kern_op_lines *r, const char *name, struct kern_words *w, struct op *op)
{
	enum op_kind kind = op_kind_find(name);
	u64 cpu;

	memset(op, 0, sizeof(*op));
	if (kind == NR_OPS || kind == OP_PATCHES || kind == OP_DRAIN_ALL || kind == OP_DRAIN_ZONE)
		return malformed(r, "'%s' is no operation", name);
	op->kind = (u8)kind;
	op->count = 1;
	if (kind == OP_DRAIN && !parse_drain(r, w, op))
		return false;
	if (op_infos[op->kind].args & 1u << OPARG_cpu) {
		if (!word_number(r, w, "cpu", sim_nr_cpus(r->sim) - 1, &cpu))
			return false;
		op->cpu = (u16)cpu;
	}
	switch (op->kind) {
	case OP_ALLOC:
	case OP_ALLOCN:
	case OP_BULK:
		return parse_alloc(r, w, op);
	case OP_FREE:
		return parse_free_one(r, w, op);
	case OP_FREEN:
	case OP_FREELIST:
		return parse_free_many(r, w, op);
	default:
		return parse_control(r, w, op);
	}
}

/*
 * Configuration
 */

static bool config_zone(struct kern_op_lines *r, struct kern_words *w)
{
	u64 node, start, len;
	const char *type;
	struct sim_error err;
	int t = 0;

	if (!word_number(r, w, "node", MACHINE_NODES_MAX - 1, &node))
		return false;
	type = kern_next_word(w);
	while (type && zone_type_names[t] && strcmp(type, zone_type_names[t]) != 0)
		t++;
	if (!type || !zone_type_names[t])
		return malformed(r, "'%s' is no zone type: DMA, DMA32, Normal, Movable",
				 type ? type : "");
	if (!word_number(r, w, "start", MACHINE_PFN_MAX, &start) ||
	    !word_number(r, w, "length", MACHINE_PFN_MAX, &len))
		return false;
	if (machine_add_zone(&r->machine, (u32)node, (enum zone_type)t, start, len, &err))
		return malformed(r, "%s", err.message);
	return true;
}

static bool config_cpus(struct kern_op_lines *r, struct kern_words *w)
{
	struct sim_error err;

	for (const char *word; (word = kern_next_word(w)) != NULL;) {
		u64 node;

		if (base_parse_uint(word, strlen(word), 0, MACHINE_NODES_MAX - 1, &node, NULL))
			return malformed(r, "'%s' is no node", word);
		if (machine_add_cpu(&r->machine, (u32)node, &err))
			return malformed(r, "%s", err.message);
	}
	return true;
}

static bool set_key(struct kern_op_lines *r, const char *name, s64 value)
{
	struct sim_error err;

	if (machine_set(&r->machine, machine_key_find(name), value, &err))
		return malformed(r, "%s", err.message);
	return true;
}

static bool config_opt(struct kern_op_lines *r, struct kern_words *w)
{
	static const char *const names[][2] = {
		{ "nofrag", "nofragment" },
		{ "highatomic", "highatomic" },
		{ "boost", "boost" },
		{ "lru", "lru" },
	};
	const char *name = kern_next_word(w);
	u64 value;

	if (name && strcmp(name, "stat") == 0) {
		const char *word = kern_next_word(w);

		if (!word || (strcmp(word, "exact") != 0 && strcmp(word, "percpu") != 0))
			return malformed(r, "opt stat is exact or percpu");
		return set_key(r, "counters", word[0] == 'p' ? COUNTERS_PERCPU : COUNTERS_EXACT);
	}
	for (size_t i = 0; name && i < ARRAY_SIZE(names); i++) {
		if (strcmp(name, names[i][0]) == 0)
			return word_number(r, w, name, INT32_MAX, &value) &&
			       set_key(r, names[i][1], (s64)value);
	}
	return malformed(r, "'%s' is no option", name ? name : "");
}

static bool config_variant(struct kern_op_lines *r, struct kern_words *w)
{
	const char *name = kern_next_word(w);

	if (!name)
		return malformed(r, "the variant's name is missing");
	r->variant_given = true;
	r->unsupported = strcmp(name, "6.12") == 0;
	if (!r->unsupported && !kern_vec_variant(name, &r->patches))
		return malformed(r, "unknown variant '%s'", name);
	return true;
}

static bool boot(struct kern_op_lines *r)
{
	struct sim_error err;

	if (!r->variant_given)
		return malformed(r, "no variant before boot");
	if (machine_finish(&r->machine, &err) || sim_create(&r->machine, r->patches, &r->sim, &err))
		return malformed(r, "%s", err.message);
	return true;
}

bool kern_op_configure(struct kern_op_lines *r, const char *name, struct kern_words *w)
{
	static const char *const numbers[][2] = {
		{ "nodes", "nodes" },
		{ "cache", "data_cache" },
		{ "minfree", "min_free_kbytes" },
		{ "wsf", "watermark_scale_factor" },
		{ "fraction", "percpu_pagelist_high_fraction" },
	};
	u64 value;

	if (strcmp(name, "oracle") == 0) {
		if (!word_number(r, w, "format version", UINT32_MAX, &value))
			return false;
		return value == 1 ? true :
				    malformed(r, "format version %llu; this tool reads version 1",
					      (unsigned long long)value);
	}
	if (strcmp(name, "variant") == 0)
		return config_variant(r, w);
	if (strcmp(name, "cpus") == 0)
		return config_cpus(r, w);
	if (strcmp(name, "zone") == 0)
		return config_zone(r, w);
	if (strcmp(name, "opt") == 0)
		return config_opt(r, w);
	if (strcmp(name, "boot") == 0)
		return boot(r);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (strcmp(name, numbers[i][0]) == 0)
			return word_number(r, w, name, (u64)1 << 40, &value) &&
			       set_key(r, numbers[i][1], (s64)value);
	}
	return malformed(r, "'%s' is no configuration line; operations come after boot", name);
}

void kern_op_lines_init(struct kern_op_lines *r, const char *name, struct diag *d)
{
	memset(r, 0, sizeof(*r));
	r->name = name;
	r->diag = d;
	machine_init(&r->machine);
}

void kern_op_lines_free(struct kern_op_lines *r)
{
	sim_destroy(r->sim);
	machine_free(&r->machine);
	free(r->slots);
	free(r->live);
}

bool kern_op_exec(struct kern_op_lines *r, const struct op *op, struct op_result *result)
{
	struct sim_error err;

	if (sim_exec(r->sim, op, r->slots, result, &err))
		return malformed(r, "%s", err.message);
	if (kern_op_is_alloc(op)) {
		for (u32 i = 0; i < op->count; i++)
			remember_live(r, r->slots[i]);
	}
	return true;
}

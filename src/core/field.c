/* SPDX-License-Identifier: GPL-2.0-only */
#include "field.h"

#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "page.h"
#include "sim.h"

/* Names that two scopes share have an id of their own for each. */
enum field_id {
#define FIELD(scope, id, name, unit, indexes, with, gone, value, help) F_##scope##_##id,
#include "field.def"
#undef FIELD
	NR_FIELDS
};

const struct field_info field_infos[] = {
#define FIELD(scope, id, name, unit, indexes, with, gone, value, help) \
	{ name, FIELD_##scope, unit, help, with, gone },
#include "field.def"
#undef FIELD
	{ NULL, FIELD_STATS, NULL, NULL, 0, 0 },
};

/* How many values a name with [] has; 0 for a plain one. */
static const u8 field_indexes[NR_FIELDS] = {
#define FIELD(scope, id, name, unit, indexes, with, gone, value, help) indexes,
#include "field.def"
#undef FIELD
};

const struct counter_info counter_infos[] = {
#define FIELD(scope, id, name, unit, indexes, with, gone, value, help) \
	FIELD_##scope(name, unit, help)
#define FIELD_PCP(name, unit, help)
#define FIELD_ZONE(name, unit, help)
#define FIELD_STATS(name, unit, help) { name, unit, help },
#include "field.def"
#undef FIELD_STATS
#undef FIELD_ZONE
#undef FIELD_PCP
#undef FIELD
	{ NULL, NULL, NULL },
};

/* The stats are the last fields, so that counters are their tail. */
enum { NR_COUNTERS = ARRAY_SIZE(counter_infos) - 1, FIRST_COUNTER = NR_FIELDS - NR_COUNTERS };

/*
 * Values
 */

static s64 sum_zones(const struct sim *sim, size_t offset)
{
	s64 sum = 0;

	for (u32 z = 0; z < sim->nr_zones; z++)
		sum += *(const s64 *)(const void *)((const u8 *)&sim->zones[z].stats + offset);
	return sum;
}

static s64 round_ratio(u64 a, u64 b)
{
	return b ? (s64)((a + b / 2) / b) : 0;
}

static s64 pages_per_hold(const struct sim *sim)
{
	return round_ratio((u64)sum_zones(sim, offsetof(struct zone_stats, hold_pages)),
			   (u64)sum_zones(sim, offsetof(struct zone_stats, zone_lock_holds)));
}

/*
 * Is the pageblock around @page whole but for pages in pagesets? Answers yes
 * for the first of them only, so that each pageblock counts once.
 */
static bool holds_pageblock(const struct sim *sim, const struct zone *zone, const struct page *page)
{
	u64 own = page_to_pfn(sim, page);
	u64 pfn = own & ~(u64)(PAGEBLOCK_NR_PAGES - 1), end = pfn + PAGEBLOCK_NR_PAGES;

	if (pfn < zone->start_pfn || end > zone->start_pfn + zone->spanned_pages)
		return false;
	while (pfn < end) {
		const struct page *at = pfn_to_page(sim, pfn);
		enum page_state state = page_state(at);

		if (state != PG_BUDDY && state != PG_PCP)
			return false;
		if (state == PG_PCP && pfn < own)
			return false;
		pfn += 1ull << page_order(at);
	}
	return true;
}

static s64 pageblocks_held(const struct sim *sim)
{
	s64 held = 0;

	for (u32 p = 0; p < (u32)sim->nr_zones * sim->nr_cpus; p++) {
		const struct per_cpu_pages *pcp = &sim->pagesets[p];

		for (u32 i = 0; pcp->count && i < NR_PCP_LISTS; i++) {
			u32 head = pcp->lists + i;

			for (u32 id = sim->nodes[head].next; id != head; id = sim->nodes[id].next)
				held += holds_pageblock(sim, &sim->zones[pcp->zone],
							&sim->nodes[id]);
		}
	}
	return held;
}

bool field_exists(u32 patches, const struct field_ref *ref)
{
	const struct field_info *info = &field_infos[ref->id];

	return (!info->patches || (patches & info->patches)) && !(patches & info->gone_with);
}

enum patch_id field_patch(const struct field_ref *ref)
{
	u32 mask = field_infos[ref->id].patches | field_infos[ref->id].gone_with;

	return mask ? (enum patch_id)__builtin_ctz(mask) : P_NONE;
}

bool field_get(const struct sim *sim, const struct field_ref *ref, s64 *value)
{
	const struct zone *zone = &sim->zones[ref->zone];
	const struct per_cpu_pages *pcp = sim_pageset(sim, ref->zone, ref->cpu);
	const struct sim_state *st = sim->state;
	u32 i = ref->index;

	*value = 0;
	if (!field_exists(sim->patches, ref))
		return false;
	switch ((enum field_id)ref->id) {
#define FIELD(scope, id, name, unit, indexes, with, gone, expression, help) \
	case F_##scope##_##id:                                              \
		*value = (s64)(expression);                                 \
		break;
#include "field.def"
#undef FIELD
	case NR_FIELDS:
		break;
	}
	return true;
}

s64 counter_get(const struct sim *sim, size_t i)
{
	struct field_ref ref = { .id = (u16)(FIRST_COUNTER + i) };
	s64 value;

	field_get(sim, &ref, &value);
	return value;
}

/*
 * Names
 */

char *field_path(const struct field_ref *ref, char *buf)
{
	const struct field_info *info = &field_infos[ref->id];
	const char *open = strchr(info->name, '[');
	int used = 0;

	if (info->scope == FIELD_PCP)
		used = snprintf(buf, FIELD_NAME_MAX, "cpu[%u].zone[%u].", ref->cpu, ref->zone);
	else if (info->scope == FIELD_ZONE)
		used = snprintf(buf, FIELD_NAME_MAX, "zone[%u].", ref->zone);
	else
		used = snprintf(buf, FIELD_NAME_MAX, "stats.");
	if (open)
		snprintf(buf + used, FIELD_NAME_MAX - (size_t)used, "%.*s[%u%s",
			 (int)(open - info->name), info->name, ref->index, open + 1);
	else
		snprintf(buf + used, FIELD_NAME_MAX - (size_t)used, "%s", info->name);
	return buf;
}

/* First field of a scope, NR_FIELDS if there is none at or after @from. */
static u32 scope_next(u32 from, enum field_scope scope)
{
	while (from < NR_FIELDS && field_infos[from].scope != scope)
		from++;
	return from;
}

bool field_next(const struct sim *sim, struct field_ref *ref, bool *started)
{
	enum field_scope scope;
	u32 next;

	if (!*started) {
		memset(ref, 0, sizeof(*ref));
		*started = true;
		return true;
	}
	scope = field_infos[ref->id].scope;
	if (ref->index + 1u < field_indexes[ref->id]) {
		ref->index++;
		return true;
	}
	ref->index = 0;
	next = scope_next(ref->id + 1u, scope);
	if (next < NR_FIELDS) {
		ref->id = (u16)next;
		return true;
	}
	/* The scope's fields again for the next zone, and for the next CPU. */
	if (scope != FIELD_STATS && ++ref->zone < sim->nr_zones) {
		ref->id = (u16)scope_next(0, scope);
		return true;
	}
	ref->zone = 0;
	if (scope == FIELD_PCP && ++ref->cpu < sim->nr_cpus) {
		ref->id = 0;
		return true;
	}
	ref->cpu = 0;
	if (scope == FIELD_STATS)
		return false;
	ref->id = (u16)scope_next(0, scope == FIELD_PCP ? FIELD_ZONE : FIELD_STATS);
	return true;
}

/*
 * Parsing
 */

/* A path being read; the first fault wins. */
struct path {
	const struct sim *sim;
	const char *text, *at;
	struct sim_error *err;
	enum sim_err ret;
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static size_t word_length(const char *at)
{
	size_t n = 0;

	while (is_word(at[n]))
		n++;
	return n;
}

/* Take @word if it stands here as a whole. */
static bool take_word(struct path *p, const char *word)
{
	size_t n = strlen(word);

	if (word_length(p->at) != n || strncmp(p->at, word, n) != 0)
		return false;
	p->at += n;
	return true;
}

static bool take_char(struct path *p, char c)
{
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

/* "[N]" with N below @limit. */
static bool take_index(struct path *p, const char *what, u32 limit, u32 *value)
{
	u64 n = 0;
	const char *digits;

	if (!take_char(p, '[')) {
		p->ret = sim_fail(p->err, ERR_FIELD, "%s needs a number in brackets: %s[0..%u]",
				  what, what, limit - 1);
		return false;
	}
	digits = p->at;
	for (; *p->at >= '0' && *p->at <= '9'; p->at++)
		n = n > limit ? n : n * 10 + (u64)(*p->at - '0');
	if (p->at == digits || *p->at != ']') {
		p->ret = sim_fail(p->err, ERR_FIELD, "a plain number and ] must follow %s[", what);
		return false;
	}
	if (n >= limit) {
		p->ret = sim_fail(p->err, ERR_FIELD, "%s[%.*s]: this machine has %s[0..%u]", what,
				  min_int((int)(p->at - digits), 20), digits, what, limit - 1);
		p->at = digits;
		return false;
	}
	p->at++;
	*value = (u32)n;
	return true;
}

static bool take_dot(struct path *p, const char *after)
{
	if (take_char(p, '.'))
		return true;
	p->ret = sim_fail(p->err, ERR_FIELD, "a dot and a name must follow %s", after);
	return false;
}

/* Write "zone[0] (DMA32), zone[1] (Normal), ..." as far as it fits. */
static void list_zones(const struct sim *sim, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (u32 z = 0; z < sim->nr_zones; z++) {
		char name[32];
		int n;

		if (size - used < 60) {
			snprintf(buf + used, size - used, ", ...");
			return;
		}
		n = snprintf(buf + used, size - used, "%szone[%u] (%s)", z ? ", " : "", z,
			     sim_zone_name(sim, z, name));
		used += n > 0 ? (size_t)n : 0;
	}
}

/* A zone's type by name on one node, or on any if @mem_node is -1. */
static bool take_zone_type(struct path *p, int mem_node, u32 *zone)
{
	char choices[180];
	int found = -1;
	size_t n = word_length(p->at);

	for (u32 z = 0; z < p->sim->nr_zones; z++) {
		const struct zone *at = &p->sim->zones[z];
		const char *name = zone_type_names[at->type];

		if (strlen(name) != n || strncmp(name, p->at, n) != 0 ||
		    (mem_node >= 0 && at->node != mem_node))
			continue;
		if (found >= 0) {
			list_zones(p->sim, choices, sizeof(choices));
			p->ret = sim_fail(p->err, ERR_FIELD,
					  "zone %.*s is not unique; say which: %s", (int)n, p->at,
					  choices);
			return false;
		}
		found = (int)z;
	}
	if (found < 0) {
		list_zones(p->sim, choices, sizeof(choices));
		p->ret = sim_fail(p->err, ERR_FIELD, "no such zone: %.*s; there are %s",
				  (int)(n < 30 ? n : 30), p->at, choices);
		return false;
	}
	p->at += n;
	*zone = (u32)found;
	return true;
}

/* "zone[Z]", "zone.Normal" or "node[N].Normal"; false without an error if none stands here. */
static bool take_zone(struct path *p, u32 *zone)
{
	u32 mem_node;

	if (take_word(p, "zone")) {
		if (take_char(p, '.'))
			return take_zone_type(p, -1, zone);
		return take_index(p, "zone", p->sim->nr_zones, zone);
	}
	if (take_word(p, "node"))
		return take_index(p, "node", p->sim->nr_nodes, &mem_node) &&
		       take_dot(p, "a node") && take_zone_type(p, (int)mem_node, zone);
	return false;
}

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/* Insertions, deletions and substitutions between a word and a name. */
static size_t distance(const char *word, size_t n, const char *name, size_t m)
{
	size_t row[33];

	if (n > 32 || m > 32)
		return 99;
	for (size_t k = 0; k <= m; k++)
		row[k] = k;
	for (size_t i = 1; i <= n; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= m; k++) {
			size_t above = row[k];

			row[k] = min3(above + 1, row[k - 1] + 1,
				      diagonal + (word[i - 1] != name[k - 1]));
			diagonal = above;
		}
	}
	return row[m];
}

/* The part of a field's name before [], or all of it. */
static size_t stem_length(const struct field_info *info)
{
	return strcspn(info->name, "[");
}

static void fail_name(struct path *p, enum field_scope scope)
{
	static const char *const scopes[] = { "a pageset", "a zone", "stats" };
	size_t n = word_length(p->at), best = n / 3 + 2;
	const char *near = NULL;

	for (u32 id = scope_next(0, scope); id < NR_FIELDS; id = scope_next(id + 1, scope)) {
		size_t d = distance(p->at, n, field_infos[id].name, stem_length(&field_infos[id]));

		if (d < best) {
			best = d;
			near = field_infos[id].name;
		}
	}
	if (n == 0)
		p->ret =
			sim_fail(p->err, ERR_FIELD, "a field of %s is missing here", scopes[scope]);
	else if (near)
		p->ret = sim_fail(p->err, ERR_FIELD, "%s has no field %.*s; did you mean %s?",
				  scopes[scope], (int)(n < 40 ? n : 40), p->at, near);
	else
		p->ret = sim_fail(p->err, ERR_FIELD, "%s has no field %.*s", scopes[scope],
				  (int)(n < 40 ? n : 40), p->at);
}

static bool take_field(struct path *p, enum field_scope scope, struct field_ref *ref)
{
	for (u32 id = scope_next(0, scope); id < NR_FIELDS; id = scope_next(id + 1, scope)) {
		const struct field_info *info = &field_infos[id];
		const char *open = strchr(info->name, '[');
		char stem[32];
		u32 index;

		snprintf(stem, sizeof(stem), "%.*s", (int)stem_length(info), info->name);
		if (!take_word(p, stem))
			continue;
		ref->id = (u16)id;
		if (open) {
			if (!take_index(p, stem, field_indexes[id], &index))
				return false;
			ref->index = (u16)index;
			if (open[2] == '.' && (!take_dot(p, stem) || !take_word(p, open + 3))) {
				p->ret =
					sim_fail(p->err, ERR_FIELD, "it is written %s", info->name);
				return false;
			}
		}
		if (*p->at) {
			p->ret = sim_fail(p->err, ERR_FIELD, "nothing may follow %s", info->name);
			return false;
		}
		return true;
	}
	fail_name(p, scope);
	return false;
}

static bool take_pcp_path(struct path *p, int default_zone, struct field_ref *ref)
{
	char choices[180];

	if (!take_index(p, "cpu", p->sim->nr_cpus, &ref->cpu) || !take_dot(p, "a CPU"))
		return false;
	if (take_zone(p, &ref->zone))
		return take_dot(p, "a zone") && take_field(p, FIELD_PCP, ref);
	if (p->ret)
		return false;
	if (default_zone == FIELD_NO_ZONE && p->sim->nr_zones > 1) {
		list_zones(p->sim, choices, sizeof(choices));
		p->ret = sim_fail(p->err, ERR_FIELD,
				  "this machine has %u zones; say which: cpu[%u].zone[Z] with %s",
				  p->sim->nr_zones, ref->cpu, choices);
		return false;
	}
	SIM_ASSERT(default_zone < p->sim->nr_zones, "default zone %d", default_zone);
	ref->zone = default_zone == FIELD_NO_ZONE ? 0 : (u32)default_zone;
	return take_field(p, FIELD_PCP, ref);
}

enum sim_err field_parse(const struct sim *sim, const char *path, int default_zone,
			 struct field_ref *ref, size_t *error_at, struct sim_error *err)
{
	struct path p = { .sim = sim, .text = path, .at = path, .err = err };

	memset(ref, 0, sizeof(*ref));
	if (take_word(&p, "cpu")) {
		take_pcp_path(&p, default_zone, ref);
	} else if (take_word(&p, "stats")) {
		if (take_dot(&p, "stats"))
			take_field(&p, FIELD_STATS, ref);
	} else if (take_zone(&p, &ref->zone)) {
		if (take_dot(&p, "a zone"))
			take_field(&p, FIELD_ZONE, ref);
	} else if (!p.ret) {
		p.ret = sim_fail(err, ERR_FIELD,
				 "a field begins with cpu[C], zone[Z], node[N].TYPE or stats");
	}
	if (error_at)
		*error_at = p.ret ? (size_t)(p.at - p.text) : 0;
	return p.ret;
}

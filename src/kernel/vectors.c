/* SPDX-License-Identifier: GPL-2.0-only */
#include "vectors.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "core/sim.h"
#include "text_buf.h"

enum { LINE_MAX_BYTES = 16 << 20, VARIANT_MAX = 32 };

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

/*
 * A replay in progress
 */

struct replay {
	const char *name; /* of the file, for messages */
	u64 line;
	struct machine machine;
	u32 patches;
	bool variant_given, unsupported, zones_given;
	struct sim *sim;
	bool brief;
	struct kern_text out; /* what the model says after the last operation */
	size_t out_at;	      /* how much of it was compared */
	struct kern_text op;  /* the last operation's text */
	u64 op_line, operations;
	u32 *slots; /* of the running operation */
	u32 slots_cap;
	u32 *live; /* slots in the order of allocation, dead ones among them */
	size_t nr_live, cap_live;
	/* Explaining: steps of the operation at this line. */
	u64 watch_line;
	struct kern_text steps;
	struct step_stack stack;
	struct kern_vec_result *result;
};

static bool malformed(struct replay *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool malformed(struct replay *r, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	r->result->status = KERN_VEC_MALFORMED;
	base_diag_set(&r->result->diag, BASE_ERR_SYNTAX, r->name, r->line, 0, "%s", text);
	return false;
}

/* Words of a line, cut in place. */
struct words {
	char *at;
};

static char *next_word(struct words *w)
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

static bool word_number(struct replay *r, struct words *w, const char *what, u64 max, u64 *out)
{
	const char *word = next_word(w);
	struct diag d;

	if (!word)
		return malformed(r, "%s is missing", what);
	if (base_parse_uint(word, strlen(word), 0, max, out, &d))
		return malformed(r, "%s: %s", what, d.message);
	return true;
}

/*
 * Output
 */

static void put_runs(struct kern_text *t, const u64 *pfns, size_t n, u32 order, bool descending)
{
	u64 size = 1ull << order;

	for (size_t i = 0; i < n;) {
		size_t j = i;

		if (i + 1 < n && pfns[i + 1] == pfns[i] + size) {
			while (j + 1 < n && pfns[j + 1] == pfns[j] + size)
				j++;
		} else if (descending && i + 1 < n && pfns[i + 1] == pfns[i] - size) {
			while (j + 1 < n && pfns[j + 1] == pfns[j] - size)
				j++;
		}
		kern_text_printf(t, " %llu", (unsigned long long)pfns[i]);
		if (j > i)
			kern_text_printf(t, "..%llu", (unsigned long long)pfns[j]);
		i = j + 1;
	}
}

static void put_pageset(struct replay *r, u32 z, u32 cpu)
{
	const struct per_cpu_pages *pcp = sim_pageset(r->sim, z, cpu);
	struct kern_text *t = &r->out;
	u32 set = r->patches;

	kern_text_printf(t, "=p %u %u count %d high %d", z, cpu, pcp->count, pcp->high);
	if (set & PATCH_BIT(P_HIGH_LIMITS))
		kern_text_printf(t, " high_min %d high_max %d", pcp->high_min, pcp->high_max);
	kern_text_printf(t, " batch %d", pcp->batch);
	if (sim_has_flags(set))
		kern_text_printf(t, " flags %u", pcp->flags);
	if (set & PATCH_BIT(P_ALLOC_SCALE))
		kern_text_printf(t, " af %u", pcp->alloc_factor);
	if (set & PATCH_BIT(P_FREE_COUNT))
		kern_text_printf(t, " fc %d", pcp->free_count);
	else
		kern_text_printf(t, " ff %u", pcp->free_factor);
	kern_text_printf(t, " expire %u", pcp->expire);
	if (set & PATCH_BIT(P_COUNT_MIN))
		kern_text_printf(t, " cmin %d", pcp->count_min);
	if (r->machine.counters == COUNTERS_PERCPU)
		kern_text_printf(t, " sd %d", pcp->stat_diff);
	kern_text_printf(t, " lists ");
	for (u32 pindex = 0; pindex < NR_PCP_LISTS; pindex++)
		kern_text_printf(t, "%s%u", pindex ? "," : "",
				 sim_pcp_list_length(r->sim, z, cpu, pindex));
	kern_text_printf(t, "\n");
}

static void put_pagesets(struct replay *r, int cpu)
{
	for (u32 z = 0; z < sim_nr_zones(r->sim); z++) {
		for (u32 c = 0; c < sim_nr_cpus(r->sim); c++) {
			if (cpu < 0 || (u32)cpu == c)
				put_pageset(r, z, c);
		}
	}
}

static void put_zone(struct replay *r, u32 z)
{
	const struct zone *zone = sim_zone(r->sim, z);
	const struct zone_stats *s = &zone->stats;

	kern_text_printf(&r->out,
			 "=z %u free %lld flags %u boost %lld hiatomic %lld wmark %lld,%lld,%lld "
			 "refill %llu/%llu bulk %llu/%llu free_high %llu direct %llu/%llu\n",
			 z, (long long)zone->free_pages, zone->flags,
			 (long long)zone->watermark_boost, (long long)zone->nr_reserved_highatomic,
			 (long long)zone->_watermark[WMARK_MIN],
			 (long long)zone->_watermark[WMARK_LOW],
			 (long long)zone->_watermark[WMARK_HIGH], (unsigned long long)s->refills,
			 (unsigned long long)s->refill_pages, (unsigned long long)s->bulk_frees,
			 (unsigned long long)s->bulk_pages, (unsigned long long)s->free_high,
			 (unsigned long long)s->direct_allocs, (unsigned long long)s->direct_frees);
}

static void put_digest(struct replay *r)
{
	kern_text_printf(&r->out, "=d %016llx\n", (unsigned long long)sim_digest(r->sim));
}

static void put_boot(struct replay *r)
{
	put_pagesets(r, -1);
	for (u32 z = 0; z < sim_nr_zones(r->sim); z++) {
		const struct zone *zone = sim_zone(r->sim, z);

		kern_text_printf(&r->out, "=m %u managed %lld lowmem_reserve %lld,%lld,%lld,%lld\n",
				 z, (long long)zone->managed_pages,
				 (long long)zone->lowmem_reserve[0],
				 (long long)zone->lowmem_reserve[1],
				 (long long)zone->lowmem_reserve[2],
				 (long long)zone->lowmem_reserve[3]);
		put_zone(r, z);
	}
	put_digest(r);
}

static void put_state(struct replay *r, int cpu)
{
	put_pagesets(r, cpu);
	for (u32 z = 0; z < sim_nr_zones(r->sim); z++)
		put_zone(r, z);
	put_digest(r);
}

/* A list of the dump: its head text, then the pfns. */
static void put_list(struct replay *r, const char *head, const u64 *pfns, size_t n, u32 order)
{
	if (!n)
		return;
	kern_text_printf(&r->out, "%s", head);
	put_runs(&r->out, pfns, n, order, false);
	kern_text_printf(&r->out, "\n");
}

static void put_pageblocks(struct replay *r, const struct zone *zone)
{
	u64 first = zone->start_pfn >> PAGEBLOCK_ORDER;
	u64 last = (zone->start_pfn + zone->spanned_pages - 1) >> PAGEBLOCK_ORDER;

	kern_text_printf(&r->out, "=D pb");
	for (u64 b = first; b <= last;) {
		u32 type = sim_pageblock_type(r->sim, b << PAGEBLOCK_ORDER);
		u64 run = b;

		while (run <= last && sim_pageblock_type(r->sim, run << PAGEBLOCK_ORDER) == type)
			run++;
		kern_text_printf(&r->out, " %u*%llu", type, (unsigned long long)(run - b));
		b = run;
	}
	kern_text_printf(&r->out, "\n");
}

static void put_dump(struct replay *r)
{
	for (u32 z = 0; z < sim_nr_zones(r->sim); z++) {
		const struct zone *zone = sim_zone(r->sim, z);
		u64 *pfns = base_alloc((size_t)zone->managed_pages + 1, sizeof(*pfns));
		char head[64];

		kern_text_printf(&r->out, "=D zone %u\n", z);
		for (u32 cpu = 0; cpu < sim_nr_cpus(r->sim); cpu++) {
			for (u32 pindex = 0; pindex < NR_PCP_LISTS; pindex++) {
				size_t n = 0;
				u32 at = 0;

				while (sim_pcp_list_next(r->sim, z, cpu, pindex, &at, &pfns[n]))
					n++;
				snprintf(head, sizeof(head), "=D pcp %u %u", cpu, pindex);
				put_list(r, head, pfns, n, pindex_to_order(pindex));
			}
		}
		for (u32 i = 0; i < NR_PAGE_ORDERS * MIGRATE_TYPES; i++) {
			u32 order = i / MIGRATE_TYPES, at = 0;
			size_t n = 0;

			while (sim_free_list_next(r->sim, z, order, i % MIGRATE_TYPES, &at,
						  &pfns[n]))
				n++;
			snprintf(head, sizeof(head), "=D free %u %u", order, i % MIGRATE_TYPES);
			put_list(r, head, pfns, n, order);
		}
		put_pageblocks(r, zone);
		free(pfns);
	}
	put_digest(r);
}

/* Pfns that an allocating operation got. Slots were taken for all, filled for some. */
static void put_got(struct replay *r, const struct op *op)
{
	u64 *pfns = base_alloc(op->count + 1u, sizeof(*pfns));
	size_t n = 0;

	for (u32 i = 0; i < op->count; i++) {
		struct slot_info slot;

		if (sim_slot_info(r->sim, r->slots[i], &slot) && slot.live)
			pfns[n++] = slot.pfn;
	}
	put_runs(&r->out, pfns, n, op->order, true);
	free(pfns);
}

static bool is_alloc(const struct op *op)
{
	return op->kind == OP_ALLOC || op->kind == OP_ALLOCN || op->kind == OP_BULK;
}

static void put_result_full(struct replay *r, const struct op *op, const struct op_result *res)
{
	struct kern_text *t = &r->out;

	if (res->status == OP_REFUSED) {
		kern_text_printf(t, "= refused\n");
	} else if (op->kind == OP_ALLOC && res->got) {
		kern_text_printf(t, "= ok pfn");
		put_got(r, op);
		kern_text_printf(t, " try %u kswapd %u\n", res->attempt, res->kswapd);
	} else if (op->kind == OP_ALLOC) {
		kern_text_printf(t, "= fail kswapd %u\n", res->kswapd);
	} else if (is_alloc(op)) {
		kern_text_printf(t, "= %s n %u try %u kswapd %u pfns",
				 res->got == op->count ? "ok" : "fail", res->got, res->attempt,
				 res->kswapd);
		put_got(r, op);
		kern_text_printf(t, "\n");
	} else {
		kern_text_printf(t, "= ok\n");
	}
}

static void put_result_brief(struct replay *r, const struct op *op, const struct op_result *res)
{
	struct kern_text *t = &r->out;
	const char *late = res->attempt == 2 ? "!" : "", *woken = res->kswapd ? "k" : "";

	if (res->status == OP_REFUSED) {
		kern_text_printf(t, " refused");
	} else if (op->kind == OP_ALLOC && res->got) {
		put_got(r, op);
		kern_text_printf(t, "%s%s", late, woken);
	} else if (op->kind == OP_ALLOC) {
		kern_text_printf(t, " -%s", woken);
	} else if (is_alloc(op)) {
		kern_text_printf(t, " %u%s%s", res->got, late, woken);
		put_got(r, op);
	}
}

/* One tuple a zone for the acting CPU; "-" for a field that the variant has not. */
static void put_tuples(struct replay *r, u32 cpu)
{
	struct kern_text *t = &r->out;

	for (u32 z = 0; z < sim_nr_zones(r->sim); z++) {
		const struct per_cpu_pages *pcp = sim_pageset(r->sim, z, cpu);

		kern_text_printf(t, "%s%d,%d,", z ? "/" : " ", pcp->count, pcp->high);
		if (sim_has_flags(r->patches))
			kern_text_printf(t, "%u,", pcp->flags);
		else
			kern_text_printf(t, "-,");
		if (r->patches & PATCH_BIT(P_ALLOC_SCALE))
			kern_text_printf(t, "%u,", pcp->alloc_factor);
		else
			kern_text_printf(t, "-,");
		kern_text_printf(t, "%d,",
				 r->patches & PATCH_BIT(P_FREE_COUNT) ? pcp->free_count :
									pcp->free_factor);
		if (r->patches & PATCH_BIT(P_COUNT_MIN))
			kern_text_printf(t, "%d,", pcp->count_min);
		else
			kern_text_printf(t, "-,");
		kern_text_printf(t, "%u", pcp->expire);
	}
	kern_text_printf(t, " %08x\n", (u32)sim_digest(r->sim));
}

/*
 * Operations
 */

static bool room_for_slots(struct replay *r, u64 n)
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

static void remember_live(struct replay *r, u32 slot)
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
static void compact_live(struct replay *r)
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
static bool add_by_age(struct replay *r, char *word, u32 *n)
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

static bool add_pfn(struct replay *r, u64 pfn, s64 order, u32 *n)
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
static bool add_blocks(struct replay *r, char *word, s64 order, u32 *n)
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

static bool parse_type(struct replay *r, struct words *w, struct op *op)
{
	const char *word = next_word(w);

	if (!word || !strchr("UMR", word[0]) || word[0] == '\0' || word[1])
		return malformed(r, "the migratetype must be U, M or R");
	op->type = word[0] == 'U' ? MIGRATE_UNMOVABLE :
		   word[0] == 'M' ? MIGRATE_MOVABLE :
				    MIGRATE_RECLAIMABLE;
	return true;
}

static bool parse_flags(struct replay *r, struct words *w, struct op *op)
{
	for (const char *word; (word = next_word(w)) != NULL;) {
		if (strcmp(word, "!") == 0 && is_alloc(op))
			op->flags |= OP_F_ATOMIC;
		else if (strcmp(word, "busy") == 0)
			op->flags |= OP_F_BUSY;
		else
			return malformed(r, "'%s' does not belong here", word);
	}
	return true;
}

static bool parse_alloc(struct replay *r, struct words *w, struct op *op)
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
static bool parse_free_one(struct replay *r, struct words *w, struct op *op)
{
	char *pfn = next_word(w);
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

static bool parse_free_many(struct replay *r, struct words *w, struct op *op)
{
	u64 order = 0;
	u32 n = 0;

	if (op->kind == OP_FREEN && !word_number(r, w, "order", MAX_ORDER, &order))
		return false;
	for (char *word; (word = next_word(w)) != NULL;) {
		if (!add_blocks(r, word, (s64)order, &n))
			return false;
	}
	if (n == 0)
		return malformed(r, "no blocks to free");
	op->count = n;
	return true;
}

/* Arguments behind the CPU of the other kinds. */
static bool parse_control(struct replay *r, struct words *w, struct op *op)
{
	u32 args = op_infos[op->kind].args;
	u64 a, b, c;

	if (args & 1u << OPARG_zone) {
		if (!word_number(r, w, "zone", sim_nr_zones(r->sim) - 1, &a))
			return false;
		op->zone = (u16)a;
	}
	if (args & 1u << OPARG_on) {
		const char *word = next_word(w);

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
	if (next_word(w))
		return malformed(r, "too many words");
	return true;
}

/* "drain C", "drain all", "drain zone Z" are three kinds. */
static bool parse_drain(struct replay *r, struct words *w, struct op *op)
{
	char *word = w->at + strspn(w->at, " ");

	if (strncmp(word, "all", 3) == 0 && (word[3] == '\0' || word[3] == ' ')) {
		op->kind = OP_DRAIN_ALL;
		next_word(w);
	} else if (strncmp(word, "zone ", 5) == 0) {
		op->kind = OP_DRAIN_ZONE;
		next_word(w);
	}
	(void)r;
	return true;
}

static bool parse_op(struct replay *r, const char *name, struct words *w, struct op *op)
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

/* Whose pagesets the full output shows: one CPU, or -1 for all. */
static int shown_cpu(const struct replay *r, const struct op *op)
{
	switch (op->kind) {
	case OP_RECLAIM:
	case OP_BOOST_CLEAR:
		return (int)sim_first_online(r->sim);
	case OP_ALLOC:
	case OP_ALLOCN:
	case OP_BULK:
	case OP_FREE:
	case OP_FREEN:
	case OP_FREELIST:
	case OP_TICK:
	case OP_DRAIN:
	case OP_TOUCH:
		return op->cpu;
	default:
		return -1;
	}
}

static void watch_step(void *ctx, struct sim *sim, const struct step *step)
{
	struct replay *r = ctx;
	char text[STEP_TEXT_MAX];

	step_stack_update(&r->stack, step);
	kern_text_printf(&r->steps, "%*s%s: %s\n", 2 * r->stack.depth, "",
			 step_funcs[step_infos[step->id].func].name, step_format(sim, step, text));
}

static bool run_op(struct replay *r, const char *name, struct words *w, const char *text)
{
	struct op op;
	struct op_result res;
	struct sim_error err;
	enum sim_err ret;
	u32 acting = sim_first_online(r->sim);
	int shown;

	if (!parse_op(r, name, w, &op))
		return false;
	if (r->watch_line == r->line) {
		memset(&r->stack, 0, sizeof(r->stack));
		sim_set_observer(r->sim, watch_step, r);
	}
	ret = sim_exec(r->sim, &op, r->slots, &res, &err);
	sim_set_observer(r->sim, NULL, NULL);
	if (ret)
		return malformed(r, "%s", err.message);
	if (is_alloc(&op)) {
		for (u32 i = 0; i < op.count; i++)
			remember_live(r, r->slots[i]);
	}
	r->operations++;
	shown = shown_cpu(r, &op);
	if (shown >= 0)
		acting = (u32)shown;
	else if (op.kind != OP_CPU_ONLINE)
		acting = sim_first_online(r->sim);
	if (r->brief) {
		kern_text_printf(&r->out, "%s >", text);
		put_result_brief(r, &op, &res);
		put_tuples(r, acting);
	} else {
		put_result_full(r, &op, &res);
		put_state(r, shown);
	}
	return true;
}

/*
 * Configuration
 */

static bool config_zone(struct replay *r, struct words *w)
{
	u64 node, start, len;
	const char *type;
	struct sim_error err;
	int t = 0;

	if (!word_number(r, w, "node", MACHINE_NODES_MAX - 1, &node))
		return false;
	type = next_word(w);
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

static bool config_cpus(struct replay *r, struct words *w)
{
	struct sim_error err;

	for (const char *word; (word = next_word(w)) != NULL;) {
		u64 node;

		if (base_parse_uint(word, strlen(word), 0, MACHINE_NODES_MAX - 1, &node, NULL))
			return malformed(r, "'%s' is no node", word);
		if (machine_add_cpu(&r->machine, (u32)node, &err))
			return malformed(r, "%s", err.message);
	}
	return true;
}

static bool set_key(struct replay *r, const char *name, s64 value)
{
	struct sim_error err;

	if (machine_set(&r->machine, machine_key_find(name), value, &err))
		return malformed(r, "%s", err.message);
	return true;
}

static bool config_opt(struct replay *r, struct words *w)
{
	static const char *const names[][2] = {
		{ "nofrag", "nofragment" },
		{ "highatomic", "highatomic" },
		{ "boost", "boost" },
		{ "lru", "lru" },
	};
	const char *name = next_word(w);
	u64 value;

	if (name && strcmp(name, "stat") == 0) {
		const char *word = next_word(w);

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

static bool config_variant(struct replay *r, struct words *w)
{
	const char *name = next_word(w);

	if (!name)
		return malformed(r, "the variant's name is missing");
	r->variant_given = true;
	r->unsupported = strcmp(name, "6.12") == 0;
	if (!r->unsupported && !kern_vec_variant(name, &r->patches))
		return malformed(r, "unknown variant '%s'", name);
	return true;
}

static bool boot(struct replay *r)
{
	struct sim_error err;

	if (!r->variant_given)
		return malformed(r, "no variant before boot");
	if (machine_finish(&r->machine, &err) || sim_create(&r->machine, r->patches, &r->sim, &err))
		return malformed(r, "%s", err.message);
	put_boot(r);
	return true;
}

static bool configure(struct replay *r, const char *name, struct words *w)
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

/*
 * Comparing
 */

/* Where two output lines differ, in words; *from, *to bound the differing part. */
static void name_difference(const struct replay *r, const char *expected, const char *got,
			    struct kern_text *what, size_t *e, size_t *g)
{
	char word[2][32] = { "", "" };
	size_t i = 0, start = 0;
	unsigned int field = 0, list = 0, a = 0, b = 0;

	while (expected[i] && expected[i] == got[i]) {
		if (expected[i] == ' ') {
			size_t len = i - start < sizeof(word[0]) - 1 ? i - start :
								       sizeof(word[0]) - 1;

			memcpy(word[0], word[1], sizeof(word[0]));
			memcpy(word[1], expected + start, len);
			word[1][len] = '\0';
			start = i + 1;
			field++;
			list = 0;
		}
		list += expected[i] == ',';
		i++;
	}
	*e = *g = start;
	if (sscanf(expected, "=p %u %u", &a, &b) == 2) {
		kern_text_printf(what, "cpu[%u].zone[%u].%s", b, a, word[1]);
		if (strcmp(word[1], "lists") == 0)
			kern_text_printf(what, "[%u]", list);
	} else if (sscanf(expected, "=z %u", &a) == 1) {
		kern_text_printf(what, "zone[%u].%s", a, word[1]);
	} else if (strncmp(expected, "=m", 2) == 0) {
		kern_text_printf(what, "%s at boot", word[1]);
	} else if (strncmp(expected, "=d", 2) == 0) {
		kern_text_printf(what, "digest of lists and pageblock types");
	} else if (sscanf(expected, "=D pcp %u %u", &a, &b) == 2) {
		kern_text_printf(what, "list %u of cpu %u, head to tail", b, a);
	} else if (sscanf(expected, "=D free %u %u", &a, &b) == 2) {
		kern_text_printf(what, "free list of order %u, migratetype %u", a, b);
	} else if (strncmp(expected, "=D pb", 5) == 0) {
		kern_text_printf(what, "pageblock types");
	} else if (r->brief && expected[0] != '=') {
		static const char *const names[] = {
			"count",     "high",  "flags", "alloc_factor", "free_factor or free_count",
			"count_min", "expire"
		};
		const char *tuple = expected + start;

		if (strchr(tuple, ',') && !strstr(tuple, ".."))
			kern_text_printf(what, "%s of the acting cpu", names[list % 7]);
		else if (!strchr(tuple, ' '))
			kern_text_printf(what, "digest of lists and pageblock types");
		else
			kern_text_printf(what, "result");
	} else {
		kern_text_printf(what, "result (word %u)", field + 1);
	}
}

static bool differs(struct replay *r, const char *expected, const char *got)
{
	struct kern_vec_failure *f = &r->result->failure;
	struct kern_text what = { 0 };
	size_t e = 0, g = 0;

	if (expected && got)
		name_difference(r, expected, got, &what, &e, &g);
	else
		kern_text_printf(&what, expected ? "a line that the model does not print" :
						   "end of the output");
	r->result->status = KERN_VEC_FAILED;
	f->line = r->line;
	f->op = base_strdup(r->op.data ? r->op.data : "");
	f->what = kern_text_take(&what);
	f->expected = base_strdup(expected ? expected + e : "(nothing)");
	f->got = base_strdup(got ? got + g : "(nothing)");
	return false;
}

/* The model's next output line, cut off in place; NULL if all were taken. */
static char *next_output(struct replay *r)
{
	char *line, *end;

	if (r->out_at >= r->out.len)
		return NULL;
	line = r->out.data + r->out_at;
	end = strchr(line, '\n');
	*end = '\0';
	r->out_at = (size_t)(end - r->out.data) + 1;
	return line;
}

static bool compare_line(struct replay *r, const char *expected)
{
	const char *got = next_output(r);

	if (!got || strcmp(expected, got) != 0)
		return differs(r, expected, got);
	return true;
}

/* Before the next input line everything that the model said must have been met. */
static bool output_is_used_up(struct replay *r)
{
	char *got = next_output(r);

	if (got)
		return differs(r, NULL, got);
	r->out.len = r->out_at = 0;
	return true;
}

static bool input_line(struct replay *r, char *line)
{
	char *mark = strstr(line, " >");
	char *copy = base_strdup(line);
	struct words w = { .at = line };
	const char *name;
	bool ok = true;

	if (mark)
		*mark = '\0';
	r->op.len = 0;
	kern_text_printf(&r->op, "%s", line);
	r->op_line = r->line;
	name = next_word(&w);
	if (!name || strcmp(name, "note") == 0) {
		free(copy);
		return true;
	}
	if (!r->sim) {
		ok = configure(r, name, &w);
	} else if (strcmp(name, "mode") == 0) {
		const char *word = next_word(&w);

		if (!word || (strcmp(word, "full") != 0 && strcmp(word, "brief") != 0))
			ok = malformed(r, "mode is full or brief");
		else
			r->brief = word[0] == 'b';
	} else if (strcmp(name, "state") == 0) {
		put_state(r, -1);
	} else if (strcmp(name, "dump") == 0) {
		put_dump(r);
	} else {
		ok = run_op(r, name, &w, r->op.data);
		/* In brief mode the expected output stands in the same line. */
		if (ok && r->brief)
			ok = mark ? compare_line(r, copy) :
				    malformed(r, "no expected output behind ' > '");
	}
	free(copy);
	return ok;
}

static bool replay_line(struct replay *r, char *line, size_t len)
{
	if (strlen(line) != len)
		return malformed(r, "a NUL byte in the line");
	if (line[0] == '#' || len == 0)
		return true;
	if (line[0] == '=') {
		if (!r->sim)
			return malformed(r, "expected output before boot");
		return compare_line(r, line);
	}
	return output_is_used_up(r) && input_line(r, line);
}

static void replay_free(struct replay *r)
{
	sim_destroy(r->sim);
	machine_free(&r->machine);
	kern_text_free(&r->out);
	kern_text_free(&r->op);
	kern_text_free(&r->steps);
	free(r->slots);
	free(r->live);
}

static void replay_file(struct replay *r, const char *path)
{
	struct base_reader *reader;
	char *line;
	size_t len;
	int more = 0;

	machine_init(&r->machine);
	if (base_reader_open(&reader, path, LINE_MAX_BYTES, &r->result->diag)) {
		r->result->status = KERN_VEC_MALFORMED;
		return;
	}
	r->name = base_reader_name(reader);
	while (!r->unsupported &&
	       (more = base_reader_next(reader, &line, &len, &r->result->diag)) > 0) {
		r->line = base_reader_line_nr(reader);
		if (!replay_line(r, line, len))
			break;
	}
	r->line++;
	if (r->unsupported)
		r->result->status = KERN_VEC_UNSUPPORTED;
	else if (more < 0)
		r->result->status = KERN_VEC_MALFORMED;
	else if (more == 0 && !r->sim)
		malformed(r, "the file ends before boot");
	else if (more == 0)
		output_is_used_up(r);
	r->result->operations = r->operations;
	base_reader_close(reader);
}

/*
 * Explain: replay once more with an observer at the operation; where a digest
 * differs, go on to the next dump of the file and name the lists that differ.
 */

static void explain_lists(struct replay *r, const char *path)
{
	struct kern_vec_result ignored = { 0 };
	struct replay again = { .result = &ignored };
	struct base_reader *reader;
	struct diag d;
	char *line;
	size_t len;
	bool in_dump = false;

	machine_init(&again.machine);
	if (base_reader_open(&reader, path, LINE_MAX_BYTES, &d))
		return;
	again.name = path;
	while (base_reader_next(reader, &line, &len, &d) > 0) {
		again.line = base_reader_line_nr(reader);
		if (strcmp(line, "dump") == 0) {
			in_dump = again.line > r->op_line || again.line >= r->line;
		} else if (line[0] == '=') {
			const char *got = next_output(&again);

			if (!in_dump || !got || line[1] != 'D' || strcmp(got, line) == 0)
				continue;
			kern_text_printf(&r->steps, "differs: %s\n    got: %s\n", line, got);
			continue;
		} else if (in_dump) {
			break;
		}
		again.out.len = again.out_at = 0;
		if (line[0] != '#' && len && !input_line(&again, line)) {
			if (ignored.status == KERN_VEC_MALFORMED)
				break;
			kern_vec_result_free(&ignored);
			memset(&ignored, 0, sizeof(ignored));
		}
	}
	base_reader_close(reader);
	kern_vec_result_free(&ignored);
	replay_free(&again);
}

static void explain_failure(const char *path, u64 op_line, struct kern_vec_result *result)
{
	struct kern_vec_result again = { 0 };
	struct replay r = { .result = &again, .watch_line = op_line };

	replay_file(&r, path);
	if (strstr(result->failure.what, "digest"))
		explain_lists(&r, path);
	result->failure.explain = kern_text_take(&r.steps);
	kern_vec_result_free(&again);
	replay_free(&r);
}

void kern_vec_verify(const char *path, bool explain, struct kern_vec_result *result)
{
	struct replay r = { .result = result };
	u64 op_line;

	memset(result, 0, sizeof(*result));
	replay_file(&r, path);
	op_line = r.op_line;
	replay_free(&r);
	if (explain && result->status == KERN_VEC_FAILED)
		explain_failure(path, op_line, result);
}

void kern_vec_result_free(struct kern_vec_result *result)
{
	free(result->failure.op);
	free(result->failure.what);
	free(result->failure.expected);
	free(result->failure.got);
	free(result->failure.explain);
	memset(&result->failure, 0, sizeof(result->failure));
}

bool kern_vec_is_vector(const char *path)
{
	struct base_reader *reader;
	struct diag d;
	char *line;
	size_t len;
	bool is = false;

	if (base_reader_open(&reader, path, 1 << 16, &d))
		return false;
	while (base_reader_next(reader, &line, &len, &d) > 0) {
		if (line[0] == '#' || len == 0)
			continue;
		is = strncmp(line, "oracle ", 7) == 0;
		break;
	}
	base_reader_close(reader);
	return is;
}

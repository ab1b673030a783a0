/* SPDX-License-Identifier: GPL-2.0-only */
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "op_lines.h"
#include "text_buf.h"

/*
 * A replay in progress
 */

struct replay {
	struct kern_op_lines in;
	bool brief;
	struct kern_text out; /* what the model says after the last operation */
	size_t out_at;	      /* how much of it was compared */
	struct kern_text op;  /* the last operation's text */
	u64 op_line, operations;
	bool invariants;
	/* Explaining: steps of the operation at this line. */
	u64 watch_line;
	struct kern_text steps;
	struct step_stack stack;
	struct kern_vec_result *result;
};

static bool malformed(struct replay *r, const char *text)
{
	r->result->status = KERN_VEC_MALFORMED;
	base_diag_set(&r->result->diag, BASE_ERR_SYNTAX, r->in.name, r->in.line, 0, "%s", text);
	return false;
}

/* The parser below has filled the diag. */
static bool parsed(struct replay *r, bool ok)
{
	if (!ok)
		r->result->status = KERN_VEC_MALFORMED;
	return ok;
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
	const struct per_cpu_pages *pcp = sim_pageset(r->in.sim, z, cpu);
	struct kern_text *t = &r->out;
	u32 set = r->in.patches;

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
	if (r->in.machine.counters == COUNTERS_PERCPU)
		kern_text_printf(t, " sd %d", pcp->stat_diff);
	kern_text_printf(t, " lists ");
	for (u32 pindex = 0; pindex < NR_PCP_LISTS; pindex++)
		kern_text_printf(t, "%s%u", pindex ? "," : "",
				 sim_pcp_list_length(r->in.sim, z, cpu, pindex));
	kern_text_printf(t, "\n");
}

static void put_pagesets(struct replay *r, int cpu)
{
	for (u32 z = 0; z < sim_nr_zones(r->in.sim); z++) {
		for (u32 c = 0; c < sim_nr_cpus(r->in.sim); c++) {
			if (cpu < 0 || (u32)cpu == c)
				put_pageset(r, z, c);
		}
	}
}

static void put_zone(struct replay *r, u32 z)
{
	const struct zone *zone = sim_zone(r->in.sim, z);
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
	kern_text_printf(&r->out, "=d %016llx\n", (unsigned long long)sim_digest(r->in.sim));
}

static void put_boot(struct replay *r)
{
	put_pagesets(r, -1);
	for (u32 z = 0; z < sim_nr_zones(r->in.sim); z++) {
		const struct zone *zone = sim_zone(r->in.sim, z);

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
	for (u32 z = 0; z < sim_nr_zones(r->in.sim); z++)
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
		u32 type = sim_pageblock_type(r->in.sim, b << PAGEBLOCK_ORDER);
		u64 run = b;

		while (run <= last && sim_pageblock_type(r->in.sim, run << PAGEBLOCK_ORDER) == type)
			run++;
		kern_text_printf(&r->out, " %u*%llu", type, (unsigned long long)(run - b));
		b = run;
	}
	kern_text_printf(&r->out, "\n");
}

static void put_dump(struct replay *r)
{
	for (u32 z = 0; z < sim_nr_zones(r->in.sim); z++) {
		const struct zone *zone = sim_zone(r->in.sim, z);
		u64 *pfns = base_alloc((size_t)zone->managed_pages + 1, sizeof(*pfns));
		char head[64];

		kern_text_printf(&r->out, "=D zone %u\n", z);
		for (u32 cpu = 0; cpu < sim_nr_cpus(r->in.sim); cpu++) {
			for (u32 pindex = 0; pindex < NR_PCP_LISTS; pindex++) {
				size_t n = 0;
				u32 at = 0;

				while (sim_pcp_list_next(r->in.sim, z, cpu, pindex, &at, &pfns[n]))
					n++;
				snprintf(head, sizeof(head), "=D pcp %u %u", cpu, pindex);
				put_list(r, head, pfns, n, pindex_to_order(pindex));
			}
		}
		for (u32 i = 0; i < NR_PAGE_ORDERS * MIGRATE_TYPES; i++) {
			u32 order = i / MIGRATE_TYPES, at = 0;
			size_t n = 0;

			while (sim_free_list_next(r->in.sim, z, order, i % MIGRATE_TYPES, &at,
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

		if (sim_slot_info(r->in.sim, r->in.slots[i], &slot) && slot.live)
			pfns[n++] = slot.pfn;
	}
	put_runs(&r->out, pfns, n, op->order, true);
	free(pfns);
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
	} else if (kern_op_is_alloc(op)) {
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
	} else if (kern_op_is_alloc(op)) {
		kern_text_printf(t, " %u%s%s", res->got, late, woken);
		put_got(r, op);
	}
}

/* One tuple a zone for the acting CPU; "-" for a field that the variant has not. */
static void put_tuples(struct replay *r, u32 cpu)
{
	struct kern_text *t = &r->out;

	for (u32 z = 0; z < sim_nr_zones(r->in.sim); z++) {
		const struct per_cpu_pages *pcp = sim_pageset(r->in.sim, z, cpu);

		kern_text_printf(t, "%s%d,%d,", z ? "/" : " ", pcp->count, pcp->high);
		if (sim_has_flags(r->in.patches))
			kern_text_printf(t, "%u,", pcp->flags);
		else
			kern_text_printf(t, "-,");
		if (r->in.patches & PATCH_BIT(P_ALLOC_SCALE))
			kern_text_printf(t, "%u,", pcp->alloc_factor);
		else
			kern_text_printf(t, "-,");
		kern_text_printf(t, "%d,",
				 r->in.patches & PATCH_BIT(P_FREE_COUNT) ? pcp->free_count :
									   pcp->free_factor);
		if (r->in.patches & PATCH_BIT(P_COUNT_MIN))
			kern_text_printf(t, "%d,", pcp->count_min);
		else
			kern_text_printf(t, "-,");
		kern_text_printf(t, "%u", pcp->expire);
	}
	kern_text_printf(t, " %08x\n", (u32)sim_digest(r->in.sim));
}

/* Whose pagesets the full output shows: one CPU, or -1 for all. */
static int shown_cpu(const struct replay *r, const struct op *op)
{
	switch (op->kind) {
	case OP_RECLAIM:
	case OP_BOOST_CLEAR:
		return (int)sim_first_online(r->in.sim);
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

static bool run_op(struct replay *r, const char *name, struct kern_words *w, const char *text)
{
	struct op op;
	struct op_result res;
	u32 acting = sim_first_online(r->in.sim);
	int shown;
	bool ok;

	if (!parsed(r, kern_op_parse(&r->in, name, w, &op)))
		return false;
	if (r->invariants)
		sim_set_checking(r->in.sim, true);
	if (r->watch_line == r->in.line) {
		memset(&r->stack, 0, sizeof(r->stack));
		sim_set_observer(r->in.sim, watch_step, r);
	}
	ok = kern_op_exec(&r->in, &op, &res);
	sim_set_observer(r->in.sim, NULL, NULL);
	if (!parsed(r, ok))
		return false;
	r->operations++;
	shown = shown_cpu(r, &op);
	if (shown >= 0)
		acting = (u32)shown;
	else if (op.kind != OP_CPU_ONLINE)
		acting = sim_first_online(r->in.sim);
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
	f->line = r->in.line;
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
	struct kern_words w = { .at = line };
	const char *name;
	bool ok = true;

	if (mark)
		*mark = '\0';
	r->op.len = 0;
	kern_text_printf(&r->op, "%s", line);
	r->op_line = r->in.line;
	name = kern_next_word(&w);
	if (!name || strcmp(name, "note") == 0) {
		free(copy);
		return true;
	}
	if (!r->in.sim) {
		ok = parsed(r, kern_op_configure(&r->in, name, &w));
		if (r->in.sim)
			put_boot(r);
	} else if (strcmp(name, "mode") == 0) {
		const char *word = kern_next_word(&w);

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
		if (!r->in.sim)
			return malformed(r, "expected output before boot");
		return compare_line(r, line);
	}
	return output_is_used_up(r) && input_line(r, line);
}

static void replay_free(struct replay *r)
{
	kern_op_lines_free(&r->in);
	kern_text_free(&r->out);
	kern_text_free(&r->op);
	kern_text_free(&r->steps);
}

static void replay_file(struct replay *r, const char *path)
{
	struct base_reader *reader;
	char *line;
	size_t len;
	int more = 0;

	kern_op_lines_init(&r->in, path, &r->result->diag);
	if (base_reader_open(&reader, path, KERN_OP_LINE_MAX, &r->result->diag)) {
		r->result->status = KERN_VEC_MALFORMED;
		return;
	}
	r->in.name = base_reader_name(reader);
	while (!r->in.unsupported &&
	       (more = base_reader_next(reader, &line, &len, &r->result->diag)) > 0) {
		r->in.line = base_reader_line_nr(reader);
		if (!replay_line(r, line, len))
			break;
	}
	r->in.line++;
	if (r->in.unsupported)
		r->result->status = KERN_VEC_UNSUPPORTED;
	else if (more < 0)
		r->result->status = KERN_VEC_MALFORMED;
	else if (more == 0 && !r->in.sim)
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

	kern_op_lines_init(&again.in, path, &ignored.diag);
	if (base_reader_open(&reader, path, KERN_OP_LINE_MAX, &d)) {
		replay_free(&again);
		return;
	}
	while (base_reader_next(reader, &line, &len, &d) > 0) {
		again.in.line = base_reader_line_nr(reader);
		if (strcmp(line, "dump") == 0) {
			in_dump = again.in.line > r->op_line || again.in.line >= r->in.line;
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

void kern_vec_verify(const char *path, bool explain, bool invariants,
		     struct kern_vec_result *result)
{
	struct replay r = { .result = result, .invariants = invariants };
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

/* SPDX-License-Identifier: GPL-2.0-only */
#include "hunt.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/op.h"
#include "core/pcp.h"

enum { HUNT_OPS_LIMIT = 200, HUNT_BLOCKS_MAX = 4096, HUNT_AFTER_FOUND = 800 };

/* One step of a sequence. An alloc makes a group; a free empties the group of one. */
struct hunt_op {
	enum { HUNT_ALLOC, HUNT_FREE, HUNT_TICK, HUNT_RECLAIM, NR_HUNT_KINDS } kind;
	u8 cpu, order, type;
	bool as_list, newest, on;
	u16 group; /* index of the alloc whose blocks a free frees */
	u32 count;
};

struct hunt {
	const struct script_hunt *args;
	struct sim *fresh[2];
	struct script_exprs *exprs;
	struct script_expr *expr;
	struct script_fault *fault;
	bool failed;
	u64 rand;
	u32 nr_cpus, nr_sims, ops_max;
	u64 tried, tries;
	u32 *slots; /* HUNT_BLOCKS_MAX for each op of a sequence */
	u32 *order; /* one group turned around */
	struct script_value values[2];
	s64 batch, high;
};

static u64 hunt_rand(struct hunt *h, u64 n)
{
	u64 z = h->rand += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (z ^ z >> 31) % n;
}

/*
 * Running a sequence
 */

/* Do one op on one machine; false if it means nothing (its group is gone). */
static bool hunt_exec(struct hunt *h, struct sim *sim, const struct hunt_op *ops, u32 i)
{
	const struct hunt_op *o = &ops[i];
	struct op op = { .cpu = o->cpu, .order = o->order, .type = o->type, .count = o->count };
	u32 *slots = h->slots + (size_t)i * HUNT_BLOCKS_MAX;

	switch (o->kind) {
	case HUNT_ALLOC:
		op.kind = OP_ALLOCN;
		break;
	case HUNT_FREE:
		op.kind = o->as_list ? OP_FREELIST : OP_FREEN;
		op.count = ops[o->group].count;
		slots = h->slots + (size_t)o->group * HUNT_BLOCKS_MAX;
		for (u32 k = 0; o->newest && k < op.count; k++)
			h->order[k] = slots[op.count - 1 - k];
		if (o->newest)
			slots = h->order;
		break;
	case HUNT_TICK:
		op.kind = OP_TICK;
		break;
	default:
		op.kind = OP_RECLAIM;
		op.flags = o->on ? OP_F_ON : 0;
		break;
	}
	return sim_exec(sim, &op, slots, NULL, NULL) == SIM_OK;
}

/* Frees of what is not there, or was freed, do nothing: leave them out. Returns how many are left. */
static u32 tidy(struct hunt_op *ops, u32 nr)
{
	u16 place[HUNT_OPS_LIMIT];
	bool freed[HUNT_OPS_LIMIT] = { false };
	u32 kept = 0;

	for (u32 i = 0; i < nr; i++) {
		struct hunt_op o = ops[i];

		place[i] = UINT16_MAX;
		if (o.kind == HUNT_FREE) {
			if (o.group >= i || place[o.group] == UINT16_MAX)
				continue;
			o.group = place[o.group];
			if (ops[o.group].kind != HUNT_ALLOC || freed[o.group])
				continue;
			freed[o.group] = true;
			if (ops[o.group].order)
				o.as_list = false;
		}
		place[i] = (u16)kept;
		ops[kept++] = o;
	}
	return kept;
}

static bool differ(const struct hunt *h)
{
	char a[SCRIPT_VALUE_TEXT], b[SCRIPT_VALUE_TEXT];

	if (h->nr_sims == 1)
		return !script_value_true(&h->values[0]);
	return strcmp(script_value_format(&h->values[0], a),
		      script_value_format(&h->values[1], b)) != 0;
}

static bool evaluate(struct hunt *h, struct sim *const *sims)
{
	for (u32 s = 0; s < h->nr_sims; s++) {
		if (!script_expr_eval(h->expr, sims[s], &h->values[s], h->fault)) {
			h->failed = true;
			return false;
		}
	}
	return differ(h);
}

/* Runs the (tidy) sequence from the start; how many ops until it shows the difference, 0 if it does not. */
static u32 run(struct hunt *h, const struct hunt_op *ops, u32 nr)
{
	struct sim *sims[2] = { NULL, NULL };
	u32 found = 0;

	h->tried++;
	for (u32 s = 0; s < h->nr_sims; s++) {
		if (sim_clone(h->fresh[s], &sims[s], NULL)) {
			snprintf(h->fault->message, sizeof(h->fault->message),
				 "no memory for a machine");
			h->failed = true;
		} else {
			sim_set_checking(sims[s], false);
		}
	}
	for (u32 i = 0; i < nr && !found && !h->failed; i++) {
		for (u32 s = 0; s < h->nr_sims; s++)
			hunt_exec(h, sims[s], ops, i);
		if (evaluate(h, sims))
			found = i + 1;
	}
	for (u32 s = 0; s < h->nr_sims; s++)
		sim_destroy(sims[s]);
	return found;
}

/*
 * Sequences
 */

static u32 random_count(struct hunt *h)
{
	s64 counts[] = { 1,
			 1,
			 1,
			 2,
			 3,
			 h->batch,
			 h->batch + 1,
			 2 * h->batch,
			 4 * h->batch,
			 h->high,
			 2 * h->high,
			 1000,
			 HUNT_BLOCKS_MAX };
	s64 n = counts[hunt_rand(h, ARRAY_SIZE(counts))];

	return n < 1 ? 1 : n > HUNT_BLOCKS_MAX ? HUNT_BLOCKS_MAX : (u32)n;
}

static struct hunt_op random_op(struct hunt *h, u32 i)
{
	static const u8 orders[] = { 0, 0, 0, 0, 1, 1, 2, 3, 9, 10 };
	struct hunt_op o = { .cpu = (u8)(hunt_rand(h, 4) ? 0 : hunt_rand(h, h->nr_cpus)) };
	u64 dice = hunt_rand(h, 100);

	if (i == 0 || dice < 45) {
		o.kind = HUNT_ALLOC;
		o.order = orders[hunt_rand(h, sizeof(orders))];
		o.type = (u8)(hunt_rand(h, 3) ? MIGRATE_MOVABLE : MIGRATE_UNMOVABLE);
		o.count = random_count(h);
		if (o.order > 3 && o.count > 100)
			o.count = 1 + (u32)hunt_rand(h, 100);
	} else if (dice < 90) {
		o.kind = HUNT_FREE;
		o.group = (u16)hunt_rand(h, i);
		o.as_list = hunt_rand(h, 3) == 0;
		o.newest = hunt_rand(h, 4) == 0;
	} else if (dice < 98) {
		o.kind = HUNT_TICK;
	} else {
		o.kind = HUNT_RECLAIM;
		o.on = hunt_rand(h, 2);
	}
	return o;
}

/* Sequences grow as the hunt goes on: short differences are found by short ones. */
static u32 length_of_try(const struct hunt *h)
{
	u64 most = 2 + h->tried * 40 / h->tries;

	return most > h->ops_max ? h->ops_max : (u32)most;
}

/*
 * Making smaller
 */

/* Take over @try if it still shows the difference. */
static bool accept(struct hunt *h, struct hunt_op *ops, u32 *nr, struct hunt_op *try, u32 nr_try)
{
	u32 found;

	nr_try = tidy(try, nr_try);
	found = run(h, try, nr_try);
	if (!found)
		return false;
	memcpy(ops, try, found * sizeof(*ops));
	*nr = found;
	return true;
}

static u32 drop_op(const struct hunt_op *ops, u32 nr, u32 at, struct hunt_op *to)
{
	u32 n = 0;

	for (u32 i = 0; i < nr; i++) {
		if (i == at)
			continue;
		to[n] = ops[i];
		/* Groups behind the gap move up; a free of the gap itself goes with it. */
		if (to[n].kind == HUNT_FREE && to[n].group == at)
			to[n].group = UINT16_MAX;
		else if (to[n].kind == HUNT_FREE && to[n].group > at)
			to[n].group--;
		n++;
	}
	return n;
}

/* A simpler form number @way of one op; false if it has none. */
static bool simpler(struct hunt_op *o, u32 way)
{
	struct hunt_op old = *o;

	switch (way) {
	case 0:
		o->count = o->count > 1 ? 1 : o->count;
		break;
	case 1:
		o->count /= 2;
		break;
	case 2:
		o->count -= o->count / 4;
		break;
	case 3:
		o->count--;
		break;
	case 4:
		o->order = 0;
		break;
	case 5:
		o->order = o->order ? o->order - 1 : 0;
		break;
	case 6:
		o->cpu = 0;
		break;
	case 7:
		o->type = MIGRATE_MOVABLE;
		break;
	case 8:
		o->as_list = o->newest = false;
		break;
	default:
		return false;
	}
	if (o->kind == HUNT_ALLOC && o->count < 1)
		o->count = 1;
	if (o->kind != HUNT_ALLOC)
		o->count = old.count, o->order = old.order, o->type = old.type;
	return memcmp(o, &old, sizeof(old)) != 0;
}

enum { NR_WAYS = 9 };

static void shrink(struct hunt *h, struct hunt_op *ops, u32 *nr)
{
	struct hunt_op try[HUNT_OPS_LIMIT];
	bool again = true;

	while (again && !h->failed) {
		again = false;
		for (u32 i = *nr; i-- > 0;) {
			if (i < *nr && accept(h, ops, nr, try, drop_op(ops, *nr, i, try)))
				again = true;
		}
		for (u32 i = 0; i < *nr; i++) {
			for (u32 way = 0; way < NR_WAYS && i < *nr; way++) {
				memcpy(try, ops, *nr * sizeof(*ops));
				if (!simpler(&try[i], way))
					continue;
				if (accept(h, ops, nr, try, *nr)) {
					again = true;
					/* The same way may do again, but for what halves at once. */
					way = way == 1 || way == 2 || way == 3 ? way - 1 : way;
				}
			}
		}
	}
}

static u64 blocks_of(const struct hunt_op *ops, u32 nr)
{
	u64 blocks = 0;

	for (u32 i = 0; i < nr; i++)
		blocks += ops[i].kind == HUNT_ALLOC ? ops[i].count : 0;
	return blocks;
}

/* The best sequence of the whole hunt in @best; its length, 0 if none was found. */
static u32 search(struct hunt *h, struct hunt_op *best)
{
	struct hunt_op ops[HUNT_OPS_LIMIT];
	u64 end = h->tries;
	u32 nr_best = 0;

	while (h->tried < end && !h->failed) {
		u32 nr = length_of_try(h), found;

		if (nr_best && nr > nr_best)
			nr = nr_best;
		if (h->args->progress && h->tried % 64 == 0 &&
		    h->args->progress(h->args->ctx, h->tried, h->tries))
			break;
		for (u32 i = 0; i < nr; i++)
			ops[i] = random_op(h, i);
		nr = tidy(ops, nr);
		found = run(h, ops, nr);
		if (!found || (nr_best && found > nr_best))
			continue;
		shrink(h, ops, &found);
		if (!nr_best || found < nr_best ||
		    (found == nr_best && blocks_of(ops, found) < blocks_of(best, nr_best))) {
			memcpy(best, ops, found * sizeof(*ops));
			/* A little longer for a shorter one. */
			if (found < nr_best || !nr_best)
				end = h->tried + HUNT_AFTER_FOUND < h->tries ?
					      h->tried + HUNT_AFTER_FOUND :
					      h->tries;
			nr_best = found;
		}
		/* Nothing is shorter than one op, and little is worth a long search after that. */
		if (nr_best <= 1)
			break;
	}
	return nr_best;
}

/*
 * The scenario
 */

static void write_key(FILE *out, const struct machine_key *key, s64 value)
{
	if (key->type == MKEY_SCALE && value == SCALE_NONE)
		fprintf(out, "  %s: none\n", key->name);
	else if (key->words)
		fprintf(out, "  %s: %s\n", key->name, key->words[value]);
	else
		fprintf(out, "  %s: %lld\n", key->name, (long long)value);
}

static bool is_key(const struct machine_key *key, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(key->name, *names) == 0)
			return true;
	return false;
}

static bool same_zone(const struct machine_zone *a, const struct machine_zone *b)
{
	return a->node == b->node && a->type == b->type && a->start_pfn == b->start_pfn &&
	       a->pages == b->pages && memcmp(a->wmark, b->wmark, sizeof(a->wmark)) == 0;
}

/* Do the plain keys alone make the same zones and nodes? */
static bool keys_say_all(const struct machine *m)
{
	struct sim_error err;
	struct machine plain;
	bool same;

	machine_init(&plain);
	for (const struct machine_key *key = machine_keys; key->name; key++)
		machine_set(&plain, key, machine_get(m, key), &err);
	same = machine_finish(&plain, &err) == SIM_OK && plain.nr_zones == m->nr_zones &&
	       plain.nr_cpu_nodes == m->nr_cpu_nodes;
	for (u32 i = 0; same && i < m->nr_zones; i++)
		same = same_zone(&plain.zones[i], &m->zones[i]);
	for (u32 i = 0; same && i < m->nr_cpu_nodes; i++)
		same = plain.cpu_node[i] == m->cpu_node[i];
	machine_free(&plain);
	return same;
}

static void write_node(FILE *out, const struct machine *m, u32 node)
{
	const char *sep = "";

	fputs("    - cpus: [", out);
	for (u32 cpu = 0; cpu < m->nr_cpu_nodes; cpu++) {
		if (m->cpu_node[cpu] != node)
			continue;
		fprintf(out, "%s%u", sep, cpu);
		sep = ", ";
	}
	fputs("]\n      zones:\n", out);
	for (u32 i = 0; i < m->nr_zones; i++) {
		const struct machine_zone *z = &m->zones[i];

		if (z->node != node)
			continue;
		fprintf(out, "        - {name: %s, size: %lluKiB, start_pfn: %llu",
			zone_type_names[z->type], (unsigned long long)z->pages * 4,
			(unsigned long long)z->start_pfn);
		if (z->wmark[0] >= 0)
			fprintf(out, ", watermarks: [%lld, %lld, %lld]", (long long)z->wmark[0],
				(long long)z->wmark[1], (long long)z->wmark[2]);
		fputs("}\n", out);
	}
}

/* What a machine file may say beyond plain keys. */
static void write_lists(FILE *out, const struct machine *m, bool nodes)
{
	if (nodes)
		fputs("  nodes:\n", out);
	for (u32 n = 0; nodes && n < (u32)m->nodes; n++)
		write_node(out, m, n);
	if (m->nr_caches)
		fputs("  caches:\n", out);
	for (u32 i = 0; i < m->nr_caches; i++)
		fprintf(out, "    - {level: %u, type: %s, size: %llu, shared_by: %u}\n",
			m->caches[i].level, cache_type_names[m->caches[i].type],
			(unsigned long long)m->caches[i].size, m->caches[i].shared_by);
}

static void write_machine(FILE *out, const struct machine *m)
{
	static const char *const always[] = { "cpus", "memory", NULL };
	static const char *const in_nodes[] = { "cpus", "memory", "nodes", NULL };
	static const char *const in_caches[] = { "data_cache", NULL };
	bool nodes = !keys_say_all(m);

	fputs("machine:\n", out);
	for (const struct machine_key *key = machine_keys; key->name; key++) {
		s64 value = machine_get(m, key);

		if ((nodes && is_key(key, in_nodes)) || (m->nr_caches && is_key(key, in_caches)))
			continue;
		if (value != key->def || is_key(key, always))
			write_key(out, key, value);
	}
	write_lists(out, m, nodes);
}

static void write_op(FILE *out, const struct hunt_op *o, u32 i)
{
	static const char *const types[] = { "unmovable", "movable", "reclaimable" };

	switch (o->kind) {
	case HUNT_ALLOC:
		fprintf(out, "  - alloc: {cpu: %u, order: %u, type: %s, count: %u, as: g%u}\n",
			o->cpu, o->order, types[o->type], o->count, i + 1);
		break;
	case HUNT_FREE:
		fprintf(out, "  - free: {cpu: %u, pages: g%u%s%s}\n", o->cpu, o->group + 1u,
			o->newest ? ", order: newest" : "", o->as_list ? ", batch: true" : "");
		break;
	case HUNT_TICK:
		fprintf(out, "  - tick: {cpu: %u}\n", o->cpu);
		break;
	default:
		fprintf(out, "  - reclaim: {zone: 0, on: %s}\n", o->on ? "true" : "false");
		break;
	}
}

/* A text between YAML's single quotes. */
static void write_quoted(FILE *out, const char *s)
{
	putc('\'', out);
	for (; *s; s++) {
		if (*s == '\'')
			putc('\'', out);
		putc(*s == '\n' || *s == '\t' ? ' ' : *s, out);
	}
	putc('\'', out);
}

static char *write_yaml(const struct hunt *h, const struct hunt_op *ops, u32 nr)
{
	const struct script_hunt *a = h->args;
	u32 last = h->nr_sims - 1;
	char *text = NULL, set[PATCH_TEXT_MAX], value[SCRIPT_VALUE_TEXT], title[400];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "schema_version: 1\nname: %s\n", a->name ? a->name : "smallest-difference");
	if (h->nr_sims == 2)
		snprintf(title, sizeof(title),
			 "The smallest difference between %s and %s of v%d in %.200s",
			 patch_set_format(a->sets[0], set), patch_set_format(a->sets[1], value),
			 patch_series(a->sets[1]) == SERIES_V3 ? 3 : 2, a->expr);
	else
		snprintf(title, sizeof(title), "Where %.200s fails", a->expr);
	fputs("title: ", out);
	write_quoted(out, title);
	fputs("\nlevel: advanced\n", out);
	write_machine(out, a->machine);
	fprintf(out, "series: v%d\npatches: '%s'\nsteps:\n",
		patch_series(a->sets[last]) == SERIES_V3 ? 3 : 2,
		patch_set_format(a->sets[last], set));
	for (u32 i = 0; i < nr; i++)
		write_op(out, &ops[i], i);
	fputs("  - say: ", out);
	if (h->nr_sims == 2) {
		script_value_format(&h->values[0], value);
		snprintf(title, sizeof(title),
			 "With patches %s of v%d the value of %.200s is %s here.",
			 patch_set_format(a->sets[0], set),
			 patch_series(a->sets[0]) == SERIES_V3 ? 3 : 2, a->expr, value);
		write_quoted(out, title);
		snprintf(title, sizeof(title), "(%.300s) == %s", a->expr,
			 script_value_format(&h->values[1], value));
	} else {
		write_quoted(out, "Here the claim fails.");
		snprintf(title, sizeof(title), "not (%.300s)", a->expr);
	}
	fputs("\n  - expect: ", out);
	write_quoted(out, title);
	putc('\n', out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/*
 * The hunt
 */

void script_hunt_machine(struct machine *m)
{
	machine_init(m);
	m->cpus = 2;
	m->memory = 64 << 20;
	m->data_cache = 1 << 20;
}

static bool prepare(struct hunt *h)
{
	const struct script_hunt *a = h->args;
	struct sim_error err;
	struct sim *sims[2];

	for (u32 s = 0; s < h->nr_sims; s++) {
		if (sim_create(a->machine, a->sets[s], &h->fresh[s], &err)) {
			snprintf(h->fault->message, sizeof(h->fault->message), "%s", err.message);
			return false;
		}
		sims[s] = h->fresh[s];
	}
	h->exprs = script_exprs_new();
	h->slots = malloc((size_t)HUNT_OPS_LIMIT * HUNT_BLOCKS_MAX * sizeof(*h->slots));
	h->order = malloc(HUNT_BLOCKS_MAX * sizeof(*h->order));
	if (!h->exprs || !h->slots || !h->order) {
		snprintf(h->fault->message, sizeof(h->fault->message), "no memory for a hunt");
		return false;
	}
	if (!script_expr_compile(h->exprs, h->fresh[0], FIELD_NO_ZONE, NULL, a->expr,
				 strlen(a->expr), &h->expr, h->fault))
		return false;
	h->nr_cpus = sim_nr_cpus(h->fresh[0]);
	h->batch = sim_pageset(h->fresh[0], 0, 0)->batch;
	h->high = sim_zone(h->fresh[0], 0)->pageset_high_min;
	evaluate(h, sims);
	return !h->failed;
}

static void clean_up(struct hunt *h)
{
	script_expr_free(h->expr);
	script_exprs_free(h->exprs);
	for (u32 s = 0; s < h->nr_sims; s++)
		sim_destroy(h->fresh[s]);
	free(h->slots);
	free(h->order);
}

bool script_hunt_run(const struct script_hunt *args, struct script_hunt_result *result,
		     struct script_fault *fault)
{
	struct hunt_op best[HUNT_OPS_LIMIT];
	struct hunt h = {
		.args = args,
		.fault = fault,
		.rand = args->seed,
		.nr_sims = args->nr_sets == 1 ? 1 : 2,
		.ops_max = args->ops_max ? args->ops_max : SCRIPT_HUNT_OPS_MAX,
		.tries = args->tries ? args->tries : SCRIPT_HUNT_TRIES,
	};
	bool ok;

	memset(result, 0, sizeof(*result));
	memset(fault, 0, sizeof(*fault));
	if (h.ops_max > HUNT_OPS_LIMIT)
		h.ops_max = HUNT_OPS_LIMIT;
	ok = prepare(&h);
	if (ok && differ(&h)) {
		/* Already the fresh machines differ. */
		result->found = true;
	} else if (ok) {
		result->nr_ops = search(&h, best);
		result->found = result->nr_ops > 0;
		if (result->found)
			run(&h, best, result->nr_ops);
		ok = !h.failed;
	}
	result->tried = h.tried;
	if (ok && result->found) {
		for (u32 s = 0; s < h.nr_sims; s++)
			script_value_format(&h.values[s], result->values[s]);
		result->yaml = write_yaml(&h, best, result->nr_ops);
		ok = result->yaml != NULL;
		if (!ok)
			snprintf(fault->message, sizeof(fault->message),
				 "no memory for a scenario");
	}
	clean_up(&h);
	return ok;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where two runs of the same log under different patch sets part. Only fields
 * that both sets have are compared, and of flags only bits that both have.
 */
#include <stdlib.h>
#include <string.h>

#include "field.h"
#include "page.h"
#include "timeline_impl.h"

/* What can be compared between two patch sets. */
struct common {
	u32 both, either;
	u8 pcp_flags;
	u32 zone_flags;
};

static struct common common_of(u32 a, u32 b)
{
	struct common c = { .both = a & b, .either = a | b };

	c.pcp_flags = (u8)((c.both & PATCH_BIT(P_AVOID_DRAIN) ? PCPF_PREV_FREE_HIGH_ORDER : 0) |
			   (c.both & PATCH_BIT(P_KEEP_BATCH) ? PCPF_FREE_HIGH_BATCH : 0));
	c.zone_flags = ~(c.both & PATCH_BIT(P_BELOW_HIGH) ? 0 : 1u << ZONE_BELOW_HIGH);
	return c;
}

static u64 mix(u64 h, s64 value)
{
	h = (h ^ (u64)value) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 32;
}

static u64 digest_pageset(u64 h, const struct sim *sim, const struct per_cpu_pages *pcp,
			  const struct common *c)
{
	h = mix(h, (s64)pcp->count << 32 | (u32)pcp->high);
	h = mix(h, (s64)pcp->batch << 16 | pcp->expire << 8 | (pcp->flags & c->pcp_flags));
	if (c->both & PATCH_BIT(P_HIGH_LIMITS))
		h = mix(h, (s64)pcp->high_min << 32 | (u32)pcp->high_max);
	if (c->both & PATCH_BIT(P_ALLOC_SCALE))
		h = mix(h, pcp->alloc_factor);
	if (c->both & PATCH_BIT(P_FREE_COUNT))
		h = mix(h, pcp->free_count);
	else if (!(c->either & PATCH_BIT(P_FREE_COUNT)))
		h = mix(h, pcp->free_factor);
	if (c->both & PATCH_BIT(P_COUNT_MIN))
		h = mix(h, pcp->count_min);
	for (u32 i = 0; i < NR_PCP_LISTS; i++)
		h = mix(h, list_length(&sim->nodes[pcp->lists + i]));
	return h;
}

static u64 digest_zone(u64 h, const struct zone *zone, const struct common *c)
{
	h = mix(h, zone->free_pages);
	h = mix(h, zone->flags & c->zone_flags);
	h = mix(h, zone->watermark_boost);
	for (u32 i = 0; i < 3; i++)
		h = mix(h, zone->_watermark[i]);
	h = mix(h, zone->managed_pages);
	h = mix(h, zone->nr_reserved_highatomic);
	for (u32 i = 0; i < NR_PAGE_ORDERS; i++)
		h = mix(h, zone->nr_free[i]);
#define COUNTER(name, unit, help) h = mix(h, (s64)zone->stats.name);
#include "stats.def"
#undef COUNTER
	return h;
}

/* Of all fields, or only of the pagesets of @cpu and what is not a CPU's. */
static u64 digest_fields(const struct sim *sim, const struct common *c, int cpu)
{
	const struct sim_state *st = sim->state;
	u64 h = 1;

	for (u32 z = 0; z < sim->nr_zones; z++) {
		h = digest_zone(h, &sim->zones[z], c);
		for (u32 i = cpu < 0 ? 0 : (u32)cpu; i < (cpu < 0 ? sim->nr_cpus : (u32)cpu + 1);
		     i++)
			h = digest_pageset(h, sim, sim_pageset(sim, z, i), c);
	}
	h = mix(h, (s64)st->pcp_pages);
	h = mix(h, (s64)st->pcp_pages_max);
	h = mix(h, (s64)st->pcp_pages_sum);
	h = mix(h, (s64)st->empty_frees);
	h = mix(h, (s64)st->live_pages);
	return mix(h, (s64)st->hold_pages_max);
}

/* The value of a field as far as both have it. */
static bool common_value(const struct sim *sim, const struct field_ref *ref, const struct common *c,
			 s64 *value)
{
	const struct field_info *info = &field_infos[ref->id];

	if (!field_get(sim, ref, value))
		return false;
	if (strcmp(info->name, "flags") == 0)
		*value &= info->scope == FIELD_PCP ? c->pcp_flags : c->zone_flags;
	return true;
}

/* The first field in canonical order that differs. */
static bool differing_field(const struct sim *a, const struct sim *b, const struct common *c,
			    struct tl_divergence *out)
{
	struct field_ref ref;
	bool started = false;
	s64 va, vb;

	while (field_next(a, &ref, &started)) {
		/* It follows from which pages they are, and costs a walk. */
		if (strcmp(field_infos[ref.id].name, "pageblocks_held") == 0)
			continue;
		if (!common_value(a, &ref, c, &va) || !common_value(b, &ref, c, &vb) || va == vb)
			continue;
		out->differs = true;
		field_path(&ref, out->field);
		out->values[0] = va;
		out->values[1] = vb;
		return true;
	}
	return false;
}

/* The fields at each step of one operation. */
struct trail {
	const struct common *common;
	u64 *digests;
	u16 *ids;
	u32 nr, cap;
	bool out_of_memory;
};

static void on_trail(void *ctx, struct sim *sim, const struct step *step)
{
	struct trail *trail = ctx;

	if (trail->nr == trail->cap) {
		u32 cap = trail->cap ? trail->cap * 2 : 256;
		u64 *digests = realloc(trail->digests, cap * sizeof(*digests));
		u16 *ids = digests ? realloc(trail->ids, cap * sizeof(*ids)) : NULL;

		trail->digests = digests ? digests : trail->digests;
		trail->ids = ids ? ids : trail->ids;
		if (!ids) {
			trail->out_of_memory = true;
			return;
		}
		trail->cap = cap;
	}
	trail->digests[trail->nr] = digest_fields(sim, trail->common, -1);
	trail->ids[trail->nr++] = step->id;
}

static bool follow(struct timeline *tl, u64 op, struct trail *trail)
{
	tl_to_boundary(tl, op);
	tl->run.watch = on_trail;
	tl->run.watch_ctx = trail;
	tl_run_next(tl, 0, false, NULL);
	tl->run.watch = NULL;
	return !trail->out_of_memory;
}

static void skip_not_asked(const struct trail *trail, u32 *at)
{
	while (*at < trail->nr && step_infos[trail->ids[*at]].kind == SK_NOT_ASKED)
		++*at;
}

/* The first step of @b (from 1) that is not a step of @a in the same place; 0 if none. */
static u32 first_other_step(const struct trail *a, const struct trail *b)
{
	u32 i = 0, k = 0;

	for (;; i++, k++) {
		skip_not_asked(a, &i);
		skip_not_asked(b, &k);
		if (k == b->nr)
			return 0;
		if (i == a->nr || a->ids[i] != b->ids[k])
			return k + 1;
	}
}

/*
 * Both trails as sequences of states, repetitions left out: the first state in which
 * they are different, as the steps (from 1) at which it is reached; nr + 1 where the
 * operation has ended before.
 */
static void first_other_state(const struct trail *a, const struct trail *b, u64 start, u32 *at_a,
			      u32 *at_b)
{
	u64 state = start;
	u32 i = 0, k = 0;

	for (;;) {
		while (i < a->nr && a->digests[i] == state)
			i++;
		while (k < b->nr && b->digests[k] == state)
			k++;
		if (i == a->nr || k == b->nr || a->digests[i] != b->digests[k])
			break;
		state = a->digests[i];
	}
	*at_a = i + 1;
	*at_b = k + 1;
}

static void show(struct timeline *tl, u64 op, u32 step, u32 nr)
{
	tl_seek(tl, step > nr ? op + 1 : op, step > nr ? 0 : step, NULL);
}

/* Both differ behind operation @op and not before: find where inside. */
static enum sim_err find_step(struct timeline *a, struct timeline *b, u64 op,
			      const struct common *c, struct tl_divergence *out,
			      struct sim_error *err)
{
	struct trail ta = { .common = c }, tb = { .common = c };
	enum sim_err ret = SIM_OK;
	u32 at_a, at_b, other;
	u64 start;

	tl_to_boundary(a, op);
	start = digest_fields(a->sim, c, -1);
	if (follow(a, op, &ta) && follow(b, op, &tb)) {
		first_other_state(&ta, &tb, start, &at_a, &at_b);
		other = first_other_step(&ta, &tb);
		show(a, op, at_a, ta.nr);
		show(b, op, at_b, tb.nr);
		out->op = op;
		if (!differing_field(a->sim, b->sim, c, out)) {
			/* The digests differ in a mean only: the boundary shows it. */
			show(a, op, UINT32_MAX, ta.nr);
			show(b, op, UINT32_MAX, tb.nr);
			differing_field(a->sim, b->sim, c, out);
			at_b = tb.nr;
		}
		/* The step that decided, if the second one itself changes nothing. */
		out->step = at_b <= tb.nr ? at_b : other ? other : tb.nr;
	} else {
		ret = sim_fail(err, ERR_NOMEM, "no memory to compare operation %llu",
			       (unsigned long long)op);
	}
	free(ta.digests);
	free(ta.ids);
	free(tb.digests);
	free(tb.ids);
	return ret;
}

/* Which CPU's pagesets an operation can touch: -1 any. */
static int acting_cpu(struct timeline *tl, u64 op)
{
	struct op what;
	u32 nr;

	tl_injections_of(tl, op, &nr);
	if (nr || tl_op(tl, op, &what, NULL, NULL))
		return -1;
	return what.kind <= OP_DRAIN ? what.cpu : -1;
}

static enum sim_err compare(struct timeline *a, struct timeline *b, struct tl_divergence *out,
			    struct sim_error *err)
{
	u64 first = a->log.start > b->log.start ? a->log.start : b->log.start;
	struct common c;

	tl_to_boundary(a, first);
	tl_to_boundary(b, first);
	c = common_of(a->sim->patches, b->sim->patches);
	out->op = first;
	if (digest_fields(a->sim, &c, -1) != digest_fields(b->sim, &c, -1) &&
	    differing_field(a->sim, b->sim, &c, out))
		return SIM_OK;
	for (u64 op = first; op < a->log.length && op < b->log.length; op++) {
		int cpu = acting_cpu(a, op);

		tl_to_boundary(a, op + 1);
		tl_to_boundary(b, op + 1);
		c = common_of(a->sim->patches, b->sim->patches);
		if (digest_fields(a->sim, &c, cpu) != digest_fields(b->sim, &c, cpu))
			return find_step(a, b, op, &c, out, err);
	}
	return SIM_OK;
}

enum sim_err tl_diverge(struct timeline *a, struct timeline *b, struct tl_divergence *out,
			struct sim_error *err)
{
	struct tl_pos pos_a = a->pos, pos_b = b->pos;
	enum sim_err ret;

	memset(out, 0, sizeof(*out));
	if (tl_need_log(a, err) || tl_need_log(b, err))
		return ERR_POSITION;
	if (a->sim->nr_zones != b->sim->nr_zones || a->sim->nr_cpus != b->sim->nr_cpus)
		return sim_fail(err, ERR_MACHINE, "the two machines have different zones or CPUs");
	ret = compare(a, b, out, err);
	tl_seek(a, pos_a.op, pos_a.step, NULL);
	tl_seek(b, pos_b.op, pos_b.step, NULL);
	return ret;
}

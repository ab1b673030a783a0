/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where two runs of the same log under different patch sets part: see tl_diverge() in
 * timeline.h. The one answer of diff, compare, step --text and the screen.
 */
#include <stdlib.h>
#include <string.h>

#include "field.h"
#include "page.h"
#include "timeline_impl.h"

enum { NOT_CHANGED = UINT32_MAX - 1 };

/*
 * The fields that are compared, in canonical order: those of CPU c are refs[cpu_at[c]] up
 * to cpu_at[c + 1], behind the last CPU come those of zones and stats. Means and maxima
 * over the whole run, and what takes a walk over memory, follow from the others and are
 * left out.
 */
struct fields {
	struct field_ref *refs;
	bool *ignored; /* differs from boot on */
	size_t nr;
	size_t *cpu_at;
	u32 nr_cpus;
};

/* Which part of the list an operation can change: its CPU's and the tail, or all. */
struct span {
	size_t from[2], to[2];
};

struct sides {
	struct timeline *tl[2];
	const struct sim *sim[2];
	struct fields f;
	struct log_cursor cursor[2];
	u32 *slots[2];
};

static bool is_derived(const char *name)
{
	static const char *const names[] = {
		"pageblocks_held", "pages_in_pagesets_mean", "pages_in_pagesets_max",
		"pages_per_hold",  "hold_pages_max",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static bool fields_make(struct fields *f, const struct sim *sim)
{
	struct field_ref ref;
	bool started = false;
	size_t cap = 0;

	while (field_next(sim, &ref, &started))
		cap++;
	f->nr_cpus = sim->nr_cpus;
	f->refs = calloc(cap, sizeof(*f->refs));
	f->ignored = calloc(cap, sizeof(*f->ignored));
	f->cpu_at = calloc(f->nr_cpus + 1u, sizeof(*f->cpu_at));
	if (!f->refs || !f->ignored || !f->cpu_at)
		return false;
	started = false;
	while (field_next(sim, &ref, &started)) {
		if (is_derived(field_infos[ref.id].name))
			continue;
		if (field_infos[ref.id].scope == FIELD_PCP)
			f->cpu_at[ref.cpu + 1] = f->nr + 1;
		f->refs[f->nr++] = ref;
	}
	return true;
}

static void fields_free(struct fields *f)
{
	free(f->refs);
	free(f->ignored);
	free(f->cpu_at);
}

static struct span span_of(const struct sides *s, const struct op *op, bool injected)
{
	const struct fields *f = &s->f;

	if (op->kind > OP_DRAIN && op->kind != OP_TOUCH)
		injected = true;
	if (injected)
		return (struct span){ .from = { 0, 0 }, .to = { f->nr, 0 } };
	return (struct span){
		.from = { f->cpu_at[op->cpu], f->cpu_at[f->nr_cpus] },
		.to = { f->cpu_at[op->cpu + 1], f->nr },
	};
}

static bool ref_differs(const struct sides *s, size_t i, s64 values[2])
{
	const struct field_ref *ref = &s->f.refs[i];

	/* False if the patch set lacks it: then it is not compared. */
	return field_get(s->sim[0], ref, &values[0]) && field_get(s->sim[1], ref, &values[1]) &&
	       values[0] != values[1];
}

static bool any_differs(const struct sides *s, const struct span *span)
{
	s64 values[2];

	for (int part = 0; part < 2; part++) {
		for (size_t i = span->from[part]; i < span->to[part]; i++)
			if (!s->f.ignored[i] && ref_differs(s, i, values))
				return true;
	}
	return false;
}

/* What differs at boot does not count afterwards. */
static void look_at_boot(struct sides *s, struct tl_divergence *out)
{
	s64 values[2];

	for (size_t i = 0; i < s->f.nr; i++) {
		if (!ref_differs(s, i, values))
			continue;
		s->f.ignored[i] = true;
		if (out->boot_fields++ > 0)
			continue;
		field_path(&s->f.refs[i], out->boot_field);
		memcpy(out->boot_values, values, sizeof(values));
	}
}

/*
 * Inside an operation
 */

/* A value of a field that changed during the operation, and the number of the step that shows it first. */
struct change {
	u32 ref;
	u32 step;
	s64 value;
};

/* One side's operation, step by step. */
struct trail {
	const struct fields *f;
	struct span span;
	s64 *start, *last; /* of each field */
	struct change *changes;
	size_t nr_changes, cap_changes;
	struct step *steps;
	size_t nr_steps, cap_steps;
	bool out_of_memory;
};

static bool reserve(struct trail *t, void **items, size_t nr, size_t *cap, size_t size)
{
	size_t more = *cap * 2 + 256;
	void *bigger;

	if (nr < *cap)
		return true;
	bigger = realloc(*items, more * size);
	if (!bigger) {
		t->out_of_memory = true;
		return false;
	}
	*items = bigger;
	*cap = more;
	return true;
}

static void look_for_changes(struct trail *t, const struct sim *sim)
{
	for (int part = 0; part < 2; part++) {
		for (size_t i = t->span.from[part]; i < t->span.to[part]; i++) {
			s64 value;

			field_get(sim, &t->f->refs[i], &value);
			if (value == t->last[i])
				continue;
			t->last[i] = value;
			if (!reserve(t, (void **)&t->changes, t->nr_changes, &t->cap_changes,
				     sizeof(*t->changes)))
				return;
			t->changes[t->nr_changes++] = (struct change){
				.ref = (u32)i,
				.step = (u32)t->nr_steps,
				.value = value,
			};
		}
	}
}

static void on_step(void *ctx, struct sim *sim, const struct step *step)
{
	struct trail *t = ctx;

	if (!reserve(t, (void **)&t->steps, t->nr_steps, &t->cap_steps, sizeof(*t->steps)))
		return;
	t->steps[t->nr_steps++] = *step;
	look_for_changes(t, sim);
}

static void trail_free(struct trail *t)
{
	free(t->start);
	free(t->last);
	free(t->changes);
	free(t->steps);
}

/* Runs operation @op of one side, which then stands behind it. */
static bool follow(struct sides *s, int side, u64 op, const struct span *span, struct trail *t)
{
	struct timeline *tl = s->tl[side];

	t->f = &s->f;
	t->span = *span;
	t->start = calloc(s->f.nr, sizeof(*t->start));
	t->last = calloc(s->f.nr, sizeof(*t->last));
	if (!t->start || !t->last)
		return false;
	tl_to_boundary(tl, op);
	for (size_t i = 0; i < s->f.nr; i++) {
		field_get(tl->sim, &s->f.refs[i], &t->start[i]);
		t->last[i] = t->start[i];
	}
	tl->run.watch = on_step;
	tl->run.watch_ctx = t;
	tl_run_next(tl, 0, false, NULL);
	tl->run.watch = NULL;
	look_for_changes(t, tl->sim);
	return !t->out_of_memory;
}

/* A step that only one side can have: of a patch that is not on in both, or not asked. */
static bool is_one_sided(const struct step *step, u32 both)
{
	const struct step_info *info = &step_infos[step->id];

	return info->kind == SK_NOT_ASKED ||
	       (info->patch != P_NONE && !(both & PATCH_BIT(info->patch)));
}

static bool same_step(const struct step *a, const struct step *b, bool by_args)
{
	return a->id == b->id &&
	       (!by_args || (a->nr_args == b->nr_args &&
			     memcmp(a->args, b->args, a->nr_args * sizeof(a->args[0])) == 0));
}

/* The step to show of one side: own..end are steps that only this side has, `end` the first that the other lacks. */
static u32 parting_step(const struct trail *t, size_t own, size_t end, u32 limit, u32 both)
{
	u32 step = end < t->nr_steps ? (u32)end + 1 : (u32)t->nr_steps;

	if (limit && is_one_sided(&t->steps[limit - 1], both))
		return limit;
	for (size_t i = own; i < end && i < t->nr_steps; i++) {
		u8 kind = step_infos[t->steps[i].id].kind;

		if (kind == SK_COND || kind == SK_RESULT || kind == SK_SET)
			return (u32)i + 1;
	}
	return limit && limit < step ? limit : step;
}

/*
 * Where the two traces part, at or before the steps `limit` (numbers from 1, 0 for none) at which the field changes: on the
 * side that has steps of its own there, the first of them that decides something. by_args: operands count too; not where
 * some fields differ from boot on, since then operands differ without a consequence.
 */
static void find_parting(const struct trail t[2], u32 both, bool by_args, const u32 limit[2],
			 u32 parting[2])
{
	size_t at[2] = { 0, 0 }, own[2];

	for (;;) {
		for (int s = 0; s < 2; s++) {
			own[s] = at[s];
			while (at[s] < t[s].nr_steps && is_one_sided(&t[s].steps[at[s]], both))
				at[s]++;
		}
		if (at[0] >= t[0].nr_steps || at[1] >= t[1].nr_steps ||
		    (limit[0] && at[0] + 1 >= limit[0]) || (limit[1] && at[1] + 1 >= limit[1]) ||
		    !same_step(&t[0].steps[at[0]], &t[1].steps[at[1]], by_args))
			break;
		at[0]++, at[1]++;
	}
	for (int s = 0; s < 2; s++)
		parting[s] = parting_step(&t[s], own[s], at[s], limit[s], both);
}

/* The k-th change of a field, NULL behind the last. */
static const struct change *next_change(const struct trail *t, u32 ref, size_t *at)
{
	while (*at < t->nr_changes) {
		const struct change *c = &t->changes[(*at)++];

		if (c->ref == ref)
			return c;
	}
	return NULL;
}

/* Where a field's own history splits: the changes on both sides (NULL: stays at `before`). */
static void split_of(const struct trail t[2], u32 ref, const struct change *c[2], s64 *before,
		     s64 start)
{
	size_t at[2] = { 0, 0 };

	*before = start;
	for (;;) {
		c[0] = next_change(&t[0], ref, &at[0]);
		c[1] = next_change(&t[1], ref, &at[1]);
		if (!c[0] || !c[1] || c[0]->value != c[1]->value)
			return;
		*before = c[0]->value;
	}
}

/* Of all fields that the operation left different, the one whose history splits first. */
static void place_from_trails(const struct sides *s, const struct trail t[2],
			      struct tl_divergence *out)
{
	u32 best = UINT32_MAX, limit[2] = { 0, 0 }, parting[2];
	size_t ref = 0;

	for (int part = 0; part < 2; part++) {
		for (size_t i = t[0].span.from[part]; i < t[0].span.to[part]; i++) {
			const struct change *c[2];
			s64 before, now[2];
			u32 step;

			if (s->f.ignored[i] || !ref_differs(s, i, now))
				continue;
			split_of(t, (u32)i, c, &before, t[0].start[i]);
			step = c[0] && (!c[1] || c[0]->step < c[1]->step) ? c[0]->step :
			       c[1]					  ? c[1]->step :
									    NOT_CHANGED;
			if (step >= best)
				continue;
			best = step;
			ref = i;
			for (int k = 0; k < 2; k++) {
				out->side[k].value = c[k] ? c[k]->value : before;
				limit[k] = c[k] ? c[k]->step : 0;
			}
		}
	}
	find_parting(t, s->sim[0]->patches & s->sim[1]->patches, !out->boot_fields, limit, parting);
	field_path(&s->f.refs[ref], out->field);
	for (int k = 0; k < 2; k++)
		out->side[k].step = parting[k];
}

/* Both differ behind operation @op and not before: find where inside. */
static enum sim_err look_inside(struct sides *s, u64 op, const struct span *span,
				struct tl_divergence *out, struct sim_error *err)
{
	struct trail t[2] = { 0 };
	enum sim_err ret = SIM_OK;

	if (follow(s, 0, op, span, &t[0]) && follow(s, 1, op, span, &t[1]))
		place_from_trails(s, t, out);
	else
		ret = sim_fail(err, ERR_NOMEM, "no memory to compare operation %llu",
			       (unsigned long long)op + 1);
	trail_free(&t[0]);
	trail_free(&t[1]);
	return ret;
}

/*
 * The logs
 */

static bool same_injections(const struct sides *s, u64 i, bool *any)
{
	struct injection *inj[2];
	u32 nr[2];

	for (int k = 0; k < 2; k++)
		inj[k] = tl_injections_of(s->tl[k], i, &nr[k]);
	*any = nr[0] || nr[1];
	if (nr[0] != nr[1])
		return false;
	for (u32 n = 0; n < nr[0]; n++) {
		const struct injection *a = &inj[0][n], *b = &inj[1][n];

		if (a->step_id != b->step_id || a->nth != b->nth || a->bytes != b->bytes ||
		    memcmp(a->code, b->code, a->bytes) != 0)
			return false;
	}
	return true;
}

/* Reads operation @i of both, in order. Is it the same one? */
static bool same_op(struct sides *s, u64 i, struct op *op, bool *injected)
{
	bool same = same_injections(s, i, injected), listed[2];
	struct op ops[2];

	for (int k = 0; k < 2; k++)
		listed[k] = log_read(&s->tl[k]->log, &s->cursor[k], &ops[k], s->slots[k]);
	*op = ops[0];
	/* The same toggle gives other sets under other sets. */
	if (ops[0].kind == OP_PATCHES && ops[1].kind == OP_PATCHES)
		return same;
	return same && memcmp(&ops[0], &ops[1], sizeof(ops[0])) == 0 && listed[0] == listed[1] &&
	       (!listed[0] ||
		memcmp(s->slots[0], s->slots[1], op->count * sizeof(*s->slots[0])) == 0);
}

static enum sim_err compare(struct sides *s, tl_go_on *go_on, void *ctx, struct tl_divergence *out,
			    struct sim_error *err)
{
	struct timeline *a = s->tl[0], *b = s->tl[1];
	u64 first = a->log.start > b->log.start ? a->log.start : b->log.start;
	u64 end[2] = { a->log.length, b->log.length };
	u64 longest = end[0] > end[1] ? end[0] : end[1];

	tl_to_boundary(a, first);
	tl_to_boundary(b, first);
	if (!fields_make(&s->f, a->sim))
		return sim_fail(err, ERR_NOMEM, "no memory to compare two histories");
	look_at_boot(s, out);
	log_seek(&a->log, &s->cursor[0], first);
	log_seek(&b->log, &s->cursor[1], first);
	for (out->op = first; out->op < longest; out->op++) {
		struct span span;
		bool injected;
		struct op op;

		if (go_on && !go_on(ctx, out->op))
			return sim_fail(err, ERR_STOPPED, "stopped at operation %llu of %llu",
					(unsigned long long)out->op + 1,
					(unsigned long long)longest);
		if (out->op >= end[0] || out->op >= end[1] ||
		    !same_op(s, out->op, &op, &injected)) {
			out->differs = out->other_op = true;
			return SIM_OK;
		}
		tl_to_boundary(a, out->op + 1);
		tl_to_boundary(b, out->op + 1);
		span = span_of(s, &op, injected);
		if (!any_differs(s, &span))
			continue;
		out->differs = true;
		return look_inside(s, out->op, &span, out, err);
	}
	out->op = 0;
	return SIM_OK;
}

enum sim_err tl_diverge(struct timeline *a, struct timeline *b, tl_go_on *go_on, void *ctx,
			struct tl_divergence *out, struct sim_error *err)
{
	struct tl_pos pos_a = a->pos, pos_b = b->pos;
	struct sides s = { .tl = { a, b }, .sim = { a->sim, b->sim } };
	enum sim_err ret;

	memset(out, 0, sizeof(*out));
	if (tl_need_log(a, err) || tl_need_log(b, err))
		return ERR_POSITION;
	if (a->sim->nr_zones != b->sim->nr_zones || a->sim->nr_cpus != b->sim->nr_cpus)
		return sim_fail(err, ERR_MACHINE, "the two machines have different zones or CPUs");
	for (int k = 0; k < 2; k++)
		s.slots[k] = malloc(SIM_OP_LIST_MAX * sizeof(u32));
	if (s.slots[0] && s.slots[1])
		ret = compare(&s, go_on, ctx, out, err);
	else
		ret = sim_fail(err, ERR_NOMEM, "no memory to compare two histories");
	fields_free(&s.f);
	free(s.slots[0]);
	free(s.slots[1]);
	tl_seek(a, pos_a.op, pos_a.step, NULL);
	tl_seek(b, pos_b.op, pos_b.step, NULL);
	return ret;
}

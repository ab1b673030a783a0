/* SPDX-License-Identifier: GPL-2.0-only */
#include "diverge.h"

#include <stdlib.h>
#include <string.h>

/*
 * The fields that are compared, in canonical order: those of CPU c are refs[cpu_at[c]] up to cpu_at[c + 1], behind the last
 * CPU come those of zones and stats. Means and maxima over the whole run, and what takes a walk over memory, follow from
 * the others and are left out.
 */
struct ref_list {
	struct field_ref *refs;
	size_t nr;
	size_t *cpu_at;
	u32 nr_cpus;
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

static void refs_make(struct ref_list *l, const struct sim *sim)
{
	struct field_ref ref;
	bool started = false;
	size_t nr = 0, cap;

	while (field_next(sim, &ref, &started))
		nr++;
	cap = nr;
	l->refs = base_alloc(cap, sizeof(*l->refs));
	l->nr_cpus = sim_nr_cpus(sim);
	l->cpu_at = base_alloc(l->nr_cpus + 2u, sizeof(*l->cpu_at));
	l->nr = 0;
	started = false;
	while (field_next(sim, &ref, &started) && l->nr < cap) {
		if (is_derived(field_infos[ref.id].name))
			continue;
		if (field_infos[ref.id].scope == FIELD_PCP)
			l->cpu_at[ref.cpu + 1] = l->nr + 1;
		l->refs[l->nr++] = ref;
	}
}

static void refs_free(struct ref_list *l)
{
	free(l->refs);
	free(l->cpu_at);
}

/* Which part of the list an operation can change: its CPU's and the tail, or all. */
struct ref_span {
	size_t from[2], to[2];
};

static struct ref_span span_of(const struct ref_list *l, const struct op *op)
{
	size_t tail = l->cpu_at[l->nr_cpus];
	struct ref_span all = { .from = { 0, 0 }, .to = { l->nr, 0 } };

	switch (op->kind) {
	case OP_ALLOC:
	case OP_ALLOCN:
	case OP_BULK:
	case OP_FREE:
	case OP_FREEN:
	case OP_FREELIST:
	case OP_TICK:
	case OP_DRAIN:
	case OP_TOUCH:
		return (struct ref_span){
			.from = { l->cpu_at[op->cpu], tail },
			.to = { l->cpu_at[op->cpu + 1], l->nr },
		};
	default:
		return all;
	}
}

/* Two sims side by side, and the fields that do not count between them. */
struct pair {
	const struct sim *sim[2];
	bool *ignored; /* of the ref list */
};

static bool both_have(const struct pair *p, const struct field_ref *ref)
{
	return field_exists(sim_patches(p->sim[0]), ref) &&
	       field_exists(sim_patches(p->sim[1]), ref);
}

static bool ref_differs(const struct pair *p, const struct field_ref *ref, s64 values[2])
{
	if (!both_have(p, ref))
		return false;
	field_get(p->sim[0], ref, &values[0]);
	field_get(p->sim[1], ref, &values[1]);
	return values[0] != values[1];
}

/* The first field of the span that differs; l->nr if none does. */
static size_t first_difference(const struct ref_list *l, const struct pair *p,
			       const struct ref_span *span)
{
	s64 values[2];

	for (int part = 0; part < 2; part++) {
		for (size_t i = span->from[part]; i < span->to[part]; i++)
			if (!p->ignored[i] && ref_differs(p, &l->refs[i], values))
				return i;
	}
	return l->nr;
}

/* What differs at boot does not count afterwards. */
static void look_at_boot(const struct ref_list *l, struct pair *p, struct diverge_place *place)
{
	s64 values[2];

	for (size_t i = 0; i < l->nr; i++) {
		if (!ref_differs(p, &l->refs[i], values))
			continue;
		p->ignored[i] = true;
		if (place->boot_fields++ > 0)
			continue;
		field_path(&l->refs[i], place->boot_field);
		memcpy(place->boot_values, values, sizeof(values));
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
struct trace {
	const struct ref_list *refs;
	struct ref_span span;
	s64 *last; /* of the ref list */
	struct change *changes;
	size_t nr_changes, cap_changes;
	struct step *steps;
	size_t nr_steps, cap_steps;
};

static void *doubled(void *items, size_t nr, size_t *cap, size_t size)
{
	void *bigger;

	if (nr < *cap)
		return items;
	*cap = *cap * 2 + 256;
	bigger = base_alloc(*cap, size);
	if (nr)
		memcpy(bigger, items, nr * size);
	free(items);
	return bigger;
}

static void look_for_changes(struct trace *t, const struct sim *sim)
{
	for (int part = 0; part < 2; part++) {
		for (size_t i = t->span.from[part]; i < t->span.to[part]; i++) {
			s64 value;

			field_get(sim, &t->refs->refs[i], &value);
			if (value == t->last[i])
				continue;
			t->last[i] = value;
			t->changes = doubled(t->changes, t->nr_changes, &t->cap_changes,
					     sizeof(*t->changes));
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
	struct trace *t = ctx;

	t->steps = doubled(t->steps, t->nr_steps, &t->cap_steps, sizeof(*t->steps));
	t->steps[t->nr_steps++] = *step;
	look_for_changes(t, sim);
}

static void trace_free(struct trace *t)
{
	free(t->last);
	free(t->changes);
	free(t->steps);
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
static u32 parting_step(const struct trace *t, size_t own, size_t end, u32 limit, u32 both)
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
static void find_parting(const struct trace t[2], u32 both, bool by_args, const u32 limit[2],
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
static const struct change *next_change(const struct trace *t, u32 ref, size_t *at)
{
	while (*at < t->nr_changes) {
		const struct change *c = &t->changes[(*at)++];

		if (c->ref == ref)
			return c;
	}
	return NULL;
}

/* Where a field's own history splits: the changes on both sides (NULL: stays at `before`). */
static void split_of(const struct trace t[2], u32 ref, const struct change *c[2], s64 *before,
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

static void fill_side(struct diverge_side *side, const struct sim *sim, const struct trace *t,
		      u32 step, s64 value)
{
	side->value = value;
	side->step = step;
	side->text[0] = '\0';
	side->func = "";
	if (!step || step > t->nr_steps)
		return;
	step_format(sim, &t->steps[step - 1], side->text);
	side->func = step_funcs[step_infos[t->steps[step - 1].id].func].name;
}

/* Of all fields that the operation left different, the one whose history splits first. */
static void place_from_traces(const struct ref_list *l, const struct pair *p,
			      const struct trace t[2], const s64 *start,
			      struct diverge_place *place)
{
	u32 best = UINT32_MAX, limit[2] = { 0, 0 }, parting[2];
	s64 values[2] = { 0, 0 };
	size_t ref = 0;

	for (int part = 0; part < 2; part++) {
		for (size_t i = t[0].span.from[part]; i < t[0].span.to[part]; i++) {
			const struct change *c[2];
			s64 before, now[2];
			u32 step;

			if (p->ignored[i] || !ref_differs(p, &l->refs[i], now))
				continue;
			split_of(t, (u32)i, c, &before, start[i]);
			step = c[0] && (!c[1] || c[0]->step < c[1]->step) ? c[0]->step :
			       c[1]					  ? c[1]->step :
									    UINT32_MAX - 1;
			if (step >= best)
				continue;
			best = step;
			ref = i;
			for (int s = 0; s < 2; s++) {
				values[s] = c[s] ? c[s]->value : before;
				limit[s] = c[s] ? c[s]->step : 0;
			}
		}
	}
	find_parting(t, sim_patches(p->sim[0]) & sim_patches(p->sim[1]), !place->boot_fields, limit,
		     parting);
	field_path(&l->refs[ref], place->field);
	for (int s = 0; s < 2; s++)
		fill_side(&place->side[s], p->sim[s], &t[s], parting[s], values[s]);
}

/*
 * Runs
 */

static int fail_op(const struct call *call, const struct work *w, const struct work_log *log,
		   size_t i, const struct sim_error *err)
{
	struct diag d;

	base_diag_set(&d, err->code == ERR_NOMEM ? BASE_ERR_NO_MEMORY : BASE_ERR_RANGE, w->path,
		      log ? log->lines[i] : 0, 0, "%s", err->message);
	return call_fail(call, &d);
}

static bool same_op(const struct work_log *a, const struct work_log *b, size_t i)
{
	const u32 *sa, *sb;

	if (a == b)
		return true;
	if (i >= a->nr || i >= b->nr)
		return a->nr == b->nr;
	/* the same toggle gives other sets under other sets */
	if (a->ops[i].kind == OP_PATCHES && b->ops[i].kind == OP_PATCHES)
		return true;
	if (memcmp(&a->ops[i], &b->ops[i], sizeof(struct op)) != 0)
		return false;
	sa = work_log_slots(a, i);
	sb = work_log_slots(b, i);
	return !sa || memcmp(sa, sb, a->ops[i].count * sizeof(*sa)) == 0;
}

/* Runs the pair again up to the operation, and that one under observation. */
static int trace_pair(const struct call *call, const struct work *w, const struct ref_list *l,
		      const struct diverge_run runs[2], bool *ignored, struct diverge_place *place)
{
	struct sim *sim[2] = { NULL, NULL };
	struct trace t[2] = { 0 };
	struct pair pair = { .ignored = ignored };
	s64 *start = base_alloc(l->nr, sizeof(*start));
	size_t last = place->op - 1;
	struct sim_error err;
	int status = 0;

	for (int s = 0; s < 2 && !status; s++) {
		const struct work_log *log = runs[s].log;
		u32 set = log->patches;

		if (sim_create(w->machine, runs[s].patches, &sim[s], &err)) {
			status = fail_op(call, w, NULL, 0, &err);
			break;
		}
		for (size_t i = 0; i <= last && !status; i++) {
			if (i == last) {
				t[s].refs = l;
				t[s].span = span_of(l, &log->ops[i]);
				t[s].last = base_alloc(l->nr, sizeof(s64));
				for (size_t r = 0; r < l->nr; r++)
					field_get(sim[s], &l->refs[r], &t[s].last[r]);
				memcpy(start, t[s].last, l->nr * sizeof(*start));
				sim_set_observer(sim[s], on_step, &t[s]);
			}
			if (work_log_exec(log, i, sim[s], &set, NULL, &err))
				status = fail_op(call, w, log, i, &err);
		}
		sim_set_observer(sim[s], NULL, NULL);
		if (!status)
			look_for_changes(&t[s], sim[s]);
		pair.sim[s] = sim[s];
	}
	if (!status)
		place_from_traces(l, &pair, t, start, place);
	for (int s = 0; s < 2; s++) {
		trace_free(&t[s]);
		sim_destroy(sim[s]);
	}
	free(start);
	return status;
}

/* After operation i (from 0) of all runs. */
static void look_at_pair(const struct ref_list *l, const struct diverge_run *runs, struct pair *p,
			 size_t i, struct diverge_place *place)
{
	const struct work_log *a = runs[0].log, *b = runs[1].log;
	struct ref_span span;

	if (place->differs)
		return;
	place->op = i + 1;
	if (!same_op(a, b, i)) {
		place->differs = place->other_op = true;
		return;
	}
	if (i >= a->nr)
		return;
	span = span_of(l, &a->ops[i]);
	place->differs = first_difference(l, p, &span) < l->nr;
}

static int run_all(const struct call *call, const struct work *w, const struct setup_bounds *bounds,
		   struct diverge_run *runs, size_t nr, const struct ref_list *l,
		   struct pair *pairs, struct diverge_place *places)
{
	u32 *sets = base_alloc(nr, sizeof(*sets));
	size_t longest = 0;
	int status = 0;

	for (size_t r = 0; r < nr; r++) {
		sets[r] = runs[r].log->patches;
		longest = runs[r].log->nr > longest ? runs[r].log->nr : longest;
	}
	for (size_t i = 0; i < longest && !status; i++) {
		for (size_t r = 0; r < nr && !status; r++) {
			struct op_result result;
			struct sim_error err;

			if (i >= runs[r].log->nr)
				continue;
			if (work_log_exec(runs[r].log, i, runs[r].sim, &sets[r], &result, &err))
				status = fail_op(call, w, runs[r].log, i, &err);
			else
				runs[r].failed += result.status == OP_FAILED;
		}
		for (size_t r = 0; r + 1 < nr && !status; r++)
			look_at_pair(l, &runs[r], &pairs[r], i, &places[r]);
		if (setup_is_late(bounds))
			status = call_usage(call, "a larger --timeout, or a smaller --max-ops",
					    "not done within --timeout, at operation %zu of %zu",
					    i + 1, longest);
	}
	free(sets);
	return status;
}

static void read_counters(struct diverge_run *run)
{
	size_t nr = 0;

	while (counter_infos[nr].name)
		nr++;
	run->counters = base_alloc(nr, sizeof(*run->counters));
	for (size_t i = 0; i < nr; i++)
		run->counters[i] = counter_get(run->sim, i);
}

int diverge_all(const struct call *call, const struct work *w, const struct setup_bounds *bounds,
		struct diverge_run *runs, size_t nr, struct diverge_place *places)
{
	struct pair *pairs = base_alloc(nr, sizeof(*pairs));
	struct ref_list l = { 0 };
	struct sim_error err;
	int status = 0;

	for (size_t r = 0; r < nr && !status; r++)
		if (sim_create(w->machine, runs[r].patches, &runs[r].sim, &err))
			status = fail_op(call, w, NULL, 0, &err);
	if (!status)
		refs_make(&l, runs[0].sim);
	for (size_t r = 0; r + 1 < nr && !status; r++) {
		pairs[r].sim[0] = runs[r].sim;
		pairs[r].sim[1] = runs[r + 1].sim;
		pairs[r].ignored = base_alloc(l.nr, sizeof(bool));
		places[r] = (struct diverge_place){ 0 };
		look_at_boot(&l, &pairs[r], &places[r]);
	}
	if (!status)
		status = run_all(call, w, bounds, runs, nr, &l, pairs, places);
	for (size_t r = 0; r < nr && !status; r++)
		read_counters(&runs[r]);
	for (size_t r = 0; r + 1 < nr && !status; r++) {
		if (places[r].differs && !places[r].other_op)
			status = trace_pair(call, w, &l, &runs[r], pairs[r].ignored, &places[r]);
		else if (!places[r].differs)
			places[r].op = 0;
	}
	for (size_t r = 0; r + 1 < nr; r++)
		free(pairs[r].ignored);
	free(pairs);
	refs_free(&l);
	return status;
}

void diverge_free(struct diverge_run *runs, size_t nr)
{
	for (size_t r = 0; r < nr; r++) {
		sim_destroy(runs[r].sim);
		free(runs[r].counters);
		runs[r].sim = NULL;
		runs[r].counters = NULL;
	}
}

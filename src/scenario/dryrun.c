/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The steps in the order in which they will run, without a machine: whether groups hold what is freed, which CPUs are
 * online, which patch set is on, whether each question gets its operation step. How much a group holds is its upper bound:
 * an allocation that fails for want of memory leaves less.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "program.h"

enum { ITEMS_MAX = 1000000 };
#define OPS_MAX ((u64)1 << 28)
#define GROUP_MAX ((u64)1 << 31)

struct dry_group {
	u64 blocks;
	u32 filled_line, emptied_line, high_order_line;
};

struct pending {
	const struct item *it;
	u32 left;
};

struct dry {
	struct scenario *scn;
	struct diags *ds;
	struct dry_group *groups;
	bool *offline;
	u32 nr_online, locked_by; /* zone + 1 whose pagesets are disabled */
	u32 set;
	struct pending *pending;
	size_t nr_pending;
	u64 items, ops;
	u32 turns; /* of the repeats around */
	bool stop;
};

/* Once for each place, however often a repeat comes by. */
static struct diag *tell(struct dry *d, struct item *it, const struct node *at, const char *message)
{
	static struct diag unseen;

	if (it->reported)
		return &unseen;
	it->reported = true;
	return scn_fault(d->scn, d->ds, at, "%s", message);
}

static void cpu_is_online(struct dry *d, struct item *it, const struct node *at, s64 cpu)
{
	char message[100];

	if (cpu < 0 || cpu >= d->scn->machine.cpus || !d->offline[cpu])
		return;
	snprintf(message, sizeof(message), "CPU %" PRId64 " is offline here", cpu);
	base_diag_hint(tell(d, it, schema_node(at, "cpu"), message),
		       "bring it online with hotplug: {cpu: %" PRId64 ", online: true}", cpu);
}

static void fill(struct dry *d, struct item *it, u64 blocks, s64 order)
{
	struct dry_group *g;

	if (it->group == UINT32_MAX)
		return;
	g = &d->groups[it->group];
	g->blocks += blocks;
	g->filled_line = it->at->line;
	if (order > 0)
		g->high_order_line = it->at->line;
	if (g->blocks > GROUP_MAX) {
		tell(d, it, it->at, "the group holds more than 2147483648 blocks");
		d->stop = true;
	}
}

static void free_unknown(struct dry *d, struct item *it)
{
	const struct fmt_free *f = it->fmt->free;
	const struct node *at = schema_node(f->node, "pages");
	const struct dry_group *g = &d->groups[it->group];
	char message[200];
	const char *near = NULL;

	if (g->emptied_line) {
		snprintf(message, sizeof(message),
			 "the group '%.60s' is empty here: line %u freed the rest", f->pages,
			 g->emptied_line);
		tell(d, it, at, message);
		return;
	}
	/* the name itself is in the list: hide it */
	for (u32 i = 0; i < d->scn->nr_groups; i++)
		if (i != it->group && d->groups[i].filled_line &&
		    base_distance(d->scn->groups[i], f->pages, 2) <= 2)
			near = d->scn->groups[i];
	snprintf(message, sizeof(message), "no group has the name '%.60s' here", f->pages);
	if (near)
		base_diag_hint(tell(d, it, at, message), "did you mean %s?", near);
	else
		base_diag_hint(tell(d, it, at, message), "an allocation fills it with as: %s",
			       f->pages);
}

static void dry_free(struct dry *d, struct item *it)
{
	const struct fmt_free *f = it->fmt->free;
	struct dry_group *g = &d->groups[it->group];
	u64 want = f->count ? (u64)f->count : g->blocks;
	char message[200];

	cpu_is_online(d, it, f->node, f->cpu);
	if (g->blocks == 0) {
		free_unknown(d, it);
		return;
	}
	if (want > g->blocks) {
		snprintf(message, sizeof(message),
			 "the group '%.60s' holds %" PRIu64 " blocks here", f->pages, g->blocks);
		base_diag_hint(tell(d, it, schema_node(f->node, "count"), message),
			       "expected a count of at most %" PRIu64, g->blocks);
		want = g->blocks;
	}
	if (f->batch && g->high_order_line) {
		snprintf(message, sizeof(message),
			 "the group '%.60s' has blocks above order 0 (line %u)", f->pages,
			 g->high_order_line);
		base_diag_hint(tell(d, it, schema_node(f->node, "batch"), message),
			       "a list (batch: true) holds order-0 pages");
	}
	d->ops += f->busy ? want : want / SPLIT_BLOCKS + 1;
	g->blocks -= want;
	if (g->blocks == 0) {
		g->emptied_line = it->at->line;
		g->high_order_line = 0;
	}
}

static void dry_hotplug(struct dry *d, const struct fmt_hotplug *h)
{
	if (h->cpu >= d->scn->machine.cpus || d->locked_by || d->offline[h->cpu] != h->online ||
	    (!h->online && d->nr_online == 1))
		return;
	d->offline[h->cpu] = !h->online;
	d->nr_online += h->online ? 1 : -1u;
	d->ops++;
}

static void dry_patch(struct dry *d, struct item *it)
{
	const struct fmt_patch *p = it->fmt->patch;
	const struct node *at = it->at;
	char message[200] = "";
	bool ok;
	u32 set = patches_after(d->set, p, message, sizeof(message), &ok);

	d->ops++;
	if (ok) {
		d->set = set;
		return;
	}
	if (p->set[0])
		at = schema_node(p->node, "set");
	else if (p->off[0] && !p->on[0])
		at = schema_node(p->node, "off");
	else if (p->on[0])
		at = schema_node(p->node, "on");
	tell(d, it, at, message);
}

static void dry_predict(struct dry *d, struct item *it)
{
	size_t max = d->scn->nr_predicts;

	if (d->turns > 1)
		base_diag_hint(tell(d, it, it->at,
				    "a question in a repeat is asked again and again"),
			       "put the predict before or behind the repeat");
	if (d->nr_pending < max)
		d->pending[d->nr_pending++] = (struct pending){ it, (u32)it->fmt->predict->after };
}

/* An operation step is done: questions that waited for it have their answer. */
static void op_step(struct dry *d)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->nr_pending; i++)
		if (--d->pending[i].left > 0)
			d->pending[kept++] = d->pending[i];
	d->nr_pending = kept;
}

static void dry_list(struct dry *d, struct item *items, u32 nr);

static void dry_repeat(struct dry *d, struct item *it)
{
	u32 outer = d->turns;

	d->turns = it->fmt->repeat->times > 1 ? 2 : outer;
	for (s64 i = 0; i < it->fmt->repeat->times && !d->stop; i++)
		dry_list(d, it->sub, it->nr_sub);
	d->turns = outer;
}

static void dry_sysctl(struct dry *d, const struct fmt_sysctl *s)
{
	d->ops += (u64)((s->percpu_pagelist_high_fraction >= 0) + (s->min_free_kbytes >= 0) +
			(s->watermark_scale_factor >= 0));
}

/* Steps that append operations and are not special otherwise. */
static void dry_op(struct dry *d, struct item *it)
{
	const struct fmt_step *f = it->fmt;

	switch (it->kind) {
	case SK_alloc:
		cpu_is_online(d, it, f->alloc->node, f->alloc->cpu);
		fill(d, it, (u64)f->alloc->count, f->alloc->order);
		d->ops += f->alloc->busy ? (u64)f->alloc->count :
					   (u64)f->alloc->count / SPLIT_BLOCKS + 1;
		d->scn->info.nr_expects += f->alloc->must >= 0;
		break;
	case SK_bulk:
		cpu_is_online(d, it, f->bulk->node, f->bulk->cpu);
		fill(d, it, (u64)f->bulk->count, 0);
		d->ops++;
		d->scn->info.nr_expects += f->bulk->must >= 0;
		break;
	case SK_free:
		dry_free(d, it);
		break;
	case SK_tick:
		if (!f->tick->all)
			cpu_is_online(d, it, f->tick->node, f->tick->cpu);
		d->ops += (u64)f->tick->times * (f->tick->all ? d->nr_online : 1);
		break;
	case SK_drain:
		cpu_is_online(d, it, f->drain->node, f->drain->cpu);
		d->ops++;
		break;
	case SK_hotplug:
		dry_hotplug(d, f->hotplug);
		break;
	case SK_pcp:
		if (!f->pcp->on && !d->locked_by)
			d->locked_by = it->zone + 1u;
		else if (f->pcp->on && d->locked_by == it->zone + 1u)
			d->locked_by = 0;
		d->ops++;
		break;
	case SK_sysctl:
		dry_sysctl(d, f->sysctl);
		break;
	case SK_touch:
		cpu_is_online(d, it, f->touch->node, f->touch->cpu);
		d->ops++;
		break;
	default:
		d->ops++;
	}
	op_step(d);
}

static void dry_one(struct dry *d, struct item *it)
{
	switch (it->kind) {
	case SK_say:
	case SK_focus:
	case SK_bookmark:
		break;
	case SK_predict:
		dry_predict(d, it);
		break;
	case SK_expect:
		d->scn->info.nr_expects++;
		break;
	case SK_patch:
		dry_patch(d, it);
		break;
	case SK_repeat:
		dry_repeat(d, it);
		break;
	default:
		dry_op(d, it);
	}
}

static void dry_list(struct dry *d, struct item *items, u32 nr)
{
	for (u32 i = 0; i < nr && !d->stop; i++) {
		if (++d->items > ITEMS_MAX || d->ops > OPS_MAX) {
			base_diag_hint(
				tell(d, &items[i], items[i].at,
				     d->items > ITEMS_MAX ?
					     "the repeats come to more than a million steps" :
					     "the steps come to more than 268435456 operations"),
				"use fewer turns, or larger counts in one step");
			d->stop = true;
			return;
		}
		dry_one(d, &items[i]);
	}
}

void dry_run(struct scenario *scn, struct diags *ds)
{
	struct dry d = { .scn = scn, .ds = ds, .set = scn->info.patches };

	d.groups = base_alloc(scn->nr_groups + 1, sizeof(*d.groups));
	d.offline = base_alloc((size_t)scn->machine.cpus + 1, sizeof(*d.offline));
	d.pending = base_alloc(scn->nr_predicts + 1, sizeof(*d.pending));
	d.nr_online = (u32)scn->machine.cpus;
	dry_list(&d, scn->steps, scn->nr_steps);
	for (size_t i = 0; i < d.nr_pending && !d.stop; i++)
		base_diag_hint(scn_fault(scn, ds, d.pending[i].it->at,
					 "no operation step follows that answers this"),
			       "%s", "put it before one; after: N means the N-th");
	free(d.groups);
	free(d.offline);
	free(d.pending);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The run one step ahead.  The lists follow the recording page by page, so the model always knows what is on them as
 * far as events tell; what it predicts is when a list is refilled or drained, and by how much.
 */
#include "replay_int.h"

#include <stdlib.h>
#include <string.h>

#include "../core/zone.h"
#include "flow.h"
#include "pages.h"

#define RUN_MAX (1u << 16)    /* blocks of one refill or drain */
#define REFILL_LOOK_AHEAD 128 /* events of the CPU between a refill and its allocation */
#define TICK_GAP_NS 50000000  /* a later drain of the same worker is another tick */
#define IN_FLIGHT_NS \
	100000 /* the page is cleared first, for which a hypervisor may have to find it */
#define SECOND_NS 1000000000ULL
#define STEADY_RUNS \
	3 /* refills of a batch right after another, of which tuning would make larger ones */
#define NOWHERE UINT32_MAX

/* one block of a refill or a drain */
struct block {
	uint64_t pfn;
	uint8_t order, type;
};

struct list_state {
	bool known;	     /* all that is on the list is identified */
	bool refilled;	     /* its first refill was seen since the start, or since a loss */
	bool since_mark;     /* its last refill came after the last snapshot */
	bool start_fixed;    /* ever refilled: nothing more is learnt of the start */
	int8_t start_factor; /* alloc_factor at the first refill, -1: not told */
	int32_t net;	     /* blocks that entered less those that left, until the first refill */
	int32_t strangers;   /* blocks that left without having entered */
	int32_t hidden;	     /* blocks of a refill without an event that are on the list still */
};

struct pset {
	struct list_state lists[PCPMODEL_LISTS];
	int32_t listed; /* pages identified */
	bool used;
	bool drained; /* its first drain was seen */
	bool lost;    /* events of this CPU were lost */
	bool keep_off;
	int32_t ghosts; /* pages on the lists here that the last snapshot's count knew to have left */
	uint64_t tick_ns;     /* last moment at which high was known, or a tick drained */
	int32_t begin_count;  /* at the last snap-begin */
	int32_t read_count;   /* when it was read, with the pages below left out */
	int32_t strange;      /* pages that left by an event and that count had no room for */
	uint64_t free_serial; /* allocations before the last free */
	uint8_t raises; /* of high, against drains that only the model made, since a recorded one */
	bool drained_below; /* which drained while the zone's below-high flag was set */
};

struct run {
	struct block *blocks;
	uint32_t nr;
	int pages;
	int last_order;
	uint64_t line, pfn, time_ns;
	uint64_t next; /* the event of this CPU behind the run */
};

/* what a CPU's task did last, interrupts aside: it may hold the lock of a pageset still when one comes */
struct holder {
	uint8_t kind; /* enum trace_kind */
	uint32_t zone;
};

struct replay {
	const struct replay_options *opt;
	struct replay_report *report;
	struct flow *flow;
	struct pages *pages;
	struct snaps snaps;
	struct pcpmodel_machine machine;
	struct pcpmodel model;
	struct pset *psets;
	struct run run;
	struct holder *holders; /* [CPU] */
	uint32_t *allocs;	/* [zone]: events since the last mark */
	bool *seen;		/* [CPU]: scratch */
	uint64_t serial;	/* allocations so far */
	uint32_t mark_stamp; /* pages with this stamp or a later one were freed after the last snapshot */
	FILE *ops;
	uint64_t read_takes_ns; /* how long the reading of a snapshot takes at most, 0: not known */
	uint64_t read_ns; /* when the one that is being taken has been read, UINT64_MAX: none is */
	bool reading;	  /* between the marks of a snapshot */
	bool have_counts; /* a snapshot was taken */
	bool expects_marks; /* the first part of the trace has the mark of one */
	bool failed;	    /* out of memory or disk */
};

static const char *const skip_names[] = {
#define X(id, name) name,
	REPLAY_SKIPS(X)
#undef X
};

static const char *const cause_names[] = {
#define X(id, name, text) name,
	REPLAY_CAUSES(X)
#undef X
};

const char *replay_skip_name(enum replay_skip skip)
{
	return skip_names[skip];
}

const char *replay_cause_name(enum replay_cause cause)
{
	return cause_names[cause];
}

static void put_record(struct replay *r, enum replay_op_kind kind, uint32_t pset, uint32_t order,
		       uint32_t type, int n, uint8_t flags)
{
	struct replay_record record = {
		.n = n,
		.pset = pset,
		.kind = (uint8_t)kind,
		.order = (uint8_t)order,
		.type = (uint8_t)type,
		.flags = flags,
	};

	if (!r->opt->ops_only && fwrite(&record, sizeof(record), 1, r->ops) != 1) {
		r->failed = true;
	}
}

/* id: the page meant, PAGES_NONE: none */
static void tell_sink(struct replay *r, enum replay_op_kind kind, uint32_t pset, uint32_t order,
		      uint32_t type, int n, const struct flow_event *fe, uint32_t id)
{
	struct replay_op op = {
		.line = fe->line,
		.time_ns = fe->ev.time_is_seconds ? fe->ev.time_ns : 0,
		.n = n,
		.cpu = pset % r->machine.nr_cpus,
		.zone = pset / r->machine.nr_cpus,
		.kind = (uint8_t)kind,
		.order = (uint8_t)order,
		.type = (uint8_t)type,
	};

	if (r->opt->sink) {
		r->opt->sink(r->opt->sink_ctx, &op,
			     id == PAGES_NONE ? NULL : &pages_node(r->pages, id)->note);
	}
}

static void put_op(struct replay *r, enum replay_op_kind kind, uint32_t pset, uint32_t order,
		   uint32_t type, int n, const struct flow_event *fe, uint32_t id, uint8_t flags)
{
	uint64_t ns = fe->ev.time_is_seconds ? fe->ev.time_ns : 0;

	if (kind == REPLAY_OP_TICK || kind == REPLAY_OP_REMOTE || kind == REPLAY_OP_SNAP_END) {
		put_record(r, REPLAY_OP_TIME, (uint32_t)(ns >> 32), 0, 0, (int32_t)(uint32_t)ns, 0);
	}
	put_record(r, kind, pset, order, type, n, flags);
	if (kind <= REPLAY_OP_REQUEST) {
		r->report->ops++;
		tell_sink(r, kind, pset, order, type, n, fe, id);
	}
}

static uint32_t list_of(uint32_t pset, uint32_t pindex)
{
	return pset * PCPMODEL_LISTS + pindex;
}

static struct zone *zone_of_pset(struct replay *r, uint32_t pset)
{
	return &r->model.zones[pset / r->machine.nr_cpus];
}

/* the pageset that an event's page belongs to, NOWHERE (counted) if there is none */
static uint32_t pset_of(struct replay *r, const struct trace_event *ev)
{
	uint32_t zi;

	if (ev->cpu < 0 || (uint32_t)ev->cpu >= r->machine.nr_cpus) {
		r->report->skipped[REPLAY_SKIP_UNKNOWN_CPU]++;
		return NOWHERE;
	}
	zi = pcpmodel_zone_of(&r->machine, ev->pfn);
	if (zi == NOWHERE) {
		r->report->skipped[REPLAY_SKIP_NO_ZONE]++;
		return NOWHERE;
	}
	return zi * r->machine.nr_cpus + (uint32_t)ev->cpu;
}

static void differ(struct replay *r, bool refill, uint32_t pset, uint32_t order, uint64_t line,
		   int recorded, int model, enum replay_cause cause)
{
	const struct pcpmodel_zone *zone = &r->machine.zones[pset / r->machine.nr_cpus];
	struct replay_difference now = {
		.there = true,
		.line = line,
		.refill = refill,
		.cpu = (int32_t)(pset % r->machine.nr_cpus),
		.node = zone->node,
		.order = order,
		.recorded = (uint64_t)recorded,
		.model = (uint64_t)model,
		.cause = cause,
	};

	memcpy(now.zone, zone->name, sizeof(zone->name));
	r->report->causes[cause]++;
	if (!r->report->first.there) {
		r->report->first = now;
	}
	if (r->opt->differ) {
		r->opt->differ(r->opt->differ_ctx, &now);
	}
}

static uint32_t type_of_list(uint32_t pindex)
{
	if (pindex < NR_LOWORDER_PCP_LISTS) {
		return pindex % MIGRATE_PCPTYPES;
	}
	return pindex == NR_LOWORDER_PCP_LISTS ? MIGRATE_UNMOVABLE : MIGRATE_MOVABLE;
}

/* did the block come to its list after the last snapshot? */
static bool entered_since_mark(struct replay *r, uint32_t id)
{
	const struct page_node *node = pages_node(r->pages, id);

	return node->freed ? node->stamp >= r->mark_stamp :
			     r->psets[node->list / PCPMODEL_LISTS]
				     .lists[node->list % PCPMODEL_LISTS]
				     .since_mark;
}

/*
 * A block left its list without an event, and the pageset with it.  since_mark: it did so after the last snapshot, whose
 * count cannot have known.
 */
static void vanish(struct replay *r, uint32_t id, bool since_mark)
{
	struct page_node *node = pages_node(r->pages, id);
	uint32_t pset = node->list / PCPMODEL_LISTS, pindex = node->list % PCPMODEL_LISTS;
	struct list_state *ls = &r->psets[pset].lists[pindex];

	pages_remove(r->pages, id);
	r->psets[pset].listed -= 1 << node->order;
	if (!since_mark && r->psets[pset].ghosts >= 1 << node->order) {
		r->psets[pset].ghosts -= 1 << node->order;
	} else {
		r->model.psets[pset].count -= 1 << node->order;
	}
	if (!ls->start_fixed) {
		ls->net--;
	}
	put_record(r, REPLAY_OP_SILENT, pset, pcpmodel_pindex_order(pindex), type_of_list(pindex),
		   1, since_mark ? REPLAY_OP_SINCE_MARK : 0);
}

/* the same by an allocation that printed nothing: an operation of its own */
static void leave_silently(struct replay *r, uint32_t id, const struct flow_event *fe,
			   bool since_mark)
{
	uint32_t list = pages_node(r->pages, id)->list, pindex = list % PCPMODEL_LISTS;

	vanish(r, id, since_mark);
	r->report->ops++;
	tell_sink(r, REPLAY_OP_SILENT, list / PCPMODEL_LISTS, pcpmodel_pindex_order(pindex),
		  type_of_list(pindex), 1, fe, id);
}

/*
 * All blocks nearer to the head than this one, PAGES_NONE: than the tail, left silently.  They are taken for one bulk
 * allocation, so that all left after the one at the head came.
 */
static void leave_above(struct replay *r, uint32_t list, uint32_t id, const struct flow_event *fe)
{
	uint32_t head = pages_list(r->pages, list)->head;
	bool since_mark = head != PAGES_NONE && entered_since_mark(r, head);

	while (head != id) {
		leave_silently(r, head, fe, since_mark);
		head = pages_list(r->pages, list)->head;
	}
}

/* an identified or unknown block leaves the list by an event */
static void leave(struct replay *r, uint32_t pset, uint32_t pindex, uint32_t id, uint32_t order)
{
	struct pset *ps = &r->psets[pset];
	struct per_cpu_pages *pcp = &r->model.psets[pset];
	struct list_state *ls = &ps->lists[pindex];

	if (id != PAGES_NONE) {
		pages_remove(r->pages, id);
		ps->listed -= 1 << order;
		pcp->count -= 1 << order;
	} else {
		if (pcp->count - ps->listed >= 1 << order) {
			pcp->count -= 1 << order;
		} else {
			ps->strange += 1 << order;
		}
		if (!ls->start_fixed) {
			ls->strangers++;
		}
	}
	if (!ls->start_fixed) {
		ls->net--;
	}
}

/*
 * Finds the block on the list that it leaves by an allocation or a drain.  Blocks nearer to the head went before it
 * (head: an allocation).  PAGES_NONE: it is not identified on this list.
 */
static uint32_t find_leaving(struct replay *r, uint32_t pset, uint32_t pindex, uint32_t id,
			     bool head, const struct flow_event *fe)
{
	struct page_node *node = pages_node(r->pages, id);
	uint32_t list = list_of(pset, pindex);

	if (node->list == PAGES_NONE) {
		return PAGES_NONE;
	}
	if (node->list != list && node->list / PCPMODEL_LISTS == pset) {
		uint32_t from = node->list % PCPMODEL_LISTS;

		if (pcpmodel_pindex_order(from) != pcpmodel_pindex_order(pindex)) {
			vanish(r, id, entered_since_mark(r, id));
			return PAGES_NONE;
		}
		/* freed pages of its block were put on the wrong list */
		pages_move_block(r->pages, id, node->list, list);
		if (node->list != list) {
			/* not freed but refilled: it alone changed its list */
			uint8_t order = node->order;

			pages_remove(r->pages, id);
			pages_push(r->pages, list, id, order);
		}
	} else if (node->list != list) {
		vanish(r, id, entered_since_mark(r, id));
		return PAGES_NONE;
	}
	if (head) {
		leave_above(r, list, id, fe);
	}
	return id;
}

/* nothing on the list is known to be there, and nothing unknown can be */
static bool list_is_empty(struct replay *r, uint32_t pset, uint32_t pindex)
{
	return r->psets[pset].lists[pindex].known &&
	       !pages_list(r->pages, list_of(pset, pindex))->blocks;
}

static bool type_ok(struct replay *r, const struct trace_event *ev)
{
	if (!pcp_allowed_order(ev->order)) {
		r->report->skipped[REPLAY_SKIP_BYPASS_ORDER]++;
		return false;
	}
	if (ev->migratetype >= MIGRATE_PCPTYPES) {
		r->report->skipped[REPLAY_SKIP_BYPASS_TYPE]++;
		return false;
	}
	return true;
}

static void zone_pages(struct replay *r, uint32_t pset, int64_t pages)
{
	zone_of_pset(r, pset)->free_pages += pages;
}

static uint32_t id_of(struct replay *r, uint64_t pfn)
{
	uint32_t id = pages_id(r->pages, pfn);

	r->failed |= id == PAGES_NONE;
	return id;
}

/* snapshots are there to tell the start, so nothing is judged before the first of their marks */
static bool state_known(const struct replay *r)
{
	return r->have_counts || !r->expects_marks;
}

/* an allocation that the recording shows without a refill */
static void do_alloc(struct replay *r, const struct flow_event *fe)
{
	const struct trace_event *ev = &fe->ev;
	uint32_t pset = pset_of(r, ev), pindex, id;
	struct per_cpu_pages *pcp;
	struct pset *ps;
	bool empty, judged;

	if (pset == NOWHERE) {
		return;
	}
	id = id_of(r, ev->pfn);
	if (id == PAGES_NONE) {
		return;
	}
	if (!type_ok(r, ev)) {
		tell_sink(r, REPLAY_OP_PAST, pset, ev->order, ev->migratetype, 1, fe, id);
		return;
	}
	ps = &r->psets[pset];
	pcp = &r->model.psets[pset];
	pindex = pcpmodel_pindex(ev->order, ev->migratetype);
	ps->used = true;
	pcpmodel_zone_walk(&r->model, pset / r->machine.nr_cpus);
	pcpmodel_alloc(&r->model, pcp);
	id = find_leaving(r, pset, pindex, id, true, fe);
	empty = list_is_empty(r, pset, pindex);
	judged = ps->lists[pindex].refilled && state_known(r);
	judged = judged && !ps->lists[pindex].hidden;
	if (empty && judged) {
		int blocks = pcpmodel_refill(&r->model, pcp, zone_of_pset(r, pset), ev->order);

		/* somebody refilled the list and printed nothing: by as much as the model would, for want of better */
		r->report->refills.model_only++;
		differ(r, true, pset, ev->order, fe->line, 0, blocks, REPLAY_CAUSE_UNKNOWN_PAGE);
		pcp->count += blocks << ev->order;
		ps->lists[pindex].hidden = blocks;
	}
	if (empty && ps->lists[pindex].hidden) {
		ps->lists[pindex].hidden--;
		pcp->count -= 1 << ev->order;
	} else {
		leave(r, pset, pindex, id, ev->order);
	}
	pages_node(r->pages, id_of(r, ev->pfn))->type = ev->migratetype;
	put_op(r, REPLAY_OP_ALLOC, pset, ev->order, ev->migratetype, 0, fe, id_of(r, ev->pfn),
	       judged ? REPLAY_OP_JUDGED : 0);
}

/*
 * The mm_page_alloc that a refill was made for: the same task's next one from the same list, if it got the first block.
 * None: the bulk allocator, which prints nothing.
 */
static struct flow_event *alloc_of_refill(struct replay *r, const struct flow_event *begin,
					  uint64_t next)
{
	unsigned int i;

	for (i = 0; i < REFILL_LOOK_AHEAD && next != FLOW_NONE; i++) {
		struct flow_event *fe = flow_event(r->flow, next);

		if (fe->ev.kind == TRACE_LOST) {
			return NULL;
		}
		if (fe->ev.kind == TRACE_ALLOC && fe->ev.pfn == r->run.blocks[0].pfn &&
		    fe->ev.order == begin->ev.order) {
			return fe;
		}
		if (fe->ev.kind == TRACE_ALLOC && fe->ev.pid == begin->ev.pid &&
		    fe->ev.order == begin->ev.order &&
		    fe->ev.migratetype == begin->ev.migratetype && fe->ev.in_irq != 1) {
			return NULL;
		}
		next = fe->next;
	}
	return NULL;
}

static bool run_add(struct replay *r, const struct trace_event *ev)
{
	if (r->run.nr == RUN_MAX) {
		return false;
	}
	r->run.blocks[r->run.nr++] = (struct block){ ev->pfn, ev->order, ev->migratetype };
	r->run.pages += 1 << ev->order;
	r->run.last_order = ev->order;
	return true;
}

/* what the taking of a page from another type's block tells of that block */
static void learn_extfrag(struct replay *r, const struct trace_event *ev)
{
	uint32_t id = id_of(r, ev->pfn);

	if (id != PAGES_NONE && ev->migratetype <= MIGRATE_PCPTYPES &&
	    ev->fallback_migratetype <= MIGRATE_PCPTYPES) {
		pages_block_set_type(r->pages, id,
				     ev->change_ownership ? ev->migratetype :
							    ev->fallback_migratetype);
	}
}

/*
 * Collects a refill from its first event on.  A page with mm_page_alloc_extfrag is told a second time by a
 * mm_page_alloc_zone_locked right before it (6.12, part of a block claimed) or after it (6.1, which tries again).
 */
static void collect_refill(struct replay *r, uint64_t n)
{
	const struct flow_event *begin = flow_event(r->flow, n);
	uint64_t extfrag = UINT64_MAX; /* page of the event before, if that was an extfrag */

	r->run = (struct run){ .blocks = r->run.blocks,
			       .line = begin->line,
			       .pfn = begin->ev.pfn,
			       .time_ns = begin->ev.time_ns };
	while (n != FLOW_NONE) {
		struct flow_event *fe = flow_event(r->flow, n);
		const struct trace_event *ev = &fe->ev;
		uint32_t last = r->run.nr;

		if (fe->taken || (ev->kind != TRACE_ZONE_LOCKED && ev->kind != TRACE_EXTFRAG) ||
		    ev->order != begin->ev.order || ev->migratetype != begin->ev.migratetype ||
		    ev->pid != begin->ev.pid) {
			break;
		}
		if (ev->kind == TRACE_EXTFRAG) {
			learn_extfrag(r, ev);
			if (!last || r->run.blocks[last - 1].pfn != ev->pfn) {
				run_add(r, ev);
			}
			extfrag = ev->pfn;
		} else {
			uint32_t id = id_of(r, ev->pfn);

			if (ev->pfn != extfrag || !last || r->run.blocks[last - 1].pfn != ev->pfn) {
				if (!run_add(r, ev)) {
					break;
				}
			}
			if (id != PAGES_NONE &&
			    (extfrag == UINT64_MAX || extfrag >> 9 != ev->pfn >> 9)) {
				pages_block_set_type(r->pages, id, ev->migratetype);
			}
		}
		fe->taken = true;
		n = fe->next;
	}
	r->run.next = n;
}

/* blocks that the buddy gave to somebody past the lists */
static void past_the_lists(struct replay *r, uint32_t pset, const struct flow_event *fe)
{
	uint32_t i;

	for (i = 0; i < r->run.nr; i++) {
		uint32_t id = id_of(r, r->run.blocks[i].pfn);

		zone_pages(r, pset, -(1 << r->run.blocks[i].order));
		if (id != PAGES_NONE && pages_node(r->pages, id)->list != PAGES_NONE) {
			vanish(r, id, entered_since_mark(r, id));
		}
	}
	put_op(r, REPLAY_OP_ZONE, pset / r->machine.nr_cpus, 0, 0, -r->run.pages, fe, PAGES_NONE,
	       0);
}

static void judge_refill(struct replay *r, uint32_t pset, const struct flow_event *fe, bool bulk,
			 bool was_empty, int predicted, const struct per_cpu_pages *before)
{
	struct pset *ps = &r->psets[pset];
	struct list_state *ls = &ps->lists[pcpmodel_pindex(fe->ev.order, fe->ev.migratetype)];
	struct replay_fix fix = {
		.model = &r->model,
		.pcp = &r->model.psets[pset],
		.zone = zone_of_pset(r, pset),
		.order = fe->ev.order,
		.recorded = (int)r->run.nr,
		.predicted = predicted,
	};
	enum replay_cause cause = REPLAY_CAUSE_SILENT_LEAVE;

	if (fix.recorded != predicted) {
		cause = replay_fix_refill(&fix, before);
	}
	if (!ls->refilled || !state_known(r)) {
		r->report->skipped[ps->lost ? REPLAY_SKIP_LOST : REPLAY_SKIP_START_STATE]++;
		return;
	}
	if (bulk) {
		r->report->bulk.recorded++;
		r->report->bulk.same_size += fix.recorded == predicted;
	}
	r->report->refills.recorded++;
	r->report->refills.same_event += was_empty;
	r->report->refills.same_size += was_empty && fix.recorded == predicted;
	if (!was_empty || fix.recorded != predicted) {
		differ(r, true, pset, fe->ev.order, fe->line, fix.recorded,
		       was_empty ? predicted : 0, cause);
	}
}

static void enter_refilled(struct replay *r, uint32_t pset, uint32_t pindex)
{
	struct pset *ps = &r->psets[pset];
	uint32_t i;

	for (i = 0; i < r->run.nr; i++) {
		const struct block *b = &r->run.blocks[i];
		uint32_t id = id_of(r, b->pfn);

		if (id == PAGES_NONE) {
			return;
		}
		if (pages_node(r->pages, id)->list != PAGES_NONE) {
			vanish(r, id, entered_since_mark(r, id));
		}
		pages_append(r->pages, list_of(pset, pindex), id, b->order);
	}
	ps->listed += r->run.pages;
	r->model.psets[pset].count += r->run.pages;
	zone_pages(r, pset, -r->run.pages);
}

static void do_refill(struct replay *r, uint64_t n)
{
	struct flow_event *fe = flow_event(r->flow, n), *alloc;
	uint32_t order = fe->ev.order, type = fe->ev.migratetype, pset = pset_of(r, &fe->ev),
		 pindex, list;
	bool was_empty = true, judged, first, direct;
	struct per_cpu_pages *pcp, before;
	struct list_state *ls;
	int predicted;

	collect_refill(r, n);
	fe->taken = true;
	if (pset == NOWHERE || r->failed || !r->run.nr) {
		return;
	}
	direct = (fe->ev.kind == TRACE_ZONE_LOCKED && !fe->ev.percpu_refill) ||
		 !type_ok(r, &fe->ev);
	pcp = &r->model.psets[pset];
	alloc = alloc_of_refill(r, fe, r->run.next);
	if (!direct && r->run.nr == 1 && pcp->batch > 1 && alloc) {
		/* no refill is of one block: the list's lock was taken, and the page came from the zone */
		r->report->skipped[REPLAY_SKIP_DIRECT]++;
		alloc->taken = true;
		tell_sink(r, REPLAY_OP_PAST, pset, order, type, 1, alloc, id_of(r, alloc->ev.pfn));
		direct = true;
	}
	if (direct) {
		past_the_lists(r, pset, fe);
		return;
	}
	pindex = pcpmodel_pindex(order, type);
	list = list_of(pset, pindex);
	ls = &r->psets[pset].lists[pindex];
	r->psets[pset].used = true;
	if (pages_list(r->pages, list)->blocks) {
		was_empty = !alloc;
		leave_above(r, list, PAGES_NONE, fe);
	}
	/* those of a refill without an event were more than thought, or less: the list is empty now */
	pcp->count -= ls->hidden << order;
	ls->hidden = 0;
	judged = ls->refilled && state_known(r);
	first = !ls->start_fixed;
	if (first) {
		ls->start_fixed = true;
		ls->start_factor = -1;
	}
	if (alloc) {
		alloc->taken = true;
		pcpmodel_zone_walk(&r->model, pset / r->machine.nr_cpus);
		pcpmodel_alloc(&r->model, pcp);
	}
	before = *pcp;
	predicted = pcpmodel_refill(&r->model, pcp, zone_of_pset(r, pset), order);
	judge_refill(r, pset, fe, !alloc, was_empty, predicted, &before);
	if (first && !order) {
		ls->start_factor = (int8_t)replay_shift_of((int)r->run.nr, pcp->batch);
	}
	ls->known = ls->refilled = ls->since_mark = true;
	enter_refilled(r, pset, pindex);
	put_op(r, alloc ? REPLAY_OP_ALLOC : REPLAY_OP_BULK, pset, order, type, (int)r->run.nr,
	       alloc ? alloc : fe, alloc ? id_of(r, alloc->ev.pfn) : PAGES_NONE,
	       judged ? REPLAY_OP_JUDGED : 0);
	if (alloc && !r->failed) {
		uint32_t id = id_of(r, alloc->ev.pfn);

		leave(r, pset, pindex, find_leaving(r, pset, pindex, id, true, fe), order);
		pages_node(r->pages, id)->type = (uint8_t)type;
	}
}

/* the pageset on whose list a block is, NOWHERE where it is not identified */
static uint32_t owner_of(struct replay *r, uint64_t pfn)
{
	uint32_t id = id_of(r, pfn);

	if (id == PAGES_NONE || pages_node(r->pages, id)->list == PAGES_NONE) {
		return NOWHERE;
	}
	return pages_node(r->pages, id)->list / PCPMODEL_LISTS;
}

/*
 * Collects a drain of one pageset from its first event on.  owner: that pageset; NOWHERE: the run shall tell, as a task
 * can drain the lists of other CPUs, one after another.  Returns the owner, NOWHERE if no block of the run told it.
 * last_ns: when the free before it was, UINT64_MAX: there is none.
 */
static uint32_t collect_drain(struct replay *r, uint64_t n, uint32_t owner, uint32_t zi,
			      int32_t pid, uint64_t last_ns)
{
	r->run = (struct run){ .blocks = r->run.blocks, .next = n };
	while (n != FLOW_NONE) {
		struct flow_event *fe = flow_event(r->flow, n);
		uint32_t at;

		if (fe->ev.kind != TRACE_DRAIN || fe->taken || fe->ev.pid != pid ||
		    fe->ev.order > MAX_ORDER || pcpmodel_zone_of(&r->machine, fe->ev.pfn) != zi) {
			break;
		}
		if (fe->ev.time_is_seconds && last_ns < UINT64_MAX - TICK_GAP_NS &&
		    fe->ev.time_ns > last_ns + TICK_GAP_NS) {
			break;
		}
		at = owner_of(r, fe->ev.pfn);
		if (owner == NOWHERE) {
			owner = at;
		} else if (at != NOWHERE && at != owner) {
			break;
		}
		if (!r->run.nr) {
			r->run.line = fe->line;
		}
		if (!run_add(r, &fe->ev)) {
			break;
		}
		last_ns = fe->ev.time_ns;
		fe->taken = true;
		n = fe->next;
	}
	r->run.next = n;
	return owner;
}

/* the drained blocks leave the lists of the pageset that they are on, by default this one */
static void leave_drained(struct replay *r, uint32_t pset)
{
	uint32_t i;

	for (i = 0; i < r->run.nr; i++) {
		const struct block *b = &r->run.blocks[i];
		uint32_t type = b->type < MIGRATE_PCPTYPES ? b->type : MIGRATE_MOVABLE,
			 id = id_of(r, b->pfn), pindex;
		struct page_node *node;

		if (id == PAGES_NONE || !pcp_allowed_order(b->order)) {
			continue;
		}
		node = pages_node(r->pages, id);
		if (node->freed && node->list != PAGES_NONE) {
			if (pages_block_type(r->pages, id) == PAGES_TYPE_NONE &&
			    node->list == list_of(pset, node->list % PCPMODEL_LISTS) &&
			    node->list % PCPMODEL_LISTS != pcpmodel_pindex(b->order, type)) {
				pages_move_block(r->pages, id, node->list,
						 list_of(pset, pcpmodel_pindex(b->order, type)));
			}
			pages_block_set_type(r->pages, id, b->type);
		}
		pindex = pcpmodel_pindex(b->order, type);
		if (node->list != PAGES_NONE && node->list / PCPMODEL_LISTS == pset) {
			pindex = node->list % PCPMODEL_LISTS;
			leave(r, pset, pindex, id, b->order);
		} else {
			if (node->list != PAGES_NONE) {
				vanish(r, id, entered_since_mark(r, id));
			}
			leave(r, pset, pindex, PAGES_NONE, b->order);
			r->psets[pset].lists[pindex].hidden -= r->psets[pset].lists[pindex].hidden >
							       0;
		}
	}
	zone_pages(r, pset, r->run.pages);
}

/* would a drain that stops at n pages have ended with the recorded run's last block? */
static bool same_end(const struct run *run, int n)
{
	return n <= run->pages && n > run->pages - (1 << run->last_order);
}

/* how many ticks can have passed since high was known */
static uint64_t ticks_since(const struct pset *ps, const struct trace_event *ev)
{
	if (!ev->time_is_seconds || ev->time_ns < ps->tick_ns) {
		return 64;
	}
	return (ev->time_ns - ps->tick_ns) / SECOND_NS + 2;
}

static void judge_drain(struct replay *r, uint32_t pset, const struct flow_event *fe, int predicted,
			int limit, bool free_high, const struct per_cpu_pages *before)
{
	struct pset *ps = &r->psets[pset];
	struct per_cpu_pages *pcp = &r->model.psets[pset];
	struct replay_fix fix = {
		.model = &r->model,
		.pcp = pcp,
		.zone = zone_of_pset(r, pset),
		.order = fe->ev.order,
		.recorded = r->run.pages,
		.predicted = predicted,
		.last_order = r->run.last_order,
		.limit = limit,
		.free_high = free_high,
		.kswapd = fe->ev.kswapd,
		.raises = &ps->raises,
		.below_possible = ps->free_serial != r->serial || ps->drained_below,
		.ticks_most = (uint32_t)ticks_since(ps, &fe->ev),
	};
	bool same = r->run.nr ? predicted && same_end(&r->run, predicted) : !predicted;
	uint8_t keep = pcp->flags & PCPF_FREE_HIGH_BATCH;
	enum replay_cause cause = REPLAY_CAUSE_N;

	if (!same) {
		if (r->run.nr && predicted && predicted <= r->run.pages &&
		    predicted > r->run.pages - (1 << 9) && !pcp->free_count) {
			cause = REPLAY_CAUSE_BLOCK_COUNT;
		}
		cause = replay_fix_drain(&fix, before);
		if (fix.ticks) {
			put_op(r, REPLAY_OP_TICK, pset, 0, 0, (int)fix.ticks, fe, PAGES_NONE,
			       REPLAY_OP_DECAY);
			ps->tick_ns = fe->ev.time_is_seconds ? fe->ev.time_ns : 0;
		}
		if (keep && !(pcp->flags & PCPF_FREE_HIGH_BATCH) && !ps->keep_off) {
			ps->keep_off = true;
			r->report->keep_off++;
		}
	}
	if (r->run.nr) {
		ps->raises = 0;
	}
	if (r->run.nr && (!ps->drained || !state_known(r))) {
		ps->drained = true;
		r->report->skipped[ps->lost ? REPLAY_SKIP_LOST : REPLAY_SKIP_START_STATE]++;
		return;
	}
	if (r->run.nr) {
		r->report->drains.recorded++;
		r->report->drains.same_event += predicted > 0;
		r->report->drains.same_size += same;
	} else if (predicted) {
		/* count and high are known from a mark, what was freed before the start only from a drain */
		if (!state_known(r) || (!ps->drained && (free_high || !r->have_counts))) {
			return;
		}
		r->report->drains.model_only++;
	}
	if (!same) {
		differ(r, false, pset, fe->ev.order, fe->line, r->run.pages, predicted, cause);
	}
}

/* the list that a freed block goes to */
static uint32_t free_type(struct replay *r, uint32_t id, const struct flow_event *fe)
{
	uint8_t type = pages_block_type(r->pages, id);

	if (type == PAGES_TYPE_NONE) {
		type = pages_node(r->pages, id)->type;
	}
	if (type == PAGES_TYPE_NONE && fe->ev.kind == TRACE_FREE) {
		/* nothing was told of it; user pages are freed in batches, page tables and slabs one by one */
		type = MIGRATE_UNMOVABLE;
	}
	/* the drain that the free caused begins at its own list, and with older blocks of it */
	if (r->run.nr && r->run.blocks[0].order == fe->ev.order &&
	    r->run.blocks[0].type < MIGRATE_PCPTYPES) {
		type = r->run.blocks[0].type;
	}
	return type < MIGRATE_PCPTYPES ? type : MIGRATE_MOVABLE;
}

/*
 * Does this event interrupt a task that holds the pageset's lock?  A refill and a drain turn interrupts on again before
 * they give it back, so those that waited come right then; what they free goes to the zone.  The lock and the pinned
 * CPU are two levels of preempt depth.
 */
static bool lock_is_held(const struct replay *r, const struct trace_event *ev, uint32_t pset)
{
	const struct holder *h = &r->holders[ev->cpu];

	return ev->in_irq == 1 && ev->preempt >= 2 && h->zone == pset / r->machine.nr_cpus &&
	       (h->kind == TRACE_ZONE_LOCKED || h->kind == TRACE_DRAIN);
}

/* what is kept of every event, whoever deals with it */
static void note_event(struct replay *r, const struct trace_event *ev)
{
	if (ev->kind == TRACE_ALLOC) {
		uint32_t zi = pcpmodel_zone_of(&r->machine, ev->pfn);

		r->serial++;
		if (zi != NOWHERE) {
			r->allocs[zi]++;
		}
	}
	if (ev->cpu >= 0 && (uint32_t)ev->cpu < r->machine.nr_cpus && ev->in_irq != 1 &&
	    ev->kind != TRACE_MARK && ev->kind != TRACE_LOST) {
		r->holders[ev->cpu] =
			(struct holder){ .kind = ev->kind,
					 .zone = pcpmodel_zone_of(&r->machine, ev->pfn) };
	}
}

/* a drain of all that a list holds, because somebody asked for it */
static void do_request(struct replay *r, uint32_t pset, const struct flow_event *fe)
{
	r->report->requests.recorded++;
	r->report->requests.same_size += same_end(&r->run, r->model.psets[pset].count);
	leave_drained(r, pset);
	put_op(r, REPLAY_OP_REQUEST, pset, 0, 0, r->run.pages, fe, PAGES_NONE, 0);
}

static void do_free(struct replay *r, const struct flow_event *fe)
{
	const struct trace_event *ev = &fe->ev;
	uint32_t pset = pset_of(r, ev), id, type, pindex;
	struct per_cpu_pages *pcp, before;
	struct list_state *ls;
	struct run asked = { .nr = 0 };
	bool free_high, judged;
	int predicted, limit;

	if (pset == NOWHERE) {
		return;
	}
	id = id_of(r, ev->pfn);
	if (id == PAGES_NONE) {
		return;
	}
	if (pages_node(r->pages, id)->list != PAGES_NONE) {
		leave_silently(r, id, fe, entered_since_mark(r, id));
	}
	r->run = (struct run){ .blocks = r->run.blocks };
	if (!pcp_allowed_order(ev->order) || lock_is_held(r, ev, pset)) {
		r->report->skipped[pcp_allowed_order(ev->order) ? REPLAY_SKIP_DIRECT :
								  REPLAY_SKIP_BYPASS_ORDER]++;
		zone_pages(r, pset, ev->order <= MAX_ORDER ? 1 << ev->order : 0);
		put_op(r, REPLAY_OP_ZONE, pset / r->machine.nr_cpus, 0, 0,
		       ev->order <= MAX_ORDER ? 1 << ev->order : 0, fe, PAGES_NONE, 0);
		tell_sink(r, REPLAY_OP_PAST, pset, ev->order, free_type(r, id, fe), -1, fe, id);
		return;
	}
	pcp = &r->model.psets[pset];
	r->psets[pset].used = true;
	if (ev->kswapd) {
		/* what kswapd frees it frees while it works on its node's zones */
		pcpmodel_reclaim(&r->model, pset / r->machine.nr_cpus);
	}
	before = *pcp;
	predicted = pcpmodel_free_block(&r->model, pcp, zone_of_pset(r, pset), ev->order, &limit,
					&free_high);
	if (predicted || !ev->kworker) {
		/* a worker that frees something can be the next to tick: its drain is this free's only if one is due */
		collect_drain(r, fe->next, pset, pset / r->machine.nr_cpus, ev->pid, ev->time_ns);
	}
	if (!predicted && !ev->order && r->run.nr && same_end(&r->run, pcp->count)) {
		/* no free of order 0 empties the list: the task went on to drain all */
		asked = r->run;
		r->run = (struct run){ .blocks = asked.blocks };
	}
	type = free_type(r, id, fe);
	pindex = pcpmodel_pindex(ev->order, type);
	ls = &r->psets[pset].lists[pindex];
	judged = r->psets[pset].drained && state_known(r);
	judge_drain(r, pset, fe, predicted, limit, free_high, &before);
	r->psets[pset].free_serial = r->serial;
	r->psets[pset].drained_below = r->run.nr &&
				       (zone_of_pset(r, pset)->flags & 1u << ZONE_BELOW_HIGH);
	pages_push(r->pages, list_of(pset, pindex), id, ev->order);
	r->psets[pset].listed += 1 << ev->order;
	if (!ls->start_fixed) {
		ls->net++;
	}
	if (r->run.nr) {
		leave_drained(r, pset);
		pcpmodel_bulk_done(&r->model, zone_of_pset(r, pset));
	}
	put_op(r, REPLAY_OP_FREE, pset, ev->order, type, r->run.pages, fe, id,
	       judged ? REPLAY_OP_JUDGED : 0);
	if (asked.nr) {
		r->run = asked;
		do_request(r, pset, fe);
	}
}

/* what a tick of the vmstat worker did to a list */
struct tick {
	struct per_cpu_pages after; /* before the pages are taken off */
	bool decayed;		    /* pages above high went */
	bool remote;		    /* up to a batch of a remote node's list went */
};

/*
 * A drain by the vmstat worker is the tick itself.  Ticks before it drained nothing and are not in the trace; high fell
 * with each.  Only the size of this one is predicted: what is above high, on a remote node's list a batch, or both.
 */
static bool predict_tick(struct replay *r, uint32_t pset, const struct flow_event *fe,
			 struct tick *tick)
{
	const struct per_cpu_pages *pcp = &r->model.psets[pset];
	uint64_t i, most = ticks_since(&r->psets[pset], &fe->ev);
	bool nodes = r->machine.nr_nodes > 1;
	int over = 0, rest;

	*tick = (struct tick){ .after = *pcp };
	for (i = 0; i < most && pcpmodel_tuned(&r->model); i++) {
		over = pcpmodel_tick(&r->model, &tick->after);
		rest = pcp->count - over < pcp->batch ? pcp->count - over : pcp->batch;
		tick->decayed = over > 0;
		if (over && same_end(&r->run, over)) {
			return true;
		}
		tick->remote = nodes && rest > 0 && same_end(&r->run, over + rest);
		if (tick->remote) {
			return true;
		}
		if (over) {
			break;
		}
	}
	rest = pcp->count < pcp->batch ? pcp->count : pcp->batch;
	*tick = (struct tick){ .after = *pcp, .decayed = over > 0 };
	tick->remote = nodes && same_end(&r->run, rest);
	if (tick->remote) {
		tick->decayed = false;
	}
	return tick->remote;
}

static void do_worker_drain(struct replay *r, uint32_t pset, const struct flow_event *fe)
{
	struct per_cpu_pages *pcp = &r->model.psets[pset];
	struct tick tick;
	bool same = predict_tick(r, pset, fe, &tick);
	int remote = 0;

	if (!same && !pcpmodel_tuned(&r->model)) {
		/* no tick of such a kernel drains this list: somebody's drain of all, by a worker on each CPU */
		do_request(r, pset, fe);
		return;
	}
	if (same) {
		*pcp = tick.after;
	} else if (pcp->count - r->run.pages >= pcp->high_min) {
		pcp->high = pcp->count - r->run.pages;
	}
	if (tick.remote) {
		remote = pcp->batch < r->run.pages ? pcp->batch : r->run.pages;
		r->report->remote.recorded++;
		r->report->remote.same_size++;
	}
	if (tick.decayed || !same) {
		r->report->ticks.recorded++;
		r->report->ticks.same_size += same;
		put_op(r, REPLAY_OP_TICK, pset, 0, 0, r->run.pages - remote, fe, PAGES_NONE, 0);
	}
	if (tick.remote) {
		put_op(r, REPLAY_OP_REMOTE, pset, 0, 0, remote, fe, PAGES_NONE, 0);
	}
	r->psets[pset].tick_ns = fe->ev.time_ns;
	leave_drained(r, pset);
}

static void do_drain(struct replay *r, uint64_t n)
{
	struct flow_event *fe = flow_event(r->flow, n);
	uint32_t pset = pset_of(r, &fe->ev), owner;

	if (pset == NOWHERE) {
		return;
	}
	owner = collect_drain(r, n, NOWHERE, pset / r->machine.nr_cpus, fe->ev.pid, UINT64_MAX);
	if (!r->run.nr) {
		return;
	}
	owner = owner == NOWHERE ? pset : owner;
	r->psets[owner].used = true;
	if (fe->ev.kworker && owner == pset) {
		do_worker_drain(r, pset, fe);
	} else {
		do_request(r, owner, fe);
	}
}

static void forget(struct replay *r, uint32_t pset)
{
	struct pset *ps = &r->psets[pset];
	uint32_t i;

	for (i = 0; i < PCPMODEL_LISTS; i++) {
		const struct page_list *list = pages_list(r->pages, list_of(pset, i));

		while (list->blocks) {
			pages_remove(r->pages, list->head);
		}
		ps->lists[i].known = ps->lists[i].refilled = false;
		ps->lists[i].hidden = 0;
	}
	ps->listed = 0;
	ps->ghosts = 0;
	ps->drained = false;
	ps->lost = true;
}

static void do_lost(struct replay *r, const struct flow_event *fe)
{
	uint32_t zi, cpu, cpus = r->machine.nr_cpus;

	if (fe->ev.cpu >= 0 && (uint32_t)fe->ev.cpu >= cpus) {
		return;
	}
	for (zi = 0; zi < r->machine.nr_zones; zi++) {
		for (cpu = 0; cpu < cpus; cpu++) {
			if (fe->ev.cpu < 0 || (uint32_t)fe->ev.cpu == cpu) {
				if (r->psets[zi * cpus + cpu].used || r->have_counts) {
					forget(r, zi * cpus + cpu);
				}
			}
		}
	}
	put_op(r, REPLAY_OP_LOST, fe->ev.cpu < 0 ? NOWHERE : (uint32_t)fe->ev.cpu, 0, 0, 0, fe,
	       PAGES_NONE, 0);
}

/*
 * Pages that may have left their lists while the snapshot was taken, though the trace tells it behind: an allocation's
 * event comes after the page was taken off and cleared.  That can be so of the first event of each CPU but the reader's,
 * n being the number of the snapshot's end.
 */
static void put_in_flight(struct replay *r, uint64_t n)
{
	const struct flow_event *end = flow_event(r->flow, n);
	uint64_t last = flow_first(r->flow, NULL) + flow_count(r->flow), i;

	memset(r->seen, 0, r->machine.nr_cpus * sizeof(*r->seen));
	for (i = n + 1; end->ev.time_is_seconds && i < last; i++) {
		const struct flow_event *fe = flow_event(r->flow, i);
		uint32_t cpu = (uint32_t)fe->ev.cpu;

		if (fe->ev.time_ns > end->ev.time_ns + IN_FLIGHT_NS) {
			break;
		}
		if (fe->ev.cpu < 0 || cpu >= r->machine.nr_cpus || fe->ev.cpu == end->ev.cpu ||
		    r->seen[cpu]) {
			continue;
		}
		r->seen[cpu] = true;
		if (fe->ev.kind == TRACE_ALLOC && pcp_allowed_order(fe->ev.order) &&
		    fe->ev.migratetype < MIGRATE_PCPTYPES) {
			uint32_t zi = pcpmodel_zone_of(&r->machine, fe->ev.pfn);

			if (zi != NOWHERE) {
				put_op(r, REPLAY_OP_IN_FLIGHT, zi * r->machine.nr_cpus + cpu, 0, 0,
				       1 << fe->ev.order, fe, PAGES_NONE, 0);
			}
		}
	}
}

/* count, high and free pages as the snapshot has them, except where the count moved while it was taken */
static void take_snapshot(struct replay *r, const struct snap *snap, uint64_t time_ns)
{
	uint32_t nr = r->machine.nr_zones * r->machine.nr_cpus, pset;
	bool first = !r->have_counts;

	for (pset = 0; pset < nr; pset++) {
		struct pset *ps = &r->psets[pset];
		struct per_cpu_pages *pcp = &r->model.psets[pset];
		int32_t now = pcp->count, low = now < ps->begin_count ? now : ps->begin_count;
		int32_t most = now > ps->begin_count ? now : ps->begin_count;
		int32_t since = now - ps->strange - ps->read_count;
		const struct pcpmodel_zone *zone = &r->machine.zones[pset / r->machine.nr_cpus];
		const struct kern_zone *kz =
			kern_dump_find(snap->dump, zone->node, zone->name, strlen(zone->name));
		size_t c;

		for (c = 0; kz && c < kz->nr_cpus; c++) {
			int64_t count = kz->cpus[c].v[KERN_CF_count];

			if (kz->cpus[c].cpu != pset % r->machine.nr_cpus || count == KERN_NONE) {
				continue;
			}
			if (first || count < low || count > most) {
				/* what is on the lists here and left already is found out later */
				ps->ghosts = first || count > low ?
						     0 :
						     ps->ghosts + low - (int32_t)count;
				pcp->count = (int32_t)(count + since > 0 ? count + since : 0);
			}
			if (kz->cpus[c].v[KERN_CF_high] != KERN_NONE) {
				pcp->high = (int32_t)kz->cpus[c].v[KERN_CF_high];
			}
			break;
		}
		ps->tick_ns = time_ns;
	}
	for (pset = 0; pset < r->machine.nr_zones; pset++) {
		const struct pcpmodel_zone *zone = &r->machine.zones[pset];
		const struct kern_zone *kz =
			kern_dump_find(snap->dump, zone->node, zone->name, strlen(zone->name));

		if (kz && kz->v[KERN_ZF_free] != KERN_NONE) {
			r->model.zones[pset].free_pages = kz->v[KERN_ZF_free];
		}
	}
	r->have_counts = true;
}

/* the lists as the recording left them: where the free run starts again after a mark */
static void put_lengths(struct replay *r, const struct flow_event *fe)
{
	uint32_t nr = r->machine.nr_zones * r->machine.nr_cpus, pset, i;

	for (pset = 0; pset < nr; pset++) {
		for (i = 0; r->psets[pset].used && i < PCPMODEL_LISTS; i++) {
			if (r->psets[pset].lists[i].known) {
				put_op(r, REPLAY_OP_LENGTH, pset, i, 0,
				       (int)pages_list(r->pages, list_of(pset, i))->blocks +
					       r->psets[pset].lists[i].hidden,
				       fe, PAGES_NONE, 0);
			}
		}
	}
}

/* the snapshot has these counts; what comes until its end is behind it */
static void snap_read(struct replay *r, const struct flow_event *fe)
{
	uint32_t nr = r->machine.nr_zones * r->machine.nr_cpus, pset;

	for (pset = 0; pset < nr; pset++) {
		r->psets[pset].read_count = r->model.psets[pset].count - r->psets[pset].strange;
	}
	put_op(r, REPLAY_OP_SNAP_READ, 0, 0, 0, 0, fe, PAGES_NONE, 0);
	r->read_ns = UINT64_MAX;
}

static void do_mark(struct replay *r, uint64_t n)
{
	const struct flow_event *fe = flow_event(r->flow, n);
	uint32_t nr = r->machine.nr_zones * r->machine.nr_cpus, pset, i;
	const struct snap *snap = snaps_find(&r->snaps, fe->ev.snap);

	if (fe->ev.mark == TRACE_MARK_OTHER || !snap) {
		return;
	}
	if (fe->ev.mark == TRACE_MARK_SNAP_BEGIN) {
		for (pset = 0; pset < nr; pset++) {
			r->psets[pset].begin_count = r->model.psets[pset].count;
		}
		for (pset = 0; pset < r->machine.nr_zones; pset++) {
			put_op(r, REPLAY_OP_ALLOCS, pset, 0, 0, (int)r->allocs[pset], fe,
			       PAGES_NONE, 0);
		}
		put_op(r, REPLAY_OP_SNAP_BEGIN, 0, 0, 0, (int)fe->ev.snap, fe, PAGES_NONE, 0);
		r->read_ns = fe->ev.time_is_seconds && r->read_takes_ns ?
				     fe->ev.time_ns + r->read_takes_ns :
				     UINT64_MAX - 1;
		r->reading = true;
		return;
	}
	if (r->read_ns != UINT64_MAX || !r->reading) {
		snap_read(r, fe);
	}
	r->reading = false;
	memset(r->allocs, 0, r->machine.nr_zones * sizeof(*r->allocs));
	/* the counts themselves are taken below, as the snapshot may have moved on */
	pcpmodel_take(&r->model, snap->dump, false);
	take_snapshot(r, snap, fe->ev.time_ns);
	r->mark_stamp = pages_stamp(r->pages);
	for (pset = 0; pset < nr; pset++) {
		for (i = 0; i < PCPMODEL_LISTS; i++) {
			r->psets[pset].lists[i].since_mark = false;
		}
	}
	put_lengths(r, fe);
	put_in_flight(r, n);
	put_op(r, REPLAY_OP_SNAP_END, 0, 0, 0, (int)fe->ev.snap, fe, PAGES_NONE, 0);
}

static void do_event(struct replay *r, uint64_t n)
{
	const struct flow_event *fe = flow_event(r->flow, n);

	if (fe->ev.time_is_seconds && fe->ev.time_ns > r->read_ns) {
		snap_read(r, fe);
	}
	switch ((enum trace_kind)fe->ev.kind) {
	case TRACE_ALLOC:
		do_alloc(r, fe);
		break;
	case TRACE_FREE:
	case TRACE_FREE_BATCHED:
		do_free(r, fe);
		break;
	case TRACE_ZONE_LOCKED:
	case TRACE_EXTFRAG:
		do_refill(r, n);
		break;
	case TRACE_DRAIN:
		do_drain(r, n);
		break;
	case TRACE_MARK:
		do_mark(r, n);
		break;
	case TRACE_LOST:
		do_lost(r, fe);
		break;
	case TRACE_KIND_N:
		break;
	}
}

static uint64_t largest_batch(const struct kern_dump *dump)
{
	uint64_t batch = 63;
	size_t zi;

	for (zi = 0; dump && zi < dump->nr_zones; zi++) {
		const struct kern_zone *kz = &dump->zones[zi];

		/* of the largest lists, as those of a small DMA zone hold next to nothing */
		if (kz->nr_cpus && kz->cpus[0].v[KERN_CF_batch] > 1) {
			batch = (uint64_t)kz->cpus[0].v[KERN_CF_batch];
		}
	}
	return batch;
}

/* do refills of single pages grow in the trace's first part, while a CPU frees nothing between them? */
static enum replay_growth refills_grow(struct replay *r, const struct kern_dump *dump)
{
	uint64_t n = flow_first(r->flow, NULL), batch = largest_batch(dump), i, runs = 0;
	/* [CPU]: blocks of the refill that goes on, and whether the one before was of a batch, with no free since */
	uint32_t *length = calloc(TRACE_CPU_MAX, sizeof(*length));
	bool *after = calloc(TRACE_CPU_MAX, sizeof(*after));
	enum replay_growth growth = REPLAY_REFILLS_UNKNOWN;

	for (i = 0; length && after && n != FLOW_NONE && i < flow_count(r->flow); i++) {
		const struct trace_event *ev = &flow_event(r->flow, n + i)->ev;
		uint32_t cpu = (uint32_t)ev->cpu;

		if (ev->cpu < 0) {
			continue;
		}
		if (ev->kind == TRACE_ZONE_LOCKED && !ev->order) {
			length[cpu]++;
			if (length[cpu] > batch) {
				growth = REPLAY_REFILLS_GROW;
				break;
			}
			continue;
		}
		runs += after[cpu] && length[cpu] == batch;
		after[cpu] = length[cpu] ? length[cpu] == batch : after[cpu];
		length[cpu] = 0;
		if (ev->kind == TRACE_FREE || ev->kind == TRACE_FREE_BATCHED) {
			after[cpu] = false;
		}
	}
	free(length);
	free(after);
	return growth == REPLAY_REFILLS_UNKNOWN && runs >= STEADY_RUNS ? REPLAY_REFILLS_STEADY :
									 growth;
}

/* pages that a CPU took from the zones before the mark of a snapshot; UINT64_MAX where the window ends before it */
static uint64_t refilled_before(struct replay *r, uint32_t cpu, uint32_t snap)
{
	uint64_t n = flow_first(r->flow, NULL), i, pages = 0;

	for (i = 0; n != FLOW_NONE && i < flow_count(r->flow); i++) {
		const struct flow_event *fe = flow_event(r->flow, n + i);

		if (fe->ev.kind == TRACE_MARK && fe->ev.mark == TRACE_MARK_SNAP_END &&
		    fe->ev.snap == snap) {
			return pages;
		}
		if (fe->ev.kind == TRACE_ZONE_LOCKED && fe->ev.cpu == (int32_t)cpu) {
			pages += 1u << (fe->ev.order & 15);
		}
	}
	return UINT64_MAX;
}

/*
 * Is a high at managed / 8 that one list alone shows the fixed one of fraction 8, or did tuning get there?  Tuning
 * raises high by what refills take.
 */
static bool tuning_can_reach(struct replay *r)
{
	uint32_t zi, cpu;
	size_t i;

	for (zi = 0; zi < r->machine.nr_zones; zi++) {
		for (cpu = 0; cpu < r->machine.nr_cpus; cpu++) {
			const struct zone *z = &r->machine.initial[zi];
			int64_t from = 0, high;

			for (i = 0; i < r->snaps.nr; i++) {
				const struct kern_cpu *kc = pcpmodel_snap_cpu(
					&r->machine.zones[zi], cpu, &r->snaps.items[i]);

				high = kc ? kc->v[KERN_CF_high] : 0;
				if (i && high > from) {
					int64_t low = z->_watermark[WMARK_LOW] /
						      r->machine.node_cpus[z->node];

					low = from > low ? from : low;
					if ((uint64_t)(high - low) >
					    refilled_before(r, cpu, r->snaps.items[i].number)) {
						return false;
					}
				}
				from = i ? from : high;
			}
		}
	}
	return true;
}

/* a fixed high is told from the snapshots, where chance can give a tuned one the same value: then what predicts better */
static void find_fraction(struct replay *r)
{
	uint32_t lists;
	int64_t fraction;

	if (r->opt->fraction || !(r->report->patches & PATCH_BIT(P_HIGH_LIMITS))) {
		/* without limits of its own high itself is in the snapshots */
		r->machine.fraction = r->opt->fraction > 0 ? r->opt->fraction : 0;
		return;
	}
	fraction = pcpmodel_find_fraction(&r->machine, &r->snaps, &lists);
	if (fraction == MIN_PERCPU_PAGELIST_HIGH_FRACTION && lists == 1 && tuning_can_reach(r)) {
		fraction = 0;
	}
	if (fraction && lists < 3 &&
	    !replay_fraction_predicts(r->opt, r->report->patches, fraction)) {
		fraction = 0;
	}
	r->machine.fraction = fraction;
}

static enum base_err no_memory(struct replay *r, struct diag *d)
{
	return base_diag_set(d, BASE_ERR_NO_MEMORY, r->opt->trace, 0, 0,
			     "not enough memory or disk for the replay");
}

/* without a zoneinfo: twice the CPUs of the trace's first part, at least 64 */
static uint32_t cpus_seen(struct replay *r)
{
	uint64_t n = flow_first(r->flow, NULL), i;
	int32_t most = 31;

	for (i = 0; n != FLOW_NONE && i < flow_count(r->flow); i++) {
		const struct flow_event *fe = flow_event(r->flow, n + i);

		most = fe->ev.cpu > most ? fe->ev.cpu : most;
	}
	return (uint32_t)(most + 1) * 2 < TRACE_CPU_MAX ? (uint32_t)(most + 1) * 2 : TRACE_CPU_MAX;
}

static bool marks_ahead(struct replay *r)
{
	uint64_t n = flow_first(r->flow, NULL), i;

	for (i = 0; n != FLOW_NONE && i < flow_count(r->flow); i++) {
		const struct trace_event *ev = &flow_event(r->flow, n + i)->ev;

		if (ev->kind == TRACE_MARK && ev->mark == TRACE_MARK_SNAP_END &&
		    snaps_find(&r->snaps, ev->snap)) {
			return true;
		}
	}
	return false;
}

/*
 * How long a snapshot's reading takes at most: twice as long as the shortest of the trace's first part.  The marks of one
 * can be further apart when somebody else has the reader's CPU for a while, as a rule after it has read.
 */
static uint64_t read_takes(struct replay *r)
{
	uint64_t n = flow_first(r->flow, NULL), i, begin = UINT64_MAX, least = UINT64_MAX;

	for (i = 0; n != FLOW_NONE && i < flow_count(r->flow); i++) {
		const struct trace_event *ev = &flow_event(r->flow, n + i)->ev;

		if (ev->kind != TRACE_MARK || !ev->time_is_seconds) {
			continue;
		}
		if (ev->mark == TRACE_MARK_SNAP_BEGIN) {
			begin = ev->time_ns;
		} else if (ev->mark == TRACE_MARK_SNAP_END && begin <= ev->time_ns) {
			least = ev->time_ns - begin < least ? ev->time_ns - begin : least;
			begin = UINT64_MAX;
		}
	}
	return least == UINT64_MAX ? 0 : least * 2;
}

static enum base_err replay_open(struct replay *r, struct diag *d)
{
	const struct replay_options *opt = r->opt;
	struct snaps zoneinfo = { 0 };
	enum base_err err = BASE_ERR_OK;
	const struct kern_dump *dump;
	size_t psets;

	if (opt->snapshots) {
		err = snaps_read(&r->snaps, opt->snapshots, d);
	}
	if (err == BASE_ERR_OK && opt->zoneinfo) {
		err = snaps_read(&zoneinfo, opt->zoneinfo, d);
	}
	if (err == BASE_ERR_OK) {
		err = flow_open(&r->flow, opt->trace, d);
	}
	if (err != BASE_ERR_OK) {
		snaps_free(&zoneinfo);
		return err;
	}
	dump = zoneinfo.nr ? zoneinfo.items[0].dump : r->snaps.nr ? r->snaps.items[0].dump : NULL;
	r->report->patches = opt->patches;
	r->report->patches_by = "asked for";
	if (!opt->patches_given) {
		replay_guess(opt, &r->snaps, zoneinfo.nr ? dump : NULL, refills_grow(r, dump),
			     r->report);
	}
	if (!pcpmodel_machine_init(&r->machine, dump, cpus_seen(r))) {
		snaps_free(&zoneinfo);
		return no_memory(r, d);
	}
	find_fraction(r);
	pcpmodel_find_boost(&r->machine, &r->snaps);
	r->expects_marks = marks_ahead(r);
	r->read_takes_ns = read_takes(r);
	r->read_ns = UINT64_MAX;
	r->report->fraction = r->machine.fraction;
	r->report->machine_known = r->machine.known;
	r->report->snapshots = r->snaps.nr;
	psets = (size_t)r->machine.nr_zones * r->machine.nr_cpus;
	r->psets = calloc(psets + 1, sizeof(*r->psets));
	r->allocs = calloc((size_t)r->machine.nr_zones + 1, sizeof(*r->allocs));
	r->holders = calloc((size_t)r->machine.nr_cpus + 1, sizeof(*r->holders));
	r->seen = calloc((size_t)r->machine.nr_cpus + 1, sizeof(*r->seen));
	r->pages = pages_new((uint32_t)psets * PCPMODEL_LISTS);
	r->run.blocks = malloc(RUN_MAX * sizeof(*r->run.blocks));
	r->ops = tmpfile();
	if (!r->psets || !r->allocs || !r->holders || !r->seen || !r->pages || !r->run.blocks ||
	    !r->ops || !pcpmodel_init(&r->model, &r->machine, r->report->patches, opt->breaks)) {
		snaps_free(&zoneinfo);
		return no_memory(r, d);
	}
	if (zoneinfo.nr) {
		pcpmodel_take(&r->model, dump, false);
	}
	snaps_free(&zoneinfo);
	return BASE_ERR_OK;
}

static void replay_close(struct replay *r)
{
	flow_close(r->flow);
	if (r->ops) {
		fclose(r->ops);
	}
	pages_free(r->pages);
	snaps_free(&r->snaps);
	pcpmodel_machine_free(&r->machine);
	pcpmodel_free(&r->model);
	free(r->psets);
	free(r->allocs);
	free(r->holders);
	free(r->seen);
	free(r->run.blocks);
}

static enum base_err one_step(struct replay *r, struct diag *d)
{
	uint64_t n, done, total, i = 0;

	while ((n = flow_first(r->flow, d)) != FLOW_NONE) {
		struct flow_event *fe = flow_event(r->flow, n);

		if (!fe->taken) {
			do_event(r, n);
		} else if (fe->ev.kind == TRACE_FREE) {
			r->report->skipped[REPLAY_SKIP_BATCHED_TWICE]++;
		}
		note_event(r, &flow_event(r->flow, n)->ev);
		flow_drop(r->flow);
		if (r->opt->events_max && n + 1 >= r->opt->events_max) {
			break;
		}
		if (r->failed) {
			return no_memory(r, d);
		}
		if (r->opt->progress && (++i & 0xffff) == 0) {
			flow_progress(r->flow, &done, &total);
			r->opt->progress(r->opt->progress_ctx, done, total);
		}
	}
	return flow_failed(r->flow) ? d->code : BASE_ERR_OK;
}

static bool make_given(const struct replay *r, struct replay_given *given)
{
	size_t psets = (size_t)r->machine.nr_zones * r->machine.nr_cpus, i;
	uint32_t l;

	given->starts = calloc(psets * PCPMODEL_LISTS + 1, sizeof(*given->starts));
	given->keep_off = calloc(psets + 1, 1);
	given->zone_used = calloc((size_t)r->machine.nr_zones + 1, 1);
	if (!given->starts || !given->keep_off || !given->zone_used) {
		return false;
	}
	for (i = 0; i < psets; i++) {
		given->keep_off[i] = r->psets[i].keep_off;
		given->zone_used[i / r->machine.nr_cpus] |= r->psets[i].used;
		for (l = 0; l < PCPMODEL_LISTS; l++) {
			const struct list_state *ls = &r->psets[i].lists[l];
			struct replay_start *start = &given->starts[i * PCPMODEL_LISTS + l];

			/* a first refill found the list empty, so what left until then was there or had entered */
			start->blocks = ls->start_fixed ? (ls->net < 0 ? -ls->net : 0) :
							  ls->strangers;
			start->alloc_factor = ls->start_fixed ? ls->start_factor : -1;
		}
	}
	return true;
}

static void free_given(struct replay_given *given)
{
	free(given->starts);
	free(given->keep_off);
	free(given->zone_used);
}

static enum base_err finish(struct replay *r, struct diag *d)
{
	const struct trace_stats *stats = flow_stats(r->flow);
	struct replay_report *report = r->report;
	struct replay_given given = { 0 };
	enum base_err err;
	size_t psets = (size_t)r->machine.nr_zones * r->machine.nr_cpus, i;

	report->trace = *stats;
	report->events = trace_stats_events(stats);
	report->cuts = stats->skipped[TRACE_SKIP_CUT];
	report->lost_events = stats->lost_events;
	if (stats->buffer_written > stats->buffer_entries) {
		report->lost_events += stats->buffer_written - stats->buffer_entries;
	}
	for (i = 0; i < psets; i++) {
		report->psets_used += r->psets[i].used;
	}
	if (!report->events) {
		base_diag_set(d, BASE_ERR_SYNTAX, flow_name(r->flow), stats->first_bad_line, 0,
			      "no kmem event in this file (%llu lines)",
			      (unsigned long long)stats->lines);
		base_diag_hint(
			d,
			"it takes the text of tracefs (trace, trace_pipe), of `trace-cmd report` or of `perf script`");
		return BASE_ERR_SYNTAX;
	}
	if (r->opt->ops_only) {
		return BASE_ERR_OK;
	}
	if (make_given(r, &given)) {
		struct replay_report whole = *report;

		err = replay_free_run(&r->machine, &r->snaps, r->opt, &given, r->ops, true, &whole,
				      d);
		report->whole_refills = whole.free_refills;
		report->whole_drains = whole.free_drains;
		report->whole_marks = whole.marks;
		if (err == BASE_ERR_OK) {
			err = replay_free_run(&r->machine, &r->snaps, r->opt, &given, r->ops, false,
					      report, d);
		}
	} else {
		err = no_memory(r, d);
	}
	free_given(&given);
	return err;
}

enum base_err replay_run(const struct replay_options *opt, struct replay_report *report,
			 struct diag *d)
{
	struct replay r = { .opt = opt, .report = report };
	enum base_err err;

	memset(report, 0, sizeof(*report));
	err = replay_open(&r, d);
	if (err == BASE_ERR_OK) {
		err = one_step(&r, d);
	}
	if (err == BASE_ERR_OK) {
		err = finish(&r, d);
	}
	replay_close(&r);
	return err;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The run that is never put right: the operations of the recording on the model's own lists, kept by their lengths.
 * What it is given besides the operations: counts and highs of the first snapshot, the lists' lengths at the start as
 * far as the recording tells them, and ticks, which print nothing unless they drain.
 */
#include <stdlib.h>
#include <string.h>

#include "replay_int.h"

#define SECOND_NS 1000000000ULL
#define FACTOR_FREES 3	/* after so many frees alloc_factor is 0 whatever it was */
#define COUNT_ALLOCS 11 /* after so many allocations free_count is 0 whatever it was */

#define COUNTS_MAX 256 /* while a snapshot is taken; later ones are not tried */
#define HIGHS_MAX 64   /* of these a tick may have come in between; later ones are not tried */

struct fset {
	int32_t length[PCPMODEL_LISTS];	 /* blocks */
	int32_t at_mark[PCPMODEL_LISTS]; /* as recorded at the mark to come, -1: not told */
	int32_t counts[COUNTS_MAX]; /* while a snapshot is taken, each once changed; [0]: at its begin */
	uint32_t nr_counts;
	int32_t read_count; /* when it was read */
	int32_t begin_high;
	uint32_t begin_highs; /* how many highs had been noted at its begin */
	int32_t in_flight; /* pages that may have left before its end, though their event comes later */
	int32_t highs[HIGHS_MAX]; /* since the last mark, each once changed; [0]: at the mark */
	uint32_t nr_highs;
	int32_t ghosts; /* pages on the lists here that the last mark's count knew to have left */
	uint32_t allocs, frees; /* since the start, up to the bounds above */
	bool refilled;
	bool lost;
	bool active; /* an operation since the last mark */
	uint64_t tick_ns;
};

struct frun {
	const struct pcpmodel_machine *machine;
	const struct snaps *snaps;
	const struct replay_start *starts;
	struct pcpmodel model;
	struct fset *sets;
	struct replay_report *report;
	const uint8_t
		*zone_used; /* zones in which anything happened: in others all is trivially equal */
	int64_t *numa_hit;  /* [zone] of the last mark, KERN_NONE: not told */
	int64_t *silent; /* [zone] allocations since the last mark that no event told, as far as numa_hit counts them */
	uint64_t time_ns; /* of the operation, where it matters */
	bool have_counts;
	bool reading; /* a snapshot is being taken */
	bool whole;   /* counts and highs are never taken from a mark but the first */
	const struct replay_options *opt;
};

static struct zone *zone_of(struct frun *f, uint32_t pset)
{
	return &f->model.zones[pset / f->machine->nr_cpus];
}

/* takes pages off the lists as free_pcppages_bulk() does; returns how many went, with the last block's excess */
static int take_pages(struct frun *f, uint32_t pset, int pages, uint32_t pindex)
{
	struct fset *fs = &f->sets[pset];
	struct per_cpu_pages *pcp = &f->model.psets[pset];
	int taken = 0, empty = 0;

	if (pages > pcp->count) {
		pages = pcp->count;
	}
	while (taken < pages && empty < PCPMODEL_LISTS) {
		int size = 1 << pcpmodel_pindex_order(pindex),
		    blocks = (pages - taken + size - 1) / size;

		empty = fs->length[pindex] ? 0 : empty + 1;
		if (blocks > fs->length[pindex]) {
			blocks = fs->length[pindex];
		}
		fs->length[pindex] -= blocks;
		taken += blocks * size;
		pindex = pindex + 1 < PCPMODEL_LISTS ? pindex + 1 : 0;
	}
	pcp->count -= taken;
	zone_of(f, pset)->free_pages += taken;
	return taken;
}

static void judge(struct replay_tally *tally, bool judged, int recorded, int model)
{
	if (!judged) {
		return;
	}
	if (recorded) {
		tally->recorded++;
		tally->same_event += model > 0;
		tally->same_size += model == recorded;
	} else {
		tally->model_only += model > 0;
	}
}

/* fills an empty list; returns the blocks that it took */
static int refill(struct frun *f, const struct replay_record *op, uint32_t pindex)
{
	struct fset *fs = &f->sets[op->pset];
	struct per_cpu_pages *pcp = &f->model.psets[op->pset];
	int8_t start = f->starts[op->pset * PCPMODEL_LISTS + pindex].alloc_factor;
	int blocks;

	if (!fs->refilled && fs->frees < FACTOR_FREES && start >= 0) {
		pcp->alloc_factor = (uint8_t)start;
	}
	blocks = pcpmodel_refill(&f->model, pcp, zone_of(f, op->pset), op->order);
	fs->length[pindex] += blocks;
	pcp->count += blocks << op->order;
	zone_of(f, op->pset)->free_pages -= (int64_t)blocks << op->order;
	fs->refilled = true;
	return blocks;
}

static void run_alloc(struct frun *f, const struct replay_record *op)
{
	uint32_t pindex = pcpmodel_pindex(op->order, op->type);
	struct fset *fs = &f->sets[op->pset];
	struct per_cpu_pages *pcp = &f->model.psets[op->pset];
	int blocks = 0;

	if (op->kind == REPLAY_OP_ALLOC) {
		pcpmodel_zone_walk(&f->model, op->pset / f->machine->nr_cpus);
		pcpmodel_alloc(&f->model, pcp);
		fs->allocs += fs->allocs < COUNT_ALLOCS;
	}
	if (!fs->length[pindex]) {
		blocks = refill(f, op, pindex);
	}
	judge(&f->report->free_refills, op->flags & REPLAY_OP_JUDGED, op->n, blocks);
	if (op->kind == REPLAY_OP_ALLOC) {
		fs->length[pindex]--;
		pcp->count -= 1 << op->order;
	}
}

static void run_silent(struct frun *f, const struct replay_record *op)
{
	uint32_t pindex = pcpmodel_pindex(op->order, op->type);
	struct fset *fs = &f->sets[op->pset];
	int i;

	for (i = 0; i < op->n; i++) {
		if (!fs->length[pindex]) {
			refill(f, op, pindex);
		}
		fs->length[pindex]--;
		if (!(op->flags & REPLAY_OP_SINCE_MARK) && fs->ghosts >= 1 << op->order) {
			fs->ghosts -= 1 << op->order;
		} else {
			f->model.psets[op->pset].count -= 1 << op->order;
			f->silent[op->pset / f->machine->nr_cpus]--;
		}
	}
}

static void run_free(struct frun *f, const struct replay_record *op)
{
	uint32_t pindex = pcpmodel_pindex(op->order, op->type);
	struct fset *fs = &f->sets[op->pset];
	struct per_cpu_pages *pcp = &f->model.psets[op->pset];
	int limit, pages, taken = 0;
	bool free_high;

	fs->frees += fs->frees < FACTOR_FREES;
	if (op->n && !(op->flags & REPLAY_OP_JUDGED) && fs->allocs < COUNT_ALLOCS) {
		/* the first drain tells what was freed until it, with this block; less than a batch is not told */
		int n = op->n - (1 << op->order);

		if (op->n > pcp->batch) {
			pcp->free_count = (int16_t)(n < INT16_MAX ? n : INT16_MAX);
		}
	}
	pages = pcpmodel_free_block(&f->model, pcp, zone_of(f, op->pset), op->order, &limit,
				    &free_high);
	fs->length[pindex]++;
	if (pages) {
		taken = take_pages(f, op->pset, pages, pindex);
		pcpmodel_bulk_done(&f->model, zone_of(f, op->pset));
	}
	judge(&f->report->free_drains, op->flags & REPLAY_OP_JUDGED, op->n, taken);
}

static uint64_t ticks_since(const struct fset *fs, uint64_t time_ns)
{
	if (!time_ns || time_ns < fs->tick_ns) {
		return 64;
	}
	return (time_ns - fs->tick_ns) / SECOND_NS + 2;
}

static void run_tick(struct frun *f, const struct replay_record *op)
{
	struct per_cpu_pages *pcp = &f->model.psets[op->pset];
	uint64_t most = ticks_since(&f->sets[op->pset], f->time_ns), i;
	int over = 0;

	if (op->flags & REPLAY_OP_DECAY) {
		for (i = 0; i < (uint64_t)op->n; i++) {
			pcpmodel_tick(&f->model, pcp);
		}
		f->report->ticks_inferred += (uint64_t)op->n;
		f->sets[op->pset].tick_ns = f->time_ns;
		return;
	}
	for (i = 0; i < most && !over; i++) {
		over = pcpmodel_tick(&f->model, pcp);
	}
	if (over) {
		take_pages(f, op->pset, over, 0);
	}
	f->sets[op->pset].tick_ns = f->time_ns;
}

/* pages of the first snapshot that no list's start accounts for go to lists of which nothing is known */
static void place_rest(struct frun *f, uint32_t pset, int rest)
{
	static const uint8_t order_of_guess[] = {
		MIGRATE_MOVABLE, MIGRATE_UNMOVABLE, MIGRATE_RECLAIMABLE, 3, 4, 5, 6
	};
	struct fset *fs = &f->sets[pset];
	size_t i;

	for (i = 0; i < sizeof(order_of_guess) && rest > 0; i++) {
		uint32_t pindex = order_of_guess[i];
		int blocks = rest >> pcpmodel_pindex_order(pindex);

		if (f->starts[pset * PCPMODEL_LISTS + pindex].alloc_factor >= 0) {
			continue;
		}
		fs->length[pindex] += blocks;
		rest -= blocks << pcpmodel_pindex_order(pindex);
	}
	fs->length[MIGRATE_MOVABLE] += rest > 0 ? rest : 0;
}

static void take_start(struct frun *f, uint32_t pset, const struct kern_cpu *kc)
{
	struct per_cpu_pages *pcp = &f->model.psets[pset];
	int64_t count = kc->v[KERN_CF_count] == KERN_NONE ?
				0 :
				kc->v[KERN_CF_count] + pcp->count - f->sets[pset].read_count;
	int listed = 0;
	uint32_t i;

	for (i = 0; i < PCPMODEL_LISTS; i++) {
		listed += f->sets[pset].length[i] << pcpmodel_pindex_order(i);
	}
	if (count > listed) {
		place_rest(f, pset, (int)count - listed);
		listed = (int)count;
	}
	pcp->count = listed;
	if (kc->v[KERN_CF_high] != KERN_NONE) {
		pcp->high = (int32_t)kc->v[KERN_CF_high];
	}
}

/* what happened without an event between two marks, as far as the snapshot at the second tells it */
struct silence {
	int64_t count, high; /* of the snapshot */
	int32_t low, most;   /* the model's counts while it was taken */
	int ticks;	     /* that drained nothing, before or behind the other operations */
	int refills, allocs; /* of pages of order 0 */
	int32_t refilled;    /* pages */
};

/* does a count between these, with the allocations that numa_hit counted, give the snapshot's? */
static bool count_explained(struct frun *f, uint32_t pset, struct silence *s, int32_t more)
{
	int64_t most = f->silent[pset / f->machine->nr_cpus], over = s->low + more - s->count;

	s->allocs = 0;
	if (s->count >= s->low + more && s->count <= s->most + more) {
		return !more || most > 0;
	}
	/* of a refill at least the page is gone that it was made for */
	if (over <= 0 || over > most) {
		return false;
	}
	s->allocs = (int)over;
	return true;
}

/* now: the pageset as the model has it, with so many ticks in it; a refill may have raised its high */
static bool silence_explains(struct frun *f, uint32_t pset, const struct per_cpu_pages *now,
			     struct silence *s)
{
	struct per_cpu_pages then = *now;

	s->refills = 0;
	s->refilled = 0;
	if (now->high == s->high && count_explained(f, pset, s, 0)) {
		return true;
	}
	if (f->silent[pset / f->machine->nr_cpus] <= 0) {
		return false;
	}
	s->refilled = pcpmodel_refill(&f->model, &then, zone_of(f, pset), 0);
	s->refills = 1;
	if (then.high == s->high && count_explained(f, pset, s, s->refilled)) {
		return true;
	}
	/* the factor fell to 0 by frees without an event */
	then = *now;
	then.alloc_factor = 0;
	s->refilled = pcpmodel_refill(&f->model, &then, zone_of(f, pset), 0);
	return then.high == s->high && count_explained(f, pset, s, s->refilled);
}

/* the fewest ticks, at the end or anywhere between what was recorded since the last mark */
static bool find_silence(struct frun *f, uint32_t pset, struct silence *s)
{
	const struct per_cpu_pages *pcp = &f->model.psets[pset];
	const struct fset *fs = &f->sets[pset];
	struct per_cpu_pages late = *pcp, then, now = *pcp;
	uint64_t most = ticks_since(fs, f->time_ns), i, k;
	uint32_t at;

	if (silence_explains(f, pset, pcp, s)) {
		return true;
	}
	for (i = 1; pcpmodel_tuned(&f->model) && i <= most; i++) {
		s->ticks = (int)i;
		if (!pcpmodel_tick(&f->model, &late) && silence_explains(f, pset, &late, s)) {
			return true;
		}
		for (at = fs->nr_highs; at-- > 0;) {
			then = *pcp;
			then.high = fs->highs[at];
			for (k = 0; k < i; k++) {
				pcpmodel_tick(&f->model, &then);
			}
			/* what came behind raised it by as much as it raised the model's */
			now.high = then.high + pcp->high - fs->highs[at];
			if (pcp->high > fs->highs[at] && now.high >= pcp->high_min &&
			    pcp->high < pcp->high_max && silence_explains(f, pset, &now, s)) {
				return true;
			}
		}
	}
	return false;
}

static void mark_add(struct replay_marks *marks, bool count_equal, bool high_equal)
{
	marks->compared++;
	marks->equal += count_equal;
	marks->high_equal += high_equal;
}

static void tell_unequal(struct frun *f, uint32_t pset, uint32_t snap, int64_t count, int64_t high)
{
	const struct pcpmodel_zone *zone = &f->machine->zones[pset / f->machine->nr_cpus];
	const struct per_cpu_pages *pcp = &f->model.psets[pset];
	struct replay_unequal unequal = {
		.snap = snap,
		.cpu = (int32_t)(pset % f->machine->nr_cpus),
		.node = zone->node,
		.count = count,
		.high = high,
		.model_count = pcp->count,
		.model_high = pcp->high,
	};

	if (f->opt->unequal && !f->whole) {
		memcpy(unequal.zone, zone->name, sizeof(zone->name));
		f->opt->unequal(f->opt->differ_ctx, &unequal);
	}
}

/* ticks that explain the high alone, where the count is another */
static bool ticks_explain_high(struct frun *f, uint32_t pset, struct silence *s)
{
	struct per_cpu_pages now = f->model.psets[pset];
	uint64_t most = ticks_since(&f->sets[pset], f->time_ns), i;

	for (i = 1; pcpmodel_tuned(&f->model) && i <= most && now.high > s->high; i++) {
		if (pcpmodel_tick(&f->model, &now)) {
			return false;
		}
		s->ticks = (int)i;
		if (now.high == s->high) {
			return true;
		}
	}
	return false;
}

/* had the model this count at some moment while the snapshot was taken? */
static bool count_was(const struct fset *fs, int64_t count)
{
	uint32_t i;

	for (i = 0; i < fs->nr_counts; i++) {
		if (fs->counts[i] == count) {
			return true;
		}
	}
	return fs->in_flight && fs->counts[fs->nr_counts - 1] - fs->in_flight == count;
}

static bool high_was(const struct fset *fs, int64_t high)
{
	uint32_t i;

	for (i = fs->begin_highs; i < fs->nr_highs; i++) {
		if (fs->highs[i] == high) {
			return true;
		}
	}
	return fs->begin_high == high;
}

static void compare_mark(struct frun *f, uint32_t pset, const struct kern_cpu *kc, uint32_t snap)
{
	struct fset *fs = &f->sets[pset];
	struct per_cpu_pages *pcp = &f->model.psets[pset];
	struct silence s = { .count = kc->v[KERN_CF_count],
			     .high = kc->v[KERN_CF_high],
			     .low = pcp->count - fs->in_flight,
			     .most = pcp->count };
	bool equal, high_equal;
	uint32_t i;

	if (s.count == KERN_NONE || s.high == KERN_NONE ||
	    !f->zone_used[pset / f->machine->nr_cpus]) {
		return;
	}
	for (i = 0; i < fs->nr_counts; i++) {
		s.low = fs->counts[i] < s.low ? fs->counts[i] : s.low;
		s.most = fs->counts[i] > s.most ? fs->counts[i] : s.most;
	}
	equal = count_was(fs, s.count);
	high_equal = pcp->high == s.high || high_was(fs, s.high);
	mark_add(&f->report->marks_traced, equal, high_equal);
	if (fs->active) {
		mark_add(&f->report->marks_traced_active, equal, high_equal);
	}
	if (!(equal && high_equal) && find_silence(f, pset, &s)) {
		f->report->ticks_inferred += (uint64_t)s.ticks;
		f->report->silent_inferred += (uint64_t)s.allocs;
		f->silent[pset / f->machine->nr_cpus] -= s.allocs;
		fs->ghosts += s.refills ? 0 : s.allocs;
		pcp->high = (int32_t)s.high;
		pcp->count += s.refilled - s.allocs;
		equal = high_equal = true;
	} else if (!high_equal && ticks_explain_high(f, pset, &s)) {
		f->report->ticks_inferred += (uint64_t)s.ticks;
		pcp->high = (int32_t)s.high;
		high_equal = true;
	}
	if (!equal || !high_equal) {
		tell_unequal(f, pset, snap, s.count, s.high);
	}
	mark_add(&f->report->marks, equal, high_equal);
	if (fs->active) {
		mark_add(&f->report->marks_active, equal, high_equal);
	}
	fs->active = false;
	if (!f->whole) {
		if (!equal) {
			fs->ghosts = s.count < s.low ? fs->ghosts + s.low - (int32_t)s.count : 0;
			pcp->count += (int32_t)s.count - fs->read_count;
		}
		if (!high_equal) {
			pcp->high = (int32_t)s.high;
		}
	}
}

/* behind a mark the run starts again from what the recording has there */
static void take_lengths(struct frun *f, uint32_t pset)
{
	struct fset *fs = &f->sets[pset];
	uint32_t i;

	for (i = 0; i < PCPMODEL_LISTS; i++) {
		if (fs->at_mark[i] >= 0) {
			fs->length[i] = fs->at_mark[i];
		}
		fs->at_mark[i] = -1;
	}
}

/* what the lists hold and how high is when the reading of a snapshot begins */
static void begin_reading(struct frun *f)
{
	uint32_t i;

	for (i = 0; i < f->machine->nr_zones * f->machine->nr_cpus; i++) {
		struct fset *fs = &f->sets[i];

		fs->counts[0] = f->model.psets[i].count;
		fs->nr_counts = 1;
		fs->begin_high = f->model.psets[i].high;
		fs->begin_highs = fs->nr_highs;
	}
	f->reading = true;
}

static void run_snapshot(struct frun *f, const struct replay_record *op)
{
	uint32_t cpus = f->machine->nr_cpus, zi, i;
	const struct snap *snap = snaps_find(f->snaps, (uint32_t)op->n);

	if (op->kind == REPLAY_OP_SNAP_BEGIN) {
		begin_reading(f);
		return;
	}
	if (!f->reading) {
		/* the trace does not say when it began */
		begin_reading(f);
	}
	if (op->kind == REPLAY_OP_SNAP_READ) {
		for (i = 0; i < f->machine->nr_zones * cpus; i++) {
			f->sets[i].read_count = f->model.psets[i].count;
		}
		return;
	}
	if (!snap) {
		return;
	}
	f->reading = false;
	pcpmodel_take(&f->model, snap->dump, false);
	for (zi = 0; zi < f->machine->nr_zones; zi++) {
		const struct pcpmodel_zone *zone = &f->machine->zones[zi];
		const struct kern_zone *kz =
			kern_dump_find(snap->dump, zone->node, zone->name, strlen(zone->name));
		size_t c;

		if (!kz) {
			continue;
		}
		if (kz->v[KERN_ZF_free] != KERN_NONE) {
			f->model.zones[zi].free_pages = kz->v[KERN_ZF_free];
		}
		/* what the trace told of them was taken off before */
		if (f->numa_hit[zi] != KERN_NONE && kz->v[KERN_ZF_numa_hit] != KERN_NONE) {
			f->silent[zi] += kz->v[KERN_ZF_numa_hit] - f->numa_hit[zi];
		} else {
			f->silent[zi] = 0;
		}
		for (c = 0; c < kz->nr_cpus; c++) {
			uint32_t pset = zi * cpus + kz->cpus[c].cpu;

			if (kz->cpus[c].cpu >= cpus) {
				continue;
			}
			if (!f->have_counts || f->sets[pset].lost) {
				take_start(f, pset, &kz->cpus[c]);
				f->sets[pset].lost = false;
			} else {
				compare_mark(f, pset, &kz->cpus[c], (uint32_t)op->n);
			}
			if (!f->whole || !f->have_counts) {
				take_lengths(f, pset);
			}
			f->sets[pset].in_flight = 0;
			f->sets[pset].tick_ns = f->time_ns;
			f->sets[pset].highs[0] = f->model.psets[pset].high;
			f->sets[pset].nr_highs = 1;
		}
		f->numa_hit[zi] = kz->v[KERN_ZF_numa_hit];
		f->silent[zi] = 0;
	}
	f->have_counts = true;
}

static void run_lost(struct frun *f, uint32_t cpu)
{
	uint32_t i;

	for (i = 0; i < f->machine->nr_zones * f->machine->nr_cpus; i++) {
		if (cpu == UINT32_MAX || cpu == i % f->machine->nr_cpus) {
			memset(f->sets[i].length, 0, sizeof(f->sets[i].length));
			f->sets[i].lost = true;
			f->sets[i].allocs = f->sets[i].frees = 0;
			f->sets[i].refilled = false;
			f->model.psets[i].count = 0;
			f->sets[i].read_count = f->sets[i].counts[0] = 0;
			f->sets[i].nr_counts = 1;
		}
	}
}

static void note_count(struct fset *fs, int32_t count)
{
	if (fs->nr_counts < COUNTS_MAX && fs->counts[fs->nr_counts - 1] != count) {
		fs->counts[fs->nr_counts++] = count;
	}
}

static void note_high(struct fset *fs, int32_t high)
{
	if (fs->nr_highs && fs->nr_highs < HIGHS_MAX && fs->highs[fs->nr_highs - 1] != high) {
		fs->highs[fs->nr_highs++] = high;
	}
}

static void run_op(struct frun *f, const struct replay_record *op)
{
	if (op->kind <= REPLAY_OP_REQUEST) {
		f->sets[op->pset].active = true;
	}
	switch ((enum replay_op_kind)op->kind) {
	case REPLAY_OP_ALLOC:
	case REPLAY_OP_BULK:
		run_alloc(f, op);
		break;
	case REPLAY_OP_FREE:
		run_free(f, op);
		break;
	case REPLAY_OP_SILENT:
		run_silent(f, op);
		break;
	case REPLAY_OP_TICK:
		run_tick(f, op);
		break;
	case REPLAY_OP_REMOTE:
		take_pages(f, op->pset, f->model.psets[op->pset].batch, 0);
		break;
	case REPLAY_OP_REQUEST:
		take_pages(f, op->pset, op->n, 0);
		break;
	case REPLAY_OP_ZONE:
		f->model.zones[op->pset].free_pages += op->n;
		break;
	case REPLAY_OP_ALLOCS:
		f->silent[op->pset] -= op->n;
		break;
	case REPLAY_OP_IN_FLIGHT:
		f->sets[op->pset].in_flight = op->n;
		break;
	case REPLAY_OP_LENGTH:
		f->sets[op->pset].at_mark[op->order] = op->n;
		break;
	case REPLAY_OP_SNAP_BEGIN:
	case REPLAY_OP_SNAP_READ:
	case REPLAY_OP_SNAP_END:
		run_snapshot(f, op);
		break;
	case REPLAY_OP_LOST:
		run_lost(f, op->pset);
		break;
	case REPLAY_OP_TIME:
		f->time_ns = (uint64_t)op->pset << 32 | (uint32_t)op->n;
		break;
	case REPLAY_OP_PAST:
		break;
	}
	if (op->kind <= REPLAY_OP_REQUEST) {
		note_high(&f->sets[op->pset], f->model.psets[op->pset].high);
		if (f->reading) {
			note_count(&f->sets[op->pset], f->model.psets[op->pset].count);
		}
	}
}

enum base_err replay_free_run(const struct pcpmodel_machine *machine, const struct snaps *snaps,
			      const struct replay_options *opt, const struct replay_given *given,
			      FILE *ops, bool whole, struct replay_report *report, struct diag *d)
{
	struct frun f = { .machine = machine,
			  .snaps = snaps,
			  .opt = opt,
			  .whole = whole,
			  .starts = given->starts,
			  .zone_used = given->zone_used,
			  .report = report };
	size_t psets = (size_t)machine->nr_zones * machine->nr_cpus, i, l;
	enum base_err err = BASE_ERR_OK;
	struct replay_record op;

	f.sets = calloc(psets + 1, sizeof(*f.sets));
	f.numa_hit = calloc((size_t)machine->nr_zones + 1, sizeof(*f.numa_hit));
	f.silent = calloc((size_t)machine->nr_zones + 1, sizeof(*f.silent));
	if (!f.sets || !f.numa_hit || !f.silent ||
	    !pcpmodel_init(&f.model, machine, report->patches, opt->breaks)) {
		free(f.sets);
		free(f.numa_hit);
		free(f.silent);
		return base_diag_set(d, BASE_ERR_NO_MEMORY, opt->trace, 0, 0,
				     "not enough memory for the replay");
	}
	for (i = 0; i < machine->nr_zones; i++) {
		f.numa_hit[i] = KERN_NONE;
	}
	for (i = 0; i < psets; i++) {
		if (given->keep_off[i]) {
			f.model.psets[i].flags &= (uint8_t)~PCPF_FREE_HIGH_BATCH;
		}
		for (l = 0; l < PCPMODEL_LISTS; l++) {
			f.sets[i].at_mark[l] = -1;
			f.sets[i].length[l] = given->starts[i * PCPMODEL_LISTS + l].blocks;
			f.model.psets[i].count += f.sets[i].length[l]
						  << pcpmodel_pindex_order((uint32_t)l);
		}
	}
	rewind(ops);
	while (fread(&op, sizeof(op), 1, ops) == 1) {
		run_op(&f, &op);
	}
	if (ferror(ops)) {
		err = base_diag_set(d, BASE_ERR_READ, opt->trace, 0, 0,
				    "the temporary file of operations cannot be read");
	}
	pcpmodel_free(&f.model);
	free(f.sets);
	free(f.numa_hit);
	free(f.silent);
	return err;
}

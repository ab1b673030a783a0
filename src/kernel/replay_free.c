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

struct fset {
	int32_t length[PCPMODEL_LISTS];	 /* blocks */
	int32_t at_mark[PCPMODEL_LISTS]; /* as recorded at the mark to come, -1: not told */
	int32_t begin_count;
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
	uint64_t time_ns;   /* of the operation, where it matters */
	bool have_counts;
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
		pcpmodel_zone_walk(&f->model, zone_of(f, op->pset));
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
		f->model.psets[op->pset].count -= 1 << op->order;
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
		/* the first drain tells what was freed before the start */
		pcp->free_count = (int16_t)(op->n < INT16_MAX ? op->n : INT16_MAX);
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
	int listed = 0;
	uint32_t i;

	for (i = 0; i < PCPMODEL_LISTS; i++) {
		listed += f->sets[pset].length[i] << pcpmodel_pindex_order(i);
	}
	if (kc->v[KERN_CF_count] != KERN_NONE && (int)kc->v[KERN_CF_count] > listed) {
		place_rest(f, pset, (int)kc->v[KERN_CF_count] - listed);
		listed = (int)kc->v[KERN_CF_count];
	}
	pcp->count = listed;
	if (kc->v[KERN_CF_high] != KERN_NONE) {
		pcp->high = (int32_t)kc->v[KERN_CF_high];
	}
}

/* ticks that drained nothing are told by a high that decay leads to in the time that passed */
static void infer_ticks(struct frun *f, uint32_t pset, int64_t high, uint64_t time_ns)
{
	struct per_cpu_pages *pcp = &f->model.psets[pset], now = *pcp;
	uint64_t most = ticks_since(&f->sets[pset], time_ns), i;

	for (i = 1; i <= most && now.high > high; i++) {
		if (pcpmodel_tick(&f->model, &now)) {
			return;
		}
		if (now.high == high) {
			*pcp = now;
			f->report->ticks_inferred += i;
			return;
		}
	}
}

static void mark_add(struct replay_marks *marks, bool count_equal, bool high_equal)
{
	marks->compared++;
	marks->equal += count_equal;
	marks->high_equal += high_equal;
}

static void compare_mark(struct frun *f, uint32_t pset, const struct kern_cpu *kc, uint64_t time_ns)
{
	struct fset *fs = &f->sets[pset];
	struct per_cpu_pages *pcp = &f->model.psets[pset];
	int64_t count = kc->v[KERN_CF_count], high = kc->v[KERN_CF_high];
	int32_t low = pcp->count < fs->begin_count ? pcp->count : fs->begin_count;
	int32_t most = pcp->count > fs->begin_count ? pcp->count : fs->begin_count;

	if (count == KERN_NONE || high == KERN_NONE || !f->zone_used[pset / f->machine->nr_cpus]) {
		return;
	}
	if (pcpmodel_tuned(&f->model)) {
		infer_ticks(f, pset, high, time_ns);
	}
	mark_add(&f->report->marks, count >= low && count <= most, pcp->high == high);
	if (fs->active) {
		mark_add(&f->report->marks_active, count >= low && count <= most,
			 pcp->high == high);
	}
	fs->active = false;
	if (count < low || count > most) {
		pcp->count = (int32_t)count;
	}
	pcp->high = (int32_t)high;
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

static void run_snapshot(struct frun *f, const struct replay_record *op)
{
	uint32_t cpus = f->machine->nr_cpus, zi, i;
	const struct snap *snap = snaps_find(f->snaps, (uint32_t)op->n);

	if (op->kind == REPLAY_OP_SNAP_BEGIN) {
		for (i = 0; i < f->machine->nr_zones * cpus; i++) {
			f->sets[i].begin_count = f->model.psets[i].count;
		}
		return;
	}
	if (!snap) {
		return;
	}
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
		for (c = 0; c < kz->nr_cpus; c++) {
			uint32_t pset = zi * cpus + kz->cpus[c].cpu;

			if (kz->cpus[c].cpu >= cpus) {
				continue;
			}
			if (!f->have_counts || f->sets[pset].lost) {
				take_start(f, pset, &kz->cpus[c]);
				f->sets[pset].lost = false;
			} else {
				compare_mark(f, pset, &kz->cpus[c], f->time_ns);
			}
			take_lengths(f, pset);
			f->sets[pset].tick_ns = f->time_ns;
		}
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
		}
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
	case REPLAY_OP_LENGTH:
		f->sets[op->pset].at_mark[op->order] = op->n;
		break;
	case REPLAY_OP_SNAP_BEGIN:
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
}

enum base_err replay_free_run(const struct pcpmodel_machine *machine, const struct snaps *snaps,
			      const struct replay_options *opt, const struct replay_given *given,
			      FILE *ops, struct replay_report *report, struct diag *d)
{
	struct frun f = { .machine = machine,
			  .snaps = snaps,
			  .starts = given->starts,
			  .zone_used = given->zone_used,
			  .report = report };
	size_t psets = (size_t)machine->nr_zones * machine->nr_cpus, i, l;
	enum base_err err = BASE_ERR_OK;
	struct replay_record op;

	f.sets = calloc(psets + 1, sizeof(*f.sets));
	if (!f.sets || !pcpmodel_init(&f.model, machine, report->patches, opt->breaks)) {
		free(f.sets);
		return base_diag_set(d, BASE_ERR_NO_MEMORY, opt->trace, 0, 0,
				     "not enough memory for the replay");
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
	return err;
}

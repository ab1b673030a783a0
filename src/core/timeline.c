/* SPDX-License-Identifier: GPL-2.0-only */
#include "timeline.h"

#include <stdlib.h>
#include <string.h>

#include "timeline_impl.h"

enum {
	/*
	 * A new checkpoint is due when for each chunk that it would copy so many blocks
	 * were worked on: a copy with its page fault costs far less than running them.
	 */
	WORK_PER_CHUNK = 400,
	WORK_MIN = 1024,
	/* Rungs before a position that was sought, in blocks: stepping back begins there. */
	RUNG_FAR = 16384,
	RUNG_NEAR = 512,
	/* A checkpoint this few operations ahead is not worth a restore. */
	RUN_ANYWAY = 64,
};

/*
 * Memory
 */

static size_t fixed_bytes(const struct timeline *tl)
{
	return sizeof(*tl) + 3 * SIM_OP_LIST_MAX * sizeof(u32) +
	       tl->sim->nr_zones * (sizeof(struct seen_zone) + tl->sim->nr_cpus);
}

size_t tl_injection_bytes(const struct injection *inj)
{
	return sizeof(*inj) + inj->bytes + 16;
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Without spare chunks. */
static size_t bytes_in_use(const struct timeline *tl)
{
	size_t bytes = fixed_bytes(tl) + tl->log.bytes + tl->ck.bytes +
		       tl->cap_steps * sizeof(struct step);

	for (size_t i = 0; i < tl->nr_inj; i++)
		bytes += tl_injection_bytes(&tl->inj[i]);
	return bytes;
}

size_t tl_bytes(const struct timeline *tl)
{
	return bytes_in_use(tl) + ckpt_spare_bytes(&tl->ck);
}

/*
 * The checkpoint whose loss hurts least: the smallest gap, where near the position
 * and the end smaller gaps are worth as much as wide ones far away.
 */
static size_t least_worth(const struct timeline *tl)
{
	const struct ckpts *ck = &tl->ck;
	u64 span = tl->log.length - tl->log.start;
	double least = 0, even = (double)span / ((double)ck->nr / 2 + 1);
	size_t found = ck->nr;

	for (size_t i = 1; i < ck->nr; i++) {
		u64 op = ckpt_op(ck, i);
		u64 next = i + 1 < ck->nr ? ckpt_op(ck, i + 1) : tl->log.length;
		u64 away = op > tl->pos.op ? op - tl->pos.op : tl->pos.op - op;
		u64 from_end = tl->log.length > op ? tl->log.length - op : 0;
		double worth = (double)(next - ckpt_op(ck, i - 1));
		double weight = (double)(away < from_end ? away : from_end);

		if (i == ck->cur || op == tl->here)
			continue;
		weight = weight > even ? even : weight;
		worth /= weight < RUNG_NEAR ? RUNG_NEAR : weight;
		if (found == ck->nr || worth < least) {
			least = worth;
			found = i;
		}
	}
	return found;
}

static void forget_steps(struct timeline *tl)
{
	free(tl->steps);
	tl->steps = NULL;
	tl->nr_steps = tl->cap_steps = 0;
	tl->steps_op = TL_NOWHERE;
}

/* @of_chunks: the bytes are those of a checkpoint, which uses spare chunks first. */
static bool make_room(struct timeline *tl, size_t bytes, bool of_chunks)
{
	while (bytes_in_use(tl) + bytes > tl->bound) {
		size_t i = least_worth(tl);

		if (i == tl->ck.nr) {
			ckpt_trim(&tl->ck, tl->bound - min_size(bytes_in_use(tl), tl->bound));
			return false;
		}
		ckpt_remove(&tl->ck, tl->sim, i);
	}
	ckpt_trim(&tl->ck, tl->bound - bytes_in_use(tl) - (of_chunks ? 0 : bytes));
	return true;
}

bool tl_make_room(struct timeline *tl, size_t bytes)
{
	return make_room(tl, bytes, false);
}

enum sim_err tl_full(const struct timeline *tl, struct sim_error *err)
{
	return sim_fail(err, ERR_FULL,
			"the history is full: %llu operations take the %llu MiB that it may use",
			(unsigned long long)(tl->log.length - tl->log.start),
			(unsigned long long)(tl->bound >> 20));
}

enum sim_err tl_need_log(const struct timeline *tl, struct sim_error *err)
{
	if (tl->keep_log)
		return SIM_OK;
	return sim_fail(err, ERR_POSITION, "no history is kept in this run");
}

/* Keep the state at the current boundary, if it fits. */
static bool capture(struct timeline *tl)
{
	tl->work = 0;
	tl->work_next = WORK_MIN + tl->sim->nr_chunks / 16;
	if (!make_room(tl, ckpt_cost(&tl->ck, tl->sim), true) ||
	    !ckpt_capture(&tl->ck, tl->sim, tl->pos.op))
		return false;
	/* The tables are not made of spare chunks. */
	ckpt_trim(&tl->ck, tl->bound - bytes_in_use(tl));
	return true;
}

/* The work since the last checkpoint is worth a look: has enough been done for a new one? */
static void consider_capture(struct timeline *tl)
{
	u64 need = WORK_PER_CHUNK * (u64)ckpt_dirty(&tl->ck, tl->sim) + tl->ck.nr_leaves;

	if (tl->work >= need)
		capture(tl);
	else
		tl->work_next = need;
}

/*
 * Creation
 */

static enum sim_err allocate_parts(struct timeline *tl, struct sim_error *err)
{
	size_t pagesets = (size_t)tl->sim->nr_zones * tl->sim->nr_cpus;

	tl->slots = malloc(SIM_OP_LIST_MAX * sizeof(u32));
	tl->inj_slots = malloc(SIM_OP_LIST_MAX * sizeof(u32));
	tl->read_slots = malloc(SIM_OP_LIST_MAX * sizeof(u32));
	tl->seen_zones = calloc(tl->sim->nr_zones, sizeof(*tl->seen_zones));
	tl->seen_flags = calloc(pagesets, 1);
	if (!tl->slots || !tl->inj_slots || !tl->read_slots || !tl->seen_zones || !tl->seen_flags)
		return sim_fail(err, ERR_NOMEM, "no memory for a history");
	return SIM_OK;
}

enum sim_err tl_create(const struct machine *machine, u32 patches, size_t bound_bytes,
		       bool keep_log, struct timeline **out, struct sim_error *err)
{
	struct timeline *tl = calloc(1, sizeof(*tl));
	enum sim_err ret;

	*out = NULL;
	if (!tl)
		return sim_fail(err, ERR_NOMEM, "no memory for a history");
	tl->bound = bound_bytes;
	tl->keep_log = keep_log;
	tl->base_patches = patches;
	tl->cursor_op = tl->here = tl->steps_op = TL_NOWHERE;
	ret = sim_create(machine, patches, &tl->sim, err);
	if (!ret)
		ret = allocate_parts(tl, err);
	if (!ret) {
		tl->bump_max = tl->sim->state->slot_bump;
		ckpt_init(&tl->ck, tl->sim);
		if (keep_log && !capture(tl))
			ret = sim_fail(err, ERR_FULL,
				       "a history of %llu MiB has no room for this machine's first "
				       "state",
				       (unsigned long long)(bound_bytes >> 20));
	}
	if (ret) {
		tl_destroy(tl);
		return ret;
	}
	*out = tl;
	return SIM_OK;
}

void tl_set_bound(struct timeline *tl, size_t bound_bytes)
{
	tl->bound = bound_bytes;
}

void tl_destroy(struct timeline *tl)
{
	if (!tl)
		return;
	for (size_t i = 0; i < tl->nr_inj; i++)
		free(tl->inj[i].code);
	free(tl->inj);
	log_free(&tl->log);
	ckpt_free(&tl->ck);
	sim_destroy(tl->sim);
	forget_steps(tl);
	free(tl->slots);
	free(tl->inj_slots);
	free(tl->read_slots);
	free(tl->seen_zones);
	free(tl->seen_flags);
	free(tl);
}

static enum sim_err fork_injections(struct timeline *tl, const struct timeline *from)
{
	if (!from->nr_inj)
		return SIM_OK;
	tl->inj = calloc(from->nr_inj, sizeof(*tl->inj));
	if (!tl->inj)
		return ERR_NOMEM;
	tl->cap_inj = from->nr_inj;
	for (; tl->nr_inj < from->nr_inj; tl->nr_inj++) {
		struct injection *inj = &tl->inj[tl->nr_inj];

		*inj = from->inj[tl->nr_inj];
		inj->code = malloc(inj->bytes);
		if (!inj->code)
			return ERR_NOMEM;
		memcpy(inj->code, from->inj[tl->nr_inj].code, inj->bytes);
	}
	return SIM_OK;
}

enum sim_err tl_fork(const struct timeline *from, struct timeline **out, struct sim_error *err)
{
	struct timeline *tl = malloc(sizeof(*tl));
	enum sim_err ret;

	*out = NULL;
	if (!tl)
		return sim_fail(err, ERR_NOMEM, "no memory for another history");
	*tl = *from;
	tl->sim = NULL;
	tl->inj = NULL;
	tl->nr_inj = tl->cap_inj = 0;
	tl->steps = NULL;
	forget_steps(tl);
	tl->slots = tl->inj_slots = tl->read_slots = NULL;
	tl->seen_zones = NULL;
	tl->seen_flags = NULL;
	tl->seen_valid = false;
	tl->live = NULL;
	memset(&tl->log, 0, sizeof(tl->log));
	memset(&tl->ck, 0, sizeof(tl->ck));
	ret = sim_clone(from->sim, &tl->sim, err);
	if (!ret)
		ret = allocate_parts(tl, err);
	if (!ret && (!log_fork(&tl->log, &from->log) || !ckpt_copy(&tl->ck, &from->ck) ||
		     fork_injections(tl, from)))
		ret = sim_fail(err, ERR_NOMEM, "no memory for another history");
	if (ret) {
		tl_destroy(tl);
		return ret;
	}
	memcpy(tl->sim->dirty, from->sim->dirty, from->sim->nr_chunks * sizeof(*from->sim->dirty));
	tl->sim->slot_limit = from->sim->slot_limit;
	sim_set_policy(tl->sim, from->sim->policy);
	*out = tl;
	return SIM_OK;
}

struct sim *tl_sim(struct timeline *tl)
{
	return tl->sim;
}

const struct sim *tl_view(const struct timeline *tl)
{
	return tl->sim;
}

struct tl_pos tl_position(const struct timeline *tl)
{
	return tl->pos;
}

u64 tl_length(const struct timeline *tl)
{
	return tl->log.length;
}

u64 tl_first(const struct timeline *tl)
{
	return tl->keep_log ? tl->log.start : tl->log.length;
}

u32 tl_base_patches(const struct timeline *tl)
{
	return tl->base_patches;
}

void tl_set_observer(struct timeline *tl, step_observer observer, void *ctx)
{
	tl->live = observer;
	tl->live_ctx = ctx;
}

/*
 * Events
 */

/* What one zone's counters say, and remember them. */
static u8 zone_events(struct timeline *tl, u32 z)
{
	const struct zone *zone = &tl->sim->zones[z];
	struct seen_zone *seen = &tl->seen_zones[z];
	u8 events = 0;

	if (zone->stats.refills != seen->refills)
		events |= TL_REFILL;
	if (zone->stats.bulk_frees != seen->bulk_frees)
		events |= TL_BULK;
	if (zone->stats.free_high != seen->free_high)
		events |= TL_FREE_HIGH | TL_DRAIN;
	if (zone->flags != seen->flags)
		events |= TL_FLAG;
	seen->refills = zone->stats.refills;
	seen->bulk_frees = zone->stats.bulk_frees;
	seen->free_high = zone->stats.free_high;
	seen->flags = zone->flags;
	return events;
}

static u8 pageset_events(struct timeline *tl, u32 i)
{
	u8 flags = tl->sim->pagesets[i].flags;
	u8 events = flags != tl->seen_flags[i] ? TL_FLAG : 0;

	tl->seen_flags[i] = flags;
	return events;
}

static u8 all_events(struct timeline *tl)
{
	u8 events = 0;

	for (u32 z = 0; z < tl->sim->nr_zones; z++)
		events |= zone_events(tl, z);
	for (u32 i = 0; i < (u32)tl->sim->nr_zones * tl->sim->nr_cpus; i++)
		events |= pageset_events(tl, i);
	tl->seen_valid = true;
	return events;
}

/* What happened in an operation that has just run; @alone: nothing was injected. */
static u8 op_events(struct timeline *tl, const struct op *op, const struct op_result *result,
		    bool alone)
{
	u8 events = 0;

	switch (op->kind) {
	case OP_ALLOC:
	case OP_ALLOCN:
	case OP_BULK:
	case OP_FREE:
	case OP_FREEN:
	case OP_FREELIST:
		if (!alone)
			break;
		for (u32 z = 0; z < tl->sim->nr_zones; z++) {
			events |= zone_events(tl, z);
			events |= pageset_events(
				tl, (u32)(sim_pageset(tl->sim, z, op->cpu) - tl->sim->pagesets));
		}
		if (result->status == OP_FAILED)
			events |= TL_FAIL;
		return events;
	default:
		break;
	}
	events = all_events(tl);
	if (result->status == OP_FAILED)
		events |= TL_FAIL;
	if (op->kind == OP_TICK)
		events |= TL_TICK;
	if (op->kind == OP_PATCHES)
		events |= TL_PATCH;
	if (events & TL_BULK && op->kind > OP_FREELIST)
		events |= TL_DRAIN;
	return events;
}

static void note_events(struct timeline *tl, const struct op *op, const struct op_result *result,
			bool alone)
{
	u8 events = op_events(tl, op, result, alone);

	for (u32 k = 0; !alone && k < tl->run.nr_inj; k++) {
		if (tl->run.results[k].status == OP_FAILED)
			events |= TL_FAIL;
	}
	log_set_events(&tl->log, tl->pos.op, events);
	tl->events_to = tl->pos.op + 1;
}

/*
 * Running
 */

struct injection *tl_injections_of(const struct timeline *tl, u64 op, u32 *nr)
{
	size_t lo = 0, hi = tl->nr_inj;

	*nr = 0;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (tl->inj[mid].op < op)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo + *nr < tl->nr_inj && tl->inj[lo + *nr].op == op)
		(*nr)++;
	return tl->inj ? tl->inj + lo : NULL;
}

/* Ticks and drains wait for the pagesets that they work on. */
static bool waits_for_pageset(const struct sim *sim, const struct op *op)
{
	switch (op->kind) {
	case OP_TICK:
	case OP_DRAIN:
		return sim_pageset_locked(sim, op->cpu);
	case OP_DRAIN_ALL:
	case OP_DRAIN_ZONE:
		for (u32 cpu = 0; cpu < sim->nr_cpus; cpu++) {
			if (sim_pageset_locked(sim, cpu))
				return true;
		}
		return false;
	default:
		return false;
	}
}

/*
 * May injection @k begin here, or would it wait for a lock? An allocation or free whose
 * pageset is locked does not: it goes to the buddy. Whether it wants a zone lock that is
 * held shows only in running it, so that is tried; the first answer of each place is kept.
 */
static bool may_begin(struct timeline *tl, u32 k, const struct op *op, u32 *slots)
{
	struct injection *inj = &tl->run.inj[k];
	struct run *run = &tl->run;
	bool waits;
	u32 zone;

	if (waits_for_pageset(tl->sim, op))
		return false;
	if (!sim_zone_locked(tl->sim))
		return true;
	if (run->tried[k] && tl->sim->zones[run->wanted[k]].lock)
		return false;
	if (!run->tried[k] && inj->trial_known) {
		waits = inj->trial_waits;
		zone = inj->trial_zone;
	} else {
		waits = sim_would_wait(tl->sim, op, slots, &zone);
	}
	if (!run->tried[k]) {
		inj->trial_known = true;
		inj->trial_waits = waits;
		inj->trial_zone = (u16)zone;
	}
	run->tried[k] = waits;
	run->wanted[k] = (u16)zone;
	return !waits;
}

static void run_injection(struct timeline *tl, u32 k, const struct op *op, bool listed)
{
	struct run *run = &tl->run;

	run->state[k] = RUN_DONE;
	/* An edit of the log may have taken its CPU away: then there is no place for it. */
	if (op_infos[op->kind].args & 1u << OPARG_cpu && !tl->sim->online[op->cpu])
		run->displaced[k] = true;
	else
		sim_run(tl->sim, op, listed ? tl->inj_slots : NULL, &run->results[k]);
}

static void begin_injections(struct timeline *tl, const struct step *step)
{
	struct run *run = &tl->run;

	for (u32 k = 0; k < run->nr_inj; k++) {
		struct injection *inj = &run->inj[k];
		struct op op;
		bool listed, now = false;

		if (run->state[k] == RUN_WAITING && inj->step_id == step->id &&
		    ++run->occurred[k] == inj->nth) {
			run->state[k] = RUN_DUE;
			now = true;
		}
		if (run->state[k] != RUN_DUE)
			continue;
		listed = log_decode(inj->code, &op, tl->inj_slots);
		if (!may_begin(tl, k, &op, listed ? tl->inj_slots : NULL))
			continue;
		run->put_off[k] = !now;
		run_injection(tl, k, &op, listed);
	}
}

/* Those that found no place, or no moment without a lock, run after the operation. */
static void end_injections(struct timeline *tl)
{
	struct run *run = &tl->run;

	for (u32 k = 0; k < run->nr_inj; k++) {
		struct injection *inj = &run->inj[k];
		struct op op;
		bool listed;

		if (run->state[k] == RUN_DONE)
			continue;
		run->displaced[k] = run->state[k] == RUN_WAITING;
		run->put_off[k] = !run->displaced[k];
		listed = log_decode(inj->code, &op, tl->inj_slots);
		/* Still a part of the operation, not one of its own. */
		tl->sim->depth = 1;
		run_injection(tl, k, &op, listed);
		tl->sim->depth = 0;
	}
}

static void collect_step(struct timeline *tl, const struct step *step)
{
	if (tl->nr_steps == tl->cap_steps) {
		u32 cap = tl->cap_steps ? tl->cap_steps * 2 : 256;
		struct step *steps;

		if (tl->run.out_of_memory ||
		    !tl_make_room(tl, (cap - tl->cap_steps) * sizeof(*steps))) {
			tl->run.out_of_memory = true;
			return;
		}
		steps = realloc(tl->steps, cap * sizeof(*steps));
		if (!steps) {
			tl->run.out_of_memory = true;
			return;
		}
		tl->steps = steps;
		tl->cap_steps = cap;
	}
	tl->steps[tl->nr_steps++] = *step;
}

static void on_step(void *ctx, struct sim *sim, const struct step *step)
{
	struct timeline *tl = ctx;
	struct run *run = &tl->run;

	run->seen++;
	if (run->collect)
		collect_step(tl, step);
	if (run->watch)
		run->watch(run->watch_ctx, sim, step);
	if (run->seen == run->stop)
		longjmp(run->stopped, 1);
	if (run->nr_inj && step->depth == 0)
		begin_injections(tl, step);
}

/* Run one operation with its injections; false if it was left at the step run->stop. */
static bool run_watched(struct timeline *tl, const struct op *op, u32 *slots,
			struct op_result *result)
{
	struct run *run = &tl->run;

	run->seen = 0;
	memset(run->occurred, 0, sizeof(run->occurred));
	memset(run->state, 0, sizeof(run->state));
	memset(run->results, 0, sizeof(run->results));
	memset(run->put_off, 0, sizeof(run->put_off));
	memset(run->displaced, 0, sizeof(run->displaced));
	memset(run->tried, 0, sizeof(run->tried));
	if (setjmp(run->stopped)) {
		sim_set_observer(tl->sim, NULL, NULL);
		return false;
	}
	sim_set_observer(tl->sim, on_step, tl);
	sim_run(tl->sim, op, slots, result);
	end_injections(tl);
	sim_set_observer(tl->sim, NULL, NULL);
	for (u32 k = 0; k < run->nr_inj; k++) {
		run->inj[k].put_off = run->put_off[k];
		run->inj[k].displaced = run->displaced[k];
	}
	return true;
}

/* Read the operation at the position. */
static bool read_next(struct timeline *tl, struct op *op)
{
	bool listed;

	if (tl->cursor_op != tl->pos.op)
		log_seek(&tl->log, &tl->cursor, tl->pos.op);
	listed = log_read(&tl->log, &tl->cursor, op, tl->slots);
	tl->cursor_op = tl->pos.op + 1;
	return listed;
}

/* The position moves on by an operation that has run whole. */
static void passed(struct timeline *tl)
{
	struct ckpts *ck = &tl->ck;

	tl->pos.op++;
	tl->pos.step = 0;
	if (ck->cur + 1 < ck->nr && ckpt_op(ck, ck->cur + 1) == tl->pos.op) {
		ckpt_reached(ck, tl->sim, ck->cur + 1);
		tl->work = 0;
	}
}

bool tl_run_next(struct timeline *tl, u32 stop, bool collect, struct op_result *result)
{
	struct run *run = &tl->run;
	bool fresh = tl->pos.op >= tl->events_to, listed;
	struct op_result unseen;
	struct op op;

	if (!result)
		result = &unseen;
	if (fresh && !tl->seen_valid)
		all_events(tl);
	listed = read_next(tl, &op);
	run->inj = tl_injections_of(tl, tl->pos.op, &run->nr_inj);
	run->stop = stop;
	run->collect = collect;
	run->out_of_memory = false;
	if (!run_watched(tl, &op, listed ? tl->slots : NULL, result)) {
		tl->pos.step = stop;
		tl->seen_valid = false;
		return false;
	}
	if (fresh)
		note_events(tl, &op, result, run->nr_inj == 0);
	else
		tl->seen_valid = false;
	passed(tl);
	return true;
}

/* Run without looking, up to the boundary @stop; nothing is due before it. */
static void run_plain(struct timeline *tl, u64 stop)
{
	bool fresh = tl->pos.op >= tl->events_to;
	u32 nr_inj;
	const struct injection *next = tl_injections_of(tl, tl->pos.op, &nr_inj);
	const struct injection *end = tl->inj ? tl->inj + tl->nr_inj : NULL;

	if (fresh && !tl->seen_valid)
		all_events(tl);
	else if (!fresh)
		tl->seen_valid = false;
	while (tl->pos.op < stop) {
		struct op_result result;
		struct op op;
		bool listed;

		if (unlikely(next < end && next->op == tl->pos.op)) {
			while (next < end && next->op == tl->pos.op)
				next++;
			tl_run_next(tl, 0, false, NULL);
			continue;
		}
		listed = read_next(tl, &op);
		sim_run(tl->sim, &op, listed ? tl->slots : NULL, &result);
		if (fresh)
			note_events(tl, &op, &result, true);
		tl->work += op.count;
		passed(tl);
	}
}

/* How many operations make up so many blocks, on average. */
static u64 ops_of(const struct timeline *tl, u64 blocks)
{
	u64 ops = tl->log.length ? tl->log.length : 1,
	    all = tl->work_all > ops ? tl->work_all : ops;
	u64 n = (u64)((double)blocks * (double)ops / (double)all);

	return n ? n : 1;
}

/* Run on to a boundary, with checkpoints where a later step back will want them. */
static void run_to(struct timeline *tl, u64 target)
{
	u64 rungs[2] = { ops_of(tl, RUNG_FAR), ops_of(tl, RUNG_NEAR) };
	u64 begin = tl->pos.op;
	size_t rung = 0;

	while (tl->pos.op < target) {
		const struct ckpts *ck = &tl->ck;
		u64 stop = target;
		bool last = ck->cur + 1 >= ck->nr;

		if (!last && ckpt_op(ck, ck->cur + 1) < stop)
			stop = ckpt_op(ck, ck->cur + 1);
		if (tl->events_to > tl->pos.op && tl->events_to < stop)
			stop = tl->events_to;
		while (rung < 2 &&
		       (target - begin < 2 * rungs[rung] || target - rungs[rung] <= tl->pos.op))
			rung++;
		if (rung < 2 && target - rungs[rung] < stop)
			stop = target - rungs[rung];
		if (last && stop > tl->pos.op + WORK_MIN)
			stop = tl->pos.op + WORK_MIN;
		run_plain(tl, stop);
		if (ckpt_op(ck, ck->cur) == tl->pos.op)
			continue;
		if (rung < 2 && tl->pos.op == target - rungs[rung])
			capture(tl);
		else if (last && tl->work >= tl->work_next)
			consider_capture(tl);
	}
}

static void restore(struct timeline *tl, size_t i)
{
	ckpt_restore(&tl->ck, tl->sim, i);
	tl->pos.op = ckpt_op(&tl->ck, i);
	tl->pos.step = 0;
	tl->seen_valid = false;
	tl->work = 0;
}

void tl_to_boundary(struct timeline *tl, u64 op)
{
	size_t i;

	if (tl->pos.step) {
		sim_set_observer(tl->sim, NULL, NULL);
		restore(tl, tl->ck.cur);
	}
	i = ckpt_find(&tl->ck, op);
	if (op < tl->pos.op || ckpt_op(&tl->ck, i) > tl->pos.op + RUN_ANYWAY)
		restore(tl, i);
	run_to(tl, op);
}

/*
 * Make ready to look into the operation at the position: each step that is shown
 * begins anew at its start.
 */
static void look_into(struct timeline *tl)
{
	u64 old = tl->here;

	if (ckpt_op(&tl->ck, tl->ck.cur) == tl->pos.op || !capture(tl))
		return;
	tl->here = tl->pos.op;
	if (old != TL_NOWHERE) {
		size_t i = ckpt_find(&tl->ck, old);

		if (i > 0 && i < tl->ck.nr && ckpt_op(&tl->ck, i) == old)
			ckpt_remove(&tl->ck, tl->sim, i);
	}
}

/*
 * Positions
 */

static enum sim_err no_such_step(const struct timeline *tl, u64 op, u32 step, struct sim_error *err)
{
	return sim_fail(err, ERR_POSITION, "operation %llu has %u steps; there is no step %u",
			(unsigned long long)op + 1, tl->run.seen, step);
}

enum sim_err tl_seek(struct timeline *tl, u64 op, u32 step, struct sim_error *err)
{
	struct tl_pos old = tl->pos;

	if (op == old.op && step == old.step)
		return SIM_OK;
	if (tl_need_log(tl, err))
		return ERR_POSITION;
	if (op < tl->log.start || op > tl->log.length)
		return sim_fail(err, ERR_POSITION,
				"there is no boundary %llu: the history has %llu to %llu",
				(unsigned long long)op, (unsigned long long)tl->log.start,
				(unsigned long long)tl->log.length);
	if (op == tl->log.length && step)
		return sim_fail(err, ERR_POSITION, "there is no operation %llu, so it has no steps",
				(unsigned long long)op + 1);
	tl_to_boundary(tl, op);
	if (!step)
		return SIM_OK;
	look_into(tl);
	if (!tl_run_next(tl, step, false, NULL))
		return SIM_OK;
	no_such_step(tl, op, step, err);
	tl_seek(tl, old.op, old.step, NULL);
	return ERR_POSITION;
}

bool tl_step_next(struct timeline *tl)
{
	struct tl_pos pos = tl->pos;

	if (!tl->keep_log || pos.op == tl->log.length)
		return false;
	tl_to_boundary(tl, pos.op);
	look_into(tl);
	tl_run_next(tl, pos.step + 1, false, NULL);
	return true;
}

bool tl_step_prev(struct timeline *tl)
{
	struct tl_pos pos = tl->pos;

	if (!tl->keep_log || (pos.op == tl->log.start && pos.step == 0))
		return false;
	if (pos.step)
		return tl_seek(tl, pos.op, pos.step - 1, NULL) == SIM_OK;
	tl_to_boundary(tl, pos.op - 1);
	look_into(tl);
	/* Once to count the steps, once more to the last of them. */
	tl_run_next(tl, 0, false, NULL);
	return tl_seek(tl, pos.op - 1, tl->run.seen, NULL) == SIM_OK;
}

/*
 * Appending and reading
 */

void tl_as_change(const struct timeline *tl, struct op *op)
{
	if (op->kind != OP_PATCHES)
		return;
	op->flags |= OP_F_CHANGE;
	op->low = tl->sim->patches;
}

static void run_appended(struct timeline *tl, const struct op *op, u32 *slots,
			 struct op_result *result)
{
	if (likely(!tl->live)) {
		sim_run(tl->sim, op, slots, result);
		return;
	}
	/* If the observer leaves by longjmp(), the position is in the middle. */
	tl->pos.step = 1;
	sim_set_observer(tl->sim, tl->live, tl->live_ctx);
	sim_run(tl->sim, op, slots, result);
	sim_set_observer(tl->sim, NULL, NULL);
	tl->pos.step = 0;
}

enum sim_err tl_append(struct timeline *tl, const struct op *given, u32 *slots,
		       struct op_result *result, struct sim_error *err)
{
	struct op op = *given;
	struct op_result unseen;
	enum sim_err ret;
	size_t cost;

	if (!result)
		result = &unseen;
	if (tl->pos.op != tl->log.length || tl->pos.step)
		return sim_fail(err, ERR_POSITION,
				"operations are appended at the end, boundary %llu",
				(unsigned long long)tl->log.length);
	op.flags &= OP_F_ATOMIC | OP_F_BUSY | OP_F_ON;
	tl_as_change(tl, &op);
	ret = op_check(tl->sim, &op, slots, err);
	if (ret)
		return ret;
	if (!tl->keep_log) {
		run_appended(tl, &op, slots, result);
		tl->pos.op = ++tl->log.length;
		return SIM_OK;
	}
	cost = log_cost(&op);
	/* A quarter stays for checkpoints. */
	if (tl->log.bytes + cost > tl->bound / 4 * 3 || !tl_make_room(tl, cost))
		return tl_full(tl, err);
	if (!log_append(&tl->log, &op, slots))
		return sim_fail(err, ERR_NOMEM, "no memory for the log");
	if (!tl->seen_valid)
		all_events(tl);
	run_appended(tl, &op, slots, result);
	note_events(tl, &op, result, true);
	tl->pos.op++;
	tl->bump_max = tl->sim->state->slot_bump > tl->bump_max ? tl->sim->state->slot_bump :
								  tl->bump_max;
	tl->work += op.count;
	tl->work_all += op.count;
	if (tl->work >= tl->work_next)
		consider_capture(tl);
	return SIM_OK;
}

static enum sim_err need_op(const struct timeline *tl, u64 i, struct sim_error *err)
{
	if (tl_need_log(tl, err))
		return ERR_POSITION;
	if (i >= tl->log.start && i < tl->log.length)
		return SIM_OK;
	if (tl->log.start == tl->log.length)
		return sim_fail(err, ERR_POSITION,
				"there is no operation %llu: the history is empty",
				(unsigned long long)i + 1);
	return sim_fail(err, ERR_POSITION,
			"there is no operation %llu: the history has %llu to %llu",
			(unsigned long long)i + 1, (unsigned long long)tl->log.start + 1,
			(unsigned long long)tl->log.length);
}

enum sim_err tl_op(struct timeline *tl, u64 i, struct op *op, const u32 **slots,
		   struct sim_error *err)
{
	struct log_cursor cursor;

	if (need_op(tl, i, err))
		return ERR_POSITION;
	log_seek(&tl->log, &cursor, i);
	if (!log_read(&tl->log, &cursor, op, tl->read_slots))
		tl->read_slots[0] = op->slot;
	if (slots)
		*slots = op_infos[op->kind].args & 1u << OPARG_pages ? tl->read_slots : NULL;
	return SIM_OK;
}

enum sim_err tl_steps(struct timeline *tl, u64 i, const struct step **steps, u32 *nr_steps,
		      struct op_result *result, struct sim_error *err)
{
	struct tl_pos old = tl->pos;
	bool lost;

	if (need_op(tl, i, err))
		return ERR_POSITION;
	if (tl->steps_op != i) {
		forget_steps(tl);
		tl_to_boundary(tl, i);
		look_into(tl);
		tl_run_next(tl, 0, true, &tl->steps_result);
		lost = tl->run.out_of_memory;
		tl_seek(tl, old.op, old.step, NULL);
		if (lost) {
			forget_steps(tl);
			return tl_full(tl, err);
		}
		tl->steps_op = i;
	}
	*steps = tl->steps;
	*nr_steps = tl->nr_steps;
	if (result)
		*result = tl->steps_result;
	return SIM_OK;
}

/* After an edit: run to the end once, so that all events are known. */
static void refresh_events(struct timeline *tl)
{
	struct tl_pos old = tl->pos;

	if (tl->events_to >= tl->log.length)
		return;
	tl_to_boundary(tl, tl->log.length);
	tl_seek(tl, old.op, old.step, NULL);
}

u8 tl_events(const struct timeline *tl, u64 i)
{
	if (need_op(tl, i, NULL))
		return 0;
	/* Nothing that can be seen changes: the position is the same afterwards. */
	if (i >= tl->events_to)
		refresh_events((struct timeline *)(uintptr_t)tl);
	return log_events(&tl->log, i);
}

s64 tl_find_event(const struct timeline *tl, u64 from, bool forward, u8 mask)
{
	if (tl_need_log(tl, NULL))
		return -1;
	refresh_events((struct timeline *)(uintptr_t)tl);
	return log_find_event(&tl->log, from, forward, mask);
}

void tl_forget_from(struct timeline *tl, u64 op)
{
	forget_steps(tl);
	tl->cursor_op = TL_NOWHERE;
	for (size_t i = 0; i < tl->nr_inj; i++) {
		if (tl->inj[i].op >= op)
			tl->inj[i].trial_known = false;
	}
	if (tl->events_to > op)
		tl->events_to = op;
	while (tl->ck.nr > 1 && ckpt_op(&tl->ck, tl->ck.nr - 1) > op)
		ckpt_remove(&tl->ck, tl->sim, tl->ck.nr - 1);
	if (tl->here != TL_NOWHERE && tl->here > op)
		tl->here = TL_NOWHERE;
	tl->seen_valid = false;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes of a timeline's log: see "Edit" in timeline.h. */
#include <stdlib.h>
#include <string.h>

#include "timeline_impl.h"

#define A(name) (1u << OPARG_##name)

static bool allocates(const struct op *op)
{
	return op_infos[op->kind].args & A(type);
}

static bool frees(const struct op *op)
{
	return op_infos[op->kind].args & A(pages);
}

/*
 * Make an operation for the middle of the log. Its slots come from the end of the
 * table and are given out only once.
 */
static enum sim_err set_apart(struct timeline *tl, struct op *op, struct sim_error *err)
{
	if (!allocates(op) && !frees(op))
		return SIM_OK;
	op->flags |= OP_F_APART;
	if (!allocates(op))
		return SIM_OK;
	if (op->count >= tl->sim->slot_limit - tl->bump_max)
		return sim_fail(err, ERR_SLOT, "no slots left for %u more allocations", op->count);
	tl->sim->slot_limit -= op->count;
	op->slot = tl->sim->slot_limit;
	return SIM_OK;
}

static void unset_apart(struct timeline *tl, const struct op *op)
{
	if (allocates(op))
		tl->sim->slot_limit += op->count;
}

/*
 * Which CPUs are online follows from the log alone, so a walk over it tells whether
 * every operation still can run.
 */
struct online {
	u8 *cpus, *disabled;
	bool locked;
	u32 nr;
};

static bool still_runs(struct online *at, const struct op *op)
{
	switch (op->kind) {
	case OP_CPU_OFFLINE:
		if (!at->locked && at->cpus[op->cpu] && at->nr > 1) {
			at->cpus[op->cpu] = 0;
			at->nr--;
		}
		return true;
	case OP_CPU_ONLINE:
		if (!at->locked && !at->cpus[op->cpu]) {
			at->cpus[op->cpu] = 1;
			at->nr++;
		}
		return true;
	case OP_PCP_DISABLE:
		if (!at->locked)
			at->disabled[op->zone] = 1;
		at->locked = true;
		return true;
	case OP_PCP_ENABLE:
		if (at->disabled[op->zone])
			at->locked = false;
		at->disabled[op->zone] = 0;
		return true;
	case OP_CACHE:
		return true;
	default:
		return !(op_infos[op->kind].args & A(cpu)) || at->cpus[op->cpu];
	}
}

/* From the live state on: @first (may be NULL), then the log from operation @from. */
static enum sim_err check_later(struct timeline *tl, const struct op *first, u64 from,
				struct sim_error *err)
{
	const struct sim *sim = tl->sim;
	struct online at = { .locked = sim->state->pcp_batch_high_locked,
			     .nr = sim->state->nr_online };
	enum sim_err ret = SIM_OK;
	struct log_cursor cursor;
	struct op op;

	at.cpus = malloc(sim->nr_cpus);
	at.disabled = malloc(sim->nr_zones);
	if (!at.cpus || !at.disabled) {
		free(at.cpus);
		free(at.disabled);
		return sim_fail(err, ERR_NOMEM, "no memory to check the log");
	}
	memcpy(at.cpus, sim->online, sim->nr_cpus);
	for (u32 z = 0; z < sim->nr_zones; z++)
		at.disabled[z] = sim->zones[z].pcp_disabled;
	if (first)
		still_runs(&at, first);
	log_seek(&tl->log, &cursor, from);
	for (u64 i = from; !ret && i < tl->log.length; i++) {
		log_read(&tl->log, &cursor, &op, NULL);
		if (!still_runs(&at, &op))
			ret = sim_fail(err, ERR_OP,
				       "operation %llu runs on cpu %u, which would be offline then",
				       (unsigned long long)i + 1, op.cpu);
	}
	free(at.cpus);
	free(at.disabled);
	return ret;
}

static bool decides_who_runs(const struct op *op)
{
	return op->kind == OP_CPU_OFFLINE || op->kind == OP_CPU_ONLINE ||
	       op->kind == OP_PCP_DISABLE || op->kind == OP_PCP_ENABLE;
}

/* Injections of operations from @op on move by @by. */
static void shift_injections(struct timeline *tl, u64 op, s64 by)
{
	for (size_t i = 0; i < tl->nr_inj; i++) {
		if (tl->inj[i].op >= op)
			tl->inj[i].op += (u64)by;
	}
}

/* Take out the injections of operations @from..@to-1. */
static void drop_injections(struct timeline *tl, u64 from, u64 to)
{
	size_t n = 0;

	for (size_t i = 0; i < tl->nr_inj; i++) {
		if (tl->inj[i].op >= from && tl->inj[i].op < to)
			free(tl->inj[i].code);
		else
			tl->inj[n++] = tl->inj[i];
	}
	tl->nr_inj = n;
}

static enum sim_err insert_middle(struct timeline *tl, struct op *op, struct sim_error *err)
{
	size_t cost = log_insert_cost(op);
	enum sim_err ret = SIM_OK;

	if (decides_who_runs(op))
		ret = check_later(tl, op, tl->pos.op, err);
	if (ret)
		return ret;
	if (tl->log.bytes + cost > tl->bound / 4 * 3 || !tl_make_room(tl, cost))
		return tl_full(tl, err);
	ret = set_apart(tl, op, err);
	if (ret)
		return ret;
	if (!log_insert(&tl->log, tl->pos.op, op, NULL)) {
		unset_apart(tl, op);
		return sim_fail(err, ERR_NOMEM, "no memory for the log");
	}
	shift_injections(tl, tl->pos.op, 1);
	tl_forget_from(tl, tl->pos.op);
	tl_to_boundary(tl, tl->pos.op + 1);
	return SIM_OK;
}

enum sim_err tl_insert(struct timeline *tl, const struct op *given, struct sim_error *err)
{
	struct op op = *given;
	enum sim_err ret = tl_need_log(tl, err);

	if (ret)
		return ret;
	if (tl->pos.step)
		return sim_fail(err, ERR_POSITION,
				"in the middle of an operation; another one can be put in at its "
				"start or end");
	if (tl->pos.op == tl->log.length)
		return tl_append(tl, &op, NULL, NULL, err);
	op.flags &= OP_F_ATOMIC | OP_F_BUSY | OP_F_ON;
	tl_as_change(tl, &op);
	ret = op_check(tl->sim, &op, NULL, err);
	return ret ? ret : insert_middle(tl, &op, err);
}

static enum sim_err may_remove(struct timeline *tl, u64 i, const struct op *op,
			       struct sim_error *err)
{
	bool names = (allocates(op) || frees(op)) && !(op->flags & OP_F_APART);

	if (names && i + 1 < tl->log.length)
		return sim_fail(err, ERR_OP,
				"operation %llu decides how later allocations are named; only "
				"the last one, or one that was put in, can be taken out",
				(unsigned long long)i + 1);
	if (!decides_who_runs(op))
		return SIM_OK;
	tl_to_boundary(tl, i);
	return check_later(tl, NULL, i + 1, err);
}

enum sim_err tl_remove(struct timeline *tl, u64 i, struct sim_error *err)
{
	struct tl_pos old = tl->pos;
	enum sim_err ret;
	struct op op;

	ret = tl_op(tl, i, &op, NULL, err);
	if (!ret)
		ret = may_remove(tl, i, &op, err);
	if (!ret && !tl_make_room(tl, log_insert_cost(&op)))
		ret = tl_full(tl, err);
	if (ret) {
		tl_seek(tl, old.op, old.step, NULL);
		return ret;
	}
	if (tl->pos.op > i || tl->pos.step)
		tl_to_boundary(tl, old.op < i ? old.op : i);
	if (!log_remove(&tl->log, i)) {
		tl_seek(tl, old.op, old.step, NULL);
		return sim_fail(err, ERR_NOMEM, "no memory for the log");
	}
	drop_injections(tl, i, i + 1);
	shift_injections(tl, i, -1);
	tl_forget_from(tl, i);
	if (old.op > i)
		tl_seek(tl, old.op - 1, old.step, NULL);
	else
		tl_seek(tl, old.op, old.op == i ? 0 : old.step, NULL);
	return SIM_OK;
}

enum sim_err tl_truncate(struct timeline *tl, struct sim_error *err)
{
	struct tl_pos old = tl->pos;

	if (tl_need_log(tl, err))
		return ERR_POSITION;
	tl_to_boundary(tl, old.op);
	if (!log_truncate(&tl->log, old.op)) {
		tl_seek(tl, old.op, old.step, NULL);
		return sim_fail(err, ERR_NOMEM, "no memory for the log");
	}
	drop_injections(tl, old.op, UINT64_MAX);
	tl_forget_from(tl, old.op);
	return SIM_OK;
}

/* Give the timeline's machine the state of a fresh one of the same shape. */
static void take_state(struct sim *sim, const struct sim *from)
{
	memcpy(sim->arena, from->arena, sim->hot_bytes);
	for (size_t i = sim->hot_bytes >> CHUNK_SHIFT; i < sim->nr_chunks; i++) {
		u8 *to = sim->arena + (i << CHUNK_SHIFT);

		if (from->dirty[i].bits)
			memcpy(to, from->arena + (i << CHUNK_SHIFT), CHUNK_SIZE);
		else if (sim->dirty[i].bits)
			memset(to, 0, CHUNK_SIZE);
		sim->dirty[i].bits = sim->dirty[i].bits || from->dirty[i].bits ? CHUNK_USED : 0;
	}
	sim_reset(sim);
}

enum sim_err tl_set_base_patches(struct timeline *tl, u32 patches, struct sim_error *err)
{
	u64 op = tl->pos.op;
	struct ckpts fresh_ck;
	struct sim *fresh;
	enum sim_err ret;

	if (tl_need_log(tl, err))
		return ERR_POSITION;
	if (tl->log.start)
		return sim_fail(err, ERR_POSITION,
				"the history begins at operation %llu, its first part was dropped",
				(unsigned long long)tl->log.start + 1);
	ret = sim_create(sim_machine(tl->sim), patches, &fresh, err);
	if (ret)
		return ret;
	ckpt_init(&fresh_ck, fresh);
	if (!ckpt_capture(&fresh_ck, fresh, 0)) {
		sim_destroy(fresh);
		return sim_fail(err, ERR_NOMEM, "no memory for a checkpoint");
	}
	sim_set_observer(tl->sim, NULL, NULL);
	take_state(tl->sim, fresh);
	sim_destroy(fresh);
	tl_forget_from(tl, 0);
	ckpt_free(&tl->ck);
	tl->ck = fresh_ck;
	tl->here = TL_NOWHERE;
	tl->base_patches = patches;
	tl->pos = (struct tl_pos){ 0, 0 };
	tl_to_boundary(tl, op);
	return SIM_OK;
}

/*
 * Injections
 */

static enum sim_err may_inject(struct timeline *tl, u64 i, const struct op *op,
			       struct sim_error *err)
{
	struct op outer;
	u32 nr;

	if (op->kind >= NR_OPS)
		return sim_fail(err, ERR_OP, "operation %u does not exist", op->kind);
	if (!allocates(op) && !frees(op) && op->kind != OP_TICK && op->kind != OP_DRAIN &&
	    op->kind != OP_DRAIN_ALL && op->kind != OP_DRAIN_ZONE && op->kind != OP_RECLAIM &&
	    op->kind != OP_TOUCH && op->kind != OP_BOOST_CLEAR)
		return sim_fail(err, ERR_OP, "%s cannot happen in the middle of an operation",
				op_infos[op->kind].name);
	if (tl_op(tl, i, &outer, NULL, err))
		return ERR_POSITION;
	if (outer.kind == OP_PATCHES)
		return sim_fail(err, ERR_OP,
				"the patch set changes between operations; nothing can come in");
	tl_injections_of(tl, i, &nr);
	if (nr == TL_INJECT_MAX)
		return sim_fail(err, ERR_OP, "operation %llu has %d injections already",
				(unsigned long long)i + 1, TL_INJECT_MAX);
	return SIM_OK;
}

static bool reserve_injection(struct timeline *tl)
{
	size_t cap = tl->cap_inj ? tl->cap_inj * 2 : 16;
	struct injection *inj;

	if (tl->nr_inj < tl->cap_inj)
		return true;
	inj = realloc(tl->inj, cap * sizeof(*inj));
	if (!inj)
		return false;
	tl->inj = inj;
	tl->cap_inj = cap;
	return true;
}

/* Enter an injection into the list, behind those of the same operation. */
static enum sim_err add_injection(struct timeline *tl, struct injection *inj, const struct op *op,
				  const u32 *slots, struct sim_error *err)
{
	struct injection *at;
	size_t bytes;
	u32 nr;

	inj->code = log_encode(op, slots, &bytes);
	if (!inj->code || !reserve_injection(tl)) {
		free(inj->code);
		return sim_fail(err, ERR_NOMEM, "no memory for the log");
	}
	inj->bytes = (u32)bytes;
	if (!tl_make_room(tl, tl_injection_bytes(inj))) {
		free(inj->code);
		return tl_full(tl, err);
	}
	at = tl_injections_of(tl, inj->op, &nr) + nr;
	memmove(at + 1, at, (size_t)(tl->inj + tl->nr_inj - at) * sizeof(*at));
	*at = *inj;
	tl->nr_inj++;
	return SIM_OK;
}

enum sim_err tl_inject_at(struct timeline *tl, u64 i, enum step_id step, u32 nth,
			  const struct op *given, u32 *slots, struct op_result *result,
			  bool *put_off, struct sim_error *err)
{
	struct injection inj = { .op = i, .step_id = (u16)step, .nth = nth };
	struct tl_pos old = tl->pos;
	struct op op = *given;
	enum sim_err ret = may_inject(tl, i, &op, err);
	u32 nr;

	if (ret)
		return ret;
	op.flags &= OP_F_ATOMIC | OP_F_BUSY | OP_F_ON;
	/* In the middle of the operation the state there decides; else that at its start. */
	if (old.op != i)
		tl_to_boundary(tl, i);
	ret = op_check(tl->sim, &op, slots, err);
	if (!ret)
		ret = set_apart(tl, &op, err);
	if (!ret) {
		ret = add_injection(tl, &inj, &op, slots, err);
		if (ret)
			unset_apart(tl, &op);
	}
	if (ret) {
		tl_seek(tl, old.op, old.step, NULL);
		return ret;
	}
	tl_to_boundary(tl, i);
	tl_forget_from(tl, i);
	tl_run_next(tl, 0, false, NULL);
	tl_injections_of(tl, i, &nr);
	if (result)
		*result = tl->run.results[nr - 1];
	if (put_off)
		*put_off = tl->run.inj[nr - 1].put_off;
	for (u32 k = 0; slots && allocates(&op) && k < op.count; k++)
		slots[k] = op.slot + k;
	tl_seek(tl, old.op, old.step, NULL);
	return SIM_OK;
}

enum sim_err tl_inject(struct timeline *tl, const struct op *op, u32 *slots,
		       struct op_result *result, bool *put_off, struct sim_error *err)
{
	struct tl_pos pos = tl->pos;
	const struct step *steps;
	u32 nr_steps, nth = 0;
	enum sim_err ret;

	if (!pos.step)
		return sim_fail(
			err, ERR_POSITION,
			"between two operations: here an operation is put in, not injected");
	ret = tl_steps(tl, pos.op, &steps, &nr_steps, NULL, err);
	if (ret)
		return ret;
	if (steps[pos.step - 1].depth)
		return sim_fail(err, ERR_OP, "nothing can be injected into an injected operation");
	for (u32 k = 0; k < pos.step; k++)
		nth += steps[k].id == steps[pos.step - 1].id && !steps[k].depth;
	return tl_inject_at(tl, pos.op, (enum step_id)steps[pos.step - 1].id, nth, op, slots,
			    result, put_off, err);
}

u64 tl_displaced(const struct timeline *tl)
{
	u64 n = 0;

	for (size_t i = 0; i < tl->nr_inj; i++)
		n += tl->inj[i].displaced;
	return n;
}

u32 tl_nr_injections(const struct timeline *tl, u64 i)
{
	u32 nr;

	tl_injections_of(tl, i, &nr);
	return nr;
}

/* NULL if there is none; @err then says so, ERR_POSITION. */
static struct injection *find_injection(const struct timeline *tl, u64 i, u32 k,
					struct sim_error *err)
{
	u32 nr;
	struct injection *first = tl_injections_of(tl, i, &nr);

	if (first && k < nr)
		return &first[k];
	sim_fail(err, ERR_POSITION, "operation %llu has %u injections", (unsigned long long)i + 1,
		 nr);
	return NULL;
}

enum sim_err tl_injection(struct timeline *tl, u64 i, u32 k, struct tl_injection *out,
			  struct sim_error *err)
{
	const struct injection *inj = find_injection(tl, i, k, err);

	if (!inj)
		return ERR_POSITION;
	if (!log_decode(inj->code, &out->op, tl->read_slots))
		tl->read_slots[0] = out->op.slot;
	out->slots = frees(&out->op) ? tl->read_slots : NULL;
	out->step = (enum step_id)inj->step_id;
	out->nth = inj->nth;
	out->put_off = inj->put_off;
	out->displaced = inj->displaced;
	return SIM_OK;
}

enum sim_err tl_uninject(struct timeline *tl, u64 i, u32 k, struct sim_error *err)
{
	struct tl_pos old = tl->pos;
	struct injection *inj = find_injection(tl, i, k, err);

	if (!inj)
		return ERR_POSITION;
	if (tl->pos.op > i || tl->pos.step)
		tl_to_boundary(tl, old.op < i ? old.op : i);
	free(inj->code);
	memmove(inj, inj + 1, (size_t)(tl->inj + tl->nr_inj - inj - 1) * sizeof(*inj));
	tl->nr_inj--;
	tl_forget_from(tl, i);
	/* The steps of the operation are others now. */
	tl_seek(tl, old.op, old.op == i ? 0 : old.step, NULL);
	return SIM_OK;
}

/*
 * Dropping the oldest
 */

/* All checkpoints but a new one at the position, which becomes the first. */
static enum sim_err new_base(struct timeline *tl, struct sim_error *err)
{
	size_t used = 0, need;

	for (size_t i = 0; i < tl->sim->nr_chunks; i++)
		used += tl->sim->dirty[i].bits != 0;
	/* Chunks with their tables, generously. */
	need = used * (CHUNK_SIZE + 64) + tl->ck.nr_leaves * 2 * sizeof(void *) + 4096;
	if (tl_bytes(tl) - tl->ck.bytes - tl->log.bytes / 4 + need > tl->bound)
		return sim_fail(err, ERR_FULL,
				"%llu MiB are too little for a checkpoint of this machine",
				(unsigned long long)(tl->bound >> 20));
	while (tl->ck.nr)
		ckpt_remove(&tl->ck, tl->sim, tl->ck.nr - 1);
	SIM_ASSERT(ckpt_capture(&tl->ck, tl->sim, tl->pos.op), "%zu bytes", need);
	return SIM_OK;
}

enum sim_err tl_drop_oldest(struct timeline *tl, struct sim_error *err)
{
	u64 start = tl->log.start, span = tl->log.length - start;
	struct tl_pos old = tl->pos;
	u64 to = start + (span + 1) / 2;
	enum sim_err ret = tl_need_log(tl, err);
	size_t i;

	if (ret)
		return ret;
	if (span == 0)
		return sim_fail(err, ERR_POSITION, "the history is empty");
	/* At a checkpoint between a quarter and three quarters, if there is one. */
	i = ckpt_find(&tl->ck, start + span / 4) + 1;
	if (i < tl->ck.nr && ckpt_op(&tl->ck, i) <= start + span / 4 * 3)
		to = ckpt_op(&tl->ck, i);
	if (tl->pos.op < to || tl->pos.step)
		tl_to_boundary(tl, tl->pos.op < to ? to : tl->pos.op);
	i = ckpt_find(&tl->ck, to);
	if (ckpt_op(&tl->ck, i) != to) {
		tl_to_boundary(tl, to);
		ret = new_base(tl, err);
		if (ret) {
			tl_seek(tl, old.op, old.step, NULL);
			return ret;
		}
	}
	while (ckpt_op(&tl->ck, 0) < to)
		ckpt_remove(&tl->ck, tl->sim, 0);
	drop_injections(tl, 0, to);
	SIM_ASSERT(log_drop(&tl->log, to), "operation %llu", (unsigned long long)to);
	tl->cursor_op = tl->steps_op = TL_NOWHERE;
	tl_seek(tl, old.op < to ? to : old.op, old.op < to ? 0 : old.step, NULL);
	return SIM_OK;
}

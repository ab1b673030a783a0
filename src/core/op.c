/* SPDX-License-Identifier: GPL-2.0-only */
#include "op.h"

#include <string.h>

#include "arena.h"
#include "sim.h"

#define A(name) (1u << OPARG_##name)

const struct op_info op_infos[NR_OPS] = {
#define OP(id, name, short_name, args, help) [OP_##id] = { name, short_name, args, help },
#include "op.def"
#undef OP
};

const struct op_arg_info op_args[NR_OP_ARGS] = {
#define OPARG(name, type, min, max, help) [OPARG_##name] = { #name, OPA_##type, min, max, help },
#include "op.def"
#undef OPARG
};

enum op_kind op_kind_find(const char *name)
{
	for (int kind = 0; kind < NR_OPS; kind++) {
		if (strcmp(op_infos[kind].name, name) == 0 ||
		    (*name && strcmp(op_infos[kind].short_name, name) == 0))
			return (enum op_kind)kind;
	}
	return NR_OPS;
}

static enum sim_err check_cpu(const struct sim *sim, const struct op *op, struct sim_error *err)
{
	if (op->cpu >= sim->nr_cpus)
		return sim_fail(err, ERR_RANGE, "cpu %u: this machine has CPUs 0..%u", op->cpu,
				sim->nr_cpus - 1u);
	if (!sim->online[op->cpu] && op->kind != OP_CPU_ONLINE && op->kind != OP_CPU_OFFLINE &&
	    op->kind != OP_CACHE)
		return sim_fail(err, ERR_OP, "cpu %u is offline", op->cpu);
	return SIM_OK;
}

static enum sim_err check_alloc(const struct sim *sim, const struct op *op, struct sim_error *err)
{
	u32 most = op->kind == OP_BULK ? SIM_OP_LIST_MAX - 1 : INT32_MAX;

	if (op->order > MAX_ORDER)
		return sim_fail(err, ERR_RANGE, "order %u: orders are 0..%d", op->order, MAX_ORDER);
	if (op->type >= MIGRATE_PCPTYPES)
		return sim_fail(err, ERR_RANGE,
				"migratetype %u cannot be asked for; it is U, M or R", op->type);
	if (op->count < 1 || op->count > most)
		return sim_fail(err, ERR_RANGE, "count %u: it must be 1..%u", op->count, most);
	if (op->kind == OP_ALLOC && op->count != 1)
		return sim_fail(err, ERR_RANGE, "alloc takes one block; allocn takes many");
	if (op->count > sim->slot_limit - sim->state->slot_bump)
		return sim_fail(err, ERR_SLOT, "no slots left for %u more allocations", op->count);
	if (op->kind != OP_BULK && (op->flags & OP_F_BUSY) && op->kind == OP_ALLOCN)
		return sim_fail(err, ERR_OP, "allocn has no busy form");
	return SIM_OK;
}

static enum sim_err check_free(const struct sim *sim, const struct op *op, const u32 *slots,
			       struct sim_error *err)
{
	if (op->count < 1 || op->count > SIM_OP_LIST_MAX || (!slots && op->count != 1))
		return sim_fail(err, ERR_RANGE, "a free of %u blocks: it must be 1..%d", op->count,
				SIM_OP_LIST_MAX);
	if ((op->flags & OP_F_BUSY) && op->kind != OP_FREE)
		return sim_fail(err, ERR_OP, "only a single free has a busy form");
	for (u32 i = 0; i < op->count; i++) {
		u32 id = slots ? slots[i] : op->slot;

		if (!slot_taken(sim, id))
			return sim_fail(err, ERR_SLOT,
					"slot %u is not taken: freed already, or never allocated",
					id);
		if (op->kind == OP_FREELIST && slot_order(sim->slots[id]) != 0)
			return sim_fail(err, ERR_OP,
					"slot %u is of order %u; a list holds order-0 pages", id,
					slot_order(sim->slots[id]));
	}
	return SIM_OK;
}

static enum sim_err check_values(const struct op *op, struct sim_error *err)
{
	s64 most = op->kind == OP_CACHE ? op_args[OPARG_bytes].max : op_args[OPARG_value].max;

	if (op->value < 0 || op->value > most)
		return sim_fail(err, ERR_RANGE, "%s %lld: it must be 0..%lld",
				op_infos[op->kind].name, (long long)op->value, (long long)most);
	if (op->kind == OP_WSF && (op->value < 1 || op->value > 3000))
		return sim_fail(err, ERR_RANGE, "watermark_scale_factor %lld: it must be 1..3000",
				(long long)op->value);
	if (op->kind == OP_WMARK &&
	    (op->low < op->value || op->high < op->low || op->high > INT32_MAX))
		return sim_fail(err, ERR_RANGE,
				"watermarks %lld, %lld, %lld: min <= low <= high must hold",
				(long long)op->value, (long long)op->low, (long long)op->high);
	if (op->kind == OP_PATCHES && !patch_set_is_closed((u32)op->value))
		return sim_fail(err, ERR_PATCH,
				"the patch set lacks a patch that another one needs");
	return SIM_OK;
}

enum sim_err op_check(const struct sim *sim, const struct op *op, const u32 *slots,
		      struct sim_error *err)
{
	enum sim_err ret = SIM_OK;
	u32 args;

	if (op->kind >= NR_OPS)
		return sim_fail(err, ERR_OP, "operation %u does not exist", op->kind);
	args = op_infos[op->kind].args;
	if (args & A(cpu))
		ret = check_cpu(sim, op, err);
	if (!ret && (args & A(zone)) && op->zone >= sim->nr_zones)
		ret = sim_fail(err, ERR_RANGE, "zone %u: this machine has zones 0..%u", op->zone,
			       sim->nr_zones - 1u);
	if (ret)
		return ret;
	switch (op->kind) {
	case OP_ALLOC:
	case OP_ALLOCN:
	case OP_BULK:
		return check_alloc(sim, op, err);
	case OP_FREE:
	case OP_FREEN:
	case OP_FREELIST:
		return check_free(sim, op, slots, err);
	default:
		return check_values(op, err);
	}
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Operations put in by hand: at a boundary into the log, in the middle of another as an interrupt. */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/number.h"
#include "dialog.h"
#include "nav.h"
#include "request.h"

void inject_begin(struct ui *ui, struct dialog *d)
{
	d->form.kind = OP_ALLOC;
	for (int i = 0; i < NR_OP_ARGS; i++)
		snprintf(d->values[i], sizeof(d->values[i]), "%lld",
			 (long long)max_s64(op_args[i].min, 0));
	snprintf(d->values[OPARG_cpu], sizeof(d->values[0]), "%u", ui->cpu);
	snprintf(d->values[OPARG_zone], sizeof(d->values[0]), "%u", ui->zone);
	snprintf(d->values[OPARG_type], sizeof(d->values[0]), "M");
	snprintf(d->values[OPARG_set], sizeof(d->values[0]), "all");
	snprintf(d->values[OPARG_pages], sizeof(d->values[0]), "1");
}

int inject_fields(const struct dialog *d, enum op_arg *args)
{
	int nr = 0;

	for (int i = 0; i < NR_OP_ARGS; i++)
		if (op_infos[d->form.kind].args & 1u << i)
			args[nr++] = (enum op_arg)i;
	return nr;
}

/* Slots as "3" or "3-10". */
static bool parse_slots(struct dialog *d, const char *text, struct op *op, u32 **slots)
{
	const char *dash = strchr(text, '-');
	u64 from, to;

	if (base_parse_uint(text, dash ? (size_t)(dash - text) : strlen(text), 1, UINT32_MAX, &from,
			    NULL) ||
	    (dash && base_parse_uint(dash + 1, strlen(dash + 1), from, UINT32_MAX, &to, NULL))) {
		snprintf(d->message, sizeof(d->message),
			 "pages: expected a slot like 3, or slots like 3-10");
		return false;
	}
	to = dash ? to : from;
	if (to - from >= SIM_OP_LIST_MAX || (op->kind == OP_FREE && to != from)) {
		snprintf(d->message, sizeof(d->message), "pages: at most %d slots",
			 op->kind == OP_FREE ? 1 : SIM_OP_LIST_MAX);
		return false;
	}
	op->count = (u32)(to - from + 1);
	op->slot = (u32)from;
	*slots = base_alloc(op->count, sizeof(u32));
	for (u32 i = 0; i < op->count; i++)
		(*slots)[i] = (u32)from + i;
	return true;
}

static bool parse_type(struct dialog *d, const char *text, u8 *type)
{
	static const char letters[] = "UMRumr";
	const char *at = text[0] ? strchr(letters, text[0]) : NULL;

	if (!at) {
		snprintf(d->message, sizeof(d->message), "type: expected U, M or R");
		return false;
	}
	*type = (u8)((at - letters) % 3);
	return true;
}

static void store(struct op *op, enum op_arg arg, s64 value)
{
	switch (arg) {
	case OPARG_cpu:
		op->cpu = (u16)value;
		break;
	case OPARG_order:
		op->order = (u8)value;
		break;
	case OPARG_count:
		op->count = (u32)value;
		break;
	case OPARG_atomic:
		op->flags |= value ? OP_F_ATOMIC : 0;
		break;
	case OPARG_busy:
		op->flags |= value ? OP_F_BUSY : 0;
		break;
	case OPARG_on:
		op->flags |= value ? OP_F_ON : 0;
		break;
	case OPARG_zone:
		op->zone = (u16)value;
		break;
	case OPARG_low:
		op->low = value;
		break;
	case OPARG_high:
		op->high = value;
		break;
	default:
		op->value = value;
	}
}

static bool parse_arg(struct ui *ui, struct dialog *d, enum op_arg arg, struct op *op, u32 **slots)
{
	const char *text = d->values[arg];
	const struct op_arg_info *info = &op_args[arg];
	struct patch_change change;
	struct diag diag;
	int64_t value;

	switch (info->type) {
	case OPA_MIGRATETYPE:
		return parse_type(d, text, &op->type);
	case OPA_SLOTS:
		return parse_slots(d, text, op, slots);
	case OPA_PATCHES:
		if (!patch_set_parse(text, patch_series(sim_patches(nav_sim(ui))), &change,
				     d->message, sizeof(d->message)))
			return false;
		op->value = change.set;
		return true;
	default:
		if (base_parse_int(text, strlen(text), info->min, info->max, &value, &diag)) {
			snprintf(d->message, sizeof(d->message), "%s: %.200s", info->name,
				 diag.message);
			return false;
		}
		store(op, arg, value);
		return true;
	}
}

bool inject_do(struct ui *ui, struct dialog *d)
{
	struct op op = { .kind = d->form.kind, .count = 1 };
	enum op_arg args[NR_OP_ARGS];
	int nr = inject_fields(d, args);
	u32 *slots = NULL;
	bool ok = true;

	for (int i = 0; i < nr && ok; i++)
		ok = parse_arg(ui, d, args[i], &op, &slots);
	if (ok)
		ok = request_put_in(ui, &op, slots, d->message, sizeof(d->message));
	free(slots);
	return ok;
}

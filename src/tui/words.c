/* SPDX-License-Identifier: GPL-2.0-only */
/* Operations and steps in words. */
#include <stdio.h>
#include <string.h>

#include "nav.h"

char step_letter(const struct step *step)
{
	switch (step_infos[step->id].kind) {
	case SK_REFILL:
		return 'R';
	case SK_BULK:
		return 'b';
	case SK_DRAIN:
		return 'D';
	case SK_FLAG:
		return 'f';
	case SK_TICK:
		return 't';
	case SK_PATCH:
		return 'P';
	case SK_FAIL:
		return '!';
	default:
		return 0;
	}
}

static const char *type_word(u32 type)
{
	static const char *const words[] = { "unmovable", "movable", "reclaimable", "highatomic" };

	return words[type < ARRAY_SIZE(words) ? type : 0];
}

static const char *blocks(const struct op *op, char *buf, size_t size)
{
	if (op->count == 1)
		snprintf(buf, size, "a block of order %u", op->order);
	else if (op->order == 0)
		snprintf(buf, size, "%u pages", op->count);
	else
		snprintf(buf, size, "%u blocks of order %u", op->count, op->order);
	return buf;
}

char *op_words(const struct op *op, char *buf)
{
	char set[PATCH_TEXT_MAX], what[64];
	size_t size = UI_LINE_MAX;
	const char *busy = op->flags & OP_F_BUSY ? ", pageset busy" : "";
	const char *atomic = op->flags & OP_F_ATOMIC ? ", atomic" : "";

	switch ((enum op_kind)op->kind) {
	case OP_ALLOC:
	case OP_ALLOCN:
		snprintf(buf, size, "cpu%u allocates %s, %s%s%s", op->cpu,
			 blocks(op, what, sizeof(what)), type_word(op->type), atomic, busy);
		break;
	case OP_BULK:
		snprintf(buf, size, "cpu%u asks for %u pages in bulk, %s%s%s", op->cpu, op->count,
			 type_word(op->type), atomic, busy);
		break;
	case OP_FREE:
		snprintf(buf, size, "cpu%u frees a block%s", op->cpu, busy);
		break;
	case OP_FREEN:
		snprintf(buf, size, "cpu%u frees %u block%s one by one", op->cpu, op->count,
			 op->count == 1 ? "" : "s");
		break;
	case OP_FREELIST:
		snprintf(buf, size, "cpu%u frees a list of %u page%s", op->cpu, op->count,
			 op->count == 1 ? "" : "s");
		break;
	case OP_TICK:
		snprintf(buf, size, "vmstat tick on cpu%u", op->cpu);
		break;
	case OP_DRAIN:
		snprintf(buf, size, "cpu%u drains its pagesets", op->cpu);
		break;
	case OP_RECLAIM:
		snprintf(buf, size, "reclaim of zone %u %s", op->zone,
			 op->flags & OP_F_ON ? "begins" : "ends");
		break;
	case OP_WMARK:
		snprintf(buf, size, "zone %u: watermarks %lld, %lld, %lld", op->zone,
			 (long long)op->value, (long long)op->low, (long long)op->high);
		break;
	case OP_CACHE:
		snprintf(buf, size, "cpu%u: data cache %lld bytes", op->cpu, (long long)op->value);
		break;
	case OP_CPU_OFFLINE:
		snprintf(buf, size, "cpu%u goes offline", op->cpu);
		break;
	case OP_CPU_ONLINE:
		snprintf(buf, size, "cpu%u comes online", op->cpu);
		break;
	case OP_PATCHES:
		if (op->flags & OP_F_CHANGE)
			snprintf(buf, size, "patches %s",
				 patch_change_format((u32)op->low, (u32)op->value, set));
		else
			snprintf(buf, size, "patches become %s",
				 patch_set_format((u32)op->value, set));
		break;
	case OP_FRACTION:
	case OP_MINFREE:
	case OP_WSF:
		snprintf(buf, size, "%s = %lld", op_infos[op->kind].help, (long long)op->value);
		break;
	case OP_DRAIN_ZONE:
	case OP_BOOST_CLEAR:
	case OP_PCP_DISABLE:
	case OP_PCP_ENABLE:
		snprintf(buf, size, "zone %u: %s", op->zone, op_infos[op->kind].help);
		break;
	case OP_TOUCH:
		snprintf(buf, size, "cpu%u: %s %u", op->cpu, op_infos[op->kind].help, op->zone);
		break;
	default:
		snprintf(buf, size, "%s", op->kind < NR_OPS ? op_infos[op->kind].help : "?");
	}
	return buf;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "show.h"

#include <stdarg.h>
#include <string.h>

#include "base/diag.h"
#include "base/number.h"

static const char *const type_names[] = { "unmovable", "movable", "reclaimable" };

/* Text in a buffer of SHOW_TEXT_MAX bytes that is filled piece by piece; what does not fit is cut. */
struct line {
	char *buf;
	size_t used;
};

static void add(struct line *l, const char *fmt, ...) BASE_PRINTF(2, 3);

static void add(struct line *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (l->used + 1 >= SHOW_TEXT_MAX)
		return;
	va_start(ap, fmt);
	n = vsnprintf(l->buf + l->used, SHOW_TEXT_MAX - l->used, fmt, ap);
	va_end(ap);
	l->used += n > 0 ? (size_t)n : 0;
	if (l->used >= SHOW_TEXT_MAX)
		l->used = SHOW_TEXT_MAX - 1;
}

static const char *plural(u64 n)
{
	return n == 1 ? "" : "s";
}

static void add_memory_op(struct line *l, const struct op *op)
{
	const char *type = op->type < ARRAY_SIZE(type_names) ? type_names[op->type] : "?";

	add(l, "cpu%u ", op->cpu);
	switch (op->kind) {
	case OP_ALLOC:
	case OP_ALLOCN:
		add(l, "allocates %u block%s of order %u, %s", op->count, plural(op->count),
		    op->order, type);
		break;
	case OP_BULK:
		add(l, "asks the bulk allocator for %u page%s, %s", op->count, plural(op->count),
		    type);
		break;
	case OP_FREELIST:
		add(l, "frees a list of %u page%s", op->count, plural(op->count));
		break;
	default:
		add(l, "frees %u block%s", op->count, plural(op->count));
		break;
	}
	if (op->flags & OP_F_ATOMIC)
		add(l, ", atomic");
	if (op->flags & OP_F_BUSY)
		add(l, ", the pageset is locked");
}

static void add_zone_op(struct line *l, const struct sim *sim, const struct op *op)
{
	char name[32];

	sim_zone_name(sim, op->zone, name);
	switch (op->kind) {
	case OP_DRAIN_ZONE:
		add(l, "all pagesets of zone %s are drained", name);
		break;
	case OP_RECLAIM:
		add(l, "reclaim in zone %s %s", name, op->flags & OP_F_ON ? "begins" : "ends");
		break;
	case OP_WMARK:
		add(l, "watermarks of zone %s: min %lld, low %lld, high %lld", name,
		    (long long)op->value, (long long)op->low, (long long)op->high);
		break;
	case OP_BOOST_CLEAR:
		add(l, "the watermark boost of zone %s is cleared", name);
		break;
	case OP_PCP_DISABLE:
		add(l, "the pagesets of zone %s are disabled", name);
		break;
	case OP_PCP_ENABLE:
		add(l, "the pagesets of zone %s are enabled", name);
		break;
	default:
		add(l, "cpu%u changes another counter of zone %s", op->cpu, name);
		break;
	}
}

static void add_other_op(struct line *l, const struct op *op)
{
	char text[PATCH_TEXT_MAX + SHOW_TEXT_MAX];

	switch (op->kind) {
	case OP_TICK:
		add(l, "vmstat tick of cpu%u", op->cpu);
		break;
	case OP_DRAIN:
		add(l, "cpu%u drains its pagesets", op->cpu);
		break;
	case OP_DRAIN_ALL:
		add(l, "all pagesets of all CPUs are drained");
		break;
	case OP_FRACTION:
		add(l, "percpu_pagelist_high_fraction is set to %lld", (long long)op->value);
		break;
	case OP_MINFREE:
		add(l, "min_free_kbytes is set to %lld", (long long)op->value);
		break;
	case OP_WSF:
		add(l, "watermark_scale_factor is set to %lld", (long long)op->value);
		break;
	case OP_CACHE:
		base_format_size(text, (u64)op->value);
		add(l, "the data cache of cpu%u becomes %s", op->cpu, text);
		break;
	case OP_CPU_OFFLINE:
	case OP_CPU_ONLINE:
		add(l, "cpu%u goes %s", op->cpu, op->kind == OP_CPU_ONLINE ? "online" : "offline");
		break;
	case OP_PATCHES:
		if (op->flags & OP_F_CHANGE) {
			add(l, "patches change: %s",
			    patch_change_format((u32)op->low, (u32)op->value, text));
			break;
		}
		/* fall through */
	default:
		add(l, "the patch set becomes %s", show_set((u32)op->value, text));
		break;
	}
}

char *show_op(const struct sim *sim, const struct op *op, char *buf)
{
	struct line l = { .buf = buf };

	buf[0] = '\0';
	switch (op->kind) {
	case OP_ALLOC:
	case OP_ALLOCN:
	case OP_BULK:
	case OP_FREE:
	case OP_FREEN:
	case OP_FREELIST:
		add_memory_op(&l, op);
		break;
	case OP_DRAIN_ZONE:
	case OP_RECLAIM:
	case OP_WMARK:
	case OP_BOOST_CLEAR:
	case OP_PCP_DISABLE:
	case OP_PCP_ENABLE:
	case OP_TOUCH:
		add_zone_op(&l, sim, op);
		break;
	default:
		add_other_op(&l, op);
		break;
	}
	return buf;
}

char *show_result(const struct op *op, const struct op_result *result, char *buf)
{
	struct line l = { .buf = buf };
	bool allocates = op->kind == OP_ALLOC || op->kind == OP_ALLOCN || op->kind == OP_BULK;
	bool frees = op->kind == OP_FREE || op->kind == OP_FREEN || op->kind == OP_FREELIST;

	buf[0] = '\0';
	if (result->status == OP_REFUSED)
		add(&l, "refused");
	else if (allocates && !result->got)
		add(&l, "failed");
	else if (allocates || (frees && result->got != op->count))
		add(&l, "%s %u of %u", allocates ? "got" : "freed", result->got, op->count);
	else
		add(&l, "done");
	if (allocates && result->attempt == 2)
		add(&l, ", second attempt");
	if (result->kswapd)
		add(&l, ", kswapd woken");
	return buf;
}

u32 show_acting_cpu(const struct sim *sim, const struct op *op)
{
	if (op->kind != OP_CPU_OFFLINE && op_infos[op->kind].args & 1u << OPARG_cpu)
		return op->cpu;
	return sim_first_online(sim);
}

char *show_set(u32 set, char *buf)
{
	struct line l = { .buf = buf };
	char text[PATCH_TEXT_MAX];

	buf[0] = '\0';
	patch_set_format(set, text);
	add(&l, "%s ", patch_series(set) == SERIES_V3 ? "v3" : "v2");
	add(&l,
	    strcmp(text, "none") == 0 ? "without patches" :
	    strcmp(text, "all") == 0  ? "with all patches" :
					"patches %s",
	    text);
	if (patch_set_is_constructed(set))
		add(&l, " (constructed)");
	return buf;
}

void show_machine(FILE *out, const struct sim *sim)
{
	u32 nodes = sim_nr_nodes(sim), cpus = sim_nr_cpus(sim), zones = sim_nr_zones(sim);
	const char *sep = "";

	fprintf(out, "%u CPU%s, ", cpus, plural(cpus));
	if (nodes > 1)
		fprintf(out, "%u nodes, ", nodes);
	for (u32 z = 0; z < zones && z < 4; z++) {
		char name[32], size[BASE_FORMAT_MAX];

		base_format_size(size, (u64)sim_zone(sim, z)->managed_pages << PAGE_SHIFT);
		fprintf(out, "%szone %s of %s", sep, sim_zone_name(sim, z, name), size);
		sep = ", ";
	}
	if (zones > 4)
		fprintf(out, ", and %u more zones", zones - 4);
	fputc('\n', out);
}

/* "refill", "2 refills" */
static void add_event(struct line *l, u64 n, const char *one, const char *many)
{
	if (!n)
		return;
	if (l->used)
		add(l, ", ");
	if (n == 1)
		add(l, "%s", one);
	else
		add(l, "%llu %s", (unsigned long long)n, many);
}

char *show_events(const struct zone_stats *before, const struct zone_stats *after, char *buf)
{
	struct line l = { .buf = buf };

	buf[0] = '\0';
#define DELTA(name) (after->name - before->name)
	add_event(&l, DELTA(refills), "refill", "refills");
	if (DELTA(refills))
		add(&l, " (+%llu)", (unsigned long long)DELTA(refill_pages));
	add_event(&l, DELTA(bulk_frees), "bulk free", "bulk frees");
	if (DELTA(bulk_frees))
		add(&l, " (-%llu)", (unsigned long long)DELTA(bulk_pages));
	add_event(&l, DELTA(free_high), "free_high", "free_high");
	add_event(&l, DELTA(direct_allocs), "direct allocation", "direct allocations");
	add_event(&l, DELTA(direct_frees), "direct free", "direct frees");
	add_event(&l, DELTA(fallbacks), "fallback", "fallbacks");
	add_event(&l, DELTA(decays), "decay", "decays");
	add_event(&l, DELTA(remote_drains), "remote drain", "remote drains");
	add_event(&l, DELTA(kswapd_wakes), "kswapd woken", "kswapd wakes");
#undef DELTA
	return buf;
}

#define WRAP_COLUMN 79

void show_wrapped(FILE *out, int indent, const char *lead, const char *text)
{
	int column = indent + (int)strlen(lead);
	bool first = true;

	fprintf(out, "%*s%s", indent, "", lead);
	while (*text) {
		int len = (int)strcspn(text, " \n");

		if (!first && column + 1 + len > WRAP_COLUMN) {
			fprintf(out, "\n%*s", indent + 2, "");
			column = indent + 2;
		} else if (!first) {
			putc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", len, text);
		column += len;
		text += len;
		text += strspn(text, " \n");
		first = false;
	}
	putc('\n', out);
}

void show_step(FILE *out, struct show_trace *t, const struct sim *sim, const struct step *step)
{
	struct step_stack before = t->stack;
	char text[STEP_TEXT_MAX];
	u32 same = 0;

	step_stack_update(&t->stack, step);
	while (same < before.depth && same < t->stack.depth &&
	       before.funcs[same] == t->stack.funcs[same])
		same++;
	for (u32 i = same; i < t->stack.depth; i++)
		fprintf(out, "%*s%s\n", 6 + 2 * (int)i, "", step_funcs[t->stack.funcs[i]].name);
	t->steps++;
	fprintf(out, "%5llu %*s%s%s\n", (unsigned long long)t->steps, 2 * t->stack.depth, "",
		step->depth ? "interrupt: " : "", step_format(sim, step, text));
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "invariant.h"
#include "sim.h"

#define CALLED_BY(name) (1ull << FN_##name)

const struct step_func_info step_funcs[NR_STEP_FUNCS] = {
#define FUNC(name, file, kernel, kernel_file, summary, ...) \
	[FN_##name] = { #name, file, kernel, kernel_file, summary, __VA_ARGS__ },
#define STEP_DEF(id, func, kind, patch, text)
#include "step.def"
#undef FUNC
#undef STEP_DEF
};

const struct step_info step_infos[NR_STEPS] = {
#define FUNC(name, file, kernel, kernel_file, summary, ...)
#define STEP_DEF(id, func, kind, patch, text) [STEP_##id] = { #id, FN_##func, kind, patch, text },
#include "step.def"
#undef FUNC
#undef STEP_DEF
};

const char *const step_kind_names[NR_STEP_KINDS] = {
	[SK_ENTER] = "enter",	[SK_COND] = "condition", [SK_NOT_ASKED] = "not_asked",
	[SK_SET] = "set",	[SK_MOVE] = "move",	 [SK_RESULT] = "result",
	[SK_REFILL] = "refill", [SK_BULK] = "bulk",	 [SK_DRAIN] = "drain",
	[SK_FLAG] = "flag",	[SK_TICK] = "tick",	 [SK_PATCH] = "patch",
	[SK_FAIL] = "fail",
};

void step_emit(struct sim *sim, enum step_id id, const char *file, u32 line, u32 nr_args,
	       const s64 *args)
{
	struct step step;

	if (sim->check_invariants)
		inv_step(sim);
	if (!sim->observer)
		return;
	step.id = (u16)id;
	step.nr_args = (u16)nr_args;
	step.line = line;
	step.file = file;
	step.cpu = sim->cpu;
	step.depth = sim->depth > 1 ? (u16)(sim->depth - 1) : 0;
	for (u32 i = 0; i < nr_args; i++)
		step.args[i] = args[i];
	sim->observer(sim->observer_ctx, sim, &step);
}

void step_stack_update(struct step_stack *stack, const struct step *step)
{
	u8 func = step_infos[step->id].func;

	while (stack->depth > 0) {
		u8 top = stack->funcs[stack->depth - 1];

		if (top == func)
			return;
		if (step_funcs[func].callers & 1ull << top)
			break;
		stack->depth--;
	}
	if (stack->depth < ARRAY_SIZE(stack->funcs))
		stack->funcs[stack->depth++] = func;
}

static const char *const type_words[] = { "unmovable", "movable", "reclaimable", "highatomic" };
static const char *const wmark_words[] = { "min", "low", "high", "promo" };

/* One operand as text by its format word. */
static int format_arg(const struct sim *sim, char *buf, size_t size, s64 value, const char *fmt,
		      size_t len)
{
	char name[32];

	if (len == 1 && fmt[0] == 'x')
		return snprintf(buf, size, "%llx", (unsigned long long)value);
	if (len == 2 && strncmp(fmt, "yn", 2) == 0)
		return snprintf(buf, size, "%s", value ? "yes" : "no");
	if (len == 2 && strncmp(fmt, "mt", 2) == 0 && value >= 0 && value < MIGRATE_TYPES)
		return snprintf(buf, size, "%s", type_words[value]);
	if (len == 2 && strncmp(fmt, "wm", 2) == 0 && value >= 0 && value < NR_WMARK)
		return snprintf(buf, size, "%s", wmark_words[value]);
	if (len == 4 && strncmp(fmt, "zone", 4) == 0 && sim && value >= 0 && value < sim->nr_zones)
		return snprintf(buf, size, "%s", sim_zone_name(sim, (u32)value, name));
	if (len == 4 && strncmp(fmt, "list", 4) == 0 && value == NR_LOWORDER_PCP_LISTS)
		return snprintf(buf, size, "T9");
	if (len == 4 && strncmp(fmt, "list", 4) == 0 && value >= 0 && value < NR_LOWORDER_PCP_LISTS)
		return snprintf(buf, size, "%c%d", "UMR"[value % MIGRATE_PCPTYPES],
				(int)value / MIGRATE_PCPTYPES);
	return snprintf(buf, size, "%lld", (long long)value);
}

char *step_format(const struct sim *sim, const struct step *step, char *buf)
{
	const char *at = step_infos[step->id].text;
	size_t used = 0;

	while (*at && used + 1 < STEP_TEXT_MAX) {
		const char *end = at[0] == '{' ? strchr(at, '}') : NULL;
		u32 n = end ? (u32)(at[1] - '0') : 0;
		int wrote;

		if (!end || n >= step->nr_args) {
			buf[used++] = *at++;
			continue;
		}
		at += at[2] == ':' ? 3 : 2;
		wrote = format_arg(sim, buf + used, STEP_TEXT_MAX - used, step->args[n], at,
				   (size_t)(end - at));
		used += wrote > 0 ? (size_t)wrote : 0;
		if (used >= STEP_TEXT_MAX)
			used = STEP_TEXT_MAX - 1;
		at = end + 1;
	}
	buf[used] = '\0';
	return buf;
}

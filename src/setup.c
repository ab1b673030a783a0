/* SPDX-License-Identifier: GPL-2.0-only */
#include "setup.h"

#include <string.h>
#include <time.h>

#include "expr_glue.h"
#include "lua_glue.h"

void setup_scenario(const struct call *call, struct scn_options *o)
{
	const struct common *c = call->common;

	*o = (struct scn_options){
		.expr = &expr_glue,
		.hooks = &lua_glue,
		.seed_given = call_common_given(call, COMMON_SEED),
		.seed = c->seed,
		.machine = c->machine,
		.sets = c->set.items,
		.nr_sets = c->set.nr,
		.patches = call_common_given(call, COMMON_PATCHES) ? c->patches : NULL,
	};
	if (call_common_given(call, COMMON_SERIES))
		o->series = 1 + (int)setup_series(call, SERIES_V2);
}

enum series setup_series(const struct call *call, enum series otherwise)
{
	if (!call_common_given(call, COMMON_SERIES))
		return otherwise;
	return call->common->series == COMMON_SERIES_V3 ? SERIES_V3 : SERIES_V2;
}

void setup_tell_also_on(enum series series, u32 also_on)
{
	const char *sep = " ";

	if (!also_on)
		return;
	fprintf(stderr, "note: switched on too, because others need %s: patch",
		also_on & (also_on - 1) ? "them" : "it");
	for (u32 id = 0; id < NR_PATCHES; id++) {
		if (!(also_on & PATCH_BIT(id)))
			continue;
		fprintf(stderr, "%s%d (%s)", sep, patch_number(series, (enum patch_id)id),
			patch_name((enum patch_id)id));
		sep = ", ";
	}
	fputc('\n', stderr);
}

int setup_parse_set(const struct call *call, const char *what, const char *text, enum series series,
		    u32 *set)
{
	struct patch_change change;
	char error[BASE_DIAG_TEXT_MAX / 2];

	if (!patch_set_parse(text, series, &change, error, sizeof(error)))
		return call_usage(call, "expected none, all, or numbers such as 1-7,10", "%s: %s",
				  what, error);
	setup_tell_also_on(series, change.also_on);
	*set = change.set;
	return 0;
}

int setup_parse_level(const struct call *call, const char *text, enum series series, u32 *set)
{
	struct patch_change change;
	char error[BASE_DIAG_TEXT_MAX / 2];

	if (!patch_level_parse(text, series, &change, error, sizeof(error)))
		return call_usage(call,
				  "expected base, a level such as 7, or a set such as [1-7,10]",
				  "--levels: %s", error);
	setup_tell_also_on(series, change.also_on);
	*set = change.set;
	return 0;
}

/* --machine and each --set; all faults at once. */
static int change_machine(const struct call *call, struct machine *m)
{
	const struct common *c = call->common;
	enum base_err err = BASE_ERR_OK;
	struct diags ds;
	int status = 0;

	base_diags_init(&ds, 64);
	if (c->machine)
		err = scn_machine_load(c->machine, m, &ds);
	for (size_t i = 0; i < c->set.nr; i++) {
		struct diag d;

		if (!scn_machine_set(m, c->set.items[i], &d))
			continue;
		err = d.code;
		base_diags_push(&ds, &d);
	}
	if (err)
		status = call_fail_all(call, &ds);
	base_diags_free(&ds);
	return status;
}

int setup_machine(const struct call *call, struct machine *m, u32 *patches)
{
	enum series series =
		*patches == SETUP_PATCHES_ALL ?
			(call->common->series == COMMON_SERIES_V3 ? SERIES_V3 : SERIES_V2) :
			setup_series(call, patch_series(*patches));
	struct sim_error err;
	struct diag d;
	int status = change_machine(call, m);

	if (status)
		return status;
	if (call_common_given(call, COMMON_PATCHES) ||
	    (*patches == SETUP_PATCHES_ALL && call->common->patches)) {
		status = setup_parse_set(call, "--patches", call->common->patches, series, patches);
		if (status)
			return status;
	} else if (*patches == SETUP_PATCHES_ALL) {
		*patches = patch_level(series, patch_count(series));
	} else {
		*patches = patch_set_series(*patches, series).set;
	}
	if (!machine_finish(m, &err))
		return 0;
	base_diag_set(&d, BASE_ERR_RANGE, call->common->machine ? call->common->machine : "--set",
		      0, 0, "%s", err.message);
	return call_fail(call, &d);
}

static u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000ull + (u64)ts.tv_nsec;
}

void setup_bounds_begin(const struct call *call, struct setup_bounds *b)
{
	b->max_ops = call->common->max_ops;
	b->deadline_ns = call->common->timeout_ns ? now_ns() + call->common->timeout_ns : 0;
}

bool setup_is_late(const struct setup_bounds *b)
{
	return b->deadline_ns && now_ns() >= b->deadline_ns;
}

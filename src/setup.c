/* SPDX-License-Identifier: GPL-2.0-only */
#include "setup.h"

#include <string.h>
#include <time.h>

#include "expr_glue.h"
#include "lua_glue.h"

/* One command runs in a process: the time that its Lua steps have, and the hooks with it. */
static struct lua_glue_time lua_time;
static struct scn_hooks lua_hooks;

void setup_scenario(const struct call *call, struct scn_options *o)
{
	const struct common *c = call->common;

	lua_hooks = lua_glue;
	lua_hooks.ctx = &lua_time;
	lua_time.step_ns = c->timeout_ns;
	*o = (struct scn_options){
		.expr = &expr_glue,
		.hooks = &lua_hooks,
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
static enum base_err change_machine(const struct scn_options *o, struct machine *m,
				    struct diags *ds)
{
	enum base_err err = BASE_ERR_OK;

	if (o->machine)
		err = scn_machine_load(o->machine, m, ds);
	for (size_t i = 0; i < o->nr_sets; i++) {
		struct diag d;

		if (!scn_machine_set(m, o->sets[i], &d))
			continue;
		err = d.code;
		base_diags_push(ds, &d);
	}
	return err;
}

enum base_err setup_machine_by(const struct scn_options *o, struct machine *m, u32 *patches,
			       u32 *also_on, struct diags *ds)
{
	enum series series = o->series ? (enum series)(o->series - 1) : patch_series(*patches);
	enum base_err ret = change_machine(o, m, ds);
	struct patch_change change = { 0 };
	char error[BASE_DIAG_TEXT_MAX / 2];
	struct sim_error err;

	if (ret)
		return ret;
	if (!o->patches) {
		change.set = patch_set_series(*patches, series).set;
	} else if (!patch_set_parse(o->patches, series, &change, error, sizeof(error))) {
		base_diag_hint(base_diags_add(ds, BASE_ERR_USAGE, "--patches", 0, 0, "%s", error),
			       "expected none, all, or numbers such as 1-7,10");
		return BASE_ERR_USAGE;
	}
	*patches = change.set;
	*also_on = change.also_on;
	if (!machine_finish(m, &err))
		return BASE_ERR_OK;
	base_diags_add(ds, BASE_ERR_RANGE, o->machine && !o->nr_sets ? o->machine : "--set", 0, 0,
		       "%s", err.message);
	return BASE_ERR_RANGE;
}

int setup_machine_of(const struct call *call, const struct scn_options *o, struct machine *m,
		     u32 *patches)
{
	struct diags ds;
	u32 also_on = 0;
	int status = 0;

	base_diags_init(&ds, 64);
	if (setup_machine_by(o, m, patches, &also_on, &ds))
		status = call_fail_all(call, &ds);
	base_diags_free(&ds);
	if (!status)
		setup_tell_also_on(patch_series(*patches), also_on);
	return status;
}

int setup_machine(const struct call *call, struct machine *m, u32 *patches)
{
	struct scn_options o;

	setup_scenario(call, &o);
	if (*patches == SETUP_PATCHES_ALL) {
		/* defaults count as well: there is no file that they could contradict */
		enum series series = call->common->series == COMMON_SERIES_V3 ? SERIES_V3 :
										SERIES_V2;

		*patches = patch_level(series, patch_count(series));
		o.patches = call->common->patches;
	}
	return setup_machine_of(call, &o, m, patches);
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
	lua_time.deadline_ns = b->deadline_ns;
}

bool setup_is_late(const struct setup_bounds *b)
{
	return b->deadline_ns && now_ns() >= b->deadline_ns;
}

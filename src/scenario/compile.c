/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps with everything resolved that a name can stand for: zones, groups, CPUs, expressions, files. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "core/field.h"
#include "program.h"

const char *const item_names[NR_ITEM_KINDS] = {
#define STEP_KIND(id, key, map) [SK_##id] = key,
#include "steps.def"
#undef STEP_KIND
};

static void compile_list(struct scenario *scn, const struct fmt_step *fmt, u32 nr,
			 struct item **items, struct diags *ds);

void scope_fill(struct scn_scope scope[SCOPE_NR], s64 got, s64 failed)
{
	scope[SCOPE_GOT] = (struct scn_scope){ "got", got };
	scope[SCOPE_FAILED] = (struct scn_scope){ "failed", failed };
}

/* ---- names ----------------------------------------------------------------------------------------------------------- */

static u32 group_index(struct scenario *scn, const char *name)
{
	if (!name[0])
		return UINT32_MAX;
	for (u32 i = 0; i < scn->nr_groups; i++)
		if (strcmp(scn->groups[i], name) == 0)
			return i;
	if (scn->nr_groups == scn->cap_groups) {
		scn->cap_groups = scn->cap_groups * 2 + 16;
		scn->groups = realloc(scn->groups, scn->cap_groups * sizeof(*scn->groups));
		BASE_CHECK(scn->groups != NULL, "%u groups", scn->cap_groups);
	}
	scn->groups[scn->nr_groups] = name;
	return scn->nr_groups++;
}

static void check_cpu(struct scenario *scn, const struct node *at, s64 cpu, struct diags *ds)
{
	if (!scn->machine_ok || cpu < scn->machine.cpus)
		return;
	base_diag_hint(scn_fault(scn, ds, schema_node(at, "cpu"), "CPU %" PRId64 " does not exist",
				 cpu),
		       "this machine has CPUs 0 to %" PRId64, scn->machine.cpus - 1);
}

/* The zone of a step: the only one where none is named. */
static u16 zone_of(struct scenario *scn, const struct node *at, const char *name, struct diags *ds)
{
	char message[240];
	int zone;

	if (!scn->machine_ok)
		return 0;
	if (!name[0] && scn->info.default_zone >= 0)
		return (u16)scn->info.default_zone;
	if (!name[0] && scn->machine.nr_zones == 1)
		return 0;
	if (!name[0]) {
		machine_zone_choices(&scn->machine, message, sizeof(message));
		base_diag_hint(scn_fault(scn, ds, at, "which zone? this machine has more than one"),
			       "expected zone: one of %s", message);
		return 0;
	}
	zone = machine_zone_find(&scn->machine, name, message, sizeof(message));
	if (zone < 0)
		scn_fault(scn, ds, schema_node(at, "zone"), "zone %s", message);
	return (u16)(zone < 0 ? 0 : zone);
}

/* ---- expressions ----------------------------------------------------------------------------------------------------- */

static void *compile_expr(struct scenario *scn, const struct node *n, struct diags *ds)
{
	char message[256] = "", hint[256] = "";
	struct scn_scope scope[SCOPE_NR];
	void *handle = NULL;
	size_t offset = 0;
	struct diag *d;
	u64 line, column;

	if (!scn->expr || !scn->names || n->faulty)
		return NULL;
	scope_fill(scope, 0, 0);
	if (scn->expr->compile(scn->expr->ctx, scn->names, scn->info.default_zone, scope, SCOPE_NR,
			       n->text, n->len, &handle, message, hint, sizeof(message), &offset))
		return handle;
	node_byte_place(&scn->doc, n, offset, &line, &column);
	d = base_diags_add(ds, BASE_ERR_SYNTAX, scn->doc.text.name, line, column, "%s", message);
	base_diag_excerpt_text(d, &scn->doc.text);
	if (hint[0])
		base_diag_hint(d, "%s", hint);
	return NULL;
}

/* ---- kinds ----------------------------------------------------------------------------------------------------------- */

static bool in_choices(const struct fmt_predict *p, const char *answer)
{
	for (u32 i = 0; i < p->choices_count; i++)
		if (strcmp(p->choices[i], answer) == 0)
			return true;
	return false;
}

static void check_choices(struct scenario *scn, const struct fmt_predict *p, struct diags *ds)
{
	const struct node *list = node_get(p->node, "choices");

	for (u32 i = 0; i < p->choices_count; i++)
		for (u32 j = 0; j < i; j++)
			if (strcmp(p->choices[i], p->choices[j]) == 0)
				scn_fault(scn, ds, list->items[i],
					  "the choice '%.60s' stands twice", p->choices[i]);
	if (p->answer[0] && p->choices_count && !in_choices(p, p->answer))
		base_diag_hint(scn_fault(scn, ds, schema_node(p->node, "answer"),
					 "the answer '%.60s' is not among the choices", p->answer),
			       "a student could not give it");
}

static void compile_predict(struct scenario *scn, struct item *it, struct diags *ds)
{
	const struct fmt_predict *p = it->fmt->predict;
	struct scn_predict *info;

	for (size_t i = 0; i < scn->nr_predicts; i++)
		if (strcmp(scn->predicts[i].id, p->id) == 0)
			base_diag_hint(scn_fault(scn, ds, schema_node(p->node, "id"),
						 "the id '%.60s' stands twice", p->id),
				       "the first one is in line %" PRIu64, scn->predicts[i].line);
	check_choices(scn, p, ds);
	if (scn->nr_predicts == scn->cap_predicts) {
		scn->cap_predicts = scn->cap_predicts * 2 + 16;
		scn->predicts = realloc(scn->predicts, scn->cap_predicts * sizeof(*scn->predicts));
		BASE_CHECK(scn->predicts != NULL, "%zu questions", scn->cap_predicts);
	}
	it->predict = base_alloc(1, sizeof(*it->predict));
	it->predict->index = scn->nr_predicts;
	it->predict->expr_at = schema_node(p->node, "expr");
	it->predict->expr = compile_expr(scn, it->predict->expr_at, ds);
	info = &scn->predicts[scn->nr_predicts++];
	*info = (struct scn_predict){
		.id = p->id,
		.ask = p->ask,
		.expr = p->expr,
		.hint = p->hint,
		.why = p->why,
		.answer = p->answer,
		.choices = (const char *const *)p->choices,
		.nr_choices = p->choices_count,
		.points = (u32)p->points,
		.after = (u32)p->after,
		.line = it->at->line,
		.column = it->at->column,
	};
	scn->info.points += (u32)p->points;
}

/* Arguments of Lua: what looks like a number, true or false is one, unless it stood in quotes. */
static struct scn_arg arg_value(const struct fmt_arg *a)
{
	struct scn_arg out = { .name = a->name };
	char *end;

	out.value.kind = SCN_TEXT;
	snprintf(out.value.text, sizeof(out.value.text), "%s", a->value);
	if (a->quoted)
		return out;
	if (strcmp(a->value, "true") == 0 || strcmp(a->value, "false") == 0) {
		out.value.kind = SCN_BOOL;
		out.value.b = a->value[0] == 't';
	} else if (base_parse_int(a->value, strlen(a->value), INT64_MIN, INT64_MAX, &out.value.i,
				  NULL) == BASE_ERR_OK) {
		out.value.kind = SCN_INT;
	} else {
		double v = strtod(a->value, &end);

		if (*end == '\0' && strspn(a->value, "+-0123456789.eE") == strlen(a->value)) {
			out.value.kind = SCN_NUM;
			out.value.n = v;
		}
	}
	return out;
}

static void compile_call(struct scenario *scn, struct scn_lua_call *call, const char *file,
			 const char *code, const struct fmt_arg *args, u32 nr_args,
			 const struct node *at, struct diags *ds)
{
	const struct node *place = schema_node(at, code[0] ? "code" : "file");
	struct scn_arg *list = base_alloc(nr_args + 1, sizeof(*list));
	const struct node *args_at = node_get(at, "args");
	struct diag d;

	if (!file[0] == !code[0])
		base_diag_hint(scn_fault(scn, ds, at,
					 file[0] ? "both file and code" : "neither file nor code"),
			       "expected one of them");
	for (u32 i = 0; i < nr_args; i++) {
		list[i] = arg_value(&args[i]);
		if (strlen(args[i].value) >= sizeof(list[i].value.text))
			base_diag_hint(scn_fault(scn, ds, args_at->items[i],
						 "the argument %.60s is too long", args[i].name),
				       "expected at most 63 bytes");
	}
	*call = (struct scn_lua_call){
		.path = file[0] ? path_beside(scn->folder, file) : NULL,
		.code = code[0] ? code : NULL,
		.folder = scn->folder,
		.scenario = scn->doc.text.name,
		.line = place->line,
		.column = place->column,
		.args = list,
		.nr_args = nr_args,
		.seed = draw_hash(scn->info.seed ^ (u64)at->line << 20 ^ at->column, "lua", 3),
	};
	if (call->path && access(call->path, R_OK) != 0)
		scn_fault(scn, ds, place, "the program %.200s cannot be read", call->path);
	else if (scn->hooks && scn->hooks->check &&
		 scn->hooks->check(scn->hooks->ctx, call, &d) != BASE_ERR_OK)
		base_diags_push(ds, &d);
}

static void refuse_script(struct scenario *scn, const struct item *it, const char *what,
			  struct diags *ds)
{
	base_diag_hint(scn_fault(scn, ds, it->at, "%s need %s, which this version does not have",
				 what, it->kind == SK_lua ? "Lua" : "simulated time"),
		       "use alloc, free and the other steps");
}

static void compile_lua(struct scenario *scn, struct item *it, struct diags *ds)
{
	const struct fmt_lua *l = it->fmt->lua;

	scn->info.reruns = true;
	if (!scn->hooks || !scn->hooks->lua) {
		refuse_script(scn, it, "lua steps", ds);
		return;
	}
	it->calls = base_alloc(1, sizeof(*it->calls));
	it->tasks.nr_tasks = 1;
	compile_call(scn, it->calls, l->file, l->code, l->args, l->args_count, l->node, ds);
}

static void compile_tasks(struct scenario *scn, struct item *it, struct diags *ds)
{
	const struct fmt_tasks *t = it->fmt->tasks;
	struct scn_task *list;

	scn->info.reruns = true;
	if (!scn->hooks || !scn->hooks->tasks) {
		refuse_script(scn, it, "tasks", ds);
		return;
	}
	if (!t->time && !t->ops)
		base_diag_hint(scn_fault(scn, ds, t->node, "tasks without an end"),
			       "expected for: or ops:");
	list = base_alloc(t->list_count, sizeof(*list));
	for (u32 i = 0; i < t->list_count; i++) {
		const struct fmt_task *ft = &t->list[i];

		check_cpu(scn, ft->node, ft->cpu, ds);
		list[i].cpu = (u32)ft->cpu;
		list[i].name = ft->name;
		compile_call(scn, &list[i].call, ft->file, ft->code, ft->args, ft->args_count,
			     ft->node, ds);
	}
	it->tasks = (struct scn_tasks){ list, t->list_count, (u64)t->time, (u64)t->ops };
}

static void compile_drain(struct scenario *scn, struct item *it, struct diags *ds)
{
	const struct fmt_drain *d = it->fmt->drain;
	int given = (d->cpu >= 0) + (d->zone[0] != '\0') + d->all;

	if (given != 1)
		base_diag_hint(scn_fault(scn, ds, d->node, "drain of %s",
					 given ? "several things" : "nothing"),
			       "expected cpu: N, zone: Z or all: true");
	check_cpu(scn, d->node, d->cpu, ds);
	it->zone = d->zone[0] ? zone_of(scn, d->node, d->zone, ds) : ZONE_NOT_GIVEN;
}

static void compile_release(struct scenario *scn, struct item *it, struct diags *ds)
{
	const struct fmt_free *f = it->fmt->free;

	check_cpu(scn, f->node, f->cpu, ds);
	it->group = group_index(scn, f->pages);
	if (f->batch && f->busy)
		base_diag_hint(scn_fault(scn, ds, schema_node(f->node, "busy"),
					 "busy and batch exclude each other"),
			       "busy is for single frees");
}

static void compile_watermarks(struct scenario *scn, struct item *it, struct diags *ds)
{
	const struct fmt_watermarks *w = it->fmt->watermarks;

	it->zone = zone_of(scn, w->node, w->zone, ds);
	if (w->low < w->min || w->high < w->low)
		base_diag_hint(scn_fault(scn, ds,
					 schema_node(w->node, w->low < w->min ? "low" : "high"),
					 "the watermarks do not rise"),
			       "expected min <= low <= high");
}

/* ---- patches --------------------------------------------------------------------------------------------------------- */

bool patches_named(const char *text, enum series series, u32 *named, char *message, size_t size)
{
	struct patch_change change;

	if (!patch_set_parse(text, series, &change, message, size))
		return false;
	*named = change.set & ~change.also_on & PATCH_MASK;
	return true;
}

static u32 switch_all(u32 set, u32 named, bool on)
{
	for (u32 id = 0; id < NR_PATCHES; id++)
		if (named & PATCH_BIT(id))
			set = patch_switch(set, (enum patch_id)id, on).set;
	return set;
}

u32 patches_after(u32 set, const struct fmt_patch *p, char *message, size_t size, bool *ok)
{
	struct patch_change change;
	u32 named = 0;

	*ok = true;
	if (p->series >= 0)
		set = patch_set_series(set, (enum series)p->series).set;
	if (p->set[0]) {
		*ok = patch_set_parse(p->set, patch_series(set), &change, message, size);
		return *ok ? change.set : set;
	}
	if (p->off[0]) {
		*ok = patches_named(p->off, patch_series(set), &named, message, size);
		set = switch_all(set, named, false);
	}
	if (*ok && p->on[0]) {
		*ok = patches_named(p->on, patch_series(set), &named, message, size);
		set = switch_all(set, named, true);
	}
	return set;
}

static void compile_patch(struct scenario *scn, struct item *it, struct diags *ds)
{
	const struct fmt_patch *p = it->fmt->patch;

	if (!p->set[0] && !p->on[0] && !p->off[0] && p->series < 0)
		base_diag_hint(scn_fault(scn, ds, p->node, "patch without a change"),
			       "expected on, off, set or series");
	if (p->set[0] && (p->on[0] || p->off[0]))
		base_diag_hint(scn_fault(scn, ds, p->node, "set excludes on and off"),
			       "set is the whole set");
}

/* ---- all ------------------------------------------------------------------------------------------------------------- */

static void compile_op(struct scenario *scn, struct item *it, struct diags *ds)
{
	const struct fmt_step *f = it->fmt;

	switch (it->kind) {
	case SK_alloc:
		check_cpu(scn, f->alloc->node, f->alloc->cpu, ds);
		it->group = group_index(scn, f->alloc->as);
		break;
	case SK_bulk:
		check_cpu(scn, f->bulk->node, f->bulk->cpu, ds);
		it->group = group_index(scn, f->bulk->as);
		break;
	case SK_tick:
		check_cpu(scn, f->tick->node, f->tick->cpu, ds);
		break;
	case SK_reclaim:
		it->zone = zone_of(scn, f->reclaim->node, f->reclaim->zone, ds);
		break;
	case SK_pcp:
		it->zone = zone_of(scn, f->pcp->node, f->pcp->zone, ds);
		break;
	case SK_cache:
		check_cpu(scn, f->cache->node, f->cache->cpu, ds);
		break;
	case SK_hotplug:
		check_cpu(scn, f->hotplug->node, f->hotplug->cpu, ds);
		break;
	case SK_boost_clear:
		it->zone = zone_of(scn, f->boost_clear->node, f->boost_clear->zone, ds);
		break;
	case SK_touch:
		check_cpu(scn, f->touch->node, f->touch->cpu, ds);
		it->zone = zone_of(scn, f->touch->node, f->touch->zone, ds);
		break;
	case SK_sysctl:
		if (f->sysctl->percpu_pagelist_high_fraction < 0 &&
		    f->sysctl->min_free_kbytes < 0 && f->sysctl->watermark_scale_factor < 0)
			scn_fault(scn, ds, it->at, "sysctl without a name");
		break;
	case SK_sleep:
		check_cpu(scn, f->sleep->node, f->sleep->cpu, ds);
		if (!scn->hooks || !scn->hooks->sleep)
			refuse_script(scn, it, "sleep steps", ds);
		break;
	case SK_focus:
		check_cpu(scn, f->focus->node, f->focus->cpu, ds);
		if (f->focus->pane < 0 && f->focus->cpu < 0)
			scn_fault(scn, ds, f->focus->node,
				  "focus without a pane and without a CPU");
		break;
	default:
		break;
	}
}

static void compile_one(struct scenario *scn, struct item *it, struct diags *ds)
{
	const struct fmt_step *f = it->fmt;

	switch (it->kind) {
	case SK_predict:
		compile_predict(scn, it, ds);
		break;
	case SK_expect:
		it->expr = compile_expr(scn, schema_node(f->expect->node, "expr"), ds);
		break;
	case SK_repeat:
		it->nr_sub = f->repeat->steps_count;
		compile_list(scn, f->repeat->steps, it->nr_sub, &it->sub, ds);
		break;
	case SK_free:
		compile_release(scn, it, ds);
		break;
	case SK_drain:
		compile_drain(scn, it, ds);
		break;
	case SK_watermarks:
		compile_watermarks(scn, it, ds);
		break;
	case SK_patch:
		compile_patch(scn, it, ds);
		break;
	case SK_lua:
		compile_lua(scn, it, ds);
		break;
	case SK_tasks:
		compile_tasks(scn, it, ds);
		break;
	default:
		compile_op(scn, it, ds);
	}
}

static enum item_kind kind_of(const struct fmt_step *f)
{
#define STEP_KIND(id, key, map) \
	if (f->id)              \
		return SK_##id;
#include "steps.def"
#undef STEP_KIND
	BASE_CHECK(false, "a step of no kind in line %u", f->node->line);
}

static void compile_list(struct scenario *scn, const struct fmt_step *fmt, u32 nr,
			 struct item **items, struct diags *ds)
{
	*items = base_alloc(nr, sizeof(**items));
	for (u32 i = 0; i < nr; i++) {
		struct item *it = &(*items)[i];
		size_t before;

		it->kind = (u8)kind_of(&fmt[i]);
		it->fmt = &fmt[i];
		/* the key, not the '{' or the dash before it */
		it->at = fmt[i].node->keys[0];
		it->group = UINT32_MAX;
		before = ds->nr + ds->dropped;
		compile_one(scn, it, ds);
		if (it->kind != SK_expect && it->kind != SK_predict &&
		    ds->nr + ds->dropped != before)
			scn->ops_unsure = true;
	}
}

void compile_steps(struct scenario *scn, struct diags *ds)
{
	scn->nr_steps = scn->fmt->steps_count;
	compile_list(scn, scn->fmt->steps, scn->nr_steps, &scn->steps, ds);
}

static void free_call(const struct scn_lua_call *call)
{
	free((void *)(uintptr_t)call->path);
	free((void *)(uintptr_t)call->args);
}

static void free_list(struct scenario *scn, struct item *items, u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		struct item *it = &items[i];

		if (it->expr)
			scn->expr->free(scn->expr->ctx, it->expr);
		if (it->predict && it->predict->expr)
			scn->expr->free(scn->expr->ctx, it->predict->expr);
		free(it->predict);
		if (it->calls)
			free_call(it->calls);
		free(it->calls);
		for (size_t t = 0; it->tasks.tasks && t < it->tasks.nr_tasks; t++)
			free_call(&it->tasks.tasks[t].call);
		free((void *)(uintptr_t)it->tasks.tasks);
		free_list(scn, it->sub, it->nr_sub);
	}
	free(items);
}

void compile_free(struct scenario *scn)
{
	free_list(scn, scn->steps, scn->steps ? scn->nr_steps : 0);
	free(scn->groups);
	free(scn->predicts);
}

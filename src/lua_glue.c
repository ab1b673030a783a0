/* SPDX-License-Identifier: GPL-2.0-only */
#include "lua_glue.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

enum { PROGRAM_MAX = 16 << 20 }; /* bytes */

static enum sim_err drive_exec(void *ctx, const struct op *op, u32 *slots, struct op_result *result,
			       struct sim_error *err)
{
	return tl_append(ctx, op, slots, result, err);
}

static struct sim *drive_sim(void *ctx)
{
	return tl_sim(ctx);
}

static void drive_observe(void *ctx, step_observer observer, void *observer_ctx)
{
	tl_set_observer(ctx, observer, observer_ctx);
}

struct script_drive lua_glue_drive(struct timeline *tl)
{
	return (struct script_drive){
		.ctx = tl,
		.exec = drive_exec,
		.sim = drive_sim,
		.observe = drive_observe,
	};
}

/* What the program prints is no part of the scenario's own output. */
static void print_to_stderr(void *ctx, const char *text, size_t len)
{
	(void)ctx;
	fwrite(text, 1, len, stderr);
}

static u64 time_left(const struct lua_glue_time *time)
{
	struct timespec ts;
	u64 now;

	if (!time || !time->deadline_ns)
		return time ? time->step_ns : 0;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	now = (u64)ts.tv_sec * 1000000000ull + (u64)ts.tv_nsec;
	return time->deadline_ns > now ? time->deadline_ns - now : 1;
}

static enum base_err new_script(const struct lua_glue_time *time, struct timeline *tl, u64 seed,
				struct script **s, struct diag *d)
{
	struct script_options o = { .seed = seed,
				    .hooks = { NULL, print_to_stderr },
				    .limits = { .timeout_ns = time_left(time), .fixed = true } };
	struct script_drive drive;

	*s = script_new(&o);
	if (!*s)
		return base_diag_set(d, BASE_ERR_NO_MEMORY, NULL, 0, 0, "no memory for a script");
	if (tl) {
		drive = lua_glue_drive(tl);
		script_set_current(*s, &drive);
	}
	return BASE_ERR_OK;
}

/* The program's text and how messages call it. */
static enum base_err read_program(const struct scn_lua_call *call, struct base_text *text,
				  const char **name, struct diag *d)
{
	*name = call->path ? call->path : call->scenario;
	if (call->path)
		return base_text_read(text, call->path, PROGRAM_MAX, d);
	return base_text_from(text, call->scenario, call->code, strlen(call->code), d);
}

/* A text keeps its kind: in quotes it stays a text, whatever it looks like. */
static void give_arg(struct script *s, const struct scn_arg *arg, bool to_task)
{
	char buf[SCN_VALUE_MAX];
	const char *value = scn_value_text(&arg->value, buf);
	struct diag d;

	if (to_task)
		script_spawn_arg(s, arg->name, value, arg->value.kind != SCN_TEXT);
	else if (arg->value.kind == SCN_TEXT)
		script_arg_text(s, arg->name, value);
	else
		script_arg(s, arg->name, value, &d);
}

/* Code in the scenario counts its lines from 1; the step's place in the file says more. */
static enum base_err place_fault(const struct scn_lua_call *call, enum base_err ret, struct diag *d)
{
	if (ret && !call->path)
		base_diag_at(d, call->scenario, 0, 0);
	return ret;
}

/* A step that the time ran out for is not one that failed. */
static enum base_err was_late(const struct lua_glue_time *time, enum base_err ret, struct diag *d)
{
	if (ret && time && time->deadline_ns && time_left(time) == 1)
		d->code = BASE_ERR_RANGE;
	return ret ? d->code : ret;
}

static enum base_err lua_step(void *ctx, struct timeline *tl, const struct scn_lua_call *call,
			      struct diag *d)
{
	struct base_text text;
	struct script *s;
	const char *name;
	enum base_err ret = read_program(call, &text, &name, d);

	if (ret)
		return ret;
	ret = new_script(ctx, tl, call->seed, &s, d);
	for (size_t i = 0; !ret && i < call->nr_args; i++)
		give_arg(s, &call->args[i], false);
	if (!ret)
		ret = script_run_text(s, name, text.data, text.len, call->folder, d, NULL);
	if (s)
		script_set_current(s, NULL);
	script_free(s);
	base_text_free(&text);
	return was_late(ctx, place_fault(call, ret, d), d);
}

static enum base_err spawn(struct script *s, const struct scn_task *task, struct diag *d)
{
	const struct scn_lua_call *call = &task->call;
	struct base_text text;
	const char *name;
	enum base_err ret = read_program(call, &text, &name, d);

	if (ret)
		return ret;
	ret = script_spawn(s, task->cpu, name, text.data, text.len, call->folder, d);
	base_text_free(&text);
	for (size_t i = 0; !ret && i < call->nr_args; i++)
		give_arg(s, &call->args[i], true);
	return place_fault(call, ret, d);
}

static enum base_err tasks_step(void *ctx, struct timeline *tl, const struct scn_tasks *tasks,
				struct diag *d)
{
	struct script *s;
	u64 seed = tasks->nr_tasks ? tasks->tasks[0].call.seed : 0;
	enum base_err ret = new_script(ctx, tl, seed, &s, d);

	for (size_t i = 0; !ret && i < tasks->nr_tasks; i++)
		ret = spawn(s, &tasks->tasks[i], d);
	if (!ret)
		ret = script_run_tasks(s, tasks->for_ns, tasks->ops, d, NULL);
	if (s)
		script_set_current(s, NULL);
	script_free(s);
	return was_late(ctx, ret, d);
}

static enum base_err check_program(void *ctx, const struct scn_lua_call *call, struct diag *d)
{
	struct base_text text;
	struct script *s;
	const char *name;
	enum base_err ret = read_program(call, &text, &name, d);

	(void)ctx;
	if (ret)
		return ret;
	ret = new_script(NULL, NULL, 0, &s, d);
	if (!ret)
		ret = script_check_text(s, name, text.data, text.len, d);
	script_free(s);
	base_text_free(&text);
	if (ret && !call->path)
		base_diag_at(d, call->scenario, call->line, call->column);
	return ret;
}

const struct scn_hooks lua_glue = {
	.lua = lua_step,
	.tasks = tasks_step,
	.check = check_program,
};

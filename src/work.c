/* SPDX-License-Identifier: GPL-2.0-only */
#include "work.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "core/field.h"
#include "data_dir.h"
#include "kernel/trace_ops.h"
#include "session_file.h"

/* An operation file of more than this is refused before it fills the memory. */
#define WORK_TEXT_MAX ((size_t)1 << 30)

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What the session was opened with, where the command line says nothing else. */
static int add_saved_options(const struct call *call, const struct work *w, struct scn_options *o,
			     const char **sets)
{
	struct scn_options given = *o;
	char error[BASE_DIAG_TEXT_MAX / 2];
	struct diag d;

	*o = (struct scn_options){ .expr = given.expr, .hooks = given.hooks };
	if (!session_options_apply(w->session->options, w->session->nr_options, o, sets, error,
				   sizeof(error))) {
		base_diag_set(&d, BASE_ERR_SYNTAX, w->session_path, 0, 0, "%s", error);
		return call_fail(call, &d);
	}
	if (given.seed_given) {
		o->seed_given = true;
		o->seed = given.seed;
	}
	o->machine = given.machine ? given.machine : o->machine;
	o->series = given.series ? given.series : o->series;
	o->patches = given.patches ? given.patches : o->patches;
	if (given.nr_sets) {
		o->sets = given.sets;
		o->nr_sets = given.nr_sets;
	}
	return 0;
}

/* The operations and their machine are there: everything else. */
static int use_ops(const struct call *call, struct work *w)
{
	const char *sets[SESSION_OPTIONS_MAX];
	struct scn_options o;
	int status;

	w->machine = &w->own;
	w->name = file_name(w->path);
	w->title = "";
	w->patches = w->ops.patches;
	w->seed = call->common->seed;
	w->default_zone = FIELD_NO_ZONE;
	setup_scenario(call, &o);
	if (!w->session)
		return setup_machine_of(call, &o, &w->own, &w->patches);
	status = add_saved_options(call, w, &o, sets);
	return status ? status : setup_machine_of(call, &o, &w->own, &w->patches);
}

static int load_ops(const struct call *call, struct work *w, const struct base_text *text)
{
	struct sim_error sim_err;
	struct diag d;

	if (kern_ops_read(&w->ops, text, &d)) {
		base_diag_excerpt_text(&d, text);
		return call_fail(call, &d);
	}
	if (machine_copy(&w->own, &w->ops.machine, &sim_err)) {
		base_diag_set(&d, BASE_ERR_NO_MEMORY, text->name, 0, 0, "%s", sim_err.message);
		return call_fail(call, &d);
	}
	return use_ops(call, w);
}

/*
 * A recorded trace. It was read once for its kind and is read again as a stream, standard input from a file without a
 * name.
 */
static int load_trace(const struct call *call, struct work *w, const struct base_text *text)
{
	struct trace_ops_source source = { .trace = w->path };
	char *beside = trace_snaps_beside(w->path), path[64];
	struct sim_error sim_err;
	FILE *spool = NULL;
	enum base_err err = BASE_ERR_OK;
	struct diag d;

	source.snapshots = beside;
	if (strcmp(w->path, "-") == 0) {
		spool = tmpfile();
		if (!spool || fwrite(text->data, 1, text->len, spool) != text->len || fflush(spool))
			err = base_diag_set(&d, BASE_ERR_WRITE, text->name, 0, 0,
					    "no temporary file to keep the trace in");
		else
			snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(spool));
		source.trace = path;
	}
	if (!err)
		err = trace_ops_load(&source, &w->ops, &d);
	free(beside);
	if (spool) {
		fclose(spool);
		if (err)
			base_diag_at(&d, text->name, d.line, d.column);
	}
	if (err)
		return call_fail(call, &d);
	if (machine_copy(&w->own, &w->ops.machine, &sim_err)) {
		base_diag_set(&d, BASE_ERR_NO_MEMORY, text->name, 0, 0, "%s", sim_err.message);
		return call_fail(call, &d);
	}
	return use_ops(call, w);
}

static int load_scenario(const struct call *call, struct work *w, const struct base_text *text)
{
	const struct scn_info *info;
	const char *sets[SESSION_OPTIONS_MAX];
	struct scn_options o;
	enum base_err err;
	struct diags ds;
	int status = 0;

	setup_scenario(call, &o);
	if (w->session)
		status = add_saved_options(call, w, &o, sets);
	if (status)
		return status;
	base_diags_init(&ds, 100);
	if (strcmp(w->path, "-") == 0)
		err = scn_load_text(text->name, text->data, text->len, &o, &w->scn, &ds);
	else
		err = scn_load(w->path, &o, &w->scn, &ds);
	if (err)
		status = call_fail_all(call, &ds);
	base_diags_free(&ds);
	if (err)
		return status ? status : base_err_status(err);
	info = scn_info(w->scn);
	if (o.patches)
		setup_tell_also_on(info->series, info->also_on);
	w->name = info->name;
	w->title = info->title;
	w->machine = info->machine;
	w->patches = info->patches;
	w->seed = info->seed;
	w->default_zone = info->default_zone;
	w->reruns = info->reruns;
	return 0;
}

/* The first line that says something begins "oracle" in a file of operations. */
static bool is_ops(const struct base_text *text)
{
	for (size_t i = 0; i < text->nr_lines; i++) {
		const char *line = text->data + text->line_start[i];

		if (line[0] != '#' && line[0] != '\n')
			return strncmp(line, "oracle ", 7) == 0;
	}
	return false;
}

/* The set under which a session's shown line begins now. */
static u32 session_set(const struct session *s)
{
	const struct session_branch *b = &s->branches[s->shown];
	u32 set = s->patches;

	for (u32 i = 0; i < b->nr_edits; i++)
		if (b->edits[i].kind == SESSION_BASE)
			set = b->edits[i].set;
	return set;
}

static int load_session(const struct call *call, struct work *w, const struct base_text *text)
{
	struct sim_error err;
	struct diag d;
	u32 line;

	w->session = base_alloc(1, sizeof(*w->session));
	w->session_path = w->path;
	if (session_parse(text->data, text->len, w->session, &line, &err)) {
		base_diag_set(&d, BASE_ERR_SYNTAX, text->name, line, 0, "%s", err.message);
		return call_fail(call, &d);
	}
	w->path = session_scenario(w->session_path, w->session->scenario);
	return 0;
}

static int load_text(const struct call *call, struct work *w, const struct base_text *text)
{
	if (is_ops(text))
		return load_ops(call, w, text);
	if (trace_ops_is_trace(text->data, text->len))
		return load_trace(call, w, text);
	return load_scenario(call, w, text);
}

int work_load_any(const struct call *call, const char *path, struct work *w)
{
	struct base_text text;
	struct diag d;
	int status;

	path = data_resolve(path);
	*w = (struct work){ .path = path };
	machine_init(&w->own);
	if (base_text_read(&text, path, WORK_TEXT_MAX, &d))
		return call_fail(call, &d);
	if (session_is(text.data, text.len)) {
		status = load_session(call, w, &text);
		base_text_free(&text);
		if (status)
			return status;
		if (base_text_read(&text, w->path, WORK_TEXT_MAX, &d)) {
			base_diag_hint(&d, "%s was saved with this scenario open", w->session_path);
			return call_fail(call, &d);
		}
	}
	status = load_text(call, w, &text);
	base_text_free(&text);
	if (w->session && !status) {
		w->patches = session_set(w->session);
		w->reruns = false;
	}
	w->series = patch_series(w->patches);
	return status;
}

int work_load(const struct call *call, const char *path, struct work *w)
{
	struct diag d;
	int status = work_load_any(call, path, w);

	if (status || !w->session)
		return status;
	base_diag_set(&d, BASE_ERR_USAGE, w->session_path, 0, 0,
		      "a saved session cannot be played event by event");
	base_diag_hint(&d, "diff and compare take it, and the screen: pageset tui --session FILE");
	return call_fail(call, &d);
}

void work_free(struct work *w)
{
	scn_free(w->scn);
	kern_ops_free(&w->ops);
	machine_free(&w->own);
	if (w->session)
		session_free(w->session);
	free(w->session);
	memset(w, 0, sizeof(*w));
}

void work_player_begin(struct work_player *p, const struct work *w, struct timeline *tl)
{
	*p = (struct work_player){
		.work = w,
		.tl = tl,
		.scn = w->scn ? scn_player_create(w->scn, tl) : NULL,
	};
}

void work_player_limit(struct work_player *p, u64 max_ops)
{
	p->max_ops = max_ops;
	if (p->scn)
		scn_player_limit(p->scn, max_ops);
}

void work_player_end(struct work_player *p)
{
	scn_player_free(p->scn);
	p->scn = NULL;
}

bool work_next(struct work_player *p, struct scn_event *ev)
{
	const struct kern_ops *ops = &p->work->ops;
	struct sim_error err;
	u32 *slots = NULL;
	size_t i = p->at;

	if (p->scn)
		return scn_play_next(p->scn, ev);
	*ev = (struct scn_event){ .kind = SCN_EV_END, .via = "", .group = "", .cpu = -1 };
	if (i >= ops->nr || (p->max_ops && i >= p->max_ops))
		return false;
	ev->line = ops->lines[i];
	ev->step = op_infos[ops->ops[i].kind].name;
	ev->op = tl_length(p->tl);
	ev->step_ends = true;
	if (kern_ops_slots(ops, i))
		slots = ops->slots + ops->slot_at[i];
	if (tl_append(p->tl, &ops->ops[i], slots, &ev->result, &err)) {
		ev->kind = SCN_EV_ERROR;
		ev->code = err.code == ERR_NOMEM || err.code == ERR_FULL ? BASE_ERR_NO_MEMORY :
									   BASE_ERR_RANGE;
		snprintf(ev->message, sizeof(ev->message), "%s", err.message);
		return false;
	}
	ev->kind = SCN_EV_OP;
	p->at++;
	return true;
}

int work_fail(const struct call *call, const struct work *w, const struct scn_event *ev)
{
	struct diag d;

	if (w->scn) {
		scn_event_diag(w->scn, ev, &d);
	} else {
		base_diag_set(&d, ev->code, w->path, ev->line, 0, "%s", ev->message);
		if (ev->hint[0])
			base_diag_hint(&d, "%s", ev->hint);
	}
	return call_fail(call, &d);
}

static int fail_sim(const struct call *call, const struct work *w, const struct sim_error *err)
{
	struct diag d;

	base_diag_set(&d, err->code == ERR_NOMEM ? BASE_ERR_NO_MEMORY : BASE_ERR_RANGE, w->path, 0,
		      0, "%s", err->message);
	return call_fail(call, &d);
}

static int fail_late(const struct call *call, const struct work *w)
{
	char time[BASE_FORMAT_MAX];
	struct diag d;

	base_diag_set(&d, BASE_ERR_RANGE, w->path, 0, 0, "not done within --timeout %s",
		      base_format_duration(time, call->common->timeout_ns));
	return call_fail(call, &d);
}

/* Operations beyond max_ops go: one event may add several. */
static int cut_to(const struct call *call, const struct work *w, struct timeline *tl, u64 max_ops)
{
	struct sim_error err;

	if (tl_length(tl) > max_ops && (tl_seek(tl, max_ops, 0, &err) || tl_truncate(tl, &err)))
		return fail_sim(call, w, &err);
	return 0;
}

/* What the session's shown line has beyond its scenario; then the set that is wanted. */
static int add_edits(const struct call *call, const struct work *w, u32 patches,
		     struct timeline *tl)
{
	struct sim_error err;
	struct diag d;
	u32 line;

	if (session_replay(w->session, w->session->shown, tl, &line, &err)) {
		base_diag_set(&d, BASE_ERR_RANGE, w->session_path, line, 0, "%s", err.message);
		return call_fail(call, &d);
	}
	if ((tl_base_patches(tl) != patches && tl_set_base_patches(tl, patches, &err)) ||
	    tl_seek(tl, tl_length(tl), 0, &err))
		return fail_sim(call, w, &err);
	return 0;
}

int work_record(const struct call *call, const struct work *w, u32 patches,
		const struct setup_bounds *bounds, struct timeline **out, bool *cut)
{
	struct work_player player;
	struct timeline *tl;
	struct scn_event ev;
	struct sim_error err;
	int status = 0;

	*out = NULL;
	*cut = false;
	/* the log is all that must grow: no bound but the host's */
	if (tl_create(w->machine, w->session ? w->session->patches : patches, SIZE_MAX / 4, true,
		      &tl, &err))
		return fail_sim(call, w, &err);
	work_player_begin(&player, w, tl);
	while (!status && work_next(&player, &ev)) {
		if (setup_is_late(bounds))
			status = fail_late(call, w);
		/* A session's edits come behind all of its scenario. */
		*cut = !w->session && bounds->max_ops && tl_length(tl) >= bounds->max_ops;
		if (*cut)
			break;
	}
	if (!status && ev.kind == SCN_EV_ERROR)
		status = work_fail(call, w, &ev);
	work_player_end(&player);
	if (!status && w->session)
		status = add_edits(call, w, patches, tl);
	if (!status && w->session)
		*cut = bounds->max_ops && tl_length(tl) > bounds->max_ops;
	if (!status && *cut)
		status = cut_to(call, w, tl, bounds->max_ops);
	if (status)
		tl_destroy(tl);
	else
		*out = tl;
	return status;
}

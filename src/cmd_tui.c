/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset [tui] [FILE]: the screen, with scenarios, operation files and expressions wired in. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/save.h"
#include "base/text.h"
#include "core/field.h"
#include "data_dir.h"
#include "expr_glue.h"
#include "kernel/trace_ops.h"
#include "scn_files.h"
#include "session_file.h"
#include "setup.h"
#include "tui/ui.h"
#include "verb.h"

struct tui_opts {
	const char *keys, *dump, *size, *session;
	int palette;
	bool no_mouse, list_keys;
};

static const struct tui_opts tui_defaults;

static const struct opt tui_options[] = {
	{ .name = "palette",
	  .type = OPT_ENUM,
	  .offset = offsetof(struct tui_opts, palette),
	  .help = "colours of the screen",
	  .values = ui_palette_names },
	{ .name = "no-mouse",
	  .type = OPT_FLAG,
	  .offset = offsetof(struct tui_opts, no_mouse),
	  .help = "leave the mouse to the terminal" },
	{ .name = "session",
	  .type = OPT_STRING,
	  .offset = offsetof(struct tui_opts, session),
	  .value = "FILE",
	  .help = "load a saved session" },
	{ .name = "keys",
	  .type = OPT_STRING,
	  .offset = offsetof(struct tui_opts, keys),
	  .value = "FILE",
	  .help = "play a script of keys without a terminal" },
	{ .name = "dump",
	  .type = OPT_STRING,
	  .offset = offsetof(struct tui_opts, dump),
	  .value = "FILE",
	  .help = "write the last screen of a script as text" },
	{ .name = "size",
	  .type = OPT_STRING,
	  .offset = offsetof(struct tui_opts, size),
	  .value = "COLSxROWS",
	  .help = "size of the screen for a script, 80x24 if not said" },
	{ .name = "list-keys",
	  .type = OPT_FLAG,
	  .offset = offsetof(struct tui_opts, list_keys),
	  .help = "print the table of keys in Markdown and end" },
	{ .name = NULL },
};

enum { TEXT_MAX = 1 << 30 };

/* ---- one file that is open ---- */

struct opened {
	char *path;
	struct scenario *scn; /* NULL: operations */
	struct scn_player *player;
	struct base_text text;
	struct kern_ops ops;
	size_t at;
	u64 max_ops; /* 0: no bound */
	struct ui_cue *cues;
	size_t nr_cues, max_cues;
	char note[256];
	char **options; /* "seed=7", as it was opened */
	size_t nr_options;
	const char *sets[SESSION_OPTIONS_MAX];
	bool reopened; /* by a session: its options count, not the command line's */
};

static struct ui_cue *add_cue(struct opened *o, enum ui_cue_kind kind, u64 op, const char *text)
{
	struct ui_cue *cue;

	if (o->nr_cues == o->max_cues) {
		size_t max = o->max_cues ? o->max_cues * 2 : 64;
		struct ui_cue *more = base_alloc(max, sizeof(*more));

		if (o->cues)
			memcpy(more, o->cues, o->nr_cues * sizeof(*more));
		free(o->cues);
		o->cues = more;
		o->max_cues = max;
	}
	cue = &o->cues[o->nr_cues++];
	*cue = (struct ui_cue){ .kind = kind, .op = op, .text = text ? text : "", .cpu = -1 };
	return cue;
}

static const char *text_or_null(const char *text)
{
	return text && *text ? text : NULL;
}

static void add_predict(struct opened *o, const struct scn_predict *p, u64 op)
{
	struct ui_cue *cue = add_cue(o, UI_PREDICT, op, p->ask);

	cue->id = p->id;
	cue->hint = text_or_null(p->hint);
	cue->why = text_or_null(p->why);
	cue->expr = p->expr;
	cue->choices = p->choices;
	cue->nr_choices = (u32)p->nr_choices;
	cue->points = p->points;
	cue->after = op + (p->after ? p->after : 1);
}

/* The prediction's operation step is done: now its last operation is known. */
static void resolve(struct opened *o, const struct scn_predict *p, u64 op)
{
	for (size_t i = o->nr_cues; i > 0; i--) {
		struct ui_cue *cue = &o->cues[i - 1];

		if (cue->kind == UI_PREDICT && strcmp(cue->id, p->id) == 0) {
			cue->after = op;
			return;
		}
	}
}

static enum ui_next scenario_next(void *ctx, struct timeline *tl, char *error, size_t size)
{
	struct opened *o = ctx;
	struct scn_event ev;
	u64 op = tl_length(tl);

	if (!o->player) {
		o->player = scn_player_create(o->scn, tl);
		scn_player_limit(o->player, o->max_ops);
	}
	if (!scn_play_next(o->player, &ev)) {
		if (ev.kind != SCN_EV_ERROR)
			return UI_END;
		snprintf(error, size, "line %llu: %s", (unsigned long long)ev.line, ev.message);
		return UI_FAILED;
	}
	switch (ev.kind) {
	case SCN_EV_SAY:
		add_cue(o, UI_SAY, op, ev.text);
		break;
	case SCN_EV_PREDICT:
		add_predict(o, ev.predict, op);
		break;
	case SCN_EV_RESOLVE:
		resolve(o, ev.predict, op);
		break;
	case SCN_EV_EXPECT:
		add_cue(o, UI_EXPECT, op, ev.text);
		break;
	case SCN_EV_FOCUS:
		add_cue(o, UI_FOCUS, op, ev.text)->cpu = ev.cpu;
		break;
	case SCN_EV_BOOKMARK:
		add_cue(o, UI_BOOKMARK, op, ev.text);
		break;
	default:
		break;
	}
	return UI_MORE;
}

static enum ui_next ops_next(void *ctx, struct timeline *tl, char *error, size_t size)
{
	struct opened *o = ctx;
	const u32 *from = o->at < o->ops.nr ? kern_ops_slots(&o->ops, o->at) : NULL;
	struct sim_error err;
	struct op op;
	u32 *slots;
	bool ok;

	if (o->at >= o->ops.nr || (o->max_ops && o->at >= o->max_ops))
		return UI_END;
	op = o->ops.ops[o->at];
	slots = base_alloc(op.count ? op.count : 1, sizeof(u32));
	if (from)
		memcpy(slots, from, op.count * sizeof(u32));
	ok = tl_append(tl, &op, slots, NULL, &err) == SIM_OK;
	free(slots);
	if (!ok) {
		snprintf(error, size, "line %llu: %s", (unsigned long long)o->ops.lines[o->at],
			 err.message);
		return UI_FAILED;
	}
	o->at++;
	return UI_MORE;
}

static size_t cues(void *ctx, const struct ui_cue **out)
{
	struct opened *o = ctx;

	*out = o->cues;
	return o->nr_cues;
}

/* The line of the file that an operation stands in. */
static const char *ops_note(void *ctx, u64 i)
{
	struct opened *o = ctx;
	const char *start;
	size_t len;

	if (i >= o->ops.nr || !base_text_line(&o->text, o->ops.lines[i], &start, &len))
		return NULL;
	snprintf(o->note, sizeof(o->note), "line %llu: %.*s", (unsigned long long)o->ops.lines[i],
		 (int)(len > 100 ? 100 : len), start);
	return o->note;
}

/* The recorded event behind an operation, and what the kernel did at it. */
static const char *trace_note(void *ctx, u64 i)
{
	struct opened *o = ctx;
	const char *start, *event;
	size_t len, used;

	if (i >= o->ops.nr || !base_text_line(&o->text, o->ops.lines[i], &start, &len))
		return "before the trace";
	event = memmem(start, len, "mm_page", 7);
	if (event) {
		len -= (size_t)(event - start);
		start = event;
	}
	/* a page's address says nothing, and the rest is long */
	snprintf(o->note, sizeof(o->note), "line %llu: %.*s", (unsigned long long)o->ops.lines[i],
		 (int)(len > 110 ? 110 : len), start);
	used = strlen(o->note);
	if (o->ops.outcomes[i])
		snprintf(o->note + used, sizeof(o->note) - used, "; recorded: %s %d %s",
			 o->ops.ops[i].kind == OP_ALLOC ? "refill of" : "drain of",
			 o->ops.outcomes[i], o->ops.ops[i].kind == OP_ALLOC ? "blocks" : "pages");
	return o->note;
}

static bool save_answers(void *ctx, const char *path, const struct answer *given, size_t nr,
			 char *error, size_t size);

static void close_file(void *ctx)
{
	struct opened *o = ctx;

	scn_player_free(o->player);
	scn_free(o->scn);
	kern_ops_free(&o->ops);
	base_text_free(&o->text);
	free(o->cues);
	free(o->path);
	session_options_free(o->options, o->nr_options);
	free(o);
}

/* ---- the library ---- */

struct library {
	const struct call *call;
	struct scn_files files;
	struct scenario **all;
	struct ui_entry *entries;
	size_t nr;
};

/* The first line that says something begins "oracle" in a file of operations. */
static bool is_ops(const struct base_text *text)
{
	const char *start;
	size_t len;

	for (u64 i = 1; base_text_line(text, i, &start, &len); i++) {
		while (len > 0 && (*start == ' ' || *start == '\t')) {
			start++;
			len--;
		}
		if (len > 0 && *start != '#')
			return len >= 6 && memcmp(start, "oracle", 6) == 0;
	}
	return false;
}

static void first_fault(const struct diag *d, size_t more, char *error, size_t size)
{
	if (d->line)
		snprintf(error, size, "%.200s:%llu:%llu: %.250s", d->file,
			 (unsigned long long)d->line, (unsigned long long)d->column, d->message);
	else
		snprintf(error, size, "%.200s: %.250s", d->file, d->message);
	if (more > 0) {
		size_t used = strlen(error);

		snprintf(error + used, size - used, " (and %zu more: pageset lint lists all)",
			 more);
	}
}

/* With which options the file is opened: the command line's, or those that its session was saved with. */
static bool file_options(const struct library *lib, struct opened *o, struct scn_options *options,
			 char *error, size_t size)
{
	setup_scenario(lib->call, options);
	if (!o->reopened)
		return true;
	*options = (struct scn_options){ .expr = options->expr, .hooks = options->hooks };
	return session_options_apply((const char *const *)o->options, o->nr_options, options,
				     o->sets, error, size);
}

static bool open_scenario(struct library *lib, struct opened *o, struct ui_source *src, char *error,
			  size_t size)
{
	const struct scn_info *info;
	struct scn_options options;
	struct diags ds;
	bool ok;

	if (!file_options(lib, o, &options, error, size))
		return false;
	base_diags_init(&ds, 20);
	ok = scn_load(o->path, &options, &o->scn, &ds) == BASE_ERR_OK;
	if (!ok && ds.nr > 0)
		first_fault(&ds.items[0], ds.nr - 1 + ds.dropped, error, size);
	base_diags_free(&ds);
	if (!ok)
		return false;
	info = scn_info(o->scn);
	src->name = info->name;
	src->title = info->title;
	src->summary = info->summary;
	src->level = scn_level_names[info->level];
	src->machine = info->machine;
	src->patches = info->patches;
	src->seed = info->seed;
	src->zone = info->default_zone;
	src->next = scenario_next;
	src->save_answers = save_answers;
	return true;
}

/* The machine and the patch set of operations as the options change them. */
static bool use_options(const struct library *lib, struct opened *o, char *error, size_t size)
{
	struct scn_options options;
	struct diags ds;
	u32 also_on;
	bool ok;

	if (!file_options(lib, o, &options, error, size))
		return false;
	base_diags_init(&ds, 20);
	ok = setup_machine_by(&options, &o->ops.machine, &o->ops.patches, &also_on, &ds) ==
	     BASE_ERR_OK;
	if (!ok && ds.nr > 0)
		first_fault(&ds.items[0], ds.nr - 1 + ds.dropped, error, size);
	base_diags_free(&ds);
	return ok;
}

static bool open_ops(struct library *lib, struct opened *o, struct ui_source *src, char *error,
		     size_t size)
{
	const char *slash = strrchr(o->path, '/');
	struct diag d;

	if (kern_ops_read(&o->ops, &o->text, &d)) {
		first_fault(&d, 0, error, size);
		return false;
	}
	if (!use_options(lib, o, error, size))
		return false;
	src->name = slash ? slash + 1 : o->path;
	src->title = "A file of operations";
	src->level = "";
	src->machine = &o->ops.machine;
	src->patches = o->ops.patches;
	src->zone = FIELD_NO_ZONE;
	src->next = ops_next;
	src->op_note = ops_note;
	return true;
}

static bool open_trace(struct library *lib, struct opened *o, struct ui_source *src, char *error,
		       size_t size)
{
	const char *slash = strrchr(o->path, '/');
	struct trace_ops_source source = { .trace = o->path };
	char *beside = trace_snaps_beside(o->path);
	enum base_err err;
	struct diag d;

	source.snapshots = beside;
	err = trace_ops_load(&source, &o->ops, &d);
	free(beside);
	if (err) {
		first_fault(&d, 0, error, size);
		return false;
	}
	if (!use_options(lib, o, error, size))
		return false;
	src->name = slash ? slash + 1 : o->path;
	src->title = "A recorded trace";
	src->level = "";
	src->machine = &o->ops.machine;
	src->patches = o->ops.patches;
	src->zone = FIELD_NO_ZONE;
	src->next = ops_next;
	src->op_note = trace_note;
	return true;
}

/* @o is freed on failure. */
static bool open_it(struct library *lib, struct opened *o, struct ui_source *src, char *error,
		    size_t size)
{
	struct diag d;
	bool ok;

	o->max_ops = lib->call->common->max_ops;
	if (base_text_read(&o->text, o->path, TEXT_MAX, &d)) {
		first_fault(&d, 0, error, size);
		close_file(o);
		return false;
	}
	if (is_ops(&o->text))
		ok = open_ops(lib, o, src, error, size);
	else if (trace_ops_is_trace(o->text.data, o->text.len))
		ok = open_trace(lib, o, src, error, size);
	else
		ok = open_scenario(lib, o, src, error, size);
	if (!ok) {
		close_file(o);
		return false;
	}
	src->ctx = o;
	src->path = o->path;
	src->cues = cues;
	src->close = close_file;
	src->options = (const char *const *)o->options;
	src->nr_options = o->nr_options;
	return true;
}

static bool open_file(void *ctx, const char *path, struct ui_source *src, char *error, size_t size)
{
	struct library *lib = ctx;
	struct opened *o = base_alloc(1, sizeof(*o));

	o->path = base_strdup(data_resolve(path));
	o->options = session_options_of(lib->call, &o->nr_options);
	return open_it(lib, o, src, error, size);
}

static bool reopen_file(void *ctx, const char *session_path, const char *path,
			const char *const *options, size_t nr_options, struct ui_source *src,
			char *error, size_t size)
{
	struct opened *o = base_alloc(1, sizeof(*o));

	o->path = base_strdup(session_scenario(session_path, path));
	o->options = base_alloc(nr_options + 1, sizeof(*o->options));
	o->reopened = true;
	while (o->nr_options < nr_options) {
		o->options[o->nr_options] = base_strdup(options[o->nr_options]);
		o->nr_options++;
	}
	return open_it(ctx, o, src, error, size);
}

static bool save_answers(void *ctx, const char *path, const struct answer *given, size_t nr,
			 char *error, size_t size)
{
	struct opened *o = ctx;
	const struct scn_info *info = scn_info(o->scn);
	struct scn_answers answers = { .lesson = base_strdup(info->name),
				       .student = base_strdup(""),
				       .version = base_strdup(PAGESET_VERSION),
				       .seed_given = true,
				       .seed = info->seed,
				       .items = base_alloc(nr + 1, sizeof(*answers.items)) };
	struct base_save *save;
	struct diag d;
	FILE *out;
	bool ok;

	for (size_t i = 0; i < nr; i++) {
		if (given[i].revealed)
			continue;
		answers.items[answers.nr].id = base_strdup(given[i].id);
		answers.items[answers.nr++].text = base_strdup(given[i].text);
	}
	ok = base_save_begin(&save, path, &out, &d) == BASE_ERR_OK;
	if (ok) {
		scn_answers_write(out, &answers);
		ok = base_save_commit(save, &d) == BASE_ERR_OK;
	}
	if (!ok)
		base_diag_line(&d, path, error, size);
	scn_answers_free(&answers);
	return ok;
}

static void library_load(struct library *lib)
{
	char *shipped = scn_files_shipped();
	struct diag d;

	if (shipped)
		scn_files_add(&lib->files, shipped, 1u << FILE_SCENARIO, &d);
	free(shipped);
	lib->all = base_alloc(lib->files.nr + 1, sizeof(*lib->all));
	lib->entries = base_alloc(lib->files.nr + 1, sizeof(*lib->entries));
	for (size_t i = 0; i < lib->files.nr; i++) {
		const struct scn_info *info;
		struct scn_options options;
		struct diags ds;

		setup_scenario(lib->call, &options);
		base_diags_init(&ds, 1);
		if (scn_load(lib->files.paths[i], &options, &lib->all[lib->nr], &ds) ==
		    BASE_ERR_OK) {
			info = scn_info(lib->all[lib->nr]);
			lib->entries[lib->nr++] =
				(struct ui_entry){ .path = lib->files.paths[i],
						   .name = info->name,
						   .title = info->title,
						   .summary = info->summary,
						   .level = scn_level_names[info->level] };
		}
		base_diags_free(&ds);
	}
}

static void library_free(struct library *lib)
{
	for (size_t i = 0; i < lib->nr; i++)
		scn_free(lib->all[i]);
	free(lib->all);
	free(lib->entries);
	scn_files_free(&lib->files);
}

/* ---- expressions ---- */

static const struct scn_scope no_scope[2] = { { "got", 0 }, { "failed", 0 } };

static void *expr_compile(void *ctx, const struct sim *sim, int zone, const char *text, char *error,
			  size_t size)
{
	char message[256], hint[256];
	void *handle = NULL;
	size_t offset;

	(void)ctx;
	if (expr_glue.compile(expr_glue.ctx, sim, zone, no_scope, 2, text, strlen(text), &handle,
			      message, hint, sizeof(message), &offset))
		return handle;
	snprintf(error, size, "%s%s%s", message, hint[0] ? "; " : "", hint);
	return NULL;
}

static bool expr_eval(void *ctx, void *expr, const struct sim *sim, const struct ui_last *last,
		      struct ui_value *value, char *error, size_t size)
{
	struct scn_scope scope[2] = { { "got", last ? last->got : 0 },
				      { "failed", last ? last->failed : 0 } };
	struct scn_value v;
	char text[SCN_VALUE_MAX];

	(void)ctx;
	if (!expr_glue.eval(expr_glue.ctx, expr, sim, scope, 2, &v, error, size))
		return false;
	value->type = v.kind == SCN_INT	 ? UI_VALUE_INT :
		      v.kind == SCN_BOOL ? UI_VALUE_BOOL :
					   UI_VALUE_TEXT;
	value->number = v.kind == SCN_BOOL ? v.b : v.i;
	snprintf(value->text, sizeof(value->text), "%s", scn_value_text(&v, text));
	return true;
}

static void expr_release(void *ctx, void *expr)
{
	(void)ctx;
	expr_glue.free(expr_glue.ctx, expr);
}

/* ---- the command ---- */

static int parse_size(const struct call *call, struct ui_options *opt)
{
	const struct tui_opts *o = call->opts;
	int end = 0;

	opt->cols = 80;
	opt->rows = 24;
	if (!o->size)
		return 0;
	if (sscanf(o->size, "%4dx%4d%n", &opt->cols, &opt->rows, &end) != 2 || o->size[end] ||
	    opt->cols < 1 || opt->rows < 1 || opt->cols > 1000 || opt->rows > 1000)
		return call_usage(call, "expected a size like 80x24", "--size: '%s' is no size",
				  o->size);
	return 0;
}

/* Without a screen: how to get one, and the commands that do the same in text. */
static int no_terminal(const struct call *call, const char *path, const char *why)
{
	bool tty = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	char text[BASE_DIAG_TEXT_MAX / 2];
	struct diag d;

	snprintf(text, sizeof(text),
		 path ? "pageset run %s, or pageset step --text %s" : "pageset list", path, path);
	base_diag_set(&d, BASE_ERR_USAGE, "pageset", 0, 0, "%s", why);
	if (tty)
		base_diag_hint(
			&d,
			"nearly all are as xterm is: TERM=xterm-256color pageset%s%s; without a screen: %s",
			path ? " " : "", path ? path : "", text);
	else
		base_diag_hint(&d, "without a screen: %s", text);
	return call_fail(call, &d);
}

/* All faults of the file that was named, before the screen hides them. */
static int try_file(const struct call *call, const char *path, bool *session)
{
	struct scn_options options;
	struct scenario *scn = NULL;
	struct base_text text;
	struct diags ds;
	struct diag d;
	int status = 0;
	bool ops;

	if (base_text_read(&text, path, TEXT_MAX, &d))
		return call_fail(call, &d);
	ops = is_ops(&text) || trace_ops_is_trace(text.data, text.len);
	*session = session_is(text.data, text.len);
	base_text_free(&text);
	if (ops || *session)
		return 0;
	setup_scenario(call, &options);
	base_diags_init(&ds, 100);
	if (scn_load(path, &options, &scn, &ds))
		status = call_fail_all(call, &ds);
	base_diags_free(&ds);
	scn_free(scn);
	return status;
}

static int run(const struct call *call)
{
	const struct tui_opts *o = call->opts;
	const char *path = call->args.nr > 0 ? data_resolve(call->args.items[0]) : NULL;
	struct library lib = { .call = call };
	struct ui_expr expr = { .compile = expr_compile,
				.eval = expr_eval,
				.release = expr_release };
	struct ui_library library = { .ctx = &lib, .open = open_file, .reopen = reopen_file };
	struct ui_options opt = { .library = &library,
				  .expr = &expr,
				  .open = path,
				  .session = o->session,
				  .keys = o->keys,
				  .dump = o->dump,
				  .ascii = call->common->ascii,
				  .no_colour = call->common->colour == BASE_COLOUR_NEVER,
				  .mouse = !o->no_mouse,
				  .palette = (enum ui_palette)o->palette };
	bool script = o->keys || o->dump || o->size, session = false;
	char why[128];
	struct diag d;
	int status = 0;

	if (o->list_keys) {
		ui_print_keys(stdout);
		return 0;
	}
	if (script)
		status = parse_size(call, &opt);
	else if (!ui_has_terminal(why, sizeof(why)))
		return no_terminal(call, path, why);
	if (!status && path)
		status = try_file(call, path, &session);
	if (status)
		return status;
	if (session) {
		opt.open = NULL;
		opt.session = path;
	}
	if (!path)
		library_load(&lib);
	library.nr = lib.nr;
	library.entries = lib.entries;
	status = ui_run(&opt);
	library_free(&lib);
	if (status == 0)
		return 0;
	base_diag_set(&d, BASE_ERR_USAGE, "pageset tui", 0, 0, "%s", opt.error);
	return call_fail(call, &d);
}

const struct verb verb_tui = {
	.name = "tui",
	.args = "[FILE]",
	.help = "open the screen, on a scenario or operations",
	.about = "Without a command name too: pageset, pageset FILE. The key ? lists the keys.",
	.options = tui_options,
	.defaults = &tui_defaults,
	.opts_size = sizeof(tui_defaults),
	.common = SETUP_MACHINE | COMMON_BIT(MAX_OPS) | COMMON_BIT(TIMEOUT) | COMMON_BIT(ASCII),
	.args_min = 0,
	.args_max = 1,
	.run = run,
};

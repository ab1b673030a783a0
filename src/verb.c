/* SPDX-License-Identifier: GPL-2.0-only */
#include "verb.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/near.h"
#include "base/progress.h"
#include "config.h"

#define PROGRAM "pageset"

static const char *const common_colour[] = { "auto", "always", "never", NULL };
static const char *const common_series[] = { "v2", "v3", NULL };

const struct opt common_options[] = {
#define COMMON(id, ctype, field_, name_, type_, value_, help_, min_, max_, values_) \
	{                                                                           \
		.name = name_,                                                      \
		.type = type_,                                                      \
		.offset = offsetof(struct common, field_),                          \
		.value = value_,                                                    \
		.help = help_,                                                      \
		.min = min_,                                                        \
		.max = max_,                                                        \
		.values = values_,                                                  \
	},
#include "common.def"
#undef COMMON
	{ .name = NULL },
};

const struct common common_defaults = { .seed = 1 };

static const struct opt no_options[] = { { .name = NULL } };

#define VERB(name) extern const struct verb verb_##name;
#include "verb.def"
#undef VERB

static const struct verb *const verbs[] = {
#define VERB(name) &verb_##name,
#include "verb.def"
#undef VERB
	NULL,
};

const struct verb *verb_get(size_t i)
{
	return verbs[i];
}

const struct verb *verb_find(const char *name)
{
	size_t i;

	for (i = 0; verbs[i]; i++)
		if (strcmp(verbs[i]->name, name) == 0)
			return verbs[i];
	return NULL;
}

/* The word that chooses a sub-command: the last of its name. */
static const char *last_word(const struct verb *verb)
{
	const char *space = strrchr(verb->name, ' ');

	return space ? space + 1 : verb->name;
}

static const char *verb_word(const void *ctx, size_t i)
{
	const struct verb *const *list = ctx;

	return list[i] ? last_word(list[i]) : NULL;
}

/* Colour before the options are understood: as far as the environment says. */
static int fail_early(const struct diag *d)
{
	fflush(stdout);
	base_diag_print(stderr, d, base_colour_on(BASE_COLOUR_AUTO, stderr));
	return base_err_status(d->code);
}

static int unknown_verb(const char *who, const char *word, const struct verb *const *list)
{
	const char *near = base_near(word, verb_word, list);
	struct diag d;

	base_diag_set(&d, BASE_ERR_USAGE, who, 0, 0,
		      word[0] == '-' ? "unknown option %s" : "unknown command '%s'", word);
	if (near && word[0] != '-')
		base_diag_hint(&d, "did you mean %s %s?", who, near);
	else
		base_diag_hint(&d, "%s --help lists the commands", who);
	return fail_early(&d);
}

static struct opt_set own_set(const struct verb *verb, void *target)
{
	return (struct opt_set){
		.table = verb->options ? verb->options : no_options,
		.target = target,
		.allowed = OPT_ALL,
	};
}

void verb_print_help(FILE *out, const struct verb *verb)
{
	void *opts = base_alloc(1, verb->opts_size);
	struct common common = common_defaults;
	struct opt_set own = own_set(verb, opts);
	struct opt_set shared = { .table = common_options,
				  .target = &common,
				  .allowed = verb->common };
	size_t i;

	if (verb->opts_size)
		memcpy(opts, verb->defaults, verb->opts_size);
	fprintf(out, "usage: %s %s%s%s%s\n\n%s\n", PROGRAM, verb->name,
		own.table[0].name || verb->common ? " [OPTION]..." : "", verb->args[0] ? " " : "",
		verb->args, verb->help);
	if (verb->about)
		fprintf(out, "\n%s\n", verb->about);
	if (verb->subs)
		fprintf(out, "\ncommands:\n");
	for (i = 0; verb->subs && verb->subs[i]; i++)
		fprintf(out, "  %-22s  %s\n", last_word(verb->subs[i]), verb->subs[i]->help);
	fprintf(out, "\noptions:\n");
	opt_print_help(out, &own);
	opt_print_help(out, &shared);
	fprintf(out, "  -h, --help%*s%s\n", 14, "", "this help");
	free(opts);
}

void verb_print_overview(FILE *out)
{
	size_t i;

	fprintf(out,
		"usage: %s COMMAND [OPTION]... [ARGUMENT]...\n\n"
		"A laboratory for the Linux kernel's per-CPU pagesets and the ten patches of\n"
		"\"mm: PCP high auto-tuning\".\n\ncommands:\n",
		PROGRAM);
	for (i = 0; verbs[i]; i++)
		fprintf(out, "  %-22s  %s\n", verbs[i]->name, verbs[i]->help);
	fprintf(out, "\noptions:\n"
		     "  -h, --help              this help; after a command: help of that command\n"
		     "      --version           the version\n\n"
		     "Exit status: 0 done, 1 an expectation failed, 2 wrong usage or bad input.\n");
}

/* Between options and run: the number of arguments. */
static enum base_err check_args(const struct verb *verb, const char *who,
				const struct opt_args *args, struct diag *d)
{
	enum base_err err = BASE_ERR_OK;

	if (args->nr < verb->args_min)
		err = base_diag_set(d, BASE_ERR_USAGE, who, 0, 0,
				    verb->args_min == 1 ? "an argument is missing" :
							  "%d arguments are needed, %d given",
				    verb->args_min, args->nr);
	else if (verb->args_max != VERB_ARGS_ANY && args->nr > verb->args_max)
		err = base_diag_set(d, BASE_ERR_USAGE, who, 0, 0,
				    "the argument '%s' is one too many",
				    args->items[verb->args_max]);
	if (err)
		base_diag_hint(d, "expected %s%s%s", who, verb->args[0] ? " " : "", verb->args);
	return err;
}

/* What was printed may have met a full disk: that is a failure too. */
static int check_stdout(int status)
{
	struct diag d;

	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	base_diag_set(&d, BASE_ERR_WRITE, "<stdout>", 0, 0, "cannot be written");
	base_diag_print(stderr, &d, false);
	return base_err_status(BASE_ERR_WRITE);
}

/* Help must come even where the user's defaults are broken, and shows the program's own. */
static bool asks_for_help(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return false;
}

static int run_verb(const struct verb *verb, int argc, char **argv)
{
	struct common common = common_defaults;
	void *opts = base_alloc(1, verb->opts_size);
	struct opt_set sets[2] = {
		own_set(verb, opts),
		{ .table = common_options, .target = &common, .allowed = verb->common },
	};
	struct call call = {
		.verb = verb,
		.opts = opts,
		.common = &common,
		.opts_set = &sets[0],
		.common_set = &sets[1],
		.args = { .items = base_alloc((size_t)argc + 1, sizeof(char *)) },
	};
	char who[128];
	struct diag d;
	enum base_err err;
	bool help;
	int status;

	snprintf(who, sizeof(who), PROGRAM " %s", verb->name);
	if (verb->opts_size)
		memcpy(opts, verb->defaults, verb->opts_size);
	help = asks_for_help(argc, argv);
	err = help ? BASE_ERR_OK : config_apply(verb, sets, 2, &d);
	if (!err)
		err = opt_parse(sets, 2, who, argc, argv, &call.args, &help, &d);
	if (!err && !help)
		err = check_args(verb, who, &call.args, &d);
	if (err) {
		status = fail_early(&d);
	} else if (help) {
		verb_print_help(stdout, verb);
		status = check_stdout(0);
	} else {
		status = check_stdout(verb->run(&call));
	}
	opt_free(&sets[0]);
	opt_free(&sets[1]);
	free(call.args.items);
	free(opts);
	return status;
}

static int run_sub(const struct verb *verb, int argc, char **argv)
{
	char who[128];
	struct diag d;
	size_t i;

	snprintf(who, sizeof(who), PROGRAM " %s", verb->name);
	if (argc == 0) {
		base_diag_set(&d, BASE_ERR_USAGE, who, 0, 0, "a command is missing");
		base_diag_hint(&d, "%s --help lists the commands", who);
		return fail_early(&d);
	}
	if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
		verb_print_help(stdout, verb);
		return check_stdout(0);
	}
	for (i = 0; verb->subs[i]; i++)
		if (strcmp(last_word(verb->subs[i]), argv[0]) == 0)
			return run_verb(verb->subs[i], argc - 1, argv + 1);
	return unknown_verb(who, argv[0], verb->subs);
}

/* `pageset FILE` and plain `pageset` open the screen, in a build that has it. */
static const struct verb *implied_verb(const char *word)
{
	const struct verb *tui = verb_find("tui");

	if (!word || word[0] == '-' || strchr(word, '/') || strchr(word, '.') ||
	    access(word, F_OK) == 0)
		return tui;
	return NULL;
}

int verb_main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	const struct verb *verb;
	struct diag d;

	if (word && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
		verb_print_overview(stdout);
		return check_stdout(0);
	}
	if (word && strcmp(word, "--version") == 0)
		word = "version";
	verb = word ? verb_find(word) : NULL;
	if (verb && verb->subs)
		return run_sub(verb, argc - 2, argv + 2);
	if (verb)
		return run_verb(verb, argc - 2, argv + 2);
	verb = implied_verb(word);
	if (verb)
		return run_verb(verb, argc - 1, argv + 1);
	if (word)
		return unknown_verb(PROGRAM, word, verbs);
	base_diag_set(&d, BASE_ERR_USAGE, PROGRAM, 0, 0, "a command is missing");
	base_diag_hint(&d, "%s --help lists the commands", PROGRAM);
	return fail_early(&d);
}

bool call_common_given(const struct call *call, enum common_id id)
{
	return call->common_set->given >> id & 1;
}

static bool call_colour(const struct call *call)
{
	return base_colour_on((enum base_colour)call->common->colour, stderr);
}

int call_fail(const struct call *call, const struct diag *d)
{
	fflush(stdout);
	base_diag_print(stderr, d, call_colour(call));
	return base_err_status(d->code);
}

int call_fail_all(const struct call *call, struct diags *ds)
{
	fflush(stdout);
	base_diags_print(stderr, ds, call_colour(call));
	return base_diags_status(ds);
}

int call_usage(const struct call *call, const char *hint, const char *fmt, ...)
{
	char who[128], message[BASE_DIAG_TEXT_MAX];
	struct diag d;
	va_list ap;

	snprintf(who, sizeof(who), PROGRAM " %s", call->verb->name);
	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	base_diag_set(&d, BASE_ERR_USAGE, who, 0, 0, "%s", message);
	if (hint)
		base_diag_hint(&d, "%s", hint);
	return call_fail(call, &d);
}

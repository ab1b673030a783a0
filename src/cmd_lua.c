/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset lua: runs a script, or an interactive session. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "line_edit.h"
#include "script/script.h"
#include "setup.h"
#include "verb.h"

struct lua_opts {
	bool interactive;
	bool api;
	struct opt_list opt;
	const char *out;
	uint64_t max_instructions;
	uint64_t max_memory;
};

static const struct lua_opts lua_defaults = {
	.max_instructions = SCRIPT_INSTRUCTIONS_DEFAULT,
	.max_memory = SCRIPT_MEMORY_DEFAULT,
};

static const struct opt lua_options[] = {
	{ .name = "interactive",
	  .letter = 'i',
	  .type = OPT_FLAG,
	  .offset = offsetof(struct lua_opts, interactive),
	  .help = "read and run lines; after FILE, if one is given" },
	{ .name = "opt",
	  .letter = 'o',
	  .type = OPT_LIST,
	  .offset = offsetof(struct lua_opts, opt),
	  .value = "KEY=VALUE",
	  .help = "arg.KEY of the script: a number, true, false or a text" },
	{ .name = "out",
	  .type = OPT_STRING,
	  .offset = offsetof(struct lua_opts, out),
	  .value = "DIR",
	  .help = "folder below which the script may write files (out)" },
	{ .name = "max-instructions",
	  .type = OPT_UINT,
	  .offset = offsetof(struct lua_opts, max_instructions),
	  .value = "N",
	  .help = "most work of the script, in VM instructions",
	  .min = 1000,
	  .max = INT64_MAX },
	{ .name = "max-memory",
	  .type = OPT_SIZE,
	  .offset = offsetof(struct lua_opts, max_memory),
	  .value = "SIZE",
	  .help = "most memory of the script",
	  .min = 1 << 20,
	  .max = (int64_t)64 << 30 },
	{ .name = "api",
	  .type = OPT_FLAG,
	  .offset = offsetof(struct lua_opts, api),
	  .help = "print the API page and do nothing else" },
	{ .name = NULL },
};

/* --opt key=value, each once, and what stands behind "--". */
static int take_args(const struct call *call, struct script *s)
{
	const struct lua_opts *o = call->opts;
	struct diag d;

	for (size_t i = 0; i < o->opt.nr; i++) {
		char *key = base_strdup(o->opt.items[i]), *equals = strchr(key, '=');
		enum base_err ret;

		if (!equals) {
			int status =
				call_usage(call, NULL, "--opt \"%s\": key=value was expected", key);

			free(key);
			return status;
		}
		*equals = '\0';
		ret = script_arg(s, key, equals + 1, &d);
		free(key);
		if (ret)
			return call_usage(call, NULL, "--opt \"%s\": %s", o->opt.items[i],
					  d.message);
	}
	for (int i = o->interactive && call->args.nr_before == 0 ? 0 : 1; i < call->args.nr; i++)
		script_arg(s, NULL, call->args.items[i], &d);
	return 0;
}

static int run_file(const struct call *call, struct script *s, const char *path)
{
	struct diag d;
	char *trace;
	int status = 0;
	enum base_err ret = script_run_file(s, path, &d, &trace);

	fflush(stdout);
	if (ret) {
		status = call_fail(call, &d);
		if (trace)
			fprintf(stderr, "%s\n", trace);
		free(trace);
	}
	return status;
}

static size_t complete(void *ctx, const char *text, size_t len,
		       void (*add)(void *add_ctx, const char *word), void *add_ctx)
{
	return script_complete(ctx, text, len, add, add_ctx);
}

/* Lines until the end of the input; one that is not finished goes on in the next. */
static int interact(struct script *s)
{
	struct line_edit *edit = line_edit_new(complete, s);
	char *input = NULL, *line;
	size_t len = 0;
	int status = 0;
	bool terminal = isatty(0);

	while ((line = line_edit_read(edit, input ? ">> " : "> ")) != NULL) {
		size_t n = strlen(line);
		char *message;

		input = realloc(input, len + n + 2);
		BASE_CHECK(input != NULL, "%zu bytes", len + n + 2);
		memcpy(input + len, line, n);
		len += n;
		input[len] = '\0';
		free(line);
		switch (script_run_line(s, input, len, &message)) {
		case SCRIPT_MORE:
			input[len++] = '\n';
			continue;
		case SCRIPT_FAILED:
			fflush(stdout);
			fprintf(stderr, "%s\n", message);
			free(message);
			status = 1;
			break;
		case SCRIPT_DONE:
			break;
		}
		fflush(stdout);
		free(input);
		input = NULL;
		len = 0;
	}
	if (input) {
		fprintf(stderr, "the last input is not finished\n");
		status = 1;
	}
	if (terminal)
		putchar('\n');
	free(input);
	line_edit_free(edit);
	/* A person at a terminal has seen the errors. */
	return terminal ? 0 : status;
}

static int check_use(const struct call *call)
{
	const struct lua_opts *o = call->opts;
	int files = call->args.nr_before;

	if (files > 1)
		return call_usage(
			call, "arguments of the script stand behind --: pageset lua FILE -- ARGS",
			"one FILE was expected, not %d", files);
	if (files == 0 && !o->interactive)
		return call_usage(call, "pageset lua -i is interactive", "FILE is missing");
	return 0;
}

static int run(const struct call *call)
{
	const struct lua_opts *o = call->opts;
	const struct common *c = call->common;
	struct script_options options = {
		.limits = { .instructions = o->max_instructions,
			    .memory = (size_t)o->max_memory,
			    .timeout_ns = c->timeout_ns },
		.seed = c->seed,
		.out_dir = o->out,
		.series = setup_series(call, SERIES_V2),
		.patches = c->patches,
	};
	struct script *s;
	u32 set;
	int status;

	if (o->api) {
		script_print_api(stdout);
		return 0;
	}
	status = check_use(call);
	if (!status && c->patches)
		status = setup_parse_set(call, "--patches", c->patches, options.series, &set);
	if (status)
		return status;
	s = script_new(&options);
	BASE_CHECK(s != NULL, "%d", 0);
	status = take_args(call, s);
	if (!status && call->args.nr_before > 0)
		status = run_file(call, s, call->args.items[0]);
	if (!status && o->interactive)
		status = interact(s);
	script_free(s);
	return status;
}

const struct verb verb_lua = {
	.name = "lua",
	.args = "[FILE] [-- ARG...]",
	.help = "run a Lua script, or Lua interactively",
	.about =
		"The script drives simulated machines through the module sim; docs/lua-api.md has all of it.\n"
		"Exit status 1 if the script raises an error.",
	.options = lua_options,
	.defaults = &lua_defaults,
	.opts_size = sizeof(lua_defaults),
	.common = COMMON_BIT(SERIES) | COMMON_BIT(PATCHES) | COMMON_BIT(SEED) |
		  COMMON_BIT(TIMEOUT) | COMMON_BIT(COLOR),
	.args_min = 0,
	.args_max = VERB_ARGS_ANY,
	.run = run,
};

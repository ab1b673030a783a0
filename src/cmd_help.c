/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset help [COMMAND [SUB-COMMAND]], and what is made of the tables: man pages and shell completion. */
#include <stddef.h>
#include <string.h>

#include "base/near.h"
#include "gen.h"
#include "help_map.h"
#include "verb.h"

struct help_opts {
	bool map;
	const char *man, *completion;
};

static const struct help_opts help_defaults = { 0 };

static const struct opt help_options[] = {
	{ .name = "map",
	  .type = OPT_FLAG,
	  .offset = offsetof(struct help_opts, map),
	  .help = "every field and step with its place in the kernel, as Markdown" },
	{ .name = "man",
	  .type = OPT_STRING,
	  .offset = offsetof(struct help_opts, man),
	  .value = "PAGE",
	  .help = "print a man page (mdoc): pageset.1, pageset-scenario.5 or pageset-lua.3" },
	{ .name = "completion",
	  .type = OPT_STRING,
	  .offset = offsetof(struct help_opts, completion),
	  .value = "SHELL",
	  .help = "print the completion of a shell: bash, zsh or fish" },
	{ .name = NULL },
};

/* Prints one of a list by its name. */
static int generate(const struct call *call, const char *what, const char *name,
		    const char *const *names, void (*print)(FILE *out, size_t i))
{
	char list[128] = "expected ";

	for (size_t i = 0; names[i]; i++) {
		if (strcmp(names[i], name) == 0) {
			print(stdout, i);
			return 0;
		}
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? ", " : "",
			 names[i]);
	}
	return call_usage(call, list, "--%s: there is no '%s'", what, name);
}

static const char *verb_name(const void *ctx, size_t i)
{
	(void)ctx;
	return verb_get(i) ? verb_get(i)->name : NULL;
}

static const struct verb *find_sub(const struct verb *verb, const char *word)
{
	size_t i, len = strlen(verb->name);

	for (i = 0; verb->subs && verb->subs[i]; i++)
		if (strcmp(verb->subs[i]->name + len + 1, word) == 0)
			return verb->subs[i];
	return NULL;
}

static int run(const struct call *call)
{
	const struct help_opts *o = call->opts;
	const struct verb *verb;
	const char *word, *near;
	char hint[128];

	if (o->map + (o->man != NULL) + (o->completion != NULL) > 1)
		return call_usage(call, NULL, "give one of --map, --man and --completion");
	if ((o->map || o->man || o->completion) && call->args.nr > 0)
		return call_usage(call, NULL, "--map, --man and --completion take no command");
	if (o->map) {
		help_map_print(stdout);
		return 0;
	}
	if (o->man)
		return generate(call, "man", o->man, gen_pages, gen_man);
	if (o->completion)
		return generate(call, "completion", o->completion, gen_shells, gen_completion);
	if (call->args.nr == 0) {
		verb_print_overview(stdout);
		return 0;
	}
	word = call->args.items[0];
	verb = verb_find(word);
	if (!verb) {
		near = base_near(word, verb_name, NULL);
		if (near)
			snprintf(hint, sizeof(hint), "did you mean %s?", near);
		else
			snprintf(hint, sizeof(hint), "pageset --help lists the commands");
		return call_usage(call, hint, "unknown command '%s'", word);
	}
	if (call->args.nr == 2) {
		word = call->args.items[1];
		verb = find_sub(verb, word);
	}
	if (!verb)
		return call_usage(call, NULL, "'%s' has no command '%s'", call->args.items[0],
				  word);
	verb_print_help(stdout, verb);
	return 0;
}

const struct verb verb_help = {
	.name = "help",
	.args = "[COMMAND]",
	.help = "help of a command",
	.options = help_options,
	.defaults = &help_defaults,
	.opts_size = sizeof(help_defaults),
	.args_max = 2,
	.run = run,
};

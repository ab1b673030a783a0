/* SPDX-License-Identifier: GPL-2.0-only */
#include "gen.h"

#include <string.h>

#include "verb.h"

const char *const gen_shells[] = { "bash", "zsh", "fish", NULL };

/* All words that may begin an option of a command: its own, the common ones that it takes, and help. */
static void put_option_words(FILE *out, const struct verb *verb)
{
	for (const struct opt *o = verb->options; o && o->name; o++)
		fprintf(out, " --%s%s", o->name, o->type == OPT_FLAG ? "" : "=");
	for (size_t i = 0; common_options[i].name; i++)
		if (verb->common >> i & 1)
			fprintf(out, " --%s%s", common_options[i].name,
				common_options[i].type == OPT_FLAG ? "" : "=");
	fputs(" --help", out);
}

static void put_enum_words(FILE *out, const struct opt *o)
{
	for (size_t i = 0; o->values[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", o->values[i]);
}

static const char *last_word(const struct verb *verb)
{
	const char *space = strrchr(verb->name, ' ');

	return space ? space + 1 : verb->name;
}

/* A case branch for each option whose values are words; `pattern` as the shell's case wants it. */
static void put_value_cases(FILE *out, const struct opt *o)
{
	for (; o && o->name; o++) {
		if (o->type != OPT_ENUM)
			continue;
		fprintf(out, "\t--%s) words=\"", o->name);
		put_enum_words(out, o);
		fputs("\" ;;\n", out);
	}
}

static void all_value_cases(FILE *out)
{
	put_value_cases(out, common_options);
	for (size_t i = 0; verb_get(i); i++) {
		const struct verb *v = verb_get(i);

		put_value_cases(out, v->options);
		for (size_t s = 0; v->subs && v->subs[s]; s++)
			put_value_cases(out, v->subs[s]->options);
	}
}

static void put_command_words(FILE *out)
{
	for (size_t i = 0; verb_get(i); i++)
		fprintf(out, "%s%s", i ? " " : "", verb_get(i)->name);
}

static void put_sub_words(FILE *out, const struct verb *v)
{
	for (size_t s = 0; v->subs[s]; s++)
		fprintf(out, "%s%s", s ? " " : "", last_word(v->subs[s]));
}

/* Which scenarios the program knows, for commands that take one. */
#define SCENARIO_WORDS \
	"pageset list --json 2>/dev/null | sed -n 's/^ *\"name\": \"\\(.*\\)\",$/\\1/p'"

static void put_option_cases(FILE *out, const char *indent)
{
	for (size_t i = 0; verb_get(i); i++) {
		const struct verb *v = verb_get(i);

		for (size_t s = 0; v->subs && v->subs[s]; s++) {
			fprintf(out, "%s\"%s\") words=\"", indent, v->subs[s]->name);
			put_option_words(out, v->subs[s]);
			fputs("\" ;;\n", out);
		}
		if (v->subs)
			continue;
		fprintf(out, "%s\"%s\") words=\"", indent, v->name);
		put_option_words(out, v);
		fputs("\" ;;\n", out);
	}
}

static void put_sub_cases(FILE *out)
{
	for (size_t i = 0; verb_get(i); i++) {
		if (!verb_get(i)->subs)
			continue;
		fprintf(out, "\t\t%s) words=\"", verb_get(i)->name);
		put_sub_words(out, verb_get(i));
		fputs("\" ;;\n", out);
	}
}

static void gen_bash(FILE *out)
{
	fputs("# bash completion for pageset, made by pageset help --completion=bash\n"
	      "_pageset()\n{\n\tlocal cur prev words command sub\n\tCOMPREPLY=()\n"
	      "\tcur=${COMP_WORDS[COMP_CWORD]}\n\tprev=${COMP_WORDS[COMP_CWORD-1]}\n"
	      "\tif [ \"$cur\" = = ]; then cur=; fi\n"
	      "\tif [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
	      "\twords=\n\tcase $prev in\n",
	      out);
	all_value_cases(out);
	fputs("\tesac\n\tif [ -n \"$words\" ]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n\t\treturn\n\tfi\n"
	      "\tif [ \"$COMP_CWORD\" = 1 ]; then\n\t\tCOMPREPLY=($(compgen -W \"",
	      out);
	put_command_words(out);
	fputs(" --help --version\" -- \"$cur\"))\n\t\treturn\n\tfi\n"
	      "\tcommand=${COMP_WORDS[1]}\n\tsub=\n\tcase $command in\n",
	      out);
	for (size_t i = 0; verb_get(i); i++)
		if (verb_get(i)->subs)
			fprintf(out, "\t%s) sub=\" ${COMP_WORDS[2]}\" ;;\n", verb_get(i)->name);
	fputs("\tesac\n\tif [ -n \"$sub\" ] && [ \"$COMP_CWORD\" = 2 ]; then\n\t\tcase $command in\n",
	      out);
	put_sub_cases(out);
	fputs("\t\tesac\n\telif [ \"${cur#-}\" != \"$cur\" ]; then\n\t\tcase \"$command$sub\" in\n",
	      out);
	put_option_cases(out, "\t\t");
	fputs("\t\tesac\n\t\tcompopt -o nospace 2>/dev/null\n"
	      "\telif [ \"$command\" = help ]; then\n\t\twords=\"",
	      out);
	put_command_words(out);
	fputs("\"\n\telse\n\t\twords=$(" SCENARIO_WORDS ")\n"
	      "\t\tCOMPREPLY=($(compgen -f -W \"$words\" -- \"$cur\"))\n\t\treturn\n\tfi\n"
	      "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\n"
	      "complete -o filenames -F _pageset pageset\n",
	      out);
}

/* What zsh and fish take as a description: quotes would end it. */
static void put_quoted(FILE *out, const char *text)
{
	putc('\'', out);
	for (; *text; text++) {
		if (*text == '\'')
			fputs("`", out);
		else if (*text == '[' || *text == ']' || *text == ':')
			fputs(*text == ':' ? "," : "|", out);
		else
			putc(*text, out);
	}
	putc('\'', out);
}

static void zsh_option(FILE *out, const struct opt *o)
{
	fprintf(out, "\t\t\t'--%s%s['", o->name, o->type == OPT_FLAG ? "" : "=");
	put_quoted(out, o->help);
	fputs("']", out);
	if (o->type == OPT_ENUM) {
		fprintf(out, ":%s:(", o->name);
		put_enum_words(out, o);
		putc(')', out);
	} else if (o->type != OPT_FLAG) {
		fprintf(out, ":%s:_files", o->value);
	}
	fputs("' \\\n", out);
}

static void zsh_verb(FILE *out, const struct verb *v)
{
	fprintf(out, "\t%s)\n\t\t_arguments \\\n", last_word(v));
	for (const struct opt *o = v->options; o && o->name; o++)
		zsh_option(out, o);
	for (size_t i = 0; common_options[i].name; i++)
		if (v->common >> i & 1)
			zsh_option(out, &common_options[i]);
	fputs("\t\t\t'--help[help of the command]' '*:file:_pageset_files'\n\t\t;;\n", out);
}

static void gen_zsh(FILE *out)
{
	fputs("#compdef pageset\n# zsh completion for pageset, made by pageset help --completion=zsh\n"
	      "_pageset_files() {\n\tlocal -a names\n\tnames=(${(f)\"$(" SCENARIO_WORDS ")\"})\n"
	      "\t_alternative 'scenarios:scenario:compadd -a names' 'files:file:_files'\n}\n"
	      "_pageset_commands() {\n\tlocal -a commands\n\tcommands=(\n",
	      out);
	for (size_t i = 0; verb_get(i); i++) {
		fprintf(out, "\t\t%s':'", verb_get(i)->name);
		put_quoted(out, verb_get(i)->help);
		putc('\n', out);
	}
	fputs("\t)\n\t_describe command commands\n}\n"
	      "_pageset() {\n\tlocal word\n\tif ((CURRENT == 2)); then\n\t\t_pageset_commands\n\t\treturn\n\tfi\n"
	      "\tword=$words[2]\n\tshift words\n\t((CURRENT--))\n",
	      out);
	for (size_t i = 0; verb_get(i); i++) {
		const struct verb *v = verb_get(i);

		if (!v->subs)
			continue;
		fprintf(out,
			"\tif [[ $word = %s ]]; then\n\t\tif ((CURRENT == 2)); then\n\t\t\tcompadd ",
			v->name);
		put_sub_words(out, v);
		fputs("\n\t\t\treturn\n\t\tfi\n\t\tword=$words[2]\n\t\tshift words\n\t\t((CURRENT--))\n\tfi\n",
		      out);
	}
	fputs("\tcase $word in\n", out);
	for (size_t i = 0; verb_get(i); i++) {
		const struct verb *v = verb_get(i);

		for (size_t s = 0; v->subs && v->subs[s]; s++)
			zsh_verb(out, v->subs[s]);
		if (!v->subs)
			zsh_verb(out, v);
	}
	fputs("\tesac\n}\n_pageset \"$@\"\n", out);
}

static void fish_option(FILE *out, const struct verb *v, const struct opt *o)
{
	fprintf(out, "complete -c pageset -n '__fish_seen_subcommand_from %s' -l %s", last_word(v),
		o->name);
	if (o->letter)
		fprintf(out, " -s %c", o->letter);
	if (o->type == OPT_ENUM) {
		fputs(" -x -a '", out);
		put_enum_words(out, o);
		putc('\'', out);
	} else if (o->type != OPT_FLAG) {
		fputs(" -r", out);
	}
	fputs(" -d ", out);
	put_quoted(out, o->help);
	putc('\n', out);
}

static void fish_verb(FILE *out, const struct verb *v)
{
	for (const struct opt *o = v->options; o && o->name; o++)
		fish_option(out, v, o);
	for (size_t i = 0; common_options[i].name; i++)
		if (v->common >> i & 1)
			fish_option(out, v, &common_options[i]);
}

static void gen_fish(FILE *out)
{
	fputs("# fish completion for pageset, made by pageset help --completion=fish\n", out);
	for (size_t i = 0; verb_get(i); i++) {
		const struct verb *v = verb_get(i);

		fprintf(out, "complete -c pageset -n __fish_use_subcommand -a %s -d ", v->name);
		put_quoted(out, v->help);
		putc('\n', out);
		for (size_t s = 0; v->subs && v->subs[s]; s++) {
			fprintf(out,
				"complete -c pageset -n '__fish_seen_subcommand_from %s' -a %s -d ",
				v->name, last_word(v->subs[s]));
			put_quoted(out, v->subs[s]->help);
			putc('\n', out);
			fish_verb(out, v->subs[s]);
		}
		fish_verb(out, v);
	}
	fputs("complete -c pageset -n 'not __fish_use_subcommand' -a '("
	      "pageset list --json 2>/dev/null | "
	      "string match -r --groups-only '\\''\"name\": \"(.*)\"'\\'')'\n",
	      out);
}

void gen_completion(FILE *out, size_t shell)
{
	static void (*const shells[])(FILE *) = { gen_bash, gen_zsh, gen_fish };

	shells[shell](out);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "core/field.h"
#include "core/machine.h"
#include "core/op.h"
#include "core/patch.h"
#include "scenario/scenario.h"
#include "stepper.h"
#include "verb.h"

#define MAN_DATE "November 30, 2026"
#define TEXT_COLUMN 76

/* The page on Lua comes with scripts. */
#if __has_include("script/api.def")
#define HAVE_LUA_PAGE 1
#else
#define HAVE_LUA_PAGE 0
#endif

const char *const gen_pages[] = {
	"pageset.1",
	"pageset-scenario.5",
#if HAVE_LUA_PAGE
	"pageset-lua.3",
#endif
	NULL,
};

static void put_escaped(FILE *out, const char *s, size_t len, bool line_begins)
{
	for (size_t i = 0; i < len; i++) {
		if (i == 0 && line_begins && (s[i] == '.' || s[i] == '\''))
			fputs("\\&", out);
		if (s[i] == '\\')
			fputs("\\e", out);
		else
			putc(s[i], out);
	}
}

void gen_text(FILE *out, const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t len = strcspn(text, " \n");
		bool ends = len > 1 && strchr(".:?", text[len - 1]) && text[len] &&
			    text[len + strspn(text + len, " \n")] != '\0';

		if (column && column + 1 + len > TEXT_COLUMN) {
			putc('\n', out);
			column = 0;
		} else if (column) {
			putc(' ', out);
			column++;
		}
		put_escaped(out, text, len, column == 0);
		column += len;
		text += len;
		text += strspn(text, " \n");
		if (ends && column) {
			putc('\n', out);
			column = 0;
		}
	}
	if (column)
		putc('\n', out);
}

void gen_word(FILE *out, const char *word)
{
	/* a word that mdoc knows as a macro, or that begins with a dot, is text here */
	fputs("\\&", out);
	for (; *word; word++) {
		if (*word == '\\')
			fputs("\\e", out);
		else if (*word == ' ')
			fputs("\\ ", out);
		else if (*word == '"')
			fputs("\\(dq", out);
		else if (*word == '-')
			fputs("\\-", out);
		else
			putc(*word, out);
	}
}

/* Lines as they stand, inside a literal block. */
static void put_literal(FILE *out, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		put_escaped(out, text, len, true);
		putc('\n', out);
		text += len;
		text += *text == '\n';
	}
}

static void head(FILE *out, const char *title, int section, const char *name, const char *desc)
{
	fprintf(out,
		".\\\" SPDX-License-Identifier: GPL-2.0-only\n"
		".\\\" Made by pageset help --man from the program's tables.\n"
		".Dd " MAN_DATE "\n.Dt %s %d\n.Os\n.Sh NAME\n.Nm %s\n.Nd %s\n",
		title, section, name, desc);
}

/* Text whose indented lines are tables, kept as they stand. */
static void gen_about(FILE *out, const char *about)
{
	char *copy = strdup(about), *line = copy;
	char plain[4096] = "";
	bool literal = false;

	while (line && *line) {
		char *end = strchr(line, '\n');
		bool indented = line[0] == ' ';

		if (end)
			*end = '\0';
		if (indented != literal) {
			gen_text(out, plain);
			plain[0] = '\0';
			fputs(indented ? ".Bd -literal -compact\n" : ".Ed\n", out);
			literal = indented;
		}
		if (literal) {
			put_escaped(out, line, strlen(line), true);
			putc('\n', out);
		} else {
			if (plain[0])
				strncat(plain, " ", sizeof(plain) - strlen(plain) - 1);
			strncat(plain, line, sizeof(plain) - strlen(plain) - 1);
		}
		line = end ? end + 1 : NULL;
	}
	gen_text(out, plain);
	if (literal)
		fputs(".Ed\n", out);
	free(copy);
}

/*
 * pageset(1)
 */

static void put_option(FILE *out, const struct opt *o, const void *target)
{
	char text[640], value[256];

	opt_describe(o, target, text, sizeof(text), value, sizeof(value));
	fputs(".It ", out);
	if (o->letter)
		fprintf(out, "Fl %c , ", o->letter);
	fprintf(out, "Fl \\-%s", o->name);
	if (value[0]) {
		fputs(" Ns = Ns Ar ", out);
		gen_word(out, value);
	}
	putc('\n', out);
	gen_text(out, text);
}

static void put_options(FILE *out, const struct verb *verb)
{
	if (!verb->options || !verb->options[0].name)
		return;
	fputs(".Bl -tag -width Ds\n", out);
	for (const struct opt *o = verb->options; o->name; o++)
		put_option(out, o, verb->defaults);
	fputs(".El\n", out);
}

static void put_common(FILE *out, const struct verb *verb)
{
	bool any = false;

	for (size_t i = 0; common_options[i].name; i++) {
		if (!(verb->common >> i & 1))
			continue;
		fprintf(out, any ? " ,\n.Fl \\-%s" : ".Pp\nCommon options:\n.Fl \\-%s",
			common_options[i].name);
		any = true;
	}
	if (any)
		fputs(" .\n", out);
}

static void put_sentence(FILE *out, const char *help)
{
	char text[512];

	/* help begins small and has no full stop */
	snprintf(text, sizeof(text), "%c%s.",
		 help[0] >= 'a' && help[0] <= 'z' ? help[0] - 32 : help[0], help + 1);
	gen_text(out, text);
}

static void put_verb(FILE *out, const struct verb *verb)
{
	fputs(".Ss ", out);
	gen_word(out, verb->name);
	fputs("\n.Nm pageset\n.Cm ", out);
	gen_word(out, verb->name);
	putc('\n', out);
	if (verb->options || verb->common)
		fputs(".Op Ar OPTION ...\n", out);
	if (verb->args[0]) {
		fputs(".Ar ", out);
		gen_word(out, verb->args);
		putc('\n', out);
	}
	fputs(".Pp\n", out);
	put_sentence(out, verb->help);
	if (verb->about)
		gen_about(out, verb->about);
	put_options(out, verb);
	put_common(out, verb);
	for (size_t i = 0; verb->subs && verb->subs[i]; i++)
		put_verb(out, verb->subs[i]);
}

/* Words that may be broken where a line ends, each safe as an argument of a macro. */
static void put_words(FILE *out, const char *text)
{
	char *copy = strdup(text), *rest = NULL;

	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		putc(' ', out);
		gen_word(out, word);
	}
	free(copy);
}

static void put_patches(FILE *out)
{
	fputs(".Sh PATCHES\n", out);
	gen_text(
		out,
		"A set is none, all, or numbers of the series such as 1-7,10. Patches that others "
		"need are switched on with them, and the program says so. A level N of a comparison "
		"is the patches 1 to N. A set that no kernel text ever had is marked constructed.");
	fputs(".Bl -column \"v2\" \"v3\" \"reclaim-active\" \"title\"\n.It v2 Ta v3 Ta name Ta title\n",
	      out);
	for (u32 id = 0; id < NR_PATCHES; id++) {
		int v2 = patch_number(SERIES_V2, (enum patch_id)id);
		int v3 = patch_number(SERIES_V3, (enum patch_id)id);

		fprintf(out, v2 ? ".It %d Ta " : ".It \\- Ta ", v2);
		fprintf(out, v3 ? "%d Ta " : "\\- Ta ", v3);
		gen_word(out, patch_name((enum patch_id)id));
		fputs(" Ta", out);
		put_words(out, patch_title((enum patch_id)id));
		putc('\n', out);
	}
	fputs(".El\n", out);
}

#if __has_include("tui/key.def")
static void put_keys(FILE *out)
{
	static const struct {
		const char *keys, *help;
	} keys[] = {
#define KEY(request, keys_, group, word, help_) { keys_, help_ },
#include "tui/key.def"
#undef KEY
	};

	fputs(".Sh KEYS\nOn the screen of\n.Cm tui :\n.Bl -tag -width Ds\n", out);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		fputs(".It ", out);
		gen_word(out, keys[i].keys);
		putc('\n', out);
		put_sentence(out, keys[i].help);
	}
	fputs(".El\n", out);
}
#else
static void put_keys(FILE *out)
{
	(void)out;
}
#endif

/* The list of commands as the stepper itself prints it. */
static void put_stepper(FILE *out)
{
	char *text = NULL;
	size_t len = 0;
	FILE *memory = open_memstream(&text, &len);

	BASE_CHECK(memory != NULL, "a stream in memory");
	stepper_print_commands(memory);
	fclose(memory);
	put_literal(out, text);
	free(text);
}

static void put_surroundings(FILE *out)
{
	fputs(".Sh ENVIRONMENT\n.Bl -tag -width Ds\n"
	      ".It Ev PAGESET_DATADIR\nthe folder with scenarios and scripts, instead of the installed one\n"
	      ".It Ev XDG_CONFIG_HOME\nwhere\n.Pa pageset/config.yaml\nis looked for, instead of\n"
	      ".Pa ~/.config\n"
	      ".It Ev NO_COLOR\nif not empty: no colour\n"
	      ".It Ev TERM\nwith\n.Cm dumb :\nno screen and no colour\n.El\n",
	      out);
	fputs(".Sh FILES\n.Bl -tag -width Ds\n.It Pa ~/.config/pageset/config.yaml\n", out);
	gen_text(
		out,
		"Defaults of options, as a map of YAML: the name of an option and its value, true or false "
		"for one without a value. A key that is the name of a command holds a map of options for "
		"that command alone. The command line goes before it, and so does what a scenario says of "
		"itself. An example:");
	fputs(".Bd -literal\ncolor: never\nascii: true\nseries: v3\nrun: {summary: true}\n.Ed\n",
	      out);
	fputs(".It Pa /usr/local/share/pageset\n", out);
	gen_text(
		out,
		"Scenarios, lessons and scripts that come with the program. A command that takes a "
		"scenario finds them by name from any folder: pageset run exit-drain.");
	fputs(".El\n.Sh EXIT STATUS\n.Bl -tag -width Ds -compact\n.It 0\ndone\n"
	      ".It 1\nan expectation failed, or there is a difference\n"
	      ".It 2\nwrong usage, bad input, or output that cannot be written\n.El\n",
	      out);
}

void gen_man_pageset(FILE *out)
{
	head(out, "PAGESET", 1, "pageset", "a laboratory for the Linux kernel's per-CPU pagesets");
	fputs(".Sh SYNOPSIS\n.Nm\n.Ar COMMAND\n.Op Ar OPTION ...\n.Op Ar ARGUMENT ...\n"
	      ".Nm\n.Ar COMMAND\n.Fl \\-help\n.Nm\n.Fl \\-version\n.Sh DESCRIPTION\n",
	      out);
	gen_text(
		out,
		"A simulation of the kernel's page allocator, page for page, at every set of the ten "
		"patches of \"mm: PCP high auto-tuning\". It runs scenarios, operations and "
		"recorded traces, steps through them both ways, and compares patch sets.");
	fputs(".Sh COMMANDS\n", out);
	for (size_t i = 0; verb_get(i); i++)
		put_verb(out, verb_get(i));
	fputs(".Sh COMMON OPTIONS\n.Bl -tag -width Ds\n", out);
	for (size_t i = 0; common_options[i].name; i++)
		put_option(out, &common_options[i], &common_defaults);
	fputs(".El\n.Sh THE PLAIN-TEXT STEPPER\nCommands of\n.Nm\n.Cm step Fl \\-text :\n.Bd -literal\n",
	      out);
	put_stepper(out);
	fputs(".Ed\n", out);
	put_patches(out);
	put_keys(out);
	put_surroundings(out);
	fputs(".Sh EXAMPLES\n.Bd -literal\npageset run exit-drain\n"
	      "pageset compare exit-drain --levels base,1\n"
	      "pageset diff exit-drain none 1\npageset step --text exit-drain\n.Ed\n"
	      ".Sh SEE ALSO\n.Xr pageset-lua 3 ,\n.Xr pageset-scenario 5\n",
	      out);
}

/*
 * What both other pages have
 */

void gen_man_fields(FILE *out)
{
	static const char *const scopes[] = { "cpu[C].zone[Z].", "zone[Z].", "stats." };

	fputs(".Sh FIELDS OF A MACHINE\n", out);
	gen_text(out,
		 "Values of a machine by name. Z is the number of a zone, or node[N].Normal in its "
		 "place; cpu[C].count is understood where the machine has one zone or the scenario "
		 "names one. A field that the patch set lacks is nil, null in JSON.");
	fputs(".Bl -tag -width Ds\n", out);
	for (const struct field_info *f = field_infos; f->name; f++) {
		fputs(".It ", out);
		gen_word(out, scopes[f->scope]);
		fputs(" Ns ", out);
		gen_word(out, f->name);
		putc('\n', out);
		put_sentence(out, f->help);
		if (f->unit[0])
			fprintf(out, "Unit: %s.\n", f->unit);
	}
	fputs(".El\n", out);
}

static void put_key_range(FILE *out, const struct machine_key *k)
{
	char a[BASE_FORMAT_MAX], b[BASE_FORMAT_MAX], c[BASE_FORMAT_MAX];

	if (k->words) {
		fprintf(out, "One of");
		for (size_t i = 0; k->words[i]; i++)
			fprintf(out, "%s %s", i ? "," : "", k->words[i]);
		fprintf(out, "; default %s.\n",
			k->def >= 0 ? k->words[k->def] : "from the other keys");
	} else if (k->type == MKEY_BOOL) {
		fprintf(out, "true or false; default %s.\n", k->def ? "true" : "false");
	} else if (k->type == MKEY_SIZE) {
		fprintf(out, "%s to %s; default %s.\n", base_format_size(a, (uint64_t)k->min),
			base_format_size(b, (uint64_t)k->max),
			base_format_size(c, (uint64_t)k->def));
	} else if (k->def < 0) {
		fprintf(out, "0 to %lld; default: computed.\n", (long long)k->max);
	} else {
		fprintf(out, "%lld to %lld; default %lld.\n", (long long)k->min, (long long)k->max,
			(long long)k->def);
	}
}

void gen_man_machine(FILE *out)
{
	fputs(".Sh MACHINE KEYS\n", out);
	gen_text(
		out,
		"Keys of a machine that are one value, in scenarios, machine files, Lua and --set.");
	fputs(".Bl -tag -width Ds\n", out);
	for (const struct machine_key *k = machine_keys; k->name; k++) {
		fputs(".It ", out);
		gen_word(out, k->name);
		putc('\n', out);
		put_sentence(out, k->help);
		put_key_range(out, k);
	}
	fputs(".El\n", out);
}

/*
 * pageset-scenario(5)
 */

struct format_row {
	const char *map, *key, *type;
	bool required;
	const char *help; /* of the map itself where key is NULL */
};

#define REQ 1
#define ONE_OF NULL
static const struct format_row format_rows[] = {
#define BEGIN(map, plain, what) { #map, NULL, plain, false, what },
#define INT(map, member, key, flags, min, max, def, help) { #map, key, "number", flags, help },
#define SIZE(map, member, key, flags, min, max, def, help) { #map, key, "size", flags, help },
#define TIME(map, member, key, flags, min, max, def, help) { #map, key, "time", flags, help },
#define BOOL(map, member, key, flags, def, help) { #map, key, "true or false", flags, help },
#define WORD(map, member, key, flags, words, def, help) { #map, key, "word", flags, help },
#define TEXT(map, member, key, flags, help) { #map, key, "text", flags, help },
#define EXPR(map, member, key, flags, help) { #map, key, "expression", flags, help },
#define NAME(map, member, key, flags, help) { #map, key, "name", flags, help },
#define SCALARS(map, member, key, flags, min, max, help) { #map, key, "list", flags, help },
#define ARGS(map, member, key, flags, help) { #map, key, "map of values", flags, help },
#define MAP(map, member, key, flags, sub, help) { #map, key, "map: " #sub, flags, help },
#define LIST(map, member, key, flags, sub, help) { #map, key, "list of: " #sub, flags, help },
#include "scenario/format.def"
};

/* Maps that are not written by a user of scenarios. */
static bool is_inner(const char *map)
{
	return strcmp(map, "arg") == 0;
}

static void put_row(FILE *out, const struct format_row *row)
{
	fputs(".It ", out);
	gen_word(out, row->key);
	fputs(" Pq ", out);
	gen_word(out, row->type);
	fputs(row->required ? ", required\n" : "\n", out);
	if (row->help)
		put_sentence(out, row->help);
	else
		fputs("See its keys below.\n", out);
}

static void put_map(FILE *out, const struct format_row *row)
{
	const struct format_row *end = format_rows + ARRAY_SIZE(format_rows);
	bool any = false;

	fputs(".Ss ", out);
	gen_word(out, row->map);
	putc('\n', out);
	put_sentence(out, row->help);
	if (row->type)
		fprintf(out, "A plain value stands for its key %s.\n", row->type);
	for (const struct format_row *r = row + 1; r < end && r->key; r++) {
		if (!any)
			fputs(".Bl -tag -width Ds\n", out);
		any = true;
		put_row(out, r);
	}
	if (any)
		fputs(".El\n", out);
	if (strcmp(row->map, "machine") == 0)
		fputs("The keys of one value stand in\n.Sx MACHINE KEYS .\n", out);
}

void gen_man_scenario(FILE *out)
{
	head(out, "PAGESET-SCENARIO", 5, "pageset-scenario",
	     "scenarios, lessons and machines of pageset");
	fputs(".Sh DESCRIPTION\n", out);
	gen_text(
		out,
		"A scenario is a YAML file: a machine, patches, and steps that are done in order. Sizes "
		"take B, KiB, MiB, GiB and TiB, times ns, us, ms, s, min and h; pages are plain "
		"numbers. Conditions and values are Lua expressions over the fields. In a text, "
		"${rand MIN MAX NAME} is a number drawn from the seed.");
	fputs(".Bd -literal\nschema_version: 1\nname: exit\ntitle: Why an exiting process emptied the pageset\n"
	      "machine: {cpus: 4, memory: 1GiB}\npatches: \"none\"\nsteps:\n"
	      "  - alloc: {cpu: 0, order: 0, type: movable, count: 500, as: heap}\n"
	      "  - alloc: {cpu: 0, order: 1, type: unmovable, as: pgd}\n"
	      "  - free: {cpu: 0, pages: heap, batch: true}\n"
	      "  - free: {cpu: 0, pages: pgd}\n"
	      "  - expect: \"cpu[0].count == 0 and stats.free_high == 1\"\n.Ed\n"
	      ".Sh FORMAT\n",
	      out);
	for (size_t i = ARRAY_SIZE(format_rows); i-- > 0;)
		if (!format_rows[i].key && !is_inner(format_rows[i].map))
			put_map(out, &format_rows[i]);
	gen_man_machine(out);
	gen_man_fields(out);
	fputs(".Sh SEE ALSO\n.Xr pageset 1 ,\n.Xr pageset-lua 3\n", out);
}

/*
 * pageset-lua(3)
 */

#if HAVE_LUA_PAGE
struct api_row {
	const char *group, *name, *args, *result, *help, *example;
};

static const struct api_row api_rows[] = {
#define API(group, name, function, args, result, help, example) \
	{ #group, #name, args, result, help, example },
#include "script/api.def"
#undef API
};

static void put_api_row(FILE *out, const struct api_row *row)
{
	static const struct {
		const char *group, *before;
	} groups[] = {
		{ "sim", "sim." },   { "expect", "sim.expect." }, { "machine", "m:" },
		{ "task", "task:" }, { "csv", "csv:" },
	};
	const char *before = "";

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (strcmp(groups[i].group, row->group) == 0)
			before = groups[i].before;
	fputs(".It ", out);
	gen_word(out, before);
	fputs(" Ns ", out);
	gen_word(out, row->name);
	if (row->args[0]) {
		fputs(" Ar ", out);
		gen_word(out, row->args);
	}
	if (row->result[0]) {
		fputs(" No = ", out);
		gen_word(out, row->result);
	}
	putc('\n', out);
	gen_text(out, row->help);
	if (row->example[0]) {
		fputs(".Bd -literal\n", out);
		put_literal(out, row->example);
		fputs(".Ed\n", out);
	}
}

void gen_man_lua(FILE *out)
{
	head(out, "PAGESET-LUA", 3, "pageset-lua", "the module sim of pageset's Lua scripts");
	fputs(".Sh DESCRIPTION\n", out);
	gen_text(
		out,
		"Scripts are Lua 5.4 in a sandbox: no files, no network, no clock, and every run with "
		"the same seed is the same. What they drive is in the one global table sim. Units "
		"are pages and blocks; times are nanoseconds.");
	fputs(".Sh FUNCTIONS\n.Bl -tag -width Ds\n", out);
	for (size_t i = 0; i < ARRAY_SIZE(api_rows); i++)
		put_api_row(out, &api_rows[i]);
	fputs(".El\n", out);
	gen_man_machine(out);
	gen_man_fields(out);
	fputs(".Sh SEE ALSO\n.Xr pageset 1 ,\n.Xr pageset-scenario 5\n", out);
}
#endif

void gen_man(FILE *out, size_t page)
{
	static void (*const pages[])(FILE *) = {
		gen_man_pageset,
		gen_man_scenario,
#if HAVE_LUA_PAGE
		gen_man_lua,
#endif
	};

	pages[page](out);
}

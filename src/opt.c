/* SPDX-License-Identifier: GPL-2.0-only */
#include "opt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "base/number.h"

/* Screen column at which the text of an option begins, and the last one that it uses. */
#define HELP_COLUMN 26
#define HELP_COLUMN_MAX 79

/* Where the parser stands. */
struct parser {
	struct opt_set *sets;
	size_t nr_sets;
	const char *who;
	int argc;
	char **argv;
	int at;
	struct diag *d;
};

/* An option that was found: its row, and the set that it belongs to. */
struct found {
	const struct opt *opt;
	struct opt_set *set;
	char shown[64]; /* as the user wrote it: --jobs or -j */
};

static bool is_allowed(const struct opt_set *set, size_t row)
{
	return set->allowed >> row & 1;
}

static bool find_long(struct parser *p, const char *name, size_t len, struct found *f)
{
	size_t s, row;

	for (s = 0; s < p->nr_sets; s++) {
		for (row = 0; p->sets[s].table[row].name; row++) {
			const struct opt *o = &p->sets[s].table[row];

			if (!is_allowed(&p->sets[s], row) || strlen(o->name) != len ||
			    memcmp(o->name, name, len) != 0)
				continue;
			f->opt = o;
			f->set = &p->sets[s];
			snprintf(f->shown, sizeof(f->shown), "--%s", o->name);
			return true;
		}
	}
	return false;
}

static bool find_letter(struct parser *p, char letter, struct found *f)
{
	size_t s, row;

	for (s = 0; s < p->nr_sets; s++) {
		for (row = 0; p->sets[s].table[row].name; row++) {
			const struct opt *o = &p->sets[s].table[row];

			if (!is_allowed(&p->sets[s], row) || o->letter != letter)
				continue;
			f->opt = o;
			f->set = &p->sets[s];
			snprintf(f->shown, sizeof(f->shown), "-%c", letter);
			return true;
		}
	}
	return false;
}

/* All long names that are allowed here, for did-you-mean. */
static const char *option_name(const void *ctx, size_t i)
{
	const struct parser *p = ctx;
	size_t s, row;

	for (s = 0; s < p->nr_sets; s++)
		for (row = 0; p->sets[s].table[row].name; row++)
			if (is_allowed(&p->sets[s], row) && i-- == 0)
				return p->sets[s].table[row].name;
	return i == 0 ? "help" : NULL;
}

/* Options that other commands have, but not this one. */
static bool is_elsewhere(const struct parser *p, const char *name)
{
	for (size_t s = 0; s < p->nr_sets; s++)
		for (size_t row = 0; p->sets[s].table[row].name; row++)
			if (strcmp(p->sets[s].table[row].name, name) == 0)
				return true;
	return false;
}

static enum base_err unknown_option(struct parser *p, const char *word)
{
	size_t dashes = word[1] == '-' ? 2 : 1;
	char name[64];
	const char *near;
	enum base_err err;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + dashes, "="), word + dashes);
	err = base_diag_set(p->d, BASE_ERR_USAGE, p->who, 0, 0, "unknown option %.*s%s",
			    (int)dashes, word, name);
	near = strlen(name) > 1 ? base_near(name, option_name, p) : NULL;
	if (is_elsewhere(p, name))
		base_diag_hint(
			p->d,
			"other commands have it, it would do nothing here; %s --help lists the options",
			p->who);
	else if (near)
		base_diag_hint(p->d, "did you mean --%s?", near);
	else
		base_diag_hint(p->d, "%s --help lists the options", p->who);
	return err;
}

/* Makes "option --jobs: 'x' is not a whole number" of a number parser's message; its hint stays. */
static enum base_err bad_value(struct parser *p, const struct found *f, enum base_err err)
{
	char hint[BASE_DIAG_TEXT_MAX], message[BASE_DIAG_TEXT_MAX];

	if (!err || !p->d)
		return err;
	snprintf(message, sizeof(message), "%s", p->d->message);
	snprintf(hint, sizeof(hint), "%s", p->d->hint);
	base_diag_set(p->d, BASE_ERR_USAGE, p->who, 0, 0, "option %s: %s", f->shown, message);
	base_diag_hint(p->d, "%s", hint);
	return BASE_ERR_USAGE;
}

/* "auto|always|never" with "|" and "|", "auto, always or never" with ", " and " or " */
static void list_words(char *buf, size_t size, const char *const *words, const char *between,
		       const char *last)
{
	size_t used = 0, i;

	buf[0] = '\0';
	for (i = 0; words[i] && used < size; i++) {
		const char *sep = i == 0 ? "" : words[i + 1] ? between : last;
		int n = snprintf(buf + used, size - used, "%s%s", sep, words[i]);

		used += n > 0 ? (size_t)n : 0;
	}
}

/* What stands behind the = in help and messages; "" for a flag. */
static void value_text(char *buf, size_t size, const struct opt *o)
{
	if (o->type == OPT_ENUM)
		list_words(buf, size, o->values, "|", "|");
	else
		snprintf(buf, size, "%s", o->value ? o->value : "");
}

static enum base_err set_enum(struct parser *p, const struct found *f, const char *value, int *out)
{
	const char *const *words = f->opt->values;
	const char *near;
	char list[512];
	int i;

	for (i = 0; words[i]; i++) {
		if (strcmp(words[i], value) == 0) {
			*out = i;
			return BASE_ERR_OK;
		}
	}
	base_diag_set(p->d, BASE_ERR_USAGE, p->who, 0, 0, "option %s: unknown value '%s'", f->shown,
		      value);
	list_words(list, sizeof(list), words, ", ", " or ");
	near = base_near_list(value, words);
	if (near)
		base_diag_hint(p->d, "did you mean %s? expected %s", near, list);
	else
		base_diag_hint(p->d, "expected %s", list);
	return BASE_ERR_USAGE;
}

static void list_append(struct opt_list *list, const char *value)
{
	const char **items = base_alloc(list->nr + 1, sizeof(*items));
	size_t i;

	for (i = 0; i < list->nr; i++)
		items[i] = list->items[i];
	items[list->nr] = value;
	free(list->items);
	list->items = items;
	list->nr++;
}

static enum base_err set_value(struct parser *p, const struct found *f, const char *value)
{
	char *target = (char *)f->set->target + f->opt->offset;
	uint64_t min = (uint64_t)f->opt->min;
	uint64_t max = f->opt->max ? (uint64_t)f->opt->max : UINT64_MAX;
	size_t len = strlen(value);
	enum base_err err = BASE_ERR_OK;

	switch (f->opt->type) {
	case OPT_INT:
		err = base_parse_int(value, len, f->opt->min, f->opt->max ? f->opt->max : INT64_MAX,
				     (int64_t *)(void *)target, p->d);
		break;
	case OPT_UINT:
		err = base_parse_uint(value, len, min, max, (uint64_t *)(void *)target, p->d);
		break;
	case OPT_SIZE:
		err = base_parse_size(value, len, min, max, (uint64_t *)(void *)target, p->d);
		break;
	case OPT_DURATION:
		err = base_parse_duration(value, len, min, max, (uint64_t *)(void *)target, p->d);
		break;
	case OPT_STRING:
		memcpy(target, &value, sizeof(value));
		break;
	case OPT_LIST:
		list_append((struct opt_list *)(void *)target, value);
		break;
	case OPT_ENUM:
		return set_enum(p, f, value, (int *)(void *)target);
	case OPT_FLAG:
		*(bool *)target = true;
		break;
	}
	return bad_value(p, f, err);
}

/* value: what stood behind = or behind the letter, NULL if nothing did. */
static enum base_err take_option(struct parser *p, struct found *f, const char *value)
{
	enum base_err err;
	char text[256];

	if (f->opt->type == OPT_FLAG) {
		if (value)
			return base_diag_set(p->d, BASE_ERR_USAGE, p->who, 0, 0,
					     "option %s takes no value", f->shown);
		value = "";
	} else if (!value && p->at < p->argc) {
		value = p->argv[p->at++];
	}
	if (!value || (f->opt->type != OPT_FLAG && !*value)) {
		err = base_diag_set(p->d, BASE_ERR_USAGE, p->who, 0, 0, "option %s needs a value",
				    f->shown);
		value_text(text, sizeof(text), f->opt);
		base_diag_hint(p->d, "expected --%s=%s: %s", f->opt->name, text, f->opt->help);
		return err;
	}
	f->set->given |= 1ull << (f->opt - f->set->table);
	return set_value(p, f, value);
}

static enum base_err parse_word(struct parser *p, const char *word, bool *help)
{
	const char *equals = strchr(word, '=');
	struct found f;

	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		*help = true;
		return BASE_ERR_OK;
	}
	if (strncmp(word, "--help=", 7) == 0)
		return base_diag_set(p->d, BASE_ERR_USAGE, p->who, 0, 0,
				     "option --help takes no value");
	if (word[1] == '-') {
		size_t len = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;

		if (!find_long(p, word + 2, len, &f))
			return unknown_option(p, word);
		return take_option(p, &f, equals ? equals + 1 : NULL);
	}
	if (!find_letter(p, word[1], &f))
		return unknown_option(p, word);
	return take_option(p, &f, word[2] ? word + 2 : NULL);
}

enum base_err opt_parse(struct opt_set *sets, size_t nr_sets, const char *who, int argc,
			char **argv, struct opt_args *args, bool *help, struct diag *d)
{
	struct parser p = {
		.sets = sets, .nr_sets = nr_sets, .who = who, .argc = argc, .argv = argv, .d = d
	};
	bool options_ended = false;
	enum base_err err;

	args->nr = 0;
	*help = false;
	while (p.at < argc && !*help) {
		char *word = argv[p.at++];

		if (options_ended || word[0] != '-' || word[1] == '\0') {
			args->items[args->nr++] = word;
		} else if (strcmp(word, "--") == 0) {
			options_ended = true;
			args->nr_before = args->nr;
		} else {
			err = parse_word(&p, word, help);
			if (err)
				return err;
		}
	}
	if (!options_ended)
		args->nr_before = args->nr;
	return BASE_ERR_OK;
}

/* " (1 to 64, default 2)" or what of it there is to say; the set's target holds the defaults. */
static void print_range(char *buf, size_t size, const struct opt *o, const void *target)
{
	const char *at = (const char *)target + o->offset;
	char least[BASE_FORMAT_MAX], most[BASE_FORMAT_MAX], preset[BASE_FORMAT_MAX];
	uint64_t value;

	buf[0] = '\0';
	switch (o->type) {
	case OPT_INT:
	case OPT_UINT:
	case OPT_SIZE:
	case OPT_DURATION:
		break;
	case OPT_ENUM:
		snprintf(buf, size, " (default %s)", o->values[*(const int *)(const void *)at]);
		return;
	default:
		return;
	}
	memcpy(&value, at, sizeof(value));
	if (o->type == OPT_SIZE) {
		base_format_size(least, (uint64_t)o->min);
		base_format_size(most, (uint64_t)o->max);
		base_format_size(preset, value);
	} else if (o->type == OPT_DURATION) {
		base_format_duration(least, (uint64_t)o->min);
		base_format_duration(most, (uint64_t)o->max);
		base_format_duration(preset, value);
	} else {
		snprintf(least, sizeof(least), "%" PRId64, o->min);
		snprintf(most, sizeof(most), "%" PRId64, o->max);
		snprintf(preset, sizeof(preset), "%" PRId64, (int64_t)value);
	}
	/* a default outside the range is the verb's mark for "not given" */
	if ((int64_t)value < o->min || (o->max && (int64_t)value > o->max)) {
		if (o->max)
			snprintf(buf, size, " (%s to %s)", least, most);
	} else if (o->max) {
		snprintf(buf, size, " (%s to %s, default %s)", least, most, preset);
	} else if (value) {
		snprintf(buf, size, " (default %s)", preset);
	}
}

/* Words of text from the column on, wrapped; `used` columns of the first line are taken. */
static void print_wrapped(FILE *out, const char *text, int used)
{
	int column = used;

	if (used >= HELP_COLUMN) {
		putc('\n', out);
		column = 0;
	}
	fprintf(out, "%*s", HELP_COLUMN - column, "");
	column = HELP_COLUMN;
	while (*text) {
		int len = (int)strcspn(text, " ");

		if (column > HELP_COLUMN && column + 1 + len > HELP_COLUMN_MAX) {
			fprintf(out, "\n%*s", HELP_COLUMN, "");
			column = HELP_COLUMN;
		} else if (column > HELP_COLUMN) {
			putc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", len, text);
		column += len;
		text += len;
		text += strspn(text, " ");
	}
	putc('\n', out);
}

void opt_describe(const struct opt *o, const void *target, char *text, size_t size, char *value,
		  size_t value_size)
{
	char range[128];

	value_text(value, value_size, o);
	print_range(range, sizeof(range), o, target);
	snprintf(text, size, "%s%s%s", o->help, range,
		 o->type == OPT_LIST ? " (may be given several times)" : "");
}

static void print_option(FILE *out, const struct opt *o, const void *target)
{
	char names[512], text[512], value[256];
	int used;

	opt_describe(o, target, text, sizeof(text), value, sizeof(value));
	used = snprintf(names, sizeof(names), "  %c%c%s--%s%s%s", o->letter ? '-' : ' ',
			o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name,
			value[0] ? "=" : "", value);
	fputs(names, out);
	print_wrapped(out, text, used);
}

void opt_print_help(FILE *out, const struct opt_set *set)
{
	size_t row;

	for (row = 0; set->table[row].name; row++)
		if (is_allowed(set, row))
			print_option(out, &set->table[row], set->target);
}

unsigned int opt_index(const struct opt *table, const char *name)
{
	unsigned int row;

	for (row = 0; table[row].name; row++)
		if (strcmp(table[row].name, name) == 0)
			break;
	BASE_CHECK(table[row].name, "no option %s", name);
	return row;
}

bool opt_is_given(const struct opt_set *set, const char *name)
{
	return set->given >> opt_index(set->table, name) & 1;
}

void opt_free(struct opt_set *set)
{
	size_t row;

	for (row = 0; set->table[row].name; row++) {
		struct opt_list *list;

		if (set->table[row].type != OPT_LIST)
			continue;
		list = (struct opt_list *)(void *)((char *)set->target + set->table[row].offset);
		free(list->items);
		*list = (struct opt_list){ 0 };
	}
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "config.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#include "base/near.h"
#include "base/text.h"

/* A config file of more is a mistake. */
enum { CONFIG_BYTES_MAX = 1 << 20, CONFIG_ARGS_MAX = 256 };

struct config {
	const struct verb *verb;
	struct opt_set *sets;
	size_t nr_sets;
	yaml_document_t *doc;
	const struct base_text *text;
	char *args[CONFIG_ARGS_MAX]; /* "--key=value", for the option parser */
	size_t nr_args;
	struct diag *d;
};

const char *config_path(void)
{
	static char path[PATH_MAX];
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n;

	/* the specification has relative paths ignored */
	if (xdg && xdg[0] == '/')
		n = snprintf(path, sizeof(path), "%s/pageset/config.yaml", xdg);
	else if (home && home[0] == '/')
		n = snprintf(path, sizeof(path), "%s/.config/pageset/config.yaml", home);
	else
		return NULL;
	return n > 0 && (size_t)n < sizeof(path) ? path : NULL;
}

static enum base_err fault(struct config *c, const yaml_node_t *at, const char *fmt, ...)
	BASE_PRINTF(3, 4);

static enum base_err fault(struct config *c, const yaml_node_t *at, const char *fmt, ...)
{
	char message[BASE_DIAG_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	base_diag_set(c->d, BASE_ERR_SYNTAX, c->text->name, at->start_mark.line + 1,
		      at->start_mark.column + 1, "%s", message);
	base_diag_excerpt_text(c->d, c->text);
	return c->d->code;
}

static const char *scalar(const yaml_node_t *node)
{
	return (const char *)node->data.scalar.value;
}

/* What may not be a default: it would turn what every command prints, or is no option of one run. */
static bool is_barred(const char *name)
{
	return strcmp(name, "json") == 0;
}

static const struct opt *find_option(const struct opt *table, const char *name)
{
	for (; table && table->name; table++)
		if (strcmp(table->name, name) == 0)
			return table;
	return NULL;
}

/* The option in a set of this command; NULL if the command has none of the name. */
static const struct opt *option_here(const struct config *c, const char *name)
{
	for (size_t s = 0; s < c->nr_sets; s++) {
		const struct opt *o = find_option(c->sets[s].table, name);

		if (o && c->sets[s].allowed >> (o - c->sets[s].table) & 1)
			return o;
	}
	return NULL;
}

/* A walk over the options of all commands, for the check and for did-you-mean. */
static const char *any_name(const void *ctx, size_t i)
{
	size_t at = 0;

	(void)ctx;
	for (size_t row = 0; common_options[row].name; row++)
		if (at++ == i)
			return common_options[row].name;
	for (size_t v = 0; verb_get(v); v++) {
		const struct verb *verb = verb_get(v);

		if (at++ == i)
			return verb->name;
		for (size_t row = 0; verb->options && verb->options[row].name; row++)
			if (at++ == i)
				return verb->options[row].name;
	}
	return NULL;
}

static bool is_known(const char *name)
{
	const char *known;

	for (size_t i = 0; (known = any_name(NULL, i)) != NULL; i++)
		if (strcmp(known, name) == 0)
			return true;
	return false;
}

/* An option of some command, and no command. */
static bool is_option(const char *name)
{
	if (find_option(common_options, name))
		return true;
	for (size_t v = 0; verb_get(v); v++)
		if (find_option(verb_get(v)->options, name))
			return true;
	return false;
}

/* "--key=value" or "--key"; lives as long as the program, since values of options point into it. */
static char *make_arg(const char *name, const char *value)
{
	struct word {
		struct word *next;
		char text[];
	};
	static struct word *first;
	size_t size = strlen(name) + (value ? strlen(value) : 0) + 4;
	struct word *w = base_alloc(1, sizeof(*w) + size);

	snprintf(w->text, size, value ? "--%s=%s" : "--%s", name, value);
	w->next = first;
	first = w;
	return w->text;
}

static enum base_err add_arg(struct config *c, const yaml_node_t *at, const char *name,
			     const char *value)
{
	if (c->nr_args == CONFIG_ARGS_MAX)
		return fault(c, at, "more than %d values", CONFIG_ARGS_MAX);
	c->args[c->nr_args++] = make_arg(name, value);
	return BASE_ERR_OK;
}

static enum base_err take_value(struct config *c, const struct opt *o, const yaml_node_t *node)
{
	const char *text;

	if (node->type == YAML_SEQUENCE_NODE && o->type == OPT_LIST) {
		for (const yaml_node_item_t *i = node->data.sequence.items.start;
		     i < node->data.sequence.items.top; i++) {
			const yaml_node_t *item = yaml_document_get_node(c->doc, *i);

			if (item->type != YAML_SCALAR_NODE)
				return fault(c, item, "a list of %s holds plain values", o->name);
			if (add_arg(c, item, o->name, scalar(item)))
				return c->d->code;
		}
		return BASE_ERR_OK;
	}
	if (node->type != YAML_SCALAR_NODE)
		return fault(c, node, "the value of %s is one plain value", o->name);
	text = scalar(node);
	if (o->type != OPT_FLAG)
		return add_arg(c, node, o->name, text);
	if (strcmp(text, "true") == 0)
		return add_arg(c, node, o->name, NULL);
	if (strcmp(text, "false") != 0)
		return fault(c, node, "%s is true or false", o->name);
	return BASE_ERR_OK;
}

/* Hands one value to the option parser, so that a fault has the place of this value. */
static enum base_err apply(struct config *c, const yaml_node_t *node)
{
	char *left[CONFIG_ARGS_MAX];
	struct opt_args args = { .items = left };
	uint64_t given[2];
	enum base_err err;
	bool help;

	for (size_t s = 0; s < c->nr_sets; s++)
		given[s] = c->sets[s].given;
	err = opt_parse(c->sets, c->nr_sets, c->text->name, (int)c->nr_args, c->args, &args, &help,
			c->d);
	for (size_t s = 0; s < c->nr_sets; s++)
		c->sets[s].given = given[s];
	c->nr_args = 0;
	if (!err)
		return err;
	base_diag_at(c->d, c->text->name, node->start_mark.line + 1, node->start_mark.column + 1);
	base_diag_excerpt_text(c->d, c->text);
	return err;
}

static enum base_err take_map(struct config *c, const yaml_node_t *map, bool top);

static enum base_err take_pair(struct config *c, const yaml_node_pair_t *pair, bool top)
{
	const yaml_node_t *key = yaml_document_get_node(c->doc, pair->key);
	const yaml_node_t *value = yaml_document_get_node(c->doc, pair->value);
	const struct opt *o;
	const char *near;
	enum base_err err;

	if (key->type != YAML_SCALAR_NODE)
		return fault(c, key, "a key is the name of an option");
	if (is_barred(scalar(key)))
		return fault(c, key, "%s is for the command line alone", scalar(key));
	if (top && value->type == YAML_MAPPING_NODE && verb_find(scalar(key))) {
		if (verb_find(scalar(key)) != c->verb)
			return BASE_ERR_OK;
		return take_map(c, value, false);
	}
	if (top && verb_find(scalar(key)) && !is_option(scalar(key))) {
		err = fault(c, value, "%s is a command: its value is a map of its options",
			    scalar(key));
		base_diag_hint(c->d, "such as %s: {color: never}", scalar(key));
		return err;
	}
	o = option_here(c, scalar(key));
	if (!o && top && is_known(scalar(key)))
		return BASE_ERR_OK; /* of another command */
	if (!o && is_option(scalar(key))) {
		err = fault(c, key, "%s does not take %s", c->verb->name, scalar(key));
		base_diag_hint(c->d, "pageset %s --help lists its options", c->verb->name);
		return err;
	}
	if (!o) {
		err = fault(c, key, "unknown key %s", scalar(key));
		near = base_near(scalar(key), any_name, NULL);
		if (near)
			base_diag_hint(c->d, "did you mean %s?", near);
		else
			base_diag_hint(c->d, "keys are the names of options, and of commands");
		return err;
	}
	err = take_value(c, o, value);
	return err ? err : apply(c, value);
}

/* First what holds for all commands, then what is said of this one. */
static enum base_err take_map(struct config *c, const yaml_node_t *map, bool top)
{
	for (int nested = 0; nested < (top ? 2 : 1); nested++) {
		for (const yaml_node_pair_t *p = map->data.mapping.pairs.start;
		     p < map->data.mapping.pairs.top; p++) {
			const yaml_node_t *value = yaml_document_get_node(c->doc, p->value);
			enum base_err err;

			if (top && (value->type == YAML_MAPPING_NODE) != (nested == 1))
				continue;
			err = take_pair(c, p, top);
			if (err)
				return err;
		}
	}
	return BASE_ERR_OK;
}

static enum base_err take_document(struct config *c)
{
	const yaml_node_t *root = yaml_document_get_root_node(c->doc);

	if (!root)
		return BASE_ERR_OK; /* an empty file */
	if (root->type == YAML_SCALAR_NODE && !scalar(root)[0])
		return BASE_ERR_OK;
	if (root->type != YAML_MAPPING_NODE)
		return fault(c, root, "the file is a map of options");
	return take_map(c, root, true);
}

static enum base_err parse(struct config *c)
{
	yaml_parser_t parser;
	yaml_document_t doc;
	enum base_err err;

	if (!yaml_parser_initialize(&parser))
		return base_diag_set(c->d, BASE_ERR_NO_MEMORY, c->text->name, 0, 0,
				     "out of memory");
	yaml_parser_set_input_string(&parser, (const unsigned char *)c->text->data, c->text->len);
	if (yaml_parser_load(&parser, &doc)) {
		c->doc = &doc;
		err = take_document(c);
		yaml_document_delete(&doc);
	} else {
		err = base_diag_set(c->d, BASE_ERR_SYNTAX, c->text->name,
				    parser.problem_mark.line + 1, parser.problem_mark.column + 1,
				    "%s", parser.problem ? parser.problem : "not YAML");
		base_diag_hint(c->d, "expected options by name in YAML, such as palette: light");
		base_diag_excerpt_text(c->d, c->text);
	}
	yaml_parser_delete(&parser);
	return err;
}

enum base_err config_apply(const struct verb *verb, struct opt_set *sets, size_t nr_sets,
			   struct diag *d)
{
	const char *path = config_path();
	struct config c = { .verb = verb, .sets = sets, .nr_sets = nr_sets, .d = d };
	struct base_text text;
	struct stat st;
	enum base_err err;

	if (!path || stat(path, &st) != 0)
		return BASE_ERR_OK;
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) {
		err = base_diag_set(d, BASE_ERR_OPEN, path, 0, 0, "is no plain file");
		base_diag_hint(d, "expected a file with options; it may be removed");
		return err;
	}
	err = base_text_read(&text, path, CONFIG_BYTES_MAX, d);
	if (err)
		return err;
	c.text = &text;
	err = parse(&c);
	base_text_free(&text);
	return err;
}

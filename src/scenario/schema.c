/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From nodes to structs. libcyaml misreads much (6abc is 6, 010 is 8, any word is true) and tells wrong places, so each
 * value is judged here first, at its own place, and written anew in the one form that libcyaml reads rightly: numbers in
 * decimal, aliases and short forms expanded, defaults filled in. What libcyaml loads then has the shape of the nodes, and
 * both are walked side by side to give each struct its place.
 */
#include "schema.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "base/number.h"

struct check {
	struct node_doc *doc;
	struct diags *ds;
	FILE *out;
	bool faulty;
	u32 nr; /* faults that no entry of a list and no key of the whole takes with it */
};

static void check_map(struct check *c, const struct map_spec *spec, const struct node *n,
		      const char *key);

/* ---- faults ---------------------------------------------------------------------------------------------------------- */

#define fault(c, n, ...)                \
	((c)->faulty = true, (c)->nr++, \
	 node_fault((c)->doc, (c)->ds, BASE_ERR_SYNTAX, n, __VA_ARGS__))

/* What began at @nr faults is one entry or key: if it has faults, they are its own from now on. */
static void keep_in(struct check *c, u32 nr, struct node *n)
{
	n->faulty = n->faulty || c->nr != nr;
	c->nr = nr;
}

static const char *kind_text(const struct node *n)
{
	return n->kind == NODE_LIST ? "a list" : n->kind == NODE_MAP ? "a map" : "a plain value";
}

/* A fault that a parser of base found, put at its place. */
static void fault_parsed(struct check *c, const struct node *n, const char *key, struct diag *d)
{
	char message[BASE_DIAG_TEXT_MAX];

	snprintf(message, sizeof(message), "%s: %.900s", key, d->message);
	base_diag_hint(node_fault(c->doc, c->ds, d->code, n, "%s", message), "%s", d->hint);
	c->faulty = true;
	c->nr++;
}

/* ---- writing --------------------------------------------------------------------------------------------------------- */

/* In double quotes, ASCII, with the escapes of YAML. */
static void put_text(FILE *out, const char *s, size_t len)
{
	putc('"', out);
	while (len > 0) {
		u32 code;
		size_t n = base_utf8_len(s, len, &code);

		if (code == '"' || code == '\\')
			fprintf(out, "\\%c", (char)code);
		else if (code >= 0x20 && code < 0x7f)
			putc((char)code, out);
		else
			fprintf(out, "\\U%08" PRIX32, code);
		s += n;
		len -= n;
	}
	putc('"', out);
}

/* ---- plain values ---------------------------------------------------------------------------------------------------- */

static bool want_scalar(struct check *c, const struct node *n, const char *key, const char *what)
{
	if (n->kind != NODE_SCALAR) {
		base_diag_hint(fault(c, n, "%s is %s", key, kind_text(n)), "expected %s", what);
		return false;
	}
	if (node_is_plain(n) && n->len == 0) {
		base_diag_hint(fault(c, n, "%s has no value", key), "expected %s", what);
		return false;
	}
	return true;
}

/* Numbers and words stand without quotes; what ${rand} put in may have needed them. */
static bool want_plain(struct check *c, const struct node *n, const char *key, const char *what)
{
	if (!want_scalar(c, n, key, what))
		return false;
	if (node_is_plain(n) || n->drawn)
		return true;
	base_diag_hint(fault(c, n, "%s is a text in quotes", key), "expected %s", what);
	return false;
}

static void number(struct check *c, const struct field_spec *f, const struct node *n)
{
	static const char *const what[] = { [FT_INT] = "a whole number",
					    [FT_SIZE] = "a size such as 64KiB",
					    [FT_TIME] = "a time such as 10ms" };
	enum base_err err;
	struct diag d;
	s64 value = 0;
	u64 u = 0;

	if (!want_plain(c, n, f->key, what[f->type]))
		return;
	if (f->type == FT_INT) {
		err = base_parse_int(n->text, n->len, f->min, f->max, &value, &d);
	} else {
		err = (f->type == FT_SIZE ? base_parse_size : base_parse_duration)(
			n->text, n->len, (u64)f->min, (u64)f->max, &u, &d);
		value = (s64)u;
	}
	if (err)
		fault_parsed(c, n, f->key, &d);
	fprintf(c->out, "%" PRId64, value);
}

static void words_text(const char *const *words, char *buf, size_t size)
{
	size_t at = 0;

	buf[0] = '\0';
	for (size_t i = 0; words[i] && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%s",
				       i == 0	    ? "" :
				       words[i + 1] ? ", " :
						      " or ",
				       words[i]);
}

/* The index of a word; -1 and a fault if it is none of them. */
static s64 word(struct check *c, const char *key, const struct node *n, const char *const *words)
{
	char all[200];
	const char *near;

	words_text(words, all, sizeof(all));
	if (!want_plain(c, n, key, all))
		return -1;
	for (s64 i = 0; words[i]; i++)
		if (strcmp(words[i], n->text) == 0)
			return i;
	near = base_near_list(n->text, words);
	base_diag_hint(fault(c, n, "%s: '%.100s' is not one of its words", key, n->text),
		       near ? "did you mean %2$s? expected %1$s" : "expected %s", all, near);
	return -1;
}

static bool boolean(struct check *c, const char *key, const struct node *n)
{
	static const char *const yes[] = { "yes", "on", "True", "TRUE", "Yes", "On", "y", NULL };
	static const char *const no[] = { "no", "off", "False", "FALSE", "No", "Off", "n", NULL };
	const char *hint = NULL;

	if (!want_plain(c, n, key, "true or false"))
		return false;
	if (strcmp(n->text, "true") == 0 || strcmp(n->text, "false") == 0)
		return n->text[0] == 't';
	for (size_t i = 0; yes[i]; i++)
		if (strcmp(n->text, yes[i]) == 0)
			hint = "true";
	for (size_t i = 0; no[i]; i++)
		if (strcmp(n->text, no[i]) == 0)
			hint = "false";
	base_diag_hint(fault(c, n, "%s: '%.100s' is neither true nor false", key, n->text),
		       hint ? "did you mean %s?" : "expected true or false", hint);
	return false;
}

static void name(struct check *c, const struct field_spec *f, const struct node *n)
{
	size_t good;

	if (!want_scalar(c, n, f->key, "a name"))
		return;
	good = strspn(n->text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
	if (good < n->len || n->len == 0 || n->len > 60)
		base_diag_hint(fault(c, n, "%s: '%.100s' is not a name", f->key, n->text),
			       "expected 1 to 60 letters, digits, _ and -");
	put_text(c->out, n->text, n->len);
}

static void text(struct check *c, const struct field_spec *f, const struct node *n)
{
	const char *what = f->type == FT_EXPR ? "an expression" : "a text";

	if (!want_scalar(c, n, f->key, what))
		return;
	if (strspn(n->text, " \t\n") == n->len)
		base_diag_hint(fault(c, n, "%s is empty", f->key), "expected %s", what);
	put_text(c->out, n->text, n->len);
}

s64 mkey_min(const struct machine_key *key)
{
	return key->min >= 0 ? key->min : strcmp(key->name, "batch") == 0 ? 1 : 0;
}

static void machine_key(struct check *c, const struct field_spec *f, const struct node *n)
{
	const struct machine_key *key = machine_key_find(f->key);
	struct field_spec as = *f;
	s64 value;

	as.min = mkey_min(key);
	as.max = key->max;
	if (key->words) {
		value = key->type == MKEY_BOOL ? boolean(c, f->key, n) :
						 word(c, f->key, n, key->words);
		fprintf(c->out, "%" PRId64, value);
	} else if (key->type == MKEY_SIZE) {
		as.type = FT_SIZE;
		number(c, &as, n);
	} else if (key->type == MKEY_SCALE && node_is_plain(n) && strcmp(n->text, "none") == 0) {
		fprintf(c->out, "%d", SCALE_NONE);
	} else {
		as.type = FT_INT;
		if (key->type == MKEY_SCALE)
			as.max = 6;
		number(c, &as, n);
	}
}

/* ---- lists and maps -------------------------------------------------------------------------------------------------- */

static void scalars(struct check *c, const struct field_spec *f, const struct node *n)
{
	if (n->kind != NODE_LIST) {
		base_diag_hint(fault(c, n, "%s is %s", f->key, kind_text(n)),
			       "expected a list such as [0, 62, 125]");
		return;
	}
	if (n->nr < f->min || n->nr > f->max)
		base_diag_hint(
			fault(c, n, "%s has %u value%s", f->key, n->nr, n->nr == 1 ? "" : "s"),
			f->min == f->max ? "expected %" PRId64 : "expected %" PRId64 " to %" PRId64,
			f->min, f->max);
	putc('[', c->out);
	for (u32 i = 0; i < n->nr; i++) {
		if (want_scalar(c, n->items[i], f->key, "plain values in the list"))
			put_text(c->out, n->items[i]->text, n->items[i]->len);
		if (i + 1 < n->nr)
			fputs(",\n", c->out);
	}
	putc(']', c->out);
}

static void args(struct check *c, const struct field_spec *f, const struct node *n)
{
	if (n->kind != NODE_MAP) {
		base_diag_hint(fault(c, n, "%s is %s", f->key, kind_text(n)),
			       "expected names with values");
		return;
	}
	putc('[', c->out);
	for (u32 i = 0; i < n->nr; i++) {
		const struct node *v = n->items[i];

		if (!want_scalar(c, v, n->keys[i]->text, "a plain value"))
			continue;
		fputs("{name: ", c->out);
		put_text(c->out, n->keys[i]->text, n->keys[i]->len);
		fputs(", value: ", c->out);
		put_text(c->out, v->text, v->len);
		fprintf(c->out, ", quoted: %s}%s", node_is_plain(v) || v->drawn ? "false" : "true",
			i + 1 < n->nr ? ",\n" : "");
	}
	putc(']', c->out);
}

static void list(struct check *c, const struct field_spec *f, const struct node *n)
{
	u32 sound = 0;

	if (n->kind != NODE_LIST || n->nr == 0) {
		base_diag_hint(n->kind == NODE_LIST ? fault(c, n, "%s is empty", f->key) :
						      fault(c, n, "%s is %s", f->key, kind_text(n)),
			       "expected a list, each entry %s", f->sub->help);
		return;
	}
	putc('[', c->out);
	for (u32 i = 0; i < n->nr; i++) {
		u32 nr = c->nr;

		check_map(c, f->sub, n->items[i], f->key);
		keep_in(c, nr, n->items[i]);
		sound += !n->items[i]->faulty;
		if (i + 1 < n->nr)
			fputs(",\n", c->out);
	}
	putc(']', c->out);
	/* Nothing left: then the list as a whole has to go. */
	c->nr += sound == 0;
}

/* A key that is not there, as libcyaml must see it; maps may be left out. */
static bool absent(struct check *c, const struct field_spec *f)
{
	switch (f->type) {
	case FT_MAP:
		return false;
	case FT_BOOL:
		fprintf(c->out, "%s: %s", f->member, f->def ? "true" : "false");
		return true;
	case FT_TEXT:
	case FT_EXPR:
	case FT_NAME:
		fprintf(c->out, "%s: \"\"", f->member);
		return true;
	case FT_SCALARS:
	case FT_ARGS:
	case FT_LIST:
		fprintf(c->out, "%s: []", f->member);
		return true;
	default:
		fprintf(c->out, "%s: %" PRId64, f->member, f->def);
		return true;
	}
}

static void value(struct check *c, const struct field_spec *f, const struct node *n)
{
	if (n->kind == NODE_SCALAR && n->faulty && f->type != FT_MAP) {
		/* Told before; what stands there says nothing. */
		c->faulty = true;
		c->nr++;
		absent(c, f);
		return;
	}
	fprintf(c->out, "%s: ", f->member);
	switch (f->type) {
	case FT_INT:
	case FT_SIZE:
	case FT_TIME:
		number(c, f, n);
		break;
	case FT_BOOL:
		fputs(boolean(c, f->key, n) ? "true" : "false", c->out);
		break;
	case FT_WORD:
		fprintf(c->out, "%" PRId64, word(c, f->key, n, f->words));
		break;
	case FT_TEXT:
	case FT_EXPR:
		text(c, f, n);
		break;
	case FT_NAME:
		name(c, f, n);
		break;
	case FT_SCALARS:
		scalars(c, f, n);
		break;
	case FT_ARGS:
		args(c, f, n);
		break;
	case FT_MKEY:
		machine_key(c, f, n);
		break;
	case FT_MAP:
		check_map(c, f->sub, n, f->key);
		break;
	case FT_LIST:
		list(c, f, n);
		break;
	}
}

static const char *key_name(const void *ctx, size_t i)
{
	const struct map_spec *spec = ctx;

	return spec->fields[i].key;
}

static void keys_text(const struct map_spec *spec, char *buf, size_t size)
{
	size_t at = 0;

	buf[0] = '\0';
	for (const struct field_spec *f = spec->fields; f->key && at < size; f++)
		if (f == spec->fields || strcmp(f->key, f[-1].key) != 0)
			at += (size_t)snprintf(buf + at, size - at, "%s%s", at ? ", " : "", f->key);
}

/* Two tables entries may have one key: then the node's kind decides. */
static bool takes(const struct field_spec *f, const struct node *n)
{
	bool wants_list = f->type == FT_LIST || f->type == FT_SCALARS;

	return wants_list == (n->kind == NODE_LIST);
}

static const struct field_spec *find_field(const struct map_spec *spec, const char *key,
					   const struct node *n)
{
	const struct field_spec *found = NULL;

	for (const struct field_spec *f = spec->fields; f->key; f++)
		if (strcmp(f->key, key) == 0 && (!found || takes(f, n)))
			found = f;
	return found;
}

static void unknown_keys(struct check *c, const struct map_spec *spec, const struct node *n,
			 const char *key)
{
	for (u32 i = 0; i < n->nr; i++) {
		const char *near, *word_ = n->keys[i]->text;
		char all[400];

		if (find_field(spec, word_, n->items[i]))
			continue;
		near = base_near(word_, key_name, spec);
		keys_text(spec, all, sizeof(all));
		base_diag_hint(fault(c, n->keys[i], "%s has no key '%.100s'", key, word_),
			       near ? "did you mean %s?" : "expected one of %s", near ? near : all);
	}
}

/* Exactly one key, which says what the map is. */
static void want_one(struct check *c, const struct map_spec *spec, const struct node *n)
{
	char all[400];

	if (n->nr == 1)
		return;
	if (n->nr == 0) {
		keys_text(spec, all, sizeof(all));
		base_diag_hint(fault(c, n, "%s without a kind", spec->help), "expected one of %s",
			       all);
		return;
	}
	base_diag_hint(
		fault(c, n->keys[1], "%s has one kind; this one has '%.60s' and '%.60s'",
		      spec->help, n->keys[0]->text, n->keys[1]->text),
		"begin a new entry of the list with '- '; what belongs to a kind stands in { } or is indented more");
}

/* `say: text` for `say: {text: ...}`. */
static bool short_form(struct check *c, const struct map_spec *spec, const struct node *n)
{
	if (!spec->plain || spec->plain == one_of || n->kind != NODE_SCALAR)
		return false;
	putc('{', c->out);
	for (const struct field_spec *f = spec->fields; f->key; f++) {
		bool written = true;

		if (strcmp(f->key, spec->plain) == 0)
			value(c, f, n);
		else
			written = absent(c, f);
		if (written)
			fputs(f[1].key ? ", " : "", c->out);
	}
	putc('}', c->out);
	return true;
}

static void whole_value(struct check *c, const struct field_spec *f, const struct node *v,
			bool of_root)
{
	u32 nr = c->nr;

	value(c, f, v);
	if (of_root)
		keep_in(c, nr, (struct node *)(uintptr_t)v);
}

static void check_map(struct check *c, const struct map_spec *spec, const struct node *n,
		      const char *key)
{
	const char *comma = "";
	char all[400];

	if (spec->plain == one_of)
		key = spec->help;
	if (short_form(c, spec, n))
		return;
	if (n->kind != NODE_MAP) {
		keys_text(spec, all, sizeof(all));
		base_diag_hint(fault(c, n, "%s is %s", key,
				     n->kind == NODE_SCALAR && n->len == 0 ? "empty" :
									     kind_text(n)),
			       "expected keys with values: %s", all);
		return;
	}
	unknown_keys(c, spec, n, key);
	if (spec->plain == one_of)
		want_one(c, spec, n);
	putc('{', c->out);
	for (const struct field_spec *f = spec->fields; f->key; f++) {
		const struct node *v = node_get(n, f->key);

		if (v && find_field(spec, f->key, v) != f)
			v = NULL;
		else if (!v && f->required)
			base_diag_hint(fault(c, n, "%s lacks the key '%s'", key, f->key),
				       "expected %s: %s", f->key, f->help);
		if (!v && f->type == FT_MAP)
			continue;
		fputs(comma, c->out);
		comma = ",\n";
		if (v)
			whole_value(c, f, v, n == c->doc->root);
		else
			absent(c, f);
	}
	putc('}', c->out);
}

/* ---- loading --------------------------------------------------------------------------------------------------------- */

const struct node *schema_node(const struct node *whole, const char *key)
{
	const struct node *n = node_get(whole, key);

	return n ? n : whole;
}

static void bind_map(const struct map_spec *spec, const struct node *n, char *data);

static void bind_args(const struct node *n, struct fmt_arg *items, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		items[i].node = n->items[i];
}

static u32 item_size(const struct map_spec *spec)
{
	return spec->cyaml->data_size;
}

/* Gives each struct the node that it came from; both have the same shape by now. */
static void bind_map(const struct map_spec *spec, const struct node *n, char *data)
{
	memcpy(data, &n, sizeof(n));
	for (const struct field_spec *f = spec->fields; f->key; f++) {
		const struct node *v = node_get(n, f->key);
		char *sub;
		u32 nr;

		if (!v || find_field(spec, f->key, v) != f ||
		    (f->type != FT_MAP && f->type != FT_LIST && f->type != FT_ARGS))
			continue;
		memcpy(&sub, data + f->offset, sizeof(sub));
		if (f->type == FT_MAP) {
			bind_map(f->sub, v, sub);
			continue;
		}
		memcpy(&nr, data + f->count_offset, sizeof(nr));
		BASE_CHECK(nr == v->nr, "%u of %u entries of %s", nr, v->nr, f->key);
		if (f->type == FT_ARGS)
			bind_args(v, (struct fmt_arg *)(void *)sub, nr);
		for (u32 i = 0; i < nr && f->type == FT_LIST; i++)
			bind_map(f->sub, v->items[i], sub + (size_t)i * item_size(f->sub));
	}
}

enum { CYAML_SAYS_MAX = 200 };

/* The first complaint of libcyaml, for a fault that only a bug of ours could cause. */
static void cyaml_says(cyaml_log_t level, void *ctx, const char *fmt, va_list ap)
{
	char *buf = ctx;

	if (level >= CYAML_LOG_ERROR && !buf[0])
		vsnprintf(buf, CYAML_SAYS_MAX, fmt, ap);
}

static cyaml_config_t config(char log_buf[CYAML_SAYS_MAX])
{
	return (cyaml_config_t){
		.log_fn = cyaml_says,
		.log_ctx = log_buf,
		.log_level = CYAML_LOG_ERROR,
		.mem_fn = cyaml_mem,
		.flags = CYAML_CFG_NO_ALIAS,
	};
}

/* Checks the document and writes it anew into *buf, for free(); true if nothing is wrong with it. */
static bool check_all(struct node_doc *doc, const struct map_spec *spec, struct diags *ds,
		      char **buf, size_t *size)
{
	struct check c = { .doc = doc, .ds = ds };

	*buf = NULL;
	c.out = open_memstream(buf, size);
	BASE_CHECK(c.out != NULL, "%s", spec->name);
	check_map(&c, spec, doc->root, spec->help);
	fclose(c.out);
	return !c.faulty;
}

static enum base_err load_text(struct node_doc *doc, const struct map_spec *spec, const char *buf,
			       size_t size, void **data, struct diags *ds)
{
	char log_buf[CYAML_SAYS_MAX] = "";
	cyaml_config_t cfg = config(log_buf);
	cyaml_err_t err = cyaml_load_data((const unsigned char *)buf, size, &cfg, spec->cyaml,
					  (cyaml_data_t **)data, NULL);

	if (err != CYAML_OK) {
		base_diags_add(ds, BASE_ERR_SYNTAX, doc->text.name, 0, 0,
			       "cannot be loaded: %s (%s)", cyaml_strerror(err), log_buf);
		*data = NULL;
		return BASE_ERR_SYNTAX;
	}
	bind_map(spec, doc->root, *data);
	return BASE_ERR_OK;
}

enum base_err schema_load(struct node_doc *doc, const struct map_spec *spec, void **data,
			  struct diags *ds)
{
	enum base_err err = BASE_ERR_SYNTAX;
	size_t size;
	char *buf;

	*data = NULL;
	if (check_all(doc, spec, ds, &buf, &size))
		err = load_text(doc, spec, buf, size, data, ds);
	free(buf);
	return err;
}

/* Entries of lists, and keys of the whole, that had a fault; a list that had nothing else is one. */
static void take_out(struct node *n, bool whole)
{
	u32 kept = 0;

	if (n->kind == NODE_SCALAR)
		return;
	for (u32 i = 0; i < n->nr; i++) {
		if ((whole || n->kind == NODE_LIST) && n->items[i]->faulty)
			continue;
		take_out(n->items[i], false);
		if (n->kind == NODE_MAP)
			n->keys[kept] = n->keys[i];
		n->items[kept++] = n->items[i];
	}
	n->nr = kept;
}

enum base_err schema_load_sound(struct node_doc *doc, const struct map_spec *spec, void **data,
				struct diags *ds)
{
	struct diags unseen;
	size_t size;
	char *buf;

	*data = NULL;
	if (check_all(doc, spec, ds, &buf, &size)) {
		enum base_err err = load_text(doc, spec, buf, size, data, ds);

		free(buf);
		return err;
	}
	free(buf);
	if (doc->root->kind != NODE_MAP)
		return BASE_ERR_SYNTAX;
	take_out(doc->root, true);
	base_diags_init(&unseen, 1);
	/* What is missing now has its default; whether the rest is whole is libcyaml's to say. */
	check_all(doc, spec, &unseen, &buf, &size);
	/* libcyaml calls nothing at all a success. */
	if (size)
		load_text(doc, spec, buf, size, data, &unseen);
	base_diags_free(&unseen);
	free(buf);
	return BASE_ERR_SYNTAX;
}

void schema_free(const struct map_spec *spec, void *data)
{
	char log_buf[CYAML_SAYS_MAX] = "";
	cyaml_config_t cfg = config(log_buf);

	if (data)
		cyaml_free(&cfg, spec->cyaml, data, 0);
}

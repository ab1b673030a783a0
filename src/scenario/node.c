/* SPDX-License-Identifier: GPL-2.0-only */
#include "node.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

enum { ARENA_BLOCK = 1 << 16 };

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	max_align_t data[];
};

void *node_alloc(struct node_doc *doc, size_t bytes)
{
	struct arena_block *b = doc->blocks;
	size_t want = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	char *p;

	if (!b || b->size - b->used < want) {
		size_t size = want > ARENA_BLOCK ? want : ARENA_BLOCK;

		b = base_alloc(1, sizeof(*b) + size);
		b->size = size;
		b->next = doc->blocks;
		doc->blocks = b;
	}
	p = (char *)b->data + b->used;
	b->used += want;
	return p;
}

void node_doc_free(struct node_doc *doc)
{
	while (doc->blocks) {
		struct arena_block *b = doc->blocks;

		doc->blocks = b->next;
		free(b);
	}
	base_text_free(&doc->text);
	doc->root = NULL;
}

/* ---- faults ---------------------------------------------------------------------------------------------------------- */

static struct diag *fault_at(const struct node_doc *doc, struct diags *ds, enum base_err code,
			     u64 line, u64 column, const char *message)
{
	struct diag *d = base_diags_add(ds, code, doc->text.name, line, column, "%s", message);

	base_diag_excerpt_text(d, &doc->text);
	return d;
}

struct diag *node_fault(const struct node_doc *doc, struct diags *ds, enum base_err code,
			const struct node *node, const char *fmt, ...)
{
	char message[BASE_DIAG_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	return fault_at(doc, ds, code, node->line, node->column, message);
}

/* ---- reading --------------------------------------------------------------------------------------------------------- */

struct anchor {
	char *name;
	struct node *node; /* NULL while it is being read */
};

struct level {
	struct node *node;
	size_t cap;
	struct node *key; /* map: the key whose value comes next */
	char *anchor;
};

struct reader {
	struct node_doc *doc;
	struct diags *ds;
	yaml_parser_t parser;
	struct level levels[NODE_DEPTH_MAX + 1];
	u32 depth;
	u64 total, bytes;
	struct anchor *anchors;
	size_t nr_anchors, cap_anchors;
	bool faulty; /* a fault that need not end the reading */
	bool stop;   /* one that does */
};

static struct diag *fail_mark(struct reader *r, yaml_mark_t mark, enum base_err code,
			      const char *message)
{
	r->faulty = true;
	return fault_at(r->doc, r->ds, code, mark.line + 1, mark.column + 1, message);
}

static struct diag *stop_mark(struct reader *r, yaml_mark_t mark, enum base_err code,
			      const char *message)
{
	r->stop = true;
	return fail_mark(r, mark, code, message);
}

static struct node *new_node(struct reader *r, enum node_kind kind, yaml_mark_t mark)
{
	struct node *n = node_alloc(r->doc, sizeof(*n));

	n->kind = (u8)kind;
	n->line = (u32)mark.line + 1;
	n->column = (u32)mark.column + 1;
	n->expanded = 1;
	return n;
}

static void grow(struct reader *r, struct level *l)
{
	struct node *n = l->node;
	size_t cap = l->cap ? l->cap * 2 : 4;
	struct node **items = node_alloc(r->doc, cap * sizeof(*items));

	if (n->nr)
		memcpy(items, n->items, n->nr * sizeof(*items));
	n->items = items;
	if (n->kind == NODE_MAP) {
		struct node **keys = node_alloc(r->doc, cap * sizeof(*keys));

		if (n->nr)
			memcpy(keys, n->keys, n->nr * sizeof(*keys));
		n->keys = keys;
	}
	l->cap = cap;
}

/* A finished node counts into the one around it; bombs are noticed here. */
static void count_in(struct reader *r, struct node *parent, const struct node *child,
		     yaml_mark_t mark)
{
	parent->expanded += child->expanded;
	parent->expanded_bytes += child->expanded_bytes;
	if (child->height + 1 > parent->height)
		parent->height = (u16)(child->height + 1);
	if (parent->expanded > NODE_COUNT_MAX || r->total > NODE_COUNT_MAX) {
		struct diag *d = stop_mark(r, mark, BASE_ERR_TOO_LARGE, "more than 1000000 values");
		base_diag_hint(d, "an alias counts as often as it is used");
	} else if (parent->expanded_bytes > NODE_TEXT_MAX) {
		stop_mark(r, mark, BASE_ERR_TOO_LARGE, "more than 64 MiB of text");
	} else if (r->depth + child->height > NODE_DEPTH_MAX) {
		struct diag *d =
			stop_mark(r, mark, BASE_ERR_TOO_LARGE, "nested more than 64 levels deep");
		base_diag_hint(d, "a repeat in a repeat takes three levels");
	}
}

static void take_key(struct reader *r, struct level *l, struct node *key, yaml_mark_t mark)
{
	char message[256];

	if (key->kind != NODE_SCALAR) {
		stop_mark(r, mark, BASE_ERR_SYNTAX, "a key must be a word");
		return;
	}
	if (node_is_plain(key) && strcmp(key->text, "<<") == 0) {
		struct diag *d =
			fail_mark(r, mark, BASE_ERR_SYNTAX, "merge keys (<<) are not understood");
		base_diag_hint(d, "write the keys out, or use an alias for a whole value");
	}
	for (u32 i = 0; i < l->node->nr; i++) {
		const struct node *old = l->node->keys[i];

		if (strcmp(old->text, key->text) != 0)
			continue;
		snprintf(message, sizeof(message), "the key '%.100s' stands here a second time",
			 key->text);
		base_diag_hint(fail_mark(r, mark, BASE_ERR_SYNTAX, message),
			       "the first one is in line %u", old->line);
		break;
	}
	if (l->node->nr >= NODE_KEYS_MAX && !r->stop)
		stop_mark(r, mark, BASE_ERR_TOO_LARGE, "more than 1000 keys in one place");
	l->key = key;
}

/* A node is complete: into its parent, or it is the document. */
static void place_node(struct reader *r, struct node *n, yaml_mark_t mark)
{
	struct level *l;

	if (r->depth == 0) {
		r->doc->root = n;
		return;
	}
	l = &r->levels[r->depth - 1];
	if (l->node->kind == NODE_MAP && !l->key) {
		take_key(r, l, n, mark);
	} else {
		if (l->node->nr == l->cap)
			grow(r, l);
		if (l->node->kind == NODE_MAP)
			l->node->keys[l->node->nr] = l->key;
		l->key = NULL;
		l->node->items[l->node->nr++] = n;
	}
	count_in(r, l->node, n, mark);
}

static void add_anchor(struct reader *r, const char *name, struct node *node)
{
	size_t i;

	for (i = 0; i < r->nr_anchors; i++)
		if (strcmp(r->anchors[i].name, name) == 0)
			break;
	if (i == r->nr_anchors) {
		if (i == r->cap_anchors) {
			r->cap_anchors = i * 2 + 16;
			r->anchors = realloc(r->anchors, r->cap_anchors * sizeof(*r->anchors));
			BASE_CHECK(r->anchors != NULL, "%zu anchors", r->cap_anchors);
		}
		r->anchors[r->nr_anchors++].name = base_strdup(name);
	}
	r->anchors[i].node = node;
}

static void on_alias(struct reader *r, const yaml_event_t *e)
{
	const char *name = (const char *)e->data.alias.anchor;
	char message[256];

	for (size_t i = 0; i < r->nr_anchors; i++) {
		if (strcmp(r->anchors[i].name, name) != 0)
			continue;
		if (r->anchors[i].node) {
			place_node(r, r->anchors[i].node, e->start_mark);
			return;
		}
		snprintf(message, sizeof(message), "the alias *%.100s stands inside what it names",
			 name);
		stop_mark(r, e->start_mark, BASE_ERR_SYNTAX, message);
		return;
	}
	snprintf(message, sizeof(message), "the alias *%.100s names nothing above it", name);
	base_diag_hint(stop_mark(r, e->start_mark, BASE_ERR_SYNTAX, message),
		       "put the text in quotes if no alias is meant");
}

/* Control characters that escapes can bring in; a newline and a tab may be. */
static bool has_control(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)s[i] < 0x20 && s[i] != '\n' && s[i] != '\t')
			return true;
	return false;
}

static void refuse_tag(struct reader *r, const yaml_event_t *e, const yaml_char_t *tag)
{
	char message[256];

	if (!tag)
		return;
	snprintf(message, sizeof(message), "the tag %.100s is not understood", (const char *)tag);
	base_diag_hint(fail_mark(r, e->start_mark, BASE_ERR_SYNTAX, message),
		       "leave it out: the key says of what kind its value is");
}

static void on_scalar(struct reader *r, const yaml_event_t *e)
{
	struct node *n = new_node(r, NODE_SCALAR, e->start_mark);

	switch (e->data.scalar.style) {
	case YAML_SINGLE_QUOTED_SCALAR_STYLE:
		n->style = NODE_SINGLE;
		break;
	case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
		n->style = NODE_DOUBLE;
		break;
	case YAML_LITERAL_SCALAR_STYLE:
	case YAML_FOLDED_SCALAR_STYLE:
		n->style = NODE_BLOCK;
		break;
	default:
		n->style = NODE_PLAIN;
	}
	n->len = e->data.scalar.length;
	n->text = node_alloc(r->doc, n->len + 1);
	memcpy(n->text, e->data.scalar.value, n->len);
	n->raw = n->text;
	n->raw_len = n->len;
	n->expanded_bytes = n->len;
	r->bytes += n->len;
	r->total++;
	refuse_tag(r, e, e->data.scalar.tag);
	if (has_control(n->text, n->len))
		fail_mark(r, e->start_mark, BASE_ERR_SYNTAX, "a control character in a text");
	if (e->data.scalar.anchor)
		add_anchor(r, (const char *)e->data.scalar.anchor, n);
	place_node(r, n, e->start_mark);
}

static void on_start(struct reader *r, const yaml_event_t *e, enum node_kind kind,
		     const yaml_char_t *anchor, const yaml_char_t *tag)
{
	struct level *l;

	refuse_tag(r, e, tag);
	if (r->depth >= NODE_DEPTH_MAX) {
		base_diag_hint(stop_mark(r, e->start_mark, BASE_ERR_TOO_LARGE,
					 "nested more than 64 levels deep"),
			       "a repeat in a repeat takes three levels");
		return;
	}
	l = &r->levels[r->depth++];
	memset(l, 0, sizeof(*l));
	l->node = new_node(r, kind, e->start_mark);
	r->total++;
	if (anchor) {
		l->anchor = base_strdup((const char *)anchor);
		add_anchor(r, l->anchor, NULL);
	}
}

static void on_end(struct reader *r, const yaml_event_t *e)
{
	struct level *l = &r->levels[--r->depth];
	yaml_mark_t mark = e->start_mark;

	mark.line = l->node->line - 1;
	mark.column = l->node->column - 1;
	if (l->anchor)
		add_anchor(r, l->anchor, l->node);
	free(l->anchor);
	l->anchor = NULL;
	place_node(r, l->node, mark);
}

static void on_event(struct reader *r, const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (r->doc->root)
			base_diag_hint(stop_mark(r, e->start_mark, BASE_ERR_SYNTAX,
						 "a second document begins here"),
				       "one file holds one document");
		break;
	case YAML_ALIAS_EVENT:
		on_alias(r, e);
		break;
	case YAML_SCALAR_EVENT:
		on_scalar(r, e);
		break;
	case YAML_SEQUENCE_START_EVENT:
		on_start(r, e, NODE_LIST, e->data.sequence_start.anchor,
			 e->data.sequence_start.tag);
		break;
	case YAML_MAPPING_START_EVENT:
		on_start(r, e, NODE_MAP, e->data.mapping_start.anchor, e->data.mapping_start.tag);
		break;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		on_end(r, e);
		break;
	default:
		break;
	}
	if (r->total > NODE_COUNT_MAX && !r->stop)
		stop_mark(r, e->start_mark, BASE_ERR_TOO_LARGE, "more than 1000000 values");
	if (r->nr_anchors > NODE_ANCHORS_MAX && !r->stop)
		stop_mark(r, e->start_mark, BASE_ERR_TOO_LARGE, "more than 1000 anchors");
}

/* Is there a tab in what a line is indented with? */
static bool begins_with_tab(const struct base_text *text, uint64_t line)
{
	const char *start;
	size_t len;

	return base_text_line(text, line, &start, &len) &&
	       memchr(start, '\t', strspn(start, " \t")) != NULL;
}

/* libyaml's own words for what it could not read, at its own mark. */
static void syntax_fault(struct reader *r)
{
	yaml_parser_t *p = &r->parser;
	char message[512];
	struct diag *d;
	u64 line, column;

	if (p->error == YAML_MEMORY_ERROR) {
		base_diags_add(r->ds, BASE_ERR_NO_MEMORY, r->doc->text.name, 0, 0,
			       "no memory to read it");
	} else if (p->error == YAML_READER_ERROR) {
		base_text_place(&r->doc->text, p->problem_offset, &line, &column);
		snprintf(message, sizeof(message), "not a text: %s", p->problem);
		base_diag_hint(fault_at(r->doc, r->ds, BASE_ERR_CORRUPT, line, column, message),
			       "a scenario is UTF-8 text");
	} else {
		snprintf(message, sizeof(message), "not YAML: %s%s%s",
			 p->problem ? p->problem : "cannot be read", p->context ? ", " : "",
			 p->context ? p->context : "");
		d = fault_at(r->doc, r->ds, BASE_ERR_SYNTAX, p->problem_mark.line + 1,
			     p->problem_mark.column + 1, message);
		if (begins_with_tab(&r->doc->text, p->problem_mark.line + 1))
			base_diag_hint(d, "YAML is indented with spaces; here is a tab");
		else if (p->context && strstr(p->context, "flow"))
			base_diag_hint(d, "a text with any of [ ] { } , in it needs quotes");
	}
	r->faulty = r->stop = true;
}

static void read_events(struct reader *r)
{
	bool end = false;

	while (!end && !r->stop) {
		yaml_event_t e;

		if (!yaml_parser_parse(&r->parser, &e)) {
			syntax_fault(r);
			return;
		}
		on_event(r, &e);
		end = e.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&e);
	}
}

enum base_err node_read(struct node_doc *doc, struct diags *ds)
{
	struct reader *r = base_alloc(1, sizeof(*r));
	enum base_err err = BASE_ERR_OK;

	r->doc = doc;
	r->ds = ds;
	BASE_CHECK(yaml_parser_initialize(&r->parser), "%s", "libyaml does not start");
	yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r->parser, (const unsigned char *)doc->text.data,
				     doc->text.len);
	read_events(r);
	yaml_parser_delete(&r->parser);
	if (!doc->root && !r->faulty) {
		base_diag_hint(base_diags_add(ds, BASE_ERR_SYNTAX, doc->text.name, 1, 1,
					      "the file is empty"),
			       "expected keys with values, one in a line");
		r->faulty = true;
	}
	if (r->faulty)
		err = BASE_ERR_SYNTAX;
	for (u32 i = 0; i < r->depth; i++)
		free(r->levels[i].anchor);
	for (size_t i = 0; i < r->nr_anchors; i++)
		free(r->anchors[i].name);
	free(r->anchors);
	free(r);
	return err;
}

/* ---- looking --------------------------------------------------------------------------------------------------------- */

struct node *node_get(const struct node *map, const char *key)
{
	if (!map || map->kind != NODE_MAP)
		return NULL;
	for (u32 i = 0; i < map->nr; i++)
		if (strcmp(map->keys[i]->text, key) == 0)
			return map->items[i];
	return NULL;
}

bool node_is_plain(const struct node *node)
{
	return node->kind == NODE_SCALAR && node->style == NODE_PLAIN;
}

/* The byte of @raw that byte @byte of the text with ${...} replaced came from: the $ for what was put in. */
static size_t raw_byte(const struct node *n, size_t byte)
{
	size_t i = 0, same;

	if (!n->drawn)
		return byte;
	/* what is before the first and behind the last ${...} moved as a whole */
	while (i < n->raw_len && i < byte && n->raw[i] == n->text[i] &&
	       !(n->raw[i] == '$' && n->raw[i + 1] == '{'))
		i++;
	if (i == byte)
		return byte;
	for (same = 0; same < n->len - byte && same < n->raw_len &&
		       n->raw[n->raw_len - 1 - same] == n->text[n->len - 1 - same];
	     same++)
		;
	return same == n->len - byte && same > 0 ? n->raw_len - same : i;
}

/* Bytes that one character of a double-quoted scalar takes in the file, and in its text. */
static size_t escape_len(const char *s, size_t len, size_t *in_text)
{
	*in_text = 1;
	if (len < 2 || s[0] != '\\')
		return 1;
	switch (s[1]) {
	case 'x':
		return 4;
	case 'u':
		return 6;
	case 'U':
		return 10;
	default:
		return 2;
	}
}

void node_byte_place(const struct node_doc *doc, const struct node *node, size_t byte, u64 *line,
		     u64 *column)
{
	size_t want = raw_byte(node, byte), at, seen = 0, len, i, in_text;
	const char *start;

	*line = node->line;
	*column = node->column;
	if (node->style == NODE_BLOCK || memchr(node->raw, '\n', node->raw_len) ||
	    !base_text_line(&doc->text, node->line, &start, &len))
		return;
	/* characters of the mark into bytes of the line */
	for (at = 0, i = 1; i < node->column && at < len; i++) {
		u32 code;
		size_t n = base_utf8_len(start + at, len - at, &code);

		at += n ? n : 1;
	}
	if (node->style != NODE_PLAIN)
		at++;
	while (seen < want && at < len) {
		size_t n = 1;

		in_text = 1;
		if (node->style == NODE_DOUBLE)
			n = escape_len(start + at, len - at, &in_text);
		else if (node->style == NODE_SINGLE && start[at] == '\'')
			n = 2;
		at += n;
		seen += in_text;
	}
	/* a scalar over several lines, folded into one */
	if (at > len)
		return;
	*column = base_column(start, len, at);
}

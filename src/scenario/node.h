/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A YAML text as a tree of nodes with places, read through libyaml's events. Bounded whatever the text is: nesting, nodes
 * with aliases counted as often as they are used, bytes of text. What later stages could misread is refused here: a second
 * document, duplicate keys, tags, merge keys, keys that are no words, aliases that contain themselves. Only the scenario
 * part calls this.
 */
#ifndef SCENARIO_NODE_H
#define SCENARIO_NODE_H

#include "base/diag.h"
#include "base/text.h"
#include "core/types.h"

enum {
	NODE_DEPTH_MAX = 64,
	NODE_COUNT_MAX = 1000000,
	NODE_FILE_MAX = 16 << 20,
	NODE_TEXT_MAX = 64 << 20, /* scalar text in all, aliases expanded */
	NODE_KEYS_MAX = 1000,	  /* of one map: no format has so many */
	NODE_ANCHORS_MAX = 1000,
};

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };
enum node_style { NODE_PLAIN, NODE_SINGLE, NODE_DOUBLE, NODE_BLOCK };

struct node {
	u8 kind, style;
	bool drawn;	    /* scalar: ${...} was replaced, text is not what stands in the file */
	bool visited;	    /* by the pass that replaces */
	bool faulty;	    /* a fault of it was told: what comes later leaves it alone */
	u16 height;	    /* levels below */
	u32 line, column;   /* from 1 */
	u32 nr;		    /* items; map: keys */
	u64 expanded;	    /* nodes in it with aliases expanded */
	u64 expanded_bytes; /* of scalars, likewise */
	char *text;	    /* scalar */
	const char *raw;    /* scalar: as it was before ${...} was replaced */
	size_t len, raw_len;
	struct node **items; /* list: items; map: values */
	struct node **keys;
};

struct node_doc {
	struct base_text text;
	struct node *root;
	struct arena_block *blocks;
};

/* Reads a text into @doc->root; @doc->text must be filled. All faults go to @ds. */
enum base_err node_read(struct node_doc *doc, struct diags *ds);
void node_doc_free(struct node_doc *doc);
/* Memory that lives as long as the document, zeroed. */
void *node_alloc(struct node_doc *doc, size_t bytes);

/* The value of a key of a map, NULL if there is none. */
struct node *node_get(const struct node *map, const char *key);
/* Scalars that are no more than their letters: not quoted, not a block. */
bool node_is_plain(const struct node *node);

/* A fault at a node, with its line. */
struct diag *node_fault(const struct node_doc *doc, struct diags *ds, enum base_err code,
			const struct node *node, const char *fmt, ...) BASE_PRINTF(5, 6);
/* The place in the file of a byte of a scalar's text; the scalar's beginning where it cannot be told. */
void node_byte_place(const struct node_doc *doc, const struct node *node, size_t byte, u64 *line,
		     u64 *column);

#endif

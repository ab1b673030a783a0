/* SPDX-License-Identifier: GPL-2.0-only */
/* A machine out of its table: keys, zones, nodes, caches, machine files, and single keys of --set. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "base/number.h"
#include "program.h"
#include "schema.h"

#define fault(doc, ds, n, ...) node_fault(doc, ds, BASE_ERR_SYNTAX, n, __VA_ARGS__)

/* ---- paths ----------------------------------------------------------------------------------------------------------- */

char *path_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = base_strdup(slash ? path : ".");

	if (slash)
		folder[slash == path ? 1 : slash - path] = '\0';
	return folder;
}

char *path_beside(const char *folder, const char *name)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path;

	if (name[0] == '/' || strcmp(folder, ".") == 0)
		return base_strdup(name);
	path = base_alloc(1, size);
	snprintf(path, size, "%s/%s", folder, name);
	return path;
}

/* ---- zones by name --------------------------------------------------------------------------------------------------- */

void machine_zone_choices(const struct machine *m, char *buf, size_t size)
{
	size_t at = 0;

	buf[0] = '\0';
	for (u32 i = 0; i < m->nr_zones && at < size; i++) {
		const struct machine_zone *z = &m->zones[i];

		if (m->nodes > 1)
			at += (size_t)snprintf(buf + at, size - at, "%s%u (node[%u].%s)",
					       i ? ", " : "", i, z->node, zone_type_names[z->type]);
		else
			at += (size_t)snprintf(buf + at, size - at, "%s%u (%s)", i ? ", " : "", i,
					       zone_type_names[z->type]);
	}
}

int machine_zone_find(const struct machine *m, const char *name, char *message, size_t size)
{
	char node_name[64], choices[160];
	int found = -1;
	u32 hits = 0;
	u64 n;

	if (base_parse_uint(name, strlen(name), 0, UINT32_MAX, &n, NULL) == BASE_ERR_OK) {
		if (n < m->nr_zones)
			return (int)n;
	} else {
		for (u32 i = 0; i < m->nr_zones; i++) {
			const struct machine_zone *z = &m->zones[i];

			snprintf(node_name, sizeof(node_name), "node[%u].%s", z->node,
				 zone_type_names[z->type]);
			if (strcmp(name, node_name) == 0)
				return (int)i;
			if (strcmp(name, zone_type_names[z->type]) == 0) {
				found = (int)i;
				hits++;
			}
		}
		if (hits == 1)
			return found;
	}
	machine_zone_choices(m, choices, sizeof(choices));
	snprintf(message, size,
		 hits ? "'%.40s' names several zones: %s" :
			"'%.40s' is not a zone of this machine: %s",
		 name, choices);
	return -1;
}

/* ---- keys ------------------------------------------------------------------------------------------------------------ */

/* What a key replaces: lists that say the same in another way. */
static void key_replaces(struct machine *m, const char *key)
{
	if (strcmp(key, "memory") == 0 || strcmp(key, "nodes") == 0 ||
	    strcmp(key, "first_pfn") == 0)
		m->nr_zones = 0;
	if (strcmp(key, "cpus") == 0 || strcmp(key, "nodes") == 0)
		m->nr_cpu_nodes = 0;
	if (strcmp(key, "data_cache") == 0)
		m->nr_caches = 0;
}

static void apply_keys(struct machine *m, const struct fmt_machine *fmt, const struct node_doc *doc,
		       struct diags *ds)
{
	struct sim_error err;

#define MKEY(name, type, unit, min, max, def, help)                                       \
	if (fmt->name != KEY_ABSENT) {                                                    \
		key_replaces(m, #name);                                                   \
		if (machine_set(m, machine_key_find(#name), fmt->name, &err))             \
			fault(doc, ds, schema_node(fmt->node, #name), "%s", err.message); \
	}
#include "core/machine.def"
#undef MKEY
}

static bool exclude(const struct fmt_machine *fmt, const char *list, const char *key,
		    const struct node_doc *doc, struct diags *ds)
{
	const struct node *n = node_get(fmt->node, key);

	if (!n || n->kind == NODE_LIST)
		return false;
	base_diag_hint(fault(doc, ds, n, "%s and %s exclude each other", list, key),
		       "the list of %s says it already", list);
	return true;
}

static bool apply_zone(struct machine *m, u32 node, const struct fmt_zone *z,
		       const struct node_doc *doc, struct diags *ds)
{
	u64 start = z->start_pfn < 0 ? MACHINE_PFN_AUTO : (u64)z->start_pfn;
	struct sim_error err;

	if (z->size % PAGE_SIZE) {
		base_diag_hint(fault(doc, ds, schema_node(z->node, "size"),
				     "the size is not a whole number of pages"),
			       "expected a multiple of 4KiB");
		return false;
	}
	if (machine_add_zone(m, node, (enum zone_type)z->type, start, (u64)z->size / PAGE_SIZE,
			     &err)) {
		fault(doc, ds, z->node, "%s", err.message);
		return false;
	}
	for (u32 i = 0; i < z->watermarks_count; i++) {
		const struct node *list = node_get(z->node, "watermarks");
		struct machine_zone *zone = &m->zones[m->nr_zones - 1];
		struct diag d;
		s64 v = 0;

		if (base_parse_int(z->watermarks[i], strlen(z->watermarks[i]), 0, INT32_MAX, &v,
				   &d))
			base_diag_hint(fault(doc, ds, list->items[i], "watermarks: %.900s",
					     d.message),
				       "%s", d.hint);
		else if (i && v < zone->wmark[i - 1])
			base_diag_hint(fault(doc, ds, list->items[i],
					     "watermarks: %" PRId64 " is less than the one before",
					     v),
				       "expected [min, low, high]");
		zone->wmark[i] = v;
	}
	return true;
}

static void apply_zones(struct machine *m, const struct fmt_machine *fmt,
			const struct node_doc *doc, struct diags *ds)
{
	if (exclude(fmt, "zones", "memory", doc, ds) || exclude(fmt, "zones", "nodes", doc, ds))
		return;
	m->nr_zones = 0;
	m->nodes = 1;
	for (u32 i = 0; i < fmt->zones_count; i++)
		apply_zone(m, 0, &fmt->zones[i], doc, ds);
}

/* The CPU numbers of all nodes are 0.. without gaps, each once. */
static void apply_cpus(struct machine *m, const struct fmt_machine *fmt, const struct node_doc *doc,
		       struct diags *ds)
{
	u16 *node_of = base_alloc(MACHINE_CPUS_MAX, sizeof(*node_of));
	u32 nr = 0, top = 0;
	bool good = true;

	for (u32 i = 0; i < fmt->node_list_count; i++) {
		const struct fmt_node *fn = &fmt->node_list[i];
		const struct node *list = node_get(fn->node, "cpus");

		for (u32 j = 0; j < fn->cpus_count; j++) {
			struct diag d;
			u64 cpu = 0;

			if (base_parse_uint(fn->cpus[j], strlen(fn->cpus[j]), 0,
					    MACHINE_CPUS_MAX - 1, &cpu, &d)) {
				base_diag_hint(fault(doc, ds, list->items[j], "cpus: %.900s",
						     d.message),
					       "%s", d.hint);
				good = false;
			} else if (node_of[cpu]) {
				fault(doc, ds, list->items[j], "CPU %" PRIu64 " stands twice", cpu);
				good = false;
			} else {
				node_of[cpu] = (u16)(i + 1);
				nr++;
				if (cpu + 1 > top)
					top = (u32)cpu + 1;
			}
		}
	}
	if (good && (nr != top || nr == 0)) {
		base_diag_hint(fault(doc, ds, schema_node(fmt->node, "nodes"),
				     nr ? "the CPUs of the nodes have gaps" : "no node has a CPU"),
			       "expected the numbers 0 to %u, each once", nr ? nr - 1 : 0);
		good = false;
	}
	m->nr_cpu_nodes = 0;
	for (u32 cpu = 0; good && cpu < nr; cpu++)
		machine_add_cpu(m, node_of[cpu] - 1u, NULL);
	free(node_of);
}

static void apply_nodes(struct machine *m, const struct fmt_machine *fmt,
			const struct node_doc *doc, struct diags *ds)
{
	if (exclude(fmt, "nodes", "memory", doc, ds) || exclude(fmt, "nodes", "cpus", doc, ds))
		return;
	if (fmt->node_list_count > MACHINE_NODES_MAX) {
		fault(doc, ds, schema_node(fmt->node, "nodes"), "more than %d nodes",
		      MACHINE_NODES_MAX);
		return;
	}
	m->nr_zones = 0;
	m->nodes = 1;
	for (u32 i = 0; i < fmt->node_list_count; i++)
		for (u32 j = 0; j < fmt->node_list[i].zones_count; j++)
			apply_zone(m, i, &fmt->node_list[i].zones[j], doc, ds);
	apply_cpus(m, fmt, doc, ds);
}

static void apply_caches(struct machine *m, const struct fmt_machine *fmt,
			 const struct node_doc *doc, struct diags *ds)
{
	struct sim_error err;

	if (exclude(fmt, "caches", "data_cache", doc, ds))
		return;
	m->nr_caches = 0;
	m->data_cache = 0;
	for (u32 i = 0; i < fmt->caches_count; i++) {
		const struct fmt_cache *c = &fmt->caches[i];

		if (machine_add_cache(m, (u32)c->level, (enum cache_type)c->type, (u64)c->size,
				      (u32)c->shared_by, &err))
			fault(doc, ds, c->node, "%s", err.message);
	}
}

/* What needs simulated time, which not every build understands. */
static void refuse_time(const struct fmt_machine *fmt, const struct node_doc *doc,
			const struct scn_hooks *hooks, struct diags *ds)
{
	if (hooks && hooks->time)
		return;
	if (fmt->costs[0])
		base_diag_hint(fault(doc, ds, schema_node(fmt->node, "costs"),
				     "costs need simulated time, which this version does not have"),
			       "leave the key out: each operation takes the same time");
	if (fmt->ticks != KEY_ABSENT && fmt->ticks != BY_HAND)
		base_diag_hint(
			fault(doc, ds, schema_node(fmt->node, "ticks"),
			      "automatic ticks need simulated time, which this version does not have"),
			"use ticks: manual and tick steps");
	if (fmt->kswapd != KEY_ABSENT && fmt->kswapd != BY_HAND)
		base_diag_hint(
			fault(doc, ds, schema_node(fmt->node, "kswapd"),
			      "kswapd of its own needs simulated time, which this version does not have"),
			"use kswapd: manual and reclaim steps");
}

/* An imported machine may be one that the model cannot be. */
static void refuse_foreign(const struct fmt_machine *fmt, const struct node_doc *doc,
			   struct diags *ds)
{
	const struct node *reasons = node_get(fmt->node, "cannot_run");

	if (fmt->page_size != PAGE_SIZE)
		base_diag_hint(fault(doc, ds, schema_node(fmt->node, "page_size"),
				     "pages of %" PRId64 " bytes", fmt->page_size),
			       "the model has pages of 4096 bytes");
	for (u32 i = 0; i < fmt->cannot_run_count; i++)
		fault(doc, ds, reasons->items[i], "this machine cannot run: %.300s",
		      fmt->cannot_run[i]);
}

void machine_apply(struct machine *m, const struct fmt_machine *fmt, const struct node_doc *doc,
		   const struct scn_hooks *hooks, const char *folder, struct diags *ds)
{
	if (fmt->file[0]) {
		char *path = path_beside(folder ? folder : ".", fmt->file);
		struct diags inner;
		const struct node *at = schema_node(fmt->node, "file");

		if (!folder) {
			base_diag_hint(fault(doc, ds, at, "a machine file names another one"),
				       "write the keys into one file");
		} else {
			base_diags_init(&inner, 20);
			if (scn_machine_load(path, m, &inner)) {
				fault(doc, ds, at, "the machine file %.200s cannot be used", path);
				for (size_t i = 0; i < inner.nr; i++)
					base_diags_push(ds, &inner.items[i]);
			}
			base_diags_free(&inner);
		}
		free(path);
	}
	refuse_time(fmt, doc, hooks, ds);
	refuse_foreign(fmt, doc, ds);
	apply_keys(m, fmt, doc, ds);
	if (fmt->zones_count && fmt->node_list_count)
		base_diag_hint(fault(doc, ds, schema_node(fmt->node, "zones"),
				     "zones and nodes exclude each other"),
			       "put the zones into their nodes");
	else if (fmt->zones_count)
		apply_zones(m, fmt, doc, ds);
	else if (fmt->node_list_count)
		apply_nodes(m, fmt, doc, ds);
	if (fmt->caches_count)
		apply_caches(m, fmt, doc, ds);
}

enum base_err scn_machine_load(const char *path, struct machine *m, struct diags *ds)
{
	struct node_doc doc = { 0 };
	struct machine work;
	struct sim_error err;
	struct diag d;
	size_t before = ds->nr + ds->dropped;
	void *fmt = NULL;

	if (base_text_read(&doc.text, path, NODE_FILE_MAX, &d)) {
		base_diags_push(ds, &d);
		return d.code;
	}
	if (machine_copy(&work, m, &err)) {
		base_diags_add(ds, BASE_ERR_NO_MEMORY, path, 0, 0, "%s", err.message);
	} else {
		if (node_read(&doc, ds) == BASE_ERR_OK &&
		    schema_load(&doc, &spec_machine, &fmt, ds) == BASE_ERR_OK)
			machine_apply(&work, fmt, &doc, NULL, NULL, ds);
		if (ds->nr + ds->dropped == before && machine_finish(&work, &err))
			base_diags_add(ds, BASE_ERR_SYNTAX, doc.text.name, 1, 1, "%s", err.message);
		if (ds->nr + ds->dropped == before) {
			machine_free(m);
			*m = work;
		} else {
			machine_free(&work);
		}
	}
	schema_free(&spec_machine, fmt);
	node_doc_free(&doc);
	return ds->nr + ds->dropped == before ? BASE_ERR_OK : BASE_ERR_SYNTAX;
}

/* ---- --set ----------------------------------------------------------------------------------------------------------- */

static const char *mkey_name(const void *ctx, size_t i)
{
	(void)ctx;
	return machine_keys[i].name;
}

/* The value of a key as a text, by the key's kind. */
static enum base_err parse_value(const struct machine_key *key, const char *text, s64 *value,
				 struct diag *d)
{
	size_t len = strlen(text);
	const char *near;
	u64 u = 0;
	enum base_err err;

	if (key->words) {
		for (s64 i = 0; key->words[i]; i++)
			if (strcmp(key->words[i], text) == 0) {
				*value = i;
				return BASE_ERR_OK;
			}
		base_diag_set(d, BASE_ERR_SYNTAX, NULL, 0, 0, "'%s' is not a value of it", text);
		near = base_near_list(text, key->words);
		if (near)
			base_diag_hint(d, "did you mean %s?", near);
		else
			base_diag_hint(d, "expected %s or %s", key->words[0], key->words[1]);
		return BASE_ERR_SYNTAX;
	}
	if (key->type == MKEY_SCALE && strcmp(text, "none") == 0) {
		*value = SCALE_NONE;
		return BASE_ERR_OK;
	}
	if (key->type != MKEY_SIZE)
		return base_parse_int(text, len, mkey_min(key),
				      key->type == MKEY_SCALE ? 6 : key->max, value, d);
	err = base_parse_size(text, len, (u64)key->min, (u64)key->max, &u, d);
	*value = (s64)u;
	return err;
}

enum base_err scn_machine_set(struct machine *m, const char *assignment, struct diag *d)
{
	const char *equals = strchr(assignment, '=');
	size_t len = equals ? (size_t)(equals - assignment) : strlen(assignment);
	const struct machine_key *key;
	char name[64], message[300];
	struct sim_error err;
	s64 value = 0;
	const char *near;

	snprintf(name, sizeof(name), "%.*s", (int)(len < 60 ? len : 60), assignment);
	key = machine_key_find(name);
	if (!key || !equals) {
		base_diag_set(d, BASE_ERR_USAGE, "--set", 0, 0,
			      key ? "%s lacks a value" : "'%s' is not a key of a machine", name);
		near = key ? NULL : base_near(name, mkey_name, NULL);
		if (near)
			base_diag_hint(d, "did you mean %s?", near);
		else
			base_diag_hint(d, "expected KEY=VALUE, such as cpus=8");
		return BASE_ERR_USAGE;
	}
	if (parse_value(key, equals + 1, &value, d)) {
		snprintf(message, sizeof(message), "%s: %.200s", name, d ? d->message : "");
		if (d)
			memcpy(d->message, message, sizeof(message));
		base_diag_at(d, "--set", 0, 0);
		return BASE_ERR_USAGE;
	}
	key_replaces(m, name);
	if (machine_set(m, key, value, &err))
		return base_diag_set(d, BASE_ERR_USAGE, "--set", 0, 0, "%s", err.message);
	return BASE_ERR_OK;
}

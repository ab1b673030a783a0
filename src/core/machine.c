/* SPDX-License-Identifier: GPL-2.0-only */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

static const char *const bool_words[] = { "false", "true", NULL };
static const char *const nofrag_words[] = { "off", "auto", NULL };
static const char *const counters_words[] = { "exact", "percpu", NULL };
static const char *const ticks_words[] = { "manual", "auto", NULL };

#define WORDS_INT NULL
#define WORDS_SIZE NULL
#define WORDS_SCALE NULL
#define WORDS_BOOL bool_words
#define WORDS_NOFRAG nofrag_words
#define WORDS_COUNTERS counters_words
#define WORDS_TICKS ticks_words

const struct machine_key machine_keys[] = {
#define MKEY(name, type, unit, min, max, def, help)                                            \
	{ #name,       MKEY_##type, unit, min, max, def, help, offsetof(struct machine, name), \
	  WORDS_##type },
#include "machine.def"
#undef MKEY
	{ .name = NULL },
};

const char *const zone_type_names[] = { "DMA", "DMA32", "Normal", "Movable", NULL };
const char *const cache_type_names[] = { "data", "instruction", "unified", NULL };

const struct machine_key *machine_key_find(const char *name)
{
	for (const struct machine_key *key = machine_keys; key->name; key++) {
		if (strcmp(key->name, name) == 0)
			return key;
	}
	return NULL;
}

s64 machine_get(const struct machine *m, const struct machine_key *key)
{
	s64 value;

	memcpy(&value, (const char *)m + key->offset, sizeof(value));
	return value;
}

enum sim_err machine_set(struct machine *m, const struct machine_key *key, s64 value,
			 struct sim_error *err)
{
	if (value < key->min || value > key->max)
		return sim_fail(err, ERR_RANGE, "%s is %lld; it must be between %lld and %lld",
				key->name, (long long)value, (long long)key->min,
				(long long)key->max);
	if (key->type == MKEY_SCALE && value > 6 && value != SCALE_NONE)
		return sim_fail(err, ERR_RANGE, "%s is %lld; it must be 0..6 or none", key->name,
				(long long)value);
	memcpy((char *)m + key->offset, &value, sizeof(value));
	return SIM_OK;
}

void machine_init(struct machine *m)
{
	memset(m, 0, sizeof(*m));
#define MKEY(name, type, unit, min, max, def, help) m->name = (def);
#include "machine.def"
#undef MKEY
}

void machine_free(struct machine *m)
{
	free(m->zones);
	free(m->caches);
	free(m->cpu_node);
	m->zones = NULL;
	m->caches = NULL;
	m->cpu_node = NULL;
	m->nr_zones = m->nr_caches = m->nr_cpu_nodes = 0;
}

/* A copy of an array, NULL for an empty one; *ok turns false without memory. */
static void *copy_array(const void *from, size_t bytes, bool *ok)
{
	void *to = bytes ? malloc(bytes) : NULL;

	if (bytes && !to)
		*ok = false;
	else if (bytes)
		memcpy(to, from, bytes);
	return to;
}

enum sim_err machine_copy(struct machine *to, const struct machine *from, struct sim_error *err)
{
	bool ok = true;

	*to = *from;
	to->zones = copy_array(from->zones, from->nr_zones * sizeof(*from->zones), &ok);
	to->caches = copy_array(from->caches, from->nr_caches * sizeof(*from->caches), &ok);
	to->cpu_node =
		copy_array(from->cpu_node, from->nr_cpu_nodes * sizeof(*from->cpu_node), &ok);
	if (!ok) {
		machine_free(to);
		return sim_fail(err, ERR_NOMEM, "no memory for the description of a machine");
	}
	return SIM_OK;
}

enum sim_err machine_add_zone(struct machine *m, u32 node, enum zone_type type, u64 start_pfn,
			      u64 pages, struct sim_error *err)
{
	struct machine_zone *zones;

	if (m->nr_zones >= MACHINE_ZONES_MAX)
		return sim_fail(err, ERR_MACHINE, "more than %d zones", MACHINE_ZONES_MAX);
	if (node >= MACHINE_NODES_MAX)
		return sim_fail(err, ERR_RANGE, "node %u: nodes are 0..%d", node,
				MACHINE_NODES_MAX - 1);
	if (pages == 0 || pages >= MACHINE_PFN_MAX)
		return sim_fail(err, ERR_RANGE,
				"a zone of %llu pages: it must be 1..%llu, less than 8TiB",
				(unsigned long long)pages, (unsigned long long)MACHINE_PFN_MAX - 1);
	zones = realloc(m->zones, (m->nr_zones + 1) * sizeof(*zones));
	if (!zones)
		return sim_fail(err, ERR_NOMEM, "no memory for a zone");
	m->zones = zones;
	zones[m->nr_zones++] = (struct machine_zone){
		.node = (u16)node,
		.type = (u8)type,
		.start_pfn = start_pfn,
		.pages = pages,
		.wmark = { -1, -1, -1 },
	};
	if ((s64)node + 1 > m->nodes)
		m->nodes = (s64)node + 1;
	return SIM_OK;
}

enum sim_err machine_add_cache(struct machine *m, u32 level, enum cache_type type, u64 size,
			       u32 shared_by, struct sim_error *err)
{
	struct machine_cache *caches;

	if (m->nr_caches >= MACHINE_CACHES_MAX)
		return sim_fail(err, ERR_MACHINE, "more than %d caches", MACHINE_CACHES_MAX);
	if (level < 1 || level > 4)
		return sim_fail(err, ERR_RANGE, "cache level %u: levels are 1..4", level);
	if (size == 0 || size > (u64)1 << 40)
		return sim_fail(err, ERR_RANGE, "a cache of %llu bytes: it must be 1 byte to 1 TiB",
				(unsigned long long)size);
	if (shared_by == 0 || shared_by > MACHINE_CPUS_MAX)
		return sim_fail(err, ERR_RANGE, "a cache shared by %u CPUs: it must be 1..%d",
				shared_by, MACHINE_CPUS_MAX);
	caches = realloc(m->caches, (m->nr_caches + 1) * sizeof(*caches));
	if (!caches)
		return sim_fail(err, ERR_NOMEM, "no memory for a cache");
	m->caches = caches;
	caches[m->nr_caches++] = (struct machine_cache){
		.level = (u8)level,
		.type = (u8)type,
		.shared_by = shared_by,
		.size = size,
	};
	return SIM_OK;
}

enum sim_err machine_add_cpu(struct machine *m, u32 node, struct sim_error *err)
{
	u16 *cpu_node;

	if (m->nr_cpu_nodes >= MACHINE_CPUS_MAX)
		return sim_fail(err, ERR_MACHINE, "more than %d CPUs", MACHINE_CPUS_MAX);
	if (node >= MACHINE_NODES_MAX)
		return sim_fail(err, ERR_RANGE, "node %u: nodes are 0..%d", node,
				MACHINE_NODES_MAX - 1);
	cpu_node = realloc(m->cpu_node, (m->nr_cpu_nodes + 1) * sizeof(*cpu_node));
	if (!cpu_node)
		return sim_fail(err, ERR_NOMEM, "no memory for a CPU");
	m->cpu_node = cpu_node;
	cpu_node[m->nr_cpu_nodes++] = (u16)node;
	m->cpus = m->nr_cpu_nodes;
	if ((s64)node + 1 > m->nodes)
		m->nodes = (s64)node + 1;
	return SIM_OK;
}

/* One Normal zone a node, of equal size but for the last, which takes the rest. */
static enum sim_err zones_from_memory(struct machine *m, struct sim_error *err)
{
	u64 pages = (u64)m->memory >> PAGE_SHIFT;
	u64 share = pages / (u64)m->nodes;
	u32 nodes = (u32)m->nodes;

	/* Whole blocks of the highest order, as real nodes have. */
	if (share >> MAX_ORDER)
		share = share >> MAX_ORDER << MAX_ORDER;
	if (share == 0)
		return sim_fail(err, ERR_MACHINE, "%llu pages are too few for %u nodes",
				(unsigned long long)pages, nodes);
	for (u32 node = 0; node < nodes; node++) {
		u64 len = node + 1 < nodes ? share : pages - share * (nodes - 1);
		enum sim_err ret =
			machine_add_zone(m, node, ZONE_NORMAL, MACHINE_PFN_AUTO, len, err);

		if (ret)
			return ret;
	}
	return SIM_OK;
}

static enum sim_err cpus_over_nodes(struct machine *m, struct sim_error *err)
{
	s64 cpus = m->cpus, nodes = m->nodes;

	for (s64 cpu = 0; cpu < cpus; cpu++) {
		enum sim_err ret = machine_add_cpu(m, (u32)(cpu * nodes / cpus), err);

		if (ret)
			return ret;
	}
	return SIM_OK;
}

static int zone_before(const void *a, const void *b)
{
	const struct machine_zone *x = a, *y = b;

	return x->node != y->node ? x->node - y->node : x->type - y->type;
}

static enum sim_err check_zones(const struct machine *m, struct sim_error *err)
{
	bool normal = false;

	for (u32 i = 0; i < m->nr_zones; i++) {
		const struct machine_zone *z = &m->zones[i];

		if (i && zone_before(z - 1, z) == 0)
			return sim_fail(err, ERR_MACHINE, "node %u has two zones %s", z->node,
					zone_type_names[z->type]);
		if (z->start_pfn + z->pages > MACHINE_PFN_MAX || z->start_pfn > MACHINE_PFN_MAX)
			return sim_fail(
				err, ERR_MACHINE,
				"zone %s of node %u ends above pfn %llu (8TiB): take less memory or a lower first_pfn",
				zone_type_names[z->type], z->node,
				(unsigned long long)MACHINE_PFN_MAX);
		for (u32 j = 0; j < i; j++) {
			const struct machine_zone *y = &m->zones[j];

			if (z->start_pfn < y->start_pfn + y->pages &&
			    y->start_pfn < z->start_pfn + z->pages)
				return sim_fail(err, ERR_MACHINE,
						"zone %s of node %u and zone %s of node %u overlap",
						zone_type_names[y->type], y->node,
						zone_type_names[z->type], z->node);
		}
		normal |= z->type != ZONE_MOVABLE;
	}
	if (!normal)
		return sim_fail(err, ERR_MACHINE, "a machine needs a zone other than Movable");
	return SIM_OK;
}

static enum sim_err check_rest(const struct machine *m, struct sim_error *err)
{
	for (u32 cpu = 0; cpu < m->nr_cpu_nodes; cpu++) {
		if (m->cpu_node[cpu] >= m->nodes)
			return sim_fail(err, ERR_MACHINE,
					"CPU %u is on node %u, but there are %lld nodes", cpu,
					m->cpu_node[cpu], (long long)m->nodes);
	}
	if (m->nr_caches && m->data_cache)
		return sim_fail(err, ERR_MACHINE, "data_cache and caches exclude each other");
	if (m->high_min >= 0 && m->high_max >= 0 && m->high_max < m->high_min)
		return sim_fail(err, ERR_MACHINE, "high_max %lld is below high_min %lld",
				(long long)m->high_max, (long long)m->high_min);
	if (m->batch == 0)
		return sim_fail(err, ERR_RANGE, "batch is 0; it must be between 1 and 4096");
	if (m->percpu_pagelist_high_fraction > 0 &&
	    m->percpu_pagelist_high_fraction < MIN_PERCPU_PAGELIST_HIGH_FRACTION)
		return sim_fail(
			err, ERR_RANGE,
			"percpu_pagelist_high_fraction is %lld; it must be 0 or at least %d",
			(long long)m->percpu_pagelist_high_fraction,
			MIN_PERCPU_PAGELIST_HIGH_FRACTION);
	return SIM_OK;
}

enum sim_err machine_finish(struct machine *m, struct sim_error *err)
{
	enum sim_err ret = SIM_OK;
	u64 next = (u64)m->first_pfn;

	if (m->nr_zones == 0)
		ret = zones_from_memory(m, err);
	if (!ret && m->nr_cpu_nodes == 0)
		ret = cpus_over_nodes(m, err);
	if (ret)
		return ret;
	for (u32 i = 0; i < m->nr_zones; i++) {
		if (m->zones[i].start_pfn == MACHINE_PFN_AUTO)
			m->zones[i].start_pfn = next;
		next = m->zones[i].start_pfn + m->zones[i].pages;
	}
	qsort(m->zones, m->nr_zones, sizeof(*m->zones), zone_before);
	ret = check_zones(m, err);
	return ret ? ret : check_rest(m, err);
}

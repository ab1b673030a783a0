/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The description of a machine: what sim_create() builds. The keys that are one
 * number come from machine.def; zones, the CPUs' nodes and caches are lists.
 * YAML, Lua, --set and imports all fill a struct machine through here.
 */
#ifndef PAGESET_CORE_MACHINE_H
#define PAGESET_CORE_MACHINE_H

#include "err.h"
#include "mm_types.h"

enum { NOFRAG_OFF, NOFRAG_AUTO };
enum { COUNTERS_EXACT, COUNTERS_PERCPU };
enum { BY_HAND, AUTO };

enum {
	MACHINE_CPUS_MAX = 8192,
	MACHINE_NODES_MAX = 256,
	MACHINE_ZONES_MAX = MACHINE_NODES_MAX * MAX_NR_ZONES,
	MACHINE_CACHES_MAX = 16,
};
/* The last pfn that a machine may have: 8 TiB. */
#define MACHINE_PFN_MAX ((u64)1 << 31)
#define MACHINE_PFN_AUTO UINT64_MAX

struct machine_zone {
	u16 node;
	u8 type;	      /* enum zone_type */
	u64 start_pfn, pages; /* start MACHINE_PFN_AUTO: behind the zone before */
	s64 wmark[3];	      /* min, low, high in pages, set after boot; min -1: computed */
};

enum cache_type { CACHE_DATA, CACHE_INSTRUCTION, CACHE_UNIFIED };

/* One leaf of every CPU's cache hierarchy. */
struct machine_cache {
	u8 level, type; /* type: enum cache_type */
	u32 shared_by;	/* CPUs with consecutive numbers that share one */
	u64 size;	/* bytes */
};

struct machine {
#define MKEY(name, type, unit, min, max, def, help) s64 name;
#include "machine.def"
#undef MKEY
	u32 nr_zones, nr_caches, nr_cpu_nodes;
	struct machine_zone *zones; /* machine_finish() sorts by node, then type */
	struct machine_cache *caches;
	u16 *cpu_node;
};

enum machine_key_type {
	MKEY_INT,
	MKEY_SIZE,
	MKEY_BOOL,
	MKEY_SCALE,
	MKEY_NOFRAG,
	MKEY_COUNTERS,
	MKEY_TICKS
};

/* A key as a table entry: generic front ends read and write through it. */
struct machine_key {
	const char *name;
	enum machine_key_type type;
	const char *unit;
	s64 min, max, def;
	const char *help;
	size_t offset;		  /* of the s64 in struct machine */
	const char *const *words; /* names of the values 0.., NULL if plain */
};

/* The table; ends with a NULL name. */
extern const struct machine_key machine_keys[];
extern const char *const zone_type_names[];  /* DMA, DMA32, Normal, Movable */
extern const char *const cache_type_names[]; /* data, instruction, unified */

const struct machine_key *machine_key_find(const char *name);
/* Set a key by value. ERR_RANGE outside its range. */
enum sim_err machine_set(struct machine *m, const struct machine_key *key, s64 value,
			 struct sim_error *err);
s64 machine_get(const struct machine *m, const struct machine_key *key);

/* All keys at their defaults, no lists. The lists are malloc'ed as they grow. */
void machine_init(struct machine *m);
void machine_free(struct machine *m);
enum sim_err machine_copy(struct machine *to, const struct machine *from, struct sim_error *err);
/* Append a zone; @start_pfn may be MACHINE_PFN_AUTO. Sizes in pages. */
enum sim_err machine_add_zone(struct machine *m, u32 node, enum zone_type type, u64 start_pfn,
			      u64 pages, struct sim_error *err);
enum sim_err machine_add_cache(struct machine *m, u32 level, enum cache_type type, u64 size,
			       u32 shared_by, struct sim_error *err);
/* Name the node of the next CPU (CPU 0 first). Sets the number of CPUs. */
enum sim_err machine_add_cpu(struct machine *m, u32 node, struct sim_error *err);
/*
 * Fill in what was left out (zones from memory, the CPUs' nodes) and check the
 * whole. After success the machine can be created; doing it twice is harmless.
 */
enum sim_err machine_finish(struct machine *m, struct sim_error *err);

#endif

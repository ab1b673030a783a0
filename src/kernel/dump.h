/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a kernel printed of its memory: nodes, zones and per-CPU page lists out of /proc/zoneinfo or a Mem-Info report,
 * in pages. Filled by zoneinfo.c and meminfo.c, judged by model_check.c, written as a machine by machine_file.c. Anybody
 * outside core may read it.
 *
 * Invariants: zones stand in the order of the file; no two have the same node and name; a zone's CPUs have rising
 * numbers without repetition. A figure that the file lacks is KERN_NONE, never 0.
 */
#ifndef KERNEL_DUMP_H
#define KERNEL_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define KERN_NONE INT64_MIN

#define KERN_TEXT_MAX (256u << 20) /* bytes of a file, uncompressed */
#define KERN_CPUS_MAX 8192	   /* CPU numbers are below this */
#define KERN_NODES_MAX 1024	   /* node numbers are below this */
#define KERN_ZONES_MAX 8192	   /* zones of one dump */
#define KERN_LISTS_MAX (8u << 20)  /* per-CPU lists of one dump */
#define KERN_ORDERS_MAX 24
#define KERN_PROTECTION_MAX 8
#define KERN_NAME_MAX 16
#define KERN_FIGURE_MAX (INT64_C(1) << 40) /* pages or kB; a greater figure is damage */

enum kern_format { KERN_ZONEINFO, KERN_MEMINFO };

/*
 * Figures of a zone: member and name in JSON and reports, name in /proc/zoneinfo, name in Mem-Info ("" where that text
 * never has it, or zoneinfo.c knows it by more than one word), and where a lack of it is worth naming: bit 0 in zoneinfo,
 * bit 1 in Mem-Info.
 */
#define KERN_ZONE_FIGURES(X)                                                    \
	X(managed, "managed", "managed", 3)                                     \
	X(min, "min", "min", 3)                                                 \
	X(low, "low", "low", 3)                                                 \
	X(high, "high", "high", 3)                                              \
	X(free, "", "free", 3)                                                  \
	X(boost, "boost", "boost", 3)                                           \
	X(promo, "promo", "", 1)                                                \
	X(spanned, "spanned", "", 3)                                            \
	X(present, "present", "present", 3)                                     \
	X(start_pfn, "start_pfn", "", 3)                                        \
	X(cma, "cma", "", 1)                                                    \
	X(free_cma, "nr_free_cma", "free_cma", 3)                               \
	X(reserved_highatomic, "reserved_highatomic", "reserved_highatomic", 2) \
	X(free_highatomic, "free_highatomic", "free_highatomic", 2)             \
	X(numa_hit, "numa_hit", "", 0)                                          \
	X(free_pcp, "", "free_pcp", 2)                                          \
	X(local_pcp, "", "local_pcp", 2)

/* Figures of a CPU's list: member and name in JSON and zoneinfo, name in Mem-Info until 4.1. */
#define KERN_CPU_FIGURES(X) \
	X(count, "usd")     \
	X(high, "hi")       \
	X(batch, "btch")    \
	X(high_min, "")     \
	X(high_max, "")

enum kern_zone_figure {
#define X(member, zoneinfo, meminfo, lack) KERN_ZF_##member,
	KERN_ZONE_FIGURES(X)
#undef X
		KERN_ZF_NR
};

enum kern_cpu_figure {
#define X(member, meminfo) KERN_CF_##member,
	KERN_CPU_FIGURES(X)
#undef X
		KERN_CF_NR
};

struct kern_cpu {
	unsigned int cpu;
	int64_t threshold; /* of the zone's counters, in pages; tells the page size */
	int64_t v[KERN_CF_NR];
};

struct kern_zone {
	unsigned int node;
	char name[KERN_NAME_MAX];
	unsigned int line;     /* where the zone begins in the file */
	int64_t v[KERN_ZF_NR]; /* pages */
	unsigned int nr_protection;
	int64_t protection[KERN_PROTECTION_MAX];
	unsigned int nr_orders;		/* buddy lists, Mem-Info only */
	int64_t buddy[KERN_ORDERS_MAX]; /* blocks */
	struct kern_cpu *cpus;
	size_t nr_cpus;
	size_t cap_cpus;
};

enum kern_page_size_by {
	KERN_PS_OPTION,	   /* the caller said it */
	KERN_PS_BUDDY,	   /* smallest block of the buddy lists */
	KERN_PS_TOTALS,	   /* kB of the zones against pages of the report */
	KERN_PS_THRESHOLD, /* the counters' thresholds */
	KERN_PS_LIMIT,	   /* where DMA32 ends or Normal begins */
	KERN_PS_DEFAULT,   /* nothing told it: 4096 */
};

struct kern_dump {
	enum kern_format format;
	struct kern_zone *zones;
	size_t nr_zones;
	size_t cap_zones;
	size_t nr_lists;    /* of all zones */
	uint64_t page_size; /* bytes */
	enum kern_page_size_by page_size_by;
	unsigned int nr_snapshots;     /* dumps in the file */
	unsigned int snapshot;	       /* number of this one */
	int version;		       /* major * 1000 + minor of the kernel, 0: not told */
	char release[64];	       /* "6.8.0-rc3", "" if not told */
	int reporter;		       /* CPU that printed a report, -1: not told */
	unsigned int line;	       /* where the dump begins */
	bool cut;		       /* the text ends inside the last zone */
	bool has_node[KERN_NODES_MAX]; /* nodes that the text names, also without zones */
	/* pages in Mem-Info's summary: RAM, HighMem, CMA, all lists; KERN_NONE if not there */
	int64_t ram, highmem, cma_reserved, total_free, total_pcp;
	uint32_t fields; /* enum kern_zone_figure bits that occur in any zone */
	uint32_t cpu_fields;
	uint32_t marks; /* enum kern_mark bits */
};

/* Lines that tell the generation of the kernel, whatever their figures. */
enum kern_mark {
	KERN_MARK_NODE_STATS = 1,  /* "per-node stats": from 4.8 */
	KERN_MARK_FREE_BLOCKS = 2, /* "nr_free_pages_blocks": from 6.16 */
	KERN_MARK_PER_CPU = 4,	   /* Mem-Info "per-cpu:" sections: until 4.1 */
};

struct kern_read_options {
	const char *name;   /* of the file, for messages */
	int64_t snapshot;   /* which dump of several; -1: the first with populated zones */
	uint64_t page_size; /* bytes; 0: find out */
	int version;	    /* major * 1000 + minor; 0: find out */
};

struct kern_dump *kern_dump_new(enum kern_format format);
void kern_dump_free(struct kern_dump *dump);

/* The zone of that node and name, or NULL. */
struct kern_zone *kern_dump_find(const struct kern_dump *dump, unsigned int node, const char *name,
				 size_t len);

/* Adds an empty zone; NULL and *d when a bound is passed. The name is cut to KERN_NAME_MAX - 1. */
struct kern_zone *kern_dump_zone(struct kern_dump *dump, unsigned int node, const char *name,
				 size_t len, const struct kern_read_options *opt, unsigned int line,
				 struct diag *d);

/*
 * The list of that CPU, added if its number is above the last one's (*fresh), else the last one: kernels print rising
 * numbers, and a number that comes again is a second list of old kernels or prose. NULL and *d when a bound is passed.
 */
struct kern_cpu *kern_zone_cpu(struct kern_dump *dump, struct kern_zone *zone, uint64_t cpu,
			       bool *fresh, const struct kern_read_options *opt, unsigned int line,
			       struct diag *d);

/* Pages of a zone: managed, in kernels before 3.8 present; 0 for an empty one. */
int64_t kern_zone_pages(const struct kern_zone *zone);

/* Whether only a head was read of it, and no figure: prose named the zone. Such a zone owns no memory. */
bool kern_zone_is_bare(const struct kern_zone *zone);

/* Takes bare zones out; true if any zone is left. */
bool kern_dump_drop_bare_zones(struct kern_dump *dump);
bool kern_dump_populated(const struct kern_dump *dump);

/* CPUs that have a list anywhere, rising; the caller's to free(). */
unsigned int *kern_dump_cpus(const struct kern_dump *dump, size_t *nr);

/* Nodes that the text names, rising; the caller's to free(). */
unsigned int *kern_dump_nodes(const struct kern_dump *dump, size_t *nr);

bool kern_zone_is_highmem(const struct kern_zone *zone);
bool kern_zone_is_movable(const struct kern_zone *zone);

/* The names of what this kernel did not print, at most max of them; returns how many there are. */
size_t kern_dump_lacks(const struct kern_dump *dump, const char **names, size_t max);

/* One sentence on how the page size was found. */
const char *kern_page_size_reason(enum kern_page_size_by by);

/* Why the model cannot run this dump: reason number i as text, false after the last. */
bool kern_dump_refusal(const struct kern_dump *dump, unsigned int i, char *buf, size_t size);

const char *kern_zone_figure_name(enum kern_zone_figure f);
const char *kern_cpu_figure_name(enum kern_cpu_figure f);

#endif

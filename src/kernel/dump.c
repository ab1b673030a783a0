/* SPDX-License-Identifier: GPL-2.0-only */
#include "dump.h"

#include <stdlib.h>
#include <string.h>

struct kern_dump *kern_dump_new(enum kern_format format)
{
	struct kern_dump *dump = base_alloc(1, sizeof(*dump));

	dump->format = format;
	dump->reporter = -1;
	dump->ram = KERN_NONE;
	dump->highmem = KERN_NONE;
	dump->cma_reserved = KERN_NONE;
	dump->total_free = KERN_NONE;
	dump->total_pcp = KERN_NONE;
	return dump;
}

void kern_dump_free(struct kern_dump *dump)
{
	size_t i;

	if (!dump)
		return;
	for (i = 0; i < dump->nr_zones; i++)
		free(dump->zones[i].cpus);
	free(dump->zones);
	free(dump);
}

struct kern_zone *kern_dump_find(const struct kern_dump *dump, unsigned int node, const char *name,
				 size_t len)
{
	size_t i;

	if (len >= KERN_NAME_MAX)
		len = KERN_NAME_MAX - 1;
	/* from the end: a dump speaks of the same zone again soon after */
	for (i = dump->nr_zones; i > 0; i--) {
		struct kern_zone *z = &dump->zones[i - 1];

		if (z->node == node && strlen(z->name) == len && memcmp(z->name, name, len) == 0)
			return z;
	}
	return NULL;
}

/* Doubles an array; elements are zeroed by the caller. */
static void *grow(void *old, size_t *cap, size_t size)
{
	size_t n = *cap ? *cap * 2 : 4;
	void *p = realloc(old, n * size);

	if (!p) {
		/* base_alloc says what to say of it, and ends */
		free(old);
		return base_alloc(n, size);
	}
	*cap = n;
	return p;
}

struct kern_zone *kern_dump_zone(struct kern_dump *dump, unsigned int node, const char *name,
				 size_t len, const struct kern_read_options *opt, unsigned int line,
				 struct diag *d)
{
	struct kern_zone *z;
	unsigned int f;

	if (dump->nr_zones == KERN_ZONES_MAX) {
		base_diag_set(d, BASE_ERR_TOO_LARGE, opt->name, line, 0,
			      "more than %d zones in one dump", KERN_ZONES_MAX);
		base_diag_hint(d, "give a file with the output of one machine");
		return NULL;
	}
	if (dump->nr_zones == dump->cap_zones)
		dump->zones = grow(dump->zones, &dump->cap_zones, sizeof(*dump->zones));
	z = &dump->zones[dump->nr_zones++];
	*z = (struct kern_zone){ .node = node, .line = line };
	if (len >= KERN_NAME_MAX)
		len = KERN_NAME_MAX - 1;
	memcpy(z->name, name, len);
	for (f = 0; f < KERN_ZF_NR; f++)
		z->v[f] = KERN_NONE;
	if (!dump->line)
		dump->line = line;
	return z;
}

struct kern_cpu *kern_zone_cpu(struct kern_dump *dump, struct kern_zone *zone, uint64_t cpu,
			       bool *fresh, const struct kern_read_options *opt, unsigned int line,
			       struct diag *d)
{
	struct kern_cpu *c;
	unsigned int f;

	if (cpu >= KERN_CPUS_MAX || dump->nr_lists == KERN_LISTS_MAX) {
		base_diag_set(d, BASE_ERR_RANGE, opt->name, line, 0,
			      cpu >= KERN_CPUS_MAX ? "CPU %llu: CPU numbers end at %d" :
						     "CPU %llu: more than %d CPU lists",
			      (unsigned long long)cpu,
			      cpu >= KERN_CPUS_MAX ? KERN_CPUS_MAX - 1 : (int)KERN_LISTS_MAX);
		base_diag_hint(d, "the text is damaged here, or is not a kernel's");
		return NULL;
	}
	*fresh = zone->nr_cpus == 0 || zone->cpus[zone->nr_cpus - 1].cpu < cpu;
	if (!*fresh)
		return &zone->cpus[zone->nr_cpus - 1];
	if (zone->nr_cpus == zone->cap_cpus)
		zone->cpus = grow(zone->cpus, &zone->cap_cpus, sizeof(*zone->cpus));
	c = &zone->cpus[zone->nr_cpus++];
	dump->nr_lists++;
	*c = (struct kern_cpu){ .cpu = (unsigned int)cpu, .threshold = KERN_NONE };
	for (f = 0; f < KERN_CF_NR; f++)
		c->v[f] = KERN_NONE;
	return c;
}

int64_t kern_zone_pages(const struct kern_zone *zone)
{
	int64_t pages = zone->v[KERN_ZF_managed];

	if (pages == KERN_NONE)
		pages = zone->v[KERN_ZF_present];
	return pages > 0 ? pages : 0;
}

bool kern_zone_is_bare(const struct kern_zone *zone)
{
	unsigned int f;

	for (f = 0; f < KERN_ZF_NR; f++)
		if (zone->v[f] != KERN_NONE)
			return false;
	return zone->nr_cpus == 0 && zone->nr_orders == 0;
}

bool kern_dump_drop_bare_zones(struct kern_dump *dump)
{
	size_t i, kept = 0;

	for (i = 0; i < dump->nr_zones; i++)
		if (!kern_zone_is_bare(&dump->zones[i]))
			dump->zones[kept++] = dump->zones[i];
	dump->nr_zones = kept;
	if (kept)
		dump->line = dump->zones[0].line;
	return kept > 0;
}

bool kern_dump_populated(const struct kern_dump *dump)
{
	size_t i;

	for (i = 0; i < dump->nr_zones; i++)
		if (kern_zone_pages(&dump->zones[i]) > 0 || dump->zones[i].nr_cpus > 0)
			return true;
	return false;
}

/* The set bits of a map as a rising list. */
static unsigned int *list_of(const bool *map, size_t size, size_t *nr)
{
	unsigned int *list;
	size_t i, n = 0;

	for (i = 0; i < size; i++)
		n += map[i];
	list = base_alloc(n, sizeof(*list));
	*nr = n;
	for (n = 0, i = 0; i < size; i++)
		if (map[i])
			list[n++] = (unsigned int)i;
	return list;
}

unsigned int *kern_dump_cpus(const struct kern_dump *dump, size_t *nr)
{
	bool map[KERN_CPUS_MAX] = { false };
	size_t i, j;

	for (i = 0; i < dump->nr_zones; i++)
		for (j = 0; j < dump->zones[i].nr_cpus; j++)
			map[dump->zones[i].cpus[j].cpu] = true;
	return list_of(map, sizeof(map), nr);
}

unsigned int *kern_dump_nodes(const struct kern_dump *dump, size_t *nr)
{
	bool map[KERN_NODES_MAX];
	size_t i;

	memcpy(map, dump->has_node, sizeof(map));
	for (i = 0; i < dump->nr_zones; i++)
		map[dump->zones[i].node] = true;
	return list_of(map, sizeof(map), nr);
}

bool kern_zone_is_highmem(const struct kern_zone *zone)
{
	return strcmp(zone->name, "HighMem") == 0;
}

bool kern_zone_is_movable(const struct kern_zone *zone)
{
	return strcmp(zone->name, "Movable") == 0;
}

static const struct {
	const char *name;
	unsigned int lack;
} zone_figures[] = {
#define X(member, zoneinfo, meminfo, lack) { #member, lack },
	KERN_ZONE_FIGURES(X)
#undef X
};

static const char *const cpu_figures[] = {
#define X(member, meminfo) #member,
	KERN_CPU_FIGURES(X)
#undef X
};

const char *kern_zone_figure_name(enum kern_zone_figure f)
{
	return zone_figures[f].name;
}

const char *kern_cpu_figure_name(enum kern_cpu_figure f)
{
	return cpu_figures[f];
}

size_t kern_dump_lacks(const struct kern_dump *dump, const char **names, size_t max)
{
	unsigned int bit = dump->format == KERN_ZONEINFO ? 1 : 2, f;
	bool protection = false, buddy = false;
	size_t i, n = 0;

#define LACK(name)                         \
	do {                               \
		if (n < max)               \
			names[n] = (name); \
		n++;                       \
	} while (0)

	for (i = 0; i < dump->nr_zones; i++) {
		protection |= dump->zones[i].nr_protection > 0;
		buddy |= dump->zones[i].nr_orders > 0;
	}
	for (f = 0; f < KERN_ZF_NR; f++)
		if ((zone_figures[f].lack & bit) && !(dump->fields & 1u << f))
			LACK(zone_figures[f].name);
	if (!protection)
		LACK("protection");
	if (dump->format == KERN_MEMINFO && !buddy)
		LACK("buddy");
	if (!dump->nr_lists)
		LACK("cpus");
	/* "high" of a list is left out: a zone has a figure of that name, and "cpus" says it */
	for (f = 0; f < KERN_CF_NR; f++)
		if (!(dump->cpu_fields & 1u << f) && (f != KERN_CF_high || dump->nr_lists))
			LACK(cpu_figures[f]);
#undef LACK
	return n;
}

const char *kern_page_size_reason(enum kern_page_size_by by)
{
	static const char *const reasons[] = {
		[KERN_PS_OPTION] = "as given",
		[KERN_PS_BUDDY] = "the smallest block of the buddy lists",
		[KERN_PS_TOTALS] = "kB of the zones against the report's pages",
		[KERN_PS_THRESHOLD] = "from the thresholds of the zones' counters and the batches",
		[KERN_PS_LIMIT] = "from the page number at which 4 GiB are reached",
		[KERN_PS_DEFAULT] = "assumed: the file does not tell it, --page-size does",
	};

	return reasons[by];
}

/* Zone types that the model has. */
static bool zone_is_known(const struct kern_zone *z)
{
	static const char *const names[] = { "DMA", "DMA32", "Normal", "Movable" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(z->name, names[i]) == 0)
			return true;
	return false;
}

static int64_t zone_cma(const struct kern_zone *z)
{
	int64_t cma = z->v[KERN_ZF_cma], free_cma = z->v[KERN_ZF_free_cma];

	return cma > free_cma ? cma : free_cma;
}

/* Pages that the summary counts and no zone of the text has: the text is torn. */
static bool lost_highmem(const struct kern_dump *dump)
{
	size_t i;

	for (i = 0; i < dump->nr_zones; i++)
		if (kern_zone_pages(&dump->zones[i]) > 0 &&
		    (kern_zone_is_highmem(&dump->zones[i]) ||
		     kern_zone_is_movable(&dump->zones[i])))
			return false;
	return dump->highmem > 0;
}

bool kern_dump_refusal(const struct kern_dump *dump, unsigned int i, char *buf, size_t size)
{
	unsigned int n = 0;
	size_t z;

	if (dump->page_size != 4096 && n++ == i) {
		snprintf(buf, size, "pages of %llu bytes: the model's pages have 4096",
			 (unsigned long long)dump->page_size);
		return true;
	}
	for (z = 0; z < dump->nr_zones; z++) {
		const struct kern_zone *zone = &dump->zones[z];

		if (kern_zone_pages(zone) > 0 && !zone_is_known(zone) && n++ == i) {
			snprintf(
				buf, size,
				"node %u zone %s: the model has zones DMA, DMA32, Normal and Movable",
				zone->node, zone->name);
			return true;
		}
		if (zone_cma(zone) > 0 && n++ == i) {
			snprintf(buf, size, "node %u zone %s has CMA pages: the model has no CMA",
				 zone->node, zone->name);
			return true;
		}
	}
	if (lost_highmem(dump) && n++ == i) {
		snprintf(
			buf, size,
			"%lld pages of HighMem or Movable are counted, but their zone is not in the text",
			(long long)dump->highmem);
		return true;
	}
	if (n == 0 && dump->cma_reserved > 0 && n++ == i) {
		snprintf(buf, size, "%lld pages of CMA: the model has no CMA",
			 (long long)dump->cma_reserved);
		return true;
	}
	return false;
}

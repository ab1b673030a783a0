/* SPDX-License-Identifier: GPL-2.0-only */
#include "model_check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* MIN_PERCPU_PAGELIST_HIGH_FRACTION: high_max is this share of the zone. */
#define FRACTION_MIN 8
/* Above this, rounding makes nearly any limit look like a fraction. */
#define FRACTION_MAX 2000
#define SCALE_FACTOR 10
#define PAGES_SANE (INT64_C(1) << 46)

/* a * b / c without overflow on the way; 0 for c 0 */
static int64_t mul_div(int64_t a, int64_t b, int64_t c)
{
	return c > 0 ? (int64_t)((__int128)a * b / c) : 0;
}

static int64_t max64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t isqrt(int64_t v)
{
	int64_t r = 0, bit;

	for (bit = INT64_C(1) << 30; bit > 0; bit >>= 1)
		if ((__int128)(r + bit) * (r + bit) <= v)
			r += bit;
	return r;
}

static struct kern_check *add(struct kern_checks *c, const struct kern_zone *z, const char *field,
			      int64_t file, int64_t model, const char *fmt, ...) BASE_PRINTF(6, 7);

static struct kern_check *add(struct kern_checks *c, const struct kern_zone *z, const char *field,
			      int64_t file, int64_t model, const char *fmt, ...)
{
	struct kern_check *item;
	va_list ap;

	if (c->nr == c->cap) {
		struct kern_check *items;

		c->cap = c->cap ? c->cap * 2 : 16;
		items = base_alloc(c->cap, sizeof(*items));
		if (c->nr)
			memcpy(items, c->items, c->nr * sizeof(*items));
		free(c->items);
		c->items = items;
	}
	item = &c->items[c->nr++];
	*item = (struct kern_check){
		.node = z->node, .zone = z->name, .field = field, .file = file, .model = model
	};
	va_start(ap, fmt);
	vsnprintf(item->reason, sizeof(item->reason), fmt, ap);
	va_end(ap);
	return item;
}

void kern_checks_free(struct kern_checks *checks)
{
	free(checks->items);
	free(checks->node_cpus);
	*checks = (struct kern_checks){ 0 };
}

/* A figure that the zone's lists share, unless a few have another: what two of three say. */
static int64_t usual(const struct kern_zone *z, enum kern_cpu_figure f)
{
	int64_t first, middle, last;

	if (z->nr_cpus == 0)
		return KERN_NONE;
	first = z->cpus[0].v[f];
	middle = z->cpus[z->nr_cpus / 2].v[f];
	last = z->cpus[z->nr_cpus - 1].v[f];
	return first == middle || first == last ? first : last;
}

/* A zone whose lists differ in every way is not worth more lines than this for a figure. */
#define CHECKS_MAX 16

/* Counts the list with a check that says the same already; true if the figure needs no further check. */
static bool said(struct kern_checks *c, size_t first, const char *field, int64_t file)
{
	unsigned int nr = 0;
	size_t i;

	for (i = first; i < c->nr; i++) {
		if (strcmp(c->items[i].field, field) != 0 || !c->items[i].cpus)
			continue;
		if (c->items[i].file == file) {
			c->items[i].cpus++;
			return true;
		}
		nr++;
	}
	return nr >= CHECKS_MAX;
}

/* ---- generation ------------------------------------------------------------------------------------------------------ */

int64_t kern_model_batch(int64_t pages, uint64_t page_size, bool since_4_19)
{
	int64_t cap = (since_4_19 ? 1 << 20 : 512 << 10) / (int64_t)page_size;
	int64_t r = pages / 1024, pow2 = 1;

	r = (r < cap ? r : cap) / 4;
	r = max64(r, 1);
	while (pow2 * 2 <= r + r / 2)
		pow2 *= 2;
	return max64(pow2 - 1, 1);
}

/* From 6.7 high moves for each CPU, and is 0 until a list is used. */
static bool highs_move(const struct kern_dump *dump)
{
	size_t i, j;

	for (i = 0; i < dump->nr_zones; i++) {
		const struct kern_zone *z = &dump->zones[i];

		for (j = 0; j < z->nr_cpus; j++)
			if (z->cpus[j].v[KERN_CF_high] == 0 ||
			    z->cpus[j].v[KERN_CF_high] != z->cpus[0].v[KERN_CF_high])
				return true;
	}
	return false;
}

/* Which of the two caps explains more of the batches. */
static enum kern_era era_of_batches(const struct kern_dump *dump)
{
	unsigned int before = 0, since = 0;
	size_t i;

	for (i = 0; i < dump->nr_zones; i++) {
		const struct kern_zone *z = &dump->zones[i];
		int64_t pages = kern_zone_pages(z), batch = usual(z, KERN_CF_batch);

		before += batch == kern_model_batch(pages, dump->page_size, false);
		since += batch == kern_model_batch(pages, dump->page_size, true);
	}
	return before > since ? KERN_ERA_31 : KERN_ERA_63;
}

static enum kern_era find_era(const struct kern_dump *dump)
{
	bool boost = dump->fields & 1u << KERN_ZF_boost;

	if (dump->version)
		return dump->version < 4019 ? KERN_ERA_31 :
		       dump->version < 5014 ? KERN_ERA_63 :
		       dump->version < 6007 ? KERN_ERA_LOW :
					      KERN_ERA_TUNED;
	if (dump->cpu_fields & (1u << KERN_CF_high_min | 1u << KERN_CF_high_max))
		return KERN_ERA_TUNED;
	if (dump->fields & (1u << KERN_ZF_promo | 1u << KERN_ZF_free_highatomic) ||
	    (boost && highs_move(dump)))
		return KERN_ERA_TUNED;
	if (boost)
		return KERN_ERA_LOW;
	if (dump->marks & KERN_MARK_PER_CPU)
		return KERN_ERA_31;
	if (dump->format == KERN_ZONEINFO && !(dump->marks & KERN_MARK_NODE_STATS))
		return KERN_ERA_31;
	return era_of_batches(dump);
}

const char *kern_era_text(enum kern_era era)
{
	static const char *const texts[] = {
		[KERN_ERA_31] = "until 4.18: batch at most 31, high 6 x batch",
		[KERN_ERA_63] = "4.19 to 5.13: batch at most 63, high 6 x batch",
		[KERN_ERA_LOW] = "5.14 to 6.6: high is the low mark over the node's CPUs",
		[KERN_ERA_TUNED] = "from 6.7: high tunes itself between high_min and high_max",
	};

	return texts[era];
}

const char *kern_era_series(const struct kern_dump *dump, enum kern_era era, const char **patches)
{
	if (era != KERN_ERA_TUNED) {
		*patches = "none";
		return "v2";
	}
	*patches = dump->version >= 6016 || (dump->marks & KERN_MARK_FREE_BLOCKS) ? "all,nikhil" :
										    "all";
	return "v3";
}

/* ---- batch ----------------------------------------------------------------------------------------------------------- */

/* The fewest pages that give this batch; 0 if no size does. */
static int64_t pages_of_batch(int64_t batch, uint64_t page_size, bool since)
{
	int64_t pages;

	for (pages = 1024; pages <= 262144; pages += 1024)
		if (kern_model_batch(pages, page_size, since) == batch)
			return pages;
	return 0;
}

/* While memory goes offline, or a large range is taken, the lists of a zone are switched off: batch 1, high 0. */
static bool is_off(const struct kern_cpu *cpu)
{
	return cpu->v[KERN_CF_batch] == 1 && cpu->v[KERN_CF_high] == 0;
}

static struct kern_check *explain_batch(const struct kern_dump *dump, const struct kern_zone *z,
					const struct kern_cpu *cpu, int64_t model,
					struct kern_checks *c)
{
	bool since = c->era != KERN_ERA_31;
	int64_t pages = kern_zone_pages(z), file = cpu->v[KERN_CF_batch],
		high = cpu->v[KERN_CF_high];
	int64_t then = pages_of_batch(file, dump->page_size, since);

	if (is_off(cpu) && c->era >= KERN_ERA_LOW)
		return add(c, z, "batch", file, model,
			   "the zone's lists are switched off, as while memory goes offline");
	if (c->era <= KERN_ERA_63 && file == max64(high / 4, 1) && high != 6 * file)
		return add(c, z, "batch", file, model,
			   "vm.percpu_pagelist_fraction is about %lld: batch is a quarter of high",
			   (long long)(high ? pages / high : 0));
	if (file == kern_model_batch(pages, dump->page_size, !since))
		return add(c, z, "batch", file, model,
			   "the batch of a kernel %s 4.19, which doubled it",
			   since ? "before" : "from");
	if (then && then < pages)
		return add(c, z, "batch", file, model,
			   "computed when the zone had few more than %lld pages: memory was "
			   "initialised (kernels before 5.5) or plugged in later",
			   (long long)then);
	if (then)
		return add(c, z, "batch", file, model,
			   "computed when the zone had %lld pages or more: memory was taken away "
			   "since",
			   (long long)then);
	return add(c, z, "batch", file, model,
		   "no zone size gives it with %lld-byte pages: another page size, or a patched "
		   "kernel",
		   (long long)dump->page_size);
}

static void check_batch(const struct kern_dump *dump, const struct kern_zone *z,
			struct kern_checks *c)
{
	int64_t model =
		kern_model_batch(kern_zone_pages(z), dump->page_size, c->era != KERN_ERA_31);
	size_t i, first = c->nr;

	for (i = 0; i < z->nr_cpus; i++) {
		int64_t file = z->cpus[i].v[KERN_CF_batch];

		if (file != KERN_NONE && file != model && !said(c, first, "batch", file))
			explain_batch(dump, z, &z->cpus[i], model, c)->cpus = 1;
	}
}

/* ---- high, high_min, high_max ---------------------------------------------------------------------------------------- */

static int64_t unboosted_low(const struct kern_zone *z)
{
	int64_t low = z->v[KERN_ZF_low], boost = z->v[KERN_ZF_boost];

	if (low == KERN_NONE)
		return KERN_NONE;
	return boost > 0 && boost < low ? low - boost : low;
}

/* zone_highsize(): total pages for cpus lists, at least four batches each. */
static int64_t share(const struct kern_zone *z, int64_t total, unsigned int cpus)
{
	int64_t batch = usual(z, KERN_CF_batch);

	return max64(total / (cpus ? cpus : 1), 4 * max64(batch, 1));
}

/* The limit that the file shows for its lists at rest, if this generation has one. */
static int64_t limit_min(const struct kern_zone *z, enum kern_era era)
{
	return era == KERN_ERA_LOW   ? usual(z, KERN_CF_high) :
	       era == KERN_ERA_TUNED ? usual(z, KERN_CF_high_min) :
				       KERN_NONE;
}

/* Whether cpus explains every limit of the node's zones. */
static bool cpus_explain(const struct kern_dump *dump, enum kern_era era, unsigned int node,
			 unsigned int cpus)
{
	bool told = false;
	size_t i;

	for (i = 0; i < dump->nr_zones; i++) {
		const struct kern_zone *z = &dump->zones[i];
		int64_t limit = limit_min(z, era), low = unboosted_low(z), max;

		if (z->node != node || limit == KERN_NONE || low == KERN_NONE ||
		    kern_zone_pages(z) == 0)
			continue;
		max = usual(z, KERN_CF_high_max);
		if (limit != share(z, low, cpus) && limit != share(z, z->v[KERN_ZF_low], cpus))
			return false;
		if (max != KERN_NONE && max != share(z, kern_zone_pages(z) / FRACTION_MIN, cpus))
			return false;
		told = true;
	}
	return told;
}

static unsigned int nodes_with_pages(const struct kern_dump *dump)
{
	unsigned char map[KERN_NODES_MAX] = { 0 };
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < dump->nr_zones; i++)
		if (kern_zone_pages(&dump->zones[i]) > 0 && !map[dump->zones[i].node]) {
			map[dump->zones[i].node] = 1;
			n++;
		}
	return n;
}

static unsigned int find_node_cpus(const struct kern_dump *dump, enum kern_era era,
				   unsigned int node, unsigned int all, unsigned int nodes)
{
	unsigned int even, n;

	if (nodes <= 1 || all <= 1)
		return all;
	even = (all + nodes - 1) / nodes;
	if (cpus_explain(dump, era, node, even))
		return even;
	/* the most CPUs that explain it: a node without any counts all */
	for (n = all; n > 0; n--)
		if (cpus_explain(dump, era, node, n))
			return n;
	return even;
}

/* Whether every CPU has its node; a node whose limits are for all CPUs has none of its own. */
static bool shares_add_up(const unsigned int *node_cpus, unsigned int all)
{
	unsigned int sum = 0, i;

	for (i = 0; i < KERN_NODES_MAX; i++)
		if (node_cpus[i] != all)
			sum += node_cpus[i];
	return sum == all;
}

static void find_all_node_cpus(const struct kern_dump *dump, struct kern_checks *c)
{
	unsigned int nodes = nodes_with_pages(dump), even = 0, i;
	size_t all, z;

	free(kern_dump_cpus(dump, &all));
	c->node_cpus = base_alloc(KERN_NODES_MAX, sizeof(*c->node_cpus));
	for (z = 0; all && z < dump->nr_zones; z++) {
		unsigned int node = dump->zones[z].node;

		if (!c->node_cpus[node] && kern_zone_pages(&dump->zones[z]) > 0)
			c->node_cpus[node] =
				find_node_cpus(dump, c->era, node, (unsigned int)all, nodes);
	}
	if (nodes <= 1 || shares_add_up(c->node_cpus, (unsigned int)all))
		return;
	/* after a CPU went or came the limits can be for a number that no node has: then they are what is wrong */
	for (even = ((unsigned int)all + nodes - 1) / nodes, i = 0; i < KERN_NODES_MAX; i++)
		if (c->node_cpus[i])
			c->node_cpus[i] = even;
}

/* A fraction f >= 8 with managed / f / cpus == limit; the smallest of the few that round to it. 0 if none. */
static int64_t fraction_of(const struct kern_zone *z, int64_t limit, unsigned int cpus)
{
	int64_t pages = kern_zone_pages(z), f;

	if (limit <= 0 || !cpus)
		return 0;
	f = pages / cpus / (limit + 1);
	f = max64(f, FRACTION_MIN);
	while (pages / f / cpus > limit)
		f++;
	return pages / f / cpus == limit ? f : 0;
}

/* The fraction that explains the limits of most lists; 0 if the low mark explains them, or nothing does. */
static int64_t find_fraction(const struct kern_dump *dump, const struct kern_checks *c)
{
	int64_t best = 0, best_pages = 0;
	size_t i;

	for (i = 0; i < dump->nr_zones; i++) {
		const struct kern_zone *z = &dump->zones[i];
		int64_t limit = limit_min(z, c->era), low = unboosted_low(z), f;
		unsigned int cpus = c->node_cpus[z->node];

		if (limit == KERN_NONE || low == KERN_NONE || kern_zone_pages(z) <= best_pages ||
		    limit == share(z, low, cpus))
			continue;
		if (c->era == KERN_ERA_TUNED && limit != usual(z, KERN_CF_high_max))
			continue;
		f = fraction_of(z, limit, cpus);
		if (f && f <= FRACTION_MAX) {
			best = f;
			best_pages = kern_zone_pages(z);
		}
	}
	return best;
}

/* Which number of CPUs near the real one gives the limit; 0 if none. */
static unsigned int other_cpus(const struct kern_zone *z, int64_t total, int64_t limit,
			       unsigned int cpus)
{
	unsigned int n, last = cpus + 4;

	for (n = cpus > 4 ? cpus - 4 : 1; n <= last; n++)
		if (n != cpus && share(z, total, n) == limit)
			return n;
	return 0;
}

/* field is high_min, or high in kernels that have one limit; total: the pages that the CPUs share. */
static void explain_limit(struct kern_checks *c, const struct kern_zone *z, const char *field,
			  int64_t file, int64_t model, int64_t total, unsigned int cpus,
			  bool is_max)
{
	int64_t fraction = c->high_fraction;
	unsigned int n;

	if (fraction && file == share(z, kern_zone_pages(z) / fraction, cpus))
		add(c, z, field, file, model, "vm.percpu_pagelist_high_fraction is %lld",
		    (long long)fraction);
	else if (file == 0)
		add(c, z, field, file, model,
		    "the zone's lists are switched off, as while memory goes offline");
	else if (!is_max && file == share(z, z->v[KERN_ZF_low], cpus))
		add(c, z, field, file, model, "computed while the low mark was boosted");
	else if ((n = other_cpus(z, total, file, cpus)) > 0)
		add(c, z, field, file, model,
		    "computed for %u CPUs, not %u: a CPU came or went since", n, cpus);
	else if (is_max)
		add(c, z, field, file, model,
		    "computed when the zone had about %lld pages: memory was initialised late, plugged in or taken away",
		    (long long)(file * FRACTION_MIN * cpus));
	else
		add(c, z, field, file, model,
		    "computed when the low mark was about %lld: the marks changed since",
		    (long long)(file * cpus));
	c->items[c->nr - 1].cpus = 1;
}

static void check_limits(const struct kern_zone *z, struct kern_checks *c)
{
	enum kern_cpu_figure f_min = c->era == KERN_ERA_LOW ? KERN_CF_high : KERN_CF_high_min;
	const char *name_min = kern_cpu_figure_name(f_min);
	unsigned int cpus = c->node_cpus[z->node];
	int64_t low = unboosted_low(z), total_max = kern_zone_pages(z) / FRACTION_MIN;
	int64_t model_max = share(z, total_max, cpus),
		model_min = low == KERN_NONE ? KERN_NONE : share(z, low, cpus);
	size_t i, first = c->nr;

	for (i = 0; i < z->nr_cpus; i++) {
		int64_t min = z->cpus[i].v[f_min], max = z->cpus[i].v[KERN_CF_high_max];

		if (min != KERN_NONE && low != KERN_NONE && min != model_min &&
		    !said(c, first, name_min, min))
			explain_limit(c, z, name_min, min, model_min, low, cpus, false);
		if (max != KERN_NONE && max != model_max && !said(c, first, "high_max", max))
			explain_limit(c, z, "high_max", max, model_max, total_max, cpus, true);
	}
}

/* Bounds for high of one list, by the file's own limits where it prints them. */
static void high_bounds(const struct kern_zone *z, const struct kern_cpu *cpu,
			const struct kern_checks *c, int64_t *min, int64_t *max)
{
	unsigned int cpus = c->node_cpus[z->node];

	*min = cpu->v[KERN_CF_high_min];
	*max = cpu->v[KERN_CF_high_max];
	if (*min == KERN_NONE)
		*min = share(z, max64(unboosted_low(z), 0), cpus);
	if (*max == KERN_NONE)
		*max = max64(share(z, kern_zone_pages(z) / FRACTION_MIN, cpus), *min);
}

static void explain_high(struct kern_checks *c, const struct kern_zone *z,
			 const struct kern_cpu *cpu, int64_t model, unsigned int cpus)
{
	int64_t high = cpu->v[KERN_CF_high], fraction = 0;
	struct kern_check *item;

	if (cpu->v[KERN_CF_high_min] == KERN_NONE)
		fraction = fraction_of(z, high, cpus);
	if (fraction && high == 4 * max64(usual(z, KERN_CF_batch), 1))
		item = add(
			c, z, "high", high, model,
			"vm.percpu_pagelist_high_fraction is %lld or more, as four batches are the "
			"least; high follows at a list's next use",
			(long long)fraction);
	else if (fraction && fraction <= FRACTION_MAX)
		item = add(c, z, "high", high, model,
			   "vm.percpu_pagelist_high_fraction is %lld, and high follows at a list's "
			   "next use",
			   (long long)fraction);
	else
		item = add(c, z, "high", high, model,
			   "the limits changed since this list was used: high follows at its next "
			   "use");
	item->cpus = 1;
}

/* From 6.7 high lies between the limits, or is 0 before a list's first use. */
static void check_tuned_high(const struct kern_zone *z, struct kern_checks *c)
{
	size_t i, first = c->nr;

	for (i = 0; i < z->nr_cpus; i++) {
		const struct kern_cpu *cpu = &z->cpus[i];
		int64_t high = cpu->v[KERN_CF_high], min, max;

		if (high == KERN_NONE || high == 0)
			continue;
		high_bounds(z, cpu, c, &min, &max);
		if ((high < min || high > max) && !said(c, first, "high", high))
			explain_high(c, z, cpu, high < min ? min : max, c->node_cpus[z->node]);
	}
}

/* Until 5.13: six batches, where a batch of 1 that stands for "none" counts as 0. */
static void check_old_high(const struct kern_zone *z, struct kern_checks *c)
{
	int64_t usual_batch = usual(z, KERN_CF_batch), usual_high = usual(z, KERN_CF_high);
	size_t i, first = c->nr;
	bool all;

	if (usual_batch == KERN_NONE || usual_high == KERN_NONE)
		return;
	/* one sysctl sets all lists; a single list that is other is not its work */
	all = usual_high != 6 * usual_batch && !(usual_batch == 1 && usual_high == 0);
	for (i = 0; i < z->nr_cpus; i++) {
		int64_t batch = z->cpus[i].v[KERN_CF_batch], high = z->cpus[i].v[KERN_CF_high];

		if (batch == KERN_NONE || high == KERN_NONE || high == 6 * usual_batch ||
		    (usual_batch == 1 && high == 0) || said(c, first, "high", high))
			continue;
		if (all)
			add(c, z, "high", high, 6 * usual_batch,
			    "vm.percpu_pagelist_fraction is about %lld: high is that share of the zone",
			    (long long)(high > 0 ? kern_zone_pages(z) / high : 0));
		else
			add(c, z, "high", high, 6 * usual_batch,
			    "the zone's other lists have %lld: the text is damaged, or was taken while "
			    "a setting changed",
			    (long long)usual_high);
		c->items[c->nr - 1].cpus = 1;
	}
}

/* ---- watermarks ------------------------------------------------------------------------------------------------------ */

/* Pages that the marks are shared over, and what the file's marks sum up to. */
struct marks {
	int64_t lowmem; /* managed pages of zones that take a share */
	int64_t sum;	/* of their min marks, without boost */
	int64_t high;	/* of their high marks */
	unsigned int zones;
	unsigned int populated;
	int64_t pages_min; /* min_free_kbytes in pages that gives each zone's mark; KERN_NONE if none does */
};

/* HighMem has a small min mark of its own; Movable, too, in newer kernels: they show it. */
static int64_t small_min(const struct kern_zone *z)
{
	int64_t min = kern_zone_pages(z) / 1024;

	return min < 32 ? 32 : min > 128 ? 128 : min;
}

static int64_t unboosted_min(const struct kern_zone *z)
{
	int64_t min = z->v[KERN_ZF_min], boost = z->v[KERN_ZF_boost];

	if (min == KERN_NONE)
		return KERN_NONE;
	return boost > 0 && boost <= min ? min - boost : min;
}

/* Of the marks min and low as printed; 0 if they are not. */
static int64_t distance_of_file(const struct kern_zone *z)
{
	return z->v[KERN_ZF_low] == KERN_NONE || z->v[KERN_ZF_min] == KERN_NONE ?
		       0 :
		       z->v[KERN_ZF_low] - z->v[KERN_ZF_min];
}

static bool takes_share(const struct kern_zone *z)
{
	if (kern_zone_is_highmem(z))
		return false;
	return !(kern_zone_is_movable(z) && unboosted_min(z) == small_min(z));
}

static void find_marks(const struct kern_dump *dump, struct marks *m)
{
	int64_t pages_min;
	size_t i;

	*m = (struct marks){ .pages_min = KERN_NONE };
	for (i = 0; i < dump->nr_zones; i++) {
		const struct kern_zone *z = &dump->zones[i];
		int64_t min = unboosted_min(z);

		m->populated += kern_zone_pages(z) > 0;
		if (kern_zone_pages(z) == 0 || !takes_share(z))
			continue;
		m->zones++;
		m->lowmem += kern_zone_pages(z);
		m->sum += min > 0 ? min : 0;
		m->high += z->v[KERN_ZF_high] > 0 ? z->v[KERN_ZF_high] : 0;
	}
	/* nonsense in every zone must not overflow what is computed from it */
	m->lowmem = m->lowmem < PAGES_SANE ? m->lowmem : PAGES_SANE;
	m->sum = m->sum < PAGES_SANE ? m->sum : PAGES_SANE;
	/* each zone rounds its share down, so the sum is short by less than a page for each */
	for (pages_min = m->sum; m->sum > 0 && pages_min <= m->sum + m->zones; pages_min++) {
		for (i = 0; i < dump->nr_zones; i++) {
			const struct kern_zone *z = &dump->zones[i];

			if (kern_zone_pages(z) > 0 && takes_share(z) &&
			    unboosted_min(z) != mul_div(pages_min, kern_zone_pages(z), m->lowmem))
				break;
		}
		if (i == dump->nr_zones) {
			m->pages_min = pages_min;
			return;
		}
	}
}

/* init_per_zone_wmark_min(): the square root of 16 times the low memory, in kB, bounded. */
static int64_t default_kbytes(const struct kern_dump *dump, int64_t pages)
{
	int64_t kb = mul_div(pages, (int64_t)dump->page_size, 1024),
		most = dump->version && dump->version < 5008 ? 65536 : 262144;
	int64_t r;

	if (kb > INT64_C(1) << 40)
		return most;
	r = isqrt(kb * 16);
	return r < 128 ? 128 : r > most ? most : r;
}

/* khugepaged asks for 2 + 3 * 3 pageblocks a zone, and for a twentieth of the memory at most. */
static int64_t khugepaged_pages(const struct marks *m, int64_t block)
{
	int64_t pages = 11 * block * m->populated;

	return pages < m->lowmem / 20 ? pages : m->lowmem / 20;
}

static bool is_khugepaged(const struct marks *m, int64_t *block)
{
	static const int64_t blocks[] = { 512, 1024, 2048, 8192, 256, 32 };
	int64_t pages = m->pages_min != KERN_NONE ? m->pages_min : m->sum;
	size_t i;

	for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		int64_t want = khugepaged_pages(m, blocks[i]);

		if (pages >= want - m->zones && pages <= want) {
			*block = blocks[i];
			return true;
		}
	}
	return false;
}

static void explain_min(const struct kern_dump *dump, const struct marks *m,
			const struct kern_zone *z, int64_t model, struct kern_checks *c)
{
	int64_t page_kb = (int64_t)dump->page_size / 1024, file = z->v[KERN_ZF_min], block, least;
	int64_t pages = m->pages_min != KERN_NONE ? m->pages_min : m->sum,
		whole = default_kbytes(dump, m->lowmem) / page_kb;
	/* the shares are not those of the zones' sizes now */
	const char *moved =
		m->pages_min == KERN_NONE ? "; the zones had other sizes then, or are boosted" : "";

	least = default_kbytes(dump, m->lowmem - m->high) / page_kb;
	if (m->sum == 0)
		add(c, z, "min", file, model, "no watermark is set yet: the text is from boot");
	else if (is_khugepaged(m, &block))
		add(c, z, "min", file, model,
		    "khugepaged raised vm.min_free_kbytes to %lld: 11 pageblocks of %lld pages for each of %u zones%s",
		    (long long)(khugepaged_pages(m, block) * page_kb), (long long)block,
		    m->populated, moved);
	else if (pages <= whole && pages >= least - m->zones)
		add(c, z, "min", file, model,
		    "vm.min_free_kbytes was computed again, with the high marks taken off the memory%s",
		    moved);
	else if (pages < whole && pages > whole / 2)
		add(c, z, "min", file, model,
		    "vm.min_free_kbytes was computed when about %lld pages were managed, or set to about %lld%s",
		    (long long)mul_div(pages * page_kb, pages * page_kb, 16 * page_kb),
		    (long long)(pages * page_kb), moved);
	else
		add(c, z, "min", file, model, "vm.min_free_kbytes was set to about %lld%s",
		    (long long)(pages * page_kb), moved);
}

static void check_min(const struct kern_dump *dump, const struct marks *m,
		      const struct kern_zone *z, struct kern_checks *c)
{
	int64_t page_kb = (int64_t)dump->page_size / 1024, boost = max64(z->v[KERN_ZF_boost], 0),
		file = z->v[KERN_ZF_min];
	int64_t pages_min = default_kbytes(dump, m->lowmem) / page_kb, model, gap;

	if (file == KERN_NONE)
		return;
	if (!takes_share(z)) {
		model = small_min(z) + boost;
		if (file != model)
			add(c, z, "min", file, model,
			    "a 1024th of the zone, 32 to 128 pages: the zone had another size then");
		return;
	}
	model = mul_div(pages_min, kern_zone_pages(z), m->lowmem) + boost;
	if (file == model)
		return;
	/* kernels 5.0 to 5.13 boost and do not print it: then the distance of the marks tells the mark below the boost */
	gap = distance_of_file(z);
	if (!(dump->fields & 1u << KERN_ZF_boost) && c->era == KERN_ERA_63 &&
	    m->pages_min == KERN_NONE &&
	    gap > mul_div(kern_zone_pages(z), c->scale_factor, 10000) && file > 4 * gap + 3) {
		add(c, z, "min", file, model,
		    "a boost of about %lld pages, which this kernel does not print",
		    (long long)(file - 4 * gap));
		return;
	}
	explain_min(dump, m, z, model, c);
}

/* Distance of the marks: a quarter of min, or a share of the zone if that is more (from 4.6). */
static int64_t distance(const struct kern_dump *dump, const struct marks *m,
			const struct kern_zone *z, int64_t factor)
{
	int64_t min = takes_share(z) ? unboosted_min(z) : 0;

	if (!takes_share(z) && m->sum > 0)
		min = mul_div(m->pages_min != KERN_NONE ? m->pages_min : m->sum, kern_zone_pages(z),
			      m->lowmem);
	if (dump->version && dump->version < 4006)
		factor = 0;
	return max64(min / 4, mul_div(kern_zone_pages(z), factor, 10000));
}

/*
 * How far off mark number n may be by rounding alone: the share of a HighMem or Movable zone is only known from the other
 * zones' marks, each rounded down.
 */
static bool near(const struct marks *m, const struct kern_zone *z, int64_t n, int64_t file,
		 int64_t model)
{
	int64_t slack = 0;

	if (!takes_share(z))
		slack = n * (mul_div(kern_zone_pages(z), m->zones + 1, 4 * m->lowmem) + 1);
	return file >= model - slack && file <= model + slack;
}

static int64_t expected_mark(const struct kern_dump *dump, const struct marks *m,
			     const struct kern_zone *z, enum kern_zone_figure f, int64_t factor)
{
	int64_t d = distance(dump, m, z, factor), n = f == KERN_ZF_low	? 1 :
						      f == KERN_ZF_high ? 2 :
									  3;
	bool old = dump->version ?
			   dump->version < 4006 :
			   dump->format == KERN_ZONEINFO && !(dump->marks & KERN_MARK_NODE_STATS);

	/* before 4.6 */
	if (old && f == KERN_ZF_high && takes_share(z) && d == unboosted_min(z) / 4)
		return z->v[KERN_ZF_min] + unboosted_min(z) / 2;
	return z->v[KERN_ZF_min] + n * d;
}

/* The one factor that gives the marks of all zones whose distance a quarter of min does not explain; 10 if there is none. */
static int64_t find_factor(const struct kern_dump *dump, const struct marks *m)
{
	int64_t found = 0;
	size_t i;

	for (i = 0; i < dump->nr_zones; i++) {
		const struct kern_zone *z = &dump->zones[i];
		int64_t pages = kern_zone_pages(z), gap = distance_of_file(z), f;

		if (pages == 0 || !takes_share(z) || gap <= 0 ||
		    near(m, z, 1, z->v[KERN_ZF_low],
			 expected_mark(dump, m, z, KERN_ZF_low, SCALE_FACTOR)))
			continue;
		/* the largest zone tells it most exactly */
		f = mul_div(gap, 10000, pages);
		f += mul_div(pages, f, 10000) < gap;
		if (mul_div(pages, f, 10000) == gap && f >= 1 && f <= 3000 &&
		    (!found || pages > 100000))
			found = f;
	}
	return found ? found : SCALE_FACTOR;
}

static void check_marks(const struct kern_dump *dump, const struct marks *m,
			const struct kern_zone *z, struct kern_checks *c)
{
	static const enum kern_zone_figure marks[] = { KERN_ZF_low, KERN_ZF_high, KERN_ZF_promo };
	size_t i;

	check_min(dump, m, z, c);
	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		int64_t file = z->v[marks[i]],
			model = expected_mark(dump, m, z, marks[i], SCALE_FACTOR);

		if (file == KERN_NONE || z->v[KERN_ZF_min] == KERN_NONE ||
		    near(m, z, (int64_t)i + 1, file, model))
			continue;
		if (c->scale_factor != SCALE_FACTOR &&
		    near(m, z, (int64_t)i + 1, file,
			 expected_mark(dump, m, z, marks[i], c->scale_factor)))
			add(c, z, kern_zone_figure_name(marks[i]), file, model,
			    "vm.watermark_scale_factor is %lld", (long long)c->scale_factor);
		else if (file == 0)
			add(c, z, kern_zone_figure_name(marks[i]), file, model,
			    "no watermark is set yet: the text is from boot");
		else
			add(c, z, kern_zone_figure_name(marks[i]), file, model,
			    "the zone had another size when its marks were computed, or a vendor's kernel adds to them "
			    "(extra_free_kbytes)");
	}
}

/* ---- all of it ------------------------------------------------------------------------------------------------------- */

void kern_model_check(const struct kern_dump *dump, struct kern_checks *c)
{
	int64_t page_kb = (int64_t)dump->page_size / 1024;
	struct marks m;
	size_t i;

	*c = (struct kern_checks){ .era = find_era(dump),
				   .era_told = dump->version != 0,
				   .min_free_kbytes = KERN_NONE };
	find_marks(dump, &m);
	if (m.pages_min != KERN_NONE)
		c->min_free_kbytes = m.pages_min * page_kb;
	c->scale_factor = find_factor(dump, &m);
	find_all_node_cpus(dump, c);
	c->high_fraction = find_fraction(dump, c);
	for (i = 0; i < dump->nr_zones; i++) {
		const struct kern_zone *z = &dump->zones[i];

		/* an empty zone has no lists and no marks to speak of */
		if (kern_zone_pages(z) == 0)
			continue;
		if (z->nr_cpus > 0) {
			check_batch(dump, z, c);
			if (c->era >= KERN_ERA_LOW)
				check_limits(z, c);
			if (c->era == KERN_ERA_TUNED)
				check_tuned_high(z, c);
			else if (c->era <= KERN_ERA_63)
				check_old_high(z, c);
		}
		check_marks(dump, &m, z, c);
	}
}

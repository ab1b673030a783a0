/* SPDX-License-Identifier: GPL-2.0-only */
#include "pcpmodel.h"

#include <stdlib.h>
#include <string.h>

#include "../core/zone.h"
#include "model_check.h"

#define UNKNOWN_BATCH 63
#define NOWHERE UINT32_MAX

static uint8_t zone_type_of(const char *name)
{
	if (strcmp(name, "DMA") == 0) {
		return ZONE_DMA;
	}
	if (strcmp(name, "DMA32") == 0) {
		return ZONE_DMA32;
	}
	return strcmp(name, "Movable") == 0 ? ZONE_MOVABLE : ZONE_NORMAL;
}

static int64_t or_zero(int64_t v)
{
	return v == KERN_NONE ? 0 : v;
}

static void zone_take(struct zone *z, const struct kern_zone *kz, bool free_pages)
{
	unsigned int i;

	z->managed_pages = kern_zone_pages(kz);
	/* zoneinfo prints the marks with the boost in them, and limits are computed without it */
	z->watermark_boost = or_zero(kz->v[KERN_ZF_boost]);
	z->_watermark[WMARK_MIN] = or_zero(kz->v[KERN_ZF_min]) - z->watermark_boost;
	z->_watermark[WMARK_LOW] = or_zero(kz->v[KERN_ZF_low]) - z->watermark_boost;
	z->_watermark[WMARK_HIGH] = or_zero(kz->v[KERN_ZF_high]) - z->watermark_boost;
	for (i = 0; i < MAX_NR_ZONES && i < kz->nr_protection; i++) {
		z->lowmem_reserve[i] = kz->protection[i];
	}
	if (free_pages && kz->v[KERN_ZF_free] != KERN_NONE) {
		z->free_pages = kz->v[KERN_ZF_free];
	}
}

/* the zones of a PC of unknown size */
static bool init_unknown(struct pcpmodel_machine *m, uint32_t cpus)
{
	static const struct pcpmodel_zone zones[] = {
		{ 0, "DMA", 0, 4096, 0 },
		{ 0, "DMA32", 4096, 1 << 20, 0 },
		{ 0, "Normal", 1 << 20, TRACE_PFN_MAX, 0 },
	};
	uint32_t i;

	m->nr_zones = 3;
	m->nr_cpus = m->nr_online = cpus;
	m->nr_nodes = 1;
	m->zones = calloc(3, sizeof(*m->zones));
	m->initial = calloc(3, sizeof(*m->initial));
	m->node_cpus = calloc(1, sizeof(*m->node_cpus));
	if (!m->zones || !m->initial || !m->node_cpus) {
		return false;
	}
	memcpy(m->zones, zones, sizeof(zones));
	m->node_cpus[0] = cpus;
	for (i = 0; i < 3; i++) {
		m->initial[i].type = (uint8_t)i;
		m->initial[i].id = (uint16_t)i;
		m->initial[i].pageset_batch = UNKNOWN_BATCH;
		m->initial[i].free_pages = INT32_MAX;
	}
	return true;
}

static void init_zone(struct pcpmodel_machine *m, const struct kern_zone *kz)
{
	struct pcpmodel_zone *pz = &m->zones[m->nr_zones];
	struct zone *z = &m->initial[m->nr_zones];
	int64_t spanned = kz->v[KERN_ZF_spanned];
	size_t i;

	pz->node = kz->node;
	memcpy(pz->name, kz->name, sizeof(pz->name));
	pz->start = (uint64_t)or_zero(kz->v[KERN_ZF_start_pfn]);
	pz->end = pz->start + (uint64_t)(spanned == KERN_NONE ? kern_zone_pages(kz) : spanned);
	z->id = (uint16_t)m->nr_zones;
	z->node = (uint16_t)kz->node;
	z->type = zone_type_of(kz->name);
	z->start_pfn = pz->start;
	zone_take(z, kz, true);
	pz->limit_boost = z->watermark_boost;
	for (i = 0; i < kz->nr_cpus; i++) {
		if (kz->cpus[i].v[KERN_CF_batch] > 0) {
			z->pageset_batch = (int32_t)kz->cpus[i].v[KERN_CF_batch];
		}
	}
	if (!z->pageset_batch) {
		z->pageset_batch = UNKNOWN_BATCH;
	}
	m->nr_zones++;
}

/* zoneinfo does not say which CPU is of which node: by the file's own limits, else evenly */
static bool count_node_cpus(struct pcpmodel_machine *m, const struct kern_dump *dump)
{
	struct kern_checks checks;
	uint32_t i;

	m->node_cpus = calloc(m->nr_nodes, sizeof(*m->node_cpus));
	if (!m->node_cpus) {
		return false;
	}
	kern_model_check(dump, &checks);
	for (i = 0; i < m->nr_nodes; i++) {
		m->node_cpus[i] = checks.node_cpus[i] ? checks.node_cpus[i] :
							m->nr_online / m->nr_nodes;
		m->node_cpus[i] = m->node_cpus[i] ? m->node_cpus[i] : 1;
	}
	kern_checks_free(&checks);
	return true;
}

bool pcpmodel_machine_init(struct pcpmodel_machine *m, const struct kern_dump *dump, uint32_t cpus)
{
	unsigned int *list;
	size_t i, nr;

	memset(m, 0, sizeof(*m));
	if (!dump) {
		return init_unknown(m, cpus);
	}
	m->known = true;
	m->zones = calloc(dump->nr_zones + 1, sizeof(*m->zones));
	m->initial = calloc(dump->nr_zones + 1, sizeof(*m->initial));
	list = kern_dump_cpus(dump, &nr);
	if (!m->zones || !m->initial || !list) {
		free(list);
		return false;
	}
	m->nr_online = nr ? (uint32_t)nr : 1;
	m->nr_cpus = nr ? list[nr - 1] + 1 : 1;
	free(list);
	for (i = 0; i < dump->nr_zones; i++) {
		if (kern_zone_pages(&dump->zones[i]) > 0) {
			init_zone(m, &dump->zones[i]);
		}
	}
	list = kern_dump_nodes(dump, &nr);
	m->nr_nodes = list && nr ? list[nr - 1] + 1 : 1;
	free(list);
	return count_node_cpus(m, dump);
}

void pcpmodel_machine_free(struct pcpmodel_machine *m)
{
	free(m->zones);
	free(m->initial);
	free(m->node_cpus);
	memset(m, 0, sizeof(*m));
}

uint32_t pcpmodel_zone_of(const struct pcpmodel_machine *m, uint64_t pfn)
{
	uint32_t i, found = NOWHERE;

	/* zones of two nodes can lie inside one another: the one that begins last is the inner one */
	for (i = 0; i < m->nr_zones; i++) {
		if (pfn >= m->zones[i].start && pfn < m->zones[i].end &&
		    (found == NOWHERE || m->zones[i].start > m->zones[found].start)) {
			found = i;
		}
	}
	return found;
}

uint32_t pcpmodel_zone_find(const struct pcpmodel_machine *m, unsigned int node, const char *name)
{
	uint32_t i;

	for (i = 0; i < m->nr_zones; i++) {
		if (m->zones[i].node == node && strcmp(m->zones[i].name, name) == 0) {
			return i;
		}
	}
	return NOWHERE;
}

bool pcpmodel_tuned(const struct pcpmodel *model)
{
	return patched(&model->sim, P_TUNE_HIGH);
}

/* limits of every pageset of a zone by the kernel's formula; a file that names them is taken instead */
static void compute_limits(struct pcpmodel *model, uint32_t zi)
{
	const struct pcpmodel_machine *m = model->machine;
	struct zone *z = &model->zones[zi];
	s64 boost = z->watermark_boost;
	int batch = z->pageset_batch, min, max;
	uint32_t cpu;

	z->watermark_boost = m->zones[zi].limit_boost;
	min = zone_highsize(&model->sim, z, batch, 0, m->fraction);
	z->watermark_boost = boost;
	max = min;
	if (patched(&model->sim, P_HIGH_LIMITS) && !m->fraction) {
		max = zone_highsize(&model->sim, z, batch, 0, MIN_PERCPU_PAGELIST_HIGH_FRACTION);
	}
	if (!m->known) {
		max = INT32_MAX / 4;
	}
	z->pageset_high_min = min;
	z->pageset_high_max = max > min ? max : min;
	for (cpu = 0; cpu < m->nr_cpus; cpu++) {
		struct per_cpu_pages *pcp = &model->psets[zi * m->nr_cpus + cpu];

		pcp->batch = batch;
		if (patched(&model->sim, P_HIGH_LIMITS)) {
			pcp->high_min = z->pageset_high_min;
			pcp->high_max = z->pageset_high_max;
		} else if (!pcp->high) {
			pcp->high = min;
		}
	}
}

bool pcpmodel_init(struct pcpmodel *model, const struct pcpmodel_machine *m, uint32_t patches,
		   unsigned int breaks)
{
	size_t psets = (size_t)m->nr_zones * m->nr_cpus, i;
	uint32_t zi;

	memset(model, 0, sizeof(*model));
	model->machine = m;
	model->breaks = breaks;
	model->zones = calloc((size_t)m->nr_zones + 1, sizeof(*model->zones));
	model->psets = calloc(psets + 1, sizeof(*model->psets));
	model->node_online = calloc((size_t)m->nr_nodes + 1, sizeof(*model->node_online));
	if (!model->zones || !model->psets || !model->node_online) {
		pcpmodel_free(model);
		return false;
	}
	memcpy(model->zones, m->initial, m->nr_zones * sizeof(*model->zones));
	model->sim.patches = patches;
	model->sim.scale_max = patched(&model->sim, P_SCALE_CAP) ? PCP_BATCH_SCALE_MAX : SCALE_NONE;
	model->sim.batch_scale = (uint8_t)(model->sim.scale_max == SCALE_NONE ?
						   PCP_BATCH_SCALE_MAX :
						   model->sim.scale_max);
	model->sim.stat_exact = true;
	model->sim.state = &model->state;
	model->sim.zones = model->zones;
	model->sim.pagesets = model->psets;
	model->sim.nr_zones = (uint16_t)m->nr_zones;
	model->sim.nr_cpus = (uint16_t)m->nr_cpus;
	model->sim.node_online = model->node_online;
	model->sim.machine.batch = model->sim.machine.high_min = model->sim.machine.high_max = -1;
	model->state.nr_online = m->nr_online;
	model->state.patches = patches;
	model->state.scale_max = model->sim.scale_max;
	for (i = 0; i < m->nr_nodes; i++) {
		model->node_online[i] = m->node_cpus[i];
	}
	for (i = 0; i < psets; i++) {
		model->psets[i].cpu = (uint16_t)(i % m->nr_cpus);
		model->psets[i].zone = (uint16_t)(i / m->nr_cpus);
		/* whether the cache is large enough is not in a trace; on most machines it is (patch 3) */
		model->psets[i].flags = PCPF_FREE_HIGH_BATCH;
	}
	for (zi = 0; zi < m->nr_zones; zi++) {
		compute_limits(model, zi);
	}
	return true;
}

void pcpmodel_free(struct pcpmodel *model)
{
	free(model->zones);
	free(model->psets);
	free(model->node_online);
	memset(model, 0, sizeof(*model));
}

static void cpu_take(struct pcpmodel *model, struct per_cpu_pages *pcp, const struct kern_cpu *kc,
		     bool counts)
{
	if (kc->v[KERN_CF_batch] > 0) {
		pcp->batch = (int32_t)kc->v[KERN_CF_batch];
	}
	if (patched(&model->sim, P_HIGH_LIMITS)) {
		if (kc->v[KERN_CF_high_min] != KERN_NONE && kc->v[KERN_CF_high_max] != KERN_NONE) {
			pcp->high_min = (int32_t)kc->v[KERN_CF_high_min];
			pcp->high_max = (int32_t)kc->v[KERN_CF_high_max];
		}
	} else if (kc->v[KERN_CF_high] != KERN_NONE) {
		pcp->high = (int32_t)kc->v[KERN_CF_high];
	}
	if (!counts) {
		return;
	}
	if (kc->v[KERN_CF_count] != KERN_NONE) {
		pcp->count = (int32_t)kc->v[KERN_CF_count];
	}
	if (kc->v[KERN_CF_high] != KERN_NONE) {
		pcp->high = (int32_t)kc->v[KERN_CF_high];
	}
}

void pcpmodel_take(struct pcpmodel *model, const struct kern_dump *dump, bool counts)
{
	const struct pcpmodel_machine *m = model->machine;
	size_t i, c;

	for (i = 0; i < dump->nr_zones; i++) {
		const struct kern_zone *kz = &dump->zones[i];
		uint32_t zi = pcpmodel_zone_find(m, kz->node, kz->name);

		if (zi == NOWHERE) {
			continue;
		}
		zone_take(&model->zones[zi], kz, counts);
		compute_limits(model, zi);
		for (c = 0; c < kz->nr_cpus; c++) {
			if (kz->cpus[c].cpu < m->nr_cpus) {
				cpu_take(model, &model->psets[zi * m->nr_cpus + kz->cpus[c].cpu],
					 &kz->cpus[c], counts);
			}
		}
	}
}

static int64_t highsize(const struct zone *z, uint32_t cpus, int64_t fraction)
{
	int64_t high = z->managed_pages / fraction / cpus, least = (int64_t)z->pageset_batch * 4;

	return high > least ? high : least;
}

/* the list of that zone and CPU in a snapshot, NULL: none */
const struct kern_cpu *pcpmodel_snap_cpu(const struct pcpmodel_zone *zone, uint32_t cpu,
					 const struct snap *snap)
{
	const struct kern_zone *kz =
		kern_dump_find(snap->dump, zone->node, zone->name, strlen(zone->name));
	size_t i;

	for (i = 0; kz && i < kz->nr_cpus; i++) {
		if (kz->cpus[i].cpu == cpu) {
			return &kz->cpus[i];
		}
	}
	return NULL;
}

/* two snapshots of one list after another; false: one of them does not tell it */
struct list_change {
	int64_t before, high; /* high in the first and in the second */
	bool entered; /* pages came to the list: a free or a refill, which sets high right */
};

static bool list_changed(const struct pcpmodel_zone *zone, uint32_t cpu, const struct snap *snap,
			 struct list_change *change)
{
	const struct kern_cpu *a = pcpmodel_snap_cpu(zone, cpu, snap);
	const struct kern_cpu *b = pcpmodel_snap_cpu(zone, cpu, snap + 1);

	if (!a || !b || a->v[KERN_CF_high] == KERN_NONE || a->v[KERN_CF_count] == KERN_NONE ||
	    b->v[KERN_CF_high] == KERN_NONE || b->v[KERN_CF_count] == KERN_NONE) {
		return false;
	}
	change->before = a->v[KERN_CF_high];
	change->high = b->v[KERN_CF_high];
	change->entered = b->v[KERN_CF_count] > a->v[KERN_CF_count];
	return true;
}

void pcpmodel_find_boost(struct pcpmodel_machine *m, const struct snaps *snaps)
{
	uint32_t zi, cpu;
	size_t i;

	for (zi = 0; zi < m->nr_zones; zi++) {
		const struct zone *z = &m->initial[zi];
		int64_t min =
			(z->_watermark[WMARK_LOW] + z->watermark_boost) / m->node_cpus[z->node];

		for (cpu = 0; z->watermark_boost && cpu < m->nr_cpus; cpu++) {
			for (i = 0; i + 1 < snaps->nr; i++) {
				struct list_change c;

				if (list_changed(&m->zones[zi], cpu, &snaps->items[i], &c) &&
				    c.entered && c.high < min) {
					m->zones[zi].limit_boost = 0;
				}
			}
		}
	}
}

/* the fraction that gives this high, 0: none does, or it is the least high that there is */
static int64_t fraction_of(const struct pcpmodel_machine *m, uint32_t zi, int64_t high)
{
	const struct zone *z = &m->initial[zi];
	uint32_t cpus = m->node_cpus[z->node];
	int64_t fraction;

	if (high <= (int64_t)z->pageset_batch * 4) {
		return 0;
	}
	fraction = z->managed_pages / cpus / high;
	while (fraction > MIN_PERCPU_PAGELIST_HIGH_FRACTION && highsize(z, cpus, fraction) < high) {
		fraction--;
	}
	return fraction >= MIN_PERCPU_PAGELIST_HIGH_FRACTION &&
			       highsize(z, cpus, fraction) == high ?
		       fraction :
		       0;
}

/*
 * Could this fraction have been in force?  Then a high changes to what it gives and to nothing else, but for one that is
 * left from before and decays.  *lists: how many changed to it, or took in pages under it.
 */
static bool fraction_holds(const struct pcpmodel_machine *m, const struct snaps *snaps,
			   int64_t fraction, uint32_t *lists)
{
	uint32_t zi, cpu;
	size_t i;

	*lists = 0;
	for (zi = 0; zi < m->nr_zones; zi++) {
		const struct zone *z = &m->initial[zi];
		int64_t fixed = highsize(z, m->node_cpus[z->node], fraction);

		for (cpu = 0; cpu < m->nr_cpus; cpu++) {
			bool speaks = false;

			for (i = 0; i + 1 < snaps->nr; i++) {
				struct list_change c;

				if (!list_changed(&m->zones[zi], cpu, &snaps->items[i], &c)) {
					break;
				}
				if (c.high == fixed) {
					speaks = speaks || c.before != fixed || c.entered;
				} else if (c.entered || c.high > c.before ||
					   (c.high < c.before && c.high < fixed)) {
					return false;
				}
			}
			*lists += speaks && fixed > (int64_t)z->pageset_batch * 4;
		}
	}
	return *lists > 0;
}

/* the kernel tells the limits itself */
static int64_t fraction_of_limits(const struct pcpmodel_machine *m, const struct snap *snap,
				  uint32_t *lists)
{
	uint32_t zi, cpu;
	int64_t found = 0;

	for (zi = 0; zi < m->nr_zones; zi++) {
		for (cpu = 0; cpu < m->nr_cpus; cpu++) {
			const struct kern_cpu *kc = pcpmodel_snap_cpu(&m->zones[zi], cpu, snap);

			if (!kc) {
				continue;
			}
			if (kc->v[KERN_CF_high_min] != kc->v[KERN_CF_high_max]) {
				return 0;
			}
			if (kc->v[KERN_CF_high_min] > 0) {
				found = m->initial[zi].managed_pages /
					m->node_cpus[m->initial[zi].node] / kc->v[KERN_CF_high_min];
				*lists += 1;
			}
		}
	}
	return found;
}

int64_t pcpmodel_find_fraction(const struct pcpmodel_machine *m, const struct snaps *snaps,
			       uint32_t *lists)
{
	uint32_t zi, cpu, speak;
	int64_t found = 0;
	size_t i;

	*lists = 0;
	if (snaps->nr && snaps->items[0].dump->cpu_fields & 1u << KERN_CF_high_min) {
		return fraction_of_limits(m, &snaps->items[0], lists);
	}
	for (zi = 0; zi < m->nr_zones; zi++) {
		for (cpu = 0; cpu < m->nr_cpus; cpu++) {
			for (i = 0; i + 1 < snaps->nr; i++) {
				struct list_change c;
				int64_t fraction;

				if (!list_changed(&m->zones[zi], cpu, &snaps->items[i], &c)) {
					break;
				}
				fraction = c.high != c.before || c.entered ?
						   fraction_of(m, zi, c.high) :
						   0;
				if (fraction && fraction != found &&
				    fraction_holds(m, snaps, fraction, &speak) && speak > *lists) {
					found = fraction;
					*lists = speak;
				}
			}
		}
	}
	return found;
}

void pcpmodel_zone_walk(struct pcpmodel *model, uint32_t zi)
{
	const struct pcpmodel_machine *m = model->machine;
	uint32_t i;

	if (!patched(&model->sim, P_BELOW_HIGH)) {
		return;
	}
	for (i = zi; i < m->nr_zones && m->zones[i].node == m->zones[zi].node; i++) {
		struct zone *zone = &model->zones[i];

		if (zone->free_pages <=
		    wmark_pages(zone, WMARK_HIGH) + zone->lowmem_reserve[ZONE_MOVABLE]) {
			zone->flags |= 1u << ZONE_BELOW_HIGH;
		}
	}
}

void pcpmodel_reclaim(struct pcpmodel *model, uint32_t zi)
{
	const struct pcpmodel_machine *m = model->machine;
	uint32_t i;

	for (i = 0; i <= zi; i++) {
		if (m->zones[i].node == m->zones[zi].node) {
			model->zones[i].flags |= 1u << ZONE_RECLAIM_ACTIVE;
		}
	}
}

void pcpmodel_alloc(struct pcpmodel *model, struct per_cpu_pages *pcp)
{
	if (model->breaks & PCPMODEL_BREAK_FREE_COUNT) {
		return;
	}
	if (patched(&model->sim, P_FREE_COUNT)) {
		pcp->free_count >>= 1;
	} else {
		pcp->free_factor >>= 1;
	}
}

static void keep_high(struct pcpmodel *model, struct per_cpu_pages *pcp, int32_t before)
{
	if ((model->breaks & PCPMODEL_BREAK_HIGH) && pcp->high > before) {
		pcp->high = before;
	}
}

int pcpmodel_refill(struct pcpmodel *model, struct per_cpu_pages *pcp, struct zone *zone,
		    uint32_t order)
{
	int32_t high = pcp->high;
	int blocks = nr_pcp_alloc(&model->sim, pcp, zone, order);

	keep_high(model, pcp, high);
	return blocks;
}

int pcpmodel_free_block(struct pcpmodel *model, struct per_cpu_pages *pcp, struct zone *zone,
			uint32_t order, int *limit, bool *free_high)
{
	struct sim *sim = &model->sim;
	int32_t before = pcp->high;
	int pages = 0;

	if (patched(sim, P_ALLOC_SCALE) && !(model->breaks & PCPMODEL_BREAK_ALLOC_FACTOR)) {
		pcp->alloc_factor >>= 1;
	}
	pcp->count += 1 << order;
	*free_high = pcp_free_high(sim, pcp, order);
	if (patched(sim, P_FREE_COUNT) && pcp->free_count < pcp->batch << PCP_BATCH_SCALE_MAX) {
		pcp->free_count = (int16_t)(pcp->free_count + (1 << order));
	}
	*limit = nr_pcp_high(sim, pcp, zone, *free_high);
	if (pcp->count >= *limit) {
		pages = nr_pcp_free(sim, pcp, *limit, *free_high);
		pages = pages < pcp->count ? pages : pcp->count;
	}
	keep_high(model, pcp, before);
	return pages;
}

void pcpmodel_bulk_done(struct pcpmodel *model, struct zone *zone)
{
	if (!patched(&model->sim, P_BELOW_HIGH)) {
		return;
	}
	if (zone->free_pages > wmark_pages(zone, WMARK_HIGH) + zone->lowmem_reserve[ZONE_MOVABLE]) {
		zone->flags &= ~(1u << ZONE_BELOW_HIGH);
	}
}

int pcpmodel_tick(struct pcpmodel *model, struct per_cpu_pages *pcp)
{
	int over;

	if (!patched(&model->sim, P_TUNE_HIGH)) {
		return 0;
	}
	if (pcp->high > pcp->high_min) {
		pcp->high = pcp_decayed_high(&model->sim, pcp);
	}
	over = pcp->count - pcp->high;
	return over > 0 ? over : 0;
}

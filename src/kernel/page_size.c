/* SPDX-License-Identifier: GPL-2.0-only */
#include "page_size.h"

#include <string.h>

#include "model_check.h"

/* Page shifts that Linux runs with, the likelier first: a tie goes to the first. */
static const unsigned int shifts[] = { 12, 16, 14, 13, 15, 18 };
#define NR_SHIFTS (sizeof(shifts) / sizeof(shifts[0]))

bool kern_is_page_size(uint64_t bytes)
{
	return bytes >= 4096 && bytes <= 1 << 20 && (bytes & (bytes - 1)) == 0;
}

/* Position of the highest set bit, from 1; 0 for 0. */
static int64_t fls64(int64_t v)
{
	return v > 0 ? 64 - __builtin_clzll((unsigned long long)v) : 0;
}

/* calculate_normal_threshold(): grows with the CPUs and with the zone's size in units of 128 MiB. */
static int64_t threshold_of(int64_t pages, size_t cpus, unsigned int shift)
{
	int64_t t = 2 * fls64((int64_t)cpus) * (1 + fls64(pages >> (27 - shift)));

	return t < 125 ? t : 125;
}

/*
 * Thresholds and batches both depend on the page size, and on little else. A zone that kswapd works for has another
 * threshold, one that grew after boot another batch: so they vote.
 */
static unsigned int vote(const struct kern_dump *dump, unsigned int shift)
{
	unsigned int votes = 0;
	size_t i;

	for (i = 0; i < dump->nr_zones; i++) {
		const struct kern_zone *z = &dump->zones[i];
		int64_t pages = kern_zone_pages(z);

		if (pages == 0 || z->nr_cpus == 0)
			continue;
		if (z->cpus[0].threshold == threshold_of(pages, z->nr_cpus, shift))
			votes += 2;
		if (z->cpus[0].v[KERN_CF_batch] ==
			    kern_model_batch(pages, UINT64_C(1) << shift, true) ||
		    z->cpus[0].v[KERN_CF_batch] ==
			    kern_model_batch(pages, UINT64_C(1) << shift, false))
			votes += 1;
	}
	return votes;
}

/*
 * Where DMA32 is, it ends at 4 GiB, and Normal begins there unless memory has a hole above. (Where DMA32 ends tells
 * nothing: a small machine's memory ends before.)
 */
static unsigned int shift_of_border(const struct kern_dump *dump)
{
	bool dma32 = false;
	int64_t start = INT64_MAX;
	size_t i, s;

	for (i = 0; i < dump->nr_zones; i++) {
		const struct kern_zone *z = &dump->zones[i];

		if (z->v[KERN_ZF_spanned] <= 0 || z->v[KERN_ZF_start_pfn] <= 0)
			continue;
		if (strcmp(z->name, "DMA32") == 0)
			dma32 = true;
		else if (strcmp(z->name, "Normal") == 0 && z->v[KERN_ZF_start_pfn] < start)
			start = z->v[KERN_ZF_start_pfn];
	}
	for (s = 0; dma32 && s < NR_SHIFTS; s++)
		if (start == INT64_C(1) << (32 - shifts[s]))
			return shifts[s];
	return 0;
}

/* kB of all zones against pages in the report's summary. 0 if nothing tells. */
static uint64_t size_of_totals(const struct kern_dump *dump)
{
	int64_t free_kb = 0, present_kb = 0;
	uint64_t size;
	size_t i;

	if (dump->format != KERN_MEMINFO)
		return 0;
	for (i = 0; i < dump->nr_zones; i++) {
		const struct kern_zone *z = &dump->zones[i];

		free_kb += z->v[KERN_ZF_free] > 0 ? z->v[KERN_ZF_free] : 0;
		present_kb += z->v[KERN_ZF_present] > 0 ? z->v[KERN_ZF_present] : 0;
	}
	/* zones may be missing in a torn report: the nearest size, if it is near */
	for (size = 4; size <= 1024; size *= 2) {
		int64_t kb = (int64_t)size;

		if (dump->ram > 0 && present_kb > dump->ram * kb * 3 / 4 &&
		    present_kb < dump->ram * kb * 3 / 2)
			return size * 1024;
		if (dump->ram <= 0 && dump->total_free > 1000 &&
		    free_kb > dump->total_free * kb * 3 / 4 &&
		    free_kb < dump->total_free * kb * 3 / 2)
			return size * 1024;
	}
	return 0;
}

void kern_find_page_size(struct kern_dump *dump, uint64_t given)
{
	unsigned int shift, best = 12, most, least, votes;
	size_t s;

	if (given) {
		dump->page_size = given;
		dump->page_size_by = KERN_PS_OPTION;
		return;
	}
	if (dump->page_size)
		return;
	shift = shift_of_border(dump);
	dump->page_size = shift ? UINT64_C(1) << shift : size_of_totals(dump);
	dump->page_size_by = shift ? KERN_PS_LIMIT : KERN_PS_TOTALS;
	if (dump->page_size)
		return;
	most = least = vote(dump, best);
	for (s = 1; s < NR_SHIFTS; s++) {
		votes = vote(dump, shifts[s]);
		if (votes > most) {
			best = shifts[s];
			most = votes;
		}
		if (votes < least)
			least = votes;
	}
	/* equal votes for all: the zones are too small to tell */
	dump->page_size_by = most > least ? KERN_PS_THRESHOLD : KERN_PS_DEFAULT;
	dump->page_size = UINT64_C(1) << best;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pagesets: the per-CPU lists of free pages and the policy that sizes them.
 * Mirrors the parts of mm/page_alloc.c (6.6, and the series on it) that handle
 * struct per_cpu_pages. Called by zone.c, vmstat.c and sim.c; the policy
 * functions also by the replay of recordings and by tests.
 */
#ifndef PAGESET_CORE_PCP_H
#define PAGESET_CORE_PCP_H

#include "arena.h"

/*
 * Functions that replace the kernel's policy (a "patch 11"). A NULL member
 * keeps the built-in one. Results are in pages and are checked by whoever
 * supplies the functions; core asserts that they are not negative.
 */
struct policy {
	void *ctx;
	/* The limit at which a free starts to give pages back. May set pcp->high. */
	int (*nr_pcp_high)(void *ctx, struct sim *sim, struct per_cpu_pages *pcp, struct zone *zone,
			   bool free_high);
	/* How many pages to give back. */
	int (*nr_pcp_free)(void *ctx, struct sim *sim, struct per_cpu_pages *pcp, int high,
			   bool free_high);
	/* How many blocks to take from the buddy. */
	int (*nr_pcp_alloc)(void *ctx, struct sim *sim, struct per_cpu_pages *pcp,
			    struct zone *zone, u32 order);
	/* The new high of a tick; returns it. */
	int (*decay_pcp_high)(void *ctx, struct sim *sim, struct zone *zone,
			      struct per_cpu_pages *pcp);
};

/* Policy, kernel signatures with the machine in front. All results in pages, */
/* but nr_pcp_alloc()'s in blocks. */
int nr_pcp_high(struct sim *sim, struct per_cpu_pages *pcp, struct zone *zone, bool free_high);
int nr_pcp_free(struct sim *sim, struct per_cpu_pages *pcp, int high, bool free_high);
int nr_pcp_alloc(struct sim *sim, struct per_cpu_pages *pcp, struct zone *zone, u32 order);
/* Would this free of order 1..3 empty the list (free_high)? */
bool pcp_free_high(struct sim *sim, struct per_cpu_pages *pcp, u32 order);

/* rmqueue_pcplist(): take a block from a pageset, refilled if need be; NULL if none. */
struct page *rmqueue_pcplist(struct sim *sim, struct zone *zone, u32 order, u32 migratetype,
			     u32 alloc_flags);
/* __rmqueue_pcplist(): the same with the pageset locked. */
struct page *__rmqueue_pcplist(struct sim *sim, struct zone *zone, u32 order, u32 migratetype,
			       u32 alloc_flags, struct per_cpu_pages *pcp, struct page *list);
/* free_unref_page(): free a block of a pageset's order. */
void free_unref_page(struct sim *sim, struct zone *zone, struct page *page, u32 order);
/* free_unref_page_list(): free order-0 pages as one list. @pages: node ids. */
void free_unref_page_list(struct sim *sim, const u32 *pages, u32 nr_pages);
/* free_pcppages_bulk(): give @count pages back, from list @pindex on. */
void free_pcppages_bulk(struct sim *sim, struct zone *zone, int count, struct per_cpu_pages *pcp,
			u32 pindex);

bool pcp_spin_trylock(struct sim *sim, struct per_cpu_pages *pcp);
static inline void pcp_spin_unlock(struct per_cpu_pages *pcp)
{
	pcp->lock = false;
}

/* Patch 7: what a tick makes of a high above high_min. Also asked by the replay of recordings. */
int pcp_decayed_high(struct sim *sim, const struct per_cpu_pages *pcp);
/* decay_pcp_high(), patch 7: lower high in a tick. Returns true if there is more to do. */
bool decay_pcp_high(struct sim *sim, struct zone *zone, struct per_cpu_pages *pcp);
/* drain_zone_pages(): up to a batch of a remote pageset. */
void drain_zone_pages(struct sim *sim, struct zone *zone, struct per_cpu_pages *pcp);
/* drain_pages_zone(): all pages of @cpu's pageset of one zone. */
void drain_pages_zone(struct sim *sim, u32 cpu, struct zone *zone);

/* Sizing. */
int zone_batchsize(struct sim *sim, struct zone *zone);
int zone_highsize(struct sim *sim, struct zone *zone, int batch, int cpu_online, s64 high_fraction);
void zone_set_pageset_high_and_batch(struct sim *sim, struct zone *zone, int cpu_online);
/* Write the limits into the pagesets of all CPUs of a zone. */
void pageset_update_all(struct sim *sim, struct zone *zone, int high_min, int high_max, int batch);
void zone_pcp_update(struct sim *sim, struct zone *zone, int cpu_online);
void zone_pcp_disable(struct sim *sim, struct zone *zone);
void zone_pcp_enable(struct sim *sim, struct zone *zone);

#endif

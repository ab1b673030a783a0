/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages and their lists: the only functions that write struct page and the
 * pageblock types. Each marks the chunk that it wrote as dirty, which is what
 * makes checkpoints cheap. Private to core.
 */
#ifndef PAGESET_CORE_PAGE_H
#define PAGESET_CORE_PAGE_H

#include "arena.h"

static inline void page_dirty(struct sim *sim, const struct page *page)
{
	size_t bytes = (size_t)((const u8 *)page - (const u8 *)sim->nodes);

	mark_written(&sim->nodes_dirty[bytes >> CHUNK_SHIFT]);
}

static inline struct page *node(struct sim *sim, u32 id)
{
	return &sim->nodes[id];
}

static inline u32 node_id(const struct sim *sim, const struct page *page)
{
	return (u32)(page - sim->nodes);
}

static inline struct page *pfn_to_page(const struct sim *sim, u64 pfn)
{
	return &sim->nodes[(u32)pfn + sim->page_shift];
}

static inline u64 page_to_pfn(const struct sim *sim, const struct page *page)
{
	u32 id = node_id(sim, page);

	if (id >= sim->first_page)
		return id - sim->first_page + sim->base_pfn;
	return ((u64)(id - sim->first_block) << MAX_ORDER) + sim->base_pfn;
}

/* The same of a page itself, not of a node that stands for a block of order 10. */
static inline u64 page_own_pfn(const struct sim *sim, const struct page *page)
{
	return node_id(sim, page) - sim->first_page + sim->base_pfn;
}

/* The node that stands for a free block of order 10. */
static inline struct page *max_order_node(struct sim *sim, u64 pfn)
{
	return &sim->nodes[sim->first_block + (u32)((pfn - sim->base_pfn) >> MAX_ORDER)];
}

static inline u32 page_order(const struct page *page)
{
	return page->flags & 15;
}

static inline enum page_state page_state(const struct page *page)
{
	return (enum page_state)((page->flags >> 4) & 3);
}

/* The migratetype that is kept in the page: see struct page. */
static inline u32 page_type(const struct page *page)
{
	return (page->flags >> 6) & 3;
}

#define PAGE_FLAG_MOVABLE (1u << 8)

static inline bool page_movable(const struct page *page)
{
	return page->flags & PAGE_FLAG_MOVABLE;
}

static inline u32 page_zone_id(const struct page *page)
{
	return page->flags >> 16;
}

/*
 * Most pages belong to the zone that the page before belonged to: a guess lets the
 * host's CPU run on before it has read the page.
 */
static inline struct zone *page_zone(struct sim *sim, const struct page *page)
{
	struct zone *zone = sim->zone_guess;

	if (unlikely(zone->id != page_zone_id(page)))
		zone = sim->zone_guess = &sim->zones[page_zone_id(page)];
	return zone;
}

static inline u32 page_flags(enum page_state state, u32 order, u32 type, u32 zone_id)
{
	return order | (u32)state << 4 | type << 6 | zone_id << 16;
}

/* Is this the first page of a free block of @order on a list of the zone? */
static inline bool page_is_free_block(const struct page *page, u32 order, u32 zone_id)
{
	return (page->flags & ~(3u << 6)) == page_flags(PG_BUDDY, order, 0, zone_id);
}

static inline void page_set(struct sim *sim, struct page *page, u32 flags)
{
	page->flags = flags;
	page_dirty(sim, page);
}

/*
 * list.h of the kernel on node ids; a head counts its entries. Heads lie in the
 * hot part and need no mark. Who adds a page has marked it by page_set().
 */

static inline void list_init(struct sim *sim, u32 head)
{
	struct page *h = node(sim, head);

	h->next = h->prev = head;
	h->flags = 0;
}

static inline bool list_empty(const struct page *head)
{
	return head->flags == 0;
}

static inline u32 list_length(const struct page *head)
{
	return head->flags;
}

static inline struct page *list_first_entry(struct sim *sim, const struct page *head)
{
	return node(sim, head->next);
}

static inline struct page *list_last_entry(struct sim *sim, const struct page *head)
{
	return node(sim, head->prev);
}

/* Put @page at the head of the list. */
static inline void list_add(struct sim *sim, struct page *page, struct page *head)
{
	u32 id = node_id(sim, page);
	struct page *next = node(sim, head->next);

	page->next = head->next;
	page->prev = node_id(sim, head);
	next->prev = id;
	head->next = id;
	head->flags++;
	page_dirty(sim, next);
}

/* Put @page at the tail of the list. */
static inline void list_add_tail(struct sim *sim, struct page *page, struct page *head)
{
	u32 id = node_id(sim, page);
	struct page *prev = node(sim, head->prev);

	page->next = node_id(sim, head);
	page->prev = head->prev;
	prev->next = id;
	head->prev = id;
	head->flags++;
	page_dirty(sim, prev);
}

static inline void list_del(struct sim *sim, struct page *page, struct page *head)
{
	struct page *prev = node(sim, page->prev), *next = node(sim, page->next);

	prev->next = page->next;
	next->prev = page->prev;
	head->flags--;
	page_dirty(sim, prev);
	page_dirty(sim, next);
}

/* list_del() of the first entry, whose prev is known. */
static inline void list_del_first(struct sim *sim, struct page *page, struct page *head)
{
	struct page *next = node(sim, page->next);

	head->next = page->next;
	next->prev = page->prev;
	head->flags--;
	page_dirty(sim, next);
}

/* list_del() of the last entry, whose next is known. */
static inline void list_del_last(struct sim *sim, struct page *page, struct page *head)
{
	struct page *prev = node(sim, page->prev);

	head->prev = page->prev;
	prev->next = page->next;
	head->flags--;
	page_dirty(sim, prev);
}

/* The entries behind the last one, which will be its successors: read them ahead. */
static inline void list_prefetch_prev(struct sim *sim, const struct page *page)
{
	__builtin_prefetch(node(sim, node(sim, page->prev)->prev));
}

/* Pageblock types: one byte a block. */

static inline u32 get_pfnblock_migratetype(const struct sim *sim, u64 pfn)
{
	return sim->pageblocks[(pfn - sim->base_pfn) >> PAGEBLOCK_ORDER];
}

/* Of the first page of a block, not of a node that stands for one of order 10. */
static inline u32 get_pageblock_migratetype(const struct sim *sim, const struct page *page)
{
	return sim->node_types[node_id(sim, page) >> PAGEBLOCK_ORDER];
}

static inline void set_pageblock_migratetype(struct sim *sim, u64 pfn, u32 migratetype)
{
	u8 *type = &sim->pageblocks[(pfn - sim->base_pfn) >> PAGEBLOCK_ORDER];

	*type = (u8)migratetype;
	sim_dirty(sim, type);
}

#endif

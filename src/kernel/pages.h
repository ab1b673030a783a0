/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page identity for replay: which pages a trace has put on which per-CPU list, in list order, and the migratetype of
 * each pageblock as far as the events told it.  Memory grows with the pages that a trace names, not with its length.
 * Owned by replay.c.
 *
 * A list is sorted by stamp: frees push at the head with a rising stamp, a refill finds its list empty.
 */
#ifndef KERNEL_PAGES_H
#define KERNEL_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGES_NONE UINT32_MAX /* no page; no list; no type */
#define PAGES_TYPE_NONE 0xff

struct pages;

struct page_list {
	uint32_t head, tail; /* page ids, PAGES_NONE where empty */
	uint32_t blocks;
};

struct page_node {
	uint32_t next, prev;
	uint32_t list; /* number of the list that holds it, PAGES_NONE: none */
	uint32_t stamp;
	uint32_t note; /* the owner's; 0 at first */
	uint8_t order; /* of the block it heads, while on a list or allocated */
	uint8_t type;  /* last requested migratetype, PAGES_TYPE_NONE: never seen */
	bool freed;    /* came to its list by a free, not by a refill */
};

/* lists: how many lists there are, all empty; NULL: out of memory */
struct pages *pages_new(uint32_t lists);
void pages_free(struct pages *pages);

/* the id of a page, made known if it was not; PAGES_NONE: out of memory */
uint32_t pages_id(struct pages *pages, uint64_t pfn);
struct page_node *pages_node(struct pages *pages, uint32_t id);
struct page_list *pages_list(struct pages *pages, uint32_t list);

/* the stamp of the next page that is pushed */
uint32_t pages_stamp(const struct pages *pages);

/* migratetype of the block that the page lies in, PAGES_TYPE_NONE: not told yet */
uint8_t pages_block_type(const struct pages *pages, uint32_t id);
void pages_block_set_type(struct pages *pages, uint32_t id, uint8_t type);

/* the page is on no list before these, and on that list after them */
void pages_push(struct pages *pages, uint32_t list, uint32_t id, uint8_t order);
void pages_append(struct pages *pages, uint32_t list, uint32_t id, uint8_t order);

/* the page is on a list before, and on none after */
void pages_remove(struct pages *pages, uint32_t id);

/*
 * Moves the freed pages of the block around id from one list to another, each to its place by age; returns how many
 * blocks were moved.
 */
uint32_t pages_move_block(struct pages *pages, uint32_t id, uint32_t from, uint32_t to);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#include "pages.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_SHIFT 9
#define BLOCK_PAGES (1u << BLOCK_SHIFT)
#define BLOCKS_MAX (UINT32_MAX >> BLOCK_SHIFT)
#define BLOCK_EMPTY UINT64_MAX

struct block {
	uint64_t number; /* pfn >> BLOCK_SHIFT */
	struct page_node *nodes;
	uint8_t type;
};

struct pages {
	struct page_list *lists;
	struct block *blocks;
	uint32_t nr_blocks, cap_blocks;
	uint32_t *hash;	      /* index into blocks, PAGES_NONE: free */
	uint32_t cap_hash;    /* a power of two, at least twice nr_blocks */
	uint64_t last_number; /* the block that was asked for last */
	uint32_t last;
	uint32_t stamp;
};

struct pages *pages_new(uint32_t lists)
{
	struct pages *pages = calloc(1, sizeof(*pages));
	uint32_t i;

	if (!pages) {
		return NULL;
	}
	pages->lists = malloc((size_t)(lists ? lists : 1) * sizeof(*pages->lists));
	pages->cap_hash = 1024;
	pages->hash = malloc(pages->cap_hash * sizeof(*pages->hash));
	if (!pages->lists || !pages->hash) {
		pages_free(pages);
		return NULL;
	}
	for (i = 0; i < lists; i++) {
		pages->lists[i] = (struct page_list){ PAGES_NONE, PAGES_NONE, 0 };
	}
	memset(pages->hash, 0xff, pages->cap_hash * sizeof(*pages->hash));
	pages->last_number = BLOCK_EMPTY;
	pages->stamp = 1;
	return pages;
}

void pages_free(struct pages *pages)
{
	uint32_t i;

	if (!pages) {
		return;
	}
	for (i = 0; i < pages->nr_blocks; i++) {
		free(pages->blocks[i].nodes);
	}
	free(pages->blocks);
	free(pages->hash);
	free(pages->lists);
	free(pages);
}

static uint32_t slot_of(const struct pages *pages, uint64_t number)
{
	uint64_t h = number * 0x9e3779b97f4a7c15ULL;

	return (uint32_t)(h >> 32) & (pages->cap_hash - 1);
}

static bool grow_hash(struct pages *pages)
{
	uint32_t cap = pages->cap_hash * 2, i;
	uint32_t *hash = malloc(cap * sizeof(*hash));

	if (!hash) {
		return false;
	}
	memset(hash, 0xff, cap * sizeof(*hash));
	free(pages->hash);
	pages->hash = hash;
	pages->cap_hash = cap;
	for (i = 0; i < pages->nr_blocks; i++) {
		uint32_t s = slot_of(pages, pages->blocks[i].number);

		while (hash[s] != PAGES_NONE) {
			s = (s + 1) & (cap - 1);
		}
		hash[s] = i;
	}
	return true;
}

static uint32_t new_block(struct pages *pages, uint64_t number)
{
	struct block *b;
	uint32_t i;

	if (pages->nr_blocks == BLOCKS_MAX) {
		return PAGES_NONE;
	}
	if (pages->nr_blocks == pages->cap_blocks) {
		uint32_t cap = pages->cap_blocks ? pages->cap_blocks * 2 : 256;
		struct block *blocks = realloc(pages->blocks, cap * sizeof(*blocks));

		if (!blocks) {
			return PAGES_NONE;
		}
		pages->blocks = blocks;
		pages->cap_blocks = cap;
	}
	if (pages->nr_blocks * 2 >= pages->cap_hash && !grow_hash(pages)) {
		return PAGES_NONE;
	}
	b = &pages->blocks[pages->nr_blocks];
	b->nodes = malloc(BLOCK_PAGES * sizeof(*b->nodes));
	if (!b->nodes) {
		return PAGES_NONE;
	}
	for (i = 0; i < BLOCK_PAGES; i++) {
		b->nodes[i] = (struct page_node){ .next = PAGES_NONE,
						  .prev = PAGES_NONE,
						  .list = PAGES_NONE,
						  .type = PAGES_TYPE_NONE };
	}
	b->number = number;
	b->type = PAGES_TYPE_NONE;
	return pages->nr_blocks++;
}

uint32_t pages_id(struct pages *pages, uint64_t pfn)
{
	uint64_t number = pfn >> BLOCK_SHIFT;
	uint32_t s, i;

	if (number != pages->last_number) {
		for (s = slot_of(pages, number); pages->hash[s] != PAGES_NONE;
		     s = (s + 1) & (pages->cap_hash - 1)) {
			if (pages->blocks[pages->hash[s]].number == number) {
				break;
			}
		}
		i = pages->hash[s];
		if (i == PAGES_NONE) {
			i = new_block(pages, number);
			if (i == PAGES_NONE) {
				return PAGES_NONE;
			}
			/* the table may have grown: look for the place again */
			for (s = slot_of(pages, number); pages->hash[s] != PAGES_NONE;) {
				s = (s + 1) & (pages->cap_hash - 1);
			}
			pages->hash[s] = i;
		}
		pages->last_number = number;
		pages->last = i;
	}
	return pages->last << BLOCK_SHIFT | (uint32_t)(pfn & (BLOCK_PAGES - 1));
}

struct page_node *pages_node(struct pages *pages, uint32_t id)
{
	return &pages->blocks[id >> BLOCK_SHIFT].nodes[id & (BLOCK_PAGES - 1)];
}

struct page_list *pages_list(struct pages *pages, uint32_t list)
{
	return &pages->lists[list];
}

uint32_t pages_stamp(const struct pages *pages)
{
	return pages->stamp;
}

uint8_t pages_block_type(const struct pages *pages, uint32_t id)
{
	return pages->blocks[id >> BLOCK_SHIFT].type;
}

void pages_block_set_type(struct pages *pages, uint32_t id, uint8_t type)
{
	pages->blocks[id >> BLOCK_SHIFT].type = type;
}

/* puts node id between prev and next, either of which may be none */
static void link_between(struct pages *pages, uint32_t list, uint32_t id, uint32_t prev,
			 uint32_t next)
{
	struct page_list *l = &pages->lists[list];
	struct page_node *node = pages_node(pages, id);

	node->prev = prev;
	node->next = next;
	node->list = list;
	if (prev == PAGES_NONE) {
		l->head = id;
	} else {
		pages_node(pages, prev)->next = id;
	}
	if (next == PAGES_NONE) {
		l->tail = id;
	} else {
		pages_node(pages, next)->prev = id;
	}
	l->blocks++;
}

void pages_push(struct pages *pages, uint32_t list, uint32_t id, uint8_t order)
{
	struct page_node *node = pages_node(pages, id);

	node->order = order;
	node->freed = true;
	node->stamp = pages->stamp++;
	link_between(pages, list, id, PAGES_NONE, pages->lists[list].head);
}

void pages_append(struct pages *pages, uint32_t list, uint32_t id, uint8_t order)
{
	struct page_node *node = pages_node(pages, id);

	node->order = order;
	node->freed = false;
	node->stamp = 0;
	link_between(pages, list, id, pages->lists[list].tail, PAGES_NONE);
}

void pages_remove(struct pages *pages, uint32_t id)
{
	struct page_node *node = pages_node(pages, id);
	struct page_list *l = &pages->lists[node->list];

	if (node->prev == PAGES_NONE) {
		l->head = node->next;
	} else {
		pages_node(pages, node->prev)->next = node->next;
	}
	if (node->next == PAGES_NONE) {
		l->tail = node->prev;
	} else {
		pages_node(pages, node->next)->prev = node->prev;
	}
	l->blocks--;
	node->list = node->next = node->prev = PAGES_NONE;
}

uint32_t pages_move_block(struct pages *pages, uint32_t id, uint32_t from, uint32_t to)
{
	uint32_t first = id & ~(BLOCK_PAGES - 1), i, moved = 0;

	for (i = first; i < first + BLOCK_PAGES; i++) {
		struct page_node *node = pages_node(pages, i);
		uint32_t prev = PAGES_NONE, next = pages->lists[to].head;

		if (node->list != from || !node->freed) {
			continue;
		}
		pages_remove(pages, i);
		while (next != PAGES_NONE && pages_node(pages, next)->stamp > node->stamp) {
			prev = next;
			next = pages_node(pages, next)->next;
		}
		link_between(pages, to, i, prev, next);
		moved++;
	}
	return moved;
}

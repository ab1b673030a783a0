/* SPDX-License-Identifier: GPL-2.0-only */
#include "checkpoint.h"

#include <stdlib.h>
#include <string.h>

enum { LEAF_SHIFT = 6, LEAF_CHUNKS = 1 << LEAF_SHIFT, MALLOC_BYTES = 16 };

/* Shared by checkpoints, and by forks that may live in other threads. */
struct chunk {
	u32 refs;
	struct chunk *next_spare;
	u8 data[CHUNK_SIZE];
};

/* A chunk that is NULL is all zero. */
struct leaf {
	u32 refs;
	struct chunk *chunks[LEAF_CHUNKS];
};

struct checkpoint {
	u64 op;
	struct leaf *leaves[]; /* NULL: no chunk */
};

static void ref_get(u32 *refs)
{
	__atomic_fetch_add(refs, 1, __ATOMIC_RELAXED);
}

/* True if it was the last one. */
static bool ref_put(u32 *refs)
{
	return __atomic_sub_fetch(refs, 1, __ATOMIC_ACQ_REL) == 0;
}

static void chunk_put(struct ckpts *c, struct chunk *chunk)
{
	if (!chunk || !ref_put(&chunk->refs))
		return;
	chunk->next_spare = c->spare;
	c->spare = chunk;
	c->nr_spare++;
}

static struct chunk *chunk_new(struct ckpts *c)
{
	struct chunk *chunk = c->spare;

	if (chunk) {
		c->spare = chunk->next_spare;
		c->nr_spare--;
	} else {
		chunk = malloc(sizeof(*chunk));
	}
	if (chunk)
		chunk->refs = 1;
	return chunk;
}

static void leaf_put(struct ckpts *c, struct leaf *leaf)
{
	if (!leaf || !ref_put(&leaf->refs))
		return;
	for (u32 i = 0; i < LEAF_CHUNKS; i++)
		chunk_put(c, leaf->chunks[i]);
	free(leaf);
}

static size_t table_bytes(const struct ckpts *c)
{
	return sizeof(struct checkpoint) + c->nr_leaves * sizeof(struct leaf *) + MALLOC_BYTES +
	       sizeof(struct checkpoint *);
}

static size_t chunk_bytes(void)
{
	return sizeof(struct chunk) + MALLOC_BYTES;
}

static size_t leaf_bytes(void)
{
	return sizeof(struct leaf) + MALLOC_BYTES;
}

size_t ckpt_spare_bytes(const struct ckpts *c)
{
	return c->nr_spare * chunk_bytes();
}

void ckpt_trim(struct ckpts *c, size_t bytes)
{
	while (c->spare && ckpt_spare_bytes(c) > bytes) {
		struct chunk *chunk = c->spare;

		c->spare = chunk->next_spare;
		c->nr_spare--;
		free(chunk);
	}
}

void ckpt_init(struct ckpts *c, const struct sim *sim)
{
	memset(c, 0, sizeof(*c));
	c->nr_chunks = sim->nr_chunks;
	c->nr_leaves = (sim->nr_chunks + LEAF_CHUNKS - 1) >> LEAF_SHIFT;
}

static void checkpoint_free(struct ckpts *c, struct checkpoint *at)
{
	for (size_t l = 0; l < c->nr_leaves; l++)
		leaf_put(c, at->leaves[l]);
	free(at);
}

void ckpt_free(struct ckpts *c)
{
	for (size_t i = 0; i < c->nr; i++)
		checkpoint_free(c, c->list[i]);
	ckpt_trim(c, 0);
	free(c->list);
	c->list = NULL;
	c->nr = c->cap = c->cur = c->bytes = 0;
}

static struct checkpoint *checkpoint_like(const struct ckpts *c, const struct checkpoint *from)
{
	size_t bytes = sizeof(*from) + c->nr_leaves * sizeof(struct leaf *);
	struct checkpoint *at = calloc(1, bytes);

	if (!at || !from)
		return at;
	memcpy(at, from, bytes);
	for (size_t l = 0; l < c->nr_leaves; l++) {
		if (at->leaves[l])
			ref_get(&at->leaves[l]->refs);
	}
	return at;
}

bool ckpt_copy(struct ckpts *to, const struct ckpts *from)
{
	*to = *from;
	to->spare = NULL;
	to->nr_spare = 0;
	to->nr = 0;
	to->cap = from->nr + 8;
	to->list = malloc(to->cap * sizeof(struct checkpoint *));
	if (!to->list)
		return false;
	for (; to->nr < from->nr; to->nr++) {
		to->list[to->nr] = checkpoint_like(from, from->list[to->nr]);
		if (!to->list[to->nr])
			return false;
	}
	return true;
}

u64 ckpt_op(const struct ckpts *c, size_t i)
{
	return c->list[i]->op;
}

size_t ckpt_find(const struct ckpts *c, u64 op)
{
	size_t lo = 0, hi = c->nr;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (c->list[mid]->op <= op)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? lo - 1 : c->nr;
}

/* Which of four map entries have the bit. */
static u64 dirty_word(const struct chunk_mark *map, u64 bits)
{
	u64 word;

	memcpy(&word, map, sizeof(word));
	return word & (bits * 0x0001000100010001ull);
}

/* The next chunk from @i on, before @end, whose map entry has one of @bits; @end if none. */
static size_t next_chunk(const struct chunk_mark *map, size_t i, size_t end, u8 bits)
{
	while (i < end) {
		if ((i & 3) == 0 && i + 4 <= end && !dirty_word(map + i, bits)) {
			i += 4;
			continue;
		}
		if (map[i].bits & bits)
			return i;
		i++;
	}
	return end;
}

static const struct chunk *chunk_at(const struct checkpoint *at, size_t i)
{
	const struct leaf *leaf = at ? at->leaves[i >> LEAF_SHIFT] : NULL;

	return leaf ? leaf->chunks[i & (LEAF_CHUNKS - 1)] : NULL;
}

static struct checkpoint *current(const struct ckpts *c)
{
	return c->cur < c->nr ? c->list[c->cur] : NULL;
}

/* The hot part marks nothing: compare it and mark what differs. */
static void mark_hot(const struct ckpts *c, const struct sim *sim)
{
	const struct checkpoint *cur = current(c);

	for (size_t i = 0; i < sim->hot_bytes >> CHUNK_SHIFT; i++) {
		const struct chunk *chunk = chunk_at(cur, i);

		if (!chunk || memcmp(chunk->data, sim->arena + (i << CHUNK_SHIFT), CHUNK_SIZE) != 0)
			sim->dirty[i].bits = CHUNK_WRITTEN;
	}
}

/* Without a current checkpoint all that was ever used counts as dirty. */
static u8 dirty_bits(const struct ckpts *c)
{
	return c->cur < c->nr ? CHUNK_DIRTY : CHUNK_WRITTEN;
}

size_t ckpt_dirty(const struct ckpts *c, const struct sim *sim)
{
	u8 bits = dirty_bits(c);
	size_t n = 0;

	mark_hot(c, sim);
	for (size_t i = next_chunk(sim->dirty, 0, c->nr_chunks, bits); i < c->nr_chunks;
	     i = next_chunk(sim->dirty, i + 1, c->nr_chunks, bits))
		n++;
	return n;
}

size_t ckpt_cost(const struct ckpts *c, const struct sim *sim)
{
	u8 bits = dirty_bits(c);
	size_t bytes = table_bytes(c);

	mark_hot(c, sim);
	for (size_t l = 0; l < c->nr_leaves; l++) {
		size_t i = l << LEAF_SHIFT, end = i + LEAF_CHUNKS, n = 0;

		end = end < c->nr_chunks ? end : c->nr_chunks;
		for (i = next_chunk(sim->dirty, i, end, bits); i < end;
		     i = next_chunk(sim->dirty, i + 1, end, bits))
			n++;
		bytes += n ? leaf_bytes() + n * chunk_bytes() : 0;
	}
	return bytes;
}

/* A leaf of its own for a checkpoint, with the chunks of the one it shared. */
static struct leaf *leaf_own(struct leaf *shared)
{
	struct leaf *leaf = calloc(1, sizeof(*leaf));

	if (!leaf)
		return NULL;
	leaf->refs = 1;
	for (u32 i = 0; shared && i < LEAF_CHUNKS; i++) {
		leaf->chunks[i] = shared->chunks[i];
		if (leaf->chunks[i])
			ref_get(&leaf->chunks[i]->refs);
	}
	return leaf;
}

/* Replace one chunk of an own leaf by the live bytes; shared with the successor if equal. */
static bool take_chunk(struct ckpts *c, const struct sim *sim, struct leaf *leaf, size_t i,
		       const struct checkpoint *next)
{
	struct chunk **at = &leaf->chunks[i & (LEAF_CHUNKS - 1)], *old = *at;
	const u8 *data = sim->arena + (i << CHUNK_SHIFT);
	struct leaf *next_leaf = next ? next->leaves[i >> LEAF_SHIFT] : NULL;
	struct chunk *same = next_leaf ? next_leaf->chunks[i & (LEAF_CHUNKS - 1)] : NULL;

	if (same && same != old && memcmp(same->data, data, CHUNK_SIZE) == 0) {
		ref_get(&same->refs);
		*at = same;
	} else {
		struct chunk *copy = chunk_new(c);

		if (!copy)
			return false;
		memcpy(copy->data, data, CHUNK_SIZE);
		c->bytes += chunk_bytes();
		*at = copy;
	}
	chunk_put(c, old);
	return true;
}

static bool grow_list(struct ckpts *c)
{
	size_t cap = c->cap ? c->cap * 2 : 16;
	struct checkpoint **list;

	if (c->nr < c->cap)
		return true;
	list = realloc(c->list, cap * sizeof(struct checkpoint *));
	if (!list)
		return false;
	c->list = list;
	c->cap = cap;
	return true;
}

/* Fill the leaf @l of a new checkpoint with what is dirty. */
static bool capture_leaf(struct ckpts *c, const struct sim *sim, struct checkpoint *at, size_t l,
			 const struct checkpoint *next)
{
	u8 bits = dirty_bits(c);
	size_t end = (l + 1) << LEAF_SHIFT, i;

	end = end < c->nr_chunks ? end : c->nr_chunks;
	i = next_chunk(sim->dirty, l << LEAF_SHIFT, end, bits);
	if (i >= end)
		return true;
	struct leaf *own = leaf_own(at->leaves[l]);

	if (!own)
		return false;
	leaf_put(c, at->leaves[l]);
	at->leaves[l] = own;
	c->bytes += leaf_bytes();
	for (; i < end; i = next_chunk(sim->dirty, i + 1, end, bits)) {
		if (!take_chunk(c, sim, own, i, next))
			return false;
	}
	return true;
}

bool ckpt_capture(struct ckpts *c, struct sim *sim, u64 op)
{
	const struct checkpoint *cur = current(c);
	size_t to = cur ? c->cur + 1 : 0, bytes = c->bytes;
	const struct checkpoint *next = to < c->nr ? c->list[to] : NULL;
	struct checkpoint *at;

	SIM_ASSERT(!cur || cur->op < op, "a checkpoint at %llu behind %llu", (unsigned long long)op,
		   (unsigned long long)cur->op);
	SIM_ASSERT(!next || op < next->op, "a checkpoint at %llu before %llu",
		   (unsigned long long)op, (unsigned long long)next->op);
	if (!grow_list(c))
		return false;
	at = checkpoint_like(c, cur);
	if (!at)
		return false;
	at->op = op;
	mark_hot(c, sim);
	for (size_t l = 0; l < c->nr_leaves; l++) {
		if (!capture_leaf(c, sim, at, l, next)) {
			checkpoint_free(c, at);
			c->bytes = bytes;
			return false;
		}
	}
	memmove(&c->list[to + 1], &c->list[to], (c->nr - to) * sizeof(struct checkpoint *));
	c->list[to] = at;
	c->nr++;
	c->bytes += table_bytes(c);
	ckpt_reached(c, sim, to);
	return true;
}

void ckpt_reached(struct ckpts *c, struct sim *sim, size_t i)
{
	c->cur = i;
	for (size_t n = next_chunk(sim->dirty, 0, c->nr_chunks, CHUNK_DIRTY); n < c->nr_chunks;
	     n = next_chunk(sim->dirty, n + 1, c->nr_chunks, CHUNK_DIRTY))
		sim->dirty[n].bits = CHUNK_USED;
}

static void put_chunk(struct sim *sim, size_t i, const struct chunk *chunk)
{
	u8 *to = sim->arena + (i << CHUNK_SHIFT);

	if (chunk)
		memcpy(to, chunk->data, CHUNK_SIZE);
	else
		memset(to, 0, CHUNK_SIZE);
	sim->dirty[i].bits = CHUNK_USED;
}

void ckpt_restore(struct ckpts *c, struct sim *sim, size_t target)
{
	const struct checkpoint *cur = current(c), *to = c->list[target];
	u8 bits = dirty_bits(c);

	for (size_t i = 0; i < sim->hot_bytes >> CHUNK_SHIFT; i++)
		sim->dirty[i].bits = CHUNK_WRITTEN;
	for (size_t l = 0; l < c->nr_leaves; l++) {
		size_t i = l << LEAF_SHIFT, end = i + LEAF_CHUNKS;

		end = end < c->nr_chunks ? end : c->nr_chunks;
		if (cur && cur->leaves[l] == to->leaves[l]) {
			for (i = next_chunk(sim->dirty, i, end, bits); i < end;
			     i = next_chunk(sim->dirty, i + 1, end, bits))
				put_chunk(sim, i, chunk_at(to, i));
			continue;
		}
		for (; i < end; i++) {
			const struct chunk *chunk = chunk_at(to, i);

			if ((cur && chunk != chunk_at(cur, i)) || (!cur && chunk) ||
			    (sim->dirty[i].bits & bits))
				put_chunk(sim, i, chunk);
		}
	}
	c->cur = target;
	sim_reset(sim);
}

/* What the checkpoint alone holds of a leaf, in bytes. */
static size_t own_bytes(const struct leaf *leaf, const struct leaf *prev, const struct leaf *next)
{
	size_t bytes = leaf_bytes();

	if (!leaf || leaf == prev || leaf == next)
		return 0;
	for (u32 i = 0; i < LEAF_CHUNKS; i++) {
		const struct chunk *chunk = leaf->chunks[i];

		if (chunk && !(prev && prev->chunks[i] == chunk) &&
		    !(next && next->chunks[i] == chunk))
			bytes += chunk_bytes();
	}
	return bytes;
}

/* The live machine, equal to @from but for dirty chunks, is to be seen from @to. */
static void see_from(struct sim *sim, const struct ckpts *c, const struct checkpoint *from,
		     const struct checkpoint *to)
{
	for (size_t l = 0; l < c->nr_leaves; l++) {
		size_t i = l << LEAF_SHIFT, end = i + LEAF_CHUNKS;

		end = end < c->nr_chunks ? end : c->nr_chunks;
		if (from->leaves[l] == to->leaves[l])
			continue;
		for (; i < end; i++) {
			if (chunk_at(from, i) != chunk_at(to, i))
				sim->dirty[i].bits = CHUNK_WRITTEN;
		}
	}
}

void ckpt_remove(struct ckpts *c, struct sim *sim, size_t i)
{
	struct checkpoint *at = c->list[i];
	const struct checkpoint *prev = i ? c->list[i - 1] : NULL;
	const struct checkpoint *next = i + 1 < c->nr ? c->list[i + 1] : NULL;
	size_t cur = c->cur;

	if (cur == i && prev) {
		see_from(sim, c, at, prev);
		c->cur = cur = i - 1;
	}
	for (size_t l = 0; l < c->nr_leaves; l++)
		c->bytes -= own_bytes(at->leaves[l], prev ? prev->leaves[l] : NULL,
				      next ? next->leaves[l] : NULL);
	c->bytes -= table_bytes(c);
	checkpoint_free(c, at);
	memmove(&c->list[i], &c->list[i + 1], (c->nr - i - 1) * sizeof(struct checkpoint *));
	c->nr--;
	if (cur == i)
		c->cur = c->nr; /* the first one went: there is no current one */
	else if (cur > i)
		c->cur--;
}

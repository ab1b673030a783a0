/* SPDX-License-Identifier: GPL-2.0-only */
#include "log.h"

#include <stdlib.h>
#include <string.h>

enum {
	BLOCK_OPS = 512,
	BLOCK_BYTES = 2048, /* only a block of one operation may have more */
	KIND_HAS_FLAGS = 0x80,
	MALLOC_BYTES = 16,
	INDEX_BYTES = sizeof(struct log_block *) + sizeof(u64),
	FIXED_BYTES_MAX = 64, /* an operation without its list of slots */
};

/* Forms of a run of slots; the length stands above the two bits. */
enum { RUN_UP, RUN_DOWN, RUN_ANY, RUN_BITS = 2 };

#define A(name) (1u << OPARG_##name)

struct log_block {
	u32 refs;
	u16 nr;
	u32 bytes, cap; /* of code */
	u8 events[BLOCK_OPS];
	u8 code[];
};

/*
 * One operation as bytes
 */

static u8 *put_number(u8 *to, u64 n)
{
	for (; n >= 0x80; n >>= 7)
		*to++ = (u8)(n | 0x80);
	*to++ = (u8)n;
	return to;
}

static const u8 *get_number(const u8 *at, u64 *n)
{
	u32 shift = 0;

	for (*n = 0; *at & 0x80; at++, shift += 7)
		*n |= (u64)(*at & 0x7f) << shift;
	*n |= (u64)*at++ << shift;
	return at;
}

/* Small numbers of either sign become small numbers. */
static u64 fold_sign(s64 n)
{
	return (u64)n << 1 ^ (u64)(n >> 63);
}

static s64 unfold_sign(u64 n)
{
	return (s64)(n >> 1) ^ -(s64)(n & 1);
}

/* How many slots from @i on follow one another by @step. */
static u32 run_length(const u32 *slots, u32 i, u32 nr, u32 step)
{
	u32 n = 1;

	while (i + n < nr && slots[i + n] == slots[i + n - 1] + step)
		n++;
	return n;
}

static u8 *put_slots(u8 *to, const u32 *slots, u32 nr)
{
	u32 last = 0, i = 0;

	while (i < nr) {
		u32 up = run_length(slots, i, nr, 1), down = run_length(slots, i, nr, UINT32_MAX);
		u32 n = up > down ? up : down, k;

		if (n >= 4) {
			to = put_number(to, (u64)n << RUN_BITS | (up > down ? RUN_UP : RUN_DOWN));
			to = put_number(to, fold_sign((s64)slots[i] - last));
			last = slots[i + n - 1];
			i += n;
			continue;
		}
		/* Up to the next run of four: each by its distance. */
		for (k = i + 1; k < nr && run_length(slots, k, nr, 1) < 4 &&
				run_length(slots, k, nr, UINT32_MAX) < 4;)
			k++;
		to = put_number(to, (u64)(k - i) << RUN_BITS | RUN_ANY);
		for (; i < k; last = slots[i++])
			to = put_number(to, fold_sign((s64)slots[i] - last));
	}
	return to;
}

/* @slots may be NULL: then the list is passed over. */
static const u8 *get_slots(const u8 *at, u32 *slots, u32 nr)
{
	s64 last = 0;

	for (u32 i = 0; i < nr;) {
		u64 head, n;

		at = get_number(at, &head);
		for (u32 k = (u32)(head >> RUN_BITS), first = 1; k; k--, first = 0) {
			if (first || (head & 3) == RUN_ANY) {
				at = get_number(at, &n);
				last += unfold_sign(n);
			} else {
				last += (head & 3) == RUN_UP ? 1 : -1;
			}
			if (slots)
				slots[i] = (u32)last;
			i++;
		}
	}
	return at;
}

static bool takes_slots(u32 args)
{
	return args & A(pages);
}

/* Allocations apart have a slot too: the first of theirs. */
static bool has_slot(const struct op *op, u32 args)
{
	return (op->flags & OP_F_APART) && (args & A(type));
}

static u8 *put_op(u8 *to, const struct op *op, const u32 *slots)
{
	u32 args = op_infos[op->kind].args;

	*to++ = op->kind | (op->flags ? KIND_HAS_FLAGS : 0);
	if (op->flags)
		*to++ = op->flags;
	if (args & A(cpu))
		to = put_number(to, op->cpu);
	if (args & (A(order) | A(type)))
		*to++ = (u8)(op->order | op->type << 4);
	if (args & A(zone))
		to = put_number(to, op->zone);
	if (args & (A(value) | A(bytes) | A(set) | A(min)))
		to = put_number(to, fold_sign(op->value));
	if (op->flags & OP_F_CHANGE)
		to = put_number(to, fold_sign(op->low));
	if (args & A(low)) {
		to = put_number(to, fold_sign(op->low));
		to = put_number(to, fold_sign(op->high));
	}
	if (args & A(count) || (takes_slots(args) && op->kind != OP_FREE))
		to = put_number(to, op->count);
	if (has_slot(op, args))
		to = put_number(to, op->slot);
	if (!takes_slots(args))
		return to;
	if (op->count == 1)
		return put_number(to, slots ? slots[0] : op->slot);
	return put_slots(to, slots, op->count);
}

/* Read one; true if @slots was used. */
static bool get_op(const u8 **code, struct op *op, u32 *slots)
{
	const u8 *at = *code;
	bool listed = false;
	u32 args;
	u64 n;

	memset(op, 0, sizeof(*op));
	op->kind = *at & 0x7f;
	if (*at++ & KIND_HAS_FLAGS)
		op->flags = *at++;
	args = op_infos[op->kind].args;
	op->count = 1;
	if (args & A(cpu)) {
		at = get_number(at, &n);
		op->cpu = (u16)n;
	}
	if (args & (A(order) | A(type))) {
		op->order = *at & 15;
		op->type = *at++ >> 4;
	}
	if (args & A(zone)) {
		at = get_number(at, &n);
		op->zone = (u16)n;
	}
	if (args & (A(value) | A(bytes) | A(set) | A(min))) {
		at = get_number(at, &n);
		op->value = unfold_sign(n);
	}
	if (op->flags & OP_F_CHANGE) {
		at = get_number(at, &n);
		op->low = unfold_sign(n);
	}
	if (args & A(low)) {
		at = get_number(at, &n);
		op->low = unfold_sign(n);
		at = get_number(at, &n);
		op->high = unfold_sign(n);
	}
	if (args & A(count) || (takes_slots(args) && op->kind != OP_FREE)) {
		at = get_number(at, &n);
		op->count = (u32)n;
	}
	if (has_slot(op, args)) {
		at = get_number(at, &n);
		op->slot = (u32)n;
	}
	if (takes_slots(args) && op->count == 1) {
		at = get_number(at, &n);
		op->slot = (u32)n;
	} else if (takes_slots(args)) {
		at = get_slots(at, slots, op->count);
		listed = true;
	}
	*code = at;
	return listed;
}

/* A slot takes at most five bytes for itself and five for a run around it. */
static size_t code_bytes_max(const struct op *op)
{
	bool listed = takes_slots(op_infos[op->kind].args) && op->count > 1;

	return FIXED_BYTES_MAX + (listed ? (size_t)op->count * 10 : 0);
}

u8 *log_encode(const struct op *op, const u32 *slots, size_t *bytes)
{
	u8 *code = malloc(code_bytes_max(op)), *fit;

	if (!code)
		return NULL;
	*bytes = (size_t)(put_op(code, op, slots) - code);
	fit = realloc(code, *bytes);
	return fit ? fit : code;
}

bool log_decode(const u8 *code, struct op *op, u32 *slots)
{
	return get_op(&code, op, slots);
}

/*
 * Blocks
 */

static size_t block_bytes(const struct log_block *block)
{
	return sizeof(*block) + block->cap + MALLOC_BYTES + INDEX_BYTES;
}

size_t log_cost(const struct op *op)
{
	/* A new block, or the last one doubled. */
	return sizeof(struct log_block) + BLOCK_BYTES + code_bytes_max(op) + MALLOC_BYTES +
	       INDEX_BYTES;
}

size_t log_insert_cost(const struct op *op)
{
	return 2 * log_cost(op);
}

static void block_put(struct log_block *block)
{
	if (__atomic_sub_fetch(&block->refs, 1, __ATOMIC_ACQ_REL) == 0)
		free(block);
}

static struct log_block *block_new(u32 cap)
{
	struct log_block *block = malloc(sizeof(*block) + cap);

	if (block) {
		memset(block, 0, sizeof(*block));
		block->refs = 1;
		block->cap = cap;
	}
	return block;
}

/* A block that this log alone has, with room for @cap bytes; NULL: no memory. */
static struct log_block *block_own(struct oplog *log, size_t i, u32 cap)
{
	struct log_block *block = log->blocks[i], *own;

	if (__atomic_load_n(&block->refs, __ATOMIC_ACQUIRE) == 1 && block->cap >= cap)
		return block;
	cap = cap > block->cap ? cap : block->cap;
	own = block_new(cap);
	if (!own)
		return NULL;
	own->nr = block->nr;
	own->bytes = block->bytes;
	memcpy(own->events, block->events, sizeof(own->events));
	memcpy(own->code, block->code, block->bytes);
	log->bytes += block_bytes(own) - block_bytes(block);
	block_put(block);
	log->blocks[i] = own;
	return own;
}

static bool reserve_index(struct oplog *log, size_t more)
{
	size_t cap = log->cap ? log->cap * 2 : 64;
	struct log_block **blocks;
	u64 *first;

	if (log->nr + more <= log->cap)
		return true;
	/* A copy has room for what it holds and no more. */
	if (cap < log->nr + more)
		cap = log->nr + more;
	blocks = realloc(log->blocks, cap * sizeof(struct log_block *));
	if (!blocks)
		return false;
	log->blocks = blocks;
	first = realloc(log->first, cap * sizeof(u64));
	if (!first)
		return false;
	log->first = first;
	log->cap = cap;
	return true;
}

void log_free(struct oplog *log)
{
	for (size_t i = 0; i < log->nr; i++)
		block_put(log->blocks[i]);
	free(log->blocks);
	free(log->first);
	memset(log, 0, sizeof(*log));
}

bool log_fork(struct oplog *to, const struct oplog *from)
{
	*to = *from;
	to->nr = to->cap = 0;
	to->blocks = NULL;
	to->first = NULL;
	if (from->nr == 0)
		return true;
	to->blocks = malloc(from->nr * sizeof(struct log_block *));
	to->first = malloc(from->nr * sizeof(u64));
	if (!to->blocks || !to->first)
		return false;
	memcpy(to->blocks, from->blocks, from->nr * sizeof(struct log_block *));
	memcpy(to->first, from->first, from->nr * sizeof(u64));
	to->nr = to->cap = from->nr;
	for (size_t i = 0; i < to->nr; i++)
		__atomic_fetch_add(&to->blocks[i]->refs, 1, __ATOMIC_RELAXED);
	return true;
}

/* The last block, with room for @bytes; NULL: no memory. */
static struct log_block *tail_block(struct oplog *log, size_t bytes)
{
	struct log_block *tail = log->nr ? log->blocks[log->nr - 1] : NULL;

	if (tail && tail->nr < BLOCK_OPS && tail->bytes + bytes <= BLOCK_BYTES) {
		u32 cap = tail->cap;

		while (cap < tail->bytes + bytes)
			cap *= 2;
		return block_own(log, log->nr - 1, cap);
	}
	if (!reserve_index(log, 1))
		return NULL;
	tail = block_new(bytes > BLOCK_BYTES ? (u32)bytes : BLOCK_BYTES);
	if (!tail)
		return NULL;
	log->blocks[log->nr] = tail;
	log->first[log->nr++] = log->length;
	log->bytes += block_bytes(tail);
	return tail;
}

bool log_append(struct oplog *log, const struct op *op, const u32 *slots)
{
	u8 small[FIXED_BYTES_MAX], *code = small;
	size_t bytes;
	struct log_block *tail;

	if (code_bytes_max(op) > sizeof(small)) {
		code = log_encode(op, slots, &bytes);
		if (!code)
			return false;
	} else {
		bytes = (size_t)(put_op(small, op, slots) - small);
	}
	tail = tail_block(log, bytes);
	if (tail) {
		memcpy(tail->code + tail->bytes, code, bytes);
		tail->bytes += (u32)bytes;
		tail->events[tail->nr++] = 0;
		log->length++;
	}
	if (code != small)
		free(code);
	return tail;
}

/* Which block holds operation @op. */
static size_t block_of(const struct oplog *log, u64 op)
{
	size_t lo = 0, hi = log->nr;

	while (hi - lo > 1) {
		size_t mid = (lo + hi) / 2;

		if (log->first[mid] <= op)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

void log_seek(const struct oplog *log, struct log_cursor *cursor, u64 op)
{
	const struct log_block *block;
	const u8 *at;
	struct op skipped;

	cursor->block = block_of(log, op);
	cursor->at = cursor->offset = 0;
	if (log->nr == 0)
		return;
	block = log->blocks[cursor->block];
	at = block->code;
	for (u64 i = log->first[cursor->block]; i < op; i++, cursor->at++)
		get_op(&at, &skipped, NULL);
	cursor->offset = (u32)(at - block->code);
}

bool log_read(const struct oplog *log, struct log_cursor *cursor, struct op *op, u32 *slots)
{
	const struct log_block *block = log->blocks[cursor->block];
	const u8 *at;
	bool listed;

	if (cursor->at == block->nr) {
		block = log->blocks[++cursor->block];
		cursor->at = cursor->offset = 0;
	}
	at = block->code + cursor->offset;
	listed = get_op(&at, op, slots);
	cursor->offset = (u32)(at - block->code);
	cursor->at++;
	return listed;
}

u8 log_events(const struct oplog *log, u64 op)
{
	size_t i = block_of(log, op);

	return log->blocks[i]->events[op - log->first[i]];
}

s64 log_find_event(const struct oplog *log, u64 from, bool forward, u8 mask)
{
	u64 i = forward ? from + 1 : from;
	size_t b;

	if (!forward)
		i = i > log->length ? log->length : i;
	else if (i < log->start)
		i = log->start;
	if (log->nr == 0 || (forward ? i >= log->length : i <= log->start))
		return -1;
	b = block_of(log, forward ? i : i - 1);
	while (forward) {
		const struct log_block *block = log->blocks[b];

		for (u64 k = i - log->first[b]; k < block->nr; k++) {
			if (block->events[k] & mask)
				return (s64)(log->first[b] + k);
		}
		if (++b == log->nr)
			return -1;
		i = log->first[b];
	}
	for (;; b--) {
		for (u64 k = i - log->first[b]; k-- > 0;) {
			if (log->blocks[b]->events[k] & mask)
				return (s64)(log->first[b] + k);
		}
		if (b == 0)
			return -1;
		i = log->first[b];
	}
}

bool log_set_events(struct oplog *log, u64 op, u8 events)
{
	size_t i = op + 1 == log->length ? log->nr - 1 : block_of(log, op);
	u64 at = op - log->first[i];
	struct log_block *block = log->blocks[i];

	if (block->events[at] == events)
		return true;
	block = block_own(log, i, block->cap);
	if (block)
		block->events[at] = events;
	return block;
}

/* Operations @from..@to-1 of a block, bytes @begin..@end-1, as a block of their own. */
static struct log_block *block_part(const struct log_block *block, u32 from, u32 to, u32 begin,
				    u32 end)
{
	u32 bytes = end - begin;
	struct log_block *part = block_new(bytes ? bytes : 1);

	if (!part)
		return NULL;
	part->nr = (u16)(to - from);
	part->bytes = bytes;
	memcpy(part->events, block->events + from, to - from);
	memcpy(part->code, block->code + begin, bytes);
	return part;
}

/* Put up to three blocks in the place of block @i; empty ones are left out. */
static void replace_block(struct oplog *log, size_t i, struct log_block *const *parts, u32 nr_parts)
{
	struct log_block *keep[3];
	u64 at = log->first[i];
	size_t n = 0;

	for (u32 k = 0; k < nr_parts; k++) {
		if (parts[k]->nr)
			keep[n++] = parts[k];
		else
			free(parts[k]);
	}
	log->bytes -= block_bytes(log->blocks[i]);
	block_put(log->blocks[i]);
	memmove(&log->blocks[i + n], &log->blocks[i + 1],
		(log->nr - i - 1) * sizeof(struct log_block *));
	memmove(&log->first[i + n], &log->first[i + 1], (log->nr - i - 1) * sizeof(u64));
	log->nr += n - 1;
	for (size_t k = 0; k < n; k++) {
		log->blocks[i + k] = keep[k];
		log->first[i + k] = at;
		log->bytes += block_bytes(keep[k]);
		at += keep[k]->nr;
	}
	for (size_t k = i + n; k < log->nr; k++) {
		log->first[k] = at;
		at += log->blocks[k]->nr;
	}
	log->length = at;
}

bool log_insert(struct oplog *log, u64 op_at, const struct op *op, const u32 *slots)
{
	struct log_block *parts[3] = { NULL, NULL, NULL };
	const struct log_block *block;
	struct log_cursor cursor;
	size_t bytes;
	u8 *code;

	if (op_at == log->length)
		return log_append(log, op, slots);
	if (!reserve_index(log, 2))
		return false;
	code = log_encode(op, slots, &bytes);
	if (!code)
		return false;
	log_seek(log, &cursor, op_at);
	block = log->blocks[cursor.block];
	parts[0] = block_part(block, 0, cursor.at, 0, cursor.offset);
	parts[1] = block_new((u32)bytes);
	parts[2] = block_part(block, cursor.at, block->nr, cursor.offset, block->bytes);
	if (!parts[0] || !parts[1] || !parts[2]) {
		for (u32 i = 0; i < 3; i++)
			free(parts[i]);
		free(code);
		return false;
	}
	memcpy(parts[1]->code, code, bytes);
	parts[1]->bytes = (u32)bytes;
	parts[1]->nr = 1;
	free(code);
	replace_block(log, cursor.block, parts, 3);
	return true;
}

bool log_remove(struct oplog *log, u64 op_at)
{
	struct log_block *parts[2];
	const struct log_block *block;
	struct log_cursor cursor, after;
	struct op op;

	if (!reserve_index(log, 2))
		return false;
	log_seek(log, &cursor, op_at);
	block = log->blocks[cursor.block];
	after = cursor;
	log_read(log, &after, &op, NULL);
	parts[0] = block_part(block, 0, cursor.at, 0, cursor.offset);
	parts[1] = block_part(block, after.at, block->nr, after.offset, block->bytes);
	if (!parts[0] || !parts[1]) {
		free(parts[0]);
		free(parts[1]);
		return false;
	}
	replace_block(log, cursor.block, parts, 2);
	return true;
}

bool log_truncate(struct oplog *log, u64 length)
{
	struct log_cursor cursor;
	struct log_block *part;
	size_t cut;

	if (length >= log->length)
		return true;
	log_seek(log, &cursor, length);
	cut = cursor.block;
	part = block_part(log->blocks[cut], 0, cursor.at, 0, cursor.offset);
	if (!part)
		return false;
	for (size_t i = cut + 1; i < log->nr; i++) {
		log->bytes -= block_bytes(log->blocks[i]);
		block_put(log->blocks[i]);
	}
	log->nr = cut + 1;
	replace_block(log, cut, &part, 1);
	log->length = length;
	return true;
}

bool log_drop(struct oplog *log, u64 op)
{
	struct log_block *part = NULL;
	struct log_cursor cursor;
	size_t n;

	log_seek(log, &cursor, op);
	n = cursor.block;
	if (cursor.at) {
		const struct log_block *block = log->blocks[n];

		part = block_part(block, cursor.at, block->nr, cursor.offset, block->bytes);
		if (!part)
			return false;
		log->first[n] = op;
		replace_block(log, n, &part, 1);
	}
	for (size_t i = 0; i < n; i++) {
		log->bytes -= block_bytes(log->blocks[i]);
		block_put(log->blocks[i]);
	}
	memmove(log->blocks, log->blocks + n, (log->nr - n) * sizeof(struct log_block *));
	memmove(log->first, log->first + n, (log->nr - n) * sizeof(u64));
	log->nr -= n;
	log->start = op;
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "flow.h"

#include <stdlib.h>
#include <string.h>

#include "../base/text.h"

#define BUCKETS (FLOW_WINDOW * 2)
#define RING_FIRST 1024 /* events */
#define READER_LINE_MAX (1u << 20)

struct flow {
	struct base_reader *reader;
	struct trace_stats stats;
	struct flow_event *ring; /* cap of them; grows to FLOW_WINDOW before anything is dropped */
	uint64_t cap;
	uint64_t *buckets;	      /* number of the newest mm_page_free and 1; 0: none */
	uint64_t last[TRACE_CPU_MAX]; /* number of the newest event of each CPU and 1; 0: none */
	uint64_t begin, end;	      /* numbers of the window's events: begin <= n < end */
	bool eof, failed;
	struct diag fault; /* why it failed */
};

enum base_err flow_open(struct flow **flow, const char *path, struct diag *d)
{
	struct flow *f = calloc(1, sizeof(*f));
	enum base_err err;

	if (!f) {
		return base_diag_set(d, BASE_ERR_NO_MEMORY, path, 0, 0,
				     "not enough memory to read the trace");
	}
	f->cap = RING_FIRST;
	f->ring = malloc(f->cap * sizeof(*f->ring));
	f->buckets = calloc(BUCKETS, sizeof(*f->buckets));
	if (!f->ring || !f->buckets) {
		flow_close(f);
		return base_diag_set(d, BASE_ERR_NO_MEMORY, path, 0, 0,
				     "not enough memory to read the trace");
	}
	err = base_reader_open(&f->reader, path, READER_LINE_MAX, d);
	if (err != BASE_ERR_OK) {
		f->reader = NULL;
		flow_close(f);
		return err;
	}
	*flow = f;
	return BASE_ERR_OK;
}

void flow_close(struct flow *flow)
{
	if (!flow) {
		return;
	}
	if (flow->reader) {
		base_reader_close(flow->reader);
	}
	free(flow->ring);
	free(flow->buckets);
	free(flow);
}

struct flow_event *flow_event(struct flow *flow, uint64_t number)
{
	return &flow->ring[number % flow->cap];
}

static uint64_t *bucket(struct flow *flow, uint64_t pfn)
{
	return &flow->buckets[(pfn * 0x9e3779b97f4a7c15ULL >> 40) % BUCKETS];
}

/* the free of the page that is now freed in a batch, on the same CPU and still in the window */
static void match_batched(struct flow *flow, struct flow_event *batched)
{
	uint64_t n = *bucket(flow, batched->ev.pfn);

	while (n > flow->begin) {
		struct flow_event *fe = flow_event(flow, n - 1);

		if (fe->ev.pfn == batched->ev.pfn) {
			if (fe->ev.cpu == batched->ev.cpu && !fe->taken) {
				fe->taken = true;
				batched->ev.order = fe->ev.order;
			}
			return;
		}
		n = fe->chain;
	}
}

/* room for one more event; the ring is filled before anything is dropped, so nothing wraps yet while it grows */
static bool make_room(struct flow *flow)
{
	struct flow_event *ring;

	if (flow->end - flow->begin < flow->cap) {
		return true;
	}
	ring = realloc(flow->ring, flow->cap * 2 * sizeof(*ring));
	if (!ring) {
		return false;
	}
	flow->ring = ring;
	flow->cap *= 2;
	return true;
}

static void add(struct flow *flow, const struct trace_event *ev, uint64_t line)
{
	uint64_t n = flow->end++;
	struct flow_event *fe = flow_event(flow, n);

	*fe = (struct flow_event){ .ev = *ev, .line = line, .next = FLOW_NONE };
	if (ev->cpu >= 0) {
		uint64_t last = flow->last[ev->cpu];

		if (last > flow->begin) {
			flow_event(flow, last - 1)->next = n;
		}
		flow->last[ev->cpu] = n + 1;
	}
	if (ev->kind == TRACE_FREE) {
		uint64_t *b = bucket(flow, ev->pfn);

		fe->chain = *b;
		*b = n + 1;
	} else if (ev->kind == TRACE_FREE_BATCHED) {
		match_batched(flow, fe);
	}
}

uint64_t flow_first(struct flow *flow, struct diag *d)
{
	while (!flow->eof && flow->end - flow->begin < FLOW_WINDOW) {
		uint64_t cuts = flow->stats.skipped[TRACE_SKIP_CUT];
		struct trace_event ev;
		char *line;
		size_t len;
		int got = base_reader_next(flow->reader, &line, &len, &flow->fault);

		if (got > 0 && !make_room(flow)) {
			base_diag_set(&flow->fault, BASE_ERR_NO_MEMORY,
				      base_reader_name(flow->reader), 0, 0,
				      "not enough memory to read the trace");
			got = -1;
		}
		if (got <= 0) {
			flow->eof = true;
			flow->failed = got < 0;
			break;
		}
		if (trace_line(line, len, &ev, &flow->stats)) {
			add(flow, &ev, flow->stats.lines);
		} else if (flow->stats.skipped[TRACE_SKIP_CUT] != cuts) {
			/* somebody cut lines out: no CPU's stream is whole */
			ev = (struct trace_event){ .kind = TRACE_LOST, .cpu = -1 };
			add(flow, &ev, flow->stats.lines);
		}
	}
	if (flow->failed && d) {
		*d = flow->fault;
	}
	return flow->failed || flow->begin == flow->end ? FLOW_NONE : flow->begin;
}

uint64_t flow_count(const struct flow *flow)
{
	return flow->end - flow->begin;
}

bool flow_failed(const struct flow *flow)
{
	return flow->failed;
}

const char *flow_name(const struct flow *flow)
{
	return base_reader_name(flow->reader);
}

void flow_drop(struct flow *flow)
{
	flow->begin++;
}

const struct trace_stats *flow_stats(const struct flow *flow)
{
	return &flow->stats;
}

void flow_progress(const struct flow *flow, uint64_t *done, uint64_t *total)
{
	base_reader_progress(flow->reader, done, total);
}

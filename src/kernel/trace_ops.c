/* SPDX-License-Identifier: GPL-2.0-only */
#include "trace_ops.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/mm_types.h"

/* a block that the trace frees but never allocated */
struct stranger {
	uint16_t cpu;
	uint8_t order, type;
};

struct builder {
	trace_ops_fn *fn;
	void *ctx;
	struct trace_ops_report *report;
	struct stranger *strangers;
	size_t nr_strangers, cap_strangers, next_stranger;
	uint32_t *given_back; /* slots, the last given back is the next given out */
	size_t nr_given_back, cap_given_back;
	uint32_t bump; /* the first slot never given out */
	uint64_t live;
	bool second; /* the run that hands over */
	bool stop, no_memory;
};

static bool grow(void **items, size_t *cap, size_t nr, size_t size)
{
	size_t more;
	void *p;

	if (nr < *cap) {
		return true;
	}
	more = *cap ? *cap * 2 : 1024;
	p = realloc(*items, more * size);
	if (!p) {
		return false;
	}
	*items = p;
	*cap = more;
	return true;
}

static void hand_over(struct builder *b, const struct op *op, uint64_t line, int outcome)
{
	if (!b->stop && !b->fn(b->ctx, op, line, outcome)) {
		b->stop = true;
	}
}

/* the slot that the next allocation gets, as core gives them out */
static uint32_t take_slot(struct builder *b)
{
	b->live++;
	b->report->slots = b->live > b->report->slots ? (uint32_t)b->live : b->report->slots;
	if (b->nr_given_back) {
		return b->given_back[--b->nr_given_back];
	}
	return b->bump++;
}

static void give_slot(struct builder *b, uint32_t slot)
{
	b->live--;
	if (!grow((void **)&b->given_back, &b->cap_given_back, b->nr_given_back,
		  sizeof(*b->given_back))) {
		b->no_memory = true;
		return;
	}
	b->given_back[b->nr_given_back++] = slot;
}

static uint32_t allocate(struct builder *b, uint32_t cpu, uint32_t order, uint32_t type,
			 uint64_t line, int outcome)
{
	struct op op = {
		.kind = OP_ALLOC,
		.order = (uint8_t)order,
		.type = (uint8_t)(type < MIGRATE_PCPTYPES ? type : MIGRATE_UNMOVABLE),
		.cpu = (uint16_t)cpu,
		.count = 1,
	};

	b->report->allocs++;
	hand_over(b, &op, line, outcome);
	return take_slot(b);
}

static void release(struct builder *b, uint32_t cpu, uint32_t order, uint32_t slot, uint64_t line,
		    int outcome)
{
	struct op op = { .kind = OP_FREE,
			 .order = (uint8_t)order,
			 .cpu = (uint16_t)cpu,
			 .count = 1,
			 .slot = slot };

	b->report->frees++;
	hand_over(b, &op, line, outcome);
	give_slot(b, slot);
}

/* first run: which frees come without an allocation */
static void note_stranger(struct builder *b, const struct replay_op *op)
{
	if (!grow((void **)&b->strangers, &b->cap_strangers, b->nr_strangers,
		  sizeof(*b->strangers))) {
		b->no_memory = true;
		return;
	}
	b->strangers[b->nr_strangers++] =
		(struct stranger){ (uint16_t)op->cpu, op->order, op->type };
}

static void on_alloc(struct builder *b, const struct replay_op *op, uint32_t *note)
{
	if (!b->second) {
		*note = 1;
		return;
	}
	if (*note) {
		b->report->doubled++;
		release(b, op->cpu, op->order, *note, op->line, 0);
	}
	*note = allocate(b, op->cpu, op->order, op->type, op->line,
			 op->kind == REPLAY_OP_ALLOC ? op->n : 0);
}

static void on_free(struct builder *b, const struct replay_op *op, uint32_t *note)
{
	if (!b->second) {
		if (!*note) {
			note_stranger(b, op);
		}
		*note = 0;
		return;
	}
	if (!*note) {
		/* its slot was given before everything else, in this order */
		*note = (uint32_t)++b->next_stranger;
	}
	release(b, op->cpu, op->order, *note, op->line, op->kind == REPLAY_OP_FREE ? op->n : 0);
	*note = 0;
}

static void on_drain(struct builder *b, const struct replay_op *op, enum op_kind kind)
{
	struct op out = { .kind = (uint8_t)kind, .cpu = (uint16_t)op->cpu };

	if (!b->second) {
		return;
	}
	b->report->ticks += kind == OP_TICK;
	b->report->drains += kind == OP_DRAIN;
	hand_over(b, &out, op->line, op->n);
}

static void on_op(void *ctx, const struct replay_op *op, uint32_t *note)
{
	struct builder *b = ctx;

	if (op->order > MAX_ORDER) {
		return;
	}
	if (op->cpu >= b->report->cpus) {
		b->report->cpus = op->cpu + 1;
	}
	switch ((enum replay_op_kind)op->kind) {
	case REPLAY_OP_ALLOC:
	case REPLAY_OP_SILENT:
		on_alloc(b, op, note);
		break;
	case REPLAY_OP_FREE:
		on_free(b, op, note);
		break;
	case REPLAY_OP_PAST:
		if (op->n > 0) {
			on_alloc(b, op, note);
		} else {
			on_free(b, op, note);
		}
		break;
	case REPLAY_OP_TICK:
	case REPLAY_OP_REMOTE:
		on_drain(b, op, OP_TICK);
		break;
	case REPLAY_OP_REQUEST:
		on_drain(b, op, OP_DRAIN);
		break;
	default:
		break;
	}
}

/* standard input goes to a file without a name, because the trace is read twice; *fd is that file's */
static enum base_err spool(int *fd, struct diag *d)
{
	FILE *f = tmpfile();
	char buf[65536];
	ssize_t n;

	if (!f) {
		return base_diag_set(d, BASE_ERR_WRITE, "<stdin>", 0, 0,
				     "no temporary file to keep the trace in");
	}
	while ((n = read(STDIN_FILENO, buf, sizeof(buf))) > 0) {
		if (fwrite(buf, 1, (size_t)n, f) != (size_t)n) {
			break;
		}
	}
	*fd = n || fflush(f) ? -1 : fcntl(fileno(f), F_DUPFD_CLOEXEC, 3);
	fclose(f);
	if (*fd < 0) {
		return base_diag_set(d, BASE_ERR_WRITE, "<stdin>", 0, 0,
				     "the trace does not fit the temporary file");
	}
	return BASE_ERR_OK;
}

static enum base_err run_twice(struct builder *b, struct replay_options *opt, struct diag *d)
{
	enum base_err err = replay_run(opt, &b->report->replay, d);
	size_t i;

	if (err != BASE_ERR_OK) {
		return err;
	}
	b->second = true;
	b->bump = 1;
	b->report->before = b->nr_strangers;
	for (i = 0; i < b->nr_strangers; i++) {
		const struct stranger *s = &b->strangers[i];

		allocate(b, s->cpu, s->order, s->type, 0, 0);
	}
	return replay_run(opt, &b->report->replay, d);
}

enum base_err trace_ops_run(const struct trace_ops_source *source, trace_ops_fn *fn, void *ctx,
			    struct trace_ops_report *report, struct diag *d)
{
	struct builder b = { .fn = fn, .ctx = ctx, .report = report };
	struct replay_options opt = { .trace = source->trace,
				      .snapshots = source->snapshots,
				      .zoneinfo = source->zoneinfo,
				      .patches = source->patches,
				      .patches_given = source->patches_given,
				      .ops_only = true,
				      .sink = on_op,
				      .sink_ctx = &b };
	enum base_err err = BASE_ERR_OK;
	char path[64];
	int fd = -1;

	memset(report, 0, sizeof(*report));
	if (strcmp(source->trace, "-") == 0) {
		err = spool(&fd, d);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		opt.trace = path;
	}
	if (err == BASE_ERR_OK) {
		err = run_twice(&b, &opt, d);
	}
	if (err == BASE_ERR_OK && b.no_memory) {
		err = base_diag_set(d, BASE_ERR_NO_MEMORY, source->trace, 0, 0,
				    "not enough memory for the operations");
	}
	if (fd >= 0) {
		if (err != BASE_ERR_OK) {
			base_diag_at(d, "<stdin>", d->line, d->column);
		}
		close(fd);
	}
	free(b.strangers);
	free(b.given_back);
	return err;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Recorded operations as a file in the vectors' format, and the machine that they run on. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../core/sim.h"
#include "machine_file.h"
#include "model_check.h"
#include "snaps.h"
#include "trace_ops.h"

#define DEFAULT_BYTES (INT64_C(2) << 30)

struct trace_ops_writer {
	FILE *out;
	struct sim *sim;
	uint64_t left_out;
	uint32_t cpus;
};

static enum base_err of_dump(const struct kern_dump *dump, struct machine *machine, struct diag *d)
{
	struct kern_checks checks;
	struct kern_plan plan;
	enum base_err err;

	kern_model_check(dump, &checks);
	kern_plan_make(&plan, dump, &checks, 0);
	err = kern_plan_machine(&plan, dump, &checks, machine, d);
	kern_plan_free(&plan);
	kern_checks_free(&checks);
	return err;
}

enum base_err trace_ops_machine(const struct trace_ops_source *source, uint32_t cpus,
				struct machine *machine, struct diag *d)
{
	const char *path = source->zoneinfo ? source->zoneinfo : source->snapshots;
	struct sim_error sim_err;
	struct snaps snaps;
	enum base_err err;

	if (path) {
		err = snaps_read(&snaps, path, d);
		if (err != BASE_ERR_OK) {
			return err;
		}
		err = of_dump(snaps.items[0].dump, machine, d);
		snaps_free(&snaps);
		return err;
	}
	machine_init(machine);
	machine->cpus = cpus ? cpus : 1;
	machine->memory = DEFAULT_BYTES;
	if (machine_finish(machine, &sim_err) != SIM_OK) {
		machine_free(machine);
		return base_diag_set(d, BASE_ERR_FAILED, source->trace, 0, 0, "%s",
				     sim_err.message);
	}
	return BASE_ERR_OK;
}

/* the format's name of a patch set: a level of a series, or the cap of patch 4 alone */
static bool variant_of(uint32_t patches, char *name, size_t size)
{
	uint32_t set = patches & PATCH_MASK & ~PATCH_BIT(P_NIKHIL);
	enum series series = patch_series(patches);
	int n;

	if (set == PATCH_BIT(P_SCALE_CAP)) {
		snprintf(name, size, "S4");
		return true;
	}
	for (n = 0; n <= patch_count(series); n++) {
		if ((patch_level(series, n) & PATCH_MASK) == set) {
			snprintf(name, size, series == SERIES_V3 && n ? "V3L%d" : "L%d", n);
			return true;
		}
	}
	return false;
}

static void write_machine(FILE *out, const struct machine *m)
{
	uint32_t i;

	fprintf(out, "nodes %" PRId64 "\ncpus", m->nodes);
	for (i = 0; i < m->nr_cpu_nodes; i++) {
		fprintf(out, " %u", (unsigned int)m->cpu_node[i]);
	}
	fputc('\n', out);
	for (i = 0; i < m->nr_zones; i++) {
		fprintf(out, "zone %u %s %" PRIu64 " %" PRIu64 "\n", (unsigned int)m->zones[i].node,
			zone_type_names[m->zones[i].type], m->zones[i].start_pfn,
			m->zones[i].pages);
	}
	if (m->min_free_kbytes) {
		fprintf(out, "minfree %" PRId64 "\n", m->min_free_kbytes);
	}
	if (m->watermark_scale_factor != 10) {
		fprintf(out, "wsf %" PRId64 "\n", m->watermark_scale_factor);
	}
	if (m->percpu_pagelist_high_fraction) {
		fprintf(out, "fraction %" PRId64 "\n", m->percpu_pagelist_high_fraction);
	}
	fprintf(out, "opt nofrag %d\nopt highatomic %d\nopt boost %" PRId64 "\nopt stat %s\nboot\n",
		m->nofragment == NOFRAG_AUTO, m->highatomic != 0, m->boost,
		m->counters == COUNTERS_PERCPU ? "percpu" : "exact");
}

struct trace_ops_writer *trace_ops_writer_new(FILE *out, const char *source,
					      const struct machine *machine, uint32_t patches,
					      struct diag *d)
{
	struct trace_ops_writer *w;
	struct machine beside;
	struct sim_error err;
	char variant[16];

	if (!variant_of(patches, variant, sizeof(variant))) {
		base_diag_set(d, BASE_ERR_FAILED, source, 0, 0,
			      "no file of operations can name this patch set");
		return NULL;
	}
	if (machine_copy(&beside, machine, &err) != SIM_OK) {
		base_diag_set(d, BASE_ERR_NO_MEMORY, source, 0, 0, "%s", err.message);
		return NULL;
	}
	w = base_alloc(1, sizeof(*w));
	w->out = out;
	w->cpus = (uint32_t)beside.cpus;
	if (sim_create(&beside, (patches & ~PATCH_BIT(P_NIKHIL)), &w->sim, &err) != SIM_OK) {
		base_diag_set(d, BASE_ERR_FAILED, source, 0, 0, "%s", err.message);
		machine_free(&beside);
		free(w);
		return NULL;
	}
	fprintf(out, "oracle 1\nvariant %s\nnote operations of %s\n", variant, source);
	write_machine(out, &beside);
	machine_free(&beside);
	return w;
}

bool trace_ops_write(struct trace_ops_writer *w, const struct op *recorded)
{
	struct op op = *recorded;
	struct slot_info slot;
	struct sim_error err;

	/* a CPU that the zoneinfo does not have, as it was offline then */
	op.cpu = (uint16_t)(op.cpu % w->cpus);
	switch (op.kind) {
	case OP_ALLOC:
		fprintf(w->out, "alloc %u %u %c\n", (unsigned int)op.cpu, (unsigned int)op.order,
			"UMR"[op.type % 3]);
		break;
	case OP_FREE:
		if (sim_slot_info(w->sim, op.slot, &slot) && slot.live) {
			fprintf(w->out, "free %u %" PRIu64 " %" PRIu32 "\n", (unsigned int)op.cpu,
				slot.pfn, slot.order);
		} else {
			w->left_out++;
		}
		break;
	default:
		fprintf(w->out, "%s %u\n", op.kind == OP_TICK ? "tick" : "drain",
			(unsigned int)op.cpu);
		break;
	}
	return sim_exec(w->sim, &op, NULL, NULL, &err) == SIM_OK && !ferror(w->out);
}

uint64_t trace_ops_writer_free(struct trace_ops_writer *w)
{
	uint64_t left_out = w->left_out;

	sim_destroy(w->sim);
	free(w);
	return left_out;
}

#define DATA_CACHE (2 << 20) /* bytes for each CPU */
#define FIRST_LINES 64	     /* an event is among them, or the text is no trace */
#define LOAD_MAX 100000000   /* operations */

bool trace_ops_is_trace(const char *text, size_t len)
{
	struct trace_stats stats = { 0 };
	struct trace_event ev;
	const char *end = text + len;

	while (text < end && stats.lines < FIRST_LINES) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((newline ? newline : end) - text);

		if (trace_line(text, n, &ev, &stats) && ev.kind != TRACE_LOST) {
			return true;
		}
		text += n + 1;
	}
	return false;
}

struct loader {
	struct kern_ops *ops;
	size_t cap; /* of outcomes */
};

static bool keep_op(void *ctx, const struct op *op, uint64_t line, int outcome)
{
	struct loader *l = ctx;
	struct kern_ops *ops = l->ops;

	kern_ops_add(ops, op, &op->slot, line);
	if (ops->nr > l->cap) {
		s32 *more = base_alloc(ops->nr * 2, sizeof(*more));

		if (l->cap) {
			memcpy(more, ops->outcomes, l->cap * sizeof(*more));
		}
		free(ops->outcomes);
		ops->outcomes = more;
		l->cap = ops->nr * 2;
	}
	ops->outcomes[ops->nr - 1] = outcome;
	return ops->nr < LOAD_MAX;
}

enum base_err trace_ops_load(const struct trace_ops_source *source, struct kern_ops *ops,
			     struct diag *d)
{
	struct loader loader = { .ops = ops };
	struct trace_ops_report report;
	enum base_err err;
	size_t i;

	memset(ops, 0, sizeof(*ops));
	machine_init(&ops->machine);
	err = trace_ops_run(source, keep_op, &loader, &report, d);
	if (err == BASE_ERR_OK && ops->nr == LOAD_MAX) {
		base_diag_set(d, BASE_ERR_TOO_LARGE, source->trace, 0, 0, "more than %d operations",
			      LOAD_MAX);
		base_diag_hint(d, "cut the trace, or record for a shorter time");
		err = BASE_ERR_TOO_LARGE;
	}
	if (err == BASE_ERR_OK) {
		machine_free(&ops->machine);
		err = trace_ops_machine(source, report.cpus, &ops->machine, d);
	}
	if (err != BASE_ERR_OK) {
		kern_ops_free(ops);
		return err;
	}
	ops->patches = report.replay.patches;
	/* neither text has the caches: large enough for patch 3's flag, unless the drains showed that it was off */
	if (!report.replay.keep_off && !ops->machine.data_cache && !ops->machine.nr_caches) {
		ops->machine.data_cache = DATA_CACHE;
	}
	for (i = 0; i < ops->nr; i++) {
		ops->ops[i].cpu = (uint16_t)(ops->ops[i].cpu % (uint32_t)ops->machine.cpus);
	}
	return BASE_ERR_OK;
}

char *trace_snaps_beside(const char *trace)
{
	size_t len = strlen(trace);
	struct stat st;
	char *path;

	if (strcmp(trace, "-") == 0) {
		return NULL;
	}
	path = base_alloc(len + sizeof(".snaps"), 1);
	memcpy(path, trace, len);
	memcpy(path + len, ".snaps", sizeof(".snaps"));
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
		return path;
	}
	free(path);
	return NULL;
}

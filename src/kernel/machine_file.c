/* SPDX-License-Identifier: GPL-2.0-only */
#include "machine_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/* Blocks of the highest order: zones begin at one. */
#define BLOCK_PAGES 1024
/* Where the first zone begins when the file does not say: as the model's own machines do. */
#define FIRST_PFN 4096

/* ---- plan ------------------------------------------------------------------------------------------------------------ */

static int by_start(const void *a, const void *b)
{
	const struct kern_plan_zone *x = a, *y = b;

	if (x->start_pfn != y->start_pfn)
		return x->start_pfn < y->start_pfn ? -1 : 1;
	/* without page numbers: the order of the file */
	return x->zone < y->zone ? -1 : x->zone > y->zone;
}

/* The zones from page `first` on, each at a whole block; near: not below its own place. Returns where the last one ends. */
static uint64_t place_from(struct kern_plan *plan, uint64_t first, bool near)
{
	uint64_t next = first;
	size_t i;

	for (i = 0; i < plan->nr_zones; i++) {
		struct kern_plan_zone *pz = &plan->zones[i];
		uint64_t start = pz->start_pfn / BLOCK_PAGES * BLOCK_PAGES;

		if (start < next || !near)
			start = (next + BLOCK_PAGES - 1) / BLOCK_PAGES * BLOCK_PAGES;
		pz->start_pfn = start;
		next = start + pz->pages;
	}
	return next;
}

/* A zone keeps its place, moved to a whole block, and above the zone before it; or, too high for the model, all close up. */
static void place_zones(struct kern_plan *plan)
{
	qsort(plan->zones, plan->nr_zones, sizeof(*plan->zones), by_start);
	plan->closed_up = place_from(plan, 0, true) > MACHINE_PFN_MAX;
	if (plan->closed_up)
		place_from(plan, FIRST_PFN, false);
}

static void plan_zones(struct kern_plan *plan, const struct kern_dump *dump)
{
	unsigned int model_node[KERN_NODES_MAX] = { 0 };
	bool has_pages[KERN_NODES_MAX] = { false };
	size_t i;

	plan->zones = base_alloc(dump->nr_zones, sizeof(*plan->zones));
	plan->nodes = base_alloc(KERN_NODES_MAX, sizeof(*plan->nodes));
	for (i = 0; i < dump->nr_zones; i++)
		has_pages[dump->zones[i].node] |= kern_zone_pages(&dump->zones[i]) > 0;
	for (i = 0; i < KERN_NODES_MAX; i++)
		if (has_pages[i]) {
			model_node[i] = (unsigned int)plan->nr_nodes;
			plan->nodes[plan->nr_nodes++] = (unsigned int)i;
		}
	for (i = 0; i < dump->nr_zones; i++) {
		const struct kern_zone *z = &dump->zones[i];
		int64_t start = z->v[KERN_ZF_start_pfn];

		if (kern_zone_pages(z) == 0)
			continue;
		plan->zones[plan->nr_zones++] = (struct kern_plan_zone){
			.zone = z,
			.node = model_node[z->node],
			.start_pfn = start >= 0 ? (uint64_t)start : FIRST_PFN,
			.pages = (uint64_t)kern_zone_pages(z),
		};
	}
	place_zones(plan);
}

/*
 * How many CPUs each node gets: what explains the file's limits, where these numbers add up to all CPUs; a node whose
 * limits are for all CPUs beside others has none of its own. Else an even share.
 */
static void share_cpus(struct kern_plan *plan, const struct kern_checks *checks,
		       unsigned int *share)
{
	size_t all = plan->nr_cpus, sum = 0, i;

	for (i = 0; i < plan->nr_nodes; i++) {
		share[i] = checks->node_cpus[plan->nodes[i]];
		if (plan->nr_nodes > 1 && share[i] == all)
			share[i] = 0;
		sum += share[i];
	}
	if (sum == all)
		return;
	for (i = 0; i < plan->nr_nodes; i++)
		share[i] =
			(unsigned int)(all * (i + 1) / plan->nr_nodes - all * i / plan->nr_nodes);
}

static void plan_cpus(struct kern_plan *plan, const struct kern_dump *dump,
		      const struct kern_checks *checks, unsigned int cpus)
{
	unsigned int *share = base_alloc(plan->nr_nodes + 1, sizeof(*share));
	size_t node, n, cpu = 0;

	plan->cpus = kern_dump_cpus(dump, &plan->nr_cpus);
	plan->cpus_guessed = plan->nr_nodes > 1;
	if (cpus && cpus != plan->nr_cpus) {
		free(plan->cpus);
		plan->cpus = NULL;
		plan->nr_cpus = cpus;
	} else if (!plan->nr_cpus) {
		free(plan->cpus);
		plan->cpus = NULL;
		plan->nr_cpus = (unsigned int)(dump->reporter >= 0 ? dump->reporter : 0) + 1;
		plan->cpus_guessed = true;
	}
	plan->cpu_node = base_alloc(plan->nr_cpus, sizeof(*plan->cpu_node));
	share_cpus(plan, checks, share);
	for (node = 0; node < plan->nr_nodes; node++)
		for (n = 0; n < share[node] && cpu < plan->nr_cpus; n++)
			plan->cpu_node[cpu++] = (unsigned int)node;
	free(share);
}

void kern_plan_make(struct kern_plan *plan, const struct kern_dump *dump,
		    const struct kern_checks *checks, unsigned int cpus)
{
	size_t i;

	*plan = (struct kern_plan){ 0 };
	plan_zones(plan, dump);
	plan_cpus(plan, dump, checks, cpus);
	plan->own_marks = checks->min_free_kbytes == KERN_NONE;
	for (i = 0; i < checks->nr; i++)
		if (strcmp(checks->items[i].field, "low") == 0 ||
		    strcmp(checks->items[i].field, "high") == 0)
			plan->own_marks |= checks->items[i].cpus == 0 && checks->scale_factor == 10;
	/* marks that the file lacks, or that are not set yet, cannot be written */
	for (i = 0; i < plan->nr_zones; i++) {
		const struct kern_zone *z = plan->zones[i].zone;

		if (z->v[KERN_ZF_min] <= 0 || z->v[KERN_ZF_low] < z->v[KERN_ZF_min] ||
		    z->v[KERN_ZF_high] < z->v[KERN_ZF_low])
			plan->own_marks = false;
	}
}

void kern_plan_free(struct kern_plan *plan)
{
	free(plan->zones);
	free(plan->nodes);
	free(plan->cpus);
	free(plan->cpu_node);
	*plan = (struct kern_plan){ 0 };
}

/* The marks, which must all be there, without the boost, which a machine gets anew. */
static void marks_of(const struct kern_zone *z, int64_t marks[3])
{
	int64_t boost = z->v[KERN_ZF_boost] > 0 ? z->v[KERN_ZF_boost] : 0;

	marks[0] = z->v[KERN_ZF_min] - boost;
	marks[1] = z->v[KERN_ZF_low] - boost;
	marks[2] = z->v[KERN_ZF_high] - boost;
}

/* ---- machine --------------------------------------------------------------------------------------------------------- */

/* The kernel's own settings, where the model's machines have others, and those that the file shows. */
static void kernel_settings(struct machine *m, const struct kern_checks *checks,
			    const struct kern_plan *plan)
{
	m->boost = 15000;
	m->highatomic = true;
	m->nofragment = NOFRAG_AUTO;
	m->counters = COUNTERS_PERCPU;
	if (checks->min_free_kbytes != KERN_NONE && !plan->own_marks)
		m->min_free_kbytes = checks->min_free_kbytes;
	m->watermark_scale_factor = checks->scale_factor;
	m->percpu_pagelist_high_fraction = checks->high_fraction;
}

static enum zone_type zone_type_of(const struct kern_zone *z)
{
	unsigned int type;

	for (type = 0; zone_type_names[type]; type++)
		if (strcmp(zone_type_names[type], z->name) == 0)
			return (enum zone_type)type;
	return ZONE_NORMAL;
}

static enum sim_err fill(struct machine *m, const struct kern_plan *plan,
			 const struct kern_checks *checks, struct sim_error *err)
{
	enum sim_err ret = SIM_OK;
	size_t i, k;

	kernel_settings(m, checks, plan);
	for (i = 0; !ret && i < plan->nr_zones; i++) {
		const struct kern_plan_zone *pz = &plan->zones[i];
		int64_t marks[3];

		ret = machine_add_zone(m, pz->node, zone_type_of(pz->zone), pz->start_pfn,
				       pz->pages, err);
		if (ret || !plan->own_marks)
			continue;
		marks_of(pz->zone, marks);
		for (k = 0; k < 3; k++)
			m->zones[m->nr_zones - 1].wmark[k] = marks[k];
	}
	for (i = 0; !ret && i < plan->nr_cpus; i++)
		ret = machine_add_cpu(m, plan->cpu_node[i], err);
	return ret ? ret : machine_finish(m, err);
}

enum base_err kern_plan_machine(const struct kern_plan *plan, const struct kern_dump *dump,
				const struct kern_checks *checks, struct machine *machine,
				struct diag *d)
{
	struct sim_error err;
	char reason[160];

	if (kern_dump_refusal(dump, 0, reason, sizeof(reason))) {
		base_diag_set(d, BASE_ERR_FAILED, NULL, 0, 0,
			      "the model cannot run this machine: %s", reason);
		return BASE_ERR_FAILED;
	}
	machine_init(machine);
	if (fill(machine, plan, checks, &err)) {
		machine_free(machine);
		return base_diag_set(d, BASE_ERR_FAILED, NULL, 0, 0,
				     "the model cannot run this machine: %s", err.message);
	}
	return BASE_ERR_OK;
}

/* ---- text ------------------------------------------------------------------------------------------------------------ */

static void write_zone(FILE *out, const struct kern_dump *dump, const struct kern_plan *plan,
		       const struct kern_plan_zone *pz, const char *indent)
{
	char size[BASE_FORMAT_MAX];
	int64_t marks[3];

	fprintf(out, "%s- {name: %s, size: %s, start_pfn: %" PRIu64, indent, pz->zone->name,
		base_format_size(size, pz->pages * dump->page_size), pz->start_pfn);
	if (plan->own_marks) {
		marks_of(pz->zone, marks);
		fprintf(out, ", watermarks: [%" PRId64 ", %" PRId64 ", %" PRId64 "]", marks[0],
			marks[1], marks[2]);
	}
	fprintf(out, "}\n");
}

static void write_zones(FILE *out, const struct kern_dump *dump, const struct kern_plan *plan,
			size_t node, const char *indent)
{
	size_t i;

	for (i = 0; i < plan->nr_zones; i++)
		if (plan->zones[i].node == node)
			write_zone(out, dump, plan, &plan->zones[i], indent);
}

static void write_nodes(FILE *out, const struct kern_dump *dump, const struct kern_plan *plan)
{
	size_t node, cpu;

	if (plan->nr_nodes <= 1) {
		fprintf(out, "cpus: %zu\nzones:\n", plan->nr_cpus);
		write_zones(out, dump, plan, 0, "  ");
		return;
	}
	fprintf(out, "nodes:\n");
	for (node = 0; node < plan->nr_nodes; node++) {
		const char *comma = "";

		fprintf(out, "  - cpus: [");
		for (cpu = 0; cpu < plan->nr_cpus; cpu++)
			if (plan->cpu_node[cpu] == node) {
				fprintf(out, "%s%zu", comma, cpu);
				comma = ", ";
			}
		fprintf(out, "]\n    zones:\n");
		write_zones(out, dump, plan, node, "      ");
	}
}

static bool renumbered(const unsigned int *list, size_t nr)
{
	return nr > 0 && list[nr - 1] != nr - 1;
}

/* What a reader of the file must know about how it was made. */
static void write_notes(FILE *out, const struct kern_dump *dump, const struct kern_checks *checks,
			const struct kern_plan *plan)
{
	const char *patches, *series = kern_era_series(dump, checks->era, &patches);
	bool holes = false;
	size_t i;

	fprintf(out, "# Kernel %s%s%s%s; nearest patch set: --series %s --patches %s\n",
		dump->release, dump->release[0] ? " (" : "", kern_era_text(checks->era),
		dump->release[0] ? ")" : "", series, patches);
	for (i = 0; i < plan->nr_zones; i++)
		holes |= (int64_t)plan->zones[i].pages < plan->zones[i].zone->v[KERN_ZF_spanned];
	if (holes)
		fprintf(out,
			"# The zones have holes or reserved pages; the model manages all pages of a zone, so each zone here\n"
			"# has the managed pages only, from a whole block of 1024 pages on.\n");
	if (plan->closed_up)
		fprintf(out,
			"# The memory reaches further up than the model's: the zones were put side by side.\n");
	if (plan->cpus && renumbered(plan->cpus, plan->nr_cpus)) {
		fprintf(out, "# CPUs that were offline are left out. CPU here: number there\n# ");
		for (i = 0; i < plan->nr_cpus; i++)
			if (plan->cpus[i] != i)
				fprintf(out, " %zu: %u", i, plan->cpus[i]);
		putc('\n', out);
	}
	if (renumbered(plan->nodes, plan->nr_nodes)) {
		fprintf(out, "# Nodes without memory are left out. Node here: number there\n# ");
		for (i = 0; i < plan->nr_nodes; i++)
			fprintf(out, " %zu: %u", i, plan->nodes[i]);
		putc('\n', out);
	}
	if (plan->cpus_guessed)
		fprintf(out,
			plan->nr_nodes > 1 ?
				"# The text does not say which CPU is on which node: neighbours were put together.\n" :
				"# The text does not say how many CPUs there were: change cpus if you know it.\n");
}

/* One key of the machine, only where the model's default is another. */
static void write_keys(FILE *out, const struct kern_checks *checks, const struct kern_plan *plan)
{
	fprintf(out, "boost: 15000\nhighatomic: true\nnofragment: auto\ncounters: percpu\n");
	if (checks->min_free_kbytes != KERN_NONE && !plan->own_marks)
		fprintf(out, "min_free_kbytes: %" PRId64 "\n", checks->min_free_kbytes);
	if (checks->scale_factor != 10)
		fprintf(out, "watermark_scale_factor: %" PRId64 "\n", checks->scale_factor);
	if (checks->high_fraction)
		fprintf(out, "percpu_pagelist_high_fraction: %" PRId64 "\n", checks->high_fraction);
}

void kern_machine_write(FILE *out, const struct kern_dump *dump, const struct kern_checks *checks,
			const struct kern_plan *plan, const char *source)
{
	char reason[160];
	unsigned int i;

	fprintf(out, "# A machine imported from ");
	for (; *source; source++)
		putc(*source >= 0x20 && *source != 0x7f ? *source : '?', out);
	fprintf(out, "\n");
	write_notes(out, dump, checks, plan);
	if (dump->page_size != 4096)
		fprintf(out, "page_size: %" PRIu64 "\n", dump->page_size);
	for (i = 0; kern_dump_refusal(dump, i, reason, sizeof(reason)); i++)
		fprintf(out, "%s  - \"%s\"\n", i ? "" : "cannot_run:\n", reason);
	write_nodes(out, dump, plan);
	write_keys(out, checks, plan);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "dump_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LISTS_SHOWN_MAX 64
#define NAMES_MAX 32

/* ---- JSON ------------------------------------------------------------------------------------------------------------ */

static void kv_figure(struct base_json *j, const char *key, int64_t v)
{
	base_json_key(j, key);
	if (v == KERN_NONE)
		base_json_null(j);
	else
		base_json_int(j, v);
}

static void json_array(struct base_json *j, const char *key, const int64_t *items, size_t nr)
{
	size_t i;

	base_json_key(j, key);
	if (!nr) {
		base_json_null(j);
		return;
	}
	base_json_array(j);
	for (i = 0; i < nr; i++)
		base_json_int(j, items[i]);
	base_json_close(j);
}

static void json_lists(struct base_json *j, const struct kern_zone *z)
{
	size_t i;
	unsigned int f;

	base_json_key(j, "cpus");
	base_json_array(j);
	for (i = 0; i < z->nr_cpus; i++) {
		base_json_object(j);
		base_json_kv_uint(j, "cpu", z->cpus[i].cpu);
		for (f = 0; f < KERN_CF_NR; f++)
			kv_figure(j, kern_cpu_figure_name(f), z->cpus[i].v[f]);
		base_json_close(j);
	}
	base_json_close(j);
}

static void json_zone(struct base_json *j, const struct kern_dump *dump, const struct kern_zone *z)
{
	unsigned int f;

	base_json_object(j);
	base_json_kv_string(j, "name", z->name);
	for (f = 0; f <= KERN_ZF_high; f++)
		kv_figure(j, kern_zone_figure_name(f), z->v[f]);
	json_lists(j, z);
	for (; f < KERN_ZF_NR; f++)
		if (dump->format == KERN_MEMINFO ||
		    (f != KERN_ZF_free_pcp && f != KERN_ZF_local_pcp))
			kv_figure(j, kern_zone_figure_name(f), z->v[f]);
	json_array(j, "protection", z->protection, z->nr_protection);
	if (dump->format == KERN_MEMINFO)
		json_array(j, "buddy", z->buddy, z->nr_orders);
	base_json_close(j);
}

static void json_nodes(struct base_json *j, const struct kern_dump *dump)
{
	size_t nr, i, z;
	unsigned int *nodes = kern_dump_nodes(dump, &nr);

	base_json_key(j, "nodes");
	base_json_array(j);
	for (i = 0; i < nr; i++) {
		base_json_object(j);
		base_json_kv_uint(j, "node", nodes[i]);
		base_json_key(j, "zones");
		base_json_array(j);
		for (z = 0; z < dump->nr_zones; z++)
			if (dump->zones[z].node == nodes[i])
				json_zone(j, dump, &dump->zones[z]);
		base_json_close(j);
		base_json_close(j);
	}
	base_json_close(j);
	free(nodes);
}

static void json_checks(struct base_json *j, const struct kern_checks *checks)
{
	size_t i;

	base_json_key(j, "checks");
	base_json_array(j);
	for (i = 0; i < checks->nr; i++) {
		const struct kern_check *c = &checks->items[i];

		base_json_object(j);
		base_json_kv_uint(j, "node", c->node);
		base_json_kv_string(j, "zone", c->zone);
		base_json_kv_string(j, "field", c->field);
		kv_figure(j, "file", c->file);
		kv_figure(j, "model", c->model);
		base_json_kv_string(j, "reason", c->reason);
		base_json_kv_uint(j, "lists", c->cpus);
		base_json_close(j);
	}
	base_json_close(j);
}

static void json_rest(struct base_json *j, const struct kern_dump *dump,
		      const struct kern_checks *checks)
{
	const char *patches, *series = kern_era_series(dump, checks->era, &patches);
	char reason[160];
	unsigned int i;

	base_json_kv_string(j, "page_size_from", kern_page_size_reason(dump->page_size_by));
	base_json_kv_string(j, "release", dump->release[0] ? dump->release : NULL);
	base_json_kv_string(j, "generation", kern_era_text(checks->era));
	base_json_kv_string(j, "series", series);
	base_json_kv_string(j, "patches", patches);
	base_json_kv_uint(j, "dump", dump->snapshot);
	base_json_kv_uint(j, "dumps", dump->nr_snapshots);
	base_json_kv_bool(j, "cut", dump->cut);
	kv_figure(j, "min_free_kbytes", checks->min_free_kbytes);
	base_json_kv_int(j, "watermark_scale_factor", checks->scale_factor);
	kv_figure(j, "reporter_cpu", dump->reporter >= 0 ? dump->reporter : KERN_NONE);
	base_json_key(j, "cannot_run");
	base_json_array(j);
	for (i = 0; kern_dump_refusal(dump, i, reason, sizeof(reason)); i++)
		base_json_string(j, reason);
	base_json_close(j);
}

void kern_dump_json(struct base_json *j, const struct kern_dump *dump,
		    const struct kern_checks *checks)
{
	const char *lacks[NAMES_MAX];
	size_t nr = kern_dump_lacks(dump, lacks, NAMES_MAX), i;

	base_json_key(j, "kernel_lacks");
	base_json_array(j);
	for (i = 0; i < nr && i < NAMES_MAX; i++)
		base_json_string(j, lacks[i]);
	base_json_close(j);
	base_json_kv_uint(j, "page_size", dump->page_size);
	json_nodes(j, dump);
	json_checks(j, checks);
	json_rest(j, dump, checks);
}

/* ---- tables ---------------------------------------------------------------------------------------------------------- */

static void print_figure(FILE *out, int width, int64_t v)
{
	if (v == KERN_NONE)
		fprintf(out, " %*s", width, "-");
	else
		fprintf(out, " %*" PRId64, width, v);
}

static const struct {
	enum kern_zone_figure f;
	int width;
} zone_columns[] = {
	{ KERN_ZF_managed, 10 },  { KERN_ZF_present, 10 }, { KERN_ZF_free, 10 },
	{ KERN_ZF_boost, 6 },	  { KERN_ZF_min, 7 },	   { KERN_ZF_low, 7 },
	{ KERN_ZF_high, 7 },	  { KERN_ZF_promo, 7 },	   { KERN_ZF_free_pcp, 8 },
	{ KERN_ZF_local_pcp, 9 },
};
#define NR_ZONE_COLUMNS (sizeof(zone_columns) / sizeof(zone_columns[0]))

/* Columns that no zone of the file has are left out; present stands in for managed. */
static bool column_shown(const struct kern_dump *dump, size_t column)
{
	if (zone_columns[column].f == KERN_ZF_present && dump->fields & 1u << KERN_ZF_managed)
		return false;
	return dump->fields & 1u << zone_columns[column].f;
}

static void print_zones(FILE *out, const struct kern_dump *dump)
{
	size_t i, k;

	fprintf(out, "\nnode zone   ");
	for (k = 0; k < NR_ZONE_COLUMNS; k++)
		if (column_shown(dump, k))
			fprintf(out, " %*s", zone_columns[k].width,
				kern_zone_figure_name(zone_columns[k].f));
	fprintf(out, "  protection\n");
	for (i = 0; i < dump->nr_zones; i++) {
		const struct kern_zone *z = &dump->zones[i];
		unsigned int p;

		fprintf(out, "%4u %-7s", z->node, z->name);
		for (k = 0; k < NR_ZONE_COLUMNS; k++)
			if (column_shown(dump, k))
				print_figure(out, zone_columns[k].width, z->v[zone_columns[k].f]);
		putc(' ', out);
		for (p = 0; p < z->nr_protection; p++)
			fprintf(out, " %" PRId64, z->protection[p]);
		if (kern_zone_pages(z) == 0 && z->v[KERN_ZF_managed] == 0)
			fprintf(out, "  (no pages)");
		putc('\n', out);
	}
}

/* "126" or, where the lists differ, "126..504" */
static void print_range(FILE *out, int width, const struct kern_zone *z, enum kern_cpu_figure f)
{
	char text[48] = "-";
	int64_t least = INT64_MAX, most = INT64_MIN;
	size_t i;

	for (i = 0; i < z->nr_cpus; i++) {
		int64_t v = z->cpus[i].v[f];

		if (v == KERN_NONE)
			continue;
		least = v < least ? v : least;
		most = v > most ? v : most;
	}
	if (least == most)
		snprintf(text, sizeof(text), "%" PRId64, least);
	else if (least < most)
		snprintf(text, sizeof(text), "%" PRId64 "..%" PRId64, least, most);
	fprintf(out, " %*s", width, text);
}

static void print_lists(FILE *out, const struct kern_dump *dump, bool all)
{
	size_t i, c;
	unsigned int f;

	if (!dump->nr_lists)
		return;
	all |= dump->nr_lists <= LISTS_SHOWN_MAX;
	fprintf(out, all ? "\nnode zone     cpu" : "\nnode zone    cpus");
	for (f = 0; f < KERN_CF_NR; f++)
		if (dump->cpu_fields & 1u << f)
			fprintf(out, " %*s", all ? 8 : 14, kern_cpu_figure_name(f));
	putc('\n', out);
	for (i = 0; i < dump->nr_zones; i++) {
		const struct kern_zone *z = &dump->zones[i];

		for (c = 0; all && c < z->nr_cpus; c++) {
			fprintf(out, "%4u %-7s %4u", z->node, z->name, z->cpus[c].cpu);
			for (f = 0; f < KERN_CF_NR; f++)
				if (dump->cpu_fields & 1u << f)
					print_figure(out, 8, z->cpus[c].v[f]);
			putc('\n', out);
		}
		if (all || !z->nr_cpus)
			continue;
		fprintf(out, "%4u %-7s %4zu", z->node, z->name, z->nr_cpus);
		for (f = 0; f < KERN_CF_NR; f++)
			if (dump->cpu_fields & 1u << f)
				print_range(out, 14, z, f);
		putc('\n', out);
	}
}

static void print_buddy(FILE *out, const struct kern_dump *dump)
{
	unsigned int o, most = 0;
	size_t i;

	for (i = 0; i < dump->nr_zones; i++)
		most = dump->zones[i].nr_orders > most ? dump->zones[i].nr_orders : most;
	if (!most)
		return;
	fprintf(out, "\nfree blocks by order\nnode zone   ");
	for (o = 0; o < most; o++)
		fprintf(out, " %6u", o);
	putc('\n', out);
	for (i = 0; i < dump->nr_zones; i++) {
		const struct kern_zone *z = &dump->zones[i];

		if (!z->nr_orders)
			continue;
		fprintf(out, "%4u %-7s", z->node, z->name);
		for (o = 0; o < z->nr_orders; o++)
			print_figure(out, 6, z->buddy[o]);
		putc('\n', out);
	}
}

static void print_checks(FILE *out, const struct kern_checks *checks)
{
	size_t i;

	if (!checks->nr) {
		fprintf(out, "\nbatch, limits and watermarks are what the model computes\n");
		return;
	}
	fprintf(out,
		"\nother than the model computes\nnode zone    field        file      model  reason\n");
	for (i = 0; i < checks->nr; i++) {
		const struct kern_check *c = &checks->items[i];

		fprintf(out, "%4u %-7s %-8s", c->node, c->zone, c->field);
		print_figure(out, 9, c->file);
		print_figure(out, 10, c->model);
		fprintf(out, "  %s", c->reason);
		if (c->cpus)
			fprintf(out, " (%u list%s)", c->cpus, c->cpus == 1 ? "" : "s");
		putc('\n', out);
	}
}

static void print_head(FILE *out, const struct kern_dump *dump, const struct kern_checks *checks)
{
	const char *lacks[NAMES_MAX], *patches,
		*series = kern_era_series(dump, checks->era, &patches);
	size_t nr = kern_dump_lacks(dump, lacks, NAMES_MAX), nr_nodes, nr_cpus, populated = 0, i;

	free(kern_dump_nodes(dump, &nr_nodes));
	free(kern_dump_cpus(dump, &nr_cpus));
	for (i = 0; i < dump->nr_zones; i++)
		populated += kern_zone_pages(&dump->zones[i]) > 0;
	fprintf(out, "%zu node%s, %zu zone%s with pages", nr_nodes, nr_nodes == 1 ? "" : "s",
		populated, populated == 1 ? "" : "s");
	if (nr_cpus)
		fprintf(out, ", %zu CPU%s", nr_cpus, nr_cpus == 1 ? "" : "s");
	if (dump->nr_snapshots > 1)
		fprintf(out, "; dump %u, one of %u in the file", dump->snapshot,
			dump->nr_snapshots);
	fprintf(out, "\npage size %" PRIu64 ": %s\n", dump->page_size,
		kern_page_size_reason(dump->page_size_by));
	fprintf(out, "kernel %s%s%s\n",
		dump->release[0] ? dump->release :
		checks->era_told ? "as given" :
				   "by its fields",
		": ", kern_era_text(checks->era));
	fprintf(out, "nearest patch set: --series %s --patches %s\n", series, patches);
	if (nr)
		fprintf(out, "this kernel does not print:");
	for (i = 0; i < nr && i < NAMES_MAX; i++)
		fprintf(out, " %s", lacks[i]);
	if (nr)
		putc('\n', out);
	if (dump->cut)
		fprintf(out, "the text ends inside node %u zone %s\n",
			dump->zones[dump->nr_zones - 1].node, dump->zones[dump->nr_zones - 1].name);
}

void kern_dump_print(FILE *out, const struct kern_dump *dump, const struct kern_checks *checks,
		     bool all_lists)
{
	char reason[160];
	unsigned int i;

	print_head(out, dump, checks);
	print_zones(out, dump);
	print_lists(out, dump, all_lists);
	print_buddy(out, dump);
	print_checks(out, checks);
	for (i = 0; kern_dump_refusal(dump, i, reason, sizeof(reason)); i++)
		fprintf(out, "%s  %s\n", i ? "" : "\nthe model cannot run this machine:\n", reason);
}

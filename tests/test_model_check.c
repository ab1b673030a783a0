/* SPDX-License-Identifier: GPL-2.0-only */
/* What the model computes for a dump, and the reasons for what is different. */
#include "kern_read.h"

/* series.md's table: 1 GiB and more 63, from 688 MiB; the cap of 512 KiB before 4.19; 64-KiB pages at most 16 / 4 * 1.5 */
Test(model_check, batch)
{
	static const struct {
		int64_t pages;
		uint64_t page_size;
		int64_t since, before;
	} rows[] = {
		{ 0, 4096, 1, 1 },	     { 3840, 4096, 1, 1 },
		{ 8 << 10, 4096, 1, 1 },     { 12 << 10, 4096, 3, 3 },
		{ 24 << 10, 4096, 7, 7 },    { 44 << 10, 4096, 15, 15 },
		{ 65536, 4096, 15, 15 },     { 88 << 10, 4096, 31, 31 },
		{ 128 << 10, 4096, 31, 31 }, { 171 << 10, 4096, 31, 31 },
		{ 172 << 10, 4096, 63, 31 }, { 262144, 4096, 63, 31 },
		{ 100000000, 4096, 63, 31 }, { 100000000, 16384, 15, 7 },
		{ 100000000, 65536, 3, 1 },  { 100000000, 1 << 20, 1, 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_expect_eq(kern_model_batch(rows[i].pages, rows[i].page_size, true),
			     rows[i].since, "row %zu: %lld", i,
			     (long long)kern_model_batch(rows[i].pages, rows[i].page_size, true));
		cr_expect_eq(kern_model_batch(rows[i].pages, rows[i].page_size, false),
			     rows[i].before, "row %zu: %lld", i,
			     (long long)kern_model_batch(rows[i].pages, rows[i].page_size, false));
	}
}

/*
 * A 6.18 machine of one zone: 16 GiB, 8 CPUs. series.md 5.2: min_free_kbytes 16384, marks 4096/8290/12484, high_min 1036,
 * high_max 65536, batch 63.
 */
struct zone18 {
	int64_t managed, boost, min, low, high, promo, batch, high_min, high_max, list_high;
	unsigned int cpus;
};

static const struct zone18 good = { 4194304, 0, 4096, 8290, 12484, 16678, 63, 1036, 65536, 1036, 8 };

static void add_node(struct text *t, unsigned int node, const struct zone18 *z, const char *name)
{
	unsigned int c;

	text_printf(
		t,
		"Node %u, zone %8s\n  per-node stats\n      nr_dirty     4\n  pages free     1000000\n",
		node, name);
	text_printf(
		t,
		"        boost    %lld\n        min      %lld\n        low      %lld\n        high     %lld\n"
		"        promo    %lld\n        spanned  %lld\n        present  %lld\n        managed  %lld\n"
		"        cma      0\n        protection: (0, 0, 0, 0)\n",
		(long long)z->boost, (long long)z->min, (long long)z->low, (long long)z->high,
		(long long)z->promo, (long long)z->managed, (long long)z->managed,
		(long long)z->managed);
	text_printf(t,
		    "      nr_free_pages 1000000\n      nr_free_pages_blocks 900000\n  pagesets\n");
	for (c = 0; c < z->cpus; c++)
		text_printf(
			t,
			"    cpu: %u\n              count:    7\n              high:     %lld\n              batch:    %lld\n"
			"              high_min: %lld\n              high_max: %lld\n  vm stats threshold: 72\n",
			c, (long long)z->list_high, (long long)z->batch, (long long)z->high_min,
			(long long)z->high_max);
	text_printf(t, "  node_unreclaimable:  0\n  start_pfn:           %u\n",
		    1048576 + node * 8388608);
}

static struct kern_dump *dump_of(const struct zone18 *z)
{
	struct text t = { 0 };
	struct kern_dump *dump;

	add_node(&t, 0, z, "Normal");
	dump = kern_read(KERN_ZONEINFO, &t);
	free(t.s);
	return dump;
}

/* The one check, with these figures and a reason that has these words; NULL field: none. */
static void expect_check(const struct zone18 *z, const char *field, int64_t file, int64_t model,
			 const char *words)
{
	struct kern_dump *dump = dump_of(z);
	struct kern_checks c;

	kern_model_check(dump, &c);
	cr_expect_eq(c.era, KERN_ERA_TUNED);
	cr_expect_eq(c.nr, field ? 1 : 0, "%s: %zu checks, first %s: %s", field ? field : "none",
		     c.nr, c.nr ? c.items[0].field : "", c.nr ? c.items[0].reason : "");
	if (field && c.nr == 1) {
		cr_expect_str_eq(c.items[0].field, field);
		cr_expect_str_eq(c.items[0].zone, "Normal");
		cr_expect_eq(c.items[0].file, file, "%lld", (long long)c.items[0].file);
		cr_expect_eq(c.items[0].model, model, "%lld", (long long)c.items[0].model);
		cr_expect_not_null(strstr(c.items[0].reason, words), "%s", c.items[0].reason);
	}
	kern_checks_free(&c);
	kern_dump_free(dump);
}

#define WITH(...)                        \
	({                               \
		struct zone18 w_ = good; \
		__VA_ARGS__;             \
		w_;                      \
	})

Test(model_check, nothing_to_say_of_a_machine_by_the_book)
{
	struct kern_dump *dump = dump_of(&good);
	const char *patches;
	struct kern_checks c;

	expect_check(&good, NULL, 0, 0, "");
	kern_model_check(dump, &c);
	cr_expect_eq(c.min_free_kbytes, 16384);
	cr_expect_eq(c.scale_factor, 10);
	cr_expect_eq(c.high_fraction, 0);
	cr_expect_eq(c.node_cpus[0], 8);
	cr_expect_str_eq(kern_era_series(dump, c.era, &patches), "v3");
	cr_expect_str_eq(patches, "all,nikhil");
	kern_checks_free(&c);
	kern_dump_free(dump);
}

Test(model_check, one_difference_is_one_check)
{
	struct zone18 z;

	z = WITH(w_.batch = 31);
	expect_check(&z, "batch", 31, 63, "before 4.19");
	z = WITH(w_.batch = 15);
	expect_check(&z, "batch", 15, 63, "had few more than 45056 pages");
	z = WITH(w_.batch = 17);
	expect_check(&z, "batch", 17, 63, "no zone size gives it");
	/* 8290 / 7 = 1184, 8290 / 9 = 921 */
	z = WITH(w_.high_min = 1184, w_.list_high = 1184);
	expect_check(&z, "high_min", 1184, 1036, "for 7 CPUs, not 8");
	z = WITH(w_.high_min = 500);
	expect_check(&z, "high_min", 500, 1036, "low mark was about 4000");
	/* 2097152 / 8 / 8 = 32768: 8 GiB at that time; and no fraction, as high_min is another */
	z = WITH(w_.high_max = 32768);
	expect_check(&z, "high_max", 32768, 65536, "about 2097152 pages");
	z = WITH(w_.list_high = 700);
	expect_check(&z, "high", 700, 1036, "limits changed");
	z = WITH(w_.list_high = 70000);
	expect_check(&z, "high", 70000, 65536, "limits changed");
	z = WITH(w_.list_high = 0);
	expect_check(&z, NULL, 0, 0, "");
	z = WITH(w_.promo = 16679);
	expect_check(&z, "promo", 16679, 16678, "another size");
}

/* A list that differs from the others is found wherever it stands, and counted. */
Test(model_check, single_lists)
{
	struct kern_dump *dump = dump_of(&good);
	struct kern_cpu *cpus = dump->zones[0].cpus;
	struct kern_checks c;
	size_t i;

	for (i = 0; i < 8; i++) {
		cpus[i].v[KERN_CF_batch] = 31;
		cpus[(i + 3) % 8].v[KERN_CF_high_min] = 1037;
		cpus[(i + 5) % 8].v[KERN_CF_high_max] = 65537;
		kern_model_check(dump, &c);
		/* high 1036 of that list is below its high_min, too */
		cr_assert_eq(c.nr, 4, "list %zu: %zu checks", i, c.nr);
		cr_expect_str_eq(c.items[0].field, "batch");
		cr_expect_eq(c.items[0].cpus, 1);
		cr_expect_eq(c.items[0].model, 63);
		kern_checks_free(&c);
		cpus[i].v[KERN_CF_batch] = 63;
		cpus[(i + 3) % 8].v[KERN_CF_high_min] = 1036;
		cpus[(i + 5) % 8].v[KERN_CF_high_max] = 65536;
	}
	for (i = 2; i < 5; i++)
		cpus[i].v[KERN_CF_batch] = 31;
	kern_model_check(dump, &c);
	cr_assert_eq(c.nr, 1);
	cr_expect_eq(c.items[0].cpus, 3);
	kern_checks_free(&c);
	kern_dump_free(dump);
}

/* 4194304 / 16 / 8 = 32768 for both limits: series.md 5.2 */
Test(model_check, a_fixed_fraction)
{
	struct zone18 z = WITH(w_.high_min = 32768, w_.high_max = 32768, w_.list_high = 32768);
	struct kern_dump *dump = dump_of(&z);
	struct kern_checks c;
	size_t i;

	kern_model_check(dump, &c);
	cr_assert_eq(c.nr, 2);
	cr_expect_eq(c.high_fraction, 16);
	for (i = 0; i < 2; i++)
		cr_expect_not_null(strstr(c.items[i].reason,
					  "vm.percpu_pagelist_high_fraction is 16"),
				   "%s", c.items[i].reason);
	kern_checks_free(&c);
	kern_dump_free(dump);
}

/* A boost lies on all marks that are printed; the limits were computed without it. */
Test(model_check, a_boost_is_no_difference)
{
	struct zone18 z = WITH(w_.boost = 3000, w_.min += 3000, w_.low += 3000, w_.high += 3000,
			       w_.promo += 3000);

	expect_check(&z, NULL, 0, 0, "");
}

/* min_free_kbytes by hand: 32768 kB are 8192 pages; low = 8192 + 4194, high_min = 12386 / 8 = 1548 */
Test(model_check, min_free_kbytes_by_hand)
{
	struct zone18 z = WITH(w_.min = 8192, w_.low = 12386, w_.high = 16580, w_.promo = 20774,
			       w_.high_min = 1548, w_.list_high = 1548);

	expect_check(&z, "min", 8192, 4096, "vm.min_free_kbytes was set to about 32768");
}

/* khugepaged: 11 * 512 pages for one zone are 5632; 5632 + 4194 = 9826, / 8 = 1228 */
Test(model_check, khugepaged)
{
	struct zone18 z = WITH(w_.min = 5632, w_.low = 9826, w_.high = 14020, w_.promo = 18214,
			       w_.high_min = 1228, w_.list_high = 1228);

	expect_check(&z, "min", 5632, 4096, "khugepaged raised vm.min_free_kbytes to 22528");
}

/* 4194304 * 100 / 10000 = 41943: low 46039, high 87982, promo 129925; 46039 / 8 = 5754 */
Test(model_check, watermark_scale_factor)
{
	struct zone18 z = WITH(w_.low = 46039, w_.high = 87982, w_.promo = 129925,
			       w_.high_min = 5754, w_.list_high = 5754);
	struct kern_dump *dump = dump_of(&z);
	struct kern_checks c;
	size_t i;

	kern_model_check(dump, &c);
	cr_expect_eq(c.scale_factor, 100);
	cr_assert_eq(c.nr, 3);
	for (i = 0; i < 3; i++)
		cr_expect_not_null(strstr(c.items[i].reason, "vm.watermark_scale_factor is 100"),
				   "%s", c.items[i].reason);
	kern_checks_free(&c);
	kern_dump_free(dump);
}

/* Memory going offline switches the lists of the zone off. */
Test(model_check, lists_switched_off)
{
	struct zone18 z = WITH(w_.batch = 1, w_.high_min = 0, w_.high_max = 0, w_.list_high = 0);
	struct kern_dump *dump = dump_of(&z);
	struct kern_checks c;
	size_t i;

	kern_model_check(dump, &c);
	cr_assert_eq(c.nr, 3);
	for (i = 0; i < 3; i++)
		cr_expect_not_null(strstr(c.items[i].reason, "switched off"), "%s: %s",
				   c.items[i].field, c.items[i].reason);
	kern_checks_free(&c);
	kern_dump_free(dump);
}

/*
 * Two nodes of 16 GiB, 8 CPUs in all: min_free_kbytes isqrt(16 * 33554432) = 23170, 5792 pages, 2896 each; low 7090, over
 * the 6 CPUs of node 0 1181, over the 2 of node 1 3545; high_max 4194304 / 8 / 6 = 87381 and 262144.
 */
Test(model_check, cpus_of_nodes_follow_from_the_limits)
{
	struct zone18 a = { 4194304, 0, 2896, 7090, 11284, 15478, 63, 1181, 87381, 1181, 8 };
	struct zone18 b = { 4194304, 0, 2896, 7090, 11284, 15478, 63, 3545, 262144, 3545, 8 };
	struct text t = { 0 };
	struct kern_dump *dump;
	struct kern_checks c;

	add_node(&t, 0, &a, "Normal");
	add_node(&t, 1, &b, "Normal");
	dump = kern_read(KERN_ZONEINFO, &t);
	kern_model_check(dump, &c);
	cr_expect_eq(c.node_cpus[0], 6);
	cr_expect_eq(c.node_cpus[1], 2);
	cr_expect_eq(c.nr, 0, "%s", c.nr ? c.items[0].reason : "");
	kern_checks_free(&c);
	kern_dump_free(dump);
	free(t.s);
}

/*
 * A CPU that comes online is counted on every node, one too many on the others: node 0 has 4 CPUs and was counted with 4
 * (7090 / 4 = 1772, 131072), node 1 with 5 (1418, 104857). No sharing of 8 CPUs has these, so node 1's are told.
 */
Test(model_check, a_cpu_came_online_elsewhere)
{
	struct zone18 a = { 4194304, 0, 2896, 7090, 11284, 15478, 63, 1772, 131072, 1772, 8 };
	struct zone18 b = { 4194304, 0, 2896, 7090, 11284, 15478, 63, 1418, 104857, 1418, 8 };
	struct text t = { 0 };
	struct kern_dump *dump;
	struct kern_checks c;

	add_node(&t, 0, &a, "Normal");
	add_node(&t, 1, &b, "Normal");
	dump = kern_read(KERN_ZONEINFO, &t);
	kern_model_check(dump, &c);
	cr_expect_eq(c.node_cpus[0], 4);
	cr_expect_eq(c.node_cpus[1], 4);
	cr_assert_eq(c.nr, 2);
	cr_expect_eq(c.items[0].node, 1);
	cr_expect_not_null(strstr(c.items[0].reason, "for 5 CPUs, not 4"), "%s", c.items[0].reason);
	cr_expect_not_null(strstr(c.items[1].reason, "for 5 CPUs, not 4"), "%s", c.items[1].reason);
	kern_checks_free(&c);
	kern_dump_free(dump);
	free(t.s);
}

/* Reasons that the real files have. */
struct reason {
	const char *file;
	const char *zone, *field;
	int64_t model;
	const char *words;
};

static const struct reason reasons[] = {
	{ "guest-6.1/boot.zoneinfo.txt.gz", "DMA32", "min", 1412,
	  "khugepaged raised vm.min_free_kbytes to 45056" },
	{ "guest-6.1/e-zoneinfo.fraction-8.txt.gz", "DMA32", "high", 3493, "high_fraction is 8" },
	{ "guest-6.1/e-zoneinfo.fraction-100.txt.gz", "DMA", "high", 26, "high_fraction is 100" },
	{ "guest-6.12/e-zoneinfo.fraction-100.txt.gz", "DMA32", "high", 3493,
	  "high_fraction is 100" },
	{ "guest-6.12/d-decay.snaps.txt.gz", "DMA32", "high", 3493, "is 496 or more" },
	{ "guest-6.12/end.zoneinfo.txt.gz", "DMA32", "min", 1410, "high marks taken off" },
	{ "public/zoneinfo-4.19.52-x86-8cpu.txt.gz", "Normal", "batch", 63, "initialised" },
	{ "public/zoneinfo-4.19.52-x86-8cpu.txt.gz", "Normal", "min", 3298, "set to about 164" },
	{ "public/zoneinfo-3.7-rc6-x86-4cpu.txt.gz", "Normal", "min", 244, "khugepaged" },
};

Test(model_check, reasons_of_real_files)
{
	struct kern_dump *dump;
	struct kern_checks c;
	char path[256];
	size_t i, k;

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		const struct reason *r = &reasons[i];
		bool found = false;

		snprintf(path, sizeof(path), "tests/real/%s", r->file);
		dump = kern_read_file(KERN_ZONEINFO, path);
		kern_model_check(dump, &c);
		for (k = 0; k < c.nr; k++) {
			const struct kern_check *item = &c.items[k];

			if (strcmp(item->zone, r->zone) != 0 || strcmp(item->field, r->field) != 0)
				continue;
			found = true;
			cr_expect_eq(item->model, r->model, "%s: %lld", path,
				     (long long)item->model);
			cr_expect_not_null(strstr(item->reason, r->words), "%s: %s", path,
					   item->reason);
		}
		cr_expect(found, "%s: no check of %s %s", path, r->zone, r->field);
		kern_checks_free(&c);
		kern_dump_free(dump);
	}
}

/* A list without a batch: the text is torn inside it. */
Test(model_check, lists_without_figures)
{
	static const char text[] =
		"Node 0, zone   Normal\n  pages free     930\n        present  1900\n  pagesets\n"
		"    cpu: 0\n              count: 7\n              high: 6\n    cpu: 1\n    cpu: 2\n";
	struct text t = { .s = strdup(text), .len = strlen(text) };
	struct kern_dump *dump = kern_read(KERN_ZONEINFO, &t);
	struct kern_checks c;

	kern_model_check(dump, &c);
	cr_expect_eq(c.nr, 0);
	kern_checks_free(&c);
	kern_dump_free(dump);
	free(t.s);
}

/* Nonsense in every figure is judged without a fault (the sanitizers see to that). */
Test(model_check, nonsense)
{
	static const int64_t values[] = { 0, 1, 3, KERN_FIGURE_MAX, KERN_FIGURE_MAX - 1, -1 };
	size_t a, b;

	for (a = 0; a < sizeof(values) / sizeof(values[0]); a++)
		for (b = 0; b < sizeof(values) / sizeof(values[0]); b++) {
			int64_t v = values[a], w = values[b];
			struct zone18 z = { v, w, v, w, v, w, v, w, v, w, 3 };
			struct kern_dump *dump = dump_of(&z);
			struct kern_checks c;

			kern_model_check(dump, &c);
			cr_expect_geq(c.scale_factor, 1);
			kern_checks_free(&c);
			kern_dump_free(dump);
		}
}

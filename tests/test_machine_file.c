/* SPDX-License-Identifier: GPL-2.0-only */
/* Dumps as machine files, and the verb that makes them. */
#include "kern_read.h"
#include "kernel/dump_print.h"
#include "core/sim.h"
#include "kernel/machine_file.h"

static char *machine_of(const struct kern_dump *dump, unsigned int cpus)
{
	struct kern_checks checks;
	struct kern_plan plan;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	kern_model_check(dump, &checks);
	kern_plan_make(&plan, dump, &checks, cpus);
	kern_machine_write(out, dump, &checks, &plan, "test");
	fclose(out);
	kern_plan_free(&plan);
	kern_checks_free(&checks);
	return text;
}

/* Without the comments, which begin with #. */
static void expect_machine(struct kern_dump *dump, unsigned int cpus, const char *want)
{
	char *text = machine_of(dump, cpus), *body = text;

	while (*body == '#')
		body = strchr(body, '\n') + 1;
	cr_expect_str_eq(body, want, "%s", body);
	free(text);
	kern_dump_free(dump);
}

#define KERNEL_KEYS "boost: 15000\nhighatomic: true\nnofragment: auto\ncounters: percpu\n"

/* Managed pages only: 3840 are 15 MiB, 501458 are 2005832 KiB; DMA begins at page 1, so at the block of page 0. */
Test(machine_file, a_guest)
{
	expect_machine(kern_read_file(KERN_ZONEINFO, "tests/real/guest-6.12/boot.zoneinfo.txt.gz"),
		       0,
		       "cpus: 4\nzones:\n  - {name: DMA, size: 15MiB, start_pfn: 0}\n"
		       "  - {name: DMA32, size: 2005832KiB, start_pfn: 4096}\n" KERNEL_KEYS
		       "min_free_kbytes: 45056\n");
}

Test(machine_file, settings_that_the_file_shows)
{
	expect_machine(kern_read_file(KERN_ZONEINFO,
				      "tests/real/guest-6.1/e-zoneinfo.fraction-100.txt.gz"),
		       0,
		       "cpus: 4\nzones:\n  - {name: DMA, size: 15MiB, start_pfn: 0}\n"
		       "  - {name: DMA32, size: 2011180KiB, start_pfn: 4096}\n" KERNEL_KEYS
		       "min_free_kbytes: 45056\npercpu_pagelist_high_fraction: 100\n");
}

/* The zones' marks share no min_free_kbytes: each is written, without the boost of 7168 in Normal. */
Test(machine_file, marks_of_their_own)
{
	expect_machine(
		kern_read_file(KERN_MEMINFO,
			       "tests/real/public/memfail-6.19-rc5-x86-laptop.txt.gz"),
		8,
		"cpus: 8\nzones:\n  - {name: DMA, size: 15364KiB, start_pfn: 4096, watermarks: [21, 26, 31]}\n"
		"  - {name: DMA32, size: 2931416KiB, start_pfn: 8192, watermarks: [3965, 4956, 5947]}\n"
		"  - {name: Normal, size: 9346788KiB, start_pfn: 741376, watermarks: [12909, 16136, 19363]}\n" KERNEL_KEYS);
}

Test(machine_file, what_cannot_run_says_why)
{
	expect_machine(
		kern_read_file(KERN_MEMINFO, "tests/real/public/warn-6.6-rc2-ppc64-64k.txt.gz"), 0,
		"page_size: 65536\ncannot_run:\n  - \"pages of 65536 bytes: the model's pages have 4096\"\n"
		"cpus: 1\nzones:\n  - {name: Normal, size: 1996MiB, start_pfn: 4096}\n" KERNEL_KEYS);
}

static void add_node(struct text *t, unsigned int node, uint64_t start, const unsigned int *cpus,
		     size_t nr)
{
	size_t c;

	text_printf(
		t,
		"Node %u, zone   Normal\n  per-node stats\n  pages free     9\n        min      2048\n        low      3096\n"
		"        high     4144\n        spanned  1050000\n        managed  1048576\n  pagesets\n",
		node);
	for (c = 0; c < nr; c++)
		text_printf(
			t,
			"    cpu: %u\n              count: 0\n              high:  378\n              batch: 63\n",
			cpus[c]);
	text_printf(t, "  start_pfn:           %llu\n", (unsigned long long)start);
}

/*
 * Nodes 0 and 2, CPUs 0 1 4 5: CPUs and nodes get numbers without gaps. The second zone begins inside the first one's span
 * but not in its managed pages: 1048576 + 1049000 is in the block 2097152, behind the first one's end.
 */
Test(machine_file, gaps_are_closed_and_told)
{
	static const unsigned int cpus[] = { 0, 1, 4, 5 };
	struct text t = { 0 };
	struct kern_dump *dump;
	char *text;

	add_node(&t, 0, 1048576, cpus, 4);
	add_node(&t, 2, 1048576 + 1049000, cpus, 4);
	dump = kern_read(KERN_ZONEINFO, &t);
	text = machine_of(dump, 0);
	cr_expect_not_null(
		strstr(text,
		       "# CPUs that were offline are left out. CPU here: number there\n#  2: 4 3: 5\n"),
		"%s", text);
	cr_expect_not_null(
		strstr(text,
		       "# Nodes without memory are left out. Node here: number there\n#  0: 0 1: 2\n"),
		"%s", text);
	cr_expect_not_null(strstr(text, "which CPU is on which node"), "%s", text);
	cr_expect_not_null(strstr(text, "zones have holes"), "%s", text);
	free(text);
	expect_machine(
		dump, 0,
		"nodes:\n  - cpus: [0, 1]\n    zones:\n      - {name: Normal, size: 4GiB, start_pfn: 1048576}\n"
		"  - cpus: [2, 3]\n    zones:\n      - {name: Normal, size: 4GiB, start_pfn: 2097152}\n" KERNEL_KEYS
		"min_free_kbytes: 16384\n");
	free(t.s);
}

/* Page 2^33 is 32 TiB, the model ends at 8: the zones begin at 4096, one behind the other. */
Test(machine_file, high_memory_is_moved_down)
{
	static const unsigned int cpus[] = { 0, 1 };
	struct text t = { 0 };
	struct kern_dump *dump;
	char *text;

	add_node(&t, 0, 1048576, cpus, 2);
	add_node(&t, 1, UINT64_C(1) << 33, cpus, 2);
	dump = kern_read(KERN_ZONEINFO, &t);
	text = machine_of(dump, 0);
	cr_expect_not_null(strstr(text, "put side by side"), "%s", text);
	cr_expect_not_null(strstr(text, "start_pfn: 4096}"), "%s", text);
	cr_expect_not_null(strstr(text, "start_pfn: 1052672}"), "%s", text);
	free(text);
	kern_dump_free(dump);
	free(t.s);
}

/* A torn zone has a boost and no marks. */
Test(machine_file, marks_that_are_not_there)
{
	static const char text[] =
		"Node 0, zone   Normal\n  pages free     930\n        boost    208\n        managed  1024\n";
	struct text t = { .s = strdup(text), .len = strlen(text) };

	expect_machine(
		kern_read(KERN_ZONEINFO, &t), 2,
		"cpus: 2\nzones:\n  - {name: Normal, size: 4MiB, start_pfn: 4096}\n" KERNEL_KEYS);
	free(t.s);
}

/* A newline or an escape in a file's name does not end the comment that names it. */
Test(machine_file, names_are_clean)
{
	struct kern_dump *dump =
		kern_read_file(KERN_ZONEINFO, "tests/real/guest-6.12/boot.zoneinfo.txt.gz");
	struct kern_checks checks;
	struct kern_plan plan;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	kern_model_check(dump, &checks);
	kern_plan_make(&plan, dump, &checks, 0);
	kern_machine_write(out, dump, &checks, &plan, "a\nboost: 1\033[0m");
	fclose(out);
	cr_expect_not_null(strstr(text, "# A machine imported from a?boost: 1?[0m\n"), "%s", text);
	kern_plan_free(&plan);
	kern_checks_free(&checks);
	kern_dump_free(dump);
	free(text);
}

/* The members that others rely on, null where the text has nothing, and the shape of a check. */
Test(dump_print, json)
{
	static const char head[] =
		"{\"kernel_lacks\":[\"managed\",\"boost\",\"promo\",\"cma\",\"high_min\",\"high_max\"],"
		"\"page_size\":4096,\"nodes\":[{\"node\":0,\"zones\":[{\"name\":\"DMA\",\"managed\":null,"
		"\"min\":65,\"low\":81,\"high\":97,\"cpus\":[{\"cpu\":0,\"count\":0,\"high\":0,\"batch\":1,"
		"\"high_min\":null,\"high_max\":null},";
	struct kern_dump *dump =
		kern_read_file(KERN_ZONEINFO, "tests/real/public/zoneinfo-3.7-rc6-x86-4cpu.txt.gz");
	struct kern_checks checks;
	struct base_json j;
	char *text;

	kern_model_check(dump, &checks);
	base_json_to_memory(&j, false);
	base_json_object(&j);
	kern_dump_json(&j, dump, &checks);
	base_json_close(&j);
	cr_assert_eq(base_json_end(&j), BASE_ERR_OK);
	text = base_json_take(&j, NULL);
	cr_expect_eq(strncmp(text, head, strlen(head)), 0, "%.400s", text);
	cr_expect_not_null(strstr(text, "\"protection\":[0,3417,3896,3896]"));
	cr_expect_not_null(strstr(
		text,
		"\"checks\":[{\"node\":0,\"zone\":\"DMA\",\"field\":\"min\",\"file\":65,\"model\":7,"
		"\"reason\":\"khugepaged raised"));
	free(text);
	kern_checks_free(&checks);
	kern_dump_free(dump);
}

/* More than 64 lists become a line a zone, with ranges; all of them on request. */
Test(dump_print, many_lists)
{
	unsigned int cpus[70];
	struct text t = { 0 };
	struct kern_checks checks;
	struct kern_dump *dump;
	char *text;
	size_t len, c;
	FILE *out;

	for (c = 0; c < 70; c++)
		cpus[c] = (unsigned int)c;
	add_node(&t, 0, 1048576, cpus, 70);
	dump = kern_read(KERN_ZONEINFO, &t);
	dump->zones[0].cpus[3].v[KERN_CF_count] = 300;
	kern_model_check(dump, &checks);
	out = open_memstream(&text, &len);
	kern_dump_print(out, dump, &checks, false);
	fclose(out);
	cr_expect_not_null(
		strstr(text, "   0 Normal    70         0..300            378             63\n"),
		"%s", text);
	free(text);
	out = open_memstream(&text, &len);
	kern_dump_print(out, dump, &checks, true);
	fclose(out);
	cr_expect_not_null(strstr(text, "   0 Normal    69        0      378       63\n"), "%s",
			   text);
	free(text);
	kern_checks_free(&checks);
	kern_dump_free(dump);
	free(t.s);
}

/* What runs is the machine of the file: marks, batch and limits, computed anew by the model. */
struct run {
	const char *file;
	const char *series, *patches;
	bool same_high; /* every list's high is the limit at rest (kernels before 6.7) */
};

static const struct run runs[] = {
	{ "guest-6.1/boot.zoneinfo.txt.gz", "v2", "none", true },
	{ "guest-6.1/e-zoneinfo.fraction-8.txt.gz", "v2", "none", true },
	{ "guest-6.1/e-zoneinfo.fraction-100.txt.gz", "v2", "none", true },
	{ "guest-6.12/boot.zoneinfo.txt.gz", "v3", "all", false },
	{ "guest-6.12/end.zoneinfo.txt.gz", "v3", "all", false },
};

static struct sim *run_dump(const struct kern_dump *dump, const char *series, const char *patches,
			    struct kern_plan *plan)
{
	struct kern_checks checks;
	struct patch_change set;
	struct machine machine;
	struct sim_error err;
	struct sim *sim;
	struct diag d;
	char text[256];

	kern_model_check(dump, &checks);
	kern_plan_make(plan, dump, &checks, 0);
	cr_assert_eq(kern_plan_machine(plan, dump, &checks, &machine, &d), BASE_ERR_OK, "%s",
		     d.message);
	cr_assert(patch_set_parse(patches, strcmp(series, "v3") == 0 ? SERIES_V3 : SERIES_V2, &set,
				  text, sizeof(text)),
		  "%s", text);
	cr_assert_eq(sim_create(&machine, set.set, &sim, &err), SIM_OK, "%s", err.message);
	machine_free(&machine);
	kern_checks_free(&checks);
	return sim;
}

static void expect_zone(const struct sim *sim, u32 id, const struct kern_zone *z, bool same_high,
			const char *file)
{
	const struct zone *zone = sim_zone(sim, id);
	u32 cpu;

	cr_expect_eq(zone->managed_pages, kern_zone_pages(z), "%s", file);
	cr_expect_eq(zone->_watermark[WMARK_MIN], z->v[KERN_ZF_min], "%s %s: min %lld", file,
		     z->name, (long long)zone->_watermark[WMARK_MIN]);
	cr_expect_eq(zone->_watermark[WMARK_LOW], z->v[KERN_ZF_low], "%s %s", file, z->name);
	cr_expect_eq(zone->_watermark[WMARK_HIGH], z->v[KERN_ZF_high], "%s %s", file, z->name);
	for (cpu = 0; cpu < z->nr_cpus; cpu++) {
		const struct per_cpu_pages *pcp = sim_pageset(sim, id, cpu);

		cr_expect_eq(pcp->batch, z->cpus[cpu].v[KERN_CF_batch], "%s %s", file, z->name);
		if (same_high)
			cr_expect_eq(pcp->high, z->cpus[cpu].v[KERN_CF_high], "%s %s: high %d",
				     file, z->name, pcp->high);
		else
			cr_expect_eq(pcp->high_min,
				     z->v[KERN_ZF_low] / 4 > 4 * pcp->batch ?
					     z->v[KERN_ZF_low] / 4 :
					     4 * pcp->batch,
				     "%s %s", file, z->name);
	}
}

Test(machine_file, what_runs_is_what_the_file_has)
{
	struct kern_plan plan;
	struct kern_dump *dump;
	struct sim *sim;
	char path[256];
	size_t i, z;

	for (i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		snprintf(path, sizeof(path), "tests/real/%s", runs[i].file);
		dump = kern_read_file(KERN_ZONEINFO, path);
		sim = run_dump(dump, runs[i].series, runs[i].patches, &plan);
		cr_assert_eq(sim_nr_zones(sim), plan.nr_zones);
		cr_expect_eq(sim_nr_cpus(sim), 4);
		for (z = 0; z < plan.nr_zones; z++)
			expect_zone(sim, (u32)z, plan.zones[z].zone, runs[i].same_high, path);
		sim_destroy(sim);
		kern_plan_free(&plan);
		kern_dump_free(dump);
	}
}

/* Marks that no setting gives are set as they are. */
Test(machine_file, own_marks_run)
{
	struct kern_dump *dump = kern_read_file(
		KERN_MEMINFO, "tests/real/public/memfail-6.19-rc5-x86-laptop.txt.gz");
	struct kern_plan plan;
	struct sim *sim = run_dump(dump, "v3", "all,nikhil", &plan);

	cr_expect(plan.own_marks);
	cr_expect_eq(sim_nr_cpus(sim), 5);
	cr_expect_eq(sim_zone(sim, 2)->_watermark[WMARK_LOW], 16136);
	cr_expect_eq(sim_zone(sim, 0)->_watermark[WMARK_HIGH], 31);
	/* the limit follows the mark: 16136 / 5 */
	cr_expect_eq(sim_pageset(sim, 2, 4)->high_min, 3227);
	sim_destroy(sim);
	kern_plan_free(&plan);
	kern_dump_free(dump);
}

Test(machine_file, what_cannot_run_is_refused)
{
	static const char *const files[] = {
		"memfail-4.2-i386-pae-highmem16g", "memfail-5.10-arm64-rockpro64",
		"memfail-5.10-mips-highmem",	   "partial-6.1-arm32-rpi4-4g",
		"warn-6.6-rc2-ppc64-64k",
	};
	struct kern_checks checks;
	struct kern_plan plan;
	struct kern_dump *dump;
	struct machine machine;
	char path[256];
	struct diag d;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "tests/real/public/%s.txt.gz", files[i]);
		dump = kern_read_file(KERN_MEMINFO, path);
		kern_model_check(dump, &checks);
		kern_plan_make(&plan, dump, &checks, 0);
		cr_expect_eq(kern_plan_machine(&plan, dump, &checks, &machine, &d), BASE_ERR_FAILED,
			     "%s", path);
		cr_expect_not_null(strstr(d.message, "cannot run"), "%s", d.message);
		kern_plan_free(&plan);
		kern_checks_free(&checks);
		kern_dump_free(dump);
	}
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/zoneinfo: real files and what becomes of them, page sizes, damage. */
#include "kern_read.h"

struct fact {
	const char *file;
	uint64_t page_size;
	size_t nodes, zones, populated, cpus;
	enum kern_era era;
	const char *lacks;
	unsigned int refusals;
	size_t checks;
};

static const struct fact facts[] = {
	{ "guest-6.1/boot.zoneinfo.txt.gz", 4096, 1, 5, 2, 4, KERN_ERA_LOW,
	  "promo high_min high_max", 0, 2 },
	{ "guest-6.1/e-zoneinfo.fraction-0.txt.gz", 4096, 1, 5, 2, 4, KERN_ERA_LOW,
	  "promo high_min high_max", 0, 2 },
	{ "guest-6.1/e-zoneinfo.fraction-100.txt.gz", 4096, 1, 5, 2, 4, KERN_ERA_LOW,
	  "promo high_min high_max", 0, 4 },
	{ "guest-6.1/e-zoneinfo.fraction-8.txt.gz", 4096, 1, 5, 2, 4, KERN_ERA_LOW,
	  "promo high_min high_max", 0, 4 },
	{ "guest-6.1/end.zoneinfo.txt.gz", 4096, 1, 5, 2, 4, KERN_ERA_LOW,
	  "promo high_min high_max", 0, 2 },
	{ "guest-6.12/boot.zoneinfo.txt.gz", 4096, 1, 5, 2, 4, KERN_ERA_TUNED, "high_min high_max",
	  0, 2 },
	{ "guest-6.12/e-zoneinfo.fraction-0.txt.gz", 4096, 1, 5, 2, 4, KERN_ERA_TUNED,
	  "high_min high_max", 0, 2 },
	{ "guest-6.12/e-zoneinfo.fraction-100.txt.gz", 4096, 1, 5, 2, 4, KERN_ERA_TUNED,
	  "high_min high_max", 0, 3 },
	{ "guest-6.12/e-zoneinfo.fraction-8.txt.gz", 4096, 1, 5, 2, 4, KERN_ERA_TUNED,
	  "high_min high_max", 0, 2 },
	{ "guest-6.12/end.zoneinfo.txt.gz", 4096, 1, 5, 2, 4, KERN_ERA_TUNED, "high_min high_max",
	  0, 1 },
	{ "public/zoneinfo-3.7-rc6-x86-4cpu.txt.gz", 4096, 1, 3, 3, 4, KERN_ERA_31,
	  "managed boost promo cma high_min high_max", 0, 3 },
	{ "public/zoneinfo-4.19.52-x86-8cpu.txt.gz", 4096, 1, 5, 3, 8, KERN_ERA_63,
	  "boost promo cma high_min high_max", 0, 4 },
};
#define NR_FACTS (sizeof(facts) / sizeof(facts[0]))

static const char *fact_path(size_t i, char *buf, size_t size)
{
	snprintf(buf, size, "tests/real/%s", facts[i].file);
	return buf;
}

Test(zoneinfo, every_file_has_its_facts)
{
	char path[256], lacks[256];
	struct kern_checks checks;
	struct kern_dump *dump;
	size_t i, n, z, populated;

	for (i = 0; i < NR_FACTS; i++) {
		const struct fact *f = &facts[i];

		dump = kern_read_file(KERN_ZONEINFO, fact_path(i, path, sizeof(path)));
		kern_model_check(dump, &checks);
		cr_expect_eq(dump->page_size, f->page_size, "%s", f->file);
		free(kern_dump_nodes(dump, &n));
		cr_expect_eq(n, f->nodes, "%s", f->file);
		free(kern_dump_cpus(dump, &n));
		cr_expect_eq(n, f->cpus, "%s: %zu CPUs", f->file, n);
		cr_expect_eq(dump->nr_zones, f->zones, "%s: %zu zones", f->file, dump->nr_zones);
		for (populated = 0, z = 0; z < dump->nr_zones; z++) {
			populated += kern_zone_pages(&dump->zones[z]) > 0;
			cr_expect_eq(dump->zones[z].nr_cpus,
				     kern_zone_pages(&dump->zones[z]) ? f->cpus : 0, "%s", f->file);
		}
		cr_expect_eq(populated, f->populated, "%s", f->file);
		cr_expect_eq(checks.era, f->era, "%s: era %d", f->file, checks.era);
		cr_expect_str_eq(kern_lacks_text(dump, lacks, sizeof(lacks)), f->lacks, "%s: %s",
				 f->file, lacks);
		cr_expect_eq(kern_refusals(dump), f->refusals, "%s", f->file);
		cr_expect_eq(checks.nr, f->checks, "%s: %zu checks", f->file, checks.nr);
		cr_expect_not(dump->cut, "%s", f->file);
		kern_checks_free(&checks);
		kern_dump_free(dump);
	}
}

/* Figures copied from the texts by eye. */
struct figure {
	const char *file;
	const char *zone;
	enum kern_zone_figure f;
	int64_t v;
};

static const struct figure figures[] = {
	{ "guest-6.1/boot.zoneinfo.txt.gz", "DMA", KERN_ZF_start_pfn, 1 },
	{ "guest-6.1/boot.zoneinfo.txt.gz", "DMA", KERN_ZF_spanned, 4095 },
	{ "guest-6.1/boot.zoneinfo.txt.gz", "DMA32", KERN_ZF_managed, 502795 },
	{ "guest-6.1/boot.zoneinfo.txt.gz", "DMA32", KERN_ZF_free, 487972 },
	{ "guest-6.1/boot.zoneinfo.txt.gz", "DMA32", KERN_ZF_high, 16766 },
	{ "guest-6.1/boot.zoneinfo.txt.gz", "DMA32", KERN_ZF_promo, KERN_NONE },
	{ "guest-6.1/boot.zoneinfo.txt.gz", "Normal", KERN_ZF_managed, 0 },
	{ "guest-6.1/boot.zoneinfo.txt.gz", "Normal", KERN_ZF_start_pfn, KERN_NONE },
	{ "guest-6.12/end.zoneinfo.txt.gz", "DMA32", KERN_ZF_promo, 2910 },
	{ "guest-6.12/end.zoneinfo.txt.gz", "Movable", KERN_ZF_min, 32 },
	{ "public/zoneinfo-3.7-rc6-x86-4cpu.txt.gz", "DMA32", KERN_ZF_managed, KERN_NONE },
	{ "public/zoneinfo-3.7-rc6-x86-4cpu.txt.gz", "DMA32", KERN_ZF_present, 874976 },
	{ "public/zoneinfo-3.7-rc6-x86-4cpu.txt.gz", "Normal", KERN_ZF_free, 2318 },
	{ "public/zoneinfo-3.7-rc6-x86-4cpu.txt.gz", "Normal", KERN_ZF_free_cma, 0 },
	{ "public/zoneinfo-4.19.52-x86-8cpu.txt.gz", "Normal", KERN_ZF_low, 41771 },
	{ "public/zoneinfo-4.19.52-x86-8cpu.txt.gz", "Normal", KERN_ZF_start_pfn, 1048576 },
	{ "public/zoneinfo-4.19.52-x86-8cpu.txt.gz", "Normal", KERN_ZF_boost, KERN_NONE },
};

Test(zoneinfo, figures_are_those_of_the_text)
{
	char path[256];
	struct kern_dump *dump;
	size_t i;

	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		snprintf(path, sizeof(path), "tests/real/%s", figures[i].file);
		dump = kern_read_file(KERN_ZONEINFO, path);
		cr_expect_eq(kern_zone_at(dump, 0, figures[i].zone)->v[figures[i].f], figures[i].v,
			     "%s %s %s", path, figures[i].zone,
			     kern_zone_figure_name(figures[i].f));
		kern_dump_free(dump);
	}
}

Test(zoneinfo, lists_and_protection)
{
	struct kern_dump *dump =
		kern_read_file(KERN_ZONEINFO, "tests/real/guest-6.12/end.zoneinfo.txt.gz");
	const struct kern_zone *z = kern_zone_at(dump, 0, "DMA32");
	static const int64_t count[] = { 10652, 1032, 2822, 137 },
			     high[] = { 10666, 10499, 4060, 477 };
	size_t c;

	for (c = 0; c < 4; c++) {
		cr_expect_eq(z->cpus[c].cpu, c);
		cr_expect_eq(z->cpus[c].v[KERN_CF_count], count[c]);
		cr_expect_eq(z->cpus[c].v[KERN_CF_high], high[c]);
		cr_expect_eq(z->cpus[c].v[KERN_CF_batch], 63);
		cr_expect_eq(z->cpus[c].v[KERN_CF_high_min], KERN_NONE);
		cr_expect_eq(z->cpus[c].threshold, 30);
	}
	z = kern_zone_at(dump, 0, "DMA");
	cr_expect_eq(z->nr_protection, 5);
	cr_expect_eq(z->protection[0], 0);
	cr_expect_eq(z->protection[4], 1958);
	kern_dump_free(dump);
}

Test(zoneinfo, mail_and_logs_change_nothing)
{
	char path[256];
	size_t i;

	for (i = 0; i < NR_FACTS; i++)
		kern_expect_robust(KERN_ZONEINFO, fact_path(i, path, sizeof(path)));
}

Test(zoneinfo, quoted_printable_is_decoded)
{
	static const char text[] =
		"Node 0, zone   Normal\n  pages free     12=\n34\n        min      =35=36=20\n"
		"        managed  2000\n   a =3D b\n";
	struct diag d;
	struct kern_dump *dump = kern_try(KERN_ZONEINFO, text, strlen(text), -1, &d);

	cr_assert_not_null(dump, "%s", d.message);
	cr_expect_eq(dump->zones[0].v[KERN_ZF_free], 1234);
	cr_expect_eq(dump->zones[0].v[KERN_ZF_min], 56);
	kern_dump_free(dump);
}

/* Prose that names zones and figures, before and behind; buddyinfo and pagetypeinfo between. */
Test(zoneinfo, text_around_the_dump_is_not_of_it)
{
	struct text plain = text_of_file("tests/real/public/zoneinfo-4.19.52-x86-8cpu.txt.gz"),
		    t = { 0 };
	struct kern_dump *want = kern_read(KERN_ZONEINFO, &plain), *dump;

	text_printf(
		&t,
		"Hi,\n\nthe zone Normal: high 3, cpu: 7, high: 700 here\nNode 0, zone Normal has a problem\n"
		"Node 0, zone   Normal\nand Node 0, zone DMA\n"
		"Node 0, zone      DMA      1      0      0      1      2      1      1      0      1      1      3\n"
		"Node    0, zone      DMA, type    Unmovable      1      0      0\n");
	text_add(&t, plain.s, plain.len);
	text_printf(
		&t,
		"\nmin 3\nhigh 4711\n high: 12\nthanks, cpu: 1\nmanaged 17 pages free 12\nlow 1\n"
		"Node 0, zone   Normal      1      2      3\n-- \nprotection: (1, 2)\n");
	dump = kern_read(KERN_ZONEINFO, &t);
	kern_expect_same(want, dump, "prose");
	kern_dump_free(dump);
	kern_dump_free(want);
	free(t.s);
	free(plain.s);
}

/* A collection of files of /proc: what vmstat and a cgroup say is not the last zone's, whether that is empty or not. */
Test(zoneinfo, other_files_behind_it)
{
	static const char *const files[] = { "tests/real/guest-6.12/boot.zoneinfo.txt.gz",
					     "tests/real/public/zoneinfo-3.7-rc6-x86-4cpu.txt.gz" };
	size_t i;

	for (i = 0; i < 2; i++) {
		struct text t = text_of_file(files[i]);
		struct kern_dump *want = kern_read(KERN_ZONEINFO, &t), *dump;

		text_printf(
			&t,
			"== vmstat\nnr_free_pages 5\nnr_free_cma 77\nboost 3\npromo 4\nmanaged 7\ncma 9\n"
			"== memory.events\nlow 0\nhigh 0\nmax 0\ncpu: 5\ncount: 7\n");
		dump = kern_read(KERN_ZONEINFO, &t);
		kern_expect_same(want, dump, files[i]);
		cr_expect_eq(kern_refusals(dump), 0);
		kern_dump_free(dump);
		kern_dump_free(want);
		free(t.s);
	}
}

Test(zoneinfo, snapshots_have_the_numbers_of_their_labels)
{
	struct text t = text_of_file("tests/real/guest-6.12/a-fault64.snaps.txt.gz");
	static const unsigned int dumps = 6;
	struct kern_dump *dump;
	struct diag d;
	int64_t n;

	for (n = 0; n < dumps; n++) {
		dump = kern_try(KERN_ZONEINFO, t.s, t.len, n, &d);
		cr_assert_not_null(dump, "%s", d.message);
		cr_expect_eq(dump->snapshot, n);
		cr_expect_eq(dump->nr_snapshots, dumps);
		cr_expect_eq(dump->nr_zones, 5);
		kern_dump_free(dump);
	}
	dump = kern_try(KERN_ZONEINFO, t.s, t.len, -1, &d);
	cr_assert_not_null(dump);
	cr_expect_eq(dump->snapshot, 0);
	kern_dump_free(dump);
	cr_expect_null(kern_try(KERN_ZONEINFO, t.s, t.len, 6, &d));
	cr_expect_eq(d.code, BASE_ERR_UNKNOWN);
	cr_expect_not_null(strstr(d.hint, "numbers 0 to 5"), "%s", d.hint);
	free(t.s);
}

/* One populated zone with lists for CPUs 0..cpus-1, as kernel 5.4 prints it. */
static void add_zone(struct text *t, unsigned int node, const char *name, int64_t start,
		     int64_t managed, unsigned int cpus, int64_t threshold, int64_t batch)
{
	unsigned int c;

	text_printf(t, "Node %u, zone %8s\n  per-node stats\n      nr_dirty     4\n", node, name);
	text_printf(
		t,
		"  pages free     %lld\n        min      100\n        low      125\n        high     150\n",
		(long long)managed / 2);
	text_printf(
		t,
		"        spanned  %lld\n        present  %lld\n        managed  %lld\n        protection: (0, 0)\n",
		(long long)managed, (long long)managed, (long long)managed);
	text_printf(t, "      nr_free_pages %lld\n  pagesets\n", (long long)managed / 2);
	for (c = 0; c < cpus; c++)
		text_printf(
			t,
			"    cpu: %u\n              count: %u\n              high:  %lld\n              batch: %lld\n"
			"  vm stats threshold: %lld\n",
			c, c, (long long)batch * 6, (long long)batch, (long long)threshold);
	text_printf(t, "  node_unreclaimable:  0\n  start_pfn:           %lld\n", (long long)start);
}

static void expect_page_size(struct text *t, uint64_t size, enum kern_page_size_by by)
{
	struct kern_dump *dump = kern_read(KERN_ZONEINFO, t);

	cr_expect_eq(dump->page_size, size, "%llu", (unsigned long long)dump->page_size);
	cr_expect_eq(dump->page_size_by, by, "%d", dump->page_size_by);
	cr_expect_eq(kern_refusals(dump), size == 4096 ? 0 : 1);
	kern_dump_free(dump);
	free(t->s);
	*t = (struct text){ 0 };
}

/* threshold = 2 * fls(cpus) * (1 + fls(pages >> (27 - shift))), batch = pow2floor(1.5 * min(pages / 1024, 1 MiB / size) / 4) - 1 */
Test(zoneinfo, page_size_is_found)
{
	struct text t = { 0 };

	/* 32 GiB of 64-KiB pages on 8 CPUs: 524288 >> 11 = 256, fls 9: 8 * 10 = 80 */
	add_zone(&t, 0, "Normal", 4096, 524288, 8, 80, 3);
	expect_page_size(&t, 65536, KERN_PS_THRESHOLD);
	/* 16-KiB pages, 4 CPUs: 200000 >> 13 = 24, fls 5: 6 * 6 = 36; 64 / 4 = 16, 24 -> 16, 15 */
	add_zone(&t, 0, "DMA", 0, 200000, 4, 36, 15);
	expect_page_size(&t, 16384, KERN_PS_THRESHOLD);
	/* 4-KiB pages, 4 CPUs: 200000 >> 15 = 6, fls 3: 6 * 4 = 24 */
	add_zone(&t, 0, "DMA", 0, 200000, 4, 24, 63);
	expect_page_size(&t, 4096, KERN_PS_THRESHOLD);
	/* Normal begins at 4 GiB: page 65536 of 64 KiB. The threshold is no size's own. */
	add_zone(&t, 0, "DMA32", 32768, 32768, 4, 1, 7);
	add_zone(&t, 0, "Normal", 65536, 100000, 4, 1, 7);
	expect_page_size(&t, 65536, KERN_PS_LIMIT);
	/* A machine of 256 MiB: DMA32 ends at page 65536, which says nothing */
	add_zone(&t, 0, "DMA32", 4096, 61440, 4, 12, 15);
	expect_page_size(&t, 4096, KERN_PS_THRESHOLD);
	/* one CPU, and every size has this threshold and batch */
	add_zone(&t, 0, "Normal", 512, 400, 1, 2, 1);
	expect_page_size(&t, 4096, KERN_PS_DEFAULT);
}

Test(zoneinfo, page_size_as_given)
{
	struct text t = { 0 };
	struct kern_read_options opt = { .name = "text", .snapshot = -1, .page_size = 16384 };
	struct kern_dump *dump;

	add_zone(&t, 0, "Normal", 4096, 524288, 8, 80, 3);
	cr_assert_eq(kern_zoneinfo_read(t.s, t.len, &opt, &dump, NULL), BASE_ERR_OK);
	cr_expect_eq(dump->page_size, 16384);
	cr_expect_eq(dump->page_size_by, KERN_PS_OPTION);
	kern_dump_free(dump);
	free(t.s);
}

/* Before 2.6.25 each CPU had a hot and a cold list, and hot ones are what became of them. */
Test(zoneinfo, hot_lists_of_old_kernels)
{
	static const char text[] =
		"Node 0, zone   Normal\n  pages free     930\n        min      10\n        low      12\n"
		"        high     15\n        scanned  0 (a: 24 i: 0)\n        spanned  2000\n        present  1900\n"
		"    nr_dirty     4\n        protection: (0, 0)\n  pagesets\n"
		"    cpu: 0 pcp: 0\n              count: 77\n              high:  186\n              batch: 31\n"
		"    cpu: 0 pcp: 1\n              count: 3\n              high:  62\n              batch: 15\n"
		"  vm stats threshold: 16\n"
		"    cpu: 1 pcp: 0\n              count: 171\n              high:  186\n              batch: 31\n"
		"    cpu: 1 pcp: 1\n              count: 11\n              high:  62\n              batch: 15\n"
		"  all_unreclaimable: 0\n  prev_priority:     12\n  start_pfn:         0\n";
	struct diag d;
	struct kern_dump *dump = kern_try(KERN_ZONEINFO, text, strlen(text), -1, &d);
	const struct kern_zone *z;

	cr_assert_not_null(dump, "%s", d.message);
	z = &dump->zones[0];
	cr_expect_eq(z->nr_cpus, 2);
	cr_expect_eq(z->cpus[0].v[KERN_CF_count], 77);
	cr_expect_eq(z->cpus[1].v[KERN_CF_count], 171);
	cr_expect_eq(z->cpus[1].v[KERN_CF_high], 186);
	cr_expect_eq(z->v[KERN_ZF_start_pfn], 0);
	cr_expect_eq(kern_zone_pages(z), 1900);
	kern_dump_free(dump);
}

Test(zoneinfo, offline_cpus_and_far_nodes)
{
	struct text t = { 0 };
	struct kern_dump *dump;
	unsigned int *nodes;
	size_t nr;

	add_zone(&t, 1023, "Normal", 4096, 20000, 0, 1, 7);
	text_printf(
		&t,
		"  pagesets\n    cpu: 2\n              count: 5\n    cpu: 8191\n              count: 6\n");
	dump = kern_read(KERN_ZONEINFO, &t);
	nodes = kern_dump_nodes(dump, &nr);
	cr_assert_eq(nr, 1);
	cr_expect_eq(nodes[0], 1023);
	cr_assert_eq(dump->zones[0].nr_cpus, 2);
	cr_expect_eq(dump->zones[0].cpus[1].cpu, 8191);
	cr_expect_eq(dump->zones[0].cpus[1].v[KERN_CF_count], 6);
	free(nodes);
	kern_dump_free(dump);
	free(t.s);
}

/* A text that ends early, at every line. */
Test(zoneinfo, cut_at_any_line)
{
	struct text t = text_of_file("tests/real/guest-6.12/boot.zoneinfo.txt.gz");
	const struct kern_zone *z;
	struct kern_dump *dump;
	unsigned int cut = 0;
	struct diag d;
	size_t i;

	for (i = 1; i <= t.len; i++) {
		if (i < t.len && t.s[i - 1] != '\n')
			continue;
		dump = kern_try(KERN_ZONEINFO, t.s, i, -1, &d);
		if (!dump) {
			cr_expect_neq(d.hint[0], '\0');
			continue;
		}
		z = &dump->zones[dump->nr_zones - 1];
		cr_expect_leq(z->nr_cpus, 4);
		cut += dump->cut;
		if (dump->cut)
			cr_expect_lt(z->nr_cpus, 4);
		kern_dump_free(dump);
	}
	cr_expect_gt(cut, 10);
	free(t.s);
}

static void expect_refused(const char *text, enum base_err code, uint64_t line, const char *words,
			   const char *hint)
{
	struct diag d;

	cr_expect_null(kern_try(KERN_ZONEINFO, text, strlen(text), -1, &d), "%s", text);
	cr_expect_eq(d.code, code, "%s", d.message);
	cr_expect_eq(d.line, line, "%s: line %llu", d.message, (unsigned long long)d.line);
	cr_expect_not_null(strstr(d.message, words), "'%s' lacks '%s'", d.message, words);
	cr_expect_not_null(strstr(d.hint, hint), "'%s' lacks '%s'", d.hint, hint);
}

Test(zoneinfo, other_texts_are_told_apart)
{
	expect_refused("", BASE_ERR_SYNTAX, 0, "no zone", "expected lines like");
	expect_refused("hello\n", BASE_ERR_SYNTAX, 0, "no zone", "expected lines like");
	expect_refused("MemTotal:       16303024 kB\nMemFree:  1 kB\n", BASE_ERR_SYNTAX, 0,
		       "no zone", "/proc/meminfo");
	expect_refused("Node 0, zone   Normal    486    297    143\n", BASE_ERR_SYNTAX, 0,
		       "no zone", "/proc/buddyinfo");
	expect_refused("Mem-Info:\nNormal free:6484kB min:1376kB free_pcp:0kB\n", BASE_ERR_SYNTAX,
		       0, "no zone", "import meminfo");
	expect_refused("x\nNode 0, zone   Normal\n  pages free     1\n  pagesets\n    cpu: 8192\n",
		       BASE_ERR_RANGE, 5, "CPU 8192", "damaged");
	expect_refused("x\nNode 1024, zone   Normal\n  pages free     1\n", BASE_ERR_RANGE, 2,
		       "node 1024", "damaged");
}

/* Nothing is half a number: these figures are not taken. */
Test(zoneinfo, damaged_figures_are_not_taken)
{
	static const char text[] =
		"Node 0, zone   Normal\n  pages free     12x\n        min      99999999999999999999999\n"
		"        low      -\n        high     0x10\n        managed  5\n        boost    1099511627777\n"
		"        spanned\n        present  6\n";
	struct diag d;
	struct kern_dump *dump = kern_try(KERN_ZONEINFO, text, strlen(text), -1, &d);
	const int64_t *v;

	cr_assert_not_null(dump, "%s", d.message);
	v = dump->zones[0].v;
	cr_expect_eq(v[KERN_ZF_free], KERN_NONE);
	cr_expect_eq(v[KERN_ZF_min], KERN_NONE);
	cr_expect_eq(v[KERN_ZF_low], KERN_NONE);
	cr_expect_eq(v[KERN_ZF_high], KERN_NONE);
	cr_expect_eq(v[KERN_ZF_boost], KERN_NONE);
	cr_expect_eq(v[KERN_ZF_spanned], KERN_NONE);
	cr_expect_eq(v[KERN_ZF_managed], 5);
	cr_expect_eq(v[KERN_ZF_present], 6);
	kern_dump_free(dump);
}

Test(zoneinfo, too_many_zones_are_refused)
{
	struct text t = { 0 };
	unsigned int i;
	struct diag d;

	for (i = 0; i <= KERN_ZONES_MAX; i++)
		text_printf(&t, "Node %u, zone   Z%u\n  pages free     1\n", i % KERN_NODES_MAX,
			    i / KERN_NODES_MAX);
	cr_expect_null(kern_try(KERN_ZONEINFO, t.s, t.len, -1, &d));
	cr_expect_eq(d.code, BASE_ERR_TOO_LARGE);
	cr_expect_eq(d.line, 2 * KERN_ZONES_MAX + 1);
	free(t.s);
}

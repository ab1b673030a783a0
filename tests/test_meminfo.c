/* SPDX-License-Identifier: GPL-2.0-only */
/* Mem-Info reports: real ones and what becomes of them, old forms, several in a log. */
#include "kern_read.h"

struct fact {
	const char *file;
	uint64_t page_size;
	size_t nodes, zones, populated;
	enum kern_era era;
	const char *release;
	const char *lacks;
	unsigned int refusals;
	size_t checks;
	int reporter;
	int64_t total_free, total_pcp; /* pages of the summary */
};

#define NO_LISTS "cpus count batch high_min high_max"

static const struct fact facts[] = {
	{ "memfail-4.2-i386-pae-highmem16g", 4096, 1, 3, 3, KERN_ERA_31, "4.2.0-19-generic",
	  "boost spanned start_pfn reserved_highatomic free_highatomic " NO_LISTS, 1, 2, 1, 1515730,
	  0 },
	{ "memfail-5.10-arm64-rockpro64", 4096, 1, 2, 2, KERN_ERA_63, "5.10.2",
	  "boost spanned start_pfn free_highatomic " NO_LISTS, 1, 2, 0, 34573, 0 },
	{ "memfail-5.10-mips-highmem", 4096, 1, 2, 2, KERN_ERA_63, "5.10.0-rc1+",
	  "boost spanned start_pfn free_highatomic " NO_LISTS, 2, 0, 0, 67531, 71 },
	{ "memfail-5.13-x86-nas", 4096, 1, 3, 3, KERN_ERA_63, "",
	  "boost spanned start_pfn free_highatomic " NO_LISTS, 0, 3, 2, 126601, 1336 },
	{ "memfail-5.19-rc2-i386-highmem", 4096, 1, 3, 3, KERN_ERA_LOW,
	  "5.19.0-rc2-00001-g4051a81774d6", "spanned start_pfn free_highatomic " NO_LISTS, 1, 4, 0,
	  KERN_NONE, KERN_NONE },
	{ "memfail-5.7-arm64-2node", 4096, 2, 3, 2, KERN_ERA_63, "5.7.0-rc3+",
	  "boost spanned start_pfn free_highatomic " NO_LISTS, 0, 0, 0, 1537719, 219 },
	{ "memfail-5.9-mips-128m", 4096, 1, 1, 1, KERN_ERA_63, "",
	  "boost spanned start_pfn free_highatomic " NO_LISTS, 0, 0, 0, 1635, 7 },
	{ "memfail-6.19-rc5-x86-laptop", 4096, 1, 3, 3, KERN_ERA_TUNED,
	  "6.19.0-rc5-00027-g40fd0acc45d0", "spanned start_pfn " NO_LISTS, 0, 3, 4, 36223, 529 },
	{ "memfail-6.8-rc3-x86-laptop", 4096, 1, 3, 3, KERN_ERA_TUNED,
	  "6.8.0-rc3-1.gae4495f-default", "spanned start_pfn free_highatomic " NO_LISTS, 0, 3, 0,
	  215403, 0 },
	{ "memfail-6.9-ppc32-highmem", 4096, 1, 1, 1, KERN_ERA_TUNED, "6.9.0-gentoo-PMacG4",
	  "spanned start_pfn free_highatomic " NO_LISTS, 1, 1, 0, 1141, 7 },
	{ "oom-6.10-rc1-x86-vm", 4096, 1, 3, 3, KERN_ERA_TUNED, "6.10.0-rc1",
	  "spanned start_pfn free_highatomic " NO_LISTS, 0, 3, 7, 21725, 4560 },
	{ "partial-6.1-arm32-rpi4-4g", 4096, 1, 1, 1, KERN_ERA_LOW, "",
	  "spanned start_pfn free_highatomic " NO_LISTS, 2, 1, -1, KERN_NONE, KERN_NONE },
	{ "warn-6.6-rc2-ppc64-64k", 65536, 1, 1, 1, KERN_ERA_LOW, "",
	  "spanned start_pfn free_highatomic " NO_LISTS, 1, 3, -1, 31798, 10 },
};
#define NR_FACTS (sizeof(facts) / sizeof(facts[0]))

static const char *fact_path(size_t i, char *buf, size_t size)
{
	snprintf(buf, size, "tests/real/public/%s.txt.gz", facts[i].file);
	return buf;
}

Test(meminfo, every_file_has_its_facts)
{
	char path[256], lacks[256];
	struct kern_checks checks;
	struct kern_dump *dump;
	size_t i, n, z, populated;

	for (i = 0; i < NR_FACTS; i++) {
		const struct fact *f = &facts[i];

		dump = kern_read_file(KERN_MEMINFO, fact_path(i, path, sizeof(path)));
		kern_model_check(dump, &checks);
		cr_expect_eq(dump->page_size, f->page_size, "%s", f->file);
		free(kern_dump_nodes(dump, &n));
		cr_expect_eq(n, f->nodes, "%s: %zu nodes", f->file, n);
		cr_expect_eq(dump->nr_zones, f->zones, "%s: %zu zones", f->file, dump->nr_zones);
		for (populated = 0, z = 0; z < dump->nr_zones; z++)
			populated += kern_zone_pages(&dump->zones[z]) > 0;
		cr_expect_eq(populated, f->populated, "%s", f->file);
		cr_expect_eq(checks.era, f->era, "%s: era %d", f->file, checks.era);
		cr_expect_str_eq(dump->release, f->release, "%s: %s", f->file, dump->release);
		cr_expect_str_eq(kern_lacks_text(dump, lacks, sizeof(lacks)), f->lacks, "%s: %s",
				 f->file, lacks);
		cr_expect_eq(kern_refusals(dump), f->refusals, "%s: %u", f->file,
			     kern_refusals(dump));
		cr_expect_eq(checks.nr, f->checks, "%s: %zu checks", f->file, checks.nr);
		cr_expect_eq(dump->reporter, f->reporter, "%s: CPU %d", f->file, dump->reporter);
		cr_expect_eq(dump->total_free, f->total_free, "%s", f->file);
		cr_expect_eq(dump->total_pcp, f->total_pcp, "%s", f->file);
		kern_checks_free(&checks);
		kern_dump_free(dump);
	}
}

/* Figures of the texts divided by 4 (64 for the last ones), by hand. */
struct figure {
	const char *file;
	const char *zone;
	enum kern_zone_figure f;
	int64_t v;
};

static const struct figure figures[] = {
	{ "memfail-4.2-i386-pae-highmem16g", "HighMem", KERN_ZF_low, 4598 },
	{ "memfail-4.2-i386-pae-highmem16g", "Normal", KERN_ZF_managed, 178566 },
	{ "memfail-4.2-i386-pae-highmem16g", "Normal", KERN_ZF_reserved_highatomic, KERN_NONE },
	{ "memfail-5.10-arm64-rockpro64", "DMA32", KERN_ZF_free_cma, 194 },
	{ "memfail-5.10-arm64-rockpro64", "DMA32", KERN_ZF_reserved_highatomic, 512 },
	{ "memfail-5.10-mips-highmem", "HighMem", KERN_ZF_free_pcp, 60 },
	{ "memfail-5.13-x86-nas", "Normal", KERN_ZF_free_pcp, 1060 },
	{ "memfail-5.13-x86-nas", "Normal", KERN_ZF_local_pcp, 70 },
	{ "memfail-5.13-x86-nas", "DMA32", KERN_ZF_present, 457241 },
	{ "memfail-5.7-arm64-2node", "DMA", KERN_ZF_managed, 0 },
	{ "memfail-5.7-arm64-2node", "Normal", KERN_ZF_managed, 1488278 },
	{ "memfail-5.9-mips-128m", "Normal", KERN_ZF_local_pcp, 8 },
	{ "memfail-6.19-rc5-x86-laptop", "Normal", KERN_ZF_boost, 7168 },
	{ "memfail-6.19-rc5-x86-laptop", "Normal", KERN_ZF_free_highatomic, 8 },
	{ "memfail-6.19-rc5-x86-laptop", "Normal", KERN_ZF_free_pcp, 529 },
	{ "oom-6.10-rc1-x86-vm", "DMA32", KERN_ZF_free_pcp, 1276 },
	{ "oom-6.10-rc1-x86-vm", "DMA", KERN_ZF_min, 79 },
	{ "partial-6.1-arm32-rpi4-4g", "DMA", KERN_ZF_free_cma, 128398 },
	{ "warn-6.6-rc2-ppc64-64k", "Normal", KERN_ZF_managed, 31936 },
	{ "warn-6.6-rc2-ppc64-64k", "Normal", KERN_ZF_free_pcp, 10 },
};

Test(meminfo, figures_are_those_of_the_text)
{
	char path[256];
	struct kern_dump *dump;
	size_t i;

	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		snprintf(path, sizeof(path), "tests/real/public/%s.txt.gz", figures[i].file);
		dump = kern_read_file(KERN_MEMINFO, path);
		cr_expect_eq(kern_zone_at(dump, 0, figures[i].zone)->v[figures[i].f], figures[i].v,
			     "%s %s %s", path, figures[i].zone,
			     kern_zone_figure_name(figures[i].f));
		kern_dump_free(dump);
	}
}

Test(meminfo, buddy_lists_and_reserve)
{
	static const int64_t nas[] = { 6160, 16368, 4841, 3591, 882, 90, 21, 0, 1, 0, 0 };
	static const int64_t ppc[] = { 4, 5, 6, 6, 6, 6, 5, 5, 119 };
	struct kern_dump *dump =
		kern_read_file(KERN_MEMINFO, "tests/real/public/memfail-5.13-x86-nas.txt.gz");
	const struct kern_zone *z = kern_zone_at(dump, 0, "Normal");

	cr_assert_eq(z->nr_orders, 11);
	cr_expect_arr_eq(z->buddy, nas, sizeof(nas));
	z = kern_zone_at(dump, 0, "DMA");
	cr_expect_eq(z->nr_protection, 4);
	cr_expect_eq(z->protection[3], 15742);
	kern_dump_free(dump);

	dump = kern_read_file(KERN_MEMINFO, "tests/real/public/warn-6.6-rc2-ppc64-64k.txt.gz");
	z = kern_zone_at(dump, 0, "Normal");
	cr_assert_eq(z->nr_orders, 9);
	cr_expect_arr_eq(z->buddy, ppc, sizeof(ppc));
	kern_dump_free(dump);
}

Test(meminfo, mail_and_logs_change_nothing)
{
	char path[256];
	size_t i;

	for (i = 0; i < NR_FACTS; i++)
		kern_expect_robust(KERN_MEMINFO, fact_path(i, path, sizeof(path)));
}

/* Until 4.1 a section for each zone had the lists of each CPU, before the zones. */
static const char old_report[] =
	"Pid: 1234, comm: stress Not tainted 3.2.0-4-amd64 #1\n"
	"Mem-Info:\n"
	"Node 0 DMA per-cpu:\n"
	"CPU    0: hi:    0, btch:   1 usd:   0\n"
	"CPU    2: hi:    0, btch:   1 usd:   0\n"
	"Node 0 Normal per-cpu:\n"
	"CPU    0: hi:  186, btch:  31 usd: 162\n"
	"CPU    2: hi:12345, btch:1234 usd:1207\n"
	"active_anon:1000 inactive_anon:20 isolated_anon:0\n"
	" free:2300 slab_reclaimable:900 slab_unreclaimable:80\n"
	"Node 0 DMA free:4000kB min:40kB low:48kB high:60kB active_anon:0kB present:15000kB mlocked:0kB all_unreclaimable? yes\n"
	"lowmem_reserve[]: 0 3000 3000 3000\n"
	"Node 0 Normal free:5200kB min:5000kB low:6248kB high:7500kB present:3072000kB pages_scanned:0 all_unreclaimable? no\n"
	"lowmem_reserve[]: 0 0 0 0\n"
	"Node 0 DMA: 2*4kB 1*8kB 1*16kB 1*32kB 1*64kB 0*128kB 1*256kB 1*512kB 1*1024kB 1*2048kB 0*4096kB = 3968kB\n"
	"Node 0 Normal: 100*4kB 100*8kB 50*16kB 100*32kB 0*64kB 0*128kB 0*256kB 0*512kB 0*1024kB 0*2048kB 0*4096kB = 5200kB\n"
	"771750 pages RAM\n";

Test(meminfo, lists_of_old_kernels)
{
	struct diag d;
	struct kern_dump *dump = kern_try(KERN_MEMINFO, old_report, strlen(old_report), -1, &d);
	char lacks[256];
	const struct kern_zone *z;

	cr_assert_not_null(dump, "%s", d.message);
	z = kern_zone_at(dump, 0, "Normal");
	cr_assert_eq(z->nr_cpus, 2);
	cr_expect_eq(z->cpus[0].v[KERN_CF_high], 186);
	cr_expect_eq(z->cpus[0].v[KERN_CF_batch], 31);
	cr_expect_eq(z->cpus[0].v[KERN_CF_count], 162);
	cr_expect_eq(z->cpus[1].cpu, 2);
	cr_expect_eq(z->cpus[1].v[KERN_CF_high], 12345);
	cr_expect_eq(z->cpus[1].v[KERN_CF_batch], 1234);
	cr_expect_eq(z->cpus[1].v[KERN_CF_count], 1207);
	cr_expect_eq(z->v[KERN_ZF_present], 768000);
	cr_expect_eq(z->v[KERN_ZF_managed], KERN_NONE);
	cr_expect_eq(z->buddy[3], 100);
	cr_expect_eq(dump->version, 3002);
	cr_expect_eq(dump->ram, 771750);
	cr_expect_str_eq(
		kern_lacks_text(dump, lacks, sizeof(lacks)),
		"managed boost spanned start_pfn free_cma reserved_highatomic free_highatomic free_pcp local_pcp "
		"high_min high_max");
	kern_dump_free(dump);
}

/* A log with two reports: the first is taken, the second has its number. */
Test(meminfo, several_reports)
{
	struct text t = { 0 },
		    second = text_of_file("tests/real/public/oom-6.10-rc1-x86-vm.txt.gz");
	struct kern_dump *dump;
	struct diag d;

	text_add(&t, old_report, strlen(old_report));
	text_add(&t, second.s, second.len);
	/* torn: without its first lines it is known by zones that come again */
	text_printf(&t, "[12.3] Node 0 Normal free:8kB min:4kB low:8kB high:12kB managed:400kB\n");
	dump = kern_read(KERN_MEMINFO, &t);
	cr_expect_eq(dump->nr_snapshots, 3);
	cr_expect_str_eq(dump->release, "3.2.0-4-amd64");
	cr_expect_eq(dump->nr_zones, 2);
	kern_dump_free(dump);
	dump = kern_try(KERN_MEMINFO, t.s, t.len, 1, &d);
	cr_assert_not_null(dump, "%s", d.message);
	cr_expect_str_eq(dump->release, "6.10.0-rc1");
	cr_expect_eq(dump->nr_zones, 3);
	cr_expect_eq(dump->reporter, 7);
	kern_dump_free(dump);
	dump = kern_try(KERN_MEMINFO, t.s, t.len, 2, &d);
	cr_assert_not_null(dump, "%s", d.message);
	cr_expect_eq(kern_zone_at(dump, 0, "Normal")->v[KERN_ZF_managed], 100);
	kern_dump_free(dump);
	cr_expect_null(kern_try(KERN_MEMINFO, t.s, t.len, 3, &d));
	cr_expect_not_null(strstr(d.hint, "numbers 0 to 2"), "%s", d.hint);
	free(t.s);
	free(second.s);
}

/* Without buddy lists the totals tell the page size: 2097152 kB are 32768 pages of 64 kB. */
Test(meminfo, page_size_of_the_totals)
{
	static const char text[] =
		"Node 0 Normal free:2035072kB min:0kB low:0kB high:0kB present:2097152kB managed:2043904kB\n"
		"32768 pages RAM\n";
	struct diag d;
	struct kern_dump *dump = kern_try(KERN_MEMINFO, text, strlen(text), -1, &d);

	cr_assert_not_null(dump, "%s", d.message);
	cr_expect_eq(dump->page_size, 65536);
	cr_expect_eq(dump->page_size_by, KERN_PS_TOTALS);
	cr_expect_eq(dump->zones[0].v[KERN_ZF_managed], 31936);
	kern_dump_free(dump);
}

static void expect_refused(const char *text, enum base_err code, uint64_t line, const char *words,
			   const char *hint)
{
	struct diag d;

	cr_expect_null(kern_try(KERN_MEMINFO, text, strlen(text), -1, &d), "%s", text);
	cr_expect_eq(d.code, code, "%s", d.message);
	cr_expect_eq(d.line, line, "%s: line %llu", d.message, (unsigned long long)d.line);
	cr_expect_not_null(strstr(d.message, words), "'%s' lacks '%s'", d.message, words);
	cr_expect_not_null(strstr(d.hint, hint), "'%s' lacks '%s'", d.hint, hint);
}

Test(meminfo, other_texts_are_told_apart)
{
	expect_refused("", BASE_ERR_SYNTAX, 0, "no zone", "expected lines like");
	expect_refused("Mem-Info:\nfree:12 free_pcp:1\n", BASE_ERR_SYNTAX, 0, "no zone",
		       "expected lines like");
	expect_refused("MemTotal:       16303024 kB\n", BASE_ERR_SYNTAX, 0, "no zone",
		       "/proc/meminfo");
	expect_refused("Node 0, zone   Normal\n  pages free     1\n", BASE_ERR_SYNTAX, 0, "no zone",
		       "import zoneinfo");
	expect_refused("Normal per-cpu:\nCPU 9000: hi: 1, btch: 1 usd: 0\n", BASE_ERR_RANGE, 2,
		       "CPU 9000", "damaged");
}

/* Every cut of a report reads or is refused; none takes part of a figure for the whole. */
Test(meminfo, cut_at_any_byte)
{
	struct text t = text_of_file("tests/real/public/memfail-5.7-arm64-2node.txt.gz");
	struct kern_dump *dump;
	struct diag d;
	size_t i;
	unsigned int read = 0;

	for (i = 0; i < t.len; i++) {
		dump = kern_try(KERN_MEMINFO, t.s, i, -1, &d);
		if (!dump)
			continue;
		read++;
		cr_expect_leq(dump->nr_zones, 3);
		if (dump->nr_zones == 3 && dump->zones[2].v[KERN_ZF_managed] != KERN_NONE &&
		    i > 3000)
			cr_expect_eq(dump->zones[2].v[KERN_ZF_managed], 1488278);
		kern_dump_free(dump);
	}
	cr_expect_gt(read, 500);
	free(t.s);
}

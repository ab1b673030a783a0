/* SPDX-License-Identifier: GPL-2.0-only */
/* Kmem events out of text: every recorded file has its facts, and lines of all the kinds of head there are. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/text.h"
#include "kernel/flow.h"
#include "kernel/trace.h"

/* counted by regular expressions over the files, not by this parser */
struct fact {
	const char *file;
	enum trace_tool tool;
	uint64_t events[TRACE_EXTFRAG + 1]; /* by kind */
	uint64_t marks, lost, overrun, cuts;
	int32_t cpu; /* the highest */
};

static const struct fact facts[] = {
	{ "formats/6.1/perf-script-ns-tid.txt.gz",
	  TRACE_TOOL_PERF,
	  { 14, 5, 29, 101, 40, 0 },
	  0,
	  0,
	  0,
	  2,
	  3 },
	{ "formats/6.1/perf-script-one-process.txt.gz",
	  TRACE_TOOL_PERF,
	  { 30, 2, 26, 40, 40, 0 },
	  0,
	  0,
	  0,
	  1,
	  2 },
	{ "formats/6.1/perf-script.txt.gz",
	  TRACE_TOOL_PERF,
	  { 14, 5, 29, 101, 40, 0 },
	  0,
	  0,
	  0,
	  2,
	  3 },
	{ "formats/6.1/trace-cmd-report-latency.txt.gz",
	  TRACE_TOOL_TRACE_CMD,
	  { 35, 38, 60, 40, 40, 0 },
	  0,
	  0,
	  0,
	  2,
	  3 },
	{ "formats/6.1/trace-cmd-report-ns.txt.gz",
	  TRACE_TOOL_TRACE_CMD,
	  { 35, 38, 60, 40, 40, 0 },
	  0,
	  0,
	  0,
	  2,
	  3 },
	{ "formats/6.1/trace-cmd-report-raw.txt.gz",
	  TRACE_TOOL_TRACE_CMD,
	  { 35, 38, 60, 40, 40, 0 },
	  0,
	  0,
	  0,
	  2,
	  3 },
	{ "formats/6.1/trace-cmd-report.txt.gz",
	  TRACE_TOOL_TRACE_CMD,
	  { 35, 38, 60, 40, 40, 0 },
	  0,
	  0,
	  0,
	  2,
	  3 },
	{ "formats/6.1/tracefs-clock-counter.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 69, 40, 33, 40, 40, 0 },
	  7,
	  0,
	  0,
	  2,
	  0 },
	{ "formats/6.1/tracefs-clock-global.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 64, 40, 33, 40, 40, 0 },
	  7,
	  0,
	  0,
	  2,
	  0 },
	{ "formats/6.1/tracefs-clock-mono.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 68, 40, 33, 40, 40, 0 },
	  7,
	  0,
	  0,
	  2,
	  0 },
	{ "formats/6.1/tracefs-clock-x86-tsc.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 73, 40, 33, 45, 40, 0 },
	  7,
	  0,
	  0,
	  2,
	  0 },
	{ "formats/6.1/tracefs-default.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 73, 40, 33, 45, 40, 0 },
	  7,
	  0,
	  0,
	  2,
	  0 },
	{ "formats/6.1/tracefs-latency-format.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 73, 40, 33, 45, 40, 0 },
	  7,
	  0,
	  0,
	  2,
	  0 },
	{ "formats/6.1/tracefs-lost-trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 29, 40, 33, 42, 40, 0 },
	  3,
	  0,
	  300,
	  2,
	  0 },
	{ "formats/6.1/tracefs-lost-trace_pipe.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 156, 52, 20, 157, 40, 0 },
	  7,
	  406,
	  0,
	  5,
	  1 },
	{ "formats/6.1/tracefs-nohash-ptr.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 69, 40, 33, 40, 40, 0 },
	  7,
	  0,
	  0,
	  2,
	  0 },
	{ "formats/6.1/tracefs-noirq-info.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 68, 40, 33, 40, 40, 0 },
	  7,
	  0,
	  0,
	  2,
	  0 },
	{ "formats/6.1/tracefs-record-tgid.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 69, 40, 33, 40, 40, 0 },
	  7,
	  0,
	  0,
	  2,
	  0 },
	{ "formats/6.1/whole-perf-script.txt.gz",
	  TRACE_TOOL_PERF,
	  { 1167, 1134, 1122, 1212, 1084, 0 },
	  0,
	  0,
	  0,
	  0,
	  3 },
	{ "formats/6.1/whole-trace-cmd-report.txt.gz",
	  TRACE_TOOL_TRACE_CMD,
	  { 1065, 1098, 1093, 945, 1111, 0 },
	  0,
	  0,
	  0,
	  0,
	  3 },
	{ "formats/6.1/whole-tracefs-default.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 514, 514, 513, 504, 378, 0 },
	  12,
	  0,
	  0,
	  0,
	  0 },
	{ "formats/6.12/perf-script-ns-tid.txt.gz",
	  TRACE_TOOL_PERF,
	  { 12, 21, 21, 15, 22, 0 },
	  0,
	  0,
	  0,
	  0,
	  3 },
	{ "formats/6.12/perf-script-one-process.txt.gz",
	  TRACE_TOOL_PERF,
	  { 50, 3, 27, 40, 40, 0 },
	  0,
	  0,
	  0,
	  1,
	  1 },
	{ "formats/6.12/perf-script.txt.gz",
	  TRACE_TOOL_PERF,
	  { 12, 21, 21, 15, 22, 0 },
	  0,
	  0,
	  0,
	  0,
	  3 },
	{ "formats/6.12/trace-cmd-report-latency.txt.gz",
	  TRACE_TOOL_TRACE_CMD,
	  { 31, 35, 37, 40, 40, 0 },
	  0,
	  0,
	  0,
	  2,
	  2 },
	{ "formats/6.12/trace-cmd-report-ns.txt.gz",
	  TRACE_TOOL_TRACE_CMD,
	  { 31, 35, 37, 40, 40, 0 },
	  0,
	  0,
	  0,
	  2,
	  2 },
	{ "formats/6.12/trace-cmd-report-raw.txt.gz",
	  TRACE_TOOL_TRACE_CMD,
	  { 31, 35, 37, 40, 40, 0 },
	  0,
	  0,
	  0,
	  2,
	  2 },
	{ "formats/6.12/trace-cmd-report.txt.gz",
	  TRACE_TOOL_TRACE_CMD,
	  { 31, 35, 37, 40, 40, 0 },
	  0,
	  0,
	  0,
	  2,
	  2 },
	{ "formats/6.12/tracefs-clock-counter.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 87, 38, 34, 40, 40, 0 },
	  7,
	  0,
	  0,
	  3,
	  0 },
	{ "formats/6.12/tracefs-clock-global.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 71, 40, 32, 40, 40, 0 },
	  7,
	  0,
	  0,
	  2,
	  0 },
	{ "formats/6.12/tracefs-clock-mono.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 87, 50, 22, 40, 40, 0 },
	  7,
	  0,
	  0,
	  3,
	  0 },
	{ "formats/6.12/tracefs-clock-x86-tsc.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 42, 46, 26, 40, 40, 0 },
	  7,
	  0,
	  0,
	  2,
	  0 },
	{ "formats/6.12/tracefs-default.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 45, 44, 28, 40, 40, 0 },
	  7,
	  0,
	  0,
	  2,
	  0 },
	{ "formats/6.12/tracefs-fields.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 52, 38, 34, 40, 40, 0 },
	  0,
	  0,
	  0,
	  2,
	  0 },
	{ "formats/6.12/tracefs-latency-format.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 24, 55, 17, 40, 40, 0 },
	  7,
	  0,
	  0,
	  2,
	  0 },
	{ "formats/6.12/tracefs-lost-trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 62, 61, 11, 65, 40, 0 },
	  3,
	  0,
	  410,
	  3,
	  0 },
	{ "formats/6.12/tracefs-lost-trace_pipe.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 185, 44, 45, 138, 33, 0 },
	  4,
	  3215,
	  0,
	  5,
	  2 },
	{ "formats/6.12/tracefs-nohash-ptr.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 50, 43, 29, 40, 40, 0 },
	  7,
	  0,
	  0,
	  2,
	  0 },
	{ "formats/6.12/tracefs-noirq-info.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 87, 46, 26, 40, 40, 0 },
	  7,
	  0,
	  0,
	  3,
	  0 },
	{ "formats/6.12/tracefs-record-tgid.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 87, 46, 26, 40, 40, 0 },
	  7,
	  0,
	  0,
	  3,
	  0 },
	{ "formats/6.12/whole-perf-script.txt.gz",
	  TRACE_TOOL_PERF,
	  { 1161, 1132, 1121, 1086, 1010, 0 },
	  0,
	  0,
	  0,
	  0,
	  3 },
	{ "formats/6.12/whole-trace-cmd-report.txt.gz",
	  TRACE_TOOL_TRACE_CMD,
	  { 1064, 1087, 1082, 1008, 911, 0 },
	  0,
	  0,
	  0,
	  0,
	  2 },
	{ "formats/6.12/whole-tracefs-default.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 514, 514, 513, 505, 527, 0 },
	  12,
	  0,
	  0,
	  0,
	  0 },
	{ "formats/6.18/perf-script-ns-tid.txt.gz",
	  TRACE_TOOL_PERF,
	  { 24, 37, 30, 96, 40, 0 },
	  0,
	  0,
	  0,
	  2,
	  1 },
	{ "formats/6.18/perf-script.txt.gz",
	  TRACE_TOOL_PERF,
	  { 24, 37, 30, 96, 40, 0 },
	  0,
	  0,
	  0,
	  2,
	  1 },
	{ "guest-6.1/a-fault.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 16452, 16452, 16416, 6930, 3780, 0 },
	  30,
	  0,
	  0,
	  0,
	  0 },
	{ "guest-6.1/a-fault4.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 8224, 8224, 8208, 1008, 0, 0 },
	  54,
	  0,
	  0,
	  0,
	  0 },
	{ "guest-6.1/a-fault64.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 32870, 32870, 32832, 30492, 28098, 0 },
	  18,
	  0,
	  0,
	  0,
	  0 },
	{ "guest-6.1/b-migrate.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 8228, 8224, 8203, 8190, 4928, 0 },
	  22,
	  0,
	  0,
	  0,
	  1 },
	{ "guest-6.1/b-pipe.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 2044, 2018, 33, 1990, 0, 2 },
	  8,
	  0,
	  0,
	  0,
	  1 },
	{ "guest-6.1/b-unix.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 566, 547, 33, 518, 0, 0 },
	  8,
	  0,
	  0,
	  0,
	  1 },
	{ "guest-6.1/c-fork.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 2197, 2188, 1938, 70, 0, 0 },
	  10,
	  0,
	  0,
	  0,
	  0 },
	{ "guest-6.1/d-decay.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 12339, 12339, 12312, 5985, 2835, 0 },
	  134,
	  0,
	  0,
	  0,
	  1 },
	{ "guest-6.1/e-fault-fraction100.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 8226, 8226, 8208, 7245, 6289, 0 },
	  18,
	  0,
	  0,
	  0,
	  0 },
	{ "guest-6.1/g-thp.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 1058, 1058, 1026, 890, 633, 0 },
	  18,
	  0,
	  0,
	  0,
	  0 },
	{ "guest-6.12/a-fault.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 16452, 16452, 16416, 7558, 0, 2 },
	  30,
	  0,
	  0,
	  0,
	  0 },
	{ "guest-6.12/a-fault4.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 8232, 8232, 8208, 1008, 0, 0 },
	  54,
	  0,
	  0,
	  0,
	  0 },
	{ "guest-6.12/a-fault64.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 32870, 32870, 32832, 23119, 8064, 2 },
	  18,
	  0,
	  0,
	  0,
	  0 },
	{ "guest-6.12/b-unix.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 566, 546, 32, 1494, 607, 0 },
	  8,
	  0,
	  0,
	  0,
	  1 },
	{ "guest-6.12/c-fork.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 2321, 2313, 2063, 7, 0, 0 },
	  10,
	  0,
	  0,
	  0,
	  0 },
	{ "guest-6.12/d-decay.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 12339, 12339, 12312, 5040, 2130, 0 },
	  134,
	  0,
	  0,
	  0,
	  1 },
	{ "guest-6.12/g-thp.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 34, 34, 16, 12, 10, 0 },
	  18,
	  0,
	  0,
	  0,
	  0 },
	{ "host-6.18/b-unix.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 1128, 1065, 15, 1312, 1123, 0 },
	  6,
	  0,
	  0,
	  0,
	  1 },
	{ "host-6.18/e-fault-fraction100.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 24990, 20738, 19937, 17340, 11004, 0 },
	  30,
	  0,
	  0,
	  0,
	  1 },
	{ "host-6.18/g-thp.trace.txt.gz",
	  TRACE_TOOL_TRACEFS,
	  { 2312, 6181, 5995, 1010, 2091, 0 },
	  24,
	  0,
	  0,
	  0,
	  1 },
};
#define NR_FACTS (sizeof(facts) / sizeof(facts[0]))

static void read_file(const char *path, struct trace_stats *stats, int32_t *cpu)
{
	struct base_reader *r;
	struct trace_event ev;
	struct diag d;
	char *line;
	size_t len;
	int got;

	memset(stats, 0, sizeof(*stats));
	*cpu = -1;
	cr_assert_eq(base_reader_open(&r, path, 1 << 20, &d), BASE_ERR_OK, "%s: %s", path,
		     d.message);
	while ((got = base_reader_next(r, &line, &len, &d)) > 0)
		if (trace_line(line, len, &ev, stats) && ev.cpu > *cpu && ev.kind != TRACE_LOST)
			*cpu = ev.cpu;
	cr_assert_eq(got, 0, "%s: %s", path, d.message);
	base_reader_close(r);
}

Test(trace, every_file_has_its_facts)
{
	struct trace_stats stats;
	char path[256];
	uint64_t sum;
	int32_t cpu;
	size_t i;
	int k;

	for (i = 0; i < NR_FACTS; i++) {
		const struct fact *f = &facts[i];

		snprintf(path, sizeof(path), "tests/real/%s", f->file);
		read_file(path, &stats, &cpu);
		cr_expect_eq(stats.tool, f->tool, "%s: tool %s", f->file,
			     trace_tool_name(stats.tool));
		for (k = 0; k <= TRACE_EXTFRAG; k++)
			cr_expect_eq(stats.events[k], f->events[k], "%s: %s %llu", f->file,
				     trace_kind_name((enum trace_kind)k),
				     (unsigned long long)stats.events[k]);
		cr_expect_eq(stats.events[TRACE_MARK], f->marks, "%s: marks", f->file);
		cr_expect_eq(stats.lost_events, f->lost, "%s: lost", f->file);
		cr_expect_eq(stats.buffer_written - stats.buffer_entries, f->overrun, "%s: overrun",
			     f->file);
		cr_expect_eq(stats.skipped[TRACE_SKIP_CUT], f->cuts, "%s: cuts", f->file);
		cr_expect_eq(cpu, f->cpu, "%s: highest CPU %d", f->file, cpu);
		for (k = TRACE_SKIP_BAD_HEAD, sum = 0; k < TRACE_SKIP_N; k++)
			sum += stats.skipped[k];
		cr_expect_eq(sum, 0, "%s: line %llu is not understood", f->file,
			     (unsigned long long)stats.first_bad_line);
		/* nothing is lost on the way: each line is an event or is counted as skipped */
		for (k = 0, sum = 0; k < TRACE_KIND_N; k++)
			sum += stats.events[k];
		for (k = 0; k < TRACE_SKIP_N; k++)
			sum += stats.skipped[k];
		cr_expect_eq(sum, stats.lines, "%s: lines", f->file);
	}
}

/* a line and what it says; kind TRACE_KIND_N: it is skipped, why is in .cpu */
struct line {
	const char *text;
	enum trace_kind kind;
	int32_t cpu, pid;
	uint64_t pfn, time_ns;
	uint8_t order, type;
	int8_t in_irq;
	bool kworker;
};

static const struct line lines[] = {
	{ "    tmux: client-812     [003] d..3.    12.345678: mm_page_alloc_zone_locked: page=00000000de7825cb pfn=0x59e9 order=2 migratetype=1 percpu_refill=1",
	  TRACE_ZONE_LOCKED, 3, 812, 0x59e9, 12345678000, 2, 1, 0, false },
	{ " kworker/2:1-mm_-88      [002] d.h3.    12.345678: mm_page_pcpu_drain: page=(____ptrval____) pfn=0x10 order=0 migratetype=0",
	  TRACE_DRAIN, 2, 88, 0x10, 12345678000, 0, 0, 1, true },
	/* a name that looks like a head, and one that looks like an event */
	{ "  a [001] 9.9: b-5       [000] .....     1.000001: mm_page_free: page=0 pfn=0x7 order=0",
	  TRACE_FREE, 0, 5, 7, 1000001000, 0, 0, 0, false },
	{ " mm_page_alloc: -5       [000] .....     1.000001: mm_page_free: page=0 pfn=0x7 order=0",
	  TRACE_FREE, 0, 5, 7, 1000001000, 0, 0, 0, false },
	{ "          <idle>-0       [001] d.s.  2.000000: mm_page_free_direct: page=c0 pfn=23017 order=3",
	  TRACE_FREE, 1, 0, 23017, 2000000000, 3, 0, 1, false },
	{ "            less-77      [001] ....  2.000000: mm_pagevec_free: page=c0 pfn=23017 order=0 cold=0",
	  TRACE_FREE_BATCHED, 1, 77, 23017, 2000000000, 0, 0, 0, false },
	{ "         pcpwork-141     (    142) [000] .....    17.732356: mm_page_free: page=0 pfn=0x1 order=0",
	  TRACE_FREE, 0, 141, 1, 17732356000, 0, 0, 0, false },
	{ " pcpwork-147      12d..2. 27549us : mm_page_free: page=(____ptrval____) pfn=0x1 order=0",
	  TRACE_FREE, 12, 147, 1, 27549000, 0, 0, 0, false },
	{ " pcpwork-147       0..... 26880us!: mm_page_free: page=(____ptrval____) pfn=0x1 order=0",
	  TRACE_FREE, 0, 147, 1, 26880000, 0, 0, 0, false },
	{ "            perf   117/118   [003]     3.526667628:  kmem:mm_page_free: page=0x14a4 pfn=0x14a4 order=2",
	  TRACE_FREE, 3, 118, 0x14a4, 3526667628, 2, 0, -1, false },
	{ "         pcpwork-145     [000]     18.004901: mm_page_free: page=0 pfn=0x1 order=0",
	  TRACE_FREE, 0, 145, 1, 18004901000, 0, 0, -1, false },
	{ "         pcpwork-201     [000] .....    21.848627: mm_page_alloc: pfn=0x544c9 (345289) order=0x1 (1) gfp_flags=0x440dc0 (4459968) migratetype=0x2 (2)",
	  TRACE_ALLOC, 0, 201, 0x544c9, 21848627000, 1, 2, 0, false },
	{ "         pcpwork-153     [000] .....            4: mm_page_free: page=0 pfn=0x1 order=0",
	  TRACE_FREE, 0, 153, 1, 4, 0, 0, 0, false },
	{ "         pcpwork-153     [000] .....            4: mm_page_free: page=0 pfn=0x1 order=0\r",
	  TRACE_FREE, 0, 153, 1, 4, 0, 0, 0, false },
	{ "CPU:7 [LOST 100 EVENTS]", TRACE_LOST, 7, 0, 0, 0, 0, 0, 0, false },
	{ "CPU:7 [LOST EVENTS]", TRACE_LOST, 7, 0, 0, 0, 0, 0, 0, false },
	{ "         pcpwork-1       [000] .....     1.000000: tracing_mark_write: pcpwork: snap-end 12 before",
	  TRACE_MARK, 0, 1, 0, 1000000000, 0, 0, 0, false },
	{ "         pcpwork-1       [000] .....     1.000000: print: tracing_mark_write: pageset: snap-begin 3 x",
	  TRACE_MARK, 0, 1, 0, 1000000000, 0, 0, 0, false },
	/* lines that are no event */
	{ "", TRACE_KIND_N, TRACE_SKIP_BLANK, 0, 0, 0, 0, 0, 0, false },
	{ "# tracer: nop", TRACE_KIND_N, TRACE_SKIP_COMMENT, 0, 0, 0, 0, 0, 0, false },
	{ "# ... 812 lines left out ...", TRACE_KIND_N, TRACE_SKIP_CUT, 0, 0, 0, 0, 0, 0, false },
	{ "cpus=4", TRACE_KIND_N, TRACE_SKIP_HEADER, 0, 0, 0, 0, 0, 0, false },
	{ "         pcpwork-1       [000] .....     1.000000: UNKNOWN TYPE 5", TRACE_KIND_N,
	  TRACE_SKIP_UNKNOWN_TYPE, 0, 0, 0, 0, 0, 0, false },
	{ "         pcpwork-1       [000] .....     1.000000: sched_switch: prev_comm=a",
	  TRACE_KIND_N, TRACE_SKIP_OTHER_EVENT, 0, 0, 0, 0, 0, 0, false },
	{ "         pcpwork-1       [000] .....     1.000000: mm_page_alloc: page=0 pfn=0x0 order=0 migratetype=0 gfp_flags=0",
	  TRACE_KIND_N, TRACE_SKIP_FAILED_ALLOC, 0, 0, 0, 0, 0, 0, false },
	{ "         pcpwork-1       [000] .....     1.000000: mm_page_alloc: page=0 pfn=0x1 order=0 gfp_flags=0",
	  TRACE_KIND_N, TRACE_SKIP_BAD_FIELD, 0, 0, 0, 0, 0, 0, false },
	{ "         pcpwork-1       [000] .....     1.000000: mm_page_free: page=0 pfn=0x1z order=0",
	  TRACE_KIND_N, TRACE_SKIP_BAD_FIELD, 0, 0, 0, 0, 0, 0, false },
	{ "         pcpwork-1       [000] .....     1.000000: mm_page_free: page=0 pfn=0xfffffffffffffffff order=0",
	  TRACE_KIND_N, TRACE_SKIP_BAD_FIELD, 0, 0, 0, 0, 0, 0, false },
	{ "         pcpwork-1       [000] .....     1.000000: mm_page_free: page=0 pfn=0x1 order=99",
	  TRACE_KIND_N, TRACE_SKIP_BAD_FIELD, 0, 0, 0, 0, 0, 0, false },
	{ "         pcpwork-1       [00x] .....     1.000000: mm_page_free: page=0 pfn=0x1 order=0",
	  TRACE_KIND_N, TRACE_SKIP_BAD_HEAD, 0, 0, 0, 0, 0, 0, false },
	{ "         pcpwork-1       [99999] .....     1.000000: mm_page_free: page=0 pfn=0x1 order=0",
	  TRACE_KIND_N, TRACE_SKIP_BAD_HEAD, 0, 0, 0, 0, 0, 0, false },
	{ "mm_page_free: page=0 pfn=0x1 order=0", TRACE_KIND_N, TRACE_SKIP_BAD_HEAD, 0, 0, 0, 0, 0,
	  0, false },
};

Test(trace, heads_of_all_kinds)
{
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const struct line *l = &lines[i];
		struct trace_stats stats = { 0 };
		struct trace_event ev;
		bool got = trace_line(l->text, strlen(l->text), &ev, &stats);

		cr_expect_eq(stats.lines, 1);
		if (l->kind == TRACE_KIND_N) {
			cr_expect_not(got, "%s", l->text);
			cr_expect_eq(stats.skipped[l->cpu], 1, "%s", l->text);
			continue;
		}
		cr_assert(got, "%s", l->text);
		cr_expect_eq(ev.kind, l->kind, "%s: %s", l->text,
			     trace_kind_name((enum trace_kind)ev.kind));
		cr_expect_eq(ev.cpu, l->cpu, "%s: cpu %d", l->text, ev.cpu);
		if (l->kind == TRACE_LOST)
			continue;
		cr_expect_eq(ev.pid, l->pid, "%s: pid %d", l->text, ev.pid);
		cr_expect_eq(ev.time_ns, l->time_ns, "%s: time %llu", l->text,
			     (unsigned long long)ev.time_ns);
		cr_expect_eq(ev.in_irq, l->in_irq, "%s: in_irq %d", l->text, ev.in_irq);
		cr_expect_eq(ev.preempt,
			     l->in_irq < 0					  ? -1 :
			     strstr(l->text, "d..3.") || strstr(l->text, "d.h3.") ? 3 :
			     strstr(l->text, "d..2.")				  ? 2 :
										    0,
			     "%s: preempt %d", l->text, ev.preempt);
		cr_expect_eq(ev.kworker, l->kworker, "%s", l->text);
		if (l->kind == TRACE_MARK)
			continue;
		cr_expect_eq(ev.pfn, l->pfn, "%s: pfn %llx", l->text, (unsigned long long)ev.pfn);
		cr_expect_eq(ev.order, l->order, "%s: order %u", l->text, ev.order);
		cr_expect_eq(ev.migratetype, l->type, "%s: type %u", l->text, ev.migratetype);
	}
}

Test(trace, marks_have_their_numbers)
{
	struct trace_stats stats = { 0 };
	struct trace_event ev;
	const char *end = " x-1 [000] ..... 1.0: tracing_mark_write: pcpwork: snap-end 12 before";
	const char *other = " x-1 [000] ..... 1.0: tracing_mark_write: pcpwork: touch 3";

	cr_assert(trace_line(end, strlen(end), &ev, &stats));
	cr_expect_eq(ev.mark, TRACE_MARK_SNAP_END);
	cr_expect_eq(ev.snap, 12);
	cr_assert(trace_line(other, strlen(other), &ev, &stats));
	cr_expect_eq(ev.mark, TRACE_MARK_OTHER);
}

Test(trace, too_long_and_binary_lines_are_counted)
{
	static char line[TRACE_LINE_MAX + 2];
	struct trace_stats stats = { 0 };
	struct trace_event ev;

	memset(line, 'x', sizeof(line));
	cr_expect_not(trace_line(line, TRACE_LINE_MAX + 1, &ev, &stats));
	cr_expect_eq(stats.skipped[TRACE_SKIP_TOO_LONG], 1);
	line[3] = 0;
	cr_expect_not(trace_line(line, 100, &ev, &stats));
	cr_expect_eq(stats.skipped[TRACE_SKIP_NOT_TEXT], 1);
	cr_expect_eq(stats.first_bad_line, 1);
	cr_expect_eq(stats.first_bad, TRACE_SKIP_TOO_LONG);
}

/* the order of a batch's page is told by its mm_page_free, and only its mm_page_free_batched counts */
Test(flow, batched_frees_take_the_order_of_their_free)
{
	char path[] = "/tmp/pageset-flow-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	struct flow *flow;
	struct diag d;
	uint64_t n;

	cr_assert_not_null(f);
	fputs(" x-1 [000] ..... 1.0: mm_page_free: page=0 pfn=0x8 order=3\n"
	      " x-1 [001] ..... 1.1: mm_page_free: page=0 pfn=0x9 order=0\n"
	      "# ... 4 lines left out ...\n"
	      " x-1 [000] ..... 1.2: mm_page_free_batched: page=0 pfn=0x8 order=0\n"
	      " x-1 [000] ..... 1.3: mm_page_free_batched: page=0 pfn=0x9 order=0\n",
	      f);
	fclose(f);
	cr_assert_eq(flow_open(&flow, path, &d), BASE_ERR_OK);
	n = flow_first(flow, &d);
	cr_assert_eq(n, 0);
	cr_expect(flow_event(flow, 0)->taken);
	cr_expect_eq(flow_event(flow, 0)->next, 3);
	/* of another CPU: not the same free */
	cr_expect_not(flow_event(flow, 1)->taken);
	/* cut lines: nobody's stream is whole */
	cr_expect_eq(flow_event(flow, 2)->ev.kind, TRACE_LOST);
	cr_expect_eq(flow_event(flow, 2)->ev.cpu, -1);
	cr_expect_eq(flow_event(flow, 3)->ev.order, 3);
	cr_expect_eq(flow_event(flow, 4)->line, 5);
	for (; n != FLOW_NONE; n = flow_first(flow, &d))
		flow_drop(flow);
	cr_expect_not(flow_failed(flow));
	flow_close(flow);
	remove(path);
}

Test(flow, a_file_that_is_not_there)
{
	struct flow *flow = NULL;
	struct diag d;

	cr_expect_neq(flow_open(&flow, "tests/real/no-such-file", &d), BASE_ERR_OK);
	cr_expect_null(flow);
}

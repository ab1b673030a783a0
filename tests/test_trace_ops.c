/* SPDX-License-Identifier: GPL-2.0-only */
/* A recorded trace as operations: they run on a simulated machine, and slots are those that core gives out. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sim.h"
#include "kernel/trace_ops.h"

struct runner {
	struct sim *sim;
	uint64_t ops, allocs, frees, empty;
	uint64_t last_line;
	uint8_t *live; /* by slot */
	char error[400];
};

static bool run_op(void *ctx, const struct op *op, uint64_t line, int outcome)
{
	struct runner *r = ctx;
	struct op_result result;
	struct sim_error err;
	u32 slot = 0;

	cr_assert_geq(outcome, 0);
	if (op->kind == OP_FREE) {
		cr_assert(r->live[op->slot], "line %llu frees slot %u, which is free",
			  (unsigned long long)line, op->slot);
		r->live[op->slot] = 0;
		slot = op->slot;
	}
	if (sim_exec(r->sim, op, op->kind == OP_ALLOC ? &slot : NULL, &result, &err) != SIM_OK) {
		snprintf(r->error, sizeof(r->error), "line %llu: %s", (unsigned long long)line,
			 err.message);
		return false;
	}
	if (op->kind == OP_ALLOC) {
		cr_assert_not(r->live[slot]);
		r->live[slot] = 1;
	}
	cr_assert(line == 0 || r->last_line <= line + 200000);
	r->last_line = line;
	r->ops++;
	r->allocs += op->kind == OP_ALLOC;
	r->frees += op->kind == OP_FREE;
	return true;
}

static struct sim *new_sim(uint64_t bytes)
{
	struct machine machine;
	struct sim_error err;
	struct sim *sim = NULL;

	machine_init(&machine);
	machine.cpus = 4;
	machine.memory = (s64)bytes;
	cr_assert_eq(machine_finish(&machine, &err), SIM_OK);
	cr_assert_eq(sim_create(&machine, patch_level(SERIES_V3, 9), &sim, &err), SIM_OK);
	machine_free(&machine);
	return sim;
}

static void run_trace(const char *trace, const char *snaps, struct trace_ops_report *report,
		      struct runner *r)
{
	struct trace_ops_source source = { .trace = trace, .snapshots = snaps };
	struct diag d;

	memset(r, 0, sizeof(*r));
	r->sim = new_sim(UINT64_C(2) << 30);
	r->live = calloc(1 << 20, 1);
	cr_assert_eq(trace_ops_run(&source, run_op, r, report, &d), BASE_ERR_OK, "%s", d.message);
	cr_assert_str_empty(r->error, "%s: %s", trace, r->error);
	cr_expect_eq(r->ops, report->allocs + report->frees + report->ticks + report->drains);
	sim_check(r->sim);
}

static void end_run(struct runner *r)
{
	sim_destroy(r->sim);
	free(r->live);
}

Test(trace_ops, recorded_operations_run_on_a_machine)
{
	static const char *const names[] = { "guest-6.12/a-fault", "guest-6.12/b-unix",
					     "guest-6.12/c-fork",  "guest-6.12/g-thp",
					     "guest-6.1/b-pipe",   "guest-6.1/c-fork",
					     "guest-6.1/g-thp",	   "guest-6.1/b-migrate" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char trace[200], snaps[200];
		struct trace_ops_report report;
		struct runner r;

		snprintf(trace, sizeof(trace), "tests/real/%s.trace.txt.gz", names[i]);
		snprintf(snaps, sizeof(snaps), "tests/real/%s.snaps.txt.gz", names[i]);
		run_trace(trace, snaps, &report, &r);
		/* each mm_page_alloc is an allocation; pages that left silently or were there before are more */
		cr_expect_geq(report.allocs, report.replay.trace.events[TRACE_ALLOC], "%s",
			      names[i]);
		/* each mm_page_free is a free */
		cr_expect_eq(report.frees, report.replay.trace.events[TRACE_FREE] + report.doubled,
			     "%s: %llu", names[i], (unsigned long long)report.frees);
		cr_expect_leq(report.cpus, 4);
		end_run(&r);
	}
}

Test(trace_ops, ticks_of_a_decay_are_there)
{
	struct trace_ops_report report;
	struct runner r;

	run_trace("tests/real/guest-6.12/d-decay.trace.txt.gz",
		  "tests/real/guest-6.12/d-decay.snaps.txt.gz", &report, &r);
	/* by the gaps of a second between the drains of kworker/0:0 */
	cr_expect_eq(report.ticks, 5);
	cr_expect_eq(report.drains, 0);
	end_run(&r);
}

static bool count_op(void *ctx, const struct op *op, uint64_t line, int outcome)
{
	uint64_t *n = ctx;

	(void)op;
	(void)line;
	(void)outcome;
	return ++*n < 100;
}

Test(trace_ops, the_receiver_can_end_it)
{
	struct trace_ops_source source = { .trace = "tests/real/guest-6.12/b-unix.trace.txt.gz" };
	struct trace_ops_report report;
	struct diag d;
	uint64_t n = 0;

	cr_assert_eq(trace_ops_run(&source, count_op, &n, &report, &d), BASE_ERR_OK);
	cr_expect_eq(n, 100);
}

/* a page freed before the trace allocates it gets its slot first, one allocated twice is freed between */
Test(trace_ops, pages_from_before_and_pages_without_a_free)
{
	static const char text[] =
		" x-1 [000] ..... 1.0: mm_page_free: page=0 pfn=0x8 order=1\n"
		" x-1 [001] ..... 1.1: mm_page_alloc: page=0 pfn=0x8 order=1 migratetype=0 gfp_flags=0\n"
		" x-1 [001] ..... 1.2: mm_page_alloc: page=0 pfn=0x8 order=1 migratetype=0 gfp_flags=0\n"
		" x-1 [001] ..... 1.3: mm_page_alloc: page=0 pfn=0x400 order=5 migratetype=1 gfp_flags=0\n"
		" x-1 [000] ..... 1.4: mm_page_free: page=0 pfn=0x400 order=5\n";
	char path[] = "/tmp/pageset-ops-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct trace_ops_report report;
	struct runner r;

	cr_assert_not_null(f);
	fputs(text, f);
	fclose(f);
	run_trace(path, NULL, &report, &r);
	cr_expect_eq(report.before, 1);
	cr_expect_eq(report.doubled, 1);
	cr_expect_eq(report.allocs, 4);
	cr_expect_eq(report.frees, 3);
	cr_expect_eq(report.cpus, 2);
	end_run(&r);
	remove(path);
}

Test(trace_ops, a_file_of_operations)
{
	static const struct op ops[] = {
		{ .kind = OP_ALLOC, .cpu = 3, .order = 2, .type = 1, .count = 1 },
		{ .kind = OP_FREE, .cpu = 1, .order = 2, .slot = 1, .count = 1 },
		{ .kind = OP_TICK, .cpu = 2 },
		{ .kind = OP_DRAIN, .cpu = 0 },
	};
	struct trace_ops_source source = { .trace = "x" };
	struct trace_ops_writer *w;
	struct machine machine;
	char *text = NULL, *at;
	size_t len, i;
	unsigned long pfn;
	struct diag d;
	FILE *out = open_memstream(&text, &len);

	cr_assert_eq(trace_ops_machine(&source, 4, &machine, &d), BASE_ERR_OK);
	w = trace_ops_writer_new(out, "x", &machine, patch_level(SERIES_V3, 9), &d);
	cr_assert_not_null(w);
	for (i = 0; i < 4; i++)
		cr_assert(trace_ops_write(w, &ops[i]));
	cr_expect_eq(trace_ops_writer_free(w), 0);
	fclose(out);
	cr_expect(strncmp(text, "oracle 1\nvariant V3L9\n", 22) == 0, "%s", text);
	cr_expect_not_null(strstr(text, "\ncpus 0 0 0 0\nzone 0 Normal 4096 524288\n"));
	at = strstr(text, "\nboot\n");
	cr_assert_not_null(at);
	cr_assert_eq(sscanf(at, "\nboot\nalloc 3 2 M\nfree 1 %lu 2\ntick 2\ndrain 0\n", &pfn), 1,
		     "%s", at);
	cr_expect(pfn >= 4096 && pfn % 4 == 0);
	free(text);
	machine_free(&machine);
}

Test(trace_ops, a_trace_loads_like_a_file_of_operations)
{
	struct trace_ops_source source = { .trace = "tests/real/guest-6.1/b-pipe.trace.txt.gz",
					   .snapshots =
						   "tests/real/guest-6.1/b-pipe.snaps.txt.gz" };
	struct kern_ops ops;
	struct diag d;
	size_t i, frees = 0, refills = 0;

	cr_assert_eq(trace_ops_load(&source, &ops, &d), BASE_ERR_OK, "%s", d.message);
	/* the file has 2044 mm_page_alloc and 2018 mm_page_free */
	for (i = 0; i < ops.nr; i++) {
		frees += ops.ops[i].kind == OP_FREE;
		refills += ops.ops[i].kind == OP_ALLOC && ops.outcomes[i] > 0;
		cr_assert_eq(kern_ops_slots(&ops, i) != NULL, ops.ops[i].kind == OP_FREE);
		cr_assert_lt(ops.ops[i].cpu, 4);
	}
	cr_expect_eq(frees, 2018);
	/* runs of mm_page_alloc_zone_locked: 34, of which the first of each of 4 lists is one */
	cr_expect_eq(refills, 34);
	cr_expect_geq(ops.nr, 2044 + 2018);
	cr_expect_eq(ops.machine.cpus, 4);
	cr_expect_eq(ops.patches, PATCH_BIT(P_SCALE_CAP) | PATCH_BIT(P_SERIES_V3));
	kern_ops_free(&ops);
}

Test(trace_ops, which_text_is_a_trace)
{
	static const char yes[] =
		"# tracer: nop\n x-1 [000] ..... 1.0: mm_page_free: page=0 pfn=0x8 order=1\n";
	static const char no[] = "schema_version: 1\nname: x\nsteps:\n- say: mm_page_free\n";

	cr_expect(trace_ops_is_trace(yes, sizeof(yes) - 1));
	cr_expect_not(trace_ops_is_trace(no, sizeof(no) - 1));
	cr_expect_not(trace_ops_is_trace("", 0));
}

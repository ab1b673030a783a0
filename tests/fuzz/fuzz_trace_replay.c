/* SPDX-License-Identifier: GPL-2.0-only */
/* A whole replay: the input is the trace and, where it has sections "### snap=N", the snapshots, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/trace_ops.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* what core would refuse is not handed out */
static bool take_op(void *ctx, const struct op *op, uint64_t line, int outcome)
{
	(void)ctx;
	(void)line;
	if (outcome < 0)
		abort();
	if (op->kind == OP_FREE && op->slot == 0)
		abort();
	if (op->order > 10 || op->type > 2)
		abort();
	return true;
}

static void check_tally(const struct replay_tally *t)
{
	if (t->same_event > t->recorded || t->same_size > t->same_event)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *null;
	int fd = memfd_create("trace", MFD_CLOEXEC);
	char path[64];
	struct replay_options opt = { .trace = path };
	struct trace_ops_source source = { .trace = path };
	struct replay_report report;
	struct trace_ops_report ops;
	struct diag d;

	if (!null)
		null = fopen("/dev/null", "w");
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (memmem(data, size, "### snap=", 9))
		opt.snapshots = source.snapshots = path;
	if (replay_run(&opt, &report, &d) == BASE_ERR_OK) {
		check_tally(&report.refills);
		check_tally(&report.drains);
		check_tally(&report.free_refills);
		check_tally(&report.free_drains);
		if (report.marks.equal > report.marks.compared)
			abort();
		replay_write_text(&report, null);
		if (trace_ops_run(&source, take_op, NULL, &ops, &d) != BASE_ERR_OK)
			abort();
	} else if (!d.message[0]) {
		abort();
	}
	close(fd);
	return 0;
}

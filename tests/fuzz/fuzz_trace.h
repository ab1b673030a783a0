/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of trace text for a fuzzer; the targets differ in the files that they begin with. */
#ifndef FUZZ_TRACE_H
#define FUZZ_TRACE_H

#include <stdlib.h>
#include <string.h>

#include "kernel/trace.h"

static inline void fuzz_check_event(const struct trace_event *ev)
{
	if (ev->kind >= TRACE_KIND_N || ev->cpu < -1 || ev->cpu >= TRACE_CPU_MAX || ev->pid < -1)
		abort();
	if (ev->kind == TRACE_MARK || ev->kind == TRACE_LOST)
		return;
	if (ev->cpu < 0 || ev->pfn >= TRACE_PFN_MAX || ev->order > 63 || ev->migratetype > 15)
		abort();
}

static inline int fuzz_trace(const uint8_t *data, size_t size)
{
	struct trace_stats stats = { 0 };
	const char *p = (const char *)data, *end = p + size;
	uint64_t lines = 0, sum = 0;
	int i;

	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((newline ? newline : end) - p);
		struct trace_event ev;
		/* a copy of its own length, so that a read behind the line is found */
		char *line = malloc(len ? len : 1);

		if (!line)
			abort();
		memcpy(line, p, len);
		if (trace_line(line, len, &ev, &stats))
			fuzz_check_event(&ev);
		free(line);
		lines++;
		p += len + 1;
	}
	for (i = 0; i < TRACE_KIND_N; i++)
		sum += stats.events[i];
	for (i = 0; i < TRACE_SKIP_N; i++)
		sum += stats.skipped[i];
	if (sum != lines || stats.lines != lines)
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif

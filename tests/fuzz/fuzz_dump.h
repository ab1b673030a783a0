/* SPDX-License-Identifier: GPL-2.0-only */
/* What both parsers of kernel text have in common for a fuzzer: read, judge, write; no input may end the program. */
#ifndef FUZZ_DUMP_H
#define FUZZ_DUMP_H

#include <stdlib.h>
#include <string.h>

#include "kernel/dump_print.h"
#include "kernel/machine_file.h"
#include "kernel/meminfo.h"
#include "kernel/zoneinfo.h"

typedef enum base_err fuzz_read_fn(const char *text, size_t len,
				   const struct kern_read_options *opt, struct kern_dump **out,
				   struct diag *d);

/* The invariants of dump.h. */
static inline void fuzz_check_dump(const struct kern_dump *dump)
{
	size_t i, c;

	if (!dump->nr_zones || dump->nr_zones > KERN_ZONES_MAX || !dump->page_size)
		abort();
	for (i = 0; i < dump->nr_zones; i++) {
		const struct kern_zone *z = &dump->zones[i];

		if (kern_dump_find(dump, z->node, z->name, strlen(z->name)) != z ||
		    z->node >= KERN_NODES_MAX)
			abort();
		for (c = 0; c < z->nr_cpus; c++)
			if (z->cpus[c].cpu >= KERN_CPUS_MAX ||
			    (c && z->cpus[c].cpu <= z->cpus[c - 1].cpu))
				abort();
	}
}

static inline void fuzz_use_dump(const struct kern_dump *dump)
{
	static FILE *null;
	struct kern_checks checks;
	struct kern_plan plan;
	struct machine machine;
	struct diag d;
	struct base_json j;
	size_t i;

	if (!null)
		null = fopen("/dev/null", "w");
	kern_model_check(dump, &checks);
	kern_dump_print(null, dump, &checks, false);
	base_json_to_memory(&j, false);
	base_json_object(&j);
	kern_dump_json(&j, dump, &checks);
	base_json_close(&j);
	base_json_end(&j);
	free(base_json_take(&j, NULL));
	kern_plan_make(&plan, dump, &checks, 0);
	/* zones of a machine do not overlap */
	for (i = 1; i < plan.nr_zones; i++)
		if (plan.zones[i].start_pfn < plan.zones[i - 1].start_pfn + plan.zones[i - 1].pages)
			abort();
	kern_machine_write(null, dump, &checks, &plan, "fuzz");
	if (kern_plan_machine(&plan, dump, &checks, &machine, &d) == BASE_ERR_OK)
		machine_free(&machine);
	else if (!d.message[0])
		abort();
	kern_plan_free(&plan);
	kern_checks_free(&checks);
}

/* The first bytes choose the options. */
static inline int fuzz_dump(fuzz_read_fn *read, const uint8_t *data, size_t size)
{
	struct kern_read_options opt = { .name = "fuzz", .snapshot = -1 };
	struct kern_dump *dump;
	struct diag d;

	if (size >= 2 && data[0] == 0xff) {
		opt.snapshot = (data[1] & 15) - 1;
		opt.page_size = data[1] & 16 ? 65536 : 0;
		opt.version = data[1] & 32 ? 6012 : 0;
		data += 2;
		size -= 2;
	}
	if (read((const char *)data, size, &opt, &dump, &d) != BASE_ERR_OK) {
		if (dump || !d.message[0] || !d.hint[0])
			abort();
		return 0;
	}
	fuzz_check_dump(dump);
	fuzz_use_dump(dump);
	kern_dump_free(dump);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif

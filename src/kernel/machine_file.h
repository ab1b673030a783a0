/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A dump as a machine of the model: which zones at which page numbers, which CPUs on which nodes, which settings; and its
 * text as a machine file (YAML). The verb import calls it; whoever starts a machine straight from a dump may, too.
 */
#ifndef KERNEL_MACHINE_FILE_H
#define KERNEL_MACHINE_FILE_H

#include "core/machine.h"
#include "dump.h"
#include "model_check.h"

struct kern_plan_zone {
	const struct kern_zone *zone;
	unsigned int node;  /* of the model: numbers without gaps */
	uint64_t start_pfn; /* whole blocks of order 10 */
	uint64_t pages;	    /* the managed ones: holes are left out */
};

struct kern_plan {
	struct kern_plan_zone *zones; /* by rising start_pfn */
	size_t nr_zones;
	unsigned int *nodes; /* node number in the file of each node of the model */
	size_t nr_nodes;
	unsigned int *
		cpus; /* CPU number in the file of each CPU of the model; NULL if the file has none */
	unsigned int *cpu_node; /* node of the model */
	size_t nr_cpus;
	bool closed_up;	   /* the zones' places were too high for the model */
	bool cpus_guessed; /* the file does not tell how many, or on which nodes */
	bool own_marks;	   /* no setting gives the marks of the file: each zone has its own */
};

/* cpus: how many, 0 for those of the file (for a report that does not say: up to the one that printed it). */
void kern_plan_make(struct kern_plan *plan, const struct kern_dump *dump,
		    const struct kern_checks *checks, unsigned int cpus);
void kern_plan_free(struct kern_plan *plan);

/*
 * The same as a machine that sim_create() takes, with the kernel's settings (boost, high-order atomic, per-CPU counters).
 * BASE_ERR_FAILED and *d when the model cannot run such a machine. On success the caller machine_free()s it.
 */
enum base_err kern_plan_machine(const struct kern_plan *plan, const struct kern_dump *dump,
				const struct kern_checks *checks, struct machine *machine,
				struct diag *d);

/* Writes the machine file; source is named in its head. The stream's errors are the caller's. */
void kern_machine_write(FILE *out, const struct kern_dump *dump, const struct kern_checks *checks,
			const struct kern_plan *plan, const char *source);

#endif

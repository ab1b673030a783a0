/* SPDX-License-Identifier: GPL-2.0-only */
/* A dump and its checks for people and for programs. The verbs import and watch call it. */
#ifndef KERNEL_DUMP_PRINT_H
#define KERNEL_DUMP_PRINT_H

#include "base/json.h"
#include "dump.h"
#include "model_check.h"

/*
 * The members of the open object: kernel_lacks, page_size, nodes with their zones and lists, checks, and what else the
 * text told. A figure that it lacks is null.
 */
void kern_dump_json(struct base_json *j, const struct kern_dump *dump,
		    const struct kern_checks *checks);

/* Tables. all_lists: a line for each CPU list however many there are, else ranges above 64 of them. */
void kern_dump_print(FILE *out, const struct kern_dump *dump, const struct kern_checks *checks,
		     bool all_lists);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a kernel of the dump's generation computes for batch, limits and watermarks of its zones, held against what the
 * dump says; each difference with its likely reason. Each figure is computed from the file's own figures that it depends
 * on, so that one changed setting is one difference and not a row of them. The verb import and watch.c call it.
 */
#ifndef KERNEL_MODEL_CHECK_H
#define KERNEL_MODEL_CHECK_H

#include "dump.h"

/* Generations of page list sizing. */
enum kern_era {
	KERN_ERA_31,	/* until 4.18: batch at most 31, high 6 * batch */
	KERN_ERA_63,	/* 4.19 to 5.13: batch at most 63, high 6 * batch */
	KERN_ERA_LOW,	/* 5.14 to 6.6: high is the low mark over the CPUs of the node */
	KERN_ERA_TUNED, /* from 6.7: high between high_min and high_max */
};

struct kern_check {
	unsigned int node;
	const char *zone; /* in the dump */
	const char *field;
	int64_t file;
	int64_t model;
	unsigned int cpus; /* lists that have the file's figure; 0 for a mark of the zone */
	char reason[200];
};

struct kern_checks {
	struct kern_check *items;
	size_t nr;
	size_t cap;
	enum kern_era era;
	bool era_told; /* the release was in the text; else the era is deduced from the fields */
	int64_t min_free_kbytes; /* that gives the marks of the file, KERN_NONE if none does */
	int64_t scale_factor; /* vm.watermark_scale_factor that gives them, 10 unless others are found */
	int64_t high_fraction; /* vm.percpu_pagelist_high_fraction, 0 unless one is found */
	/*
	 * CPUs that a node's limits were computed for, by node number: all if one node has pages, else the number that
	 * explains the file's limits, else an even share. The file does not say which CPU is of which node.
	 */
	unsigned int *node_cpus;
};

/* zone_batchsize() as the lists use it (at least 1): 4.19 doubled the cap. */
int64_t kern_model_batch(int64_t pages, uint64_t page_size, bool since_4_19);

void kern_model_check(const struct kern_dump *dump, struct kern_checks *checks);
void kern_checks_free(struct kern_checks *checks);

/* The generation in words, and the patch sets of the model that come nearest to it. */
const char *kern_era_text(enum kern_era era);
const char *kern_era_series(const struct kern_dump *dump, enum kern_era era, const char **patches);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every value of a machine that has a name. Expressions, JSON, diffs, watches and
 * the screen all read through here; field.def is the table. Names:
 *
 *   cpu[C].zone[Z].high   cpu[C].zone[Z].lists[P].n   zone[Z].free   stats.free_high
 *
 * Z is a zone's number, or node[N].Normal in its place; cpu[C].high is legal if
 * the machine has one zone or a default zone is given; zone.Normal.free is legal
 * if that name is unique.
 */
#ifndef PAGESET_CORE_FIELD_H
#define PAGESET_CORE_FIELD_H

#include "err.h"
#include "patch.h"
#include "types.h"

struct sim;

enum field_scope { FIELD_PCP, FIELD_ZONE, FIELD_STATS, NR_FIELD_SCOPES };

struct field_info {
	const char *name; /* "high", "lists[].n" */
	enum field_scope scope;
	const char *unit; /* "pages", "shift", "blocks", "" */
	const char *help; /* one line */
	u32 patches;	  /* mask: exists if any of these is on; 0: always */
	u32 gone_with;	  /* mask: does not exist if any of these is on */
};

/* All fields, in the order of output; ends with a NULL name. */
extern const struct field_info field_infos[];

/* One field of one machine. */
struct field_ref {
	u16 id;	       /* index into field_infos */
	u16 index;     /* of lists[]: pindex */
	u32 cpu, zone; /* as the scope has them */
};

enum { FIELD_NAME_MAX = 64, FIELD_NO_ZONE = -1 };

/*
 * Find a field by its path. @default_zone: a zone number for paths without
 * one, or FIELD_NO_ZONE. ERR_FIELD with a sentence that lists the choices or the
 * nearest name; *error_at (may be NULL) is the offset in @path that is wrong. A
 * field that the machine's patch set lacks is found all the same: see field_exists().
 */
enum sim_err field_parse(const struct sim *sim, const char *path, int default_zone,
			 struct field_ref *ref, size_t *error_at, struct sim_error *err);
/* Does a patch set have the field? */
bool field_exists(u32 patches, const struct field_ref *ref);
/* The patch whose presence or absence decides about it, for messages; P_NONE if it always exists. */
enum patch_id field_patch(const struct field_ref *ref);
/* The value; false (and *value 0) if the patch set lacks the field. */
bool field_get(const struct sim *sim, const struct field_ref *ref, s64 *value);
/* The canonical path, in @buf of FIELD_NAME_MAX bytes. */
char *field_path(const struct field_ref *ref, char *buf);
/*
 * Walk all fields of a machine in canonical order (cpu by cpu, zone by zone, then
 * zones, then stats). Begin with *started = false.
 */
bool field_next(const struct sim *sim, struct field_ref *ref, bool *started);

/* The counters of compare and --json, by name: those of stats.def and of the state. */
struct counter_info {
	const char *name, *unit, *help;
};
extern const struct counter_info counter_infos[]; /* ends with a NULL name */
/* Value of counter @i; means are rounded to the nearest integer. */
s64 counter_get(const struct sim *sim, size_t i);

#endif

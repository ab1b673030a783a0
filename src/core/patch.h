/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Patch sets: which patches of "mm: PCP high auto-tuning" are on, under which
 * version of the series. A set is one word, so that the mirror's test of a
 * patch is the test of one bit. Pure functions; anyone may call them.
 */
#ifndef PAGESET_CORE_PATCH_H
#define PAGESET_CORE_PATCH_H

#include "types.h"

enum patch_id {
#define PATCH(id, v2, v3, name, title, needs) id,
#include "patch.def"
#undef PATCH
	NR_PATCHES,
	/* The version of the series stands in the same word. */
	P_SERIES_V3 = 15,
	P_NONE = 31,
};

#define PATCH_BIT(id) (1u << (id))
/* The bits of a set that are patches, without the series. */
#define PATCH_MASK (PATCH_BIT(NR_PATCHES) - 1u)

enum series { SERIES_V2, SERIES_V3 };

/* All patches of a series, as a set: patch_level() of its last number. */
enum {
#define PATCH(id, v2, v3, name, title, needs) +((v2) ? PATCH_BIT(id) : 0)
	PATCH_SET_V2 = 0
#include "patch.def"
	,
#undef PATCH
#define PATCH(id, v2, v3, name, title, needs) +((v3) ? PATCH_BIT(id) : 0)
	PATCH_SET_V3 = PATCH_BIT(P_SERIES_V3)
#include "patch.def"
#undef PATCH
};

/* Longest text that patch_set_format() writes, with its end. */
enum { PATCH_TEXT_MAX = 96 };

/* What a change of a set did beyond what was asked, for the user. */
struct patch_change {
	u32 set;      /* the new set, closed */
	u32 also_on;  /* switched on because something asked for needs it */
	u32 also_off; /* switched off because it needs what went off */
};

/* The series a set belongs to. */
enum series patch_series(u32 set);
/* The number a patch has in a series, 0 if it has none. */
int patch_number(enum series series, enum patch_id id);
/* The patch with number @n in a series, P_NONE if there is none. */
enum patch_id patch_by_number(enum series series, int n);
const char *patch_name(enum patch_id id);
const char *patch_title(enum patch_id id);
/* How many numbered patches a series has: 10 or 9. */
int patch_count(enum series series);
/* The mask of patches that @id needs directly. */
u32 patch_needs(enum patch_id id);

/* True if every patch of the set has what it needs and exists in its series. */
bool patch_set_is_closed(u32 set);
/* Switch one patch on or off; what it needs follows, what needs it goes. */
struct patch_change patch_switch(u32 set, enum patch_id id, bool on);
/* The same patches by content under another series (count_min has none in V3). */
struct patch_change patch_set_series(u32 set, enum series series);
/* To @set the change that leads from @from to @to: what it switches on or off, and the series. */
u32 patch_set_change(u32 set, u32 from, u32 to);
/* Such a change in words: "1,7 on", "4 off", "2 on, 1 off", "v3, 1 off", "nothing". In @buf of PATCH_TEXT_MAX. */
char *patch_change_format(u32 from, u32 to, char *buf);
/* The patches 1..n of a series. n in 0..patch_count(). */
u32 patch_level(enum series series, int n);
/* True if no kernel text ever had this set: then the screen says "constructed". */
bool patch_set_is_constructed(u32 set);
/*
 * Read "none", "all", "1-7,10", "all,nikhil". On success returns true and
 * fills @change (closed; what had to be added is in also_on). On failure
 * returns false and writes one sentence to @error.
 */
bool patch_set_parse(const char *text, enum series series, struct patch_change *change, char *error,
		     size_t size);
/*
 * Read one entry of --levels or --under: "base", "none", a level "7", a set
 * "[1-7,10]", "all". Errors as patch_set_parse().
 */
bool patch_level_parse(const char *text, enum series series, struct patch_change *change,
		       char *error, size_t size);
/* Write "none", "all" or "1-7,10[,nikhil]" to @buf of PATCH_TEXT_MAX bytes. */
char *patch_set_format(u32 set, char *buf);

#endif

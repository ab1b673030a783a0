/* SPDX-License-Identifier: GPL-2.0-only */
/* The layout of the kernel's struct per_cpu_pages under a patch set (x86-64, 13 lists). */
#ifndef PAGESET_TUI_STRUCT_LAYOUT_H
#define PAGESET_TUI_STRUCT_LAYOUT_H

#include "core/patch.h"

enum { STRUCT_MEMBERS_MAX = 24, STRUCT_CACHE_LINE = 64 };

struct struct_member {
	const char *type, *name; /* name NULL: a hole */
	u32 offset, size;
	bool array; /* of list heads */
	u8 patch;   /* enum patch_id that brought it, P_NONE */
};

struct struct_layout {
	struct struct_member members[STRUCT_MEMBERS_MAX];
	u32 nr, nr_holes;
	u32 sum_members, sum_holes; /* bytes */
	u32 padding, size;
};

void struct_layout(u32 set, struct struct_layout *layout);
/* "lock 0/4, count 4/4, ..., hole 20/4, lists 24/208" */
char *struct_layout_text(const struct struct_layout *layout, char *buf, size_t size);

#endif

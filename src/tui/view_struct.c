/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct per_cpu_pages under this patch set on x86-64, as pahole shows it: which
 * fields, where, and the holes, laid out by the alignment rule.
 */
#include <stdio.h>
#include <string.h>

#include "struct_layout.h"
#include "view.h"

static void add(struct struct_layout *l, const char *type, const char *name, u32 size, u32 align,
		enum patch_id patch)
{
	u32 at = l->nr > 0 ? l->members[l->nr - 1].offset + l->members[l->nr - 1].size : 0;
	u32 to = (at + align - 1) / align * align;

	if (to > at) {
		l->members[l->nr++] = (struct struct_member){
			.type = "", .offset = at, .size = to - at, .patch = P_NONE
		};
		l->nr_holes++;
		l->sum_holes += to - at;
	}
	l->members[l->nr++] = (struct struct_member){ .type = type,
						      .name = name,
						      .offset = to,
						      .size = size,
						      .array = size > 64,
						      .patch = (u8)patch };
	l->sum_members += size;
}

void struct_layout(u32 set, struct struct_layout *l)
{
	bool flags = set & (PATCH_BIT(P_AVOID_DRAIN) | PATCH_BIT(P_KEEP_BATCH));
	bool alloc = set & PATCH_BIT(P_ALLOC_SCALE), limits = set & PATCH_BIT(P_HIGH_LIMITS);
	bool small = flags || alloc;

	memset(l, 0, sizeof(*l));
	add(l, "spinlock_t", "lock", 4, 4, P_NONE);
	add(l, "int", "count", 4, 4, P_NONE);
	if (set & PATCH_BIT(P_COUNT_MIN))
		add(l, "int", "count_min", 4, 4, P_COUNT_MIN);
	add(l, "int", "high", 4, 4, P_NONE);
	if (limits) {
		add(l, "int", "high_min", 4, 4, P_HIGH_LIMITS);
		add(l, "int", "high_max", 4, 4, P_HIGH_LIMITS);
	}
	add(l, "int", "batch", 4, 4, P_NONE);
	if (flags)
		add(l, "u8", "flags", 1, 1,
		    set & PATCH_BIT(P_AVOID_DRAIN) ? P_AVOID_DRAIN : P_KEEP_BATCH);
	if (alloc)
		add(l, "u8", "alloc_factor", 1, 1, P_ALLOC_SCALE);
	if (!(set & PATCH_BIT(P_FREE_COUNT)))
		add(l, small ? "u8" : "short", "free_factor", small ? 1 : 2, small ? 1 : 2, P_NONE);
	add(l, alloc ? "u8" : "short", "expire", alloc ? 1 : 2, alloc ? 1 : 2, P_NONE);
	if (set & PATCH_BIT(P_FREE_COUNT))
		add(l, "short", "free_count", 2, 2, P_FREE_COUNT);
	add(l, "struct list_head", "lists", 208, 8, P_NONE);
	l->size = l->members[l->nr - 1].offset + 208;
	l->padding = (STRUCT_CACHE_LINE - l->size % STRUCT_CACHE_LINE) % STRUCT_CACHE_LINE;
	l->size += l->padding;
}

char *struct_layout_text(const struct struct_layout *l, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (u32 i = 0; i < l->nr && used < size; i++) {
		int n = snprintf(buf + used, size - used, "%s%s %u/%u", i > 0 ? ", " : "",
				 l->members[i].name ? l->members[i].name : "hole",
				 l->members[i].offset, l->members[i].size);

		used += n > 0 ? (size_t)n : 0;
	}
	return buf;
}

static void draw(struct ui *ui, struct pane *p)
{
	u32 set = sim_patches(nav_sim(ui));
	enum series series = patch_series(set);
	struct struct_layout l;
	int row = 0;

	struct_layout(set, &l);
	pane_row(p, row++, 0);
	pane_put(p, ST_KEY, "struct per_cpu_pages {");
	for (u32 i = 0; i < l.nr; i++) {
		const struct struct_member *m = &l.members[i];

		if (i > 0 && m->offset % STRUCT_CACHE_LINE == 0) {
			pane_row(p, row++, 4);
			pane_put(p, ST_DIM, "/* --- cache line %u boundary --- */",
				 m->offset / STRUCT_CACHE_LINE);
		}
		pane_row(p, row++, 4);
		if (!m->name) {
			pane_put(p, ST_NO, "/* hole: %u byte%s */", m->size,
				 m->size == 1 ? "" : "s");
			continue;
		}
		pane_put(p, m->patch < NR_PATCHES ? ST_PATCH_ON : ST_NORMAL, "%-16s %s%s;", m->type,
			 m->name, m->array ? "[13]" : "");
		if (p->col < 38)
			pane_col(p, 38);
		pane_put(p, ST_DIM, "/* %3u %3u */", m->offset, m->size);
		if (m->patch < NR_PATCHES)
			pane_put(p, ST_PATCH_ON, " patch %d",
				 patch_number(series, (enum patch_id)m->patch));
	}
	pane_row(p, row++, 4);
	pane_put(p, ST_DIM, "/* size: %u, cachelines: %u */", l.size, l.size / STRUCT_CACHE_LINE);
	pane_row(p, row++, 4);
	pane_put(p, ST_DIM, "/* sum members: %u, holes: %u, sum holes: %u, padding: %u */",
		 l.sum_members, l.nr_holes, l.sum_holes, l.padding);
	pane_row(p, row++, 0);
	pane_put(p, ST_KEY, "} __attribute__((aligned(64)));");
}

static int wants(const struct ui *ui)
{
	(void)ui;
	return 20;
}

const struct view_ops view_ops_struct = {
	.name = "struct",
	.title = "struct per_cpu_pages",
	.min_rows = 6,
	.draw = draw,
	.wants = wants,
};

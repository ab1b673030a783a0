/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters since the beginning, with what each counts; changed ones are marked. */
#include <string.h>

#include "view.h"

static void draw(struct ui *ui, struct pane *p)
{
	struct zone_stats before = { 0 };

	for (u32 z = 0; ui->before.valid && z < ui->before.nr_zones; z++) {
#define COUNTER(name, unit, help) before.name += ui->before.zones[z].stats.name;
#include "core/stats.def"
#undef COUNTER
	}
	for (int i = 0; counter_infos[i].name; i++) {
		s64 value = counter_get(nav_sim(ui), (size_t)i);
		bool changed = false;

#define COUNTER(counter, unit, help)                                                   \
	changed |= ui->before.valid && strcmp(counter_infos[i].name, #counter) == 0 && \
		   (s64)before.counter != value;
#include "core/stats.def"
#undef COUNTER
		pane_row(p, i, 1);
		pane_put(p, value ? ST_NORMAL : ST_DIM, "%-24s", counter_infos[i].name);
		pane_put(p,
			 changed ? ST_CHANGED :
			 value	 ? ST_KEY :
				   ST_DIM,
			 "%9lld%s", (long long)value, changed ? "*" : " ");
		pane_put(p, ST_DIM, " %-7s %s", counter_infos[i].unit, counter_infos[i].help);
	}
}

static int wants(const struct ui *ui)
{
	(void)ui;
	return 20;
}

const struct view_ops view_ops_stats = {
	.name = "stats",
	.title = "counters since the beginning",
	.min_rows = 6,
	.draw = draw,
	.wants = wants,
};

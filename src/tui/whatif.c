/* SPDX-License-Identifier: GPL-2.0-only */
#include "whatif.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nav.h"

enum { FOLLOW_OPS_MAX = 500000, PORTION_OPS = 64 };

u64 ui_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000u + (u64)ts.tv_nsec;
}

void whatif_free(struct ui *ui)
{
	for (u32 i = 0; i < ui->whatif.nr; i++) {
		if (ui->whatif.lanes[i].tl)
			tl_destroy(ui->whatif.lanes[i].tl);
	}
	memset(&ui->whatif, 0, sizeof(ui->whatif));
}

struct lane *whatif_lane(struct ui *ui, enum patch_id id)
{
	for (u32 i = 0; i < ui->whatif.nr; i++) {
		u32 differs = ui->whatif.lanes[i].set ^ ui->whatif.base;

		if (differs & PATCH_BIT(id))
			return &ui->whatif.lanes[i];
	}
	return NULL;
}

/* A lane for each patch of the series, each switched alone with what that takes along. */
static void begin_lanes(struct ui *ui)
{
	struct whatif *w = &ui->whatif;
	enum series series;

	whatif_free(ui);
	w->serial = ui->serial;
	w->base = tl_base_patches(ui->tl);
	w->off = tl_length(ui->tl) > FOLLOW_OPS_MAX;
	series = patch_series(w->base);
	for (int n = 1; n <= patch_count(series) && w->nr < UI_SETS_MAX; n++) {
		enum patch_id id = patch_by_number(series, n);
		bool on = w->base & PATCH_BIT(id);

		w->lanes[w->nr++].set = patch_switch(w->base, id, !on).set;
	}
}

void whatif_moved(struct ui *ui)
{
	struct whatif *w = &ui->whatif;

	if (w->nr == 0 || w->serial != ui->serial || w->base != tl_base_patches(ui->tl))
		begin_lanes(ui);
	if (w->op_valid && w->op == ui->view.index && ui->view.valid)
		return;
	w->op_valid = ui->view.valid;
	w->op = ui->view.index;
	for (u32 i = 0; i < w->nr; i++)
		w->lanes[i].done = false;
}

/* The figures of one operation on a timeline that stands at it. */
static bool figures(struct ui *ui, struct timeline *tl, struct op_view *view, u64 *freed,
		    u64 *refilled, s64 *count, s64 *high)
{
	const struct per_cpu_pages *pcp;
	struct sim_error err;

	if (!op_view_load(view, tl, ui->whatif.op) || tl_seek(tl, ui->whatif.op + 1, 0, &err))
		return false;
	op_view_moved(view, view->nr_steps, freed, refilled);
	pcp = sim_pageset(tl_view(tl), ui->zone,
			  min_int((int)view->op.cpu, (int)sim_nr_cpus(tl_view(tl)) - 1) & 0xffff);
	*count = pcp->count;
	*high = patch_switch(0, P_HIGH_LIMITS, true).set & sim_patches(tl_view(tl)) &&
				!(sim_patches(tl_view(tl)) & PATCH_BIT(P_TUNE_HIGH)) ?
			pcp->high_min :
			pcp->high;
	return true;
}

/* The patch that a lane switches: the one with the lowest number that is not only taken along. */
static enum patch_id lane_patch(const struct ui *ui, u32 lane)
{
	return patch_by_number(patch_series(ui->whatif.base), (int)lane + 1);
}

static void finish_lane(struct ui *ui, u32 i)
{
	struct lane *lane = &ui->whatif.lanes[i];
	struct op_view view = { 0 };

	if (!figures(ui, lane->tl, &view, &lane->freed, &lane->refilled, &lane->count,
		     &lane->high)) {
		lane->failed = true;
	} else {
		lane->at = ui->whatif.op + 1;
		compare_reason(ui, &ui->view, &view, lane_patch(ui, i), lane->reason,
			       sizeof(lane->reason));
	}
	lane->done = true;
	op_view_free(&view);
}

/* The main line's own figures: its timeline is moved and put back. */
static void own_figures(struct ui *ui)
{
	struct whatif *w = &ui->whatif;
	struct tl_pos pos = nav_pos(ui);
	struct op_view view = { 0 };
	struct sim_error err;

	figures(ui, ui->tl, &view, &w->freed, &w->refilled, &w->count, &w->high);
	tl_seek(ui->tl, pos.op, pos.step, &err);
	op_view_free(&view);
}

/* One portion of one lane. */
static void advance_lane(struct ui *ui, u32 i)
{
	struct lane *lane = &ui->whatif.lanes[i];
	u64 target = ui->whatif.op;
	struct sim_error err;

	if (!lane->tl) {
		if (tl_first(ui->tl) > 0 || tl_fork(ui->tl, &lane->tl, &err) ||
		    tl_seek(lane->tl, 0, 0, &err) ||
		    tl_set_base_patches(lane->tl, lane->set, &err)) {
			lane->failed = lane->done = true;
			return;
		}
		lane->at = 0;
		return;
	}
	if (lane->at != target) {
		u64 next = lane->at > target ? target : lane->at + PORTION_OPS;

		next = min_s64((s64)next, (s64)target) & INT64_MAX;
		if (tl_seek(lane->tl, next, 0, &err)) {
			lane->failed = lane->done = true;
			return;
		}
		lane->at = next;
		return;
	}
	finish_lane(ui, i);
}

bool whatif_idle(struct ui *ui, u64 budget_ns)
{
	struct whatif *w = &ui->whatif;
	u64 until = ui_now_ns() + budget_ns;
	u32 i = 0;

	if (!ui->open || !w->op_valid || w->off || !ui->view.valid)
		return false;
	for (i = 0; i < w->nr && w->lanes[i].done; i++)
		;
	if (i == w->nr)
		return false;
	if (i == 0)
		own_figures(ui);
	while (i < w->nr && ui_now_ns() < until) {
		if (w->lanes[i].failed)
			w->lanes[i].done = true;
		if (!w->lanes[i].done)
			advance_lane(ui, i);
		else
			i++;
	}
	return true;
}

bool whatif_pending(const struct ui *ui)
{
	for (u32 i = 0; i < ui->whatif.nr; i++)
		if (!ui->whatif.lanes[i].done)
			return ui->whatif.op_valid && !ui->whatif.off;
	return false;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "view.h"

#include <string.h>

#define VIEW(id, name, title, min_rows, help) extern const struct view_ops view_ops_##name;
#include "view.def"
#undef VIEW

static const struct view_ops *const views[NR_VIEWS] = {
#define VIEW(id, name, title, min_rows, help) [VIEW_##id] = &view_ops_##name,
#include "view.def"
#undef VIEW
};

const struct view_ops *view_get(enum view_id id)
{
	return views[id];
}

enum view_id view_find(const char *name)
{
	static const char *const names[NR_VIEWS] = {
#define VIEW(id, name, title, min_rows, help) [VIEW_##id] = #name,
#include "view.def"
#undef VIEW
	};

	for (int i = 0; i < NR_VIEWS; i++)
		if (strcmp(names[i], name) == 0)
			return (enum view_id)i;
	return NR_VIEWS;
}

s32 pcp_high_shown(const struct per_cpu_pages *pcp, u32 patches)
{
	bool fixed = (patches & PATCH_BIT(P_HIGH_LIMITS)) && !(patches & PATCH_BIT(P_TUNE_HIGH));

	return fixed ? pcp->high_min : pcp->high;
}

const char *list_name(u32 pindex, char *buf)
{
	if (pindex >= NR_LOWORDER_PCP_LISTS)
		return "T9";
	buf[0] = "UMR"[pindex % MIGRATE_PCPTYPES];
	buf[1] = (char)('0' + pindex / MIGRATE_PCPTYPES);
	buf[2] = '\0';
	return buf;
}

const struct per_cpu_pages *pcp_now(const struct ui *ui, u32 cpu)
{
	return &ui->now.pcp[ui->zone * sim_nr_cpus(nav_sim(ui)) + cpu];
}

const struct per_cpu_pages *pcp_before(const struct ui *ui, u32 cpu)
{
	if (!ui->before.valid)
		return NULL;
	return &ui->before.pcp[ui->zone * sim_nr_cpus(nav_sim(ui)) + cpu];
}

void step_parts(const struct ui *ui, const struct step *step, char *left, char *right)
{
	char text[STEP_TEXT_MAX], *cut;

	step_format(nav_sim(ui), step, text);
	right[0] = '\0';
	cut = strstr(text, "not asked: ");
	if (!cut && step_infos[step->id].kind == SK_COND) {
		size_t len = strlen(text);

		if (len > 5 && strcmp(text + len - 5, ": yes") == 0)
			cut = text + len - 3;
		else if (len > 4 && strcmp(text + len - 4, ": no") == 0)
			cut = text + len - 2;
	}
	if (cut) {
		snprintf(right, STEP_TEXT_MAX, "%s", cut);
		while (cut > text && (cut[-1] == ' ' || cut[-1] == ':'))
			cut--;
		*cut = '\0';
	}
	snprintf(left, STEP_TEXT_MAX, "%s", text);
}

enum style step_style(const struct step *step)
{
	switch (step_infos[step->id].kind) {
	case SK_NOT_ASKED:
		return ST_NOT_ASKED;
	case SK_RESULT:
		return ST_RESULT;
	case SK_REFILL:
	case SK_BULK:
	case SK_DRAIN:
	case SK_FLAG:
	case SK_TICK:
	case SK_PATCH:
	case SK_FAIL:
		return ST_EVENT;
	default:
		return ST_NORMAL;
	}
}

/* The last step of an id before the one that is shown; NULL if none. */
static const struct step *earlier(const struct ui *ui, enum step_id id)
{
	for (u32 i = ui->view.at; i > 0; i--)
		if (ui->view.steps[i - 1].id == id)
			return &ui->view.steps[i - 1];
	return NULL;
}

/* Inside a bulk free or refill: how far it is. */
static bool now_bulk(struct ui *ui, const struct step *step, char *buf, size_t size)
{
	const struct step *begin = earlier(ui, STEP_BULK_BEGIN),
			  *page = earlier(ui, STEP_BULK_PAGE);
	char zone[32];
	u8 func = step_infos[step->id].func;

	if (func == FN_free_pcppages_bulk && step->id == STEP_BULK_DONE) {
		snprintf(
			buf, size,
			"cpu%lld has given %lld pages back to zone %s in one lock hold, %lld are left",
			(long long)step->args[2], (long long)step->args[0],
			sim_zone_name(nav_sim(ui), (u32)step->args[3], zone),
			(long long)step->args[1]);
		return true;
	}
	if ((func != FN_free_pcppages_bulk && func != FN___free_one_page) || !begin ||
	    (func == FN___free_one_page && (!page || page < begin)))
		return false;
	if (!page || page < begin || step->id == STEP_BULK_BEGIN)
		snprintf(buf, size,
			 "cpu%lld gives %lld pages back to zone %s: begins, one lock hold",
			 (long long)begin->args[4], (long long)begin->args[1],
			 sim_zone_name(nav_sim(ui), (u32)begin->args[5], zone));
	else
		snprintf(
			buf, size,
			"cpu%lld gives %lld pages back to zone %s: %lld done, %lld to go, one lock hold",
			(long long)begin->args[4], (long long)begin->args[1],
			sim_zone_name(nav_sim(ui), (u32)begin->args[5], zone),
			(long long)(begin->args[1] - page->args[4]), (long long)page->args[4]);
	return true;
}

static bool now_refill(struct ui *ui, const struct step *step, char *buf, size_t size)
{
	const struct step *begin = earlier(ui, STEP_REFILL_BEGIN);
	const struct step *page = earlier(ui, STEP_REFILL_PAGE);
	char zone[32];
	u8 func = step_infos[step->id].func;

	if (!begin ||
	    (func != FN_rmqueue_bulk && func != FN___rmqueue_smallest && func != FN_expand))
		return false;
	snprintf(
		buf, size,
		"cpu%u refills a list from zone %s: %lld of %lld blocks of order %lld, one lock hold",
		step->cpu, sim_zone_name(nav_sim(ui), (u32)begin->args[3], zone),
		(long long)(page && page > begin ? page->args[2] : 0), (long long)begin->args[0],
		(long long)begin->args[1]);
	return true;
}

/* What is next, for a boundary. */
static void next_words(struct ui *ui, char *buf, size_t size)
{
	struct tl_pos pos = nav_pos(ui);
	char words[UI_LINE_MAX];
	const u32 *slots;
	struct sim_error err;
	struct op op;

	if (pos.op >= tl_length(ui->tl))
		snprintf(buf, size, "the end");
	else if (tl_op(ui->tl, pos.op, &op, &slots, &err) == SIM_OK)
		snprintf(buf, size, "next: %s", op_words(&op, words));
	else
		snprintf(buf, size, "?");
}

/* Between two operations: what the last one did, and the next one where there is room. */
static void boundary_words(struct ui *ui, char *buf, size_t size)
{
	char next[UI_LINE_MAX + 8], words[UI_LINE_MAX], did[UI_LINE_MAX + 64];
	u64 freed, got;

	next_words(ui, next, sizeof(next));
	op_view_moved(&ui->view, ui->view.nr_steps, &freed, &got);
	op_words(&ui->view.op, words);
	if (ui->view.result.status == OP_REFUSED)
		snprintf(did, sizeof(did), "refused: %s", words);
	else if (ui->view.result.status == OP_FAILED)
		snprintf(did, sizeof(did), "failed: %s (got %u)", words, ui->view.result.got);
	else if (freed || got)
		snprintf(did, sizeof(did), "done: %s (%s %llu pages)", words,
			 freed ? "gave back" : "refilled",
			 (unsigned long long)(freed ? freed : got));
	else
		snprintf(did, sizeof(did), "done: %s", words);
	if (text_columns(did) + text_columns(next) + 9 <= ui->cols)
		snprintf(buf, size, "%s; %s", did, next);
	else
		snprintf(buf, size, "%s", did);
}

void now_words(struct ui *ui, char *buf, size_t size)
{
	const struct step *step = nav_current(ui);
	char text[STEP_TEXT_MAX], next[UI_LINE_MAX + 8];

	if (nav_pos(ui).step == 0 && ui->view.valid) {
		boundary_words(ui, buf, size);
		return;
	}
	if (nav_pos(ui).step == 0) {
		next_words(ui, next, sizeof(next));
		snprintf(buf, size, "nothing has happened yet; %s", next);
		return;
	}
	if (!step) {
		snprintf(buf, size, "?");
		return;
	}
	if (now_bulk(ui, step, buf, size) || now_refill(ui, step, buf, size))
		return;
	step_format(nav_sim(ui), step, text);
	if (strncmp(text, "cpu", 3) == 0)
		snprintf(buf, size, "%s%s", step->depth ? "injected: " : "", text);
	else
		snprintf(buf, size, "%scpu%u: %s", step->depth ? "injected: " : "", step->cpu,
			 text);
}

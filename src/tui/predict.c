/* SPDX-License-Identifier: GPL-2.0-only */
/* Predictions: the value that an expression has when the next operation is done, against what the person said. */
#include <string.h>
#include <strings.h>

#include "dialog.h"
#include "nav.h"

static void value_text(const struct ui_value *value, char *buf, size_t size)
{
	if (value->type == UI_VALUE_INT)
		snprintf(buf, size, "%lld", (long long)value->number);
	else if (value->type == UI_VALUE_BOOL)
		snprintf(buf, size, "%s", value->number ? "true" : "false");
	else
		snprintf(buf, size, "%s", value->text);
}

static bool same_answer(const char *right, const char *said)
{
	if (strcasecmp(right, said) == 0)
		return true;
	return (strcmp(right, "true") == 0 && strcasecmp(said, "yes") == 0) ||
	       (strcmp(right, "false") == 0 && strcasecmp(said, "no") == 0);
}

/* The value when @cue's operation is done; the shown line goes there and back. */
static bool find_value(struct ui *ui, const struct ui_cue *cue, char *buf, size_t size)
{
	const struct ui_expr *expr = ui->opt->expr;
	struct tl_pos pos = nav_pos(ui);
	char error[UI_ERROR_MAX] = "there are no expressions here";
	struct ui_value value;
	struct sim_error err;
	void *handle = expr ? expr->compile(expr->ctx, nav_sim(ui), ui->src.zone, cue->expr, error,
					    sizeof(error)) :
			      NULL;
	u64 after = nav_cue_op(ui, cue->after);
	struct op_view view = { 0 };
	struct ui_last last = { 0 };
	bool ok = false;

	if (after > 0 && op_view_load(&view, ui->tl, after - 1)) {
		last.got = view.result.got;
		last.failed = (s64)view.op.count - view.result.got;
	}
	op_view_free(&view);
	if (handle && tl_seek(ui->tl, after, 0, &err) == SIM_OK)
		ok = expr->eval(expr->ctx, handle, nav_sim(ui), &last, &value, error,
				sizeof(error));
	if (handle)
		expr->release(expr->ctx, handle);
	tl_seek(ui->tl, pos.op, pos.step, &err);
	if (ok)
		value_text(&value, buf, size);
	else
		snprintf(buf, size, "%.60s", error);
	return ok;
}

void predict_answer(struct ui *ui, const struct ui_cue *cue, const char *text, bool revealed,
		    bool hinted)
{
	struct answer *a;

	if (ui->nr_answers == UI_ANSWERS_MAX)
		return;
	a = &ui->answers[ui->nr_answers++];
	memset(a, 0, sizeof(*a));
	a->id = cue->id;
	snprintf(a->text, sizeof(a->text), "%.63s", text);
	a->revealed = revealed;
	a->hinted = hinted;
	a->of = cue->points;
	a->correct = find_value(ui, cue, a->right, sizeof(a->right)) && !revealed &&
		     same_answer(a->right, text);
	a->points = a->correct ? cue->points : 0;
	nav_refresh(ui);
}

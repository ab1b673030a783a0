/* SPDX-License-Identifier: GPL-2.0-only */
#include "command.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/near.h"
#include "base/number.h"
#include "dialog.h"
#include "loop.h"
#include "nav.h"
#include "request.h"
#include "scan.h"
#include "theme.h"
#include "view.h"

enum command_where { LAB, ANY };

enum command_id {
#define CMD(name, args, where, help) CMD_##name,
#include "command.def"
#undef CMD
	NR_COMMANDS
};

static const struct {
	const char *name, *args, *help;
	enum command_where where;
} commands[] = {
#define CMD(name, args, where, help) { #name, args, help, where },
#include "command.def"
#undef CMD
};

static const char *command_name(const void *ctx, size_t i)
{
	(void)ctx;
	return i < NR_COMMANDS ? commands[i].name : NULL;
}

int commands_help(struct pane *p, int row)
{
	pane_row(p, row++, 0);
	pane_put(p, ST_TITLE, "commands (:NAME, Tab completes)");
	for (int i = 0; i < NR_COMMANDS; i++) {
		pane_row(p, row, 1);
		pane_put(p, ST_KEY, ":%s %s", commands[i].name, commands[i].args);
		row = pane_wrap(p, row, 26, ST_NORMAL, commands[i].help);
	}
	pane_row(p, row, 1);
	pane_put(p, ST_KEY, ":=EXPR");
	return pane_wrap(p, row, 26, ST_NORMAL,
			 "the value of an expression over the fields, like cpu[0].count");
}

/* ---- running ---- */

static void evaluate(struct ui *ui, const char *text)
{
	const struct ui_expr *expr = ui->opt->expr;
	char error[UI_ERROR_MAX] = "there are no expressions here";
	struct ui_value value;
	void *handle = expr ? expr->compile(expr->ctx, nav_sim(ui), (int)ui->zone, text, error,
					    sizeof(error)) :
			      NULL;

	if (!handle) {
		ui_complain(ui, "%s", error);
		return;
	}
	if (!expr->eval(expr->ctx, handle, nav_sim(ui), NULL, &value, error, sizeof(error)))
		ui_complain(ui, "%s", error);
	else if (value.type == UI_VALUE_INT)
		ui_say(ui, "%s = %lld", text, (long long)value.number);
	else if (value.type == UI_VALUE_BOOL)
		ui_say(ui, "%s = %s", text, value.number ? "true" : "false");
	else
		ui_say(ui, "%s = %s", text, value.text);
	expr->release(expr->ctx, handle);
}

static void set_patches(struct ui *ui, const char *text, bool from_start)
{
	struct patch_change change;
	char error[UI_LINE_MAX], words[96];

	if (!patch_set_parse(text, patch_series(tl_base_patches(ui->tl)), &change, error,
			     sizeof(error))) {
		ui_complain(ui, "%s", error);
		return;
	}
	snprintf(words, sizeof(words), "patches %.40s %s", text,
		 from_start ? "from the start" : "from here on");
	request_set_patches(ui, change.set, change.also_on, change.also_off, from_start, words);
}

static void set_series(struct ui *ui, const char *text)
{
	u32 base = tl_base_patches(ui->tl);
	struct patch_change change;

	if (strcmp(text, "v2") != 0 && strcmp(text, "v3") != 0) {
		ui_complain(ui, "series: v2 or v3");
		return;
	}
	change = patch_set_series(base, text[1] == '3' ? SERIES_V3 : SERIES_V2);
	request_set_patches(ui, change.set, change.also_on, change.also_off, true,
			    text[1] == '3' ? "series v3 from the start" :
					     "series v2 from the start");
}

static void make_branch(struct ui *ui, const char *name)
{
	struct timeline *tl;
	struct sim_error err;

	for (u32 i = 0; i < ui->nr_branches; i++) {
		if (strcmp(ui->branches[i].name, name) == 0) {
			ui_complain(ui, "there is a branch '%s'; :switch shows it", name);
			return;
		}
	}
	if (tl_fork(ui->tl, &tl, &err)) {
		ui_complain(ui, "%s", err.message);
		return;
	}
	if (!nav_add_branch(ui, tl, name)) {
		tl_destroy(tl);
		return;
	}
	nav_show_branch(ui, ui->nr_branches - 1);
	ui_say(ui, "branch %s: edits are its own now; :switch main line goes back", name);
}

static void switch_branch(struct ui *ui, const char *name)
{
	for (u32 i = 0; i < ui->nr_branches; i++) {
		if (strcmp(ui->branches[i].name, name) == 0) {
			nav_show_branch(ui, i);
			return;
		}
	}
	ui_complain(ui, "no branch '%s'; the branches pane lists them", name);
}

static bool number(struct ui *ui, const char *text, u64 min, u64 max, u64 *out)
{
	struct diag d;

	if (base_parse_uint(text, strlen(text), min, max, out, &d) == BASE_ERR_OK)
		return true;
	ui_complain(ui, "%.200s", d.message);
	return false;
}

static void page_life(struct ui *ui, const char *text)
{
	char *end;
	unsigned long long pfn = strtoull(text, &end, 16);
	struct page_info info;

	if (end == text || *end || !sim_page_info(nav_sim(ui), pfn, &info)) {
		ui_complain(ui, "'%s' is no page of this machine (pfns are hexadecimal)", text);
		return;
	}
	dialog_text(ui, "the life of a page", scan_page_life(ui, pfn));
}

static void set_palette(struct ui *ui, const char *name)
{
	const char *near;

	for (int i = 0; ui_palette_names[i]; i++) {
		if (strcmp(ui_palette_names[i], name) == 0) {
			ui->palette = (enum ui_palette)i;
			theme_start(ui);
			return;
		}
	}
	near = base_near_list(name, ui_palette_names);
	ui_complain(ui, "no palette '%s'%s%s", name, near ? "; did you mean " : "",
		    near ? near : "");
}

static void focus_pane(struct ui *ui, const char *name)
{
	enum view_id id = view_find(name);

	if (id == NR_VIEWS)
		ui_complain(ui, "no pane '%s'; ? lists them", name);
	else
		ui->focus = id;
}

static void named_mark(struct ui *ui, const char *name)
{
	if (ui->nr_marks == UI_MARKS_MAX) {
		ui_complain(ui, "there are %d bookmarks already", UI_MARKS_MAX);
		return;
	}
	ui->marks[ui->nr_marks] = nav_pos(ui);
	snprintf(ui->mark_names[ui->nr_marks++], sizeof(ui->mark_names[0]), "%.31s", name);
	ui_say(ui, "bookmark %s", name);
}

static void forget_oldest(struct ui *ui)
{
	struct sim_error err;

	if (tl_drop_oldest(ui->tl, &err))
		ui_complain(ui, "%s", err.message);
	else
		ui_say(ui, "the log begins at operation %llu now",
		       (unsigned long long)tl_first(ui->tl) + 1);
	nav_changed(ui);
}

/* An option that writes or reads a file: what it says goes to the message line. */
static void with_file(struct ui *ui, enum command_id id, const char *path)
{
	char error[UI_ERROR_MAX] = "";
	bool ok;

	/* What is seen now, without the line in which the command was typed. */
	if (id == CMD_screenshot)
		ui_draw(ui);
	if (id == CMD_save)
		ok = session_save(ui, path, error, sizeof(error));
	else if (id == CMD_load)
		ok = session_load(ui, path, error, sizeof(error));
	else if (id == CMD_screenshot)
		ok = shot_save(ui, path, error, sizeof(error));
	else
		ok = ui->src.save_answers ?
			     ui->src.save_answers(ui->src.ctx, path, ui->answers, ui->nr_answers,
						  error, sizeof(error)) :
			     (snprintf(error, sizeof(error), "this scenario asks nothing"), false);
	if (!ok)
		ui_complain(ui, "%s", error);
	else if (id != CMD_load)
		ui_say(ui, "written to %s", path);
}

static void drop_branch(struct ui *ui)
{
	if (ui->branch == 0) {
		ui_complain(ui, "the main line stays");
		return;
	}
	nav_drop_branch(ui);
}

static enum handled run(struct ui *ui, enum command_id id, const char *arg)
{
	u64 n;

	switch (id) {
	case CMD_pane:
		focus_pane(ui, arg);
		break;
	case CMD_goto:
		return request_prompted(ui, PROMPT_GOTO, arg);
	case CMD_patches:
	case CMD_from_start:
		set_patches(ui, arg, id == CMD_from_start);
		break;
	case CMD_series:
		set_series(ui, arg);
		break;
	case CMD_diff:
		return request_prompted(ui, PROMPT_DIFF, arg);
	case CMD_branch:
		make_branch(ui, arg);
		break;
	case CMD_switch:
		switch_branch(ui, arg);
		break;
	case CMD_drop:
		drop_branch(ui);
		break;
	case CMD_break:
		breaks_add(ui, arg);
		break;
	case CMD_delete:
		if (number(ui, arg, 1, UI_BREAKS_MAX, &n) && !breaks_remove(ui, (u32)n - 1))
			ui_complain(ui, "there is no breakpoint %llu", (unsigned long long)n);
		break;
	case CMD_mark:
		named_mark(ui, arg);
		break;
	case CMD_zone:
		if (number(ui, arg, 0, sim_nr_zones(nav_sim(ui)) - 1u, &n))
			ui->zone = (u32)n;
		break;
	case CMD_page:
		page_life(ui, arg);
		break;
	case CMD_speed:
		if (number(ui, arg, 1, 1000, &n))
			ui->speed = (u32)n;
		break;
	case CMD_forget_oldest:
		forget_oldest(ui);
		break;
	case CMD_open:
		nav_open(ui, arg);
		break;
	case CMD_palette:
		set_palette(ui, arg);
		break;
	case CMD_help:
		dialog_help(ui);
		break;
	case CMD_quit:
		return UI_QUIT;
	default:
		with_file(ui, id, arg);
	}
	return UI_REDRAW | UI_RELAYOUT;
}

enum handled command_run(struct ui *ui, const char *text)
{
	char word[UI_LINE_MAX];
	const char *arg, *near;
	size_t len;

	text += strspn(text, " ");
	if (text[0] == '=') {
		if (!ui->open)
			ui_complain(ui, "open a scenario first: its machine has the fields");
		else
			evaluate(ui, text + 1);
		return UI_REDRAW;
	}
	len = strcspn(text, " ");
	snprintf(word, sizeof(word), "%.*s", (int)len, text);
	arg = text + len + strspn(text + len, " ");
	for (int i = 0; i < NR_COMMANDS; i++) {
		if (strcmp(commands[i].name, word) != 0)
			continue;
		if (commands[i].where == LAB && !ui->open)
			ui_complain(ui, ":%s needs a scenario; open one first", word);
		else if (commands[i].args[0] && !*arg)
			ui_complain(ui, ":%s %s: the argument is missing", word, commands[i].args);
		else
			return run(ui, (enum command_id)i, arg);
		return UI_REDRAW;
	}
	near = base_near(word, command_name, NULL);
	ui_complain(ui, "no command ':%s'%s%s", word, near ? "; did you mean :" : "; ? lists them",
		    near ? near : "");
	return UI_REDRAW;
}

/* ---- completion ---- */

struct completion {
	const char *word;
	size_t len;
	u32 nr;
	char common[FIELD_NAME_MAX];
	char *list;
	size_t used, size;
};

static void offer(struct completion *c, const char *name)
{
	size_t i;

	if (strncmp(name, c->word, c->len) != 0)
		return;
	if (c->nr++ == 0)
		snprintf(c->common, sizeof(c->common), "%s", name);
	for (i = 0; c->common[i] && c->common[i] == name[i]; i++)
		;
	c->common[i] = '\0';
	if (c->used + strlen(name) + 2 < c->size)
		c->used += (size_t)snprintf(c->list + c->used, c->size - c->used, "%s ", name);
}

/* Field names as they go on from what is typed: whole paths of the machine. */
static void offer_fields(struct ui *ui, struct completion *c)
{
	struct field_ref ref;
	bool started = false;
	char path[FIELD_NAME_MAX];
	u32 n = 0;

	while (n++ < 20000 && field_next(nav_sim(ui), &ref, &started))
		offer(c, field_path(&ref, path));
}

static void offer_arguments(struct ui *ui, struct completion *c, const char *command)
{
	if (strcmp(command, "pane") == 0) {
		for (int i = 0; i < NR_VIEWS; i++)
			offer(c, view_get((enum view_id)i)->name);
	} else if (strcmp(command, "palette") == 0) {
		for (int i = 0; ui_palette_names[i]; i++)
			offer(c, ui_palette_names[i]);
	} else if (strcmp(command, "open") == 0 && ui->opt->library) {
		for (size_t i = 0; i < ui->opt->library->nr; i++)
			offer(c, ui->opt->library->entries[i].path);
	} else if (strcmp(command, "switch") == 0 || strcmp(command, "diff") == 0) {
		for (u32 i = 0; i < ui->nr_branches; i++)
			offer(c, ui->branches[i].name);
	} else if (strcmp(command, "series") == 0) {
		offer(c, "v2");
		offer(c, "v3");
	} else if (ui->open && strcmp(command, "break") == 0) {
		offer_fields(ui, c);
	}
}

static size_t word_begin(const char *line)
{
	size_t at = strlen(line);

	while (at > 0 && !strchr(" =<>()+-*/~", line[at - 1]))
		at--;
	return at;
}

void command_complete(struct ui *ui, enum prompt_kind kind, char *line, size_t size, char *list,
		      size_t list_size)
{
	size_t begin = word_begin(line);
	struct completion c = {
		.word = line + begin, .len = strlen(line + begin), .list = list, .size = list_size
	};
	char command[32], word[UI_LINE_MAX];

	list[0] = '\0';
	snprintf(word, sizeof(word), "%s", line + begin);
	c.word = word;
	snprintf(command, sizeof(command), "%.*s", (int)min_s64((s64)strcspn(line, " "), 31), line);
	if (kind == PROMPT_BREAK || (kind == PROMPT_COMMAND && line[0] == '=')) {
		if (ui->open)
			offer_fields(ui, &c);
	} else if (kind == PROMPT_COMMAND && begin == 0) {
		for (int i = 0; i < NR_COMMANDS; i++)
			offer(&c, commands[i].name);
	} else if (kind == PROMPT_COMMAND) {
		offer_arguments(ui, &c, command);
	} else if (kind == PROMPT_DIFF) {
		offer_arguments(ui, &c, "diff");
	}
	if (c.nr == 0) {
		snprintf(list, list_size, "nothing begins like that");
		return;
	}
	if (strlen(c.common) > c.len)
		snprintf(line + begin, size - begin, "%s%s", c.common, c.nr == 1 ? " " : "");
	if (c.nr == 1)
		list[0] = '\0';
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The screen on a null terminal, cell by cell. */
#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>

#include "base/text.h"
#include "tmpdir.h"
#include "tui/big_cpus.h"
#include "tui/command.h"
#include "tui/struct_layout.h"
#include "tui/whatif.h"
#include "tui_source.h"

static struct ui_options opt;

static struct ui *begin_in(const char *scenario, int cols, int rows, const char *keys)
{
	struct ui *ui;

	opt = test_options(cols, rows);
	opt.ascii = true;
	opt.open = scenario;
	ui = ui_open(&opt);
	cr_assert(ui, "%s", opt.error);
	cr_assert(ui_feed(ui, keys));
	return ui;
}

static struct ui *begin(int cols, int rows, const char *keys)
{
	return begin_in("exit", cols, rows, keys);
}

/* One row of the screen, blanks at its end cut off. */
static const char *row(int y)
{
	static char text[1024];
	size_t n;

	cr_assert(mvwinnstr(newscr, y, 0, text, (int)sizeof(text) - 1) != ERR);
	n = strlen(text);
	while (n > 0 && text[n - 1] == ' ')
		text[--n] = '\0';
	return text;
}

static bool screen_has(const struct ui *ui, const char *text)
{
	for (int y = 0; y < ui->rows; y++)
		if (strstr(row(y), text))
			return true;
	return false;
}

static void has(struct ui *ui, const char *text)
{
	char *all;

	if (screen_has(ui, text))
		return;
	all = shot_text(ui);
	cr_assert_fail("'%s' is not on the screen:\n%s", text, all);
}

Test(tui_screen, begins_with_what_comes_next)
{
	struct ui *ui = begin(80, 24, "");

	cr_assert_str_eq(row(0), " exit  op 0/6  v2 patches ..........  main line");
	cr_assert_str_eq(row(1),
			 " NOW  nothing has happened yet; next: cpu0 allocates 500 pages, movable");
	has(ui, "A process exits");
	ui_close(ui);
}

/* 63 + 2 * 31 pages are in the lists when the PGD comes: free_high empties all. */
Test(tui_screen, drain_of_the_exit)
{
	struct ui *ui = begin(80, 24, "nnnn");

	cr_assert(strncmp(row(1), " NOW  done: cpu0 frees a block (gave back 125 pages)", 50) == 0);
	cr_assert(strncmp(row(3), ">0       0*  321", 16) == 0, "%s", row(3));
	has(ui, "now 125/0  1: 0/125  5: 320/0  7 8 9: 0/566  10: 309/0  same: 2 3 4 6");
	ui_close(ui);
}

Test(tui_screen, conditions_and_those_not_asked)
{
	struct ui *ui = begin(80, 24, "nnne");

	has(ui, "not asked: patch 1 is off");
	has(ui, "not asked: patch 3 is off");
	has(ui, "cpu0: free_high: consecutive frees of order 1..3");
	has(ui, "zone->stats.free_high++;");
	ui_close(ui);
}

Test(tui_screen, back_is_where_it_was)
{
	struct ui *ui = begin(80, 24, "nnnsss");
	char *before = shot_text(ui), *after;

	cr_assert(ui_feed(ui, "5sSSSSSneNE"));
	cr_assert(ui_feed(ui, "<Home>nnnsss"));
	after = shot_text(ui);
	cr_assert_str_eq(before, after);
	free(before);
	free(after);
	ui_close(ui);
}

Test(tui_screen, toggle_and_undo)
{
	struct ui *ui = begin(80, 24, "nnnt3");

	has(ui, "v2 patches .23.......");
	has(ui, "patch 3 on from here on; it needs 2");
	cr_assert(ui_feed(ui, "u"));
	has(ui, "v2 patches ..........");
	cr_assert_eq(tl_length(ui->tl), 6);
	cr_assert(ui_feed(ui, "T1n"));
	has(ui, "v2 patches 1.........");
	/* With patch 1 the PGD alone drains nothing. */
	cr_assert_eq(sim_pageset(nav_sim(ui), 0, 0)->count, 125);
	ui_close(ui);
}

Test(tui_screen, what_if_side_by_side)
{
	struct ui *ui = begin(80, 24, "nnnnw1");

	has(ui, "what if patch 1 were on");
	has(ui, "first difference: op ");
	has(ui, "they part at step");
	cr_assert(ui_feed(ui, "<Esc>"));
	cr_assert(!ui->compare.on);
	has(ui, "v2 patches ..........");
	ui_close(ui);
}

Test(tui_screen, a_toggle_that_one_line_has_is_named)
{
	struct ui *ui = begin(120, 24, "nnn:branch two<Enter>t3:diff main line<Enter>");

	has(ui, "first difference: op 4: patches 2,3 on here, cpu0 ");
	ui_close(ui);
}

Test(tui_screen, no_difference_says_why)
{
	struct ui *ui = begin(80, 24, "nw4");

	has(ui, "no difference in op 1, because");
	ui_close(ui);
}

Test(tui_screen, predict_right_wrong_and_reveal)
{
	struct ui *ui = begin(80, 24, "nnnp");

	has(ui, "What will cpu 0's count be?");
	cr_assert(ui_feed(ui, "h"));
	has(ui, "Look at free_factor.");
	cr_assert(ui_feed(ui, "2<Enter>"));
	has(ui, "Wrong: you said 62, it is 0.");
	has(ui, "All of it goes.");
	cr_assert_eq(ui->nr_answers, 1);
	cr_assert(!ui->answers[0].correct);
	ui_close(ui);
	ui = begin(80, 24, "nnnp1<Enter>");
	cr_assert(ui->answers[0].correct);
	cr_assert_eq(ui->answers[0].points, 2);
	ui_close(ui);
}

/* A question at the very beginning stops the first key that would run past it, once. */
Test(tui_screen, question_before_the_first_operation_stops)
{
	static const char *const keys[] = { "c", "n", "e", "<Space>" };
	struct ui *ui;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		ui = begin_in("first", 80, 24, keys[i]);
		cr_assert(strncmp(row(0), " exit  op 0/6  ", 15) == 0, "%s: %s", keys[i], row(0));
		cr_assert_not(ui->playing);
		has(ui, "a question comes first: p answers it");
		if (i == 1) {
			cr_assert(ui_feed(ui, "n"));
			cr_assert(strncmp(row(0), " exit  op 1/6 done", 18) == 0, "%s", row(0));
		}
		ui_close(ui);
	}
	ui = begin_in("first", 80, 24, "p1<Enter><Enter>n");
	cr_assert(strncmp(row(0), " exit  op 1/6 done", 18) == 0, "%s", row(0));
	ui_close(ui);
	/* a number before the key is a decision already */
	ui = begin_in("first", 80, 24, "2n");
	cr_assert(strncmp(row(0), " exit  op 2/6 done", 18) == 0, "%s", row(0));
	ui_close(ui);
}

/* What is said and asked between two operations is on the screen as a whole. */
Test(tui_screen, words_of_the_lesson_in_full)
{
	static const int sizes[][2] = { { 80, 24 }, { 100, 30 }, { 120, 40 }, { 200, 60 } };
	struct ui *ui;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		ui = begin_in("first", sizes[i][0], sizes[i][1], "");
		has(ui, "All free memory of a zone");
		has(ui, "said-to-be-empty.");
		has(ui, "Question-begins:");
		has(ui, "Question-ends");
		ui_close(ui);
		ui = begin_in("first", sizes[i][0], sizes[i][1], "Z");
		has(ui, "Question-begins:");
		has(ui, "Question-ends");
		ui_close(ui);
	}
	/* with another pane in its place, too */
	ui = begin_in("first", 80, 24, ":pane zone<Enter>");
	has(ui, "order");
	has(ui, "Question-ends");
	ui_close(ui);
	/* the compact form has the question first */
	ui = begin_in("first", 60, 18, "");
	has(ui, "asked first: Question-begins:");
	has(ui, "Question-ends");
	ui_close(ui);
	/* inside an operation the code is back */
	ui = begin_in("first", 80, 24, "s");
	has(ui, "code ");
	cr_assert_not(screen_has(ui, "Question-begins:"));
	ui_close(ui);
}

Test(tui_screen, breakpoints_forward_and_back)
{
	struct ui *ui = begin(80, 24, "bcpu[0].zone[0].count > 100<Enter>c");
	struct tl_pos pos = nav_pos(ui);

	cr_assert(sim_pageset(nav_sim(ui), 0, 0)->count > 100);
	cr_assert(ui_feed(ui, "S"));
	cr_assert(sim_pageset(nav_sim(ui), 0, 0)->count <= 100);
	cr_assert(ui_feed(ui, "<End>"));
	/* Back to the last time it became true, then on: the first is where it was. */
	cr_assert(ui_feed(ui, "C"));
	cr_assert(nav_pos(ui).op <= 6);
	cr_assert(ui_feed(ui, "<Home>c"));
	cr_assert_eq(nav_pos(ui).op, pos.op);
	cr_assert_eq(nav_pos(ui).step, pos.step);
	ui_close(ui);
}

/* "4.5" is what the header calls it, and the same in step --text; "4" is the end of operation 4, also of a breakpoint. */
Test(tui_screen, go_to_uses_the_numbers_that_the_screen_shows)
{
	struct ui *ui = begin(80, 24, "g4.5<Enter>");

	cr_assert_eq(nav_pos(ui).op, 3);
	cr_assert_eq(nav_pos(ui).step, 5);
	has(ui, "op 4/6  step 5/");
	cr_assert(ui_feed(ui, "m:pane branches<Enter>"));
	has(ui, "bookmark op 4.5");
	cr_assert(ui_feed(ui, "4g"));
	has(ui, "op 4/6 done");
	cr_assert(ui_feed(ui, "<Home>bop 4<Enter>"));
	for (int i = 0; i < 6 && nav_pos(ui).op < 4; i++)
		cr_assert(ui_feed(ui, "c"));
	has(ui, "stopped at breakpoint 1: op 4");
	has(ui, "op 4/6 done");
	cr_assert(ui_feed(ui, "g7<Enter>"));
	has(ui, "the log has 6 operations");
	cr_assert(ui_feed(ui, "g0.1<Enter>"));
	has(ui, "expected 7 for the end");
	ui_close(ui);
}

Test(tui_screen, who_set_a_value)
{
	struct ui *ui = begin(80, 24, "nnnnno");

	cr_assert_eq(ui->focus, VIEW_CPUS);
	cr_assert(ui_feed(ui, "o"));
	/* The tick of op 5 changed nothing: the count came from op 4's last page. */
	cr_assert_eq(nav_pos(ui).op, 3);
	has(ui, "was set here, by op 4");
	ui_close(ui);
}

Test(tui_screen, every_pane_is_reached_by_tab)
{
	struct ui *ui = begin(80, 24, "nnnsss");

	for (int i = 0; i < NR_VIEWS; i++) {
		cr_assert(ui->places[ui->focus].h > 0, "pane %d has no place", (int)ui->focus);
		cr_assert(ui_feed(ui, "<Enter>"));
		cr_assert(ui_feed(ui, "<Esc><Tab>"));
	}
	cr_assert_eq(ui->focus, VIEW_CPUS);
	ui_close(ui);
}

/* The marker of the code pane stands beside the line of the step: "> " in its gutter. */
static int code_marker(const struct ui *ui)
{
	const struct rect *r = &ui->places[VIEW_CODE];

	for (int y = r->y + 1; y < r->y + r->h; y++)
		if (row(y)[r->x + 2] == '>')
			return y - r->y;
	return 0;
}

Test(tui_screen, the_code_pane_opens_at_the_line)
{
	struct ui *ui = begin(80, 24, ":pane log<Enter>nnn8s");
	int top;

	/* no place before: another pane has the room */
	cr_assert_eq(ui->places[VIEW_CODE].h, 0);
	cr_assert(ui_feed(ui, ":pane code<Enter>"));
	cr_assert(code_marker(ui), "the line is not in the pane");
	/* scrolled, it stays there; the next step brings its line */
	top = ui->views[VIEW_CODE].top;
	cr_assert(ui_feed(ui, "<PgDn><PgDn>"));
	cr_assert_neq(ui->views[VIEW_CODE].top, top);
	cr_assert_eq(code_marker(ui), 0);
	cr_assert(ui_feed(ui, "s"));
	cr_assert(code_marker(ui), "the next line is not in the pane");
	ui_close(ui);
}

Test(tui_screen, inject_in_the_middle)
{
	struct ui *ui = begin(80, 24, "nnnssi<Right><Right><Right><Right><Right><Right><Enter>");

	cr_assert_eq(ui->dialog.kind, DIALOG_NONE, "%s", ui->dialog.message);
	cr_assert_eq(tl_nr_injections(ui->tl, 3), 1);
	cr_assert(ui_feed(ui, "u"));
	cr_assert_eq(tl_nr_injections(ui->tl, 3), 0);
	ui_close(ui);
}

Test(tui_screen, too_small_says_what_it_needs_and_comes_back)
{
	struct ui *ui = begin(80, 24, "nnn<Resize 30x8>");

	cr_assert_str_eq(row(0), "pageset needs 40x10, this is 3");
	cr_assert(ui_feed(ui, "<Resize 80x24>"));
	has(ui, "op 3/6");
	ui_close(ui);
}

Test(tui_screen, start_page_by_level)
{
	struct ui *ui;

	opt = test_options(80, 24);
	opt.ascii = true;
	ui = ui_open(&opt);
	cr_assert(ui);
	ui_draw(ui);
	cr_assert(strstr(row(3), "beginner"));
	cr_assert(strstr(row(4), "exit"));
	cr_assert(strstr(row(5), "advanced"));
	cr_assert(strstr(row(6), "224 CPUs"));
	/* Up at the first one, then Enter at once: the first opens. */
	cr_assert(ui_feed(ui, "<Up><Up><Enter>"));
	cr_assert(ui->open);
	cr_assert(ui_feed(ui, "q"));
	cr_assert(!ui_feed(ui, "q"));
	ui_close(ui);
}

Test(tui_screen, session_replays_exactly, .init = tmpdir_make, .fini = tmpdir_remove)
{
	struct ui *ui = begin(80, 24, "nnt1nns");
	u64 digest = sim_state_digest(nav_sim(ui));
	char path[128], error[UI_ERROR_MAX];
	struct tl_pos pos = nav_pos(ui);

	snprintf(path, sizeof(path), "%s/s", tmpdir);
	cr_assert(session_save(ui, path, error, sizeof(error)), "%s", error);
	ui_close(ui);
	ui = begin(80, 24, "");
	cr_assert(session_load(ui, path, error, sizeof(error)), "%s", error);
	cr_assert_eq(sim_state_digest(nav_sim(ui)), digest);
	cr_assert_eq(nav_pos(ui).op, pos.op);
	cr_assert_eq(nav_pos(ui).step, pos.step);
	cr_assert(!session_load(ui, "/dev/null", error, sizeof(error)));
	cr_assert(strstr(error, "not a saved session"), "%s", error);
	ui_close(ui);
}

/* An injection in op 3 step 3; a tick before it; patch 1 on; a branch with patch 3 from the start; an answer, a mark, a breakpoint. */
static const char busy_keys[] = "nnnp1<Enter>"
				"<Home>nnssi<Right><Right><Right><Right><Right><Right><Enter>"
				"<Home>ni<Right><Right><Right><Right><Right><Right><Enter>"
				"nt1"
				":branch two<Enter>T3nnn"
				":switch main line<Enter>:branch three<Enter>t5"
				":switch two<Enter>"
				"bcpu[0].zone[0].count > 100 *2<Enter>"
				":mark mine<Enter>ns";

struct all_of_it {
	u64 digest, ends[3];
	struct tl_pos pos;
	u32 edits[3], branch;
};

static struct all_of_it all_of(struct ui *ui)
{
	struct all_of_it a = { .digest = sim_state_digest(nav_sim(ui)),
			       .pos = nav_pos(ui),
			       .branch = ui->branch };

	cr_assert_eq(ui->nr_branches, 3);
	for (u32 i = 0; i < 3; i++) {
		struct timeline *tl = ui->branches[i].tl;
		struct tl_pos pos = tl_position(tl);

		cr_assert_eq(tl_seek(tl, tl_length(tl), 0, NULL), SIM_OK);
		a.ends[i] = sim_state_digest(tl_view(tl));
		cr_assert_eq(tl_seek(tl, pos.op, pos.step, NULL), SIM_OK);
		a.edits[i] = ui->branches[i].nr_edits;
	}
	return a;
}

static void same_all(const struct all_of_it *a, const struct all_of_it *b)
{
	cr_expect_eq(a->digest, b->digest);
	cr_expect_eq(a->branch, b->branch);
	cr_expect_eq(a->pos.op, b->pos.op);
	cr_expect_eq(a->pos.step, b->pos.step);
	for (u32 i = 0; i < 3; i++) {
		cr_expect_eq(a->ends[i], b->ends[i], "branch %u", i);
		cr_expect_eq(a->edits[i], b->edits[i], "branch %u", i);
	}
}

Test(tui_screen, session_keeps_all_branches_answers_and_marks, .init = tmpdir_make,
     .fini = tmpdir_remove)
{
	struct ui *ui = begin(80, 24, busy_keys);
	char path[128], error[UI_ERROR_MAX];
	struct all_of_it before = all_of(ui), after;
	u64 plain;

	cr_assert_eq(before.branch, 1);
	cr_assert_eq(before.edits[0], 3);
	cr_assert_eq(before.edits[1], 4);
	cr_assert_eq(before.edits[2], 4);
	snprintf(path, sizeof(path), "%s/s", tmpdir);
	cr_assert(session_save(ui, path, error, sizeof(error)), "%s", error);
	after = all_of(ui);
	same_all(&before, &after);
	ui_close(ui);
	ui = begin(80, 24, "");
	plain = sim_state_digest(nav_sim(ui));
	cr_assert(session_load(ui, path, error, sizeof(error)), "%s", error);
	after = all_of(ui);
	same_all(&before, &after);
	cr_expect_str_eq(ui->branches[2].name, "three");
	cr_assert_eq(ui->nr_answers, 1);
	cr_expect(ui->answers[0].correct && ui->answers[0].points == 2);
	cr_expect_str_eq(ui->answers[0].text, "0");
	cr_assert_eq(ui->nr_breaks, 1);
	cr_expect_eq(ui->breaks[0].ignore, 2);
	cr_assert_eq(ui->nr_marks, 2);
	cr_expect_str_eq(ui->mark_names[1], "mine");
	/* Everything can be taken back, the injection too: then it is the scenario. */
	cr_assert(ui_feed(ui, ":switch main line<Enter>uuu<Home>"));
	cr_expect_eq(ui->branches[0].nr_edits, 0, "%s", ui->message);
	cr_expect_eq(sim_state_digest(nav_sim(ui)), plain);
	cr_expect_eq(tl_nr_injections(ui->tl, 2), 0);
	ui_close(ui);
}

static void write_file(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	cr_assert(f);
	cr_assert_eq(fwrite(text, 1, len, f), len);
	fclose(f);
}

/* Whatever the file: one error with its place, and the session that runs is as it was; or it was loaded whole. */
Test(tui_screen, a_bad_session_leaves_the_running_one, .init = tmpdir_make, .fini = tmpdir_remove)
{
	struct ui *ui = begin(80, 24, busy_keys);
	char path[128], bad[128], error[UI_ERROR_MAX];
	struct all_of_it before = all_of(ui), after;
	struct base_text text;
	struct diag d;
	u64 rng = 99;
	int refused = 0;

	snprintf(path, sizeof(path), "%s/s", tmpdir);
	snprintf(bad, sizeof(bad), "%s/bad", tmpdir);
	cr_assert(session_save(ui, path, error, sizeof(error)), "%s", error);
	cr_assert_eq(base_text_read(&text, path, 1 << 20, &d), BASE_ERR_OK);
	for (int round = 0; round < 300; round++) {
		char *copy = malloc(text.len + 1);
		size_t len = text.len, at;

		memcpy(copy, text.data, text.len);
		rng = rng * 6364136223846793005u + 1442695040888963407u;
		at = (size_t)(rng >> 33) % len;
		if (round % 3 == 0)
			len = at;
		else
			copy[at] = "0123456789 .-x"[(rng >> 20) % 14];
		write_file(bad, copy, len);
		free(copy);
		error[0] = '\0';
		if (session_load(ui, bad, error, sizeof(error))) {
			/* A name or a figure that nothing hangs on. */
			cr_assert(session_load(ui, path, error, sizeof(error)), "%s", error);
			continue;
		}
		refused++;
		cr_assert(strstr(error, "bad:"), "%s", error);
		after = all_of(ui);
		same_all(&before, &after);
		cr_assert_eq(ui->nr_answers, 1);
		cr_assert_eq(ui->nr_breaks, 1);
	}
	cr_expect_gt(refused, 100);
	cr_assert(ui_feed(ui, "nNsS"));
	base_text_free(&text);
	ui_close(ui);
}

/* A colour of the 256 as red, green and blue, linear; only the fixed ones. */
static double luminance(int n)
{
	double rgb[3];

	cr_assert(n >= 16 && n < 256, "%d is what somebody made of it", n);
	for (int i = 0; i < 3; i++) {
		int part = n >= 232 ? 8 + (n - 232) * 10 :
				      (n - 16) /
					      (i == 0 ? 36 :
					       i == 1 ? 6 :
							1) %
					      6;
		double v = n >= 232 ? part / 255.0 : part ? (55 + part * 40) / 255.0 : 0;

		rgb[i] = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
	}
	return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
}

/* Letters want 4.5 to 1, the bar 3 to 1, against their ground: black, or white in the light palette. */
Test(tui_screen, each_palette_of_256_colours_can_be_read)
{
	for (int palette = 0; palette < UI_PALETTE_MONO; palette++) {
		for (int style = 0; style < NR_STYLES; style++) {
			double a, b, ratio;
			short fg, bg;

			theme_pair((enum ui_palette)palette, (enum style)style, &fg, &bg);
			if (fg < 0)
				continue;
			a = luminance(theme_colour((enum ui_palette)palette, fg, 256));
			b = bg < 0 ? (palette == UI_PALETTE_LIGHT ? 1 : 0) :
				     luminance(theme_colour((enum ui_palette)palette, bg, 256));
			ratio = a > b ? (a + 0.05) / (b + 0.05) : (b + 0.05) / (a + 0.05);
			cr_expect_geq(ratio, style == ST_BAR ? 3 : 4.5, "%s, style %d: %.2f",
				      ui_palette_names[palette], style, ratio);
		}
	}
	/* With fewer colours they are the terminal's own. */
	cr_expect_eq(theme_colour(UI_PALETTE_DEFAULT, 11, 16), 11);
	cr_expect_eq(theme_colour(UI_PALETTE_DEFAULT, -1, 256), -1);
}

/* For a hall: a box of four rows for each CPU, the acting one among them, all letters bold. */
Test(tui_screen, projector_shows_boxes_that_can_be_read_from_afar)
{
	struct ui *ui = begin(120, 40, "nnn8sZ");
	short pair;

	cr_assert_eq(big_cpus_shown(ui), 4);
	/* 125 of 321, in strokes, and the lists in words. */
	cr_expect(strstr(row(3), "_   _ "), "%s", row(3));
	cr_expect(strstr(row(4), "|  _| |_    of          _|  _|   |"), "%s", row(4));
	cr_expect(strstr(row(5), "| |_   _|               _| |_    |"), "%s", row(5));
	has(ui, "lists:  M0 63  U1 31   free_factor 3");
	for (int style = 0; style < NR_STYLES; style++)
		cr_expect(theme_attr(ui, (enum style)style, &pair) & A_BOLD, "style %d", style);
	cr_assert(ui_feed(ui, "<Resize 80x24>"));
	cr_expect_eq(big_cpus_shown(ui), 2);
	/* Op 6 is cpu 1's; on the wide machine a box far down comes into view. */
	cr_assert(ui_feed(ui, "<End>"));
	cr_expect_eq(row(7)[0], '>');
	cr_assert(ui_feed(ui, "Z"));
	cr_expect_eq(big_cpus(ui), false);
	has(ui, "U0 M0 R0");
	ui_close(ui);
}

/* reference/struct-layout.md, level by level. */
Test(tui_screen, struct_layout_at_every_level)
{
	static const char base[] = "lock 0/4, count 4/4, high 8/4, batch 12/4, free_factor 16/2, "
				   "expire 18/2, hole 20/4, lists 24/208";
	static const char one[] = "lock 0/4, count 4/4, high 8/4, batch 12/4, flags 16/1, "
				  "free_factor 17/1, expire 18/2, hole 20/4, lists 24/208";
	static const char five[] =
		"lock 0/4, count 4/4, high 8/4, batch 12/4, flags 16/1, alloc_factor 17/1, "
		"free_factor 18/1, expire 19/1, hole 20/4, lists 24/208";
	static const char six[] =
		"lock 0/4, count 4/4, high 8/4, high_min 12/4, high_max 16/4, batch 20/4, "
		"flags 24/1, alloc_factor 25/1, free_factor 26/1, expire 27/1, hole 28/4, lists 32/208";
	static const char nine[] =
		"lock 0/4, count 4/4, count_min 8/4, high 12/4, high_min 16/4, high_max 20/4, "
		"batch 24/4, flags 28/1, alloc_factor 29/1, free_factor 30/1, expire 31/1, lists 32/208";
	static const char ten[] =
		"lock 0/4, count 4/4, count_min 8/4, high 12/4, high_min 16/4, high_max 20/4, "
		"batch 24/4, flags 28/1, alloc_factor 29/1, expire 30/1, hole 31/1, free_count 32/2, "
		"hole 34/6, lists 40/208";
	static const char *const want[] = {
		base, one, one, one, one, five, six, six, six, nine, ten
	};
	static const char v3[] =
		"lock 0/4, count 4/4, high 8/4, high_min 12/4, high_max 16/4, batch 20/4, flags 24/1, "
		"alloc_factor 25/1, expire 26/1, hole 27/1, free_count 28/2, hole 30/2, lists 32/208";
	struct struct_layout l;
	char text[512];

	for (int level = 0; level <= 10; level++) {
		struct_layout(patch_level(SERIES_V2, level), &l);
		cr_expect_str_eq(struct_layout_text(&l, text, sizeof(text)), want[level],
				 "level %d: %s", level, text);
		cr_expect_eq(l.size, 256);
	}
	struct_layout(patch_level(SERIES_V3, 9), &l);
	cr_expect_str_eq(struct_layout_text(&l, text, sizeof(text)), v3);
	struct_layout(0, &l);
	cr_expect(l.sum_members == 228 && l.nr_holes == 1 && l.padding == 24);
	struct_layout(patch_level(SERIES_V2, 10), &l);
	cr_expect(l.sum_members == 241 && l.nr_holes == 2 && l.sum_holes == 7 && l.padding == 8);
}

/* No two requests share a key, and each has a line of help. */
Test(tui_screen, key_table_is_sound)
{
	for (int r = 0; r < (int)REQ_DIGIT; r++) {
		const char *at = key_infos[r].keys;

		cr_expect(at && *at && key_infos[r].help[0]);
		while (*at) {
			int key;
			size_t n = key_parse(at, &key);

			cr_assert(n > 0, "%s", at);
			cr_expect_eq(key_request(key), r, "%s", at);
			at += n;
			at += *at == ' ';
		}
	}
}

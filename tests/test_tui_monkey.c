/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random keys and random sizes: no crash, no broken invariant, no position that the
 * timeline does not have. TUI_MONKEY_KEYS says how many keys; every hundredth is a
 * new size. `make monkey` runs many under the sanitizers.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

#include "tui/term.h"
#include "tui_source.h"

enum { KEYS_DEFAULT = 1500 };

static u64 state = 88172645463325252ull;

static u32 next_random(u32 below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (u32)(state >> 33) % below;
}

/* Mostly keys that do something, now and then any character. */
static int random_key(void)
{
	static const char often[] =
		"snfceSNFCEggttTTuuwwwdboip \t\t\r\rjkhlzxXZP:?/+-m'0123456789M";
	static const int special[] = { KEY_UP,	  KEY_DOWN,	 KEY_LEFT, KEY_RIGHT,
				       KEY_PPAGE, KEY_NPAGE,	 KEY_HOME, KEY_END,
				       KEY_BTAB,  KEY_BACKSPACE, KEY_F(1) };
	u32 kind = next_random(20);

	if (kind < 13)
		return often[next_random(sizeof(often) - 1)];
	if (kind < 16)
		return KEY_BASE + special[next_random(ARRAY_SIZE(special))];
	if (kind < 18)
		return 27;
	return (int)next_random(0x2ff) + 1;
}

/* What holds after every key. */
static void check(const struct ui *ui)
{
	struct tl_pos pos;

	cr_assert(ui->caret.y < ui->rows && ui->caret.x < ui->cols, "the cursor left the screen");
	if (!ui->open)
		return;
	pos = nav_pos(ui);
	cr_assert(pos.op <= tl_length(ui->tl));
	cr_assert(!ui->view.valid || ui->view.at <= ui->view.nr_steps);
	cr_assert(ui->branch < ui->nr_branches);
}

static struct ui *begin(struct ui_options *opt)
{
	struct ui *ui = ui_open(opt);

	cr_assert(ui, "%s", opt->error);
	cr_assert(ui_feed(ui, "<Enter>"));
	return ui;
}

static void run(u32 keys)
{
	struct ui_options opt = test_options(80, 24);
	struct ui *ui = begin(&opt);

	for (u32 i = 0; i < keys; i++) {
		if (i % 100 == 99)
			term_resize(ui, (int)next_random(70) + 1, (int)next_random(230) + 1);
		if (!ui_key(ui, random_key())) {
			ui_close(ui);
			ui = begin(&opt);
		}
		ui_draw(ui);
		check(ui);
		if (!ui->open && next_random(4) == 0)
			ui_feed(ui, "<Enter>");
	}
	/* In the middle of an operation a page may be on its way. */
	if (ui->open && tl_seek(ui->tl, tl_position(ui->tl).op, 0, NULL) == SIM_OK)
		sim_check(tl_sim(ui->tl));
	ui_close(ui);
}

Test(tui_monkey, keys_and_sizes)
{
	const char *want = getenv("TUI_MONKEY_KEYS"), *seed = getenv("TUI_MONKEY_SEED");
	char folder[] = "/tmp/pageset-monkey-XXXXXX", remove[64];

	/* Commands that it may chance upon write here. */
	cr_assert(mkdtemp(folder) && chdir(folder) == 0);
	if (seed)
		state ^= (u64)atoll(seed) * 0x9e3779b97f4a7c15ull;
	run(want ? (u32)atoi(want) : KEYS_DEFAULT);
	snprintf(remove, sizeof(remove), "rm -rf %s", folder);
	cr_assert(chdir("/") == 0 && system(remove) == 0);
}

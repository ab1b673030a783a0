/* SPDX-License-Identifier: GPL-2.0-only */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "opt.h"

struct paint {
	bool dry;
	int64_t shift;
	uint64_t coats;
	uint64_t bucket;
	uint64_t wait;
	const char *wall;
	int colour;
	struct opt_list set;
};

static const char *const colours[] = { "red", "green", "blue", NULL };

static const struct opt table[] = {
	{ .name = "dry",
	  .letter = 'd',
	  .type = OPT_FLAG,
	  .offset = offsetof(struct paint, dry),
	  .help = "paint nothing" },
	{ .name = "shift",
	  .type = OPT_INT,
	  .offset = offsetof(struct paint, shift),
	  .value = "N",
	  .help = "to the right",
	  .min = -5,
	  .max = 5 },
	{ .name = "coats",
	  .letter = 'c',
	  .type = OPT_UINT,
	  .offset = offsetof(struct paint, coats),
	  .value = "N",
	  .help = "how many coats",
	  .min = 1,
	  .max = 9 },
	{ .name = "bucket",
	  .type = OPT_SIZE,
	  .offset = offsetof(struct paint, bucket),
	  .value = "SIZE",
	  .help = "size of the bucket",
	  .min = 1024,
	  .max = 1 << 20 },
	{ .name = "wait",
	  .type = OPT_DURATION,
	  .offset = offsetof(struct paint, wait),
	  .value = "TIME",
	  .help = "between the coats" },
	{ .name = "wall",
	  .letter = 'w',
	  .type = OPT_STRING,
	  .offset = offsetof(struct paint, wall),
	  .value = "NAME",
	  .help = "which wall" },
	{ .name = "colour",
	  .type = OPT_ENUM,
	  .offset = offsetof(struct paint, colour),
	  .help = "which colour",
	  .values = colours },
	{ .name = "set",
	  .type = OPT_LIST,
	  .offset = offsetof(struct paint, set),
	  .value = "K=V",
	  .help = "a setting" },
	{ .name = NULL },
};

static const struct paint defaults = { .coats = 2, .bucket = 4096 };

#define ARGS_MAX 16

/* One parse of a line of words, and all that comes out of it. */
struct parsed {
	struct paint paint;
	struct opt_set set;
	char *argv[ARGS_MAX + 1];
	char *items[ARGS_MAX + 1];
	struct opt_args args;
	bool help;
	struct diag d;
	enum base_err err;
};

static void parse_words(struct parsed *p, uint64_t allowed, int argc, const char *const *words)
{
	int i;

	memset(p, 0, sizeof(*p));
	p->paint = defaults;
	p->set = (struct opt_set){ .table = table, .target = &p->paint, .allowed = allowed };
	p->args.items = p->items;
	for (i = 0; i < argc; i++)
		p->argv[i] = strdup(words[i]);
	p->err = opt_parse(&p->set, 1, "pageset paint", argc, p->argv, &p->args, &p->help, &p->d);
}

static void done(struct parsed *p)
{
	int i;

	opt_free(&p->set);
	for (i = 0; i < ARGS_MAX; i++)
		free(p->argv[i]);
}

#define PARSE(p, ...)                                                                            \
	parse_words(p, OPT_ALL, (int)(sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *)), \
		    (const char *[]){ __VA_ARGS__ })

Test(opt, every_type_both_ways)
{
	struct parsed p;

	PARSE(&p, "--dry", "--shift=-5", "--coats", "9", "--bucket=1MiB", "--wait", "100ms",
	      "--wall=north", "--colour", "blue");
	cr_assert_eq(p.err, BASE_ERR_OK);
	cr_expect(p.paint.dry);
	cr_expect_eq(p.paint.shift, -5);
	cr_expect_eq(p.paint.coats, 9);
	cr_expect_eq(p.paint.bucket, 1 << 20);
	cr_expect_eq(p.paint.wait, 100000000);
	cr_expect_str_eq(p.paint.wall, "north");
	cr_expect_eq(p.paint.colour, 2);
	cr_expect(opt_is_given(&p.set, "dry"));
	cr_expect_not(opt_is_given(&p.set, "set"));
	cr_expect_eq(p.args.nr, 0);
	done(&p);
}

Test(opt, nothing_given_leaves_the_defaults)
{
	struct parsed p;

	parse_words(&p, OPT_ALL, 0, NULL);
	cr_assert_eq(p.err, BASE_ERR_OK);
	cr_expect_eq(p.paint.coats, 2);
	cr_expect_eq(p.set.given, 0);
	done(&p);
}

Test(opt, letters)
{
	struct parsed p;

	PARSE(&p, "-c3", "-d", "-w", "-");
	cr_assert_eq(p.err, BASE_ERR_OK);
	cr_expect_eq(p.paint.coats, 3);
	cr_expect(p.paint.dry);
	cr_expect_str_eq(p.paint.wall, "-");
	done(&p);
	PARSE(&p, "-c=3");
	cr_expect_eq(p.err, BASE_ERR_USAGE);
	done(&p);
}

Test(opt, the_last_one_counts_and_lists_grow)
{
	struct parsed p;

	PARSE(&p, "--coats=1", "--set=a=1", "--coats=2", "--set", "b=--x", "--set=");
	cr_expect_eq(p.err, BASE_ERR_USAGE); /* an empty value is none */
	done(&p);
	PARSE(&p, "--coats=1", "--set=a=1", "--coats=3", "--set", "b=--x");
	cr_assert_eq(p.err, BASE_ERR_OK);
	cr_expect_eq(p.paint.coats, 3);
	cr_assert_eq(p.paint.set.nr, 2);
	cr_expect_str_eq(p.paint.set.items[0], "a=1");
	cr_expect_str_eq(p.paint.set.items[1], "b=--x");
	done(&p);
}

Test(opt, arguments_between_and_behind)
{
	struct parsed p;

	PARSE(&p, "one", "--dry", "-", "--", "--coats", "--", "-x");
	cr_assert_eq(p.err, BASE_ERR_OK);
	cr_assert_eq(p.args.nr, 5);
	cr_expect_eq(p.args.nr_before, 2);
	cr_expect_str_eq(p.args.items[0], "one");
	cr_expect_str_eq(p.args.items[1], "-");
	cr_expect_str_eq(p.args.items[2], "--coats");
	cr_expect_str_eq(p.args.items[3], "--");
	cr_expect_str_eq(p.args.items[4], "-x");
	done(&p);
	PARSE(&p, "one", "two");
	cr_expect_eq(p.args.nr_before, 2);
	done(&p);
}

Test(opt, help_ends_the_parsing)
{
	struct parsed p;

	PARSE(&p, "--dry", "--help", "--nonsense");
	cr_expect(p.err == BASE_ERR_OK && p.help);
	done(&p);
	PARSE(&p, "-h");
	cr_expect(p.err == BASE_ERR_OK && p.help);
	done(&p);
	/* as the value of another it is none */
	PARSE(&p, "--wall", "--help");
	cr_expect(p.err == BASE_ERR_OK && !p.help);
	cr_expect_str_eq(p.paint.wall, "--help");
	done(&p);
	PARSE(&p, "--help=yes");
	cr_expect_eq(p.err, BASE_ERR_USAGE);
	done(&p);
	PARSE(&p, "--", "--help");
	cr_expect(p.err == BASE_ERR_OK && !p.help && p.args.nr == 1);
	done(&p);
}

/* A word, what the message says, what the hint says. */
static const struct {
	const char *word, *message, *hint;
} bad[] = {
	{ "--coat=3", "unknown option --coat", "did you mean --coats?" },
	{ "--Dry", "unknown option --Dry", "did you mean --dry?" },
	{ "--hlep", "unknown option --hlep", "did you mean --help?" },
	{ "-coats", "option -c: 'oats' is not a whole number",
	  "expected a whole number from 1 to 9" },
	{ "-dry", "option -d takes no value", "" },
	{ "-wall", NULL, NULL }, /* -w all: fine */
	{ "--xyzzy", "unknown option --xyzzy", "pageset paint --help lists the options" },
	{ "--=3", "unknown option --", "pageset paint --help lists the options" },
	{ "-z", "unknown option -z", "pageset paint --help lists the options" },
	{ "-5", "unknown option -5", "pageset paint --help lists the options" },
	{ "---dry", "unknown option ---dry", "did you mean --dry?" },
	{ "--dry=1", "option --dry takes no value", "" },
	{ "--coats=10", "option --coats: 10 is out of range",
	  "expected a whole number from 1 to 9" },
	{ "--coats=0", "option --coats: 0 is out of range", "expected a whole number from 1 to 9" },
	{ "--coats=3x", "option --coats: '3x' is not a whole number",
	  "expected a whole number from 1 to 9" },
	{ "--coats=-3", "option --coats: '-3' is not a whole number",
	  "expected a whole number from 1 to 9" },
	{ "--shift=6", "option --shift: 6 is out of range",
	  "expected a whole number from -5 to 5" },
	{ "--bucket=4K", "option --bucket: 'K' is not a unit", "did you mean 4KiB?" },
	{ "--bucket=4", "option --bucket: 4 is out of range",
	  "expected a size such as 64KiB, 2MiB or 1GiB, from 1KiB to 1MiB" },
	{ "--wait=5", "option --wait: '5' has no unit",
	  "expected a time such as 5s, 100ms, 20us or 300ns" },
	{ "--wall=", "option --wall needs a value", "expected --wall=NAME: which wall" },
	{ "--wall", "option --wall needs a value", "expected --wall=NAME: which wall" },
	{ "--colour", "option --colour needs a value",
	  "expected --colour=red|green|blue: which colour" },
	{ "-w", "option -w needs a value", "expected --wall=NAME: which wall" },
	{ "--colour=geren", "option --colour: unknown value 'geren'",
	  "did you mean green? expected red, green or blue" },
	{ "--colour=9", "option --colour: unknown value '9'", "expected red, green or blue" },
};

Test(opt, errors_name_the_option_and_the_way_out)
{
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct parsed p;

		PARSE(&p, bad[i].word);
		cr_expect_eq(p.err, bad[i].message ? BASE_ERR_USAGE : BASE_ERR_OK, "%s",
			     bad[i].word);
		if (bad[i].message) {
			cr_expect_str_eq(p.d.file, "pageset paint");
			cr_expect_str_eq(p.d.message, bad[i].message, "%s", p.d.message);
			cr_expect_str_eq(p.d.hint, bad[i].hint, "%s: %s", bad[i].word, p.d.hint);
		}
		done(&p);
	}
}

Test(opt, what_a_command_does_not_take_is_unknown_and_no_guess)
{
	static const char *const words[] = { "--coats=3" }, *const near[] = { "--coat" };
	struct parsed p;

	parse_words(&p, OPT_ALL & ~(1ull << opt_index(table, "coats")), 1, words);
	cr_expect_str_eq(p.d.message, "unknown option --coats");
	done(&p);
	parse_words(&p, OPT_ALL & ~(1ull << opt_index(table, "coats")), 1, near);
	cr_expect_null(strstr(p.d.hint, "coats"));
	done(&p);
}

Test(opt, hostile_words)
{
	static char big[100000];
	struct parsed p;

	memset(big, 'a', sizeof(big) - 1);
	big[0] = big[1] = '-';
	PARSE(&p, big);
	cr_expect_eq(p.err, BASE_ERR_USAGE);
	cr_expect_lt(strlen(p.d.message), 200);
	done(&p);
	memcpy(big, "--wall=", 7);
	PARSE(&p, big);
	cr_expect_eq(p.err, BASE_ERR_OK);
	done(&p);
	memcpy(big, "--coats=", 8);
	PARSE(&p, big);
	cr_expect_eq(p.err, BASE_ERR_USAGE);
	done(&p);
	PARSE(&p, "--\xff\033[2J", "");
	cr_expect_eq(p.err, BASE_ERR_USAGE);
	done(&p);
	PARSE(&p, "");
	cr_expect(p.err == BASE_ERR_OK && p.args.nr == 1);
	done(&p);
}

Test(opt, help_is_made_from_the_table)
{
	struct paint paint = defaults;
	struct opt_set set = { .table = table, .target = &paint, .allowed = OPT_ALL };
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	opt_print_help(f, &set);
	fclose(f);
	cr_expect_str_eq(
		text,
		"  -d, --dry               paint nothing\n"
		"      --shift=N           to the right (-5 to 5, default 0)\n"
		"  -c, --coats=N           how many coats (1 to 9, default 2)\n"
		"      --bucket=SIZE       size of the bucket (1KiB to 1MiB, default 4KiB)\n"
		"      --wait=TIME         between the coats\n"
		"  -w, --wall=NAME         which wall\n"
		"      --colour=red|green|blue\n"
		"                          which colour (default red)\n"
		"      --set=K=V           a setting (may be given several times)\n",
		"%s", text);
	free(text);
}

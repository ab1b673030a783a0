/* SPDX-License-Identifier: GPL-2.0-only */
/* links: core */
/* Sessions as text: read what was written, refuse what is none, whatever the bytes. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/session.h"

static void put(void *ctx, const char *text)
{
	char *buf = ctx;

	cr_assert_lt(strlen(buf) + strlen(text), 16384);
	strcat(buf, text);
}

static const char whole[] = "pageset session 2\n"
			    "scenario a b.yaml\n"
			    "option seed=7\n"
			    "patches 0x1\n"
			    "branch 4 5 00000000000000ab main line\n"
			    "edit insert 2 0 0 0 1 0 1 0 1 0 0 0 0\n"
			    "about cpu1 asks\n"
			    "edit inject 3.4 0 4 0 0 0 0 0 4 0 0 0 0 1-3 9\n"
			    "branch 4 4 0000000000000000 two\n"
			    "edit base 4 0x28 0 0 0 0 0 0 0 0 0 0 0\n"
			    "break 3 2 cpu[0].zone[0].count > 4\n"
			    "mark 8.40 here\n"
			    "mark 2 \n"
			    "answer 2 2 ch q1\n"
			    "gave 62\n"
			    "right 62\n"
			    "said 3\n"
			    "shown 1\n"
			    "position 1.2\n"
			    "digest 0123456789abcdef\n"
			    "end\n";

static enum sim_err parse(const char *text, size_t len, struct session *s, u32 *line,
			  struct sim_error *err)
{
	/* Where it ends nothing may be read. */
	char *copy = malloc(len ? len : 1);
	enum sim_err ret;

	memcpy(copy, text, len);
	ret = session_parse(copy, len, s, line, err);
	free(copy);
	return ret;
}

Test(session, says_what_it_reads)
{
	static char text[16384];
	struct sim_error err;
	struct session s;
	u32 line;

	cr_assert_eq(parse(whole, strlen(whole), &s, &line, &err), SIM_OK, "line %u: %s", line,
		     err.message);
	cr_expect_eq(s.nr_branches, 2);
	cr_expect_eq(s.branches[0].nr_edits, 2);
	cr_expect_str_eq(s.branches[0].name, "main line");
	cr_expect_eq(s.branches[0].edits[1].at.op, 2);
	cr_expect_eq(s.branches[0].edits[1].at.step, 4);
	cr_expect_eq(s.branches[0].edits[1].slots[2], 3);
	cr_expect_eq(s.branches[0].edits[1].slots[3], 9);
	cr_expect_eq(s.marks[0].at.op, 7);
	cr_expect_eq(s.marks[0].at.step, 40);
	cr_expect(s.answers[0].correct && s.answers[0].hinted && !s.answers[0].revealed);
	session_write(&s, put, text);
	cr_expect_str_eq(text, whole);
	session_free(&s);
}

Test(session, each_truncation_is_refused)
{
	for (size_t len = 0; len < strlen(whole) - 1; len++) {
		struct sim_error err = { 0 };
		struct session s;
		u32 line;

		cr_expect_neq(parse(whole, len, &s, &line, &err), SIM_OK, "%zu bytes", len);
		cr_expect(err.message[0] && line > 0, "%zu bytes", len);
		session_free(&s);
	}
}

static u64 next(u64 *rng)
{
	*rng = *rng * 6364136223846793005u + 1442695040888963407u;
	return *rng >> 33;
}

/* Random bytes, and a good text with some of them: refused with a line, or read. */
Test(session, noise_ends_in_an_error_or_a_session)
{
	u64 rng = 7;
	u32 read = 0, refused = 0;

	for (u32 round = 0; round < 20000; round++) {
		char text[sizeof(whole)];
		size_t len = strlen(whole);
		struct sim_error err = { 0 };
		struct session s;
		u32 line;

		memcpy(text, whole, sizeof(whole));
		if (round % 8 == 0)
			for (size_t i = round % 16 ? 18 : 0; i < len; i++)
				text[i] = (char)next(&rng);
		for (u32 k = 0; k < 1 + round % 5; k++)
			text[next(&rng) % len] = next(&rng) % 3 ?
							 "0123456789 -\\n."[next(&rng) % 15] :
							 (char)next(&rng);
		if (parse(text, len, &s, &line, &err) == SIM_OK) {
			read++;
		} else {
			refused++;
			cr_assert(err.message[0]);
		}
		session_free(&s);
	}
	cr_expect_gt(refused, 10000);
	cr_expect_gt(read, 100);
}

/* Each line that is wrong, in the place of a good one: what is said, and of which line. */
Test(session, says_the_line)
{
	static const struct {
		const char *old, *new, *says;
		u32 line;
	} cases[] = {
		{ "session 2", "session 3", "this program reads 1 and 2", 1 },
		{ "pageset", "pigeset", "not a saved session", 1 },
		{ "scenario a b.yaml", "scenario", "expected: scenario PATH", 2 },
		{ "option seed=7", "option seed", "an option without a value", 3 },
		{ "patches 0x1", "patches 0x40", "no patch set", 4 },
		{ "branch 4 5", "branch 4 99999999999999999999", "no number up to", 5 },
		{ "edit insert 2", "edit insert 2.", "no position", 6 },
		{ "edit insert 2 0 0", "edit insert 2 0 250", "the kind", 6 },
		{ "0 0 4 0 0 0 0 1-3 9", "0 0 4294967295 0 0 0 0 1-3 9", "the count", 8 },
		{ "1-3 9", "1-4000000000", "more slots than the 4 blocks", 8 },
		{ "1-3 9", "1-3", "3 slots for an operation of 4 blocks", 8 },
		{ "1-3 9", "3-1 9", "no run of slots", 8 },
		{ "inject 3.4", "inject 3", "needs a step", 8 },
		{ "0 two", "0 ", "a branch without a name", 9 },
		{ "base 4 0x28", "base 4 0x40", "no patch set", 10 },
		{ "break 3 2", "break 3 x", "the hits", 11 },
		{ "answer 2 2 ch q1", "answer 3 2 ch q1", "3 points of 2", 14 },
		{ "answer 2 2 ch q1", "answer 2 2 h q1", "2 points of 2 for such an answer", 14 },
		{ "answer 2 2 ch", "answer 2 2 xx", "no flags", 14 },
		{ "shown 1", "shown 2", "there are 2", 21 },
		{ "digest 0123", "digest z", "no hexadecimal", 20 },
		{ "said 3", "sad 3", "begins no line", 17 },
		{ "end\n", "", "ends too early", 20 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[sizeof(whole) + 64];
		const char *at = strstr(whole, cases[i].old);
		struct sim_error err = { 0 };
		struct session s;
		u32 line;

		cr_assert(at, "%s", cases[i].old);
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - whole), whole, cases[i].new,
			 at + strlen(cases[i].old));
		cr_expect_neq(parse(text, strlen(text), &s, &line, &err), SIM_OK, "%s",
			      cases[i].new);
		cr_expect(strstr(err.message, cases[i].says), "%s: %s", cases[i].new, err.message);
		cr_expect_eq(line, cases[i].line, "%s: line %u", cases[i].new, line);
		session_free(&s);
	}
}

/* More entries than there is room for, and a NUL byte. */
Test(session, too_many_of_anything_is_refused)
{
	static const struct {
		const char *line;
		const char *says;
	} cases[] = {
		{ "branch 1 1 0 x\n", "more than 12 branches" },
		{ "edit insert 2 0 0 0 1 0 1 0 1 0 0 0 0\n", "more than 256 edits" },
		{ "mark 1 x\n", "more than 32 bookmarks" },
		{ "break 0 0 drain\n", "more than 16 breakpoints" },
		{ "answer 0 1 - q\n", "more than 64 answers" },
		{ "option a=b\n", "more than 64 options" },
	};
	struct sim_error err;
	struct session s;
	u32 line;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].line);
		char *text = malloc(200 + len * 300);

		strcpy(text, "pageset session 2\nscenario x\npatches 0\nbranch 1 1 0 x\n");
		for (u32 n = 0; n < 300; n++)
			strcat(text, cases[i].line);
		cr_expect_neq(parse(text, strlen(text), &s, &line, &err), SIM_OK);
		cr_expect(strstr(err.message, cases[i].says), "%s", err.message);
		session_free(&s);
		free(text);
	}
	cr_expect_neq(parse("pageset session 2\n\0x", 20, &s, &line, &err), SIM_OK);
	session_free(&s);
}

Test(session, an_old_one_is_read)
{
	static const char old[] = "pageset session 1\nscenario exit\npatches 0x1\n"
				  "edit 0 2 0 0 0 0 1 0 1 0 1 0 0 0 0\n"
				  "edit 2 3 4 0 4 0 0 0 0 0 2 0 0 0 0 7 8\n"
				  "break cpu[0].count > 4 *3\nmark 7 40 here\n"
				  "position 7 40\ndigest 00000000000000ff\n";
	struct sim_error err;
	struct session s;
	u32 line;

	cr_assert_eq(parse(old, strlen(old), &s, &line, &err), SIM_OK, "line %u: %s", line,
		     err.message);
	cr_expect_eq(s.version, 1);
	cr_expect_eq(s.nr_branches, 1);
	cr_expect_eq(s.branches[0].nr_edits, 2);
	cr_expect_eq(s.branches[0].edits[1].slots[1], 8);
	cr_expect_eq(s.breaks[0].ignore, 3);
	cr_expect_str_eq(s.breaks[0].text, "cpu[0].count > 4");
	cr_expect_str_eq(s.marks[0].name, "here");
	cr_expect(s.position.op == 7 && s.position.step == 40);
	cr_expect_eq(s.digest, 0xff);
	session_free(&s);
}

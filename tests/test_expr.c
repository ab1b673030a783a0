/* SPDX-License-Identifier: GPL-2.0-only */
/* Expressions over the fields of a machine. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "script/expr.h"

static struct sim *new_sim(const char *patches, u32 zones)
{
	struct machine m;
	struct patch_change set;
	struct sim *sim;
	char error[200];

	machine_init(&m);
	m.memory = 64 << 20;
	if (zones > 1) {
		cr_assert_eq(machine_add_zone(&m, 0, ZONE_DMA32, MACHINE_PFN_AUTO, 8192, NULL), 0);
		cr_assert_eq(machine_add_zone(&m, 0, ZONE_NORMAL, MACHINE_PFN_AUTO, 8192, NULL), 0);
	}
	cr_assert_eq(machine_finish(&m, NULL), SIM_OK);
	cr_assert(patch_set_parse(patches, SERIES_V2, &set, error, sizeof(error)), "%s", error);
	cr_assert_eq(sim_create(&m, set.set, &sim, NULL), SIM_OK);
	machine_free(&m);
	return sim;
}

struct named {
	const char *name;
	struct script_value value;
};

static const struct named named[] = {
	{ "target", { .type = SCRIPT_INTEGER, .integer = 63 } },
	{ "share", { .type = SCRIPT_NUMBER, .number = 0.5 } },
	{ "ready", { .type = SCRIPT_BOOLEAN, .boolean = true } },
};

static bool get(void *ctx, const char *name, struct script_value *value)
{
	(void)ctx;
	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		if (strcmp(named[i].name, name) == 0) {
			*value = named[i].value;
			return true;
		}
	}
	return false;
}

static const char *name_at(void *ctx, size_t i)
{
	(void)ctx;
	return i < ARRAY_SIZE(named) ? named[i].name : NULL;
}

static const struct script_names names = { NULL, get, name_at };

/* The value of @text as text; a fault as "offset+length: message (hint)". */
static const char *value_of(const char *patches, u32 zones, const char *text)
{
	static char out[600];
	struct sim *sim = new_sim(patches, zones);
	struct script_exprs *x = script_exprs_new();
	struct script_expr *e;
	struct script_fault f;
	struct script_value v;

	if (script_expr_compile(x, sim, FIELD_NO_ZONE, &names, text, strlen(text), &e, &f) &&
	    script_expr_eval(e, sim, &v, &f))
		script_value_format(&v, out);
	else
		snprintf(out, sizeof(out), "%zu+%zu: %s%s%s%s", f.offset, f.length, f.message,
			 *f.hint ? " (" : "", f.hint, *f.hint ? ")" : "");
	script_expr_free(e);
	script_exprs_free(x);
	sim_destroy(sim);
	return out;
}

#define expect_value(text, want) \
	cr_expect_str_eq(value_of("all", 1, text), want, "%s: %s", text, value_of("all", 1, text))

Test(expr, values)
{
	expect_value("1 + 2", "3");
	expect_value("7 // 2", "3");
	expect_value("7 / 2", "3.5");
	expect_value("not (1 < 2)", "false");
	expect_value("max(3, 9, min(4, 5))", "9");
	expect_value("math.floor(2.7)", "2");
	expect_value("'a' == \"a\"", "true");
	expect_value("0x10 + 1e2", "116");
}

Test(expr, fields)
{
	/* 64 MiB are 16384 pages. high is 0 until the first operation computes it. */
	expect_value("cpu[0].count", "0");
	expect_value("cpu[0].zone[0].count == cpu[0].count", "true");
	expect_value("zone[0].managed", "16384");
	expect_value("zone.Normal.managed", "16384");
	expect_value("node[0].Normal.managed", "16384");
	expect_value("cpu[ 3 ] . zone[0].lists[3].n", "0");
	expect_value("stats.free_high == 0 and cpu[1].high < cpu[1].high_min", "true");
	expect_value("cpu[1 + 2].count", "0");
	expect_value("cpu[0].lists[target - 60].n", "0");
}

Test(expr, names_of_the_caller)
{
	expect_value("target + 1", "64");
	expect_value("ready and share or 0", "0.5");
	expect_value(
		"tagret + 1",
		"0+6: tagret is neither a field nor a name that is known here (did you mean target?)");
}

Test(expr, faults_have_a_place)
{
	expect_value("", "0+0: an expression was expected, but there is nothing");
	expect_value("1 +", "2+1: the expression is not finished");
	expect_value("1 + * 2", "4+1: * was not expected here");
	expect_value("cpu[0].count = 1", "13+1: = has no place in an expression (== compares)");
	expect_value("1, 2", "1+1: one expression was expected, not several");
	expect_value("1; x = 2", "1+1: one expression was expected, not several");
	expect_value("1) or (2", "1+1: ) closes nothing");
	expect_value("stats.refills + cpu[0].cuont",
		     "23+5: a pageset has no field cuont; did you mean count?");
	expect_value("cpu[9].count", "4+1: cpu[9]: this machine has cpu[0..3]");
	expect_value("1 + os.time()",
		     "4+2: os is neither a field nor a name that is known here (did you mean or?)");
	expect_value("function() end", "0+8: function has no place in an expression");
	expect_value("1 -- 2", "2+2: -- has no place in an expression");
	expect_value("'abc", "0+1: the text in quotes does not end");
}

Test(expr, faults_of_values)
{
	expect_value("'text'",
		     "0+6: the expression gives a string; a number, true or false was expected");
	expect_value("1 < true", "0+8: attempt to compare number with boolean");
	expect_value("cpu[target].count", "0+3: cpu[63]: this machine has cpu[0..3]");
}

Test(expr, a_field_that_the_set_lacks_names_the_patch)
{
	cr_expect_str_eq(
		value_of("none", 1, "1 + cpu[0].high_min"),
		"4+15: cpu[0].zone[0].high_min does not exist: patch 6 (high-limits) is off");
	cr_expect_str_eq(
		value_of("all", 1, "cpu[0].free_factor"),
		"0+18: cpu[0].zone[0].free_factor does not exist: patch 10 (free-count) is on");
	cr_expect_str_eq(value_of("none", 1, "cpu[0].free_factor"), "0");
}

Test(expr, a_zone_that_is_not_unique_lists_the_choices)
{
	cr_expect_str_eq(value_of("all", 2, "cpu[0].count"),
			 "7+5: this machine has 2 zones; say which: cpu[0].zone[Z] with zone[0] "
			 "(DMA32), zone[1] (Normal)");
	cr_expect_str_eq(value_of("all", 2, "cpu[0].zone.Normal.count + zone.DMA32.managed"),
			 "8192");
}

Test(expr, work_is_capped)
{
	const char *got = value_of("all", 1, "(('a'):rep(200)):find('.-.-.-.-.-b') == nil");

	cr_expect(strstr(got, "stopped: the script has done 1000000 instructions"), "%s", got);
	got = value_of("all", 1, "('x'):rep(1e9) == 'y'");
	cr_expect(strstr(got, "longer than"), "%s", got);
}

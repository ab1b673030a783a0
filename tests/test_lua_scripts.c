/* SPDX-License-Identifier: GPL-2.0-only */
/* Every script of scripts/lua runs, says what its header promises, and says it again. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/script.h"
#include "tmpdir.h"

TestSuite(lua_scripts, .init = tmpdir_make, .fini = tmpdir_remove);

static char *printed;
static size_t printed_len;

static void print(void *ctx, const char *text, size_t len)
{
	(void)ctx;
	printed = realloc(printed, printed_len + len + 1);
	memcpy(printed + printed_len, text, len);
	printed[printed_len += len] = '\0';
}

/* Options are "key=value", smaller than the defaults where that says as much. */
struct expected {
	const char *script, *options[4];
	const char *says; /* a part of the output */
};

static const struct expected expected[] = {
	{ "burst", { "pages=1000", "plot=true" }, "cpu0 refilled list M0 with 126 blocks" },
	{ "producer_consumer", { "messages=600" }, "ops: same" },
	{ "page_fault1", { "depth=2000", "rounds=2" }, "ops: same" },
	{ "fork_exit", { "tasks=6" }, "ops: same" },
	{ "slab_mix", { "ops=3000" }, "fallbacks" },
	{ "thp", { "blocks=4" }, "freed 4" },
	{ "pressure", { "rounds=10" }, "high mark\t768" },
	{ "toggle_each", { "series=v2" }, "yes" },
	{ "find_divergence", { "ops=2500" }, "operation 1789, a free on CPU 0" },
	{ "sweep_high_fraction", { "rounds=2" }, "8192" },
	{ "random_walk", { "ops=300" }, "balanced after" },
	{ "policy_noop", { "ops=400" }, "the same after" },
	{ "policy_constant_high", { NULL }, "constant 1000" },
	{ "policy_raise_on_drain", { "pages=8000" }, "raise on drain" },
};

/* The output, to be freed. */
static char *run(const struct expected *e)
{
	struct script_options o = { .hooks = { NULL, print }, .out_dir = tmpdir };
	struct script *s = script_new(&o);
	char path[100], *trace;
	struct diag d;
	enum base_err ret;

	printed = NULL;
	printed_len = 0;
	for (int i = 0; i < 4 && e->options[i]; i++) {
		char *option = strdup(e->options[i]), *equals = strchr(option, '=');

		*equals = '\0';
		cr_assert_eq(script_arg(s, option, equals + 1, &d), BASE_ERR_OK);
		free(option);
	}
	snprintf(path, sizeof(path), "scripts/lua/%s.lua", e->script);
	ret = script_run_file(s, path, &d, &trace);
	cr_expect_eq(ret, BASE_ERR_OK, "%s:%llu: %s\n%s", path, (unsigned long long)d.line,
		     d.message, trace ? trace : "");
	free(trace);
	script_free(s);
	return printed ? printed : strdup("");
}

static const struct expected *find(const char *name)
{
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		size_t n = strlen(expected[i].script);

		if (strncmp(expected[i].script, name, n) == 0 && strcmp(name + n, ".lua") == 0)
			return &expected[i];
	}
	return NULL;
}

Test(lua_scripts, none_is_without_a_test_or_a_header)
{
	DIR *dir = opendir("scripts/lua");
	size_t nr = 0;

	cr_assert_not_null(dir);
	for (struct dirent *e; (e = readdir(dir)) != NULL;) {
		char path[300], line[200];
		FILE *f;

		if (*e->d_name == '.')
			continue;
		nr++;
		cr_expect_not_null(find(e->d_name), "%s has no test", e->d_name);
		snprintf(path, sizeof(path), "scripts/lua/%s", e->d_name);
		f = fopen(path, "r");
		cr_assert_not_null(fgets(line, sizeof(line), f));
		cr_assert_not_null(fgets(line, sizeof(line), f));
		cr_expect_eq(strncmp(line, "-- ", 3), 0, "%s does not say what it shows", path);
		fclose(f);
	}
	closedir(dir);
	cr_expect_eq(nr, sizeof(expected) / sizeof(*expected));
}

Test(lua_scripts, each_runs_and_says_the_same_again)
{
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		char *first = run(&expected[i]), *second;

		cr_expect(strstr(first, expected[i].says), "%s: %s", expected[i].script, first);
		if (strcmp(expected[i].script, "toggle_each") == 0) {
			cr_expect(!strstr(first, " no\n"), "%s", first);
			free(first);
			continue;
		}
		second = run(&expected[i]);
		cr_expect_str_eq(first, second, "%s", expected[i].script);
		free(first);
		free(second);
	}
}

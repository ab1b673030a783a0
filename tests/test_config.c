/* SPDX-License-Identifier: GPL-2.0-only */
/* The user's defaults: what they change, what they do not, and how faults in them are told. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"

struct toy_opts {
	const char *palette;
	uint64_t jobs;
	struct opt_list names;
};

static const struct opt toy_options[] = {
	{ .name = "palette",
	  .type = OPT_STRING,
	  .offset = offsetof(struct toy_opts, palette),
	  .value = "NAME",
	  .help = "colours" },
	{ .name = "jobs",
	  .type = OPT_UINT,
	  .offset = offsetof(struct toy_opts, jobs),
	  .value = "N",
	  .help = "jobs",
	  .min = 1,
	  .max = 64 },
	{ .name = "names",
	  .type = OPT_LIST,
	  .offset = offsetof(struct toy_opts, names),
	  .value = "NAME",
	  .help = "names" },
	{ .name = NULL },
};

static const struct toy_opts toy_defaults = { .jobs = 1 };

struct fixture {
	struct toy_opts opts;
	struct common common;
	struct opt_set sets[2];
	struct diag d;
};

static enum base_err apply(struct fixture *f, const char *text)
{
	char dir[] = "/tmp/pageset-config.XXXXXX", path[256];
	enum base_err err;
	FILE *file;

	cr_assert_not_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/pageset", dir);
	cr_assert_eq(mkdir(path, 0700), 0);
	strcat(path, "/config.yaml");
	file = fopen(path, "w");
	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
	setenv("XDG_CONFIG_HOME", dir, 1);
	*f = (struct fixture){ .opts = toy_defaults, .common = common_defaults };
	f->sets[0] =
		(struct opt_set){ .table = toy_options, .target = &f->opts, .allowed = OPT_ALL };
	f->sets[1] = (struct opt_set){ .table = common_options,
				       .target = &f->common,
				       .allowed = COMMON_BIT(COLOR) | COMMON_BIT(ASCII) |
						  COMMON_BIT(SERIES) };
	err = config_apply(verb_find("verify"), f->sets, 2, &f->d);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	rmdir(dir);
	return err;
}

Test(config, sets_what_the_command_takes)
{
	struct fixture f;

	cr_assert_eq(apply(&f, "ascii: true\npalette: mono\nseries: v3\n"), BASE_ERR_OK);
	cr_expect(f.common.ascii);
	cr_expect_str_eq(f.opts.palette, "mono");
	cr_expect_eq(f.common.series, COMMON_SERIES_V3);
}

Test(config, a_default_is_not_given)
{
	struct fixture f;

	cr_assert_eq(apply(&f, "series: v3\njobs: 3\n"), BASE_ERR_OK);
	cr_expect_eq(f.sets[0].given, 0);
	cr_expect_eq(f.sets[1].given, 0);
	cr_expect_eq(f.opts.jobs, 3);
}

Test(config, a_command_has_its_own)
{
	struct fixture f;

	/* its own goes before what holds for all, wherever it stands */
	cr_assert_eq(apply(&f, "verify: {jobs: 5}\njobs: 3\nimport: {lists: true}\n"), BASE_ERR_OK);
	cr_expect_eq(f.opts.jobs, 5);
}

Test(config, lists_and_false_flags)
{
	struct fixture f;

	cr_assert_eq(apply(&f, "names: [a, b]\nascii: false\n"), BASE_ERR_OK);
	cr_assert_eq(f.opts.names.nr, 2);
	cr_expect_str_eq(f.opts.names.items[1], "b");
	cr_expect(!f.common.ascii);
	opt_free(&f.sets[0]);
}

Test(config, nothing_and_comments_are_no_fault)
{
	struct fixture f;

	cr_expect_eq(apply(&f, ""), BASE_ERR_OK);
	cr_expect_eq(apply(&f, "# nothing\n"), BASE_ERR_OK);
}

Test(config, faults_have_their_place)
{
	static const struct {
		const char *text, *message, *hint;
		uint64_t line, column;
	} rows[] = {
		{ "color: never\nasci: true\n", "unknown key asci", "did you mean ascii?", 2, 1 },
		{ "jobs: 99\n", "99 is out of range", "1 to 64", 1, 7 },
		{ "color: sometimes\n", "unknown value 'sometimes'", "auto", 1, 8 },
		{ "ascii: maybe\n", "ascii is true or false", "", 1, 8 },
		{ "json: true\n", "json is for the command line alone", "", 1, 1 },
		{ "- a\n- b\n", "the file is a map of options", "", 1, 1 },
		{ "color: [a, b]\n", "the value of color is one plain value", "", 1, 8 },
		{ "verify: {joobs: 3}\n", "unknown key joobs", "jobs", 1, 10 },
		{ "color: \"never\n", "", "", 2, 1 },
	};
	struct fixture f;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_expect_neq(apply(&f, rows[i].text), BASE_ERR_OK, "%s", rows[i].text);
		cr_expect_eq(base_err_status(f.d.code), 2);
		cr_expect_not_null(strstr(f.d.message, rows[i].message), "%s: %s", rows[i].text,
				   f.d.message);
		cr_expect_not_null(strstr(f.d.hint, rows[i].hint), "%s: %s", rows[i].text,
				   f.d.hint);
		cr_expect_eq(f.d.line, rows[i].line, "%s: line %llu", rows[i].text,
			     (unsigned long long)f.d.line);
		cr_expect_eq(f.d.column, rows[i].column, "%s: column %llu", rows[i].text,
			     (unsigned long long)f.d.column);
		cr_expect_not_null(strstr(f.d.file, "config.yaml"));
	}
}

Test(config, path_follows_the_variables)
{
	setenv("HOME", "/home/someone", 1);
	setenv("XDG_CONFIG_HOME", "/etc/xdg", 1);
	cr_expect_str_eq(config_path(), "/etc/xdg/pageset/config.yaml");
	/* relative paths are ignored, as the specification has it */
	setenv("XDG_CONFIG_HOME", "somewhere", 1);
	cr_expect_str_eq(config_path(), "/home/someone/.config/pageset/config.yaml");
	unsetenv("HOME");
	cr_expect_null(config_path());
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verb.h"

/* What a command line wrote, and its status. */
struct result {
	int status;
	char out[16384];
	char err[16384];
};

/* From here on what goes to fd lands in a nameless file; returns that and what fd was. */
static int divert(int fd, int *saved)
{
	char name[] = "/tmp/pageset-test.XXXXXX";
	int file = mkstemp(name);

	cr_assert_geq(file, 0);
	unlink(name);
	*saved = dup(fd);
	dup2(file, fd);
	return file;
}

static void restore(int fd, int saved, int file, char *buf, size_t size)
{
	ssize_t n = pread(file, buf, size - 1, 0);

	buf[n > 0 ? n : 0] = '\0';
	dup2(saved, fd);
	close(saved);
	close(file);
}

/* The words behind "pageset", NULL-ended. */
static void run(struct result *r, ...)
{
	char *argv[16] = { strdup("pageset") };
	int argc = 1, out, err, old_out, old_err;
	const char *word;
	va_list ap;

	va_start(ap, r);
	while ((word = va_arg(ap, const char *)))
		argv[argc++] = strdup(word);
	va_end(ap);
	fflush(NULL);
	out = divert(STDOUT_FILENO, &old_out);
	err = divert(STDERR_FILENO, &old_err);
	r->status = verb_main(argc, argv);
	fflush(NULL);
	restore(STDOUT_FILENO, old_out, out, r->out, sizeof(r->out));
	restore(STDERR_FILENO, old_err, err, r->err, sizeof(r->err));
	while (argc > 0)
		free(argv[--argc]);
}

/* The rules for every row of an option table. */
static void check_options(const struct verb *v)
{
	size_t k, c;

	for (k = 0; v->options && v->options[k].name; k++) {
		const struct opt *o = &v->options[k];

		cr_expect(o->help && o->help[0], "%s --%s has no help", v->name, o->name);
		cr_expect_lt(o->offset, v->opts_size);
		cr_expect_eq(opt_index(v->options, o->name), k, "%s --%s stands twice", v->name,
			     o->name);
		cr_expect_eq(o->type == OPT_ENUM, o->values != NULL);
		cr_expect(o->type == OPT_FLAG || o->type == OPT_ENUM || o->value,
			  "%s --%s has no value name", v->name, o->name);
		for (c = 0; common_options[c].name; c++)
			cr_expect(!(v->common >> c & 1) ||
					  strcmp(common_options[c].name, o->name) != 0,
				  "%s --%s is a common option too", v->name, o->name);
	}
	cr_expect_lt(k, 64);
}

static void check_verb(const struct verb *v)
{
	size_t i, len = strlen(v->name);

	cr_expect_neq(v->run != NULL, v->subs != NULL, "%s does nothing, or two things", v->name);
	cr_expect(v->args && v->help && v->help[0], "%s has no help", v->name);
	cr_expect_lt(strlen(v->help), 54, "the help of %s is too long for a line", v->name);
	cr_expect_eq(v->common >> COMMON_NR, 0);
	cr_expect_eq(v->opts_size != 0, v->defaults != NULL, "%s has half of its defaults",
		     v->name);
	check_options(v);
	for (i = 0; v->subs && v->subs[i]; i++) {
		cr_expect(strncmp(v->subs[i]->name, v->name, len) == 0 &&
				  v->subs[i]->name[len] == ' ',
			  "%s is no name for a part of %s", v->subs[i]->name, v->name);
		cr_assert_null(v->subs[i]->subs);
		check_verb(v->subs[i]);
	}
}

Test(verb, the_tables_are_well_formed)
{
	const struct verb *v;
	size_t i;

	for (i = 0; (v = verb_get(i)); i++) {
		cr_expect_eq(verb_find(v->name), v, "%s stands twice", v->name);
		check_verb(v);
	}
	cr_expect_null(verb_find("no such command"));
}

/* "pageset A --help", "pageset A B --help" and "pageset help A B" are one text. */
static void check_help(const struct verb *v)
{
	static struct result r, again;
	char first[64], *second;

	snprintf(first, sizeof(first), "%s", v->name);
	second = strchr(first, ' ');
	if (second)
		*second++ = '\0';
	run(&r, first, second ? second : "--help", second ? "--help" : NULL, NULL);
	cr_expect_eq(r.status, 0);
	cr_expect_str_eq(r.err, "");
	cr_expect_eq(strncmp(r.out, "usage: pageset ", 15), 0);
	cr_expect_not_null(strstr(r.out, v->help));
	run(&again, "help", first, second, NULL);
	cr_expect_str_eq(again.out, r.out);
}

Test(verb, every_command_has_its_help_on_stdout)
{
	const struct verb *v;
	static struct result r;
	size_t i, k;

	run(&r, "--help", NULL);
	cr_expect_eq(r.status, 0);
	for (i = 0; (v = verb_get(i)); i++) {
		check_help(v);
		cr_expect_not_null(strstr(r.out, v->help), "%s is not in the overview", v->name);
		for (k = 0; v->subs && v->subs[k]; k++)
			check_help(v->subs[k]);
	}
}

/* A command that only holds others: none given, a wrong one, and no option of its own. */
Test(verb, wrong_use_of_a_command_of_commands)
{
	const struct verb *v;
	static struct result r;
	char want[256];
	size_t i;

	for (i = 0; (v = verb_get(i)); i++) {
		if (!v->subs)
			continue;
		run(&r, v->name, NULL);
		snprintf(
			want, sizeof(want),
			"pageset %s: a command is missing\n  pageset %s --help lists the commands\n",
			v->name, v->name);
		cr_expect_str_eq(r.err, want);
		cr_expect_eq(r.status, 2);
		run(&r, v->name, "xyzzy", NULL);
		snprintf(
			want, sizeof(want),
			"pageset %s: unknown command 'xyzzy'\n  pageset %s --help lists the commands\n",
			v->name, v->name);
		cr_expect_str_eq(r.err, want);
		cr_expect_eq(r.status, 2);
	}
}

Test(verb, version)
{
	static struct result r, again;

	run(&r, "--version", NULL);
	cr_expect_eq(r.status, 0);
	cr_expect_eq(strncmp(r.out, "pageset ", 8), 0);
	cr_expect_str_eq(r.err, "");
	run(&again, "version", NULL);
	cr_expect_str_eq(again.out, r.out);
}

/* Errors are short, on stderr, with status 2; never a usage text in their place. */
static void expect_error(const struct result *r, const char *want)
{
	cr_expect_eq(r->status, 2);
	cr_expect_str_eq(r->out, "");
	cr_expect_str_eq(r->err, want, "got: %s", r->err);
}

Test(verb, wrong_use)
{
	static struct result r;

	run(&r, "verson", NULL);
	expect_error(&r, "pageset: unknown command 'verson'\n  did you mean pageset version?\n");
	run(&r, "xyzzy", NULL);
	expect_error(&r, "pageset: unknown command 'xyzzy'\n  pageset --help lists the commands\n");
	run(&r, "version", "--jsno", NULL);
	expect_error(
		&r,
		"pageset version: unknown option --jsno\n  pageset version --help lists the options\n");
	run(&r, "version", "--hepl", NULL);
	expect_error(&r, "pageset version: unknown option --hepl\n  did you mean --help?\n");
	run(&r, "version", "x", NULL);
	expect_error(
		&r,
		"pageset version: the argument 'x' is one too many\n  expected pageset version\n");
	run(&r, "help", "hepl", NULL);
	expect_error(&r, "pageset help: unknown command 'hepl'\n  did you mean help?\n");
	run(&r, "help", "help", "x", NULL);
	expect_error(&r, "pageset help: 'help' has no command 'x'\n");
	run(&r, "ver\033[31m", NULL);
	cr_expect_null(strchr(r.err, '\033'));
	run(&r, "", NULL);
	cr_expect_eq(r.status, 2);
}

Test(verb, a_full_standard_output_is_told)
{
	char *argv[] = { (char[]){ "pageset" }, (char[]){ "version" }, NULL };
	int full = open("/dev/full", O_WRONLY), saved = dup(STDOUT_FILENO), status;

	cr_assert_geq(full, 0);
	fflush(stdout);
	dup2(full, STDOUT_FILENO);
	status = verb_main(2, argv);
	clearerr(stdout);
	dup2(saved, STDOUT_FILENO);
	cr_expect_eq(status, 2);
}

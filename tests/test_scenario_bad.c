/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Each file of tests/scenarios_bad is refused with exactly the text that stands beside it. With UPDATE_EXPECTED set in the
 * environment the texts are written anew, to be read in the diff. And what no file can hold: noise, truncations, bombs.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "expr_glue.h"
#include "scenario/scenario.h"

#define BAD "tests/scenarios_bad"

/* The status of loading, and what a user would see; *text is malloc'ed. */
static int load_path(const char *path, char **text)
{
	struct scn_options o = { .expr = &expr_glue };
	struct scenario *scn;
	struct diags ds;
	size_t size;
	FILE *f = open_memstream(text, &size);
	int status;

	base_diags_init(&ds, 100);
	scn_load(path, &o, &scn, &ds);
	base_diags_print(f, &ds, false);
	fclose(f);
	status = base_diags_status(&ds);
	cr_assert((scn == NULL) == (status != 0), "%s: half loaded", path);
	scn_free(scn);
	base_diags_free(&ds);
	return status;
}

static void check_file(const char *name)
{
	char path[512], expected_path[512], *text;
	struct base_text expected;
	struct diag d;
	int status;

	snprintf(path, sizeof(path), BAD "/%s", name);
	snprintf(expected_path, sizeof(expected_path), BAD "/%.*s.expected",
		 (int)(strlen(name) - 5), name);
	status = load_path(path, &text);
	cr_expect_eq(status, 2, "%s: status %d", name, status);
	if (getenv("UPDATE_EXPECTED")) {
		FILE *f = fopen(expected_path, "w");

		fputs(text, f);
		fclose(f);
	}
	cr_assert_eq(base_text_read(&expected, expected_path, 1 << 20, &d), BASE_ERR_OK,
		     "%s: no expected text", name);
	cr_expect_str_eq(text, expected.data, "%s:\n%s\nexpected:\n%s", name, text, expected.data);
	base_text_free(&expected);
	free(text);
}

Test(scenario_bad, every_file_has_its_text)
{
	DIR *dir = opendir(BAD);
	int nr = 0;

	cr_assert_not_null(dir);
	for (struct dirent *e; (e = readdir(dir)) != NULL;) {
		size_t len = strlen(e->d_name);

		if (len > 5 && strcmp(e->d_name + len - 5, ".yaml") == 0) {
			check_file(e->d_name);
			nr++;
		}
	}
	closedir(dir);
	cr_assert_geq(nr, 40, "%d files", nr);
}

/* ---- hostile texts, in a child with bounded memory and time -------------------------------------------------------------- */

static int load_data(const char *data, size_t len)
{
	struct scn_options o = { .expr = &expr_glue };
	struct scenario *scn;
	struct diags ds;
	int status;

	base_diags_init(&ds, 20);
	scn_load_text("x.yaml", data, len, &o, &scn, &ds);
	status = base_diags_status(&ds);
	if ((scn == NULL) != (status != 0))
		abort();
	scn_free(scn);
	base_diags_free(&ds);
	return status;
}

/* Runs it in a child: at most 1 GiB of address space over what there is, and 60 s of CPU. Returns its exit status, -1 for a signal. */
static int in_child(int (*run)(void *ctx), void *ctx)
{
	int status;
	pid_t pid = fork();

	cr_assert_geq(pid, 0);
	if (pid == 0) {
#if !defined(__SANITIZE_ADDRESS__)
		struct rlimit as = { (rlim_t)1 << 30, (rlim_t)1 << 30 };

		setrlimit(RLIMIT_AS, &as);
#endif
#if defined(__SANITIZE_ADDRESS__)
		/* libcyaml grows a list entry by entry, and ASan's realloc copies it each time */
		struct rlimit cpu = { 300, 300 };
#else
		struct rlimit cpu = { 60, 60 };
#endif

		setrlimit(RLIMIT_CPU, &cpu);
		_exit(run(ctx));
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int all_prefixes(void *ctx)
{
	const struct base_text *t = ctx;

	for (size_t len = 0; len < t->len; len += 1 + len / 64)
		load_data(t->data, len);
	return 0;
}

/* Lines away, letters changed: what is left of the document goes on to the later stages, whole or not at all. */
static int damaged(void *ctx)
{
	const struct base_text *t = ctx;
	u64 rng = 12345;

	for (int round = 0; round < 3000; round++) {
		char *data = malloc(t->len + 1);
		size_t len = t->len;

		memcpy(data, t->data, len);
		for (int k = 0; k < 1 + round % 4; k++) {
			size_t at;

			rng = rng * 6364136223846793005u + 1442695040888963407u;
			at = (rng >> 33) % len;
			if (rng >> 60 < 5) {
				char *line = memchr(data + at, '\n', len - at), *end;

				end = line ? memchr(line + 1, '\n',
						    len - (size_t)(line + 1 - data)) :
					     NULL;
				if (!end)
					continue;
				memmove(line, end, len - (size_t)(end - data));
				len -= (size_t)(end - line);
			} else {
				data[at] = "x09:-{}[],$ \n'\"&*#!"[(rng >> 40) % 19];
			}
		}
		load_data(data, len);
		free(data);
	}
	return 0;
}

Test(scenario_bad, damaged_files_end_in_an_error_or_load)
{
	static const char *const files[] = { "scenarios/exit-drain.yaml",
					     "tests/scenarios_bad/all-stages.yaml",
					     "scenarios/remote-expire.yaml" };
	struct base_text t;
	struct diag d;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		cr_assert_eq(base_text_read(&t, files[i], 1 << 20, &d), BASE_ERR_OK, "%s",
			     d.message);
		cr_assert_eq(in_child(damaged, &t), 0, "%s", files[i]);
		base_text_free(&t);
	}
}

Test(scenario_bad, truncated_files_end_in_an_error_or_load)
{
	struct base_text t;
	struct diag d;

	cr_assert_eq(base_text_read(&t, "scenarios/exit-drain.yaml", 1 << 20, &d), BASE_ERR_OK);
	cr_assert_eq(in_child(all_prefixes, &t), 0);
	base_text_free(&t);
}

static u64 next_random(u64 *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

static int noise(void *ctx)
{
	u64 state = 1;
	char data[600];

	(void)ctx;
	for (int i = 0; i < 3000; i++) {
		size_t len = next_random(&state) % sizeof(data);

		for (size_t k = 0; k < len; k++)
			data[k] = (char)next_random(&state);
		if (load_data(data, len) != 2)
			return 1;
	}
	return 0;
}

Test(scenario_bad, random_bytes_are_refused)
{
	cr_assert_eq(in_child(noise, NULL), 0);
}

/* Real scenarios with bytes changed, taken out and doubled: most are refused, none crashes. */
static int mutations(void *ctx)
{
	const struct base_text *t = ctx;
	char *data = malloc(t->len + 16);
	u64 state = 7;

	for (int i = 0; i < 600; i++) {
		size_t len = t->len;

		memcpy(data, t->data, len);
		for (u64 n = 1 + next_random(&state) % 4; n > 0; n--) {
			static const char bytes[] = "{}[]:,&*!|>'\"%@`#-?\n\t 0x9~$";
			size_t at = next_random(&state) % len;

			if (next_random(&state) % 3 == 0) {
				memmove(data + at, data + at + 1, len - at - 1);
				len--;
			} else {
				data[at] = bytes[next_random(&state) % (sizeof(bytes) - 1)];
			}
		}
		load_data(data, len);
	}
	free(data);
	return 0;
}

Test(scenario_bad, changed_scenarios_do_not_crash)
{
	struct base_text t;
	struct diag d;

	cr_assert_eq(base_text_read(&t, "scenarios/keep-batch.yaml", 1 << 20, &d), BASE_ERR_OK);
	cr_assert_eq(in_child(mutations, &t), 0);
	base_text_free(&t);
}

/* What stands again and again, and around it. */
struct bomb {
	const char *before, *again, *after;
	size_t times;
};

static int explode(void *ctx)
{
	const struct bomb *b = ctx;
	size_t n = strlen(b->again), at = strlen(b->before);
	char *data = malloc(at + n * b->times + strlen(b->after) + 1);

	strcpy(data, b->before);
	for (size_t i = 0; i < b->times; i++, at += n)
		memcpy(data + at, b->again, n);
	strcpy(data + at, b->after);
	return load_data(data, strlen(data));
}

Test(scenario_bad, bombs_end_in_an_error)
{
	static const struct bomb bombs[] = {
		{ "", "[", "", 1000000 },
		{ "", "{a: ", "", 300000 },
		{ "", "- ", "", 100000 },
		{ "", "? ", "", 100000 },
		{ "steps:\n", "- tick: {cpu: 0}\n", "", 900000 },
		{ "a: [", "x,", "]", 3000000 },
		{ "a: [", "&a x,", "]", 100000 },
		{ "a: &a [x, x]\nb: [", "*a,", "]", 2000000 },
		{ "a: \"", "\\u0041", "\"", 2000000 },
		{ "a: ", "${", "", 2000000 },
		{ "a: ${rand 1 ", "9", " n}", 100000 },
		{ "{", "a,", "}", 100000 },
		{ "steps: [", "{repeat: {times: 1000000, steps: [", "", 60 },
		{ "", "%YAML 1.1\n", "", 100000 },
		{ "", "\xef\xbb\xbf", "", 100000 },
		{ "a: |\n", " x\n", "", 5000000 },
	};

	for (size_t i = 0; i < sizeof(bombs) / sizeof(bombs[0]); i++) {
		struct bomb b = bombs[i];

		cr_expect_eq(in_child(explode, &b), 2, "bomb %zu", i);
	}
}

/* Aliases of aliases: nine to the eighth is 43 million values out of one kilobyte. */
static int aliases(void *ctx)
{
	char *data;
	size_t size;
	FILE *f = open_memstream(&data, &size);

	(void)ctx;
	fprintf(f, "a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 9; i++) {
		fprintf(f, "a%d: &a%d [", i, i);
		for (int k = 0; k < 9; k++)
			fprintf(f, "*a%d,", i - 1);
		fprintf(f, "]\n");
	}
	fclose(f);
	return load_data(data, size);
}

Test(scenario_bad, alias_bomb_ends_in_an_error)
{
	cr_assert_eq(in_child(aliases, NULL), 2);
}

/* A large scalar used a thousand times is a bomb too. */
static int large_alias(void *ctx)
{
	size_t n = 4 << 20;
	char *data = malloc(n + 20000), *p;

	(void)ctx;
	p = data + sprintf(data, "a: &a \"");
	memset(p, 'x', n);
	p += n;
	p += sprintf(p, "\"\nb: [");
	for (int i = 0; i < 1000; i++)
		p += sprintf(p, "*a,");
	p += sprintf(p, "]\n");
	return load_data(data, (size_t)(p - data));
}

Test(scenario_bad, large_text_used_often_ends_in_an_error)
{
	cr_assert_eq(in_child(large_alias, NULL), 2);
}

/* 10000 good steps load. */
static int many_steps(void *ctx)
{
	struct bomb b = {
		"schema_version: 1\nname: many\ntitle: many\nmachine: {memory: 64MiB}\nsteps:\n",
		"- tick: {cpu: 0}\n", "", 10000
	};

	(void)ctx;
	return explode(&b);
}

Test(scenario_bad, many_good_steps_load)
{
	cr_assert_eq(in_child(many_steps, NULL), 0);
}

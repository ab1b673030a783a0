/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset verify: replays conformance vectors and compares byte for byte. */
#include <fts.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/progress.h"
#include "kernel/vectors.h"
#include "verb.h"

struct verify_opts {
	uint64_t jobs;
	bool explain, invariants;
};

static const struct verify_opts verify_defaults = { .jobs = 1 };

static const struct opt verify_options[] = {
	{ .name = "jobs",
	  .letter = 'j',
	  .type = OPT_UINT,
	  .offset = offsetof(struct verify_opts, jobs),
	  .value = "N",
	  .help = "files replayed at the same time",
	  .min = 1,
	  .max = 64 },
	{ .name = "explain",
	  .type = OPT_FLAG,
	  .offset = offsetof(struct verify_opts, explain),
	  .help = "show the steps of the operation that differs, and the lists, if the vector dumps them" },
	{ .name = "invariants",
	  .type = OPT_FLAG,
	  .offset = offsetof(struct verify_opts, invariants),
	  .help = "report each step and walk the invariants as well; a broken one ends the program" },
	{ .name = NULL },
};

/* The files to replay, and what came of each. Workers take the next index. */
struct work {
	char **paths;
	struct kern_vec_result *results;
	size_t nr, cap, next, done;
	bool explain, invariants;
	pthread_mutex_t lock;
	struct base_progress progress;
};

static void add_path(struct work *w, const char *path)
{
	if (w->nr == w->cap) {
		w->cap = w->cap * 2 + 64;
		w->paths = realloc(w->paths, w->cap * sizeof(*w->paths));
		BASE_CHECK(w->paths != NULL, "%zu paths", w->cap);
	}
	w->paths[w->nr++] = base_strdup(path);
}

static bool ends_in(const char *path, const char *tail)
{
	size_t n = strlen(path), t = strlen(tail);

	return n > t && strcmp(path + n - t, tail) == 0;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Files of a folder that look like vectors, in the order of their names. */
static enum base_err add_folder(struct work *w, char *dir, struct diag *d)
{
	char *roots[] = { dir, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);

	if (!fts)
		return base_diag_set(d, BASE_ERR_OPEN, dir, 0, 0, "the folder cannot be read");
	for (FTSENT *e; (e = fts_read(fts)) != NULL;) {
		if (e->fts_info != FTS_F ||
		    (!ends_in(e->fts_path, ".txt") && !ends_in(e->fts_path, ".txt.gz")))
			continue;
		if (kern_vec_is_vector(e->fts_path))
			add_path(w, e->fts_path);
	}
	fts_close(fts);
	return BASE_ERR_OK;
}

static enum base_err add_argument(struct work *w, char *arg, struct diag *d)
{
	struct stat st;

	if (strcmp(arg, "-") != 0 && stat(arg, &st) == 0 && S_ISDIR(st.st_mode))
		return add_folder(w, arg, d);
	add_path(w, arg);
	return BASE_ERR_OK;
}

static void *worker(void *arg)
{
	struct work *w = arg;

	pthread_mutex_lock(&w->lock);
	while (w->next < w->nr) {
		size_t i = w->next++;

		pthread_mutex_unlock(&w->lock);
		kern_vec_verify(w->paths[i], w->explain, w->invariants, &w->results[i]);
		pthread_mutex_lock(&w->lock);
		base_progress_update(&w->progress, ++w->done, w->nr);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void replay_all(struct work *w, uint64_t jobs)
{
	pthread_t threads[64];
	size_t started = 0;

	w->results = base_alloc(w->nr + 1, sizeof(*w->results));
	pthread_mutex_init(&w->lock, NULL);
	base_progress_begin(&w->progress, "verify");
	while (started + 1 < jobs && started + 1 < w->nr &&
	       pthread_create(&threads[started], NULL, worker, w) == 0)
		started++;
	worker(w);
	while (started > 0)
		pthread_join(threads[--started], NULL);
	base_progress_end(&w->progress);
	pthread_mutex_destroy(&w->lock);
}

struct totals {
	size_t passed, failed, malformed, unsupported;
	uint64_t operations;
};

static struct totals count(const struct work *w)
{
	struct totals t = { 0 };

	for (size_t i = 0; i < w->nr; i++) {
		const struct kern_vec_result *r = &w->results[i];

		t.passed += r->status == KERN_VEC_PASSED;
		t.failed += r->status == KERN_VEC_FAILED;
		t.malformed += r->status == KERN_VEC_MALFORMED;
		t.unsupported += r->status == KERN_VEC_UNSUPPORTED;
		t.operations += r->operations;
	}
	return t;
}

static void print_text(const struct work *w, const struct totals *t)
{
	for (size_t i = 0; i < w->nr; i++) {
		const struct kern_vec_failure *f = &w->results[i].failure;

		if (w->results[i].status != KERN_VEC_FAILED)
			continue;
		printf("%s:%llu: %s: %s\n  expected %s\n  got      %s\n", w->paths[i],
		       (unsigned long long)f->line, f->op, f->what, f->expected, f->got);
		if (f->explain)
			fputs(f->explain, stdout);
	}
	printf("%zu files passed, %zu failed, %llu operations\n", t->passed, t->failed,
	       (unsigned long long)t->operations);
}

static void print_json(const struct work *w, const struct totals *t)
{
	struct base_json j;

	base_json_to_file(&j, stdout, true);
	base_json_object(&j);
	base_json_kv_uint(&j, "files", t->passed + t->failed);
	base_json_kv_uint(&j, "passed", t->passed);
	base_json_kv_uint(&j, "failed", t->failed);
	base_json_kv_uint(&j, "operations", t->operations);
	base_json_key(&j, "failures");
	base_json_array(&j);
	for (size_t i = 0; i < w->nr; i++) {
		const struct kern_vec_failure *f = &w->results[i].failure;

		if (w->results[i].status != KERN_VEC_FAILED)
			continue;
		base_json_object(&j);
		base_json_kv_string(&j, "file", w->paths[i]);
		base_json_kv_uint(&j, "line", f->line);
		base_json_kv_string(&j, "op", f->op);
		base_json_kv_string(&j, "what", f->what);
		base_json_kv_string(&j, "expected", f->expected);
		base_json_kv_string(&j, "got", f->got);
		if (f->explain)
			base_json_kv_string(&j, "explain", f->explain);
		base_json_close(&j);
	}
	base_json_close(&j);
	base_json_close(&j);
	base_json_end(&j);
}

static int run(const struct call *call)
{
	const struct verify_opts *o = call->opts;
	struct work w = { .explain = o->explain, .invariants = o->invariants };
	struct totals t;
	struct diag d;
	int status = 0;

	for (int i = 0; i < call->args.nr; i++) {
		if (add_argument(&w, call->args.items[i], &d))
			status = call_fail(call, &d);
	}
	replay_all(&w, o->jobs);
	t = count(&w);
	for (size_t i = 0; i < w.nr; i++) {
		if (w.results[i].status == KERN_VEC_MALFORMED)
			call_fail(call, &w.results[i].diag);
		else if (w.results[i].status == KERN_VEC_UNSUPPORTED)
			fprintf(stderr, "%s: variant 6.12 is unsupported\n", w.paths[i]);
	}
	if (call->common->json)
		print_json(&w, &t);
	else
		print_text(&w, &t);
	if (t.passed + t.failed == 0 && !t.malformed && !t.unsupported && status == 0)
		status = call_usage(call, NULL, "no vector files in what was named");
	if (t.malformed || (t.unsupported && t.passed + t.failed == 0))
		status = 2;
	else if (t.failed && status == 0)
		status = 1;
	for (size_t i = 0; i < w.nr; i++) {
		kern_vec_result_free(&w.results[i]);
		free(w.paths[i]);
	}
	free(w.paths);
	free(w.results);
	return status;
}

const struct verb verb_verify = {
	.name = "verify",
	.args = "FILE|DIR...",
	.help = "replay conformance vectors and compare byte for byte",
	.about =
		"In a folder, files ending in .txt or .txt.gz that begin as a vector does are read.\n"
		"Exit status 1 if any differs, 2 if one is malformed or nothing could run.",
	.options = verify_options,
	.defaults = &verify_defaults,
	.opts_size = sizeof(verify_defaults),
	.common = COMMON_BIT(JSON) | COMMON_BIT(COLOR),
	.args_min = 1,
	.args_max = VERB_ARGS_ANY,
	.run = run,
};

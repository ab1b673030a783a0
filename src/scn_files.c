/* SPDX-License-Identifier: GPL-2.0-only */
#include "scn_files.h"

#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "data_dir.h"

static void add_path(struct scn_files *f, const char *path)
{
	if (f->nr == f->cap) {
		f->cap = f->cap * 2 + 64;
		f->paths = realloc(f->paths, f->cap * sizeof(*f->paths));
		BASE_CHECK(f->paths != NULL, "%zu paths", f->cap);
	}
	f->paths[f->nr++] = base_strdup(path);
}

void scn_files_free(struct scn_files *files)
{
	for (size_t i = 0; i < files->nr; i++)
		free(files->paths[i]);
	free(files->paths);
	*files = (struct scn_files){ 0 };
}

static bool begins(const char *line, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && memcmp(line, word, n) == 0;
}

enum scn_file_kind scn_file_kind(const char *path)
{
	enum scn_file_kind kind = FILE_MACHINE;
	struct base_text t;
	const char *line;
	size_t len;

	/* what cannot be read is a scenario: its reader says why */
	if (base_text_read(&t, path, 16u << 20, NULL))
		return FILE_SCENARIO;
	for (u64 n = 1; base_text_line(&t, n, &line, &len) && kind == FILE_MACHINE; n++) {
		if (begins(line, len, "answers:"))
			kind = FILE_ANSWERS;
		else if (begins(line, len, "steps:") || begins(line, len, "title:") ||
			 begins(line, len, "level:"))
			kind = FILE_SCENARIO;
	}
	base_text_free(&t);
	return kind;
}

static bool is_yaml(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static enum base_err add_folder(struct scn_files *f, const char *dir, unsigned int kinds,
				struct diag *d)
{
	char *root = base_strdup(dir);
	char *roots[] = { root, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	size_t before = f->nr;
	enum base_err err = BASE_ERR_OK;

	for (FTSENT *e; fts && (e = fts_read(fts)) != NULL;) {
		if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR)
			err = base_diag_set(d, BASE_ERR_OPEN, e->fts_path, 0, 0,
					    "the folder cannot be read");
		if (e->fts_info == FTS_F && is_yaml(e->fts_path) &&
		    kinds >> scn_file_kind(e->fts_path) & 1)
			add_path(f, e->fts_path);
	}
	if (fts)
		fts_close(fts);
	free(root);
	if (!err && f->nr == before) {
		err = base_diag_set(d, BASE_ERR_USAGE, dir, 0, 0, "no file for this in the folder");
		base_diag_hint(d, "expected *.yaml files");
	}
	return err;
}

enum base_err scn_files_add(struct scn_files *files, const char *arg, unsigned int kinds,
			    struct diag *d)
{
	struct stat st;

	arg = data_resolve(arg);
	if (strcmp(arg, "-") != 0 && stat(arg, &st) == 0 && S_ISDIR(st.st_mode))
		return add_folder(files, arg, kinds, d);
	add_path(files, arg);
	return BASE_ERR_OK;
}

char *scn_files_shipped(void)
{
	const char *dir = data_dir();
	char path[4200];

	if (!getenv("PAGESET_DATADIR") && access("scenarios", R_OK) == 0)
		return base_strdup("scenarios");
	if (!dir)
		return NULL;
	snprintf(path, sizeof(path), "%s/scenarios", dir);
	return base_strdup(path);
}

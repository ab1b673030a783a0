/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A folder of its own for each test that needs files: tmpdir_make() as .init, tmpdir_remove() as .fini. Only plain files
 * and empty folders below it.
 */
#ifndef TMPDIR_H
#define TMPDIR_H

#include <criterion/criterion.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char tmpdir[64];

static inline void tmpdir_make(void)
{
	snprintf(tmpdir, sizeof(tmpdir), "/tmp/pageset-test.XXXXXX");
	cr_assert_not_null(mkdtemp(tmpdir));
}

static inline void tmpdir_remove(void)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir = opendir(tmpdir);

	while (dir && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", tmpdir, entry->d_name);
		if (unlink(path) != 0)
			rmdir(path);
	}
	if (dir)
		closedir(dir);
	rmdir(tmpdir);
}

/* How many files lie there. */
static inline int tmpdir_count(void)
{
	DIR *dir = opendir(tmpdir);
	int n = -2; /* . and .. */

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

/* The path of a name in the folder; four may be in use at a time. */
static inline const char *tmpdir_path(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, PATH_MAX, "%s/%s", tmpdir, name);
	return path;
}

static inline const char *tmpdir_write(const char *name, const void *data, size_t len)
{
	const char *path = tmpdir_path(name);
	FILE *f = fopen(path, "w");

	cr_assert_not_null(f);
	cr_assert_eq(fwrite(data, 1, len, f), len);
	cr_assert_eq(fclose(f), 0);
	return path;
}

#endif

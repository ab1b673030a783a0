/* SPDX-License-Identifier: GPL-2.0-only */
#include "data_dir.h"

#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"

static char found[PATH_MAX];

/* Is it a folder of ours? Leaves it in `found`. */
static bool try_dir(const char *fmt, ...) BASE_PRINTF(1, 2);

static bool try_dir(const char *fmt, ...)
{
	char dir[PATH_MAX], inside[PATH_MAX + 16];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(dir, sizeof(dir), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(dir))
		return false;
	snprintf(inside, sizeof(inside), "%s/scenarios", dir);
	if (access(inside, R_OK | X_OK) != 0)
		return false;
	return realpath(dir, found) != NULL;
}

/* The folder of the running program, without a slash at its end; false if /proc does not say. */
static bool own_folder(char buf[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", buf, PATH_MAX - 1);
	char *slash;

	if (n <= 0)
		return false;
	buf[n] = '\0';
	slash = strrchr(buf, '/');
	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

const char *data_dir(void)
{
	static bool looked, there;
	const char *env = getenv("PAGESET_DATADIR");
	char own[PATH_MAX];

	if (looked)
		return there ? found : NULL;
	looked = true;
	if (env && *env) {
		/* said by hand: nothing else will do */
		there = try_dir("%s", env);
	} else if (own_folder(own)) {
		size_t len = strlen(own);

		/* build/release, build/debug ...: the tree two folders up */
		there = (strstr(own, "/build/") && try_dir("%s/../..", own)) ||
			(len > 4 && strcmp(own + len - 4, "/bin") == 0 &&
			 try_dir("%s/../share/pageset", own));
	}
	if (!there && !(env && *env))
		there = try_dir("%s", PAGESET_DATADIR);
	return there ? found : NULL;
}

/* Files that lie somewhere below; the ending is added where the name has none. */
static const struct {
	const char *folder, *ending;
} places[] = {
	{ "", "" },
	{ "scenarios/", "" },
	{ "scenarios/", ".yaml" },
	{ "scenarios/lessons/", "" },
	{ "scenarios/lessons/", ".yaml" },
	{ "scripts/lua/", "" },
	{ "scripts/lua/", ".lua" },
};

/* Paths that were given out; they live as long as the program. */
struct given {
	struct given *next;
	char path[];
};

static const char *give(const char *path)
{
	static struct given *first;
	struct given *g = base_alloc(1, sizeof(*g) + strlen(path) + 1);

	strcpy(g->path, path);
	g->next = first;
	first = g;
	return g->path;
}

/* A lesson by the name that the list of scenarios has for it, lesson-07: its file begins with the number. */
static const char *find_lesson(const char *dir, const char *name)
{
	char pattern[PATH_MAX * 2];
	const char *path = NULL;
	glob_t files;
	int n;

	if (strlen(name) != 9 || strncmp(name, "lesson-", 7) != 0 || name[7] < '0' ||
	    name[7] > '9' || name[8] < '0' || name[8] > '9')
		return NULL;
	n = snprintf(pattern, sizeof(pattern), "%s/scenarios/lessons/%s-*.yaml", dir, name + 7);
	if (n < 0 || (size_t)n >= sizeof(pattern))
		return NULL;
	if (glob(pattern, 0, NULL, &files) == 0) {
		path = give(files.gl_pathv[0]);
		globfree(&files);
	}
	return path;
}

const char *data_resolve(const char *name)
{
	const char *dir, *lesson;
	char path[PATH_MAX * 2];

	/* an empty name would find the folder itself */
	if (name[0] == '\0' || strcmp(name, "-") == 0 || name[0] == '/' || access(name, F_OK) == 0)
		return name;
	dir = data_dir();
	/* ".." would lead out of the folder */
	for (size_t i = 0; dir && !strstr(name, "..") && i < sizeof(places) / sizeof(places[0]);
	     i++) {
		int n = snprintf(path, sizeof(path), "%s/%s%s%s", dir, places[i].folder, name,
				 places[i].ending);

		if (n > 0 && (size_t)n < sizeof(path) && access(path, R_OK) == 0)
			return give(path);
	}
	lesson = dir ? find_lesson(dir, name) : NULL;
	return lesson ? lesson : name;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "session_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "data_dir.h"

static void add(char **list, size_t *nr, const char *name, const char *value)
{
	char text[SESSION_OPTION_TEXT];

	if (*nr == SESSION_OPTIONS_MAX)
		return;
	snprintf(text, sizeof(text), "%s=%s", name, value);
	list[(*nr)++] = base_strdup(text);
}

char **session_options_of(const struct call *call, size_t *nr)
{
	const struct common *c = call->common;
	char **list = base_alloc(SESSION_OPTIONS_MAX, sizeof(*list)), seed[32];

	*nr = 0;
	if (call_common_given(call, COMMON_SEED)) {
		snprintf(seed, sizeof(seed), "%llu", (unsigned long long)c->seed);
		add(list, nr, "seed", seed);
	}
	if (call_common_given(call, COMMON_SERIES))
		add(list, nr, "series", c->series == COMMON_SERIES_V3 ? "v3" : "v2");
	if (call_common_given(call, COMMON_PATCHES))
		add(list, nr, "patches", c->patches);
	if (c->machine)
		add(list, nr, "machine", c->machine);
	for (size_t i = 0; i < c->set.nr; i++)
		add(list, nr, "set", c->set.items[i]);
	return list;
}

void session_options_free(char **options, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(options[i]);
	free(options);
}

bool session_options_apply(const char *const *options, size_t nr, struct scn_options *o,
			   const char **sets, char *error, size_t size)
{
	size_t nr_sets = 0;

	for (size_t i = 0; i < nr; i++) {
		const char *value = strchr(options[i], '=');
		size_t len = value ? (size_t)(value - options[i]) : 0;

		value = value ? value + 1 : "";
		if (len == 4 && strncmp(options[i], "seed", len) == 0) {
			if (base_parse_uint(value, strlen(value), 0, UINT64_MAX, &o->seed, NULL))
				return snprintf(error, size, "'%.40s' is no seed", value), false;
			o->seed_given = true;
		} else if (len == 6 && strncmp(options[i], "series", len) == 0) {
			if (strcmp(value, "v2") != 0 && strcmp(value, "v3") != 0)
				return snprintf(error, size, "'%.40s' is no series", value), false;
			o->series = 1 + (value[1] == '3' ? SERIES_V3 : SERIES_V2);
		} else if (len == 7 && strncmp(options[i], "patches", len) == 0) {
			o->patches = value;
		} else if (len == 7 && strncmp(options[i], "machine", len) == 0) {
			o->machine = value;
		} else if (len == 3 && strncmp(options[i], "set", len) == 0 &&
			   nr_sets < SESSION_OPTIONS_MAX) {
			sets[nr_sets++] = value;
		} else {
			snprintf(error, size, "'%.40s' is no option of a session", options[i]);
			return false;
		}
	}
	if (nr_sets) {
		o->sets = sets;
		o->nr_sets = nr_sets;
	}
	return true;
}

/* The program gives no path back before it ends; data_dir.c does the same. */
static const char *keep(const char *path)
{
	static struct kept {
		struct kept *next;
		char path[];
	} * first;
	struct kept *k = base_alloc(1, sizeof(*k) + strlen(path) + 1);

	strcpy(k->path, path);
	k->next = first;
	first = k;
	return k->path;
}

const char *session_scenario(const char *session_path, const char *scenario)
{
	const char *slash = strrchr(session_path, '/'), *own = strrchr(scenario, '/');
	int folder = slash ? (int)(slash - session_path) + 1 : 0;
	const char *tries[] = { scenario, own ? own + 1 : scenario }, *found;
	char path[PATH_MAX];

	if (access(scenario, R_OK) == 0)
		return scenario;
	for (size_t i = 0; i < 2; i++) {
		int n = snprintf(path, sizeof(path), "%.*s%s", folder, session_path, tries[i]);

		if (n > 0 && (size_t)n < sizeof(path) && access(path, R_OK) == 0)
			return keep(path);
	}
	for (size_t i = 0; i < 2; i++) {
		found = data_resolve(tries[i]);
		if (access(found, R_OK) == 0)
			return found;
	}
	return scenario;
}

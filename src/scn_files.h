/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that check, lint, list and grade work on: those named, and those of a kind in the folders named, in the order
 * of their names. And one play of a scenario for its checks and answers.
 */
#ifndef SCN_FILES_H
#define SCN_FILES_H

#include "scenario/scenario.h"
#include "setup.h"

/* What a YAML file is, by its keys at the left margin. */
enum scn_file_kind { FILE_SCENARIO, FILE_MACHINE, FILE_ANSWERS };

struct scn_files {
	char **paths;
	size_t nr, cap;
};

enum scn_file_kind scn_file_kind(const char *path);
/*
 * Adds what was named, here or among the program's own files (data_dir.h): a file whatever it is, of a folder (and those below it) the *.yaml and *.yml of a kind in @kinds, a
 * mask of 1 << enum scn_file_kind. A folder without any is an error.
 */
enum base_err scn_files_add(struct scn_files *files, const char *arg, unsigned int kinds,
			    struct diag *d);
void scn_files_free(struct scn_files *files);

/* Where the shipped scenarios are. The path is the caller's to free; NULL if nowhere. */
char *scn_files_shipped(void);

/* One play to the end. @see gets every event; it may be NULL. */
struct scn_play {
	const struct call *call;
	const struct scenario *scn;
	const struct setup_bounds *bounds;
	void (*see)(void *ctx, const struct scn_event *ev);
	void *ctx;
};

/* BASE_ERR_OK at the end of the scenario, else *d with its place. */
enum base_err scn_play_all(const struct scn_play *play, struct diag *d);

#endif

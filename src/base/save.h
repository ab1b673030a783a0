/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Saving files so that a reader sees the old file or the new one, never a part: written beside the target, synced,
 * renamed. "-" is standard output; a target that is no regular file (a pipe, /dev/null) is written directly. A signal that
 * ends the program takes the unfinished file with it; one that a caller handles is the caller's. Saves begin and end in
 * one thread.
 */
#ifndef BASE_SAVE_H
#define BASE_SAVE_H

#include "diag.h"

struct base_save;

/* Starts a save; *out is where to print. Nothing has happened to the target before base_save_commit(). */
enum base_err base_save_begin(struct base_save **s, const char *path, FILE **out, struct diag *d);

/* Puts the new file in place; on failure (disk full at any moment) the old file is as it was. Both end the save. */
enum base_err base_save_commit(struct base_save *s, struct diag *d);
void base_save_abort(struct base_save *s);

/* A whole save of len bytes. */
enum base_err base_save_bytes(const char *path, const void *data, size_t len, struct diag *d);

#endif

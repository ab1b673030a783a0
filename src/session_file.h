/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a saved session needs from outside: the options with which its scenario was opened, as texts "seed=7", and the
 * scenario's file where the session lies now.
 */
#ifndef SESSION_FILE_H
#define SESSION_FILE_H

#include "core/session.h"
#include "scenario/scenario.h"
#include "verb.h"

enum { SESSION_OPTION_TEXT = 512 };

/* The options of a call that change what a scenario does; session_options_free() frees them. */
char **session_options_of(const struct call *call, size_t *nr);
void session_options_free(char **options, size_t nr);

/* The same read back over *o. sets: room for what --set said, SESSION_OPTIONS_MAX of them. False: @error says why. */
bool session_options_apply(const char *const *options, size_t nr, struct scn_options *o,
			   const char **sets, char *error, size_t size);

/* Where a session's scenario is: as it says, beside the session, or one of the program's own. Valid until the program ends. */
const char *session_scenario(const char *session_path, const char *scenario);

#endif

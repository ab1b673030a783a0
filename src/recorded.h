/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands on recorded traces have in common. */
#ifndef RECORDED_H
#define RECORDED_H

#include "core/patch.h"
#include "kernel/replay.h"
#include "verb.h"

/*
 * --series and --patches as a set; *given is false where neither stands there. False: *status is the exit status, the
 * fault is printed.
 */
bool recorded_patches(const struct call *call, u32 *patches, bool *given, int *status);

/* one line on standard error, if the recording did not tell its kernel: what was taken, and how to say it */
void recorded_tell_unsure(const char *trace, const struct replay_report *report);

#endif

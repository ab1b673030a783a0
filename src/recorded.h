/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands on recorded traces have in common. */
#ifndef RECORDED_H
#define RECORDED_H

#include "core/patch.h"
#include "verb.h"

/*
 * --series and --patches as a set; *given is false where neither stands there. False: *status is the exit status, the
 * fault is printed.
 */
bool recorded_patches(const struct call *call, u32 *patches, bool *given, int *status);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the program's own files are: scenarios, lessons and scripts. In this order: the folder $PAGESET_DATADIR, the source
 * tree that the program was built in, the share/pageset beside the bin that it lies in, and the folder of make install.
 * Commands that take the name of a scenario or script go through data_resolve().
 */
#ifndef DATA_DIR_H
#define DATA_DIR_H

#include <stddef.h>

/* The folder, or NULL if there is none. It holds scenarios/ and scripts/. */
const char *data_dir(void);

/*
 * A file as a user names it: itself if it is there (or - or absolute), else the program's own: "exit-drain",
 * "exit-drain.yaml", "scenarios/exit-drain.yaml", "lesson-07", "burst.lua". What is nowhere comes back as it is, for the message of
 * whoever opens it. Valid until the program ends.
 */
const char *data_resolve(const char *name);

#endif

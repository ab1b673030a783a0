/* SPDX-License-Identifier: GPL-2.0-only */
/* The map from the tool to the kernel, as Markdown out of the tables. For pageset help --map. */
#ifndef HELP_MAP_H
#define HELP_MAP_H

#include <stdio.h>

void help_map_print(FILE *out);

#endif

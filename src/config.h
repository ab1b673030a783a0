/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The user's defaults: $XDG_CONFIG_HOME/pageset/config.yaml (or ~/.config/pageset/config.yaml). Its keys are the names of
 * options; a key that is the name of a command holds options for that command alone:
 *
 *	color: never
 *	ascii: true
 *	run: {summary: true}
 *
 * The option tables are what it is checked against. What stands in it counts as a default: the command line goes before it,
 * and so does what a scenario says of itself.
 */
#ifndef CONFIG_H
#define CONFIG_H

#include "verb.h"

/* Puts the user's defaults into the sets of a command. No file is no fault. */
enum base_err config_apply(const struct verb *verb, struct opt_set *sets, size_t nr_sets,
			   struct diag *d);

/* The path of the file, whether it is there or not; NULL if neither variable says where. Valid until the program ends. */
const char *config_path(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset version */
#include "verb.h"

static int run(const struct call *call)
{
	(void)call;
	puts("pageset " PAGESET_VERSION);
	return 0;
}

const struct verb verb_version = {
	.name = "version",
	.args = "",
	.help = "the version of this program",
	.run = run,
};

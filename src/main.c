/* SPDX-License-Identifier: GPL-2.0-only */
#include "verb.h"

int main(int argc, char **argv)
{
	return verb_main(argc, argv);
}

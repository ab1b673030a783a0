/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>

int main(void)
{
	puts("pageset " PAGESET_VERSION);
	return 0;
}

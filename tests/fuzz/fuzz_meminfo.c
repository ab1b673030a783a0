/* SPDX-License-Identifier: GPL-2.0-only */
#include "fuzz_dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_dump(kern_meminfo_read, data, size);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The page size of the machine behind a dump: no kernel prints it, several figures tell it. For the parsers alone. */
#ifndef KERNEL_PAGE_SIZE_H
#define KERNEL_PAGE_SIZE_H

#include "dump.h"

/* Fills page_size and page_size_by. given: bytes, 0 to find out. A size found before (by the buddy lists) stays. */
void kern_find_page_size(struct kern_dump *dump, uint64_t given);

/* Whether bytes is a page size that Linux can have: a power of two from 4 KiB to 1 MiB. */
bool kern_is_page_size(uint64_t bytes);

#endif

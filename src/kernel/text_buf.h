/* SPDX-License-Identifier: GPL-2.0-only */
/* A text that grows; for output that is compared or shown as a whole. */
#ifndef PAGESET_KERNEL_TEXT_BUF_H
#define PAGESET_KERNEL_TEXT_BUF_H

#include <stddef.h>

/* All zero is an empty text; data is NULL until something was printed. */
struct kern_text {
	char *data;
	size_t len, cap;
};

void kern_text_printf(struct kern_text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The text, the caller's to free(); "" for an empty one. */
char *kern_text_take(struct kern_text *t);
void kern_text_free(struct kern_text *t);

#endif

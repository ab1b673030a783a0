/* SPDX-License-Identifier: GPL-2.0-only */
#include "text_buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

void kern_text_printf(struct kern_text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	for (;;) {
		size_t room = t->cap - t->len;

		va_start(ap, fmt);
		n = vsnprintf(t->data ? t->data + t->len : NULL, room, fmt, ap);
		va_end(ap);
		if (n < 0)
			return;
		if ((size_t)n < room)
			break;
		t->cap = t->cap * 2 + (size_t)n + 256;
		t->data = realloc(t->data, t->cap);
		BASE_CHECK(t->data != NULL, "%zu bytes of text", t->cap);
	}
	t->len += (size_t)n;
}

char *kern_text_take(struct kern_text *t)
{
	char *data = t->data ? t->data : base_strdup("");

	data[t->len] = '\0';
	memset(t, 0, sizeof(*t));
	return data;
}

void kern_text_free(struct kern_text *t)
{
	free(t->data);
	memset(t, 0, sizeof(*t));
}

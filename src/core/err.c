/* SPDX-License-Identifier: GPL-2.0-only */
#include "err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static panic_hook hook;

enum sim_err sim_fail(struct sim_error *err, enum sim_err code, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		err->code = code;
		va_start(ap, fmt);
		vsnprintf(err->message, sizeof(err->message), fmt, ap);
		va_end(ap);
	}
	return code;
}

void sim_set_panic_hook(panic_hook new_hook)
{
	hook = new_hook;
}

void sim_panic(const char *file, int line, const char *fmt, ...)
{
	char text[512];
	int used = snprintf(text, sizeof(text), "%s:%d: ", file, line);
	va_list ap;

	va_start(ap, fmt);
	if (used > 0 && (size_t)used < sizeof(text))
		vsnprintf(text + used, sizeof(text) - (size_t)used, fmt, ap);
	va_end(ap);
	if (hook)
		hook(text);
	abort();
}

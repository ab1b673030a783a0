/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Errors of core: a code and one sentence. Core prints nothing; callers turn
 * these into diagnostics with a place.
 */
#ifndef PAGESET_CORE_ERR_H
#define PAGESET_CORE_ERR_H

#include "types.h"

enum sim_err {
	SIM_OK,
#define ERR(code, text) code,
#include "err.def"
#undef ERR
};

struct sim_error {
	enum sim_err code;
	char message[248];
};

/* Fill @err (may be NULL) and return @code. */
enum sim_err sim_fail(struct sim_error *err, enum sim_err code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * A broken invariant is a bug of ours: the hook gets the text with the values
 * and must not return. Without a hook, and if it returns, core aborts.
 */
typedef void (*panic_hook)(const char *text);
void sim_set_panic_hook(panic_hook hook);
_Noreturn void sim_panic(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Checked in release builds too; the values belong into the message. */
#define SIM_ASSERT(cond, fmt, ...)                                                     \
	do {                                                                           \
		if (unlikely(!(cond)))                                                 \
			sim_panic(__FILE__, __LINE__, "%s: " fmt, #cond, __VA_ARGS__); \
	} while (0)

#endif

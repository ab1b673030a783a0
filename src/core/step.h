/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Steps: what an operation does, statement by statement. The mirror reports a
 * step after each statement worth a sentence; step.def holds the sentences.
 * Without an observer a step costs one predictable branch.
 *
 * An observer runs in the middle of an operation: it may look at the whole
 * state through sim.h and field.h, may inject an operation (op.h), and may leave
 * by longjmp() when the machine is only shown and restored before it runs on.
 */
#ifndef PAGESET_CORE_STEP_H
#define PAGESET_CORE_STEP_H

#include "patch.h"
#include "types.h"

struct sim;

/* The functions of the mirror that report steps. */
enum step_func {
#define FUNC(name, file, kernel, kernel_file, summary, ...) FN_##name,
#define STEP_DEF(id, func, kind, patch, text)
#include "step.def"
#undef FUNC
#undef STEP_DEF
	NR_STEP_FUNCS
};

enum step_id {
#define FUNC(name, file, kernel, kernel_file, summary, ...)
#define STEP_DEF(id, func, kind, patch, text) STEP_##id,
#include "step.def"
#undef FUNC
#undef STEP_DEF
	NR_STEPS
};

/* What a step is, for colours, the event strip and event handlers. */
enum step_kind {
	SK_ENTER,     /* a function begins */
	SK_COND,      /* a condition was evaluated; args[0] is its outcome, 0 or 1 */
	SK_NOT_ASKED, /* a condition that the patch set does not have */
	SK_SET,	      /* a value changed */
	SK_MOVE,      /* a page moved */
	SK_RESULT,    /* a function's answer */
	SK_REFILL,    /* event: a list was refilled */
	SK_BULK,      /* event: pages went back to the buddy in bulk */
	SK_DRAIN,     /* event: a drain by free_high, tick, hotplug or request */
	SK_FLAG,      /* event: a flag of a pageset or zone changed */
	SK_TICK,      /* event: a tick began */
	SK_PATCH,     /* event: the patch set changed */
	SK_FAIL,      /* event: an allocation failed */
	NR_STEP_KINDS
};

enum { STEP_ARGS_MAX = 6, STEP_TEXT_MAX = 240 };

struct step {
	u16 id; /* enum step_id */
	u16 nr_args;
	u32 line;	  /* in file, counting from 1 */
	const char *file; /* of the mirror, as the compiler names it */
	u16 cpu;	  /* that executes */
	u16 depth;	  /* of injection: 0 the op itself, 1 an injected one */
	s64 args[STEP_ARGS_MAX];
};

typedef void (*step_observer)(void *ctx, struct sim *sim, const struct step *step);

struct step_info {
	const char *name; /* PCP_ABOVE_HIGH */
	u8 func;	  /* enum step_func */
	u8 kind;	  /* enum step_kind */
	u8 patch;	  /* enum patch_id, P_NONE */
	const char *text; /* sentence with {n}, see step_format() */
};

struct step_func_info {
	const char *name;	 /* as in our source */
	const char *file;	 /* pcp.c */
	const char *kernel;	 /* the kernel's name for it, 6.6 unless it says more */
	const char *kernel_file; /* mm/page_alloc.c */
	const char *summary;	 /* one line: what it decides or does */
	u64 callers;		 /* mask of enum step_func */
};

extern const struct step_info step_infos[NR_STEPS];
extern const struct step_func_info step_funcs[NR_STEP_FUNCS];
extern const char *const step_kind_names[NR_STEP_KINDS];

/*
 * Write the step's sentence to @buf (STEP_TEXT_MAX bytes) with its operands:
 * {n} a number, {n:x} a pfn in hex, {n:yn} yes or no, {n:mt} a migratetype,
 * {n:list} a pageset list like U0, {n:zone} a zone's name, {n:wm} a watermark's
 * name. Returns @buf.
 */
char *step_format(const struct sim *sim, const struct step *step, char *buf);

/* The call stack of an operation, as far as its steps tell. */
struct step_stack {
	u8 depth;
	u8 funcs[16]; /* enum step_func, outermost first */
};

/* Bring @stack to @step; clear it before an operation's first step. */
void step_stack_update(struct step_stack *stack, const struct step *step);

/* The mirror's side. */
__cold void step_emit(struct sim *sim, enum step_id id, const char *file, u32 line, u32 nr_args,
		      const s64 *args);

#define STEP_ARG0()
#define STEP_ARG1(a) (s64)(a)
#define STEP_ARG2(a, ...) (s64)(a), STEP_ARG1(__VA_ARGS__)
#define STEP_ARG3(a, ...) (s64)(a), STEP_ARG2(__VA_ARGS__)
#define STEP_ARG4(a, ...) (s64)(a), STEP_ARG3(__VA_ARGS__)
#define STEP_ARG5(a, ...) (s64)(a), STEP_ARG4(__VA_ARGS__)
#define STEP_ARG6(a, ...) (s64)(a), STEP_ARG5(__VA_ARGS__)
#define STEP_PICK(a, b, c, d, e, f, n, ...) n
#define STEP_COUNT(...) STEP_PICK(__VA_ARGS__, 6, 5, 4, 3, 2, 1)
#define STEP_JOIN2(a, b) a##b
#define STEP_JOIN(a, b) STEP_JOIN2(a, b)

/* Does anybody want to know of steps? Never in the mirror's quiet twin: quiet.h. */
#define STEP_WANTED(sim) (!MIRROR_IS_QUIET && unlikely((sim)->unusual & UNUSUAL_WATCHED))

/* Report a step with one to six operands. */
#define STEP(sim, id, ...)                                                                       \
	do {                                                                                     \
		if (STEP_WANTED(sim)) {                                                          \
			const s64 step_args_[] = { STEP_JOIN(STEP_ARG, STEP_COUNT(__VA_ARGS__))( \
				__VA_ARGS__) };                                                  \
			step_emit(sim, id, __FILE__, __LINE__, (u32)ARRAY_SIZE(step_args_),      \
				  step_args_);                                                   \
		}                                                                                \
	} while (0)

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fixed-width names as the kernel spells them, and the few compiler hints
 * that core uses. Anyone may include this.
 */
#ifndef PAGESET_CORE_TYPES_H
#define PAGESET_CORE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef MIRROR_QUIET
#include "quiet_names.h"
#define MIRROR_IS_QUIET true
#else
#define MIRROR_IS_QUIET false
#endif

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Paths that a fast operation does not take stay out of line; it takes in all others. */
#define __noinline __attribute__((__noinline__))
#define __cold __attribute__((__noinline__, __cold__))
#define __flatten __attribute__((__flatten__))
#ifndef __always_inline
#define __always_inline inline __attribute__((__always_inline__))
#endif

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline s64 min_s64(s64 a, s64 b)
{
	return a < b ? a : b;
}

static inline s64 max_s64(s64 a, s64 b)
{
	return a > b ? a : b;
}

static inline int min_int(int a, int b)
{
	return a < b ? a : b;
}

static inline int max_int(int a, int b)
{
	return a > b ? a : b;
}

/* In the order of the 6.6 kernel's clamp(), which matters where lo > hi. */
static inline int clamp_int(int v, int lo, int hi)
{
	return v >= hi ? hi : v <= lo ? lo : v;
}

#endif

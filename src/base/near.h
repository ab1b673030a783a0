/* SPDX-License-Identifier: GPL-2.0-only */
/* Did you mean: the nearest of the known names, if one is near enough that a slip of the fingers explains it. */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stddef.h>

/* Name number i, NULL after the last. */
typedef const char *base_name_fn(const void *ctx, size_t i);

/* The nearest name or NULL; of several equally near ones the first. */
const char *base_near(const char *word, base_name_fn *name, const void *ctx);

/* The same over an array that ends in NULL. */
const char *base_near_list(const char *word, const char *const *names);

/* Insertions, deletions, substitutions and swaps of neighbours between a and b, case ignored; limit + 1 if more than limit. */
size_t base_distance(const char *a, const char *b, size_t limit);

#endif

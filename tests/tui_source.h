/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small scenario of the tests' own behind the interfaces of src/tui/ui.h: the
 * exit of a process that touched 500 pages, as in DESIGN.md's picture, with things
 * said and asked. Expressions are names of fields, with > and a number if one likes.
 */
#ifndef TESTS_TUI_SOURCE_H
#define TESTS_TUI_SOURCE_H

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "core/field.h"
#include "tui/loop.h"
#include "tui/nav.h"

struct test_source {
	struct machine machine;
	u32 slots[501];
	u32 at;
};

static const char *const test_choices[] = { "0", "62", "125" };
static const struct ui_cue test_cues[] = {
	{ .kind = UI_SAY, .op = 0, .text = "The process has touched 500 pages.", .cpu = -1 },
	{ .kind = UI_PREDICT,
	  .op = 3,
	  .text = "What will cpu 0's count be?",
	  .id = "q1",
	  .hint = "Look at free_factor.",
	  .why = "All of it goes.",
	  .expr = "cpu[0].zone[0].count",
	  .choices = test_choices,
	  .nr_choices = 3,
	  .after = 4,
	  .points = 2,
	  .cpu = -1 },
	{ .kind = UI_BOOKMARK, .op = 3, .text = "before", .cpu = -1 },
	{ .kind = UI_FOCUS, .op = 5, .text = "zone", .cpu = 1 },
};

/* The same with a question before anything has run, as long as they get. */
static const struct ui_cue test_cues_first[] = {
	{ .kind = UI_SAY,
	  .op = 0,
	  .text = "All free memory of a zone stands behind one lock, the zone lock. Four CPUs that "
		  "allocate at the same time would queue for it. So each CPU has a pageset: a few "
		  "lists of free pages that only it touches. All pagesets are said-to-be-empty.",
	  .cpu = -1 },
	{ .kind = UI_PREDICT,
	  .op = 0,
	  .text = "Question-begins: CPU 0 allocates a great many pages, one after the other. How "
		  "many of them are left in its pageset afterwards? Question-ends",
	  .id = "q0",
	  .expr = "cpu[0].zone[0].count",
	  .after = 1,
	  .points = 1,
	  .cpu = -1 },
};

static enum ui_next test_next(void *ctx, struct timeline *tl, char *error, size_t size)
{
	static const struct op ops[] = {
		{ .kind = OP_ALLOCN, .type = MIGRATE_MOVABLE, .count = 500 },
		{ .kind = OP_ALLOC, .order = 1, .count = 1 },
		{ .kind = OP_FREELIST, .count = 500 },
		{ .kind = OP_FREE, .count = 1 },
		{ .kind = OP_TICK, .count = 1 },
		{ .kind = OP_ALLOCN, .cpu = 1, .type = MIGRATE_MOVABLE, .count = 3 },
	};
	struct test_source *s = ctx;
	struct sim_error err;
	u32 *slots = s->slots;

	if (s->at >= ARRAY_SIZE(ops))
		return UI_END;
	if (s->at == 1 || s->at == 3)
		slots = &s->slots[500];
	if (tl_append(tl, &ops[s->at++], slots, NULL, &err)) {
		snprintf(error, size, "%s", err.message);
		return UI_FAILED;
	}
	return UI_MORE;
}

static size_t test_cues_of(void *ctx, const struct ui_cue **cues)
{
	(void)ctx;
	*cues = test_cues;
	return ARRAY_SIZE(test_cues);
}

static size_t test_cues_of_first(void *ctx, const struct ui_cue **cues)
{
	(void)ctx;
	*cues = test_cues_first;
	return ARRAY_SIZE(test_cues_first);
}

static void test_close(void *ctx)
{
	struct test_source *s = ctx;

	machine_free(&s->machine);
	free(s);
}

static bool test_open(void *ctx, const char *path, struct ui_source *src, char *error, size_t size)
{
	struct test_source *s;
	struct sim_error err;

	(void)ctx;
	if (strcmp(path, "exit") != 0 && strcmp(path, "wide") != 0 && strcmp(path, "first") != 0) {
		snprintf(error, size, "%s: no such scenario", path);
		return false;
	}
	s = base_alloc(1, sizeof(*s));
	machine_init(&s->machine);
	if (strcmp(path, "wide") == 0) {
		s->machine.cpus = 224;
		s->machine.nodes = 2;
	}
	if (machine_finish(&s->machine, &err))
		abort();
	*src = (struct ui_source){ .ctx = s,
				   .path = strcmp(path, "wide") == 0 ? "wide" : "exit",
				   .name = "exit",
				   .title = "A process exits",
				   .summary = "Two order-1 pages cost a whole pageset.",
				   .level = "beginner",
				   .machine = &s->machine,
				   .zone = 0,
				   .next = test_next,
				   .cues = strcmp(path, "first") == 0 ? test_cues_of_first :
									test_cues_of,
				   .close = test_close };
	return true;
}

static const struct ui_entry test_entries[] = {
	{ "wide", "wide", "224 CPUs on two nodes", "Many rows.", "advanced" },
	{ "exit", "exit", "A process exits", "Two pages cost a pageset.", "beginner" },
};
static const struct ui_library test_library = {
	.nr = ARRAY_SIZE(test_entries),
	.entries = test_entries,
	.open = test_open,
};

struct test_expr {
	struct field_ref ref;
	bool compares;
	s64 above;
};

static void *test_compile(void *ctx, const struct sim *sim, int zone, const char *text, char *error,
			  size_t size)
{
	struct test_expr e = { 0 }, *out;
	char path[FIELD_NAME_MAX];
	const char *sign = strstr(text, " > ");
	struct sim_error err;

	(void)ctx;
	snprintf(path, sizeof(path), "%.*s", sign ? (int)(sign - text) : 63, text);
	if (field_parse(sim, path, zone, &e.ref, NULL, &err)) {
		snprintf(error, size, "%s", err.message);
		return NULL;
	}
	e.compares = sign != NULL;
	e.above = sign ? atoll(sign + 3) : 0;
	out = base_alloc(1, sizeof(e));
	*out = e;
	return out;
}

static bool test_eval(void *ctx, void *expr, const struct sim *sim, const struct ui_last *last,
		      struct ui_value *value, char *error, size_t size)
{
	const struct test_expr *e = expr;

	(void)ctx;
	(void)last;
	if (!field_get(sim, &e->ref, &value->number)) {
		snprintf(error, size, "the patch set lacks the field");
		return false;
	}
	value->type = e->compares ? UI_VALUE_BOOL : UI_VALUE_INT;
	if (e->compares)
		value->number = value->number > e->above;
	return true;
}

static void test_release(void *ctx, void *expr)
{
	(void)ctx;
	free(expr);
}

static const struct ui_expr test_expressions = {
	.compile = test_compile,
	.eval = test_eval,
	.release = test_release,
};

static inline struct ui_options test_options(int cols, int rows)
{
	return (struct ui_options){
		.library = &test_library, .expr = &test_expressions, .cols = cols, .rows = rows
	};
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#include "expr_glue.h"

#include <stdlib.h>
#include <string.h>

#include "core/field.h"
#include "script/expr.h"

/* One Lua state for all expressions; it goes with the last of them. */
static struct script_exprs *exprs;
static size_t nr_compiled;

static void drop_unused(void)
{
	if (nr_compiled)
		return;
	script_exprs_free(exprs);
	exprs = NULL;
}

/* A compiled expression, and the names that the call in progress hands in. */
struct glue {
	struct script_expr *expr;
	struct script_names names;
	const struct scn_scope *scope;
	size_t nr_scope;
};

static bool scope_get(void *ctx, const char *name, struct script_value *value)
{
	const struct glue *g = ctx;

	for (size_t i = 0; i < g->nr_scope; i++) {
		if (strcmp(g->scope[i].name, name) != 0)
			continue;
		*value = (struct script_value){
			.type = SCRIPT_INTEGER,
			.integer = g->scope[i].value,
		};
		return true;
	}
	return false;
}

static const char *scope_name(void *ctx, size_t i)
{
	const struct glue *g = ctx;

	return i < g->nr_scope ? g->scope[i].name : NULL;
}

static bool compile(void *ctx, const struct sim *sim, int default_zone,
		    const struct scn_scope *scope, size_t nr_scope, const char *text, size_t len,
		    void **handle, char *message, char *hint, size_t size, size_t *offset)
{
	struct glue *g = base_alloc(1, sizeof(*g));
	struct script_fault fault;

	(void)ctx;
	if (!exprs)
		exprs = script_exprs_new();
	if (!exprs) {
		snprintf(message, size, "not enough memory on this host");
		hint[0] = '\0';
		*offset = 0;
		free(g);
		return false;
	}
	g->names = (struct script_names){ .ctx = g, .get = scope_get, .name_at = scope_name };
	g->scope = scope;
	g->nr_scope = nr_scope;
	if (script_expr_compile(exprs, sim, default_zone, &g->names, text, len, &g->expr, &fault)) {
		g->scope = NULL;
		g->nr_scope = 0;
		*handle = g;
		nr_compiled++;
		return true;
	}
	snprintf(message, size, "%s", fault.message);
	snprintf(hint, size, "%s", fault.hint);
	*offset = fault.offset;
	free(g);
	drop_unused();
	return false;
}

static struct scn_value convert(const struct script_value *from)
{
	struct scn_value to = { .kind = SCN_NIL };

	switch (from->type) {
	case SCRIPT_BOOLEAN:
		to.kind = SCN_BOOL;
		to.b = from->boolean;
		break;
	case SCRIPT_INTEGER:
		to.kind = SCN_INT;
		to.i = from->integer;
		break;
	case SCRIPT_NUMBER:
		to.kind = SCN_NUM;
		to.n = from->number;
		break;
	}
	return to;
}

static bool eval(void *ctx, void *handle, const struct sim *sim, const struct scn_scope *scope,
		 size_t nr_scope, struct scn_value *value, char *message, size_t size)
{
	struct glue *g = handle;
	struct script_value result;
	struct script_fault fault;
	bool ok;

	(void)ctx;
	g->scope = scope;
	g->nr_scope = nr_scope;
	ok = script_expr_eval(g->expr, sim, &result, &fault);
	g->scope = NULL;
	g->nr_scope = 0;
	if (ok)
		*value = convert(&result);
	else
		snprintf(message, size, "%s", fault.message);
	return ok;
}

static void explain(void *ctx, void *handle, const struct sim *sim, char *text, size_t size)
{
	const struct glue *g = handle;
	struct field_ref ref;
	size_t used = 0;

	(void)ctx;
	text[0] = '\0';
	for (size_t i = 0; script_expr_field(g->expr, i, &ref) && used < size; i++) {
		char path[FIELD_NAME_MAX];
		s64 value;
		int n;

		if (!field_get(sim, &ref, &value))
			continue;
		n = snprintf(text + used, size - used, "%s%s is %lld", used ? ", " : "",
			     field_path(&ref, path), (long long)value);
		used += n > 0 ? (size_t)n : 0;
	}
}

static void release(void *ctx, void *handle)
{
	struct glue *g = handle;

	(void)ctx;
	script_expr_free(g->expr);
	free(g);
	nr_compiled--;
	drop_unused();
}

const struct scn_expr_ops expr_glue = {
	.compile = compile,
	.eval = eval,
	.explain = explain,
	.free = release,
};

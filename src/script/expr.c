/* SPDX-License-Identifier: GPL-2.0-only */
#include "expr.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "box.h"
#include "fields.h"

enum {
	EXPR_TOKENS_MAX = 2000,
	EXPR_TEXT_MAX = 16384, /* bytes */
	EXPR_WORK = 1000000,
	EXPR_MEMORY = 8 << 20,
};

struct script_exprs {
	struct script_box *box;
	struct script_expr *current; /* evaluated or compiled now */
	const struct sim *sim;
	size_t fault_at, fault_len;
};

struct expr_token {
	size_t at, len;
	enum { TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_OTHER } kind;
};

/* A field that the expression names. */
struct expr_field {
	struct field_ref ref;
	size_t at, len;
};

struct script_expr {
	struct script_exprs *exprs;
	struct script_names names;
	int default_zone;
	int chunk;			/* reference in the registry */
	size_t dynamic_at, dynamic_len; /* of a path whose index is computed */
	size_t nr_fields;
	struct expr_field *fields;
	size_t len;
};

/* The few functions and constants of expressions. */
static const char *const expr_functions[] = { "math", "min", "max", "abs", "floor", "ceil", NULL };
static const char *const lua_words[] = { "and",	  "or",	   "not",   "true",	"false",  "nil",
					 "break", "do",	   "else",  "elseif",	"end",	  "for",
					 "goto",  "if",	   "in",    "local",	"repeat", "return",
					 "then",  "until", "while", "function", NULL };
enum { NR_VALUE_WORDS = 6 };

static bool in_list(const char *const *list, const char *word)
{
	for (; *list; list++) {
		if (strcmp(*list, word) == 0)
			return true;
	}
	return false;
}

static bool fail(struct script_fault *fault, size_t at, size_t len, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static bool fail(struct script_fault *fault, size_t at, size_t len, const char *fmt, ...)
{
	va_list ap;

	fault->offset = at;
	fault->length = len;
	fault->hint[0] = '\0';
	va_start(ap, fmt);
	vsnprintf(fault->message, sizeof(fault->message), fmt, ap);
	va_end(ap);
	return false;
}

/*
 * Tokens
 */

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Length of the quoted string at @s, 0 if it does not end. */
static size_t string_length(const char *s, const char *end)
{
	for (const char *at = s + 1; at < end; at++) {
		if (*at == '\\')
			at++;
		else if (*at == *s)
			return (size_t)(at + 1 - s);
	}
	return 0;
}

static size_t number_length(const char *s, const char *end)
{
	const char *at = s;

	while (at < end && (is_name_char(*at) || *at == '.' ||
			    ((*at == '+' || *at == '-') && at > s && strchr("eEpP", at[-1]))))
		at++;
	return (size_t)(at - s);
}

static size_t operator_length(const char *s, const char *end)
{
	static const char *const longer[] = { "...", "==", "~=", "<=", ">=", "//",
					      "<<",  ">>", "..", "::", NULL };

	for (const char *const *op = longer; *op; op++) {
		size_t n = strlen(*op);

		if ((size_t)(end - s) >= n && memcmp(s, *op, n) == 0)
			return n;
	}
	return 1;
}

static bool next_token(const char *text, const char *end, struct expr_token *t,
		       struct script_fault *fault)
{
	const char *s = text + t->at;

	if (isalpha((unsigned char)*s) || *s == '_') {
		t->kind = TOKEN_NAME;
		for (t->len = 1; s + t->len < end && is_name_char(s[t->len]);)
			t->len++;
	} else if (isdigit((unsigned char)*s) ||
		   (*s == '.' && s + 1 < end && isdigit((unsigned char)s[1]))) {
		t->kind = TOKEN_NUMBER;
		t->len = number_length(s, end);
	} else if (*s == '"' || *s == '\'') {
		t->kind = TOKEN_STRING;
		t->len = string_length(s, end);
		if (!t->len)
			return fail(fault, t->at, 1, "the text in quotes does not end");
	} else {
		t->kind = TOKEN_OTHER;
		t->len = operator_length(s, end);
		if (s + 1 < end &&
		    ((s[0] == '-' && s[1] == '-') || (s[0] == '[' && (s[1] == '[' || s[1] == '='))))
			return fail(fault, t->at, 2, "%.2s has no place in an expression", s);
	}
	return true;
}

/* All tokens; -1 with a fault. */
static int tokenize(const char *text, size_t len, struct expr_token *tokens,
		    struct script_fault *fault)
{
	int n = 0;
	size_t at = 0;

	for (;;) {
		while (at < len && isspace((unsigned char)text[at]))
			at++;
		if (at >= len)
			return n;
		if (n == EXPR_TOKENS_MAX) {
			fail(fault, at, 1, "the expression has more than %d words", n);
			return -1;
		}
		tokens[n].at = at;
		if (!next_token(text, text + len, &tokens[n], fault))
			return -1;
		at += tokens[n++].len;
	}
}

static bool token_is(const char *text, const struct expr_token *t, const char *what)
{
	return t->len == strlen(what) && memcmp(text + t->at, what, t->len) == 0;
}

/*
 * Names
 */

/* A source of names for "did you mean": fields' roots, functions, words, the caller's. */
struct known_names {
	const struct script_names *names;
};

static const char *known_name(const void *ctx, size_t i)
{
	static const char *const fixed[] = { "cpu", "zone", "node", "stats", "math",
					     "min", "max",  "abs",  "floor", "ceil",
					     "and", "or",   "not",  "true",  "false" };
	const struct known_names *known = ctx;

	if (i < ARRAY_SIZE(fixed))
		return fixed[i];
	if (!known->names->name_at)
		return NULL;
	return known->names->name_at(known->names->ctx, i - ARRAY_SIZE(fixed));
}

static bool unknown_name(struct script_expr *e, const struct expr_token *t, const char *name,
			 struct script_fault *fault)
{
	struct known_names known = { &e->names };
	const char *near = base_near(name, known_name, &known);

	fail(fault, t->at, t->len, "%s is neither a field nor a name that is known here", name);
	if (near)
		snprintf(fault->hint, sizeof(fault->hint), "did you mean %s?", near);
	else
		snprintf(fault->hint, sizeof(fault->hint),
			 "fields begin with cpu[C], zone[Z], node[N] or stats");
	return false;
}

/*
 * How many tokens from @i on make a field's path with plain numbers in its
 * brackets; 0 if an index is computed.
 */
static int path_tokens(const char *text, const struct expr_token *t, int i, int n)
{
	int at = i + 1;

	while (at < n) {
		if (token_is(text, &t[at], ".") && at + 1 < n && t[at + 1].kind == TOKEN_NAME)
			at += 2;
		else if (!token_is(text, &t[at], "["))
			break;
		else if (at + 2 < n && t[at + 1].kind == TOKEN_NUMBER &&
			 token_is(text, &t[at + 2], "]"))
			at += 3;
		else
			return 0;
	}
	return at - i;
}

/* Offset in the text of byte @k of a path whose spaces were left out. */
static size_t path_place(const struct expr_token *t, int i, int count, size_t k)
{
	for (int j = i; j < i + count; j++) {
		if (k < t[j].len)
			return t[j].at + k;
		k -= t[j].len;
	}
	return t[i + count - 1].at + t[i + count - 1].len - 1;
}

/* Resolve the path of @count tokens and append a name for it to @out. */
static bool add_field(struct script_expr *e, const char *text, const struct expr_token *t, int i,
		      int count, luaL_Buffer *out, struct script_fault *fault)
{
	char path[256], name[24];
	struct expr_field *f = &e->fields[e->nr_fields];
	struct sim_error err;
	size_t used = 0, wrong;

	for (int j = i; j < i + count; j++) {
		if (used + t[j].len >= sizeof(path))
			return fail(fault, t[i].at, t[i].len, "the name of the field is too long");
		memcpy(path + used, text + t[j].at, t[j].len);
		used += t[j].len;
	}
	path[used] = '\0';
	f->at = t[i].at;
	f->len = t[i + count - 1].at + t[i + count - 1].len - f->at;
	if (field_parse(e->exprs->sim, path, e->default_zone, &f->ref, &wrong, &err)) {
		size_t at = path_place(t, i, count, wrong), len = 1;

		while (at + len < e->len && is_name_char(text[at + len]) && is_name_char(text[at]))
			len++;
		return fail(fault, at, len, "%s", err.message);
	}
	snprintf(name, sizeof(name), " _F%zu ", e->nr_fields++);
	luaL_addstring(out, name);
	return true;
}

/* A name that begins a value: field, function or the caller's. Advances *i behind what was taken. */
static bool add_name(struct script_expr *e, const char *text, const struct expr_token *t, int *i,
		     int n, luaL_Buffer *out, struct script_fault *fault)
{
	char name[128];
	struct script_value value;
	int count;

	snprintf(name, sizeof(name), "%.*s", (int)(t[*i].len < 127 ? t[*i].len : 127),
		 text + t[*i].at);
	if (script_fields_root(name)) {
		count = path_tokens(text, t, *i, n);
		if (count > 0) {
			if (!add_field(e, text, t, *i, count, out, fault))
				return false;
			*i += count;
			return true;
		}
		e->dynamic_at = t[*i].at;
		e->dynamic_len = t[*i].len;
	} else if (in_list(lua_words + NR_VALUE_WORDS, name)) {
		return fail(fault, t[*i].at, t[*i].len, "%s has no place in an expression", name);
	} else if (!in_list(lua_words, name) && !in_list(expr_functions, name) &&
		   !(e->names.get && e->names.get(e->names.ctx, name, &value))) {
		return unknown_name(e, &t[*i], name, fault);
	}
	luaL_addlstring(out, text + t[*i].at, t[*i].len);
	(*i)++;
	return true;
}

/* The chunk's text, with names in place of fields. */
static bool rewrite(struct script_expr *e, const char *text, const struct expr_token *t, int n,
		    luaL_Buffer *out, struct script_fault *fault)
{
	int depth = 0;

	luaL_addstring(out, "return ");
	for (int i = 0; i < n;) {
		bool member = i > 0 &&
			      (token_is(text, &t[i - 1], ".") || token_is(text, &t[i - 1], ":"));

		if (t[i].kind == TOKEN_NAME && !member) {
			if (!add_name(e, text, t, &i, n, out, fault))
				return false;
			luaL_addchar(out, ' ');
			continue;
		}
		if (t[i].len == 1 && strchr("([{", text[t[i].at]))
			depth++;
		else if (t[i].len == 1 && strchr(")]}", text[t[i].at]))
			depth--;
		if (depth < 0)
			return fail(fault, t[i].at, 1, "%c closes nothing", text[t[i].at]);
		if (t[i].len == 1 && (text[t[i].at] == ';' || (text[t[i].at] == ',' && !depth)))
			return fail(fault, t[i].at, 1, "one expression was expected, not several");
		if (t[i].len == 1 && text[t[i].at] == '=' && !depth) {
			fail(fault, t[i].at, 1, "= has no place in an expression");
			snprintf(fault->hint, sizeof(fault->hint), "== compares");
			return false;
		}
		luaL_addlstring(out, text + t[i].at, t[i].len);
		luaL_addchar(out, ' ');
		i++;
	}
	return true;
}

/*
 * Compilation
 */

/* A message of Lua without its place: behind "]:1: ". */
static const char *bare_message(const char *message)
{
	const char *colon = strstr(message, "]:1: ");

	return colon ? colon + 5 : message;
}

/* The first token at which the text cannot go on is the wrong one. */
static bool syntax_fault(lua_State *L, const char *text, const struct expr_token *t, int n,
			 const char *message, struct script_fault *fault)
{
	size_t end = t[n - 1].at + t[n - 1].len;

	if (strstr(message, "<eof>"))
		return fail(fault, t[n - 1].at, t[n - 1].len, "the expression is not finished");
	for (int i = 0; i < n; i++) {
		luaL_Buffer b;
		bool finished;

		luaL_buffinit(L, &b);
		luaL_addstring(&b, "return ");
		luaL_addlstring(&b, text, t[i].at + t[i].len);
		luaL_pushresult(&b);
		finished = luaL_loadbufferx(L, lua_tostring(L, -1), lua_rawlen(L, -1), "=", "t") ==
				   LUA_OK ||
			   strstr(lua_tostring(L, -1), "<eof>");
		lua_pop(L, 2);
		if (!finished)
			return fail(fault, t[i].at, t[i].len, "%.*s was not expected here",
				    (int)(t[i].len < 40 ? t[i].len : 40), text + t[i].at);
	}
	return fail(fault, 0, end, "%s", bare_message(message));
}

struct compile_call {
	struct script_expr *e;
	const char *text;
	size_t len;
	const struct expr_token *tokens;
	int nr_tokens;
	struct script_fault *fault;
	bool done;
};

static int l_compile(lua_State *L)
{
	struct compile_call *c = lua_touserdata(L, 1);
	luaL_Buffer b;
	const char *chunk;
	size_t len;

	luaL_buffinit(L, &b);
	if (!rewrite(c->e, c->text, c->tokens, c->nr_tokens, &b, c->fault))
		return 0;
	luaL_pushresult(&b);
	chunk = lua_tolstring(L, -1, &len);
	if (luaL_loadbufferx(L, chunk, len, "e", "t")) {
		syntax_fault(L, c->text, c->tokens, c->nr_tokens, lua_tostring(L, -1), c->fault);
		return 0;
	}
	lua_rawgetp(L, LUA_REGISTRYINDEX, c->e->exprs);
	lua_setupvalue(L, -2, 1);
	c->e->chunk = luaL_ref(L, LUA_REGISTRYINDEX);
	c->done = true;
	return 0;
}

static void begin(struct script_exprs *x, struct script_expr *e, const struct sim *sim)
{
	x->current = e;
	x->sim = sim;
	x->box->work = 0;
	x->box->spent = NULL;
	x->fault_at = 0;
	x->fault_len = e->len;
}

bool script_expr_compile(struct script_exprs *exprs, const struct sim *sim, int default_zone,
			 const struct script_names *names, const char *text, size_t len,
			 struct script_expr **expr, struct script_fault *fault)
{
	struct expr_token *tokens = NULL;
	struct script_expr *e = calloc(1, sizeof(*e));
	lua_State *L = exprs->box->L;
	struct compile_call call = { .e = e, .text = text, .len = len, .fault = fault };
	int n = -1;

	*expr = NULL;
	fail(fault, 0, len, "no memory for an expression");
	if (len > EXPR_TEXT_MAX)
		fail(fault, 0, len, "the expression is longer than %d bytes", EXPR_TEXT_MAX);
	else if (memchr(text, '\0', len))
		fail(fault, 0, len, "the expression has a zero byte");
	else if (e && (tokens = calloc(EXPR_TOKENS_MAX, sizeof(*tokens))) != NULL)
		n = tokenize(text, len, tokens, fault);
	if (n == 0)
		fail(fault, 0, len, "an expression was expected, but there is nothing");
	if (n > 0 && (e->fields = calloc((size_t)n, sizeof(*e->fields))) != NULL) {
		e->exprs = exprs;
		e->default_zone = default_zone;
		e->chunk = LUA_NOREF;
		e->len = len;
		if (names)
			e->names = *names;
		begin(exprs, e, sim);
		call.tokens = tokens;
		call.nr_tokens = n;
		lua_pushcfunction(L, l_compile);
		lua_pushlightuserdata(L, &call);
		if (lua_pcall(L, 1, 0, 0)) {
			fail(fault, 0, len, "%s", lua_tostring(L, -1));
			lua_pop(L, 1);
		}
	}
	free(tokens);
	if (call.done)
		*expr = e;
	else
		script_expr_free(e);
	return call.done;
}

void script_expr_free(struct script_expr *expr)
{
	if (!expr)
		return;
	if (expr->exprs)
		luaL_unref(expr->exprs->box->L, LUA_REGISTRYINDEX, expr->chunk);
	free(expr->fields);
	free(expr);
}

bool script_expr_field(const struct script_expr *expr, size_t i, struct field_ref *ref)
{
	if (i >= expr->nr_fields)
		return false;
	*ref = expr->fields[i].ref;
	return true;
}

/*
 * Evaluation
 */

static int missing_field(lua_State *L, struct script_exprs *x, const struct expr_field *f)
{
	enum patch_id patch = field_patch(&f->ref);
	enum series series = patch_series(sim_patches(x->sim));
	char path[FIELD_NAME_MAX];
	int number = patch == P_NONE ? 0 : patch_number(series, patch);
	bool gone = field_infos[f->ref.id].gone_with & sim_patches(x->sim);

	x->fault_at = f->at;
	x->fault_len = f->len;
	field_path(&f->ref, path);
	if (patch == P_NONE)
		return luaL_error(L, "%s does not exist here", path);
	if (number == 0)
		return luaL_error(L, "%s does not exist: series v%d has no patch %s", path,
				  series == SERIES_V3 ? 3 : 2, patch_name(patch));
	return luaL_error(L, "%s does not exist: patch %d (%s) is %s", path, number,
			  patch_name(patch), gone ? "on" : "off");
}

static int push_script_value(lua_State *L, const struct script_value *v)
{
	if (v->type == SCRIPT_BOOLEAN)
		lua_pushboolean(L, v->boolean);
	else if (v->type == SCRIPT_INTEGER)
		lua_pushinteger(L, v->integer);
	else
		lua_pushnumber(L, v->number);
	return 1;
}

static const struct sim *expr_sim(lua_State *L, void *owner, int *default_zone)
{
	struct script_exprs *x = owner;

	(void)L;
	x->fault_at = x->current->dynamic_at;
	x->fault_len = x->current->dynamic_len;
	*default_zone = x->current->default_zone;
	return x->sim;
}

/* Reads of a name that is no function: a field by its number, a path's root, the caller's value. */
static int l_expr_index(lua_State *L)
{
	struct script_exprs *x = lua_touserdata(L, lua_upvalueindex(1));
	const char *name = lua_tostring(L, 2);
	struct script_value value;
	s64 number;

	if (strncmp(name, "_F", 2) == 0) {
		const struct expr_field *f = &x->current->fields[strtoul(name + 2, NULL, 10)];

		if (!field_get(x->sim, &f->ref, &number))
			return missing_field(L, x, f);
		lua_pushinteger(L, number);
		return 1;
	}
	if (script_fields_root(name)) {
		script_fields_push(L, expr_sim, x, 0, name);
		return 1;
	}
	if (x->current->names.get && x->current->names.get(x->current->names.ctx, name, &value))
		return push_script_value(L, &value);
	return luaL_error(L, "%s has no value", name);
}

bool script_expr_eval(struct script_expr *expr, const struct sim *sim, struct script_value *value,
		      struct script_fault *fault)
{
	struct script_exprs *x = expr->exprs;
	lua_State *L = x->box->L;
	bool ok = true;

	begin(x, expr, sim);
	lua_rawgeti(L, LUA_REGISTRYINDEX, expr->chunk);
	if (lua_pcall(L, 0, 1, 0)) {
		const char *message = lua_tostring(L, -1);

		ok = fail(fault, x->fault_at, x->fault_len, "%s",
			  message ? bare_message(message) : "an error without a message");
	} else if (lua_isboolean(L, -1)) {
		value->type = SCRIPT_BOOLEAN;
		value->boolean = lua_toboolean(L, -1);
	} else if (lua_isinteger(L, -1)) {
		value->type = SCRIPT_INTEGER;
		value->integer = lua_tointeger(L, -1);
	} else if (lua_type(L, -1) == LUA_TNUMBER) {
		value->type = SCRIPT_NUMBER;
		value->number = lua_tonumber(L, -1);
	} else {
		ok = fail(fault, 0, expr->len,
			  "the expression gives a %s; a number, true or false was expected",
			  luaL_typename(L, -1));
	}
	lua_settop(L, 0);
	return ok;
}

bool script_value_true(const struct script_value *value)
{
	return value->type == SCRIPT_BOOLEAN ? value->boolean :
	       value->type == SCRIPT_INTEGER ? value->integer != 0 :
					       value->number < 0 || value->number > 0;
}

char *script_value_format(const struct script_value *value, char *buf)
{
	if (value->type == SCRIPT_BOOLEAN)
		snprintf(buf, SCRIPT_VALUE_TEXT, "%s", value->boolean ? "true" : "false");
	else if (value->type == SCRIPT_INTEGER)
		snprintf(buf, SCRIPT_VALUE_TEXT, "%lld", (long long)value->integer);
	else
		snprintf(buf, SCRIPT_VALUE_TEXT, "%.14g", value->number);
	return buf;
}

/*
 * The shared state
 */

static int l_open_exprs(lua_State *L)
{
	static const char *const from_math[] = { "min", "max", "abs", "floor", "ceil", NULL };
	struct script_exprs *x = lua_touserdata(L, 1);

	script_fields_open(L);
	script_push_builtins(L);
	lua_newtable(L); /* the environment of expressions */
	lua_getfield(L, -2, "math");
	for (const char *const *name = from_math; *name; name++) {
		lua_getfield(L, -1, *name);
		lua_setfield(L, -3, *name);
	}
	lua_setfield(L, -2, "math");
	lua_newtable(L);
	lua_pushlightuserdata(L, x);
	lua_pushcclosure(L, l_expr_index, 1);
	lua_setfield(L, -2, "__index");
	lua_setmetatable(L, -2);
	lua_rawsetp(L, LUA_REGISTRYINDEX, x);
	return 0;
}

struct script_exprs *script_exprs_new(void)
{
	struct script_limits limits = { .instructions = EXPR_WORK, .memory = EXPR_MEMORY };
	struct script_exprs *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->box = script_box_new(&limits);
	if (!x->box) {
		free(x);
		return NULL;
	}
	lua_pushcfunction(x->box->L, l_open_exprs);
	lua_pushlightuserdata(x->box->L, x);
	if (lua_pcall(x->box->L, 1, 0, 0)) {
		script_exprs_free(x);
		return NULL;
	}
	return x;
}

void script_exprs_free(struct script_exprs *exprs)
{
	if (!exprs)
		return;
	script_box_free(exprs->box);
	free(exprs);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "pattern.h"

#include <ctype.h>
#include <string.h>

static void pattern_work(struct pattern_match *m, u64 work)
{
	m->work += work;
	if (unlikely(m->work >= 4096)) {
		script_charge(m->L, m->work);
		m->work = 0;
	}
}

void script_pattern_init(struct pattern_match *m, lua_State *L, const char *subject, size_t len,
			 const char *pattern_end)
{
	m->L = L;
	m->begin = subject;
	m->end = subject + len;
	m->pattern_end = pattern_end;
	m->depth = 0;
	m->work = 0;
	m->nr_captures = 0;
}

static bool class_has(int class, int c)
{
	bool has;

	switch (tolower(class)) {
	case 'a':
		has = isalpha(c);
		break;
	case 'c':
		has = iscntrl(c);
		break;
	case 'd':
		has = isdigit(c);
		break;
	case 'g':
		has = isgraph(c);
		break;
	case 'l':
		has = islower(c);
		break;
	case 'p':
		has = ispunct(c);
		break;
	case 's':
		has = isspace(c);
		break;
	case 'u':
		has = isupper(c);
		break;
	case 'w':
		has = isalnum(c);
		break;
	case 'x':
		has = isxdigit(c);
		break;
	default:
		return class == c;
	}
	return isupper(class) ? !has : has;
}

/* Behind the single item (a character, a class, a set) at @p. */
static const char *item_end(struct pattern_match *m, const char *p)
{
	char first = *p++;

	if (first == '%') {
		if (p == m->pattern_end)
			luaL_error(m->L, "malformed pattern (ends with '%%')");
		return p + 1;
	}
	if (first != '[')
		return p;
	if (p < m->pattern_end && *p == '^')
		p++;
	/* A ] right at the beginning stands for itself. */
	do {
		if (p == m->pattern_end)
			luaL_error(m->L, "malformed pattern (missing ']')");
		if (*p++ == '%') {
			if (p == m->pattern_end)
				luaL_error(m->L, "malformed pattern (missing ']')");
			p++;
		}
	} while (p == m->pattern_end || *p != ']');
	return p + 1;
}

/* Is @c in the set from @p ('[') to @last (']')? */
static bool set_has(struct pattern_match *m, int c, const char *p, const char *last)
{
	bool yes = true;

	p++;
	if (*p == '^') {
		yes = false;
		p++;
	}
	for (const char *from = p; p < last;) {
		pattern_work(m, 1);
		if (*p == '%') {
			if (class_has((unsigned char)p[1], c))
				return yes;
			p += 2;
		} else if (p + 2 < last && p[1] == '-') {
			if ((unsigned char)p[0] <= c && c <= (unsigned char)p[2])
				return yes;
			p += 3;
		} else {
			if ((unsigned char)*p == c)
				return yes;
			p++;
		}
		(void)from;
	}
	return !yes;
}

static bool item_matches(struct pattern_match *m, const char *s, const char *p, const char *p_end)
{
	int c;

	pattern_work(m, 1);
	if (s >= m->end)
		return false;
	c = (unsigned char)*s;
	switch (*p) {
	case '.':
		return true;
	case '%':
		return class_has((unsigned char)p[1], c);
	case '[':
		return set_has(m, c, p, p_end - 1);
	default:
		return (unsigned char)*p == c;
	}
}

static const char *match_here(struct pattern_match *m, const char *s, const char *p);

/* %bxy */
static const char *match_balanced(struct pattern_match *m, const char *s, const char *p)
{
	int open = 1;

	if (p + 1 >= m->pattern_end)
		luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
	if (s >= m->end || *s != p[0])
		return NULL;
	for (s++; s < m->end; s++) {
		pattern_work(m, 1);
		if (*s == p[1]) {
			if (--open == 0)
				return s + 1;
		} else if (*s == p[0]) {
			open++;
		}
	}
	return NULL;
}

/* As many as there are, then fewer until the rest matches. */
static const char *match_most(struct pattern_match *m, const char *s, const char *p,
			      const char *p_end, ptrdiff_t least)
{
	ptrdiff_t n = 0;

	while (item_matches(m, s + n, p, p_end))
		n++;
	for (; n >= least; n--) {
		const char *e = match_here(m, s + n, p_end + 1);

		if (e)
			return e;
	}
	return NULL;
}

/* As few as the rest allows. */
static const char *match_least(struct pattern_match *m, const char *s, const char *p,
			       const char *p_end)
{
	for (;; s++) {
		const char *e = match_here(m, s, p_end + 1);

		if (e)
			return e;
		if (!item_matches(m, s, p, p_end))
			return NULL;
	}
}

static const char *capture_open(struct pattern_match *m, const char *s, const char *p,
				ptrdiff_t kind)
{
	const char *e;

	if (m->nr_captures >= PATTERN_CAPTURES_MAX)
		luaL_error(m->L, "too many captures");
	m->captures[m->nr_captures].start = s;
	m->captures[m->nr_captures].len = kind;
	m->nr_captures++;
	e = match_here(m, s, p);
	if (!e)
		m->nr_captures--;
	return e;
}

static const char *capture_close(struct pattern_match *m, const char *s, const char *p)
{
	int i = m->nr_captures - 1;
	const char *e;

	while (i >= 0 && m->captures[i].len != CAPTURE_OPEN)
		i--;
	if (i < 0)
		luaL_error(m->L, "invalid pattern capture");
	m->captures[i].len = s - m->captures[i].start;
	e = match_here(m, s, p);
	if (!e)
		m->captures[i].len = CAPTURE_OPEN;
	return e;
}

/* %1 to %9: the same text again. */
static const char *match_capture(struct pattern_match *m, const char *s, int digit)
{
	int i = digit - '1';
	size_t len;

	if (i < 0 || i >= m->nr_captures || m->captures[i].len == CAPTURE_OPEN)
		luaL_error(m->L, "invalid capture index %%%d", i + 1);
	len = m->captures[i].len > 0 ? (size_t)m->captures[i].len : 0;
	pattern_work(m, 1 + len / 16);
	if ((size_t)(m->end - s) < len || memcmp(s, m->captures[i].start, len) != 0)
		return NULL;
	return s + len;
}

/* %f[set]: from outside the set into it. */
static bool match_frontier(struct pattern_match *m, const char *s, const char *p, const char *p_end)
{
	int before = s == m->begin ? 0 : (unsigned char)s[-1];
	int here = s == m->end ? 0 : (unsigned char)*s;

	return !set_has(m, before, p, p_end - 1) && set_has(m, here, p, p_end - 1);
}

/*
 * What begins with % and is more than a class. True if it was: then *s is the
 * place behind it, NULL if it does not match, and *p is behind it in the pattern.
 */
static bool match_special(struct pattern_match *m, const char **s, const char **p)
{
	const char *at = *p + 1;

	if (at >= m->pattern_end)
		return false;
	if (*at == 'b') {
		*s = match_balanced(m, *s, at + 1);
		*p = at + 3;
	} else if (*at == 'f') {
		const char *end;

		if (at + 1 >= m->pattern_end || at[1] != '[')
			luaL_error(m->L, "missing '[' after '%%f' in pattern");
		end = item_end(m, at + 1);
		if (!match_frontier(m, *s, at + 1, end))
			*s = NULL;
		*p = end;
	} else if (isdigit((unsigned char)*at)) {
		*s = match_capture(m, *s, *at);
		*p = at + 1;
	} else {
		return false;
	}
	return true;
}

/* An item with what follows it; *more: go on at *s and *p. */
static const char *match_item(struct pattern_match *m, const char **s, const char **p, bool *more)
{
	const char *end = item_end(m, *p);
	char suffix = '\0';

	if (end < m->pattern_end)
		suffix = *end;
	*more = false;
	switch (suffix) {
	case '?':
		if (item_matches(m, *s, *p, end)) {
			const char *e = match_here(m, *s + 1, end + 1);

			if (e)
				return e;
		}
		*p = end + 1;
		*more = true;
		return *s;
	case '+':
		return match_most(m, *s, *p, end, 1);
	case '*':
		return match_most(m, *s, *p, end, 0);
	case '-':
		return match_least(m, *s, *p, end);
	default:
		if (!item_matches(m, *s, *p, end))
			return NULL;
		(*s)++;
		*p = end;
		*more = true;
		return *s;
	}
}

static const char *match_loop(struct pattern_match *m, const char *s, const char *p)
{
	bool more = true;

	while (p < m->pattern_end) {
		if (*p == '(') {
			if (p + 1 < m->pattern_end && p[1] == ')')
				return capture_open(m, s, p + 2, CAPTURE_PLACE);
			return capture_open(m, s, p + 1, CAPTURE_OPEN);
		}
		if (*p == ')')
			return capture_close(m, s, p + 1);
		if (*p == '$' && p + 1 == m->pattern_end)
			return s == m->end ? s : NULL;
		if (*p == '%' && match_special(m, &s, &p)) {
			if (!s)
				return NULL;
			continue;
		}
		s = match_item(m, &s, &p, &more);
		if (!s || !more)
			return s;
	}
	return s;
}

static const char *match_here(struct pattern_match *m, const char *s, const char *p)
{
	const char *e;

	if (++m->depth > PATTERN_DEPTH_MAX)
		luaL_error(m->L, "pattern too complex");
	pattern_work(m, 2);
	e = match_loop(m, s, p);
	m->depth--;
	return e;
}

const char *script_pattern_at(struct pattern_match *m, const char *at, const char *pattern)
{
	m->nr_captures = 0;
	m->depth = 0;
	return match_here(m, at, pattern);
}

void script_pattern_push(struct pattern_match *m, int i, const char *start, const char *end)
{
	if (i >= m->nr_captures) {
		if (i != 0)
			luaL_error(m->L, "invalid capture index %%%d", i + 1);
		lua_pushlstring(m->L, start, (size_t)(end - start));
		return;
	}
	if (m->captures[i].len == CAPTURE_OPEN)
		luaL_error(m->L, "unfinished capture");
	if (m->captures[i].len == CAPTURE_PLACE)
		lua_pushinteger(m->L, m->captures[i].start - m->begin + 1);
	else
		lua_pushlstring(m->L, m->captures[i].start, (size_t)m->captures[i].len);
}

int script_pattern_push_all(struct pattern_match *m, const char *start, const char *end)
{
	int n = m->nr_captures == 0 && start ? 1 : m->nr_captures;

	luaL_checkstack(m->L, n, "too many captures");
	for (int i = 0; i < n; i++)
		script_pattern_push(m, i, start, end);
	script_charge(m->L, 1);
	return n;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "source.h"

#include <string.h>

#include "err.h"

/* The text of a file between two symbols of its own. */
#define EMBED(name)                                                              \
	__asm__(".section .rodata\n"                                             \
		"source_" #name ":\n"                                            \
		".incbin \"src/core/" #name ".c\"\n"                             \
		"source_" #name "_end:\n"                                        \
		".byte 0\n"                                                      \
		".previous\n");                                                  \
	extern const char source_##name[] __attribute__((visibility("hidden"))); \
	extern const char source_##name##_end[] __attribute__((visibility("hidden")))

EMBED(pcp);
EMBED(buddy);
EMBED(zone);
EMBED(vmstat);
EMBED(cacheinfo);
EMBED(sim);

enum { LINES_MAX = 2048, DEPTH_MAX = 32, NR_FILES = 6 };

const char *const source_files[] = { "pcp.c",	    "buddy.c", "zone.c", "vmstat.c",
				     "cacheinfo.c", "sim.c",   NULL };

static const struct text {
	const char *begin, *end;
} texts[NR_FILES] = {
	{ source_pcp, source_pcp_end },
	{ source_buddy, source_buddy_end },
	{ source_zone, source_zone_end },
	{ source_vmstat, source_vmstat_end },
	{ source_cacheinfo, source_cacheinfo_end },
	{ source_sim, source_sim_end },
};

static struct source_line lines[NR_FILES][LINES_MAX];
static size_t nr_lines[NR_FILES];

/* Whose code is it: a patch's, or (otherwise) what runs while that patch is off. */
struct owner {
	u8 patch;
	bool otherwise;
};

/* A pair of braces. */
struct block {
	struct owner owner; /* of the lines inside, from here on */
	struct owner begin; /* of its braces */
	struct owner other; /* of its else, and of what follows if it ends in a return */
	bool leaves;	    /* its last statement is a return, break, continue or goto */
};

struct scan {
	const char *at, *end;
	u32 line; /* from 0 */
	struct source_line *all;
	bool hidden[LINES_MAX];
	struct block blocks[DEPTH_MAX];
	u32 depth;
	bool statement; /* one begins here */
	/* The condition that was just read, if a brace follows it. */
	bool condition, otherwise;
	u32 condition_line;
	struct block next;
	struct owner last_other; /* of the block that was just closed, for its else */
};

static struct scan scan;

static const struct owner nobody = { P_NONE, false };

/* Pass over a comment, string or character; true if there was one. */
static bool pass_quoted(struct scan *s)
{
	if (s->at[0] == '/' && s->at[1] == '*') {
		s->at += 2;
		while (s->at < s->end && !(s->at[0] == '*' && s->at[1] == '/'))
			s->line += *s->at++ == '\n';
		s->at += s->at < s->end ? 2 : 0;
		return true;
	}
	if (*s->at == '"' || *s->at == '\'') {
		char quote = *s->at++;

		while (s->at < s->end && *s->at != quote)
			s->at += *s->at == '\\' ? 2 : 1;
		s->at += s->at < s->end;
		return true;
	}
	return false;
}

static bool in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static bool is_word(const char *at, size_t n, const char *word)
{
	return strlen(word) == n && strncmp(at, word, n) == 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static void pass_blanks(struct scan *s)
{
	while (s->at < s->end && is_blank(*s->at))
		s->line += *s->at++ == '\n';
}

/* From an opening parenthesis to behind its partner. */
static void pass_parentheses(struct scan *s)
{
	u32 depth = 0;

	while (s->at < s->end) {
		if (pass_quoted(s))
			continue;
		depth += *s->at == '(';
		depth -= *s->at == ')';
		s->line += *s->at++ == '\n';
		if (depth == 0)
			return;
	}
}

static enum patch_id patch_of(const char *at)
{
	static const struct {
		const char *name;
		enum patch_id id;
	} names[] = {
#define PATCH(id, v2, v3, name, title, needs) { #id, id },
#include "patch.def"
#undef PATCH
		{ "P_SERIES_V3", P_SERIES_V3 },
	};
	size_t n = 0;

	while (in_word(at[n]))
		n++;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (is_word(at, n, names[i].name))
			return names[i].id;
	}
	return P_NONE;
}

static bool contains(const char *at, const char *end, const char *what)
{
	size_t n = strlen(what);

	for (; at + n <= end; at++) {
		if (strncmp(at, what, n) == 0)
			return true;
	}
	return false;
}

/* Whom the body and the else of a condition belong to; @outer where it does not tell. */
static void judge_condition(const char *at, const char *end, struct owner outer, struct block *out)
{
	static const char call[] = "patched(sim, ";
	const char *p = at;
	bool negated, any_or = contains(at, end, "||"), any_and = contains(at, end, "&&");

	*out = (struct block){ outer, outer, outer, false };
	while (p < end && strncmp(p, call, sizeof(call) - 1) != 0)
		p++;
	if (p == end)
		return;
	negated = p > at && p[-1] == '!';
	p += sizeof(call) - 1;
	/* A conjunction needs all its parts, so its body does; a disjunction's else likewise. */
	if (!any_or)
		out->owner = (struct owner){ (u8)patch_of(p), negated };
	if (!any_and)
		out->other = (struct owner){ (u8)patch_of(p), !negated };
}

static struct owner owner_now(const struct scan *s)
{
	return s->depth ? s->blocks[s->depth - 1].owner : nobody;
}

static void own_line(struct scan *s, u32 line, struct owner owner)
{
	s->all[line].patch = owner.patch;
	s->all[line].otherwise = owner.otherwise;
}

/* A STEP statement: its lines are hidden, and an if or else that has nothing but it. */
static void pass_step(struct scan *s)
{
	u32 first = s->line;

	pass_parentheses(s);
	while (s->at < s->end && *s->at != ';')
		s->at++;
	for (u32 i = first; i <= s->line; i++)
		s->hidden[i] = true;
	for (u32 above = first; above-- > 0;) {
		const char *text = s->all[above].text;
		u32 len = s->all[above].len;

		while (len && is_blank(*text)) {
			text++;
			len--;
		}
		if (!(len >= 4 && strncmp(text, "if (", 4) == 0 && text[len - 1] == ')') &&
		    !(len == 4 && strncmp(text, "else", 4) == 0))
			return;
		s->hidden[above] = true;
	}
}

static void pass_word(struct scan *s)
{
	const char *word = s->at;
	size_t n = 0;

	while (in_word(word[n]))
		n++;
	s->at += n;
	if (is_word(word, n, "STEP") && *s->at == '(') {
		pass_step(s);
		return;
	}
	if (s->statement && s->depth)
		s->blocks[s->depth - 1].leaves =
			is_word(word, n, "return") || is_word(word, n, "break") ||
			is_word(word, n, "continue") || is_word(word, n, "goto");
	s->statement = false;
	if (is_word(word, n, "if")) {
		u32 line = s->line;
		const char *begin;

		pass_blanks(s);
		begin = s->at;
		pass_parentheses(s);
		judge_condition(begin, s->at, owner_now(s), &s->next);
		s->condition = true;
		s->condition_line = line;
	} else if (is_word(word, n, "else")) {
		s->otherwise = true;
	}
}

static void open_block(struct scan *s)
{
	struct owner outer = owner_now(s);
	struct block block = { outer, outer, outer, false };

	SIM_ASSERT(s->depth < DEPTH_MAX, "line %u: %u braces", s->line + 1, s->depth);
	if (s->condition) {
		block = s->next;
		/* What an "else if" does not decide itself, its else decides. */
		if (s->otherwise && block.owner.patch == outer.patch)
			block.owner = block.other = s->last_other;
		for (u32 i = s->condition_line; i < s->line; i++)
			own_line(s, i, block.owner);
	} else if (s->otherwise) {
		block.owner = block.other = s->last_other;
	}
	block.begin = block.owner;
	s->blocks[s->depth++] = block;
	own_line(s, s->line, block.owner);
}

static bool else_follows(const struct scan *s)
{
	const char *at = s->at + 1; /* behind the brace */

	while (at < s->end && is_blank(*at))
		at++;
	return strncmp(at, "else", 4) == 0 && !in_word(at[4]);
}

static void close_block(struct scan *s)
{
	struct block closed, *outer;

	SIM_ASSERT(s->depth > 0, "line %u: a brace too many", s->line + 1);
	closed = s->blocks[--s->depth];
	own_line(s, s->line, closed.begin);
	s->last_other = closed.other;
	if (!s->depth)
		return;
	outer = &s->blocks[s->depth - 1];
	outer->leaves = false;
	/*
	 * Behind a branch that left, the rest is in its else. That a line is not of
	 * the other series says less than whose patch it is.
	 */
	if (closed.leaves && !else_follows(s) &&
	    (closed.other.patch != P_SERIES_V3 || outer->owner.patch == P_NONE))
		outer->owner = closed.other;
}

/* Split into lines; returns their number. */
static u32 split(const struct text *text, struct source_line *all)
{
	const char *at = text->begin;
	u32 n = 0;

	while (at < text->end) {
		const char *end = memchr(at, '\n', (size_t)(text->end - at));

		end = end ? end : text->end;
		SIM_ASSERT(n < LINES_MAX, "%u lines", n);
		all[n] = (struct source_line){ at, (u32)(end - at), n + 1, P_NONE, false };
		n++;
		at = end + 1;
	}
	return n;
}

static void read_file(size_t file)
{
	struct scan *s = &scan;
	u32 nr, line = UINT32_MAX;
	size_t visible = 0;

	memset(s, 0, sizeof(*s));
	s->all = lines[file];
	s->at = texts[file].begin;
	s->end = texts[file].end;
	nr = split(&texts[file], s->all);
	while (s->at < s->end) {
		/* A line belongs to whom it begins with, unless it opens a block. */
		for (; line != s->line; line++)
			own_line(s, line + 1, owner_now(s));
		if (pass_quoted(s))
			continue;
		if (in_word(*s->at)) {
			pass_word(s);
			continue;
		}
		if (*s->at == '{') {
			open_block(s);
		} else if (*s->at == '}') {
			close_block(s);
		}
		if (*s->at == '{' || *s->at == '}' || *s->at == ';')
			s->statement = true;
		if (!is_blank(*s->at))
			s->condition = s->otherwise = false;
		s->line += *s->at++ == '\n';
	}
	for (u32 i = 0; i < nr; i++) {
		if (!s->hidden[i])
			s->all[visible++] = s->all[i];
	}
	nr_lines[file] = visible;
}

size_t source_lines(const char *file, const struct source_line **out)
{
	const char *slash = strrchr(file, '/');

	file = slash ? slash + 1 : file;
	for (size_t i = 0; i < NR_FILES; i++) {
		if (strcmp(source_files[i], file) != 0)
			continue;
		if (!nr_lines[i])
			read_file(i);
		*out = lines[i];
		return nr_lines[i];
	}
	*out = NULL;
	return 0;
}

size_t source_line_at(const struct source_line *at, size_t nr, u32 number)
{
	size_t lo = 0, hi = nr;

	while (hi - lo > 1) {
		size_t mid = (lo + hi) / 2;

		if (at[mid].number <= number)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

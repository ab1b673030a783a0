/* SPDX-License-Identifier: GPL-2.0-only */
#include "session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define A(name) (1u << OPARG_##name)

static const char *const edit_names[] = { "insert", "base", "inject" };

static bool takes_list(const struct op *op)
{
	return op_infos[op->kind].args & A(pages);
}

bool session_is(const char *text, size_t len)
{
	static const char head[] = "pageset session ";

	return len >= sizeof(head) - 1 && memcmp(text, head, sizeof(head) - 1) == 0;
}

/*
 * Reading
 */

struct reader {
	struct session *s;
	struct sim_error *err;
	char *at; /* in the line that is read */
	u32 line;
	bool ended;
};

#define bad(r, ...) (sim_fail((r)->err, ERR_RANGE, __VA_ARGS__), false)

static void *block(struct session *s, size_t nr, size_t size)
{
	void **blocks = realloc(s->blocks, (s->nr_blocks + 1) * sizeof(*blocks));
	void *new = blocks ? calloc(nr ? nr : 1, size) : NULL;

	if (blocks)
		s->blocks = blocks;
	if (new)
		s->blocks[s->nr_blocks++] = new;
	return new;
}

/* The next word of the line, ended; "" behind the last. */
static char *word(struct reader *r)
{
	char *start = r->at + strspn(r->at, " "), *end = start + strcspn(start, " ");

	r->at = *end ? end + 1 : end;
	*end = '\0';
	return start;
}

/* All that is left of the line. */
static char *rest(struct reader *r)
{
	char *start = r->at;

	r->at += strlen(r->at);
	return start;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return 16;
}

/* Digits to their end, at most @max. */
static bool digits(const char *at, u32 base, u64 max, u64 *value)
{
	*value = 0;
	if (!*at)
		return false;
	for (; *at; at++) {
		u64 digit = (u64)digit_of(*at);

		if (digit >= base || *value > (max - digit) / base)
			return false;
		*value = *value * base + digit;
	}
	return true;
}

static bool number(struct reader *r, const char *what, u64 max, u64 *value)
{
	const char *text = word(r);

	if (digits(text, 10, max, value))
		return true;
	return bad(r, "%s: '%.40s' is no number up to %llu", what, text, (unsigned long long)max);
}

static bool signed_number(struct reader *r, const char *what, s64 *value)
{
	const char *text = word(r);
	bool minus = *text == '-';
	u64 v;

	if (!digits(text + minus, 10, (u64)INT64_MAX, &v))
		return bad(r, "%s: '%.40s' is no number", what, text);
	*value = minus ? -(s64)v : (s64)v;
	return true;
}

static bool hex(struct reader *r, const char *what, u64 max, u64 *value)
{
	const char *text = word(r);

	if (digits(text + (strncmp(text, "0x", 2) == 0 ? 2 : 0), 16, max, value))
		return true;
	return bad(r, "%s: '%.40s' is no hexadecimal number up to %llx", what, text,
		   (unsigned long long)max);
}

/* A position; version 1 had two numbers counted from 0. */
static bool position(struct reader *r, struct tl_pos *pos)
{
	const char *text;
	u64 op, step;

	if (r->s->version == 1) {
		if (!number(r, "the operation", INT64_MAX, &op) ||
		    !number(r, "the step", UINT32_MAX, &step))
			return false;
		*pos = (struct tl_pos){ .op = op, .step = (u32)step };
		return true;
	}
	text = word(r);
	return tl_pos_parse(text, pos) || bad(r, "'%.40s' is no position such as 8 or 8.40", text);
}

static bool patch_set(struct reader *r, u32 *set)
{
	u64 v;

	if (!hex(r, "the patch set", UINT32_MAX, &v))
		return false;
	*set = (u32)v;
	return patch_set_is_closed(*set) ||
	       bad(r, "%#x is no patch set: a patch lacks one that it needs", *set);
}

static bool no_more(struct reader *r)
{
	const char *text = word(r);

	return !*text || bad(r, "'%.40s' is one word too many", text);
}

/* Slots as numbers and runs A-B, so many as the operation has blocks. */
static bool read_slots(struct reader *r, struct session_edit *e)
{
	u32 *slots, nr = 0;
	char *text;

	slots = block(r->s, e->op.count, sizeof(*slots));
	if (!slots)
		return sim_fail(r->err, ERR_NOMEM, "no memory for the slots"), false;
	while (*(text = word(r))) {
		char *dash = strchr(text, '-');
		u64 from, to;

		if (dash)
			*dash = '\0';
		if (!digits(text, 10, UINT32_MAX, &from) ||
		    !digits(dash ? dash + 1 : text, 10, UINT32_MAX, &to) || to < from)
			return bad(r, "'%.40s' is no slot and no run of slots", text);
		if (to - from >= e->op.count - nr)
			return bad(r, "more slots than the %u blocks of the operation",
				   e->op.count);
		for (u64 slot = from; slot <= to; slot++)
			slots[nr++] = (u32)slot;
	}
	if (nr != e->op.count)
		return bad(r, "%u slots for an operation of %u blocks", nr, e->op.count);
	e->slots = slots;
	return true;
}

static bool edit_op(struct reader *r, struct session_edit *e)
{
	struct op *op = &e->op;
	u64 v[8];

	if (!number(r, "the kind", NR_OPS - 1, &v[0]) || !number(r, "the order", 10, &v[1]) ||
	    !number(r, "the type", 2, &v[2]) || !number(r, "the flags", 255, &v[3]) ||
	    !number(r, "the CPU", UINT16_MAX, &v[4]) || !number(r, "the zone", UINT16_MAX, &v[5]) ||
	    !number(r, "the count", SIM_OP_LIST_MAX, &v[6]) ||
	    !number(r, "the slot", UINT32_MAX, &v[7]) || !signed_number(r, "value", &op->value) ||
	    !signed_number(r, "low", &op->low) || !signed_number(r, "high", &op->high))
		return false;
	op->kind = (u8)v[0];
	op->order = (u8)v[1];
	op->type = (u8)v[2];
	op->flags = (u8)v[3] & (OP_F_ATOMIC | OP_F_BUSY | OP_F_ON);
	op->cpu = (u16)v[4];
	op->zone = (u16)v[5];
	op->count = (u32)v[6];
	op->slot = (u32)v[7];
	if (e->kind == SESSION_BASE)
		return true;
	if (!op->count)
		return bad(r, "an operation of no blocks");
	if (op->kind == OP_FREE && op->count != 1)
		return bad(r, "free is of one block");
	return true;
}

static bool read_edit(struct reader *r)
{
	struct session *s = r->s;
	struct session_branch *b = s->nr_branches ? &s->branches[s->nr_branches - 1] : NULL;
	struct session_edit *e;
	const char *kind;
	u64 v;

	if (!b)
		return bad(r, "an edit before any branch");
	if (b->nr_edits == SESSION_EDITS_MAX)
		return bad(r, "more than %d edits of one line", SESSION_EDITS_MAX);
	if (!b->edits)
		b->edits = block(s, SESSION_EDITS_MAX, sizeof(*b->edits));
	if (!b->edits)
		return sim_fail(r->err, ERR_NOMEM, "no memory for edits"), false;
	e = &b->edits[b->nr_edits];
	*e = (struct session_edit){ .line = r->line, .about = "" };
	kind = word(r);
	for (v = 0; v < ARRAY_SIZE(edit_names) && strcmp(kind, edit_names[v]) != 0; v++)
		;
	if (s->version == 1 && !digits(kind, 10, 2, &v))
		v = 3;
	if (v > 2)
		return bad(r, "'%.40s' is no kind of edit", kind);
	e->kind = (enum session_edit_kind)v;
	if (!position(r, &e->at))
		return false;
	if (s->version == 1) {
		if (!number(r, "the patch set", UINT32_MAX, &v))
			return false;
		e->set = (u32)v;
	} else if (!hex(r, "the patch set", UINT32_MAX, &v)) {
		return false;
	}
	e->set = (u32)v;
	if (e->kind == SESSION_BASE && !patch_set_is_closed(e->set))
		return bad(r, "%#x is no patch set: a patch lacks one that it needs", e->set);
	if (e->kind == SESSION_INJECT && !e->at.step)
		return bad(r, "an injection needs a step inside an operation");
	if (!edit_op(r, e))
		return false;
	/* One block is named by its slot; a list of slots may say it again. */
	if (e->kind != SESSION_BASE && takes_list(&e->op) &&
	    (e->op.kind != OP_FREE || *(r->at + strspn(r->at, " ")))) {
		if (!read_slots(r, e))
			return false;
	}
	b->nr_edits++;
	return no_more(r);
}

static bool read_branch(struct reader *r)
{
	struct session *s = r->s;
	struct session_branch *b = &s->branches[s->nr_branches];

	if (s->nr_branches == SESSION_BRANCHES_MAX)
		return bad(r, "more than %d branches", SESSION_BRANCHES_MAX);
	b->line = r->line;
	if (!number(r, "the operations", INT64_MAX, &b->ops) ||
	    !number(r, "the length", INT64_MAX, &b->length) ||
	    !hex(r, "the digest", UINT64_MAX, &b->digest))
		return false;
	b->name = rest(r);
	s->nr_branches++;
	return *b->name || bad(r, "a branch without a name");
}

static bool read_mark(struct reader *r)
{
	struct session *s = r->s;
	struct session_mark *m = &s->marks[s->nr_marks];

	if (s->nr_marks == SESSION_MARKS_MAX)
		return bad(r, "more than %d bookmarks", SESSION_MARKS_MAX);
	if (!position(r, &m->at))
		return false;
	m->name = rest(r);
	m->name += r->s->version == 1 ? strspn(m->name, " ") : 0;
	s->nr_marks++;
	return true;
}

/* Version 1 had "TEXT *IGNORE". */
static bool old_break(struct reader *r, struct session_break *b)
{
	char *text = rest(r), *star = strrchr(text, '*');
	u64 v = 0;

	if (star && star > text && star[-1] == ' ' && digits(star + 1, 10, 1000000000, &v)) {
		while (star > text && star[-1] == ' ')
			star--;
		*star = '\0';
	}
	b->ignore = (u32)v;
	b->text = text;
	return true;
}

static bool read_break(struct reader *r)
{
	struct session *s = r->s;
	struct session_break *b = &s->breaks[s->nr_breaks];
	u64 v;

	if (s->nr_breaks == SESSION_BREAKS_MAX)
		return bad(r, "more than %d breakpoints", SESSION_BREAKS_MAX);
	b->line = r->line;
	s->nr_breaks++;
	if (s->version == 1)
		return old_break(r, b);
	if (!number(r, "how many are ignored", 1000000000, &v) ||
	    !number(r, "the hits", INT64_MAX, &b->hits))
		return false;
	b->ignore = (u32)v;
	b->text = rest(r);
	return *b->text || bad(r, "a breakpoint without a condition");
}

static bool read_answer(struct reader *r)
{
	struct session *s = r->s;
	struct session_answer *a = &s->answers[s->nr_answers];
	const char *flags;
	u64 points, of;

	if (s->nr_answers == SESSION_ANSWERS_MAX)
		return bad(r, "more than %d answers", SESSION_ANSWERS_MAX);
	if (!number(r, "the points", 1000000, &points) ||
	    !number(r, "the points to be had", 1000000, &of))
		return false;
	flags = word(r);
	if (!*flags || (strcmp(flags, "-") != 0 && strspn(flags, "crh") != strlen(flags)))
		return bad(r, "'%.40s' are no flags of an answer", flags);
	*a = (struct session_answer){ .id = word(r),
				      .text = "",
				      .right = "",
				      .correct = strchr(flags, 'c'),
				      .revealed = strchr(flags, 'r'),
				      .hinted = strchr(flags, 'h'),
				      .points = (s64)points,
				      .of = (s64)of,
				      .line = r->line };
	s->nr_answers++;
	if (!*a->id)
		return bad(r, "an answer to no question");
	if (points > of || (points && !a->correct))
		return bad(r, "%llu points of %llu for such an answer", (unsigned long long)points,
			   (unsigned long long)of);
	return no_more(r);
}

/* A line that goes on about the entry before. */
static bool read_more(struct reader *r, const char *key)
{
	struct session *s = r->s;
	struct session_branch *b = s->nr_branches ? &s->branches[s->nr_branches - 1] : NULL;

	if (strcmp(key, "about") == 0) {
		if (!b || !b->nr_edits)
			return bad(r, "words about no edit");
		b->edits[b->nr_edits - 1].about = rest(r);
		return true;
	}
	if (!s->nr_answers)
		return bad(r, "'%.40s' without an answer", key);
	*(key[0] == 'g' ? &s->answers[s->nr_answers - 1].text :
			  &s->answers[s->nr_answers - 1].right) = rest(r);
	return true;
}

static bool read_option(struct reader *r)
{
	struct session *s = r->s;

	if (s->nr_options == SESSION_OPTIONS_MAX)
		return bad(r, "more than %d options", SESSION_OPTIONS_MAX);
	s->options[s->nr_options++] = rest(r);
	return strchr(s->options[s->nr_options - 1], '=') != NULL ||
	       bad(r, "an option without a value");
}

static bool read_digest(struct reader *r)
{
	r->s->has_digest = true;
	r->s->digest_line = r->line;
	return hex(r, "the digest", UINT64_MAX, &r->s->digest) && no_more(r);
}

static bool read_shown(struct reader *r)
{
	u64 v;

	if (!number(r, "the branch", SESSION_BRANCHES_MAX - 1, &v))
		return false;
	r->s->shown = (u32)v;
	return no_more(r);
}

static bool read_line(struct reader *r)
{
	struct session *s = r->s;
	const char *key = word(r);

	if (strcmp(key, "patches") == 0)
		return patch_set(r, &s->patches) && no_more(r);
	if (strcmp(key, "edit") == 0)
		return read_edit(r);
	if (strcmp(key, "break") == 0)
		return read_break(r);
	if (strcmp(key, "mark") == 0)
		return read_mark(r);
	if (strcmp(key, "position") == 0) {
		s->position_line = r->line;
		return position(r, &s->position) && no_more(r);
	}
	if (strcmp(key, "digest") == 0)
		return read_digest(r);
	if (!*key)
		return no_more(r);
	if (s->version > 1) {
		if (strcmp(key, "option") == 0)
			return read_option(r);
		if (strcmp(key, "branch") == 0)
			return read_branch(r);
		if (strcmp(key, "shown") == 0)
			return read_shown(r);
		if (strcmp(key, "said") == 0)
			return number(r, "what was said", INT64_MAX, &s->said) && no_more(r);
		if (strcmp(key, "answer") == 0)
			return read_answer(r);
		if (strcmp(key, "about") == 0 || strcmp(key, "gave") == 0 ||
		    strcmp(key, "right") == 0)
			return read_more(r, key);
		if (strcmp(key, "end") == 0) {
			r->ended = true;
			return no_more(r);
		}
	}
	return bad(r, "'%.40s' begins no line of a session", key);
}

/* The first two lines: which version, of what. */
static bool read_head(struct reader *r)
{
	struct session *s = r->s;
	u64 v;

	if (r->line == 2) {
		if (strcmp(word(r), "scenario") != 0 || !*r->at)
			return bad(r, "expected: scenario PATH");
		s->scenario = rest(r);
		/* Version 1 has no branches but this one. */
		if (s->version == 1)
			s->branches[s->nr_branches++] = (struct session_branch){
				.name = "main line", .ops = UINT64_MAX, .line = 2
			};
		return true;
	}
	if (strcmp(word(r), "pageset") != 0 || strcmp(word(r), "session") != 0)
		return bad(r, "not a saved session");
	if (!number(r, "the version", UINT32_MAX, &v))
		return bad(r, "not a saved session");
	if (v < 1 || v > 2)
		return bad(r, "a session of version %llu: this program reads 1 and 2",
			   (unsigned long long)v);
	s->version = (u32)v;
	return no_more(r);
}

static bool whole(struct reader *r)
{
	struct session *s = r->s;

	if (r->line < 2)
		return bad(r, "not a saved session");
	if (s->version > 1 && !r->ended)
		return bad(r, "the session ends too early");
	if (!s->nr_branches)
		return bad(r, "a session without a line");
	if (s->shown >= s->nr_branches)
		return bad(r, "branch %u is shown; there are %u", s->shown, s->nr_branches);
	return true;
}

enum sim_err session_parse(const char *text, size_t len, struct session *s, u32 *line,
			   struct sim_error *err)
{
	struct reader r = { .s = s, .err = err };
	struct sim_error unseen;
	bool ok = true;

	if (!err)
		r.err = &unseen;
	memset(s, 0, sizeof(*s));
	*line = 0;
	if (len > SESSION_BYTES_MAX)
		return sim_fail(r.err, ERR_RANGE, "more than %d MiB", SESSION_BYTES_MAX >> 20);
	if (memchr(text, '\0', len))
		return sim_fail(r.err, ERR_RANGE, "not a saved session: it has a NUL byte");
	s->text = malloc(len + 1);
	if (!s->text)
		return sim_fail(r.err, ERR_NOMEM, "no memory for a session");
	memcpy(s->text, text, len);
	s->text[len] = '\0';
	for (char *at = s->text, *next; ok && *at && !r.ended; at = next) {
		char *end = at + strcspn(at, "\n");

		next = *end ? end + 1 : end;
		*end = '\0';
		if (end > at && end[-1] == '\r')
			end[-1] = '\0';
		r.at = at;
		r.line++;
		ok = r.line <= 2 ? read_head(&r) : read_line(&r);
	}
	ok = ok && whole(&r);
	*line = r.line ? r.line : 1;
	return ok ? SIM_OK : r.err->code;
}

void session_free(struct session *s)
{
	for (size_t i = 0; i < s->nr_blocks; i++)
		free(s->blocks[i]);
	free(s->blocks);
	free(s->text);
	memset(s, 0, sizeof(*s));
}

/*
 * Writing
 */

struct writer {
	void (*put)(void *ctx, const char *text);
	void *ctx;
};

static void out(const struct writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void out(const struct writer *w, const char *fmt, ...)
{
	char buf[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	w->put(w->ctx, buf);
}

/* A text to the end of its line; what would begin another one becomes a blank. */
static void out_text(const struct writer *w, const char *text)
{
	char piece[64];

	while (*text) {
		size_t n = strnlen(text, sizeof(piece) - 1);

		memcpy(piece, text, n);
		piece[n] = '\0';
		for (char *at = piece; *at; at++)
			*at = *at == '\n' || *at == '\r' ? ' ' : *at;
		w->put(w->ctx, piece);
		text += n;
	}
	w->put(w->ctx, "\n");
}

static void out_edit(const struct writer *w, const struct session_edit *e)
{
	const struct op *o = &e->op;
	char at[TL_POS_TEXT_MAX];

	out(w, "edit %s %s %#x %u %u %u %u %u %u %u %u %lld %lld %lld", edit_names[e->kind],
	    /* The beginning of an operation is the end of the one before. */
	    tl_pos_format(e->at, at), e->set, o->kind, o->order, o->type,
	    o->flags & (OP_F_ATOMIC | OP_F_BUSY | OP_F_ON), o->cpu, o->zone, o->count, o->slot,
	    (long long)o->value, (long long)o->low, (long long)o->high);
	for (u32 i = 0, n; e->slots && i < o->count; i += n) {
		for (n = 1; i + n < o->count && e->slots[i + n] == e->slots[i] + n; n++)
			;
		if (n > 1)
			out(w, " %u-%u", e->slots[i], e->slots[i] + n - 1);
		else
			out(w, " %u", e->slots[i]);
	}
	out(w, "\n");
	if (e->about && *e->about) {
		out(w, "about ");
		out_text(w, e->about);
	}
}

static void out_answer(const struct writer *w, const struct session_answer *a)
{
	bool none = !a->correct && !a->revealed && !a->hinted;

	out(w, "answer %lld %lld %s%s%s%s %s\n", (long long)a->points, (long long)a->of,
	    a->correct ? "c" : "", a->revealed ? "r" : "", a->hinted ? "h" : "", none ? "-" : "",
	    a->id);
	out(w, "gave ");
	out_text(w, a->text);
	out(w, "right ");
	out_text(w, a->right);
}

void session_write(const struct session *s, void (*put)(void *ctx, const char *text), void *ctx)
{
	struct writer w = { put, ctx };
	char at[TL_POS_TEXT_MAX];

	out(&w, "pageset session 2\nscenario ");
	out_text(&w, s->scenario);
	for (u32 i = 0; i < s->nr_options; i++) {
		out(&w, "option ");
		out_text(&w, s->options[i]);
	}
	out(&w, "patches %#x\n", s->patches);
	for (u32 i = 0; i < s->nr_branches; i++) {
		const struct session_branch *b = &s->branches[i];

		out(&w, "branch %llu %llu %016llx ", (unsigned long long)b->ops,
		    (unsigned long long)b->length, (unsigned long long)b->digest);
		out_text(&w, b->name);
		for (u32 k = 0; k < b->nr_edits; k++)
			out_edit(&w, &b->edits[k]);
	}
	for (u32 i = 0; i < s->nr_breaks; i++) {
		out(&w, "break %u %llu ", s->breaks[i].ignore,
		    (unsigned long long)s->breaks[i].hits);
		out_text(&w, s->breaks[i].text);
	}
	for (u32 i = 0; i < s->nr_marks; i++) {
		out(&w, "mark %s ", tl_pos_format(s->marks[i].at, at));
		out_text(&w, s->marks[i].name);
	}
	for (u32 i = 0; i < s->nr_answers; i++)
		out_answer(&w, &s->answers[i]);
	out(&w, "said %llu\nshown %u\nposition %s\ndigest %016llx\nend\n",
	    (unsigned long long)s->said, s->shown, tl_pos_format(s->position, at),
	    (unsigned long long)s->digest);
}

/*
 * Doing it again
 */

static enum sim_err insert(const struct session_edit *e, u32 *slots, struct timeline *tl,
			   struct sim_error *err)
{
	struct op op = e->op;

	/* tl_insert() takes the block of a free from op.slot. */
	if (op.kind == OP_FREE && e->slots)
		op.slot = e->slots[0];
	if (e->at.op < tl_length(tl))
		return tl_insert(tl, &op, err);
	return tl_append(tl, &op, slots, NULL, err);
}

enum sim_err session_do(const struct session_edit *e, struct timeline *tl, struct sim_error *err)
{
	enum sim_err ret;
	u32 *slots;

	if (e->kind == SESSION_BASE)
		return tl_set_base_patches(tl, e->set, err);
	if (e->kind == SESSION_INSERT && e->at.step)
		return sim_fail(err, ERR_POSITION,
				"an operation is put in between two others, not at a step");
	ret = tl_seek(tl, e->at.op, e->at.step, err);
	if (ret)
		return ret;
	/* Of its own: an allocation writes there. */
	slots = malloc(e->op.count * sizeof(*slots));
	if (!slots)
		return sim_fail(err, ERR_NOMEM, "no memory for slots");
	if (e->slots)
		memcpy(slots, e->slots, e->op.count * sizeof(*slots));
	else
		slots[0] = e->op.slot;
	ret = e->kind == SESSION_INJECT ? tl_inject(tl, &e->op, slots, NULL, NULL, err) :
					  insert(e, slots, tl, err);
	free(slots);
	return ret;
}

enum sim_err session_begin(const struct session *s, u32 branch, struct timeline *tl,
			   struct sim_error *err)
{
	const struct session_branch *b = &s->branches[branch];
	enum sim_err ret;

	if (b->ops == UINT64_MAX || b->ops == tl_length(tl))
		return SIM_OK;
	if (b->ops > tl_length(tl))
		return sim_fail(err, ERR_POSITION,
				"the line had %llu operations of the scenario, which has %llu now",
				(unsigned long long)b->ops, (unsigned long long)tl_length(tl));
	ret = tl_seek(tl, b->ops, 0, err);
	return ret ? ret : tl_truncate(tl, err);
}

enum sim_err session_check(const struct session *s, u32 branch, struct timeline *tl,
			   struct sim_error *err)
{
	const struct session_branch *b = &s->branches[branch];
	enum sim_err ret;

	if (s->version == 1)
		return SIM_OK;
	if (tl_length(tl) != b->length)
		return sim_fail(err, ERR_POSITION, "the line has %llu operations and had %llu",
				(unsigned long long)tl_length(tl), (unsigned long long)b->length);
	ret = tl_seek(tl, b->length, 0, err);
	if (!ret && b->digest && sim_state_digest(tl_view(tl)) != b->digest)
		return sim_fail(
			err, ERR_MACHINE,
			"the machine is not the one that was saved: the scenario or the program changed");
	return ret;
}

enum sim_err session_replay(const struct session *s, u32 branch, struct timeline *tl, u32 *line,
			    struct sim_error *err)
{
	const struct session_branch *b = &s->branches[branch];
	enum sim_err ret;

	*line = b->line;
	ret = session_begin(s, branch, tl, err);
	for (u32 i = 0; !ret && i < b->nr_edits; i++) {
		*line = b->edits[i].line;
		ret = session_do(&b->edits[i], tl, err);
	}
	if (ret)
		return ret;
	*line = b->line;
	return session_check(s, branch, tl, err);
}

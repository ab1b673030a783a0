/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A line is read from its event name outwards: the name is looked for first, then the time, the CPU and the task are
 * read leftwards from it.  A task name may hold blanks, brackets, colons and dashes, so nothing is assumed about what
 * stands left of the process number.
 */
#include "trace.h"

#include <string.h>

struct name {
	const char *text;
	size_t len;
	enum trace_kind kind;
};

/* old names of the same events last */
static const struct name names[] = {
#define N(text, kind)                        \
	{                                    \
		text, sizeof(text) - 1, kind \
	}
	N("mm_page_alloc", TRACE_ALLOC),
	N("mm_page_free", TRACE_FREE),
	N("mm_page_free_batched", TRACE_FREE_BATCHED),
	N("mm_page_alloc_zone_locked", TRACE_ZONE_LOCKED),
	N("mm_page_pcpu_drain", TRACE_DRAIN),
	N("mm_page_alloc_extfrag", TRACE_EXTFRAG),
	N("tracing_mark_write", TRACE_MARK),
	N("print", TRACE_MARK),
	N("mm_page_free_direct", TRACE_FREE),
	N("mm_pagevec_free", TRACE_FREE_BATCHED),
#undef N
};

static const char *const kind_names[] = {
#define X(id, name) name,
	TRACE_KINDS(X)
#undef X
};

static const char *const skip_names[] = {
#define X(id, name) name,
	TRACE_SKIPS(X)
#undef X
};

const char *trace_kind_name(enum trace_kind kind)
{
	return kind_names[kind];
}

const char *trace_skip_name(enum trace_skip why)
{
	return skip_names[why];
}

const char *trace_tool_name(enum trace_tool tool)
{
	static const char *const tools[] = { "unknown", "tracefs", "trace-cmd", "perf" };

	return tools[tool];
}

uint64_t trace_stats_events(const struct trace_stats *stats)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < TRACE_KIND_N; i++) {
		if (i != TRACE_MARK && i != TRACE_LOST) {
			sum += stats->events[i];
		}
	}
	return sum;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(char c)
{
	return is_alpha(c) || is_digit(c) || c == '_';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool starts(const char *p, const char *end, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(end - p) >= n && memcmp(p, text, n) == 0;
}

static const char *find(const char *p, const char *end, const char *text)
{
	return memmem(p, (size_t)(end - p), text, strlen(text));
}

/* decimal digits at *p; false where there are none or the number does not fit */
static bool read_dec(const char **p, const char *end, uint64_t *value)
{
	const char *q = *p;
	uint64_t v = 0;

	while (q < end && is_digit(*q)) {
		uint64_t digit = (uint64_t)(*q - '0');

		if (v > (UINT64_MAX - digit) / 10) {
			return false;
		}
		v = v * 10 + digit;
		q++;
	}
	if (q == *p) {
		return false;
	}
	*p = q;
	*value = v;
	return true;
}

static int hex_digit(char c)
{
	if (is_digit(c)) {
		return c - '0';
	}
	if (c >= 'a' && c <= 'f') {
		return c - 'a' + 10;
	}
	if (c >= 'A' && c <= 'F') {
		return c - 'A' + 10;
	}
	return -1;
}

/* hex with 0x, else decimal, to the end of the word */
static bool read_number(const char **p, const char *end, uint64_t *value)
{
	const char *q = *p;
	uint64_t v = 0;

	if (!starts(q, end, "0x")) {
		if (!read_dec(p, end, value)) {
			return false;
		}
		return *p == end || !is_word(**p);
	}
	q += 2;
	while (q < end && hex_digit(*q) >= 0) {
		if (v >> 60) {
			return false;
		}
		v = v << 4 | (uint64_t)hex_digit(*q);
		q++;
	}
	if (q == *p + 2 || (q < end && is_word(*q))) {
		return false;
	}
	*p = q;
	*value = v;
	return true;
}

/* what stands in a head, read leftwards; begin is the first byte of the line */
struct head {
	const char *begin;
	const char *at; /* one past what is still unread */
};

static void back_blanks(struct head *h)
{
	while (h->at > h->begin && is_blank(h->at[-1])) {
		h->at--;
	}
}

static const char *back_word(struct head *h)
{
	const char *end = h->at;

	while (h->at > h->begin && !is_blank(h->at[-1])) {
		h->at--;
	}
	return end;
}

/* "12.345678", "4", or "26880us!" with the mark of the latency format, which can be a blank */
static bool back_time(struct head *h, struct trace_event *ev)
{
	const char *end = h->at, *p;
	uint64_t whole, part = 0, scale;
	bool micro = false;

	if (end - h->begin >= 4) {
		if (end[-2] == 's' && end[-3] == 'u') {
			micro = true;
			end -= 3;
		} else if (end[-1] == 's' && end[-2] == 'u') {
			micro = true;
			end -= 2;
		}
	}
	p = end;
	while (p > h->begin && (is_digit(p[-1]) || p[-1] == '.')) {
		p--;
	}
	if (p > h->begin && !is_blank(p[-1])) {
		return false;
	}
	h->at = p;
	if (!read_dec(&p, end, &whole)) {
		return false;
	}
	ev->time_is_seconds = micro;
	ev->time_ns = whole;
	if (micro) {
		ev->time_ns = whole < UINT64_MAX / 1000 ? whole * 1000 : whole;
	}
	if (p == end) {
		return true;
	}
	if (*p != '.' || micro || whole > UINT64_MAX / 2000000000) {
		return false;
	}
	p++;
	for (scale = 100000000; p < end && is_digit(*p); p++, scale /= 10) {
		part += (uint64_t)(*p - '0') * scale;
	}
	if (p != end) {
		return false;
	}
	ev->time_is_seconds = true;
	ev->time_ns = whole * 1000000000 + part;
	return true;
}

static bool is_flag(char c)
{
	return is_alpha(c) || is_digit(c) || c == '.' || c == '#' || c == '*';
}

/* the column of flags: irqs off, need-resched, hard/soft irq, preempt depth and in newer kernels migrate-disable */
static void read_flags(const char *p, const char *end, struct trace_event *ev)
{
	if (end - p >= 4) {
		ev->in_irq = p[2] != '.';
		/* one hexadecimal digit */
		ev->preempt = is_digit(p[3])		 ? (int8_t)(p[3] - '0') :
			      p[3] >= 'a' && p[3] <= 'f' ? (int8_t)(p[3] - 'a' + 10) :
							   0;
	}
}

static bool set_cpu(struct trace_event *ev, const char *p, const char *end)
{
	uint64_t cpu;

	if (!read_dec(&p, end, &cpu) || p != end || cpu >= TRACE_CPU_MAX) {
		return false;
	}
	ev->cpu = (int32_t)cpu;
	return true;
}

/*
 * "[000]" with or without a column of flags right of it, or the latency format's "0d..2." and " 12....1." in which
 * the CPU's digits run into the flags: irqs off is a letter or a dot, so the first that is no digit ends the number.
 */
static bool back_cpu(struct head *h, struct trace_event *ev, bool *bracket)
{
	const char *word, *end, *p;

	*bracket = true;
	back_blanks(h);
	end = back_word(h);
	word = h->at;
	if (end - word >= 3 && *word == '[' && end[-1] == ']') {
		return set_cpu(ev, word + 1, end - 1);
	}
	for (p = word; p < end; p++) {
		if (!is_flag(*p)) {
			return false;
		}
	}
	for (p = word; p < end && is_digit(*p); p++) {
		;
	}
	if (p > word && p < end) {
		*bracket = false;
		read_flags(p, end, ev);
		return set_cpu(ev, word, p);
	}
	if (end - word < 3 || end - word > 6) {
		return false;
	}
	read_flags(word, end, ev);
	back_blanks(h);
	end = back_word(h);
	word = h->at;
	return end - word >= 3 && *word == '[' && end[-1] == ']' && set_cpu(ev, word + 1, end - 1);
}

/* "-145", " 117", " 117/117", each with an optional "(  141)" of the thread group right of it; then the task's name */
static void back_task(struct head *h, struct trace_event *ev, enum trace_tool *tool)
{
	const char *end, *name;
	uint64_t pid;

	back_blanks(h);
	if (h->at > h->begin && h->at[-1] == ')') {
		while (h->at > h->begin && h->at[-1] != '(') {
			h->at--;
		}
		if (h->at > h->begin) {
			h->at--;
		}
		back_blanks(h);
	}
	end = h->at;
	while (h->at > h->begin && is_digit(h->at[-1])) {
		h->at--;
	}
	name = h->at;
	if (read_dec(&name, end, &pid) && pid <= INT32_MAX) {
		ev->pid = (int32_t)pid;
	}
	if (h->at > h->begin && h->at[-1] == '-') {
		*tool = TRACE_TOOL_TRACEFS;
	} else {
		*tool = TRACE_TOOL_PERF;
	}
	for (name = h->begin; name < h->at && is_blank(*name); name++) {
		;
	}
	ev->kworker = starts(name, h->at, "kworker/");
	ev->kswapd = starts(name, h->at, "kswapd");
}

static const struct name *name_at(const char *p, const char *end)
{
	const char *q = p;
	size_t i;

	while (q < end && is_word(*q)) {
		q++;
	}
	if (q == end || *q != ':') {
		return NULL;
	}
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i].len == (size_t)(q - p) &&
		    memcmp(p, names[i].text, names[i].len) == 0) {
			return &names[i];
		}
	}
	return NULL;
}

/* reads the head that ends right before the event's name at p; system ("kmem:") included */
static bool read_head(const char *line, const char *p, struct trace_event *ev,
		      enum trace_tool *tool)
{
	struct head h = { line, p };
	bool system = false, bracket;

	if (h.at > line && h.at[-1] == ':') {
		h.at--;
		while (h.at > line && is_word(h.at[-1])) {
			h.at--;
		}
		system = true;
	}
	back_blanks(&h);
	if (h.at == line || h.at[-1] != ':') {
		return false;
	}
	h.at--;
	ev->in_irq = -1;
	ev->preempt = -1;
	ev->pid = -1;
	if (!back_time(&h, ev) || !back_cpu(&h, ev, &bracket)) {
		return false;
	}
	back_task(&h, ev, tool);
	if (system) {
		*tool = TRACE_TOOL_PERF;
	}
	return true;
}

/* bits for the fields that an event can have */
enum {
	HAVE_PFN = 1,
	HAVE_ORDER = 2,
	HAVE_TYPE = 4,
	HAVE_REFILL = 8,
	HAVE_FALLBACK_ORDER = 16,
	HAVE_FALLBACK_TYPE = 32,
	HAVE_OWNERSHIP = 64,
};

static bool set_small(uint8_t *field, uint64_t value, unsigned int max)
{
	if (value > max) {
		return false;
	}
	*field = (uint8_t)value;
	return true;
}

static bool key_is(const char *key, size_t len, const char *text)
{
	return len == strlen(text) && memcmp(key, text, len) == 0;
}

/* takes one field; unknown keys are passed over; false: the value is not one that a kernel prints */
static bool take_field(const char *key, size_t len, uint64_t v, struct trace_event *ev,
		       unsigned int *have)
{
	unsigned int bit = 0;
	bool ok = true;

	if (key_is(key, len, "pfn")) {
		bit = HAVE_PFN;
		ev->pfn = v;
	} else if (key_is(key, len, "order") || key_is(key, len, "alloc_order")) {
		bit = HAVE_ORDER;
		ok = set_small(&ev->order, v, 63);
	} else if (key_is(key, len, "migratetype") || key_is(key, len, "alloc_migratetype")) {
		bit = HAVE_TYPE;
		ok = set_small(&ev->migratetype, v, 15);
	} else if (key_is(key, len, "percpu_refill")) {
		bit = HAVE_REFILL;
		ev->percpu_refill = v != 0;
	} else if (key_is(key, len, "fallback_order")) {
		bit = HAVE_FALLBACK_ORDER;
		ok = set_small(&ev->fallback_order, v, 63);
	} else if (key_is(key, len, "fallback_migratetype")) {
		bit = HAVE_FALLBACK_TYPE;
		ok = set_small(&ev->fallback_migratetype, v, 15);
	} else if (key_is(key, len, "change_ownership")) {
		bit = HAVE_OWNERSHIP;
		ev->change_ownership = v != 0;
	}
	*have |= bit;
	return ok;
}

static bool is_number_key(const char *key, size_t len)
{
	return !key_is(key, len, "page") && !key_is(key, len, "gfp_flags");
}

static unsigned int needed(enum trace_kind kind)
{
	switch (kind) {
	case TRACE_ALLOC:
	case TRACE_DRAIN:
		return HAVE_PFN | HAVE_ORDER | HAVE_TYPE;
	case TRACE_FREE:
		return HAVE_PFN | HAVE_ORDER;
	case TRACE_ZONE_LOCKED:
		return HAVE_PFN | HAVE_ORDER | HAVE_TYPE | HAVE_REFILL;
	case TRACE_EXTFRAG:
		return HAVE_PFN | HAVE_ORDER | HAVE_TYPE | HAVE_FALLBACK_ORDER | HAVE_FALLBACK_TYPE;
	default:
		return HAVE_PFN;
	}
}

static enum trace_skip read_fields(const char *p, const char *end, struct trace_event *ev)
{
	unsigned int have = 0, need = needed(ev->kind);

	while (p < end) {
		const char *key;
		size_t len;
		uint64_t v;

		while (p < end && !is_word(*p)) {
			p++;
		}
		key = p;
		while (p < end && is_word(*p)) {
			p++;
		}
		len = (size_t)(p - key);
		if (p == end || *p != '=') {
			continue;
		}
		p++;
		if (is_number_key(key, len)) {
			if (!read_number(&p, end, &v) || !take_field(key, len, v, ev, &have)) {
				return TRACE_SKIP_BAD_FIELD;
			}
		}
		while (p < end && !is_blank(*p)) {
			p++;
		}
	}
	if ((have & need) != need) {
		return TRACE_SKIP_BAD_FIELD;
	}
	if (ev->kind == TRACE_EXTFRAG && !(have & HAVE_OWNERSHIP)) {
		/* before 3.14 the event has no such field: ownership changed if the types differ at block size */
		ev->change_ownership = false;
	}
	if ((ev->pfn == 0 || ev->pfn == UINT64_MAX) && ev->kind == TRACE_ALLOC) {
		return TRACE_SKIP_FAILED_ALLOC;
	}
	return ev->pfn < TRACE_PFN_MAX ? TRACE_SKIP_N : TRACE_SKIP_BAD_FIELD;
}

static void read_mark(const char *p, const char *end, struct trace_event *ev)
{
	const char *at = find(p, end, "snap-");
	uint64_t n;

	ev->mark = TRACE_MARK_OTHER;
	if (!at) {
		return;
	}
	if (starts(at, end, "snap-begin ")) {
		ev->mark = TRACE_MARK_SNAP_BEGIN;
		at += 11;
	} else if (starts(at, end, "snap-end ")) {
		ev->mark = TRACE_MARK_SNAP_END;
		at += 9;
	} else {
		return;
	}
	if (!read_dec(&at, end, &n) || n > UINT32_MAX) {
		ev->mark = TRACE_MARK_OTHER;
		return;
	}
	ev->snap = (uint32_t)n;
}

static bool skip(struct trace_stats *stats, enum trace_skip why)
{
	stats->skipped[why]++;
	if (why >= TRACE_SKIP_BAD_HEAD && !stats->first_bad_line) {
		stats->first_bad_line = stats->lines;
		stats->first_bad = why;
	}
	return false;
}

void trace_line_skipped(struct trace_stats *stats, enum trace_skip why)
{
	stats->lines++;
	skip(stats, why);
}

/* "CPU:0 [LOST 99 EVENTS]", and perf's "PERF_RECORD_LOST lost 99" */
static bool read_lost(const char *p, const char *end, struct trace_event *ev)
{
	const char *at = find(p, end, "[LOST ");
	uint64_t n = 0, cpu;

	if (starts(p, end, "CPU:") && at) {
		p += 4;
		if (!read_dec(&p, end, &cpu) || cpu >= TRACE_CPU_MAX) {
			return false;
		}
		ev->cpu = (int32_t)cpu;
		at += 6;
		if (is_digit(at < end ? *at : ' ') && !read_dec(&at, end, &n)) {
			return false;
		}
	} else {
		at = find(p, end, "PERF_RECORD_LOST");
		if (!at) {
			return false;
		}
		at = find(at, end, "lost ");
		ev->cpu = -1;
		if (at) {
			at += 5;
			if (!read_dec(&at, end, &n)) {
				n = 0;
			}
		}
	}
	ev->kind = TRACE_LOST;
	ev->lost = n;
	return true;
}

static void read_comment(const char *p, const char *end, struct trace_stats *stats)
{
	const char *at = find(p, end, "entries-in-buffer/entries-written:");
	uint64_t entries, written;

	if (at) {
		at += 34;
	} else {
		at = find(p, end, "latency: ");
		at = at ? find(at, end, "#") : NULL;
		if (!at) {
			return;
		}
		at++;
	}
	while (at < end && is_blank(*at)) {
		at++;
	}
	if (read_dec(&at, end, &entries) && at < end && *at == '/') {
		at++;
		if (read_dec(&at, end, &written)) {
			stats->buffer_entries = entries;
			stats->buffer_written = written;
		}
	}
}

/* a line without a name that we know: says why it gives nothing, or is a loss */
static bool other_line(const char *line, const char *end, struct trace_event *ev,
		       struct trace_stats *stats)
{
	const char *p = line;

	while (p < end && is_blank(*p)) {
		p++;
	}
	if (p == end || *p == '\r') {
		return skip(stats, TRACE_SKIP_BLANK);
	}
	if (*p == '#') {
		if (find(p, end, "lines left out")) {
			return skip(stats, TRACE_SKIP_CUT);
		}
		read_comment(p, end, stats);
		return skip(stats, TRACE_SKIP_COMMENT);
	}
	if (read_lost(p, end, ev)) {
		stats->events[TRACE_LOST]++;
		stats->lost_events += ev->lost;
		return true;
	}
	if (starts(p, end, "cpus=")) {
		stats->tool = TRACE_TOOL_TRACE_CMD;
		return skip(stats, TRACE_SKIP_HEADER);
	}
	if (starts(p, end, "version =") || starts(p, end, "CPU ") || starts(p, end, "trace-cmd") ||
	    starts(p, end, "CPU:")) {
		return skip(stats, TRACE_SKIP_HEADER);
	}
	p = find(p, end, "UNKNOWN TYPE");
	if (p && read_head(line, p, ev, &(enum trace_tool){ TRACE_TOOL_UNKNOWN })) {
		return skip(stats, TRACE_SKIP_UNKNOWN_TYPE);
	}
	/* any other event: a head, and a word with a colon after it */
	for (p = line; p < end; p++) {
		const char *name = p + 1;
		enum trace_tool tool;

		if (*p != ':') {
			continue;
		}
		while (name < end && is_blank(*name)) {
			name++;
		}
		if (name > p + 1 && name < end && is_word(*name) &&
		    read_head(line, name, ev, &tool)) {
			return skip(stats, TRACE_SKIP_OTHER_EVENT);
		}
	}
	p = find(line, end, "mm_page");
	return skip(stats, p			 ? TRACE_SKIP_BAD_HEAD :
			   find(line, end, ": ") ? TRACE_SKIP_OTHER_EVENT :
						   TRACE_SKIP_BAD_HEAD);
}

/* where a name that we know may begin; "print:" can stand before a "tracing_mark_write:" of its text */
static const char *next_name(const char *p, const char *end)
{
	const char *mm = find(p, end, "mm_page"), *mark, *print;

	if (mm)
		return mm;
	mark = find(p, end, "tracing_mark_write:");
	print = find(p, mark ? mark : end, "print:");
	return print ? print : mark;
}

bool trace_line(const char *line, size_t len, struct trace_event *ev, struct trace_stats *stats)
{
	const char *end = line + len, *p;

	memset(ev, 0, sizeof(*ev));
	stats->lines++;
	if (len > TRACE_LINE_MAX) {
		return skip(stats, TRACE_SKIP_TOO_LONG);
	}
	if (len && line[len - 1] == '\r') {
		end--;
	}
	for (p = next_name(line, end); p; p = next_name(p + 1, end)) {
		const struct name *name = name_at(p, end);
		enum trace_tool tool = TRACE_TOOL_UNKNOWN;
		enum trace_skip why;

		if (!name || (p > line && is_word(p[-1])) || !read_head(line, p, ev, &tool)) {
			continue;
		}
		if (stats->tool == TRACE_TOOL_UNKNOWN) {
			stats->tool = tool;
		}
		ev->kind = (uint8_t)name->kind;
		p += name->len + 1;
		if (name->kind == TRACE_MARK) {
			read_mark(p, end, ev);
		} else {
			why = read_fields(p, end, ev);
			if (why != TRACE_SKIP_N) {
				return skip(stats, why);
			}
		}
		stats->events[ev->kind]++;
		return true;
	}
	if (memchr(line, 0, len)) {
		return skip(stats, TRACE_SKIP_NOT_TEXT);
	}
	return other_line(line, end, ev, stats);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "zoneinfo.h"

#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "page_size.h"
#include "snapshots.h"

/* A log may put this many words of its own before each line. */
#define HEAD_WORDS_MAX 8

/* What the next word is to be. Kept from line to line: mail breaks lines at any blank. */
enum zi_expect {
	ZI_KEY,
	ZI_REST,       /* nothing of this line is the kernel's */
	ZI_FIGURE,     /* of state.slot, which may be none that is wanted */
	ZI_FREE,       /* "free" behind "pages" */
	ZI_STATS,      /* "stats" behind "per-node" */
	ZI_CPU,	       /* number of a CPU */
	ZI_THRESHOLD,  /* "stats threshold: N" behind "vm" */
	ZI_PROTECTION, /* the bracket is open */
	ZI_NODE,       /* "0," behind "Node" */
	ZI_ZONE,       /* "zone" */
	ZI_NAME,
	ZI_NAMED, /* whatever shows that the head ended, and is no line of buddyinfo */
};

struct zi_state {
	enum zi_expect expect;
	int64_t *slot;
	uint32_t *fields; /* where bit says that the file has such a figure */
	uint32_t bit;
	bool other_threshold; /* "vm numa stats threshold:" of some kernels is another figure */
	unsigned int node;
	char name[KERN_NAME_MAX];
	unsigned int line; /* of the head */
};

struct zi_parser {
	const struct kern_read_options *opt;
	struct diag *d;
	struct kern_snapshots snaps;
	struct kern_zone *zone;
	struct kern_cpu *cpu;
	struct zi_state state;
	bool known;		 /* the line had something of the dump */
	unsigned int words;	 /* of the line so far */
	unsigned int skip;	 /* so many of them are a log's */
	unsigned int head_words; /* words before "Node" in the last head */
	unsigned int line;
	unsigned int foreign; /* enum kern_foreign: what else the file looks like */
};

static const char *const zone_keys[] = {
#define X(member, zoneinfo, meminfo, lack) zoneinfo,
	KERN_ZONE_FIGURES(X)
#undef X
};

static const char *const cpu_keys[] = {
#define X(member, meminfo) #member,
	KERN_CPU_FIGURES(X)
#undef X
};

static enum base_err begin_zone(struct zi_parser *p)
{
	const char *name = p->state.name;
	size_t len = strlen(name);

	p->cpu = NULL;
	p->zone = p->snaps.current ? kern_dump_find(p->snaps.current, p->state.node, name, len) :
				     NULL;
	if (p->zone && kern_zone_is_bare(p->zone))
		kern_dump_drop_bare_zones(p->snaps.current);
	else if (p->zone)
		kern_snapshots_end(&p->snaps);
	p->zone = kern_dump_zone(kern_snapshots_current(&p->snaps, KERN_ZONEINFO), p->state.node,
				 name, len, p->opt, p->state.line, p->d);
	p->state.expect = ZI_KEY;
	p->known = true;
	return p->zone ? BASE_ERR_OK : BASE_ERR_TOO_LARGE;
}

static void leave_zone(struct zi_parser *p)
{
	p->zone = NULL;
	p->cpu = NULL;
	p->state.expect = ZI_KEY;
}

/* "0," of a head. */
static enum base_err parse_node(struct zi_parser *p, const struct kern_word *w)
{
	uint64_t node;
	size_t n = kern_digits(w->s, w->len, UINT32_MAX, &node);

	p->state.expect = n && n + 1 == w->len && w->s[n] == ',' ? ZI_ZONE : ZI_REST;
	if (p->state.expect == ZI_REST)
		return BASE_ERR_OK;
	if (node >= KERN_NODES_MAX) {
		base_diag_set(p->d, BASE_ERR_RANGE, p->opt->name, p->line, 0,
			      "node %llu: node numbers end at %d", (unsigned long long)node,
			      KERN_NODES_MAX - 1);
		base_diag_hint(p->d, "the text is damaged here, or is not a kernel's");
		return BASE_ERR_RANGE;
	}
	p->state.node = (unsigned int)node;
	p->state.line = p->line;
	return BASE_ERR_OK;
}

/* A zone's name is letters and digits; pagetypeinfo has a comma behind it. */
static void parse_name(struct zi_parser *p, const struct kern_word *w)
{
	size_t i;

	p->state.expect = ZI_REST;
	if (w->len >= KERN_NAME_MAX)
		return;
	for (i = 0; i < w->len; i++)
		if (!(w->s[i] >= '0' && w->s[i] <= '9') && !(w->s[i] >= 'A' && w->s[i] <= 'Z') &&
		    !(w->s[i] >= 'a' && w->s[i] <= 'z') && w->s[i] != '_')
			return;
	memcpy(p->state.name, w->s, w->len);
	p->state.name[w->len] = '\0';
	p->state.expect = ZI_NAMED;
}

/* A figure is taken once: what prose behind the dump says later is not the kernel's. */
static void set(int64_t *slot, int64_t v)
{
	if (*slot == KERN_NONE)
		*slot = v;
}

static void expect_figure(struct zi_parser *p, int64_t *slot, uint32_t *fields, unsigned int bit)
{
	p->state.expect = ZI_FIGURE;
	p->state.slot = slot;
	p->state.fields = fields;
	p->state.bit = 1u << bit;
	p->known = p->known || slot;
}

static bool cpu_key(struct zi_parser *p, const struct kern_word *key)
{
	unsigned int f;

	for (f = 0; p->cpu && f < KERN_CF_NR; f++)
		if (kern_word_is(key, cpu_keys[f])) {
			expect_figure(p, &p->cpu->v[f], &p->snaps.current->cpu_fields, f);
			return true;
		}
	return false;
}

static bool zone_key(struct zi_parser *p, const struct kern_word *key)
{
	unsigned int f;

	for (f = 0; f < KERN_ZF_NR; f++)
		if (zone_keys[f][0] && kern_word_is(key, zone_keys[f])) {
			/* an empty zone has no counters: these are of a /proc/vmstat behind it */
			if (f == KERN_ZF_free_cma && kern_zone_pages(p->zone) == 0)
				return false;
			expect_figure(p, &p->zone->v[f], &p->snaps.current->fields, f);
			return true;
		}
	return false;
}

/* Words that begin something else than a figure. */
static bool parse_phrase(struct zi_parser *p, const struct kern_word *w)
{
	static const struct {
		const char *word;
		enum zi_expect next;
	} phrases[] = {
		{ "pagesets", ZI_KEY }, { "per-node", ZI_STATS }, { "pages", ZI_FREE },
		{ "vm", ZI_THRESHOLD }, { "cpu:", ZI_CPU },	  { "protection:", ZI_PROTECTION },
		{ "Node", ZI_NODE },
	};
	size_t i;

	for (i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++)
		if (kern_word_is(w, phrases[i].word))
			break;
	if (i == sizeof(phrases) / sizeof(phrases[0]))
		return false;
	p->state.expect = phrases[i].next;
	p->state.other_threshold = false;
	p->known = p->known || p->state.expect == ZI_KEY;
	if (p->state.expect == ZI_PROTECTION && p->zone->nr_protection)
		p->state.expect = ZI_REST;
	if (p->state.expect == ZI_NODE && !p->known && p->words <= HEAD_WORDS_MAX)
		p->head_words = p->words;
	else if (p->state.expect == ZI_NODE)
		p->head_words = 0;
	return true;
}

static void parse_key(struct zi_parser *p, const struct kern_word *w)
{
	bool colon = w->s[w->len - 1] == ':';
	struct kern_word key = { w->s, w->len - colon };

	/* outside a zone only a head counts */
	if (!p->zone && !kern_word_is(w, "Node"))
		return;
	if (parse_phrase(p, w))
		return;
	if (colon && cpu_key(p, &key))
		return;
	if (kern_word_is(&key, "nr_free_pages_blocks"))
		p->snaps.current->marks |= KERN_MARK_FREE_BLOCKS;
	/* "high:" belongs to a list, "high" to the zone */
	if (!(colon && kern_word_is(&key, "high")) && zone_key(p, &key))
		return;
	expect_figure(p, NULL, NULL, 0);
}

static void parse_figure(struct zi_parser *p, const struct kern_word *w)
{
	int64_t v;

	p->state.expect = ZI_KEY;
	if (!kern_word_number(w, KERN_FIGURE_MAX, &v)) {
		/* at the beginning of a line it may be the kernel's again */
		if (p->words == p->skip)
			parse_key(p, w);
		else
			p->state.expect = ZI_REST;
		return;
	}
	if (!p->state.slot)
		return;
	set(p->state.slot, v);
	*p->state.fields |= p->state.bit;
	p->known = true;
}

/* "(0, 2968, 16022)" in one or several words. */
static void parse_protection(struct zi_parser *p, struct kern_word w)
{
	while (w.len > 0) {
		uint64_t v;
		size_t n = 1;

		if (*w.s == ')') {
			p->state.expect = ZI_KEY;
			return;
		}
		if (*w.s != '(' && *w.s != ',') {
			n = kern_digits(w.s, w.len, KERN_FIGURE_MAX, &v);
			if (!n) {
				p->state.expect = ZI_REST;
				return;
			}
			if (p->zone->nr_protection < KERN_PROTECTION_MAX)
				p->zone->protection[p->zone->nr_protection++] = (int64_t)v;
			p->known = true;
		}
		w.s += n;
		w.len -= n;
	}
}

static enum base_err parse_cpu(struct zi_parser *p, const struct kern_word *number)
{
	int64_t cpu;
	bool fresh;

	p->state.expect = ZI_REST;
	p->cpu = NULL;
	if (!kern_word_number(number, INT32_MAX, &cpu) || cpu < 0)
		return BASE_ERR_OK;
	/* an empty zone has no lists */
	if (p->zone->v[KERN_ZF_present] == 0 || p->zone->v[KERN_ZF_managed] == 0)
		return BASE_ERR_OK;
	p->state.expect = ZI_KEY;
	p->known = true;
	p->cpu = kern_zone_cpu(p->snaps.current, p->zone, (uint64_t)cpu, &fresh, p->opt, p->line,
			       p->d);
	return p->cpu ? BASE_ERR_OK : BASE_ERR_RANGE;
}

static void parse_threshold(struct zi_parser *p, const struct kern_word *w)
{
	int64_t v;

	if (kern_word_number(w, KERN_FIGURE_MAX, &v)) {
		if (p->cpu && !p->state.other_threshold)
			set(&p->cpu->threshold, v);
		p->known = true;
		p->state.expect = ZI_KEY;
	} else if (kern_word_is(w, "numa")) {
		p->state.other_threshold = true;
	} else if (!kern_word_is(w, "stats") && !kern_word_is(w, "threshold:")) {
		p->state.expect = ZI_REST;
	}
}

static enum base_err parse_word(struct zi_parser *p, const struct kern_word *w)
{
	int64_t number;
	enum base_err err;

	switch (p->state.expect) {
	case ZI_REST:
		break;
	case ZI_KEY:
		parse_key(p, w);
		break;
	case ZI_FIGURE:
		parse_figure(p, w);
		break;
	case ZI_FREE:
		p->state.expect = ZI_REST;
		if (kern_word_is(w, "free"))
			expect_figure(p, &p->zone->v[KERN_ZF_free], &p->snaps.current->fields,
				      KERN_ZF_free);
		break;
	case ZI_STATS:
		p->state.expect = kern_word_is(w, "stats") ? ZI_KEY : ZI_REST;
		if (p->state.expect == ZI_KEY)
			p->snaps.current->marks |= KERN_MARK_NODE_STATS;
		break;
	case ZI_CPU:
		return parse_cpu(p, w);
	case ZI_THRESHOLD:
		parse_threshold(p, w);
		break;
	case ZI_PROTECTION:
		parse_protection(p, *w);
		break;
	case ZI_NODE:
		return parse_node(p, w);
	case ZI_ZONE:
		p->state.expect = kern_word_is(w, "zone") ? ZI_NAME : ZI_REST;
		break;
	case ZI_NAME:
		parse_name(p, w);
		break;
	case ZI_NAMED:
		if (kern_word_number(w, INT64_MAX, &number) ||
		    (!kern_word_is(w, "pages") && !kern_word_is(w, "per-node"))) {
			p->state.expect = ZI_REST;
			break;
		}
		err = begin_zone(p);
		if (err)
			return err;
		parse_key(p, w);
		break;
	}
	return BASE_ERR_OK;
}

/* One line behind its first `skip` words, which a log put there. */
static enum base_err parse_line(struct zi_parser *p, struct kern_word line, unsigned int skip)
{
	struct kern_word w;
	enum base_err err;

	p->known = false;
	p->skip = skip;
	for (p->words = 0; p->words < skip; p->words++)
		if (!kern_word_next(&line, &w))
			return BASE_ERR_OK;
	while (kern_word_next(&line, &w)) {
		err = parse_word(p, &w);
		if (err)
			return err;
		p->words++;
	}
	if (p->state.expect == ZI_REST)
		p->state.expect = ZI_KEY;
	return p->state.expect == ZI_NAMED ? begin_zone(p) : BASE_ERR_OK;
}

static enum base_err parse_text(struct zi_parser *p, const char *text, size_t len)
{
	struct kern_lines lines;
	struct kern_word line;
	enum base_err err;

	kern_lines_begin(&lines, text, len);
	while (kern_lines_next(&lines, &line)) {
		struct zi_state before = p->state;

		p->line = lines.line;
		if (kern_snapshots_label(&p->snaps, line)) {
			leave_zone(p);
			continue;
		}
		err = parse_line(p, line, 0);
		if (!err && !p->known && p->head_words && p->zone) {
			p->state = before;
			err = parse_line(p, line, p->head_words);
		}
		if (err)
			return err;
		if (!p->known)
			p->foreign |= kern_foreign(line);
		/* little follows the first page's number: what is none of it ends the zone */
		if (!p->known && p->zone && p->zone->v[KERN_ZF_start_pfn] != KERN_NONE &&
		    p->state.expect == ZI_KEY)
			leave_zone(p);
	}
	kern_snapshots_end(&p->snaps);
	return BASE_ERR_OK;
}

enum base_err kern_zoneinfo_read(const char *text, size_t len, const struct kern_read_options *opt,
				 struct kern_dump **out, struct diag *d)
{
	struct zi_parser p = { .opt = opt, .d = d };
	size_t plain_len;
	char *plain = kern_unquote(text, len, &plain_len);
	enum base_err err;

	*out = NULL;
	kern_snapshots_begin(&p.snaps, opt);
	err = parse_text(&p, plain ? plain : text, plain ? plain_len : len);
	if (!err)
		err = kern_snapshots_take(&p.snaps, KERN_ZONEINFO, p.foreign, out, d);
	if (!err) {
		(*out)->version = opt->version;
		kern_find_page_size(*out, opt->page_size);
	}
	kern_snapshots_free(&p.snaps);
	free(plain);
	return err;
}

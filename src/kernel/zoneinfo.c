/* SPDX-License-Identifier: GPL-2.0-only */
#include "zoneinfo.h"

#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "page_size.h"
#include "snapshots.h"

/* A log may put this many words of its own before each line. */
#define HEAD_WORDS_MAX 8

struct zi_parser {
	const struct kern_read_options *opt;
	struct diag *d;
	struct kern_snapshots snaps;
	struct kern_zone *zone;
	struct kern_cpu *cpu;
	int64_t *pending;	 /* a key stood at the end of a line: its figure comes next */
	bool in_protection;	 /* the bracket is still open */
	bool known;		 /* the line had something of the dump */
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

/* "Node 0, zone      DMA" and nothing but a figure's name behind it: buddyinfo and pagetypeinfo go on with numbers. */
static bool parse_head(struct kern_word line, unsigned int *head_words, uint64_t *node,
		       struct kern_word *name)
{
	struct kern_word w, before = line;
	const char *p = memmem(line.s, line.len, "Node ", 5);
	size_t n;

	if (!p)
		return false;
	before.len = (size_t)(p - line.s);
	line.s = p + 5;
	line.len -= before.len + 5;
	for (*head_words = 0; kern_word_next(&before, &w); (*head_words)++)
		if (*head_words == HEAD_WORDS_MAX)
			return false;
	if (!kern_word_next(&line, &w) || w.s[w.len - 1] != ',')
		return false;
	n = kern_digits(w.s, w.len, UINT32_MAX, node);
	if (n == 0 || n != w.len - 1 || !kern_word_next(&line, &w) || !kern_word_is(&w, "zone"))
		return false;
	if (!kern_word_next(&line, name) || name->len >= KERN_NAME_MAX)
		return false;
	for (n = 0; n < name->len; n++)
		if (!(name->s[n] >= '0' && name->s[n] <= '9') &&
		    !(name->s[n] >= 'A' && name->s[n] <= 'Z') &&
		    !(name->s[n] >= 'a' && name->s[n] <= 'z') && name->s[n] != '_')
			return false;
	return !kern_word_next(&line, &w) || kern_word_is(&w, "pages") ||
	       kern_word_is(&w, "per-node");
}

static enum base_err begin_zone(struct zi_parser *p, uint64_t node, const struct kern_word *name)
{
	if (node >= KERN_NODES_MAX) {
		base_diag_set(p->d, BASE_ERR_RANGE, p->opt->name, p->line, 0,
			      "node %llu: node numbers end at %d", (unsigned long long)node,
			      KERN_NODES_MAX - 1);
		base_diag_hint(p->d, "the text is damaged here, or is not a kernel's");
		return BASE_ERR_RANGE;
	}
	p->cpu = NULL;
	p->pending = NULL;
	p->in_protection = false;
	p->zone = p->snaps.current ?
			  kern_dump_find(p->snaps.current, (unsigned int)node, name->s, name->len) :
			  NULL;
	if (p->zone && kern_zone_is_bare(p->zone))
		kern_dump_drop_bare_zones(p->snaps.current);
	else if (p->zone)
		kern_snapshots_end(&p->snaps);
	p->zone = kern_dump_zone(kern_snapshots_current(&p->snaps, KERN_ZONEINFO),
				 (unsigned int)node, name->s, name->len, p->opt, p->line, p->d);
	return p->zone ? BASE_ERR_OK : BASE_ERR_TOO_LARGE;
}

/* A figure is taken once: what prose behind the dump says later is not the kernel's. */
static void set(int64_t *slot, int64_t v)
{
	if (*slot == KERN_NONE)
		*slot = v;
}

static int64_t *zone_slot(struct zi_parser *p, const struct kern_word *key)
{
	unsigned int f;

	if (!p->zone)
		return NULL;
	for (f = 0; f < KERN_ZF_NR; f++)
		if (zone_keys[f][0] && kern_word_is(key, zone_keys[f])) {
			/* an empty zone has no counters: these are of a /proc/vmstat behind it */
			if (f == KERN_ZF_free_cma && kern_zone_pages(p->zone) == 0)
				return NULL;
			p->snaps.current->fields |= 1u << f;
			return &p->zone->v[f];
		}
	return NULL;
}

static int64_t *cpu_slot(struct zi_parser *p, const struct kern_word *key)
{
	unsigned int f;

	if (!p->cpu)
		return NULL;
	for (f = 0; f < KERN_CF_NR; f++)
		if (kern_word_is(key, cpu_keys[f])) {
			p->snaps.current->cpu_fields |= 1u << f;
			return &p->cpu->v[f];
		}
	return NULL;
}

/* "(0, 2968, 16022)": also broken over lines. Returns false at a word that does not belong to it. */
static bool parse_protection(struct zi_parser *p, struct kern_word w)
{
	while (w.len > 0) {
		uint64_t v;
		size_t n;

		if (*w.s == '(' || *w.s == ',') {
			n = 1;
		} else if (*w.s == ')') {
			p->in_protection = false;
			return true;
		} else {
			n = kern_digits(w.s, w.len, KERN_FIGURE_MAX, &v);
			if (!n)
				return false;
			if (p->zone->nr_protection < KERN_PROTECTION_MAX)
				p->zone->protection[p->zone->nr_protection++] = (int64_t)v;
		}
		w.s += n;
		w.len -= n;
	}
	return true;
}

static enum base_err parse_cpu(struct zi_parser *p, const struct kern_word *number)
{
	int64_t cpu;
	bool fresh;

	if (!kern_word_number(number, INT32_MAX, &cpu) || cpu < 0)
		return BASE_ERR_OK;
	p->pending = NULL;
	p->cpu = NULL;
	/* an empty zone has no lists */
	if (p->zone->v[KERN_ZF_present] == 0 || p->zone->v[KERN_ZF_managed] == 0)
		return BASE_ERR_OK;
	p->cpu = kern_zone_cpu(p->snaps.current, p->zone, (uint64_t)cpu, &fresh, p->opt, p->line,
			       p->d);
	return p->cpu ? BASE_ERR_OK : BASE_ERR_RANGE;
}

/* Fixed words that are no key and figure. True if w was one of them, with what it needs taken off the line. */
static bool parse_phrase(struct zi_parser *p, const struct kern_word *w, struct kern_word *line)
{
	struct kern_word next;

	if (kern_word_is(w, "pagesets"))
		return true;
	if (kern_word_is(w, "per-node") && kern_word_next(line, &next)) {
		p->snaps.current->marks |= KERN_MARK_NODE_STATS;
		return true;
	}
	if (kern_word_is(w, "vm") && kern_word_next(line, &next)) {
		/* "vm stats threshold:"; the "vm numa stats threshold:" of some kernels is another figure */
		bool zone_stats = kern_word_is(&next, "stats");
		int64_t v;

		while (kern_word_next(line, &next))
			if (kern_word_number(&next, KERN_FIGURE_MAX, &v)) {
				if (zone_stats && p->cpu)
					set(&p->cpu->threshold, v);
				break;
			}
		return true;
	}
	if (kern_word_is(w, "protection:")) {
		p->in_protection = p->zone->nr_protection == 0;
		return true;
	}
	return false;
}

/* One key and its figure. False at a word that is neither: the rest of the line is not the kernel's. */
static bool parse_figure(struct zi_parser *p, struct kern_word key, struct kern_word *line)
{
	bool colon = key.s[key.len - 1] == ':';
	struct kern_word number;
	int64_t *slot, v;

	key.len -= colon;
	if (kern_word_is(&key, "pages")) {
		if (!kern_word_next(line, &number) || !kern_word_is(&number, "free"))
			return false;
		p->snaps.current->fields |= 1u << KERN_ZF_free;
		slot = &p->zone->v[KERN_ZF_free];
	} else if (colon && p->cpu && cpu_slot(p, &key)) {
		slot = cpu_slot(p, &key);
	} else {
		/* "high:" belongs to a list, "high" to the zone */
		slot = colon && (kern_word_is(&key, "high") || kern_word_is(&key, "free")) ?
			       NULL :
			       zone_slot(p, &key);
		if (kern_word_is(&key, "nr_free_pages_blocks"))
			p->snaps.current->marks |= KERN_MARK_FREE_BLOCKS;
	}
	p->known = p->known || slot;
	if (!kern_word_next(line, &number)) {
		p->pending = slot;
		return true;
	}
	if (!kern_word_number(&number, KERN_FIGURE_MAX, &v))
		return false;
	if (slot)
		set(slot, v);
	return true;
}

/* Reads what the line has of the dump. A key that is not known counts as nothing: a log's date looks like one. */
static enum base_err parse_line(struct zi_parser *p, struct kern_word line)
{
	struct kern_word w;
	int64_t v;

	p->known = false;
	while (kern_word_next(&line, &w)) {
		int64_t *pending = p->pending;

		p->pending = NULL;
		if (p->in_protection) {
			p->in_protection = parse_protection(p, w) && p->in_protection;
			p->known = true;
		} else if (pending && kern_word_number(&w, KERN_FIGURE_MAX, &v)) {
			set(pending, v);
			p->known = true;
		} else if (kern_word_is(&w, "cpu:")) {
			if (!kern_word_next(&line, &w))
				return BASE_ERR_OK;
			if (parse_cpu(p, &w))
				return BASE_ERR_RANGE;
			p->known = true;
		} else if (parse_phrase(p, &w, &line)) {
			p->known = true;
		} else if (!parse_figure(p, w, &line)) {
			return BASE_ERR_OK;
		}
	}
	return BASE_ERR_OK;
}

static enum base_err parse_body(struct zi_parser *p, struct kern_word line)
{
	struct kern_word w, rest = line;
	unsigned int i;
	enum base_err err = parse_line(p, line);

	if (err || p->known || !p->head_words)
		return err;
	for (i = 0; i < p->head_words; i++)
		if (!kern_word_next(&rest, &w))
			return BASE_ERR_OK;
	return parse_line(p, rest);
}

static void leave_zone(struct zi_parser *p)
{
	p->zone = NULL;
	p->cpu = NULL;
	p->pending = NULL;
	p->in_protection = false;
}

static enum base_err parse_text(struct zi_parser *p, const char *text, size_t len)
{
	struct kern_lines lines;
	struct kern_word line, name;
	unsigned int head_words;
	uint64_t node;
	enum base_err err;

	kern_lines_begin(&lines, text, len);
	while (kern_lines_next(&lines, &line)) {
		p->line = lines.line;
		if (kern_snapshots_label(&p->snaps, line)) {
			leave_zone(p);
			continue;
		}
		if (parse_head(line, &head_words, &node, &name)) {
			p->head_words = head_words;
			err = begin_zone(p, node, &name);
			if (err)
				return err;
			/* mail that flows all into one paragraph has figures behind the name */
			line.len -= (size_t)(name.s + name.len - line.s);
			line.s = name.s + name.len;
		} else {
			p->foreign |= kern_foreign(line);
		}
		if (p->zone) {
			err = parse_body(p, line);
			if (err)
				return err;
			/* little follows the first page's number: what is none of it ends the zone */
			if (!p->known && p->zone->v[KERN_ZF_start_pfn] != KERN_NONE)
				leave_zone(p);
		}
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

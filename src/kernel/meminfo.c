/* SPDX-License-Identifier: GPL-2.0-only */
#include "meminfo.h"

#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "page_size.h"
#include "snapshots.h"

struct mi_parser {
	const struct kern_read_options *opt;
	struct diag *d;
	struct kern_snapshots snaps;
	struct kern_zone *zone; /* whose figures come: from "free:" to the reserve */
	struct kern_zone *last; /* the zone that a reserve line speaks of */
	struct kern_zone *buddy;
	struct kern_zone *lists; /* of a "per-cpu:" section */
	struct kern_cpu *cpu;
	int64_t *pending; /* figure of a list, its number comes next */
	bool in_reserve;
	bool tainted;		    /* the words of the taint come, then the release */
	struct kern_word before[3]; /* words before this one, the nearest first */
	unsigned int line;
	unsigned int foreign;
	int reporter;
	char release[sizeof(((struct kern_dump *)0)->release)];
};

static const char *const zone_keys[] = {
#define X(member, zoneinfo, meminfo, lack) meminfo,
	KERN_ZONE_FIGURES(X)
#undef X
};

static const char *const cpu_keys[] = {
#define X(member, meminfo) meminfo,
	KERN_CPU_FIGURES(X)
#undef X
};

/* "123kB" or "123KB" */
static bool parse_kb(const char *s, size_t len, int64_t *kb)
{
	uint64_t v;
	size_t n = kern_digits(s, len, KERN_FIGURE_MAX, &v);

	if (n == 0 || len - n != 2 || (s[n] != 'k' && s[n] != 'K') || s[n + 1] != 'B')
		return false;
	*kb = (int64_t)v;
	return true;
}

static bool is_zone_name(const struct kern_word *w)
{
	static const char *const names[] = { "DMA",	"DMA32",   "Normal",
					     "HighMem", "Movable", "Device" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (kern_word_is(w, names[i]))
			return true;
	return false;
}

/* "Node 0 DMA" or, on a machine without NUMA, "DMA": name is the last word, the two before it may be the node. */
static bool zone_of(const struct kern_word *name, const struct kern_word *number,
		    const struct kern_word *word, unsigned int *node)
{
	int64_t v;

	*node = 0;
	if (!word->s || !kern_word_is(word, "Node"))
		return is_zone_name(name);
	if (!kern_word_number(number, KERN_NODES_MAX - 1, &v) || v < 0)
		return is_zone_name(name);
	*node = (unsigned int)v;
	return name->len > 0 && name->len < KERN_NAME_MAX && name->s[0] >= 'A' && name->s[0] <= 'Z';
}

static struct kern_dump *current(struct mi_parser *p)
{
	struct kern_dump *dump = kern_snapshots_current(&p->snaps, KERN_MEMINFO);

	if (!dump->release[0])
		memcpy(dump->release, p->release, sizeof(dump->release));
	if (dump->reporter < 0)
		dump->reporter = p->reporter;
	return dump;
}

/* "Node 1 active_anon:0kB": the node's own line, also of a node without memory. */
static void note_node(struct mi_parser *p, const struct kern_word *w)
{
	int64_t node;

	if (p->before[1].s && kern_word_is(&p->before[1], "Node") &&
	    kern_word_begins(w, "active_anon:") &&
	    kern_word_number(&p->before[0], KERN_NODES_MAX - 1, &node) && node >= 0)
		current(p)->has_node[node] = true;
}

static void forget_places(struct mi_parser *p)
{
	p->zone = NULL;
	p->last = NULL;
	p->buddy = NULL;
	p->lists = NULL;
	p->cpu = NULL;
	p->pending = NULL;
	p->in_reserve = false;
}

static void end_report(struct mi_parser *p)
{
	forget_places(p);
	kern_snapshots_end(&p->snaps);
}

/* The zone, new or known; again: that it is filled already ends the report before it. */
static struct kern_zone *find_zone(struct mi_parser *p, unsigned int node,
				   const struct kern_word *name, bool lists)
{
	struct kern_zone *z = kern_dump_find(current(p), node, name->s, name->len);

	if (z && (lists || z->v[KERN_ZF_free] != KERN_NONE)) {
		end_report(p);
		z = NULL;
	}
	forget_places(p);
	if (z)
		return z;
	return kern_dump_zone(current(p), node, name->s, name->len, p->opt, p->line, p->d);
}

/* "free:123kB" behind a zone's name begins the zone; any other "key:123kB" is a figure of the zone that is open. */
static enum base_err parse_figure(struct mi_parser *p, const struct kern_word *w)
{
	const char *colon = memchr(w->s, ':', w->len);
	struct kern_word key = { w->s, colon ? (size_t)(colon - w->s) : 0 };
	unsigned int node, f;
	int64_t kb;

	if (!colon || !parse_kb(colon + 1, w->len - key.len - 1, &kb))
		return BASE_ERR_OK;
	if (kern_word_is(&key, "free") &&
	    zone_of(&p->before[0], &p->before[1], &p->before[2], &node)) {
		p->zone = find_zone(p, node, &p->before[0], false);
		if (!p->zone)
			return BASE_ERR_TOO_LARGE;
		p->last = p->zone;
	}
	for (f = 0; p->zone && f < KERN_ZF_NR; f++)
		if (zone_keys[f][0] && kern_word_is(&key, zone_keys[f]) &&
		    p->zone->v[f] == KERN_NONE) {
			p->zone->v[f] = kb;
			p->snaps.current->fields |= 1u << f;
		}
	return BASE_ERR_OK;
}

/* "free:123" without a unit: the summary above the zones, in pages. */
static void parse_summary(struct mi_parser *p, const struct kern_word *w)
{
	int64_t *slot = NULL, v;
	struct kern_word number = *w;
	size_t n = 0;

	if (kern_word_begins(w, "free:"))
		n = 5;
	else if (kern_word_begins(w, "free_pcp:"))
		n = 9;
	if (!n)
		return;
	number.s += n;
	number.len -= n;
	if (!number.len || !kern_word_number(&number, KERN_FIGURE_MAX, &v))
		return;
	slot = n == 5 ? &current(p)->total_free : &current(p)->total_pcp;
	if (*slot == KERN_NONE)
		*slot = v;
}

/* The zone whose lists begin behind the word "NAME:"; NULL if that was no such word, or the zone has its lists. */
static struct kern_zone *buddy_zone(struct mi_parser *p, int64_t kb)
{
	struct kern_word name = p->before[0];
	struct kern_zone *z;
	unsigned int node;

	if (name.len < 2 || name.s[--name.len] != ':' ||
	    !zone_of(&name, &p->before[1], &p->before[2], &node) || !p->snaps.current)
		return NULL;
	z = kern_dump_find(p->snaps.current, node, name.s, name.len);
	if (!z || z->nr_orders)
		return NULL;
	if (!p->snaps.current->page_size && kern_is_page_size((uint64_t)kb * 1024)) {
		p->snaps.current->page_size = (uint64_t)kb * 1024;
		p->snaps.current->page_size_by = KERN_PS_BUDDY;
	}
	return z;
}

/* "4*64kB": a list of free blocks; the name of the zone stood before the first one, "= 2844kB" ends them. */
static bool parse_buddy(struct mi_parser *p, const struct kern_word *w)
{
	const char *star = memchr(w->s, '*', w->len);
	struct kern_zone *begun;
	uint64_t blocks;
	int64_t kb;
	size_t n;

	if (w->s[0] == '=')
		p->buddy = NULL;
	if (!star)
		return false;
	n = (size_t)(star - w->s);
	if (n == 0 || kern_digits(w->s, n, KERN_FIGURE_MAX, &blocks) != n ||
	    !parse_kb(star + 1, w->len - n - 1, &kb))
		return false;
	begun = buddy_zone(p, kb);
	if (begun) {
		p->zone = NULL;
		p->buddy = begun;
	}
	if (p->buddy && p->buddy->nr_orders < KERN_ORDERS_MAX)
		p->buddy->buddy[p->buddy->nr_orders++] = (int64_t)blocks;
	return p->buddy != NULL;
}

/* A number with what print put behind it: "186," or "0:" */
static bool parse_loose(const struct kern_word *w, char behind, int64_t *v)
{
	struct kern_word number = *w;

	if (number.len > 1 && number.s[number.len - 1] == behind)
		number.len--;
	else if (behind == ':')
		return false;
	return kern_word_number(&number, KERN_FIGURE_MAX, v);
}

/* "Node 0 DMA32 per-cpu:", then "CPU    0: hi:  186, btch:  31 usd: 162" for each (until 4.1). */
static enum base_err parse_list(struct mi_parser *p, const struct kern_word *w)
{
	unsigned int node, f;
	bool fresh;
	int64_t v;

	if (kern_word_is(w, "per-cpu:") &&
	    zone_of(&p->before[0], &p->before[1], &p->before[2], &node)) {
		p->lists = find_zone(p, node, &p->before[0], true);
		if (!p->lists)
			return BASE_ERR_TOO_LARGE;
		p->snaps.current->marks |= KERN_MARK_PER_CPU;
		return BASE_ERR_OK;
	}
	if (!p->lists)
		return BASE_ERR_OK;
	if (p->before[0].s && kern_word_is(&p->before[0], "CPU") && parse_loose(w, ':', &v) &&
	    v >= 0) {
		p->pending = NULL;
		p->cpu = kern_zone_cpu(p->snaps.current, p->lists, (uint64_t)v, &fresh, p->opt,
				       p->line, p->d);
		return p->cpu ? BASE_ERR_OK : BASE_ERR_RANGE;
	}
	if (p->pending && parse_loose(w, ',', &v)) {
		if (*p->pending == KERN_NONE)
			*p->pending = v;
		p->pending = NULL;
		return BASE_ERR_OK;
	}
	for (f = 0; p->cpu && f < KERN_CF_NR; f++) {
		size_t n = strlen(cpu_keys[f]);
		struct kern_word rest = { w->s + n + 1, w->len - n - 1 };

		if (!n || w->len <= n || !kern_word_begins(w, cpu_keys[f]) || w->s[n] != ':')
			continue;
		p->snaps.current->cpu_fields |= 1u << f;
		p->pending = &p->cpu->v[f];
		/* a number of five digits fills the field up to the colon */
		if (rest.len && parse_loose(&rest, ',', &v) && *p->pending == KERN_NONE)
			*p->pending = v;
		if (rest.len)
			p->pending = NULL;
	}
	return BASE_ERR_OK;
}

/* "524288 pages RAM", "8192 pages cma reserved": below the zones. */
static void parse_totals(struct mi_parser *p, const struct kern_word *w)
{
	int64_t *slot = NULL, v;

	if (!p->snaps.current || !p->before[1].s || !kern_word_is(&p->before[0], "pages") ||
	    !kern_word_number(&p->before[1], KERN_FIGURE_MAX, &v))
		return;
	if (kern_word_is(w, "RAM"))
		slot = &p->snaps.current->ram;
	else if (kern_word_begins(w, "HighMem"))
		slot = &p->snaps.current->highmem;
	else if (kern_word_is(w, "cma"))
		slot = &p->snaps.current->cma_reserved;
	if (slot && *slot == KERN_NONE)
		*slot = v;
}

/* Who reports, and the kernel's release: "CPU: 4 UID: 0 PID: 156 Comm: kswapd0 Not tainted 6.19.0-rc5 #435". */
static void parse_reporter(struct mi_parser *p, const struct kern_word *w)
{
	int64_t v;
	size_t n;

	if ((kern_word_is(w, "PID:") || kern_word_is(w, "UID:")) && p->before[1].s &&
	    kern_word_is(&p->before[1], "CPU:") &&
	    kern_word_number(&p->before[0], KERN_CPUS_MAX - 1, &v) && v >= 0) {
		p->reporter = (int)v;
		p->release[0] = '\0';
		p->tainted = false;
	} else if (kern_word_is(w, "tainted") || kern_word_is(w, "Tainted:")) {
		p->tainted = true;
		p->release[0] = '\0';
	} else if (p->tainted && w->s[0] >= '0' && w->s[0] <= '9' && memchr(w->s, '.', w->len)) {
		n = w->len < sizeof(p->release) ? w->len : sizeof(p->release) - 1;
		memcpy(p->release, w->s, n);
		p->release[n] = '\0';
		p->tainted = false;
	} else if (p->tainted) {
		/* the flags of the taint are capitals; the release may be missing behind them */
		for (n = 0; n < w->len; n++)
			p->tainted = p->tainted && w->s[n] >= 'A' && w->s[n] <= 'Z';
	}
}

static enum base_err parse_word(struct mi_parser *p, const struct kern_word *w)
{
	enum base_err err;
	int64_t v;

	if (kern_word_is(w, "Mem-Info:") || kern_word_is(w, "Mem-info:")) {
		end_report(p);
		return BASE_ERR_OK;
	}
	if (p->in_reserve && kern_word_number(w, KERN_FIGURE_MAX, &v)) {
		if (p->last->nr_protection < KERN_PROTECTION_MAX)
			p->last->protection[p->last->nr_protection++] = v;
		return BASE_ERR_OK;
	}
	p->in_reserve = false;
	if (kern_word_is(w, "lowmem_reserve[]:")) {
		p->zone = NULL;
		p->in_reserve = p->last && p->last->nr_protection == 0;
		return BASE_ERR_OK;
	}
	if (parse_buddy(p, w))
		return BASE_ERR_OK;
	if (kern_word_is(w, "Node"))
		p->buddy = NULL;
	err = parse_figure(p, w);
	if (!err)
		err = parse_list(p, w);
	note_node(p, w);
	parse_summary(p, w);
	parse_totals(p, w);
	parse_reporter(p, w);
	return err;
}

static enum base_err parse_text(struct mi_parser *p, const char *text, size_t len)
{
	struct kern_lines lines;
	struct kern_word line, w;
	enum base_err err;

	kern_lines_begin(&lines, text, len);
	while (kern_lines_next(&lines, &line)) {
		p->line = lines.line;
		p->foreign |= kern_foreign(line);
		if (kern_snapshots_label(&p->snaps, line)) {
			forget_places(p);
			continue;
		}
		while (kern_word_next(&line, &w)) {
			err = parse_word(p, &w);
			if (err)
				return err;
			p->before[2] = p->before[1];
			p->before[1] = p->before[0];
			p->before[0] = w;
		}
	}
	kern_snapshots_end(&p->snaps);
	return BASE_ERR_OK;
}

/* The text has kB, and pages only where it says so. */
static void to_pages(struct kern_dump *dump)
{
	int64_t kb = (int64_t)(dump->page_size / 1024);
	size_t i;
	unsigned int f;

	for (i = 0; i < dump->nr_zones; i++)
		for (f = 0; f < KERN_ZF_NR; f++)
			if (dump->zones[i].v[f] != KERN_NONE)
				dump->zones[i].v[f] /= kb;
}

/* "6.8.0-rc3" is 6008; 0 for anything else. */
static int version_of(const char *release)
{
	uint64_t major, minor;
	size_t len = strlen(release), n = kern_digits(release, len, 99, &major);

	if (n == 0 || release[n] != '.' || !kern_digits(release + n + 1, len - n - 1, 999, &minor))
		return 0;
	return (int)(major * 1000 + minor);
}

enum base_err kern_meminfo_read(const char *text, size_t len, const struct kern_read_options *opt,
				struct kern_dump **out, struct diag *d)
{
	struct mi_parser p = { .opt = opt, .d = d, .reporter = -1 };
	size_t plain_len;
	char *plain = kern_unquote(text, len, &plain_len);
	enum base_err err;

	*out = NULL;
	kern_snapshots_begin(&p.snaps, opt);
	err = parse_text(&p, plain ? plain : text, plain ? plain_len : len);
	if (!err)
		err = kern_snapshots_take(&p.snaps, KERN_MEMINFO, p.foreign, out, d);
	if (!err) {
		(*out)->version = opt->version ? opt->version : version_of((*out)->release);
		kern_find_page_size(*out, opt->page_size);
		to_pages(*out);
	}
	kern_snapshots_free(&p.snaps);
	free(plain);
	return err;
}

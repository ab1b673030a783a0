/* SPDX-License-Identifier: GPL-2.0-only */
#include "snapshots.h"

#include <string.h>

static bool line_has(const struct kern_word *line, const char *s)
{
	return memmem(line->s, line->len, s, strlen(s)) != NULL;
}

unsigned int kern_foreign(struct kern_word line)
{
	unsigned int bits = 0;

	if (line_has(&line, "pages free") || line_has(&line, "per-node stats"))
		bits |= KERN_FOREIGN_ZONEINFO;
	if (line_has(&line, "Mem-Info:") || line_has(&line, "lowmem_reserve[]:") ||
	    line_has(&line, "free_pcp:"))
		bits |= KERN_FOREIGN_MEMINFO;
	if (kern_word_begins(&line, "MemTotal:") || kern_word_begins(&line, "MemAvailable:"))
		bits |= KERN_FOREIGN_PROC_MEMINFO;
	if (kern_word_begins(&line, "Node") && line_has(&line, ", zone"))
		bits |= KERN_FOREIGN_BUDDYINFO;
	return bits;
}

void kern_snapshots_begin(struct kern_snapshots *s, const struct kern_read_options *opt)
{
	*s = (struct kern_snapshots){ .opt = opt, .label = -1, .first = -1, .last = -1 };
}

void kern_snapshots_free(struct kern_snapshots *s)
{
	kern_dump_free(s->current);
	kern_dump_free(s->kept);
	s->current = NULL;
	s->kept = NULL;
}

bool kern_snapshots_label(struct kern_snapshots *s, struct kern_word line)
{
	struct kern_word w;
	uint64_t n;

	if (!kern_word_begins(&line, "###"))
		return false;
	while (kern_word_next(&line, &w))
		if (kern_word_begins(&w, "snap=") &&
		    kern_digits(w.s + 5, w.len - 5, INT32_MAX, &n)) {
			kern_snapshots_end(s);
			s->label = (int64_t)n;
			return true;
		}
	return false;
}

struct kern_dump *kern_snapshots_current(struct kern_snapshots *s, enum kern_format format)
{
	if (!s->current)
		s->current = kern_dump_new(format);
	return s->current;
}

/* A text that was cut ends in a zone with fewer CPUs than the others have, or before its CPUs came. */
static bool is_cut(const struct kern_dump *dump)
{
	const struct kern_zone *last = &dump->zones[dump->nr_zones - 1];
	size_t i, most = 0;

	for (i = 0; i < dump->nr_zones; i++)
		if (dump->zones[i].nr_cpus > most)
			most = dump->zones[i].nr_cpus;
	return last->nr_cpus < most && (last->nr_cpus > 0 || kern_zone_pages(last) > 0);
}

void kern_snapshots_end(struct kern_snapshots *s)
{
	struct kern_dump *dump = s->current;
	int64_t number;
	bool wanted;

	s->current = NULL;
	if (!dump)
		return;
	if (!kern_dump_drop_bare_zones(dump)) {
		kern_dump_free(dump);
		return;
	}
	number = s->label >= 0 ? s->label : (int64_t)s->nr;
	if (s->nr++ == 0)
		s->first = number;
	s->last = number;
	dump->snapshot = (unsigned int)number;
	dump->cut = is_cut(dump);
	/* without a wish the first populated one; an empty one is better than none */
	wanted = s->opt->snapshot >= 0 ?
			 number == s->opt->snapshot && !s->kept :
			 !s->kept || (!kern_dump_populated(s->kept) && kern_dump_populated(dump));
	if (wanted) {
		kern_dump_free(s->kept);
		s->kept = dump;
	} else {
		kern_dump_free(dump);
	}
}

static enum base_err no_dump(enum kern_format format, unsigned int foreign, const char *file,
			     struct diag *d)
{
	const char *what = format == KERN_ZONEINFO ? "no zone of a /proc/zoneinfo is in this text" :
						     "no zone of a Mem-Info report is in this text";

	base_diag_set(d, BASE_ERR_SYNTAX, file, 0, 0, "%s", what);
	if (format == KERN_ZONEINFO && (foreign & KERN_FOREIGN_MEMINFO))
		base_diag_hint(d, "it has a Mem-Info report: pageset import meminfo reads that");
	else if (format == KERN_MEMINFO && (foreign & KERN_FOREIGN_ZONEINFO))
		base_diag_hint(d, "it has a /proc/zoneinfo: pageset import zoneinfo reads that");
	else if (foreign & KERN_FOREIGN_PROC_MEMINFO)
		base_diag_hint(
			d,
			"it looks like /proc/meminfo, which knows no zones: give /proc/zoneinfo to pageset import zoneinfo");
	else if (foreign & KERN_FOREIGN_BUDDYINFO)
		base_diag_hint(
			d,
			"it looks like /proc/buddyinfo or pagetypeinfo: give /proc/zoneinfo to pageset import zoneinfo");
	else if (format == KERN_ZONEINFO)
		base_diag_hint(
			d,
			"expected lines like \"Node 0, zone   Normal\" and \"  pages free     734519\"");
	else
		base_diag_hint(
			d,
			"expected lines like \"Node 0 Normal free:421496kB min:114676kB low:143344kB ...\" of an "
			"out-of-memory, allocation-failure or sysrq-m report");
	return BASE_ERR_SYNTAX;
}

enum base_err kern_snapshots_take(struct kern_snapshots *s, enum kern_format format,
				  unsigned int foreign, struct kern_dump **out, struct diag *d)
{
	if (s->nr == 0)
		return no_dump(format, foreign, s->opt->name, d);
	if (!s->kept) {
		base_diag_set(d, BASE_ERR_UNKNOWN, s->opt->name, 0, 0,
			      "no dump number %lld is in this file", (long long)s->opt->snapshot);
		if (s->nr == 1)
			base_diag_hint(d, "it has one, number %lld", (long long)s->first);
		else
			base_diag_hint(d, "it has %u, numbers %lld to %lld", s->nr,
				       (long long)s->first, (long long)s->last);
		return BASE_ERR_UNKNOWN;
	}
	s->kept->nr_snapshots = s->nr;
	*out = s->kept;
	s->kept = NULL;
	return BASE_ERR_OK;
}

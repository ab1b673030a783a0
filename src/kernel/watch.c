/* SPDX-License-Identifier: GPL-2.0-only */
#include "watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BAR 20 /* columns of the count's bar */

/* one list over time; lists are found by node, zone name and CPU, as CPUs come and go */
struct track {
	unsigned int node, cpu;
	char zone[KERN_NAME_MAX];
	int64_t counts[WATCH_HISTORY]; /* oldest first */
	unsigned int nr;
	bool seen; /* in the newest dump */
};

struct watch {
	struct kern_dump *now, *before;
	uint64_t now_ns, before_ns;
	uint64_t allocs, frees, allocs_before, frees_before;
	bool have_vmstat;
	struct track *tracks;
	size_t nr_tracks, cap_tracks;
};

struct watch *watch_new(void)
{
	return base_alloc(1, sizeof(struct watch));
}

void watch_free(struct watch *watch)
{
	kern_dump_free(watch->now);
	kern_dump_free(watch->before);
	free(watch->tracks);
	free(watch);
}

static struct track *find_track(struct watch *w, const struct kern_zone *kz, unsigned int cpu,
				size_t hint)
{
	size_t i;

	/* the order seldom changes */
	for (i = 0; i < w->nr_tracks; i++) {
		struct track *t = &w->tracks[(hint + i) % w->nr_tracks];

		if (t->cpu == cpu && t->node == kz->node && strcmp(t->zone, kz->name) == 0) {
			return t;
		}
	}
	if (w->nr_tracks == w->cap_tracks) {
		size_t cap = w->cap_tracks ? w->cap_tracks * 2 : 64;
		struct track *tracks = base_alloc(cap, sizeof(*tracks));

		if (w->nr_tracks) {
			memcpy(tracks, w->tracks, w->nr_tracks * sizeof(*tracks));
		}
		free(w->tracks);
		w->tracks = tracks;
		w->cap_tracks = cap;
	}
	w->tracks[w->nr_tracks] = (struct track){ .node = kz->node, .cpu = cpu };
	memcpy(w->tracks[w->nr_tracks].zone, kz->name, sizeof(kz->name));
	return &w->tracks[w->nr_tracks++];
}

static void track_add(struct track *t, int64_t count)
{
	if (t->nr == WATCH_HISTORY) {
		memmove(t->counts, t->counts + 1, (WATCH_HISTORY - 1) * sizeof(*t->counts));
		t->nr--;
	}
	t->counts[t->nr++] = count;
	t->seen = true;
}

/* sums the lines of /proc/vmstat that begin with name, whatever zone stands behind it */
static uint64_t vmstat_sum(const char *text, const char *name)
{
	size_t len = strlen(name);
	uint64_t sum = 0;

	while (text && *text) {
		const char *end = strchr(text, '\n'), *blank = strchr(text, ' ');

		if (strncmp(text, name, len) == 0 && blank && (!end || blank < end)) {
			sum += strtoull(blank + 1, NULL, 10);
		}
		text = end ? end + 1 : NULL;
	}
	return sum;
}

void watch_add(struct watch *w, struct kern_dump *dump, const char *vmstat, uint64_t time_ns)
{
	size_t z, c, i = 0;

	kern_dump_free(w->before);
	w->before = w->now;
	w->before_ns = w->now_ns;
	w->allocs_before = w->allocs;
	w->frees_before = w->frees;
	w->now = dump;
	w->now_ns = time_ns;
	w->have_vmstat = vmstat != NULL;
	w->allocs = vmstat_sum(vmstat, "pgalloc_");
	w->frees = vmstat_sum(vmstat, "pgfree ");
	for (i = 0; i < w->nr_tracks; i++) {
		w->tracks[i].seen = false;
	}
	for (z = 0, i = 0; z < dump->nr_zones; z++) {
		for (c = 0; c < dump->zones[z].nr_cpus; c++, i++) {
			const struct kern_cpu *kc = &dump->zones[z].cpus[c];

			track_add(find_track(w, &dump->zones[z], kc->cpu, i), kc->v[KERN_CF_count]);
		}
	}
}

const struct kern_dump *watch_now(const struct watch *w)
{
	return w->now;
}

const struct kern_dump *watch_before(const struct watch *w)
{
	return w->before;
}

bool watch_rates(const struct watch *w, double *allocs, double *frees)
{
	double seconds = watch_seconds(w);

	if (!w->have_vmstat || seconds <= 0) {
		return false;
	}
	*allocs = (double)(w->allocs - w->allocs_before) / seconds;
	*frees = (double)(w->frees - w->frees_before) / seconds;
	return true;
}

static const struct track *track_of(const struct watch *w, const struct kern_zone *kz,
				    unsigned int cpu)
{
	size_t i;

	for (i = 0; i < w->nr_tracks; i++) {
		const struct track *t = &w->tracks[i];

		if (t->seen && t->cpu == cpu && t->node == kz->node &&
		    strcmp(t->zone, kz->name) == 0) {
			return t;
		}
	}
	return NULL;
}

const int64_t *watch_history(const struct watch *w, const struct kern_zone *zone, unsigned int cpu,
			     unsigned int *nr)
{
	const struct track *t = track_of(w, zone, cpu);

	*nr = t ? t->nr : 0;
	return t ? t->counts : NULL;
}

double watch_seconds(const struct watch *w)
{
	return w->before && w->now_ns > w->before_ns ? (double)(w->now_ns - w->before_ns) / 1e9 : 0;
}

static void print_figure(FILE *out, const char *name, int64_t v)
{
	if (v == KERN_NONE) {
		fprintf(out, "  %s -", name);
	} else {
		fprintf(out, "  %s %" PRId64, name, v);
	}
}

static void print_zone(const struct watch *w, const struct kern_zone *kz, FILE *out)
{
	const struct kern_zone *old =
		w->before ? kern_dump_find(w->before, kz->node, kz->name, strlen(kz->name)) : NULL;
	int64_t listed = 0;
	size_t c;

	for (c = 0; c < kz->nr_cpus; c++) {
		listed += kz->cpus[c].v[KERN_CF_count] == KERN_NONE ? 0 :
								      kz->cpus[c].v[KERN_CF_count];
	}
	fprintf(out, "node %u zone %s", kz->node, kz->name);
	print_figure(out, "free", kz->v[KERN_ZF_free]);
	if (old && watch_seconds(w) > 0 && kz->v[KERN_ZF_free] != KERN_NONE &&
	    old->v[KERN_ZF_free] != KERN_NONE) {
		fprintf(out, " (%+.0f/s)",
			(double)(kz->v[KERN_ZF_free] - old->v[KERN_ZF_free]) / watch_seconds(w));
	}
	print_figure(out, "min", kz->v[KERN_ZF_min]);
	print_figure(out, "low", kz->v[KERN_ZF_low]);
	print_figure(out, "high", kz->v[KERN_ZF_high]);
	fprintf(out, "  in lists %" PRId64 "\n", listed);
}

static void print_bar(int64_t count, int64_t high, FILE *out)
{
	int64_t filled = high > 0 && count > 0 ? (count * BAR + high - 1) / high : 0;
	int i;

	fputc('[', out);
	for (i = 0; i < BAR; i++) {
		fputc(i < filled ? '#' : '.', out);
	}
	fputc(']', out);
}

/* each sample against the largest of the history */
static void print_history(const struct track *t, bool ascii, FILE *out)
{
	static const char *const blocks[] = { "\u2581", "\u2582", "\u2583", "\u2584",
					      "\u2585", "\u2586", "\u2587", "\u2588" };
	static const char *const letters[] = { "_", ".", ":", "-", "=", "+", "*", "#" };
	unsigned int from = t->nr > WATCH_HISTORY_TEXT ? t->nr - WATCH_HISTORY_TEXT : 0, i;
	int64_t most = 1;

	for (i = from; i < t->nr; i++) {
		most = t->counts[i] > most ? t->counts[i] : most;
	}
	for (i = from; i < t->nr; i++) {
		int64_t level = t->counts[i] > 0 ? t->counts[i] * 7 / most : 0;

		fputs(ascii ? letters[level] : blocks[level], out);
	}
}

static void print_list(const struct watch *w, const struct kern_zone *kz, const struct kern_cpu *kc,
		       bool ascii, FILE *out)
{
	int64_t count = kc->v[KERN_CF_count], high = kc->v[KERN_CF_high];
	const struct track *t = track_of(w, kz, kc->cpu);

	fprintf(out, "%5u %7" PRId64 "/%6" PRId64 " ", kc->cpu, count,
		high == KERN_NONE ? 0 : high);
	print_bar(count, high, out);
	if (t && t->nr > 1 && watch_seconds(w) > 0) {
		fprintf(out, " %+8.0f/s ",
			(double)(t->counts[t->nr - 1] - t->counts[t->nr - 2]) / watch_seconds(w));
	} else {
		fprintf(out, " %8s   ", "");
	}
	if (t) {
		print_history(t, ascii, out);
	}
	fputc('\n', out);
}

void watch_print(const struct watch *w, const char *head, const struct watch_view *view, FILE *out)
{
	const char *lacks[KERN_ZF_NR + KERN_CF_NR];
	size_t z, c, nr = kern_dump_lacks(w->now, lacks, sizeof(lacks) / sizeof(*lacks)),
		     left_out = 0, i;
	unsigned int row = 2;
	double allocs, frees;

	fputs(head, out);
	if (watch_rates(w, &allocs, &frees)) {
		fprintf(out, "  allocated %.0f/s  freed %.0f/s", allocs, frees);
	}
	fputc('\n', out);
	for (z = 0; z < w->now->nr_zones; z++) {
		const struct kern_zone *kz = &w->now->zones[z];

		if (kern_zone_pages(kz) <= 0) {
			continue;
		}
		if (view->rows && row + 1 >= view->rows) {
			left_out += kz->nr_cpus;
			continue;
		}
		print_zone(w, kz, out);
		row++;
		for (c = 0; c < kz->nr_cpus; c++) {
			if (view->rows && row + 1 >= view->rows) {
				left_out++;
				continue;
			}
			print_list(w, kz, &kz->cpus[c], view->ascii, out);
			row++;
		}
	}
	if (left_out) {
		fprintf(out, "%zu more lists do not fit this terminal\n", left_out);
	} else if (nr) {
		fputs("this kernel does not show:", out);
		for (i = 0; i < nr && i < sizeof(lacks) / sizeof(*lacks); i++) {
			fprintf(out, " %s", lacks[i]);
		}
		fputc('\n', out);
	}
}

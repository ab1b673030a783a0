/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset watch: the running kernel's own pagesets, live; or a recording of them for replay. */
#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "base/progress.h"
#include "base/text.h"
#include "kernel/dump_print.h"
#include "kernel/record.h"
#include "kernel/watch.h"
#include "kernel/zoneinfo.h"
#include "tui/ui.h"
#include "tui/watch.h"
#include "verb.h"

#define SECOND_NS 1000000000ULL
#define ZONEINFO "/proc/zoneinfo"
#define VMSTAT "/proc/vmstat"
#define INTERVAL_MIN_NS 50000000
#define INTERVAL_MAX_NS (INT64_C(3600) * 1000000000)

struct watch_opts {
	bool once, text;
	int palette;
	uint64_t interval_ns;
	uint64_t count;
	const char *record;
	uint64_t for_ns;
	uint64_t every_ns;
	uint64_t buffer;
};

static const struct watch_opts watch_defaults = {
	.interval_ns = SECOND_NS,
	.for_ns = 5 * SECOND_NS,
	.every_ns = SECOND_NS,
	.buffer = 16 << 20,
};

static const struct opt watch_options[] = {
	{ .name = "once",
	  .type = OPT_FLAG,
	  .offset = offsetof(struct watch_opts, once),
	  .help = "show one state and end" },
	{ .name = "interval",
	  .type = OPT_DURATION,
	  .offset = offsetof(struct watch_opts, interval_ns),
	  .value = "TIME",
	  .help = "from one look to the next",
	  .min = INTERVAL_MIN_NS,
	  .max = INTERVAL_MAX_NS },
	{ .name = "text",
	  .type = OPT_FLAG,
	  .offset = offsetof(struct watch_opts, text),
	  .help = "lines of text, as without a terminal, instead of the screen" },
	{ .name = "palette",
	  .type = OPT_ENUM,
	  .offset = offsetof(struct watch_opts, palette),
	  .help = "colours of the screen",
	  .values = ui_palette_names },
	{ .name = "count",
	  .type = OPT_UINT,
	  .offset = offsetof(struct watch_opts, count),
	  .value = "N",
	  .help = "end after so many looks; 0: never" },
	{ .name = "record",
	  .type = OPT_STRING,
	  .offset = offsetof(struct watch_opts, record),
	  .value = "FILE",
	  .help = "record kmem events to FILE, and snapshots to FILE.snaps, for replay (root)" },
	{ .name = "for",
	  .type = OPT_DURATION,
	  .offset = offsetof(struct watch_opts, for_ns),
	  .value = "TIME",
	  .help = "how long to record",
	  .min = 1000000,
	  .max = INT64_C(3600) * 1000000000 },
	{ .name = "every",
	  .type = OPT_DURATION,
	  .offset = offsetof(struct watch_opts, every_ns),
	  .value = "TIME",
	  .help = "from one snapshot of a recording to the next",
	  .min = 1000000,
	  .max = INT64_C(3600) * 1000000000 },
	{ .name = "buffer",
	  .type = OPT_SIZE,
	  .offset = offsetof(struct watch_opts, buffer),
	  .value = "SIZE",
	  .help = "ring of each CPU while recording",
	  .min = 65536,
	  .max = INT64_C(4) << 30 },
	{ .name = NULL },
};

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

/* no restart: a sleep is to end */
static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * SECOND_NS + (uint64_t)ts.tv_nsec;
}

static int kernel_version(const struct utsname *uts)
{
	int major, minor;

	if (sscanf(uts->release, "%d.%d", &major, &minor) != 2 || major < 2 || minor < 0 ||
	    minor > 999) {
		return 0;
	}
	return major * 1000 + minor;
}

static enum base_err look(const struct utsname *uts, struct kern_dump **dump, struct diag *d)
{
	long page = sysconf(_SC_PAGESIZE);
	struct kern_read_options opt = { .name = ZONEINFO,
					 .snapshot = -1,
					 .page_size = page > 0 ? (uint64_t)page : 0,
					 .version = kernel_version(uts) };
	struct base_text text;
	enum base_err err = base_text_read(&text, ZONEINFO, KERN_TEXT_MAX, d);

	if (err == BASE_ERR_OK) {
		err = kern_zoneinfo_read(text.data, text.len, &opt, dump, d);
		base_text_free(&text);
	}
	return err;
}

static int show_once(const struct call *call, const struct utsname *uts)
{
	struct kern_checks checks;
	struct base_json json;
	struct kern_dump *dump;
	enum base_err err;
	struct diag d;

	err = look(uts, &dump, &d);
	if (err != BASE_ERR_OK) {
		return call_fail(call, &d);
	}
	kern_model_check(dump, &checks);
	if (call->common->json) {
		base_json_to_file(&json, stdout, true);
		base_json_object(&json);
		kern_dump_json(&json, dump, &checks);
		base_json_close(&json);
		err = base_json_end(&json);
	} else {
		kern_dump_print(stdout, dump, &checks, false);
		err = fflush(stdout) ? BASE_ERR_WRITE : BASE_ERR_OK;
	}
	kern_checks_free(&checks);
	kern_dump_free(dump);
	if (err != BASE_ERR_OK) {
		base_diag_set(&d, err, "<stdout>", 0, 0, "not everything could be written");
		return call_fail(call, &d);
	}
	return 0;
}

static void sleep_until(uint64_t until)
{
	uint64_t now;

	while (!stop && (now = now_ns()) < until) {
		struct timespec ts = { .tv_sec = (time_t)((until - now) / SECOND_NS),
				       .tv_nsec = (long)((until - now) % SECOND_NS) };

		nanosleep(&ts, NULL);
	}
}

static enum base_err next_look(struct watch *watch, const struct utsname *uts, struct diag *d)
{
	struct base_text vmstat;
	struct kern_dump *dump;
	enum base_err err = look(uts, &dump, d);
	bool have;

	if (err != BASE_ERR_OK) {
		return err;
	}
	have = base_text_read(&vmstat, VMSTAT, 1 << 20, NULL) == BASE_ERR_OK;
	watch_add(watch, dump, have ? vmstat.data : NULL, now_ns());
	base_text_free(&vmstat);
	return BASE_ERR_OK;
}

/*
 * Without a terminal: one block of text after another
 */

static enum base_err show(const struct watch *watch, const struct utsname *uts,
			  const struct watch_opts *o, bool ascii)
{
	struct watch_view view = { .ascii = ascii };
	char head[256], interval[BASE_FORMAT_MAX];

	snprintf(head, sizeof(head), "Linux %s, every %s", uts->release,
		 base_format_duration(interval, o->interval_ns));
	watch_print(watch, head, &view, stdout);
	fputc('\n', stdout);
	return fflush(stdout) ? BASE_ERR_WRITE : BASE_ERR_OK;
}

static int show_text(const struct call *call, const struct utsname *uts)
{
	const struct watch_opts *o = call->opts;
	bool ascii = call->common->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	struct watch *watch = watch_new();
	uint64_t next = now_ns(), n;
	enum base_err err = BASE_ERR_OK;
	struct diag d;

	catch_signals();
	for (n = 0; !stop && (!o->count || n < o->count); n++) {
		if (n) {
			next += o->interval_ns;
			sleep_until(next);
			if (stop) {
				break;
			}
		}
		err = next_look(watch, uts, &d);
		if (err != BASE_ERR_OK) {
			break;
		}
		err = show(watch, uts, o, ascii);
		if (err != BASE_ERR_OK) {
			base_diag_set(&d, err, "<stdout>", 0, 0, "not everything could be written");
			break;
		}
	}
	watch_free(watch);
	return err != BASE_ERR_OK ? call_fail(call, &d) : 0;
}

/*
 * On a terminal: the screen's CPU pane
 */

struct screen {
	const struct utsname *uts;
	struct watch *watch;
	char head[128], lacks[256];
	struct ui_watch_zone *zones;
	struct ui_watch_list *lists;
};

static int64_t told(int64_t v)
{
	return v == KERN_NONE ? UI_WATCH_NONE : v;
}

static void fill_lacks(struct screen *s, const struct kern_dump *now)
{
	const char *names[32];
	size_t nr = kern_dump_lacks(now, names, 32), i;

	s->lacks[0] = '\0';
	for (i = 0; i < nr && i < 32; i++) {
		size_t len = strlen(s->lacks);

		snprintf(s->lacks + len, sizeof(s->lacks) - len, "%s%s", i ? " " : "", names[i]);
	}
}

static void fill_zone(struct screen *s, const struct kern_zone *kz, struct ui_watch_zone *z,
		      struct ui_watch_list *lists)
{
	const struct kern_dump *before = watch_before(s->watch);
	const struct kern_zone *old =
		before ? kern_dump_find(before, kz->node, kz->name, strlen(kz->name)) : NULL;
	size_t c;

	*z = (struct ui_watch_zone){ .node = kz->node,
				     .name = kz->name,
				     .free = told(kz->v[KERN_ZF_free]),
				     .free_before = old ? told(old->v[KERN_ZF_free]) :
							  UI_WATCH_NONE,
				     .min = told(kz->v[KERN_ZF_min]),
				     .low = told(kz->v[KERN_ZF_low]),
				     .high = told(kz->v[KERN_ZF_high]),
				     .lists = lists,
				     .nr_lists = (uint32_t)kz->nr_cpus };
	for (c = 0; c < kz->nr_cpus; c++) {
		const struct kern_cpu *kc = &kz->cpus[c];
		unsigned int nr;

		lists[c] = (struct ui_watch_list){ .cpu = kc->cpu,
						   .count = told(kc->v[KERN_CF_count]),
						   .high = told(kc->v[KERN_CF_high]),
						   .high_min = told(kc->v[KERN_CF_high_min]),
						   .high_max = told(kc->v[KERN_CF_high_max]),
						   .batch = told(kc->v[KERN_CF_batch]) };
		lists[c].history = watch_history(s->watch, kz, kc->cpu, &nr);
		lists[c].nr_history = nr;
	}
}

static bool screen_look(void *ctx, struct ui_watch_look *out, char *error, size_t size)
{
	struct screen *s = ctx;
	const struct kern_dump *now;
	struct diag d;
	size_t i, lists = 0;

	if (next_look(s->watch, s->uts, &d) != BASE_ERR_OK) {
		snprintf(error, size, "%s", d.message);
		return false;
	}
	now = watch_now(s->watch);
	for (i = 0; i < now->nr_zones; i++) {
		lists += now->zones[i].nr_cpus;
	}
	free(s->zones);
	free(s->lists);
	s->zones = base_alloc(now->nr_zones + 1, sizeof(*s->zones));
	s->lists = base_alloc(lists + 1, sizeof(*s->lists));
	fill_lacks(s, now);
	*out = (struct ui_watch_look){ .head = s->head,
				       .lacks = s->lacks,
				       .zones = s->zones,
				       .seconds = watch_seconds(s->watch) };
	if (!watch_rates(s->watch, &out->allocs, &out->frees)) {
		out->allocs = out->frees = -1;
	}
	for (i = 0, lists = 0; i < now->nr_zones; i++) {
		if (kern_zone_pages(&now->zones[i]) > 0) {
			fill_zone(s, &now->zones[i], &s->zones[out->nr_zones++], s->lists + lists);
			lists += now->zones[i].nr_cpus;
		}
	}
	return true;
}

static int show_screen(const struct call *call, const struct utsname *uts)
{
	const struct watch_opts *o = call->opts;
	struct screen s = { .uts = uts, .watch = watch_new() };
	struct ui_watch watch = { .ctx = &s,
				  .look = screen_look,
				  .interval_ns = o->interval_ns,
				  .interval_min_ns = INTERVAL_MIN_NS,
				  .interval_max_ns = INTERVAL_MAX_NS,
				  .count = o->count };
	struct ui_options opt = { .ascii = call->common->ascii,
				  .no_colour = call->common->colour == BASE_COLOUR_NEVER,
				  .palette = (enum ui_palette)o->palette };
	int status;
	struct diag d;

	snprintf(s.head, sizeof(s.head), "Linux %s", uts->release);
	status = ui_watch_run(&opt, &watch);
	watch_free(s.watch);
	free(s.zones);
	free(s.lists);
	if (status < 0) {
		return show_text(call, uts);
	}
	if (status) {
		base_diag_set(&d, BASE_ERR_READ, ZONEINFO, 0, 0, "%s", opt.error);
		return call_fail(call, &d);
	}
	return 0;
}

static int record(const struct call *call)
{
	const struct watch_opts *o = call->opts;
	struct record_options opt = { .path = o->record,
				      .for_ns = o->for_ns,
				      .every_ns = o->every_ns,
				      .buffer_bytes = o->buffer,
				      .stop = &stop };
	struct record_report report;
	enum base_err err;
	struct diag d;

	if (strcmp(o->record, "-") == 0) {
		return call_usage(call, "give it a file; the snapshots go to FILE.snaps",
				  "--record: '-' is no file");
	}
	catch_signals();
	err = record_run(&opt, &report, &d);
	if (err != BASE_ERR_OK) {
		return call_fail(call, &d);
	}
	printf("%s: %llu lines, %.1f s%s; %s.snaps: %llu snapshots\n", o->record,
	       (unsigned long long)report.lines, (double)report.ns / 1e9,
	       report.stopped ? " (ended by a signal)" : "", o->record,
	       (unsigned long long)report.snapshots);
	if (report.lost) {
		printf("%llu of the oldest events had no room: a larger --buffer keeps more\n",
		       (unsigned long long)report.lost);
	}
	printf("next: pageset replay %s\n", o->record);
	return 0;
}

static int run(const struct call *call)
{
	const struct watch_opts *o = call->opts;
	struct utsname uts;
	char why[128];

	memset(&uts, 0, sizeof(uts));
	uname(&uts);
	if (o->record) {
		if (o->once || call->common->json) {
			return call_usage(call, "record first, then `pageset replay FILE --json`",
					  "--record goes with neither --once nor --json");
		}
		return record(call);
	}
	if (o->once) {
		return show_once(call, &uts);
	}
	if (call->common->json) {
		return call_usage(call, "add --once", "--json writes one state");
	}
	return !o->text && ui_has_terminal(why, sizeof(why)) ? show_screen(call, &uts) :
							       show_text(call, &uts);
}

const struct verb verb_watch = {
	.name = "watch",
	.args = "",
	.help = "the running kernel's own pagesets, live or recorded",
	.about =
		"Shows zones, watermarks and per-CPU lists of this machine from /proc/zoneinfo, with rates and a short\n"
		"history; ordinary users may. On a terminal it is the screen's CPU pane: q leaves, + and - change the\n"
		"interval, p pauses, Up and Down choose the zone; elsewhere lines of text. With --record, as root, kmem events are recorded through a tracefs\n"
		"instance of its own, with snapshots between marks; all that it changes is taken back, also\n"
		"when it is interrupted. It only reads.",
	.options = watch_options,
	.defaults = &watch_defaults,
	.opts_size = sizeof(watch_defaults),
	.common = COMMON_BIT(JSON) | COMMON_BIT(COLOR) | COMMON_BIT(ASCII),
	.args_min = 0,
	.args_max = 0,
	.run = run,
};

/* SPDX-License-Identifier: GPL-2.0-only */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../base/save.h"
#include "snaps.h"

#define PATH_LEN 512
#define TRACEFS_DEFAULT "/sys/kernel/tracing"
#define SNAPS_MAX 4096
#define SECOND_NS 1000000000ULL

static const char *const events[] = {
	"mm_page_alloc",	"mm_page_free",
	"mm_page_free_batched", "mm_page_alloc_zone_locked",
	"mm_page_pcpu_drain",	"mm_page_alloc_extfrag",
};

struct recorder {
	const struct record_options *opt;
	struct record_report *report;
	char tracefs[PATH_LEN];
	char instance[PATH_LEN + 64];
	bool mounted; /* by us */
	int pipe;     /* closed or broken: the guard takes all back */
	pid_t guard;
	int zoneinfo, marker;
	char *text; /* of the snapshots */
	size_t len, cap;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * SECOND_NS + (uint64_t)ts.tv_nsec;
}

static enum base_err fail(struct diag *d, const char *path, const char *what)
{
	return base_diag_set(d, BASE_ERR_OPEN, path, 0, 0, "%s: %s", what, strerror(errno));
}

static bool write_file(const char *dir, const char *name, const char *text)
{
	char path[PATH_LEN + 256];
	int fd;
	bool ok;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0) {
		return false;
	}
	ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return ok;
}

/* where tracefs is mounted, by the kernel's own list */
static bool find_tracefs(char *path, size_t size)
{
	FILE *f = fopen("/proc/self/mounts", "re");
	char line[1024], dir[PATH_LEN], type[64];
	bool found = false;

	if (!f) {
		return false;
	}
	while (!found && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*s %511s %63s", dir, type) == 2 &&
		    strcmp(type, "tracefs") == 0) {
			snprintf(path, size, "%s", dir);
			found = true;
		}
	}
	fclose(f);
	return found;
}

/* runs in the guard: waits until the recorder is done or dead, then takes back what it did */
static void guard_main(const struct recorder *rec, int fd)
{
	char byte;
	int tries;

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	while (read(fd, &byte, 1) < 0 && errno == EINTR) {
		;
	}
	write_file(rec->instance, "tracing_on", "0");
	/* busy for as long as somebody has one of its files open */
	for (tries = 0; tries < 100 && rmdir(rec->instance) && errno == EBUSY; tries++) {
		usleep(20000);
	}
	if (rec->mounted) {
		umount2(rec->tracefs, MNT_DETACH);
	}
	_exit(0);
}

static enum base_err start_guard(struct recorder *rec, struct diag *d)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC)) {
		return fail(d, rec->tracefs, "no pipe for the guard that cleans up");
	}
	rec->guard = fork();
	if (rec->guard < 0) {
		close(fds[0]);
		close(fds[1]);
		return fail(d, rec->tracefs, "no process for the guard that cleans up");
	}
	if (!rec->guard) {
		close(fds[1]);
		setsid();
		guard_main(rec, fds[0]);
	}
	close(fds[0]);
	rec->pipe = fds[1];
	return BASE_ERR_OK;
}

static enum base_err set_up(struct recorder *rec, struct diag *d)
{
	char text[64];
	enum base_err err;
	size_t i;

	if (geteuid() != 0) {
		base_diag_set(d, BASE_ERR_USAGE, NULL, 0, 0,
			      "recording needs root: tracefs is not for others");
		base_diag_hint(d, "run it with sudo, or watch without --record");
		return BASE_ERR_USAGE;
	}
	if (!find_tracefs(rec->tracefs, sizeof(rec->tracefs))) {
		snprintf(rec->tracefs, sizeof(rec->tracefs), "%s", TRACEFS_DEFAULT);
		if (mount("tracefs", rec->tracefs, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
			  NULL)) {
			return fail(d, rec->tracefs, "tracefs is not mounted and cannot be");
		}
		rec->mounted = true;
	}
	snprintf(rec->instance, sizeof(rec->instance), "%s/instances/pageset-%d", rec->tracefs,
		 (int)getpid());
	err = start_guard(rec, d);
	if (err != BASE_ERR_OK) {
		return err;
	}
	if (mkdir(rec->instance, 0700)) {
		return fail(d, rec->instance, "this kernel gives no tracefs instance of our own");
	}
	write_file(rec->instance, "tracing_on", "0");
	write_file(rec->instance, "trace_clock", "local");
	snprintf(text, sizeof(text), "%llu", (unsigned long long)(rec->opt->buffer_bytes / 1024));
	if (!write_file(rec->instance, "buffer_size_kb", text)) {
		return fail(d, rec->instance, "no memory for rings of that size");
	}
	for (i = 0; i < sizeof(events) / sizeof(*events); i++) {
		snprintf(text, sizeof(text), "events/kmem/%s/enable", events[i]);
		if (!write_file(rec->instance, text, "1")) {
			return fail(d, rec->instance, events[i]);
		}
	}
	return BASE_ERR_OK;
}

/* reads /proc/zoneinfo behind the text; false: it does not fit any more, or cannot be read */
static bool read_zoneinfo(struct recorder *rec)
{
	size_t begin = rec->len;
	ssize_t n;

	while (rec->len < rec->cap) {
		n = pread(rec->zoneinfo, rec->text + rec->len, rec->cap - rec->len,
			  (off_t)(rec->len - begin));
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			return n == 0;
		}
		rec->len += (size_t)n;
	}
	return false;
}

static void mark(struct recorder *rec, const char *what, uint64_t number, const char *label)
{
	char text[128];
	int n = snprintf(text, sizeof(text), "pageset: %s %llu %s\n", what,
			 (unsigned long long)number, label);

	/* a mark that is lost costs a comparison, nothing else */
	if (write(rec->marker, text, (size_t)n) < 0) {
		return;
	}
}

static bool take_snapshot(struct recorder *rec, const char *label)
{
	uint64_t number = rec->report->snapshots, ns = now_ns();
	size_t begin = rec->len;
	bool ok;

	if (rec->cap - rec->len < 256) {
		return false;
	}
	rec->len += (size_t)snprintf(rec->text + rec->len, 256,
				     "### snap=%llu label=%s file=zoneinfo mono=%llu.%09llu\n",
				     (unsigned long long)number, label,
				     (unsigned long long)(ns / SECOND_NS),
				     (unsigned long long)(ns % SECOND_NS));
	mark(rec, "snap-begin", number, label);
	ok = read_zoneinfo(rec);
	mark(rec, "snap-end", number, label);
	if (!ok) {
		rec->len = begin;
		return false;
	}
	rec->report->snapshots++;
	return true;
}

/* room for all snapshots, opened, read and touched once, so that taking one allocates nothing */
static enum base_err prepare_snapshots(struct recorder *rec, struct diag *d)
{
	uint64_t wanted = rec->opt->for_ns / rec->opt->every_ns + 4;
	char path[PATH_LEN + 256];
	size_t size;

	snprintf(path, sizeof(path), "%s/trace_marker", rec->instance);
	rec->marker = open(path, O_WRONLY | O_CLOEXEC);
	rec->zoneinfo = open("/proc/zoneinfo", O_RDONLY | O_CLOEXEC);
	if (rec->marker < 0 || rec->zoneinfo < 0) {
		return fail(d, rec->marker < 0 ? path : "/proc/zoneinfo", "cannot be opened");
	}
	rec->cap = 16u << 20;
	rec->text = malloc(rec->cap);
	if (rec->text && !read_zoneinfo(rec)) {
		return fail(d, "/proc/zoneinfo", "cannot be read");
	}
	size = rec->len + 512;
	free(rec->text);
	rec->len = 0;
	rec->cap = size * (wanted < SNAPS_MAX ? (size_t)wanted : SNAPS_MAX);
	rec->cap = rec->cap < SNAPS_BYTES_MAX / 2 ? rec->cap : SNAPS_BYTES_MAX / 2;
	rec->text = malloc(rec->cap);
	if (!rec->text) {
		return base_diag_set(d, BASE_ERR_NO_MEMORY, rec->opt->path, 0, 0,
				     "not enough memory for the snapshots");
	}
	memset(rec->text, 1, rec->cap);
	return BASE_ERR_OK;
}

static bool stopped(const struct recorder *rec)
{
	return rec->opt->stop && *rec->opt->stop;
}

static enum base_err record(struct recorder *rec, struct diag *d)
{
	uint64_t begin, end, next, now;
	bool room = true;

	if (!write_file(rec->instance, "tracing_on", "1")) {
		return fail(d, rec->instance, "tracing cannot be switched on");
	}
	begin = now_ns();
	end = begin + rec->opt->for_ns;
	take_snapshot(rec, "before");
	for (next = begin + rec->opt->every_ns; !stopped(rec); next += rec->opt->every_ns) {
		uint64_t until = next < end ? next : end;

		while ((now = now_ns()) < until && !stopped(rec)) {
			struct timespec ts = { .tv_sec = (time_t)((until - now) / SECOND_NS),
					       .tv_nsec = (long)((until - now) % SECOND_NS) };

			nanosleep(&ts, NULL);
		}
		if (until == end) {
			break;
		}
		/* the last place is for the end */
		room = room && rec->report->snapshots + 2 < SNAPS_MAX &&
		       take_snapshot(rec, "sample");
	}
	take_snapshot(rec, "after");
	write_file(rec->instance, "tracing_on", "0");
	rec->report->ns = now_ns() - begin;
	rec->report->stopped = stopped(rec);
	return BASE_ERR_OK;
}

/* copies the trace out of the instance; what the rings lost stands in its own head */
static enum base_err save_trace(struct recorder *rec, struct diag *d)
{
	char path[PATH_LEN + 256], line[4096];
	unsigned long long entries, written;
	struct base_save *save;
	enum base_err err;
	FILE *out, *in;

	snprintf(path, sizeof(path), "%s/trace", rec->instance);
	err = base_save_begin(&save, rec->opt->path, &out, d);
	if (err != BASE_ERR_OK) {
		return err;
	}
	in = fopen(path, "re");
	if (!in) {
		base_save_abort(save);
		return fail(d, path, "cannot be read");
	}
	while (fgets(line, sizeof(line), in)) {
		const char *at = strstr(line, "entries-in-buffer/entries-written:");

		if (at && sscanf(at + 34, "%llu/%llu", &entries, &written) == 2 &&
		    written > entries) {
			rec->report->lost = written - entries;
		}
		rec->report->lines++;
		fputs(line, out);
	}
	if (ferror(in)) {
		fclose(in);
		base_save_abort(save);
		return fail(d, path, "cannot be read to its end");
	}
	fclose(in);
	return base_save_commit(save, d);
}

static enum base_err save_snapshots(struct recorder *rec, struct diag *d)
{
	size_t len = strlen(rec->opt->path);
	char *path = base_alloc(len + sizeof(".snaps"), 1);
	enum base_err err;

	memcpy(path, rec->opt->path, len);
	memcpy(path + len, ".snaps", sizeof(".snaps"));
	err = base_save_bytes(path, rec->text, rec->len, d);
	free(path);
	return err;
}

enum base_err record_run(const struct record_options *opt, struct record_report *report,
			 struct diag *d)
{
	struct recorder rec = {
		.opt = opt, .report = report, .pipe = -1, .zoneinfo = -1, .marker = -1
	};
	enum base_err err;

	memset(report, 0, sizeof(*report));
	err = set_up(&rec, d);
	if (err == BASE_ERR_OK) {
		err = prepare_snapshots(&rec, d);
	}
	if (err == BASE_ERR_OK) {
		err = record(&rec, d);
	}
	if (rec.marker >= 0) {
		close(rec.marker);
	}
	if (rec.zoneinfo >= 0) {
		close(rec.zoneinfo);
	}
	if (err == BASE_ERR_OK) {
		err = save_trace(&rec, d);
	}
	if (err == BASE_ERR_OK) {
		err = save_snapshots(&rec, d);
	}
	if (rec.pipe >= 0) {
		close(rec.pipe);
		waitpid(rec.guard, NULL, 0);
	} else if (rec.mounted) {
		umount2(rec.tracefs, MNT_DETACH);
	}
	free(rec.text);
	return err;
}

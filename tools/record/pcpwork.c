/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A workload that is recorded while it runs: kmem events of the whole system in a tracefs instance of its own, and
 * snapshots of /proc/zoneinfo between marks in the trace.  Root only; guest.sh runs it in a virtual machine, and it runs
 * on a machine at hand.  It is not part of pageset, and makes recordings of the layout that `pageset replay` reads.
 *
 * usage: pcpwork DIR NAME KIND [ARG...]: writes DIR/NAME.trace.txt and DIR/NAME.snaps.txt
 *   fault MIB ROUNDS, pipe MIB, unix MIB, migrate MIB FROM TO, remote MIB FROM TO SAMPLES, fork N, decay MIB SAMPLES,
 *   thp MIB ROUNDS, pressure LEAVE_MIB ROUNDS, cache FILE ROUNDS, reclaim LEAVE_MIB ROUNDS: of MemFree less
 *   LEAVE_MIB a half is touched and given up with MADV_FREE, then three quarters are touched, so that kswapd works
 * options in the environment: FRACTION=V sets vm.percpu_pagelist_high_fraction for the run; WARM=1 leaves the lists as
 * they are; BUFFER=KIB the ring of each CPU.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRACING "/sys/kernel/tracing/instances/pcpwork"
#define FRACTION "/proc/sys/vm/percpu_pagelist_high_fraction"
#define SNAPS_MAX 128
#define SNAP_BYTES 65536
#define MIB ((size_t)1 << 20)

static char *snap_text;
static size_t snap_len[SNAPS_MAX];
static char snap_label[SNAPS_MAX][32];
static double snap_mono[SNAPS_MAX];
static int nr_snaps, zoneinfo_fd, marker_fd;

static void die(const char *what)
{
	fprintf(stderr, "pcpwork: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void set(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

static void mark(const char *format, ...)
{
	char line[128];
	va_list ap;
	int n = snprintf(line, sizeof(line), "pcpwork: ");

	va_start(ap, format);
	n += vsnprintf(line + n, sizeof(line) - (size_t)n, format, ap);
	va_end(ap);
	if (marker_fd >= 0 && write(marker_fd, line, (size_t)n) < 0)
		die("trace_marker");
}

static void on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void sleep_ms(long ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

static void snap(const char *label)
{
	int n = nr_snaps;
	ssize_t got;

	if (n == SNAPS_MAX)
		return;
	mark("snap-begin %d %s", n, label);
	snap_mono[n] = now();
	while ((got = pread(zoneinfo_fd, snap_text + (size_t)n * SNAP_BYTES + snap_len[n],
			    SNAP_BYTES - snap_len[n], (off_t)snap_len[n])) > 0)
		snap_len[n] += (size_t)got;
	mark("snap-end %d %s", n, label);
	snprintf(snap_label[n], sizeof(snap_label[n]), "%s", label);
	nr_snaps++;
}

static char *map(size_t bytes, int advice)
{
	char *p = mmap(NULL, bytes + 2 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	p = (char *)(((uintptr_t)p + 2 * MIB - 1) & ~(uintptr_t)(2 * MIB - 1));
	madvise(p, bytes, advice);
	return p;
}

static void touch(char *p, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i += 4096)
		((volatile char *)p)[i] = 1;
}

static void fault(size_t bytes, int rounds, int advice)
{
	int i;

	for (i = 0; i < rounds; i++) {
		char *p = map(bytes, advice);

		mark("touch %d", i);
		touch(p, bytes);
		snap("touched");
		mark("munmap %d", i);
		munmap(p, bytes);
		snap("unmapped");
	}
}

/* counts below 4 * batch on every CPU */
static void known_start(void)
{
	int cpu, i, cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);

	set(FRACTION, "1000000");
	for (cpu = 0; cpu < cpus; cpu++) {
		on_cpu(cpu);
		for (i = 0; i < 2; i++) {
			char *p = map(8 * MIB, MADV_NOHUGEPAGE);

			touch(p, 8 * MIB);
			munmap(p, 8 * MIB);
		}
	}
	set(FRACTION, "0");
	on_cpu(0);
}

static void pass(int out, int in, size_t bytes)
{
	static char buf[65536];
	pid_t pid = fork();

	if (pid == 0) {
		size_t got = 0;
		ssize_t n;

		on_cpu(1);
		while (got < bytes && (n = read(in, buf, sizeof(buf))) > 0)
			got += (size_t)n;
		_exit(0);
	}
	for (; bytes; bytes -= bytes < sizeof(buf) ? bytes : sizeof(buf))
		if (write(out, buf, sizeof(buf)) < 0)
			die("write");
	waitpid(pid, NULL, 0);
}

static void migrate(size_t bytes, int from, int to, int samples)
{
	char *p = map(bytes, MADV_NOHUGEPAGE);
	int i, rounds = samples ? 1 : 2;

	for (i = 0; i < rounds; i++) {
		on_cpu(from);
		mark("touch %d", i);
		touch(p, bytes);
		snap("touched");
		on_cpu(to);
		mark("munmap %d", i);
		madvise(p, bytes, MADV_DONTNEED);
		snap("unmapped");
	}
	on_cpu(from);
	for (i = 0; i < samples; i++) {
		sleep_ms(500);
		snap("sample");
	}
}

static void forks(int n)
{
	int i;

	mark("fork start");
	for (i = 0; i < n; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			execl("/proc/self/exe", "pcpwork", "exit", NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
	}
	snap("forked");
	mark("fork end");
}

static void decay(size_t bytes, int samples)
{
	int i;

	for (i = 0; i < 3; i++) {
		char *p = map(bytes, MADV_NOHUGEPAGE);

		mark("touch %d", i);
		touch(p, bytes);
		mark("munmap %d", i);
		munmap(p, bytes);
	}
	on_cpu(1);
	snap("faulted");
	for (i = 0; i < samples; i++) {
		sleep_ms(500);
		snap("sample");
	}
}

static size_t mem_free(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[128];
	size_t kib = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemFree: %zu kB", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib << 10;
}

static void reclaim(size_t bytes, int rounds)
{
	size_t half = bytes / 2 & ~(size_t)4095;
	int i;

	for (i = 0; i < rounds; i++) {
		char *p = map(half, MADV_NOHUGEPAGE);

		mark("fill %d", i);
		touch(p, half);
		madvise(p, half, MADV_FREE);
		snap("filled");
		fault(half + half / 2, 1, MADV_NOHUGEPAGE);
		munmap(p, half);
		snap("given-up");
	}
}

/* page cache of a file, thrown away and read again */
static void cache(const char *path, int rounds)
{
	static char buf[65536];
	int i, fd = open(path, O_RDONLY);

	if (fd < 0)
		die(path);
	for (i = 0; i < rounds; i++) {
		mark("read %d", i);
		lseek(fd, 0, SEEK_SET);
		while (read(fd, buf, sizeof(buf)) > 0)
			;
		snap("read");
		mark("drop %d", i);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		snap("dropped");
	}
	close(fd);
}

static void run(char **arg, int nr)
{
	const char *kind = arg[0];
	size_t mib = nr > 1 ? (size_t)atoi(arg[1]) * MIB : 0;
	int a = nr > 2 ? atoi(arg[2]) : 0, b = nr > 3 ? atoi(arg[3]) : 0,
	    c = nr > 4 ? atoi(arg[4]) : 0, fd[2];

	mark("begin %s", kind);
	if (!strcmp(kind, "fault")) {
		fault(mib, a, MADV_NOHUGEPAGE);
	} else if (!strcmp(kind, "thp")) {
		set("/sys/kernel/mm/transparent_hugepage/enabled", "madvise");
		fault(mib, a, MADV_HUGEPAGE);
	} else if (!strcmp(kind, "pressure")) {
		size_t left = mem_free();

		if (left > mib)
			fault((left - mib) & ~(size_t)4095, a, MADV_NOHUGEPAGE);
	} else if (!strcmp(kind, "reclaim")) {
		size_t left = mem_free();

		if (left > mib)
			reclaim(left - mib, a);
	} else if (!strcmp(kind, "pipe")) {
		if (pipe(fd))
			die("pipe");
		fcntl(fd[1], F_SETPIPE_SZ, 1 << 20);
		pass(fd[1], fd[0], mib);
	} else if (!strcmp(kind, "unix")) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
			die("socketpair");
		pass(fd[1], fd[0], mib);
	} else if (!strcmp(kind, "migrate") || !strcmp(kind, "remote")) {
		migrate(mib, a, b, c);
	} else if (!strcmp(kind, "fork")) {
		forks(atoi(arg[1]));
	} else if (!strcmp(kind, "decay")) {
		decay(mib, a);
	} else if (!strcmp(kind, "cache")) {
		cache(arg[1], a);
	} else {
		errno = EINVAL;
		die(kind);
	}
	mark("end %s", kind);
}

static void copy(const char *from, const char *to)
{
	static char buf[65536];
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	ssize_t n;

	if (in < 0 || out < 0)
		die(to);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		if (write(out, buf, (size_t)n) != n)
			die(to);
	close(in);
	close(out);
}

static void trace_on(void)
{
	static const char *const events[] = { "mm_page_alloc",	       "mm_page_free",
					      "mm_page_free_batched",  "mm_page_alloc_zone_locked",
					      "mm_page_pcpu_drain",    "mm_page_alloc_extfrag" };
	char path[256];
	size_t i;

	if (mkdir(TRACING, 0755) && errno != EEXIST)
		die(TRACING);
	set(TRACING "/tracing_on", "0");
	set(TRACING "/trace_clock", "local");
	set(TRACING "/buffer_size_kb", getenv("BUFFER") ? getenv("BUFFER") : "24576");
	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		snprintf(path, sizeof(path), TRACING "/events/kmem/%s/enable", events[i]);
		set(path, "1");
	}
	marker_fd = open(TRACING "/trace_marker", O_WRONLY);
	if (marker_fd < 0)
		die("trace_marker");
}

static void save(const char *dir, const char *name)
{
	char path[512];
	FILE *f;
	int i;

	snprintf(path, sizeof(path), "%s/%s.trace.txt", dir, name);
	copy(TRACING "/trace", path);
	snprintf(path, sizeof(path), "%s/%s.snaps.txt", dir, name);
	f = fopen(path, "w");
	if (!f)
		die(path);
	for (i = 0; i < nr_snaps; i++) {
		fprintf(f, "### snap=%d label=%s file=zoneinfo mono=%.6f\n", i, snap_label[i],
			snap_mono[i]);
		fwrite(snap_text + (size_t)i * SNAP_BYTES, 1, snap_len[i], f);
	}
	if (fclose(f))
		die(path);
}

int main(int argc, char **argv)
{
	if (argc == 2)
		return 0; /* the program that is forked */
	if (argc < 4) {
		fprintf(stderr, "usage: pcpwork DIR NAME KIND [ARG...]\n");
		return 2;
	}
	snap_text = map((size_t)SNAPS_MAX * SNAP_BYTES, MADV_NOHUGEPAGE);
	touch(snap_text, (size_t)SNAPS_MAX * SNAP_BYTES);
	marker_fd = -1;
	zoneinfo_fd = open("/proc/zoneinfo", O_RDONLY);
	if (zoneinfo_fd < 0)
		die("/proc/zoneinfo");
	snap("before"); /* so that the buffers are there */
	snap_len[0] = 0;
	nr_snaps = 0;
	on_cpu(0);
	trace_on();
	if (!getenv("WARM"))
		known_start();
	if (getenv("FRACTION"))
		set(FRACTION, getenv("FRACTION"));
	on_cpu(!strcmp(argv[3], "decay"));
	set(TRACING "/tracing_on", "1");
	snap("before");
	on_cpu(0);
	run(argv + 3, argc - 3);
	snap("after");
	set(TRACING "/tracing_on", "0");
	if (getenv("FRACTION"))
		set(FRACTION, "0");
	save(argv[1], argv[2]);
	close(marker_fd);
	rmdir(TRACING);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/progress.h"

/* A terminal of our own: the other end of a pseudo terminal. */
static FILE *open_terminal(int *master)
{
	int fd;

	*master = posix_openpt(O_RDWR | O_NOCTTY);
	cr_assert_geq(*master, 0);
	cr_assert_eq(grantpt(*master), 0);
	cr_assert_eq(unlockpt(*master), 0);
	fd = open(ptsname(*master), O_RDWR | O_NOCTTY);
	cr_assert_geq(fd, 0);
	return fdopen(fd, "w");
}

Test(base_progress, colour_is_decided_by_wish_terminal_and_environment)
{
	int master;
	FILE *tty = open_terminal(&master), *null = fopen("/dev/null", "w");

	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	cr_expect(base_colour_on(BASE_COLOUR_AUTO, tty));
	cr_expect_not(base_colour_on(BASE_COLOUR_AUTO, null));
	cr_expect(base_colour_on(BASE_COLOUR_ALWAYS, null));
	cr_expect_not(base_colour_on(BASE_COLOUR_NEVER, tty));
	setenv("NO_COLOR", "", 1);
	cr_expect(base_colour_on(BASE_COLOUR_AUTO, tty));
	setenv("NO_COLOR", "1", 1);
	cr_expect_not(base_colour_on(BASE_COLOUR_AUTO, tty));
	cr_expect(base_colour_on(BASE_COLOUR_ALWAYS, tty));
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	cr_expect_not(base_colour_on(BASE_COLOUR_AUTO, tty));
	unsetenv("TERM");
	cr_expect_not(base_colour_on(BASE_COLOUR_AUTO, tty));
	fclose(tty);
	fclose(null);
	close(master);
}

/* A progress that is due. */
static void draw(uint64_t done, uint64_t total)
{
	struct base_progress p;

	base_progress_begin(&p, "reading");
	if (p.out)
		p.next_ns = 0; /* due, without waiting for it */
	base_progress_update(&p, done, total);
	base_progress_update(&p, done, total); /* not due again: draws nothing */
	base_progress_end(&p);
	base_progress_end(&p);
}

/* What reached the terminal, up to the line's end mark; it may come in pieces. */
static void expect_terminal(FILE *tty, int master, const char *want)
{
	char buf[200];
	size_t len = 0;

	fputs("#", tty);
	fflush(tty);
	while (len + 1 < sizeof(buf) && (len == 0 || buf[len - 1] != '#')) {
		ssize_t n = read(master, buf + len, sizeof(buf) - 1 - len);

		cr_assert_gt(n, 0);
		len += (size_t)n;
	}
	buf[len - 1] = '\0';
	cr_expect_str_eq(buf, want);
}

Test(base_progress, drawn_and_taken_away_on_a_terminal)
{
	int master, saved = dup(STDERR_FILENO);
	FILE *tty = open_terminal(&master);

	setenv("TERM", "xterm", 1);
	dup2(fileno(tty), STDERR_FILENO);
	draw(1, 4);
	expect_terminal(tty, master, "\r\033[Kreading  25 %\r\033[K");
	draw(17, 0);
	expect_terminal(tty, master, "\r\033[Kreading 17\r\033[K");
	/* a file that grew while it was read */
	draw(5, 4);
	expect_terminal(tty, master, "\r\033[Kreading 5\r\033[K");
	dup2(saved, STDERR_FILENO);
	close(saved);
	fclose(tty);
	close(master);
}

Test(base_progress, silent_where_stderr_is_no_terminal)
{
	char name[] = "/tmp/pageset-test.XXXXXX";
	int fd = mkstemp(name), saved = dup(STDERR_FILENO);

	dup2(fd, STDERR_FILENO);
	draw(1, 4);
	dup2(saved, STDERR_FILENO);
	cr_expect_eq(lseek(fd, 0, SEEK_END), 0);
	close(fd);
	close(saved);
	unlink(name);
}

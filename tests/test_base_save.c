/* SPDX-License-Identifier: GPL-2.0-only */
#include <sys/resource.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/save.h"
#include "base/text.h"
#include "tmpdir.h"

TestSuite(base_save, .init = tmpdir_make, .fini = tmpdir_remove);

static void expect_content(const char *path, const char *want)
{
	struct base_text t;

	cr_assert_eq(base_text_read(&t, path, 1 << 20, NULL), BASE_ERR_OK);
	cr_expect_str_eq(t.data, want);
	base_text_free(&t);
}

Test(base_save, new_and_replaced)
{
	const char *path = tmpdir_path("a");

	cr_expect_eq(base_save_bytes(path, "one", 3, NULL), BASE_ERR_OK);
	expect_content(path, "one");
	cr_expect_eq(base_save_bytes(path, "two!", 4, NULL), BASE_ERR_OK);
	expect_content(path, "two!");
	cr_expect_eq(tmpdir_count(), 1);
}

Test(base_save, nothing_happens_before_the_commit)
{
	struct base_save *s;
	FILE *out;
	const char *path = tmpdir_write("a", "old", 3);

	cr_assert_eq(base_save_begin(&s, path, &out, NULL), BASE_ERR_OK);
	fputs("new", out);
	fflush(out);
	expect_content(path, "old");
	base_save_abort(s);
	expect_content(path, "old");
	cr_expect_eq(tmpdir_count(), 1);
	base_save_abort(NULL);
}

Test(base_save, modes)
{
	struct stat st;
	const char *path = tmpdir_path("a");

	umask(027);
	base_save_bytes(path, "x", 1, NULL);
	stat(path, &st);
	cr_expect_eq(st.st_mode & 0777, 0640);
	chmod(path, 0604);
	base_save_bytes(path, "y", 1, NULL);
	stat(path, &st);
	cr_expect_eq(st.st_mode & 0777, 0604);
}

Test(base_save, a_link_stays_a_link)
{
	struct stat st;
	const char *target = tmpdir_write("target", "old", 3), *link_path = tmpdir_path("link");

	cr_assert_eq(symlink(target, link_path), 0);
	cr_expect_eq(base_save_bytes(link_path, "new", 3, NULL), BASE_ERR_OK);
	cr_assert_eq(lstat(link_path, &st), 0);
	cr_expect(S_ISLNK(st.st_mode));
	expect_content(target, "new");
}

Test(base_save, a_name_without_a_folder)
{
	cr_assert_eq(chdir(tmpdir), 0);
	cr_expect_eq(base_save_bytes("plain", "x", 1, NULL), BASE_ERR_OK);
	expect_content(tmpdir_path("plain"), "x");
	cr_expect_eq(tmpdir_count(), 1);
}

Test(base_save, what_cannot_be_written)
{
	struct diag d;

	cr_expect_eq(base_save_bytes(tmpdir, "x", 1, &d), BASE_ERR_WRITE);
	cr_expect_not_null(strstr(d.message, "is a directory"));
	cr_expect_eq(base_save_bytes(tmpdir_path("no/such/folder"), "x", 1, &d), BASE_ERR_WRITE);
	cr_expect_not_null(strstr(d.hint, "folder"));
	cr_expect_str_eq(d.file, tmpdir_path("no/such/folder"));
	cr_expect_eq(base_save_bytes("", "x", 1, &d), BASE_ERR_WRITE);
	cr_expect_eq(base_save_bytes("/dev/full", "x", 1, &d), BASE_ERR_WRITE);
	cr_expect_not_null(strstr(d.message, "No space"), "%s", d.message);
	cr_expect_eq(base_save_bytes("/dev/null", "x", 1, &d), BASE_ERR_OK);
	cr_expect_eq(tmpdir_count(), 0);
}

/* A disk that gets full in the middle: the limit on a file's size stands for it. */
Test(base_save, a_full_disk_keeps_the_old_file)
{
	struct rlimit limit = { 4096, 4096 };
	const char *path = tmpdir_write("a", "old", 3);
	static char big[100000];
	struct diag d;

	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	memset(big, 'x', sizeof(big));
	cr_expect_eq(base_save_bytes(path, big, sizeof(big), &d), BASE_ERR_WRITE);
	expect_content(path, "old");
	cr_expect_eq(tmpdir_count(), 1);
}

/* A child that is ended by @sig while two saves are under way; true if the signal ended it. */
static bool ended_in_the_middle(int sig)
{
	struct rlimit no_core = { 0, 0 };
	struct base_save *a, *b, *c;
	FILE *out;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		signal(sig, SIG_DFL);
		if (base_save_begin(&a, tmpdir_path("a"), &out, NULL) ||
		    base_save_begin(&b, tmpdir_path("b"), &out, NULL) ||
		    base_save_begin(&c, tmpdir_path("c"), &out, NULL))
			_exit(1);
		base_save_abort(b);
		fputs("half", out);
		fflush(out);
		raise(sig);
		_exit(1);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) &&
	       WTERMSIG(status) == sig;
}

Test(base_save, a_signal_takes_the_unfinished_file_with_it)
{
	static const int sigs[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU, SIGABRT };

	tmpdir_write("a", "old", 3);
	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
		cr_expect(ended_in_the_middle(sigs[i]), "signal %d", sigs[i]);
		cr_expect_eq(tmpdir_count(), 1, "signal %d leaves %d files", sigs[i],
			     tmpdir_count());
	}
	expect_content(tmpdir_path("a"), "old");
}

static volatile sig_atomic_t told;

static void tell(int sig)
{
	told = sig;
}

Test(base_save, a_signal_that_is_handled_stays_so)
{
	struct base_save *s;
	FILE *out;
	const char *path = tmpdir_path("a");

	signal(SIGTERM, tell);
	signal(SIGINT, SIG_DFL);
	cr_assert_eq(base_save_begin(&s, path, &out, NULL), BASE_ERR_OK);
	raise(SIGTERM);
	cr_expect_eq(told, SIGTERM);
	fputs("whole", out);
	cr_expect_eq(base_save_commit(s, NULL), BASE_ERR_OK);
	expect_content(path, "whole");
	cr_expect_eq(signal(SIGTERM, SIG_DFL), tell);
	cr_expect_eq(signal(SIGINT, SIG_DFL), SIG_DFL, "nothing to clean, no handler");
}

Test(base_save, standard_output)
{
	int saved = dup(STDOUT_FILENO);
	const char *path = tmpdir_write("out", "", 0);
	FILE *f = fopen(path, "w");

	cr_assert_eq(dup2(fileno(f), STDOUT_FILENO), STDOUT_FILENO);
	cr_expect_eq(base_save_bytes("-", "text", 4, NULL), BASE_ERR_OK);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	fclose(f);
	expect_content(path, "text");
}

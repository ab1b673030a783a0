/* SPDX-License-Identifier: GPL-2.0-only */
#include "save.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct base_save {
	FILE *out;
	char *name;		/* as the user wrote it, for messages */
	char *path;		/* the target itself, links followed; NULL: written directly */
	char *temp;		/* beside path */
	struct base_save *next; /* of those with a file at temp */
};

/* Signals that end the program from outside or at a broken promise. */
static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU, SIGXFSZ, SIGABRT };
enum { NR_ENDING = sizeof(ending) / sizeof(ending[0]) };

/* Changes only while the signals are blocked, so that the handler finds it whole. */
static struct base_save *with_temp;

/* No half file stays beside the target; unlink() is safe here. */
static void on_end(int sig)
{
	for (const struct base_save *s = with_temp; s; s = s->next)
		unlink(s->temp);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void block_ending(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < NR_ENDING; i++)
		sigaddset(&set, ending[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

/* Signals that someone handles or ignores stay theirs: who handles them ends the save in order. */
static void handle_ending(bool on)
{
	struct sigaction sa = { .sa_handler = on ? on_end : SIG_DFL }, now;

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < NR_ENDING; i++)
		if (sigaction(ending[i], NULL, &now) == 0 &&
		    now.sa_handler == (on ? SIG_DFL : on_end))
			sigaction(ending[i], &sa, NULL);
}

/* Between block_ending() and its end. */
static void enlist(struct base_save *s)
{
	s->next = with_temp;
	with_temp = s;
	handle_ending(true);
}

static void delist(struct base_save *s)
{
	struct base_save **at = &with_temp;

	while (*at && *at != s)
		at = &(*at)->next;
	if (*at)
		*at = s->next;
	if (!with_temp)
		handle_ending(false);
}

/* The temporary file gets the target's name, or goes. 0 or the errno; then it is gone, too. */
static int end_temp(struct base_save *s, bool keep)
{
	sigset_t before;
	int error = 0;

	block_ending(&before);
	if (keep && rename(s->temp, s->path) != 0)
		error = errno;
	if (!keep || error)
		unlink(s->temp);
	delist(s);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}

static void save_free(struct base_save *s)
{
	free(s->name);
	free(s->path);
	free(s->temp);
	free(s);
}

static enum base_err write_failed(const char *name, int error, struct diag *d)
{
	enum base_err code = base_diag_set(d, BASE_ERR_WRITE, name, 0, 0, "cannot be written: %s",
					   strerror(error));

	if (error == ENOENT)
		base_diag_hint(d, "expected a folder that exists");
	else if (error == EACCES || error == EROFS || error == EPERM)
		base_diag_hint(d, "try /tmp/%s, or another place where this user may write",
			       strrchr(name, '/') ? strrchr(name, '/') + 1 : name);
	else if (error == ENOSPC)
		base_diag_hint(d, "the disk is full; what was there before is unchanged");
	return code;
}

/* Standard output, pipes and devices cannot be replaced. */
static enum base_err begin_direct(struct base_save *s, struct diag *d)
{
	int fd, error;

	if (strcmp(s->name, "-") == 0)
		fd = dup(STDOUT_FILENO);
	else
		fd = open(s->name, O_WRONLY | O_CLOEXEC);
	s->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (s->out)
		return BASE_ERR_OK;
	error = errno;
	if (fd >= 0)
		close(fd);
	return write_failed(s->name, error, d);
}

/* A new file gets what the umask leaves, a replaced one keeps its mode. */
static mode_t target_mode(const char *path)
{
	struct stat st;
	mode_t mask;

	if (stat(path, &st) == 0)
		return st.st_mode & 07777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

static enum base_err begin_temp(struct base_save *s, struct diag *d)
{
	const char *slash = strrchr(s->path, '/');
	size_t folder_len = slash ? (size_t)(slash - s->path) + 1 : 0;
	size_t size = strlen(s->path) + sizeof("..XXXXXX");
	sigset_t before;
	int fd, error;

	s->temp = base_alloc(size, 1);
	snprintf(s->temp, size, "%.*s.%s.XXXXXX", (int)folder_len, s->path, s->path + folder_len);
	block_ending(&before);
	fd = mkstemp(s->temp);
	error = errno;
	if (fd >= 0)
		enlist(s);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (fd < 0)
		return write_failed(s->name, error, d);
	if (fchmod(fd, target_mode(s->path)) == 0) {
		s->out = fdopen(fd, "w");
		if (s->out)
			return BASE_ERR_OK;
	}
	error = errno;
	close(fd);
	end_temp(s, false);
	return write_failed(s->name, error, d);
}

enum base_err base_save_begin(struct base_save **s, const char *path, FILE **out, struct diag *d)
{
	struct base_save *new = base_alloc(1, sizeof(*new));
	bool direct = strcmp(path, "-") == 0;
	struct stat st;
	enum base_err err = BASE_ERR_OK;

	*s = NULL;
	*out = NULL;
	new->name = base_strdup(path);
	if (!direct && stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode)) {
			err = base_diag_set(d, BASE_ERR_WRITE, path, 0, 0, "is a directory");
			base_diag_hint(d, "expected the name of a file");
		}
		direct = !S_ISREG(st.st_mode);
	}
	if (!err && !direct) {
		/* a link stays a link: the file that it points to is replaced */
		new->path = realpath(path, NULL);
		if (!new->path)
			new->path = base_strdup(path);
		err = begin_temp(new, d);
	} else if (!err) {
		err = begin_direct(new, d);
	}
	if (err) {
		save_free(new);
		return err;
	}
	*s = new;
	*out = new->out;
	return BASE_ERR_OK;
}

/* The name is safe on disk only when its folder is. A folder that cannot be opened or synced is no reason to fail. */
static void sync_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = base_strdup(slash ? path : ".");
	int fd;

	if (slash)
		folder[slash == path ? 1 : slash - path] = '\0';
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(folder);
}

enum base_err base_save_commit(struct base_save *s, struct diag *d)
{
	enum base_err err = BASE_ERR_OK;
	int error = 0;

	/* an earlier failure of the caller's writes left only the flag, not the reason */
	if (ferror(s->out))
		error = EIO;
	if (fflush(s->out) != 0 && !error)
		error = errno;
	if (!error && s->path && fsync(fileno(s->out)) != 0)
		error = errno;
	if (fclose(s->out) != 0 && !error)
		error = errno;
	if (s->temp && error)
		end_temp(s, false);
	else if (s->temp)
		error = end_temp(s, true);
	if (error) {
		err = write_failed(s->name, error, d);
	} else if (s->path) {
		sync_folder(s->path);
	}
	save_free(s);
	return err;
}

void base_save_abort(struct base_save *s)
{
	if (!s)
		return;
	fclose(s->out);
	if (s->temp)
		end_temp(s, false);
	save_free(s);
}

enum base_err base_save_bytes(const char *path, const void *data, size_t len, struct diag *d)
{
	struct base_save *s;
	FILE *out;
	enum base_err err = base_save_begin(&s, path, &out, d);

	if (err)
		return err;
	fwrite(data, 1, len, out);
	return base_save_commit(s, d);
}

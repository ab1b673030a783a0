/* SPDX-License-Identifier: GPL-2.0-only */
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "number.h"

#define CHUNK_BYTES ((size_t)256 * 1024)

/* An open input: plain or gzip, zlib tells them apart by the first bytes. */
struct input {
	gzFile gz;
	char *name;
	uint64_t size; /* of the file as it lies there, 0 if not known */
};

static bool ends_in_gz(const char *path)
{
	size_t len = strlen(path);

	return len >= 3 && strcmp(path + len - 3, ".gz") == 0;
}

static void input_close(struct input *in)
{
	if (in->gz)
		gzclose_r(in->gz);
	free(in->name);
	*in = (struct input){ 0 };
}

static enum base_err open_failed(const char *name, struct diag *d)
{
	enum base_err code = base_diag_set(d, BASE_ERR_OPEN, name, 0, 0, "cannot be opened: %s",
					   strerror(errno));

	if (errno == ENOENT)
		base_diag_hint(d,
			       "expected the name of a file that exists, or - for standard input");
	else if (errno == EACCES)
		base_diag_hint(d, "expected a file that this user may read; chmod +r gives leave");
	return code;
}

/*
 * A pipe by name (a FIFO, the shell's <(...)) gives its bytes once, but commands may look at a file before they read it,
 * or read it more than once. What it gave is kept in a file without a name, for as long as the program runs.
 */
struct kept_pipe {
	struct kept_pipe *next;
	dev_t dev;
	ino_t ino;
	FILE *copy;
};

static struct kept_pipe *kept_pipes;

/* A pipe without an end must not fill the disk. */
#define KEPT_MAX ((uint64_t)4 << 30)

static bool copy_pipe(int fd, FILE *to)
{
	static char buf[CHUNK_BYTES];
	uint64_t all = 0;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		all += (uint64_t)n;
		if (all > KEPT_MAX) {
			errno = EFBIG;
			return false;
		}
		if (fwrite(buf, 1, (size_t)n, to) != (size_t)n)
			return false;
	}
	return n == 0 && fflush(to) == 0;
}

/* From @fd, which is closed. NULL with errno set if it cannot be read or kept. */
static struct kept_pipe *keep_pipe(int fd, const struct stat *st)
{
	struct kept_pipe *k = base_alloc(1, sizeof(*k));
	int error;

	*k = (struct kept_pipe){ .next = kept_pipes, .dev = st->st_dev, .ino = st->st_ino };
	k->copy = tmpfile();
	if (k->copy && copy_pipe(fd, k->copy)) {
		close(fd);
		kept_pipes = k;
		return k;
	}
	error = errno;
	close(fd);
	if (k->copy)
		fclose(k->copy);
	free(k);
	errno = error;
	return NULL;
}

/* An open file at its beginning, -1 with errno set. */
static int open_path(const char *path)
{
	struct kept_pipe *k = kept_pipes;
	char name[64];
	struct stat st;
	int fd;

	if (stat(path, &st) != 0 || !S_ISFIFO(st.st_mode))
		return open(path, O_RDONLY | O_CLOEXEC);
	while (k && (k->dev != st.st_dev || k->ino != st.st_ino))
		k = k->next;
	if (!k) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		k = fd < 0 ? NULL : keep_pipe(fd, &st);
	}
	if (!k)
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fileno(k->copy));
	return open(name, O_RDONLY | O_CLOEXEC);
}

/* A name in .gz with something else in it is most likely a download that failed. */
static enum base_err check_kind(struct input *in, const char *path, struct diag *d)
{
	enum base_err code;

	if (!ends_in_gz(path) || !gzdirect(in->gz))
		return BASE_ERR_OK;
	code = base_diag_set(d, BASE_ERR_CORRUPT, path, 0, 0, "does not begin as a gzip file does");
	base_diag_hint(
		d,
		"expected gzip data because of the name's end, .gz; a plain file needs another name");
	return code;
}

static enum base_err input_open(struct input *in, const char *path, struct diag *d)
{
	bool is_stdin = strcmp(path, "-") == 0;
	const char *name = is_stdin ? "<stdin>" : path;
	struct stat st;
	enum base_err err;
	int fd;

	*in = (struct input){ 0 };
	if (path[0] == '\0') {
		err = base_diag_set(d, BASE_ERR_OPEN, NULL, 0, 0, "the name of a file is empty");
		base_diag_hint(
			d,
			"expected the name of a file that exists, or - for standard input; a variable of the shell may be empty");
		return err;
	}
	fd = is_stdin ? dup(STDIN_FILENO) : open_path(path);
	if (fd < 0)
		return open_failed(name, d);
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		err = base_diag_set(d, BASE_ERR_OPEN, name, 0, 0, "is a directory");
		base_diag_hint(d, "expected a file");
		return err;
	}
	in->gz = gzdopen(fd, "rb");
	if (!in->gz) {
		close(fd);
		return base_diag_set(d, BASE_ERR_NO_MEMORY, name, 0, 0, "out of memory");
	}
	gzbuffer(in->gz, CHUNK_BYTES);
	in->name = base_strdup(name);
	in->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	err = is_stdin ? BASE_ERR_OK : check_kind(in, path, d);
	if (err)
		input_close(in);
	return err;
}

/* Bytes read, 0 at a clean end, -1 with *d filled. */
static ssize_t input_read(struct input *in, char *buf, size_t size, struct diag *d)
{
	int code = Z_OK;
	const char *why;
	int n = gzread(in->gz, buf, (unsigned int)(size < CHUNK_BYTES ? size : CHUNK_BYTES));

	if (n > 0)
		return n;
	why = gzerror(in->gz, &code);
	if (n == 0 && code == Z_OK)
		return 0;
	if (code == Z_ERRNO)
		base_diag_set(d, BASE_ERR_READ, in->name, 0, 0, "cannot be read: %s",
			      strerror(errno));
	else if (code == Z_BUF_ERROR)
		base_diag_set(d, BASE_ERR_CORRUPT, in->name, 0, 0,
			      "the gzip data ends too early: the file was cut off");
	else
		base_diag_set(d, BASE_ERR_CORRUPT, in->name, 0, 0, "the gzip data is damaged: %s",
			      why);
	return -1;
}

static enum base_err too_large(const char *name, size_t max, struct diag *d)
{
	char size[BASE_FORMAT_MAX];
	enum base_err code = base_diag_set(d, BASE_ERR_TOO_LARGE, name, 0, 0, "is larger than %s",
					   base_format_size(size, max));

	base_diag_hint(d, "expected at most %zu bytes (uncompressed)", max);
	return code;
}

/* Everything into t->data, growing by doubling up to the bound. */
static enum base_err read_all(struct base_text *t, struct input *in, size_t max, struct diag *d)
{
	size_t cap = 0;

	for (;;) {
		ssize_t n;

		if (cap - t->len < 2) {
			size_t want = cap ? cap * 2 : CHUNK_BYTES;
			char *data;

			/* one byte above the bound tells "exactly max" from "more" */
			if (want > max + 2)
				want = max + 2;
			data = realloc(t->data, want);
			if (!data)
				return base_diag_set(d, BASE_ERR_NO_MEMORY, in->name, 0, 0,
						     "out of memory");
			t->data = data;
			cap = want;
		}
		n = input_read(in, t->data + t->len, cap - t->len - 1, d);
		if (n < 0)
			return d->code;
		if (n == 0)
			break;
		t->len += (size_t)n;
		if (t->len > max)
			return too_large(in->name, max, d);
	}
	t->data[t->len] = '\0';
	return BASE_ERR_OK;
}

static void index_lines(struct base_text *t)
{
	const char *p = t->data, *end = t->data + t->len;
	size_t nr = 0, i;

	for (; p < end; nr++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		p = nl ? nl + 1 : end;
	}
	t->line_start = base_alloc(nr, sizeof(*t->line_start));
	t->nr_lines = nr;
	for (p = t->data, i = 0; i < nr; i++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		t->line_start[i] = (size_t)(p - t->data);
		p = nl ? nl + 1 : end;
	}
}

enum base_err base_text_read(struct base_text *t, const char *path, size_t max, struct diag *d)
{
	struct diag own;
	struct input in;
	enum base_err err;

	if (!d)
		d = &own;
	BASE_CHECK(max < SIZE_MAX / 4, "max %zu", max);
	*t = (struct base_text){ 0 };
	err = input_open(&in, path, d);
	if (err)
		return err;
	err = read_all(t, &in, max, d);
	if (err) {
		base_text_free(t);
	} else {
		t->name = base_strdup(in.name);
		index_lines(t);
	}
	input_close(&in);
	return err;
}

enum base_err base_text_from(struct base_text *t, const char *name, const char *data, size_t len,
			     struct diag *d)
{
	*t = (struct base_text){ 0 };
	t->data = malloc(len + 1);
	if (!t->data)
		return base_diag_set(d, BASE_ERR_NO_MEMORY, name, 0, 0, "out of memory");
	if (len)
		memcpy(t->data, data, len);
	t->data[len] = '\0';
	t->len = len;
	t->name = base_strdup(name);
	index_lines(t);
	return BASE_ERR_OK;
}

void base_text_free(struct base_text *t)
{
	free(t->name);
	free(t->data);
	free(t->line_start);
	*t = (struct base_text){ 0 };
}

bool base_text_line(const struct base_text *t, uint64_t n, const char **start, size_t *len)
{
	size_t end;

	if (n == 0 || n > t->nr_lines)
		return false;
	*start = t->data + t->line_start[n - 1];
	end = n < t->nr_lines ? t->line_start[n] : t->len;
	*len = end - t->line_start[n - 1];
	if (*len > 0 && (*start)[*len - 1] == '\n')
		--*len;
	if (*len > 0 && (*start)[*len - 1] == '\r')
		--*len;
	return true;
}

void base_text_place(const struct base_text *t, size_t offset, uint64_t *line, uint64_t *column)
{
	size_t low = 0, high = t->nr_lines, len;
	const char *start;

	if (offset > t->len)
		offset = t->len;
	/* the last line that starts at or before offset */
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (t->line_start[mid] <= offset)
			low = mid;
		else
			high = mid;
	}
	if (t->nr_lines == 0) {
		*line = 1;
		*column = 1;
		return;
	}
	*line = low + 1;
	base_text_line(t, *line, &start, &len);
	*column = base_column(start, len, offset - t->line_start[low]);
}

struct base_reader {
	struct input in;
	char *buf; /* cap bytes and one for a closing NUL */
	size_t cap;
	size_t start; /* of what has not been returned */
	size_t end;
	size_t searched; /* no newline before this */
	size_t line_max;
	uint64_t line_nr;
	bool at_end;
};

enum base_err base_reader_open(struct base_reader **r, const char *path, size_t line_max,
			       struct diag *d)
{
	struct base_reader *new;
	struct input in;
	enum base_err err;

	BASE_CHECK(line_max > 0 && line_max < SIZE_MAX / 4, "line_max %zu", line_max);
	*r = NULL;
	err = input_open(&in, path, d);
	if (err)
		return err;
	new = base_alloc(1, sizeof(*new));
	new->in = in;
	new->line_max = line_max;
	/* the longest line, its "\r\n", and a chunk to read ahead */
	new->cap = line_max + 2 + CHUNK_BYTES;
	new->buf = malloc(new->cap + 1);
	if (!new->buf) {
		base_reader_close(new);
		return base_diag_set(d, BASE_ERR_NO_MEMORY, path, 0, 0, "out of memory");
	}
	*r = new;
	return BASE_ERR_OK;
}

static int line_too_long(struct base_reader *r, struct diag *d)
{
	base_diag_set(d, BASE_ERR_TOO_LARGE, r->in.name, r->line_nr + 1, 0,
		      "the line is longer than %zu bytes", r->line_max);
	base_diag_hint(d, "expected a text file");
	return -1;
}

/* Moves the rest to the front and reads on. 1 if there is more to look at, 0 at the end, -1 on failure. */
static int refill(struct base_reader *r, struct diag *d)
{
	ssize_t n;

	if (r->start > 0) {
		memmove(r->buf, r->buf + r->start, r->end - r->start);
		r->end -= r->start;
		r->searched -= r->start;
		r->start = 0;
	}
	if (r->end > r->line_max + 2)
		return line_too_long(r, d);
	n = input_read(&r->in, r->buf + r->end, r->cap - r->end, d);
	if (n < 0) {
		if (d)
			d->line = r->line_nr + 1;
		return -1;
	}
	r->end += (size_t)n;
	r->at_end = n == 0;
	return n > 0;
}

int base_reader_next(struct base_reader *r, char **line, size_t *len, struct diag *d)
{
	char *start, *nl;
	size_t size;

	while (!(nl = memchr(r->buf + r->searched, '\n', r->end - r->searched))) {
		int more;

		r->searched = r->end;
		more = r->at_end ? 0 : refill(r, d);
		if (more < 0)
			return -1;
		if (more == 0)
			break;
	}
	if (!nl && r->start == r->end)
		return 0;
	start = r->buf + r->start;
	if (!nl)
		nl = r->buf + r->end;
	size = (size_t)(nl - start);
	if (size > 0 && start[size - 1] == '\r')
		size--;
	if (size > r->line_max)
		return line_too_long(r, d);
	start[size] = '\0';
	r->start = (size_t)(nl - r->buf) + 1;
	if (r->start > r->end)
		r->start = r->end;
	r->searched = r->start;
	r->line_nr++;
	*line = start;
	*len = size;
	return 1;
}

uint64_t base_reader_line_nr(const struct base_reader *r)
{
	return r->line_nr;
}

const char *base_reader_name(const struct base_reader *r)
{
	return r->in.name;
}

void base_reader_progress(const struct base_reader *r, uint64_t *done, uint64_t *total)
{
	z_off_t at = gzoffset(r->in.gz);

	*done = at > 0 ? (uint64_t)at : 0;
	*total = r->in.size;
}

void base_reader_close(struct base_reader *r)
{
	if (!r)
		return;
	input_close(&r->in);
	free(r->buf);
	free(r);
}

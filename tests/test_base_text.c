/* SPDX-License-Identifier: GPL-2.0-only */
#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/text.h"
#include "tmpdir.h"

TestSuite(base_text, .init = tmpdir_make, .fini = tmpdir_remove);
TestSuite(base_reader, .init = tmpdir_make, .fini = tmpdir_remove);

static const char *write_gz(const char *name, const void *data, size_t len)
{
	const char *path = tmpdir_path(name);
	gzFile gz = gzopen(path, "w");

	cr_assert_not_null(gz);
	if (len)
		cr_assert_eq((size_t)gzwrite(gz, data, (unsigned int)len), len);
	cr_assert_eq(gzclose(gz), Z_OK);
	return path;
}

/* The file that path names, cut to len bytes. */
static void cut(const char *path, off_t len)
{
	cr_assert_eq(truncate(path, len), 0);
}

static off_t file_size(const char *path)
{
	struct stat st;

	cr_assert_eq(stat(path, &st), 0);
	return st.st_size;
}

static void expect_failure(const char *path, size_t max, enum base_err want, const char *words)
{
	struct base_text t;
	struct diag d;

	cr_expect_eq(base_text_read(&t, path, max, &d), want, "%s", path);
	cr_expect_eq(d.code, want);
	cr_expect_not_null(strstr(d.message, words), "'%s' lacks '%s'", d.message, words);
	cr_expect_str_eq(d.file, path);
	cr_expect_null(t.data);
	base_text_free(&t);
	/* without a diag too */
	cr_expect_eq(base_text_read(&t, path, max, NULL), want);
}

Test(base_text, plain_and_gzip_read_alike)
{
	static const char text[] = "one\ntwo\n\nfour";
	const char *paths[2] = { tmpdir_write("a.txt", text, sizeof(text) - 1),
				 write_gz("a.txt.gz", text, sizeof(text) - 1) };
	int i;

	for (i = 0; i < 2; i++) {
		struct base_text t;
		const char *line;
		size_t len;

		cr_assert_eq(base_text_read(&t, paths[i], 100, NULL), BASE_ERR_OK);
		cr_expect_str_eq(t.data, text);
		cr_expect_str_eq(t.name, paths[i]);
		cr_expect_eq(t.len, sizeof(text) - 1);
		cr_expect_eq(t.nr_lines, 4);
		cr_assert(base_text_line(&t, 2, &line, &len));
		cr_expect_eq(len, 3);
		cr_expect_eq(strncmp(line, "two", 3), 0);
		cr_assert(base_text_line(&t, 3, &line, &len));
		cr_expect_eq(len, 0);
		cr_assert(base_text_line(&t, 4, &line, &len));
		cr_expect_eq(len, 4);
		cr_expect_not(base_text_line(&t, 0, &line, &len));
		cr_expect_not(base_text_line(&t, 5, &line, &len));
		base_text_free(&t);
	}
}

Test(base_text, gzip_without_its_name_is_read_too)
{
	struct base_text t;

	cr_assert_eq(base_text_read(&t, write_gz("plain.txt", "abc\n", 4), 100, NULL), BASE_ERR_OK);
	cr_expect_str_eq(t.data, "abc\n");
	base_text_free(&t);
}

Test(base_text, empty_files)
{
	struct base_text t;
	uint64_t line, column;

	cr_assert_eq(base_text_read(&t, tmpdir_write("e", "", 0), 10, NULL), BASE_ERR_OK);
	cr_expect_eq(t.len, 0);
	cr_expect_eq(t.nr_lines, 0);
	cr_expect_str_eq(t.data, "");
	base_text_place(&t, 0, &line, &column);
	cr_expect(line == 1 && column == 1);
	base_text_free(&t);
	cr_assert_eq(base_text_read(&t, write_gz("e.gz", "", 0), 10, NULL), BASE_ERR_OK);
	cr_expect_eq(t.len, 0);
	base_text_free(&t);
}

Test(base_text, bytes_of_any_value_survive)
{
	char all[256];
	struct base_text t;
	int i;

	for (i = 0; i < 256; i++)
		all[i] = (char)i;
	cr_assert_eq(base_text_read(&t, tmpdir_write("all", all, 256), 256, NULL), BASE_ERR_OK);
	cr_expect_eq(t.len, 256);
	cr_expect_eq(memcmp(t.data, all, 256), 0);
	base_text_free(&t);
}

Test(base_text, the_bound_is_exact)
{
	size_t size = 600000; /* more than one read */
	char *data = malloc(size);
	struct base_text t;

	memset(data, 'x', size);
	cr_assert_eq(base_text_read(&t, tmpdir_write("big", data, size), size, NULL), BASE_ERR_OK);
	cr_expect_eq(t.len, size);
	base_text_free(&t);
	expect_failure(tmpdir_path("big"), size - 1, BASE_ERR_TOO_LARGE, "larger than");
	/* a small gzip file that grows: the bound is on what comes out */
	expect_failure(write_gz("bomb.gz", data, size), 1000, BASE_ERR_TOO_LARGE, "larger than");
	expect_failure(tmpdir_path("big"), 0, BASE_ERR_TOO_LARGE, "larger than 0B");
	free(data);
}

Test(base_text, what_cannot_be_opened)
{
	char sub[PATH_MAX];

	expect_failure(tmpdir_path("missing"), 10, BASE_ERR_OPEN, "No such file");
	expect_failure(tmpdir, 10, BASE_ERR_OPEN, "is a directory");
	snprintf(sub, sizeof(sub), "%s/", tmpdir_write("file", "x", 1));
	expect_failure(sub, 10, BASE_ERR_OPEN, "Not a directory");
	expect_failure("", 10, BASE_ERR_OPEN, "the name of a file is empty");
}

Test(base_text, every_cut_of_a_gzip_file_is_noticed)
{
	char data[2000];
	const char *path;
	off_t size, len;
	size_t i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (char)('a' + i * i * 7 % 26);
	path = write_gz("cut.gz", data, sizeof(data));
	size = file_size(path);
	for (len = size - 1; len >= 0; len--) {
		struct base_text t;
		struct diag d;

		cut(path, len);
		cr_assert_eq(base_text_read(&t, path, 10000, &d), BASE_ERR_CORRUPT,
			     "cut to %d of %d", (int)len, (int)size);
		cr_assert_not_null(strstr(d.message, len < 2 ? "does not begin" : "cut off"),
				   "at %d: %s", (int)len, d.message);
	}
}

Test(base_text, a_damaged_gzip_file_is_noticed)
{
	char data[2000];
	const char *path;
	FILE *f;
	size_t i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (char)('a' + i * i * 7 % 26);
	path = write_gz("bad.gz", data, sizeof(data));
	f = fopen(path, "r+");
	fseek(f, -8, SEEK_END); /* the checksum */
	fputc(fgetc(f) ^ 1, f);
	fseek(f, -8, SEEK_END);
	fputs("abcd", f);
	fclose(f);
	expect_failure(path, 10000, BASE_ERR_CORRUPT, "damaged");
	expect_failure(tmpdir_write("not.gz", "plain text", 10), 100, BASE_ERR_CORRUPT,
		       "does not begin");
}

Test(base_text, places)
{
	struct base_text t;
	/* offset, line, column of "ab\n\xc3\xa9x\n\nz" */
	static const unsigned int rows[][3] = {
		{ 0, 1, 1 }, { 1, 1, 2 }, { 2, 1, 3 }, { 3, 2, 1 }, { 5, 2, 2 },
		{ 6, 2, 3 }, { 7, 3, 1 }, { 8, 4, 1 }, { 9, 4, 2 }, { 99, 4, 2 },
	};
	size_t i;

	base_text_from(&t, "t", "ab\n\xc3\xa9x\n\nz", 9, NULL);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t line, column;

		base_text_place(&t, rows[i][0], &line, &column);
		cr_expect(line == rows[i][1] && column == rows[i][2], "offset %u: %d:%d",
			  rows[i][0], (int)line, (int)column);
	}
	base_text_free(&t);
}

/* Reads all lines and compares them; NULL ends the list. */
static void expect_lines(const char *path, size_t line_max, const char *const *want)
{
	struct base_reader *r;
	struct diag d;
	char *line;
	size_t len;
	uint64_t nr = 0;

	cr_assert_eq(base_reader_open(&r, path, line_max, &d), BASE_ERR_OK);
	for (; *want; want++) {
		cr_assert_eq(base_reader_next(r, &line, &len, &d), 1);
		cr_expect_str_eq(line, *want);
		cr_expect_eq(len, strlen(*want));
		cr_expect_eq(base_reader_line_nr(r), ++nr);
	}
	cr_expect_eq(base_reader_next(r, &line, &len, &d), 0);
	cr_expect_eq(base_reader_next(r, &line, &len, &d), 0);
	base_reader_close(r);
}

Test(base_reader, lines_with_and_without_an_end)
{
	static const char *const want[] = { "one", "", "three\rx", "four", NULL };
	static const char *const none[] = { NULL };
	static const char *const empty[] = { "", NULL };

	expect_lines(tmpdir_write("a", "one\r\n\nthree\rx\nfour", 18), 10, want);
	expect_lines(tmpdir_write("b", "one\n\r\nthree\rx\nfour\n", 19), 10, want);
	expect_lines(write_gz("c.gz", "one\n\nthree\rx\nfour\r\n", 19), 10, want);
	expect_lines(tmpdir_write("d", "", 0), 10, none);
	expect_lines(tmpdir_write("e", "\n", 1), 10, empty);
	expect_lines(tmpdir_write("f", "\r\n", 2), 10, empty);
}

Test(base_reader, the_longest_line_is_exact)
{
	struct base_reader *r;
	struct diag d;
	char *line;
	size_t len;
	static const char *const want[] = { "12345", "1234", NULL };

	expect_lines(tmpdir_write("a", "12345\r\n1234\n", 12), 5, want);
	cr_assert_eq(base_reader_open(&r, tmpdir_write("b", "12345\n123456\n1\n", 15), 5, &d),
		     BASE_ERR_OK);
	cr_expect_eq(base_reader_next(r, &line, &len, &d), 1);
	cr_expect_eq(base_reader_next(r, &line, &len, &d), -1);
	cr_expect_eq(d.code, BASE_ERR_TOO_LARGE);
	cr_expect_eq(d.line, 2);
	base_reader_close(r);
}

Test(base_reader, a_file_without_newlines_stays_bounded)
{
	size_t size = 8 << 20;
	char *data = calloc(size, 1), *line;
	struct base_reader *r;
	struct diag d;
	size_t len;

	cr_assert_eq(base_reader_open(&r, write_gz("zeros.gz", data, size), 1000, &d), BASE_ERR_OK);
	cr_expect_eq(base_reader_next(r, &line, &len, &d), -1);
	cr_expect_eq(d.code, BASE_ERR_TOO_LARGE);
	cr_expect_eq(d.line, 1);
	base_reader_close(r);
	free(data);
}

/* Lines of all lengths around the size of one read, compared with what was written. */
Test(base_reader, lines_across_the_reads)
{
	const size_t chunk = 256 * 1024;
	FILE *f = fopen(tmpdir_path("a"), "w");
	struct base_reader *r;
	size_t i, k, n, len;
	char *line;

	for (i = 0; i < 24; i++) {
		n = i % 3 == 0 ? chunk - 12 + i : i % 3 == 1 ? i : chunk / 2 + i;
		for (k = 0; k < n; k++)
			fputc((int)('a' + (i + k) % 26), f);
		fputc('\n', f);
	}
	fclose(f);
	cr_assert_eq(base_reader_open(&r, tmpdir_path("a"), chunk + 100, NULL), BASE_ERR_OK);
	for (i = 0; i < 24; i++) {
		n = i % 3 == 0 ? chunk - 12 + i : i % 3 == 1 ? i : chunk / 2 + i;
		cr_assert_eq(base_reader_next(r, &line, &len, NULL), 1);
		cr_assert_eq(len, n, "line %zu: %zu, not %zu", i, len, n);
		for (k = 0; k < n; k++)
			cr_assert_eq(line[k], (char)('a' + (i + k) % 26));
	}
	cr_expect_eq(base_reader_next(r, &line, &len, NULL), 0);
	base_reader_close(r);
}

Test(base_reader, a_nul_is_visible_to_the_caller)
{
	struct base_reader *r;
	char *line;
	size_t len;

	cr_assert_eq(base_reader_open(&r, tmpdir_write("a", "a\0b\nc\n", 6), 10, NULL),
		     BASE_ERR_OK);
	cr_expect_eq(base_reader_next(r, &line, &len, NULL), 1);
	cr_expect_eq(len, 3);
	cr_expect_eq(strlen(line), 1);
	base_reader_close(r);
}

Test(base_reader, a_cut_gzip_file_gives_its_lines_and_then_the_error)
{
	struct base_reader *r;
	struct diag d;
	const char *path;
	char data[60000], *line;
	size_t i, len, lines = 0;
	int got;

	for (i = 0; i < sizeof(data); i++)
		data[i] = i % 60 == 59 ? '\n' : (char)('a' + (i * i + i / 60) % 26);
	path = write_gz("cut.gz", data, sizeof(data));
	cut(path, file_size(path) * 9 / 10);
	cr_assert_eq(base_reader_open(&r, path, 100, NULL), BASE_ERR_OK);
	while ((got = base_reader_next(r, &line, &len, &d)) == 1) {
		cr_assert_eq(len, 59);
		lines++;
	}
	cr_expect_eq(got, -1);
	cr_expect_eq(d.code, BASE_ERR_CORRUPT);
	cr_expect_gt(lines, 100);
	cr_expect_eq(d.line, lines + 1);
	base_reader_close(r);
}

Test(base_reader, what_cannot_be_opened)
{
	struct base_reader *r;
	struct diag d;

	cr_expect_eq(base_reader_open(&r, tmpdir, 10, &d), BASE_ERR_OPEN);
	cr_expect_null(r);
	cr_expect_eq(base_reader_open(&r, tmpdir_path("none"), 10, &d), BASE_ERR_OPEN);
	cr_expect_null(r);
	base_reader_close(NULL);
}

/* Standard input as a file, plain and gzip. */
static void stdin_from(const char *path)
{
	int fd = open(path, O_RDONLY);

	cr_assert_geq(fd, 0);
	cr_assert_eq(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	close(fd);
}

Test(base_reader, standard_input)
{
	static const char *const want[] = { "x", "y", NULL };
	struct base_text t;
	struct base_reader *r;

	stdin_from(write_gz("in", "x\ny\n", 4));
	expect_lines("-", 10, want);
	stdin_from(tmpdir_write("in2", "x\ny\n", 4));
	cr_assert_eq(base_text_read(&t, "-", 10, NULL), BASE_ERR_OK);
	cr_expect_str_eq(t.data, "x\ny\n");
	cr_expect_str_eq(t.name, "<stdin>");
	base_text_free(&t);
	stdin_from(tmpdir_write("in3", "x\n", 2));
	cr_assert_eq(base_reader_open(&r, "-", 10, NULL), BASE_ERR_OK);
	cr_expect_str_eq(base_reader_name(r), "<stdin>");
	base_reader_close(r);
	/* closed: an error, not a crash */
	close(STDIN_FILENO);
	cr_expect_eq(base_reader_open(&r, "-", 10, NULL), BASE_ERR_OPEN);
}

Test(base_reader, progress_reaches_the_total)
{
	struct base_reader *r;
	uint64_t done, total;
	char *line;
	size_t len;

	cr_assert_eq(base_reader_open(&r, tmpdir_write("a", "one\ntwo\n", 8), 10, NULL),
		     BASE_ERR_OK);
	base_reader_progress(r, &done, &total);
	cr_expect_eq(total, 8);
	while (base_reader_next(r, &line, &len, NULL) == 1)
		;
	base_reader_progress(r, &done, &total);
	cr_expect_eq(done, 8);
	base_reader_close(r);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Results: tables as text, CSV files, plots. Files lie below the output folder only. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api.h"
#include "base/save.h"
#include "machines.h"
#include "module.h"

/*
 * Places
 */

/* "out/NAME.EXTENSION"; the folder is made. Raises on a name that is no plain file name. */
static const char *push_path(lua_State *L, const char *name, size_t n, const char *extension)
{
	struct script_box *box = script_box_of(L);
	size_t e = strlen(extension);

	if (!n || n > 100 || *name == '.' ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") != n)
		luaL_error(L,
			   "\"%s\" is no file name; it is letters, digits, _ - and dots, and the "
			   "file goes below %s (see --out)",
			   name, box->out_dir);
	if (mkdir(box->out_dir, 0777) && errno != EEXIST)
		luaL_error(L, "%s: the folder cannot be made: %s", box->out_dir, strerror(errno));
	if (n > e && strcmp(name + n - e, extension) == 0)
		extension = "";
	return lua_pushfstring(L, "%s/%s%s", box->out_dir, name, extension);
}

static int raise_diag(lua_State *L, const struct diag *d)
{
	return luaL_error(L, "%s: %s", d->file, d->message);
}

/*
 * CSV
 */

struct script_csv {
	struct base_save *save;
	FILE *out;
	char path[300];
};

/* A cell; quoted where a reader would need it. */
static void write_cell(FILE *out, const char *s, size_t len)
{
	bool plain = true;

	for (size_t i = 0; i < len; i++)
		plain &= s[i] != '"' && s[i] != ',' && s[i] != '\n' && s[i] != '\r';
	if (plain) {
		fwrite(s, 1, len, out);
		return;
	}
	putc('"', out);
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '"')
			putc('"', out);
		putc(s[i], out);
	}
	putc('"', out);
}

static void write_value(lua_State *L, FILE *out, int idx)
{
	const char *s;
	size_t len;

	if (lua_isnil(L, idx))
		return;
	s = script_tostring(L, idx, &len);
	script_charge(L, 4 + len / 16);
	write_cell(out, s, len);
	lua_pop(L, 1);
}

int l_sim_csv(lua_State *L)
{
	size_t len;
	const char *name = luaL_checklstring(L, 1, &len), *path = push_path(L, name, len, ".csv");
	struct script_csv *csv = lua_newuserdatauv(L, sizeof(*csv), 0);
	struct diag d;

	memset(csv, 0, sizeof(*csv));
	snprintf(csv->path, sizeof(csv->path), "%s", path);
	luaL_setmetatable(L, CSV_META);
	if (base_save_begin(&csv->save, csv->path, &csv->out, &d)) {
		csv->save = NULL;
		return raise_diag(L, &d);
	}
	return 1;
}

static struct script_csv *check_csv(lua_State *L)
{
	struct script_csv *csv = luaL_checkudata(L, 1, CSV_META);

	if (!csv->save)
		luaL_error(L, "this file is closed");
	return csv;
}

int l_csv_row(lua_State *L)
{
	struct script_csv *csv = check_csv(L);
	int n = lua_gettop(L);

	if (n == 2 && lua_type(L, 2) == LUA_TTABLE) {
		lua_Integer len = luaL_len(L, 2);

		for (lua_Integer i = 1; i <= len; i++) {
			if (i > 1)
				putc(',', csv->out);
			lua_geti(L, 2, i);
			write_value(L, csv->out, lua_gettop(L));
			lua_pop(L, 1);
		}
	} else {
		for (int i = 2; i <= n; i++) {
			if (i > 2)
				putc(',', csv->out);
			write_value(L, csv->out, i);
		}
	}
	putc('\n', csv->out);
	return 0;
}

int l_csv_close(lua_State *L)
{
	struct script_csv *csv = check_csv(L);
	struct base_save *save = csv->save;
	struct diag d;

	csv->save = NULL;
	if (base_save_commit(save, &d))
		return raise_diag(L, &d);
	lua_pushstring(L, csv->path);
	return 1;
}

/* A script that ends without close keeps what it wrote. */
int l_csv_gc(lua_State *L)
{
	struct script_csv *csv = lua_touserdata(L, 1);
	struct diag d;

	if (csv->save && base_save_commit(csv->save, &d))
		base_diag_print(stderr, &d, false);
	csv->save = NULL;
	return 0;
}

/*
 * Tables as text
 */

/* Cell of @row (a table at the top) under @key at @key_idx: pushed as text, numbers right-aligned. */
static const char *push_cell(lua_State *L, int row, int key_idx, size_t *len, bool *number)
{
	lua_pushvalue(L, key_idx);
	lua_gettable(L, row);
	*number = lua_type(L, -1) == LUA_TNUMBER;
	if (lua_isnil(L, -1))
		lua_pushliteral(L, "-");
	else
		script_tostring(L, -1, NULL);
	lua_remove(L, -2);
	script_charge(L, 10);
	return lua_tolstring(L, -1, len);
}

enum { TABLE_COLUMNS_MAX = 40, TABLE_WIDTH_MAX = 60 };

/* Widths of the columns. Stack: 1 rows, 2 columns. */
static void measure(lua_State *L, int nr_columns, lua_Integer nr_rows, size_t *widths)
{
	for (int c = 0; c < nr_columns; c++) {
		size_t len;
		bool number;

		lua_geti(L, 2, c + 1);
		script_tostring(L, -1, &widths[c]);
		lua_pop(L, 1);
		for (lua_Integer r = 1; r <= nr_rows; r++) {
			lua_geti(L, 1, r);
			if (!lua_istable(L, -1))
				luaL_error(L, "table: row %I is a %s, not a table", r,
					   luaL_typename(L, -1));
			push_cell(L, lua_gettop(L), lua_gettop(L) - 1, &len, &number);
			widths[c] = len > widths[c] ? len : widths[c];
			lua_pop(L, 2);
		}
		lua_pop(L, 1);
	}
}

/* One line: row at @row, 0 for the head. Pushes the text. */
static void push_line(lua_State *L, int nr_columns, const size_t *widths, lua_Integer row)
{
	char line[TABLE_COLUMNS_MAX * (TABLE_WIDTH_MAX + 2) + 2];
	size_t used = 0;

	for (int c = 0; c < nr_columns; c++) {
		const char *s;
		size_t len, width = widths[c] < TABLE_WIDTH_MAX ? widths[c] : TABLE_WIDTH_MAX;
		bool number = true;

		lua_geti(L, 2, c + 1);
		if (row) {
			lua_geti(L, 1, row);
			s = push_cell(L, lua_gettop(L), lua_gettop(L) - 1, &len, &number);
		} else {
			s = script_tostring(L, -1, &len);
			lua_pushnil(L);
		}
		len = len < width ? len : width;
		if (c) {
			line[used++] = ' ';
			line[used++] = ' ';
		}
		/* The first column is what the row is about. */
		number &= c > 0;
		memset(line + used, ' ', width);
		memcpy(line + used + (number ? width - len : 0), s, len);
		used += width;
		lua_settop(L, lua_gettop(L) - 3);
	}
	while (used && line[used - 1] == ' ')
		used--;
	line[used++] = '\n';
	lua_pushlstring(L, line, used);
}

int l_sim_table(lua_State *L)
{
	size_t widths[TABLE_COLUMNS_MAX];
	lua_Integer nr_rows, nr_columns;
	int lines;

	luaL_checktype(L, 1, LUA_TTABLE);
	luaL_checktype(L, 2, LUA_TTABLE);
	lua_settop(L, 2);
	nr_rows = luaL_len(L, 1);
	nr_columns = luaL_len(L, 2);
	if (nr_columns < 1 || nr_columns > TABLE_COLUMNS_MAX || nr_rows > 100000)
		return luaL_error(L, "table: 1 to %d columns and at most 100000 rows were expected",
				  TABLE_COLUMNS_MAX);
	measure(L, (int)nr_columns, nr_rows, widths);
	lua_newtable(L);
	lines = lua_gettop(L);
	for (lua_Integer r = 0; r <= nr_rows; r++) {
		push_line(L, (int)nr_columns, widths, r);
		lua_rawseti(L, lines, r + 1);
	}
	script_push_builtins(L);
	lua_getfield(L, -1, "table");
	lua_getfield(L, -1, "concat");
	lua_pushvalue(L, lines);
	lua_call(L, 1, 1);
	return 1;
}

/*
 * Plots
 */

/* A text between single quotes, where gnuplot substitutes nothing. */
static void put_quoted(FILE *out, const char *s)
{
	putc('\'', out);
	for (; *s; s++) {
		if ((unsigned char)*s < ' ' || *s == '`')
			continue;
		if (*s == '\'')
			putc('\'', out);
		putc(*s, out);
	}
	putc('\'', out);
}

struct plot_args {
	const char *name, *title, *xlabel, *ylabel, *x;
	int rows, y; /* stack places of the lists */
	lua_Integer nr_rows, nr_y;
};

static const char *text_arg(lua_State *L, const char *key, const char *def)
{
	const char *s = def;

	if (lua_getfield(L, 1, key) != LUA_TNIL) {
		if (lua_type(L, -1) != LUA_TSTRING)
			luaL_error(L, "plot: %s is a text", key);
		s = lua_tostring(L, -1);
	}
	return s;
}

static void plot_args(lua_State *L, struct plot_args *a)
{
	static const char *const known[] = { "name", "title", "xlabel", "ylabel",
					     "x",    "y",     "rows",	NULL };

	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 1);
	lua_pushnil(L);
	while (lua_next(L, 1)) {
		bool ok = false;

		for (int i = 0; known[i]; i++)
			ok |= lua_type(L, -2) == LUA_TSTRING &&
			      strcmp(known[i], lua_tostring(L, -2)) == 0;
		if (!ok)
			script_unknown_key(L, "plot", script_tostring(L, -2, NULL), known);
		lua_pop(L, 1);
	}
	/* The texts stay on the stack as long as they are used. */
	a->name = text_arg(L, "name", NULL);
	a->title = text_arg(L, "title", "");
	a->x = text_arg(L, "x", NULL);
	if (!a->name || !a->x)
		luaL_error(L, "plot: name, x, y and rows are needed, as in {name = \"high\", x = "
			      "\"op\", y = {\"count\", \"high\"}, rows = samples}");
	a->xlabel = text_arg(L, "xlabel", a->x);
	a->ylabel = text_arg(L, "ylabel", "");
	if (lua_getfield(L, 1, "y") == LUA_TSTRING) {
		lua_createtable(L, 1, 0);
		lua_insert(L, -2);
		lua_rawseti(L, -2, 1);
	}
	a->y = lua_gettop(L);
	lua_getfield(L, 1, "rows");
	a->rows = lua_gettop(L);
	if (!lua_istable(L, a->y) || !lua_istable(L, a->rows))
		luaL_error(L, "plot: y is a name or a list of names, rows a list of tables");
	a->nr_y = luaL_len(L, a->y);
	a->nr_rows = luaL_len(L, a->rows);
	if (a->nr_y < 1 || a->nr_y > 20 || a->nr_rows < 1 || a->nr_rows > 1000000)
		luaL_error(L, "plot: 1 to 20 names in y and 1 to 1000000 rows were expected");
}

/* The value of column @key (text) in row @r as text for both formats; nothing if there is none. */
static void put_value(lua_State *L, const struct plot_args *a, lua_Integer r, const char *key,
		      FILE *out, bool csv)
{
	lua_geti(L, a->rows, r);
	if (!lua_istable(L, -1))
		luaL_error(L, "plot: row %I is a %s, not a table", r, luaL_typename(L, -1));
	lua_getfield(L, -1, key);
	script_charge(L, 10);
	if (csv)
		write_value(L, out, lua_gettop(L));
	else if (lua_isnumber(L, -1))
		fprintf(out, "%.14g", lua_tonumber(L, -1));
	else
		fputs("NaN", out);
	lua_pop(L, 2);
}

static const char *y_name(lua_State *L, const struct plot_args *a, lua_Integer i)
{
	const char *s;

	if (lua_geti(L, a->y, i) != LUA_TSTRING)
		luaL_error(L, "plot: y is a list of names");
	s = lua_tostring(L, -1);
	lua_pop(L, 1); /* the list keeps it */
	return s;
}

static void put_rows(lua_State *L, const struct plot_args *a, FILE *out, bool csv)
{
	for (lua_Integer r = 1; r <= a->nr_rows; r++) {
		put_value(L, a, r, a->x, out, csv);
		for (lua_Integer i = 1; i <= a->nr_y; i++) {
			putc(csv ? ',' : ' ', out);
			put_value(L, a, r, y_name(L, a, i), out, csv);
		}
		putc('\n', out);
	}
}

static void put_gnuplot(lua_State *L, const struct plot_args *a, FILE *out)
{
	fputs("set terminal svg size 900,500 dynamic noenhanced font 'sans,12'\n"
	      "set key outside right top\nset grid\nset title ",
	      out);
	put_quoted(out, a->title);
	fputs("\nset xlabel ", out);
	put_quoted(out, a->xlabel);
	fputs("\nset ylabel ", out);
	put_quoted(out, a->ylabel);
	fputs("\n$data << END\n", out);
	put_rows(L, a, out, false);
	fputs("END\nplot ", out);
	for (lua_Integer i = 1; i <= a->nr_y; i++) {
		fprintf(out, "%s$data using 1:%d with lines title ", i > 1 ? ", " : "", (int)i + 1);
		put_quoted(out, y_name(L, a, i));
	}
	fputs("\nexit\n", out);
}

/* gnuplot with @in as its input; what it writes goes to @out. 0, or -1 if it is not there or failed. */
static int run_gnuplot(FILE *in, FILE *out)
{
	pid_t pid;
	int status;

	fflush(NULL);
	rewind(in);
	pid = fork();
	if (pid < 0)
		return -1;
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		if (lseek(fileno(in), 0, SEEK_SET) < 0 || dup2(fileno(in), 0) < 0 ||
		    dup2(fileno(out), 1) < 0 || dup2(null, 2) < 0)
			_exit(127);
		execlp("gnuplot", "gnuplot", "-", (char *)NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

/* The files of a plot, so that an error in a row gives them back. */
struct plot_files {
	FILE *in, *out;
	struct base_save *save;
};

static int l_plot_files_gc(lua_State *L)
{
	struct plot_files *f = lua_touserdata(L, 1);

	if (f->in)
		fclose(f->in);
	if (f->out)
		fclose(f->out);
	if (f->save)
		base_save_abort(f->save);
	memset(f, 0, sizeof(*f));
	return 0;
}

static struct plot_files *push_files(lua_State *L)
{
	struct plot_files *f = lua_newuserdatauv(L, sizeof(*f), 0);

	memset(f, 0, sizeof(*f));
	lua_newtable(L);
	lua_pushcfunction(L, l_plot_files_gc);
	lua_setfield(L, -2, "__gc");
	lua_setmetatable(L, -2);
	return f;
}

static int plot_csv(lua_State *L, const struct plot_args *a, struct plot_files *f)
{
	const char *path = push_path(L, a->name, strlen(a->name), ".csv");
	struct base_save *save;
	struct diag d;
	FILE *out;

	if (base_save_begin(&f->save, path, &out, &d)) {
		f->save = NULL;
		return raise_diag(L, &d);
	}
	write_cell(out, a->x, strlen(a->x));
	for (lua_Integer i = 1; i <= a->nr_y; i++) {
		const char *name = y_name(L, a, i);

		putc(',', out);
		write_cell(out, name, strlen(name));
	}
	putc('\n', out);
	put_rows(L, a, out, true);
	save = f->save;
	f->save = NULL;
	if (base_save_commit(save, &d))
		return raise_diag(L, &d);
	lua_pushstring(L, path);
	lua_pushliteral(L, "gnuplot is not installed: the numbers are in the CSV file");
	return 2;
}

int l_sim_plot(lua_State *L)
{
	struct plot_args a = { .name = NULL };
	struct plot_files *f;
	const char *path;
	char *svg;
	struct diag d;
	long len;

	plot_args(L, &a);
	f = push_files(L);
	f->in = tmpfile();
	f->out = tmpfile();
	if (!f->in || !f->out)
		return luaL_error(L, "plot: no temporary file: %s", strerror(errno));
	put_gnuplot(L, &a, f->in);
	if (run_gnuplot(f->in, f->out) || fseek(f->out, 0, SEEK_END) || (len = ftell(f->out)) <= 0)
		return plot_csv(L, &a, f);
	rewind(f->out);
	svg = lua_newuserdatauv(L, (size_t)len, 0);
	if (fread(svg, 1, (size_t)len, f->out) != (size_t)len)
		return luaL_error(L, "plot: the picture cannot be read back");
	path = push_path(L, a.name, strlen(a.name), ".svg");
	if (base_save_bytes(path, svg, (size_t)len, &d))
		return raise_diag(L, &d);
	lua_pushstring(L, path);
	return 1;
}

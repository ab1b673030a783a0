/* SPDX-License-Identifier: GPL-2.0-only */
#include "term.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "base/diag.h"
#include "key.h"
#include "pane.h"

/* What a handler needs to give the terminal back without calling anything but write(). */
static struct {
	bool taken, real, marks;
	struct termios modes;
	char bytes[256];
	size_t len;
	SCREEN *screen;
	FILE *in, *out;
} term;

#define SIZE_SANE 10000 /* columns or rows */
#define PASTE_MARKS "\033[?2004"

static volatile sig_atomic_t ended_by;

static void add_capability(const char *name)
{
	char id[8];
	const char *text;

	snprintf(id, sizeof(id), "%s", name);
	text = tigetstr(id);
	if (!text || text == (const char *)-1)
		return;
	if (term.len + strlen(text) < sizeof(term.bytes)) {
		memcpy(term.bytes + term.len, text, strlen(text));
		term.len += strlen(text);
	}
}

/* Safe in a signal handler. */
static void give_back(void)
{
	if (!term.taken || !term.real)
		return;
	term.taken = false;
	if (write(STDOUT_FILENO, term.bytes, term.len) < 0)
		return;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &term.modes);
}

static void on_fatal(int sig)
{
	give_back();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void on_end(int sig)
{
	ended_by = sig;
}

static void on_panic(const char *text)
{
	give_back();
	fprintf(stderr, "pageset: %s\n", text);
	abort();
}

int term_signal(void)
{
	return ended_by;
}

static void ask_paste_marks(bool on)
{
	if (!term.marks)
		return;
	fputs(on ? PASTE_MARKS "h" : PASTE_MARKS "l", stdout);
	fflush(stdout);
}

/* Marks around pasted text, from terminals that speak as ECMA-48 has it; others would print the request. */
static void find_paste_marks(void)
{
	const char *text = tigetstr("cup");

	term.marks = text && text != (const char *)-1 && strncmp(text, "\033[", 2) == 0;
	if (!term.marks)
		return;
	define_key("\033[200~", KEY_PASTE);
	define_key("\033[201~", KEY_PASTE_END);
	snprintf(term.bytes + term.len, sizeof(term.bytes) - term.len, "%s", PASTE_MARKS "l");
	term.len += strlen(term.bytes + term.len);
	ask_paste_marks(true);
}

static void catch_signals(void)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	static const int ending[] = { SIGTERM, SIGHUP, SIGINT };
	struct sigaction sa = { .sa_handler = on_fatal };

	sigemptyset(&sa.sa_mask);
	sa.sa_flags = (int)SA_RESETHAND;
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		sigaction(fatal[i], &sa, NULL);
	sa.sa_handler = on_end;
	sa.sa_flags = 0;
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		sigaction(ending[i], &sa, NULL);
}

static void release_signals(void)
{
	static const int all[] = {
		SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGHUP, SIGINT
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		signal(all[i], SIG_DFL);
}

static void make_windows(struct ui *ui)
{
	ui->base = newwin(ui->rows, ui->cols, 0, 0);
	ui->above = newwin(ui->rows, ui->cols, 0, 0);
	BASE_CHECK(ui->base && ui->above, "no memory for a screen of %dx%d", ui->cols, ui->rows);
	ui->base_panel = new_panel(ui->base);
	ui->above_panel = new_panel(ui->above);
	hide_panel(ui->above_panel);
	keypad(ui->base, true);
	nodelay(ui->base, true);
	leaveok(ui->base, false);
}

static void drop_windows(struct ui *ui)
{
	del_panel(ui->above_panel);
	del_panel(ui->base_panel);
	delwin(ui->above);
	delwin(ui->base);
}

static bool fail(struct ui *ui, const char *what)
{
	snprintf(ui->opt->error, sizeof(ui->opt->error), "%s", what);
	return false;
}

static bool start_headless(struct ui *ui)
{
	char cols[16], rows[16];

	snprintf(cols, sizeof(cols), "%d", ui->opt->cols);
	snprintf(rows, sizeof(rows), "%d", ui->opt->rows);
	setenv("COLUMNS", cols, 1);
	setenv("LINES", rows, 1);
	ui->headless = true;
	ui->rows = ui->opt->rows;
	ui->cols = ui->opt->cols;
	/* The panel library keeps a panel for each screen for good: one screen serves all. */
	if (term.screen) {
		set_term(term.screen);
		resize_term(ui->rows, ui->cols);
		return true;
	}
	term.out = fopen("/dev/null", "w");
	term.in = fopen("/dev/null", "r");
	if (!term.out || !term.in)
		return fail(ui, "/dev/null cannot be opened");
	term.screen = newterm("xterm-256color", term.out, term.in);
	if (!term.screen)
		return fail(ui, "the terminal database has no xterm-256color");
	return true;
}

/* curses takes these before what the terminal says of itself, and fails at sizes that no terminal has. */
static void distrust_size(const char *variable)
{
	const char *value = getenv(variable);
	long n = value ? strtol(value, NULL, 10) : 1;

	if (n < 1 || n > SIZE_SANE)
		unsetenv(variable);
}

/* A screen needs a cursor that can be moved. */
static bool can_move(const char *name, char *why, size_t size)
{
	const char *move;
	int error;

	if (setupterm(name, STDOUT_FILENO, &error) != OK) {
		snprintf(why, size,
			 error < 0 ? "TERM is '%.60s', but there is no database of terminals" :
				     "TERM is '%.60s', which is no terminal that is known here",
			 name);
		return false;
	}
	move = tigetstr("cup");
	del_curterm(cur_term);
	if (move && move != (const char *)-1)
		return true;
	snprintf(why, size, "TERM is '%.60s', a terminal whose cursor cannot be moved", name);
	return false;
}

bool ui_has_terminal(char *why, size_t size)
{
	const char *name = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		snprintf(why, size, "a screen needs a terminal, and standard %s is none",
			 isatty(STDIN_FILENO) ? "output" : "input");
	else if (!name || !*name)
		snprintf(why, size, "TERM is %s, so the kind of terminal is not known",
			 name ? "empty" : "not set");
	else
		return can_move(name, why, size);
	return false;
}

static bool start_real(struct ui *ui)
{
	if (!ui_has_terminal(ui->opt->error, sizeof(ui->opt->error)))
		return false;
	distrust_size("COLUMNS");
	distrust_size("LINES");
	tcgetattr(STDIN_FILENO, &term.modes);
	term.screen = newterm(NULL, stdout, stdin);
	if (!term.screen)
		return fail(ui, "the terminal that TERM names cannot be set up");
	getmaxyx(stdscr, ui->rows, ui->cols);
	return true;
}

bool term_start(struct ui *ui)
{
	setlocale(LC_CTYPE, "");
	ui->utf8 = !ui->opt->ascii && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	ESCDELAY = 25;
	if (!(ui->opt->cols > 0 ? start_headless(ui) : start_real(ui)))
		return false;
	set_term(term.screen);
	term.real = !ui->headless;
	term.len = 0;
	add_capability("sgr0");
	add_capability("cnorm");
	add_capability("rmkx");
	add_capability("rmcup");
	cbreak();
	noecho();
	nonl();
	theme_start(ui);
	make_windows(ui);
	ui->palette = ui->opt->palette;
	theme_start(ui);
	term.taken = true;
	if (!ui->headless) {
		catch_signals();
		find_paste_marks();
		term_mouse(ui, ui->opt->mouse);
	}
	sim_set_panic_hook(on_panic);
	base_panic_hook(give_back);
	return true;
}

void term_stop(struct ui *ui)
{
	if (!term.screen)
		return;
	if (!ui->headless) {
		mousemask(0, NULL);
		ask_paste_marks(false);
	}
	drop_windows(ui);
	endwin();
	term.taken = false;
	if (!ui->headless)
		release_signals();
	sim_set_panic_hook(NULL);
	base_panic_hook(NULL);
}

void term_resize(struct ui *ui, int rows, int cols)
{
	if (rows < 1 || cols < 1)
		return;
	if (is_term_resized(rows, cols))
		resize_term(rows, cols);
	ui->rows = rows;
	ui->cols = cols;
	drop_windows(ui);
	make_windows(ui);
}

void term_mouse(struct ui *ui, bool on)
{
	ui->mouse = on;
	if (ui->headless)
		return;
	mousemask(on ? BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0,
		  NULL);
	mouseinterval(0);
}

void term_suspend(struct ui *ui)
{
	if (ui->headless)
		return;
	def_prog_mode();
	ask_paste_marks(false);
	endwin();
	kill(0, SIGTSTP);
	reset_prog_mode();
	ask_paste_marks(true);
	clearok(curscr, true);
	wrefresh(curscr);
}

int term_key(struct ui *ui, int timeout_ms, wint_t *wide, bool *is_code)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	int ret = wget_wch(ui->base, wide);

	if (ret == ERR && timeout_ms != 0 && !ended_by) {
		if (poll(&fd, 1, timeout_ms) > 0 && (fd.revents & (POLLHUP | POLLERR)) &&
		    !(fd.revents & POLLIN))
			ended_by = SIGHUP;
		ret = wget_wch(ui->base, wide);
		/* Readable, but nothing to read: the terminal is gone. */
		if (ret == ERR && (fd.revents & POLLIN) && !ended_by) {
			int waiting = 0;

			if (ioctl(STDIN_FILENO, FIONREAD, &waiting) < 0 || waiting == 0)
				ended_by = isatty(STDIN_FILENO) ? 0 : SIGHUP;
		}
	}
	if (ret == ERR)
		return ERR;
	*is_code = ret == KEY_CODE_YES;
	return OK;
}

bool term_escape_pressed(struct ui *ui)
{
	wint_t wide;

	if (ui->headless)
		return false;
	return wget_wch(ui->base, &wide) == OK && wide == 27;
}

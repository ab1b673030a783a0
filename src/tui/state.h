/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The whole state of the screen, and who does what:
 *   term.c     the terminal: taking it, giving it back, signals
 *   theme.c    styles, palettes, characters for lines
 *   pane.c     drawing into a rectangle, row by row
 *   key.c      key -> request
 *   nav.c      moving in the timeline; what is shown of the operation at hand
 *   scan.c     searching in time: breakpoints, who set a value
 *   whatif.c   the same operations under other patch sets, computed while idle
 *   view_*.c   the panes, each readable alone; view.def is their table
 *   layout.c   which pane is where at which size
 *   dialog_*.c what lies above the panes: help, prompts, forms, predictions
 *   command.c  the `:` line; session.c saving and loading; shot.c screenshots
 *   request.c  request -> what happens; loop.c the one loop that draws
 * Drawing depends on struct ui alone and changes nothing in it but the rows that
 * panes counted. Handlers return flags; only the loop acts on them.
 */
#ifndef PAGESET_TUI_STATE_H
#define PAGESET_TUI_STATE_H

/* Ours first: their tables define and undefine ERR, which is a word of curses too. */
#include "base/diag.h"
#include "core/field.h"
#include "core/session.h"
#include "ui.h"

#include <curses.h>
#include <panel.h>

enum request {
#define KEY(request, keys, group, bar, help) REQ_##request,
#include "key.def"
#undef KEY
	REQ_DIGIT, /* a digit that is no count: after t, T and w */
	REQ_TEXT,  /* a character for a line that is being typed */
	REQ_RESIZE,
	REQ_CLICK,
	REQ_NONE,
	NR_REQUESTS = REQ_NONE
};

/* What a handler says to the loop. */
enum handled {
	UI_IGNORED = 0,
	UI_HANDLED = 1,
	UI_REDRAW = 2,
	UI_RELAYOUT = 4,
	UI_LEAVE = 8,	 /* the scenario: back to the start page */
	UI_QUIT = 16,	 /* the program */
	UI_SUSPEND = 32, /* stop, as Ctrl-Z does */
	UI_CLEAR = 64,	 /* draw everything anew */
};

enum view_id {
#define VIEW(id, name, title, min_rows, help) VIEW_##id,
#include "view.def"
#undef VIEW
	NR_VIEWS
};

enum {
	UI_LINE_MAX = 256,
	/* A session keeps as many. */
	UI_BRANCHES_MAX = SESSION_BRANCHES_MAX,
	UI_BREAKS_MAX = SESSION_BREAKS_MAX,
	UI_MARKS_MAX = SESSION_MARKS_MAX,
	UI_EDITS_MAX = SESSION_EDITS_MAX,
	UI_HISTORY_MAX = 50,
	UI_ANSWERS_MAX = SESSION_ANSWERS_MAX,
	UI_SETS_MAX = 12
};

/* The operation that the screen speaks of, with its steps. */
struct op_view {
	bool valid;
	u64 index;
	u32 at; /* steps reported: 1..nr_steps; nr_steps at the boundary behind it */
	struct op op;
	u32 *slots; /* op.count of a free, else NULL */
	struct step *steps;
	u32 nr_steps, steps_max;
	struct op_result result;
};

/* Values of all pagesets and zones, to mark what a step changed. */
struct snapshot {
	bool valid;
	u32 nr_pcp, nr_zones;
	struct per_cpu_pages *pcp; /* [zone * nr_cpus + cpu] */
	u32 (*lists)[NR_PCP_LISTS];
	struct zone *zones;
};

/* One other patch set in the what-if strip. */
struct lane {
	u32 set;
	bool on;	     /* part of the strip now */
	struct timeline *tl; /* stands at op `at`, or NULL: not begun */
	u64 at;
	bool done; /* the figures below are of the operation that is shown */
	bool failed;
	u64 freed, refilled;	    /* pages, in the operation shown */
	s64 count, high;	    /* of the acting CPU after it */
	char reason[STEP_TEXT_MAX]; /* what the patch's own steps say, or why nothing differs */
};

struct whatif {
	bool off;   /* the log is too long to follow by itself; w asks */
	u64 serial; /* of the log that the lanes follow */
	u64 op;	    /* the operation that the figures speak of */
	bool op_valid;
	u32 base;
	u64 freed, refilled;
	s64 count, high;
	u32 nr;
	struct lane lanes[UI_SETS_MAX];
};

/* Two lines side by side. */
struct compare {
	bool on;
	struct timeline *other;
	bool owned;
	u32 set;
	char name[PATCH_TEXT_MAX + 32];
	struct op_view view; /* of the other at the same operation */
	struct tl_divergence where;
	bool known;
};

enum edit_kind { EDIT_INSERT, EDIT_BASE, EDIT_INJECT };

/* One change of a line's log by hand: what undo takes back and a session keeps. */
struct edit_rec {
	enum edit_kind kind;
	struct tl_pos at;
	u64 op_now; /* EDIT_INJECT: the operation it is in, after later insertions */
	struct op op;
	u32 *slots;		/* op.count, or NULL */
	u32 set, set_before;	/* EDIT_BASE */
	struct timeline *saved; /* EDIT_INJECT: the line before it */
	char text[96];
};

struct branch {
	struct timeline *tl;
	char name[32];
	struct edit_rec *edits;
	u32 nr_edits;
};

struct breakpoint {
	char text[96];
	void *expr; /* or NULL */
	u8 kinds;   /* TL_* of events, 0: none */
	s64 op;	    /* an operation, -1: none */
	u32 ignore; /* first so many hits do not stop */
	u64 hits;
};

/* What lies above the panes and takes the keys first. */
enum dialog_kind {
	DIALOG_NONE,
	DIALOG_HELP,
	DIALOG_PROMPT,
	DIALOG_PREDICT,
	DIALOG_INJECT,
	DIALOG_TEXT
};

enum prompt_kind { PROMPT_COMMAND, PROMPT_GOTO, PROMPT_BREAK, PROMPT_DIFF, PROMPT_SEARCH };

struct edit {
	char text[UI_LINE_MAX];
	u32 len, at;
};

struct dialog {
	enum dialog_kind kind;
	enum prompt_kind prompt;
	struct edit edit;
	int top, cursor;
	u32 history; /* position in the history while Up is pressed */
	const char *title;
	char *body; /* DIALOG_TEXT, owned */
	/* DIALOG_PREDICT */
	const struct ui_cue *cue;
	bool answered, hinted;
	/* DIALOG_INJECT */
	struct op form;
	char values[NR_OP_ARGS][24];
	int field;
	char message[UI_LINE_MAX];
};

struct view_state {
	int top, cursor, rows; /* rows: as the last drawing counted them */
	int column;
};

struct rect {
	int y, x, h, w;
};

enum cpu_sort { SORT_NUMBER, SORT_COUNT, SORT_HIGH, SORT_ACTIVITY, NR_CPU_SORTS };

struct event_cache {
	u64 serial;
	bool valid, coarse;
	u32 nr, max;
	struct event_mark {
		u64 op;
		u32 step;
		char c;
	} * marks;
};

struct ui {
	struct ui_options *opt;

	/* terminal */
	int rows, cols;
	WINDOW *base, *above;
	PANEL *base_panel, *above_panel;
	bool utf8, mouse, headless;
	bool pasting; /* between the marks that the terminal puts around pasted text */
	int colours;
	enum ui_palette palette;
	bool projector;

	/* what is open */
	bool open;
	struct ui_source src;
	bool src_ended, detached;
	struct branch branches[UI_BRANCHES_MAX];
	u32 nr_branches, branch;
	struct timeline *tl; /* of the branch shown */
	u64 serial;	     /* counts changes of the log, for caches */
	u32 zone;	     /* shown */
	u32 cpu;	     /* acting in the operation shown */
	struct op_view view;
	struct snapshot before, now;
	u64 *activity; /* operations by CPU so far, for sorting */

	/* asking */
	struct whatif whatif;
	struct compare compare;
	struct breakpoint breaks[UI_BREAKS_MAX];
	u32 nr_breaks;
	struct tl_pos marks[UI_MARKS_MAX];
	char mark_names[UI_MARKS_MAX][32];
	u32 nr_marks;
	struct answer answers[UI_ANSWERS_MAX];
	u32 nr_answers;
	bool asked_first; /* a question before the first operation has stopped the person */
	u64 said;	  /* cues up to this operation have paused the play already */

	/* looking */
	struct view_state views[NR_VIEWS];
	struct rect places[NR_VIEWS]; /* h 0: not on the screen */
	enum view_id focus;
	const char *code_file; /* the place that the code pane was last brought to */
	u32 code_line;
	bool zoom;
	enum cpu_sort sort;
	bool heat;
	bool searching;
	char search[64];
	struct event_cache events;
	u32 *cpu_order;

	/* keys */
	u32 count;
	enum request pending; /* t, T, w: wait for a digit */
	bool playing;
	u32 speed; /* steps a second */
	struct dialog dialog;
	char history[UI_HISTORY_MAX][UI_LINE_MAX];
	u32 nr_history;
	int click_y, click_x;
	int text_char; /* of REQ_TEXT */

	/* start page */
	int entry, entry_top;

	char message[UI_LINE_MAX];
	bool message_bad;
	u64 drawn_ns;
	struct cursor_place {
		bool set;
		int y, x;
	} caret;
};

void ui_say(struct ui *ui, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ui_complain(struct ui *ui, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif

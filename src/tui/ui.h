/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The terminal interface as others see it. It owns the terminal while ui_run()
 * runs and gives it back on every way out. What it shows comes in through
 * neutral structs: a source appends a scenario's operations to a timeline and
 * names its cues, a library lists what the start page offers, and expressions
 * are compiled and evaluated by callbacks. Only main calls this.
 */
#ifndef PAGESET_TUI_UI_H
#define PAGESET_TUI_UI_H

#include <stdio.h>

#include "core/sim.h"
#include "core/timeline.h"

enum { UI_ERROR_MAX = 512 };

/* What a scenario wants said, asked or shown when so many operations are done. */
enum ui_cue_kind { UI_SAY, UI_PREDICT, UI_FOCUS, UI_BOOKMARK, UI_EXPECT };

struct ui_cue {
	enum ui_cue_kind kind;
	u64 op;		  /* operations done before it is due */
	const char *text; /* what is said or asked; name of pane or bookmark; the claim */
	const char *id;	  /* predictions: key of the answer */
	const char *hint; /* or NULL */
	const char *why;  /* or NULL */
	const char *expr; /* predictions and claims: the value that is asked for */
	const char *const *choices;
	u32 nr_choices;
	u64 after; /* predictions: evaluated when so many operations are done */
	s64 points;
	int cpu; /* focus: or -1 */
};

enum ui_next { UI_MORE, UI_END, UI_FAILED };

/* A prediction that was answered. */
struct answer {
	const char *id;
	char text[64], right[64];
	bool correct, revealed, hinted;
	s64 points, of;
};

/* One scenario that is open. Everything it points to lives until close(). */
struct ui_source {
	void *ctx;
	const char *path, *name, *title, *summary, *level;
	const char *lesson; /* text for the lesson pane, or NULL */
	const struct machine *machine;
	u32 patches;
	u64 seed;
	int zone; /* default zone of expressions, or FIELD_NO_ZONE */
	/* How it was opened, "seed=7": a saved session keeps it. */
	const char *const *options;
	size_t nr_options;
	/* Append the next operations at the timeline's end. UI_FAILED fills @error. */
	enum ui_next (*next)(void *ctx, struct timeline *tl, char *error, size_t size);
	/* All cues known so far, in order of their operation. */
	size_t (*cues)(void *ctx, const struct ui_cue **cues);
	/* Write the answers given for the grading command. */
	bool (*save_answers)(void *ctx, const char *path, const struct answer *answers, size_t nr,
			     char *error, size_t size);
	/* What stands beside operation @i (the recorded line of a replay), or NULL. */
	const char *(*op_note)(void *ctx, u64 i);
	void (*close)(void *ctx);
};

struct ui_entry {
	const char *path, *name, *title, *summary, *level;
};

/* What can be opened: the start page lists it by level. */
struct ui_library {
	void *ctx;
	size_t nr;
	const struct ui_entry *entries;
	/* True and @source filled; false and @error filled. */
	bool (*open)(void *ctx, const char *path, struct ui_source *source, char *error,
		     size_t size);
	/* The same for what a session saved at @session_path had open, with its options. May be NULL: then open() does. */
	bool (*reopen)(void *ctx, const char *session_path, const char *path,
		       const char *const *options, size_t nr_options, struct ui_source *source,
		       char *error, size_t size);
};

struct ui_value {
	enum { UI_VALUE_INT, UI_VALUE_BOOL, UI_VALUE_TEXT } type;
	s64 number; /* of a bool: 0 or 1 */
	char text[64];
};

struct ui_last {
	s64 got, failed; /* blocks */
};

/* Expressions over the fields of a machine. */
struct ui_expr {
	void *ctx;
	/* NULL and @error filled if it is no expression for machines like @sim. */
	void *(*compile)(void *ctx, const struct sim *sim, int zone, const char *text, char *error,
			 size_t size);
	/* @last: the operation before, for expressions that ask what it got; or NULL. */
	bool (*eval)(void *ctx, void *expr, const struct sim *sim, const struct ui_last *last,
		     struct ui_value *value, char *error, size_t size);
	void (*release)(void *ctx, void *expr);
};

enum ui_palette {
	UI_PALETTE_DEFAULT,
	UI_PALETTE_LIGHT,
	UI_PALETTE_COLOURBLIND,
	UI_PALETTE_CONTRAST,
	UI_PALETTE_MONO,
	NR_UI_PALETTES
};
extern const char *const ui_palette_names[]; /* ends with NULL */

struct ui_options {
	const struct ui_library *library;
	const struct ui_expr *expr; /* NULL: no expressions */
	const char *open;	    /* path to open, NULL: the start page */
	const char *session;	    /* saved session to load, or NULL */
	const char *keys, *dump;    /* tests: key script, file for the last screen */
	int cols, rows;		    /* tests: size without a terminal; 0: the terminal's */
	bool ascii, no_colour, mouse;
	enum ui_palette palette;
	bool has_patches; /* patches given on the command line replace the source's */
	u32 patches;
	char error[UI_ERROR_MAX]; /* filled on failure */
};

/* Runs until the person quits. 0, or 2 with opt->error filled. */
int ui_run(struct ui_options *opt);

/* Can a screen be drawn here? If not, @why has the reason, with the variable at fault. */
bool ui_has_terminal(char *why, size_t size);

/* The key table in Markdown; the man page is made from key.def itself. */
void ui_print_keys(FILE *out);

/* Figures for the benchmark: nanoseconds from key to finished frame, n of them into @ns. */
bool ui_bench(const struct machine *machine, u32 patches, int cols, int rows, u32 n, u64 *ns,
	      u64 *first_ns);

#endif

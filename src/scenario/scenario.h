/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scenarios: a YAML file as an immutable struct scenario, and a player that does it step by step on a timeline. Loading
 * finds every fault of the file before anything runs; a scenario that loads can be played.
 *
 * The commands and main call this. Expressions and Lua are not here: main hands in callbacks (struct scn_expr_ops,
 * struct scn_hooks). Playing prints nothing; it reports events.
 */
#ifndef SCENARIO_SCENARIO_H
#define SCENARIO_SCENARIO_H

#include "base/diag.h"
#include "core/machine.h"
#include "core/patch.h"
#include "core/timeline.h"

struct scenario;
struct scn_player;

/* ---- values ---------------------------------------------------------------------------------------------------------- */

enum scn_value_kind { SCN_NIL, SCN_BOOL, SCN_INT, SCN_NUM, SCN_TEXT };

/* What an expression gives. text is cut to fit. */
struct scn_value {
	enum scn_value_kind kind;
	bool b;
	s64 i;
	double n;
	char text[64];
};

/* The value as the choices of a predict spell it: 62, true, 2.5, nil. Returns buf. */
#define SCN_VALUE_MAX 64
char *scn_value_text(const struct scn_value *value, char buf[SCN_VALUE_MAX]);

/* Names that an expression may use beside fields, with their values: got, failed (of the last operation step). */
struct scn_scope {
	const char *name;
	s64 value;
};

/* ---- what main supplies ---------------------------------------------------------------------------------------------- */

struct scn_expr_ops {
	/*
	 * Compiles @text (len bytes, NUL behind them). @sim: the machine at its start, for the names of fields; the patch set
	 * may change later, so a field that it lacks is no fault here. @scope: the names that eval() will get. False: a
	 * sentence in @message, the byte of @text that is wrong in *@offset, and perhaps a way out in @hint ("" if none).
	 */
	bool (*compile)(void *ctx, const struct sim *sim, int default_zone,
			const struct scn_scope *scope, size_t nr_scope, const char *text,
			size_t len, void **handle, char *message, char *hint, size_t size,
			size_t *offset);
	/* False: a sentence in @message (a field that the patch set lacks names the patch). */
	bool (*eval)(void *ctx, void *handle, const struct sim *sim, const struct scn_scope *scope,
		     size_t nr_scope, struct scn_value *value, char *message, size_t size);
	/* The fields in the expression with their values: "cpu[0].count is 62, stats.free_high is 0". May be NULL. */
	void (*explain)(void *ctx, void *handle, const struct sim *sim, char *text, size_t size);
	void (*free)(void *ctx, void *handle);
	void *ctx;
};

/* A name with a value: arguments of a Lua step or task. */
struct scn_arg {
	const char *name;
	struct scn_value value;
};

/* A Lua program: a file (path resolved against the scenario's folder) or text, and its arguments. */
struct scn_lua_call {
	const char *path; /* NULL: code */
	const char *code; /* NULL: path */
	const char *folder;
	const char *scenario; /* for messages, with line and column of the program or its name */
	u64 line, column;
	const struct scn_arg *args;
	size_t nr_args;
	u64 seed; /* of the scenario, mixed with the step's place */
};

struct scn_task {
	u32 cpu;
	const char *name; /* "" if none */
	struct scn_lua_call call;
};

struct scn_tasks {
	const struct scn_task *tasks;
	size_t nr_tasks;
	u64 for_ns, ops; /* 0: no bound of that kind; one is given */
};

/*
 * Steps that need Lua or simulated time. They append to the timeline themselves. A NULL callback: a scenario with such a
 * step is refused at load. On failure they fill *d (its place is put right by the player where it has none).
 */
struct scn_hooks {
	enum base_err (*lua)(void *ctx, struct timeline *tl, const struct scn_lua_call *call,
			     struct diag *d);
	enum base_err (*tasks)(void *ctx, struct timeline *tl, const struct scn_tasks *tasks,
			       struct diag *d);
	enum base_err (*sleep)(void *ctx, struct timeline *tl, u32 cpu, u64 ns, struct diag *d);
	/* Does the program compile? At load; may be NULL. */
	enum base_err (*check)(void *ctx, const struct scn_lua_call *call, struct diag *d);
	bool time; /* costs: and ticks: auto are understood */
	void *ctx;
};

/* ---- loading --------------------------------------------------------------------------------------------------------- */

/* Everything may be left zero: the file decides. Pointers must live as long as the scenario. */
struct scn_options {
	const struct scn_expr_ops *expr; /* NULL: expressions are refused when they are played */
	const struct scn_hooks *hooks;
	bool seed_given;
	u64 seed;
	const char *machine;	 /* --machine FILE */
	const char *const *sets; /* --set key=value */
	size_t nr_sets;
	int series;	     /* 0: the file's; else 1 + enum series */
	const char *patches; /* --patches SET */
};

/*
 * Loads a scenario. BASE_ERR_OK and *scn, or all faults of the file in @ds and *scn NULL. Faults of the options have the
 * option as their file.
 */
enum base_err scn_load(const char *path, const struct scn_options *options, struct scenario **scn,
		       struct diags *ds);
enum base_err scn_load_text(const char *name, const char *data, size_t len,
			    const struct scn_options *options, struct scenario **scn,
			    struct diags *ds);
void scn_free(struct scenario *scn);

enum scn_level { SCN_BEGINNER, SCN_INTERMEDIATE, SCN_ADVANCED };
extern const char *const scn_level_names[]; /* NULL after the last */

struct scn_predict {
	const char *id, *ask, *expr;
	const char *hint, *why; /* "" if none */
	const char *answer;	/* "" if none is given: the value itself */
	const char *const *choices;
	size_t nr_choices; /* 0: any value */
	u32 points, after;
	u64 line, column;
};

/* What a scenario says of itself. */
struct scn_info {
	const char *path, *name, *title, *summary;
	enum scn_level level;
	u64 seed;
	const struct machine *machine; /* finished */
	enum series series;
	u32 patches;	   /* closed, with the series */
	u32 also_on;	   /* patches that the set needed and did not name */
	int default_zone;  /* FIELD_NO_ZONE if none */
	bool reruns;	   /* has Lua or tasks: other patch sets run it again instead of its log */
	const char *costs; /* "" if none */
	size_t nr_expects; /* as they are executed: a repeat counts its turns */
	size_t nr_predicts;
	const struct scn_predict *predicts; /* in the order of the file, each once */
	u32 points;			    /* of all predicts */
};
const struct scn_info *scn_info(const struct scenario *scn);
/* The text it came from, for excerpts. */
const struct base_text *scn_text(const struct scenario *scn);

/* A machine file alone, over what @m holds already; @m is finished after it. */
enum base_err scn_machine_load(const char *path, struct machine *m, struct diags *ds);
/* One "key=value" of --set, by machine.def. The machine must be finished again. */
enum base_err scn_machine_set(struct machine *m, const char *assignment, struct diag *d);

/* The JSON Schema of a scenario file, from the tables with which it is loaded. */
struct base_json;
void scn_schema_write(struct base_json *j);
/* The keys of all formats with their kinds, bounds and defaults, for people. */
void scn_keys_write(FILE *out);

/* ---- playing --------------------------------------------------------------------------------------------------------- */

enum scn_event_kind {
	SCN_EV_OP,	/* an operation was appended to the timeline */
	SCN_EV_SAY,	/* text */
	SCN_EV_PREDICT, /* predict: asked now */
	SCN_EV_RESOLVE, /* predict, value: its operation step is done. ok: among the choices, and the given answer */
	SCN_EV_EXPECT,	 /* text: the expression; ok; failed: message has the values */
	SCN_EV_FOCUS,	 /* text: pane, cpu */
	SCN_EV_BOOKMARK, /* text */
	SCN_EV_DONE, /* a lua, tasks or sleep step is done; op is the first operation that it appended */
	SCN_EV_END,
	SCN_EV_ERROR, /* message; the player stays where it is */
};

struct scn_event {
	enum scn_event_kind kind;
	u64 line, column; /* of the step in the file */
	const char *step; /* "alloc", "free", ... */
	u64 op;		  /* OP, DONE: its number in the log */
	struct op_result result;
	bool step_ends;	   /* OP: the last operation of its step */
	const char *via;   /* OP: where in the kernel such a call comes from, "" if not said */
	const char *group; /* OP: the group that it fills or frees, "" if none */
	const char *text;
	const struct scn_predict *predict;
	struct scn_value value;
	bool ok;
	int cpu;	    /* FOCUS: -1 if none */
	enum base_err code; /* ERROR */
	char message[256];
	char hint[128];
};

/*
 * A player at the start of the scenario. The timeline must be fresh: created with the scenario's machine, any patch set,
 * and no operations. Both must outlive the player.
 */
struct scn_player *scn_player_create(const struct scenario *scn, struct timeline *tl);
/* The same place on another timeline (tl_fork() of the first). */
struct scn_player *scn_player_clone(const struct scn_player *player, struct timeline *tl);
void scn_player_free(struct scn_player *player);
/* Stop with an error before the log would have more than so many operations; 0: no bound. */
void scn_player_limit(struct scn_player *player, u64 max_ops);

/*
 * Goes on by one event. The timeline must stand at the end of its log. False at the end and after an error (then @ev is
 * SCN_EV_END or SCN_EV_ERROR). Texts in @ev live as long as the scenario.
 */
bool scn_play_next(struct scn_player *player, struct scn_event *ev);
/* Would an operation be next, with nothing to read or answer before it? */
bool scn_play_op_next(const struct scn_player *player);
/* The event as a fault with place and excerpt. */
void scn_event_diag(const struct scenario *scn, const struct scn_event *ev, struct diag *d);

/* Is the answer, as a student types it, the value of the predict? "yes" is true, "no" false. */
bool scn_answer_right(const struct scn_value *value, const char *answer);

/* ---- answers --------------------------------------------------------------------------------------------------------- */

struct scn_answer {
	char *id, *text;
	u64 line, column;
};

struct scn_answers {
	char *lesson, *student, *version; /* "" if the file does not say */
	bool seed_given;
	u64 seed;
	struct scn_answer *items;
	size_t nr;
};

enum base_err scn_answers_load(const char *path, struct scn_answers *answers, struct diags *ds);
void scn_answers_free(struct scn_answers *answers);
/* Writes an answer file; the stream's errors are the caller's. */
void scn_answers_write(FILE *out, const struct scn_answers *answers);

#endif

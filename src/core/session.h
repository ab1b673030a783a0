/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session as text: which scenario, what was changed by hand on each line, in order, and
 * where the person stood. Done again to a fresh timeline of the same scenario it gives the
 * same machine, which digests confirm. No file is read or written here.
 *
 *	pageset session 2
 *	scenario PATH
 *	option NAME=VALUE                     as on the command line, any number
 *	patches 0xSET                         from the start, before any change
 *	branch OPS LENGTH DIGEST NAME         the first is the main line; of its operations OPS are the scenario's
 *	edit insert|base|inject AT SET kind order type flags cpu zone count slot value low high [slots or runs A-B]
 *	about WORDS                           of the edit before
 *	shown BRANCH | position AT | said OPS | mark AT NAME | break IGNORE HITS TEXT
 *	answer POINTS OF FLAGS ID             FLAGS: c correct, r revealed, h hinted, - none
 *	gave TEXT | right TEXT                of the answer before
 *	digest HEX                            at the position
 *	end
 *
 * AT is a position as people write it (timeline.h). Version 1 had one line, no answers, and
 * positions as two numbers.
 */
#ifndef PAGESET_CORE_SESSION_H
#define PAGESET_CORE_SESSION_H

#include "timeline.h"

enum {
	SESSION_BYTES_MAX = 16 << 20,
	SESSION_BRANCHES_MAX = 12,
	SESSION_EDITS_MAX = 256, /* of one line */
	SESSION_BREAKS_MAX = 16,
	SESSION_MARKS_MAX = 32,
	SESSION_ANSWERS_MAX = 64,
	SESSION_OPTIONS_MAX = 64,
	SESSION_NAME_MAX = 32, /* with its end; longer names are cut */
	SESSION_TEXT_MAX = 96,
	SESSION_SAID_MAX = 64,
};

/* Texts are the session's own after session_parse(), the caller's for session_write(). */
enum session_edit_kind { SESSION_INSERT, SESSION_BASE, SESSION_INJECT };

struct session_edit {
	enum session_edit_kind kind;
	struct tl_pos at;
	u32 set; /* SESSION_BASE */
	struct op op;
	const u32 *slots; /* op.count of a free, or NULL */
	const char *about;
	u32 line; /* of the text, for messages */
};

struct session_branch {
	const char *name;
	u64 ops, length, digest; /* digest at the end; 0: not known */
	struct session_edit *edits;
	u32 nr_edits, line;
};

struct session_mark {
	struct tl_pos at;
	const char *name;
};

struct session_break {
	u32 ignore, line;
	u64 hits;
	const char *text;
};

struct session_answer {
	const char *id, *text, *right;
	bool correct, revealed, hinted;
	s64 points, of;
	u32 line;
};

struct session {
	u32 version;
	const char *scenario;
	const char *options[SESSION_OPTIONS_MAX];
	u32 nr_options;
	u32 patches;
	struct session_branch branches[SESSION_BRANCHES_MAX];
	u32 nr_branches, shown;
	struct tl_pos position;
	bool has_digest;
	u64 said, digest;
	u32 position_line, digest_line;
	struct session_mark marks[SESSION_MARKS_MAX];
	u32 nr_marks;
	struct session_break breaks[SESSION_BREAKS_MAX];
	u32 nr_breaks;
	struct session_answer answers[SESSION_ANSWERS_MAX];
	u32 nr_answers;
	/* Memory of a parsed one. */
	char *text;
	void **blocks;
	size_t nr_blocks;
};

/* Does a text begin as a session does? */
bool session_is(const char *text, size_t len);
/*
 * Reads a text, all of it: nothing half. *line is where a fault lies, 0 for the whole.
 * Free it with session_free() also after a fault.
 */
enum sim_err session_parse(const char *text, size_t len, struct session *s, u32 *line,
			   struct sim_error *err);
void session_free(struct session *s);
/* Writes one piece by piece, always as the newest version. */
void session_write(const struct session *s, void (*put)(void *ctx, const char *text), void *ctx);

/*
 * Do an edit of a session to a timeline, as it was done first. On an error the timeline is
 * as it was but for the position.
 */
enum sim_err session_do(const struct session_edit *e, struct timeline *tl, struct sim_error *err);
/* What of the scenario's operations a branch did not begin with is forgotten. */
enum sim_err session_begin(const struct session *s, u32 branch, struct timeline *tl,
			   struct sim_error *err);
/* Did a branch come out as it was? @tl then stands at its end. */
enum sim_err session_check(const struct session *s, u32 branch, struct timeline *tl,
			   struct sim_error *err);
/*
 * All of a branch on @tl, which holds the scenario's operations (more than the branch began
 * with are forgotten) under the session's first set, and checks that it came out as it was.
 * *line is where it failed.
 */
enum sim_err session_replay(const struct session *s, u32 branch, struct timeline *tl, u32 *line,
			    struct sim_error *err);

#endif

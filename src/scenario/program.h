/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A loaded scenario: its document, what libcyaml made of it, the machine, and the steps with names resolved. Made by
 * load.c, compile.c and dryrun.c, played by play.c; immutable from then on.
 */
#ifndef SCENARIO_PROGRAM_H
#define SCENARIO_PROGRAM_H

#include "format.h"

enum item_kind {
#define STEP_KIND(id, key, map) SK_##id,
#include "steps.def"
#undef STEP_KIND
	NR_ITEM_KINDS
};

extern const char *const item_names[NR_ITEM_KINDS];

enum { ZONE_NOT_GIVEN = 0xffff, SPLIT_BLOCKS = 4096 };

struct item {
	u8 kind;
	bool reported; /* a fault of it was told: a repeat does not tell it again */
	u16 zone;
	u32 group;	       /* index of a group's name, UINT32_MAX if none */
	const struct node *at; /* its map in the file */
	const struct fmt_step *fmt;
	void *expr; /* of expect: compiled, NULL if it cannot be */
	struct predict_code *predict;
	struct scn_lua_call *calls; /* lua: one; tasks: each one's */
	struct scn_tasks tasks;
	struct item *sub; /* repeat */
	u32 nr_sub;
};

struct predict_code {
	struct scn_predict *info; /* set when all are known */
	size_t index;
	void *expr;
	const struct node *expr_at;
};

struct scenario {
	struct scn_info info;
	struct node_doc doc;
	struct fmt_scenario *fmt;
	struct machine machine;
	bool machine_ok;
	bool basis_lost;   /* the machine, or what else the steps stand on, had a fault */
	bool ops_unsure;   /* faults took operations away: what depends on them is not judged */
	struct sim *names; /* while compiling: a machine for the names of fields */
	const struct scn_expr_ops *expr;
	const struct scn_hooks *hooks;
	struct item *steps;
	u32 nr_steps;
	const char **groups; /* names */
	u32 nr_groups, cap_groups;
	struct scn_predict *predicts;
	size_t nr_predicts, cap_predicts;
	char *folder;
};

/* The scope of expressions, in this order. */
enum { SCOPE_GOT, SCOPE_FAILED, SCOPE_NR };
void scope_fill(struct scn_scope scope[SCOPE_NR], s64 got, s64 failed);

/* A fault of a scenario at a node. */
#define scn_fault(scn, ds, n, ...) node_fault(&(scn)->doc, ds, BASE_ERR_SYNTAX, n, __VA_ARGS__)

/* Applies a loaded machine table to @m; @folder is where its file: lies. */
void machine_apply(struct machine *m, const struct fmt_machine *fmt, const struct node_doc *doc,
		   const struct scn_hooks *hooks, const char *folder, struct diags *ds);
/* Resolves a zone's name or number; -1 and a sentence if it is none. */
int machine_zone_find(const struct machine *m, const char *name, char *message, size_t size);
/* "zones are 0 (DMA32), 1 (Normal)" */
void machine_zone_choices(const struct machine *m, char *buf, size_t size);
/* folder/name, or name if it is absolute. */
char *path_beside(const char *folder, const char *name);
char *path_folder(const char *path);

void compile_steps(struct scenario *scn, struct diags *ds);
void compile_free(struct scenario *scn);
void dry_run(struct scenario *scn, struct diags *ds);

/* Reads a patch list as on: and off: have it: only what was named is in *named. */
bool patches_named(const char *text, enum series series, u32 *named, char *message, size_t size);
/* The set after a patch step. */
u32 patches_after(u32 set, const struct fmt_patch *p, char *message, size_t size, bool *ok);

#endif

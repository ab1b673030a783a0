/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Man pages and shell completion, made from the tables that the program itself reads: commands and options, patches, fields,
 * kinds of operation, machine keys, the scenario format. `pageset help --man` and `--completion` print them; make install
 * puts them in place. Nothing of them is written by hand twice.
 */
#ifndef GEN_H
#define GEN_H

#include <stdio.h>

/* Pages by name, NULL after the last; and shells. */
extern const char *const gen_pages[];
extern const char *const gen_shells[];

void gen_man(FILE *out, size_t page);
void gen_completion(FILE *out, size_t shell);

/* For the pages: text with what mdoc would take for its own escaped, each sentence on a line of its own. */
void gen_text(FILE *out, const char *text);
/* A word inside a macro line. */
void gen_word(FILE *out, const char *word);

/* The pages. */
void gen_man_pageset(FILE *out);
void gen_man_scenario(FILE *out);
void gen_man_lua(FILE *out);
/* Sections that two pages have. */
void gen_man_fields(FILE *out);
void gen_man_machine(FILE *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Answer files: read through the same tables as scenarios, written as plain YAML. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

static void take(struct scn_answers *a, const struct fmt_answers *f)
{
	const struct node *map = node_get(f->node, "answers");

	a->lesson = base_strdup(f->lesson);
	a->student = base_strdup(f->student);
	a->version = base_strdup(f->version);
	a->seed_given = f->seed >= 0;
	a->seed = a->seed_given ? (u64)f->seed : 0;
	a->nr = f->answers_count;
	a->items = base_alloc(a->nr + 1, sizeof(*a->items));
	for (size_t i = 0; i < a->nr; i++) {
		a->items[i].id = base_strdup(f->answers[i].name);
		a->items[i].text = base_strdup(f->answers[i].value);
		a->items[i].line = map->keys[i]->line;
		a->items[i].column = map->keys[i]->column;
	}
}

enum base_err scn_answers_load(const char *path, struct scn_answers *answers, struct diags *ds)
{
	struct node_doc doc = { 0 };
	struct diag d;
	void *fmt = NULL;
	enum base_err err;

	memset(answers, 0, sizeof(*answers));
	if (base_text_read(&doc.text, path, NODE_FILE_MAX, &d)) {
		base_diags_push(ds, &d);
		return d.code;
	}
	err = node_read(&doc, ds);
	if (!err)
		err = schema_load(&doc, &spec_answers, &fmt, ds);
	if (!err)
		take(answers, fmt);
	schema_free(&spec_answers, fmt);
	node_doc_free(&doc);
	return err;
}

void scn_answers_free(struct scn_answers *answers)
{
	for (size_t i = 0; i < answers->nr; i++) {
		free(answers->items[i].id);
		free(answers->items[i].text);
	}
	free(answers->items);
	free(answers->lesson);
	free(answers->student);
	free(answers->version);
	memset(answers, 0, sizeof(*answers));
}

/* In double quotes, whatever is in it. */
static void put_quoted(FILE *out, const char *s)
{
	putc('"', out);
	for (; *s; s++) {
		unsigned char ch = (unsigned char)*s;

		if (ch == '"' || ch == '\\')
			fprintf(out, "\\%c", ch);
		else if (ch < 0x20 || ch == 0x7f)
			fprintf(out, "\\x%02x", ch);
		else
			putc(ch, out);
	}
	putc('"', out);
}

void scn_answers_write(FILE *out, const struct scn_answers *a)
{
	fprintf(out, "schema_version: 1\n");
	if (a->lesson && a->lesson[0]) {
		fprintf(out, "lesson: ");
		put_quoted(out, a->lesson);
		putc('\n', out);
	}
	if (a->student && a->student[0]) {
		fprintf(out, "student: ");
		put_quoted(out, a->student);
		putc('\n', out);
	}
	if (a->seed_given)
		fprintf(out, "seed: %" PRIu64 "\n", a->seed);
	if (a->version && a->version[0]) {
		fprintf(out, "version: ");
		put_quoted(out, a->version);
		putc('\n', out);
	}
	fprintf(out, a->nr ? "answers:\n" : "answers: {}\n");
	for (size_t i = 0; i < a->nr; i++) {
		fprintf(out, "  %s: ", a->items[i].id);
		put_quoted(out, a->items[i].text);
		putc('\n', out);
	}
}

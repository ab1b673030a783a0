/* SPDX-License-Identifier: GPL-2.0-only */
#include "ops.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "op_lines.h"

/* Room for one more of nr items; the host that has no more ends the program with a message. */
static void *grown(void *items, size_t nr, size_t *cap, size_t more, size_t size)
{
	void *bigger;

	if (nr + more <= *cap)
		return items;
	*cap = (nr + more) * 2 + 256;
	bigger = base_alloc(*cap, size);
	if (nr)
		memcpy(bigger, items, nr * size);
	free(items);
	return bigger;
}

static bool takes_slots(const struct op *op)
{
	return op_infos[op->kind].args & 1u << OPARG_pages;
}

void kern_ops_add(struct kern_ops *ops, const struct op *op, const u32 *slots, u64 line)
{
	size_t cap_lines = ops->cap, cap_at = ops->cap;

	ops->ops = grown(ops->ops, ops->nr, &ops->cap, 1, sizeof(*ops->ops));
	ops->lines = grown(ops->lines, ops->nr, &cap_lines, 1, sizeof(*ops->lines));
	ops->slot_at = grown(ops->slot_at, ops->nr, &cap_at, 1, sizeof(*ops->slot_at));
	ops->ops[ops->nr] = *op;
	ops->lines[ops->nr] = line;
	ops->slot_at[ops->nr] = ops->nr_slots;
	ops->nr++;
	if (!takes_slots(op))
		return;
	ops->slots =
		grown(ops->slots, ops->nr_slots, &ops->cap_slots, op->count, sizeof(*ops->slots));
	memcpy(ops->slots + ops->nr_slots, slots, op->count * sizeof(*slots));
	ops->nr_slots += op->count;
}

/* Lines that only say what a vector prints. */
static bool is_output(const char *name)
{
	return strcmp(name, "note") == 0 || strcmp(name, "mode") == 0 ||
	       strcmp(name, "state") == 0 || strcmp(name, "dump") == 0;
}

/* @line: a copy, which is cut up here. */
static bool take_line(struct kern_ops *ops, struct kern_op_lines *in, char *line, size_t len)
{
	struct kern_words w = { .at = line };
	char *mark = strstr(line, " >");
	const char *name;
	struct op op;

	if (len > 0 && line[len - 1] == '\r')
		line[--len] = '\0';
	if (strlen(line) != len) {
		base_diag_set(in->diag, BASE_ERR_SYNTAX, in->name, in->line, 0,
			      "a NUL byte in the line");
		return false;
	}
	if (line[0] == '#' || line[0] == '=')
		return true;
	if (mark)
		*mark = '\0';
	name = kern_next_word(&w);
	if (!name || is_output(name))
		return true;
	if (!in->sim)
		return kern_op_configure(in, name, &w);
	if (!kern_op_parse(in, name, &w, &op))
		return false;
	/* before it runs: a free's slots are taken until then */
	kern_ops_add(ops, &op, in->slots, in->line);
	return kern_op_exec(in, &op, NULL);
}

static enum base_err finish(struct kern_ops *ops, struct kern_op_lines *in, struct diag *d)
{
	struct sim_error err;

	if (in->unsupported) {
		base_diag_set(d, BASE_ERR_SYNTAX, in->name, in->line, 0,
			      "variant 6.12 is a kernel that this program does not run");
		base_diag_hint(d, "expected L0 to L10, V3L1 to V3L9, or a set such as S4567");
		return d->code;
	}
	if (!in->sim)
		return base_diag_set(d, BASE_ERR_SYNTAX, in->name, in->line + 1, 0,
				     "the file ends before boot");
	if (machine_copy(&ops->machine, &in->machine, &err))
		return base_diag_set(d, BASE_ERR_NO_MEMORY, in->name, 0, 0, "%s", err.message);
	ops->patches = in->patches;
	return BASE_ERR_OK;
}

enum base_err kern_ops_read(struct kern_ops *ops, const struct base_text *text, struct diag *d)
{
	struct kern_op_lines in;
	const char *line;
	char *copy = NULL;
	size_t len, cap = 0;
	bool ok = true;

	memset(ops, 0, sizeof(*ops));
	machine_init(&ops->machine);
	kern_op_lines_init(&in, text->name, d);
	while (ok && !in.unsupported && base_text_line(text, in.line + 1, &line, &len)) {
		in.line++;
		copy = grown(copy, 0, &cap, len + 1, 1);
		memcpy(copy, line, len);
		copy[len] = '\0';
		ok = take_line(ops, &in, copy, len);
	}
	if (ok)
		ok = finish(ops, &in, d) == BASE_ERR_OK;
	free(copy);
	kern_op_lines_free(&in);
	if (!ok)
		kern_ops_free(ops);
	return ok ? BASE_ERR_OK : d->code;
}

const u32 *kern_ops_slots(const struct kern_ops *ops, size_t i)
{
	return takes_slots(&ops->ops[i]) ? ops->slots + ops->slot_at[i] : NULL;
}

void kern_ops_free(struct kern_ops *ops)
{
	machine_free(&ops->machine);
	free(ops->ops);
	free(ops->lines);
	free(ops->slot_at);
	free(ops->slots);
	free(ops->outcomes);
	memset(ops, 0, sizeof(*ops));
}

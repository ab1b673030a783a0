/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset compare: one workload under several patch sets, counters side by side, and where each first differs. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "diverge.h"
#include "show.h"

enum { LEVELS_MAX = 24, LEVEL_TEXT_MAX = 64 };

struct compare_opts {
	const char *levels;
};

static const struct compare_opts compare_defaults = { 0 };

static const struct opt compare_options[] = {
	{ .name = "levels",
	  .type = OPT_STRING,
	  .offset = offsetof(struct compare_opts, levels),
	  .value = "LIST",
	  .help = "patch sets to compare: base, a level such as 7 for 1..7, or a set such as [1-7,10]; "
		  "default base,1,3,5,7,9,10, with --series v3 base,1,3,5,7,8,9" },
	{ .name = NULL },
};

struct compare {
	const struct call *call;
	struct work w;
	enum series series;
	struct setup_bounds bounds;
	char names[LEVELS_MAX][LEVEL_TEXT_MAX];
	struct diverge_run runs[LEVELS_MAX];
	struct diverge_place places[LEVELS_MAX];
	size_t nr;
};

/* One entry of the list; a set in brackets holds commas of its own. */
static size_t entry_length(const char *text)
{
	size_t n = 0;
	bool inside = false;

	while (text[n] && (inside || text[n] != ',')) {
		inside = text[n] == '[' || (inside && text[n] != ']');
		n++;
	}
	return n;
}

static int parse_levels(struct compare *c, const char *text)
{
	while (c->nr == 0 || *text) {
		size_t len = entry_length(text);
		int status;

		if (c->nr == LEVELS_MAX)
			return call_usage(c->call, NULL, "--levels: more than %d entries",
					  LEVELS_MAX);
		if (len == 0 || len >= LEVEL_TEXT_MAX)
			return call_usage(c->call, "expected a list such as base,1,3,[1-7,10]",
					  "--levels: %s",
					  len ? "an entry is too long" : "an entry is empty");
		memcpy(c->names[c->nr], text, len);
		c->names[c->nr][len] = '\0';
		c->runs[c->nr].name = c->names[c->nr];
		status = setup_parse_level(c->call, c->names[c->nr], c->series,
					   &c->runs[c->nr].patches);
		if (status)
			return status;
		c->nr++;
		text += len;
		if (*text == ',' && !*++text)
			return call_usage(c->call, NULL, "--levels ends in a comma");
	}
	return 0;
}

/* The log of the first level serves all, unless the workload's own order can depend on the patches. */
static int record(struct compare *c)
{
	bool cut = false;
	int status = 0;

	for (size_t i = 0; i < c->nr && !status; i++) {
		if (i == 0 || c->w.reruns)
			status = work_record(c->call, &c->w, c->runs[i].patches, &c->bounds,
					     &c->runs[i].tl, &cut);
		else
			status = diverge_same_log(c->call, &c->runs[0], &c->runs[i]);
	}
	if (!status && cut)
		fprintf(stderr, "note: compared are the first %llu operations, as --max-ops says\n",
			(unsigned long long)c->bounds.max_ops);
	return status;
}

/*
 * Text
 */

static void print_head(const struct compare *c)
{
	char set[SHOW_TEXT_MAX];
	size_t other = SIZE_MAX;

	printf("%s%s%s\n", c->w.name, c->w.title[0] ? ": " : "", c->w.title);
	show_machine(stdout, tl_view(c->runs[0].tl));
	printf("seed %llu, ops: ", (unsigned long long)c->w.seed);
	for (size_t i = 0; i + 1 < c->nr; i++)
		if (c->places[i].other_op && other == SIZE_MAX)
			other = i;
	if (!c->w.reruns)
		printf("same, %llu\n", (unsigned long long)tl_length(c->runs[0].tl));
	else if (other == SIZE_MAX)
		printf("re-run, none differs\n");
	else
		printf("re-run, the first that differs is op %llu of %s\n",
		       (unsigned long long)c->places[other].op, c->runs[other + 1].name);
	for (size_t i = 0; i < c->nr; i++)
		printf("  %-10s %s\n", c->runs[i].name, show_set(c->runs[i].patches, set));
}

/* "125" or, beside the first, its per cent: "98 78%". Returns its length. */
static int cell_text(const struct compare *c, size_t level, size_t counter, char *buf, size_t size)
{
	s64 value = c->runs[level].counters[counter], first = c->runs[0].counters[counter];

	if (level == 0 || first == 0)
		return snprintf(buf, size, "%lld", (long long)value);
	return snprintf(buf, size, "%lld %3.0f%%", (long long)value,
			100.0 * (double)value / (double)first);
}

static void print_counters(const struct compare *c)
{
	int width[LEVELS_MAX];
	char cell[64];

	printf("\n%-24s", "");
	for (size_t i = 0; i < c->nr; i++) {
		width[i] = (int)strlen(c->runs[i].name);
		for (size_t k = 0; counter_infos[k].name; k++) {
			int len = cell_text(c, i, k, cell, sizeof(cell));

			width[i] = len > width[i] ? len : width[i];
		}
		printf("  %*s", width[i], c->runs[i].name);
	}
	putchar('\n');
	for (size_t k = 0; counter_infos[k].name; k++) {
		printf("%-24s", counter_infos[k].name);
		for (size_t i = 0; i < c->nr; i++) {
			cell_text(c, i, k, cell, sizeof(cell));
			printf("  %*s", width[i], cell);
		}
		putchar('\n');
	}
	printf("Per cent are of %s.\n", c->runs[0].name);
}

static void print_side(const struct diverge_run *run, const struct diverge_side *side)
{
	printf("    %s: %lld", run->name, (long long)side->value);
	if (side->step)
		printf("; step %u, %s: %s", side->step, side->func, side->text);
	putchar('\n');
}

static void print_other_op(const struct diverge_run runs[2], const struct diverge_place *p)
{
	char text[SHOW_TEXT_MAX];

	printf("  %s against %s: op %llu is another operation\n", runs[1].name, runs[0].name,
	       (unsigned long long)p->op);
	for (int s = 0; s < 2; s++)
		printf("    %s: %s\n", runs[s].name,
		       diverge_op(&runs[s], p, "no operation, the run has ended", text));
}

static void print_place(const struct diverge_run runs[2], const struct diverge_place *p)
{
	char text[SHOW_TEXT_MAX];

	if (p->other_op) {
		print_other_op(runs, p);
	} else if (p->differs) {
		printf("  %s against %s: op %llu (%s), step %u: %s is %lld, was %lld\n",
		       runs[1].name, runs[0].name, (unsigned long long)p->op,
		       diverge_op(&runs[1], p, "", text), p->side[1].step, p->field,
		       (long long)p->side[1].value, (long long)p->side[0].value);
		print_side(&runs[0], &p->side[0]);
		print_side(&runs[1], &p->side[1]);
	} else {
		printf("  %s against %s: no operation differs\n", runs[1].name, runs[0].name);
	}
	if (p->boot_fields == 1)
		printf("    from boot on: %s is %lld, was %lld\n", p->boot_field,
		       (long long)p->boot_values[1], (long long)p->boot_values[0]);
	else if (p->boot_fields)
		printf("    from boot on: %u fields, such as %s: %lld, was %lld\n", p->boot_fields,
		       p->boot_field, (long long)p->boot_values[1], (long long)p->boot_values[0]);
}

/*
 * JSON
 */

static void json_values(struct base_json *j, const struct diverge_run runs[2],
			const struct diverge_place *p)
{
	char text[SHOW_TEXT_MAX];

	base_json_key(j, "values");
	base_json_array(j);
	for (int s = 0; s < 2; s++) {
		const char *op = p->other_op ? diverge_op(&runs[s], p, NULL, text) : NULL;

		if (!p->other_op)
			base_json_int(j, p->differs ? p->side[s].value : p->boot_values[s]);
		else if (op)
			base_json_string(j, op);
		else
			base_json_null(j);
	}
	base_json_close(j);
}

static void json_divergences(struct base_json *j, const struct compare *c)
{
	base_json_key(j, "divergences");
	base_json_array(j);
	for (size_t i = 0; i + 1 < c->nr; i++) {
		const struct diverge_place *p = &c->places[i];

		if (!p->differs && !p->boot_fields)
			continue;
		base_json_object(j);
		base_json_kv_string(j, "level", c->runs[i + 1].name);
		base_json_kv_uint(j, "op", p->op);
		base_json_kv_uint(j, "step", p->side[1].step);
		base_json_kv_string(j, "field",
				    p->other_op ? "op" :
				    p->differs	? p->field :
						  p->boot_field);
		json_values(j, &c->runs[i], p);
		base_json_close(j);
	}
	base_json_close(j);
}

static void print_json(const struct compare *c)
{
	struct base_json j;

	base_json_to_file(&j, stdout, true);
	base_json_object(&j);
	base_json_kv_string(&j, "scenario", c->w.name);
	base_json_kv_string(&j, "series", c->series == SERIES_V3 ? "v3" : "v2");
	base_json_kv_string(&j, "ops", c->w.reruns ? "re-run" : "same");
	base_json_key(&j, "levels");
	base_json_array(&j);
	for (size_t i = 0; i < c->nr; i++) {
		base_json_object(&j);
		base_json_kv_string(&j, "level", c->runs[i].name);
		base_json_key(&j, "counters");
		base_json_object(&j);
		for (size_t k = 0; counter_infos[k].name; k++)
			base_json_kv_int(&j, counter_infos[k].name, c->runs[i].counters[k]);
		base_json_close(&j);
		base_json_close(&j);
	}
	base_json_close(&j);
	json_divergences(&j, c);
	base_json_close(&j);
	base_json_end(&j);
}

static int compare(struct compare *c)
{
	const struct compare_opts *o = c->call->opts;
	const char *levels = o->levels;
	int status;

	c->series = setup_series(c->call, c->w.series);
	if (!levels)
		levels = c->series == SERIES_V3 ? "base,1,3,5,7,8,9" : "base,1,3,5,7,9,10";
	status = parse_levels(c, levels);
	if (!status)
		status = record(c);
	if (!status)
		status = diverge_all(c->call, &c->bounds, c->runs, c->nr, c->places);
	if (status)
		return status;
	if (c->call->common->json) {
		print_json(c);
		return 0;
	}
	print_head(c);
	print_counters(c);
	if (c->nr > 1)
		printf("\nFirst difference of each from the one before:\n");
	for (size_t i = 0; i + 1 < c->nr; i++)
		print_place(&c->runs[i], &c->places[i]);
	return 0;
}

static int run(const struct call *call)
{
	struct compare *c = base_alloc(1, sizeof(*c));
	int status;

	c->call = call;
	setup_bounds_begin(call, &c->bounds);
	status = work_load_any(call, call->args.items[0], &c->w);
	if (!status)
		status = compare(c);
	diverge_free(c->runs, c->nr);
	work_free(&c->w);
	free(c);
	return status;
}

const struct verb verb_compare = {
	.name = "compare",
	.args = "FILE",
	.help = "patch sets side by side, and where they part",
	.about =
		"FILE is a scenario, a file of operations, a trace or a saved session. The operations of the first level run under all\n"
		"(ops: same); a scenario with tasks or Lua runs again for each (ops: re-run), since there the\n"
		"order can depend on the patches. Fields that one side lacks are not compared.",
	.options = compare_options,
	.defaults = &compare_defaults,
	.opts_size = sizeof(compare_defaults),
	.common = SETUP_COMMON & ~COMMON_BIT(PATCHES),
	.args_min = 1,
	.args_max = 1,
	.run = run,
};

/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset diff: the first difference between two patch sets of one workload, or between two workloads. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "diverge.h"
#include "show.h"

struct diff {
	const struct call *call;
	struct work w[2]; /* the second is empty with two patch sets */
	struct diverge_run runs[2];
	struct diverge_place place;
	struct setup_bounds bounds;
	char sets[2][SHOW_TEXT_MAX];
};

static int record(struct diff *d, int side, const struct work *w, u32 patches)
{
	bool cut;
	int status = work_record(d->call, w, patches, &d->bounds, &d->runs[side].tl, &cut);

	if (!status && cut)
		fprintf(stderr, "note: compared are the first %llu operations, as --max-ops says\n",
			(unsigned long long)d->bounds.max_ops);
	return status;
}

/* diff FILE SETA SETB: the same operations, unless their order can depend on the patches. */
static int prepare_sets(struct diff *d)
{
	char *const *args = d->call->args.items;
	int status = work_load_any(d->call, args[0], &d->w[0]);

	for (int s = 0; s < 2 && !status; s++) {
		status = setup_parse_set(d->call, s ? "SETB" : "SETA", args[s + 1],
					 setup_series(d->call, d->w[0].series),
					 &d->runs[s].patches);
		d->runs[s].name = args[s + 1];
	}
	if (!status)
		status = record(d, 0, &d->w[0], d->runs[0].patches);
	if (!status)
		status = d->w[0].reruns ? record(d, 1, &d->w[0], d->runs[1].patches) :
					  diverge_same_log(d->call, &d->runs[0], &d->runs[1]);
	return status;
}

static bool same_zones(const struct machine *a, const struct machine *b)
{
	if (a->nr_zones != b->nr_zones)
		return false;
	for (u32 i = 0; i < a->nr_zones; i++) {
		const struct machine_zone *x = &a->zones[i], *y = &b->zones[i];

		if (x->node != y->node || x->type != y->type || x->start_pfn != y->start_pfn ||
		    x->pages != y->pages || memcmp(x->wmark, y->wmark, sizeof(x->wmark)) != 0)
			return false;
	}
	return true;
}

static bool same_caches(const struct machine *a, const struct machine *b)
{
	if (a->nr_caches != b->nr_caches)
		return false;
	for (u32 i = 0; i < a->nr_caches; i++) {
		const struct machine_cache *x = &a->caches[i], *y = &b->caches[i];

		if (x->level != y->level || x->type != y->type || x->shared_by != y->shared_by ||
		    x->size != y->size)
			return false;
	}
	return true;
}

/* *what: the first key that differs. */
static bool same_machine(const struct machine *a, const struct machine *b, const char **what)
{
	for (const struct machine_key *key = machine_keys; key->name; key++) {
		*what = key->name;
		if (machine_get(a, key) != machine_get(b, key))
			return false;
	}
	*what = "zones";
	if (!same_zones(a, b))
		return false;
	*what = "caches";
	if (!same_caches(a, b))
		return false;
	*what = "the CPUs' nodes";
	return a->nr_cpu_nodes == b->nr_cpu_nodes &&
	       (!a->nr_cpu_nodes ||
		memcmp(a->cpu_node, b->cpu_node, a->nr_cpu_nodes * sizeof(*a->cpu_node)) == 0);
}

/* diff FILE FILE2: each with its own operations and patch set; the machines must be the same. */
static int prepare_files(struct diff *d)
{
	const char *what;
	int status = 0;

	for (int s = 0; s < 2 && !status; s++) {
		status = work_load_any(d->call, d->call->args.items[s], &d->w[s]);
		if (!status)
			status = record(d, s, &d->w[s], d->w[s].patches);
		d->runs[s].name = d->call->args.items[s];
		d->runs[s].patches = d->w[s].patches;
	}
	if (!status && !same_machine(d->w[0].machine, d->w[1].machine, &what))
		return call_usage(d->call, "--machine FILE puts both on one machine",
				  "the machines of the two files differ: %s", what);
	return status;
}

static void print_ops(const struct diff *d)
{
	char text[SHOW_TEXT_MAX];

	for (int s = 0; s < 2; s++)
		printf("  %s: %s\n", d->runs[s].name,
		       diverge_op(&d->runs[s], &d->place, "no operation, it has ended", text));
}

static void print_text(const struct diff *d)
{
	const struct diverge_place *p = &d->place;
	char text[SHOW_TEXT_MAX];

	if (p->other_op) {
		printf("op %llu is another operation\n", (unsigned long long)p->op);
		print_ops(d);
	} else if (p->differs) {
		printf("op %llu (%s), step %u: %s is %lld and %lld\n", (unsigned long long)p->op,
		       diverge_op(&d->runs[1], p, "", text), p->side[1].step, p->field,
		       (long long)p->side[0].value, (long long)p->side[1].value);
		for (int s = 0; s < 2; s++)
			printf("  %s: %lld; step %u, %s: %s\n", d->runs[s].name,
			       (long long)p->side[s].value, p->side[s].step, p->side[s].func,
			       p->side[s].text);
	} else if (p->boot_fields) {
		printf("no operation differs, the boot does: %s is %lld and %lld\n", p->boot_field,
		       (long long)p->boot_values[0], (long long)p->boot_values[1]);
	} else {
		printf("no difference in %llu operations\n",
		       (unsigned long long)tl_length(d->runs[0].tl));
	}
	if (p->differs && p->boot_fields)
		printf("  from boot on: %u field%s, such as %s: %lld and %lld\n", p->boot_fields,
		       p->boot_fields == 1 ? "" : "s", p->boot_field, (long long)p->boot_values[0],
		       (long long)p->boot_values[1]);
}

static void json_values(struct base_json *j, const struct diff *d)
{
	const struct diverge_place *p = &d->place;
	char text[SHOW_TEXT_MAX];

	base_json_key(j, "values");
	base_json_array(j);
	for (int s = 0; s < 2; s++) {
		const char *op = p->other_op ? diverge_op(&d->runs[s], p, NULL, text) : NULL;

		if (!p->other_op)
			base_json_int(j, p->differs ? p->side[s].value : p->boot_values[s]);
		else if (op)
			base_json_string(j, op);
		else
			base_json_null(j);
	}
	base_json_close(j);
}

static void print_json(const struct diff *d)
{
	const struct diverge_place *p = &d->place;
	bool any = p->differs || p->boot_fields;
	struct base_json j;

	base_json_to_file(&j, stdout, true);
	base_json_object(&j);
	base_json_key(&j, "sides");
	base_json_array(&j);
	base_json_string(&j, d->runs[0].name);
	base_json_string(&j, d->runs[1].name);
	base_json_close(&j);
	base_json_kv_bool(&j, "differs", any);
	if (any) {
		base_json_kv_uint(&j, "op", p->op);
		base_json_kv_uint(&j, "step", p->side[1].step);
		base_json_kv_string(&j, "field",
				    p->other_op ? "op" :
				    p->differs	? p->field :
						  p->boot_field);
		json_values(&j, d);
	}
	base_json_close(&j);
	base_json_end(&j);
}

static int run(const struct call *call)
{
	struct diff *d = base_alloc(1, sizeof(*d));
	bool files = call->args.nr == 2;
	int status;

	d->call = call;
	setup_bounds_begin(call, &d->bounds);
	if (!files && call_common_given(call, COMMON_PATCHES))
		status = call_usage(call, NULL, "--patches beside two patch sets says nothing");
	else
		status = files ? prepare_files(d) : prepare_sets(d);
	if (!status)
		status = diverge_pair(call, &d->bounds, d->runs, &d->place);
	if (!status) {
		if (call->common->json)
			print_json(d);
		else
			print_text(d);
		if (d->place.differs || d->place.boot_fields)
			status = base_err_status(BASE_ERR_FAILED);
	}
	diverge_free(d->runs, 2);
	for (int s = 0; s < 2; s++)
		work_free(&d->w[s]);
	free(d);
	return status;
}

const struct verb verb_diff = {
	.name = "diff",
	.args = "FILE SETA SETB | FILE FILE2",
	.help = "the first difference of two patch sets or files",
	.about =
		"With two sets the same operations run under both; with two files each runs its own under its\n"
		"own set. A file is a scenario, operations, a trace, or a session saved from the screen: of that\n"
		"the line that was shown, with all that was put in by hand. Says operation, step, field and\n"
		"values. Fields that one side lacks are not compared.\n"
		"Exit status 1 if anything differs.",
	.common = SETUP_COMMON,
	.args_min = 2,
	.args_max = 3,
	.run = run,
};

/* SPDX-License-Identifier: GPL-2.0-only */
/* A scenario out of a text: nodes, drawn values, structs, machine, steps, in this order; what is sound after one goes on to the next. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "core/field.h"
#include "program.h"

static size_t faults(const struct diags *ds)
{
	return ds->nr + ds->dropped;
}

/* The seed is needed before anything else is read: ${rand} may stand anywhere. */
static u64 early_seed(const struct scenario *scn, const struct scn_options *o)
{
	const struct node *n = node_get(scn->doc.root, "seed");
	s64 seed = 1;

	if (o->seed_given)
		return o->seed;
	if (n && n->kind == NODE_SCALAR)
		base_parse_int(n->text, n->len, 0, INT64_MAX, &seed, NULL);
	return (u64)seed;
}

/* Where a fault of the patch set belongs. */
static void fault_patches(struct scenario *scn, const struct scn_options *o, const char *message,
			  struct diags *ds)
{
	if (o->patches)
		base_diags_add(ds, BASE_ERR_USAGE, "--patches", 0, 0, "%s", message);
	else
		scn_fault(scn, ds, schema_node(scn->doc.root, "patches"), "patches: %s", message);
}

static void set_patches(struct scenario *scn, const struct scn_options *o, struct diags *ds)
{
	const char *own = scn->fmt->patches[0] ? scn->fmt->patches : "all";
	struct patch_change change = { 0 };
	char message[200];
	enum series own_series = (enum series)scn->fmt->series;

	scn->info.series = o->series ? (enum series)(o->series - 1) : own_series;
	if (o->patches) {
		if (!patch_set_parse(o->patches, scn->info.series, &change, message,
				     sizeof(message)))
			fault_patches(scn, o, message, ds);
	} else if (!patch_set_parse(own, own_series, &change, message, sizeof(message))) {
		fault_patches(scn, o, message, ds);
	} else if (scn->info.series != own_series) {
		/* the same patches by content; "all" stays all */
		if (strcmp(own, "all") == 0)
			patch_set_parse(own, scn->info.series, &change, message, sizeof(message));
		else
			change = patch_set_series(change.set, scn->info.series);
	}
	scn->info.patches = change.set;
	scn->info.also_on = change.also_on;
}

static const struct node *machine_node(const struct scenario *scn)
{
	return schema_node(scn->doc.root, "machine");
}

static void check_scale(struct scenario *scn, const struct machine *own, struct diags *ds)
{
	const char *const message = "series v2 has a fixed scale_max of 5";
	s64 scale = scn->machine.scale_max;
	const struct node *at = machine_node(scn);

	if (scn->info.series == SERIES_V3 || scale == PCP_BATCH_SCALE_MAX || scale == SCALE_NONE)
		return;
	base_diag_hint(own->scale_max != scale ?
			       base_diags_add(ds, BASE_ERR_RANGE, "--set", 0, 0, "%s", message) :
			       scn_fault(scn, ds, schema_node(at, "scale_max"), "%s", message),
		       "use series: v3, or none to see why there is a cap");
}

/* What is wrong with the whole machine: in the file, or due to --set if the file's own machine is possible. */
static void machine_fault(struct scenario *scn, const struct scn_options *o, struct machine *own,
			  const char *message, struct diags *ds)
{
	struct sim_error ignored;

	if (o->nr_sets && !machine_finish(own, &ignored))
		base_diags_add(ds, BASE_ERR_RANGE, "--set", 0, 0, "%s", message);
	else
		scn_fault(scn, ds, machine_node(scn), "%s", message);
}

static void finish_machine(struct scenario *scn, const struct scn_options *o, struct machine *own,
			   struct diags *ds)
{
	size_t before = faults(ds);
	struct sim_error err;

	if (machine_finish(&scn->machine, &err)) {
		machine_fault(scn, o, own, err.message, ds);
		return;
	}
	check_scale(scn, own, ds);
	if (faults(ds) != before)
		return;
	if (sim_create(&scn->machine, scn->info.patches, &scn->names, &err)) {
		machine_fault(scn, o, own, err.message, ds);
		return;
	}
	scn->machine_ok = true;
}

static void build_machine(struct scenario *scn, const struct scn_options *o, struct diags *ds)
{
	size_t before = faults(ds);
	struct sim_error err;
	struct machine own;
	struct diag d;

	machine_init(&scn->machine);
	if (o->machine)
		scn_machine_load(o->machine, &scn->machine, ds);
	else if (scn->fmt->machine)
		machine_apply(&scn->machine, scn->fmt->machine, &scn->doc, scn->hooks, scn->folder,
			      ds);
	if (scn->fmt->machine)
		scn->info.costs = o->machine ? "" : scn->fmt->machine->costs;
	if (machine_copy(&own, &scn->machine, &err)) {
		scn_fault(scn, ds, machine_node(scn), "%s", err.message);
		return;
	}
	for (size_t i = 0; i < o->nr_sets; i++)
		if (scn_machine_set(&scn->machine, o->sets[i], &d))
			base_diags_push(ds, &d);
	if (faults(ds) == before)
		finish_machine(scn, o, &own, ds);
	machine_free(&own);
}

static void set_default_zone(struct scenario *scn, struct diags *ds)
{
	char message[240];
	int zone;

	scn->info.default_zone = FIELD_NO_ZONE;
	if (!scn->fmt->zone[0] || !scn->machine_ok)
		return;
	zone = machine_zone_find(&scn->machine, scn->fmt->zone, message, sizeof(message));
	if (zone < 0)
		scn_fault(scn, ds, schema_node(scn->doc.root, "zone"), "zone: %s", message);
	else
		scn->info.default_zone = zone;
}

static void fill_info(struct scenario *scn)
{
	struct scn_info *info = &scn->info;

	info->path = scn->doc.text.name;
	info->name = scn->fmt->name;
	info->title = scn->fmt->title;
	info->summary = scn->fmt->summary;
	info->level = (enum scn_level)scn->fmt->level;
	info->machine = &scn->machine;
	if (!info->costs)
		info->costs = "";
}

/* Without one of these the machine is another one: nothing is judged that depends on it. */
static const char *const basis_keys[] = { "machine", "series", "patches", "zone" };

static void load_stages(struct scenario *scn, const struct scn_options *o, struct diags *ds)
{
	bool basis[ARRAY_SIZE(basis_keys)], sound, drawn;

	if (node_read(&scn->doc, ds))
		return;
	scn->info.seed = early_seed(scn, o);
	drawn = draw_values(&scn->doc, scn->info.seed, ds) == BASE_ERR_OK;
	for (size_t i = 0; i < ARRAY_SIZE(basis_keys); i++)
		basis[i] = node_get(scn->doc.root, basis_keys[i]) != NULL;
	sound = schema_load_sound(&scn->doc, &spec_scenario, (void **)&scn->fmt, ds) == BASE_ERR_OK;
	if (!scn->fmt)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(basis_keys); i++)
		scn->basis_lost = scn->basis_lost ||
				  (basis[i] && !node_get(scn->doc.root, basis_keys[i]));
	scn->ops_unsure = !sound || !drawn;
	if (!scn->basis_lost) {
		set_patches(scn, o, ds);
		build_machine(scn, o, ds);
	}
	fill_info(scn);
	set_default_zone(scn, ds);
	compile_steps(scn, ds);
	if (scn->machine_ok && !scn->ops_unsure)
		dry_run(scn, ds);
	/* the table of questions no longer moves */
	scn->info.predicts = scn->predicts;
	scn->info.nr_predicts = scn->nr_predicts;
	sim_destroy(scn->names);
	scn->names = NULL;
}

/* @scn has its text; it is freed on failure. */
static enum base_err load(struct scenario *scn, const struct scn_options *o, struct scenario **out,
			  struct diags *ds)
{
	size_t before = faults(ds);

	scn->expr = o->expr;
	scn->hooks = o->hooks;
	scn->folder = path_folder(scn->doc.text.name);
	load_stages(scn, o, ds);
	if (faults(ds) == before) {
		*out = scn;
		return BASE_ERR_OK;
	}
	scn_free(scn);
	return BASE_ERR_SYNTAX;
}

enum base_err scn_load(const char *path, const struct scn_options *options, struct scenario **scn,
		       struct diags *ds)
{
	struct scenario *s = base_alloc(1, sizeof(*s));
	struct diag d;

	*scn = NULL;
	if (base_text_read(&s->doc.text, path, NODE_FILE_MAX, &d)) {
		base_diags_push(ds, &d);
		free(s);
		return d.code;
	}
	return load(s, options, scn, ds);
}

enum base_err scn_load_text(const char *name, const char *data, size_t len,
			    const struct scn_options *options, struct scenario **scn,
			    struct diags *ds)
{
	struct scenario *s = base_alloc(1, sizeof(*s));
	struct diag d;

	*scn = NULL;
	if (len > NODE_FILE_MAX)
		base_diag_set(&d, BASE_ERR_TOO_LARGE, name, 0, 0, "more than 16 MiB");
	else if (base_text_from(&s->doc.text, name, data, len, &d) == BASE_ERR_OK)
		return load(s, options, scn, ds);
	base_diags_push(ds, &d);
	free(s);
	return d.code;
}

void scn_free(struct scenario *scn)
{
	if (!scn)
		return;
	compile_free(scn);
	machine_free(&scn->machine);
	schema_free(&spec_scenario, scn->fmt);
	node_doc_free(&scn->doc);
	free(scn->folder);
	free(scn);
}

const struct scn_info *scn_info(const struct scenario *scn)
{
	return &scn->info;
}

const struct base_text *scn_text(const struct scenario *scn)
{
	return &scn->doc.text;
}

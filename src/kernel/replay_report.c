/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay_int.h"

#include <inttypes.h>
#include <string.h>

static void json_tally(struct base_json *json, const char *key, const struct replay_tally *tally)
{
	base_json_key(json, key);
	base_json_object(json);
	base_json_kv_uint(json, "recorded", tally->recorded);
	base_json_kv_uint(json, "same_event", tally->same_event);
	base_json_kv_uint(json, "same_size", tally->same_size);
	base_json_kv_uint(json, "model_only", tally->model_only);
	base_json_close(json);
}

static void json_sizes(struct base_json *json, const char *key, const struct replay_sizes *sizes)
{
	base_json_key(json, key);
	base_json_object(json);
	base_json_kv_uint(json, "recorded", sizes->recorded);
	base_json_kv_uint(json, "same_size", sizes->same_size);
	base_json_close(json);
}

static void json_marks(struct base_json *json, const char *key, const struct replay_marks *marks)
{
	base_json_key(json, key);
	base_json_object(json);
	base_json_kv_uint(json, "compared", marks->compared);
	base_json_kv_uint(json, "equal", marks->equal);
	base_json_kv_uint(json, "high_equal", marks->high_equal);
	base_json_close(json);
}

void replay_difference_json(const struct replay_difference *first, struct base_json *json)
{
	base_json_object(json);
	base_json_kv_uint(json, "line", first->line);
	base_json_kv_string(json, "kind", first->refill ? "refill" : "drain");
	base_json_kv_int(json, "cpu", first->cpu);
	base_json_kv_uint(json, "node", first->node);
	base_json_kv_string(json, "zone", first->zone);
	base_json_kv_uint(json, "order", first->order);
	base_json_kv_uint(json, "recorded", first->recorded);
	base_json_kv_uint(json, "model", first->model);
	base_json_kv_string(json, "cause", replay_cause_name(first->cause));
	base_json_close(json);
}

void replay_unequal_json(const struct replay_unequal *u, struct base_json *json)
{
	base_json_object(json);
	base_json_kv_uint(json, "snapshot", u->snap);
	base_json_kv_int(json, "cpu", u->cpu);
	base_json_kv_uint(json, "node", u->node);
	base_json_kv_string(json, "zone", u->zone);
	base_json_kv_int(json, "count", u->count);
	base_json_kv_int(json, "model_count", u->model_count);
	base_json_kv_int(json, "high", u->high);
	base_json_kv_int(json, "model_high", u->model_high);
	base_json_close(json);
}

static void json_first(struct base_json *json, const struct replay_difference *first)
{
	base_json_key(json, "first_difference");
	if (first->there) {
		replay_difference_json(first, json);
	} else {
		base_json_null(json);
	}
}

void replay_skipped_json(const struct replay_report *report, struct base_json *json)
{
	int i;

	base_json_object(json);
	for (i = 0; i < TRACE_SKIP_N; i++) {
		if (report->trace.skipped[i]) {
			base_json_kv_uint(json, trace_skip_name((enum trace_skip)i),
					  report->trace.skipped[i]);
		}
	}
	for (i = 0; i < REPLAY_SKIP_N; i++) {
		/* always there: what the figures below leave out */
		if (report->skipped[i] || i == REPLAY_SKIP_START_STATE) {
			base_json_kv_uint(json, replay_skip_name((enum replay_skip)i),
					  report->skipped[i]);
		}
	}
	if (report->lost_events) {
		base_json_kv_uint(json, "lost_events", report->lost_events);
	}
	base_json_close(json);
}

void replay_write_json(const struct replay_report *report, struct base_json *json)
{
	char set[PATCH_TEXT_MAX];
	int i;

	base_json_kv_uint(json, "events", report->events);
	base_json_kv_uint(json, "ops", report->ops);
	base_json_key(json, "skipped");
	replay_skipped_json(report, json);
	json_tally(json, "refills", &report->refills);
	json_tally(json, "drains", &report->drains);
	base_json_key(json, "free_running");
	base_json_object(json);
	json_tally(json, "refills", &report->free_refills);
	json_tally(json, "drains", &report->free_drains);
	base_json_close(json);
	json_marks(json, "marks", &report->marks_traced);
	base_json_key(json, "free_running_whole");
	base_json_object(json);
	json_tally(json, "refills", &report->whole_refills);
	json_tally(json, "drains", &report->whole_drains);
	json_marks(json, "marks", &report->whole_marks);
	base_json_close(json);
	base_json_key(json, "causes");
	base_json_object(json);
	for (i = 0; i < REPLAY_CAUSE_N; i++) {
		if (report->causes[i]) {
			base_json_kv_uint(json, replay_cause_name((enum replay_cause)i),
					  report->causes[i]);
		}
	}
	base_json_close(json);
	json_first(json, &report->first);
	json_marks(json, "marks_with_traffic", &report->marks_traced_active);
	json_marks(json, "marks_active", &report->marks_active);
	/* fitted to the marks themselves: no prediction */
	json_marks(json, "marks_explained", &report->marks);
	json_sizes(json, "ticks", &report->ticks);
	json_sizes(json, "remote_drains", &report->remote);
	json_sizes(json, "requested_drains", &report->requests);
	json_sizes(json, "bulk_refills", &report->bulk);
	base_json_kv_uint(json, "ticks_inferred", report->ticks_inferred);
	base_json_kv_uint(json, "silent_inferred", report->silent_inferred);
	base_json_kv_string(json, "format", trace_tool_name(report->trace.tool));
	base_json_kv_string(json, "series",
			    patch_series(report->patches) == SERIES_V3 ? "v3" : "v2");
	base_json_kv_string(json, "patches", patch_set_format(report->patches, set));
	base_json_kv_string(json, "patches_by", report->patches_by);
	base_json_kv_bool(json, "patches_unsure", report->patches_unsure);
	base_json_kv_uint(json, "snapshots", report->snapshots);
	base_json_kv_int(json, "high_fraction", report->fraction);
	base_json_kv_uint(json, "pagesets_used", report->psets_used);
	base_json_kv_uint(json, "keep_batch_off", report->keep_off);
	base_json_key(json, "events_by_kind");
	base_json_object(json);
	for (i = 0; i < TRACE_KIND_N; i++) {
		base_json_kv_uint(json, trace_kind_name((enum trace_kind)i),
				  report->trace.events[i]);
	}
	base_json_close(json);
}

static const char *cause_text(enum replay_cause cause)
{
	static const char *const texts[] = {
#define X(id, name, text) text,
		REPLAY_CAUSES(X)
#undef X
	};

	return texts[cause];
}

static void text_percent(FILE *out, uint64_t part, uint64_t whole)
{
	if (whole) {
		fprintf(out, " %6.2f%%", 100.0 * (double)part / (double)whole);
	} else {
		fprintf(out, " %7s", "-");
	}
}

static void text_tally(FILE *out, const char *name, const struct replay_tally *t)
{
	fprintf(out, "  %-8s %9" PRIu64 " %9" PRIu64, name, t->recorded, t->same_event);
	text_percent(out, t->same_event, t->recorded);
	fprintf(out, " %9" PRIu64, t->same_size);
	text_percent(out, t->same_size, t->recorded);
	fprintf(out, " %9" PRIu64 "\n", t->model_only);
}

static void text_sizes(FILE *out, const char *name, const struct replay_sizes *s)
{
	if (s->recorded) {
		fprintf(out, "  %-44s %9" PRIu64 ", %" PRIu64 " of the size predicted\n", name,
			s->recorded, s->same_size);
	}
}

static void text_marks(FILE *out, const char *name, const struct replay_marks *m)
{
	fprintf(out, "  %-32s %7" PRIu64 ", count equal in %" PRIu64, name, m->compared, m->equal);
	text_percent(out, m->equal, m->compared);
	fprintf(out, ", high in %" PRIu64, m->high_equal);
	text_percent(out, m->high_equal, m->compared);
	fputc('\n', out);
}

static void text_head(const struct replay_report *report, FILE *out)
{
	char set[PATCH_TEXT_MAX];
	int i;

	fprintf(out,
		"%" PRIu64 " events (%s text), %" PRIu64 " operations on %" PRIu64 " pagesets\n",
		report->events, trace_tool_name(report->trace.tool), report->ops,
		report->psets_used);
	for (i = 0; i < TRACE_KIND_N; i++) {
		if (report->trace.events[i]) {
			fprintf(out, "  %-28s %9" PRIu64 "\n", trace_kind_name((enum trace_kind)i),
				report->trace.events[i]);
		}
	}
	fprintf(out, "model: series %s, patches %s (%s)\n",
		patch_series(report->patches) == SERIES_V3 ? "v3" : "v2",
		patch_set_format(report->patches, set), report->patches_by);
	if (!report->machine_known) {
		fputs("no zoneinfo: the zones of a PC are assumed, and limits that nothing tells are learnt from the drains;\n"
		      "give --snapshots or --zoneinfo for figures that mean something\n",
		      out);
	} else if (!report->snapshots) {
		fputs("no snapshots: counts at the start are not known, and nothing is compared at marks\n",
		      out);
	}
	if (report->fraction) {
		fprintf(out,
			"high is fixed, as by vm.percpu_pagelist_high_fraction = %" PRId64 "\n",
			report->fraction);
	}
	if (report->keep_off) {
		fprintf(out,
			"the keep-a-batch flag (patch 3) turned out to be off in %" PRIu64
			" pagesets\n",
			report->keep_off);
	}
	if (report->lost_events || report->cuts) {
		fprintf(out,
			"events are missing: %" PRIu64 " lost while recording, %" PRIu64
			" places where lines were cut out\n",
			report->lost_events, report->cuts);
	}
}

void replay_write_skipped(const struct replay_report *report, FILE *out)
{
	int i;

	fputs("not judged, and lines without an event\n", out);
	for (i = 0; i < REPLAY_SKIP_N; i++) {
		if (report->skipped[i]) {
			fprintf(out, "  %-28s %9" PRIu64 "\n",
				replay_skip_name((enum replay_skip)i), report->skipped[i]);
		}
	}
	for (i = 0; i < TRACE_SKIP_N; i++) {
		if (report->trace.skipped[i]) {
			fprintf(out, "  %-28s %9" PRIu64 "\n", trace_skip_name((enum trace_skip)i),
				report->trace.skipped[i]);
		}
	}
	if (report->trace.first_bad_line) {
		fprintf(out, "  the first line that was not understood is %" PRIu64 " (%s)\n",
			report->trace.first_bad_line, trace_skip_name(report->trace.first_bad));
	}
}

void replay_write_difference(const struct replay_difference *first, FILE *out)
{
	fprintf(out, "line %" PRIu64 ", cpu %d, node %u zone %s, %s at order %u: recorded ",
		first->line, (int)first->cpu, (unsigned int)first->node, first->zone,
		first->refill ? "refill" : "drain", (unsigned int)first->order);
	if (first->recorded) {
		fprintf(out, "%" PRIu64 " %s", first->recorded, first->refill ? "blocks" : "pages");
	} else {
		fputs("none", out);
	}
	if (first->model) {
		fprintf(out, ", model %" PRIu64, first->model);
	} else {
		fputs(", model none", out);
	}
	fprintf(out, " (%s)\n", cause_text(first->cause));
}

void replay_write_unequal(const struct replay_unequal *u, FILE *out)
{
	fprintf(out,
		"snapshot %" PRIu32 ", cpu %" PRId32 ", node %" PRIu32 " zone %s: count %" PRId64
		", model %" PRId32 "; high %" PRId64 ", model %" PRId32 "\n",
		u->snap, u->cpu, u->node, u->zone, u->count, u->model_count, u->high,
		u->model_high);
}

static void text_differences(const struct replay_report *report, FILE *out)
{
	const struct replay_difference *first = &report->first;
	int i;

	if (!first->there) {
		fputs("no difference one step ahead\n", out);
		return;
	}
	fputs("differences one step ahead, by what was put right\n", out);
	for (i = 0; i < REPLAY_CAUSE_N; i++) {
		if (report->causes[i]) {
			fprintf(out, "  %9" PRIu64 "  %s\n", report->causes[i],
				cause_text((enum replay_cause)i));
		}
	}
	fputs("first difference: ", out);
	replay_write_difference(first, out);
}

void replay_write_text(const struct replay_report *report, FILE *out)
{
	text_head(report, out);
	fprintf(out, "\n%-10s %9s %9s %7s %9s %7s %9s\n", "one step ahead", "recorded", "same", "",
		"and size", "", "model");
	text_tally(out, "refills", &report->refills);
	text_tally(out, "drains", &report->drains);
	fputs("running free from mark to mark\n", out);
	text_tally(out, "refills", &report->free_refills);
	text_tally(out, "drains", &report->free_drains);
	if (report->marks.compared) {
		fputs("running free from the first mark to the end\n", out);
		text_tally(out, "refills", &report->whole_refills);
		text_tally(out, "drains", &report->whole_drains);
	}
	if (report->marks.compared) {
		fputs("at the snapshots' marks\n", out);
		text_marks(out, "lists, by events alone", &report->marks_traced);
		text_marks(out, "of them with traffic since", &report->marks_traced_active);
		text_marks(out, "explained by the snapshots", &report->marks);
		text_marks(out, "of them with traffic since", &report->marks_active);
		text_marks(out, "explained, never put right", &report->whole_marks);
		if (report->ticks_inferred) {
			fprintf(out,
				"  ticks that drained nothing, told by a high that decayed: %" PRIu64
				"\n",
				report->ticks_inferred);
		}
		if (report->silent_inferred) {
			fprintf(out,
				"  allocations without an event, told by numa_hit and a count: %" PRIu64
				"\n",
				report->silent_inferred);
		}
	}
	if (report->ticks.recorded || report->remote.recorded || report->requests.recorded ||
	    report->bulk.recorded) {
		fputs("outcomes whose moment the recording gives (in no figure above, but the bulk refills)\n",
		      out);
		text_sizes(out, "drains by a tick", &report->ticks);
		text_sizes(out, "drains of a remote node's list by a tick", &report->remote);
		text_sizes(out, "drains that somebody asked for", &report->requests);
		text_sizes(out, "refills by the bulk allocator", &report->bulk);
	}
	fputc('\n', out);
	text_differences(report, out);
	fputc('\n', out);
	replay_write_skipped(report, out);
}

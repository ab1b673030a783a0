/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading and playing scenarios: what each kind of step does, and what the shipped ones promise. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "core/field.h"
#include "expr_glue.h"
#include "scenario/scenario.h"

#define HEAD "schema_version: 1\nname: t\ntitle: t\n"

/* ---- help ------------------------------------------------------------------------------------------------------------ */

struct run {
	struct scenario *scn;
	struct timeline *tl;
	struct scn_player *p;
};

static struct scenario *load_with(const char *text, struct scn_options o)
{
	struct scenario *scn;
	struct diags ds;

	o.expr = &expr_glue;
	base_diags_init(&ds, 20);
	if (scn_load_text("t.yaml", text, strlen(text), &o, &scn, &ds)) {
		base_diags_print(stderr, &ds, false);
		cr_assert_fail("not loaded");
	}
	base_diags_free(&ds);
	return scn;
}

static struct run begin(const char *text)
{
	struct run r = { .scn = load_with(text, (struct scn_options){ 0 }) };
	const struct scn_info *info = scn_info(r.scn);
	struct sim_error err;

	cr_assert_eq(tl_create(info->machine, info->patches, TL_BOUND_DEFAULT, true, &r.tl, &err),
		     SIM_OK, "%s", err.message);
	r.p = scn_player_create(r.scn, r.tl);
	return r;
}

static void end(struct run *r)
{
	scn_player_free(r->p);
	tl_destroy(r->tl);
	scn_free(r->scn);
}

static s64 get(const struct run *r, const char *path)
{
	struct field_ref ref;
	struct sim_error err;
	s64 value;

	cr_assert_eq(field_parse(tl_view(r->tl), path, FIELD_NO_ZONE, &ref, NULL, &err), SIM_OK,
		     "%s", err.message);
	cr_assert(field_get(tl_view(r->tl), &ref, &value), "%s", path);
	return value;
}

struct tally {
	size_t ops, checks, failed, says, answers;
	char last[256];
};

static struct tally play(struct run *r)
{
	struct tally t = { 0 };
	struct scn_event ev;
	bool more = true;

	while (more) {
		more = scn_play_next(r->p, &ev);
		t.ops += ev.kind == SCN_EV_OP;
		t.says += ev.kind == SCN_EV_SAY;
		t.answers += ev.kind == SCN_EV_RESOLVE;
		if (ev.kind == SCN_EV_EXPECT || ev.kind == SCN_EV_RESOLVE) {
			t.checks++;
			t.failed += !ev.ok;
		}
		if (ev.message[0])
			memcpy(t.last, ev.message, sizeof(t.last));
		if (ev.kind == SCN_EV_ERROR)
			t.failed++;
	}
	return t;
}

static struct tally play_text(const char *text)
{
	struct run r = begin(text);
	struct tally t = play(&r);

	end(&r);
	return t;
}

/* ---- steps ----------------------------------------------------------------------------------------------------------- */

Test(scenario, large_counts_are_split)
{
	/* 10000 blocks are three operations of at most 4096; so are the frees */
	struct tally t = play_text(HEAD
				   "patches: none\nsteps:\n"
				   "  - alloc: {count: 10000, as: a, must: succeed}\n"
				   "  - free: {pages: a}\n"
				   "  - expect: stats.allocs == 10000 and stats.frees == 10000\n");

	cr_expect_eq(t.ops, 6);
	cr_expect_eq(t.failed, 0, "%s", t.last);
}

Test(scenario, failed_part_ends_the_rest)
{
	/* 64 MiB are 16384 pages: the fifth part of 4096 cannot be got */
	struct tally t = play_text(HEAD "machine: {memory: 64MiB}\nsteps:\n"
					"  - alloc: {count: 40000, as: a, must: fail}\n"
					"  - expect: got + failed == 40000 and got < 16384\n"
					"  - free: {pages: a}\n"
					"  - expect: stats.frees == stats.allocs\n");

	cr_expect_eq(t.failed, 0, "%s", t.last);
	cr_expect_eq(t.checks, 3);
	cr_expect_lt(t.ops, 10);
}

Test(scenario, must_is_a_check)
{
	struct tally t = play_text(HEAD
				   "machine: {memory: 64MiB}\nsteps:\n"
				   "  - alloc: {count: 40000, must: succeed}\n"
				   "  - alloc: {count: 1, order: 0, atomic: true, must: fail}\n");

	cr_expect_eq(t.checks, 2);
	cr_expect_geq(t.failed, 1);
}

Test(scenario, lists_and_busy_frees)
{
	struct run r = begin(HEAD "patches: none\nsteps:\n"
				  "  - alloc: {count: 100, as: a}\n"
				  "  - free: {pages: a, count: 50, batch: true}\n"
				  "  - free: {pages: a, count: 3, busy: true}\n"
				  "  - alloc: {count: 2, busy: true}\n"
				  "  - bulk: {count: 10, as: b, must: succeed}\n"
				  "  - free: {pages: b, order: newest}\n");
	struct tally t = play(&r);

	cr_expect_eq(t.failed, 0, "%s", t.last);
	/* one, one, three single ones, two, one, one */
	cr_expect_eq(t.ops, 9);
	/* what meets a locked pageset goes to the buddy */
	cr_expect_eq(get(&r, "stats.direct_frees"), 3);
	cr_expect_eq(get(&r, "stats.direct_allocs"), 2);
	end(&r);
}

Test(scenario, every_kind_of_operation_step)
{
	struct run r = begin(
		HEAD
		"machine: {nodes: 2, cpus: 4, boost: 15000}\npatches: 1-7\nsteps:\n"
		"  - tick: {all: true, times: 2}\n"
		"  - touch: {cpu: 1, zone: 'node[1].Normal'}\n"
		"  - drain: {cpu: 1}\n"
		"  - drain: {zone: 0}\n"
		"  - drain: {all: true}\n"
		"  - reclaim: {zone: 1, on: true}\n"
		"  - sysctl: {min_free_kbytes: 8192, watermark_scale_factor: 20}\n"
		"  - pcp: {zone: 0, on: false}\n"
		"  - pcp: {zone: 0, on: true}\n"
		"  - cache: {cpu: 2, size: 4MiB}\n"
		"  - hotplug: {cpu: 3, online: false}\n"
		"  - tick: {all: true}\n"
		"  - watermarks: {zone: 1, min: 10, low: 20, high: 30}\n"
		"  - boost_clear: {zone: 1}\n"
		"  - patch: {off: '7', on: '10'}\n"
		"  - repeat: {times: 3, steps: [{tick: {cpu: 0}}, {repeat: {times: 2, steps: [{tick: {cpu: 1}}]}}]}\n");
	struct tally t = play(&r);
	const struct sim *sim = tl_view(r.tl);

	cr_expect_eq(t.failed, 0, "%s", t.last);
	/* 8 ticks, 1 + 3 + 1, two sysctls, 2, 1, 1, three ticks, 1, 1, 1, nine ticks */
	cr_expect_eq(t.ops, 8 + 5 + 2 + 2 + 1 + 1 + 3 + 3 + 9);
	cr_expect_not(sim_cpu_online(sim, 3));
	cr_expect_eq(sim_zone(sim, 1)->_watermark[WMARK_LOW], 20);
	cr_expect_eq(sim_cpu_cache(sim, 2), 4u << 20);
	cr_expect(sim_patches(sim) & PATCH_BIT(P_FREE_COUNT));
	cr_expect_not(sim_patches(sim) & PATCH_BIT(P_TUNE_HIGH));
	end(&r);
}

Test(scenario, groups_append_and_free_by_order)
{
	/* the newest of two additions are the second one's */
	struct tally t = play_text(HEAD "patches: none\nsteps:\n"
					"  - alloc: {count: 10, order: 0, as: a}\n"
					"  - alloc: {count: 10, order: 1, as: a}\n"
					"  - free: {pages: a, count: 10, order: newest}\n"
					"  - expect: cpu[0].lists[4].n == 31\n"
					"  - free: {pages: a, count: 10, order: oldest}\n"
					"  - expect: cpu[0].lists[1].n == 63\n");

	cr_expect_eq(t.failed, 0, "%s", t.last);
}

static u64 digest_of(const char *text, u64 seed)
{
	struct scn_options o = { .seed_given = seed != 0, .seed = seed };
	struct run r = { .scn = load_with(text, o) };
	struct sim_error err;
	u64 digest;

	tl_create(scn_info(r.scn)->machine, scn_info(r.scn)->patches, TL_BOUND_DEFAULT, false,
		  &r.tl, &err);
	r.p = scn_player_create(r.scn, r.tl);
	play(&r);
	digest = sim_state_digest(tl_view(r.tl));
	end(&r);
	return digest;
}

Test(scenario, shuffles_and_draws_follow_the_seed)
{
	static const char shuffle[] = HEAD "patches: none\nsteps:\n"
					   "  - alloc: {count: 500, as: a}\n"
					   "  - free: {pages: a, order: shuffled, count: 300}\n"
					   "  - free: {pages: a, order: shuffled}\n";
	static const char rand[] = HEAD
		"steps:\n  - alloc: {count: \"${rand 100 9999 n}\", as: a}\n"
		"  - free: {pages: a, count: \"${n}\"}\n";

	cr_expect_eq(digest_of(shuffle, 0), digest_of(shuffle, 1));
	cr_expect_neq(digest_of(shuffle, 1), digest_of(shuffle, 2));
	cr_expect_eq(digest_of(rand, 5), digest_of(rand, 5));
	cr_expect_neq(digest_of(rand, 5), digest_of(rand, 6));
}

Test(scenario, clone_goes_its_own_way)
{
	struct run r = begin(HEAD "patches: none\nsteps:\n"
				  "  - alloc: {count: 9000, as: a}\n"
				  "  - predict: {id: q, ask: a, expr: 'cpu[0].count'}\n"
				  "  - free: {pages: a, order: shuffled}\n"
				  "  - alloc: {count: 5, as: a}\n");
	struct scn_player *other_p;
	struct timeline *other;
	struct scn_event ev;
	struct sim_error err;
	u64 first;

	/* into the middle of the free */
	for (int i = 0; i < 5; i++)
		cr_assert(scn_play_next(r.p, &ev));
	cr_assert_str_eq(ev.step, "free");
	cr_assert_eq(tl_fork(r.tl, &other, &err), SIM_OK, "%s", err.message);
	other_p = scn_player_clone(r.p, other);
	play(&r);
	first = sim_state_digest(tl_view(r.tl));
	while (scn_play_next(other_p, &ev))
		;
	cr_expect_eq(ev.kind, SCN_EV_END);
	cr_expect_eq(sim_state_digest(tl_view(other)), first);
	scn_player_free(other_p);
	tl_destroy(other);
	end(&r);
}

Test(scenario, predict_after_counts_operation_steps)
{
	struct run r = begin(
		HEAD "patches: none\nsteps:\n"
		     "  - predict: {id: two, ask: a, expr: 'cpu[0].count', after: 2, answer: 60}\n"
		     "  - predict: {id: one, ask: a, expr: 'cpu[0].count', choices: [62, 3]}\n"
		     "  - say: nothing happens\n"
		     "  - alloc: {}\n"
		     "  - patch: {on: '1'}\n"
		     "  - alloc: {count: 2}\n");
	static const char *const order[] = { "one", "two" };
	struct scn_event ev;
	size_t nr = 0;

	while (scn_play_next(r.p, &ev)) {
		if (ev.kind != SCN_EV_RESOLVE)
			continue;
		cr_assert_lt(nr, 2);
		cr_expect_str_eq(ev.predict->id, order[nr++]);
		cr_expect(ev.ok, "%s", ev.message);
	}
	cr_expect_eq(nr, 2);
	end(&r);
}

Test(scenario, wrong_answers_are_found)
{
	struct tally t = play_text(
		HEAD
		"patches: none\nsteps:\n"
		"  - predict: {id: a, ask: a, expr: 'cpu[0].count', choices: [1, 2]}\n"
		"  - predict: {id: b, ask: a, expr: 'cpu[0].count', answer: 63}\n"
		"  - predict: {id: c, ask: a, expr: 'cpu[0].count == 62', choices: [\"yes\", \"no\"], answer: \"yes\"}\n"
		"  - alloc: {}\n"
		"  - expect: cpu[0].count\n"
		"  - expect: cpu[0].high_min == 3\n");

	/* a, b, the number that is no condition, and the field of patch 6 */
	cr_expect_eq(t.checks, 5);
	cr_expect_eq(t.failed, 4);
	cr_expect(strstr(t.last, "patch 6") != NULL, "%s", t.last);
}

Test(scenario, failed_expectation_shows_values)
{
	struct tally t = play_text(HEAD "patches: none\nsteps:\n  - alloc: {}\n"
					"  - expect: cpu[0].count == 3 and stats.refills == 1\n");

	cr_expect_eq(t.failed, 1);
	cr_expect_str_eq(t.last, "cpu[0].zone[0].count is 62, stats.refills is 1");
}

Test(scenario, limit_stops_with_an_error)
{
	struct run r = begin(HEAD "steps:\n  - tick: {times: 100}\n");
	struct tally t;

	scn_player_limit(r.p, 10);
	t = play(&r);
	cr_expect_eq(t.ops, 10);
	cr_expect_str_eq(t.last, "stopped after 10 operations");
	end(&r);
}

Test(scenario, op_next_looks_ahead)
{
	struct run r = begin(HEAD "steps:\n  - say: hello\n  - tick: {times: 2}\n  - say: bye\n");
	struct scn_event ev;

	cr_expect_not(scn_play_op_next(r.p));
	scn_play_next(r.p, &ev);
	cr_expect(scn_play_op_next(r.p));
	scn_play_next(r.p, &ev);
	cr_expect_not(ev.step_ends);
	cr_expect(scn_play_op_next(r.p));
	scn_play_next(r.p, &ev);
	cr_expect(ev.step_ends);
	cr_expect_not(scn_play_op_next(r.p));
	end(&r);
}

/* ---- Lua, tasks, sleep ------------------------------------------------------------------------------------------------ */

static enum base_err fake_lua(void *ctx, struct timeline *tl, const struct scn_lua_call *call,
			      struct diag *d)
{
	struct op op = { .kind = OP_TICK, .count = 1 };
	struct sim_error err;

	(void)d;
	cr_assert_str_eq(call->code, "x()");
	cr_assert_eq(call->nr_args, 3);
	cr_assert_eq(call->args[0].value.i, 3);
	cr_assert_eq(call->args[1].value.kind, SCN_TEXT);
	cr_assert(call->args[2].value.b);
	++*(int *)ctx;
	return tl_append(tl, &op, NULL, NULL, &err) ? BASE_ERR_FAILED : BASE_ERR_OK;
}

static enum base_err fake_sleep(void *ctx, struct timeline *tl, u32 cpu, u64 ns, struct diag *d)
{
	(void)ctx;
	(void)tl;
	cr_assert_eq(cpu, 0);
	cr_assert_eq(ns, 10000000);
	return base_diag_set(d, BASE_ERR_FAILED, NULL, 0, 0, "no sleep");
}

Test(scenario, hooks_get_their_steps)
{
	int calls = 0;
	struct scn_hooks hooks = { .lua = fake_lua, .sleep = fake_sleep, .ctx = &calls };
	struct run r = { .scn = load_with(HEAD
					  "steps:\n"
					  "  - lua: {code: x(), args: {n: 3, s: '3', b: true}}\n"
					  "  - sleep: 10ms\n",
					  (struct scn_options){ .hooks = &hooks }) };
	struct sim_error err;
	struct scn_event ev;

	cr_expect(scn_info(r.scn)->reruns);
	tl_create(scn_info(r.scn)->machine, 0, TL_BOUND_DEFAULT, true, &r.tl, &err);
	r.p = scn_player_create(r.scn, r.tl);
	cr_expect(scn_play_next(r.p, &ev));
	cr_expect_eq(ev.kind, SCN_EV_DONE);
	cr_expect_eq(calls, 1);
	cr_expect_eq(tl_length(r.tl), 1);
	cr_expect_not(scn_play_next(r.p, &ev));
	cr_expect_eq(ev.kind, SCN_EV_ERROR);
	cr_expect_str_eq(ev.message, "no sleep");
	cr_expect_eq(ev.line, 6);
	/* an error stays one */
	cr_expect_not(scn_play_next(r.p, &ev));
	cr_expect_eq(ev.kind, SCN_EV_ERROR);
	end(&r);
}

/* ---- machines and options ---------------------------------------------------------------------------------------------- */

Test(scenario, machine_keys_and_lists)
{
	struct scenario *scn = load_with(
		HEAD
		"machine:\n  scale_max: none\n  nofragment: auto\n  highatomic: true\n"
		"  nodes:\n    - {cpus: [0, 2], zones: [{name: DMA32, size: 64MiB}, {name: Normal, size: 128MiB, watermarks: [1, 2, 3]}]}\n"
		"    - {cpus: [1], zones: [{name: Normal, size: 64MiB, start_pfn: 1048576}]}\n"
		"zone: 1\nsteps:\n  - tick: {}\n",
		(struct scn_options){ 0 });
	const struct machine *m = scn_info(scn)->machine;

	cr_expect_eq(m->nr_zones, 3);
	cr_expect_eq(m->cpus, 3);
	cr_expect_eq(m->cpu_node[1], 1);
	cr_expect_eq(m->zones[1].wmark[2], 3);
	cr_expect_eq(m->zones[2].start_pfn, 1048576);
	cr_expect_eq(m->scale_max, SCALE_NONE);
	cr_expect_eq(m->highatomic, 1);
	cr_expect_eq(scn_info(scn)->default_zone, 1);
	scn_free(scn);
}

Test(scenario, options_go_before_the_file)
{
	const char *sets[] = { "cpus=8", "memory=512MiB", "nofragment=auto" };
	struct scenario *scn = load_with(HEAD
					 "machine: {cpus: 2}\nseries: v2\npatches: all\nseed: 4\n"
					 "steps:\n  - tick: {cpu: 7}\n",
					 (struct scn_options){ .sets = sets,
							       .nr_sets = 3,
							       .seed_given = true,
							       .seed = 9,
							       .series = 1 + SERIES_V3 });
	const struct scn_info *info = scn_info(scn);

	cr_expect_eq(info->machine->cpus, 8);
	cr_expect_eq(info->machine->memory, 512 << 20);
	cr_expect_eq(info->seed, 9);
	cr_expect_eq(info->series, SERIES_V3);
	cr_expect_eq(patch_series(info->patches), SERIES_V3);
	scn_free(scn);
}

Test(scenario, set_refuses_what_is_no_key)
{
	static const struct {
		const char *text, *message, *hint;
	} bad[] = {
		{ "cpu=3", "'cpu' is not a key of a machine", "did you mean cpus?" },
		{ "cpus", "cpus lacks a value", "expected KEY=VALUE, such as cpus=8" },
		{ "cpus=0", "cpus: 0 is out of range", "expected a whole number from 1 to 8192" },
		{ "lru=yes", "lru: 'yes' is not a value of it", "expected false or true" },
	};
	struct machine m;
	struct diag d;

	machine_init(&m);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		cr_expect_eq(scn_machine_set(&m, bad[i].text, &d), BASE_ERR_USAGE);
		cr_expect_str_eq(d.message, bad[i].message);
		cr_expect_str_eq(d.hint, bad[i].hint);
		cr_expect_str_eq(d.file, "--set");
	}
	cr_expect_eq(m.cpus, 4);
	machine_free(&m);
}

/* ---- values and answers ------------------------------------------------------------------------------------------------ */

Test(scenario, answers_are_compared_as_people_write_them)
{
	struct scn_value yes = { .kind = SCN_BOOL, .b = true }, n = { .kind = SCN_INT, .i = 62 },
			 half = { .kind = SCN_NUM, .n = 62.5 };

	cr_expect(scn_answer_right(&yes, "yes"));
	cr_expect(scn_answer_right(&yes, " True "));
	cr_expect_not(scn_answer_right(&yes, "no"));
	cr_expect_not(scn_answer_right(&yes, "1"));
	cr_expect(scn_answer_right(&n, "62"));
	cr_expect(scn_answer_right(&n, "62.0"));
	cr_expect_not(scn_answer_right(&n, "62 pages"));
	cr_expect_not(scn_answer_right(&n, ""));
	cr_expect(scn_answer_right(&half, "62.5"));
	cr_expect_not(scn_answer_right(&half, "62"));
}

Test(scenario, answer_files_read_back)
{
	struct scn_answer items[] = { { .id = (char[]){ "q1" }, .text = (char[]){ "6 \"2\"" } },
				      { .id = (char[]){ "q-2" }, .text = (char[]){ "yes" } } };
	struct scn_answers a = { .lesson = (char[]){ "t" },
				 .student = (char[]){ "Ada: \\ L\n" },
				 .version = (char[]){ "0.1.0" },
				 .seed_given = true,
				 .seed = 17,
				 .items = items,
				 .nr = 2 };
	char path[] = "/tmp/answersXXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	struct scn_answers b;
	struct diags ds;

	scn_answers_write(f, &a);
	fclose(f);
	base_diags_init(&ds, 5);
	cr_assert_eq(scn_answers_load(path, &b, &ds), BASE_ERR_OK);
	cr_expect_eq(b.nr, 2);
	cr_expect_str_eq(b.items[0].text, items[0].text);
	cr_expect_str_eq(b.items[1].id, "q-2");
	cr_expect_str_eq(b.student, a.student);
	cr_expect_eq(b.seed, 17);
	scn_answers_free(&b);
	base_diags_free(&ds);
	remove(path);
}

Test(scenario, schema_names_every_step)
{
	static const char *const keys[] = {
#define STEP_KIND(id, key, map) "\"" key "\": {",
#include "scenario/steps.def"
#undef STEP_KIND
#define MKEY(name, type, unit, min, max, def, help) "\"" #name "\": {",
#include "core/machine.def"
#undef MKEY
	};
	struct base_json j;
	size_t len;
	char *text;

	base_json_to_memory(&j, true);
	scn_schema_write(&j);
	cr_assert_eq(base_json_end(&j), BASE_ERR_OK);
	text = base_json_take(&j, &len);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		cr_expect(strstr(text, keys[i]) != NULL, "%s", keys[i]);
	free(text);
}

/* ---- the shipped scenarios ----------------------------------------------------------------------------------------------- */

static void check_shipped(const char *path)
{
	struct base_text t;
	struct diag d;
	struct run r;
	struct tally tally;

	cr_assert_eq(base_text_read(&t, path, 1 << 20, &d), BASE_ERR_OK);
	r = begin(t.data);
	tally = play(&r);
	cr_expect_eq(tally.failed, 0, "%s: %s", path, tally.last);
	cr_expect_geq(tally.answers, 2, "%s: %zu predictions", path, tally.answers);
	cr_expect_geq(tally.checks - tally.answers, 3, "%s: expectations", path);
	cr_expect_geq(tally.says, 2, "%s: %zu texts", path, tally.says);
	cr_expect_geq(strlen(scn_info(r.scn)->summary), 20, "%s: no summary", path);
	end(&r);
	base_text_free(&t);
}

Test(scenario, shipped_ones_hold)
{
	DIR *dir = opendir("scenarios");
	char path[300];
	int nr = 0;

	cr_assert_not_null(dir);
	for (struct dirent *e; (e = readdir(dir)) != NULL;) {
		size_t len = strlen(e->d_name);

		/* what hunt found is checked as all are, but teaches nothing by itself */
		if (len < 6 || strcmp(e->d_name + len - 5, ".yaml") != 0 ||
		    strncmp(e->d_name, "smallest-difference", 19) == 0)
			continue;
		snprintf(path, sizeof(path), "scenarios/%s", e->d_name);
		check_shipped(path);
		nr++;
	}
	closedir(dir);
	cr_assert_geq(nr, 16);
}

/* The step that switches the patch on, put out of action: then what the scenario says is no longer true. */
static void check_without(const char *name, const char *step)
{
	char path[300], *at;
	struct base_text t;
	struct tally tally;
	struct diag d;

	snprintf(path, sizeof(path), "scenarios/%s.yaml", name);
	cr_assert_eq(base_text_read(&t, path, 1 << 20, &d), BASE_ERR_OK);
	at = strstr(t.data, step);
	cr_assert_not_null(at, "%s: no step %s", name, step);
	/* "- patch: {on: "7"}" becomes "- focus: {cpu: 0  }" */
	memset(at, ' ', strlen(step));
	memcpy(at, "- focus: {cpu: 0", 16);
	at[strlen(step) - 1] = '}';
	tally = play_text(t.data);
	cr_expect_geq(tally.failed, 1, "%s: the patch makes no difference", name);
	base_text_free(&t);
}

Test(scenario, the_patch_makes_the_difference)
{
	static const char *const rows[][2] = {
		{ "exit-drain", "- patch: {on: \"1\"}" },
		{ "keep-batch", "- patch: {on: \"3\"}" },
		{ "scale-cap", "- patch: {on: \"4\"}" },
		{ "alloc-scale", "- patch: {on: \"5\"}" },
		{ "high-limits", "- patch: {on: \"6\"}" },
		{ "tune-high", "- patch: {on: \"7\"}" },
		{ "below-high", "- patch: {on: \"8\"}" },
		{ "count-min-trap", "- patch: {on: \"9\"}" },
		{ "free-count", "- patch: {on: \"10\"}" },
		{ "smt-sibling", "- hotplug: {cpu: 1, online: false}" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_without(rows[i][0], rows[i][1]);
}

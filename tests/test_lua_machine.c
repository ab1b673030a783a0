/* SPDX-License-Identifier: GPL-2.0-only */
/* Machines, events, policies and tasks as scripts see them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "core/timeline.h"
#include "script/hunt.h"
#include "script/script.h"
#include "tmpdir.h"

TestSuite(lua_machine, .init = tmpdir_make, .fini = tmpdir_remove);

static char out[20000];
static size_t out_len;

static void print(void *ctx, const char *text, size_t len)
{
	(void)ctx;
	if (len > sizeof(out) - 1 - out_len)
		len = sizeof(out) - 1 - out_len;
	memcpy(out + out_len, text, len);
	out[out_len += len] = '\0';
}

static const char *run(const char *code)
{
	struct script_options o = { .hooks = { NULL, print }, .out_dir = tmpdir };
	struct script *s = script_new(&o);
	struct diag d;

	out_len = 0;
	out[0] = '\0';
	if (script_run_text(s, "t.lua", code, strlen(code), tmpdir, &d, NULL)) {
		char text[1200];

		snprintf(text, sizeof(text), "%llu: %s", (unsigned long long)d.line, d.message);
		print(NULL, text, strlen(text));
	}
	script_free(s);
	return out;
}

#define expect_prints(code, want) cr_expect_str_eq(run(code), want, "%s: %s", code, out)
#define expect_has(code, part) cr_expect(strstr(run(code), part), "%s: %s", code, out)

Test(lua_machine, wrong_arguments_say_what_was_expected)
{
	expect_has("sim.machine(4)", "1: machine: a table was expected");
	expect_has("sim.machine{cpus = 0}", "cpus is 0; it must be between 1 and 8192");
	expect_has("sim.machine{memory = '64 MB'}", "1: memory: ");
	expect_has("sim.machine{nofragment = 'on'}", "nofragment: on is none of off, auto");
	expect_has("sim.machine{series = 'v4'}", "series: v4 is none of v2, v3");
	expect_has("sim.machine{series = 'v3', patches = '10'}", "10");
	expect_has("sim.machine{zones = {{nam = 'DMA'}}}", "did you mean name?");
	expect_has("sim.machine{zones = 3}", "a list of tables was expected");
	expect_has(
		"sim.machine{data_cache = 1, caches = {{level = 1, type = 'data', size = 4096}}}",
		"exclude each other");
	expect_has("sim.machine{}:alloc{ordr = 1}",
		   "alloc: ordr is not a key of it; did you mean order?");
	expect_has("sim.machine{}:alloc{order = 11}", "order is 11; it must be between 0 and 10");
	expect_has("sim.machine{}:alloc{order = 1.5}", "a whole number was expected, not 1.5");
	expect_has("sim.machine{}:alloc{type = 'X'}", "type: X is none of");
	expect_has("sim.machine{}:alloc{cpu = 4}", "cpu is 4; it must be between 0 and 3");
	expect_has("sim.machine{}.alloc{}", "methods are called with a colon");
	expect_has("sim.machine{}:allok()", "no method or field allok");
	expect_has("print(sim.machine{}.cpu[0].hihg)", "did you mean high?");
	expect_has("print(sim.machine{}.cpu.high)",
		   "after cpu a CPU's number was expected, not high");
	expect_has("sim.machine{}:tick(7)", "between 0 and 3");
	expect_has("sim.machine{}:patch(11, true)", "series v2 has patches 1 to 10");
	expect_has("sim.machine{}:sysctl('high_fraction', 1)",
		   "sysctl: high_fraction is not a key");
	expect_has("sim.machine{}:on('refil', print)", "did you mean refill?");
	expect_has("local m = sim.machine{} m:close() m:alloc{}", "this machine is closed");
}

Test(lua_machine, a_page_cannot_be_freed_twice_or_elsewhere)
{
	expect_has("local m = sim.machine{}\nlocal p = m:alloc{}\nm:free(p)\nm:free(p)",
		   "4: page 1 was freed already");
	expect_has("local m = sim.machine{} local p = m:alloc{} m:free(p) m:alloc{} m:free(p)",
		   "was freed already");
	expect_has("local a, b = sim.machine{}, sim.machine{} b:alloc{} b:free(a:alloc{})",
		   "belongs to another machine");
	expect_has("sim.machine{}:free(nil)", "did the allocation fail?");
	expect_has("sim.machine{}:free(1)", "a page was expected, not number");
	expect_has("local m = sim.machine{} local p = m:alloc{} m:free{p, p}",
		   "page 1 stands in the list twice");
	expect_has("local m = sim.machine{} print(m:alloc{}.pfn)", "m:page(p) tells");
	expect_has("local m = sim.machine{} m:free_list{m:alloc{order = 1}}", "order-0 pages");
}

Test(lua_machine, no_memory_is_a_result)
{
	expect_prints("local m = sim.machine{memory = '4MiB', cpus = 1} print(m:alloc{order = 10})",
		      "nil\tno memory\n");
	expect_prints(
		"local m = sim.machine{memory = '4MiB', cpus = 1} local p = m:alloc{count = 5000}\n"
		"print(#p < 1024, p.failed, m:free(p) == m.stats.frees, #p)",
		"true\tno memory\ttrue\t0\n");
}

Test(lua_machine, lists_are_freed_in_the_order_asked_for)
{
	expect_prints(
		"local m = sim.machine{patches = 'none'} local p = m:alloc{count = 10}\n"
		"local first, last = m:page(p[1]).pfn, m:page(p[10]).pfn\n"
		"m:free(p, {count = 1}) print(m:list(0, 1)[1] == first, #p)\n"
		"m:free(p, {count = 1, order = 'newest'}) print(m:list(0, 1)[1] == last, #p)\n"
		"m:free(p, {order = 'shuffled'}) print(#p, m.stats.frees)",
		"true\t9\ntrue\t8\n0\t10\n");
}

Test(lua_machine, a_fork_goes_its_own_way)
{
	expect_prints(
		"local m = sim.machine{} local p = m:alloc{count = 9} local f = m:fork()\n"
		"print(f:digest() == m:digest()) f:free(p[1]) print(f:digest() == m:digest())\n"
		"m:free(p[1]) print(f:digest() == m:digest())",
		"true\nfalse\ntrue\n");
}

Test(lua_machine, patches_are_closed_both_ways)
{
	expect_prints(
		"local m = sim.machine{patches = 'none'} print(m:patch(7, true)) print(m:patch(4, false))",
		"4,6,7\n6\n");
	expect_prints(
		"local m = sim.machine{patches = 'none'} print(m.cpu[0].high_min, m.cpu[0].free_factor)\n"
		"m:patches('all') print(m.cpu[0].high_min ~= nil, m.cpu[0].free_factor)",
		"nil\t0\ntrue\tnil\n");
	expect_prints("print(sim.machine{}:series('v3'))", "v3\n");
}

/*
 * Events
 */

Test(lua_machine, handlers_see_the_middle_and_cannot_change_it)
{
	expect_prints(
		"local m = sim.machine{cpus = 1, patches = 'none'}\n"
		"m:on('refill', function(e) print(e.event, e.cpu, e.kind, e[1], m.cpu[0].count) end)\n"
		"m:alloc{}",
		"refill\t0\trefill\t63\t63\n");
	expect_has("local m = sim.machine{}\nm:on('step', function() m:alloc{} end)\nm:alloc{}",
		   "2: the machine cannot be changed in the middle of an operation");
	expect_has(
		"local m = sim.machine{} m:on('step', function() m:patches('none') end) m:alloc{}",
		"in the middle of an operation");
	expect_has("local m = sim.machine{} m:on('step', function() m:close() end) m:alloc{}",
		   "in the middle");
	expect_has("local m = sim.machine{} m:on('step', function() m:fork() end) m:alloc{}",
		   "in the middle");
	expect_has(
		"local m = sim.machine{} m:on('step', function() m:on('step', print) end) m:alloc{}",
		"in the middle");
	expect_has("local m = sim.machine{} m:on('step', function() m:policy{} end) m:alloc{}",
		   "in the middle");
	expect_has(
		"local m = sim.machine{} m:on('step', function() coroutine.yield() end) m:alloc{}",
		"yield");
}

Test(lua_machine, a_handler_that_fails_leaves_the_machine_whole)
{
	expect_prints(
		"local m = sim.machine{} local n = sim.machine{}\n"
		"m:on('step', function() error('oops') end) print((select(2, pcall(m.alloc, m, {})):gsub('\\n.*', '')))\n"
		"m:off() n:alloc{} print(m:digest() == n:digest())",
		"t.lua:2: oops\ntrue\n");
	expect_has(
		"local m = sim.machine{} m:on('step', function() while true do end end) m:alloc{}",
		"stopped");
}

Test(lua_machine, every_kind_of_event_comes)
{
	expect_prints(
		"local m, seen = sim.machine{cpus = 1, patches = 'none', memory = '64MiB'}, {}\n"
		"for _, e in ipairs{'refill', 'bulk', 'drain', 'free_high', 'tick', 'patch', 'fail', 'PCP_POP', 'flag'} do\n"
		"  m:on(e, function(ev) seen[e] = true assert(#ev.text > 0) end) end\n"
		"local p = m:alloc{count = 3000} local q = m:alloc{order = 1} m:free(p) m:free(q)\n"
		"m:tick(0) m:drain(0) m:reclaim(true) m:patches('all') while m:alloc{order = 10} do end\n"
		"for k in pairs(seen) do print(k) end",
		"PCP_POP\nbulk\ndrain\nfail\nflag\nfree_high\npatch\nrefill\ntick\n");
}

/*
 * Policies
 */

Test(lua_machine, results_of_policies_are_checked)
{
	expect_has(
		"local m = sim.machine{}\nm:policy{nr_pcp_alloc = function() return 0 end}\nm:alloc{}",
		"policy nr_pcp_alloc gave 0; a whole number from 1 to 65536 was expected");
	expect_has(
		"local m = sim.machine{} m:policy{nr_pcp_high = function() return -1 end} m:free(m:alloc{})",
		"policy nr_pcp_high gave -1");
	expect_has(
		"local m = sim.machine{} m:policy{nr_pcp_high = function() return 'x' end} m:free(m:alloc{})",
		"policy nr_pcp_high gave x");
	expect_has("local m = sim.machine{} m:policy{nr_pcp_hihg = print}",
		   "did you mean nr_pcp_high?");
	expect_has("local m = sim.machine{} m:policy{nr_pcp_high = 3}",
		   "nr_pcp_high is a number, not a function");
	expect_has(
		"local m = sim.machine{} m:policy{nr_pcp_alloc = function(pcp) pcp.count = 1 end} m:alloc{}",
		"pcp.count is read-only");
	expect_has(
		"local m = sim.machine{} m:policy{nr_pcp_alloc = function(pcp) pcp.high = -1 end} m:alloc{}",
		"high is -1; it must be between");
	expect_has(
		"local m, keep = sim.machine{} m:policy{nr_pcp_alloc = function(pcp) keep = pcp return 1 end}\n"
		"m:alloc{} print(keep.count)",
		"only be used while the policy function runs");
	expect_has(
		"local m = sim.machine{} m:policy{nr_pcp_alloc = function() m:alloc{} end} m:alloc{}",
		"in the middle of an operation");
}

Test(lua_machine, a_policy_that_fails_leaves_the_kernels_state)
{
	expect_prints(
		"local m, n = sim.machine{}, sim.machine{}\n"
		"m:policy{nr_pcp_alloc = function(pcp) pcp.high = 5 error('x') end}\n"
		"print(pcall(m.alloc, m, {}) == false) n:alloc{} print(m:digest() == n:digest())",
		"true\ntrue\n");
}

Test(lua_machine, the_kernels_own_answers_change_nothing)
{
	expect_prints(
		"local keys = {cpus = 2, memory = '64MiB'} local m, n = sim.machine(keys), sim.machine(keys)\n"
		"m:policy{nr_pcp_high = function(p, z, f) return p:nr_pcp_high(f) end,\n"
		"nr_pcp_free = function(p, z, h, f) return p:nr_pcp_free(h, f) end,\n"
		"nr_pcp_alloc = function(p, z, o) return p:nr_pcp_alloc(o) end,\n"
		"decay_pcp_high = function(p, z) return p:decay_pcp_high() end}\n"
		"for i = 1, 20 do local a, b = m:alloc{count = i * 40}, n:alloc{count = i * 40}\n"
		"m:free(a) n:free(b) m:tick(0) n:tick(0) assert(m:digest() == n:digest(), i) end print('same')",
		"same\n");
	expect_prints(
		"local m = sim.machine{} m:policy{nr_pcp_alloc = function() return 1 end} m:policy{} m:alloc{}\n"
		"print(m.stats.refill_pages)",
		"63\n");
}

/*
 * Tasks
 */

Test(lua_machine, tasks_run_by_time_then_cpu_then_turn)
{
	expect_prints(
		"local m = sim.machine{cpus = 3}\n"
		"local function f(name) return function(t) for i = 1, 2 do print(name, t:now()) t:alloc{} end end end\n"
		"m:spawn(2, f('c')) m:spawn(0, f('a1')) m:spawn(1, f('b')) m:spawn(0, f('a2')) m:run()",
		"a1\t0\nb\t0\nc\t0\na2\t60\nb\t60\nc\t60\na1\t120\na2\t180\n");
	expect_prints("local m = sim.machine{cpus = 2}\n"
		      "m:spawn(0, function(t) t:sleep(500) print('late', t:now()) end)\n"
		      "m:spawn(1, function(t) t:sleep(100) print('early', t:now()) end) m:run()",
		      "early\t100\nlate\t500\n");
}

Test(lua_machine, messages_arrive_in_order_and_carry_time)
{
	expect_prints("local m = sim.machine{cpus = 2}\n"
		      "m:spawn(1, function(t) for i = 1, 3 do print(t:recv(), t:now()) end end)\n"
		      "m:spawn(0, function(t) for i = 1, 3 do t:sleep(1000) t:send(1, i) end end)\n"
		      "local r = m:run() print(r.tasks, r.blocked)",
		      "1\t1060\n2\t2120\n3\t3180\n0\tfalse\n");
	expect_prints("local m = sim.machine{cpus = 2} m:spawn(0, function(t) t:recv() end)\n"
		      "local r = m:run() print(r.tasks, r.blocked)",
		      "1\ttrue\n");
}

Test(lua_machine, tasks_end_raise_and_are_cancelled)
{
	expect_has(
		"local m = sim.machine{}\nm:spawn(1, function(t)\nt:alloc{}\nerror('broken')\nend)\nm:run()",
		"4: broken");
	expect_prints("local m = sim.machine{} m:spawn(0, function(t) error('x') end)\n"
		      "m:spawn(1, function(t) t:alloc{} print('other') end)\n"
		      "print((pcall(m.run, m))) print(m:run().tasks)",
		      "false\nother\n0\n");
	expect_prints(
		"local m = sim.machine{}\n"
		"local t = m:spawn(0, function(t) local x <close> = setmetatable({}, {__close = function() print('closed') end})\n"
		"t:recv() end) m:run() t:cancel() print(t:status(), m:run().tasks) t:cancel()",
		"closed\nended\t0\n");
	expect_prints(
		"local m = sim.machine{} local t = m:spawn(0, function(t) print('never') end) t:cancel() print(m:run().ops)",
		"0\n");
	expect_prints(
		"local m = sim.machine{cpus = 1} local w = m:spawn(0, function(t) t:recv() end) m:run() w:cancel()\n"
		"m:spawn(0, function(t) t:send(0, 5) print(t:recv()) end) m:run()",
		"5\n");
	expect_prints(
		"local m = sim.machine{} m:spawn(0, function(t) print(pcall(function() t:sleep(10) error('e', 0) end)) end) m:run()",
		"false\te\n");
}

Test(lua_machine, a_task_is_used_by_itself_only)
{
	expect_has("local m = sim.machine{} local t = m:spawn(0, function() end) t:alloc{}",
		   "is not running");
	expect_has("local m = sim.machine{} local t = m:spawn(0, function() end) m:run() t:alloc{}",
		   "has ended");
	expect_has(
		"local m = sim.machine{} m:spawn(0, function(t) coroutine.wrap(function() t:recv() end)() end) m:run()",
		"can wait only in its own function");
	expect_has("local m = sim.machine{} m:spawn(0, function(t) m:run() end) m:run()",
		   "running already");
	expect_prints(
		"local m = sim.machine{} m:spawn(0, function(t) coroutine.wrap(function() t:alloc{} end)() t:alloc{} end)\n"
		"print(m:run().ops)",
		"2\n");
}

Test(lua_machine, runs_can_be_bounded)
{
	expect_prints(
		"local m = sim.machine{} m:spawn(0, function(t) while true do t:free(t:alloc{}) end end)\n"
		"print(m:run{ops = 7}.ops, m:run{ops = 5}.ops, m:run{for_ns = 600}.ops, m:now(0))",
		"7\t5\t10\t1320\n");
	expect_has("sim.machine{}:run{op = 1}", "did you mean ops?");
}

/*
 * Results
 */

Test(lua_machine, compare_says_whether_the_operations_were_the_same)
{
	expect_prints(
		"local r = sim.compare{levels = {'none', 'all'}, workload = function(m) m:free(m:alloc{count = 99}) end}\n"
		"print(r.ops, r[1].patches, r[2].level, r[1].ops == r[2].ops)",
		"same\tnone\tall\ttrue\n");
	expect_prints("local r = sim.compare{levels = {0, 7}, workload = function(m)\n"
		      "m:alloc{} if m:patch(7) then m:alloc{order = 1} end end}\n"
		      "print(r.ops, r.first_difference.op, r.first_difference.level)",
		      "re-run\t1\t7\n");
	expect_has("sim.compare{levels = {1}}", "workload is missing");
	expect_has("sim.compare{levels = {12}, workload = print}", "12");
}

Test(lua_machine, files_are_written_whole)
{
	expect_prints(
		"local c = sim.csv('t') c:row('a', 'b,c', '\"') c:row{1, nil, 2.5} c:close() c = sim.csv('u') c:row(1)",
		"");
	cr_expect_eq(tmpdir_count(), 2);
	expect_has("local c = sim.csv('t') c:close() c:row(1)", "this file is closed");
	expect_has("sim.csv('x').row = 1", "attempt to index");
}

/*
 * Hunts
 */

static u32 hunt_ops(const char *expr, const char *a, enum series sa, const char *b, enum series sb)
{
	struct patch_change ca, cb;
	struct script_hunt hunt = { .expr = expr, .nr_sets = 2, .tries = 3000 };
	struct script_hunt_result r;
	struct script_fault f;
	struct machine m;
	char error[200];

	script_hunt_machine(&m);
	cr_assert_eq(machine_finish(&m, NULL), SIM_OK);
	cr_assert(patch_set_parse(a, sa, &ca, error, sizeof(error)), "%s", error);
	cr_assert(patch_set_parse(b, sb, &cb, error, sizeof(error)), "%s", error);
	hunt.machine = &m;
	hunt.sets[0] = ca.set;
	hunt.sets[1] = cb.set;
	cr_expect(script_hunt_run(&hunt, &r, &f), "%s: %s", expr, f.message);
	cr_expect(r.found && r.yaml && strstr(r.yaml, "expect:"), "%s: nothing between %s and %s",
		  expr, a, b);
	cr_expect_neq(strcmp(r.values[0], r.values[1]), 0);
	free(r.yaml);
	machine_free(&m);
	return r.nr_ops;
}

#define V2 SERIES_V2

Test(lua_machine, hunts_find_each_patch_by_its_absence)
{
	cr_expect_leq(hunt_ops("stats.free_high", "2-10", V2, "all", V2), 40);
	cr_expect_leq(hunt_ops("stats.free_high", "1,4-10", V2, "all", V2), 40);
	cr_expect_leq(hunt_ops("stats.free_high", "1-2,4-10", V2, "all", V2), 40);
	cr_expect_leq(hunt_ops("stats.bulk_pages", "1-3,6", V2, "1-4,6", V2), 40);
	cr_expect_leq(hunt_ops("stats.alloc_zone", "1-4,6-10", V2, "all", V2), 40);
	cr_expect_leq(hunt_ops("stats.bulk_pages", "1-5,10", V2, "all", V2), 40);
	cr_expect_leq(hunt_ops("stats.bulk_pages", "1-6,10", V2, "all", V2), 40);
	cr_expect_leq(hunt_ops("cpu[0].high", "1-7,9-10", V2, "all", V2), 40);
	cr_expect_leq(hunt_ops("cpu[0].high", "1-8,10", V2, "all", V2), 40);
	cr_expect_leq(hunt_ops("stats.bulk_pages", "1-9", V2, "all", V2), 40);
}

Test(lua_machine, hunts_tell_v2_from_v3)
{
	cr_expect_leq(hunt_ops("cpu[0].high", "all", V2, "all", SERIES_V3), 40);
}

/*
 * The machine of others
 */

static enum sim_err exec(void *ctx, const struct op *op, u32 *slots, struct op_result *result,
			 struct sim_error *err)
{
	return tl_append(ctx, op, slots, result, err);
}

static struct sim *get_sim(void *ctx)
{
	return tl_sim(ctx);
}

static void observe(void *ctx, step_observer observer, void *observer_ctx)
{
	tl_set_observer(ctx, observer, observer_ctx);
}

Test(lua_machine, a_timeline_is_driven_and_its_handlers_fire_once)
{
	static const char code[] =
		"local m, n = sim.current, 0\n"
		"m:on('refill', function() n = n + 1 print('refill', n) end)\n"
		"local p = m:alloc{count = 70} m:free(p)\n"
		"print(pcall(m.policy, m, {}) == false, pcall(m.close, m) == false)";
	struct script_options o = { .hooks = { NULL, print } };
	struct script *s = script_new(&o);
	struct script_drive drive = { .exec = exec, .sim = get_sim, .observe = observe };
	struct timeline *tl;
	struct machine m;
	struct diag d;
	u64 digest;

	machine_init(&m);
	cr_assert_eq(machine_finish(&m, NULL), SIM_OK);
	cr_assert_eq(tl_create(&m, 0, TL_BOUND_DEFAULT, true, &tl, NULL), SIM_OK);
	drive.ctx = tl;
	out_len = 0;
	script_set_current(s, &drive);
	cr_expect_eq(script_run_text(s, "t", code, sizeof(code) - 1, NULL, &d, NULL), BASE_ERR_OK,
		     "%s", d.message);
	cr_expect_str_eq(out, "refill\t1\nrefill\t2\ntrue\ttrue\n");
	cr_expect_eq(tl_length(tl), 2);
	digest = sim_state_digest(tl_view(tl));
	cr_expect_eq(tl_seek(tl, 0, 0, NULL), SIM_OK);
	cr_expect_eq(tl_seek(tl, 2, 0, NULL), SIM_OK);
	cr_expect_eq(sim_state_digest(tl_view(tl)), digest);
	cr_expect_str_eq(out, "refill\t1\nrefill\t2\ntrue\ttrue\n", "handlers fire on seeks: %s",
			 out);
	script_set_current(s, NULL);
	script_free(s);
	tl_destroy(tl);
	machine_free(&m);
}

/*
 * Interactive lines
 */

static void collect(void *ctx, const char *word)
{
	strcat(ctx, word);
	strcat(ctx, " ");
}

Test(lua_machine, lines_are_expressions_statements_and_more)
{
	struct script_options o = { .hooks = { NULL, print } };
	struct script *s = script_new(&o);
	char *message, words[2000] = "";

	out_len = 0;
	cr_expect_eq(script_run_line(s, "1 + 1", 5, &message), SCRIPT_DONE);
	cr_expect_eq(script_run_line(s, "=2 * 3, 'x'", 11, &message), SCRIPT_DONE);
	cr_expect_eq(script_run_line(s, "m = sim.machine{}", 17, &message), SCRIPT_DONE);
	cr_expect_str_eq(out, "2\n6\tx\n");
	cr_expect_eq(script_run_line(s, "for i = 1, 2 do", 15, &message), SCRIPT_MORE);
	cr_expect_eq(script_run_line(s, "x = = 1", 7, &message), SCRIPT_FAILED);
	cr_expect(strstr(message, "unexpected symbol"), "%s", message);
	free(message);
	cr_expect_eq(script_run_line(s, "while true do end", 17, &message), SCRIPT_FAILED);
	free(message);
	cr_expect_eq(script_run_line(s, "print('after')", 14, &message), SCRIPT_DONE);

	cr_expect_eq(script_complete(s, "x = sim.ma", 10, collect, words), 8);
	cr_expect_str_eq(words, "machine ");
	*words = '\0';
	script_complete(s, "m:free", 6, collect, words);
	cr_expect_str_eq(words, "free free_list ");
	*words = '\0';
	script_complete(s, "print(m.cpu[0].hi", 17, collect, words);
	cr_expect_str_eq(words, "high high_min high_max ");
	*words = '\0';
	script_complete(s, "pri", 3, collect, words);
	cr_expect_str_eq(words, "print ");
	*words = '\0';
	script_complete(s, "string.g", 8, collect, words);
	cr_expect_str_eq(words, "gmatch gsub ");
	script_free(s);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The sandbox of scripts: one test for each way out, and for each loop inside C. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/script.h"
#include "tmpdir.h"

TestSuite(sandbox, .init = tmpdir_make, .fini = tmpdir_remove);

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

/* What a script prints, and then its error. */
static const char *run_limited(const char *code, uint64_t instructions, size_t memory)
{
	struct script_options o = {
		.limits = { .instructions = instructions, .memory = memory },
		.hooks = { NULL, print },
		.out_dir = tmpdir,
	};
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

static const char *run(const char *code)
{
	return run_limited(code, 20000000, 64 << 20);
}

#define expect_prints(code, want) cr_expect_str_eq(run(code), want, "%s: %s", code, run(code))
#define expect_has(code, part) cr_expect(strstr(run(code), part), "%s: %s", code, out)
/* The cap ends it: it does not run for minutes, and pcall does not swallow it. */
#define expect_stopped(code) expect_has(code, "stopped: the script has done")

Test(sandbox, what_is_not_there_reads_as_nil)
{
	expect_prints("print(io, os, debug, dofile, loadfile, collectgarbage, package)",
		      "nil\tnil\tnil\tnil\tnil\tnil\tnil\n");
	expect_prints("print(string.dump, math.randomseed)", "nil\tnil\n");
	expect_prints("if io then print('io') else print('no io') end", "no io\n");
}

Test(sandbox, given_names_are_frozen)
{
	expect_has("print = nil", "1: the global print is read-only");
	expect_has("string.rep = nil", "1: string is read-only: rep cannot be set");
	expect_has("sim.machine = nil", "sim is read-only");
	expect_has("sim.expect.eq = nil", "sim.expect is read-only");
	expect_has("rawset(string, 'rep', 1)", "read-only");
	expect_has("rawset(_G, 'print', 1)", "read-only");
	expect_has("table.insert(string, 1)", "read-only");
	expect_has("setmetatable(string, {})", "protected");
	expect_has("setmetatable(_G, {})", "protected");
	expect_prints("print(getmetatable(''), getmetatable(_G), getmetatable(string))",
		      "false\tfalse\tfalse\n");
	expect_prints("function f() return 7 end x = f() print(x, _G.x)", "7\t7\n");
}

Test(sandbox, fields_and_machines_are_read_only)
{
	expect_has("local m = sim.machine{} m.cpu[0].high = 1", "read-only: cpu[0].high");
	expect_has("local m = sim.machine{} m.alloc = 1", "a machine is read-only");
	expect_prints("local m = sim.machine{} print(getmetatable(m), getmetatable(m.cpu))",
		      "false\tfalse\n");
	expect_prints("local m = sim.machine{} print(getmetatable(m:alloc{}))", "false\n");
}

Test(sandbox, finalizers_are_refused)
{
	expect_has("setmetatable({}, {__gc = function() while true do end end})",
		   "__gc is not allowed");
	/* Added behind the back of setmetatable it is never called. */
	expect_prints("local mt = {} local t = setmetatable({}, mt)\n"
		      "mt.__gc = function() print('called') end t = nil\n"
		      "for i = 1, 10000 do local x = {} end print('end')",
		      "end\n");
}

Test(sandbox, code_is_text)
{
	expect_prints("print(load('return 1 + 1')())", "2\n");
	expect_prints("print(load('\\27Lua'))",
		      "nil\tattempt to load a binary chunk (mode is 't')\n");
	expect_has("load(function() return '\\27' end)", "a string was expected");
	expect_prints("print(pcall(load, nil))", "false\tload: a string was expected, not a nil\n");
	expect_prints("print(load('return io')(), load('x = 1; return _G.x')())", "nil\t1\n");
}

Test(sandbox, require_stays_below_the_folder)
{
	tmpdir_write("part.lua", "local M = {v = 42} return M", 27);
	tmpdir_write("self.lua", "require('self')", 15);
	tmpdir_write("bytes.lua", "\033Lua", 4);
	cr_expect_eq(symlink("/etc/passwd", tmpdir_path("link.lua")), 0);
	expect_prints("print(require('part').v, require('part') == require('part'))", "42\ttrue\n");
	expect_has("require('../part')", "no module name");
	expect_has("require('/etc/passwd')", "no module name");
	expect_has("require('..part')", "no module name");
	expect_has("require('absent')", "there is no absent below the script's folder");
	expect_has("require('link')", "there is no link below");
	expect_has("require('self')", "requires itself");
	expect_has("require('bytes')", "binary chunk");
}

Test(sandbox, work_is_capped)
{
	expect_stopped("while true do end");
	expect_stopped("local function f() return f() end f()");
	expect_stopped(
		"local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end})\n"
		"while true do pcall(function() return t[1] end) end");
}

Test(sandbox, the_cap_cannot_be_swallowed)
{
	expect_stopped("while true do pcall(function() while true do end end) end");
	expect_stopped("while true do xpcall(function() while true do end end, print) end");
	expect_stopped("pcall(function() while true do end end) print('went on')");
	cr_expect(!strstr(out, "went on"));
	expect_stopped(
		"while true do local c = coroutine.create(function() while true do end end)\n"
		"coroutine.resume(c) end");
	expect_stopped("while true do pcall(coroutine.wrap(function() while true do end end)) end");
	expect_stopped(
		"local c = coroutine.wrap(function() pcall(function() while true do end end)\n"
		"while true do coroutine.yield() end end) while true do c() end");
	expect_stopped("sim.expect.error(function() while true do end end) print('went on')");
	cr_expect(!strstr(out, "went on"));
	expect_stopped("while true do local x <close> = setmetatable({}, {__close = function()\n"
		       "while true do end end}) end");
}

Test(sandbox, short_coroutines_do_not_hide_their_work)
{
	expect_stopped("while true do coroutine.wrap(function() for i = 1, 50 do end end)() end");
}

Test(sandbox, table_functions_are_charged)
{
	expect_stopped("table.move({}, 1, 3e8, 2)");
	expect_stopped("table.move({}, 1, 3e8, 2, {})");
	expect_stopped(
		"table.insert(setmetatable({}, {__len = function() return 1 << 40 end}), 1, 1)");
	expect_stopped(
		"table.remove(setmetatable({}, {__len = function() return 1 << 40 end}), 1)");
	expect_stopped("table.concat(setmetatable({}, {__len = function() return 1 << 40 end,\n"
		       "__index = function() return '' end}))");
	expect_has("table.sort(setmetatable({}, {__len = function() return 1 << 40 end,\n"
		   "__index = function() return 1 end}))",
		   "out of memory");
	expect_has("table.unpack({}, 1, 1 << 40)", "too many results");
	expect_stopped("while true do table.unpack({}, 1, 1000) end");
	expect_stopped("while true do table.pack(table.unpack({}, 1, 1000)) end");
	expect_stopped("local t = {} for i = 1, 1e5 do t[i] = i end\n"
		       "while true do table.sort(t, function(a, b) return a > b end) end");
	expect_stopped("local t = {} for i = 1, 1e5 do t[i] = i end while true do pairs(t) end");
	expect_stopped("local t = {} for i = 1, 1e5 do t[i] = i end\n"
		       "while true do next(t, 50000) next({}) end");
}

Test(sandbox, sorting_with_a_bad_order_ends)
{
	expect_prints("local t = {3, 1, 2} table.sort(t, function() return true end) print(#t)",
		      "3\n");
	expect_prints(
		"local t = {} for i = 1, 100 do t[i] = {i % 3, i} end\n"
		"table.sort(t, function(a, b) return a[1] < b[1] end)\n"
		"for i = 2, 100 do assert(t[i - 1][1] < t[i][1] or t[i - 1][2] < t[i][2]) end print('stable')",
		"stable\n");
}

Test(sandbox, string_functions_are_charged)
{
	expect_stopped("('a'):rep(150):find('.-.-.-.-.-b')");
	expect_stopped("('a'):rep(150):match('.-.-.-.-.-b')");
	expect_stopped("('a'):rep(150):gsub('.-.-.-.-.-b', '')");
	expect_stopped("for x in ('a'):rep(150):gmatch('.-.-.-.-.-b') do end");
	expect_stopped("local s = ('a'):rep(1 << 20) while true do s:find('b', 1, true) end");
	expect_stopped("local s = ('a'):rep(1 << 20) while true do s:upper() end");
	expect_stopped("local s = ('a'):rep(1 << 20) while true do s:reverse() end");
	expect_stopped("local s = ('a'):rep(1 << 20) while true do utf8.len(s) end");
	expect_stopped("local s = ('a'):rep(1 << 20) while true do tonumber(s) end");
	expect_stopped("local s = ('a'):rep(1 << 20) while true do string.format('%s', s) end");
	expect_stopped("while true do ('a'):rep(1 << 20) end");
	expect_stopped("local s = ('a'):rep(1 << 20) while true do local t = s .. 'b' end");
	expect_stopped("while true do load(('x = 1 '):rep(10000)) end");
	expect_has("('a'):rep(1 << 40)", "longer than");
	expect_has("('x'):rep(1e9, 'y')", "longer than");
	expect_has("('a'):rep(300):find(('(a'):rep(40))", "too many captures");
	expect_has("(('a'):rep(1000)):find(('a?'):rep(1000) .. 'b')", "pattern too complex");
}

Test(sandbox, patterns_are_the_manuals)
{
	expect_prints("print(('hello'):find('l+')) print(('hello'):find('l', 1, true))",
		      "3\t4\n3\t3\n");
	expect_prints("print(('key = value'):match('^(%w+)%s*=%s*(%w+)$'))", "key\tvalue\n");
	expect_prints("print(('THE (quick) fox'):find('%((%a+)%)'))", "5\t11\tquick\n");
	expect_prints("print(('f(a(b)c)d'):match('%b()'), ('THE (quick)'):gsub('%f[%a]%a+', 'x'))",
		      "(a(b)c)\tx (x)\t2\n");
	expect_prints("print(('abc'):gsub('', '-')) print(('hello'):gsub('l', {l = 'L'}))",
		      "-a-b-c-\t4\nheLLo\t2\n");
	expect_prints("print(('abc'):gsub('%w', '%0%0')) print(('x y'):gsub('(%w) (%w)', '%2 %1'))",
		      "aabbcc\t3\ny x\t1\n");
	expect_prints("for k, v in ('a=1, b=2'):gmatch('(%w+)=(%w+)') do print(k, v) end",
		      "a\t1\nb\t2\n");
	expect_prints(
		"print((('aXb'):find('[^%l]')), (('a]b'):find('[]]')), ('a-b'):find('[a%-]', 2))",
		"2\t2\t2\t2\n");
	expect_prints("print(('  x '):match('()x()')) print(('abab'):match('(ab)%1'))",
		      "3\t4\nab\n");
	expect_has("('a'):find('[a')", "malformed pattern (missing ']')");
	expect_has("('a'):find('%')", "malformed pattern (ends with '%')");
	expect_has("('a'):find('(a')", "unfinished capture");
	expect_has("('a'):find('.)')", "invalid pattern capture");
}

Test(sandbox, memory_is_capped)
{
	expect_has("local t = {} while true do t[#t + 1] = {} end",
		   "out of memory (see --max-memory)");
	expect_has("local s = 'x' while true do s = s .. s end", "out of memory");
	cr_expect(strstr(run_limited(
				 "local t = {} for i = 1, 64 do t[i] = ('x'):rep(1 << 20) .. i end",
				 0, 16 << 20),
			 "out of memory"),
		  "%s", out);
}

Test(sandbox, deep_recursion_is_an_error)
{
	cr_expect(strstr(run_limited("local function f() return 1 + f() end f()", 0, 0),
			 "stack overflow"));
	expect_has(
		"local t = {} t = setmetatable(t, {__index = function(x, k) return x[k] end}) return t.x",
		"overflow");
	expect_has("load(('('):rep(1000) .. '1' .. (')'):rep(1000))()", "attempt to call");
	expect_has("local function f() coroutine.wrap(f)() end f()", "overflow");
	expect_has(
		"local s = 'x' for i = 1, 300 do s = s:gsub('x', function(c) return (c:gsub('x', print)) end) end error('done')",
		"done");
}

Test(sandbox, nothing_shows_an_address)
{
	expect_prints("print({}, {}, print, tostring({}))",
		      "table: 2\ttable: 3\tfunction: 4\ttable: 1\n");
	expect_prints("local t = {} print(t, t, string.format('%s', t))",
		      "table: 1\ttable: 1\ttable: 1\n");
	expect_has("string.format('%p', {})", "%p is not available");
	expect_prints("print(coroutine.create(print))", "thread: 1\n");
	expect_prints("print(setmetatable({}, {__tostring = function() return 'me' end}))", "me\n");
	expect_prints("print(setmetatable({}, {__name = 'point'}))", "point: 1\n");
	expect_has("error({})", "error value: table: 1");
	expect_has(
		"setmetatable({}, {__tostring = function() return 1 end}) error(setmetatable({}, {__tostring = function() while true do end end}))",
		"stopped");
}

Test(sandbox, order_is_sorted)
{
	expect_prints(
		"for k in pairs{b = 1, a = 1, [10] = 1, [2] = 1, [true] = 1, [1.5] = 1} do print(k) end",
		"1.5\n2\n10\na\nb\ntrue\n");
	expect_prints(
		"local t, k = {c = 1, a = 2, b = 3} repeat k = next(t, k) print(k) until not k",
		"a\nb\nc\nnil\n");
	expect_prints("local t = {a = 1, b = 2, c = 3} for k in pairs(t) do t.b = nil print(k) end",
		      "a\nc\n");
	expect_prints("local t = {x = 1, y = 2} local k = next(t) t[k] = nil print(k, next(t))",
		      "x\ty\t2\n");
	expect_has("next({}, 'x')", "the key is not in the table");
	expect_prints(
		"for k, v in pairs(setmetatable({}, {__pairs = function(t) return function(_, k) if not k then return 1, 2 end end, t end})) do print(k, v) end",
		"1\t2\n");
}

Test(sandbox, random_numbers_are_the_same_in_every_run)
{
	char first[200];

	snprintf(first, sizeof(first), "%s",
		 run("for i = 1, 5 do print(math.random(1000), sim.rand()) end"));
	expect_prints("for i = 1, 5 do print(math.random(1000), sim.rand()) end", first);
	expect_has("sim.rand(2, 1)", "no number from 2 to 1");
	expect_prints(
		"for i = 1, 1000 do local n = sim.rand(3) assert(n >= 1 and n <= 3) end print(sim.rand(5, 5))",
		"5\n");
}

Test(sandbox, pcall_gives_what_it_should)
{
	expect_prints("print(pcall(error, 'x'))", "false\tx\n");
	expect_prints("print(pcall(function(...) return ... end, 1, 2))", "true\t1\t2\n");
	expect_prints(
		"print(xpcall(function(a) error('e' .. a, 0) end, function(m) return '<' .. m .. '>' end, 7))",
		"false\t<e7>\n");
	expect_prints(
		"local c = coroutine.wrap(function() print(pcall(function() coroutine.yield(1) error('late', 0) end)) return 2 end) print(c(), c())",
		"false\tlate\n1\t2\n");
}

Test(sandbox, errors_have_place_and_script_frames_only)
{
	struct script_options o = { .hooks = { NULL, print } };
	struct script *s = script_new(&o);
	const char *code = "local function f()\n  sim.machine{cpu = 1}\nend\nf()\n";
	struct diag d;
	char *trace;

	cr_expect_eq(script_run_text(s, "t.lua", code, strlen(code), NULL, &d, &trace),
		     BASE_ERR_FAILED);
	cr_expect_str_eq(d.message, "machine: cpu is not a key of it; did you mean cpus?");
	cr_expect_eq(d.line, 2);
	cr_expect_str_eq(trace,
			 "traceback:\n  t.lua:2: in function f\n  t.lua:4: in the main chunk");
	free(trace);
	script_free(s);
}

Test(sandbox, files_go_below_the_folder_only)
{
	expect_has("sim.csv('../x')", "is no file name");
	expect_has("sim.csv('/etc/x')", "is no file name");
	expect_has("sim.csv('.x')", "is no file name");
	expect_has("sim.csv('a\\0b')", "is no file name");
	expect_has("sim.plot{name = 'a/b', x = 'x', y = 'y', rows = {{x = 1, y = 1}}}",
		   "is no file name");
}

Test(sandbox, machines_are_bounded)
{
	expect_has(
		"local t = {} while true do t[#t + 1] = sim.machine{cpus = 1, memory = '4MiB'} end",
		"m:close() gives one back");
	expect_prints("for i = 1, 3000 do sim.machine{cpus = 1, memory = '4MiB'} end print('ok')",
		      "ok\n");
}

Test(sandbox, time_is_capped_where_asked)
{
	struct script_options o = { .limits = { .instructions = UINT64_MAX / 2,
						.timeout_ns = 20000000 } };
	struct script *s = script_new(&o);
	struct diag d;

	cr_expect_eq(script_run_text(s, "t", "while true do end", 17, NULL, &d, NULL),
		     BASE_ERR_FAILED);
	cr_expect_str_eq(d.message, "stopped: the time limit is reached (see --timeout)");
	script_free(s);
}

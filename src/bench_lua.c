/* SPDX-License-Identifier: GPL-2.0-only */
/* Measurements of scripts: the cost of an operation and of a message through Lua. */
#include <string.h>

#include "base/diag.h"
#include "bench.h"
#include "script/script.h"

enum { LUA_OPS = 200000, LUA_MESSAGES = 100000 };

/* order-0 alloc + free; both count */
static const char ops_code[] = "local m, order0 = sim.machine{cpus = 1}, {cpu = 0, order = 0}\n"
			       "for i = 1, 100000 do m:free(m:alloc(order0)) end\n";

/* ping-pong between two CPUs */
static const char messages_code[] =
	"local m = sim.machine{cpus = 2}\n"
	"m:spawn(0, function(t) for i = 1, 50000 do t:send(1, i) t:recv() end end)\n"
	"m:spawn(1, function(t) for i = 1, 50000 do t:recv() t:send(0, i) end end)\n"
	"m:run()\n";

static double run_lua(const struct bench *b, void **state)
{
	const char *code = b->arg == LUA_OPS ? ops_code : messages_code;
	struct script_options options = { .seed = 0 };
	struct script *s = script_new(&options);
	struct diag d;
	double t;

	(void)state;
	BASE_CHECK(s != NULL, "%d", b->arg);
	t = bench_now_ns();
	if (script_run_text(s, b->key, code, strlen(code), NULL, &d, NULL))
		BASE_CHECK(false, "%s", d.message);
	t = bench_now_ns() - t;
	script_free(s);
	return t / b->arg;
}

const struct bench bench_lua[] = {
	{ "lua_mops", "order-0 alloc + free loop in Lua", BENCH_MOPS, 2, LUA_OPS, run_lua, NULL,
	  0 },
	{ "lua_messages_k", "messages between two Lua tasks", BENCH_K, 500, LUA_MESSAGES, run_lua,
	  NULL, 0 },
	{ NULL, NULL, 0, 0, 0, NULL, NULL, 0 },
};

/* SPDX-License-Identifier: GPL-2.0-only */
/* Every example of the API page is a script that runs, and the page in docs is the table's. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/script.h"
#include "tmpdir.h"

static void no_print(void *ctx, const char *text, size_t len)
{
	(void)text;
	*(size_t *)ctx += len;
}

TestSuite(lua_api, .init = tmpdir_make, .fini = tmpdir_remove);

Test(lua_api, every_example_runs)
{
	const char *name, *example;
	size_t i;

	for (i = 0; script_api_entry(i, &name, &example); i++) {
		size_t printed = 0;
		struct script_options o = { .hooks = { &printed, no_print }, .out_dir = tmpdir };
		struct script *s = script_new(&o);
		struct diag d;
		char *trace;

		cr_expect_eq(script_run_text(s, name, example, strlen(example), NULL, &d, &trace),
			     BASE_ERR_OK, "%s:%llu: %s\n%s", name, (unsigned long long)d.line,
			     d.message, trace ? trace : "");
		free(trace);
		script_free(s);
	}
	cr_expect_gt(i, 60);
}

Test(lua_api, the_page_is_the_tables)
{
	char *made = NULL, *page;
	size_t made_len, page_len;
	FILE *out = open_memstream(&made, &made_len), *f = fopen("docs/lua-api.md", "r");

	script_print_api(out);
	fclose(out);
	cr_assert_not_null(f, "docs/lua-api.md is missing: pageset lua --api >docs/lua-api.md");
	page = malloc(made_len + 2);
	page_len = fread(page, 1, made_len + 1, f);
	fclose(f);
	cr_expect(page_len == made_len && memcmp(page, made, made_len) == 0,
		  "docs/lua-api.md is not what pageset lua --api prints");
	free(page);
	free(made);
}

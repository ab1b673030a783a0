/* SPDX-License-Identifier: GPL-2.0-only */
/* Any bytes as a saved session: refused, or all its branches are done again on a short log of a small machine. */
#include <stdint.h>
#include <stdlib.h>

#include "core/session.h"

enum { BLOCKS = 6 };

/* Blocks allocated, half of them freed, a tick: what the sessions of the corpus were edits of. */
static struct timeline *short_log(u32 patches)
{
	struct timeline *tl;
	struct machine m;
	u32 slots[BLOCKS];

	machine_init(&m);
	if (machine_set(&m, machine_key_find("memory"), 16 << 20, NULL) ||
	    machine_finish(&m, NULL) || tl_create(&m, patches, 8 << 20, true, &tl, NULL))
		tl = NULL;
	machine_free(&m);
	for (int i = 0; tl && i < BLOCKS; i++) {
		struct op op = { .kind = OP_ALLOC, .cpu = (u16)(i % 4), .count = 1 };

		op.order = (u8)(i / 3);
		op.type = (u8)(i % 3);
		if (tl_append(tl, &op, &slots[i], NULL, NULL))
			abort();
	}
	for (int i = 0; tl && i < BLOCKS; i += 2) {
		struct op op = { .kind = OP_FREE, .cpu = 1, .count = 1, .slot = slots[i] };

		if (tl_append(tl, &op, NULL, NULL, NULL))
			abort();
	}
	return tl;
}

static void nowhere(void *ctx, const char *text)
{
	(void)ctx;
	(void)text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session s;
	u32 line;

	if (session_parse((const char *)data, size, &s, &line, NULL) == SIM_OK) {
		session_write(&s, nowhere, NULL);
		for (u32 i = 0; i < s.nr_branches; i++) {
			struct timeline *tl =
				short_log(patch_set_is_closed(s.patches) ? s.patches : 0);

			if (!tl)
				continue;
			session_replay(&s, i, tl, &line, NULL);
			sim_check(tl_sim(tl));
			tl_destroy(tl);
		}
	}
	session_free(&s);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Any bytes as a scenario: refused, or it loads and plays on a small machine. Expressions are not compiled. */
#include "scenario/scenario.h"

static void play(const struct scenario *scn)
{
	const struct scn_info *info = scn_info(scn);
	struct scn_player *player;
	struct timeline *tl;
	struct scn_event ev;

	if (tl_create(info->machine, info->patches, TL_BOUND_DEFAULT, false, &tl, NULL))
		return;
	player = scn_player_create(scn, tl);
	scn_player_limit(player, 500);
	for (int i = 0; i < 5000 && scn_play_next(player, &ev); i++)
		;
	scn_player_free(player);
	tl_destroy(tl);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const small[] = { "memory=64MiB" };
	struct scn_options o = { .sets = small, .nr_sets = 1 };
	struct scenario *scn;
	struct diags ds;

	base_diags_init(&ds, 20);
	if (scn_load_text("fuzz.yaml", (const char *)data, size, &o, &scn, &ds) == BASE_ERR_OK)
		play(scn);
	scn_free(scn);
	base_diags_free(&ds);
	return 0;
}

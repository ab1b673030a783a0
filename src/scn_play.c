/* SPDX-License-Identifier: GPL-2.0-only */
#include "scn_files.h"

enum base_err scn_play_all(const struct scn_play *play, struct diag *d)
{
	const struct scn_info *info = scn_info(play->scn);
	enum base_err err = BASE_ERR_OK;
	struct scn_player *player;
	struct timeline *tl;
	struct sim_error se;
	struct scn_event ev;
	bool more = true;

	if (tl_create(info->machine, info->patches, TL_BOUND_DEFAULT, false, &tl, &se))
		return base_diag_set(d, BASE_ERR_NO_MEMORY, info->path, 0, 0, "%s", se.message);
	player = scn_player_create(play->scn, tl);
	scn_player_limit(player, play->bounds->max_ops);
	while (more && !err) {
		more = scn_play_next(player, &ev);
		if (play->see)
			play->see(play->ctx, &ev);
		if (ev.kind == SCN_EV_ERROR) {
			scn_event_diag(play->scn, &ev, d);
			/* out of time inside a Lua step is no fault of the file, as between steps */
			if (setup_is_late(play->bounds))
				d->code = BASE_ERR_FAILED;
			err = d->code;
		} else if (more && setup_is_late(play->bounds)) {
			err = base_diag_set(d, BASE_ERR_FAILED, info->path, ev.line, ev.column,
					    "stopped here: the time of --timeout is over");
		}
	}
	scn_player_free(player);
	tl_destroy(tl);
	return err;
}

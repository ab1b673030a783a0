/* SPDX-License-Identifier: GPL-2.0-only */
#include "recorded.h"

bool recorded_patches(const struct call *call, u32 *patches, bool *given, int *status)
{
	const struct common *c = call->common;
	bool series = call_common_given(call, COMMON_SERIES);
	bool set = call_common_given(call, COMMON_PATCHES);
	struct patch_change change;
	char error[256];

	*given = series || set;
	if (!*given)
		return true;
	if (!patch_set_parse(set ? c->patches : "all",
			     c->series == COMMON_SERIES_V3 ? SERIES_V3 : SERIES_V2, &change, error,
			     sizeof(error))) {
		*status = call_usage(call, "expected none, all, or numbers such as 1-7,9",
				     "--patches: %s", error);
		return false;
	}
	*patches = change.set;
	return true;
}

void recorded_tell_unsure(const char *trace, const struct replay_report *report)
{
	char set[PATCH_TEXT_MAX];

	if (report->patches_unsure)
		fprintf(stderr,
			"pageset: %s: took series %s, patches %s (%s); if that is wrong, give --series and --patches\n",
			trace, patch_series(report->patches) == SERIES_V3 ? "v3" : "v2",
			patch_set_format(report->patches, set), report->patches_by);
}

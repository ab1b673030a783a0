/* SPDX-License-Identifier: GPL-2.0-only */
/* Positions as people read and write them: see "Positions" in timeline.h. */
#include <stdio.h>

#include "timeline.h"

/* Digits up to @max; NULL if there are none or they say more. */
static const char *digits(const char *at, u64 max, u64 *value)
{
	*value = 0;
	if (*at < '0' || *at > '9')
		return NULL;
	for (; *at >= '0' && *at <= '9'; at++) {
		u64 digit = (u64)(*at - '0');

		if (*value > (max - digit) / 10)
			return NULL;
		*value = *value * 10 + digit;
	}
	return at;
}

bool tl_pos_parse(const char *text, struct tl_pos *pos)
{
	u64 op, step = 0;
	const char *at = digits(text, INT64_MAX, &op);

	if (!at)
		return false;
	if (*at == '.') {
		at = op ? digits(at + 1, UINT32_MAX, &step) : NULL;
		if (!at)
			return false;
		op--;
	}
	if (*at)
		return false;
	*pos = (struct tl_pos){ .op = op, .step = (u32)step };
	return true;
}

char *tl_pos_format(struct tl_pos pos, char *buf)
{
	if (pos.step)
		snprintf(buf, TL_POS_TEXT_MAX, "%llu.%u", (unsigned long long)pos.op + 1, pos.step);
	else
		snprintf(buf, TL_POS_TEXT_MAX, "%llu", (unsigned long long)pos.op);
	return buf;
}

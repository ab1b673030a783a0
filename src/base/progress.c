/* SPDX-License-Identifier: GPL-2.0-only */
#include "progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define REDRAW_NS 100000000ull

bool base_is_terminal(FILE *out)
{
	const char *term = getenv("TERM");

	return isatty(fileno(out)) && term && *term && strcmp(term, "dumb") != 0;
}

bool base_colour_on(enum base_colour wish, FILE *out)
{
	const char *no_color = getenv("NO_COLOR");

	if (wish != BASE_COLOUR_AUTO)
		return wish == BASE_COLOUR_ALWAYS;
	return !(no_color && *no_color) && base_is_terminal(out);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

void base_progress_begin(struct base_progress *p, const char *label)
{
	*p = (struct base_progress){ .out = base_is_terminal(stderr) ? stderr : NULL };
	snprintf(p->label, sizeof(p->label), "%s", label);
	/* what is done at once shows nothing */
	if (p->out)
		p->next_ns = now_ns() + 3 * REDRAW_NS;
}

void base_progress_update(struct base_progress *p, uint64_t done, uint64_t total)
{
	uint64_t now;

	if (!p->out)
		return;
	now = now_ns();
	if (now < p->next_ns)
		return;
	p->next_ns = now + REDRAW_NS;
	p->drawn = true;
	if (done > total)
		total = 0;
	if (total)
		fprintf(p->out, "\r\033[K%s %3.0f %%", p->label,
			100.0 * (double)done / (double)total);
	else
		fprintf(p->out, "\r\033[K%s %" PRIu64, p->label, done);
	fflush(p->out);
}

void base_progress_end(struct base_progress *p)
{
	if (!p->drawn)
		return;
	fputs("\r\033[K", p->out);
	fflush(p->out);
	p->drawn = false;
}

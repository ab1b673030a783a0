/* SPDX-License-Identifier: GPL-2.0-only */
#include "diverge.h"

#include <stdlib.h>
#include <string.h>

#include "show.h"

/* Room for checkpoints beside the log; and how often the clock is looked at on the way to the end. */
#define CHECKPOINT_BYTES ((size_t)256 << 20)
enum { CHUNK_OPS = 4096 };

static int fail_sim(const struct call *call, const struct sim_error *err)
{
	struct diag d;

	base_diag_set(&d, err->code == ERR_NOMEM ? BASE_ERR_NO_MEMORY : BASE_ERR_RANGE, NULL, 0, 0,
		      "%s", err->message);
	return call_fail(call, &d);
}

static int fail_late(const struct call *call, u64 op, u64 length)
{
	return call_usage(call, "a larger --timeout, or a smaller --max-ops",
			  "not done within --timeout, at operation %llu of %llu",
			  (unsigned long long)op, (unsigned long long)length);
}

int diverge_same_log(const struct call *call, const struct diverge_run *first,
		     struct diverge_run *run)
{
	struct sim_error err;

	if (tl_fork(first->tl, &run->tl, &err) || tl_seek(run->tl, 0, 0, &err) ||
	    tl_set_base_patches(run->tl, run->patches, &err))
		return fail_sim(call, &err);
	tl_set_bound(run->tl, tl_bytes(run->tl) + CHECKPOINT_BYTES);
	return 0;
}

static bool go_on(void *ctx, u64 op)
{
	const struct setup_bounds *bounds = ctx;

	(void)op;
	return !setup_is_late(bounds);
}

/* The step at which one side parts, in words. */
static void fill_side(struct diverge_side *side, struct timeline *tl, const struct tl_divergence *d,
		      int k)
{
	const struct step *steps;
	u32 nr;

	side->value = d->side[k].value;
	side->step = d->side[k].step;
	side->text[0] = '\0';
	side->func = "";
	if (!side->step || tl_steps(tl, d->op, &steps, &nr, NULL, NULL) || side->step > nr)
		return;
	step_format(tl_view(tl), &steps[side->step - 1], side->text);
	side->func = step_funcs[step_infos[steps[side->step - 1].id].func].name;
}

int diverge_pair(const struct call *call, const struct setup_bounds *bounds,
		 struct diverge_run runs[2], struct diverge_place *place)
{
	struct timeline *tl[2] = { runs[0].tl, runs[1].tl };
	struct tl_divergence d;
	struct sim_error err;
	enum sim_err ret;

	ret = tl_diverge(tl[0], tl[1], bounds ? go_on : NULL, (void *)(uintptr_t)bounds, &d, &err);
	if (ret == ERR_STOPPED)
		return fail_late(call, d.op + 1, tl_length(tl[1]));
	if (ret)
		return fail_sim(call, &err);
	*place = (struct diverge_place){
		.differs = d.differs,
		.other_op = d.other_op,
		.op = d.differs ? d.op + 1 : 0,
		.boot_fields = d.boot_fields,
		.boot_values = { d.boot_values[0], d.boot_values[1] },
	};
	snprintf(place->field, sizeof(place->field), "%s", d.field);
	snprintf(place->boot_field, sizeof(place->boot_field), "%s", d.boot_field);
	for (int k = 0; k < 2 && d.differs && !d.other_op; k++)
		fill_side(&place->side[k], tl[k], &d, k);
	return 0;
}

static int run_to_end(const struct call *call, const struct setup_bounds *bounds,
		      struct timeline *tl)
{
	u64 length = tl_length(tl), op = tl_position(tl).op;
	struct sim_error err;

	while (op < length) {
		op = length - op > CHUNK_OPS ? op + CHUNK_OPS : length;
		if (tl_seek(tl, op, 0, &err))
			return fail_sim(call, &err);
		if (setup_is_late(bounds))
			return fail_late(call, op, length);
	}
	return 0;
}

static void read_counters(struct diverge_run *run)
{
	size_t nr = 0;

	while (counter_infos[nr].name)
		nr++;
	run->counters = base_alloc(nr, sizeof(*run->counters));
	for (size_t i = 0; i < nr; i++)
		run->counters[i] = counter_get(tl_view(run->tl), i);
}

int diverge_all(const struct call *call, const struct setup_bounds *bounds,
		struct diverge_run *runs, size_t nr, struct diverge_place *places)
{
	int status = 0;

	for (size_t r = 0; r + 1 < nr && !status; r++)
		status = diverge_pair(call, bounds, &runs[r], &places[r]);
	for (size_t r = 0; r < nr && !status; r++) {
		status = run_to_end(call, bounds, runs[r].tl);
		if (!status)
			read_counters(&runs[r]);
	}
	return status;
}

void diverge_free(struct diverge_run *runs, size_t nr)
{
	for (size_t r = 0; r < nr; r++) {
		tl_destroy(runs[r].tl);
		free(runs[r].counters);
		runs[r].tl = NULL;
		runs[r].counters = NULL;
	}
}

const char *diverge_op(const struct diverge_run *run, const struct diverge_place *place,
		       const char *ended, char *buf)
{
	const u32 *slots;
	struct op op;

	if (tl_op(run->tl, place->op - 1, &op, &slots, NULL))
		return ended;
	return show_op(tl_view(run->tl), &op, buf);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Putting the model right after a difference: of the numbers that a trace does not show (factors, free_count, high, the
 * flags, pages that came or went without an event) the one is changed that explains the record with the least.
 */
#include "replay_int.h"

#include "../core/zone.h"

#define RAISES_MAX 8
#define BOOST_MAX 4 /* a boost makes a mark not more than so many times as high */

int replay_shift_of(int n, int batch)
{
	int shift = 0;

	while (shift < PCP_BATCH_SCALE_MAX && batch << shift < n) {
		shift++;
	}
	return shift;
}

/* had the zone been found below its high mark, which keeps high as it is? */
static bool below_explains(struct replay_fix *fix, const struct per_cpu_pages *before)
{
	struct zone *zone = fix->zone;
	struct per_cpu_pages then = *before;
	int64_t mark = wmark_pages(zone, WMARK_HIGH) + zone->lowmem_reserve[ZONE_MOVABLE];

	if (!pcpmodel_tuned(fix->model) || !patched(&fix->model->sim, P_BELOW_HIGH) ||
	    !fix->model->machine->known || (zone->flags & 1u << ZONE_BELOW_HIGH) ||
	    zone->free_pages > BOOST_MAX * mark) {
		return false;
	}
	zone->flags |= 1u << ZONE_BELOW_HIGH;
	if (pcpmodel_refill(fix->model, &then, zone, fix->order) == fix->recorded) {
		*fix->pcp = then;
		/* its marks are boosted by more than the last snapshot had */
		if (zone->free_pages > mark) {
			zone->watermark_boost += zone->free_pages - mark;
		}
		return true;
	}
	zone->flags &= ~(1u << ZONE_BELOW_HIGH);
	return false;
}

enum replay_cause replay_fix_refill(struct replay_fix *fix, const struct per_cpu_pages *before)
{
	struct per_cpu_pages *pcp = fix->pcp;
	int batch = pcp->batch, n = fix->recorded, shift = replay_shift_of(n, batch);

	if (fix->order || !patched(&fix->model->sim, P_ALLOC_SCALE)) {
		return REPLAY_CAUSE_ZONE_SHORT;
	}
	if (below_explains(fix, before)) {
		return REPLAY_CAUSE_BELOW_HIGH;
	}
	if (n == batch << shift) {
		int grown = shift + 1 < PCP_BATCH_SCALE_MAX ? shift + 1 : PCP_BATCH_SCALE_MAX;

		if (shift != before->alloc_factor) {
			pcp->alloc_factor = (uint8_t)grown;
			if (pcp->high_min != pcp->high_max && pcp->high != before->high) {
				/* what the refill raised high by was another, too */
				pcp->high = before->high + n < pcp->high_max ? before->high + n :
									       pcp->high_max;
			}
			return REPLAY_CAUSE_ALLOC_FACTOR;
		}
		pcp->alloc_factor = (uint8_t)grown;
	} else {
		pcp->alloc_factor = (uint8_t)shift;
	}
	if (n < batch) {
		return REPLAY_CAUSE_ZONE_SHORT;
	}
	/* the room was n, or at least n */
	if (n != batch << shift || pcp->high - pcp->count - batch < n) {
		int high = n + pcp->count + batch;

		if (high <= pcp->high_max && high >= pcp->high_min) {
			pcp->high = high;
		} else {
			pcp->count = pcp->high - batch - n;
		}
	}
	return REPLAY_CAUSE_REFILL_CAP;
}

static enum replay_cause fix_size(struct replay_fix *fix)
{
	struct pcpmodel *model = fix->model;
	struct per_cpu_pages *pcp = fix->pcp;
	int n = fix->recorded, batch = pcp->batch, room = fix->limit - batch;
	bool was_below = fix->zone->flags & 1u << ZONE_BELOW_HIGH;

	if (fix->free_high) {
		if (patched(&model->sim, P_FREE_COUNT)) {
			pcp->free_count = (int16_t)n;
		}
		return REPLAY_CAUSE_FREE_HIGH;
	}
	if (!patched(&model->sim, P_FREE_COUNT)) {
		int shift = replay_shift_of(n, batch);

		pcp->free_factor = (uint16_t)(n == batch << shift && shift < PCP_BATCH_SCALE_MAX ?
						      shift + 1 :
						      shift);
		if (n > room && !pcpmodel_tuned(model)) {
			pcp->high = n + batch;
			return REPLAY_CAUSE_HIGH;
		}
		return REPLAY_CAUSE_FREE_COUNT;
	}
	if (n > room && room >= batch) {
		/* more than the mark allows: the mark was higher, or (below high) count was */
		if (was_below) {
			pcp->count += n - room;
			return REPLAY_CAUSE_COUNT_LOW;
		}
		if (pcpmodel_tuned(model) && pcp->high_min != pcp->high_max) {
			pcp->high += n - room;
			pcp->high = pcp->high < pcp->high_max ? pcp->high : pcp->high_max;
		}
		if (pcp->free_count < n) {
			pcp->free_count = (int16_t)n;
		}
		return REPLAY_CAUSE_HIGH;
	}
	pcp->free_count = (int16_t)n;
	return REPLAY_CAUSE_FREE_COUNT;
}

/* ticks that found nothing to drain lowered high before this free, so that it reached the mark */
static bool ticks_explain(struct replay_fix *fix, const struct per_cpu_pages *before)
{
	struct per_cpu_pages now = *before;
	uint32_t i;

	if (!pcpmodel_tuned(fix->model) || fix->free_high) {
		return false;
	}
	for (i = 1; i <= fix->ticks_most && now.high > now.high_min; i++) {
		struct per_cpu_pages then;
		bool free_high;
		int limit, pages;

		if (pcpmodel_tick(fix->model, &now)) {
			return false;
		}
		then = now;
		pages = pcpmodel_free_block(fix->model, &then, fix->zone, fix->order, &limit,
					    &free_high);
		if (pages && !free_high && pages <= fix->recorded &&
		    pages > fix->recorded - (1 << fix->last_order)) {
			*fix->pcp = then;
			fix->ticks = i;
			return true;
		}
	}
	return false;
}

/* the free once more, with what is changed in the pageset before it: it drains, with all that goes with that */
static void free_again(struct replay_fix *fix, const struct per_cpu_pages *before)
{
	bool free_high;
	int limit;

	*fix->pcp = *before;
	pcpmodel_free_block(fix->model, fix->pcp, fix->zone, fix->order, &limit, &free_high);
}

/* the kernel drained where the model did not */
static enum replay_cause fix_missed(struct replay_fix *fix, const struct per_cpu_pages *before)
{
	struct pcpmodel *model = fix->model;
	struct sim *sim = &model->sim;
	struct per_cpu_pages *pcp = fix->pcp, again = *before;
	int n = fix->recorded, batch = pcp->batch, whole = batch << PCP_BATCH_SCALE_MAX;
	int64_t mark = wmark_pages(fix->zone, WMARK_HIGH) + fix->zone->lowmem_reserve[ZONE_MOVABLE];
	bool all = n >= pcp->count - batch || n >= whole;

	if (fix->order && fix->order <= PAGE_ALLOC_COSTLY_ORDER && all &&
	    pcp->count + 2 * batch < fix->limit) {
		if ((pcp->flags & PCPF_FREE_HIGH_BATCH) && n < batch &&
		    (before->flags & PCPF_PREV_FREE_HIGH_ORDER)) {
			pcp->flags &= (uint8_t)~PCPF_FREE_HIGH_BATCH;
			return REPLAY_CAUSE_KEEP_BATCH;
		}
		if (patched(sim, P_FREE_COUNT) && pcp->free_count < batch) {
			pcp->free_count = (int16_t)batch;
		} else if (!patched(sim, P_FREE_COUNT) && !pcp->free_factor) {
			pcp->free_factor = 1;
		}
		if (pcpmodel_tuned(model)) {
			int high = pcp->high - whole;

			pcp->high = high > pcp->high_min ? high : pcp->high_min;
		}
		return REPLAY_CAUSE_FREE_HIGH;
	}
	if (ticks_explain(fix, before)) {
		return REPLAY_CAUSE_TICK;
	}
	if (fix->limit - pcp->count <= 2 * batch) {
		again.count = fix->limit - (1 << fix->order);
		free_again(fix, &again);
		if (patched(sim, P_FREE_COUNT) && n > batch && n < fix->limit - batch) {
			pcp->free_count = (int16_t)n;
		}
		return REPLAY_CAUSE_COUNT_LOW;
	}
	if (patched(sim, P_BELOW_HIGH) && pcp->count + batch >= pcp->high_min &&
	    fix->below_possible && (!model->machine->known || fix->zone->free_pages < 2 * mark)) {
		/* so the zone has fewer free pages than its counter, as followed here, says */
		fix->zone->flags |= 1u << ZONE_BELOW_HIGH;
		if (!model->machine->known && fix->zone->free_pages > mark) {
			fix->zone->free_pages = mark;
		} else if (fix->zone->free_pages > mark) {
			/* or its marks are boosted by more than the last snapshot had, so that this drain leaves it below */
			fix->zone->watermark_boost += fix->zone->free_pages + n - mark;
		}
		if (n > batch) {
			pcp->free_count = (int16_t)n;
		}
		return REPLAY_CAUSE_BELOW_HIGH;
	}
	/* with kswapd at work the limit is four batches, and a drain leaves one of them */
	if (pcp->count + batch >= batch << 2 && n <= batch * 3 + (1 << fix->last_order) &&
	    !(fix->zone->flags & 1u << ZONE_RECLAIM_ACTIVE)) {
		fix->zone->flags |= 1u << ZONE_RECLAIM_ACTIVE;
		return REPLAY_CAUSE_RECLAIM;
	}
	if (!pcpmodel_tuned(model)) {
		again.count = fix->limit - (1 << fix->order);
		free_again(fix, &again);
		return REPLAY_CAUSE_COUNT_LOW;
	}
	pcp->high = pcp->count > pcp->high_min ? pcp->count : pcp->high_min;
	pcp->count = pcp->count > pcp->high ? pcp->count : pcp->high;
	return REPLAY_CAUSE_HIGH;
}

/* by more each time, or the error would come back with each free for long */
static int step_of(struct replay_fix *fix)
{
	return *fix->raises < RAISES_MAX ? (*fix->raises)++ : RAISES_MAX;
}

static void lower_count(struct replay_fix *fix, struct per_cpu_pages *before, int limit)
{
	int count = limit - (1 << fix->order) - (1 << step_of(fix));

	before->count = count > 0 ? count : 0;
}

/* one change against a drain that only the model made */
static enum replay_cause fix_extra_once(struct replay_fix *fix, struct per_cpu_pages *before,
					bool free_high, int limit)
{
	struct sim *sim = &fix->model->sim;
	int batch = before->batch, pages = 1 << fix->order;

	if (free_high) {
		if (patched(sim, P_KEEP_BATCH) && !(before->flags & PCPF_FREE_HIGH_BATCH) &&
		    before->count + pages < batch) {
			before->flags |= PCPF_FREE_HIGH_BATCH;
			return REPLAY_CAUSE_KEEP_BATCH;
		}
		if (patched(sim, P_FREE_COUNT)) {
			before->free_count =
				(int16_t)(batch - 1 < before->free_count ? batch - 1 : 0);
		} else {
			before->free_factor = 0;
		}
		return REPLAY_CAUSE_FREE_HIGH;
	}
	if (fix->zone->flags & 1u << ZONE_BELOW_HIGH) {
		int64_t mark = wmark_pages(fix->zone, WMARK_HIGH) +
			       fix->zone->lowmem_reserve[ZONE_MOVABLE];

		fix->zone->flags &= ~(1u << ZONE_BELOW_HIGH);
		if (!fix->model->machine->known && fix->zone->free_pages <= mark) {
			fix->zone->free_pages = mark + 1;
		} else if (fix->zone->free_pages <= mark) {
			int64_t less = mark + 1 - fix->zone->free_pages;

			fix->zone->watermark_boost -= less < fix->zone->watermark_boost ?
							      less :
							      fix->zone->watermark_boost;
		}
		return REPLAY_CAUSE_BELOW_HIGH;
	}
	if (fix->kswapd && limit <= batch << 2) {
		lower_count(fix, before, limit);
		return REPLAY_CAUSE_COUNT_HIGH;
	}
	if (fix->zone->flags & 1u << ZONE_RECLAIM_ACTIVE) {
		fix->zone->flags &= ~(1u << ZONE_RECLAIM_ACTIVE);
		return REPLAY_CAUSE_RECLAIM;
	}
	if (!pcpmodel_tuned(fix->model) || before->high_min == before->high_max ||
	    before->high <= before->high_min) {
		lower_count(fix, before, limit);
		return REPLAY_CAUSE_COUNT_HIGH;
	}
	before->high += batch << step_of(fix);
	return REPLAY_CAUSE_HIGH;
}

/* the model drained where the kernel did not: change until the free predicts nothing */
static enum replay_cause fix_extra(struct replay_fix *fix, const struct per_cpu_pages *before)
{
	struct per_cpu_pages start = *before, now;
	enum replay_cause cause = REPLAY_CAUSE_N;
	bool free_high = fix->free_high;
	int limit = fix->limit, tries;

	for (tries = 0; tries < 8; tries++) {
		enum replay_cause this_cause = fix_extra_once(fix, &start, free_high, limit);

		cause = cause == REPLAY_CAUSE_N ? this_cause : cause;
		now = start;
		if (!pcpmodel_free_block(fix->model, &now, fix->zone, fix->order, &limit,
					 &free_high)) {
			break;
		}
	}
	*fix->pcp = now;
	return cause;
}

enum replay_cause replay_fix_drain(struct replay_fix *fix, const struct per_cpu_pages *before)
{
	if (!fix->recorded) {
		return fix_extra(fix, before);
	}
	if (!fix->predicted) {
		return fix_missed(fix, before);
	}
	return fix_size(fix);
}

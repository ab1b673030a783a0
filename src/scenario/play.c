/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The player. One call does one thing: an operation, or a cue to be shown. Between calls everything is in struct
 * scn_player: where in the steps it stands (frames), what is left of the step at work, the groups, the questions that wait.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/field.h"
#include "program.h"

struct group {
	u32 *slots;
	size_t head, nr, cap; /* slots[head .. head + nr) are left, oldest first */
};

struct frame {
	struct item *items;
	u32 nr, at;
	s64 turns; /* still to do, this one included */
};

struct waiting {
	const struct item *it;
	u32 left; /* operation steps */
};

struct scn_player {
	const struct scenario *scn;
	struct timeline *tl;
	struct frame frames[NODE_DEPTH_MAX];
	u32 depth;
	struct group *groups;
	u64 random;
	u64 max_ops;

	/* the operation step at work; NULL: none */
	const struct item *it;
	u64 left;	/* operations */
	u64 done;	/* operations */
	u64 done_units; /* blocks asked for or freed so far */
	u32 *picked;	/* free: the slots, in order */
	u64 nr_picked;
	u32 *slots;	 /* of one operation */
	s64 got, failed; /* of this or the last operation step */

	struct waiting *waiting;
	size_t nr_waiting;
	const struct item **answers; /* questions whose value is due */
	size_t nr_answers;
	const struct item *must; /* a step whose must: is due */
	struct scn_event error;
	bool failed_for_good;
};

enum { SLOTS_MAX = 65536 };

/* ---- creation -------------------------------------------------------------------------------------------------------- */

struct scn_player *scn_player_create(const struct scenario *scn, struct timeline *tl)
{
	struct scn_player *p = base_alloc(1, sizeof(*p));

	p->scn = scn;
	p->tl = tl;
	p->random = draw_hash(scn->info.seed, "shuffle", 7);
	p->groups = base_alloc(scn->nr_groups + 1, sizeof(*p->groups));
	p->slots = base_alloc(SLOTS_MAX, sizeof(*p->slots));
	p->waiting = base_alloc(scn->nr_predicts + 1, sizeof(*p->waiting));
	p->answers = base_alloc(scn->nr_predicts + 1, sizeof(*p->answers));
	p->frames[0] = (struct frame){ scn->steps, scn->nr_steps, 0, 1 };
	p->depth = 1;
	return p;
}

static void *copy(const void *from, size_t nr, size_t size)
{
	void *to = base_alloc(nr + 1, size);

	if (nr)
		memcpy(to, from, nr * size);
	return to;
}

struct scn_player *scn_player_clone(const struct scn_player *player, struct timeline *tl)
{
	struct scn_player *p = copy(player, 1, sizeof(*player));
	const struct scenario *scn = player->scn;

	p->tl = tl;
	p->groups = copy(player->groups, scn->nr_groups, sizeof(*p->groups));
	for (u32 i = 0; i < scn->nr_groups; i++) {
		const struct group *g = &player->groups[i];

		p->groups[i].slots = copy(g->slots, g->cap, sizeof(*g->slots));
	}
	p->slots = base_alloc(SLOTS_MAX, sizeof(*p->slots));
	p->picked =
		copy(player->picked, player->picked ? player->nr_picked : 0, sizeof(*p->picked));
	p->waiting = copy(player->waiting, scn->nr_predicts, sizeof(*p->waiting));
	p->answers = copy(player->answers, scn->nr_predicts, sizeof(*p->answers));
	return p;
}

void scn_player_free(struct scn_player *player)
{
	if (!player)
		return;
	for (u32 i = 0; i < player->scn->nr_groups; i++)
		free(player->groups[i].slots);
	free(player->groups);
	free(player->slots);
	free(player->picked);
	free(player->waiting);
	free(player->answers);
	free(player);
}

void scn_player_limit(struct scn_player *player, u64 max_ops)
{
	player->max_ops = max_ops;
}

/* ---- groups ---------------------------------------------------------------------------------------------------------- */

static void group_add(struct group *g, const u32 *slots, size_t nr)
{
	if (g->head + g->nr + nr > g->cap) {
		size_t cap = (g->nr + nr) * 2;
		u32 *fresh = base_alloc(cap, sizeof(*fresh));

		if (g->nr)
			memcpy(fresh, g->slots + g->head, g->nr * sizeof(*fresh));
		free(g->slots);
		g->slots = fresh;
		g->head = 0;
		g->cap = cap;
	}
	memcpy(g->slots + g->head + g->nr, slots, nr * sizeof(*slots));
	g->nr += nr;
}

/* The first @nr of a random order go out; the others keep theirs. */
static void pick_shuffled(struct group *g, u32 *out, size_t nr, u64 *random)
{
	u32 *order = base_alloc(g->nr, sizeof(*order));
	bool *gone = base_alloc(g->nr, sizeof(*gone));
	size_t kept = 0;

	for (size_t i = 0; i < g->nr; i++)
		order[i] = (u32)i;
	for (size_t i = 0; i < nr; i++) {
		size_t j = i + (size_t)draw_below(random, g->nr - i);
		u32 at = order[j];

		order[j] = order[i];
		out[i] = g->slots[g->head + at];
		gone[at] = true;
	}
	for (size_t i = 0; i < g->nr; i++)
		if (!gone[i])
			g->slots[g->head + kept++] = g->slots[g->head + i];
	g->nr = kept;
	free(order);
	free(gone);
}

/* Takes the slots that a free step frees out of its group, into p->picked. */
static void pick(struct scn_player *p, const struct fmt_free *f)
{
	struct group *g = &p->groups[p->it->group];
	size_t nr = f->count && (size_t)f->count < g->nr ? (size_t)f->count : g->nr;

	free(p->picked);
	p->picked = base_alloc(nr + 1, sizeof(*p->picked));
	p->nr_picked = nr;
	if (f->order == ORDER_SHUFFLED) {
		pick_shuffled(g, p->picked, nr, &p->random);
		return;
	}
	for (size_t i = 0; i < nr; i++)
		p->picked[i] = f->order == ORDER_OLDEST ? g->slots[g->head + i] :
							  g->slots[g->head + g->nr - 1 - i];
	if (f->order == ORDER_OLDEST)
		g->head += nr;
	g->nr -= nr;
}

/* ---- operation steps --------------------------------------------------------------------------------------------------- */

static u64 parts(s64 blocks, bool busy)
{
	return busy ? (u64)blocks : ((u64)blocks + SPLIT_BLOCKS - 1) / SPLIT_BLOCKS;
}

static u32 part(u64 blocks, bool busy)
{
	return busy ? 1 : blocks < SPLIT_BLOCKS ? (u32)blocks : SPLIT_BLOCKS;
}

/* How many operations a step takes, if no allocation fails. */
static u64 op_count(struct scn_player *p)
{
	const struct fmt_step *f = p->it->fmt;

	switch (p->it->kind) {
	case SK_alloc:
		return parts(f->alloc->count, f->alloc->busy);
	case SK_free:
		return parts((s64)p->nr_picked, f->free->busy);
	case SK_tick:
		return (u64)f->tick->times *
		       (f->tick->all ? sim_state(tl_view(p->tl))->nr_online : 1);
	case SK_sysctl:
		return (u64)((f->sysctl->percpu_pagelist_high_fraction >= 0) +
			     (f->sysctl->min_free_kbytes >= 0) +
			     (f->sysctl->watermark_scale_factor >= 0));
	default:
		return 1;
	}
}

static void start_step(struct scn_player *p, const struct item *it)
{
	p->it = it;
	p->done = p->done_units = 0;
	p->got = p->failed = 0;
	if (it->kind == SK_free)
		pick(p, it->fmt->free);
	p->left = op_count(p);
}

static u8 flag(bool on, u8 bit)
{
	return on ? bit : 0;
}

static void make_alloc(const struct scn_player *p, const struct fmt_alloc *a, struct op *op)
{
	op->count = part((u64)a->count - p->done_units, a->busy);
	op->kind = op->count == 1 ? OP_ALLOC : OP_ALLOCN;
	op->cpu = (u16)a->cpu;
	op->order = (u8)a->order;
	op->type = (u8)(a->type % MIGRATE_PCPTYPES);
	op->flags = flag(a->atomic, OP_F_ATOMIC) | flag(a->busy, OP_F_BUSY);
}

static void make_bulk(const struct fmt_bulk *b, struct op *op)
{
	op->kind = OP_BULK;
	op->count = (u32)b->count;
	op->cpu = (u16)b->cpu;
	op->type = (u8)(b->type % MIGRATE_PCPTYPES);
	op->flags = flag(b->atomic, OP_F_ATOMIC) | flag(b->busy, OP_F_BUSY);
}

static void make_free(struct scn_player *p, const struct fmt_free *f, struct op *op)
{
	op->count = part(p->nr_picked - p->done_units, f->busy);
	op->kind = f->batch ? OP_FREELIST : op->count == 1 ? OP_FREE : OP_FREEN;
	op->cpu = (u16)f->cpu;
	op->flags = flag(f->busy, OP_F_BUSY);
	memcpy(p->slots, p->picked + p->done_units, op->count * sizeof(*p->slots));
}

static void make_tick(const struct scn_player *p, const struct fmt_tick *t, struct op *op)
{
	const struct sim *sim = tl_view(p->tl);
	u64 turn = p->done % sim_state(sim)->nr_online;

	op->kind = OP_TICK;
	op->cpu = (u16)t->cpu;
	if (!t->all)
		return;
	for (u32 cpu = 0; cpu < sim_nr_cpus(sim); cpu++)
		if (sim_cpu_online(sim, cpu) && turn-- == 0) {
			op->cpu = (u16)cpu;
			return;
		}
}

static void make_sysctl(const struct scn_player *p, const struct fmt_sysctl *s, struct op *op)
{
	const struct {
		s64 value;
		u8 kind;
	} all[] = { { s->percpu_pagelist_high_fraction, OP_FRACTION },
		    { s->min_free_kbytes, OP_MINFREE },
		    { s->watermark_scale_factor, OP_WSF } };
	u64 skip = p->done;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (all[i].value < 0 || skip-- > 0)
			continue;
		op->kind = all[i].kind;
		op->value = all[i].value;
		return;
	}
}

static void make_drain(const struct item *it, struct op *op)
{
	const struct fmt_drain *d = it->fmt->drain;

	op->kind = d->all ? OP_DRAIN_ALL : d->cpu >= 0 ? OP_DRAIN : OP_DRAIN_ZONE;
	op->cpu = (u16)(d->cpu >= 0 ? d->cpu : 0);
}

static void make_watermarks(const struct fmt_watermarks *w, struct op *op)
{
	op->kind = OP_WMARK;
	op->value = w->min;
	op->low = w->low;
	op->high = w->high;
}

static void make_patches(const struct scn_player *p, const struct fmt_patch *f, struct op *op)
{
	char message[200];
	bool ok;

	op->kind = OP_PATCHES;
	op->value = patches_after(sim_patches(tl_view(p->tl)), f, message, sizeof(message), &ok);
}

/* The next operation of the step at work. */
static void make_op(struct scn_player *p, struct op *op)
{
	const struct item *it = p->it;
	const struct fmt_step *f = it->fmt;

	*op = (struct op){ .count = 1, .zone = it->zone == ZONE_NOT_GIVEN ? 0 : it->zone };
	switch (it->kind) {
	case SK_alloc:
		make_alloc(p, f->alloc, op);
		break;
	case SK_bulk:
		make_bulk(f->bulk, op);
		break;
	case SK_free:
		make_free(p, f->free, op);
		break;
	case SK_tick:
		make_tick(p, f->tick, op);
		break;
	case SK_drain:
		make_drain(it, op);
		break;
	case SK_reclaim:
		op->kind = OP_RECLAIM;
		op->flags = flag(f->reclaim->on, OP_F_ON);
		break;
	case SK_sysctl:
		make_sysctl(p, f->sysctl, op);
		break;
	case SK_pcp:
		op->kind = f->pcp->on ? OP_PCP_ENABLE : OP_PCP_DISABLE;
		break;
	case SK_cache:
		op->kind = OP_CACHE;
		op->cpu = (u16)f->cache->cpu;
		op->value = f->cache->size;
		break;
	case SK_hotplug:
		op->kind = f->hotplug->online ? OP_CPU_ONLINE : OP_CPU_OFFLINE;
		op->cpu = (u16)f->hotplug->cpu;
		break;
	case SK_watermarks:
		make_watermarks(f->watermarks, op);
		break;
	case SK_boost_clear:
		op->kind = OP_BOOST_CLEAR;
		break;
	case SK_touch:
		op->kind = OP_TOUCH;
		op->cpu = (u16)f->touch->cpu;
		break;
	case SK_patch:
		make_patches(p, f->patch, op);
		break;
	default:
		BASE_CHECK(false, "step kind %d is no operation", it->kind);
	}
}

static const char *via_of(const struct item *it)
{
	return it->kind == SK_alloc ? it->fmt->alloc->via :
	       it->kind == SK_bulk  ? it->fmt->bulk->via :
	       it->kind == SK_free  ? it->fmt->free->via :
				      "";
}

static s64 must_of(const struct item *it)
{
	return it->kind == SK_alloc ? it->fmt->alloc->must :
	       it->kind == SK_bulk  ? it->fmt->bulk->must :
				      -1;
}

/* ---- events ---------------------------------------------------------------------------------------------------------- */

static void event_at(struct scn_event *ev, enum scn_event_kind kind, const struct item *it)
{
	memset(ev, 0, sizeof(*ev));
	ev->kind = kind;
	ev->via = ev->group = ev->text = ev->step = "";
	ev->cpu = -1;
	if (!it)
		return;
	ev->line = it->at->line;
	ev->column = it->at->column;
	ev->step = item_names[it->kind];
}

static bool fail(struct scn_player *p, struct scn_event *ev, const struct item *it,
		 enum base_err code, const char *message)
{
	event_at(ev, SCN_EV_ERROR, it);
	ev->code = code;
	snprintf(ev->message, sizeof(ev->message), "%s", message);
	p->error = *ev;
	p->failed_for_good = true;
	return false;
}

/* An operation step is done: what waited for it comes next. A patch step is none for those who count. */
static void end_step(struct scn_player *p)
{
	const struct item *it = p->it;
	size_t kept = 0;

	p->it = NULL;
	if (must_of(it) >= 0)
		p->must = it;
	if (it->kind == SK_patch)
		return;
	for (size_t i = 0; i < p->nr_waiting; i++) {
		if (--p->waiting[i].left > 0)
			p->waiting[kept++] = p->waiting[i];
		else
			p->answers[p->nr_answers++] = p->waiting[i].it;
	}
	p->nr_waiting = kept;
}

/* After an operation: blocks counted, groups filled, the rest of the step dropped if a part failed. */
static void account(struct scn_player *p, const struct op *op, const struct op_result *r)
{
	const struct item *it = p->it;
	bool allocates = it->kind == SK_alloc || it->kind == SK_bulk;

	p->left--;
	p->done++;
	if (allocates || it->kind == SK_free) {
		p->done_units += op->count;
		p->got += r->got;
	}
	if (!allocates)
		return;
	if (it->group != UINT32_MAX)
		group_add(&p->groups[it->group], p->slots, op->count);
	if (r->got == op->count)
		return;
	p->left = 0;
	p->failed = (it->kind == SK_alloc ? it->fmt->alloc->count : it->fmt->bulk->count) - p->got;
}

static bool out_of_ops(const struct scn_player *p)
{
	return p->max_ops && tl_length(p->tl) >= p->max_ops;
}

static bool play_op(struct scn_player *p, struct scn_event *ev)
{
	const struct item *it = p->it;
	struct sim_error err;
	struct op_result r;
	struct op op;
	char message[64];

	if (out_of_ops(p)) {
		snprintf(message, sizeof(message), "stopped after %" PRIu64 " operations",
			 p->max_ops);
		fail(p, ev, it, BASE_ERR_TOO_LARGE, message);
		snprintf(p->error.hint, sizeof(p->error.hint), "--max-ops says so");
		*ev = p->error;
		return false;
	}
	make_op(p, &op);
	if (tl_append(p->tl, &op, p->slots, &r, &err))
		return fail(p, ev, it,
			    err.code == ERR_NOMEM || err.code == ERR_FULL ? BASE_ERR_NO_MEMORY :
									    BASE_ERR_SYNTAX,
			    err.message);
	event_at(ev, SCN_EV_OP, it);
	ev->op = tl_length(p->tl) - 1;
	ev->result = r;
	ev->via = via_of(it);
	if (it->group != UINT32_MAX)
		ev->group = p->scn->groups[it->group];
	account(p, &op, &r);
	ev->step_ends = p->left == 0;
	if (p->left == 0)
		end_step(p);
	return true;
}

/* ---- Lua, tasks, sleep -------------------------------------------------------------------------------------------------- */

static bool play_hook(struct scn_player *p, const struct item *it, struct scn_event *ev)
{
	const struct scn_hooks *h = p->scn->hooks;
	const struct fmt_sleep *s = it->fmt->sleep;
	u64 before = tl_length(p->tl);
	enum base_err err;
	struct diag d = { 0 };

	if (it->kind == SK_lua)
		err = h->lua(h->ctx, p->tl, it->calls, &d);
	else if (it->kind == SK_tasks)
		err = h->tasks(h->ctx, p->tl, &it->tasks, &d);
	else
		err = h->sleep(h->ctx, p->tl, (u32)s->cpu, (u64)s->time, &d);
	if (err) {
		char message[256], place[64] = "";

		/* a place in the program's own file goes into the sentence */
		if (d.file[0] && d.line)
			snprintf(place, sizeof(place), "%.40s:%" PRIu64 ": ", d.file, d.line);
		snprintf(message, sizeof(message), "%s%.180s", place, d.message);
		fail(p, ev, it, err, message);
		snprintf(p->error.hint, sizeof(p->error.hint), "%.120s", d.hint);
		*ev = p->error;
		return false;
	}
	event_at(ev, SCN_EV_DONE, it);
	ev->op = before;
	p->it = it;
	end_step(p);
	return true;
}

/* ---- questions and checks ---------------------------------------------------------------------------------------------- */

static bool evaluate(struct scn_player *p, void *expr, struct scn_value *value, char *message,
		     size_t size)
{
	const struct scn_expr_ops *ops = p->scn->expr;
	struct scn_scope scope[SCOPE_NR];

	if (!expr) {
		snprintf(message, size, "expressions cannot be evaluated here");
		return false;
	}
	scope_fill(scope, p->got, p->failed);
	return ops->eval(ops->ctx, expr, tl_view(p->tl), scope, SCOPE_NR, value, message, size);
}

static void explain(struct scn_player *p, void *expr, char *text, size_t size)
{
	const struct scn_expr_ops *ops = p->scn->expr;

	text[0] = '\0';
	if (ops && ops->explain && expr)
		ops->explain(ops->ctx, expr, tl_view(p->tl), text, size);
}

static void play_expect(struct scn_player *p, const struct item *it, struct scn_event *ev)
{
	char buf[SCN_VALUE_MAX];

	event_at(ev, SCN_EV_EXPECT, it);
	ev->text = it->fmt->expect->expr;
	if (!evaluate(p, it->expr, &ev->value, ev->message, sizeof(ev->message)))
		return;
	if (ev->value.kind != SCN_BOOL) {
		snprintf(ev->message, sizeof(ev->message),
			 "it gives %s, which is not true or false",
			 scn_value_text(&ev->value, buf));
		return;
	}
	ev->ok = ev->value.b;
	if (!ev->ok)
		explain(p, it->expr, ev->message, sizeof(ev->message));
}

static void play_must(struct scn_player *p, struct scn_event *ev)
{
	const struct item *it = p->must;
	bool fail_wanted = must_of(it) == MUST_FAIL;

	event_at(ev, SCN_EV_EXPECT, it);
	p->must = NULL;
	ev->text = fail_wanted ? "must: fail" : "must: succeed";
	ev->ok = fail_wanted == (p->failed > 0);
	ev->value = (struct scn_value){ .kind = SCN_BOOL, .b = ev->ok };
	if (!ev->ok)
		snprintf(ev->message, sizeof(ev->message),
			 fail_wanted ? "all %" PRId64 " blocks were got" :
				       "%" PRId64 " blocks were got, %" PRId64 " were not",
			 p->got, p->failed);
}

static bool among_choices(const struct scn_predict *q, const struct scn_value *value)
{
	for (size_t i = 0; i < q->nr_choices; i++)
		if (scn_answer_right(value, q->choices[i]))
			return true;
	return q->nr_choices == 0;
}

static void play_answer(struct scn_player *p, struct scn_event *ev)
{
	const struct item *it = p->answers[0];
	const struct scn_predict *q = &p->scn->predicts[it->predict->index];
	char value[SCN_VALUE_MAX];

	memmove(p->answers, p->answers + 1, --p->nr_answers * sizeof(*p->answers));
	event_at(ev, SCN_EV_RESOLVE, it);
	ev->predict = q;
	ev->text = q->id;
	if (!evaluate(p, it->predict->expr, &ev->value, ev->message, sizeof(ev->message)))
		return;
	scn_value_text(&ev->value, value);
	ev->ok = among_choices(q, &ev->value);
	if (!ev->ok) {
		snprintf(ev->message, sizeof(ev->message), "the value %s is not among the choices",
			 value);
	} else if (q->answer[0] && !scn_answer_right(&ev->value, q->answer)) {
		ev->ok = false;
		snprintf(ev->message, sizeof(ev->message),
			 "the value is %s, the answer says %.100s", value, q->answer);
	}
}

static void play_predict(struct scn_player *p, const struct item *it, struct scn_event *ev)
{
	event_at(ev, SCN_EV_PREDICT, it);
	ev->predict = &p->scn->predicts[it->predict->index];
	ev->text = ev->predict->ask;
	p->waiting[p->nr_waiting++] = (struct waiting){ it, ev->predict->after };
}

static void play_focus(const struct item *it, struct scn_event *ev)
{
	const struct fmt_focus *f = it->fmt->focus;

	event_at(ev, SCN_EV_FOCUS, it);
	ev->cpu = (int)f->cpu;
	if (f->pane >= 0)
		ev->text = scn_pane_words[f->pane];
}

/* ---- going on -------------------------------------------------------------------------------------------------------- */

/* The next step, through ends and beginnings of repeats; NULL at the end. */
static struct item *next_item(struct frame *frames, u32 *depth)
{
	while (*depth > 0) {
		struct frame *f = &frames[*depth - 1];
		struct item *it;

		if (f->at == f->nr) {
			f->at = 0;
			if (--f->turns == 0)
				--*depth;
			continue;
		}
		it = &f->items[f->at++];
		if (it->kind != SK_repeat)
			return it;
		BASE_CHECK(*depth < NODE_DEPTH_MAX, "%u repeats", *depth);
		frames[(*depth)++] =
			(struct frame){ it->sub, it->nr_sub, 0, it->fmt->repeat->times };
	}
	return NULL;
}

static bool is_hook(const struct item *it)
{
	return it->kind == SK_lua || it->kind == SK_tasks || it->kind == SK_sleep;
}

static bool is_cue(const struct item *it)
{
	return it->kind == SK_say || it->kind == SK_focus || it->kind == SK_bookmark ||
	       it->kind == SK_predict || it->kind == SK_expect;
}

static void play_cue(struct scn_player *p, const struct item *it, struct scn_event *ev)
{
	switch (it->kind) {
	case SK_say:
		event_at(ev, SCN_EV_SAY, it);
		ev->text = it->fmt->say->text;
		break;
	case SK_bookmark:
		event_at(ev, SCN_EV_BOOKMARK, it);
		ev->text = it->fmt->bookmark->name;
		break;
	case SK_focus:
		play_focus(it, ev);
		break;
	case SK_predict:
		play_predict(p, it, ev);
		break;
	default:
		play_expect(p, it, ev);
	}
}

bool scn_play_next(struct scn_player *p, struct scn_event *ev)
{
	for (;;) {
		const struct item *it;

		if (p->failed_for_good) {
			*ev = p->error;
			return false;
		}
		if (p->must) {
			play_must(p, ev);
			return true;
		}
		if (p->nr_answers) {
			play_answer(p, ev);
			return true;
		}
		if (p->it)
			return play_op(p, ev);
		it = next_item(p->frames, &p->depth);
		if (!it) {
			event_at(ev, SCN_EV_END, NULL);
			return false;
		}
		if (is_cue(it)) {
			play_cue(p, it, ev);
			return true;
		}
		if (is_hook(it))
			return play_hook(p, it, ev);
		start_step(p, it);
		/* a group that an allocation cut short left empty: nothing to free */
		if (p->left == 0)
			end_step(p);
	}
}

bool scn_play_op_next(const struct scn_player *p)
{
	struct frame frames[NODE_DEPTH_MAX];
	u32 depth = p->depth;
	const struct item *it;

	if (p->failed_for_good || p->must || p->nr_answers)
		return false;
	if (p->it)
		return true;
	memcpy(frames, p->frames, sizeof(frames));
	it = next_item(frames, &depth);
	return it && !is_cue(it);
}

void scn_event_diag(const struct scenario *scn, const struct scn_event *ev, struct diag *d)
{
	base_diag_set(d, ev->code ? ev->code : BASE_ERR_FAILED, scn->doc.text.name, ev->line,
		      ev->column, "%s", ev->message);
	if (ev->kind == SCN_EV_EXPECT)
		base_diag_set(d, BASE_ERR_FAILED, scn->doc.text.name, ev->line, ev->column,
			      "expected %s%s%s", ev->text, ev->message[0] ? ": " : "", ev->message);
	else if (ev->kind == SCN_EV_RESOLVE)
		base_diag_set(d, BASE_ERR_FAILED, scn->doc.text.name, ev->line, ev->column,
			      "predict %s: %s", ev->text, ev->message);
	if (ev->hint[0])
		base_diag_hint(d, "%s", ev->hint);
	base_diag_excerpt_text(d, &scn->doc.text);
}

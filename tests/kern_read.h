/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading dumps in tests: real files of tests/real, and texts that a test makes. The test frees what it gets. */
#ifndef KERN_READ_H
#define KERN_READ_H

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernel/dump.h"
#include "kernel/meminfo.h"
#include "kernel/model_check.h"
#include "kernel/zoneinfo.h"

struct text {
	char *s;
	size_t len;
	size_t cap;
};

static inline void text_add(struct text *t, const char *s, size_t len)
{
	while (t->len + len + 1 > t->cap) {
		t->cap = t->cap ? t->cap * 2 : 4096;
		t->s = realloc(t->s, t->cap);
		cr_assert_not_null(t->s);
	}
	memcpy(t->s + t->len, s, len);
	t->len += len;
	t->s[t->len] = '\0';
}

__attribute__((format(printf, 2, 3))) static inline void text_printf(struct text *t,
								     const char *fmt, ...)
{
	char line[1024];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	cr_assert(n >= 0 && (size_t)n < sizeof(line));
	text_add(t, line, (size_t)n);
}

static inline struct text text_of_file(const char *path)
{
	struct text t = { 0 };
	struct base_text file;
	struct diag d;

	cr_assert_eq(base_text_read(&file, path, KERN_TEXT_MAX, &d), BASE_ERR_OK, "%s: %s", path,
		     d.message);
	text_add(&t, file.data, file.len);
	base_text_free(&file);
	return t;
}

/* The dump, or NULL with *d filled. */
static inline struct kern_dump *kern_try(enum kern_format format, const char *s, size_t len,
					 int64_t snapshot, struct diag *d)
{
	struct kern_read_options opt = { .name = "text", .snapshot = snapshot };
	struct kern_dump *dump;
	enum base_err err;

	err = (format == KERN_ZONEINFO ? kern_zoneinfo_read : kern_meminfo_read)(s, len, &opt,
										 &dump, d);
	cr_assert_eq(err == BASE_ERR_OK, dump != NULL);
	return dump;
}

static inline struct kern_dump *kern_read(enum kern_format format, const struct text *t)
{
	struct diag d;
	struct kern_dump *dump = kern_try(format, t->s, t->len, -1, &d);

	cr_assert_not_null(dump, "%s (%s)", d.message, d.hint);
	return dump;
}

static inline struct kern_dump *kern_read_file(enum kern_format format, const char *path)
{
	struct text t = text_of_file(path);
	struct kern_dump *dump = kern_read(format, &t);

	free(t.s);
	return dump;
}

static inline struct kern_zone *kern_zone_at(const struct kern_dump *dump, unsigned int node,
					     const char *name)
{
	struct kern_zone *z = kern_dump_find(dump, node, name, strlen(name));

	cr_assert_not_null(z, "node %u zone %s", node, name);
	return z;
}

/* What two reads of the same figures must share; the places in the text may differ. */
static inline void kern_expect_same(const struct kern_dump *a, const struct kern_dump *b,
				    const char *what)
{
	size_t i, c;

	cr_expect_eq(a->nr_zones, b->nr_zones, "%s: %zu zones, not %zu", what, b->nr_zones,
		     a->nr_zones);
	cr_expect_eq(a->page_size, b->page_size, "%s", what);
	cr_expect_eq(a->fields, b->fields, "%s: fields %x, not %x", what, b->fields, a->fields);
	cr_expect_eq(a->cpu_fields, b->cpu_fields, "%s", what);
	cr_expect_str_eq(a->release, b->release, "%s: %s, not %s", what, b->release, a->release);
	for (i = 0; i < a->nr_zones && i < b->nr_zones; i++) {
		const struct kern_zone *x = &a->zones[i], *y = &b->zones[i];

		cr_expect_str_eq(x->name, y->name, "%s: %s, not %s", what, y->name, x->name);
		cr_expect_eq(x->node, y->node, "%s", what);
		cr_expect_arr_eq(x->v, y->v, sizeof(x->v), "%s: zone %s", what, x->name);
		cr_expect_arr_eq(x->protection, y->protection, sizeof(x->protection), "%s: zone %s",
				 what, x->name);
		cr_expect_eq(x->nr_orders, y->nr_orders, "%s: zone %s has %u orders, not %u", what,
			     x->name, y->nr_orders, x->nr_orders);
		cr_expect_arr_eq(x->buddy, y->buddy, sizeof(x->buddy), "%s: zone %s", what,
				 x->name);
		cr_expect_eq(x->nr_cpus, y->nr_cpus, "%s: zone %s", what, x->name);
		for (c = 0; c < x->nr_cpus && c < y->nr_cpus; c++) {
			cr_expect_eq(x->cpus[c].cpu, y->cpus[c].cpu, "%s", what);
			cr_expect_arr_eq(x->cpus[c].v, y->cpus[c].v, sizeof(x->cpus[c].v),
					 "%s: zone %s cpu %u", what, x->name, x->cpus[c].cpu);
		}
	}
}

/*
 * What logs and mail do to a text, one way each: `before` in front of every line (NULL: all lines flow into one
 * paragraph), `after` behind it, and (wrap) lines broken at blanks after so many characters.
 */
struct mangle {
	const char *what;
	const char *before;
	const char *after;
	size_t wrap;
};

static const struct mangle mangles[] = {
	{ "quoted", "> ", "", 0 },
	{ "quoted thrice", ">> > ", "", 0 },
	{ "quoted in HTML", "&gt; ", "", 0 },
	{ "DOS lines", "", "\r", 0 },
	{ "dmesg -T", "[Fri Apr 17 19:55:54 2026] ", "", 0 },
	{ "dmesg with caller", "[  103.204711][  T123] ", "", 0 },
	{ "printk levels", "<4>", "", 0 },
	{ "journal", "2024-05-30T14:08:26.123456+02:00 my-host kernel: ", "", 0 },
	{ "logger", "May 30 14:08:26 host root: ", "", 0 },
	{ "no-break spaces", "\302\240\302\240", "", 0 },
	{ "colours", "\033[32m", "\033[0m", 0 },
	{ "wrapped", "", "", 72 },
	{ "wrapped and quoted", "> ", "", 60 },
	{ "continued with DEL", "\177", "", 66 },
	{ "one paragraph", NULL, "", 100 },
};
#define NR_MANGLES (sizeof(mangles) / sizeof(mangles[0]))

static inline struct text flow(const struct text *t, size_t width)
{
	struct text out = { 0 };
	size_t column = 0, at = 0, len;

	while (at < t->len) {
		at += strspn(t->s + at, " \t\n");
		len = strcspn(t->s + at, " \t\n");
		text_add(&out, column + len > width ? "\n" : " ", 1);
		column = column + len > width ? len : column + 1 + len;
		text_add(&out, t->s + at, len);
		at += len;
	}
	return out;
}

static inline struct text mangle(const struct text *t, const struct mangle *m)
{
	struct text out = { 0 };
	const char *at = t->s, *end = t->s + t->len;

	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((nl ? nl : end) - at), take = len, i;

		/* the last blank before the margin, behind the indent */
		for (i = m->wrap; m->wrap && len > m->wrap && i > 20; i--)
			if (at[i] == ' ' && at[i - 1] != ' ') {
				take = i;
				break;
			}
		text_add(&out, m->before, strlen(m->before));
		text_add(&out, at, take);
		text_add(&out, m->after, strlen(m->after));
		text_add(&out, "\n", 1);
		at += take;
		if (take == len)
			at += nl ? 1 : 0;
		if (take == len && !nl)
			break;
	}
	return out;
}

/* Every mangled form of a file reads as the file does. */
static inline void kern_expect_robust(enum kern_format format, const char *path)
{
	struct text plain = text_of_file(path);
	struct kern_dump *want = kern_read(format, &plain);
	size_t i;

	for (i = 0; i < NR_MANGLES; i++) {
		struct text other = mangles[i].before ? mangle(&plain, &mangles[i]) :
							flow(&plain, mangles[i].wrap);
		char what[256];
		struct diag d;
		struct kern_dump *dump = kern_try(format, other.s, other.len, -1, &d);

		snprintf(what, sizeof(what), "%s, %s", path, mangles[i].what);
		cr_expect_not_null(dump, "%s: %s", what, d.message);
		if (dump)
			kern_expect_same(want, dump, what);
		kern_dump_free(dump);
		free(other.s);
	}
	kern_dump_free(want);
	free(plain.s);
}

/* "managed boost promo": what kern_dump_lacks() gives, in one line. */
static inline const char *kern_lacks_text(const struct kern_dump *dump, char *buf, size_t size)
{
	const char *names[32];
	size_t nr = kern_dump_lacks(dump, names, 32), i, n = 0;

	cr_assert_leq(nr, 32);
	buf[0] = '\0';
	for (i = 0; i < nr; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", i ? " " : "", names[i]);
	cr_assert_lt(n, size);
	return buf;
}

static inline unsigned int kern_refusals(const struct kern_dump *dump)
{
	char reason[160];
	unsigned int i;

	for (i = 0; kern_dump_refusal(dump, i, reason, sizeof(reason)); i++)
		cr_expect_gt(strlen(reason), 10);
	return i;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of snapshots. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/snaps.h"

#define ZONE                                                                                         \
	"Node 0, zone   Normal\n  pages free     100\n        min      10\n        low      12\n"    \
	"        high     14\n        spanned  4096\n        present  4096\n        managed  4000\n" \
	"  pagesets\n    cpu: 0\n              count: %d\n              high:  7\n"                  \
	"              batch: 1\n  start_pfn:           4096\n"

static enum base_err read_text(const char *text, struct snaps *snaps, struct diag *d)
{
	char path[] = "/tmp/pageset-snaps-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	enum base_err err;

	cr_assert_not_null(f);
	fputs(text, f);
	fclose(f);
	err = snaps_read(snaps, path, d);
	remove(path);
	return err;
}

Test(snaps, sections_by_number)
{
	char text[4096];
	struct snaps snaps;
	struct diag d;
	const struct snap *s;

	snprintf(text, sizeof(text),
		 "### snap=5 label=later file=zoneinfo mono=2.5\n" ZONE
		 "### snap=5 label=later file=buddyinfo mono=2.5\nNode 0, zone Normal 1 2 3\n"
		 "### snap=2 label=before file=zoneinfo mono=1.25\n" ZONE,
		 55, 22);
	cr_assert_eq(read_text(text, &snaps, &d), BASE_ERR_OK, "%s", d.message);
	cr_expect_eq(snaps.nr, 2);
	cr_expect_eq(snaps.others, 1);
	s = snaps_find(&snaps, 2);
	cr_assert_not_null(s);
	cr_expect_str_eq(s->label, "before");
	cr_expect_eq(s->mono, 1.25);
	cr_expect_eq(s->dump->zones[0].cpus[0].v[KERN_CF_count], 22);
	s = snaps_find(&snaps, 5);
	cr_assert_not_null(s);
	cr_expect_eq(s->dump->zones[0].cpus[0].v[KERN_CF_count], 55);
	cr_expect_null(snaps_find(&snaps, 3));
	snaps_free(&snaps);
}

Test(snaps, a_plain_zoneinfo_is_number_0)
{
	char text[4096];
	struct snaps snaps;
	struct diag d;

	snprintf(text, sizeof(text), ZONE, 9);
	cr_assert_eq(read_text(text, &snaps, &d), BASE_ERR_OK);
	cr_expect_eq(snaps.nr, 1);
	cr_expect_not_null(snaps_find(&snaps, 0));
	cr_expect_lt(snaps.items[0].mono, 0);
	snaps_free(&snaps);
}

Test(snaps, damage_is_told)
{
	char text[8192];
	struct snaps snaps;
	struct diag d;

	cr_expect_neq(read_text("### snap=x label=a file=zoneinfo\n", &snaps, &d), BASE_ERR_OK);
	cr_expect_eq(d.line, 1);
	cr_expect(*d.hint);
	snprintf(text, sizeof(text),
		 "### snap=1 label=a file=zoneinfo\n" ZONE
		 "### snap=1 label=b file=zoneinfo\n" ZONE,
		 1, 2);
	cr_expect_neq(read_text(text, &snaps, &d), BASE_ERR_OK);
	cr_expect_not_null(strstr(d.message, "twice"));
	cr_expect_neq(read_text("### snap=1 label=a file=buddyinfo\nx\n", &snaps, &d), BASE_ERR_OK);
	cr_expect_not_null(strstr(d.message, "no snapshot"));
	cr_expect_neq(read_text("", &snaps, &d), BASE_ERR_OK);
	cr_expect_eq(snaps.nr, 0);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "snaps.h"

#include <stdlib.h>
#include <string.h>

#include "../base/number.h"
#include "../base/text.h"
#include "zoneinfo.h"

struct head {
	uint64_t number;
	char label[SNAPS_LABEL_MAX];
	double mono;
	bool zoneinfo;
};

/* the text behind "key=" in a line, up to the next blank */
static const char *value_of(const char *line, size_t len, const char *key, size_t *value_len)
{
	const char *p = memmem(line, len, key, strlen(key)), *end = line + len, *q;

	if (!p) {
		return NULL;
	}
	p += strlen(key);
	for (q = p; q < end && *q != ' '; q++) {
		;
	}
	*value_len = (size_t)(q - p);
	return p;
}

static enum base_err read_head(const char *name, uint64_t line_nr, const char *line, size_t len,
			       struct head *head, struct diag *d)
{
	const char *v;
	size_t n;
	char number[32];

	memset(head, 0, sizeof(*head));
	head->mono = -1;
	v = value_of(line, len, "snap=", &n);
	if (!v || base_parse_uint(v, n, 0, UINT32_MAX, &head->number, NULL) != BASE_ERR_OK) {
		base_diag_set(d, BASE_ERR_SYNTAX, name, line_nr, 1, "this snapshot has no number");
		base_diag_hint(d,
			       "the line reads: ### snap=N label=NAME file=zoneinfo mono=SECONDS");
		base_diag_excerpt(d, line, len);
		return BASE_ERR_SYNTAX;
	}
	v = value_of(line, len, "label=", &n);
	if (v) {
		n = n < SNAPS_LABEL_MAX ? n : SNAPS_LABEL_MAX - 1;
		memcpy(head->label, v, n);
	}
	v = value_of(line, len, "mono=", &n);
	if (v && n < sizeof(number)) {
		memcpy(number, v, n);
		number[n] = '\0';
		head->mono = strtod(number, NULL);
	}
	v = value_of(line, len, "file=", &n);
	head->zoneinfo = !v || (n == 8 && memcmp(v, "zoneinfo", 8) == 0);
	return BASE_ERR_OK;
}

static int by_number(const void *a, const void *b)
{
	const struct snap *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static enum base_err add(struct snaps *snaps, const struct base_text *text, const struct head *head,
			 size_t begin, size_t end, struct diag *d)
{
	struct kern_read_options opt = { .name = text->name, .snapshot = -1 };
	struct snap *items;
	struct kern_dump *dump;
	enum base_err err;

	if (!head->zoneinfo) {
		snaps->others++;
		return BASE_ERR_OK;
	}
	items = realloc(snaps->items, (snaps->nr + 1) * sizeof(*items));
	if (!items) {
		return base_diag_set(d, BASE_ERR_NO_MEMORY, text->name, 0, 0,
				     "not enough memory for the snapshots");
	}
	snaps->items = items;
	err = kern_zoneinfo_read(text->data + begin, end - begin, &opt, &dump, d);
	if (err != BASE_ERR_OK) {
		return err;
	}
	items[snaps->nr] =
		(struct snap){ .number = (uint32_t)head->number, .mono = head->mono, .dump = dump };
	memcpy(items[snaps->nr].label, head->label, sizeof(head->label));
	snaps->nr++;
	return BASE_ERR_OK;
}

static enum base_err read_all(struct snaps *snaps, const struct base_text *text, struct diag *d)
{
	struct head head = { .number = 0, .mono = -1, .zoneinfo = true };
	size_t begin = 0, len;
	bool open = false;
	enum base_err err;
	const char *line;
	uint64_t n;

	for (n = 1; base_text_line(text, n, &line, &len); n++) {
		struct head next;

		if (len < 4 || memcmp(line, "### ", 4) != 0 || !memmem(line, len, "snap=", 5)) {
			continue;
		}
		err = read_head(text->name, n, line, len, &next, d);
		if (err == BASE_ERR_OK && open) {
			err = add(snaps, text, &head, begin, (size_t)(line - text->data), d);
		}
		if (err != BASE_ERR_OK) {
			return err;
		}
		open = true;
		head = next;
		begin = (size_t)(line - text->data) + len;
	}
	return add(snaps, text, &head, begin, text->len, d);
}

enum base_err snaps_read(struct snaps *snaps, const char *path, struct diag *d)
{
	struct base_text text;
	enum base_err err;
	size_t i;

	memset(snaps, 0, sizeof(*snaps));
	err = base_text_read(&text, path, SNAPS_BYTES_MAX, d);
	if (err == BASE_ERR_OK) {
		err = read_all(snaps, &text, d);
	}
	if (err == BASE_ERR_OK && !snaps->nr) {
		err = base_diag_set(d, BASE_ERR_SYNTAX, text.name, 0, 0,
				    "no snapshot of /proc/zoneinfo in this file");
	}
	if (err == BASE_ERR_OK) {
		qsort(snaps->items, snaps->nr, sizeof(*snaps->items), by_number);
		for (i = 1; i < snaps->nr; i++) {
			if (snaps->items[i].number == snaps->items[i - 1].number) {
				err = base_diag_set(d, BASE_ERR_SYNTAX, text.name, 0, 0,
						    "snapshot %u is there twice",
						    (unsigned int)snaps->items[i].number);
				break;
			}
		}
	}
	base_text_free(&text);
	if (err != BASE_ERR_OK) {
		snaps_free(snaps);
	}
	return err;
}

void snaps_free(struct snaps *snaps)
{
	size_t i;

	for (i = 0; i < snaps->nr; i++) {
		kern_dump_free(snaps->items[i].dump);
	}
	free(snaps->items);
	memset(snaps, 0, sizeof(*snaps));
}

const struct snap *snaps_find(const struct snaps *snaps, uint32_t number)
{
	struct snap key = { .number = number };

	if (!snaps->nr) {
		return NULL;
	}
	return bsearch(&key, snaps->items, snaps->nr, sizeof(*snaps->items), by_number);
}

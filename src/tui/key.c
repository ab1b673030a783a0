/* SPDX-License-Identifier: GPL-2.0-only */
#include "key.h"

#include <ctype.h>
#include <string.h>

#include "base/diag.h"

const struct key_info key_infos[NR_REQUESTS] = {
#define KEY(request, keys, group, bar, help) [REQ_##request] = { keys, bar, help, KEYS_##group },
#include "key.def"
#undef KEY
};

const char *const key_group_names[NR_KEY_GROUPS] = {
	[KEYS_MOVE] = "moving in time",
	[KEYS_ASK] = "asking",
	[KEYS_LOOK] = "looking around",
	[KEYS_DO] = "else",
};

static const struct {
	const char *name;
	int key;
} names[] = {
	{ "Enter", '\r' },
	{ "Esc", 27 },
	{ "Tab", '\t' },
	{ "S-Tab", KEY_BASE + KEY_BTAB },
	{ "Space", ' ' },
	{ "Up", KEY_BASE + KEY_UP },
	{ "Down", KEY_BASE + KEY_DOWN },
	{ "Left", KEY_BASE + KEY_LEFT },
	{ "Right", KEY_BASE + KEY_RIGHT },
	{ "PgUp", KEY_BASE + KEY_PPAGE },
	{ "PgDn", KEY_BASE + KEY_NPAGE },
	{ "Home", KEY_BASE + KEY_HOME },
	{ "End", KEY_BASE + KEY_END },
	{ "F1", KEY_BASE + KEY_F(1) },
	{ "BS", KEY_BASE + KEY_BACKSPACE },
	{ "Del", KEY_BASE + KEY_DC },
	{ "C-l", 'l' & 31 },
	{ "C-u", 'u' & 31 },
	{ "C-z", 'z' & 31 },
	{ "lt", '<' },
	{ "Paste", KEY_BASE + KEY_PASTE },
	{ "PasteEnd", KEY_BASE + KEY_PASTE_END },
};

size_t key_parse(const char *text, int *key)
{
	const char *end;
	uint32_t code;
	size_t bytes;

	if (text[0] == '<' && (end = strchr(text, '>')) != NULL) {
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			if (strlen(names[i].name) == (size_t)(end - text) - 1 &&
			    strncmp(names[i].name, text + 1, (size_t)(end - text) - 1) == 0) {
				*key = names[i].key;
				return (size_t)(end - text) + 1;
			}
		}
		return 0;
	}
	if (!text[0])
		return 0;
	bytes = base_utf8_len(text, strlen(text), &code);
	*key = (int)code;
	return bytes;
}

enum request key_request(int key)
{
	if (key == '\n')
		key = '\r';
	if (key == KEY_BASE + KEY_ENTER)
		key = '\r';
	for (int r = 0; r < (int)ARRAY_SIZE(key_infos); r++) {
		const char *at = key_infos[r].keys;

		while (at && *at) {
			int has;
			size_t bytes = key_parse(at, &has);

			if (bytes == 0)
				break;
			if (has == key)
				return (enum request)r;
			at += bytes;
			at += *at == ' ';
		}
	}
	return REQ_NONE;
}

char *key_label(enum request request, char *buf, size_t size)
{
	const char *keys = key_infos[request].keys;
	size_t len = strcspn(keys, " ");

	if (len > 2 && keys[0] == '<')
		snprintf(buf, size, "%.*s", (int)len - 2, keys + 1);
	else
		snprintf(buf, size, "%.*s", (int)len, keys);
	return buf;
}

/* Keys of a request for people: `s`, `Right`. */
static void print_key_names(FILE *out, const char *keys)
{
	const char *between = "";

	while (*keys) {
		size_t len = strcspn(keys, " ");
		size_t named = len > 2 && keys[0] == '<';

		fprintf(out, "%s`%.*s`", between, (int)(len - 2 * named), keys + named);
		between = ", ";
		keys += len;
		keys += *keys == ' ';
	}
}

void ui_print_keys(FILE *out)
{
	fputs("| key | what it does |\n|---|---|\n", out);
	for (int group = 0; group < NR_KEY_GROUPS; group++) {
		for (int r = 0; r < (int)ARRAY_SIZE(key_infos); r++) {
			if (!key_infos[r].keys || key_infos[r].group != (enum key_group)group)
				continue;
			fputs("| ", out);
			print_key_names(out, key_infos[r].keys);
			fprintf(out, " | %s |\n", key_infos[r].help);
		}
	}
}

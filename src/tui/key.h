/* SPDX-License-Identifier: GPL-2.0-only */
/* Key -> request, by the table of key.def. */
#ifndef PAGESET_TUI_KEY_H
#define PAGESET_TUI_KEY_H

#include "state.h"

/* Characters, and curses' codes above KEY_BASE. */
enum { KEY_BASE = 0x200000 };

/* What a terminal sends around pasted text, beyond the codes that curses gives to keys; it keeps 16 bits. */
enum { KEY_PASTE = 0x4000, KEY_PASTE_END };

enum key_group { KEYS_MOVE, KEYS_ASK, KEYS_LOOK, KEYS_DO, NR_KEY_GROUPS };

struct key_info {
	const char *keys, *bar, *help;
	enum key_group group;
};
extern const struct key_info key_infos[NR_REQUESTS];
extern const char *const key_group_names[NR_KEY_GROUPS];

enum request key_request(int key);
/*
 * Read one key of a text: a character, or a name in angle brackets: <Enter> <Esc>
 * <Tab> <S-Tab> <Space> <Up> <Down> <Left> <Right> <PgUp> <PgDn> <Home> <End> <F1>
 * <BS> <Del> <C-x> <lt>. Returns the bytes read, 0 if that is no key.
 */
size_t key_parse(const char *text, int *key);
/* The first key of a request, as the screen writes it. */
char *key_label(enum request request, char *buf, size_t size);

#endif

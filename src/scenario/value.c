/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of expressions as texts, and answers held against them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "scenario.h"

char *scn_value_text(const struct scn_value *value, char buf[SCN_VALUE_MAX])
{
	switch (value->kind) {
	case SCN_NIL:
		snprintf(buf, SCN_VALUE_MAX, "nil");
		break;
	case SCN_BOOL:
		snprintf(buf, SCN_VALUE_MAX, "%s", value->b ? "true" : "false");
		break;
	case SCN_INT:
		snprintf(buf, SCN_VALUE_MAX, "%" PRId64, value->i);
		break;
	case SCN_NUM:
		snprintf(buf, SCN_VALUE_MAX, "%.14g", value->n);
		break;
	case SCN_TEXT:
		snprintf(buf, SCN_VALUE_MAX, "%s", value->text);
		break;
	}
	return buf;
}

bool scn_answer_right(const struct scn_value *value, const char *answer)
{
	char word[SCN_VALUE_MAX], right[SCN_VALUE_MAX], *end;
	size_t len;

	answer += strspn(answer, " \t\n");
	len = strlen(answer);
	while (len && strchr(" \t\n", answer[len - 1]))
		len--;
	if (len == 0 || len >= sizeof(word))
		return false;
	snprintf(word, sizeof(word), "%.*s", (int)len, answer);
	if (strcmp(word, scn_value_text(value, right)) == 0)
		return true;
	if (value->kind == SCN_BOOL)
		return strcasecmp(word, value->b ? "yes" : "no") == 0 ||
		       strcasecmp(word, value->b ? "true" : "false") == 0;
	if (value->kind == SCN_INT || value->kind == SCN_NUM) {
		double number = strtod(word, &end);

		return *end == '\0' && strspn(word, "+-0123456789.") == len &&
		       number == (value->kind == SCN_INT ? (double)value->i : value->n);
	}
	return false;
}

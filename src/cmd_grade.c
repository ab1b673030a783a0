/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset grade: a lesson is run with each student's seed, and his answers are held against the values. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/near.h"
#include "base/text.h"
#include "data_dir.h"
#include "scn_files.h"
#include "verb.h"

/* One student: his file, and for each question of the lesson the value and whether he had it. */
struct sheet {
	const char *path;
	struct scn_answers answers;
	struct scenario *scn;
	u64 seed;
	struct mark {
		char value[SCN_VALUE_MAX];
		const struct scn_answer *answer; /* NULL: none given */
		bool right;
	} * marks; /* as info->predicts */
	u32 points;
	int status;
};

static const struct scn_answer *find_answer(const struct scn_answers *a, const char *id)
{
	for (size_t i = 0; i < a->nr; i++)
		if (strcmp(a->items[i].id, id) == 0)
			return &a->items[i];
	return NULL;
}

static void see(void *ctx, const struct scn_event *ev)
{
	struct sheet *s = ctx;
	const struct scn_info *info = scn_info(s->scn);
	struct mark *m;

	if (ev->kind != SCN_EV_RESOLVE)
		return;
	m = &s->marks[ev->predict - info->predicts];
	scn_value_text(&ev->value, m->value);
	m->answer = find_answer(&s->answers, ev->predict->id);
	m->right = m->answer && scn_answer_right(&ev->value, m->answer->text);
	if (m->right)
		s->points += ev->predict->points;
}

static const char *predict_id(const void *ctx, size_t i)
{
	const struct scn_info *info = ctx;

	return i < info->nr_predicts ? info->predicts[i].id : NULL;
}

/* Answers that belong to nothing are a fault: a wrong id would cost the student his points unseen. */
static void check_ids(const struct sheet *s, struct diags *ds)
{
	const struct scn_info *info = scn_info(s->scn);
	struct base_text text = { 0 };

	base_text_read(&text, s->path, 16u << 20, NULL);

	if (s->answers.lesson[0] && strcmp(s->answers.lesson, info->name) != 0)
		base_diags_add(ds, BASE_ERR_SYNTAX, s->path, 0, 0,
			       "these are answers to '%.60s', not to '%.60s'", s->answers.lesson,
			       info->name);
	for (size_t i = 0; i < s->answers.nr; i++) {
		const struct scn_answer *a = &s->answers.items[i];
		const char *near;
		struct diag *d;
		size_t k = 0;

		while (k < info->nr_predicts && strcmp(info->predicts[k].id, a->id) != 0)
			k++;
		if (k < info->nr_predicts)
			continue;
		near = base_near(a->id, predict_id, info);
		d = base_diags_add(ds, BASE_ERR_UNKNOWN, s->path, a->line, a->column,
				   "the lesson has no question '%.60s'", a->id);
		base_diag_excerpt_text(d, &text);
		if (near)
			base_diag_hint(d, "did you mean %s?", near);
	}
	base_text_free(&text);
}

static void grade_one(const struct call *call, const char *lesson,
		      const struct setup_bounds *bounds, struct sheet *s, struct diags *ds)
{
	struct scn_options o;
	struct diag d;

	if (scn_answers_load(s->path, &s->answers, ds))
		return;
	setup_scenario(call, &o);
	if (s->answers.seed_given) {
		o.seed_given = true;
		o.seed = s->answers.seed;
	}
	if (scn_load(lesson, &o, &s->scn, ds))
		return;
	s->seed = scn_info(s->scn)->seed;
	check_ids(s, ds);
	if (ds->nr)
		return;
	s->marks = base_alloc(scn_info(s->scn)->nr_predicts + 1, sizeof(*s->marks));
	if (scn_play_all(
		    &(struct scn_play){
			    .call = call, .scn = s->scn, .bounds = bounds, .see = see, .ctx = s },
		    &d))
		base_diags_push(ds, &d);
}

/* ---- output ---------------------------------------------------------------------------------------------------------- */

static void print_text(const struct sheet *s)
{
	const struct scn_info *info = scn_info(s->scn);

	printf("lesson   %s (seed %llu)\n", info->name, (unsigned long long)s->seed);
	if (s->answers.student[0])
		printf("student  %s\n", s->answers.student);
	printf("tool     %s%s%s\n\n", PAGESET_VERSION,
	       s->answers.version[0] ? ", answered with " : "", s->answers.version);
	for (size_t i = 0; i < info->nr_predicts; i++) {
		const struct scn_predict *q = &info->predicts[i];
		const struct mark *m = &s->marks[i];

		printf("%-12s %u/%u  %s", q->id, m->right ? q->points : 0, q->points, q->ask);
		printf("\n%-12s      answer %s, value %s\n", "",
		       m->answer ? m->answer->text : "(none)", m->value);
	}
	printf("\n%u of %u points\n", s->points, info->points);
}

/* A field that a spreadsheet would take for a formula gets an apostrophe before it. */
static void put_csv(const char *s)
{
	bool quote = strpbrk(s, ",\"\r\n") != NULL || strchr("=+-@\t", s[0]) != NULL;
	char *end;

	strtod(s, &end);
	if (!s[0] || (*end == '\0' && !strpbrk(s, ",\"\r\n"))) {
		fputs(s, stdout);
		return;
	}
	if (quote)
		putchar('"');
	if (strchr("=+-@\t", s[0]))
		putchar('\'');
	for (; *s; s++) {
		if (*s == '"')
			putchar('"');
		putchar(*s);
	}
	if (quote)
		putchar('"');
}

static void print_csv(const struct sheet *sheets, size_t nr)
{
	const struct scn_info *info = NULL;

	for (size_t i = 0; i < nr && !info; i++)
		if (sheets[i].status == 0)
			info = scn_info(sheets[i].scn);
	printf("file,student,lesson,seed,points,of,tool,answered_with");
	for (size_t i = 0; info && i < info->nr_predicts; i++)
		printf(",%s,%s_value,%s_points", info->predicts[i].id, info->predicts[i].id,
		       info->predicts[i].id);
	putchar('\n');
	for (size_t i = 0; i < nr; i++) {
		const struct sheet *s = &sheets[i];

		if (s->status)
			continue;
		put_csv(s->path);
		putchar(',');
		put_csv(s->answers.student);
		putchar(',');
		put_csv(info->name);
		printf(",%llu,%u,%u,%s,", (unsigned long long)s->seed, s->points,
		       scn_info(s->scn)->points, PAGESET_VERSION);
		put_csv(s->answers.version);
		for (size_t k = 0; k < info->nr_predicts; k++) {
			const struct mark *m = &s->marks[k];

			putchar(',');
			put_csv(m->answer ? m->answer->text : "");
			putchar(',');
			put_csv(m->value);
			printf(",%u", m->right ? info->predicts[k].points : 0);
		}
		putchar('\n');
	}
}

static void json_sheet(struct base_json *j, const struct sheet *s)
{
	const struct scn_info *info = scn_info(s->scn);

	base_json_object(j);
	base_json_kv_string(j, "file", s->path);
	base_json_kv_string(j, "student", s->answers.student);
	base_json_kv_string(j, "lesson", info->name);
	base_json_kv_uint(j, "seed", s->seed);
	base_json_kv_uint(j, "points", s->points);
	base_json_kv_uint(j, "of", info->points);
	base_json_kv_string(j, "tool", PAGESET_VERSION);
	base_json_kv_string(j, "answered_with", s->answers.version);
	base_json_key(j, "answers");
	base_json_array(j);
	for (size_t i = 0; i < info->nr_predicts; i++) {
		const struct mark *m = &s->marks[i];

		base_json_object(j);
		base_json_kv_string(j, "id", info->predicts[i].id);
		base_json_kv_string(j, "answer", m->answer ? m->answer->text : NULL);
		base_json_kv_string(j, "value", m->value);
		base_json_kv_bool(j, "right", m->right);
		base_json_kv_uint(j, "points", m->right ? info->predicts[i].points : 0);
		base_json_close(j);
	}
	base_json_close(j);
	base_json_close(j);
}

static void print_sheets(const struct call *call, const struct sheet *sheets, size_t nr,
			 bool folder)
{
	struct base_json j;

	if (call->common->json) {
		base_json_to_file(&j, stdout, true);
		base_json_array(&j);
		for (size_t i = 0; i < nr; i++)
			if (sheets[i].status == 0)
				json_sheet(&j, &sheets[i]);
		base_json_close(&j);
		base_json_end(&j);
	} else if (folder) {
		print_csv(sheets, nr);
	} else if (sheets[0].status == 0) {
		print_text(&sheets[0]);
	}
}

/* ---- the command ----------------------------------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int run(const struct call *call)
{
	const char *lesson = data_resolve(call->args.items[0]), *what = call->args.items[1];
	bool folder = is_folder(what);
	struct scn_files files = { 0 };
	struct setup_bounds bounds;
	struct sheet *sheets;
	struct diag d;
	int status = 0;

	if (scn_files_add(&files, what, 1u << FILE_ANSWERS, &d)) {
		scn_files_free(&files);
		return call_fail(call, &d);
	}
	sheets = base_alloc(files.nr + 1, sizeof(*sheets));
	setup_bounds_begin(call, &bounds);
	for (size_t i = 0; i < files.nr; i++) {
		struct diags ds;

		base_diags_init(&ds, 50);
		sheets[i].path = files.paths[i];
		grade_one(call, lesson, &bounds, &sheets[i], &ds);
		if (ds.nr)
			sheets[i].status = call_fail_all(call, &ds);
		status = sheets[i].status > status ? sheets[i].status : status;
		base_diags_free(&ds);
	}
	print_sheets(call, sheets, files.nr, folder);
	for (size_t i = 0; i < files.nr; i++) {
		scn_answers_free(&sheets[i].answers);
		scn_free(sheets[i].scn);
		free(sheets[i].marks);
	}
	free(sheets);
	scn_files_free(&files);
	return status;
}

const struct verb verb_grade = {
	.name = "grade",
	.args = "LESSON ANSWERS|DIR",
	.help = "grade answers to a lesson's predictions",
	.about =
		"The lesson runs with the seed of each answer file, so that every student's own numbers\n"
		"count. For a folder CSV is written, one line a student.",
	.common = SETUP_COMMON,
	.args_min = 2,
	.args_max = 2,
	.run = run,
};

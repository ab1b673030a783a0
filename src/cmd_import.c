/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset import zoneinfo|meminfo: a kernel's text becomes a machine, and is held against what the model computes. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/save.h"
#include "base/text.h"
#include "kernel/dump_print.h"
#include "kernel/machine_file.h"
#include "kernel/meminfo.h"
#include "kernel/page_size.h"
#include "kernel/zoneinfo.h"
#include "verb.h"

struct import_opts {
	const char *output;
	int64_t snapshot;
	uint64_t page_size;
	const char *kernel;
	uint64_t cpus;
	bool lists;
};

static const struct import_opts import_defaults = { .snapshot = -1 };

static const struct opt import_options[] = {
	{ .name = "output",
	  .letter = 'o',
	  .type = OPT_STRING,
	  .offset = offsetof(struct import_opts, output),
	  .value = "FILE",
	  .help = "write the machine as YAML; - is standard output" },
	{ .name = "snapshot",
	  .type = OPT_INT,
	  .offset = offsetof(struct import_opts, snapshot),
	  .value = "N",
	  .help = "which dump of several, from 0 or as its snap= line says",
	  .min = 0,
	  .max = INT32_MAX },
	{ .name = "page-size",
	  .type = OPT_SIZE,
	  .offset = offsetof(struct import_opts, page_size),
	  .value = "SIZE",
	  .help = "page size, such as 64KiB, instead of finding it out",
	  .min = 4096,
	  .max = 1 << 20 },
	{ .name = "kernel",
	  .type = OPT_STRING,
	  .offset = offsetof(struct import_opts, kernel),
	  .value = "VERSION",
	  .help = "kernel, such as 6.12, instead of finding it out" },
	{ .name = "cpus",
	  .type = OPT_UINT,
	  .offset = offsetof(struct import_opts, cpus),
	  .value = "N",
	  .help = "CPUs of the machine, where the text does not say",
	  .min = 1,
	  .max = KERN_CPUS_MAX },
	{ .name = "lists",
	  .type = OPT_FLAG,
	  .offset = offsetof(struct import_opts, lists),
	  .help = "print each list of each CPU, however many there are" },
	{ .name = NULL },
};

/* "6.12" or "6.12.95-something" */
static int parse_version(const char *s, int *version)
{
	unsigned int major, minor;

	if (sscanf(s, "%2u.%3u", &major, &minor) != 2 || major < 2)
		return -1;
	*version = (int)(major * 1000 + minor);
	return 0;
}

static enum base_err write_machine(const char *path, const struct kern_dump *dump,
				   const struct kern_checks *checks, unsigned int cpus,
				   const char *source, struct diag *d)
{
	struct base_save *save;
	struct kern_plan plan;
	enum base_err err;
	FILE *out;

	err = base_save_begin(&save, path, &out, d);
	if (err)
		return err;
	kern_plan_make(&plan, dump, checks, cpus);
	kern_machine_write(out, dump, checks, &plan, source);
	kern_plan_free(&plan);
	return base_save_commit(save, d);
}

static enum base_err print_json(const struct kern_dump *dump, const struct kern_checks *checks)
{
	struct base_json j;

	base_json_to_file(&j, stdout, true);
	base_json_object(&j);
	kern_dump_json(&j, dump, checks);
	base_json_close(&j);
	return base_json_end(&j);
}

/* The dump is read: everything that is done with it. */
static int show(const struct call *call, const struct kern_dump *dump, const char *source)
{
	const struct import_opts *o = call->opts;
	bool to_stdout = o->output && strcmp(o->output, "-") == 0;
	struct kern_checks checks;
	struct diag d;
	enum base_err err = BASE_ERR_OK;

	kern_model_check(dump, &checks);
	if (o->output && !kern_dump_populated(dump))
		err = base_diag_set(&d, BASE_ERR_FAILED, source, dump->line, 0,
				    "no zone of this dump has pages: no machine is made of it");
	if (!err && o->output)
		err = write_machine(o->output, dump, &checks, (unsigned int)o->cpus, source, &d);
	if (!err && call->common->json)
		err = print_json(dump, &checks);
	else if (!err && !to_stdout) {
		kern_dump_print(stdout, dump, &checks, o->lists);
		if (o->output)
			printf("\nthe machine is in %s\n", o->output);
	}
	kern_checks_free(&checks);
	return err ? call_fail(call, &d) : 0;
}

typedef enum base_err read_fn(const char *text, size_t len, const struct kern_read_options *opt,
			      struct kern_dump **out, struct diag *d);

static int import(const struct call *call, read_fn *read)
{
	const struct import_opts *o = call->opts;
	struct kern_read_options opt = { .snapshot = o->snapshot, .page_size = o->page_size };
	struct base_text text;
	struct kern_dump *dump;
	struct diag d;
	enum base_err err;
	int status;

	if (o->kernel && parse_version(o->kernel, &opt.version))
		return call_usage(call, "expected a version such as 6.12",
				  "--kernel: '%s' is no kernel version", o->kernel);
	if (o->page_size && !kern_is_page_size(o->page_size))
		return call_usage(
			call,
			"expected 4KiB, 8KiB, 16KiB, 32KiB, 64KiB, 128KiB, 256KiB, 512KiB or 1MiB",
			"--page-size: no kernel has such pages");
	if (call->common->json && o->output && strcmp(o->output, "-") == 0)
		return call_usage(call, "give -o a file",
				  "--json and -o - both want standard output");
	err = base_text_read(&text, call->args.items[0], KERN_TEXT_MAX, &d);
	if (err)
		return call_fail(call, &d);
	opt.name = text.name;
	err = read(text.data, text.len, &opt, &dump, &d);
	if (err) {
		base_diag_excerpt_text(&d, &text);
		status = call_fail(call, &d);
	} else {
		status = show(call, dump, text.name);
		kern_dump_free(dump);
	}
	base_text_free(&text);
	return status;
}

static int run_zoneinfo(const struct call *call)
{
	return import(call, kern_zoneinfo_read);
}

static int run_meminfo(const struct call *call)
{
	return import(call, kern_meminfo_read);
}

static const struct verb verb_import_zoneinfo = {
	.name = "import zoneinfo",
	.args = "FILE|-",
	.help = "the machine behind a /proc/zoneinfo",
	.about =
		"Reads the /proc/zoneinfo of any kernel, plain or compressed, alone or inside a mail, a log or\n"
		"a file of several; prints its zones and lists, and what differs from the model's own figures,\n"
		"with the likely reason. Figures are pages.",
	.options = import_options,
	.defaults = &import_defaults,
	.opts_size = sizeof(import_defaults),
	.common = COMMON_BIT(JSON) | COMMON_BIT(COLOR),
	.args_min = 1,
	.args_max = 1,
	.run = run_zoneinfo,
};

static const struct verb verb_import_meminfo = {
	.name = "import meminfo",
	.args = "FILE|-",
	.help = "the machine behind a Mem-Info report of a kernel log",
	.about =
		"Reads the Mem-Info report that the kernel logs when it runs out of memory, when an allocation\n"
		"fails, or for sysrq-m. Figures are pages, whatever the log has.",
	.options = import_options,
	.defaults = &import_defaults,
	.opts_size = sizeof(import_defaults),
	.common = COMMON_BIT(JSON) | COMMON_BIT(COLOR),
	.args_min = 1,
	.args_max = 1,
	.run = run_meminfo,
};

extern const struct verb verb_import_trace; /* cmd_import_trace.c */

static const struct verb *const import_verbs[] = {
	&verb_import_zoneinfo,
	&verb_import_meminfo,
	&verb_import_trace,
	NULL,
};

const struct verb verb_import = {
	.name = "import",
	.args = "zoneinfo|meminfo|trace FILE|-",
	.help = "take over what a real kernel printed",
	.subs = import_verbs,
};

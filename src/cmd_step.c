/* SPDX-License-Identifier: GPL-2.0-only */
/* pageset step --text: the stepper in plain sentences. */
#include <unistd.h>

#include "stepper.h"

struct step_opts {
	bool text;
};

static const struct step_opts step_defaults = { 0 };

static const struct opt step_options[] = {
	{ .name = "text",
	  .type = OPT_FLAG,
	  .offset = offsetof(struct step_opts, text),
	  .help = "plain sentences, line by line; the stepper on a screen is pageset tui" },
	{ .name = NULL },
};

static int run(const struct call *call)
{
	const struct step_opts *o = call->opts;
	const char *path = call->args.items[0];
	struct work w;
	u64 faults = 0;
	int status;

	if (!o->text)
		return call_usage(call, "give --text; the stepper on a screen is pageset tui FILE",
				  "this stepper speaks plain text");
	if (path[0] == '-' && path[1] == '\0')
		return call_usage(call, NULL,
				  "standard input holds the commands: FILE cannot be -");
	status = work_load(call, path, &w);
	if (!status)
		status = stepper_run(call, &w, stdin, isatty(STDIN_FILENO), &faults);
	/* a script of commands wants to know; a person has read it */
	if (!status && faults && !isatty(STDIN_FILENO))
		status = base_err_status(BASE_ERR_USAGE);
	work_free(&w);
	return status;
}

const struct verb verb_step = {
	.name = "step",
	.args = "FILE",
	.help = "step through a scenario in plain text",
	.about =
		"Reads commands from standard input, one a line, and answers each in sentences:\n"
		"  s S  a step on, back       n N  an operation on, back    f F  out of the function\n"
		"  c C  to a breakpoint       e E  to an event              g    go to an operation\n"
		"  b    breakpoints           t T  toggle a patch           u    undo\n"
		"  w    what if               d    first difference         p    answer a question\n"
		"  =    an expression         .    the state                ?    all of them    q  end\n"
		"A count before it repeats a command: 20n. FILE is a scenario or a file of operations.\n"
		"From a pipe the exit status is 2 if a command could not be done.",
	.options = step_options,
	.defaults = &step_defaults,
	.opts_size = sizeof(step_defaults),
	.common = SETUP_MACHINE | COMMON_BIT(MAX_OPS),
	.args_min = 1,
	.args_max = 1,
	.run = run,
};

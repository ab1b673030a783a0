/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plain-text stepper: walks a work both ways and answers each command in sentences, for screen readers and pipes. Only
 * cmd_step.c calls this; its commands stand in stepper.def.
 */
#ifndef STEPPER_H
#define STEPPER_H

#include "work.h"

/* Reads commands from in until q or its end. *faults: commands that were not understood or could not be done. */
int stepper_run(const struct call *call, const struct work *w, FILE *in, bool prompt, u64 *faults);
/* The list of commands, for ? and for help. */
void stepper_print_commands(FILE *out);

#endif

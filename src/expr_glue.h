/* SPDX-License-Identifier: GPL-2.0-only */
/* The expressions of src/script in the form in which scenarios take them. */
#ifndef EXPR_GLUE_H
#define EXPR_GLUE_H

#include "scenario/scenario.h"

extern const struct scn_expr_ops expr_glue;

#endif

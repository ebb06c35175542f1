/* Pass string elements that terminate the process in LLVM: intentionally, because they need state that only LLVM's
   tools set up, or because they do not support the target.
   Requires: parse_passes. */
#pragma once

#include "grammar/parse_passes.h"

/* A hint what to use instead of such an element; NULL: it is safe. `triple` of the module, or NULL. */
const char *crashing_pass_hint_or_null_if_safe(const struct pass_node *node, const char *triple);

/* The parameter that makes the element safe; NULL: not needed, or present. */
const char *crashing_pass_safe_parameter_or_null(const char *name);

/* Rejects LLVM passes with side effects outside of the module, which must not run for untrusted pass strings.
   Requires: parse_passes. */
#pragma once

#include "grammar/parse_passes.h"

/* Reports every such element in the subtree. */
void side_effect_passes_report(struct pass_string *string, struct pass_node *node);

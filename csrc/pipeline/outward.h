/* LLVM passes with side effects outside of the module, which must not run for untrusted pass strings.
   Requires: parse. */
#ifndef CORO_PIPELINE_OUTWARD_H
#define CORO_PIPELINE_OUTWARD_H

#include "pipeline/parse.h"

/* Reports every such element in the subtree. */
void outward_tell(struct pipe_string *string, struct pipe_node *node);

#endif

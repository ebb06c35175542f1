/* Passes of LLVM 22 that do more than change the module: not for a pass string that somebody else has written.
   Needs: parse. Leaves: nothing. */
#ifndef CORO_PIPELINE_OUTWARD_H
#define CORO_PIPELINE_OUTWARD_H

#include "pipeline/parse.h"

/* The first such element in the subtree, or NULL; *what is what it does. */
const struct pipe_node *outward_find(const struct pipe_node *node, const char **what);

#endif

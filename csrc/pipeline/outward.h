/* Passes of LLVM 22 that do more than change the module: not for a pass string that somebody else has written.
   Needs: parse. Leaves: nothing. */
#ifndef CORO_PIPELINE_OUTWARD_H
#define CORO_PIPELINE_OUTWARD_H

#include "pipeline/parse.h"

/* Tells the string of every such element in the subtree. */
void outward_tell(struct pipe_string *string, struct pipe_node *node);

#endif

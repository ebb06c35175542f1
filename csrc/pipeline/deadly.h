/* Elements of pass strings that bring the process down in LLVM 22: by intent, because a pass string runs them with
   something missing that only LLVM's own tools set up, or on a machine that they do not know.
   Needs: parse. Leaves: nothing. */
#ifndef CORO_PIPELINE_DEADLY_H
#define CORO_PIPELINE_DEADLY_H

#include "pipeline/parse.h"

/* What to do instead, where the element is one; else NULL. `triple` is that of the module, or NULL. */
const char *deadly_hint(const struct pipe_node *node, const char *triple);

/* The parameter that the element needs so that it does not end the process by its name alone; NULL: none, or it has
   it. */
const char *deadly_tame(const char *name);

#endif

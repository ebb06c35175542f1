/* Elements of pass strings that bring the process down in LLVM 22: by intent, because a pass string runs them with
   something missing that only LLVM's own tools set up, or on a machine that they do not know.
   Needs: parse. Leaves: nothing. */
#ifndef CORO_PIPELINE_DEADLY_H
#define CORO_PIPELINE_DEADLY_H

#include "pipeline/parse.h"

/* The first such element in the subtree, or NULL; *hint is what to do instead. `triple` is that of the module,
   or NULL. */
const struct pipe_node *deadly_find(const struct pipe_node *node, const char *triple, const char **hint);

/* The parameter that the element needs so that it does not end the process by its name alone; NULL: none, or it has
   it. */
const char *deadly_tame(const char *name);

#endif

/* Optimisation levels as pass strings: default<O2>, lto<O3> and their like.
   Needs: facts. Leaves: nothing. */
#ifndef CORO_PIPELINE_LEVEL_H
#define CORO_PIPELINE_LEVEL_H

#include "base/arena.h"

/* Whether an element's name is that of a family of levels, as `default`, with whatever parameters. */
bool level_is_family(const char *name);
/* The pass string that the element stands for. NULL: it has no such level, or memory ran out. */
const char *level_string(struct coro_arena *arena, const char *name);
/* The level of which LLVM's opt prints the pass string, where pycoro's has more than that. NULL: there is none, or
   memory ran out. */
const char *level_printed(struct coro_arena *arena, const char *passes);

#endif

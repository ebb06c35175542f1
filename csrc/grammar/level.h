/* Gives the pass string of an optimization level such as default<O2> or lto<O3>, and recognizes a level by its printed
   pipeline.
   Requires: facts. */
#pragma once

#include "base/arena.h"

/* Whether an element's name is a family of levels, such as `default`, with any parameters. */
bool level_is_family_name(const char *name);
/* The pass string of a level. NULL: no such level, or out of memory. */
const char *level_pass_string_or_null(struct coro_arena *arena, const char *name);
/* The level whose LLVM pipeline, as printed by opt, equals `passes`, if pycoro's differs. NULL: none, or out of
   memory. */
const char *level_with_printed_pipeline(struct coro_arena *arena, const char *passes);

/* Merges identical terminating landing pads: pads that call a function such as std::terminate and end in unreachable.
   Inlining noexcept functions duplicates them.
   Requires: a function that verifies. Guarantees: it still verifies. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"

/* True if identical pads exist. False if memory ran out, which the arena records. */
bool terminating_pads_have_duplicates(struct coro_arena *arena, LLVMValueRef function);
/* Merges identical pads. The merged pad has no debug records, and line 0 where the locations differ. Sets *changed
   if any were merged. False: out of memory. */
bool terminating_pads_merge(struct coro_arena *arena, LLVMValueRef function, bool *changed);

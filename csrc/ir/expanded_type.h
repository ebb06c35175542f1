/* Types as LLVM prints them, with named structs expanded to their elements.
   Requires: LLVM-C. Guarantees: the type does not change. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Example: "{ i32, { ptr, i64 } }". "" for opaque structs, and for types whose text exceeds 4 KiB. NULL: out of
   memory. */
const char *ir_print_expanded_type(struct coro_arena *arena, LLVMTypeRef type);

/* Replaces blockaddresses by addresses within a global that belongs to the function, one byte per block, and every
   indirectbr by a switch on the offset. A block of a coroutine is copied into several clones, so its own address means
   nothing after splitting. An address in the global is the same in all clones, and distinct from those of other objects
   and of other functions' blocks.
   Requires: a function that verifies.
   Guarantees: no blockaddress and no indirectbr. */
#pragma once

#include "base/map.h"
#include "llvm-c/Core.h"

bool lower_blockaddress_in_function(struct coro_arena *arena, LLVMValueRef function,
                                    bool *changed); /* false: out of memory */

/* True if the function has a blockaddress or indirectbr. */
bool lower_blockaddress_is_needed(LLVMValueRef function);

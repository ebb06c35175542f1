/* Checks calls of the functions that allocate and free memory for a returned-continuation coroutine, which its id
   names. An allocator takes a size, and possibly a type id. In the dynamic ABI the frame and the caller's allocator may
   precede the size. A deallocator takes the memory after the same pointers.
   Requires: a simulation in progress.
   Guarantees: the size or the memory is the only argument that is left to check. */
#pragma once

#include "check/skipped_code.h"

/* Whether the call is one of the function that the id has as operand RETCON_ALLOCATOR or RETCON_DEALLOCATOR, for the
   presplit allocation `alloc` (the id: the frame). Memory for the frame of a callee may have functions of its own. */
bool allocator_call_is_of_id_operand(const struct check_walk *w, LLVMValueRef call, uint32_t alloc, unsigned operand);
/* Checks such a call. *index: the number of the argument that is the size, or the memory. False, with an answer: it
   passes something else. */
bool allocator_call_check(struct check_walk *w, uint32_t inst, uint32_t alloc, unsigned operand, unsigned *index);

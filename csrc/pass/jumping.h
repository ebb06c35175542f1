/* Jumping: calls that may take the stack away without an exception: by a jump out of it, or with its thread.
   Needs: ir. Leaves: the functions as they were. */
#ifndef CORO_PASS_JUMPING_H
#define CORO_PASS_JUMPING_H

#include "base/map.h"
#include "llvm-c/Core.h"

struct jumping {
  struct coro_arena *arena;
  struct coro_map functions; /* function -> whether it may, once asked */
  uint32_t left;             /* instructions of callees that may still be looked at */
};

void jumping_init(struct jumping *jumping, struct coro_arena *arena);
bool jumping_may(struct jumping *jumping, LLVMValueRef instruction);
/* As far as a look into `part` tells. */
bool jumping_in(struct jumping *jumping, LLVMValueRef part);

#endif

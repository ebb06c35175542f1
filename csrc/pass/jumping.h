/* Jumping: calls that may take the stack away without an exception: by a jump out of it, or with its thread.
   Needs: ir. Leaves: the functions as they were. */
#ifndef CORO_PASS_JUMPING_H
#define CORO_PASS_JUMPING_H

#include "base/map.h"
#include "base/vec.h"
#include "llvm-c/Core.h"

struct jumping {
  struct coro_arena *arena; /* its own */
  struct coro_arena_mark empty; /* of the arena */
  struct coro_map functions; /* function -> enum answer; every function that an answer rests on is in it */
  CORO_VEC(LLVMValueRef) asked; /* functions that are to tell of what is asked now */
};

bool jumping_begin(struct jumping *jumping, struct coro_budget *budget); /* false: memory ran out */
void jumping_end(struct jumping *jumping);
/* To be called where functions have changed since they were asked about. */
void jumping_forget(struct jumping *jumping);
bool jumping_heard_of(const struct jumping *jumping, LLVMValueRef function); /* an answer may rest on it */
bool jumping_may(struct jumping *jumping, LLVMValueRef instruction);
/* As far as a look into `part` tells. */
bool jumping_in(struct jumping *jumping, LLVMValueRef part);

#endif

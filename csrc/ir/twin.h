/* Twins: two functions of which one does what the other does, and then something more.
   Needs: alike. Leaves: both as they were. */
#ifndef CORO_IR_TWIN_H
#define CORO_IR_TWIN_H

#include "base/arena.h"
#include "llvm-c/Core.h"

struct twin {
  LLVMValueRef rest; /* of the longer function: where it goes on, wherever the shorter one returns */
  uint32_t weight;   /* how many instructions both have, but for those that mostly become part of others */
};

/* Whether `longer` is `shorter`, a function without a result, and then `rest`, which needs nothing that was computed
   before: however control leaves `shorter`, by a return, by an exception or by none of them, it has done by then what
   `longer` has. False too where memory ran out, which the arena remembers. */
bool twin(struct coro_arena *arena, LLVMValueRef longer, LLVMValueRef shorter, struct twin *found);

#endif

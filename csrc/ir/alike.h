/* Alike: whether two instructions do the same as far as they themselves say, whatever their operands are.
   Needs: LLVM-C. Leaves: the function as it was, but for alike_forget. */
#ifndef CORO_IR_ALIKE_H
#define CORO_IR_ALIKE_H

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Computes its value from its operands and nothing else, and does nothing else, whenever it is run. */
bool alike_is_pure(LLVMValueRef inst);
/* The same opcode, type and number of operands, flags, attributes, alignment; false where nobody looks at all it says.
   Metadata may differ. */
bool alike(struct coro_arena *arena, LLVMValueRef a, LLVMValueRef b);
/* Takes from `a` what metadata it does not share with `b`, but for its place in the source. */
void alike_forget(LLVMValueRef a, LLVMValueRef b);

#endif

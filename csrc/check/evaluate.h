/* Values and successors that depend on a constant, computed without the folding that the lowering uses. A checker that
   shared it would repeat its bugs.
   Requires: LLVM-C. Guarantees: the IR is unchanged. */
#ifndef CORO_CHECK_EVALUATE_H
#define CORO_CHECK_EVALUATE_H

#include "llvm-c/Core.h"

/* As constant_successor of ir/constant_fold.h. The functions of that file still decide what is not computed here:
   integers of more than 64 bits, and intrinsics. */
unsigned evaluate_successor(LLVMValueRef terminator, LLVMValueRef source, LLVMValueRef constant);
/* As constant_fold. */
LLVMValueRef evaluate_value(LLVMValueRef value, LLVMValueRef source, LLVMValueRef constant);

#endif

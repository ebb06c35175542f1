/* Alike: whether one instruction can stand for another.
   Needs: LLVM-C. Leaves: nothing changed. */
#ifndef CORO_IR_ALIKE_H
#define CORO_IR_ALIKE_H

#include <stdbool.h>

#include "llvm-c/Core.h"

/* Given the same operands, both do the same and promise the same: attributes, flags and metadata, all but where they
   are in the source, are one as the other's. Of calls without bundles, getelementptr, icmp, and loads that are neither
   volatile nor atomic; no others are alike. */
bool alike(LLVMValueRef one, LLVMValueRef other);
/* Likewise of more: accesses that are volatile or atomic, arithmetic of integers, and what ends blocks, which chooses
   the same way where it is given the same. */
bool alike_in_full(LLVMValueRef one, LLVMValueRef other);

#endif

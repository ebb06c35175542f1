/* Shortens the dependency chain of a sum that a loop carries from one iteration to the next. When LLVM unrolls a loop,
   it adds terms such as `counter + 1` to the sum. LLVM's code generator then turns `sum + (counter + 1)` into
   `(sum + counter) + 1`, two additions that depend on the sum instead of one. Before (left) and after:

     loop:                                          loop:
       %i = phi ...                                   %term = phi i32 [ %term.first, %entry ], [ %term.next, %loop ]
       %one = add i32 %i, 1                           %next = add i32 %rotated, %term
       %next = add i32 %rotated, %one                 ...
                                                      %ahead = add i32 %i.next, 1
                                                      %term.next = freeze i32 %ahead

   Afterwards the previous iteration computes the term, so that the code generator cannot combine it with the sum.
   Requires: a function that verifies, after LLVM's loop passes.
   Guarantees: the function verifies. Linear in its size. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Processes the loops of one block. False: out of memory. */
bool carried_sums_shorten(struct coro_arena *arena, LLVMBuilderRef builder, LLVMValueRef function);

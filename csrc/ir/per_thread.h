/* What is another value on another thread.
   Needs: LLVM-C. Leaves: the module as it was. */
#ifndef CORO_IR_PER_THREAD_H
#define CORO_IR_PER_THREAD_H

#include <stdbool.h>

#include "llvm-c/Core.h"

/* An operand is a thread-local variable, or a constant that is made of the address of one. A constant that has more
   parts than is looked at counts as one. */
bool ir_names_thread_local(LLVMValueRef instruction);

#endif

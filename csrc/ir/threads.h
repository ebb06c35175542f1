/* Where a target keeps what each thread has one of.
   Needs: LLVM-C. Leaves: the module as it was. */
#ifndef CORO_IR_THREADS_H
#define CORO_IR_THREADS_H

#include "llvm-c/Core.h"

enum threads {
  THREADS_UNKNOWN, /* many run one program at once, or nobody knows; there is no place of their own */
  THREADS_ONE,     /* one processor without an operating system: a variable will do */
  THREADS_MANY     /* thread_local variables */
};

enum threads threads_of(LLVMModuleRef module);

#endif

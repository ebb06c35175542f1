/* Tells how a target provides thread-local storage: natively, emulated, or not at all.
   Requires: LLVM-C.
   Guarantees: the module does not change. */
#pragma once

#include "llvm-c/Core.h"

enum threads {
  THREADS_UNKNOWN, /* no thread-local storage, although the target may have several threads */
  THREADS_ONE,     /* bare metal with a single thread: a plain global variable suffices */
  THREADS_MANY     /* thread_local variables */
};

enum threads thread_local_storage_support_of(LLVMModuleRef module);

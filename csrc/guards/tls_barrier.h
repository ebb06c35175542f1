/* Keeps LLVM's passes from moving thread-local addresses across suspends.
   Requires: ir.
   Guarantees: calls of llvm.threadlocal.address are `convergent` while these passes run, and not afterwards. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "llvm-c/Core.h"

/* LLVM assumes that llvm.threadlocal.address is invariant within a function, but a coroutine may resume on another
   thread. LLVM's coroutine-aware passes do not move it in presplit coroutines; instcombine does. Marks the calls
   `convergent`, which instcombine does not sink, in coroutines and in functions that may be inlined into them. *added:
   call tls_barrier_remove, even if memory ran out. False: it did. */
bool tls_barrier_add(struct coro_arena *arena, LLVMModuleRef module, bool *added);
void tls_barrier_remove(LLVMModuleRef module);

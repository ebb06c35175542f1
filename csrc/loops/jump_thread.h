/* Jump threading of state machines, like LLVM's DFAJumpThreading: entry point of the analysis (jump_thread.c) and the
   transformation (jump_thread_clone.c). Used by coro-elide, because a coroutine that is inlined into the loop that
   drives it is a state machine.
   Requires: ir, graph.
   Guarantees: a function that verifies. */
#ifndef CORO_LOOPS_JUMP_THREAD_H
#define CORO_LOOPS_JUMP_THREAD_H

#include "run/pass.h"

/* If a coroutine is inlined into the loop that drives it, its state is a phi of constants that each iteration tests.
   Clones each block once per state in which it branches on the state, so no test remains; equal blocks in equal states
   are shared. Does nothing if no state is known, if a block must not be cloned, or if the function would grow too much.
   Used by coro-elide, in functions that it changed earlier in the wave. *changed: it was transformed. False: out of
   memory. */
bool jump_thread_states(struct pass_run *run, LLVMValueRef function, bool *changed);

#endif

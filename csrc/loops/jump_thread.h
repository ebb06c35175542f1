/* Jump threading of state machines, like LLVM's DFAJumpThreading: entry point of the analysis (jump_thread.c) and the
   transformation (jump_thread_clone.c). Used by coro-elide, because a coroutine that is inlined into the loop that
   drives it is a state machine.
   Requires: ir, graph.
   Guarantees: a function that verifies. */
#pragma once

#include "run/pass.h"

/* If a coroutine is inlined into the loop that drives it, its state is a phi of constants that each iteration tests.
   Clones each block for each state in which control enters it. The state is known in each clone, so its test becomes an
   unconditional branch. Does nothing if there is no such phi, if a block must not be cloned, or if the function would
   grow too much. coro-elide calls it for functions that it changed earlier in the wave. *changed: the function was
   transformed. False: out of memory. */
bool jump_thread_states(struct pass_run *run, LLVMValueRef function, bool *changed);

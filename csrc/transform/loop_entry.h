/* Loops with exception handling that are entered in one place. A resume function enters a loop at each suspend in it:
   the loop is irreducible. The WebAssembly code generator cannot place the scopes of exceptions that such a loop
   contains, and emits invalid modules. Here each of these loops gets one header, which dispatches:

     switch %index [ 0: %resume.0, 1: %resume.1 ]       switch %index [ 0: %enter.0, 1: %enter.1 ]
     resume.0: br %loop                                 dispatch: %to = phi [ 0, %enter.0 ], [ 1, %enter.1 ], ...
     resume.1: br %inside.loop                                    switch %to [ 0: %loop, 1: %inside.loop ]

   Requires: a function with a body that verifies. Guarantees: it verifies, and every cycle that contains an exception
   pad has a block that dominates it, except one whose header is a pad and is nested in another. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"

/* *changed is set to true if the function was modified. False: out of memory. */
bool loop_entry_unify_loops_with_pads(struct coro_arena *arena, LLVMValueRef function, bool *changed);

/* Replaces invokes that never unwind by calls, and deletes landing pads that only they reach, as LLVM's
   removeUnreachableBlocks does:

       invoke void @f() to label %next unwind label %pad    ; @f is nounwind
     becomes
       call void @f()
       br label %next

   clang emits such invokes if it finds only later that the callee never throws. LLVM's simplifycfg removes them, too,
   but it does not run at -O0.
   Requires: a function that verifies. Guarantees: it still verifies. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Sets *changed if there was one. Does nothing if the personality function also handles exceptions that instructions
   raise, as those of structured exception handling do. False: out of memory. */
bool nounwind_invokes_replace(struct coro_arena *arena, LLVMValueRef function, bool *changed);

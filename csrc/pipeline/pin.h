/* What LLVM's passes must not move over a suspend, and would.
   Needs: ir. Leaves: an attribute of calls, for as long as they run. */
#ifndef CORO_PIPELINE_PIN_H
#define CORO_PIPELINE_PIN_H

#include <stdbool.h>

#include "base/arena.h"
#include "llvm-c/Core.h"

/* To LLVM the address of a thread-local variable is the same wherever it is asked for. Passes that know of coroutines
   leave it where it is in one that is to be split; instcombine does not, and sinks it behind a suspend, where another
   thread may go on. What is convergent it leaves alone: in coroutines, and in what may be inlined into them. Other
   functions are optimised as they are. *pinned: it is to be unpinned, though memory ran out. False: it did. */
bool pin_threads(struct coro_arena *arena, LLVMModuleRef module, bool *pinned);
void unpin_threads(LLVMModuleRef module);

#endif

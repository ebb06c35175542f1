/* The coroutine behind llvm.coro.noop: resuming or destroying it does nothing.
   Needs: ir. Leaves: one constant frame in the module, made at the first call and found again by later ones. */
#ifndef CORO_EMIT_NOOP_H
#define CORO_EMIT_NOOP_H

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Address of the frame; NULL: memory ran out, which the arena remembers. */
LLVMValueRef noop_frame(LLVMModuleRef module, struct coro_arena *arena);
/* What resuming it calls; NULL where the module has no such frame yet. */
LLVMValueRef noop_resume_function(LLVMModuleRef module, struct coro_arena *arena);

#endif

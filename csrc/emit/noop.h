/* Creates the noop coroutine that llvm.coro.noop returns, for coro-early and for symmetric transfer. Resuming or
   destroying it does nothing.
   Requires: ir.
   Guarantees: one constant frame per module, reused by later calls. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"

/* The frame's address; NULL: out of memory, recorded by the arena. */
LLVMValueRef noop_frame_find_or_create(LLVMModuleRef module, struct coro_arena *arena);
/* The function that resumes it; NULL if the module has no such frame yet. */
LLVMValueRef noop_find_resume_function_or_null(LLVMModuleRef module, struct coro_arena *arena);

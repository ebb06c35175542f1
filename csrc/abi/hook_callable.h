/* Decides whether generated code can call a function of a hook module.
   Requires: ir.
   Guarantees: the hook module is unchanged. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Whether a call of it verifies: some calling conventions cannot be called, and parameters must be plain values. True
   if out of memory; the arena records the failure. */
bool hook_is_callable(struct coro_arena *arena, LLVMModuleRef source, LLVMValueRef function);
/* Whether the types of its parameters and its result have zero values. */
bool hook_has_no_target_extension_types(LLVMValueRef function);

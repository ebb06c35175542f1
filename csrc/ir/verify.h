/* Verifies a module and reports each of LLVM's messages as a diagnostic with function, block and instruction.
   Requires: base, LLVM-C. Guarantees: the module does not change. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"
#include "pycoro.h"

coro_status ir_verify(LLVMModuleRef module, coro_diags *diags); /* OK or EVERIFY */
/* A suggestion how to fix the problem that LLVM's message about an instruction describes: a constant, or text in the
   arena. */
const char *ir_hint_for_verifier_message(struct coro_arena *arena, const char *message, const char *instruction);

/* Verification of a module, with LLVM's complaints as diagnostics that name their place.
   Needs: base, LLVM-C. Leaves: the module as it was. */
#ifndef CORO_IR_VERIFY_H
#define CORO_IR_VERIFY_H

#include "llvm-c/Core.h"
#include "pycoro.h"

coro_status ir_verify(LLVMModuleRef module, coro_diags *diags); /* OK or EVERIFY */
/* How to mend what a complaint of LLVM's about an instruction says. */
const char *ir_hint_for(const char *message, const char *instruction);

#endif

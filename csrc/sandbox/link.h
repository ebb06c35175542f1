/* Links modules into one. LLVM's linker may abort the process; a trial link in a child process protects against that.
   Requires: base, LLVM-C. Guarantees: one module that verifies, or diagnostics and no module; the inputs do not
   change. */
#pragma once

#include "llvm-c/Core.h"
#include "pycoro.h"

/* Copies the modules into `context` and links the copies in the given order. ELINK: two modules conflict; the
   diagnostic names both and the reason. EVERIFY, ENOMEM. */
coro_status ir_link_modules_sandboxed(LLVMModuleRef *out, LLVMContextRef context, const LLVMModuleRef *modules,
                                      size_t count, const char *name, coro_diags *diags);

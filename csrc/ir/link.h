/* Linking of modules, without the ways in which LLVM's linker ends the process.
   Needs: base, LLVM-C. Leaves: one module that verifies, or diagnostics and none; the inputs as they were. */
#ifndef CORO_IR_LINK_H
#define CORO_IR_LINK_H

#include "llvm-c/Core.h"
#include "pycoro.h"

/* Copies the modules into the context, and makes one of the copies; their order is that of what they define. Linked in
   a child process first. ELINK says which two do not fit together, and why; EVERIFY, ENOMEM. */
coro_status ir_link(LLVMModuleRef *out, LLVMContextRef context, const LLVMModuleRef *modules, size_t count,
                    const char *name, coro_diags *diags);

#endif

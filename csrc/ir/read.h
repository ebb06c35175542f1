/* Reading and copying of modules, without the ways in which LLVM's readers end the process.
   Needs: base, LLVM-C. Leaves: a module that verifies, or diagnostics and no module. */
#ifndef CORO_IR_READ_H
#define CORO_IR_READ_H

#include "llvm-c/Core.h"
#include "pycoro.h"

/* Reads textual IR or bitcode into the context and verifies it. OK, EPARSE, EVERIFY or ENOMEM. */
coro_status ir_read(LLVMModuleRef *out, LLVMContextRef context, const char *data, size_t size, const char *name,
                    coro_diags *diags);
/* Copies a module into a context of its own or another's. EVERIFY if it is broken: what is broken may not be written
   as bitcode. */
coro_status ir_copy(LLVMModuleRef *out, LLVMContextRef context, LLVMModuleRef module, coro_diags *diags);

#endif

/* Modules as bitcode, which lists the symbols of a module's assembly: LLVM runs its assembler to find them.
   Needs: base, LLVM-C, POSIX. Leaves: the module as it was; no child, no open file. */
#ifndef CORO_IR_BITCODE_H
#define CORO_IR_BITCODE_H

#include "llvm-c/Core.h"
#include "pycoro.h"

/* A copy in the context, read by way of bitcode that lists no symbols: no assembler is run. NULL: the context's
   diagnostic handler was told why. */
LLVMModuleRef ir_bitcode_copy(LLVMModuleRef module, LLVMContextRef context);
/* The bytes, of malloc. A module that has assembly is written in a child, under limits. EJIT: that did not come to an
   end. ENOMEM. */
coro_status ir_bitcode(LLVMModuleRef module, char **out, size_t *size);

#endif

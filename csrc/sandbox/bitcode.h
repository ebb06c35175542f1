/* Writes and copies modules as bitcode without letting LLVM's assembler, which reads module-level assembly, end the
   process.
   Requires: base, LLVM-C, POSIX. Guarantees: the module does not change; no child process or open file remains. */
#pragma once

#include "llvm-c/Core.h"
#include "pycoro.h"

/* Copies the module into `context`, with its data layout, through bitcode without a symbol table, so that no assembler
   runs. All copies between contexts are made here. Returns NULL on failure, after the context's diagnostic handler has
   received the reason. */
LLVMModuleRef ir_bitcode_copy(LLVMModuleRef module, LLVMContextRef context);
/* Returns the bitcode in a malloc'ed buffer. A module with inline assembly is written in a child process with
   limits. EJIT: the child crashed or exceeded its limits. ENOMEM. */
coro_status ir_write_bitcode_sandboxed(LLVMModuleRef module, char **out, size_t *size);

/* LLVM's own passes.
   Needs: target. Leaves: see llvm_run. */
#ifndef CORO_PIPELINE_LLVM_H
#define CORO_PIPELINE_LLVM_H

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"

/* Runs a pass string of LLVM's on a module that verifies, for the machine that the module names. NULL, or why the
   string is none: LLVM's words, to be disposed of with LLVMDisposeErrorMessage. *machine: of the run before, or NULL at
   first; what a machine knows of a processor is dear, and kept for the next run until the caller disposes of it. */
char *llvm_run(LLVMModuleRef module, const char *passes, LLVMTargetMachineRef *machine);
void llvm_dispose(LLVMTargetMachineRef machine); /* NULL: nothing */

#endif

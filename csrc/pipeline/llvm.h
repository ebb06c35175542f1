/* LLVM's own passes.
   Needs: target. Leaves: see llvm_run. */
#ifndef CORO_PIPELINE_LLVM_H
#define CORO_PIPELINE_LLVM_H

#include <stdbool.h>

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "pycoro.h"

struct llvm_kept { /* from one run on a module to the next, as it is dear to find; zeros at first */
  LLVMTargetMachineRef machine; /* with what it knows of processors; NULL: none */
  bool nothing_to_hold; /* false again where others than LLVM's and pycoro's passes have edited the module */
};

/* Runs a pass string of LLVM's on a module that verifies, for the machine that the module names. EPIPELINE: *message is
   why the string is none, in LLVM's words, to be disposed of with LLVMDisposeErrorMessage. ENOMEM: it may have run. */
coro_status llvm_run(struct llvm_kept *kept, LLVMModuleRef module, const char *passes, char **message);
void llvm_dispose(struct llvm_kept *kept);

#endif

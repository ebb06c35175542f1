/* Runs a pass string of LLVM's passes on a module, with a cached target machine (LLVMRunPasses).
   Requires: target. */
#pragma once

#include <stdbool.h>

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "pycoro.h"

struct llvm_run_cache { /* cached between runs on a module; initialize with zeros */
  LLVMTargetMachineRef machine; /* target machine with its processor tables; NULL: none */
  bool no_uncertain_constants; /* reset when other code than LLVM's and pycoro's passes has changed the module */
};

/* Runs a pass string on a verified module, for the module's target. EPIPELINE: *message is LLVM's parse error, to be
   freed by LLVMDisposeErrorMessage. ENOMEM: the passes may have run. */
coro_status llvm_run_pass_string(struct llvm_run_cache *cache, LLVMModuleRef module, const char *passes,
                                 char **message);
void llvm_dispose_run_cache(struct llvm_run_cache *cache);

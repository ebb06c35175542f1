/* Creates LLVM target machines and data layouts from triples.
   Requires: LLVM-C.
   Guarantees: LLVM's target registry is initialized at most once per process. */
#pragma once

#include <stdbool.h>

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"

/* Initializes LLVM's target registry, for callers that use LLVM-C's target functions directly. */
void target_registry_initialize_once(void);
/* NULL if the triple (NULL or "": none) names no target of this LLVM build: LLVM's passes then run without target
   information, as in opt. */
LLVMTargetMachineRef target_machine_of_triple_or_null(const char *triple);
LLVMTargetMachineRef target_machine_for_triple_or_null(const char *triple, LLVMCodeGenOptLevel level,
                                                       LLVMCodeModel model);
LLVMTargetMachineRef target_machine_of_module_or_null(LLVMModuleRef module);
/* The target's data layout, for a module with a triple but no layout; else NULL. The caller disposes of it. */
LLVMTargetDataRef target_layout_if_module_has_none(LLVMModuleRef module);
/* The target's code generator needs loops with exception pads to be entered in one place. */
bool target_needs_reducible_loops(LLVMModuleRef module);

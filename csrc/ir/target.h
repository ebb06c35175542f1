/* Targets of LLVM, by a module's triple.
   Needs: LLVM-C. Leaves: LLVM's registry of targets filled, once in the life of the process. */
#ifndef CORO_IR_TARGET_H
#define CORO_IR_TARGET_H

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"

void target_registry(void); /* fills it; for those who ask LLVM for a target by other ways than below */
/* NULL where the triple (NULL: the module's; "" is the same as none) names no target that this LLVM was built for:
   LLVM's passes then go without knowledge of a target, as opt's do. */
LLVMTargetMachineRef target_machine(const char *triple);
LLVMTargetMachineRef target_machine_for(const char *triple, LLVMCodeGenOptLevel level, LLVMCodeModel model);
LLVMTargetMachineRef target_machine_of(LLVMModuleRef module);
/* The layout of the target that a module names while leaving the layout to it. NULL: its own layout is all there is.
   The caller disposes of it. */
LLVMTargetDataRef target_layout_of(LLVMModuleRef module);

#endif

/* LLVM's own passes, by name.
   Needs: target. Leaves: the module as they leave it. */
#include "pipeline/llvm.h"

#include <stddef.h>

#include "ir/target.h"
#include "llvm-c/Error.h"
#include "llvm-c/Transforms/PassBuilder.h"

char *llvm_run(LLVMModuleRef module, const char *passes)
{
  LLVMTargetMachineRef machine = target_machine_of(module);
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (machine)
    LLVMDisposeTargetMachine(machine);
  return error ? LLVMGetErrorMessage(error) : NULL;
}

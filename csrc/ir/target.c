/* Creates LLVM target machines and data layouts by triple. */
#include "ir/target.h"

#include <string.h>
#include <threads.h>

#include "base/starts_with.h"

static void initialize_llvm_targets(void)
{
  LLVMInitializeAllTargetInfos();
  LLVMInitializeAllTargets();
  LLVMInitializeAllTargetMCs();
  LLVMInitializeNativeAsmPrinter(); /* for the JIT, which compiles for the host only */
  LLVMInitializeNativeAsmParser();
}

void target_registry_initialize_once(void)
{
  /* The registry is an unlocked linked list, so only one thread may fill it. */
  static once_flag filled = ONCE_FLAG_INIT;
  call_once(&filled, initialize_llvm_targets);
}

LLVMTargetMachineRef target_machine_for_triple_or_null(const char *triple, LLVMCodeGenOptLevel level,
                                                       LLVMCodeModel model)
{
  if (!triple || !*triple)
    return NULL;
  target_registry_initialize_once();
  LLVMTargetRef target = NULL;
  char *message = NULL;
  LLVMTargetMachineRef machine = NULL;
  if (!LLVMGetTargetFromTriple(triple, &target, &message) && LLVMTargetHasTargetMachine(target))
    machine = LLVMCreateTargetMachine(target, triple, "", "", level, LLVMRelocDefault, model);
  LLVMDisposeMessage(message);
  return machine;
}

LLVMTargetMachineRef target_machine_of_triple_or_null(const char *triple)
{
  return target_machine_for_triple_or_null(triple, LLVMCodeGenLevelDefault, LLVMCodeModelDefault);
}

LLVMTargetMachineRef target_machine_of_module_or_null(LLVMModuleRef module)
{
  return target_machine_of_triple_or_null(LLVMGetTarget(module));
}

LLVMTargetDataRef target_layout_if_module_has_none(LLVMModuleRef module)
{
  LLVMTargetMachineRef machine = *LLVMGetDataLayoutStr(module) ? NULL : target_machine_of_module_or_null(module);
  LLVMTargetDataRef layout = machine ? LLVMCreateTargetDataLayout(machine) : NULL;
  if (machine)
    LLVMDisposeTargetMachine(machine);
  return layout;
}

bool target_needs_reducible_loops(LLVMModuleRef module)
{
  static const char *const prefixes[] = {
#define LLVM_REDUCIBLE_LOOPS(prefix) prefix,
#include "llvm_targets.def"
  };
  const char *triple = LLVMGetTarget(module);
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (coro_starts_with(triple, prefixes[i]))
      return true;
  return false;
}

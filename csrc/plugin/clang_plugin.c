/* A plugin of clang that lowers the coroutines of a unit in clang's own process, between the front end and the code
   generator: `clang -Xclang -disable-llvm-passes -fpass-plugin=clang_plugin.so`. pycoro-c++ loads it, because a process
   of the code generator, and the transfer of bitcode to and from pycoro, take as long as compiling a small unit.
   The environment variable PYCORO_PLUGIN_PASSES has the pass string. PYCORO_PLUGIN_OUTCOME may name a file, which
   exists if clang has loaded the plugin, and contains "lowered" if clang generates code from the result. Otherwise
   clang's output is empty: the unit has no coroutine, or pycoro rejects it. pycoro-c++ then repeats the job without the
   plugin, and prints the reason.
   Requires: a clang 22 that loads libLLVM.so, whose LLVM-C functions the plugin calls; it is not linked to LLVM.
   Guarantees: exports only llvmGetPassPluginInfo; prints nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "pycoro.h"

/* LLVM's PassPluginLibraryInfo, of llvm/Plugins/PassPlugin.h. */
struct pass_plugin {
  uint32_t api_version;
  const char *name;
  const char *version;
  void (*register_passes)(void *pass_builder);
  bool (*lower_before_code_generation)(LLVMModuleRef module, LLVMTargetMachineRef machine, LLVMCodeGenFileType type,
                                       void *stream);
};

/* Writes the word to the file that the environment variable names; true if it names none. */
static bool write_outcome_to_requested_file(const char *outcome)
{
  const char *name = getenv("PYCORO_PLUGIN_OUTCOME");
  if (!name)
    return true;
  FILE *file = fopen(name, "w");
  bool written = file && fputs(outcome, file) >= 0;
  return file && fclose(file) == 0 && written;
}

static bool declares_coro_begin(LLVMModuleRef module)
{
  static const char begin[] = "llvm.coro.begin";
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function)) {
    size_t length = 0;
    if (strncmp(LLVMGetValueName2(function, &length), begin, sizeof begin - 1) == 0)
      return true;
  }
  return false;
}

static bool run_requested_passes(LLVMModuleRef module)
{
  coro_module *adopted = NULL; /* never freed, because that would free clang's module and context, too */
  const char *passes = getenv("PYCORO_PLUGIN_PASSES");
  coro_options options = CORO_OPTIONS_INIT;
  options.in_place = options.llvm_unverified = true; /* clang verifies neither its output nor that of its passes */
  LLVMContextSetDiscardValueNames(LLVMGetModuleContext(module),
                                  false); /* debug information of frames is found by name */
  return passes && coro_module_adopt_unchecked(&adopted, module, NULL) == CORO_OK &&
         coro_run(adopted, passes, &options, NULL, NULL) == CORO_OK;
}

/* Returns whether clang generates no code. */
static bool lower_before_code_generation(LLVMModuleRef module, LLVMTargetMachineRef machine, LLVMCodeGenFileType type,
                                         void *stream)
{
  (void)machine, (void)type, (void)stream;
  return !(declares_coro_begin(module) && run_requested_passes(module) && write_outcome_to_requested_file("lowered"));
}

__attribute__((visibility("default"))) struct pass_plugin llvmGetPassPluginInfo(void);

struct pass_plugin llvmGetPassPluginInfo(void)
{
  write_outcome_to_requested_file("loaded");
  return (struct pass_plugin){2, "pycoro", CORO_VERSION, NULL, lower_before_code_generation};
}

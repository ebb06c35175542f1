/* A plugin of clang that lowers the coroutines of a unit in clang's own process, between the front end and the code
   generator: `clang -Xclang -disable-llvm-passes -fpass-plugin=clang_plugin.so`. pycoro-c++ loads it, because a process
   of the code generator, and the transfer of bitcode to and from pycoro, take as long as compiling a small unit.
   The environment variable PYCORO_PLUGIN_PASSES has the pass string. For a unit without a coroutine PYCORO_PLUGIN_LEVEL
   may have a level, such as O2: the plugin then runs LLVM's passes as clang does, and the object is the same.
   PYCORO_PLUGIN_OUTCOME may name a file, which exists if clang has loaded the plugin, and contains "lowered" if clang
   generates code from the result. Otherwise clang's output is empty: pycoro rejects the unit, or it has no coroutine.
   pycoro-c++ then repeats the job without the plugin, and prints the reason.
   Requires: a clang 22 that loads libLLVM.so, whose LLVM-C functions the plugin calls; it is not linked to LLVM.
   Guarantees: exports only llvmGetPassPluginInfo; prints nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llvm-c/Core.h"
#include "llvm-c/Error.h"
#include "llvm-c/TargetMachine.h"
#include "llvm-c/Transforms/PassBuilder.h"
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

/* Runs the passes of the level as clang does, with the options that clang's driver derives from the level. */
static bool run_passes_of_requested_level(LLVMModuleRef module, LLVMTargetMachineRef machine)
{
  const char *level = getenv("PYCORO_PLUGIN_LEVEL");
  bool has_debug_info = LLVMGetNamedMetadata(module, "llvm.dbg.cu", strlen("llvm.dbg.cu"));
  bool for_size = level && strcmp(level, "Oz") == 0, vectorizes = for_size || (level && !strstr("O0 O1", level));
  if (!level || (for_size && has_debug_info)) /* some columns of the line table would differ from clang's */
    return false;
  bool tracks_assignments = has_debug_info && strcmp(level, "O0") != 0;
  char passes[64];
  snprintf(passes, sizeof passes, "%sdefault<%s>", tracks_assignments ? "function(declare-to-assign)," : "", level);
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMPassBuilderOptionsSetLoopInterleaving(options, vectorizes);
  LLVMPassBuilderOptionsSetLoopUnrolling(options, vectorizes);
  LLVMPassBuilderOptionsSetLoopVectorization(options, vectorizes && !for_size);
  LLVMPassBuilderOptionsSetSLPVectorization(options, vectorizes);
  LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
  LLVMDisposePassBuilderOptions(options);
  LLVMConsumeError(error);
  return !error;
}

/* Returns whether clang generates no code. */
static bool lower_before_code_generation(LLVMModuleRef module, LLVMTargetMachineRef machine, LLVMCodeGenFileType type,
                                         void *stream)
{
  (void)type, (void)stream;
  bool fine =
      declares_coro_begin(module) ? run_requested_passes(module) : run_passes_of_requested_level(module, machine);
  return !(fine && write_outcome_to_requested_file("lowered"));
}

__attribute__((visibility("default"))) struct pass_plugin llvmGetPassPluginInfo(void);

struct pass_plugin llvmGetPassPluginInfo(void)
{
  write_outcome_to_requested_file("loaded");
  return (struct pass_plugin){2, "pycoro", CORO_VERSION, NULL, lower_before_code_generation};
}

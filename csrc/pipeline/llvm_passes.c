/* Runs LLVM's passes. */
#include "pipeline/llvm_passes.h"

#include <stddef.h>
#include <string.h>

#include "base/vec.h"
#include "cgscc/held_functions.h"
#include "guards/tls_barrier.h"
#include "ir/edit.h"
#include "ir/target.h"
#include "llvm-c/Error.h"
#include "llvm-c/Transforms/PassBuilder.h"
#include "transform/entry_value.h"

/* Whether a no_cfi constant may refer to the function. LLVM's globaldce crashes if it deletes such a function.
   LLVM-C reports these constants as instructions. */
static bool may_have_no_cfi_constant(LLVMValueRef function)
{
  bool has = false;
  for (LLVMUseRef use = LLVMGetFirstUse(function); use && !has; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    has = LLVMGetValueKind(user) == LLVMInstructionValueKind && !edit_is_instruction(user);
  }
  return has;
}

/* Holds all such functions while LLVM's passes run, so they are not deleted. *variable_name: NULL if
   not needed. False: out of memory. */
static bool hold_functions_with_no_cfi_constants(struct coro_arena *arena, LLVMModuleRef module,
                                                 const char **variable_name)
{
  pass_values protected = {0};
  bool ok = true;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f && ok; f = LLVMGetNextFunction(f))
    ok = !may_have_no_cfi_constant(f) || coro_vec_push(arena, &protected, f);
  return ok && held_functions_add(arena, module, &protected, variable_name);
}

static void create_machine_if_triple_changed(struct llvm_run_cache *cache, LLVMModuleRef module)
{
  char *triple = cache->machine ? LLVMGetTargetMachineTriple(cache->machine) : NULL;
  if (!triple || strcmp(triple, LLVMGetTarget(module)) != 0) {
    llvm_dispose_run_cache(cache);
    cache->machine = target_machine_of_module_or_null(module);
  }
  LLVMDisposeMessage(triple);
}

void llvm_dispose_run_cache(struct llvm_run_cache *cache)
{
  if (cache->machine)
    LLVMDisposeTargetMachine(cache->machine);
  cache->machine = NULL;
}

static char *run_llvm_passes_with_machine(LLVMModuleRef module, const char *passes, LLVMTargetMachineRef machine)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
  LLVMDisposePassBuilderOptions(options);
  return error ? LLVMGetErrorMessage(error) : NULL;
}

coro_status llvm_run_pass_string(struct llvm_run_cache *cache, LLVMModuleRef module, const char *passes, char **message)
{
  struct coro_arena *arena = coro_arena_create();
  const char *holder = NULL;
  bool ok = arena && (cache->no_uncertain_constants || hold_functions_with_no_cfi_constants(arena, module, &holder));
  cache->no_uncertain_constants = ok && !holder;
  *message = NULL;
  if (ok) {
    bool names_entry = ir_has_swiftasync_function(module);
    bool has_barrier = false;
    create_machine_if_triple_changed(cache, module);
    if (tls_barrier_add(arena, module, &has_barrier))
      *message = run_llvm_passes_with_machine(module, passes, cache->machine);
    if (has_barrier)
      tls_barrier_remove(module);
    if (names_entry && !*message)
      ir_remove_invalid_entry_values(arena, module);
    ok = !coro_arena_failed(arena);
  }
  held_functions_release(module, holder);
  coro_arena_free(arena);
  return !ok ? CORO_ENOMEM : *message ? CORO_EPIPELINE : CORO_OK;
}

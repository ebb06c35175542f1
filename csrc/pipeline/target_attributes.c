/* Checks the target-cpu and target-features attributes of functions before LLVM's passes use them. */
#include "pipeline/target_attributes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/edit.h"
#include "ir/target.h"
#include "llvm-c/Error.h"
#include "llvm-c/ErrorHandling.h"
#include "pipeline/llvm_passes.h"
#include "sandbox/child_process.h"

static const char *const attributes[] = {"target-cpu", "tune-cpu", "target-features"};
enum { CPU, TUNE, FEATURES, ATTRIBUTES, SECONDS = 5, MEMORY = 256 << 20 };

struct machine {
  const char *triple;
  const char *value[ATTRIBUTES]; /* "": not specified */
};

static const char *attribute_value_or_empty(struct coro_arena *arena, LLVMValueRef function, const char *name)
{
  unsigned length;
  const char *value = edit_string_attribute_value(function, name, &length);
  return coro_arena_strndup(arena, value, length);
}

/* Values that compilers emit by default are known to work and need no child process. */
static bool are_target_attributes_known_to_work(const struct machine *m)
{
  static const struct {
    const char *arch, *cpu;
  } known[] = {
#define LLVM_KNOWN_CPU(arch, cpu) {arch, cpu},
#include "llvm_targets.def"
  };
  if (!*m->value[CPU] && !*m->value[TUNE] && !*m->value[FEATURES])
    return true;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strncmp(m->triple, known[i].arch, strlen(known[i].arch)) && !strcmp(m->value[CPU], known[i].cpu))
      return !strstr(m->value[FEATURES], "-64bit");
  return false;
}

/* Runs a pass that needs the target machine on a function with these attributes, in the child. */
static void run_pass_with_attributes_in_child(void *user, char **answer, size_t *size)
{
  const struct machine *m = user;
  (void)answer, (void)size;
  LLVMResetFatalErrorHandler();
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("machine", context);
  LLVMSetTarget(module, m->triple);
  LLVMTypeRef number = LLVMInt32TypeInContext(context);
  LLVMValueRef function = LLVMAddFunction(module, "f", LLVMFunctionType(number, &number, 1, false));
  for (unsigned i = 0; i < ATTRIBUTES; i++)
    if (*m->value[i])
      LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                              LLVMCreateStringAttribute(context, attributes[i], (unsigned)strlen(attributes[i]),
                                                        m->value[i], (unsigned)strlen(m->value[i])));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
  LLVMValueRef sum = LLVMBuildAdd(builder, LLVMGetParam(function, 0), LLVMConstInt(number, 1, false), "");
  LLVMBuildRet(builder, sum);
  LLVMDisposeBuilder(builder);
  struct llvm_run_cache cache = {0};
  char *message;
  (void)llvm_run_pass_string(&cache, module, "function(instcombine<no-verify-fixpoint>,slp-vectorizer)", &message);
  llvm_dispose_run_cache(&cache);
  if (message)
    LLVMDisposeErrorMessage(message);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}

static coro_status try_target_attributes_in_child(struct pass_run *run, struct machine *m, LLVMValueRef function)
{
  struct child_limits limits = {SECONDS, MEMORY};
  struct child_result result;
  char who[300];
  snprintf(who, sizeof who, "LLVM's optimizer, for target-cpu \"%.60s\" with features \"%.100s\" on %.80s,",
           m->value[CPU], m->value[FEATURES], m->triple);
  child_run_work_with_retries(&result, &limits, run_pass_with_attributes_in_child, m);
  free(result.answer);
  return child_diagnose_failure(
      &result, &limits, who,
      &(coro_diag){.status = CORO_EREJECTED,
                   .rule = "machine-of-function",
                   .function = edit_value_name(function),
                   .hint = "name a processor of the module's triple, or remove the attribute"},
      run->diags);
}

/* A key from the attribute pointers, which are unique in a context, so each combination is checked once. Never 0. */
static uint64_t attributes_key(LLVMValueRef function)
{
  uint64_t key = 1;
  for (unsigned i = 0; i < ATTRIBUTES; i++)
    key = key * 0x9E3779B97F4A7C15u +
          (uint64_t)(uintptr_t)LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, attributes[i],
                                                             (unsigned)strlen(attributes[i]));
  return key;
}

coro_status target_attributes_check(struct pass_run *run, struct coro_map *tried)
{
  LLVMTargetMachineRef any = target_machine_of_module_or_null(run->module);
  if (!any)
    return CORO_OK; /* no function has them */
  LLVMDisposeTargetMachine(any);
  coro_status status = CORO_OK;
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f && !status; f = LLVMGetNextFunction(f)) {
    uint64_t known, key = attributes_key(f);
    if (LLVMIsDeclaration(f) || coro_map_get(tried, key, &known))
      continue;
    struct machine m = {.triple = LLVMGetTarget(run->module)};
    for (unsigned i = 0; i < ATTRIBUTES; i++)
      if (!(m.value[i] = attribute_value_or_empty(run->arena, f, attributes[i])))
        return CORO_ENOMEM;
    status = are_target_attributes_known_to_work(&m) ? CORO_OK : try_target_attributes_in_child(run, &m, f);
    if (!status && !coro_map_put(tried, key, 1))
      status = CORO_ENOMEM;
  }
  return status;
}

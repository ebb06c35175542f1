/* Attribution of a broken module to the pass that broke it: LLVM's, pycoro's, or none if only its text is invalid.
   Requires: csrc/pipeline. */
#include <string.h>

#include "check.h"
#include "llvm-c/Core.h"
#include "pipeline/pipeline.h"

static struct pipeline_step llvm_step(const char *passes)
{
  return (struct pipeline_step){.kind = STEP_LLVM, .llvm = passes, .safe = passes};
}

/* Runs the steps on a module of one function, with a parameter of this alignment (0: none). */
static void run(const struct pipeline_step *steps, uint32_t count, bool each, uint64_t align, coro_status wanted,
                const char *message)
{
  struct pipeline_plan plan = {.canonical = ""};
  struct coro_arena *arena = coro_arena_create();
  coro_diags *diags = NULL;
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("blame", context);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
  LLVMValueRef function = LLVMAddFunction(module, "f", LLVMFunctionType(pointer, &pointer, 1, false));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
  LLVMBuildRet(builder, LLVMGetParam(function, 0));
  unsigned kind = LLVMGetEnumAttributeKindForName("align", strlen("align"));
  if (align)
    LLVMAddAttributeAtIndex(function, 1, LLVMCreateEnumAttribute(context, kind, align));
  for (uint32_t i = 0; i < count; i++)
    CHECK(coro_vec_push(arena, &plan.steps, steps[i]), "memory");
  coro_options options = CORO_OPTIONS_INIT;
  options.verify_each = each;
  CHECK(coro_diags_create(&diags) == CORO_OK, "memory");
  struct pass_run r = {.module = module, .context = context, .arena = arena, .diags = diags, .options = &options};
  CHECK(pipeline_run(&plan, &r) == wanted, "%s", message);
  const coro_diag *diag = coro_diags_get(diags, 0);
  CHECK(wanted == CORO_OK || (diag && strstr(diag->message, message)), "%s", diag ? diag->message : "nothing said");
  CHECK(wanted == CORO_OK || !strstr(message, "reading") == !strstr(diag->hint, "verify_each"), "%s", diag->hint);
  coro_diags_free(diags);
  LLVMDisposeBuilder(builder);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  coro_arena_free(arena);
}

int main(void)
{
  static const char breaks[] = "trigger-verifier-error";
  struct pass_node early = {.text = "coro-early", .pass = PASS_early};
  const struct pass_node *ours[] = {&early};
  struct pipeline_step of_ours = {.kind = STEP_OURS, .ours = {ours, 1, 1}, .level = LEVEL_MODULE};
  struct pipeline_step theirs[] = {llvm_step(breaks), of_ours}, fine[] = {llvm_step("globaldce"), of_ours};
  run(fine, 2, true, 0, CORO_OK, "");
  run(theirs, 1, true, 0, CORO_EVERIFY, "broken after trigger-verifier-error");
  run(theirs, 1, false, 0, CORO_EVERIFY, "broken after trigger-verifier-error");
  run(theirs, 2, false, 0, CORO_EVERIFY, "broken after trigger-verifier-error");
  struct pipeline_step level[] = {llvm_step(breaks), of_ours,
                                  llvm_step("no-op-module")}; /* verified once, at the end */
  level[0].in_level = level[1].in_level = level[2].in_level = true;
  run(level, 1, false, 0, CORO_EVERIFY, "broken after trigger-verifier-error");
  run(level, 2, false, 0, CORO_EVERIFY, "broken after trigger-verifier-error");
  run(level, 3, false, 0, CORO_EVERIFY, "broken after no-op-module");
  run(level, 3, true, 0, CORO_EVERIFY, "broken after trigger-verifier-error");
  level[1].in_level = level[2].in_level = false; /* followed by other steps */
  run(level, 3, false, 0, CORO_EVERIFY, "broken after trigger-verifier-error");
  run(&of_ours, 1, true, 24, CORO_EVERIFY, "broken after reading: its text does not parse");
  run(&of_ours, 1, false, 24, CORO_OK, "");
  return check_done("blame");
}

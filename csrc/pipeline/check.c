/* Asks LLVM whether it understands its parts of a pass string.
   Needs: plan. Leaves: nothing run. */
#include <string.h>

#include "base/nearest.h"
#include "ir/target.h"
#include "llvm-c/Error.h"
#include "llvm-c/Transforms/PassBuilder.h"
#include "pipeline/pipeline.h"

struct checker {
  struct coro_arena *arena;
  coro_diags *diags;
  const struct pipe_callers *callers;
  LLVMModuleRef scratch; /* empty */
  LLVMTargetMachineRef machine;
};

/* LLVM names the culprit in quotes; its place is the first one of that name in the step. */
static uint32_t place_of(struct checker *c, const struct pipe_step *step, const char *text, const char *message)
{
  const char *open = strchr(message, '\''), *close = open ? strchr(open + 1, '\'') : NULL;
  const char *name = close ? coro_arena_strndup(c->arena, open + 1, (size_t)(close - open) - 1) : NULL;
  const char *found = name && *name ? strstr(text + step->at, name) : NULL;
  return found ? (uint32_t)(found - text) : step->at;
}

/* LLVM-C does not tell the names of LLVM's passes; pycoro's and the caller's are known. */
static const char *hint_for(struct checker *c, const char *message)
{
  size_t count = PASS_COUNT + c->callers->count;
  const char *open = strchr(message, '\''), **names = CORO_NEW_ARRAY(c->arena, const char *, count);
  for (size_t i = 0; names && i < count; i++)
    names[i] = i < PASS_COUNT ? pass_table[i].name : c->callers->passes[i - PASS_COUNT].name;
  const char *meant = open && names ? nearest_name(open + 1, strcspn(open + 1, "'<"), names, count) : NULL;
  const char *hint = meant ? coro_arena_printf(c->arena, "did you mean %s?", meant) : NULL;
  return hint ? hint : "see `opt-22 --print-passes` for the names that LLVM knows";
}

static coro_status check_step(struct checker *c, const struct pipe_step *step, const char *text)
{
  /* In a module without any coroutine intrinsic this reads the string and runs nothing of it. */
  const char *string = coro_arena_printf(c->arena, "coro-cond(%s)", step->safe);
  if (!string)
    return CORO_ENOMEM;
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(c->scratch, string, c->machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return CORO_OK;
  char *message = LLVMGetErrorMessage(error);
  coro_status status = pipe_error(c->arena, c->diags, place_of(c, step, text, message),
                                  coro_arena_printf(c->arena, "LLVM: %s", message), hint_for(c, message));
  LLVMDisposeErrorMessage(message);
  return status;
}

coro_status pipe_check(const struct pipe_plan *plan, struct coro_arena *arena, const char *text,
                       const struct pipe_callers *callers, const char *triple, coro_diags *diags)
{
  bool any = false;
  for (uint32_t i = 0; i < plan->steps.count; i++)
    any |= plan->steps.items[i].kind == STEP_LLVM;
  if (!any)
    return CORO_OK;
  LLVMContextRef context = LLVMContextCreate();
  struct checker c = {arena, diags, callers, LLVMModuleCreateWithNameInContext("pass-string", context),
                      target_machine(triple)};
  coro_status status = CORO_OK;
  for (uint32_t i = 0; i < plan->steps.count && !status; i++)
    if (plan->steps.items[i].kind == STEP_LLVM)
      status = check_step(&c, &plan->steps.items[i], text);
  if (c.machine)
    LLVMDisposeTargetMachine(c.machine);
  LLVMDisposeModule(c.scratch);
  LLVMContextDispose(context);
  return status;
}

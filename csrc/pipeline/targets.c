/* Lists the functions that a step of the pipeline visits. Clients' passes may rename, delete and replace them. */
#include "pipeline/targets.h"

#include <string.h>

#include "cgscc/call_graph.h"
#include "ir/edit.h"

static bool number_unnamed_functions(struct targets *targets, struct runner *r)
{
  struct coro_map numbers;
  uint32_t count = 0;
  coro_map_init(&numbers, r->run->arena);
  for (LLVMValueRef f = LLVMGetFirstFunction(r->run->module); f; f = LLVMGetNextFunction(f))
    if (!*edit_value_name(f) && !coro_map_put(&numbers, coro_map_key(f), count++))
      return false;
  for (uint32_t i = 0; i < targets->functions.count; i++) {
    uint64_t number = 0;
    coro_map_get(&numbers, coro_map_key(targets->functions.items[i]), &number);
    targets->nameless[i] = (uint32_t)number;
  }
  return true;
}

/* LLVM-C has no tracking reference to a function, so functions are tracked by name. */
static bool remember_function_names(struct targets *targets, struct runner *r)
{
  struct coro_arena *arena = r->run->arena;
  targets->names = CORO_NEW_ARRAY(arena, const char *, targets->functions.count + 1);
  targets->nameless = CORO_NEW_ARRAY(arena, uint32_t, targets->functions.count + 1);
  if (!targets->names || !targets->nameless)
    return false;
  for (uint32_t i = 0; i < targets->functions.count; i++) {
    size_t length;
    const char *name = LLVMGetValueName2(targets->functions.items[i], &length);
    if (!(targets->names[i] = coro_arena_strndup(arena, name, length)))
      return false;
  }
  return number_unnamed_functions(targets, r);
}

bool targets_list_functions(struct targets *targets, struct runner *r, const struct pipeline_step *step)
{
  *targets = (struct targets){0};
  if (step->level == LEVEL_MODULE)
    return coro_vec_push(r->run->arena, &targets->functions, (LLVMValueRef)NULL);
  bool found = r->waves ? waves_list_functions(r->waves, r->run->arena, &targets->functions)
                        : list_defined_functions(&targets->functions, r->run->arena, r->run->module);
  if (found && step->level == LEVEL_CGSCC)
    found = call_graph_order(r->run, &targets->functions);
  return found && (!step->includes_client || remember_function_names(targets, r));
}

static LLVMValueRef find_unnamed_function(LLVMModuleRef module, uint32_t number)
{
  LLVMValueRef f = LLVMGetFirstFunction(module);
  for (; f; f = LLVMGetNextFunction(f))
    if (!*edit_value_name(f) && !number--)
      break;
  return f;
}

LLVMValueRef targets_get(const struct targets *targets, LLVMModuleRef module, uint32_t index, bool *gone)
{
  LLVMValueRef function = targets->functions.items[index];
  *gone = false;
  if (!function || !targets->moved)
    return function;
  const char *name = targets->names[index];
  function = *name ? LLVMGetNamedFunction(module, name) : find_unnamed_function(module, targets->nameless[index]);
  *gone = !function || LLVMIsDeclaration(function);
  return *gone ? NULL : function;
}

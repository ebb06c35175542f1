/* Which function calls which, and the order in which CGSCC passes visit them.
   Needs: graph, LLVM-C. Leaves: functions with a body, callees before their callers; those that call each other in
   module order. */
#include "pipeline/order.h"

#include "ir/edit.h"

typedef CORO_VEC(struct graph_edge) edges;

static bool number(struct calls *calls, struct coro_arena *arena, LLVMModuleRef module)
{
  *calls = (struct calls){0};
  coro_map_init(&calls->numbers, arena);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && (!coro_map_put(&calls->numbers, coro_map_key(f), calls->functions.count) ||
                                  !coro_vec_push(arena, &calls->functions, f)))
      return false;
  return true;
}

static bool find_calls(const struct calls *calls, struct coro_arena *arena, edges *found)
{
  for (uint32_t i = 0; i < calls->functions.count; i++)
    for (LLVMUseRef use = LLVMGetFirstUse(calls->functions.items[i]); use; use = LLVMGetNextUse(use)) {
      LLVMValueRef user = LLVMGetUser(use);
      if (!edit_is_instruction(user))
        continue;
      uint64_t from = 0;
      LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
      coro_map_get(&calls->numbers, coro_map_key(caller), &from);
      if (!coro_vec_push(arena, found, ((struct graph_edge){(uint32_t)from, i})))
        return false;
    }
  return true;
}

static bool sort(struct calls *calls, struct coro_arena *arena)
{
  const struct graph_scc *scc = &calls->scc;
  uint32_t count = calls->functions.count, *start = CORO_NEW_ARRAY(arena, uint32_t, scc->count + 1);
  calls->order = CORO_NEW_ARRAY(arena, uint32_t, count + 1);
  if (!start || !calls->order)
    return false;
  for (uint32_t i = 0; i < count; i++)
    start[scc->component[i] + 1]++;
  for (uint32_t c = 0; c < scc->count; c++)
    start[c + 1] += start[c];
  for (uint32_t i = 0; i < count; i++)
    calls->order[start[scc->component[i]]++] = i;
  return true;
}

bool calls_find(struct calls *calls, struct coro_arena *arena, LLVMModuleRef module)
{
  edges found = {0};
  return number(calls, arena, module) && find_calls(calls, arena, &found) &&
         graph_build(&calls->graph, arena, calls->functions.count, found.items, found.count) &&
         graph_scc(&calls->scc, arena, &calls->graph) && sort(calls, arena);
}

bool pass_order(struct pass_run *run, pass_values *functions)
{
  struct calls calls;
  bool fine = calls_find(&calls, run->arena, run->module);
  for (uint32_t i = 0; i < calls.functions.count && fine; i++)
    fine = coro_vec_push(run->arena, functions, calls.functions.items[calls.order[i]]);
  return fine;
}

/* Builds the call graph from the uses of functions by instructions, and orders its SCCs. */
#include "cgscc/call_graph.h"

#include "ir/edit.h"

typedef CORO_VEC(struct graph_edge) edges;

bool list_defined_functions(pass_values *functions, struct coro_arena *arena, LLVMModuleRef module)
{
  bool fine = true;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f && fine; f = LLVMGetNextFunction(f))
    fine = LLVMIsDeclaration(f) || coro_vec_push(arena, functions, f);
  return fine;
}

static bool number_functions_by_list_position(struct call_graph *calls, struct coro_arena *arena,
                                              const pass_values *functions)
{
  *calls = (struct call_graph){.functions = *functions};
  coro_map_init(&calls->numbers, arena);
  bool fine = coro_map_reserve(&calls->numbers, functions->count);
  for (uint32_t i = 0; i < functions->count && fine; i++)
    fine = coro_map_put(&calls->numbers, coro_map_key(functions->items[i]), i);
  return fine;
}

static bool list_uses_by_functions_as_calls(const struct call_graph *calls, struct coro_arena *arena, edges *found)
{
  for (uint32_t i = 0; i < calls->functions.count; i++)
    for (LLVMUseRef use = LLVMGetFirstUse(calls->functions.items[i]); use; use = LLVMGetNextUse(use)) {
      LLVMValueRef user = LLVMGetUser(use);
      if (!edit_is_instruction(user))
        continue;
      uint64_t from = 0;
      LLVMValueRef caller = edit_function_of(user);
      if (coro_map_get(&calls->numbers, coro_map_key(caller), &from) &&
          !coro_vec_push(arena, found, ((struct graph_edge){(uint32_t)from, i})))
        return false;
    }
  return true;
}

bool call_graph_build(struct call_graph *calls, struct coro_arena *arena, const pass_values *functions)
{
  edges found = {0};
  return number_functions_by_list_position(calls, arena, functions) &&
         list_uses_by_functions_as_calls(calls, arena, &found) &&
         graph_build(&calls->graph, arena, calls->functions.count, found.items, found.count) &&
         graph_strongly_connected_components(&calls->scc, arena, &calls->graph) &&
         graph_group_by_key(&calls->by_component, arena, calls->scc.component, calls->functions.count,
                            calls->scc.count);
}

bool call_graph_order(struct pass_run *run, pass_values *functions)
{
  struct call_graph calls;
  pass_values ordered = {0};
  bool fine = call_graph_build(&calls, run->arena, functions);
  for (uint32_t i = 0; i < calls.functions.count && fine; i++)
    fine = coro_vec_push(run->arena, &ordered, calls.functions.items[calls.by_component.items[i]]);
  *functions = ordered;
  return fine;
}

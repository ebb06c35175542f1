/* The order in which CGSCC passes visit functions.
   Needs: graph, LLVM-C. Leaves: functions with a body, callees before their callers; those that call each other in
   module order. */
#include "pipeline/order.h"

#include "graph/graph.h"
#include "ir/edit.h"

typedef CORO_VEC(struct graph_edge) edges;

struct order {
  struct pass_run *run;
  pass_values defined;     /* in module order */
  struct coro_map numbers; /* function -> index in defined */
  edges calls;             /* from caller to callee; taking a function's address counts as a call */
};

static bool number(struct order *o)
{
  coro_map_init(&o->numbers, o->run->arena);
  for (LLVMValueRef f = LLVMGetFirstFunction(o->run->module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && (!coro_map_put(&o->numbers, coro_map_key(f), o->defined.count) ||
                                  !coro_vec_push(o->run->arena, &o->defined, f)))
      return false;
  return true;
}

static bool find_calls(struct order *o)
{
  for (uint32_t i = 0; i < o->defined.count; i++)
    for (LLVMUseRef use = LLVMGetFirstUse(o->defined.items[i]); use; use = LLVMGetNextUse(use)) {
      LLVMValueRef user = LLVMGetUser(use);
      if (!edit_is_instruction(user))
        continue;
      uint64_t from = 0;
      LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
      coro_map_get(&o->numbers, coro_map_key(caller), &from);
      if (!coro_vec_push(o->run->arena, &o->calls, ((struct graph_edge){(uint32_t)from, i})))
        return false;
    }
  return true;
}

/* Edges go from higher to lower components, so that ascending order is callees first. */
static bool sort(struct order *o, const struct graph_scc *scc, pass_values *functions)
{
  uint32_t *start = CORO_NEW_ARRAY(o->run->arena, uint32_t, scc->count + 1);
  LLVMValueRef *sorted = CORO_NEW_ARRAY(o->run->arena, LLVMValueRef, o->defined.count + 1);
  if (!start || !sorted)
    return false;
  for (uint32_t i = 0; i < o->defined.count; i++)
    start[scc->component[i] + 1]++;
  for (uint32_t c = 0; c < scc->count; c++)
    start[c + 1] += start[c];
  for (uint32_t i = 0; i < o->defined.count; i++)
    sorted[start[scc->component[i]]++] = o->defined.items[i];
  for (uint32_t i = 0; i < o->defined.count; i++)
    if (!coro_vec_push(o->run->arena, functions, sorted[i]))
      return false;
  return true;
}

/* Coroutines that another component's coroutine, still to be split, is below: these wait for it. */
static bool mark_waiting(struct order *o, const struct graph *graph, const struct graph_scc *scc,
                         const pass_values *sorted, struct coro_bits *waits)
{
  struct coro_bits ahead; /* by component: one is in it, or below it */
  if (!coro_bits_init(&ahead, o->run->arena, scc->count) || !coro_bits_init(waits, o->run->arena, scc->count))
    return false;
  for (uint32_t i = 0; i < sorted->count;) {
    uint64_t f = 0;
    coro_map_get(&o->numbers, coro_map_key(sorted->items[i]), &f);
    uint32_t component = scc->component[f];
    bool own = false, below = false;
    for (; i < sorted->count; i++) {
      coro_map_get(&o->numbers, coro_map_key(sorted->items[i]), &f);
      if (scc->component[f] != component)
        break;
      own |= edit_is_presplit(sorted->items[i]);
      for (uint32_t e = graph->succ_start[f]; e < graph->succ_start[f + 1]; e++)
        below |= scc->component[graph->succ[e]] != component && coro_bits_get(&ahead, scc->component[graph->succ[e]]);
    }
    if (own || below)
      coro_bits_set(&ahead, component);
    if (own && below)
      coro_bits_set(waits, component);
  }
  return true;
}

static bool leave_out_waiting(struct order *o, const struct graph *graph, const struct graph_scc *scc,
                              pass_values *functions)
{
  struct coro_bits waits;
  uint32_t count = 0;
  if (!mark_waiting(o, graph, scc, functions, &waits))
    return false;
  for (uint32_t i = 0; i < functions->count; i++) {
    uint64_t f = 0;
    coro_map_get(&o->numbers, coro_map_key(functions->items[i]), &f);
    if (!edit_is_presplit(functions->items[i]) || !coro_bits_get(&waits, scc->component[f]))
      functions->items[count++] = functions->items[i];
  }
  functions->count = count;
  return true;
}

bool pass_order(struct pass_run *run, pass_values *functions, bool ready)
{
  struct order o = {.run = run};
  struct graph graph;
  struct graph_scc scc;
  if (!number(&o) || !find_calls(&o))
    return false;
  return graph_build(&graph, run->arena, o.defined.count, o.calls.items, o.calls.count) &&
         graph_scc(&scc, run->arena, &graph) && sort(&o, &scc, functions) &&
         (!ready || leave_out_waiting(&o, &graph, &scc, functions));
}

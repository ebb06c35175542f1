/* Keeps LLVM's passes from moving thread-local addresses across suspends. */
#include "guards/tls_barrier.h"

#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "graph/graph.h"
#include "ir/edit.h"

static const char barrier[] = "convergent";

/* The first declaration of the intrinsic from `function` on; each address space has one. NULL: none. */
static LLVMValueRef next_threadlocal_address_declaration(LLVMValueRef function)
{
  static const char name[] = "llvm.threadlocal.address";
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  while (function && LLVMGetIntrinsicID(function) != id)
    function = LLVMGetNextFunction(function);
  return function;
}

struct search { /* functions that use a thread-local address, directly or in a callee that may be inlined */
  struct coro_arena *arena;
  struct coro_map numbers;
  CORO_VEC(LLVMValueRef) functions;
  CORO_VEC(struct graph_edge) calls; /* caller and callee */
  CORO_VEC(uint32_t) coroutines;
};

static bool number_function_once(struct search *s, LLVMValueRef function, uint32_t *number)
{
  uint64_t known = s->functions.count;
  bool is_new = !coro_map_get(&s->numbers, coro_map_key(function), &known);
  *number = (uint32_t)known;
  return !is_new ||
         (coro_map_put(&s->numbers, coro_map_key(function), known) && coro_vec_push(s->arena, &s->functions, function));
}

static bool add_functions_using_tls(struct search *s, LLVMValueRef address)
{
  uint32_t n;
  for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use))
    if (edit_is_call_of(LLVMGetUser(use), address) && !number_function_once(s, edit_function_of(LLVMGetUser(use)), &n))
      return false;
  return true;
}

static bool add_coroutine_and_callers_if_inlinable(struct search *s, uint32_t callee)
{
  LLVMValueRef function = s->functions.items[callee];
  if (edit_is_presplit_definition(function) && !coro_vec_push(s->arena, &s->coroutines, callee))
    return false;
  if (edit_has_function_attribute(function, "noinline"))
    return true;
  for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
    uint32_t caller;
    if (edit_is_call_of(LLVMGetUser(use), function) &&
        (!number_function_once(s, edit_function_of(LLVMGetUser(use)), &caller) ||
         !coro_vec_push(s->arena, &s->calls, ((struct graph_edge){caller, callee}))))
      return false;
  }
  return true;
}

static void mark_tls_calls_convergent_if_reached(const struct search *s, const struct coro_bits *reached,
                                                 LLVMValueRef address)
{
  uint64_t n;
  for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use))
    if (edit_is_call_of(LLVMGetUser(use), address) &&
        coro_map_get(&s->numbers, coro_map_key(edit_function_of(LLVMGetUser(use))), &n) &&
        coro_bits_get(reached, (uint32_t)n))
      edit_add_function_attribute(LLVMGetUser(use), barrier);
}

bool tls_barrier_add(struct coro_arena *arena, LLVMModuleRef module, bool *added)
{
  struct search s = {.arena = arena};
  struct graph graph;
  struct coro_bits reached;
  LLVMValueRef first = next_threadlocal_address_declaration(LLVMGetFirstFunction(module));
  bool fine = true;
  coro_map_init(&s.numbers, arena);
  for (LLVMValueRef f = first; f && fine; f = next_threadlocal_address_declaration(LLVMGetNextFunction(f)))
    fine = add_functions_using_tls(&s, f);
  for (uint32_t i = 0; i < s.functions.count && fine; i++)
    fine = add_coroutine_and_callers_if_inlinable(&s, i);
  *added = fine && s.coroutines.count;
  if (!*added)
    return fine;
  if (!graph_build(&graph, arena, s.functions.count, s.calls.items, s.calls.count) ||
      !coro_bits_init(&reached, arena, s.functions.count) ||
      !graph_mark_reachable_nodes(&reached, arena, &graph, s.coroutines.items, s.coroutines.count, false))
    return false;
  for (LLVMValueRef f = first; f; f = next_threadlocal_address_declaration(LLVMGetNextFunction(f)))
    mark_tls_calls_convergent_if_reached(&s, &reached, f);
  return true;
}

void tls_barrier_remove(LLVMModuleRef module)
{
  for (LLVMValueRef f = next_threadlocal_address_declaration(LLVMGetFirstFunction(module)); f;
       f = next_threadlocal_address_declaration(LLVMGetNextFunction(f)))
    for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use))
      if (edit_is_call(LLVMGetUser(use)))
        edit_remove_function_attribute(LLVMGetUser(use), barrier);
}

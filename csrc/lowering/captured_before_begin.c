/* Follows addresses of allocas, and results of calls that may contain them; see captured_before_begin.h. */
#include "lowering/captured_before_begin.h"

#include "analysis/pointer_walk.h"
#include "analysis/stack_only_allocas.h"
#include "ir/edit.h"
#include "ir/operand.h"
#include "lowering/lowering.h"
#include "transform/swifterror.h"

struct capture_search {
  const struct coro_lowering *low;
  struct coro_bits after_begin; /* nodes that llvm.coro.begin reaches */
  uint32_t *first_free;         /* indexed by node: its first llvm.coro.free, plus 1; 0: none */
  struct coro_bits after_free;  /* nodes that the end of a node with an llvm.coro.free reaches */
  struct pointer_walk uses;     /* of the current value */
  struct worklist results;      /* calls whose results may contain the address of the current alloca */
  bool captured;                /* the current alloca is */
  bool used_after_free;         /* the current alloca is */
};

bool coro_destroy_clone_frees_frame(const struct coro_lowering *low)
{
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    if (low->shape.intrin[i] == INTRIN_FREE && low->cfg.nodes[cfg_node_of(&low->cfg, i)].clone_kinds & CLONE_DESTROY)
      return true;
  return false;
}

static bool is_after_begin(const struct capture_search *s, uint32_t inst)
{
  return coro_bits_get(&s->after_begin, cfg_node_of(&s->low->cfg, inst));
}

/* After an llvm.coro.free the heap blocks may be freed already. */
static bool is_after_free(const struct capture_search *s, uint32_t inst)
{
  uint32_t node = cfg_node_of(&s->low->cfg, inst);
  return coro_bits_get(&s->after_free, node) || (s->first_free[node] && s->first_free[node] - 1 < inst);
}

static bool may_result_contain_address(const struct coro_lowering *low, LLVMValueRef call)
{
  uint64_t bytes;
  LLVMTypeRef type = LLVMTypeOf(call);
  return LLVMGetTypeKind(type) != LLVMVoidTypeKind &&
         !edit_call_or_callee_has_attribute(call, LLVMAttributeReturnIndex, "noalias") &&
         (!ir_size_of(low->sizes, type, &bytes) || bytes >= ir_pointer_size(low->context, low->layout));
}

/* `of_result`: the value is the result of a call, or derived from it. */
static void note_use_of_address(struct capture_search *s, const struct pointer_visit *use, bool of_result)
{
  const struct coro_lowering *low = s->low;
  LLVMValueRef user = low->fn.insts[use->inst];
  if (is_after_begin(s, use->inst)) {
    s->captured |= of_result;
    s->used_after_free |= !intrin_is_lifetime((enum intrin)low->shape.intrin[use->inst]) && is_after_free(s, use->inst);
    return;
  }
  if (use->effect != POINTER_ESCAPES || intrin_is_coro((enum intrin)low->shape.intrin[use->inst]))
    return;
  switch (pointer_use_of(user, ir_value(&low->fn, use->address))) {
  case POINTER_USE_RETURN: return;
  case POINTER_USE_CALL:
    if (may_result_contain_address(low, user))
      worklist_enter(&s->results, use->inst);
    return;
  default: s->captured = true; return;
  }
}

static void search_uses_of_value(struct capture_search *s, uint32_t value, bool of_result)
{
  pointer_walk_start(&s->uses, value);
  for (struct pointer_visit use; !s->used_after_free && pointer_walk_next(&s->uses, &use);)
    note_use_of_address(s, &use, of_result);
}

static bool is_captured(struct capture_search *s, uint32_t alloca)
{
  uint32_t call;
  s->captured = s->used_after_free = false;
  worklist_restart(&s->results);
  search_uses_of_value(s, ir_value_of_inst(&s->low->fn, alloca), false);
  while (!s->used_after_free && worklist_take(&s->results, &call))
    search_uses_of_value(s, ir_value_of_inst(&s->low->fn, call), true);
  return s->captured && !s->used_after_free;
}

/* Only by its form and place. The promise must be in the frame, and others must be on the stack. */
static bool is_candidate_for_heap_before_begin(const struct capture_search *s, uint32_t inst)
{
  const struct coro_lowering *low = s->low;
  LLVMValueRef alloca = low->fn.insts[inst];
  return low->fn.opcode[inst] == LLVMAlloca && !is_after_begin(s, inst) && alloca != low->shape.promise &&
         LLVMIsAConstantInt(LLVMGetOperand(alloca, ALLOCA_COUNT)) && !ir_is_swifterror(alloca) &&
         !LLVMGetPointerAddressSpace(LLVMTypeOf(alloca)) &&
         !coro_bits_get(&low->crossing.for_arguments, ir_value_of_inst(&low->fn, inst)) &&
         !stack_only_is_required_by_pad_or_metadata(alloca) && !stack_only_reason(low->arena, low->table, alloca);
}

static bool mark_nodes_after_free(struct capture_search *s)
{
  const struct coro_lowering *low = s->low;
  const struct graph *g = &low->cfg.graph;
  coro_insts starts = {0};
  for (uint32_t i = low->fn.inst_count; i-- > 0;) {
    uint32_t node = cfg_node_of(&low->cfg, i);
    if (low->shape.intrin[i] != INTRIN_FREE)
      continue;
    s->first_free[node] = i + 1;
    for (uint32_t e = g->succ_start[node]; e < g->succ_start[node + 1]; e++)
      if (!coro_vec_push(low->arena, &starts, g->succ[e]))
        return false;
  }
  return graph_mark_reachable_nodes(&s->after_free, low->arena, g, starts.items, starts.count, false);
}

static bool init_capture_search(struct capture_search *s)
{
  const struct coro_lowering *low = s->low;
  return pointer_walk_init(&s->uses, low->arena, &low->fn, &low->shape, &low->cfg) &&
         worklist_init(&s->results, low->arena, low->fn.inst_count) &&
         (s->first_free = CORO_NEW_ARRAY(low->arena, uint32_t, low->cfg.node_count)) &&
         coro_bits_init(&s->after_free, low->arena, low->cfg.node_count) &&
         coro_bits_init(&s->after_begin, low->arena, low->cfg.node_count) &&
         graph_mark_reachable_nodes(&s->after_begin, low->arena, &low->cfg.graph, &low->cfg.begin_node, 1, false) &&
         mark_nodes_after_free(s);
}

bool coro_find_allocas_captured_before_begin(struct coro_lowering *low, struct coro_bits *captured)
{
  struct capture_search s = {.low = low};
  if (!coro_bits_init(captured, low->arena, ir_value_count(&low->fn)))
    return false;
  if (low->cfg.returns || low->cfg.begin_node == IR_NONE || !low->shape.suspend_count ||
      !coro_destroy_clone_frees_frame(low))
    return true;
  if (!init_capture_search(&s))
    return false;
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    if (is_candidate_for_heap_before_begin(&s, i) && is_captured(&s, i))
      coro_bits_set(captured, ir_value_of_inst(&low->fn, i));
  return true;
}

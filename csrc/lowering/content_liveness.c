/* Backward walks from each load to the reaching stores; see content_liveness.h. */
#include "lowering/content_liveness.h"

#include "ir/operand.h"
#include "lowering/lowering.h"

bool content_walk_init(struct content_walk *content, const struct coro_lowering *low)
{
  *content = (struct content_walk){
      .arena = low->arena, .fn = &low->fn, .cfg = &low->cfg, .crossing = &low->crossing, .sizes = low->sizes};
  return worklist_init(&content->nodes, low->arena, low->cfg.node_count);
}

bool content_has_only_loads_and_whole_stores(const struct content_walk *content, uint32_t alloca_value, uint64_t size,
                                             coro_insts *accesses_to_sort)
{
  const struct ir_fn *fn = content->fn;
  for (uint32_t i = 0; i < accesses_to_sort->count; i++) {
    uint32_t inst = accesses_to_sort->items[i];
    LLVMValueRef access = fn->insts[inst];
    bool store = fn->opcode[inst] == LLVMStore;
    if (!store && fn->opcode[inst] != LLVMLoad)
      return false;
    if (ir_operand(fn, inst, store ? STORE_ADDRESS : LOAD_ADDRESS) != alloca_value)
      return false;
    LLVMTypeRef stored = store ? LLVMTypeOf(LLVMGetOperand(access, STORE_VALUE)) : NULL;
    if (stored &&
        (!ir_has_fixed_size(content->sizes, stored) || LLVMStoreSizeOfType(content->sizes->layout, stored) != size))
      return false;
  }
  coro_insts_sort(accesses_to_sort);
  return true;
}

/* Fast path: the preceding store in program order dominates the load and no landing is between them. */
static bool is_dominated_by_preceding_store_in_epoch(const struct content_walk *content, uint32_t load)
{
  const uint32_t *node = content->cfg->node_of_inst, *epoch = content->crossing->epoch;
  uint32_t before = coro_insts_count_before(&content->stores, load);
  uint32_t store = before ? content->stores.items[before - 1] : IR_NONE;
  return before && epoch[node[store]] == epoch[node[load]] && cfg_inst_dominates(content->cfg, store, load);
}

/* Walks backwards from a load along edges of clones until a store or a landing. Nodes visited for another load of
   the alloca reach no landing. */
static bool landing_reaches_load_without_store(struct content_walk *content, uint32_t load)
{
  const struct coro_cfg *cfg = content->cfg;
  uint32_t start = cfg_node_of(cfg, load);
  if (!(cfg->nodes[start].clone_kinds & CLONE_ALL_BUT_RAMP) || is_dominated_by_preceding_store_in_epoch(content, load))
    return false;
  worklist_enter(&content->nodes, start);
  for (uint32_t node; worklist_take(&content->nodes, &node);)
    for (uint32_t p = cfg->graph.pred_start[node]; p < cfg->graph.pred_start[node + 1]; p++) {
      uint32_t from = cfg->graph.pred[p];
      if (!(cfg->nodes[from].clone_kinds & CLONE_ALL_BUT_RAMP) ||
          !(cfg->edges[cfg->graph.pred_edge[p]].clone_kinds & CLONE_ALL_BUT_RAMP))
        continue;
      if (cfg->nodes[from].landing)
        return true;
      if (!coro_insts_has_any_in_range(&content->stores, cfg->nodes[from].first, cfg->nodes[from].last))
        worklist_enter(&content->nodes, from);
    }
  return false;
}

bool content_find_load_of_value_before_suspend(struct content_walk *content, const coro_insts *accesses,
                                               uint32_t *load_or_none)
{
  *load_or_none = IR_NONE;
  worklist_restart(&content->nodes);
  content->stores.count = 0;
  for (uint32_t i = 0; i < accesses->count; i++)
    if (content->fn->opcode[accesses->items[i]] == LLVMStore &&
        !coro_vec_push(content->arena, &content->stores, accesses->items[i]))
      return false;
  for (uint32_t i = 0; i < accesses->count && *load_or_none == IR_NONE; i++)
    if (content->fn->opcode[accesses->items[i]] == LLVMLoad &&
        landing_reaches_load_without_store(content, accesses->items[i]))
      *load_or_none = accesses->items[i];
  return true;
}

/* Content: whether what a variable holds is needed across a suspend.
   Needs: number, cfg. Leaves: nothing changed. */
#include "coro/content.h"

#include <stdlib.h>

bool content_init(struct content *content, struct coro_arena *arena, const struct ir_fn *fn, const struct coro_cfg *cfg,
                  LLVMTargetDataRef layout)
{
  *content = (struct content){.fn = fn, .cfg = cfg, .layout = layout};
  content->seen = CORO_NEW_ARRAY(arena, uint32_t, cfg->node_count);
  content->stack = CORO_NEW_ARRAY(arena, uint32_t, cfg->edge_count + 1);
  return content->seen && content->stack;
}

static int in_order(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

bool content_is_whole(const struct content *content, uint32_t variable, uint64_t size, coro_insts *accesses)
{
  const struct ir_fn *fn = content->fn;
  for (uint32_t i = 0; i < accesses->count; i++) {
    uint32_t inst = accesses->items[i];
    LLVMValueRef access = fn->insts[inst];
    unsigned pointer = fn->opcode[inst] == LLVMStore ? 1 : 0;
    if (fn->opcode[inst] != LLVMStore && fn->opcode[inst] != LLVMLoad)
      return false;
    if (fn->operands[fn->operand_start[inst] + pointer] != variable)
      return false;
    if (pointer && LLVMStoreSizeOfType(content->layout, LLVMTypeOf(LLVMGetOperand(access, 0))) != size)
      return false;
  }
  if (accesses->count)
    qsort(accesses->items, accesses->count, sizeof *accesses->items, in_order);
  return true;
}

/* There is a store among the accesses in [first, last). */
static bool stored_in(const struct content *content, const coro_insts *accesses, uint32_t first, uint32_t last)
{
  uint32_t low = 0, high = accesses->count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (accesses->items[middle] < first)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < accesses->count && accesses->items[low] < last; low++)
    if (content->fn->opcode[accesses->items[low]] == LLVMStore)
      return true;
  return false;
}

/* Backwards from a load in a clone, until a store or a landing; only along edges that a clone takes. */
static bool reaches_landing(struct content *content, const coro_insts *accesses, uint32_t load)
{
  const struct coro_cfg *cfg = content->cfg;
  uint32_t node = cfg->node_of_inst[load], top = 0;
  if (!(cfg->nodes[node].parts & PART_CLONES) || stored_in(content, accesses, cfg->nodes[node].first, load))
    return false;
  content->stamp++;
  for (;;) {
    for (uint32_t p = cfg->graph.pred_start[node]; p < cfg->graph.pred_start[node + 1]; p++) {
      uint32_t from = cfg->graph.pred[p];
      if (content->seen[from] == content->stamp || !(cfg->nodes[from].parts & PART_CLONES) ||
          !cfg_has_edge(cfg, from, node, PART_CLONES))
        continue;
      content->seen[from] = content->stamp;
      if (cfg->nodes[from].landing)
        return true;
      if (!stored_in(content, accesses, cfg->nodes[from].first, cfg->nodes[from].last))
        content->stack[top++] = from;
    }
    if (!top)
      return false;
    node = content->stack[--top];
  }
}

uint32_t content_crossing_load(struct content *content, const coro_insts *accesses)
{
  for (uint32_t i = 0; i < accesses->count; i++) {
    uint32_t inst = accesses->items[i];
    if (content->fn->opcode[inst] == LLVMLoad && reaches_landing(content, accesses, inst))
      return inst;
  }
  return IR_NONE;
}

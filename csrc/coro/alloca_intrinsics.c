/* Placement of memory requested by llvm.coro.alloca.alloc.
   Requires: number, shape, select_abi, cfg, crossing.
   Guarantees: the function is unchanged. */
#include "coro/alloca_intrinsics.h"

#include "coro/abi.h"

struct search {
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  const struct coro_cfg *cfg;
  uint32_t *seen; /* indexed by node: the last alloc whose walk visited it, plus one */
  uint32_t *stack;
};

/* Whether instructions [first, last) free what `alloc` allocates. */
static bool is_freed_in(const struct search *s, uint32_t alloc, uint32_t first, uint32_t last)
{
  for (uint32_t i = first; i < last; i++)
    if (s->shape->intrin[i] == INTRIN_ALLOCA_FREE && ir_operand_inst(s->fn, i, ALLOCA_TOKEN) == alloc)
      return true;
  return false;
}

/* Whether a landing is reachable from the alloc without a free. */
static bool reaches_landing(struct search *s, uint32_t alloc)
{
  const struct coro_cfg *cfg = s->cfg;
  uint32_t node = cfg_node_of(cfg, alloc), first = alloc + 1, top = 0;
  for (;;) {
    if (cfg->nodes[node].landing && !cfg_is_extra_landing(cfg, node))
      return true;
    if (!is_freed_in(s, alloc, first, cfg->nodes[node].last))
      for (uint32_t e = cfg->nodes[node].edge_start; e < cfg->nodes[node + 1].edge_start; e++) {
        uint32_t to = cfg->edges[e].to;
        if (s->seen[to] == alloc + 1)
          continue;
        s->seen[to] = alloc + 1;
        s->stack[top++] = to;
      }
    if (!top)
      return false;
    node = s->stack[--top];
    first = cfg->nodes[node].first;
  }
}

coro_status coro_alloca_intrinsics(struct coro_lowering *low)
{
  struct coro_alloca_intrinsics *storage = &low->alloca_intrinsics;
  struct search s = {.fn = &low->fn, .shape = &low->shape, .cfg = &low->cfg};
  *storage = (struct coro_alloca_intrinsics){.first = IR_NONE};
  s.seen = CORO_NEW_ARRAY(low->arena, uint32_t, low->cfg.node_count);
  s.stack = CORO_NEW_ARRAY(low->arena, uint32_t, low->cfg.node_count);
  if (!s.seen || !s.stack || !coro_bits_init(&storage->outlives, low->arena, low->fn.inst_count))
    return CORO_ENOMEM;
  for (uint32_t i = 0; i < low->fn.inst_count; i++) {
    if (low->shape.intrin[i] != INTRIN_ALLOCA_ALLOC ||
        !(coro_bits_get(&low->crossing.live_across_suspend, ir_value_of_inst(&low->fn, i)) || reaches_landing(&s, i)))
      continue;
    coro_bits_set(&storage->outlives, i);
    storage->first = storage->first == IR_NONE ? i : storage->first;
  }
  storage->list = storage->first != IR_NONE && !low->abi->allocates;
  return CORO_OK;
}

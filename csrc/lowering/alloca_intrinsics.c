/* Searches a path from each llvm.coro.alloca.alloc to a suspend; see alloca_intrinsics.h. */
#include "lowering/alloca_intrinsics.h"

#include "lowering/abi.h"

/* Whether instructions [first, last) free what `alloc` allocates. */
static bool is_freed_in_range(const struct coro_lowering *low, uint32_t alloc, uint32_t first, uint32_t last)
{
  for (uint32_t i = first; i < last; i++)
    if (low->shape.intrin[i] == INTRIN_ALLOCA_FREE && ir_operand_inst(&low->fn, i, ALLOCA_TOKEN) == alloc)
      return true;
  return false;
}

/* Whether a landing is reachable from the llvm.coro.alloca.alloc without a free. */
static bool reaches_landing_not_unwound_before_free(const struct coro_lowering *low, struct cfg_walk *walk,
                                                    uint32_t alloc)
{
  worklist_restart(&walk->nodes);
  cfg_walk_start(walk, alloc);
  do {
    if (low->cfg.nodes[walk->node].landing && !cfg_is_unwound_landing(&low->cfg, walk->node))
      return true;
    if (!is_freed_in_range(low, alloc, walk->first, walk->last))
      cfg_walk_enter_successors(walk);
  } while (cfg_walk_next(walk));
  return false;
}

coro_status coro_run_alloca_intrinsics_stage(struct coro_lowering *low)
{
  struct coro_alloca_intrinsics *storage = &low->alloca_intrinsics;
  struct cfg_walk walk;
  *storage = (struct coro_alloca_intrinsics){.first = IR_NONE};
  if (!cfg_walk_init(&walk, low->arena, &low->cfg) ||
      !coro_bits_init(&storage->outlives, low->arena, low->fn.inst_count))
    return CORO_ENOMEM;
  for (uint32_t i = 0; i < low->fn.inst_count; i++) {
    if (low->shape.intrin[i] != INTRIN_ALLOCA_ALLOC ||
        !(coro_bits_get(&low->crossing.live_across_suspend, ir_value_of_inst(&low->fn, i)) ||
          reaches_landing_not_unwound_before_free(low, &walk, i)))
      continue;
    coro_bits_set(&storage->outlives, i);
    storage->first = storage->first == IR_NONE ? i : storage->first;
  }
  storage->list = storage->first != IR_NONE && !low->abi->has_allocator;
  return CORO_OK;
}

/* SSA construction for jump threading: finds the clone or the phi that holds a value at the start or end of a variant
   (a block for one state of the state variables).
   Requires: cloned blocks. */
#include "loops/jump_thread_internal.h"

/* Walks back from *at through single predecessors to a clone of the value. NULL: it is that at the start of *at. */
static LLVMValueRef find_available_value_in_predecessors(const struct jump_threading *s, uint32_t value, uint32_t *at,
                                                         bool at_end)
{
  const struct ir_fn *fn = &s->fn;
  uint32_t inst = ir_inst_of_value(fn, value);
  if (inst == IR_NONE || !jump_thread_has_clones(s, ir_block_of(fn, inst)))
    return ir_value(fn, value);
  uint32_t block = ir_block_of(fn, inst);
  for (;; *at = s->variant_graph.pred[s->variant_graph.pred_start[*at]], at_end = true) {
    if (at_end && s->variants.node[*at] == block)
      return s->copies[*at][inst - fn->block_start[block]];
    if (s->variant_graph.pred_start[*at + 1] - s->variant_graph.pred_start[*at] != 1)
      return NULL;
  }
}

LLVMValueRef jump_thread_find_available_value(const struct jump_threading *s, uint32_t value, uint32_t *variant,
                                              bool at_end)
{
  uint64_t start_value = 0;
  LLVMValueRef found = find_available_value_in_predecessors(s, value, variant, at_end);
  if (!found)
    (void)coro_map_get(&s->start_values, coro_map_pair(value, *variant), &start_value);
  return found ? found : (LLVMValueRef)(uintptr_t)start_value;
}

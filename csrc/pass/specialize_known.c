/* Specializing: which copy of a value, or which phi of several, a place has.
   Needs: variants that were made. Leaves: nothing changed. */
#include "pass/specialize_parts.h"

/* Goes back from *at to the nearest place where it is known what the value is: there is a copy of it, or several
   ways come together. NULL: at the beginning of *at. */
static LLVMValueRef look_back(const struct specialized *s, uint32_t value, uint32_t *at, bool at_end)
{
  const struct ir_fn *fn = &s->fn;
  uint32_t inst = ir_inst_of_value(fn, value);
  if (inst == IR_NONE || !specialize_has_copies(s, ir_block_of(fn, inst)))
    return ir_value(fn, value);
  uint32_t block = ir_block_of(fn, inst);
  for (;; *at = s->pred[s->pred_start[*at]], at_end = true) {
    if (at_end && s->variants.node[*at] == block)
      return s->copies[*at][inst - fn->block_start[block]];
    if (s->pred_start[*at + 1] - s->pred_start[*at] != 1)
      return NULL;
  }
}

LLVMValueRef specialize_known(const struct specialized *s, uint32_t value, uint32_t *variant, bool at_end)
{
  uint64_t begins = 0;
  LLVMValueRef found = look_back(s, value, variant, at_end);
  if (!found)
    (void)coro_map_get(&s->begins, coro_map_pair(value, *variant), &begins);
  return found ? found : (LLVMValueRef)(uintptr_t)begins;
}

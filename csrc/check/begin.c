/* Where the frame exists.
   Requires: a walked clone, up to its llvm.coro.begin if control is after that. */
#include "check/begin.h"

bool begin_is_executed(const struct check *c, const struct check_clone *ramp, uint32_t block, uint32_t at)
{
  struct check_event begin;
  if (!check_only_event(ramp, c->low->shape.begin, &begin))
    return false;
  return begin.block == block ? begin.at < at : graph_dominates(&ramp->dom, begin.block, block);
}

bool begin_is_ahead(const struct check *c, const struct check_clone *ramp, uint32_t block, uint32_t at)
{
  struct check_event begin;
  if (!check_only_event(ramp, c->low->shape.begin, &begin))
    return check_event_of(ramp, c->low->shape.begin) == IR_NONE;
  return !coro_bits_get(&ramp->after_begin, block) && (begin.block != block || begin.at >= at);
}

bool begin_find(const struct check *c, struct check_clone *ramp)
{
  struct check_event begin;
  CORO_VEC(uint32_t) reached = {0};
  if (!coro_bits_init(&ramp->after_begin, c->arena, ramp->fn.block_count))
    return false;
  if (!check_only_event(ramp, c->low->shape.begin, &begin))
    return true;
  for (uint32_t next = 0, block = begin.block; block != IR_NONE;
       block = next < reached.count ? reached.items[next++] : IR_NONE)
    for (uint32_t s = ramp->graph.succ_start[block]; s < ramp->graph.succ_start[block + 1]; s++) {
      uint32_t to = ramp->graph.succ[s];
      if (coro_bits_get(&ramp->after_begin, to))
        continue;
      coro_bits_set(&ramp->after_begin, to);
      if (!coro_vec_push(c->arena, &reached, to))
        return false;
    }
  return true;
}

static LLVMValueRef id_operand(const struct check *c, unsigned operand)
{
  return LLVMGetOperand(c->low->fn.insts[c->low->shape.id], operand);
}

bool begin_is_in_buffer(const struct check *c)
{
  return c->low->frame.size <= LLVMConstIntGetZExtValue(id_operand(c, RETCON_SIZE)) &&
         c->low->frame.align <= LLVMConstIntGetZExtValue(id_operand(c, RETCON_ALIGN));
}

bool begin_frame_is_freed(const struct check *c, const struct check_clone *k, uint32_t block, uint32_t position,
                          uint32_t freed, uint32_t end)
{
  bool exists = k->from->part != CLONE_RAMP || begin_is_executed(c, k, block, 2 * position);
  return !exists || begin_is_in_buffer(c) || freed == end;
}

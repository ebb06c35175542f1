/* Finds the program points where the frame exists; see begin.h.
   Requires: a simulated clone; for a ramp, begin_find_blocks_before_and_after. */
#include "check/begin.h"

#include "check/verdict.h"
#include "ir/async_pointer.h"
#include "ir/edit.h"

bool begin_is_executed_on_all_paths(const struct check *c, const struct check_clone *ramp, uint32_t block, uint32_t at)
{
  struct check_event begin;
  if (!check_find_only_event(ramp, c->low->shape.begin, &begin))
    return false;
  return begin.block == block ? begin.at < at : check_dominates(c, ramp, begin.block, block);
}

bool begin_is_executed_on_no_path(const struct check *c, const struct check_clone *ramp, uint32_t block, uint32_t at)
{
  struct check_event begin;
  if (!check_find_only_event(ramp, c->low->shape.begin, &begin))
    return check_last_added_event_or_none(ramp, c->low->shape.begin) == IR_NONE;
  return !coro_bits_get(&ramp->after_begin, block) && (begin.block != block || begin.at >= at);
}

bool begin_is_executed_on_some_paths_only(const struct check *c, const struct check_clone *ramp, uint32_t block,
                                          uint32_t at)
{
  struct check_event begin;
  return check_find_only_event(ramp, c->low->shape.begin, &begin) &&
         !begin_is_executed_on_no_path(c, ramp, block, at) && !begin_is_executed_on_all_paths(c, ramp, block, at);
}

bool begin_may_follow(const struct check *c, const struct check_clone *ramp, uint32_t block, uint32_t at)
{
  struct check_event begin;
  if (!check_find_only_event(ramp, c->low->shape.begin, &begin) || (begin.block == block && at < begin.at))
    return true;
  return coro_bits_get(begin.block == block ? &ramp->after_begin : &ramp->before_begin, block);
}

bool begin_find_blocks_before_and_after(struct check *c, struct check_clone *ramp)
{
  struct check_event begin;
  if (!coro_bits_init(&ramp->after_begin, c->arena, ramp->fn.block_count) ||
      !coro_bits_init(&ramp->before_begin, c->arena, ramp->fn.block_count))
    return false;
  if (!check_find_only_event(ramp, c->low->shape.begin, &begin))
    return !c->low->allocas.begin_joins || check_unsupported(c, "several copies of llvm.coro.begin on some paths only");
  const uint32_t *starts = ramp->graph.succ_start + begin.block;
  return graph_mark_reachable_nodes(&ramp->after_begin, c->arena, &ramp->graph, ramp->graph.succ + starts[0],
                                    starts[1] - starts[0], false) &&
         graph_mark_reachable_nodes(&ramp->before_begin, c->arena, &ramp->graph, &begin.block, 1, true);
}

bool begin_frame_is_given_memory_without_suspends(const struct check *c, const struct check_clone *k)
{
  uint32_t inst = k->from->frame ? ir_inst(&k->fn, edit_strip_casts_and_zero_geps(k->from->frame)) : IR_NONE;
  bool own = inst != IR_NONE && k->fn.opcode[inst] == LLVMAlloca && k->entries[inst].kind == WITNESS_NONE;
  return k->from->function == c->low->fn.function && c->low->shape.abi == CORO_ABI_SWITCH &&
         !c->low->shape.suspend_count && !c->low->shape.custom && k->from->frame && !own &&
         !coro_shape_has_intrinsic(&c->low->shape, &c->low->fn, INTRIN_ALLOC);
}

uint64_t begin_retcon_buffer_size_or_zero_if_unknown(const struct check *c)
{
  LLVMValueRef pointer = check_is_dynamic(c) ? async_pointer(check_id_operand(c, DYNAMIC_POINTER)) : NULL;
  LLVMValueRef size =
      check_is_dynamic(c) ? (pointer ? async_pointer_size(pointer) : NULL) : check_id_operand(c, RETCON_SIZE);
  return size && LLVMIsAConstantInt(size) ? LLVMConstIntGetZExtValue(size) : 0;
}

bool begin_frame_is_in_buffer(const struct check *c)
{
  return c->low->frame.size <= begin_retcon_buffer_size_or_zero_if_unknown(c) &&
         c->low->frame.align <= LLVMConstIntGetZExtValue(check_id_operand(c, RETCON_ALIGN));
}

bool begin_frame_is_freed_or_need_not_be(const struct check *c, const struct check_clone *k, uint32_t block,
                                         uint32_t position, uint32_t freed, uint32_t end)
{
  bool exists = k->from->clone_kind != CLONE_RAMP || begin_is_executed_on_all_paths(c, k, block, 2 * position);
  bool by_empty_hook = c->hooks & c->empty_hooks & hook_bit(HOOK_free);
  return !exists || begin_frame_is_in_buffer(c) || freed == end || by_empty_hook;
}

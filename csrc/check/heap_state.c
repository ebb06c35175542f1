/* Order of the calls that change the list of heap blocks; see heap_state.h. */
#include "check/heap_state.h"

#include "check/begin.h"
#include "check/memory_uses.h"
#include "check/verdict.h"
#include "lowering/abi.h"

bool heap_state_blocks_must_be_freed_before(const struct check *c, const struct check_clone *k, uint32_t block,
                                            uint32_t position, uint32_t inst)
{
  enum intrin intrin = (enum intrin)c->low->shape.intrin[inst];
  bool ends = c->low->abi->suspend_returns
                  ? intrin == INTRIN_END || intrin == INTRIN_END_ASYNC || c->low->fn.opcode[inst] == LLVMRet
                  : intrin == INTRIN_FREE;
  return ends && (k->from->clone_kind != CLONE_RAMP || begin_is_executed_on_all_paths(c, k, block, 2 * position));
}

bool heap_state_check_blocks_are_freed_before(struct check *c, const struct check_clone *k,
                                              const struct check_state *state, uint32_t block, uint32_t position,
                                              uint32_t inst)
{
  return !heap_state_blocks_must_be_freed_before(c, k, block, position, inst) || state->released == inst ||
         check_refute(c, k, k->fn.insts[k->fn.block_start[block] + position],
                      "the heap blocks of allocas must be freed before '%s'",
                      presplit_value_text_for_message(c, ir_value_of_inst(&c->low->fn, inst)));
}

bool heap_state_is_list_initialized_on_all_paths(const struct check *c, const struct check_clone *k, uint32_t block,
                                                 uint32_t at)
{
  uint32_t start = k->list_start, in = start == IR_NONE ? IR_NONE : k->fn.inst_block[start];
  return start != IR_NONE && (in == block ? 2 * check_position(k, start) < at : check_dominates(c, k, in, block));
}

static bool check_list_is_initialized_before_use(struct check *c, const struct check_clone *k)
{
  bool started = true;
  for (uint32_t i = 0; i < k->list_calls.count && started; i++) {
    uint32_t inst = k->list_calls.items[i].inst;
    started = k->list_calls.items[i].phi != IR_NONE || k->list_calls.items[i].early ||
              heap_state_is_list_initialized_on_all_paths(c, k, k->fn.inst_block[inst], 2 * check_position(k, inst));
  }
  for (uint32_t e = k->first_exit; e < c->exits.count && c->exits.items[e].clone == k->number && started; e++)
    started = c->exits.items[e].landing == IR_NONE ||
              heap_state_is_list_initialized_on_all_paths(c, k, c->exits.items[e].block, c->exits.items[e].at);
  return started || check_refute(c, k, NULL, "the list of heap blocks is used on a path that does not initialize it");
}

/* Whether all blocks may have been freed at the place. */
static bool may_all_blocks_be_freed_before(const struct check_clone *k, uint32_t block, uint32_t at)
{
  for (uint32_t i = 0; i < k->list_calls.count; i++) {
    uint32_t inst = k->list_calls.items[i].inst;
    if (k->list_calls.items[i].frees_all_at != IR_NONE && k->fn.inst_block[inst] == block &&
        2 * check_position(k, inst) + 1 < at)
      return true;
  }
  return coro_bits_get(&k->after_release, block);
}

static bool find_blocks_after_release(struct check *c, struct check_clone *k)
{
  coro_insts starts = {0};
  for (uint32_t i = 0; i < k->list_calls.count; i++) {
    uint32_t block = k->fn.inst_block[k->list_calls.items[i].inst];
    for (uint32_t s = k->graph.succ_start[block]; s < k->graph.succ_start[block + 1]; s++)
      if (k->list_calls.items[i].frees_all_at != IR_NONE && !coro_vec_push(c->arena, &starts, k->graph.succ[s]))
        return false;
  }
  return coro_bits_init(&k->after_release, c->arena, k->fn.block_count) &&
         graph_mark_reachable_nodes(&k->after_release, c->arena, &k->graph, starts.items, starts.count, false);
}

bool heap_state_check_order_of_calls(struct check *c)
{
  for (uint32_t n = 0; n < c->clone_count && heap_state_has_list(c); n++) {
    struct check_clone *k = c->clones[n];
    if (!find_blocks_after_release(c, k) ||
        (k->from->clone_kind == CLONE_RAMP && !check_list_is_initialized_before_use(c, k)))
      return false;
    for (uint32_t i = 0; i < k->list_calls.count; i++) {
      uint32_t inst = k->list_calls.items[i].inst;
      if (!k->list_calls.items[i].early &&
          may_all_blocks_be_freed_before(k, k->fn.inst_block[inst], 2 * check_position(k, inst)))
        return check_refute(c, k, k->fn.insts[inst], "it uses the list of heap blocks, which may have been freed");
    }
  }
  return true;
}

bool heap_state_check_memory_is_unused_after_free(struct check *c, const struct check_memory *memory)
{
  struct memory_uses uses = {0};
  if (memory->places != PLACE_ON_HEAP)
    return check_refute(c, c->clones[0], NULL, "'%s' is on the heap in one place and not in another",
                        presplit_value_text_for_message(c, memory->value));
  if (!memory_uses_find(c, memory->value, &uses))
    return false;
  for (uint32_t u = 0; u < uses.items.count; u++)
    for (uint32_t n = 0; n < c->clone_count; n++) {
      const struct check_clone *k = c->clones[n];
      uint32_t e = uses.items.items[u].effects & (MEMORY_READS | MEMORY_WRITES | MEMORY_ESCAPES)
                       ? check_last_added_event_or_none(k, uses.items.items[u].inst)
                       : IR_NONE;
      for (; e != IR_NONE; e = k->events.items[e].next)
        if (may_all_blocks_be_freed_before(k, k->events.items[e].block, k->events.items[e].at))
          return check_unsupported(c, "memory on the heap that is used where all blocks may have been freed");
    }
  return true;
}

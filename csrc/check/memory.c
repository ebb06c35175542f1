/* Collects uses of allocas (memory_uses.h), runs memory_flow.h, and checks its result at reads and exits. */
#include "check/memory.h"

#include "check/copy_in.h"
#include "check/frame_overlap.h"
#include "check/heap_state.h"
#include "check/memory_flow.h"
#include "check/memory_uses.h"
#include "check/verdict.h"
#include "lowering/abi.h"

/* ---- Uses ---- */

static bool record_uses_of_memory(struct memory_flow *m, uint32_t memory, const struct memory_uses *uses)
{
  for (uint32_t i = 0; i < uses->items.count; i++) {
    uint32_t inst = uses->items.items[i].inst;
    struct memory_flow_use use = {memory, m->first[inst], uses->items.items[i].effects};
    if (!coro_vec_push(m->c->arena, &m->uses, use))
      return false;
    m->first[inst] = m->uses.count - 1;
  }
  return true;
}

/* An address on the stack must not be used in another activation of a clone. */
static bool check_no_stack_address_is_spilled(struct memory_flow *m, uint32_t value, const struct memory_uses *uses)
{
  struct check *c = m->c;
  for (uint32_t d = 0; d < uses->derived.count; d++)
    if (coro_map_has(&c->exported_values, (uint64_t)uses->derived.items[d] + 1))
      return memory_flow_is_marked_or_holds_exception(c, value)
                 ? check_unsupported(c, "an address of memory outside of the frame that is live across a suspend")
                 : check_refute(c, c->clones[0], NULL,
                                "'%s', which holds an address on the stack, is kept in the frame across a suspend",
                                presplit_value_text_for_message(c, uses->derived.items[d]));
  return true;
}

/* Gives the memory its bits, and notes its uses. */
static bool track_memory(struct memory_flow *m, uint32_t memory, const struct memory_uses *uses)
{
  m->stack_index[memory] = m->bit_count;
  m->bit_count += CONTENT_BITS;
  return record_uses_of_memory(m, memory, uses);
}

/* Memory in the frame is tracked only if it shares bytes, or is that of several executions. */
static bool check_and_track_frame_memory_if_needed(struct memory_flow *m, uint32_t memory)
{
  struct check *c = m->c;
  struct check_memory *item = &c->memories.items[memory];
  struct memory_uses uses = {0};
  if (memory_moves_into_frame(c, memory) && !check_memory_used_before_begin(c, item))
    return false;
  uint32_t field = c->low->frame.of_value[item->value];
  bool shares = field != IR_NONE && frame_overlap_is_shared(c, field, false),
       repeated = repeated_alloca_has_one_place(c, item);
  m->shares |= shares;
  m->repeats |= repeated;
  return (!shares && !repeated) ||
         (memory_uses_find(c, item->value, &uses) && track_memory(m, memory, &uses) &&
          (!repeated || repeated_alloca_check_no_phi_keeps_address(c, &m->repeated, item, &uses)));
}

static bool check_and_track_stack_memory(struct memory_flow *m, uint32_t memory)
{
  struct check_memory *item = &m->c->memories.items[memory];
  struct memory_uses uses = {0};
  if (item->places & PLACE_BEFORE_BEGIN && !check_memory_used_before_begin(m->c, item))
    return false;
  bool repeated = repeated_alloca_has_one_place(m->c, item);
  m->repeats |= repeated;
  return memory_uses_find(m->c, item->value, &uses) && track_memory(m, memory, &uses) &&
         (!repeated || repeated_alloca_check_no_phi_keeps_address(m->c, &m->repeated, item, &uses)) &&
         check_no_stack_address_is_spilled(m, item->value, &uses);
}

static bool check_and_collect_tracked_memory(struct memory_flow *m)
{
  struct check *c = m->c;
  m->first = CORO_NEW_ARRAY(c->arena, uint32_t, c->low->fn.inst_count);
  m->stack_index = CORO_NEW_ARRAY(c->arena, uint32_t, c->memories.count);
  if (!m->first || !m->stack_index)
    return false;
  for (uint32_t i = 0; i < c->low->fn.inst_count; i++)
    m->first[i] = IR_NONE;
  for (uint32_t i = 0; i < c->memories.count; i++) {
    const struct check_memory *memory = &c->memories.items[i];
    m->stack_index[i] = IR_NONE;
    if (memory->places & PLACE_ON_HEAP) {
      if (!heap_state_check_memory_is_unused_after_free(c, memory))
        return false;
      continue;
    }
    if ((memory->places & (PLACE_IN_FRAME | PLACE_ON_STACK)) == (PLACE_IN_FRAME | PLACE_ON_STACK))
      return check_refute(c, c->clones[0], NULL, "'%s' is in the frame in one place and on the stack in another",
                          presplit_value_text_for_message(c, memory->value));
    if (!(memory->places & PLACE_IN_FRAME ? check_and_track_frame_memory_if_needed(m, i)
                                          : check_and_track_stack_memory(m, i)))
      return false;
  }
  m->words = (m->bit_count + 63) / 64;
  return true;
}

static bool allocate_content_sets(struct memory_flow *m)
{
  struct check *c = m->c;
  m->sets = CORO_NEW_ARRAY(c->arena, uint64_t *, c->clone_count);
  m->at_suspend = CORO_NEW_ARRAY(c->arena, uint64_t, (size_t)c->low->shape.suspend_count * m->words + 1);
  m->work = CORO_NEW_ARRAY(c->arena, uint64_t, (size_t)2 * m->words);
  m->in_frame = CORO_NEW_ARRAY(c->arena, uint64_t, m->words);
  for (uint32_t i = 0; m->in_frame && i < c->memories.count; i++)
    for (unsigned bit = 0; bit < CONTENT_BITS && m->stack_index[i] != IR_NONE && memory_flow_is_in_frame(m, i); bit++)
      memory_flow_set(m->in_frame, m->stack_index[i] + bit);
  for (uint32_t n = 0; n < c->clone_count && !coro_arena_failed(c->arena); n++)
    m->sets[n] = CORO_NEW_ARRAY(c->arena, uint64_t, (size_t)c->clones[n]->fn.block_count * 2 * m->words);
  return !coro_arena_failed(c->arena);
}

/* Memory on the stack must not be known to other code while the coroutine is suspended. */
static bool check_no_escaped_stack_memory_at_exit(struct memory_flow *m, const struct check_exit *exit)
{
  const struct check_clone *k = m->c->clones[exit->clone];
  if (exit->landing == IR_NONE)
    return true;
  if (!memory_flow_walk_to_exit(m, exit, true))
    return false;
  for (uint32_t i = 0; i < m->c->memories.count; i++)
    if (m->stack_index[i] != IR_NONE && m->c->memories.items[i].places & PLACE_ON_STACK &&
        memory_flow_has(m->work, m->stack_index[i] + CONTENT_ESCAPED) &&
        !memory_flow_is_marked_or_holds_exception(m->c, m->c->memories.items[i].value))
      return check_refute(m->c, k, k->fn.insts[check_inst_at(k, exit->block, exit->at)],
                          "the address of '%s' has escaped, but its memory on the stack is lost at this suspend",
                          presplit_value_text_for_message(m->c, m->c->memories.items[i].value));
  return true;
}

/* Other code may write an alloca from the escape of its address to the end of the lifetime, and must not overwrite the
   spilled values that share its bytes. */
static bool check_spill_shares_no_escaped_memory(struct memory_flow *m, const struct check_span *span)
{
  const struct check_clone *k = m->c->clones[span->clone];
  uint32_t first = k->fn.block_start[span->block], end = (span->to + 1) / 2;
  (void)memory_flow_compute_sets_before(m, k, span->block, span->from / 2, false);
  for (uint32_t at = span->from / 2; at <= end; at++) {
    for (uint32_t i = 0; i < m->c->memories.count; i++) {
      uint32_t value = m->c->memories.items[i].value;
      const struct coro_field *field = memory_flow_is_in_frame(m, i) ? frame_overlap_field(m->c, value) : NULL;
      if (field && m->stack_index[i] != IR_NONE && memory_flow_has(m->work, m->stack_index[i] + CONTENT_ESCAPED) &&
          frame_overlap_intersects(span->offset, span->size, field->offset, field->size))
        return check_refute(m->c, k, LLVMGetBasicBlockTerminator(k->fn.blocks[span->block]),
                            "'%s' is spilled to bytes of the frame that other code may write through '%s'",
                            presplit_value_text_for_message(m->c, span->value),
                            presplit_value_text_for_message(m->c, value));
    }
    if (at < end)
      memory_flow_apply_inst(m, k, first + at);
  }
  return true;
}

/* Whether an instruction of the block may be refuted: content is lost at its start, or may be overwritten in it. */
static bool has_content_to_check(const struct memory_flow *m, const struct check_clone *k, uint32_t block)
{
  const uint64_t *lost = memory_flow_sets_at_block(m, k, block) + m->words;
  uint64_t any = m->shares || m->repeats;
  for (uint32_t w = 0; w < m->words; w++)
    any |= lost[w];
  return any && memory_flow_has_steps(m, k, block) && k->in[block].where != WHERE_LEFT;
}

static bool check_contents_at_reads_and_exits(struct memory_flow *m)
{
  for (uint32_t n = 0; n < m->c->clone_count; n++) {
    const struct check_clone *k = m->c->clones[n];
    for (uint32_t b = 0; b < k->fn.block_count; b++)
      if (has_content_to_check(m, k, b) &&
          !memory_flow_compute_sets_before(m, k, b, k->fn.block_start[b + 1] - k->fn.block_start[b], true))
        return false;
  }
  for (uint32_t e = 0; e < m->c->exits.count; e++)
    if (!check_no_escaped_stack_memory_at_exit(m, &m->c->exits.items[e]))
      return false;
  for (uint32_t s = 0; s < m->c->spans.count; s++)
    if (!check_spill_shares_no_escaped_memory(m, &m->c->spans.items[s]))
      return false;
  return true;
}

bool check_alloca_contents(struct check *c)
{
  struct memory_flow m = {.c = c};
  if (c->verdict == CHECK_REFUTED || !frame_overlap_check_alignment_and_bounds(c) ||
      !heap_state_check_order_of_calls(c) || !check_and_collect_tracked_memory(&m))
    return false;
  if (!m.words)
    return true;
  if (!allocate_content_sets(&m))
    return false;
  return memory_flow_propagate(&m) && check_contents_at_reads_and_exits(&m);
}

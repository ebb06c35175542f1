/* Finds exclusive slots by lists of all computations of an instruction and of all stores to a cell of the frame. */
#include "check/exclusive_slot.h"

#include "check/begin.h"
#include "check/frame_access.h"
#include "ir/operand.h"

/* An event or a store of a clone, in a list. */
struct exclusive_entry {
  uint32_t clone, index; /* in the clone's `events` or `frame_stores` */
  uint32_t next;
};

struct exclusive_slots {
  uint32_t *computed; /* by presplit instruction: the first entry, or IR_NONE */
  uint32_t *stored;   /* by cell */
  CORO_VEC(struct exclusive_entry) entries;
  struct coro_map answers; /* (slot, value) -> whether the slot is exclusive */
  struct coro_bits *before_exit; /* by clone: the blocks from which it may suspend */
  uint32_t **exit_at; /* by clone and block: `at` (as in check_exit) of the clone's first exit there, or IR_NONE */
};

static uint32_t *create_empty_lists(struct coro_arena *arena, uint32_t count)
{
  uint32_t *list = CORO_NEW_ARRAY(arena, uint32_t, count + 1);
  for (uint32_t i = 0; list && i < count; i++)
    list[i] = IR_NONE;
  return list;
}

static void prepend_entry_to_list(struct check *c, struct exclusive_slots *slots, uint32_t *first, uint32_t clone,
                                  uint32_t index)
{
  if (coro_vec_push(c->arena, &slots->entries, ((struct exclusive_entry){clone, index, *first})))
    *first = slots->entries.count - 1;
}

static void add_events_and_stores_of_clone(struct check *c, struct exclusive_slots *slots, const struct check_clone *k)
{
  uint32_t *exit_at = slots->exit_at[k->number] = create_empty_lists(c->arena, k->fn.block_count);
  coro_insts blocks = {0};
  for (uint32_t i = k->first_exit; exit_at && i < c->exits.count && c->exits.items[i].clone == k->number; i++) {
    uint32_t block = c->exits.items[i].block;
    exit_at[block] = c->exits.items[i].at < exit_at[block] ? c->exits.items[i].at : exit_at[block];
    (void)coro_vec_push(c->arena, &blocks, block); /* the arena records failures */
  }
  if (coro_bits_init(&slots->before_exit[k->number], c->arena, k->fn.block_count))
    (void)graph_mark_reachable_nodes(&slots->before_exit[k->number], c->arena, &k->graph, blocks.items, blocks.count,
                                     true);
  for (uint32_t i = 0; i < k->events.count; i++)
    prepend_entry_to_list(c, slots, &slots->computed[k->events.items[i].inst], k->number, i);
  for (uint32_t i = 0; i < k->frame_stores.count; i++)
    prepend_entry_to_list(c, slots, &slots->stored[k->frame_stores.items[i].cell], k->number, i);
}

static struct exclusive_slots *index_events_and_stores_or_null(struct check *c)
{
  struct exclusive_slots *slots = CORO_NEW(c->arena, struct exclusive_slots);
  if (!slots)
    return NULL;
  slots->computed = create_empty_lists(c->arena, c->low->fn.inst_count);
  slots->stored = create_empty_lists(c->arena, c->borders.count);
  coro_map_init(&slots->answers, c->arena);
  slots->before_exit = CORO_NEW_ARRAY(c->arena, struct coro_bits, c->clone_count);
  slots->exit_at = CORO_NEW_ARRAY(c->arena, uint32_t *, c->clone_count);
  for (uint32_t n = 0; n < c->clone_count && !coro_arena_failed(c->arena); n++)
    add_events_and_stores_of_clone(c, slots, c->clones[n]);
  return coro_arena_failed(c->arena) ? NULL : slots;
}

/* Whether a store writes exactly these bytes, with the argument, or with the result of the last computation, which is
   in the same block. */
static bool is_spill_of_value_to_slot(const struct check *c, const struct check_clone *k,
                                      const struct check_store *store, const struct check_slot *slot, uint32_t value)
{
  LLVMValueRef inst = k->fn.insts[store->inst];
  if (k->fn.opcode[store->inst] != LLVMStore || k->entries[store->inst].kind != WITNESS_SPILL ||
      store->offset != slot->offset || LLVMTypeOf(LLVMGetOperand(inst, STORE_VALUE)) != slot->type)
    return false;
  LLVMValueRef stored = LLVMGetOperand(inst, STORE_VALUE);
  if (value < c->low->fn.arg_count)
    return k->from->clone_kind == CLONE_RAMP && stored == LLVMGetParam(k->from->function, value);
  uint32_t copy = ir_inst(&k->fn, stored), block = k->fn.inst_block[store->inst];
  struct check_event last;
  return copy != IR_NONE && k->entries[copy].kind == WITNESS_COPY && k->fn.inst_block[copy] == block &&
         check_find_last_event_up_to(k, ir_inst_of_value(&c->low->fn, value), block, 2 * check_position(k, store->inst),
                                     &last) &&
         last.at == 2 * check_position(k, copy) + 1;
}

/* Whether all stores that overlap the bytes are of the value. */
static bool is_stored_only_as_spill_of_value(const struct check *c, const struct check_slot *slot, uint32_t value)
{
  uint32_t end = frame_access_first_cell_from(c, slot->offset + slot->size);
  for (uint32_t cell = frame_access_first_cell_from(c, slot->offset); cell < end; cell++)
    for (uint32_t e = c->exclusive->stored[cell]; e != IR_NONE; e = c->exclusive->entries.items[e].next) {
      const struct check_clone *k = c->clones[c->exclusive->entries.items[e].clone];
      if (!is_spill_of_value_to_slot(c, k, &k->frame_stores.items[c->exclusive->entries.items[e].index], slot, value))
        return false;
    }
  return true;
}

static bool has_any_exit(const struct check *c, const struct check_clone *k)
{
  return k->first_exit < c->exits.count && c->exits.items[k->first_exit].clone == k->number;
}

/* Whether the event's block stores to the slot after the event and before control may suspend there. */
static bool is_stored_in_block_before_suspend(const struct check *c, const struct check_clone *k,
                                              const struct check_event *event, const struct check_slot *slot)
{
  uint32_t exit_at = c->exclusive->exit_at[k->number][event->block];
  const struct check_store *store =
      frame_access_last_store_or_null(c, k, event->block, UINT32_MAX, slot->offset, slot->size);
  uint32_t at = store ? 2 * check_position(k, store->inst) + 1 : 0;
  return store && event->at < at && exit_at > at;
}

/* Whether the ramp stores the argument on all paths to its suspends. */
static bool ramp_stores_argument_before_exits(const struct check *c, const struct check_slot *slot)
{
  for (uint32_t n = 0; n < c->clone_count; n++) {
    const struct check_clone *k = c->clones[n];
    struct check_event begin;
    if (k->from->clone_kind != CLONE_RAMP || !has_any_exit(c, k))
      continue;
    if (!check_find_only_event(k, c->low->shape.begin, &begin) ||
        !is_stored_in_block_before_suspend(c, k, &begin, slot))
      return false;
    for (uint32_t e = k->first_exit; e < c->exits.count && c->exits.items[e].clone == n; e++)
      if (!begin_is_executed_on_all_paths(c, k, c->exits.items[e].block, c->exits.items[e].at))
        return false;
  }
  return true;
}

static bool is_slot_exclusive(const struct check *c, const struct check_slot *slot, uint32_t value)
{
  uint32_t inst = ir_inst_of_value(&c->low->fn, value);
  if (frame_access_may_be_aliased(c, slot->offset, slot->size) || !is_stored_only_as_spill_of_value(c, slot, value))
    return false;
  if (inst == IR_NONE)
    return ramp_stores_argument_before_exits(c, slot);
  for (uint32_t e = c->exclusive->computed[inst]; e != IR_NONE; e = c->exclusive->entries.items[e].next) {
    const struct check_clone *k = c->clones[c->exclusive->entries.items[e].clone];
    const struct check_event *event = &k->events.items[c->exclusive->entries.items[e].index];
    if (coro_bits_get(&c->exclusive->before_exit[k->number], event->block) &&
        !is_stored_in_block_before_suspend(c, k, event, slot))
      return false;
  }
  return true;
}

bool exclusive_slot_holds_current_value(struct check *c, const struct check_fact *fact)
{
  uint64_t known = 0, key = coro_map_pair(fact->slot, fact->value);
  if (!c->exclusive && !(c->exclusive = index_events_and_stores_or_null(c)))
    return false;
  if (!coro_map_get(&c->exclusive->answers, key, &known)) {
    known = is_slot_exclusive(c, &c->slots.items[fact->slot], fact->value);
    (void)coro_map_put(&c->exclusive->answers, key, known); /* the arena records failures */
  }
  return known;
}

/* Finds records with a value that is only a copy of memory: the variable is in memory, and its address escapes. Such a
   record is valid until the next suspend; afterwards only the memory has the value. Conversely, an optimizer may delete
   a store to memory that does not escape and leave the record of its value. Then the memory is not the variable
   everywhere.
   Requires: low->debug's records, numbered.
   Guarantees: `copies_memory` of each record and debug->frame_records are set. */
#include <string.h>

#include "debug/records.h"
#include "ir/operand.h"
#include "ir/pointer_use.h"

struct search {
  const struct coro_lowering *low;
  struct coro_debug *debug;
  struct coro_map stores; /* (value, alloca) -> the first store of that value to the alloca */
  uint32_t *sole_store; /* indexed by alloca: its only store + 1, 0, or SEVERAL */
};
#define SEVERAL UINT32_MAX

/* The frame-resident alloca that the pointer refers to, or IR_NONE. The promise has no source variable. */
static uint32_t frame_alloca_of_pointer_or_none(const struct coro_lowering *low, LLVMValueRef pointer)
{
  while (LLVMIsAInstruction(pointer) && pointer_is_constant_alias(pointer))
    pointer = LLVMGetOperand(pointer, ADDRESS_BASE);
  uint32_t id = ir_id(&low->fn, pointer), a = id == IR_NONE || id & IR_BLOCK ? IR_NONE : low->allocas.of_value[id];
  return a != IR_NONE && low->allocas.items[a].in_frame && !low->allocas.items[a].promise ? a : IR_NONE;
}

static bool alloca_escapes(const struct coro_lowering *low, uint32_t a)
{
  return a != IR_NONE && low->allocas.items[a].escapes;
}

/* The alloca from which the value was loaded, or IR_NONE. */
static uint32_t alloca_loaded_from_or_none(const struct coro_lowering *low, LLVMValueRef value)
{
  return LLVMIsALoadInst(value) ? frame_alloca_of_pointer_or_none(low, LLVMGetOperand(value, LOAD_ADDRESS)) : IR_NONE;
}

/* The alloca that the instruction stores the value to, or IR_NONE. */
static uint32_t alloca_value_is_stored_to_or_none(const struct coro_lowering *low, LLVMValueRef value, uint32_t store)
{
  LLVMValueRef inst = store == IR_NONE ? NULL : low->fn.insts[store];
  return inst && LLVMGetOperand(inst, STORE_VALUE) == value
             ? frame_alloca_of_pointer_or_none(low, LLVMGetOperand(inst, STORE_ADDRESS))
             : IR_NONE;
}

static bool find_stores_to_allocas(struct search *s)
{
  const struct coro_lowering *low = s->low;
  coro_map_init(&s->stores, low->arena);
  s->sole_store = CORO_NEW_ARRAY(low->arena, uint32_t, low->allocas.count);
  for (uint32_t i = 0; s->sole_store && i < low->fn.inst_count; i++) {
    uint32_t a = low->fn.opcode[i] == LLVMStore
                     ? alloca_value_is_stored_to_or_none(low, LLVMGetOperand(low->fn.insts[i], STORE_VALUE), i)
                     : IR_NONE;
    if (a == IR_NONE)
      continue;
    uint32_t id = ir_id(&low->fn, LLVMGetOperand(low->fn.insts[i], STORE_VALUE));
    s->sole_store[a] = s->sole_store[a] ? SEVERAL : i + 1;
    if (id != IR_NONE && !coro_map_has(&s->stores, coro_map_pair(id, a)) &&
        !coro_map_put(&s->stores, coro_map_pair(id, a), i))
      return false;
  }
  return s->sole_store;
}

/* Whether the alloca has the value at an instruction: it is loaded from there or stored there, by the next store or
   one before. A constant may be stored several times, so it must be the only store. */
static bool alloca_has_value(const struct search *s, uint32_t a, LLVMValueRef value, uint32_t inst, uint32_t next_store)
{
  const struct coro_lowering *low = s->low;
  uint32_t id = ir_id(&low->fn, value), sole = s->sole_store[a];
  uint64_t store;
  if (alloca_loaded_from_or_none(low, value) == a || alloca_value_is_stored_to_or_none(low, value, next_store) == a)
    return true;
  if (id != IR_NONE)
    return coro_map_get(&s->stores, coro_map_pair(id, a), &store) &&
           cfg_inst_dominates(&low->cfg, (uint32_t)store, inst);
  return sole && sole != SEVERAL && alloca_value_is_stored_to_or_none(low, value, sole - 1) == a &&
         cfg_inst_dominates(&low->cfg, sole - 1, inst);
}

/* For each variable, the record that gives its address in the frame, if all such records agree. */
static uint32_t *frame_record_plus_one_of_variables(const struct coro_lowering *low, const struct coro_debug *debug,
                                                    uint32_t variable_count)
{
  uint32_t *frame_records = CORO_NEW_ARRAY(low->arena, uint32_t, variable_count); /* record + 1 */
  struct coro_bits unsure;
  if (!frame_records || !coro_bits_init(&unsure, low->arena, variable_count))
    return NULL;
  for (uint32_t r = 0; r < debug->record_count; r++) {
    const struct debug_record *record = &debug->records[r], *known;
    if (!record->in_frame || record->declares || !record->operations || strcmp(record->operations, "DW_OP_deref") ||
        *record->fragment)
      continue;
    known = frame_records[record->whole] ? &debug->records[frame_records[record->whole] - 1] : record;
    frame_records[record->whole] = (uint32_t)(known - debug->records) + 1;
    if (known->value != record->value)
      coro_bits_set(&unsure, record->whole);
  }
  for (uint32_t v = 0; v < variable_count; v++)
    if (coro_bits_get(&unsure, v))
      frame_records[v] = 0;
  return frame_records;
}

/* The alloca that a variable's frame record names, or IR_NONE. */
static uint32_t alloca_of_frame_record_or_none(const struct search *s, uint32_t variable)
{
  uint32_t record = s->debug->frame_records[variable];
  return record ? frame_alloca_of_pointer_or_none(s->low, s->debug->records[record - 1].value) : IR_NONE;
}

bool debug_find_memory_copies(struct coro_lowering *low, struct coro_debug *debug, uint32_t variable_count)
{
  struct search s = {.low = low, .debug = debug};
  struct coro_bits in_memory; /* indexed by variable: one of its values was loaded there */
  struct coro_bits elsewhere; /* indexed by variable: one of its values is not in its alloca */
  uint32_t store = IR_NONE; /* the next store in the block */
  uint32_t *frame_records = debug->frame_records = frame_record_plus_one_of_variables(low, debug, variable_count);
  if (!frame_records || !coro_bits_init(&in_memory, low->arena, variable_count) ||
      !coro_bits_init(&elsewhere, low->arena, variable_count) || !find_stores_to_allocas(&s))
    return false;
  for (uint32_t i = low->fn.inst_count; i--;) {
    if (i + 1 == low->fn.inst_count || low->fn.inst_block[i] != low->fn.inst_block[i + 1])
      store = IR_NONE;
    if (low->fn.opcode[i] == LLVMStore)
      store = i;
    for (uint32_t r = debug->record_start[i]; r < debug->record_start[i + 1]; r++) {
      struct debug_record *record = &debug->records[r];
      if (record->declares || record->in_frame)
        continue;
      uint32_t a = alloca_of_frame_record_or_none(&s, record->whole);
      if (a != IR_NONE && (!record->value || !alloca_has_value(&s, a, record->value, i, store)))
        coro_bits_set(&elsewhere, record->whole);
      if (!record->value)
        continue;
      record->copies_memory =
          record->assigns || alloca_escapes(low, alloca_value_is_stored_to_or_none(low, record->value, store));
      if (alloca_escapes(low, alloca_loaded_from_or_none(low, record->value)))
        coro_bits_set(&in_memory, record->whole);
    }
  }
  for (uint32_t v = 0; v < variable_count; v++) {
    uint32_t a = alloca_of_frame_record_or_none(&s, v);
    if (a != IR_NONE && !alloca_escapes(low, a) && coro_bits_get(&elsewhere, v))
      frame_records[v] = 0;
  }
  for (uint32_t r = 0; r < debug->record_count; r++) {
    struct debug_record *record = &debug->records[r];
    bool copy = !record->declares && !record->in_frame;
    record->copies_memory |= copy && (coro_bits_get(&in_memory, record->whole) || frame_records[record->whole]);
  }
  return true;
}

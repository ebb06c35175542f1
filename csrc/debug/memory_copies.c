/* Records whose value is only a copy of memory: the variable itself is in memory whose address escapes. Such a record
   is valid until the next suspend; afterwards only the memory has the value.
   Requires: low->debug's records, numbered.
   Guarantees: `copies_memory` of each record and debug->frame_records are set. */
#include <string.h>

#include "coro/pointer_use.h"
#include "debug/records.h"
#include "ir/operand.h"

/* A frame-resident alloca whose address may escape. The promise has no source variable. */
static bool is_escaping_alloca(const struct coro_lowering *low, LLVMValueRef pointer)
{
  while (LLVMIsAInstruction(pointer) && pointer_is_constant_alias(pointer))
    pointer = LLVMGetOperand(pointer, ADDRESS_BASE);
  uint32_t id = ir_id(&low->fn, pointer), a = id == IR_NONE || id & IR_BLOCK ? IR_NONE : low->allocas.of_value[id];
  return a != IR_NONE && low->allocas.items[a].in_frame && low->allocas.items[a].escapes &&
         !low->allocas.items[a].promise;
}

static bool is_loaded(const struct coro_lowering *low, LLVMValueRef value)
{
  return LLVMIsALoadInst(value) && is_escaping_alloca(low, LLVMGetOperand(value, LOAD_ADDRESS));
}

static bool is_stored(const struct coro_lowering *low, LLVMValueRef value, uint32_t store)
{
  LLVMValueRef inst = store == IR_NONE ? NULL : low->fn.insts[store];
  return inst && LLVMGetOperand(inst, STORE_VALUE) == value &&
         is_escaping_alloca(low, LLVMGetOperand(inst, STORE_ADDRESS));
}

/* For each variable, the record that gives its address in the frame, if all such records agree. */
static uint32_t *find_frame_records(const struct coro_lowering *low, const struct coro_debug *debug,
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

bool debug_find_memory_copies(struct coro_lowering *low, struct coro_debug *debug, uint32_t variable_count)
{
  struct coro_bits in_memory; /* indexed by variable: one of its values was loaded there */
  uint32_t store = IR_NONE; /* the next store in the block */
  uint32_t *frame_records = debug->frame_records = find_frame_records(low, debug, variable_count);
  if (!frame_records || !coro_bits_init(&in_memory, low->arena, variable_count))
    return false;
  for (uint32_t i = low->fn.inst_count; i--;) {
    if (i + 1 == low->fn.inst_count || low->fn.inst_block[i] != low->fn.inst_block[i + 1])
      store = IR_NONE;
    if (low->fn.opcode[i] == LLVMStore)
      store = i;
    for (uint32_t r = debug->record_start[i]; r < debug->record_start[i + 1]; r++) {
      struct debug_record *record = &debug->records[r];
      if (!record->value || record->declares || record->in_frame)
        continue;
      record->copies_memory = record->assigns || is_stored(low, record->value, store);
      if (is_loaded(low, record->value))
        coro_bits_set(&in_memory, record->whole);
    }
  }
  for (uint32_t r = 0; r < debug->record_count; r++) {
    struct debug_record *record = &debug->records[r];
    bool copy = !record->declares && !record->in_frame;
    record->copies_memory |= copy && (coro_bits_get(&in_memory, record->whole) || frame_records[record->whole]);
  }
  return true;
}

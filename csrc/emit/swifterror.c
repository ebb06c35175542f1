/* Stores a swifterror to the frame after each instruction that may change it. */
#include "emit/swifterror.h"

#include "emit/frame_address.h"
#include "emit/local_allocas.h"

uint32_t swifterror_changed_by_inst_or_none(const struct emit *e, uint32_t inst)
{
  const struct ir_fn *fn = &e->low->fn;
  unsigned char opcode = fn->opcode[inst];
  if (!e->low->allocas.spills_error || (opcode != LLVMStore && opcode != LLVMCall && opcode != LLVMInvoke))
    return IR_NONE;
  for (uint32_t o = fn->operand_start[inst]; o < fn->operand_start[inst + 1]; o++) {
    uint32_t value = fn->operands[o];
    const struct coro_alloca *item = value & IR_BLOCK ? NULL : coro_alloca_of(&e->low->allocas, value);
    if (item && item->spilled)
      return value;
  }
  return IR_NONE;
}

void swifterror_store_to_frame_if_used_later(struct emit *e, uint32_t value, uint32_t node)
{
  if (value == IR_NONE || !cfg_may_spill(&e->low->cfg, e->clone_kind, node) ||
      !coro_bits_get(&e->low->allocas.suspends_ahead, node)) /* no later use; the frame may be freed */
    return;
  LLVMValueRef variable = local_alloca_or_frame_address_of(e, value, node),
               slot = emit_address_of_frame_field(e, e->low->frame.of_value[value]);
  local_alloca_copy_by_load_and_store(e->builder, coro_alloca_of(&e->low->allocas, value), variable, slot);
}

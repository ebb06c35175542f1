/* Swifterror variables: each part has one of its own, and the frame keeps what it held.
   Needs: emission under way. Leaves: the frame's field as the variable is. */
#include "emit/swifterror.h"

#include "ir/edit.h"
#include "ir/swifterror.h"

static const struct coro_alloca *item_of(const struct emit *e, uint32_t value)
{
  return &e->low->allocas.items[e->low->allocas.of_value[value]];
}

LLVMValueRef swifterror_make(struct emit *e, LLVMBuilderRef builder, uint32_t value)
{
  LLVMValueRef variable = ir_swifterror_alloca(e->low->context, item_of(e, value)->align);
  LLVMInsertIntoBuilder(builder, variable);
  return variable;
}

static LLVMValueRef load(LLVMBuilderRef builder, const struct coro_alloca *item, LLVMValueRef from)
{
  LLVMValueRef content = LLVMBuildLoad2(builder, item->type, from, "");
  edit_set_alignment(content, item->align);
  return content;
}

static void store(LLVMBuilderRef builder, const struct coro_alloca *item, LLVMValueRef content, LLVMValueRef to)
{
  edit_set_alignment(LLVMBuildStore(builder, content, to), item->align);
}

void swifterror_restore(struct emit *e, uint32_t value, LLVMValueRef variable)
{
  const struct coro_alloca *item = item_of(e, value);
  LLVMValueRef slot = emit_slot(e, e->low->frame.of_value[value]);
  LLVMPositionBuilderBefore(e->aside, e->head);
  store(e->aside, item, load(e->aside, item, slot), variable);
}

uint32_t swifterror_changed(const struct emit *e, uint32_t inst)
{
  const struct ir_fn *fn = &e->low->fn;
  unsigned char opcode = fn->opcode[inst];
  if (!e->low->allocas.keeps_error || (opcode != LLVMStore && opcode != LLVMCall && opcode != LLVMInvoke))
    return IR_NONE;
  for (uint32_t o = fn->operand_start[inst]; o < fn->operand_start[inst + 1]; o++) {
    uint32_t value = fn->operands[o];
    if (value & IR_BLOCK || e->low->allocas.of_value[value] == IR_NONE)
      continue;
    if (item_of(e, value)->kept)
      return value;
  }
  return IR_NONE;
}

void swifterror_keep(struct emit *e, uint32_t value, uint32_t node)
{
  if (value == IR_NONE || !cfg_has_frame(&e->low->cfg, e->part, node) ||
      !coro_bits_get(&e->low->allocas.suspends_ahead, node)) /* nobody reads it any more; the frame may be gone */
    return;
  const struct coro_alloca *item = item_of(e, value);
  LLVMValueRef variable = emit_lookup(e, value, node), slot = emit_slot(e, e->low->frame.of_value[value]);
  store(e->builder, item, load(e->builder, item, variable), slot);
}

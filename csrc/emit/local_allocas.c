/* Creates the function's own allocas in its entry block, on first use; see local_allocas.h. */
#include "emit/local_allocas.h"

#include "check/witness.h"
#include "emit/frame_address.h"
#include "emit/name.h"
#include "ir/edit.h"
#include "transform/swifterror.h"

void local_alloca_copy_by_load_and_store(LLVMBuilderRef builder, const struct coro_alloca *item, LLVMValueRef from,
                                         LLVMValueRef to)
{
  LLVMValueRef content = LLVMBuildLoad2(builder, item->type, from, "");
  edit_set_alignment(content, item->align);
  edit_set_alignment(LLVMBuildStore(builder, content, to), item->align);
}

/* The alloca that replaces a byval-like argument, or a swifterror parameter. */
static LLVMValueRef make_alloca_for_argument(struct emit *e, uint32_t value)
{
  const struct coro_alloca *item = coro_alloca_of(&e->low->allocas, value);
  if (!item->byval) {
    LLVMValueRef error = ir_create_detached_swifterror_alloca(e->low->context, item->align);
    LLVMInsertIntoBuilder(e->aside_builder, error);
    return error;
  }
  LLVMValueRef variable = LLVMBuildAlloca(e->aside_builder, item->type, "");
  edit_set_alignment(variable, item->align);
  /* no-op if the address spaces are equal */
  return LLVMBuildAddrSpaceCast(e->aside_builder, variable, LLVMTypeOf(ir_value(&e->low->fn, value)), "");
}

/* Initializes a clone's swifterror alloca from the frame. */
static void initialize_swifterror_from_frame(struct emit *e, uint32_t value, LLVMValueRef variable)
{
  LLVMValueRef slot = emit_address_of_frame_field(e, e->low->frame.of_value[value]);
  LLVMPositionBuilderBefore(e->aside_builder, e->field_address_position);
  local_alloca_copy_by_load_and_store(e->aside_builder, coro_alloca_of(&e->low->allocas, value), slot, variable);
}

void local_alloca_position_aside_builder(struct emit *e)
{
  LLVMValueRef before = e->last_alloca ? LLVMGetNextInstruction(e->last_alloca) : LLVMGetFirstInstruction(e->entry);
  if (before)
    LLVMPositionBuilderBefore(e->aside_builder, before);
  else
    LLVMPositionBuilderAtEnd(e->aside_builder, e->entry);
}

static LLVMValueRef find_or_create_alloca_in_entry(struct emit *e, uint32_t value)
{
  if (!e->values[value]) {
    LLVMValueRef source = ir_value(&e->low->fn, value), copy;
    local_alloca_position_aside_builder(e);
    if (LLVMIsAArgument(source))
      copy = make_alloca_for_argument(e, value);
    else
      LLVMInsertIntoBuilder(e->aside_builder, copy = LLVMInstructionClone(source));
    if (e->low->frame.of_value[value] == IR_NONE)
      move_or_copy_name_from_source(e, copy, source);
    else
      set_name_of_source_with_suffix(e, copy, source, "");
    e->last_alloca = e->values[value] = copy;
    witness_record_counterpart(e->low->witness, copy, WITNESS_ALLOCA, value);
    (void)coro_vec_push(e->low->arena, &e->local_allocas, value);
    if (e->clone_kind != CLONE_RAMP && coro_alloca_of(&e->low->allocas, value)->spilled)
      initialize_swifterror_from_frame(e, value, copy);
  }
  return e->values[value];
}

LLVMValueRef local_alloca_or_frame_address_of(struct emit *e, uint32_t value, uint32_t node)
{
  const struct coro_alloca *item = coro_alloca_of(&e->low->allocas, value);
  if (item->in_frame && cfg_has_frame(&e->low->cfg, e->clone_kind, node))
    return emit_field_address_in_node(e, e->low->frame.of_value[value], node);
  if (value < e->low->fn.arg_count && e->clone_kind == CLONE_RAMP)
    return LLVMGetParam(e->function, value);
  return value == e->low->shape.error && e->low->passes_error ? ir_swifterror_param(e->function)
                                                              : find_or_create_alloca_in_entry(e, value);
}

void local_alloca_erase_unused(struct emit *e)
{
  for (uint32_t v = 0; v < e->local_allocas.count; v++) {
    LLVMValueRef *copy = &e->values[e->local_allocas.items[v]];
    if (!*copy || LLVMGetFirstUse(*copy))
      continue;
    witness_remove_entry(e->low->witness, *copy);
    LLVMInstructionEraseFromParent(*copy);
    *copy = NULL;
  }
}

/* Emits addresses of frame fields, and spills; see frame_address.h. */
#include "emit/frame_address.h"

#include "analysis/funclet_pads.h"
#include "check/witness.h"
#include "emit/block_head.h"
#include "emit/name.h"
#include "ir/edit.h"

static LLVMValueRef build_address_at_frame_offset(struct emit *e, LLVMBuilderRef builder, uint64_t offset,
                                                  const char *name)
{
  LLVMTypeRef i8 = LLVMInt8TypeInContext(e->low->context), i64 = LLVMInt64TypeInContext(e->low->context);
  LLVMValueRef index = LLVMConstInt(i64, offset, false);
  return offset ? LLVMBuildInBoundsGEP2(builder, i8, e->frame, &index, 1, name) : e->frame;
}

LLVMValueRef emit_address_at_frame_offset(struct emit *e, uint64_t offset, const char *name)
{
  return build_address_at_frame_offset(e, e->builder, offset, name);
}

LLVMValueRef emit_rounding_up_to_alignment(struct emit *e, LLVMBuilderRef builder, LLVMValueRef address,
                                           uint64_t known_align, uint64_t align)
{
  LLVMTypeRef i8 = LLVMInt8TypeInContext(e->low->context);
  LLVMTypeRef word = ir_index_type(e->low->context, e->low->layout);
  LLVMTypeRef types[2] = {LLVMTypeOf(address), word};
  LLVMValueRef function = intrin_declare(e->low->table, e->low->module, INTRIN_PTRMASK, types, 2);
  LLVMValueRef padding = LLVMConstInt(word, align - known_align, false);
  LLVMValueRef arguments[2] = {LLVMBuildInBoundsGEP2(builder, i8, address, &padding, 1, ""),
                               LLVMConstInt(word, ~(align - 1), true)};
  return edit_build_call(builder, function, arguments, 2, "");
}

/* Builds the address at `aside_builder`. */
static LLVMValueRef build_field_address(struct emit *e, const struct coro_field *field)
{
  bool spill = field->kind == CORO_FIELD_SPILL;
  LLVMValueRef slot = build_address_at_frame_offset(e, e->aside_builder, field->offset, "");
  if (field->value == IR_NONE || (uint32_t)(field - e->low->frame.fields) == e->low->frame.heap_field)
    return slot;
  LLVMValueRef source = ir_value(&e->low->fn, field->value);
  if (field->realign)
    slot = emit_rounding_up_to_alignment(e, e->aside_builder, slot, field->align, field->realign);
  if (slot != e->frame)
    set_name_of_source_with_suffix(e, slot, source, spill ? ".spill.addr" : ".reload.addr");
  if (!spill && LLVMTypeOf(source) != LLVMTypeOf(slot)) /* the alloca has another address space than the frame */
    slot = LLVMBuildAddrSpaceCast(e->aside_builder, slot, LLVMTypeOf(source), "");
  return slot;
}

LLVMValueRef emit_address_of_frame_field(struct emit *e, uint32_t field)
{
  if (!e->slots[field]) {
    LLVMPositionBuilderBefore(e->aside_builder, e->field_address_position);
    e->slots[field] = build_field_address(e, &e->low->frame.fields[field]);
    (void)coro_vec_push(e->low->arena, &e->slots_used, field); /* the arena records the failure */
  }
  return e->slots[field];
}

/* Computes the address in the using block, so that no register holds it across calls. A realigned address takes
   several instructions and is computed once in the entry; so is one used by a pad, which has no room before it. */
LLVMValueRef emit_field_address_in_node(struct emit *e, uint32_t field, uint32_t node)
{
  const struct coro_field *field_info = &e->low->frame.fields[field];
  uint32_t first = head_first_inst_after_phis_or_none(e, node);
  bool pad = first != IR_NONE && pads_is_funclet_pad(&e->low->fn, first);
  uint64_t materialized = 0, key = coro_map_pair(field_info->value, node);
  if (e->clone_kind == CLONE_RAMP || field_info->realign || !e->blocks[node] || pad)
    return emit_address_of_frame_field(e, field);
  if (coro_map_get(&e->materialized, key, &materialized))
    return (LLVMValueRef)(uintptr_t)materialized;
  head_position_aside_builder(e, node);
  LLVMValueRef slot = build_field_address(e, field_info);
  (void)coro_map_put(&e->materialized, key, (uint64_t)(uintptr_t)slot); /* the arena records the failure */
  return slot;
}

void emit_store_spill_if_field(struct emit *e, LLVMBuilderRef builder, uint32_t value)
{
  uint32_t field = e->low->frame.of_value[value];
  if (field == IR_NONE || e->low->frame.fields[field].kind != CORO_FIELD_SPILL)
    return;
  LLVMValueRef slot = emit_address_of_frame_field(e, field), store = LLVMBuildStore(builder, e->values[value], slot);
  edit_set_alignment(store, e->low->frame.fields[field].align);
  witness_record_counterpart(e->low->witness, store, WITNESS_SPILL, value);
}

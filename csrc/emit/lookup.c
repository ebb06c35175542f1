/* Maps presplit values to values of the function, with reloads and rematerialization on demand. */
#include "emit/lookup.h"

#include "analysis/origin.h"
#include "check/witness.h"
#include "emit/alloca_intrinsics.h"
#include "emit/block_head.h"
#include "emit/frame_address.h"
#include "emit/local_allocas.h"
#include "emit/name.h"
#include "emit/origin.h"
#include "ir/edit.h"
#include "ir/operand.h"

/* Values without a definition in the function: constants, frame address, allocas; NULL for other values. */
static LLVMValueRef emit_value_of_every_clone_or_null(struct emit *e, uint32_t value, uint32_t node)
{
  uint32_t inst = ir_inst_of_value(&e->low->fn, value);
  if (!coro_value_is_in_every_clone(e->low, value))
    return NULL;
  if (value == e->low->frame_argument)
    return emit_frame_argument(e);
  if (inst == IR_NONE)
    return local_alloca_or_frame_address_of(e, value, node);
  LLVMTypeRef type = LLVMTypeOf(e->low->fn.insts[inst]);
  switch (e->low->shape.intrin[inst]) {
  case INTRIN_BEGIN:
  case INTRIN_FRAME: return e->frame;
  case INTRIN_SIZE: return LLVMConstInt(type, e->low->frame.size, false);
  case INTRIN_ALIGN: return LLVMConstInt(type, e->low->frame.align, false);
  case INTRIN_PROMISE: return emit_address_of_frame_field(e, e->low->frame.promise_field);
  default: return local_alloca_or_frame_address_of(e, value, node);
  }
}

static LLVMValueRef add_merge_phi(struct emit *e, LLVMTypeRef type, uint32_t value, uint32_t node)
{
  head_position_aside_builder_at_phis(e, node);
  LLVMValueRef phi = LLVMBuildPhi(e->aside_builder, type, "");
  set_name_of_source_with_suffix(e, phi, ir_value(&e->low->fn, value), ".merge");
  witness_record_counterpart(e->low->witness, phi, WITNESS_MERGE, value);
  (void)coro_vec_push(e->low->arena, &e->merges, ((struct emit_merge){phi, value, node}));
  return phi;
}

static LLVMValueRef add_merge_phi_of_field_type(struct emit *e, uint32_t value, uint32_t node)
{
  uint32_t field = e->low->frame.of_value[value];
  /* a token is spilled as the value that it names */
  return add_merge_phi(
      e, field == IR_NONE ? LLVMTypeOf(ir_value(&e->low->fn, value)) : e->low->frame.fields[field].type, value, node);
}

/* Loads a spilled value at the head of `place`, or once for the whole clone (IR_NONE). */
static LLVMValueRef reload_value(struct emit *e, uint32_t value, uint32_t place)
{
  const struct coro_field *field = &e->low->frame.fields[e->low->frame.of_value[value]];
  LLVMValueRef slot = emit_address_of_frame_field(e, e->low->frame.of_value[value]);
  if (place == IR_NONE)
    LLVMPositionBuilderBefore(e->aside_builder, e->field_address_position);
  else
    head_position_aside_builder(e, place);
  LLVMValueRef load = LLVMBuildLoad2(e->aside_builder, field->type, slot, "");
  edit_set_alignment(load, field->align);
  set_name_of_source_with_suffix(e, load, ir_value(&e->low->fn, value), ".reload");
  witness_record_counterpart(e->low->witness, load, WITNESS_RELOAD, value);
  return load;
}

static LLVMValueRef rematerialize_value(struct emit *e, uint32_t value, uint32_t place)
{
  const struct ir_fn *fn = &e->low->fn;
  uint32_t inst = ir_inst_of_value(fn, value), count = fn->operand_start[inst + 1] - fn->operand_start[inst];
  if (fn->opcode[inst] == LLVMPHI)
    return origin_phi_has_one_value(fn, inst) ? emit_value_at_node(e, ir_operand(fn, inst, PHI_FIRST), place)
                                              : emit_address_in_chosen_alloca(e, inst);
  if (e->low->shape.intrin[inst] == INTRIN_ALLOCA_GET) {
    LLVMValueRef block = emit_value_at_node(e, ir_operand(fn, inst, ALLOCA_TOKEN), place);
    head_position_aside_builder(e, place);
    return alloca_intrinsic_emit_address(e, e->aside_builder, inst, block);
  }
  LLVMValueRef copy = LLVMInstructionClone(fn->insts[inst]);
  for (uint32_t k = 0; k < count; k++) {
    uint32_t operand = fn->operands[fn->operand_start[inst] + k];
    if (operand != IR_NONE)
      LLVMSetOperand(copy, k, emit_value_at_node(e, operand, place));
  }
  head_position_aside_builder(e, place);
  if (e->clone_kind == CLONE_RAMP)
    LLVMPositionBuilderBefore(e->aside_builder, e->field_address_position);
  LLVMInsertIntoBuilder(e->aside_builder, copy);
  set_name_of_source_with_suffix(e, copy, fn->insts[inst], "");
  witness_record_counterpart(e->low->witness, copy, WITNESS_REMATERIALIZED, value);
  return copy;
}

/* In the ramp: an address computed before coro.begin from an alloca that is in the frame afterwards. */
static bool is_rematerialized_pre_begin_address(const struct emit *e, uint32_t value, uint32_t node)
{
  return e->clone_kind == CLONE_RAMP && coro_bits_get(&e->low->allocas.rematerialized_aliases, value) &&
         cfg_has_frame(&e->low->cfg, e->clone_kind, node);
}

/* Whether the frame may be freed at the head of this place, so that nothing can be reloaded. */
static bool may_frame_be_freed_at(const struct emit *e, uint32_t place)
{
  return coro_bits_get(&e->low->crossing.maybe_freed, place) && !e->low->cfg.nodes[place].landing;
}

/* Whether only the ramp defines the value, so that clones always reload it. */
static bool is_spilled_and_defined_in_ramp_only(const struct emit *e, uint32_t value)
{
  const struct coro_lowering *low = e->low;
  return low->frame.of_value[value] != IR_NONE &&
         !(low->cfg.nodes[coro_node_that_defines_value(&low->fn, &low->cfg, value)].clone_kinds & CLONE_ALL_BUT_RAMP);
}

/* A token without a field in the frame, such as llvm.coro.id's. A phi cannot merge tokens, so it is recreated at
   joins. */
static bool is_token_without_field(const struct coro_lowering *low, uint32_t value)
{
  return low->frame.of_value[value] == IR_NONE &&
         LLVMGetTypeKind(LLVMTypeOf(ir_value(&low->fn, value))) == LLVMTokenTypeKind;
}

/* In the ramp, an alloca that moves to the frame has two addresses: on the stack before coro.begin and in the frame
   after it. Returns the join of paths with and without coro.begin where the address must be selected by a phi; IR_NONE:
   no join is needed. */
static uint32_t join_of_stack_and_frame_address_or_none(const struct emit *e, uint32_t value, uint32_t node)
{
  const struct coro_lowering *low = e->low;
  uint32_t join = e->clone_kind == CLONE_RAMP ? coro_begin_join_of(&low->allocas, node) : IR_NONE;
  if (join == IR_NONE)
    return IR_NONE;
  const struct coro_alloca *item = coro_alloca_of(&e->low->allocas, value);
  bool before = coro_bits_get(&low->allocas.rematerialized_aliases, value) &&
                !graph_dominates(&low->cfg.dom, join, coro_node_that_defines_value(&low->fn, &low->cfg, value));
  return before || (item && item->in_frame) ? join : IR_NONE;
}

static LLVMValueRef find_or_add_address_phi_at_join(struct emit *e, uint32_t value, uint32_t join)
{
  uint64_t materialized = 0, key = coro_map_pair(value, join);
  if (coro_map_get(&e->materialized, key, &materialized))
    return (LLVMValueRef)(uintptr_t)materialized;
  LLVMValueRef phi = add_merge_phi(e, LLVMTypeOf(ir_value(&e->low->fn, value)), value, join);
  (void)coro_map_put(&e->materialized, key, (uint64_t)(uintptr_t)phi); /* the arena records the failure */
  return phi;
}

LLVMValueRef emit_value_at_node(struct emit *e, uint32_t value, uint32_t node)
{
  const struct coro_lowering *low = e->low;
  uint32_t join = join_of_stack_and_frame_address_or_none(e, value, node);
  if (join != IR_NONE)
    return find_or_add_address_phi_at_join(e, value, join);
  LLVMValueRef found = emit_value_of_every_clone_or_null(e, value, node);
  if (found)
    return found;
  bool pre_begin = is_rematerialized_pre_begin_address(e, value, node);
  if (e->clone_kind == CLONE_RAMP && !pre_begin)
    return value < low->fn.arg_count ? LLVMGetParam(e->function, value) : e->values[value];
  const uint32_t *epoch = low->crossing.epoch;
  if (!pre_begin && epoch[coro_node_that_defines_value(&low->fn, &low->cfg, value)] == epoch[node])
    return e->values[value];
  uint32_t place = pre_begin ? low->cfg.begin_node : low->crossing.reload_region[node];
  bool maybe_freed = !pre_begin && may_frame_be_freed_at(e, place);
  if (maybe_freed && is_spilled_and_defined_in_ramp_only(e, value))
    place = IR_NONE;
  bool token = is_token_without_field(low, value);
  if (token && place != IR_NONE && cfg_is_catchswitch(&low->cfg, &low->fn, place))
    place = node;
  uint32_t at = place != IR_NONE && !pre_begin && !maybe_freed
                    ? coro_reload_point_or_region_for_node(low, value, place, node, e->clone_kind)
                    : IR_NONE;
  if (at != IR_NONE && e->blocks[at])
    place = at;
  uint64_t materialized = 0, key = coro_map_pair(value, place);
  if (coro_map_get(&e->materialized, key, &materialized))
    return (LLVMValueRef)(uintptr_t)materialized;
  if (place != IR_NONE && !token && (maybe_freed || cfg_is_catchswitch(&low->cfg, &low->fn, place)))
    found = add_merge_phi_of_field_type(e, value, place);
  else
    found = !pre_begin && low->frame.of_value[value] != IR_NONE ? reload_value(e, value, place)
                                                                : rematerialize_value(e, value, place);
  coro_map_put(&e->materialized, key, (uint64_t)(uintptr_t)found);
  return found;
}

LLVMValueRef emit_operand(struct emit *e, uint32_t inst, unsigned index)
{
  uint32_t operand = ir_operand(&e->low->fn, inst, index);
  if (operand == IR_NONE)
    return LLVMGetOperand(e->low->fn.insts[inst], index);
  return emit_value_at_node(e, operand, e->low->cfg.node_of_inst[inst]);
}

LLVMValueRef emit_first_bundle_operand(struct emit *e, uint32_t call)
{
  /* bundle operands follow the arguments */
  return emit_operand(e, call, LLVMGetNumArgOperands(e->low->fn.insts[call]));
}

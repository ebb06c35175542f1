/* Rematerializes addresses that a phi before llvm.coro.begin chose among several allocas; see origin.h. */
#include "emit/origin.h"

#include "analysis/origin.h"
#include "emit/block_head.h"
#include "emit/local_allocas.h"
#include "emit/name.h"
#include "ir/operand.h"
#include "ir/size.h"

static LLVMValueRef constant_of_alloca_number(const struct emit *e, uint32_t alloca_number)
{
  return LLVMConstInt(LLVMInt32TypeInContext(e->low->context), alloca_number, false);
}

static bool is_alloca_in_frame(const struct emit *e, uint32_t value)
{
  const struct coro_alloca *item = coro_alloca_of(&e->low->allocas, value);
  return item && item->in_frame;
}

static LLVMValueRef copy_of_instruction_or_null(const struct emit *e, uint32_t inst)
{
  return e->values[ir_value_of_inst(&e->low->fn, inst)];
}

static LLVMValueRef create_alloca_number_phi(struct emit *e, uint32_t inst)
{
  head_position_aside_builder_at_phis(e, cfg_node_of(&e->low->cfg, inst));
  LLVMValueRef phi = LLVMBuildPhi(e->aside_builder, LLVMInt32TypeInContext(e->low->context), "");
  set_name_of_copy_with_suffix(e, phi, copy_of_instruction_or_null(e, inst), ".origin");
  (void)coro_vec_push(e->low->arena, &e->origin_phis, inst); /* the arena records the failure */
  return phi;
}

/* Inserts a select of numbers after the copy of the original select. */
static LLVMValueRef create_alloca_number_select(struct emit *e, uint32_t inst)
{
  LLVMValueRef if_true = emit_alloca_number_of_address(e, ir_operand(&e->low->fn, inst, SELECT_TRUE));
  LLVMValueRef if_false = emit_alloca_number_of_address(e, ir_operand(&e->low->fn, inst, SELECT_FALSE)),
               copy = copy_of_instruction_or_null(e, inst);
  if (if_true == if_false)
    return if_true;
  LLVMPositionBuilderBefore(e->aside_builder, LLVMGetNextInstruction(copy));
  LLVMValueRef origin =
      LLVMBuildSelect(e->aside_builder, LLVMGetOperand(copy, SELECT_CONDITION), if_true, if_false, "");
  set_name_of_copy_with_suffix(e, origin, copy, ".origin");
  return origin;
}

LLVMValueRef emit_alloca_number_of_address(struct emit *e, uint32_t value)
{
  const struct ir_fn *fn = &e->low->fn;
  uint64_t origin_value = 0;
  while (value != IR_NONE && coro_bits_get(&e->low->allocas.rematerialized_aliases, value)) {
    uint32_t inst = ir_inst_of_value(fn, value);
    bool phi = fn->opcode[inst] == LLVMPHI && !origin_phi_has_one_value(fn, inst);
    if (phi || fn->opcode[inst] == LLVMSelect) {
      if (!coro_map_get(&e->origins, inst, &origin_value))
        origin_value =
            (uint64_t)(uintptr_t)(phi ? create_alloca_number_phi(e, inst) : create_alloca_number_select(e, inst));
      (void)coro_map_put(&e->origins, inst, origin_value);
      return (LLVMValueRef)(uintptr_t)origin_value;
    }
    value = ir_operand(fn, inst, origin_operands(fn, inst).first);
  }
  return constant_of_alloca_number(
      e, value != IR_NONE && is_alloca_in_frame(e, value) ? e->low->allocas.of_value[value] + 1 : 0);
}

struct variables {
  struct emit *e;
  coro_insts items;
};

/* Lists the frame-resident allocas that an address may point to. */
static bool list_frame_alloca_return_whether_to_go_on(void *user, uint32_t value)
{
  struct variables *v = user;
  if (is_alloca_in_frame(v->e, value))
    (void)coro_vec_push(v->e->low->arena, &v->items, value); /* the arena records the failure */
  return coro_bits_get(&v->e->low->allocas.rematerialized_aliases, value);
}

static LLVMValueRef cast_pointer_to_type_or_integer(struct emit *e, LLVMValueRef address, LLVMTypeRef type)
{
  if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
    return LLVMBuildPtrToInt(e->aside_builder, address, type, "");
  return LLVMTypeOf(address) == type ? address : LLVMBuildAddrSpaceCast(e->aside_builder, address, type, "");
}

/* base + (chosen - from) */
static LLVMValueRef move_address_to_base(struct emit *e, LLVMValueRef chosen, LLVMValueRef from, LLVMValueRef base)
{
  LLVMTypeRef type = LLVMTypeOf(chosen);
  if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
    return LLVMBuildAdd(e->aside_builder, base, LLVMBuildSub(e->aside_builder, chosen, from, ""), "");
  LLVMTypeRef word = ir_index_type(e->low->context, e->low->layout);
  LLVMValueRef chosen_bits = LLVMBuildPtrToInt(e->aside_builder, chosen, word, "");
  LLVMValueRef distance =
      LLVMBuildSub(e->aside_builder, chosen_bits, LLVMBuildPtrToInt(e->aside_builder, from, word, ""), "");
  return LLVMBuildGEP2(e->aside_builder, LLVMInt8TypeInContext(e->low->context), base, &distance, 1, "");
}

LLVMValueRef emit_address_in_chosen_alloca(struct emit *e, uint32_t phi)
{
  const struct coro_lowering *low = e->low;
  LLVMValueRef chosen = copy_of_instruction_or_null(e, phi), base = chosen, from = chosen;
  LLVMValueRef origin = emit_alloca_number_of_address(e, ir_value_of_inst(&low->fn, phi));
  struct variables variables = {.e = e};
  (void)visit_base_values(&low->fn, low->arena, ir_value_of_inst(&low->fn, phi),
                          list_frame_alloca_return_whether_to_go_on, &variables);
  for (uint32_t i = 0; i < variables.items.count; i++) {
    uint32_t value = variables.items.items[i];
    LLVMValueRef in_frame = local_alloca_or_frame_address_of(e, value, low->cfg.begin_node),
                 on_stack = local_alloca_or_frame_address_of(e, value, 0);
    LLVMPositionBuilderBefore(e->aside_builder, e->field_address_position);
    LLVMValueRef is_this_alloca = LLVMBuildICmp(e->aside_builder, LLVMIntEQ, origin,
                                                constant_of_alloca_number(e, low->allocas.of_value[value] + 1), "");
    base = LLVMBuildSelect(e->aside_builder, is_this_alloca,
                           cast_pointer_to_type_or_integer(e, in_frame, LLVMTypeOf(chosen)), base, "");
    from = LLVMBuildSelect(e->aside_builder, is_this_alloca,
                           cast_pointer_to_type_or_integer(e, on_stack, LLVMTypeOf(chosen)), from, "");
  }
  LLVMPositionBuilderBefore(e->aside_builder, e->field_address_position);
  LLVMValueRef moved = move_address_to_base(e, chosen, from, base);
  set_name_of_copy_with_suffix(e, moved, chosen, "");
  return moved;
}

/* Decodes functions: for each instruction its handler, operands and result slot. Linear.
   Requires: ir_number_function. Guarantees: an operation for every reachable instruction; an unsupported one fails only
   when executed. */
#include "interp/decode.h"

#include "interp/constant.h"
#include "interp/coroutine_analysis.h"
#include "interp/execution_error.h"
#include "interp/handlers.h"
#include "ir/attribute_kind.h"
#include "ir/edit.h"

bool decode_without_details(struct decoding *d)
{
  (void)d;
  return true;
}

bool decode_flags(struct decoding *d)
{
  LLVMValueRef inst = d->op->inst;
  uint32_t flags = 0;
  switch (d->op->opcode) {
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
  case LLVMTrunc: flags |= (LLVMGetNUW(inst) ? OP_NUW : 0) | (LLVMGetNSW(inst) ? OP_NSW : 0); break;
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMLShr:
  case LLVMAShr: flags |= LLVMGetExact(inst) ? OP_EXACT : 0; break;
  case LLVMZExt:
  case LLVMUIToFP: flags |= LLVMGetNNeg(inst) ? OP_NNEG : 0; break;
  case LLVMOr: flags |= LLVMGetIsDisjoint(inst) ? OP_DISJOINT : 0; break;
  default: break;
  }
  LLVMFastMathFlags fast = LLVMCanValueUseFastMathFlags(inst) ? LLVMGetFastMathFlags(inst) : 0;
  d->op->flags = flags | (fast & LLVMFastMathNoNaNs ? OP_NNAN : 0) | (fast & LLVMFastMathNoInfs ? OP_NINF : 0);
  if (d->op->flags & (OP_NNAN | OP_NINF) && !LLVMIsACallInst(inst))
    d->op->run = run_with_fast_math_flags;
  return true;
}

bool decode_compare(struct decoding *d)
{
  bool integer = d->op->opcode == LLVMICmp;
  decode_flags(d);
  d->op->detail = integer ? LLVMGetICmpPredicate(d->op->inst) : LLVMGetFCmpPredicate(d->op->inst);
  d->op->flags |= integer && LLVMGetICmpSameSign(d->op->inst) ? OP_SAMESIGN : 0;
  return true;
}

/* ---- Decoding ---- */

/* An instruction without a number is unreachable; a phi may use it on an edge that is never taken. */
static bool is_metadata_asm_block_or_instruction(LLVMValueRef value)
{
  LLVMValueKind kind = LLVMGetValueKind(value);
  return kind == LLVMMetadataAsValueValueKind || kind == LLVMInlineAsmValueKind || kind == LLVMBasicBlockValueKind ||
         LLVMIsAInstruction(value); /* LLVM-C gives some constants an instruction's value kind */
}

/* False: unsupported type. */
static bool decode_operand(struct decoding *d, uint32_t inst, uint32_t k, struct operand *out)
{
  const struct ir_fn *fn = &d->function->fn;
  uint32_t id = ir_operand(fn, inst, k);
  LLVMValueRef value = LLVMGetOperand(fn->insts[inst], k);
  if (id != IR_NONE && id & IR_BLOCK) {
    out->slot = id & ~IR_BLOCK;
    return true;
  }
  if (id == IR_NONE && is_metadata_asm_block_or_instruction(value))
    return true;
  out->type = layout_of_llvm_type(d->in, LLVMTypeOf(value));
  if (!out->type || out->type->unsupported)
    return false;
  if (id != IR_NONE)
    out->slot = d->function->slots[id];
  else
    out->constant = constant_value_cells_or_null(d->in, value);
  return id != IR_NONE || out->constant;
}

static bool decode_instruction(struct interp *in, struct function *function, uint32_t inst)
{
  struct op *op = &function->ops[inst];
  struct decoding decoding = {in, function, op};
  LLVMTypeRef type = LLVMTypeOf(op->inst);
  op->count = (uint32_t)LLVMGetNumOperands(op->inst);
  op->operands = CORO_NEW_ARRAY(in->arena, struct operand, op->count + 1);
  if (!op->operands)
    return false;
  const struct opcode *opcode = &in->opcodes[op->opcode];
  bool known = opcode->run;
  op->run = known ? opcode->run : interp_stop_unsupported;
  if (LLVMGetTypeKind(type) != LLVMVoidTypeKind)
    op->type = layout_of_llvm_type(in, type);
  known &= !op->type || !op->type->unsupported;
  for (uint32_t k = 0; k < op->count && known; k++)
    known = decode_operand(&decoding, inst, k, &op->operands[k]);
  if (!known)
    op->run = interp_stop_unsupported;
  return !in->status && (!known || opcode->decode(&decoding));
}

enum { MAX_CELLS = 1 << 22 };

static bool assign_cells_to_value(struct interp *in, struct function *function, uint32_t id, LLVMTypeRef type)
{
  const struct layout *layout = layout_of_llvm_type(in, type);
  if (!layout)
    return false;
  if (id < function->fn.arg_count)
    function->types[id] = layout;
  function->slots[id] = function->cell_count;
  function->cell_count += layout->unsupported ? 0 : layout->count;
  if (function->cell_count > MAX_CELLS)
    interp_stop_with_error(in, NULL, CORO_ELIMIT, "function-size", "@%s has values of more than %d scalars",
                           function->name, MAX_CELLS);
  return !in->status;
}

static bool assign_cells_to_values(struct interp *in, struct function *function)
{
  const struct ir_fn *fn = &function->fn;
  uint32_t count = ir_value_count(fn);
  function->slots = CORO_NEW_ARRAY(in->arena, uint32_t, count + 1);
  function->types = CORO_NEW_ARRAY(in->arena, const struct layout *, fn->arg_count + 1);
  if (!function->slots || !function->types)
    return false;
  for (uint32_t id = 0; id < count; id++)
    if (!assign_cells_to_value(in, function, id, LLVMTypeOf(ir_value(fn, id))))
      return false;
  function->initial = CORO_NEW_ARRAY(in->arena, struct cell, function->cell_count + 1);
  for (uint32_t id = 0; function->initial && id < count; id++) {
    const struct layout *type = layout_of_llvm_type(in, LLVMTypeOf(ir_value(fn, id)));
    if (type && !type->unsupported)
      cells_fill_with_poison(type, function->initial + function->slots[id]);
  }
  return function->initial != NULL;
}

static bool find_byval_parameters(struct interp *in, struct function *function)
{
  unsigned kind = attribute_kind("byval");
  uint32_t count = function->fn.arg_count;
  function->byval = CORO_NEW_ARRAY(in->arena, const struct layout *, count + 1);
  function->byval_align = CORO_NEW_ARRAY(in->arena, uint32_t, count + 1);
  if (!function->byval || !function->byval_align)
    return false;
  for (uint32_t a = 0; a < count; a++) {
    LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(function->llvm, a + 1, kind);
    if (attribute && !(function->byval[a] = layout_of_llvm_type(in, LLVMGetTypeAttributeValue(attribute))))
      return false;
    uint64_t align = edit_enum_attribute_value_or_0(function->llvm, a + 1, "align");
    function->byval_align[a] = align > UINT32_MAX ? UINT32_MAX / 2 + 1 : align ? (uint32_t)align : 1;
  }
  return true;
}

static bool decode_function_body(struct interp *in, struct function *function)
{
  struct ir_fn *fn = &function->fn;
  function->cell_count = 0;
  if (!ir_number_function(fn, in->arena, function->llvm) || !assign_cells_to_values(in, function) ||
      !find_byval_parameters(in, function))
    return false;
  function->ops = CORO_NEW_ARRAY(in->arena, struct op, fn->inst_count);
  if (!function->ops)
    return false;
  for (uint32_t i = 0; i < fn->inst_count; i++) {
    function->ops[i].inst = fn->insts[i];
    function->ops[i].opcode = fn->opcode[i];
    function->ops[i].slot = function->slots[ir_value_of_inst(fn, i)];
  }
  analyze_coroutine_intrinsics(in, function);
  for (uint32_t i = 0; i < fn->inst_count; i++)
    if (!decode_instruction(in, function, i))
      return false;
  return !coro_arena_failed(in->arena);
}

bool function_decode_once(struct interp *in, struct function *function)
{
  if (function->decoded || function->declared)
    return true;
  if (decode_function_body(in, function))
    return function->decoded = true;
  interp_stop_out_of_memory(in); /* has no effect if the execution failed for another reason */
  return false;
}

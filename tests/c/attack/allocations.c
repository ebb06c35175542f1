/* Mutations of the blocks that the lowering allocates for allocas of dynamic size.
   Requires: a clone under attack. */
#include <string.h>

#include "attack/attack.h"
#include "ir/operand.h"

static bool is_allocation(const struct attack *a, LLVMValueRef inst)
{
  size_t length;
  LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
  return callee && LLVMIsAFunction(callee) && witness_entry_of_value(a->low->witness, inst).kind == WITNESS_LOWERED &&
         !strcmp(LLVMGetValueName2(callee, &length), "malloc");
}

/* ---- Narrow sizes ---- */

/* The size of the block as count * element + constant, in the type of the count. */
static LLVMValueRef build_narrow_size(struct attack *a, LLVMValueRef count, LLVMValueRef product, LLVMValueRef sum)
{
  LLVMTypeRef type = LLVMTypeOf(count);
  unsigned long long element = LLVMConstIntGetZExtValue(LLVMGetOperand(product, SECOND_OPERAND));
  unsigned long long added = LLVMConstIntGetZExtValue(LLVMGetOperand(sum, ADD_RIGHT));
  LLVMValueRef bytes = LLVMBuildMul(a->builder, count, LLVMConstInt(type, element, false), "mutant");
  return LLVMBuildAdd(a->builder, bytes, LLVMConstInt(type, added, false), "mutant");
}

/* Computes the size in the type of the count and passes it to a malloc of that type. There it may wrap. */
static void narrow_size(struct attack *a, LLVMValueRef call)
{
  LLVMValueRef sum = LLVMGetOperand(call, ALLOCATED_BYTES), malloc = LLVMGetCalledValue(call);
  LLVMValueRef product = LLVMIsABinaryOperator(sum) ? LLVMGetOperand(sum, ADD_LEFT) : NULL;
  LLVMValueRef extension = product && LLVMIsABinaryOperator(product) ? LLVMGetOperand(product, FIRST_OPERAND) : NULL;
  if (!extension || !LLVMIsAZExtInst(extension) || !attack_is_drawn())
    return;
  LLVMValueRef count = LLVMGetOperand(extension, CAST_SOURCE), next = LLVMGetNextInstruction(call);
  LLVMTypeRef parameter = LLVMTypeOf(count), type = LLVMFunctionType(LLVMTypeOf(call), &parameter, 1, false);
  LLVMSetValueName2(malloc, "", 0);
  LLVMValueRef narrow = LLVMAddFunction(a->low->module, "malloc", type);
  LLVMPositionBuilderBefore(a->builder, call);
  LLVMValueRef bytes = build_narrow_size(a, count, product, sum);
  LLVMValueRef made = LLVMBuildCall2(a->builder, type, narrow, &bytes, 1, "mutant");
  witness_record_counterpart(a->low->witness, made, WITNESS_LOWERED, witness_entry_of_value(a->low->witness, call).of);
  LLVMReplaceAllUsesWith(call, made);
  LLVMValueRef *operands = attack_remove(a, call);
  attack_judge(a, "narrow-size", made);
  LLVMPositionBuilderBefore(a->builder, next);
  attack_insert_again(a, call, operands);
  LLVMReplaceAllUsesWith(made, call);
  witness_remove_entry(a->low->witness, made);
  LLVMValueRef multiplied = LLVMGetOperand(bytes, ADD_LEFT);
  LLVMInstructionEraseFromParent(made);
  LLVMInstructionEraseFromParent(bytes);
  LLVMInstructionEraseFromParent(multiplied);
  LLVMDeleteFunction(narrow);
  LLVMSetValueName2(malloc, "malloc", strlen("malloc"));
}

/* Truncates a size that was truncated to half as many bits before it is passed. */
static void truncate_size_again(struct attack *a, LLVMValueRef call)
{
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMValueRef size = LLVMGetOperand(call, i);
    if (!LLVMIsATruncInst(size) || witness_entry_of_value(a->low->witness, size).kind != WITNESS_NONE ||
        !attack_is_drawn())
      continue;
    LLVMPositionBuilderBefore(a->builder, call);
    LLVMTypeRef half = LLVMIntTypeInContext(a->low->context, LLVMGetIntTypeWidth(LLVMTypeOf(size)) / 2);
    LLVMValueRef low = LLVMBuildTrunc(a->builder, size, half, "mutant");
    LLVMValueRef made = LLVMBuildZExt(a->builder, low, LLVMTypeOf(size), "mutant");
    LLVMSetOperand(call, i, made);
    attack_judge(a, "truncated-size", call);
    LLVMSetOperand(call, i, size);
    LLVMInstructionEraseFromParent(made);
    LLVMInstructionEraseFromParent(low);
  }
}

/* ---- Negative offsets ---- */

/* Sets the number of bytes between block and alloca, in the size and in each address. */
static void set_offset_in_block(LLVMValueRef call, LLVMValueRef offset)
{
  LLVMValueRef sum = LLVMGetOperand(call, ALLOCATED_BYTES), old = LLVMGetOperand(sum, ADD_RIGHT);
  for (LLVMUseRef use = LLVMGetFirstUse(call); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef address = LLVMGetUser(use);
    if (LLVMIsAGetElementPtrInst(address) && LLVMGetOperand(address, FIRST_INDEX) == old)
      LLVMSetOperand(address, FIRST_INDEX, offset);
  }
  LLVMSetOperand(sum, ADD_RIGHT, offset);
}

/* Puts the alloca before its block, and makes the block smaller by the same bytes. */
static void move_before_block(struct attack *a, LLVMValueRef call)
{
  LLVMValueRef sum = LLVMGetOperand(call, ALLOCATED_BYTES);
  LLVMValueRef old = LLVMIsABinaryOperator(sum) ? LLVMGetOperand(sum, ADD_RIGHT) : NULL;
  if (!old || !LLVMIsAConstantInt(old) || !attack_is_drawn())
    return;
  set_offset_in_block(call, LLVMConstNeg(old));
  attack_judge(a, "negative-offset", call);
  set_offset_in_block(call, old);
}

void attack_allocations(struct attack *a, uint32_t index)
{
  LLVMValueRef inst = a->fn.insts[index];
  if (LLVMIsACallInst(inst) && witness_entry_of_value(a->low->witness, inst).kind == WITNESS_LOWERED)
    truncate_size_again(a, inst);
  if (!is_allocation(a, inst))
    return;
  narrow_size(a, inst);
  move_before_block(a, inst);
}

/* Mutations of operands: other values, constants and offsets.
   Requires: a clone under attack. */
#include <stdio.h>

#include "attack/attack.h"

enum { CANDIDATES = 3 };

static bool is_mutable(const struct attack *a, uint32_t inst, unsigned index)
{
  LLVMValueRef operand = LLVMGetOperand(a->fn.insts[inst], index);
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(operand));
  return kind != LLVMLabelTypeKind && kind != LLVMMetadataTypeKind && kind != LLVMTokenTypeKind &&
         !LLVMIsABasicBlock(operand);
}

static void replace_operand(struct attack *a, uint32_t inst, unsigned index, LLVMValueRef by, const char *mutation)
{
  LLVMValueRef user = a->fn.insts[inst], old = LLVMGetOperand(user, index);
  if (attack_are_equal(a, by, old) || !attack_is_drawn())
    return;
  char name[128];
  size_t length;
  snprintf(name, sizeof name, "%s (operand %u was %.60s)", mutation, index, LLVMGetValueName2(old, &length));
  LLVMSetOperand(user, index, by);
  attack_judge(a, name, user);
  LLVMSetOperand(user, index, old);
}

/* The place at which an operand must be defined: for a phi the end of the incoming block. */
static bool is_usable(const struct attack *a, LLVMValueRef value, uint32_t inst, unsigned index)
{
  if (a->fn.opcode[inst] != LLVMPHI)
    return attack_dominates(a, value, inst);
  uint32_t block = ir_id(&a->fn, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(a->fn.insts[inst], index)));
  return block != IR_NONE && attack_dominates(a, value, a->fn.block_start[(block & ~IR_BLOCK) + 1] - 1);
}

/* Values of the same type that are nearest before the instruction. */
static void try_values(struct attack *a, uint32_t inst, unsigned index)
{
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(a->fn.insts[inst], index));
  unsigned tried = 0;
  for (uint32_t other = inst; other-- > 0 && tried < CANDIDATES;) {
    LLVMValueRef value = a->fn.insts[other];
    if (LLVMTypeOf(value) != type || !is_usable(a, value, inst, index))
      continue;
    tried++;
    replace_operand(a, inst, index, value, "operand-value");
  }
  for (uint32_t p = 0; p < a->fn.arg_count; p++)
    if (LLVMTypeOf(ir_value(&a->fn, p)) == type)
      replace_operand(a, inst, index, ir_value(&a->fn, p), "operand-argument");
}

static void try_constants(struct attack *a, uint32_t inst, unsigned index)
{
  LLVMValueRef old = LLVMGetOperand(a->fn.insts[inst], index);
  LLVMTypeRef type = LLVMTypeOf(old);
  if (LLVMIsAConstantInt(old) && LLVMGetIntTypeWidth(type) <= 64) {
    unsigned long long number = LLVMConstIntGetZExtValue(old);
    bool bit = LLVMGetIntTypeWidth(type) == 1;
    replace_operand(a, inst, index, LLVMConstInt(type, bit ? !number : number + 1, false), "constant+1");
    if (!bit)
      replace_operand(a, inst, index, LLVMConstInt(type, number + 8, false), "constant+8");
  }
  if (LLVMGetTypeKind(type) == LLVMFunctionTypeKind || LLVMIsUndef(old))
    return;
  replace_operand(a, inst, index, LLVMConstNull(type), "operand-null");
  replace_operand(a, inst, index, LLVMGetPoison(type), "operand-poison");
}

static void try_functions(struct attack *a, uint32_t inst, unsigned index)
{
  LLVMValueRef old = LLVMGetOperand(a->fn.insts[inst], index);
  if (!LLVMIsAFunction(old))
    return;
  for (uint32_t n = 0; n < a->low->clone_count; n++)
    replace_operand(a, inst, index, a->low->clones[n], "operand-clone");
}

static void try_stack(struct attack *a, uint32_t inst, unsigned index)
{
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(a->fn.insts[inst], index));
  if (type != LLVMPointerTypeInContext(a->low->context, 0) || a->fn.opcode[inst] == LLVMPHI || !attack_is_drawn())
    return;
  LLVMPositionBuilderBefore(a->builder, LLVMGetFirstInstruction(a->from->entry));
  LLVMValueRef room = LLVMBuildAlloca(a->builder, LLVMArrayType2(LLVMInt8TypeInContext(a->low->context), 64), "mutant");
  replace_operand(a, inst, index, room, "operand-stack");
  LLVMInstructionEraseFromParent(room);
}

static bool is_commutative(LLVMValueRef inst)
{
  switch (LLVMGetInstructionOpcode(inst)) {
  case LLVMAdd:
  case LLVMMul:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMFAdd:
  case LLVMFMul: return true;
  case LLVMICmp: return LLVMGetICmpPredicate(inst) == LLVMIntEQ || LLVMGetICmpPredicate(inst) == LLVMIntNE;
  default: return false;
  }
}

static void swap_operands(struct attack *a, uint32_t inst, unsigned index)
{
  LLVMValueRef user = a->fn.insts[inst], one = LLVMGetOperand(user, index), two = LLVMGetOperand(user, index + 1);
  if (attack_are_equal(a, one, two) || LLVMTypeOf(one) != LLVMTypeOf(two) || is_commutative(user) ||
      !is_usable(a, one, inst, index + 1) || !is_usable(a, two, inst, index) || !attack_is_drawn())
    return;
  LLVMSetOperand(user, index, two);
  LLVMSetOperand(user, index + 1, one);
  attack_judge(a, "swapped-operands", user);
  LLVMSetOperand(user, index, one);
  LLVMSetOperand(user, index + 1, two);
}

void attack_operands(struct attack *a, uint32_t inst)
{
  LLVMValueRef user = a->fn.insts[inst];
  unsigned count = (unsigned)LLVMGetNumOperands(user);
  if (attack_is_dead(user) || attack_is_debug(user))
    return;
  for (unsigned i = 0; i < count; i++) {
    if (!is_mutable(a, inst, i))
      continue;
    try_values(a, inst, i);
    try_constants(a, inst, i);
    try_functions(a, inst, i);
    try_stack(a, inst, i);
    if (i + 1 < count && is_mutable(a, inst, i + 1))
      swap_operands(a, inst, i);
  }
}

/* Terminators: whether a terminator is a branch, what it branches on, and its successors. Versions of LLVM
   differ in the opcodes of branches: see llvm_branches.h.
   Requires: number. Guarantees: only flow_set_switch_operand changes the IR. */
#pragma once

#include "ir/number.h"
#include "llvm_branches.h"

/* A br or switch: transfers control and has no other effect. */
static inline bool flow_is_branch(LLVMValueRef terminator)
{
  return llvm_is_branch(terminator) || LLVMIsASwitchInst(terminator);
}

/* An unconditional br. */
static inline bool flow_is_jump(LLVMValueRef terminator)
{
  return llvm_is_branch(terminator) && !llvm_is_conditional_branch(terminator);
}

/* The condition of a conditional br, whose first successor is the true edge; NULL for other terminators. */
static inline LLVMValueRef flow_branch_condition(LLVMValueRef terminator)
{
  return llvm_is_conditional_branch(terminator) ? LLVMGetCondition(terminator) : NULL;
}

/* The switch operand; NULL for other terminators. */
static inline LLVMValueRef flow_switch_operand(LLVMValueRef terminator)
{
  return LLVMIsASwitchInst(terminator) ? LLVMGetOperand(terminator, 0) : NULL;
}

static inline void flow_set_switch_operand(LLVMValueRef terminator, LLVMValueRef value)
{
  LLVMSetOperand(terminator, 0, value);
}

/* The operand that selects the successor of a conditional br or switch; else NULL. */
static inline LLVMValueRef flow_branch_operand(LLVMValueRef terminator)
{
  LLVMValueRef switched = flow_switch_operand(terminator);
  return switched ? switched : flow_branch_condition(terminator);
}

/* The block whose terminator is the only use of the block; NULL: none, or several. */
static inline LLVMBasicBlockRef flow_single_predecessor(LLVMBasicBlockRef block)
{
  LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
  LLVMValueRef user = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
  return user && LLVMIsAInstruction(user) ? LLVMGetInstructionParent(user) : NULL;
}

/* The block number of a successor of a numbered terminator. */
static inline uint32_t flow_successor(const struct ir_fn *fn, LLVMValueRef terminator, unsigned index)
{
  return ir_id(fn, LLVMBasicBlockAsValue(LLVMGetSuccessor(terminator, index))) & ~IR_BLOCK;
}

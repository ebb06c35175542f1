/* What ends a block: whether it is a branch, what it chooses by, where it goes. LLVM 22 has one opcode for branches
   with a condition and without; LLVM 23 has two, so that nobody but this file asks for it.
   Needs: number. Leaves: nothing changed. */
#ifndef CORO_IR_FLOW_H
#define CORO_IR_FLOW_H

#include "ir/number.h"

/* It goes to one of its successors, and does nothing else. */
static inline bool flow_is_branch(LLVMValueRef terminator)
{
  return LLVMIsABranchInst(terminator) || LLVMIsASwitchInst(terminator);
}

/* A branch with one way. */
static inline bool flow_is_jump(LLVMValueRef terminator)
{
  return LLVMIsABranchInst(terminator) && !LLVMIsConditional(terminator);
}

/* Of a branch with two ways, the first of them taken where it is true; NULL: the terminator is none. */
static inline LLVMValueRef flow_condition(LLVMValueRef terminator)
{
  return LLVMIsABranchInst(terminator) && LLVMIsConditional(terminator) ? LLVMGetCondition(terminator) : NULL;
}

/* NULL: the terminator is no switch. */
static inline LLVMValueRef flow_switched(LLVMValueRef terminator)
{
  return LLVMIsASwitchInst(terminator) ? LLVMGetOperand(terminator, 0) : NULL;
}

static inline void flow_set_switched(LLVMValueRef terminator, LLVMValueRef value)
{
  LLVMSetOperand(terminator, 0, value);
}

/* What it chooses a way by, if it is a branch or a switch that does; else NULL. */
static inline LLVMValueRef flow_chooses_by(LLVMValueRef terminator)
{
  LLVMValueRef switched = flow_switched(terminator);
  return switched ? switched : flow_condition(terminator);
}

/* The number of the successor that it chooses where it chooses by this constant. */
static inline unsigned flow_way(LLVMValueRef terminator, LLVMValueRef constant)
{
  if (!LLVMIsASwitchInst(terminator))
    return LLVMIsNull(constant) ? 1 : 0;
  for (unsigned i = 1; i < LLVMGetNumSuccessors(terminator); i++)
    if (LLVMGetSwitchCaseValue(terminator, i) == constant) /* a context has each constant once */
      return i;
  return 0;
}

/* The number of a successor of an instruction that is numbered. */
static inline uint32_t flow_successor(const struct ir_fn *fn, LLVMValueRef terminator, unsigned index)
{
  return ir_id(fn, LLVMBasicBlockAsValue(LLVMGetSuccessor(terminator, index))) & ~IR_BLOCK;
}

#endif

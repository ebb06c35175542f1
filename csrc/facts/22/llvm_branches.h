/* The br instruction. In LLVM 22, conditional and unconditional branches have one opcode.
   Requires: LLVM-C. Guarantees: the IR is unchanged. */
#ifndef LLVM_BRANCHES_H
#define LLVM_BRANCHES_H

#include <stdbool.h>

#include "llvm-c/Core.h"

/* row(opcode, word in textual IR), for each opcode of br */
#define LLVM_BRANCHES(row) row(LLVMBr, "br")

static inline bool llvm_is_branch_opcode(LLVMOpcode opcode)
{
  return opcode == LLVMBr;
}

static inline bool llvm_is_branch(LLVMValueRef instruction)
{
  return LLVMIsABranchInst(instruction);
}

static inline bool llvm_is_conditional_branch(LLVMValueRef instruction)
{
  return LLVMIsABranchInst(instruction) && LLVMIsConditional(instruction);
}

#endif

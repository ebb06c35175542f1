/* Functions that build or change IR, one per row of ir_builders.def.
   Requires: ir_building.h. */
#pragma once

#include "ir_building.h"

typedef LLVMValueRef ir_build(struct build_site *site, PyObject *args);
typedef bool ir_change(struct build_site *site, PyObject *args);
#define IR_BUILDER(name, role, arguments) ir_build ir_build_##name;
#define IR_CHANGE(name, role, arguments) ir_change ir_change_##name;
#include "ir_builders.def"

/* Flags of instructions, as Python passes them. */
enum { IR_NUW = 1, IR_NSW = 2, IR_EXACT = 4, IR_DISJOINT = 8, IR_NNEG = 16 };
unsigned ir_flags_of_opcode(LLVMOpcode opcode); /* those that instructions with this opcode may have; no fast-math */
/* Sets flags if LLVM has built an instruction instead of folding it. */
void ir_set_flags_if_instruction(LLVMValueRef built, LLVMOpcode opcode, unsigned set);
void ir_set_fast_math_if_instruction(LLVMValueRef built,
                                     unsigned fast); /* sets fast-math flags if an instruction was built */

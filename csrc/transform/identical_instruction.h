/* Compares two instructions structurally: without their operands, as LLVM's isSameOperationAs, or with operands that
   correspond, as isIdenticalTo. Used to merge duplicates, to find common code, and by the checker.
   Requires: LLVM-C.
   Guarantees: the IR does not change. */
#pragma once

#include "base/map.h"
#include "llvm-c/Core.h"

/* True if both instructions, given equal operands, have the same effect and the same attributes, flags and metadata.
   Operands and debug locations are not compared. Handles calls without bundles, getelementptr, icmp, and loads that
   are neither volatile nor atomic; false for every other opcode. */
bool is_identical_call_gep_icmp_or_load(LLVMValueRef one, LLVMValueRef other);
/* The same, and also handles volatile and atomic accesses, integer arithmetic, phis, selects, aggregates, casts of
   integers and pointers, and most terminators. False for allocas, and for operations with floating-point results
   except phis, selects, loads, bitcasts and calls. */
bool is_identical_but_for_operands_if_supported(LLVMValueRef one, LLVMValueRef other);
/* As is_identical_but_for_operands_if_supported, for every opcode and calls with bundles. A phi may have
   other incoming blocks, but as many. */
bool is_copy_but_for_operands_and_loop_metadata(LLVMValueRef one, LLVMValueRef other);
/* Whether both values are the same under a correspondence of two pieces of code (value -> value; NULL: empty): it maps
   one to the other, or has no entry and they are equal. */
bool is_equivalent_value(const struct coro_map *counterparts, LLVMValueRef one, LLVMValueRef other);
/* Whether all operands are equivalent. Blocks are not compared. */
bool have_equivalent_nonblock_operands(const struct coro_map *counterparts, LLVMValueRef one, LLVMValueRef other);
/* Whether both are identical instructions with equivalent operands. */
bool is_equivalent_instruction(const struct coro_map *counterparts, LLVMValueRef one, LLVMValueRef other);
/* Whether the instruction has metadata other than its debug location. */
bool has_metadata_besides_location(LLVMValueRef inst);
/* Whether two functions or calls have the same attributes at an index. False for more than 32. */
bool has_equal_attributes(LLVMValueRef one, LLVMValueRef other, LLVMAttributeIndex at);
/* Whether the operand bundles of two calls have the same tags and numbers of operands. */
bool has_equal_bundle_shapes(LLVMValueRef one, LLVMValueRef other);

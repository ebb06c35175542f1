/* Copies debug records and removes values from them. LLVM-C creates records, but neither moves nor erases them: if the
   instruction after a record is moved or erased, the record remains, in front of the next one.
   Requires: debug_nodes. Guarantees: see each function. */
#pragma once

#include "base/arena.h"
#include "llvm-c/DebugInfo.h"

/* The value or address that a record describes; NULL: none, or several, of which LLVM-C reads only the first. */
LLVMValueRef ir_record_single_value(LLVMContextRef context, LLVMDbgRecordRef record);
/* Whether a later record in front of the same instruction is about the same variable. A copy inserted there would
   take precedence over it. */
bool ir_record_is_superseded(LLVMDbgRecordRef record);
/* Inserts a copy of a record of a variable with another value and expression. The copy of an assignment describes the
   value. */
void ir_record_insert_copy(LLVMDIBuilderRef builder, LLVMDbgRecordRef record, LLVMValueRef value,
                           LLVMMetadataRef expression, LLVMMetadataRef location, LLVMValueRef before);
/* Replaces the value by poison in all debug records, and only there. Failed allocations are recorded in the arena;
   nothing changes then. */
void ir_poison_value_in_records(struct coro_arena *arena, LLVMValueRef value);

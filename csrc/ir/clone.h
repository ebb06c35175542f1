/* Copies of single instructions.
   Requires: LLVM-C. Guarantees: the source is unchanged. */
#ifndef CORO_IR_CLONE_H
#define CORO_IR_CLONE_H

#include "base/map.h"
#include "llvm-c/Core.h"

/* Inserts a copy at the builder's position. Operands that `copies` (value -> copy; NULL: empty) maps are replaced. */
LLVMValueRef clone_instruction(LLVMBuilderRef builder, LLVMValueRef source, const struct coro_map *copies);
/* Inserts a copy of a call without its operand bundles. NULL: out of memory. */
LLVMValueRef clone_call_without_bundles(struct coro_arena *arena, LLVMBuilderRef builder, LLVMValueRef source);
/* Drops alias scopes of a copy: they are valid for one execution of inlined code, not across two copies of it. */
void clone_drop_alias_scopes(LLVMValueRef copy);

#endif

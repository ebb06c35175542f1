/* Copies instructions, or blocks with a map from values to copies.
   Requires: LLVM-C.
   Guarantees: the source is unchanged. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "llvm-c/Core.h"

/* Inserts a copy at the builder's position. Operands that `copies` (value -> copy; NULL: empty) maps are replaced. */
LLVMValueRef clone_instruction(LLVMBuilderRef builder, LLVMValueRef source, const struct coro_map *copies);
/* Inserts a copy of a call without its operand bundles. NULL: out of memory. */
LLVMValueRef clone_call_without_bundles(struct coro_arena *arena, LLVMBuilderRef builder, LLVMValueRef source);
/* Drops alias scopes of a copy: they are valid for one execution of inlined code, not across two copies of it. */
void clone_drop_alias_scopes(LLVMValueRef copy);

/* Copies of several blocks. First a copy of each instruction is inserted, with the operands of its source. Then
   clone_replace_operands_by_copies replaces operands, successors and incoming values by their copies. */
struct clone {
  struct coro_arena *arena;
  struct coro_map copies; /* value or block -> copy */
  CORO_VEC(LLVMValueRef) sources; /* the copied instructions in order */
};

void clone_init(struct clone *c, struct coro_arena *arena);
/* The copy of a value, or the value itself if it was not copied. */
LLVMValueRef clone_copy_or_itself(const struct clone *c, LLVMValueRef value);
LLVMBasicBlockRef clone_of_block(const struct clone *c, LLVMBasicBlockRef block);
/* Makes `by` the copy of `source`. This and the following functions return false if out of memory. */
bool clone_record_copy(struct clone *c, LLVMValueRef source, LLVMValueRef copy);
bool clone_record_block_copy(struct clone *c, LLVMBasicBlockRef source, LLVMBasicBlockRef copy);
/* Inserts a copy of the instruction at the builder's position, or an empty phi, with the name of the source and
   `suffix`. NULL: out of memory. */
LLVMValueRef clone_insert_copy(struct clone *c, LLVMBuilderRef builder, LLVMValueRef source, const char *suffix);
/* Records an instruction that is inserted already as the copy of `source`. */
bool clone_record_inserted_copy(struct clone *c, LLVMValueRef source, LLVMValueRef copy, const char *suffix);
/* Phis get an entry for each incoming block that has a copy. */
void clone_replace_operands_by_copies(const struct clone *c);

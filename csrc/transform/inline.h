/* Inlines a call: copies the callee's body to the builder's position. LLVM-C has no inliner for single calls.
   Requires: a builder at the end of an unterminated block of the caller. Guarantees: the callee does not change; the
   builder is where control continues after the call. */
#pragma once

#include "base/arena.h"
#include "ir/intrin.h"

struct inline_call {
  LLVMBuilderRef builder;
  LLVMValueRef callee;
  LLVMValueRef *arguments; /* one per parameter, with its type */
  bool tail;               /* the caller returns the callee's result; the callee's returns are kept */
  /* Maps a location in the callee to one in the caller (either may be NULL). NULL: the copies have no locations. */
  LLVMMetadataRef (*locate)(void *user, LLVMMetadataRef at);
  void *user;
  LLVMBasicBlockRef entry; /* block for the callee's static allocas; NULL: the caller's entry block */
  void (*copied)(void *record, LLVMValueRef source, LLVMValueRef copy); /* called for each copy; may be NULL */
  void *record;
};

/* True if an inlined copy is equivalent to the call: the definition is final and does not refer to its own function. */
bool inline_is_possible(const struct intrin_table *table, LLVMValueRef caller, LLVMValueRef callee);
/* True if the body can be copied into another function with at least the same parameters: a final definition without
   indirectbr, callbr, llvm.localescape and returns_twice, and not naked. */
bool inline_can_copy_body(LLVMValueRef function);
/* *result is the returned value; NULL if the callee returns void or never returns. False: out of memory. */
bool inline_body_at_builder_position(struct coro_arena *arena, const struct inline_call *call, LLVMValueRef *result);

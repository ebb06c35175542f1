/* Rules for calls that the lowering inserts, such as those of an allocator or of another clone: no attribute promises
   more than the callee, and the calling convention is right.
   Requires: a simulation in progress. */
#ifndef CORO_CHECK_CALL_RULES_H
#define CORO_CHECK_CALL_RULES_H

#include "check/skipped_code.h"

/* Whether the call has the calling convention, no tail marker, bundle or attribute of a call that the presplit call
   (NULL: none) does not have, and no attribute of a value that neither that call nor the callee's declaration has. */
bool call_is_plain(const struct check_walk *w, LLVMValueRef call, LLVMValueRef source, unsigned convention);
/* The convention of the callee if it is a known function, else that of the presplit call. */
unsigned call_convention_of(LLVMValueRef callee, LLVMValueRef source);
/* Whether the value is a call of the intrinsic. */
bool is_call_of_intrinsic(const struct check_walk *w, LLVMValueRef value, enum intrin intrin);

/* Whether a call passes its arguments with the attributes of the callee's parameters. */
bool call_passes_declared(const struct check_walk *w, LLVMValueRef call, LLVMValueRef callee);
/* call_passes_declared and call_is_plain for a call that has no presplit counterpart and a known callee, whose type it
   has. */
bool call_is_direct(const struct check_walk *w, LLVMValueRef call);
/* call_passes_declared, and whether it is the strongest tail call possible, without other attributes. */
bool call_is_tail(const struct check_walk *w, LLVMValueRef call, LLVMValueRef callee);

#endif

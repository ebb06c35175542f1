/* Rules for calls that the lowering inserts, such as those of an allocator or of another clone: no attribute promises
   more than the callee, and the calling convention is right.
   Requires: a simulation in progress. */
#pragma once

#include "check/skipped_code.h"

/* These checks return false, with an answer, for a call that breaks their rule. */

/* The call has the calling convention, the bundles that funclet.h requires, no tail marker or attribute of a call that
   the presplit call `source` (NULL: none) does not have, and no attribute of a value that neither `source` nor the
   callee's declaration has. */
bool check_call_has_only_source_properties(const struct check_walk *w, LLVMValueRef call, LLVMValueRef source,
                                           unsigned convention);
/* The call passes its arguments with the attributes of the callee's parameters, and no others; those that do not change
   how the arguments are passed may be missing. */
bool check_call_passes_declared_attributes(const struct check_walk *w, LLVMValueRef call, LLVMValueRef callee);
/* The rules of both functions above, for a call without a presplit counterpart that has the type of its callee. */
bool check_type_and_attributes_of_added_call(const struct check_walk *w, LLVMValueRef call);
/* The call passes declared attributes, has the callee's convention, no other attribute or bundle, and the strongest
   tail marker that is possible for it. */
bool check_strongest_tail_call_and_attributes(const struct check_walk *w, LLVMValueRef call, LLVMValueRef callee);

/* The convention of the callee if it is a known function, else that of the presplit call. */
unsigned convention_of_callee_else_source_else_c(LLVMValueRef callee, LLVMValueRef source);
/* Whether the value is a call of the intrinsic. */
bool is_call_of_intrinsic(const struct check_walk *w, LLVMValueRef value, enum intrin intrin);

/* Elements of structs that the ABI builds or takes apart: the values that a returned-continuation coroutine yields, and
   the parameters of a continuation. Resolves insertvalue chains and casts.
   Requires: numbered clones (check_data.h). */
#pragma once

#include "check/check_data.h"

/* The value that the ABI inserted as an element, without bitcasts; NULL: unknown. */
LLVMValueRef aggregate_element_or_null(const struct check_clone *k, LLVMValueRef aggregate, unsigned index);
/* The value without a cast that the ABI added. */
LLVMValueRef aggregate_strip_added_casts(const struct check_clone *k, LLVMValueRef value);

/* Recognizes coroutines that coro-split has not lowered, also before coro-early marks them with presplitcoroutine.
   Requires: ir/intrin.
   Guarantees: the function is unchanged. */
#pragma once

#include <stdint.h>

#include "ir/intrin.h"

typedef uint64_t intrin_set; /* a set of coroutine intrinsics: 1 << enum intrin */

/* The coroutine intrinsics that a function calls. Costs one scan of its instructions. */
intrin_set intrins_called_by(const struct intrin_table *table, LLVMValueRef function);
bool has_coroutine_id(intrin_set called);
bool module_calls_coroutine_id(LLVMModuleRef module); /* in any function */
bool has_retcon_id(intrin_set called); /* an id of a returned-continuation ABI */
/* Whether a function with these calls is a coroutine that frontends leave to coro-early to mark: one of any ABI but
   switched-resume. A returned-continuation id needs a suspend or an end beside it. */
bool are_calls_of_non_switch_coroutine(intrin_set called);
/* Whether a function is a coroutine that is not split: it has a body, and is marked or one to mark. Functions are
   scanned only in modules with coroutines of such an ABI. */
bool is_unsplit_coroutine(const struct intrin_table *table, LLVMValueRef function);

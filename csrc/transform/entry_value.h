/* Debug records with DW_OP_LLVM_entry_value describe a variable by a parameter's value at function entry. LLVM's
   verifier permits them only for `swiftasync` parameters. LLVM's inliner copies such records into callers, where they
   refer to other values and fail to verify. There the value itself serves.
   Requires: base, LLVM-C. Guarantees: no record of a value that is not a swiftasync parameter uses an entry value. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"

bool ir_has_swiftasync_function(LLVMModuleRef module); /* a definition has a `swiftasync` parameter */
/* Call after LLVM's passes ran on such a module. Failed allocations are recorded in the arena. */
void ir_remove_invalid_entry_values(struct coro_arena *arena, LLVMModuleRef module);

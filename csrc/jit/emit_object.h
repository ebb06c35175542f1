/* Emits object files and assembly for the target of the module or the options.
   Requires: ir/target, sandbox/child_process. Guarantees: the module does not change. */
#pragma once

#include "llvm-c/Types.h"
#include "pycoro.h"

/* Generates code in a child process. *out: `size` malloc'ed bytes. EUSAGE: unknown target, processor or model, or
   passes `ran_without_layout` on a module that still has none. EREJECTED: coroutine intrinsics are left. EJIT,
   ENOMEM. */
coro_status jit_emit_object_file(LLVMModuleRef module, bool ran_without_layout, const coro_emit_options *options,
                                 char **out, size_t *size, coro_diags *diags);

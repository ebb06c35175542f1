/* Emits object files and assembly for the target of the module or the options.
   Requires: ir/target, sandbox/child_process. Guarantees: the module does not change. */
#ifndef CORO_JIT_EMIT_OBJECT_H
#define CORO_JIT_EMIT_OBJECT_H

#include "llvm-c/Types.h"
#include "pycoro.h"

/* Generates code in a child process. *out: `size` malloc'ed bytes. EUSAGE: unknown target, processor or model. EJIT,
   ENOMEM. */
coro_status jit_emit_object_file(LLVMModuleRef module, const coro_emit_options *options, char **out, size_t *size,
                                 coro_diags *diags);

#endif

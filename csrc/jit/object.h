/* Object files and assembly of a module, for the machine that its triple or the options name.
   Needs: ir/target, base/child. Leaves: the module as it was. */
#ifndef CORO_JIT_OBJECT_H
#define CORO_JIT_OBJECT_H

#include "llvm-c/Types.h"
#include "pycoro.h"

/* What LLVM's code generator does not survive costs a child process and no more. *out: `size` bytes of malloc.
   EUSAGE: options that name what there is not. EJIT, ENOMEM. */
coro_status jit_emit(LLVMModuleRef module, const coro_emit_options *options, char **out, size_t *size,
                     coro_diags *diags);

#endif

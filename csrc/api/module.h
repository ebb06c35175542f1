/* The module behind the handle.
   Needs: ir. Leaves: a context of its own for each module; LLVM's diagnostics never reach stderr. */
#ifndef CORO_API_MODULE_H
#define CORO_API_MODULE_H

#include "base/arena.h"
#include "llvm-c/Core.h"
#include "pycoro.h"

struct coro_module {
  LLVMContextRef context;
  LLVMModuleRef llvm;
  uint64_t generation;
  coro_diags *listener;     /* gets what LLVM reports through the context while a call is under way; may be NULL */
  struct coro_arena *infos; /* of `functions`; NULL: not asked for since the last change */
  coro_function_info *functions;
  size_t function_count;
  struct coro_types *types; /* what is known of its types; NULL: not asked for since the last run */
};

/* The module was changed in place: views of it are stale. */
void coro_module_changed(coro_module *module);
/* Puts another module in the place of the one held, which is disposed of. It may be of the same context or, then taken
   over with it, of another one. */
void coro_module_replace(coro_module *module, LLVMModuleRef llvm);
/* The module and its context, which are the caller's now; the handle is freed. */
LLVMModuleRef coro_module_release(coro_module *module);

#endif

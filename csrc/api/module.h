/* The module behind the handle.
   Needs: ir. Leaves: a context of its own for each module; LLVM's diagnostics never reach stderr. */
#ifndef CORO_API_MODULE_H
#define CORO_API_MODULE_H

#include "base/arena.h"
#include "ir/read.h"
#include "llvm-c/Core.h"
#include "pycoro.h"

struct module_origin { /* of a module that nothing has changed since it was read */
  struct ir_source *source;
  bool shown; /* the caller has seen objects of LLVM's that are in it, and may hold them still */
};

struct coro_module {
  LLVMContextRef context;
  LLVMModuleRef llvm;
  uint64_t generation;
  coro_diags *listener;     /* gets what LLVM reports through the context while a call is under way; may be NULL */
  struct coro_arena *infos; /* of `functions`; NULL: not asked for since the last change */
  coro_function_info *functions;
  size_t function_count;
  struct coro_arena *info; /* of the function that was asked for last; NULL: none was */
  struct coro_types *types; /* what is known of its types; NULL: not asked for since the last run */
  bool edited;          /* through LLVM-C, or by passes that were trusted, since it was last verified */
  bool lent;            /* to a pass, and not the caller's own */
  struct module_origin *origin; /* NULL: it was changed, or not read */
  coro_report *report;  /* of the run that lends it; may be NULL */
  uint32_t depth;       /* how many runs it is lent within */
};

/* What the run on `owner` lends to its passes, once it has a copy to work on; coro_module_forget when it ends. */
coro_module coro_module_to_lend(const coro_module *owner);
/* For the time of a pass's call; `same`: nothing has touched the copy since the last one. */
void coro_module_lend(coro_module *lent, LLVMModuleRef llvm, coro_diags *listener, bool same);
/* What the working copy is now. */
LLVMModuleRef coro_module_reclaim(coro_module *lent, coro_module *owner);
void coro_module_forget(coro_module *module); /* what was found out about it */
/* EVERIFY where the module was edited, and is broken since: it goes into no pass. */
coro_status coro_module_settle(const coro_module *module, coro_diags *diags);

/* Whether what a run has made of the module can be undone by reading it again, with nobody any the wiser. */
bool coro_module_can_return(const coro_module *module);
/* After a run that failed: the module is as it was read, in another context. */
coro_status coro_module_return(coro_module *module, coro_diags *diags);
/* The run that has just changed the module needs no way back any more: what the module was read from, the caller's to
   free. */
struct ir_source *coro_module_take_source(coro_module *module);
/* Another module of what one was read from; NULL: memory ran out. */
coro_module *coro_module_again(const struct ir_source *source);
/* The caller is about to be given what is in the module's context. */
static inline void coro_module_show(const coro_module *module)
{
  if (module->origin)
    module->origin->shown = true;
}
/* The module was changed in place: views of it are stale. */
void coro_module_changed(coro_module *module);
/* Puts another module in the place of the one held, which is disposed of. It may be of the same context or, then taken
   over with it, of another one. */
void coro_module_replace(coro_module *module, LLVMModuleRef llvm);
/* The module and its context, which are the caller's now; the handle is freed. */
LLVMModuleRef coro_module_release(coro_module *module);

#endif

/* The implementation of coro_module.
   Requires: ir. Guarantees: each module has its own context; LLVM's diagnostics never go to stderr. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"
#include "pycoro.h"
#include "sandbox/read.h"

struct module_origin { /* the input of a module that has not changed since it was read */
  struct ir_source *source;
  bool shown; /* the client may hold references to LLVM objects of the module */
};

struct coro_module {
  LLVMContextRef context;
  LLVMModuleRef llvm;
  uint64_t generation;
  coro_diags *listener;     /* receives LLVM's diagnostics during a call; may be NULL */
  struct coro_arena *infos; /* arena of `functions`; NULL: not computed since the last change */
  coro_function_info *functions;
  size_t function_count;
  struct coro_arena *info; /* arena of the last coro_module_function; may be NULL */
  struct coro_types *types; /* cached type layouts; NULL: none since the last run */
  bool edited; /* changed through LLVM-C, or by unverified passes, since the last verification */
  bool ran_without_layout; /* passes have run on a module without data layout, so they assumed LLVM's default */
  bool lent; /* lent to a pass; the client does not own it */
  struct module_origin *origin; /* NULL: changed, or not created by reading */
  coro_report *report; /* report of the run that has lent the module to a client's pass; may be NULL */
  uint32_t depth; /* number of enclosing runs */
};

/* Makes the handle, without a module yet, that a run on `owner` lends to its passes; call coro_module_discard_caches
   when the run ends. */
coro_module coro_module_make_handle_to_lend(const coro_module *owner);
/* Lends the module for one pass call. */
void coro_module_lend(coro_module *lent, LLVMModuleRef llvm, coro_diags *listener, bool unchanged_since_last_call);
/* Returns the current working module. */
LLVMModuleRef coro_module_reclaim(coro_module *lent, coro_module *owner);
void coro_module_discard_caches(coro_module *module); /* discards cached data */
/* Verifies the module if it was edited: EVERIFY. */
coro_status coro_module_verify_edits(const coro_module *module, coro_diags *diags);

/* True if a failed run can restore the module by reading its input again without the client noticing. */
bool coro_module_can_restore_unnoticed(const coro_module *module);
/* Restores the module after a failed run, in a new context. */
coro_status coro_module_restore(coro_module *module, coro_diags *diags);
/* Takes the module's input, after a successful run that changed the module; the caller frees it. */
struct ir_source *coro_module_take_source(coro_module *module);
/* Creates another module from this input; NULL: out of memory. */
coro_module *coro_module_reread(const struct ir_source *source);
/* Records that the client receives references to LLVM objects of the module. */
static inline void coro_module_mark_shared(const coro_module *module)
{
  if (module->origin)
    module->origin->shown = true;
}
/* Invalidates cached data after a change in place. */
void coro_module_mark_changed(coro_module *module);
/* Replaces the LLVM module and disposes of the old one. If `llvm` is in another context, takes ownership of that
   context and disposes of the old one. */
void coro_module_replace(coro_module *module, LLVMModuleRef llvm);
/* Returns the LLVM module and its context to the caller and frees the handle. */
LLVMModuleRef coro_module_release(coro_module *module);

/* Input of every pass.
   Requires: ir, coro.
   Guarantees: a pass returns CORO_OK, or a status with diagnostics; after an error the pipeline discards the module, so
   passes need no rollback. */
#ifndef CORO_PASS_PASS_H
#define CORO_PASS_PASS_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "coro/report.h"
#include "ir/intrin.h"
#include "ir/printed.h"
#include "llvm-c/Target.h"
#include "pycoro.h"

struct coro_abi;
struct jumping;
struct pass_run;

/* Calls a client's pass with the run's module lent to it. The client may replace the module by another, which is
   then run->module; *changed tells whether it was modified. Adds diagnostics on failure. */
typedef coro_status pass_callers(struct pass_run *run, const coro_custom_pass *pass, coro_pass_call *call,
                                 coro_change *changed);

struct pass_run {
  LLVMModuleRef module;
  LLVMContextRef context;
  LLVMTargetDataRef layout; /* of the module, or of its target if it has none; borrowed */
  const struct intrin_table *intrin;
  struct coro_arena *arena;    /* freed after this pass on this target */
  struct coro_budget budget;   /* of this run */
  coro_diags *diags;           /* may be NULL */
  coro_report *report;         /* may be NULL */
  bool later;                  /* coroutines are described on demand, not by this run */
  const coro_options *options; /* never NULL */
  coro_module *owner, *lent;   /* whose module is worked on a copy of, and what the caller's passes see of that */
  bool touched;                /* since the last pass of the caller's another may have changed the module */
  pass_callers *call;          /* never NULL where the options have passes of the caller's */
  struct ir_printed printed;   /* of functions as they were when the passes of this step began */
  bool lowered;                /* coro-cleanup has been run */
  bool edited;                 /* the function has been changed since */
  bool threads;                /* loops that drive coroutines which coro-elide elides are threaded by their state */
  bool drives;                 /* ... and the function that it is given has such loops */
  bool comes_again;            /* it is given a function again in which it has elided one */
  struct coro_map unsettled;   /* functions that pycoro's passes have changed since the module was last verified */
  const struct coro_abi *const *abis; /* that llvm.coro.begin.custom.abi names by their index */
  size_t abi_count;
  bool reuse_storage;          /* coro-split<reuse-storage> */
  bool spare_debug;            /* not for functions with debug information */
  uint64_t elided_bytes;       /* limit of elided frames per function: coro-elide<max-frame-bytes=N> */
  struct jumping *jumping;     /* memoized results for unchanged functions */
  struct coro_map marked;      /* result of frequency_of_marked for this step */
  /* functions with a call of llvm.coro.id at the start of this step; without arena: unknown */
  struct coro_map identified;
  struct coro_map may_start;   /* functions that may create or resume a coroutine, likewise */
};

/* Whether coroutines are described when they are split. */
static inline bool pass_describes(const struct pass_run *run)
{
  return run->report && !run->later;
}

/* Call for every function other than its own that a pass modifies, before or after; not needed for functions
   appended to the module. False: out of memory. */
static inline bool pass_touch(struct pass_run *run, LLVMValueRef function)
{
  return !run->unsettled.arena || coro_map_put(&run->unsettled, coro_map_key(function), 1);
}

/* MODULE passes are called once with function NULL; CGSCC and FUNCTION passes once per function with a body, CGSCC
   in callee-first order. A pass sets *changed if it modified something. */
#define CORO_PASS(name, text, level)                                                                                   \
  coro_status coro_pass_##name(struct pass_run *run, LLVMValueRef function, bool *changed);
#include "pass/passes.def"

#endif

/* What every pass is given.
   Needs: ir, coro. Leaves: a pass returns CORO_OK, or a status with its diagnostics appended; the pipeline then
   throws away the module it worked on, so that a pass need not undo. */
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

/* Calls a pass of the caller's, with the run's module lent to it; what the caller may have put in its place is
   run->module then; *changed tells whether it is what it was. Adds to the diagnostics where it fails. */
typedef coro_status pass_callers(struct pass_run *run, const coro_custom_pass *pass, coro_pass_call *call,
                                 coro_change *changed);

struct pass_run {
  LLVMModuleRef module;
  LLVMContextRef context;
  LLVMTargetDataRef layout; /* of the module, or of its target where it names none; borrowed */
  const struct intrin_table *intrin;
  struct coro_arena *arena;    /* of this run of the pass on this target; freed after it */
  struct coro_budget budget;   /* of this run */
  coro_diags *diags;           /* may be NULL */
  coro_report *report;         /* may be NULL */
  bool later;                  /* the report is to tell of coroutines when it is asked, and not by this run */
  const coro_options *options; /* never NULL */
  coro_module *owner, *lent;   /* whose module is worked on a copy of, and what the caller's passes see of that */
  bool touched;                /* since the last pass of the caller's another may have changed the module */
  pass_callers *call;          /* never NULL where the options have passes of the caller's */
  struct ir_printed printed;   /* of functions as they were when the passes of this step began */
  bool edited;                 /* the function has been changed since */
  bool threads;                /* loops that drive coroutines which coro-elide elides are threaded by their state */
  bool drives;                 /* ... and the function that it is given has such loops */
  bool comes_again;            /* it is given a function again in which it has elided one */
  struct coro_map unsettled;   /* functions that pycoro's passes have changed since the module was last verified */
  const struct coro_abi *const *abis; /* that llvm.coro.begin.custom.abi names by their index */
  size_t abi_count;
  bool reuse_storage;          /* coro-split<reuse-storage> */
  bool spare_debug;            /* but not for functions with debug information */
  uint64_t elided_bytes;       /* of frames that elision puts into one function: coro-elide<max-frame-bytes=N> */
  struct jumping *jumping;     /* which functions may jump, of those that have not changed since */
  struct coro_map marked;      /* what frequency_of_marked left when this step began */
  struct coro_map identified;  /* functions with a call of llvm.coro.id when this step began; no arena: not known */
  struct coro_map may_start;   /* functions that may start or resume a coroutine, likewise */
};

/* Whether coroutines are described as they are split. */
static inline bool pass_describes(const struct pass_run *run)
{
  return run->report && !run->later;
}

/* To be said of every function but its own that a pass changes, before or after; of those that it adds to the module's
   end it need not. False: memory ran out. */
static inline bool pass_touch(struct pass_run *run, LLVMValueRef function)
{
  return !run->unsettled.arena || coro_map_put(&run->unsettled, coro_map_key(function), 1);
}

/* MODULE passes are called once with function NULL; CGSCC and FUNCTION passes once for every function that has a
   body, CGSCC ones callees first. *changed is set to true where the pass changed something, else left alone. */
#define CORO_PASS(name, text, level)                                                                                   \
  coro_status coro_pass_##name(struct pass_run *run, LLVMValueRef function, bool *changed);
#include "pass/passes.def"

#endif

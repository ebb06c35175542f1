/* Input of every pass.
   Requires: ir, coro.
   Guarantees: a pass returns CORO_OK, or a status with diagnostics; after an error the pipeline discards the module, so
   passes need no rollback. */
#pragma once

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "ir/intrin.h"
#include "ir/printed.h"
#include "llvm-c/Target.h"
#include "pycoro.h"
#include "run/report.h"
#include "run/verification.h"

struct coro_abi;
struct nonlocal_exits;
struct pass_run;

/* Calls a client's pass with the run's module lent to it. The client may replace the module by another, which is
   then run->module; *changed tells whether it was modified. Adds diagnostics on failure. */
typedef coro_status pass_client_call(struct pass_run *run, const coro_custom_pass *pass, coro_pass_call *call,
                                     coro_change *changed);

/* Prints one function without the rest of its module. To print a function in its module, LLVM numbers all metadata
   of the module. Prints nothing if the function cannot be moved to another module. False: out of memory. */
typedef bool pass_print(struct pass_run *run, LLVMValueRef function, struct ir_printed *printed);

struct pass_run {
  LLVMModuleRef module;
  LLVMContextRef context;
  LLVMTargetDataRef layout; /* data layout of the module, or of its target if it has none; borrowed */
  const struct intrin_table *intrin;
  struct coro_arena *arena; /* memory of one execution of a pass on this function or module; freed after it */
  struct coro_budget budget; /* allocation budget and cancellation of this run */
  coro_diags *diags; /* may be NULL */
  coro_report *report; /* may be NULL */
  bool describes_later; /* coroutines are described on demand, not by this run */
  const coro_options *options; /* never NULL */
  coro_module *owner, *lent; /* the module whose copy is processed, and its view for clients' passes */
  bool modified_since_custom_pass; /* other passes modified the module after the last custom pass */
  pass_client_call *call; /* not NULL if the options have clients' passes */
  struct ir_printed printed; /* text of functions at the start of this step */
  pass_print *print; /* prints a function cheaply; NULL: LLVMPrintValueToString is as cheap */
  bool lowered; /* coro-cleanup has run */
  bool function_changed; /* the current function has changed in this step, so `printed` is out of date */
  bool jump_threading; /* apply state-machine jump threading to loops that drive elided coroutines */
  bool changed_by_elision; /* coro-elide has changed the current function earlier in this wave */
  bool revisits_after_elision; /* coro-elide visits a function again after an elision */
  struct verification verification; /* the versions at which the module and its functions were verified */
  const struct coro_abi *const *abis; /* indexed by the argument of llvm.coro.begin.custom.abi */
  size_t abi_count;
  uint64_t parameter; /* value of the pass's parameter, by its row in passes.def */
  struct nonlocal_exits *nonlocal; /* memoized results for unchanged functions */
  struct coro_map annotated_frequency; /* result of call_frequency_record_annotated for this step */
  /* functions with a call of llvm.coro.id at the start of this step; not computed while it has no arena */
  struct coro_map has_id;
  struct coro_map
      may_create_coroutine; /* functions that may create or resume a coroutine; not computed while it has no arena */
};

/* Whether coroutines are described when they are split. */
static inline bool pass_describes(const struct pass_run *run)
{
  return run->report && !run->describes_later;
}

/* Call for every function other than its own that a pass modifies, before or after; not needed for functions
   appended to the module. False: out of memory. */
static inline bool pass_mark_modified(struct pass_run *run, LLVMValueRef function)
{
  return !run->verification.functions.arena || verification_mark_changed(&run->verification, function);
}

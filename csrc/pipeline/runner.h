/* State of a running plan, including what has changed the module since its last verification.
   Requires: the passes. */
#ifndef CORO_PIPELINE_RUNNER_H
#define CORO_PIPELINE_RUNNER_H

#include "pass/nonlocal_exits.h"
#include "pass/pass.h"
#include "pipeline/cgscc_waves.h"
#include "pipeline/llvm_passes.h"
#include "pipeline/plan.h"

enum change_maker {
  MADE_BY_PYCORO,
  MADE_BY_READER,
  MADE_BY_LLVM,
  MADE_BY_EITHER, /* by LLVM or pycoro */
  MADE_BY_CLIENT,
  MADE_BY_ANY, /* by a client's pass, or by what was trusted before it */
};

struct author { /* the last modification of the module */
  enum change_maker maker;
  const char *pass; /* its name; NULL: unchanged since verification */
};

struct runner {
  struct pass_run *run;
  struct intrin_table intrin;
  struct author last_change; /* who has changed the module since it was last verified */
  bool changed_anywhere; /* likewise: somebody has who does not say which functions */
  struct author
      unverified_level; /* LLVM's passes of a level, which nobody has looked after yet: once will do, as in opt */
  bool skip_verification; /* what LLVM or pycoro have left was not verified, as the options have it */
  LLVMValueRef verified_function; /* the verifier has seen this function, and nobody has changed it since; NULL: none */
  bool
      may_be_broken_by_either; /* behind these a pass of pycoro's has changed what had not been looked at: either may have broken it */
  bool limits_checked; /* machines and types have been looked at, and only LLVM's and pycoro's passes came since */
  unsigned limits; /* which of enum size_limit were checked since then */
  struct coro_arena *pending_arena; /* of run->unsettled, which outlives what a pass on a target leaves in the run's */
  struct nonlocal_exits nonlocal;
  struct cgscc_waves *waves; /* of the current CGSCC pipeline; NULL: none */
  const char *text; /* with snapshots: the module after the last step, in the report's arena */
  struct llvm_run_cache llvm_cache;
  struct coro_map tried; /* target attributes that were checked */
  struct coro_map counted; /* type -> number of elements */
};

#endif

/* State of a running plan, including what has changed the module since its last verification.
   Requires: the passes. */
#ifndef CORO_PIPELINE_RUNNER_H
#define CORO_PIPELINE_RUNNER_H

#include "pass/nonlocal_exits.h"
#include "pass/pass.h"
#include "pipeline/cgscc_waves.h"
#include "pipeline/llvm_passes.h"
#include "pipeline/plan.h"

enum maker {
  MADE_BY_PYCORO,
  MADE_BY_READER,
  MADE_BY_LLVM,
  MADE_BY_EITHER, /* by LLVM or pycoro */
  MADE_BY_CLIENT,
  MADE_BY_ANY, /* by a client's pass, or by what was trusted before it */
};

struct author { /* the last modification of the module */
  enum maker maker;
  const char *pass; /* its name; NULL: unchanged since verification */
};

struct runner {
  struct pass_run *run;
  struct intrin_table intrin;
  struct author unverified; /* who has changed the module since it was last verified */
  bool all; /* likewise: somebody has who does not say which functions */
  struct author believed; /* LLVM's passes of a level, which nobody has looked after yet: once will do, as in opt */
  bool trusted; /* what LLVM or pycoro have left was not verified, as the options have it */
  LLVMValueRef assured; /* the verifier has seen this function, and nobody has changed it since; NULL: none */
  bool unseen; /* behind these a pass of pycoro's has changed what had not been looked at: either may have broken it */
  bool looked; /* machines and types have been looked at, and only LLVM's and pycoro's passes came since */
  unsigned limits; /* which of enum size_limit were checked since then */
  struct coro_arena *kept; /* of run->unsettled, which outlives what a pass on a target leaves in the run's */
  struct jumping jumping;
  struct rounds *rounds; /* of the current CGSCC pipeline; NULL: none */
  const char *text; /* with snapshots: the module after the last step, in the report's arena */
  struct llvm_run_cache kept_for_llvm;
  struct coro_map tried; /* target attributes that were checked */
  struct coro_map counted; /* type -> number of elements */
};

#endif

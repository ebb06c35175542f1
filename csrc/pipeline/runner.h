/* What a run of a plan knows while it goes from step to step, and who has made what the module is now.
   Needs: the passes. Leaves: nothing. */
#ifndef CORO_PIPELINE_RUNNER_H
#define CORO_PIPELINE_RUNNER_H

#include "pass/jumping.h"
#include "pass/pass.h"
#include "pipeline/llvm.h"
#include "pipeline/plan.h"
#include "pipeline/rounds.h"

enum maker {
  MADE_HERE,
  MADE_BY_READER,
  MADE_BY_LLVM,
  MADE_BY_EITHER, /* of LLVM and pycoro */
  MADE_BY_CALLER,
  MADE_BY_ANY, /* the caller's pass, or what was trusted before it */
};

struct author { /* of what the module is */
  enum maker maker;
  const char *pass; /* its name; NULL: nobody has changed the module since it was verified */
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
  struct coro_arena *kept; /* of run->unsettled, which outlives what a pass on a target leaves in the run's */
  struct jumping jumping;
  struct rounds *rounds; /* of the CGSCC pipeline that is run; NULL: none is */
  const char *text; /* with snapshots: the module as it was after the last step, in the report's arena */
  struct llvm_kept kept_for_llvm;
  struct coro_map tried; /* machines of functions that LLVM's passes have been asked about */
  struct coro_map counted; /* types, by their elements */
};

#endif

/* State of a running plan, including what has changed the module since its last verification.
   Requires: the passes. */
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
  MADE_BY_EITHER, /* by LLVM or pycoro */
  MADE_BY_CALLER,
  MADE_BY_ANY, /* by a client's pass, or by what was trusted before it */
};

struct author { /* the last modification of the module */
  enum maker maker;
  const char *pass; /* its name; NULL: unchanged since verification */
};

struct runner {
  struct pass_run *run;
  struct intrin_table intrin;
  struct author unverified; /* last unverified modification */
  bool all; /* the set of modified functions is unknown */
  struct author believed; /* LLVM's passes of a level, verified once at its end, as in opt */
  bool trusted; /* LLVM's and pycoro's results are not verified, as the options request */
  LLVMValueRef assured; /* a function verified since its last change; NULL: none */
  bool unseen; /* a pass of pycoro changed unverified functions, so either may have broken them */
  bool looked; /* target attributes and type sizes are checked; only LLVM's and pycoro's passes ran since */
  struct coro_arena *kept; /* for run->unsettled; outlives the arena of a single target */
  struct jumping jumping;
  struct rounds *rounds; /* of the current CGSCC pipeline; NULL: none */
  const char *text; /* with snapshots: the module after the last step, in the report's arena */
  struct llvm_kept kept_for_llvm;
  struct coro_map tried; /* target attributes that were checked */
  struct coro_map counted; /* type -> number of elements */
};

#endif

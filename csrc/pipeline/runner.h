/* State of a running plan, including what has changed the module since its last verification.
   Requires: the passes. */
#ifndef CORO_PIPELINE_RUNNER_H
#define CORO_PIPELINE_RUNNER_H

#include "cgscc/cgscc_waves.h"
#include "handles/nonlocal_exits.h"
#include "pipeline/llvm_passes.h"
#include "pipeline/plan.h"
#include "run/pass.h"

enum change_maker {
  MADE_BY_PYCORO,
  MADE_BY_READER, /* the module as read */
  MADE_BY_LLVM,
  MADE_BY_EITHER, /* by LLVM or pycoro */
  MADE_BY_CLIENT,
  MADE_BY_ANY, /* by a client's pass, or by an earlier one that was not verified */
};

struct author { /* the last modification of the module */
  enum change_maker maker;
  const char *pass; /* its name; NULL: unchanged since verification */
};

struct runner {
  struct pass_run *run;
  struct intrin_table intrin;
  struct author last_change; /* the last pass that changed the module since its verification */
  bool changed_anywhere; /* any function may have changed since then, not only run->modified_functions */
  /* the last passes of an optimization level that were not verified; a level is verified once, as by opt */
  struct author unverified_level;
  /* LLVM's passes have already run on unverified changes of a level, so the others are verified at its end, too */
  bool postponed;
  bool skip_verification; /* the options disable verification, and changes since then were not verified */
  LLVMValueRef verified_function; /* verified, and unchanged since; NULL: none */
  /* pycoro's pass changed a function that LLVM's passes had changed without verification */
  bool may_be_broken_by_either;
  bool limits_checked; /* target attributes and sizes were checked, and only LLVM's and pycoro's passes ran since */
  unsigned limits; /* the set of enum size_limit checked since then */
  struct coro_arena *pending_arena; /* holds run->modified_functions, across rewinds of the run's arena */
  struct nonlocal_exits nonlocal;
  struct cgscc_waves *waves; /* of the current CGSCC pipeline; NULL: none */
  const char *text; /* with snapshots: the module after the last step, in the report's arena */
  struct llvm_run_cache llvm_cache;
  struct coro_map tried; /* target attributes that were checked */
  struct coro_map counted; /* type -> number of elements */
};

static inline bool runner_is_out_of_memory(const struct runner *r)
{
  return coro_arena_failed(r->run->arena) || coro_arena_failed(r->nonlocal.arena);
}

static inline coro_status runner_poll_budget(struct runner *r)
{
  return coro_budget_poll(&r->run->budget) && !runner_is_out_of_memory(r) ? CORO_OK : CORO_ENOMEM;
}

#endif

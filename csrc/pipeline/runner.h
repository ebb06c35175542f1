/* State of a running plan.
   Requires: the passes. */
#pragma once

#include "cgscc/cgscc_waves.h"
#include "handles/nonlocal_exits.h"
#include "pipeline/llvm_passes.h"
#include "pipeline/plan.h"
#include "run/pass.h"

struct runner {
  struct pass_run *run;
  struct intrin_table intrin;
  bool limits_checked; /* target attributes and sizes were checked, and only LLVM's and pycoro's passes ran since */
  unsigned limits; /* the set of enum size_limit checked since then */
  struct nonlocal_exits nonlocal;
  struct cgscc_waves *waves; /* waves of the current CGSCC pipeline; NULL: none */
  const char *text; /* with snapshots: text of the module after the last step, in the report's arena */
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
  return coro_budget_may_continue(&r->run->budget) && !runner_is_out_of_memory(r) ? CORO_OK : CORO_ENOMEM;
}

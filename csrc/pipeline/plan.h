/* Converts a parsed pass string to a list of steps: pycoro's passes, and strings for LLVM in between.
   Requires: parse_passes.
   Guarantees: steps in the arena. */
#pragma once

#include "base/vec.h"
#include "grammar/parse_passes.h"

enum step_kind {
  /* one of pycoro's or the client's passes, or several CGSCC passes visited together, function by function */
  STEP_OURS,
  STEP_LLVM, /* a pass string for LLVM */
  STEP_COND, /* coro-cond(...): jump to `end_or_target` if the module has no coroutine intrinsics */
  STEP_LEVEL, /* an optimization level: `llvm` is LLVM's name; jump to `end_or_target` if LLVM's own pipeline was run */
  STEP_EARLY_INLINE, /* a pass string for LLVM, with only trivial functions inlinable */
  /* the steps up to `end_or_target` are a cgscc(...) group with coro-split and LLVM's passes, run in waves from callees
     to callers */
  STEP_WAVES,
  /* first in a wave: the steps up to `end_or_target` (passes of LLVM, coro-elide) run on functions that create
     coroutines, until coro-elide changes none */
  STEP_COROUTINE_CALLERS,
  /* then the steps up to `end_or_target` run once on those of these functions with a new elision */
  STEP_ELIDING_CALLERS
};

struct pipeline_step {
  enum step_kind kind;
  uint32_t at; /* offset in the pass string */
  CORO_VEC(const struct pass_node *) ours; /* STEP_OURS: the passes, visited together */
  bool includes_client; /* STEP_OURS: one of the passes is the client's */
  enum pass_level level; /* STEP_OURS: module, CGSCC or function */
  /* for STEP_LLVM: its element; in a level, or with analysis requests, the first of several in one list */
  struct pass_node *first;
  const struct pass_node *end; /* one past the last element; NULL: to the end of the list */
  bool follows; /* for STEP_LLVM: only LLVM has changed the module since the previous step */
  bool jump_threading; /* for STEP_COROUTINE_CALLERS: state-machine jump threading applies */
  bool in_level; /* part of an optimization level */
  const char *llvm; /* for STEP_LLVM, STEP_EARLY_INLINE: as written */
  const char *safe; /* as passed to LLVM: with the parameters that keep elements from terminating the process */
  const char *local; /* `safe` for waves of few functions; NULL: it needs the whole module */
  const char *plain; /* `safe` without globals-aa, for waves of a level that do not use it; NULL: none */
  bool alias; /* for STEP_LLVM: names a whole pipeline of LLVM, which has LLVM's coroutine passes */
  struct pass_node *
      group; /* for STEP_LLVM: the nested pipeline, such as function(...), that its passes are cut out of; NULL: none */
  /* index of a step: the target of a jump of STEP_COND and STEP_LEVEL; for STEP_WAVES, STEP_COROUTINE_CALLERS and
     STEP_ELIDING_CALLERS one past the steps that they run */
  uint32_t end_or_target;
};

struct pipeline_plan {
  CORO_VEC(struct pipeline_step) steps;
  const char *canonical;
};

/* Reports all errors to the string, except those in LLVM's names, which pipeline_check_llvm_passes finds. The plan is
   valid only without errors. False: out of memory. */
bool pipeline_plan(struct pipeline_plan *plan, struct pass_string *string, struct pass_node *root);

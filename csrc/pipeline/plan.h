/* Planning: a pass string as the list of what is to be run, pycoro's own passes and LLVM's in between.
   Needs: parse. Leaves: steps in the arena. */
#ifndef CORO_PIPELINE_PLAN_H
#define CORO_PIPELINE_PLAN_H

#include "base/vec.h"
#include "pipeline/parse.h"

enum step_kind {
  STEP_OURS, /* one pass of pycoro's or the caller's, or several CGSCC passes that are run together, function by
                function */
  STEP_LLVM, /* a string for LLVM */
  STEP_COND, /* coro-cond(...): go on at `otherwise` if the module has nothing to do with coroutines */
  STEP_WAVES /* the steps before `otherwise` are one CGSCC pipeline: run for callees before it is for their callers */
};

struct pipe_step {
  enum step_kind kind;
  uint32_t at; /* where it stands in the pass string */
  CORO_VEC(const struct pipe_node *) ours; /* of STEP_OURS */
  bool callers;                            /* of STEP_OURS: a pass of the caller's is among them */
  enum pass_level level;                   /* of STEP_OURS */
  const char *llvm;                        /* of STEP_LLVM, as it was given */
  const char *safe;                        /* the same as LLVM is to read it */
  bool alias;         /* of STEP_LLVM: the string stands for a pipeline with LLVM's coroutine passes */
  uint32_t otherwise; /* of STEP_COND, STEP_WAVES: index of a step */
};

struct pipe_plan {
  CORO_VEC(struct pipe_step) steps;
  const char *canonical;
};

/* `triple` is that of the module, or NULL. Whatever LLVM says about its own names is found by pipe_check. EPIPELINE,
   ENOMEM. */
coro_status pipe_plan(struct pipe_plan *plan, struct coro_arena *arena, const struct pipe_node *root,
                      const char *triple, coro_diags *diags);

#endif

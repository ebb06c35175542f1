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
  STEP_LEVEL, /* an optimisation level: `llvm` is LLVM's name for it, go on at `otherwise` if it has been run by that */
  STEP_SMALL, /* a string for LLVM, for small functions alone */
  STEP_ROUNDS, /* the steps before `otherwise` are one CGSCC pipeline: run for callees before it is for their callers */
  STEP_STARTERS, /* those before `otherwise` are run for functions that start coroutines, as long as one changes */
  STEP_DRIVERS /* those before `otherwise` are run once for those of these functions in which one was elided */
};

struct pipe_step {
  enum step_kind kind;
  uint32_t at; /* where it stands in the pass string */
  CORO_VEC(const struct pipe_node *) ours; /* of STEP_OURS */
  bool callers; /* of STEP_OURS: a pass of the caller's is among them */
  enum pass_level level; /* of STEP_OURS */
  struct pipe_node *first; /* of STEP_LLVM: the elements of one list */
  const struct pipe_node *end; /* behind the last of them; NULL: they go to the end of the list */
  bool follows; /* of STEP_LLVM: nothing else than LLVM has been at the module since */
  bool threads; /* of STEP_STARTERS: loops are to be threaded by the state of coroutines */
  bool in_level; /* a part of an optimisation level */
  const char *llvm; /* of STEP_LLVM, STEP_SMALL, as it was given */
  const char *safe; /* the same as LLVM is to read it */
  const char *local; /* likewise, for a round in which few functions are in turn; NULL: it is to see the whole module */
  const char *plain; /* likewise, for a level's rounds that have no use for globals-aa; NULL: there are none */
  bool alias; /* of STEP_LLVM: the string stands for a pipeline with LLVM's coroutine passes */
  struct pipe_node *group; /* of STEP_LLVM: a group of which this is a part; NULL: the elements are all of it */
  uint32_t otherwise; /* of STEP_COND, STEP_LEVEL, STEP_ROUNDS, STEP_STARTERS, STEP_DRIVERS: index of a step */
};

struct pipe_plan {
  CORO_VEC(struct pipe_step) steps;
  const char *canonical;
};

/* Whatever LLVM says about its own names is found by pipe_check, all else that is wrong is told of to the string; the
   plan is one only where nothing is. False: memory ran out. */
bool pipe_plan(struct pipe_plan *plan, struct pipe_string *string, struct pipe_node *root);
#endif

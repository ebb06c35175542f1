/* Interprocedural summaries of the handle analysis: what a function does with a coroutine handle, or with an object
   that holds one, if it is passed as an argument. A summary results from a trace and a walk of the function. It is
   memoized by function, parameter, kind and offset for the lifetime of the struct. The answer is the worst one if the
   summary is being computed already (recursion), if queries are nested too deeply, or if no steps remain. Summaries
   derived from such an answer are memoized, too, so they may depend on the order of queries. Overview and terms:
   handle_trace.h.
   Requires: handle_trace, handle_walk. During the lifetime only the visited function changes, and only by elision,
   which does not affect its summaries.
   Guarantees: the functions are unchanged. */
#pragma once

#include "handles/handle_trace.h"

struct effect_query { /* a query and its result */
  LLVMValueRef function;
  unsigned parameter;
  enum argument_kind kind;
  int64_t offset;
  struct callee_effect effect;
  uint32_t previous; /* index of the previous query about the same function, plus 1: a list per function */
};

struct handle_effects {
  struct pass_run *run;
  struct coro_map last_query; /* function -> index of its last query, plus 1 */
  CORO_VEC(struct effect_query) queries;
  unsigned depth; /* of nested queries, at most 8 */
  uint64_t steps; /* remaining instructions and block visits of all callees; initially 20,000 */
};

void handle_effects_init(struct handle_effects *effects, struct pass_run *run);
/* Initializes a trace that uses these summaries. `run` provides its memory, which must outlive it; summaries are in
   the memory of effects->run. */
void handle_effects_init_trace(struct handle_effects *effects, struct pass_run *run, struct trace *trace,
                               LLVMValueRef function);

/* Interprocedural summaries of the handle analysis: what a function does with a coroutine handle, or an object that
   holds one, passed as an argument. Summaries are memoized for the lifetime of the struct.
   Requires: handle_walk.
   Guarantees: the functions are unchanged. */
#ifndef CORO_HANDLES_HANDLE_EFFECTS_H
#define CORO_HANDLES_HANDLE_EFFECTS_H

#include "handles/handle_trace.h"

struct effect_query { /* a query and its result */
  LLVMValueRef function;
  unsigned parameter;
  enum argument_kind kind;
  int64_t offset;
  struct effect effect;
  uint32_t previous; /* previous query about the same function, plus 1 */
};

struct handle_effects {
  struct pass_run *run;
  struct coro_map last; /* function -> its last query, plus 1 */
  CORO_VEC(struct effect_query) queries;
  unsigned depth;
  uint64_t steps; /* remaining budget of instructions and block visits */
};

void handle_effects_init(struct handle_effects *effects, struct pass_run *run);
/* Initializes a trace that uses these summaries and memory of `run`, which must outlive the trace. */
void handle_effects_trace(struct handle_effects *effects, struct pass_run *run, struct trace *trace,
                          LLVMValueRef function);

#endif

/* Callees: what a function does with the handle of a coroutine, or with an object that holds one, that it is given.
   Needs: walk. Leaves: the functions as they were. What was found out once is known as long as the struct is. */
#ifndef CORO_PASS_CALLEE_H
#define CORO_PASS_CALLEE_H

#include "pass/trace.h"

struct callee { /* one question, and its answer */
  LLVMValueRef function;
  unsigned parameter;
  enum given given;
  int64_t offset;
  struct effect effect;
  uint32_t before; /* the question before of the same function, plus 1 */
};

struct callees {
  struct pass_run *run;
  struct coro_map last; /* function -> its last question, plus 1 */
  CORO_VEC(struct callee) asked;
  unsigned depth;
  uint64_t steps; /* how much may still be looked at, in instructions and visits of blocks */
};

void callees_init(struct callees *callees, struct pass_run *run);
/* A trace that asks these, in memory of `run`, which need not outlive the trace. */
void callees_trace(struct callees *callees, struct pass_run *run, struct trace *trace, LLVMValueRef function);

#endif

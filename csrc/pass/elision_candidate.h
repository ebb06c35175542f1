/* Elision candidates of one function: whether a coroutine has ended, or its handle is unreachable, before the function
   exits and before it is created again.
   Requires: ramp, walk.
   Guarantees: the function is unchanged. */
#ifndef CORO_PASS_ELISION_CANDIDATE_H
#define CORO_PASS_ELISION_CANDIDATE_H

#include "pass/handle_walk.h"
#include "pass/ramp.h"

struct starts { /* data shared by all candidates of a function */
  struct pass_run *run;
  LLVMValueRef function;
  struct callees callees;
  struct ramps ramps;
  struct leaving leaving;
  struct places places; /* computed on demand */
  /* for a coroutine, on demand: code before its frame exists, from a save to its suspend, from there to the exit,
     and after its frame is freed */
  struct reach early, suspended, suspending, gone;
  struct coro_map keeps; /* resume function -> whether its frame does not escape */
  struct pass_run scratch; /* the run, with memory that is reset per candidate */
  struct coro_arena_mark empty;
  bool elided; /* some frame is an alloca of the function now */
};

struct verdict {
  const char *reason; /* the proof, or the obstacle */
  LLVMValueRef at; /* the deciding instruction; a creation site if elidable */
  bool done;
  pass_values destroys; /* calls of f.destroy on its handle, which become calls of f.cleanup */
};

/* False: out of memory; free it nevertheless. */
bool elision_search_init(struct starts *starts, struct pass_run *run, LLVMValueRef function);
void elision_search_free(struct starts *starts);
/* Decides about a coroutine begun in the function itself (an inlined ramp). The verdict's data is valid until the
   next call. False: out of memory. */
bool decide_inlined_ramp(struct starts *starts, const struct parts *parts, const pass_values *begins,
                         const pass_values *frees, struct verdict *verdict);
/* Decides about a coroutine created by a call of its ramp. */
bool decide_ramp_call(struct starts *starts, const struct ramp *ramp, LLVMValueRef call, struct verdict *verdict);

#endif

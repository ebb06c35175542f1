/* Starts of coroutines in one function: whether a coroutine is over, or out of everybody's reach, before the function
   is left and before it is started again.
   Needs: ramp, walk. Leaves: the function as it was. */
#ifndef CORO_PASS_START_H
#define CORO_PASS_START_H

#include "pass/ramp.h"
#include "pass/walk.h"

struct starts { /* what all starts in a function have in common */
  struct pass_run *run;
  LLVMValueRef function;
  struct callees callees;
  struct ramps ramps;
  struct leaving leaving;
  struct places places; /* once somebody has asked */
  struct reach early, suspended, suspending, gone; /* likewise, of a coroutine: what runs before it has a frame, from
                                                      where it is saved to where it suspends, from there on its way out,
                                                      and behind its frame */
  struct coro_map keeps; /* resume function -> whether it lets nobody know of its frame */
  struct pass_run scratch; /* the run, with memory that each start has anew */
  struct coro_arena_mark empty;
  bool elided; /* some frame is a variable of the function now */
};

struct verdict {
  const char *reason; /* the proof, or what stands in its way */
  LLVMValueRef at; /* where that was seen; a start, if it is done */
  bool done;
  pass_values destroys; /* calls of f.destroy with its handle: of f.cleanup, once the frame is not allocated */
};

/* False: memory ran out; it is to be freed nevertheless. */
bool starts_init(struct starts *starts, struct pass_run *run, LLVMValueRef function);
void starts_free(struct starts *starts);
/* Of the coroutine that is begun in the function itself. What the verdict points to lives until the next one. False:
   memory ran out. */
bool start_begun(struct starts *starts, const struct parts *parts, const pass_values *begins, const pass_values *frees,
                 struct verdict *verdict);
/* Of the coroutine that a call of its ramp starts. */
bool start_called(struct starts *starts, const struct ramp *ramp, LLVMValueRef call, struct verdict *verdict);

#endif

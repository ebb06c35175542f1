/* Decides for each coroutine that a function creates whether its frame can be on the function's stack: whether the
   coroutine has ended, or its handle is unreachable, before the function exits and before it is created again.
   Requires: ramp, handle_walk.
   Guarantees: only the functions elide_* change the function. */
#pragma once

#include "handles/handle_walk.h"
#include "handles/ramp.h"

struct elision_search { /* data shared by all candidates of a function */
  struct pass_run *run;
  LLVMValueRef function;
  struct handle_effects effects;
  struct ramps ramps;
  struct exceptional_exits exits;
  struct instruction_positions positions; /* computed on demand */
  /* Sets of instructions, computed on demand if the function is itself a coroutine: */
  struct reachable before_frame; /* before its frame exists */
  /* the code from a save to its suspend, where another thread may already resume the coroutine */
  struct reachable suspended;
  struct reachable suspending; /* the code from a suspend to the exit */
  struct reachable after_free; /* after its frame is freed */
  struct coro_map private_frames; /* resume function -> whether its frame does not escape */
  struct pass_run scratch; /* the run, with memory that is reset per candidate */
  struct coro_arena_mark empty_mark;
  bool elided; /* some frame is an alloca of the function now */
  bool any_on_heap; /* some coroutine that begins in the function was not elided */
};

struct verdict {
  const char *reason; /* the proof, or the obstacle */
  LLVMValueRef at; /* the deciding instruction; a creation site if elidable */
  bool done;
  pass_values destroys; /* calls of f.destroy on its handle, which become calls of f.cleanup */
};

/* False: out of memory; free it nevertheless. */
bool elision_search_init(struct elision_search *search, struct pass_run *run, LLVMValueRef function);
void elision_search_free(struct elision_search *search);
/* Decides about a coroutine begun in the function itself (an inlined ramp). The verdict's data is valid until the
   next call. False: out of memory. */
bool decide_inlined_ramp(struct elision_search *search, const struct clones *clones, const pass_values *begins,
                         const pass_values *frees, struct verdict *verdict);
/* Decides about a coroutine created by a call of its ramp, and elides it: the call becomes one of f.noalloc, with a
   frame on the stack of the caller. Accepts any call. False: out of memory. */
bool elide_ramp_call_if_possible(struct elision_search *search, LLVMValueRef call, bool *changed);
/* Rejects the elision if the frame would exceed the limit of elided frames in the function. */
void elide_check_frame_limit(const struct elision_search *search, const struct clones *clones, struct verdict *verdict);
/* Replaces the calls of f.destroy listed in the verdict by calls of f.cleanup. */
void elide_replace_destroys(const struct verdict *verdict, const struct clones *clones);

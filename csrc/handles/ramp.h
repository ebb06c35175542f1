/* Summaries of ramps of split coroutines, in this module or imported: where the ramp stores the handle for its caller.
   Overview and terms: handle_trace.h.
   Requires: handle_effects; ramps that still have their coro.id, coro.begin and coro.free (before coro-cleanup).
   Guarantees: the functions are unchanged. Summaries are memoized for the lifetime of `struct ramps`. */
#pragma once

#include "handles/handle_effects.h"

struct ramp_slot { /* memory at an offset from a parameter */
  unsigned parameter;
  int64_t offset;
  enum holds holds; /* its content when the ramp returns */
  bool exposed; /* the coroutine keeps its address, and may write there */
};

struct ramp {
  LLVMValueRef id; /* the coro.id; NULL: imported */
  const char *unknown_reason; /* of an imported one: why only `clones` is known; NULL: all is known */
  struct clones clones;
  bool uses_coro_alloc; /* allocates only if coro.alloc is true, so a caller can provide the frame; true if imported */
  bool escapes; /* the handle, or a frame address, may have escaped on return, except to the result and `slots` */
  bool escapes_on_unwind; /* ... when an exception or a non-local exit leaves the ramp */
  bool always_begins; /* coro.begin is always executed before it returns; false if imported */
  bool may_end; /* the coroutine may end before the ramp returns; the ramp's result may then be any value */
  /* If the caller provides the frame, so that the allocation cannot fail: */
  enum holds result; /* of the returned value, or of its field */
  unsigned field; /* of `result`, or TRACE_WHOLE_VALUE */
  CORO_VEC(struct ramp_slot) slots;
};

struct ramps {
  struct handle_effects *effects;
  struct coro_map known; /* function -> struct ramp *; NULL: not a ramp */
};

void ramps_init(struct ramps *ramps, struct handle_effects *effects);
/* *ramp is NULL if the function is not a ramp. False: out of memory. */
bool find_summary_of_ramp(struct ramps *ramps, LLVMValueRef function, const struct ramp **ramp);

/* Summaries of ramps of split coroutines, in this module or imported: where the ramp stores the handle for its caller.
   Requires: handle_effects.
   Guarantees: the functions are unchanged. */
#ifndef CORO_HANDLES_RAMP_H
#define CORO_HANDLES_RAMP_H

#include "handles/handle_effects.h"

struct ramp_slot { /* memory reachable from a parameter that holds the handle when the ramp returns */
  unsigned parameter;
  int64_t offset;
  enum holds holds;
  bool escapes; /* the coroutine keeps its address */
};

struct ramp {
  LLVMValueRef id; /* NULL: imported */
  const char *unknown_reason; /* reason why only the frame layout is known; NULL: more is known */
  struct clones clones;
  bool uses_coro_alloc; /* uses coro.alloc to decide about allocation */
  bool escapes; /* the handle, or an address in the frame, may have escaped on return */
  bool escapes_on_unwind; /* ... on an exceptional exit */
  bool always_begins; /* coro.begin is always executed before it returns */
  bool may_end; /* the coroutine may end before it returns; the result is then arbitrary */
  enum holds result; /* its result, or one field of that, if the caller provides the frame */
  unsigned field;
  CORO_VEC(struct ramp_slot) slots;
};

struct ramps {
  struct handle_effects *effects;
  struct coro_map known; /* function -> struct ramp */
};

void ramps_init(struct ramps *ramps, struct handle_effects *effects);
/* NULL: not a ramp. False: out of memory. */
bool ramp_of(struct ramps *ramps, LLVMValueRef function, const struct ramp **ramp);

#endif

/* Summaries of ramps of split coroutines, in this module or imported: where the ramp stores the handle for its caller.
   Requires: callee.
   Guarantees: the functions are unchanged. */
#ifndef CORO_PASS_RAMP_H
#define CORO_PASS_RAMP_H

#include "pass/handle_effects.h"

struct ramp_slot { /* memory reachable from a parameter that holds the handle when the ramp returns */
  unsigned parameter;
  int64_t offset;
  enum holds holds;
  bool kept; /* the coroutine keeps its address */
};

struct ramp {
  LLVMValueRef id;     /* NULL: imported */
  const char *silence; /* reason why only the frame layout is known; NULL: more is known */
  struct parts parts;
  bool asks;           /* uses coro.alloc to decide about allocation */
  bool kept;           /* the handle, or an address in the frame, may have escaped on return */
  bool thrown;         /* ... on an exceptional exit */
  bool begins;         /* coro.begin is always executed before it returns */
  bool ends;           /* the coroutine may end before it returns; the result is then arbitrary */
  enum holds result;   /* what it returns, with a caller-provided frame, or one field of that */
  unsigned field;
  CORO_VEC(struct ramp_slot) slots;
};

struct ramps {
  struct callees *callees;
  struct coro_map known; /* function -> struct ramp */
};

void ramps_init(struct ramps *ramps, struct callees *callees);
/* NULL: not a ramp. False: out of memory. */
bool ramp_of(struct ramps *ramps, LLVMValueRef function, const struct ramp **ramp);

#endif

/* Ramps of coroutines that have been split, here or in another module: where they put the handle for who calls them.
   Needs: callee. Leaves: the functions as they were. */
#ifndef CORO_PASS_RAMP_H
#define CORO_PASS_RAMP_H

#include "pass/callee.h"

struct ramp_slot { /* memory behind a parameter that holds the handle when the ramp returns */
  unsigned parameter;
  int64_t offset;
  enum holds holds;
  bool kept; /* the coroutine knows of it from then on */
};

struct ramp {
  LLVMValueRef id;     /* NULL: of another module */
  const char *silence; /* why nothing is known but the layout of the frame; NULL: more is */
  struct parts parts;
  bool asks;           /* by coro.alloc, whether it has to allocate */
  bool kept;           /* others may know the handle when it returns, or of its frame */
  bool thrown;         /* ... when an exception leaves it */
  bool begins;         /* always, before it returns */
  bool ends;           /* sometimes, before it returns: what it returns then may be anything */
  enum holds result;   /* of what it returns where it is given its frame, or of one field of that */
  unsigned field;
  CORO_VEC(struct ramp_slot) slots;
};

struct ramps {
  struct callees *callees;
  struct coro_map known; /* function -> struct ramp */
};

void ramps_init(struct ramps *ramps, struct callees *callees);
/* NULL: it is none. False: memory ran out. */
bool ramp_of(struct ramps *ramps, LLVMValueRef function, const struct ramp **ramp);

#endif

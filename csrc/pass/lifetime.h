/* Whether a coroutine that a function starts is over before the function is left.
   Needs: ir. Leaves: the function as it was. */
#ifndef CORO_PASS_LIFETIME_H
#define CORO_PASS_LIFETIME_H

#include "pass/leaving.h"
#include "pass/parts.h"

struct lifetime {
  struct pass_run *run;
  const pass_values *begins; /* starts of the coroutine, all on one coro.id */
  const pass_values *ends;   /* instructions that destroy it or free its frame */
  const struct parts *parts; /* of the coroutine */
  struct leaving *leaving;   /* of the function that starts it */
};

/* NULL: on every way from `begin` the coroutine is over before it is begun again and before the function returns or,
   where its handle may be known to others by then, unwinds: by an instruction, or by a call without an unwind edge.
   Else the reason why not, and *at is where that was seen. *fine false: memory ran out. */
const char *lifetime_reason(const struct lifetime *l, LLVMValueRef begin, LLVMValueRef *at, bool *fine);

#endif

/* Leaving: the instructions by which a function may be left beside its edges: calls that throw, or jump away.
   Needs: trace. Leaves: the function as it was. */
#ifndef CORO_PASS_LEAVING_H
#define CORO_PASS_LEAVING_H

#include "base/map.h"
#include "pass/calls.h"
#include "pass/jumping.h"
#include "pass/trace.h"

struct leaving {
  bool never;             /* the function says of itself that none leaves it */
  struct jumping *jumping; /* the run's */
  struct coro_map blocks; /* block -> whether it has such a call, once asked */
};

void leaving_init(struct leaving *leaving, struct pass_run *run, LLVMValueRef function);
bool leaving_by(struct leaving *leaving, LLVMValueRef instruction);
bool leaving_in(struct leaving *leaving, LLVMBasicBlockRef block); /* of the same function */
/* No exception leaves f.resume, nor a jump, as far as a short look at it tells; asked where the function resumes it. */
bool leaving_never(struct leaving *leaving, const struct parts *parts);
/* f.resume, which is given a frame that is a caller's, lets nobody know where that is. The trace, of whatever function,
   asks what is called there. False: memory ran out. */
bool leaving_keeps_private(struct trace *trace, const struct parts *parts, bool *private_frame);

#endif

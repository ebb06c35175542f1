/* Exceptional exits of a function that are not CFG edges: calls that may throw or exit non-locally.
   Requires: trace.
   Guarantees: the function is unchanged. */
#ifndef CORO_PASS_LEAVING_H
#define CORO_PASS_LEAVING_H

#include "base/map.h"
#include "pass/calls.h"
#include "pass/jumping.h"
#include "pass/trace.h"

struct leaving {
  bool never;             /* the function's attributes exclude such exits */
  struct jumping *jumping; /* owned by the run */
  struct coro_map blocks; /* block -> whether it has such a call; filled on demand */
};

void leaving_init(struct leaving *leaving, struct pass_run *run, LLVMValueRef function);
bool leaving_by(struct leaving *leaving, LLVMValueRef instruction);
bool leaving_in(struct leaving *leaving, LLVMBasicBlockRef block); /* whether a block of the function has such a call */
/* Whether neither an exception nor a non-local exit leaves f.resume, by a bounded inspection; for functions that
   resume it. */
bool leaving_never(struct leaving *leaving, const struct parts *parts);
/* Whether f.resume does not let its frame's address escape if the frame is in the caller. The trace, of any
   function, provides summaries of callees. False: out of memory. */
bool leaving_keeps_private(struct trace *trace, const struct parts *parts, bool *private_frame);

#endif

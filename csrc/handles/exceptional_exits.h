/* Exceptional exits of a function that are not CFG edges: calls that may throw or exit non-locally.
   Requires: handle_trace.
   Guarantees: the function is unchanged. */
#ifndef CORO_HANDLES_EXCEPTIONAL_EXITS_H
#define CORO_HANDLES_EXCEPTIONAL_EXITS_H

#include "base/map.h"
#include "handles/handle_trace.h"
#include "handles/nonlocal_exits.h"
#include "run/intrinsic_calls.h"

struct exceptional_exits {
  bool never; /* the function's attributes exclude such exits */
  struct nonlocal_exits *nonlocal; /* owned by the run */
  struct coro_map blocks; /* block -> whether it has such a call; filled on demand */
};

void exceptional_exits_init(struct exceptional_exits *exits, struct pass_run *run, LLVMValueRef function);
bool may_exit_exceptionally(struct exceptional_exits *exits, LLVMValueRef instruction);
bool block_may_exit_exceptionally(struct exceptional_exits *exits,
                                  LLVMBasicBlockRef block); /* whether a block of the function has such a call */
/* Whether neither an exception nor a non-local exit leaves f.resume, by a bounded inspection of it. `exits` may be
   of any function. */
bool resume_never_exits_exceptionally(struct exceptional_exits *exits, const struct clones *clones);
/* Whether f.resume does not let its frame's address escape if the frame is in the caller. `trace` may be of any
   function; it provides summaries of callees. False: out of memory. */
bool resume_keeps_frame_private(struct trace *trace, const struct clones *clones, bool *private_frame);

#endif
